"""Which of the lines above load tests number the repeats of one config, and which are names of several."""

from __future__ import annotations

import re

import pytest

from .documents import expand, read
from .test_names import names_of

DAYS = ("Monday", "Tuesday")


def name_all(titles: str, line: str = "## {}\n\n{}\n\n") -> list[str]:
    """The configs of load tests of one server with these titles; of "# nginx" none is below."""
    tests, above = [], ""
    for at, title in enumerate(titles.split("; ")):
        report = expand(f"@ab {900 + 7 * at}.1 server=\n")
        above += f"{title}\n\n" if title.startswith("# ") else ""
        if not title.startswith("# "):
            tests.append(above + line.format(title, report))
            above = ""
    return names_of("".join(tests))


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        ("jdk11-1; jdk11-2; jdk17-1; jdk17-2", ["jdk11", "jdk17"]),
        ("r1 apache; r2 apache; r1 nginx", ["apache", "nginx"]),
        ("event.1; event.2; prefork.1", ["event", "prefork"]),
        ("nginx-a; nginx-b; apache-a; apache-b", ["nginx", "apache"]),
        ("php7.4-on-1; php7.4-on-2; php7.4-off-1; php7.4-off-2", ["php7.4-on", "php7.4-off"]),
        ("nginx; nginx 2; apache; apache 2", ["nginx", "apache"]),
        ("nginx; nginx repeat; apache; apache rerun", ["nginx", "apache"]),
        ("1: nginx; 2: nginx; 3: apache; 4: apache", ["nginx", "apache"]),
        ("Monday: nginx; Monday: apache; Tuesday: nginx; Tuesday: apache", ["nginx", "apache"]),
        ("nginx (Mon); nginx (Tue); apache (Mon); apache (Tue)", ["nginx", "apache"]),
        ("nginx1; nginx2; apache1; apache2", ["nginx", "apache"]),
        ("nginx-0; nginx-1; apache-0; apache-1", ["nginx", "apache"]),
        ("bench-nginx-001; bench-nginx-002; bench-go-001; bench-go-002", ["bench-nginx", "bench-go"]),
        ("4 workers #1; 4 workers #2; 8 workers #1; 8 workers #2", ["4 workers", "8 workers"]),
        ("mpm_event #1; mpm_event #2; mpm_worker #1; mpm_worker #2", ["mpm_event", "mpm_worker"]),
        ("nginx, 1; nginx, 2; apache, 1; apache, 2", ["nginx", "apache"]),
        ("pg14, run 1; pg16, run 1; pg14, run 2; pg16, run 2", ["pg14", "pg16"]),
        ("mysql8, run 1; mysql10, run 1; mysql8, run 2; mysql10, run 2", ["mysql8", "mysql10"]),  # by 10 clients
        ("g1, run 1; zgc, run 1; g1, run 2; zgc, run 2", ["g1", "zgc"]),
        ("nginx, one; nginx, two; apache, one; apache, two", ["nginx", "apache"]),
        ("with patch 1; without patch 1; with patch 2; without patch 2", ["with patch", "without patch"]),
    ],
)
def test_numbers_and_days_of_several_names_are_those_of_repeats(titles, names):
    assert name_all(titles) == names


@pytest.mark.parametrize(
    "titles",
    [
        *(
            "Monday: nginx; Tuesday: nginx",
            "jdk11-1; jdk11-2",
            "r1 apache; r2 apache",
            "event.1; event.2",
            "nginx; nginx 2",
            "gzip 0; gzip 1; cache 0; cache 1",
            "worker 1; worker 2; worker 3",
            "worker 1; worker 2; thread 1; thread 2",
            "pool 1; pool 2; cache 1; cache 2",
        ),
        *("plan-a; plan-b; site-a; site-b", "v1.1; v1.2; v2.1; v2.2", "v1 nginx; v2 nginx; v1 apache; v2 apache"),
        *("us-east 1; us-east 2; us-west 1; us-west 2", "node1; node2; web1; web2", "1: nginx; 2: apache; 3: caddy"),
    ],
)
def test_numbers_letters_and_days_may_tell_configs_apart(titles):
    assert len(name_all(titles)) == len(titles.split("; "))


