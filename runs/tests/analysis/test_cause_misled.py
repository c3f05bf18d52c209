"""Recordings that mislead, made: a wrong cause is worse than none."""

from __future__ import annotations

import pytest

from runs import ingest
from runs.analysis.cause import Causes
from runs.models import Experiment
from runs.selectors import comparison_data, judging

REPORT = """Concurrency Level:      16
Time taken for tests:   {seconds:.3f} seconds
Complete requests:      {made}
Failed requests:        0
Requests per second:    {rate:.2f} [#/sec] (mean)
Time per request:       {mean:.3f} [ms] (mean)

              min  mean[+/-sd] median   max
Total:          2   {mean:.0f}    1.0      {mean:.0f}      40
"""
SCREEN = """top - {clock} up 1 day,  1:00,  1 user,  load average: 1.00, 1.00, 1.00
Tasks:  90 total,   1 running,  89 sleeping,   0 stopped,   0 zombie
%Cpu(s): {us:4.1f} us,  0.0 sy,  0.0 ni, {idle:4.1f} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :   8000.0 total,   4000.0 free,   2000.0 used,   2000.0 buff/cache
MiB Swap:      0.0 total,      0.0 free,      0.0 used.   5000.0 avail Mem

  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
{rows}
"""
ROW = "{pid:5d} www       20   0  100000  20000   5000 R {cpu:5.1f}   0.2   0:10.00 {name}"


def screens(
    idle: list[float],
    *,
    host: str = "web1",
    first_s: int = 0,
    programs: tuple[tuple[str, float], ...] = (),
    hour: int = 10,
) -> str:
    """top each second, from first_s on; idle CPU in each."""
    rows = "\n".join(ROW.format(pid=100 + at, cpu=cpu, name=name) for at, (name, cpu) in enumerate(programs))
    return f"bd@{host}:~$ top -b -d 1\n" + "\n".join(
        SCREEN.format(clock=f"{hour}:{second // 60:02d}:{second % 60:02d}", us=100 - each, idle=each, rows=rows)
        for second, each in enumerate(idle, first_s)
    )


def recording(sides: dict[str, tuple[float, str]], *, seconds: float = 10.0, address: str = "web1") -> str:
    """Four runs of each side in turn: (requests a second, what was sampled during each)."""
    parts = ["# Recorded by bd 1\n# experiment: made\n# host: web1\n\nbd@web1:~$ nproc\n2\n"]
    for step in range(1, 5):
        for name, (rate, sampled) in sides.items():
            own = rate * (1 + step / 200)
            report = REPORT.format(seconds=seconds, made=int(own * seconds), rate=own, mean=16000 / own)
            parts.append(
                f"\n## {name}, run {step} of 4\n\nbd@load1:~$ ab -t {seconds:.0f} -c 16 http://{address}/\n{report}"
            )
            parts.append(f"\nDuring the load:\n\n{sampled}\n" if sampled else "")
    return "".join(parts)


@pytest.fixture
def explain(db):
    def of(text: str) -> Causes:
        ingest.submit(text.encode(), origin="command")
        judged = judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.get()))[1]
        return judged.causes

    return of


FULL, HALF = [1.0] * 10, [60.0] * 10
SERVER = (("httpd", 180.0),)


def names(found: Causes) -> list[str]:
    return [finding.cause for finding in found.findings]


def test_the_same_without_what_misleads_is_named(explain):
    sides = {"slow": (800, screens(FULL, programs=SERVER)), "fast": (2000, screens(HALF, programs=SERVER))}
    assert names(explain(recording(sides))) == ["cpu"]


def test_a_monitor_of_another_machine_says_nothing_of_the_server(explain):
    sides = {"slow": (800, screens(FULL, host="db7")), "fast": (2000, screens(HALF, host="db7"))}
    found = explain(recording(sides))
    assert not found.findings or names(found) == ["generator"]


