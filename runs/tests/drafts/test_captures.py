"""Which run a monitor saw, and when, where its heading is another's or has none. Made texts."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from .documents import expand, read

STATS = (
    "$ docker stats --no-stream\nCONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   NET I/O          BLOCK I/O   PIDS\n"
    "3f1c22ab9d10   node   {cpu}%   61.2MiB / 7.67GiB   0.78%   1.2GB / 3.41GB   0B / 0B     11\n"
)
MPSTAT = (
    "$ mpstat 10 1\nLinux 5.4.0-150-generic (php1) \t06/02/2023 \t_x86_64_\t(2 CPU)\n\n"
    "03:10:01 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
    "03:10:11 PM  all   {us}    0.00    7.10    0.10    0.00    1.00    0.00    0.00    0.00    0.70\n"
)
VMSTAT = (
    "$ vmstat -t 5\nprocs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
)
ROW = " 5  0      0 810400  31200 801000    0    0     0    20 5100 9300 84 14  2  0  0 {:%Y-%m-%d %H:%M:%S}\n"


def placed(text: str) -> list[tuple[str, str]]:
    """(rate of its run, phase) of each capture, in the order of the text."""
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    rates = {run.key: str(blocks[run.block].load_results[0].requests_per_second) for run in experiment.runs}
    return [
        (rates.get(capture.run, ""), capture.phase)
        for capture in sorted(experiment.captures, key=lambda one: one.lines)
    ]


def test_a_heading_that_says_after_the_test_is_not_about_the_next_test():
    text = (
        f"# Workers\n\n## two\n\n$ ab http://localhost/\n@ab 900.5\n\nAfter the test:\n\n{MPSTAT.format(us=91.1)}"
        f"\n$ ab http://localhost/\n@ab 1200.5\n\n{MPSTAT.format(us=89.4)}"
    )
    assert placed(text) == [("900.5", "after"), ("1200.5", "during")]


def test_a_monitor_under_a_title_of_several_configs_is_of_the_load_test_above_it():
    off, on = (
        f"$ ab http://localhost/\n@ab {rate}\n{MPSTAT.format(us=us)}" for rate, us in ((88.5, 91.1), (415.5, 89.4))
    )
    text = f"## Does OPcache matter?\n\n{off}$ sudo sed -i 's/opcache.enable=0/opcache.enable=1/' /etc/php.ini\n{on}"
    assert placed(text) == [("88.5", "during"), ("415.5", "during")]


def test_containers_that_use_cpu_in_their_interval_were_seen_under_load():
    for cpu, phase in (("99.87", "during"), ("0.31", "after")):
        text = f"## one\n\n$ ab http://localhost/\n@ab 900.5\n\n{STATS.format(cpu=cpu)}"
        assert placed(text) == [("900.5", phase)]


def test_a_monitor_whose_clocks_go_over_two_load_tests_is_of_neither():
    start = datetime(2024, 2, 10, 21, 0)
    rows = "".join(ROW.format(start + timedelta(seconds=5 * n)) for n in range(60))
    runs = "".join(
        f"{name}:\n\n$ date\nSat Feb 10 21:0{minute}:30 UTC 2024\n$ ab http://localhost/\n@ab {rate}\n"
        f"$ date\nSat Feb 10 21:0{minute + 1}:10 UTC 2024\n\n"
        for name, minute, rate in (("log on", 0, 900.5), ("log off", 2, 1200.5))
    )
    assert placed(f"# Logs\n\n{runs}vmstat of the whole time:\n\n{VMSTAT}{rows}") == [("", "during")]


@pytest.mark.parametrize(
    ("heading", "n", "run"),
    [
        ("Terminal 2:", 60, ""),  # 295 s, and the load tests took 25 s at most
        ("Terminal 2:", 1, "250.5"),
        ("", 60, "250.5"),  # right below the last one's report
    ],
)
def test_a_monitor_below_all_load_tests_that_went_on_for_all_their_time_is_of_none(heading, n, run):
    start = datetime(2024, 2, 10, 21, 0)
    rows = "".join(ROW.format(start + timedelta(seconds=5 * at)) for at in range(n))
    reports = "\n\n".join(
        f"{name}:\n$ ab http://localhost/\n@ab {rate}" for name, rate in (("old", 200.5), ("new", 250.5))
    )
    assert placed(f"{reports}\n\n{heading}\n{VMSTAT}{rows}") == [(run, "during")]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_monitor_without_clocks_that_went_on_for_longer_than_one_load_test_is_of_none(is_first):
    reports = "".join(
        f"{name}\n$ ab http://localhost/\n@ab {rate} n=300\n\n" for name, rate in (("old", 200.5), ("new", 250.5))
    )
    titles = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----"
    titles += "\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    row = " 9  0      0 802345  12345 234567    0    0     0     0 9100 8100 61 31  8  0  0\n"
    monitor = f"Terminal 2:\n\n$ vmstat 1\n{titles}{4 * row}\n"
    assert placed(monitor + reports if is_first else reports + monitor) == [("", "during")]


@pytest.mark.parametrize(("starts", "run"), [((0,), ""), ((0, 1), "250.5"), ((1,), "250.5"), ((), "250.5")])
def test_a_file_that_a_monitor_wrote_in_the_background_is_of_the_runs_since_it_was_started(starts, run):
    text = ""
    for at, (name, rate) in enumerate((("old", 200.5), ("new", 250.5))):
        text += "$ vmstat 1 > vm.log 2>&1 &\n" if at in starts else ""
        text += f"# {name}\n\n$ ab http://localhost/\n@ab {rate}\n"
    monitor = VMSTAT.replace("vmstat -t 5", "cat vm.log") + ROW.format(datetime(2024, 2, 10, 21, 0))
    assert placed(f"{text}$ {monitor}".replace("$ $", "$")) == [(run, "during")]


def test_a_file_that_is_written_behind_the_last_load_test_did_not_run():
    conf = "user www;\nworker_processes 4;\nhttp {\n  server {\n    listen 80;\n  }\n}\n"
    load = "## nginx\n\n$ ab http://localhost/\n@ab 900.5\n\nNext:\n\n"
    for command, n in (("cat > /etc/nginx/nginx.conf <<EOT", 0), ("cat /etc/nginx/nginx.conf", 1)):
        _, draft = read(expand(f"{load}$ {command}\n{conf}{'EOT' * (not n)}\n"))
        assert len(draft.experiments[0].texts) == n


@pytest.mark.parametrize("form", ["## {}\n\n@ab {}.5\n\n{}\n\n", "## {0}\n\n{2}\n\n@ab {1}.5\n\n"])
def test_settings_below_a_report_and_above_the_next_heading_are_of_that_report(form):
    shown = ["worker_processes 1;\nkeepalive_timeout 0;", "worker_processes 4;\nkeepalive_timeout 65;"]
    text = "".join(form.format(*each) for each in zip(("as it came", "tuned"), (247, 347), shown, strict=True))
    (experiment,) = read(expand(text))[1].experiments
    assert [(each.config, each.text) for each in experiment.texts] == [
        (config.key, own) for config, own in zip(experiment.configs, shown, strict=True)
    ]


FREE = """{host}:~$ free -m
             total       used       free     shared    buffers     cached
