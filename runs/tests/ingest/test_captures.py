"""Hours of screens are a few blocks, and what is stored of them is what was stored of each screen."""

from __future__ import annotations

import math
import random

import pytest

import parsers
from parsers.formats import vmstat
from parsers.tests.reading import FIXTURES
from runs import ingest
from runs.drafts.relate import relate
from runs.ingest import reading
from runs.ingest.reading import fold_samples
from runs.models import Capture, Series, Upload
from runs.series import collecting, samples, unpack_samples
from runs.series.samples import FoldedBlock, collect_series, count_samples

ROW = "{pid:7} {user:8}  20   0  {virt:7} {res:6} {shr:6} S {cpu:5.1f} {mem:4.1f} {time:>9} {command}"
MEMINFO = "MemTotal:  1000000 kB\nMemFree:   {free} kB\nBuffers:   1000 kB\n"
AUX = "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"


def top(second, *rows):
    """A screen at so many seconds of the day; a row is (pid, res_kb, command)."""
    clock = f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
    head = (
        f"top - {clock} up 25 min,  6 users,  load average: 0.{second % 10}0, 0.42, 0.35\n"
        f"Tasks: {len(rows):3} total,   1 running,   2 sleeping,   0 stopped,   0 zombie\n"
        "%Cpu(s):  3.4 us,  3.4 sy,  0.0 ni, 93.1 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
        f"MiB Mem :   2984.5 total, {second % 1000:8.1f} free,    379.0 used,    148.6 buff/cache     \n"
        "MiB Swap:    512.0 total,    512.0 free,      0.0 used.   2605.5 avail Mem \n\n"
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    )
    same = {"user": "apache", "virt": 99999, "shr": 5, "cpu": second % 7 / 10, "mem": 0.3, "time": "0:01.25"}
    return head + "".join(ROW.format(pid=p, res=r, command=c, **same) + "\n" for p, r, c in rows) + "\n"