def test_a_generator_beside_the_server_is_not_taken_for_the_server(explain):
    slow = screens(FULL, programs=(("ab", 99.0), ("httpd", 20.0), ("backup", 79.0)))
    fast = screens(HALF, programs=(("ab", 60.0), ("httpd", 20.0)))
    sides = {"slow": (800, slow), "fast": (2000, fast)}
    assert set(names(explain(recording(sides)))) <= {"generator"}


def test_samples_of_which_half_are_missing_lose_no_cause_and_make_none(explain):
    sides = {"slow": (800, screens(FULL[::2], programs=SERVER)), "fast": (2000, screens(HALF[::2], programs=SERVER))}
    assert set(names(explain(recording(sides)))) <= {"cpu"}


def test_idle_samples_around_the_load_make_no_server_that_waits(explain):
    around = [99.0] * 25
    slow, fast = (screens([*around, *own, *around], programs=SERVER) for own in (FULL, HALF))
    found = explain(recording({"slow": (800, slow), "fast": (2000, fast)}))
    assert not found.findings
    assert "the CPU was recorded over another time than the run" in found.unknown


def test_a_monitor_that_ended_early_says_nothing_of_the_rest(explain):
    early = {
        "slow": (800, screens([1.0, 1.0], programs=SERVER)),
        "fast": (2000, screens([60.0, 60.0], programs=SERVER)),
    }
    assert not explain(recording(early, seconds=60)).findings


def test_a_clock_that_is_an_hour_off_moves_no_monitor_that_bd_placed(explain):
    slow, fast = (screens(own, programs=SERVER, hour=11) for own in (FULL, HALF))
    assert names(explain(recording({"slow": (800, slow), "fast": (2000, fast)}))) == ["cpu"]


@pytest.mark.parametrize("watched", ["slow", "fast"])
def test_a_side_that_nobody_recorded_is_named_as_missing(explain, watched):
    sides = {
        name: (rate, screens(FULL, programs=SERVER) if name == watched else "")
        for name, rate in (("slow", 800), ("fast", 2000))
    }
    found = explain(recording(sides))
    assert not found.findings
    other = "fast" if watched == "slow" else "slow"
    assert f"Not recorded for “{other}”: " in found.unknown


def test_runs_that_are_over_before_a_sample_say_so(explain):
    busy = (("httpd", 10.0), ("1:3-events", 100.0))
    sides = {"slow": (800, screens([1.0], programs=busy)), "fast": (2000, screens([60.0], programs=busy))}
    found = explain(recording(sides, seconds=0.2))
    assert not found.findings
    assert found.missing == ("length",)


def test_one_core_of_a_program_that_is_no_server_is_no_cause(explain):
    sides = {
        "slow": (800, screens(HALF, programs=(("httpd", 30.0), ("backup", 99.0)))),
        "fast": (2000, screens(HALF, programs=SERVER)),
    }
    assert "one_core" not in names(explain(recording(sides)))


VMSTAT = (
    """$ vmstat 1 3
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
"""
    + "{row}\n" * 3
)
IOSTAT = """$ iostat -x 1 3
""" + "".join(
    f"""avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           9.1{n}    0.00    4.20   {{wait}}    0.00   {{idle}}

Device            r/s     rkB/s     w/s     wkB/s   %util
sda              1.0{n}      4.00  310.00   4960.00   {{util}}

"""
    for n in range(3)
)


def pasted(slow: str, fast: str, names: tuple[str, str] = ("old kernel", "new kernel")) -> str:
    """A monitor below each report, with no word of when it ran."""
    parts = ((names[0], 142.0, slow), (names[1], 902.0, fast))
    reports = [
        (name, shown, REPORT.format(seconds=28.0, made=4000, rate=rate, mean=40.0)) for name, rate, shown in parts
    ]
    return "\n".join(
        f"## {name}\n\n$ ab -n 4000 -c 16 http://web1/\n{report}\n{shown}\n" for name, shown, report in reports
    )


LISTENING = """$ ss -ltn
State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port
LISTEN   0        128              0.0.0.0:22            0.0.0.0:*
LISTEN   {waiting:<8d} 128              0.0.0.0:80            0.0.0.0:*

"""