Mem:          {mib}       3800        148          0        150       2400
-/+ buffers/cache:       1250       2699
"""


def test_a_monitor_on_the_machine_of_the_next_load_test_is_before_that():
    """Made text."""
    machines = (("web1", 4949, 900), ("web2", 8949, 800))
    shown = (
        f"{FREE.format(host=host, mib=mib)}{host}:~$ ab -n 500 -c 10 http://localhost/page.html\n@ab {rate}.1\n"
        for host, mib, rate in machines
    )
    _, draft = read(expand("\n".join(shown)))
    placed = [(c.run, c.phase) for experiment in draft.experiments for c in experiment.captures]
    assert placed == [("b1", "before"), ("b3", "before")]


@pytest.mark.parametrize(("heading", "rate"), [("CPU while nginx was tested", "900.5"), ("CPU of both", "700.5")])
def test_a_monitor_below_all_load_tests_is_of_the_config_that_its_heading_names(heading, rate):
    text = f"# nginx\n\n@ab 900.5\n\n# apache\n\n@ab 700.5\n\n# {heading}\n\n{MPSTAT.format(us=91.1)}"
    assert placed(text) == [(rate, "during")]


SHELL = "root@web1:/srv# "
MEMORY = FREE.replace("{host}:~$", f"{SHELL.strip()}")


@pytest.mark.parametrize(
    ("typed", "second"),
    [
        ("systemctl stop httpd; systemctl start nginx", ("800.5", "before")),
        ("service nginx restart", ("800.5", "before")),
        ("gunicorn -w 4 app:app &", ("800.5", "before")),
        ("systemctl stop httpd", ("900.5", "after")),
        ("ls", ("900.5", "after")),
    ],
)
def test_a_monitor_below_the_start_of_the_next_server_is_before_the_next_load_test(typed, second):
    """Made text."""
    load = SHELL + "ab -n 500 -c 10 http://localhost/\n@ab {} server={}\n"
    first = f"{SHELL}systemctl start httpd\n{MEMORY.format(mib=4949)}{load.format(900.5, 'Apache/2.4.57')}"
    assert placed(f"{first}{SHELL}{typed}\n{MEMORY.format(mib=4950)}{load.format(800.5, 'nginx/1.22.1')}") == [
        ("900.5", "before"),
        second,
    ]


def test_memory_before_the_test_is_before_each_config_s_repeats():
    """Made text: the heading stands below the last repeat of the other config."""
    parts = [
        f"{number}. Memory before the test\n\n{MEMORY.format(mib=4949)}\n{number + 1}. Run ab twice\n\n"
        + "".join(f"$ ab -n 500 -c 10 http://localhost/\n@ab {rate} server={server}\n\n" for rate in rates)
        for number, server, rates in ((1, "Caddy", ("900.5", "910.5")), (3, "nginx/1.22.1", ("800.5", "810.5")))
    ]
    assert placed("\n".join(parts)) == [("900.5", "before"), ("800.5", "before")]


TOP = (
    "top -b -n 1 | head -8\ntop - 13:11:02 up 12 days,  3:41,  2 users,  load average: 3.10, 1.40, 0.60\n"
    "Tasks: 118 total,   4 running, 114 sleeping,   0 stopped,   0 zombie\n"
    "%Cpu(s): 88.0 us, 10.0 sy,  0.0 ni,  2.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
    "MiB Mem :   3931.0 total,   1818.6 free,    912.4 used,   1200.0 buff/cache\n"
    "MiB Swap:   2048.0 total,   2048.0 free,      0.0 used.   2868.6 avail Mem\n\n"
    "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    "    901 www-data  20   0   85200  14200   3550 R  41.0   0.4   0:04.56 {}\n"
)


@pytest.mark.parametrize(
    ("between", "command", "phase"),
    [
        (SHELL, "apache2", "after"),  # behind the same prompt, as soon as the load test was over
        (f"\n{SHELL}", "apache2", "during"),  # it may have been copied from another terminal
        (SHELL.replace("web1", "web2"), "apache2", "during"),
        ("$ ", "apache2", "during"),
        (SHELL, "ab", "during"),  # the load tool was still there
    ],
)
def test_a_first_screen_behind_the_prompt_right_below_a_report_is_after_it(between, command, phase):
    """Made text."""
    report = expand(f"{SHELL}ab -n 500 -c 10 http://localhost/\n@ab 900.5").rstrip("\n")
    assert placed(f"{report}\n{between}{TOP.format(command)}") == [("900.5", phase)]


def test_a_monitor_is_split_by_prompts_that_show_the_time_with_nothing_typed_behind_the_last():
    """Made text: two panes of a terminal, the monitor in the second."""
    left = "[10:00:05] joe@tp ~ $ ab -n 5000 -c 20 http://localhost:8081/\n@ab 1000.5 n=5000\n"
    left += "[10:00:12] joe@tp ~ $ ab -n 5000 -c 20 http://localhost:8082/\n@ab 1250.5 n=5000\n[10:00:20] joe@tp ~ $\n"
    screen, busy, idle = TOP.partition("\n")[2], "88.0 us, 10.0 sy,  0.0 ni,  2.0", " 1.0 us,  1.0 sy,  0.0 ni, 98.0"
    samples = ((9, busy), (12, busy), (15, idle), (18, busy))
    screens = "".join(screen.replace("13:11:02", f"10:00:{at:02}").replace(busy, cpu) for at, cpu in samples).format(
        *"x" * 4
    )
    _, draft = read(expand(f"{left}\nRight pane:\n\njoe@tp ~ $ top -b -d 3 -n 4\n{screens}"))
    captures = draft.experiments[0].captures
    assert [(one.run, one.n_samples) for one in captures] == [("", 4), ("b0", 2), ("b1", 1)]
