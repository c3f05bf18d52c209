"""Monitors become series: one a metric of the system, one a process and metric."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import parsers
from parsers import Block
from parsers.tables import Table
from runs.ingest.store import make_series
from runs.models import Capture
from runs.series import collecting, unpack_samples
from runs.series.clocks import seconds_of_day
from runs.series.collecting import unwrap_midnight
from runs.series.samples import collect_series

NAMES = ("pid", "user", "res_kb", "cpu_pct", "time_s", "command")


def screen(*rows, clock="15:17:17", **values):
    """A screen of top, with a row (pid, user, res_kb, cpu_pct, time_s, command) a process."""
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=False))
    return Block("top", 1, 9, {"time": clock, **values, "processes": Table(columns, len(rows))})


def httpd(pid, rss, cpu=0.0, time=1.0, user="apache"):
    return (pid, user, rss, cpu, time, "/usr/sbin/httpd -k start")


def stored(*blocks):
    return {(row.pid, row.command, row.metric): row for row in make_series(Capture(), collect_series(blocks))}


def figures(row, n=None):
    return [None if math.isnan(figure) else figure for figure in unpack_samples(row.samples, n)]


def rss_of(rows):
    return {pid: figures(row) for (pid, _, metric), row in rows.items() if metric == "rss_kb"}


def test_a_screen_is_one_sample_with_its_processes():
    rows = stored(screen(httpd(1, 100), load1=4.5), screen(load1=4.0))
    assert figures(rows[None, "", "load1"]) == [4.5, 4.0]
    assert rss_of(rows) == {1: [100]}


def test_rows_of_one_block_are_samples_of_their_own():
    text = "r b swpd free buff cache si so bi bo in cs us sy id wa\n" + "1 0 0 100 1 1 0 0 0 0 0 0 5 0 95 0\n" * 4
    (block,) = parsers.read(text.splitlines(keepends=True))
    assert collect_series([block]).n == 3  # the first row is the mean since the machine's start


def test_a_listing_without_a_system_is_one_sample():
    listing = Block("ps", 1, 3, {"processes": Table({"pid": [1, 2], "rss_kb": [100, 200]}, 2)})
    assert rss_of(stored(listing)) == {1: [100], 2: [200]}


def test_a_listing_that_found_nothing_is_a_sample_without_processes():
    listings = [Block("ps", 1, 3, {"processes": Table({"pid": pids, "rss_kb": pids}, len(pids))}) for pids in ([7], [])]
    samples = collect_series([listings[0], listings[1], listings[0]])
    assert samples.n == 3
    assert rss_of(stored(listings[0], listings[1], listings[0])) == {7: [7, None, 7]}


def test_a_process_that_is_missing_in_a_sample_leaves_a_gap():
    row = stored(screen(httpd(1, 100)), screen(), screen(httpd(1, 300)))[1, "/usr/sbin/httpd -k start", "rss_kb"]
    assert figures(row) == [100, None, 300]
    assert (row.n, row.min, row.mean, row.max, row.last) == (2, 100, 200, 300, 300)
    assert (row.user, row.command, row.group) == ("apache", "/usr/sbin/httpd -k start", "httpd")


def test_a_pid_that_another_program_took_over_is_two_series():
    rows = stored(screen(httpd(1, 100)), screen((1, "root", 5, 0.0, 0.0, "cron")))
    assert [figures(row) for (pid, _, metric), row in rows.items() if metric == "rss_kb"] == [[100], [None, 5]]


def test_a_pid_that_another_user_took_over_is_two_series():
    rows = list(make_series(Capture(), collect_series([screen(httpd(1, 100)), screen(httpd(1, 100, user="root"))])))
    assert sorted(row.user for row in rows if row.metric == "rss_kb") == ["apache", "root"]


def test_a_figure_that_top_cut_off_is_a_gap():
    rows = stored(screen(httpd(1, None), httpd(2, 7)), screen(httpd(1, 5), httpd(2, None)))
    assert rss_of(rows) == {1: [None, 5], 2: [7]}


def test_threads_leave_the_machine_and_no_processes():
    assert {metric for _, _, metric in stored(screen(httpd(1, 100), mode="threads", load1=1.0))} == {"load1", "clock_s"}


def test_a_log_longer_than_a_part_comes_back_whole(monkeypatch):
    monkeypatch.setattr(collecting, "PROCESS_ROWS_A_PART", 7)
    rows = stored(
        *(screen(*(httpd(pid, 100 * pid + look) for pid in range(1, 4) if (look + pid) % 5)) for look in range(40))
    )
    for pid in range(1, 4):
        assert figures(rows[pid, "/usr/sbin/httpd -k start", "rss_kb"], 40) == [
            100 * pid + look if (look + pid) % 5 else None for look in range(40)
        ]
    row = rows[2, "/usr/sbin/httpd -k start", "rss_kb"]
    assert (row.n, row.min, row.max, row.last, row.mean) == (32, 200, 239, 239, 219.25)


def test_processes_beyond_the_bound_are_added_up_by_program(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_PROCESSES", 2)
    many = [httpd(pid, 100, cpu=1.5) for pid in range(1, 6)]
    rows = stored(screen(*many, (9, "root", 5, 0.0, 0.0, "cron")), screen(*many[:4]))
    assert rss_of(rows) == {1: [100, 100], 2: [100, 100], 0: [5]}
    assert figures(rows[0, "further processes of httpd", "rss_kb"]) == [300, 200]
    assert figures(rows[0, "further processes of httpd", "cpu_pct"]) == [4.5, 3.0]
    assert figures(rows[0, "further processes of cron", "rss_kb"]) == [5]


def test_each_sample_is_summed_by_program_before_means_are_taken(monkeypatch):
    """Workers that come and go: 2, 1 and 3 at a time, of 5 in all."""
    for rows_a_part in (250_000, 2):
        monkeypatch.setattr(collecting, "PROCESS_ROWS_A_PART", rows_a_part)
        ruby = (9, "web", 50_000, 3.0, 1.0, "ruby app.rb")
        samples = collect_series(
            [
                screen(httpd(1, 10_000, cpu=1.0), httpd(2, 20_000), ruby),
                screen(httpd(3, 12_000)),
                screen(httpd(1, 10_000), httpd(4, 10_000), httpd(5, 10_000, cpu=5.0), ruby),
            ]
        )
        assert samples.sum_programs() == {
            "ruby": {"processes": [1, 1], "rss_kb": [50_000, 50_000], "cpu_pct": [3, 3]},
            "httpd": {"processes": [2, 3], "rss_kb": [24_000, 30_000], "cpu_pct": [2, 5]},
        }


def test_folded_samples_are_summed_with_those_before():
    parts = [collect_series([screen(httpd(pid, 1000.0 * pid))]) for pid in (1, 2, 3)]
    parts[0].append(parts[1])
    parts[0].append(parts[2])
    assert parts[0].sum_programs()["httpd"]["rss_kb"] == [2000, 3000]


def test_programs_beyond_the_bound_are_added_up_together(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_PROCESSES", 0)
    monkeypatch.setattr(collecting, "MAX_PROGRAMS", 1)
    rows = stored(screen((1, "a", 1, 0.0, 0.0, "one"), (2, "a", 2, 0.0, 0.0, "two"), (3, "a", 4, 0.0, 0.0, "three")))
    assert {command: figures(row) for (_, command, metric), row in rows.items() if metric == "rss_kb"} == {
        "further processes of one": [1],
        "further processes": [6],
    }


def clock(*texts):
    return unwrap_midnight(np.array([seconds_of_day(text) for text in texts])).tolist()


def test_the_clock_is_a_series_that_goes_on_past_midnight():
    told = clock("23:59:58", None, "00:00:01", "00:00:04")
    assert told[0] == 86398 and math.isnan(told[1]) and told[2:] == [86401, 86404]


def test_a_clock_that_steps_back_a_little_is_taken_as_it_is():
    assert clock("12:00:05", "12:00:04") == [43205, 43204]


def test_a_clock_that_steps_back_across_midnight_is_taken_as_it_is():
    assert clock("23:59:59", "00:00:01", "23:59:59", "00:00:02") == [86399, 86401, 86399, 86402]


def test_what_is_no_clock_is_none():
    assert [math.isnan(seconds_of_day(text)) for text in ("12:00", "aa:bb:cc", "", None, "1²:00:00")] == [True] * 5


@given(st.lists(st.floats() | st.integers()))
def test_figures_of_any_kind_are_no_error(found):
    row = stored(*(screen(load1=figure) for figure in found)).get((None, "", "load1"))
    assert row is None or math.isfinite(row.mean)


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 5), st.floats() | st.none() | st.integers()), max_size=4), max_size=6)
)
def test_figures_of_processes_of_any_kind_are_no_error(looks):
    for row in stored(*(screen(*(httpd(pid, rss) for pid, rss in look)) for look in looks)).values():
        assert math.isfinite(row.mean) and row.min <= row.mean <= row.max