GROUP = """$ cat /sys/fs/cgroup/app.slice/cpu.stat
usage_usec 15500000
nr_periods 310
nr_throttled {throttled}
throttled_usec 12814000

"""


@pytest.mark.parametrize(
    ("slow", "fast", "cause"),
    [
        (
            GROUP.format(throttled=298)
            + VMSTAT.format(row=" 1  0 0 410000 121000 240000 0 0 4 5 4300 9100 10 3 87 0 0"),
            GROUP.format(throttled=9)
            + VMSTAT.format(row=" 3  0 0 410000 121000 240000 0 0 4 9 4300 9100 52 11 37 0 0"),
            "cpu_quota",
        ),
        (
            LISTENING.format(waiting=129)
            + VMSTAT.format(row=" 1  0 0 410000 121000 240000 0 0 4 5 4300 9100 30 9 61 0 0"),
            LISTENING.format(waiting=3)
            + VMSTAT.format(row=" 3  0 0 410000 121000 240000 0 0 4 9 4300 9100 52 11 37 0 0"),
            "backlog",
        ),
        (
            VMSTAT.format(row=" 1 14 0 410000 121000 240000 0 0 4 5100 4300 9100 9 4 31 56 0")
            + IOSTAT.format(wait=55.8, idle=30.9, util=99.6),
            VMSTAT.format(row=" 3  0 0 410000 121000 240000 0 0 4  900 4300 9100 52 11 36 1 0")
            + IOSTAT.format(wait=0.8, idle=35.9, util=6.2),
            "disk",
        ),
        (
            VMSTAT.format(row=" 9  0 0 410000 121000 240000 0 0 4 51 4300 9100 24 5 1 0 70"),
            VMSTAT.format(row=" 2  0 0 410000 121000 240000 0 0 4 51 4300 9100 61 16 23 0 0"),
            "steal",
        ),
        (
            screens([72.0], programs=(("node", 99.7), ("sshd", 0.3), ("systemd", 0.0), ("cron", 0.0))),
            screens([20.0], programs=(("node", 83.0), ("node", 83.0), ("node", 82.0), ("node", 82.0))),
            "one_core",
        ),
    ],
)
def test_what_a_stranger_pasted_below_a_report_is_of_its_run(explain, slow, fast, cause):
    assert names(explain(pasted(slow, fast)))[:1] == [cause]


@pytest.mark.parametrize("named", [("before (one worker)", "after (four workers)"), ("Before the upgrade", "After it")])
def test_before_and_after_in_the_names_of_configs_say_nothing_of_their_monitors(explain, named):
    slow = screens([72.0], programs=(("node", 99.7), ("sshd", 0.3), ("systemd", 0.0), ("cron", 0.0)))
    fast = screens([20.0], programs=(("node", 83.0), ("node", 83.0), ("node", 82.0), ("node", 82.0)))
    assert names(explain(pasted(slow, fast, named)))[:1] == ["one_core"]


FPM = "[26-Nov-2026 10:00:04] WARNING: [pool www] server reached pm.max_children setting (5), consider raising it"
OOM = "[ 6051.114000] Out of memory: Killed process 812 (httpd) total-vm:400000kB, anon-rss:90000kB, file-rss:0kB"


@pytest.mark.parametrize(
    ("slow", "fast", "causes"),
    [
        (FPM, "", ["workers"]),
        (OOM, "", ["memory"]),
        (FPM, FPM, []),
        (f"{screens(FULL, programs=SERVER)}\n{FPM}", screens(HALF, programs=(("httpd", 80.0),)), ["cpu"]),
    ],
    ids=["one pool is full", "one was killed", "both pools are full", "its CPU is full, too"],
)
def test_a_log_of_one_side_says_what_it_reached_unless_its_cpu_was_full(explain, slow, fast, causes):
    assert names(explain(recording({"small": (100.0, slow), "large": (400.0, fast)})))[:1] == causes