@pytest.mark.parametrize(
    "counts", ["## 1; ## 2; ## 3", "## run A; ## run B", "## I; ## II", "(a); (b)", "#1; #2", "## t1; ## t2"]
)
def test_lines_that_only_count_below_names_are_repeats_of_these(counts):
    assert name_all(f"# jdk11; {counts}; # jdk17; {counts}", "{}\n\n{}\n\n") == ["jdk11", "jdk17"]


def test_lines_that_only_count_below_before_and_after_are_repeats():
    assert name_all("# Before; ## 1; ## 2; # After; ## 1; ## 2", "{}\n\n{}\n\n") == ["Before", "After"]


@pytest.mark.parametrize("above", ["# {}", "## {}", "===== {} ====="])
def test_days_above_names_are_those_of_repeats(above):
    tests = (
        f"{above.format(day)}\n\n### nginx\n\n@ab {n}00.1 server=\n\n### apache\n\n@ab {n}50.1 server=\n\n"
        for n, day in enumerate(DAYS, 1)
    )
    assert names_of("".join(tests)) == ["nginx", "apache"]


@pytest.mark.parametrize("name", ["### {}", "**{}**"])
@pytest.mark.parametrize("level", ["## {} clients", "## c={}", "## Concurrency {}"])
def test_loads_above_names_are_levels_of_one_sweep(level, name):
    above = ((level.format(c), c, name.format(server)) for c in (10, 100) for server in ("nginx", "apache"))
    tests = (
        f"{heading}\n\n{server}\n\n@ab {c + at}0.1 server= c={c}\n\n" for at, (heading, c, server) in enumerate(above)
    )
    assert names_of("".join(tests)) == ["nginx", "apache"]


def test_before_and_after_below_headings_are_of_these():
    tests = (
        f"## {name}\n\nbefore:\n\n@ab {n}00.1 server=\n\nafter:\n\n@ab {n}50.1 server=\n\n"
        for n, name in enumerate(("event", "worker"), 1)
    )
    assert names_of("".join(tests)) == ["event · before", "event · after", "worker · before", "worker · after"]


@pytest.mark.parametrize("counts", ["## run A; ## run B", "## 1; ## 2"])
def test_lines_that_count_below_one_server_are_its_repeats(counts):
    assert name_all(f"# nginx; {counts}", "{}\n\n{}\n\n") == ["nginx"]


@pytest.mark.parametrize(
    "titles",
    [
        "# nginx; ## A; ## B",
        "# nginx workers; ## 1; ## 2; ## 4",
        "# Throughput; ## run A; ## run B",
        "# php; ## 7; ## 8",
        "# go workers; ## 1; ## 2; # php workers; ## 1; ## 2",
    ],
)
def test_letters_and_values_below_one_heading_are_configs(titles):
    assert len(name_all(titles, "{}\n\n{}\n\n")) == titles.count("## ")


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        ("nginx run 1; nginx run 2; apache run 1; apache run 2", ["nginx", "apache"]),
        ("A; B", ["A", "B"]),
        ("before; after", ["before", "after"]),
    ],
)
def test_comments_behind_commands_name_as_headings_do(titles, names):
    assert name_all(titles, "$ ab -n 500 -c 10 http://localhost/page.html  # {}\n{}\n") == names


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        ("./bench.sh nginx 1; ./bench.sh nginx 2; ./bench.sh apache 1; ./bench.sh apache 2", ["nginx", "apache"]),
        ("./bench.sh 1 nginx; ./bench.sh 2 nginx; ./bench.sh 1 apache; ./bench.sh 2 apache", ["nginx", "apache"]),
        (
            "RUN=1 DB=mysql ./b.sh; RUN=2 DB=mysql ./b.sh; RUN=1 DB=redis ./b.sh; RUN=2 DB=redis ./b.sh",
            ["DB=mysql", "DB=redis"],
        ),
        ("cat nginx/1.txt; cat nginx/2.txt; cat apache/1.txt; cat apache/2.txt", ["nginx", "apache"]),
        ("cat r1-nginx.txt; cat r2-nginx.txt; cat r1-apache.txt; cat r2-apache.txt", ["nginx", "apache"]),
        ("cat run1/out.txt; cat run2/out.txt", ["localhost:80"]),
        ("./bench.sh 1; ./bench.sh 2; ./bench.sh 4", ["bench.sh 1", "bench.sh 2", "bench.sh 4"]),
    ],
)
def test_numbers_in_commands_are_those_of_repeats(commands, names):
    assert name_all(commands, "$ {}\n{}\n") == names


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        ("nginx-1st-run; nginx-2nd-run; apache-1st-run; apache-2nd-run", ["nginx", "apache"]),
        ("keepalive-on-1; keepalive-on-2; keepalive-off-1; keepalive-off-2", ["keepalive-on", "keepalive-off"]),
        ("nginx-1-of-2; nginx-2-of-2; apache-1-of-2; apache-2-of-2", ["nginx", "apache"]),
        ("c5.large-1; c5.large-2; m5.large-1; m5.large-2", ["c5.large", "m5.large"]),
        ("host-A; host-B", ["host-A", "host-B"]),
        ("nginx-warm-up; nginx-1; nginx-2; apache-warm-up; apache-1; apache-2", ["nginx", "apache"]),
    ],
)
def test_names_of_files_name_without_the_words_of_a_repeat(titles, names):
    assert name_all(titles, "==> {}.txt <==\n{}\n") == names


