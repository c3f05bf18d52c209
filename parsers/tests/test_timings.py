"""Files of what each request took: recognised in any company, counted without being kept, and true to the report."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import parsers
from parsers.records import LoadResult, Timings
from parsers.request_files import Latencies, Seconds, bucket

from .reading import FIXTURES, blocks, text_of

GNUPLOT = FIXTURES / "ab_gnuplot" / "ab_15_gnuplot.tsv"
HEY = FIXTURES / "hey_csv" / "hey_02.csv"
MIX = FIXTURES / "mix" / "mix_06_ab_and_its_files.txt"
HEADING = "starttime\tseconds\tctime\tdtime\tttime\twait\n"


def gnuplot_rows(n: int) -> Iterator[str]:
    yield HEADING
    for number in range(n):
        second = number * 7919 % 500
        clock = f"13:{second // 60:02}:{second % 60:02}"
        took = number % 900
        yield f"Thu Oct 12 {clock} 2023\t{1697115600 + second}\t1\t{took}\t{1 + took}\t3\n"


def test_percentiles_of_the_rows_are_those_of_the_report():
    report, printed, counted = (block.values["percentiles_ms"] for block in blocks(text_of(MIX)))
    assert {p: counted[p] for p in report} == report
    assert {p: round(printed[p]) for p in report} == report


def test_each_file_has_the_command_that_showed_it():
    assert [block.command for block in blocks(text_of(MIX))][1:] == ["cat pct.csv", "cat req.tsv"]


def test_rows_in_any_order_count_the_same():
    head, *rows = text_of(GNUPLOT).splitlines(keepends=True)
    random.Random(1).shuffle(rows)  # noqa: S311
    (shuffled,), (sorted_,) = blocks(head + "".join(rows)), blocks(text_of(GNUPLOT))
    assert shuffled.values == sorted_.values


def test_line_by_line_counts_as_many_at_once():
    """Quoting keeps the quick way out."""
    for path in (GNUPLOT, HEY):
        (quoted,) = blocks("".join(f"> {line}\n" for line in text_of(path).splitlines()))
        (plain,) = blocks(text_of(path))
        assert quoted.values == plain.values


def test_requests_are_regrouped_by_the_second_they_began_in():
    (block,) = parsers.read(gnuplot_rows(5000))
    (timings,) = block.records
    assert isinstance(timings, Timings)
    seconds = timings.seconds
    assert (seconds["start_s"], seconds["step_s"], seconds["at_s"]) == (1697115600, 1, list(range(500)))
    assert seconds["n"] == [10] * 500
    assert block.values["first_starttime"] == "Thu Oct 12 13:00:00 2023"


def test_broken_rows_are_named_and_the_others_counted():
    text = text_of(GNUPLOT).splitlines(keepends=True)
    text[5] = "Thu Oct 12 13:15:06 2023\t1697116506\t-1\t44\tnan\t34\n"
    text[300] = "Thu Oct 12 13:15:06 2023\t16971\n"
    (block,) = blocks("".join(text))
    assert [problem.line for problem in block.problems] == [6, 301]
    assert (block.values["n_requests"], block.partial, block.lines) == (398, True, (1, 401))


def test_a_million_broken_rows_are_a_few_problems():
    broken = ["Thu Oct 12 13:15:06 2023\t1697116506\t\n"] * 30_000
    (block,) = parsers.read([*gnuplot_rows(3), *broken])
    assert len(block.problems) == 21
    assert "29980 more rows" in block.problems[-1].message


def test_a_part_of_the_rows_is_called_one():
    rows = text_of(GNUPLOT)
    tail = "".join(rows.splitlines(keepends=True)[-5:])
    (shown,) = blocks(f"$ head -20 req.tsv\n{''.join(rows.splitlines(keepends=True)[:20])}")
    (headless,) = blocks(f"$ tail -5 req.tsv\n{tail}")
    (elided,) = blocks(rows[:600] + "\n...\n" + tail)
    assert [block.partial for block in (shown, headless, elided)] == [True] * 3
    assert headless.values["n_requests"] == 5


def test_a_row_cut_off_at_the_end_is_not_counted():
    text = text_of(GNUPLOT)
    for at in range(len(text) - 24, len(text)):
        (block,) = blocks(text[:at])
        assert block.values["n_requests"] == 399
        assert block.problems


def test_rows_of_hey_are_a_load_test_and_its_timings():
    (block,) = blocks(text_of(HEY))
    result, timings = block.records
    assert isinstance(result, LoadResult) and isinstance(timings, Timings)
    assert (result.tool, result.complete_requests, timings.n) == ("hey", 120, 120)
    assert result.requests_per_second == round(120 / 0.4915, 4)  # its last answer came 0.0059 s after 0.4856
    assert sum(timings.seconds["n"]) == 120
    assert sum(n for _, n in timings.histogram) == 120


def test_hey_of_old_has_no_offset_and_so_no_rate():
    rows = [line.rpartition(",")[0] for line in text_of(HEY).splitlines()]
    (block,) = blocks("".join(f"{row}\n" for row in rows))
    result, timings = block.records
    assert (result.requests_per_second, timings.seconds, result.complete_requests) == (None, None, 120)


def test_memory_does_not_grow_with_the_rows():
    def peak(n: int) -> int:
        tracemalloc.start()
        for _ in parsers.read(gnuplot_rows(n)):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(3000)
    assert peak(60_000) < 1.5 * peak(6000) + 500_000


def test_seconds_far_apart_take_no_more_memory():
    seconds = Seconds()
    for number in range(40_000):
        seconds.add(number * 1_000_003, 5000)
    columns = seconds.columns(epoch=True)
    assert len(columns["n"]) <= 7200
    assert sum(columns["n"]) == 40_000


def test_counts_are_exact_for_whole_milliseconds_and_close_for_all():
    assert all(bucket(ms * 1000) == ms * 1000 for ms in range(100_000))
    assert all(us * 0.9999 <= bucket(us) <= us for us in (123_456, 99_999_999, 10**12 + 7))


def test_percentiles_are_those_of_the_sorted_list():
    times = [number * 37 % 5003 + 1 for number in range(2000)]
    latencies = Latencies()
    for time in times:
        latencies.add(time)
    ordered = sorted(times)
    found = latencies.percentiles()
    assert found["50"] == ordered[1000] / 1000
    assert found["99.9"] == ordered[1998] / 1000
    assert found["100"] == ordered[-1] / 1000
    assert "99.99" not in found  # one request in two thousand makes no hundredth of a per cent