def log(n, start=13 * 3600):
    """Screens a second apart, on which a third process comes and goes."""
    return [
        top(start + at, (1, 100 + at, "httpd"), (2, 200, "mysqld"), *([(3, 300 + at, "cron")] if at // 7 % 2 else []))
        for at in range(n)
    ]


def read(text):
    return list(parsers.read(text.splitlines(keepends=True)))


def told(samples):
    return {
        (who, metric): (track.n, track.low, track.high, track.last, unpack_samples(track.packed, samples.n).tobytes())
        for who, metric, track in samples.series()
    }


def loop(body, n, command="while sleep 1; do date; ps aux; done", stamp=True):
    lines = [f"$ {command}\n"]
    for at in range(n):
        lines += [f"Sat Nov 21 17:{at // 60:02}:{at % 60:02} UTC 2026\n"] if stamp else []
        lines.append(body(at))
    return "".join(lines)


def ps(at, pids=(7,)):
    rows = "".join(
        f"www       {pid:5}  1.0  0.1  12345 {4345 + at:5} ?        S    10:00   0:00 nginx: worker\n" for pid in pids
    )
    return AUX + rows


def test_a_long_log_is_its_first_screens_and_one_block_of_all_others():
    text = "".join(log(50))
    blocks = list(fold_samples(read(text)))
    assert [type(block) for block in blocks] == [parsers.Block] * 20 + [FoldedBlock]
    assert count_samples(blocks[-1]) == 30
    assert (blocks[-1].first, blocks[-1].last) == (read(text)[20].first, read(text)[-1].last)


def test_a_short_log_is_left_as_it_is():
    text = "".join(log(20))
    assert [block.lines for block in fold_samples(read(text))] == [block.lines for block in read(text)]


@pytest.mark.parametrize("part", [5, 250_000])
def test_the_folded_samples_are_those_of_the_screens(monkeypatch, part):
    monkeypatch.setattr(collecting, "PROCESS_ROWS_A_PART", part)
    monkeypatch.setattr(collecting, "SYSTEM_VALUES_A_PART", part)
    text = "".join(log(90, start=86400 - 40))
    whole, parts = collect_series(read(text)), collect_series(fold_samples(read(text)))
    assert parts.n == 90
    assert told(parts) == told(whole)


def test_a_sample_that_was_left_out_moves_the_folded_ones():
    blocks = list(fold_samples(read("".join(log(60)))))
    rest = read("".join(log(60)))
    assert told(collect_series([*blocks[:3], *blocks[4:]])) == told(collect_series([*rest[:3], *rest[4:]]))


def test_screens_of_another_command_begin_anew():
    text = "$ top -b -n 25\n" + "".join(log(25)) + "$ top -b -n 25\n" + "".join(log(25))
    assert [type(block) is FoldedBlock for block in fold_samples(read(text))] == [*[False] * 20, True] * 2


def test_a_listing_in_a_loop_has_the_time_above_it():
    blocks = list(fold_samples(read(loop(ps, 30))))
    assert len(blocks) == 21
    samples = collect_series(blocks)
    assert (samples.n, samples.clock_first, samples.clock_last) == (30, "17:00:00", "17:00:29")


def test_a_loop_without_dates_is_known_by_its_command():
    text = loop(lambda at: MEMINFO.format(free=at), 30, "while true; do cat /proc/meminfo; sleep 1; done", stamp=False)
    assert len(list(fold_samples(read(text)))) == 21


def again_and_again(n, between=""):
    return "".join(f"$ top -b -n1 | head -20\n{screen}{between}" for screen in log(n))


def captures(text):
    """(blocks, looks) of each capture of a text."""
    made = relate(list(fold_samples(read(text))), text.count("\n"))
    return [
        (len(capture.blocks), capture.n_samples) for experiment in made.experiments for capture in experiment.captures
    ]


def test_a_command_that_was_typed_a_few_times_is_as_many_captures():
    assert captures(again_and_again(20)) == [(1, 1)] * 20


def test_a_command_that_was_typed_again_and_again_is_one_capture():
    assert captures(again_and_again(90)) == [(21, 90)]


def test_a_command_of_many_screens_that_was_typed_twice_is_two_captures():
    asked = "$ top -b -n 9\n"
    text = asked + log(1)[0] + asked + "".join(log(9, start=50_000)) + asked + "".join(log(9, start=60_000))
    assert captures(text) == [(1, 1), (9, 9), (9, 9)]


@pytest.mark.parametrize("between", ["$ service httpd restart\n", "With four more workers:\n\n"])
def test_a_command_is_typed_for_another_sample_where_something_was_done_between(between):
    assert captures(again_and_again(30, between)) == [(1, 1)] * 30


def test_a_command_that_waits_between_samples_does_nothing():
    assert captures(again_and_again(30, "$ sleep 5\n")) == [(21, 30)]


def test_a_script_that_asks_two_monitors_in_turn_makes_two_captures():
    text = "".join(f"$ ps aux\n{ps(at)}$ cat /proc/meminfo\n{MEMINFO.format(free=at)}" for at in range(30))
    assert [looks for _, looks in captures(text)] == [30, 30]


@pytest.mark.parametrize("shown", ["", "$ cat top.txt\n", "root@web:~# less top.log\n", "$ tail -n 999 /tmp/top.log\n"])
def test_all_screens_of_one_file_are_one_capture(shown):
    assert captures(shown + "".join(log(24))) == [(21, 24)]


def test_listings_of_a_file_that_was_shown_are_one_capture():
    assert captures("$ cat memory.txt\n" + "".join(MEMINFO.format(free=at) + "\n" for at in range(9))) == [(9, 9)]


WATCH = """Every 2.0s: free -m                                  web3: Sat Nov 21 17:00:{second:02} 2026

               total        used        free      shared  buff/cache   available
Mem:            3791        1{second:02}        2000          10        1000        3000
Swap:           2047           0        2047

"""


def test_watch_tells_the_time_of_each_sample():
    samples = collect_series(fold_samples(read("".join(WATCH.format(second=2 * at) for at in range(25)))))
    assert (samples.n, samples.clock_first, samples.clock_last) == (25, "17:00:00", "17:00:48")


def test_what_watch_shows_in_a_wide_terminal_is_one_capture():
    blocks = list(fold_samples(read("".join(WATCH.format(second=2 * at) for at in range(25)))))
    [capture] = relate(blocks, 150).experiments[0].captures
    assert capture.n_samples == 25


def test_the_rows_of_hours_of_vmstat_are_one_capture(monkeypatch):
    monkeypatch.setattr(vmstat, "MOST_ROWS", 3)
    text = (FIXTURES / "vmstat" / "vmstat_02_wt.txt").read_text()
    head, _, rest = text.partition("\n   4    0 ")
    again = "".join(f"\n   4    0 {line}" for line in [rest.splitlines()[0]] * 70)
    assert [n_blocks for n_blocks, _ in captures(head + again + "\n")] == [21]
    samples = collect_series(fold_samples(read(head + again + "\n")))
    assert (samples.n, samples.clock_first, samples.clock_last) == (69, "13:52:09", "13:52:09")


def test_load_tests_in_a_loop_are_never_fold_samples():
    def ab(at):
        return (
            f"Server Software:        nginx\nConcurrency Level:      10\nTime taken for tests:   1.2{at:02} seconds\n"
            "Complete requests:      1000\nRequests per second:    812.24 [#/sec] (mean)\n\n"
        )

    blocks = list(fold_samples(read(loop(ab, 30, "while sleep 1; do date; ab -n 1000 http://a/; done"))))
    assert [block.kind for block in blocks] == ["ab"] * 30


def test_a_load_test_between_two_samples_of_a_loop_parts_them():
    def both(at):
        return ps(at) + f"Requests per second:    {at}.24 [#/sec] (mean)\n\n"

    text = loop(both, 30, "while sleep 1; do date; ps aux; ab -n 1000 http://a/ | grep Requests; done")
    assert captures(text) == [(1, 1)] * 30


def test_a_loop_that_prints_two_kinds_is_two_series():
    text = loop(
        lambda at: ps(at) + MEMINFO.format(free=at), 30, "while sleep 1; do date; ps aux; cat /proc/meminfo; done"
    )
    blocks = list(fold_samples(read(text)))
    assert [(block.kind, count_samples(block)) for block in blocks if isinstance(block, FoldedBlock)] == [
        ("ps", 10),
        ("meminfo", 10),
    ]
    assert len(blocks) == 42
    memory = collect_series(block for block in blocks if block.kind == "meminfo")
    assert (memory.n, memory.clock_last) == (30, "17:00:29")


def test_prose_between_screens_parts_them():
    shown = log(30)
    blocks = list(
        fold_samples(read("".join(shown[:25]) + "After the restart it looked like this:\n\n" + "".join(shown[25:])))
    )
    assert [type(block) is FoldedBlock for block in blocks] == [*[False] * 20, True, *[False] * 5]


def test_more_processes_than_the_bound_are_a_problem_that_names_the_line(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_PROCESSES", 60)
    for module in (samples, reading):
        monkeypatch.setattr(module, "MAX_PROCESSES", 60)
    text = "".join(top(at, *((100 * at + row, 5, "php") for row in range(2))) for at in range(60))
    (problem,) = [problem for block in fold_samples(read(text)) for problem in block.problems]
    assert problem.message == "more than 60 processes: from here on further ones are added up by program"
    assert "php" in text.splitlines()[problem.line + 7]


def test_one_bound_holds_for_the_first_screens_and_all_others(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_PROCESSES", 60)
    for module in (samples, reading):
        monkeypatch.setattr(module, "MAX_PROCESSES", 60)
    text = "".join(top(at, (7, 5, "init"), *((100 * at + row + 10, 5, "php") for row in range(2))) for at in range(60))
    who = {who for who, _, _ in collect_series(fold_samples(read(text))).series()} - {collecting.SYSTEM}
    assert len({pid for pid, *_ in who if pid}) == 60
    assert [command for pid, _, command, _ in who if not pid] == ["further processes of php"]


def test_more_processes_than_the_bound_on_a_few_screens_are_a_problem_too(monkeypatch):
    monkeypatch.setattr(reading, "MAX_PROCESSES", 30)
    text = top(1, *((row, 5, "php") for row in range(40)))
    assert [len(block.problems) for block in fold_samples(read(text))] == [1]


@pytest.mark.django_db
def test_a_long_log_is_stored_as_one_capture():
    text = "".join(log(120, start=86400 - 60)).encode()
    upload = ingest.submit(text, origin="web").upload
    capture = Capture.objects.get()
    assert (capture.n_samples, capture.clock_first, capture.clock_last) == (120, "23:59:00", "00:00:59")
    assert (capture.line_first, capture.line_last) == (1, text.count(b"\n") - 1)
    assert (upload.status, len(upload.blocks), upload.unread) == ("ready", 21, [])
    clock = unpack_samples(Series.objects.get(metric="clock_s").samples)
    assert (clock[0], clock[-1], set(clock[1:] - clock[:-1])) == (86340, 86459, {1})
    came_and_went = unpack_samples(Series.objects.get(metric="rss_kb", pid=3).samples, 120)
    assert [math.isnan(rss) for rss in came_and_went] == [at // 7 % 2 == 0 for at in range(120)]


def test_screens_without_processes_are_samples():
    samples = collect_series(fold_samples(read("".join(top(at) for at in range(50)))))
    assert samples.n == 50
    assert {who for who, _, _ in samples.series()} == {collecting.SYSTEM}


def test_time_that_goes_backwards_is_kept_as_it_was_printed():
    samples = collect_series(fold_samples(read("".join(top(50_000 - at, (1, 5, "php")) for at in range(50)))))
    clock = next(unpack_samples(track.packed) for _, metric, track in samples.series() if metric == "clock_s")
    assert clock.tolist() == [50_000 - at for at in range(50)]


def test_a_gap_in_a_log_is_one_in_its_clock():
    samples = collect_series(fold_samples(read("".join(top(at + 600 * (at > 30), (1, 5, "php")) for at in range(50)))))
    clock = next(unpack_samples(track.packed) for _, metric, track in samples.series() if metric == "clock_s")
    assert sorted(clock[1:] - clock[:-1])[-2:] == [1, 601]


def test_ten_thousand_columns_are_read():
    header = "  PID USER " + " ".join(["NI"] * 10_000) + "    RES %CPU COMMAND\n"
    rows = "".join(f"{pid:5} www " + " ".join(["1"] * 10_000) + "    500  1.0 httpd\n" for pid in range(3))
    rss = [
        unpack_samples(track.packed).tolist()
        for _, metric, track in collect_series(read(header + rows)).series()
        if metric == "rss_kb"
    ]
    assert rss == [[500], [500], [500]]


def test_screens_of_other_tools_are_folded_too():
    intervals = [
        f"17:47:{at:02}      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        f"17:47:{at:02}        0       {7 + at % 2}    1.00    0.00    0.00    0.00    {at}.00     0  python3\n\n"
        for at in range(1, 50)
    ]
    head = "Linux 6.1.0 (web) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
    blocks = list(fold_samples(read(head + "".join(intervals))))
    assert isinstance(blocks[-1], FoldedBlock)
    assert told(collect_series(blocks)) == told(collect_series(read(head + "".join(intervals))))
    assert collect_series(blocks).n == 49


@pytest.mark.django_db
def test_the_preview_of_a_long_log_counts_its_samples():
    (experiment,) = ingest.preview("".join(log(60)).encode()).draft.experiments
    assert [capture.n_samples for capture in experiment.captures] == [60]


@pytest.mark.django_db
def test_reading_a_long_log_anew_changes_nothing():
    upload = ingest.submit("".join(log(60)).encode(), origin="web").upload
    before = list(Series.objects.order_by("id").values_list("metric", "pid", "n", "mean", "samples"))
    ingest.reparse(upload.pk)
    assert list(Series.objects.order_by("id").values_list("metric", "pid", "n", "mean", "samples")) == before


@pytest.mark.django_db
def test_the_same_log_twice_in_a_text_is_one_capture_and_its_quote():
    text = "".join(log(40))
    ingest.submit(f"$ top -b\n{text}\nThe same again:\n\n$ top -b\n{text}".encode(), origin="web")
    assert Capture.objects.get().n_samples == 40


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(5))
def test_a_log_cut_anywhere_keeps_every_screen_before_the_cut(seed):
    whole = "".join(log(40))
    cut = random.Random(seed).randrange(len(whole) // 2, len(whole))  # noqa: S311
    upload = ingest.submit(whole[:cut].encode(), origin="web").upload
    assert Capture.objects.get().n_samples in (whole[:cut].count("top - "), whole[:cut].count("top - ") - 1)
    assert Upload.objects.get(pk=upload.pk).status in ("ready", "partial")


@pytest.mark.parametrize(("ruler", "column"), [("│", 90), ("|", 100), ("  ", 95)])
@pytest.mark.parametrize("monitor", ["vmstat/vmstat_01.txt", "free/free_03_h.txt"])
def test_a_monitor_in_the_terminal_beside_saw_the_load(ruler, column, monitor):
    """The text is made: two genuine outputs, side by side."""
    left, right = ((FIXTURES / path).read_text().split("\n") for path in ("ab/ab_01_plain.txt", monitor))
    right = [line[:99] for line in right] + [""] * len(left)
    text = "".join(f"{one:{column}}{ruler}{other}".rstrip() + "\n" for one, other in zip(left, right, strict=False))
    text += "\n## Conclusion\n"
    draft = relate(list(parsers.read(text.splitlines(keepends=True))), text.count("\n"))
    (experiment,) = draft.experiments
    assert [run.lines for run in experiment.runs] == [(2, 49)]
    assert {(capture.run, capture.phase) for capture in experiment.captures} == {(experiment.runs[0].key, "during")}