def test_a_title_behind_equals_signs_may_hold_one():
    assert name_all("=== workers=1; === workers=4", "{}\n\n{}\n\n") == ["workers=1", "workers=4"]


def test_machines_that_share_the_load_are_no_configs():
    command = "{}$ ab -n 500 -c 10 http://10.0.0.5/page.html\n@ab {} host=10.0.0.5 server=\n"
    for machines in (("client1", "client2"), ("user@load-gen-1:~", "user@load-gen-2:~")):
        for titles in (("# nginx", "# caddy"), ("",)):
            text = "\n".join(
                f"{title}\n\n" + "".join(command.format(machine, rate + at) for at, machine in enumerate(machines))
                for rate, title in zip((900, 700), titles, strict=False)
            )
            assert len(names_of(text)) == len(titles)
    assert names_of(command.format("lyon", 900) + command.format("tokyo", 700)) == ["lyon", "tokyo"]


@pytest.mark.parametrize(
    ("busy", "clients"),
    [
        ((24.53, 49.51, 49.48), [25, 50, 50]),
        ((48.10, 49.51, 49.48), [None] * 3),  # repeats
        ((9.12, 22.90, 49.48), [None] * 3),  # of clients that pause, nobody knows how many there are
    ],
)
def test_clients_that_no_command_tells_are_read_off_a_measured_concurrency_just_below_round_numbers(busy, clients):
    """Made."""
    reports = [
        re.sub(r"(Concurrency:\s+)\S+", rf"\g<1>{n}", expand(f"@siege {700 + at}.10\n")) for at, n in enumerate(busy)
    ]
    blocks, _ = read("\n".join(reports))
    assert [block.values.get("told_concurrency") for block in blocks] == clients
    blocks, _ = read("All of them with 100 concurrent users:\n\n" + "\n".join(reports))
    assert [block.values.get("told_concurrency") for block in blocks][1:] == [None, None]


@pytest.mark.parametrize(
    ("above", "between", "clients"),
    [
        ("$ siege -c 500 http://app1/\n\n## Results\n\n### Concurrency = 25\n", "### Concurrency = 50\n", [25, 50]),
        ("$ siege -c 50 http://app1/\n\n### 50 concurrent\n", "### 50 concurrent, again\n", [None, None]),
        ("### Concurrency = 25\n\n$ siege -c 20 http://app1/\n", "### 50\n\n$ siege -c 20 http://app1/\n", [None] * 2),
        ("$ siege -c 25 http://app1/\n\n### Concurrency = 25\n", "### with cache\n", [None, None]),
    ],
)
def test_headings_that_tell_the_clients_of_each_report_stand_against_a_command_shown_once_above_all(
    above, between, clients
):
    """Made: without a command of its own each report has what its heading tells."""
    blocks, _ = read(expand(f"{above}\n@siege 700.10\n\n{between}\n@siege 800.10\n"))
    assert [block.values.get("told_concurrency") for block in blocks] == clients
    assert [block.command is None for block in blocks] == [clients[0] is not None] * 2


LOADS = "".join(
    f"# {name}\n\n{{0}} 1 ===\n\n@ab {rate}.1 c={{1}}\n\n{{0}} 2 ===\n\n@ab {rate + 9}.1 c={{2}}\n\n"
    for name, rate in (("nginx", 900), ("caddy", 700))
)


@pytest.mark.parametrize("label", ["=== load", "=== Load test", "=== bench", "=== benchmark"])
def test_load_1_and_load_2_below_names_are_repeats_unless_they_had_so_many_clients(label):
    def repeats_of(text: str) -> list[tuple[str, int]]:
        experiment = read(expand(text))[1].experiments[0]
        names = {config.key: config.name for config in experiment.configs}
        return [(names[run.config], run.repeat) for run in experiment.runs]

    assert repeats_of(LOADS.format(label, 10, 10)) == [("nginx", 1), ("nginx", 2), ("caddy", 1), ("caddy", 2)]
    assert repeats_of(LOADS.format(label, 1, 2)) == [("nginx", 1), ("nginx", 1), ("caddy", 1), ("caddy", 1)]


def test_an_initial_run_is_the_first_one_where_a_second_follows():
    assert name_all("(Initial run); (2nd run)", "{}\n\n{}\n\n") == ["localhost:80"]
    assert name_all("# nginx; Initial test; Second test", "{}\n\n{}\n\n") == ["nginx"]
    assert name_all("nginx 1.25 (Initial run); nginx 1.25 (2nd run)") == ["nginx 1.25"]
    assert name_all("## Initial run; ## After tuning") == ["Initial run", "After tuning"]


def test_cold_and_warm_runs_are_named_without_their_numbers():
    titles = "## nginx first run (cold); ## nginx second run (warm); ## nginx third run (warm)"
    assert name_all(titles) == ["cold", "warm"]
    titles = "## pool=5 (first run, cold cache); ## pool=5 (2nd run, warm cache); ## pool=20 (first run, cold cache)"
    assert name_all(titles) == ["pool=5, cold cache", "pool=5, warm cache", "pool=20, cold cache"]
    assert name_all("## nginx first run (tuned); ## nginx second run (stock)") == [
        "nginx first run (tuned)",
        "nginx second run (stock)",
    ]


def below_numbers(*sections: str, word: str = "Test", before: str = "") -> list[str]:
    """The configs of load tests of one server below "## Test 1", "## Test 2" ... with these lines between."""
    return names_of(
        f"# Notes\n\n{before}"
        + "".join(
            f"## {word} {n}\n\n{lines}\n\n### Results\n\n" + expand(f"@ab {900 + 7 * n}.1 server=\n\n")
            for n, lines in enumerate(sections, start=1)
        )
    )


def settings_table(**values: object) -> str:
    rows = "".join(f"| {key} | {value} |\n" for key, value in values.items())
    return f"### Parameters\n\n| Key | Value |\n| --- | --- |\n{rows}"


@pytest.mark.parametrize(
    ("sections", "names"),
    [
        ((settings_table(users=9, workers=2), settings_table(users=9, workers=4)), ["workers 2", "workers 4"]),
        (("- pool size: 10", "- pool size: 50", "- pool size: 50"), ["pool size 10", "pool size 50"]),
        (
            ("* 2 worker processes\n* timeout 5", "* 4 worker processes\n* timeout 5"),
            ["worker processes 2", "worker processes 4"],
        ),
        (("", "### Applied optimizations\n\n- JSON encoder\n- pool"), ["Test 1", "JSON encoder, pool"]),
        (("### Einstellungen\n\nfoo: 1", "### Einstellungen\n\nfoo: 2"), ["foo 1", "foo 2"]),
        (("", "", "### Changes\n\n- gzip off"), ["Test 1", "Test 2", "gzip off"]),
        (
            (
                "- __worker_class__: sync (default)\n- __worker_count__: 9",
                "- __worker_class__: gevent\n- __worker_count__: 9",
            ),
            ["sync (default)", "gevent"],
        ),
    ],
)
def test_numbered_sections_with_settings_of_their_own_are_configs(sections, names):
    assert below_numbers(*sections) == names


@pytest.mark.parametrize(
    "sections",
    [
        ("", "", ""),
        (settings_table(workers=4),) * 3,
        ("- started: 12:01", "- started: 12:07", "- started: 12:15"),
        ("- CPU: 45 %", "- CPU: 47 %", "- CPU: 44 %"),
        ("### Environment settings\n\n- load 0.1", "### Environment settings\n\n- load 0.2", ""),
    ],
)
def test_numbered_sections_that_set_nothing_else_are_repeats(sections):
    assert len(below_numbers(*sections)) == 1


@pytest.mark.parametrize("word", ["Benchmark #", "Scenario", "Case #"])
def test_settings_say_more_than_the_number_of_a_benchmark(word):
    sections = "- worker_class: sync\n- duration: 1 minute", "- worker_class: gevent\n- duration: 1 minute"
    assert below_numbers(*sections, word=word) == ["sync", "gevent"]


def test_a_benchmark_without_settings_is_called_by_its_number():
    assert below_numbers("", "", word="Benchmark #") == ["Benchmark # 1", "Benchmark # 2"]


def test_what_was_set_before_all_numbered_sections_names_none():
    before = settings_table(users=9, workers=2)
    assert below_numbers(settings_table(users=9, workers=4), "", before=before) == ["workers 4", "Test 2"]


def test_settings_of_numbered_sections_with_the_same_names_in_each_are_their_groups():
    text = "".join(
        f"## Run {n}\n\n- workers: {2 * n}\n\n"
        + "".join(f"### {name}\n\n@ab {rate + n}.1 server=\n\n" for name, rate in (("nginx", 900), ("caddy", 700)))
        for n in (1, 2)
    )
    assert names_of(expand(text)) == [f"workers {n} · {name}" for n in (2, 4) for name in ("nginx", "caddy")]


def test_iterations_that_count_up_to_a_number_are_repeats():
    """Made."""
    text = "".join(f"Iteration: {n} of 3\n\n@ab {900 + n}.1 server=\n\n" for n in (1, 2, 3))
    _, draft = read(expand(text))
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 2, 3]


WRITTEN = '$ cat > a.lua <<\'LUA\'\nwrk.method = "{}"\n\nwrk.body = "a=b"\nLUA\n'


@pytest.mark.parametrize("shown", ['$ cat a.lua\nwrk.method = "{}"\nwrk.body = "a=b"\n', WRITTEN])
@pytest.mark.parametrize(("other", "repeats"), [("PUT", [1, 2, 1]), ("POST", [1, 2, 3])])
def test_runs_of_a_script_whose_text_was_shown_otherwise_are_no_repeats(other, repeats, shown):
    first, second, third = (
        f"$ wrk -t2 -c40 -d4s -s a.lua http://localhost:8080/\n@wrk {rate}\n" for rate in ("900.10", "910.10", "700.10")
    )
    _, draft = read(expand(f"{shown.format('POST')}{first}{second}{shown.format(other)}{third}"))
    (experiment,) = draft.experiments
    assert len(experiment.configs) == 1
    assert [run.repeat for run in experiment.runs] == repeats


@pytest.mark.parametrize(("other", "repeats"), [("PUT", [1, 2, 1]), ("POST", [1, 2, 3])])
def test_the_text_of_a_script_may_be_shown_below_its_runs(other, repeats):
    first, second, third = (
        f"$ wrk -t2 -c40 -d4s -s a.lua http://localhost:8080/\n@wrk {rate}\n" for rate in ("900.10", "910.10", "700.10")
    )
    shown = '$ cat a.lua\nwrk.method = "{}"\nwrk.body = "a=b"\n'
    _, draft = read(expand(f"{first}{second}{shown.format('POST')}{third}{shown.format(other)}"))
    assert [run.repeat for run in draft.experiments[0].runs] == repeats
