"""Monitors become series: one a metric of the system, one a process and metric."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from parsers import ProcessSample, SystemSample
from runs.ingest.looks import Look, looks_of, seconds_of_day, series_of
from runs.ingest.pack import unpack
from runs.models import Capture


class Block:
    def __init__(self, *records):
        self.records = records


def httpd(pid, rss, **more):
    return ProcessSample(pid=pid, user="apache", command="/usr/sbin/httpd", group="httpd", rss_kb=rss, **more)


def screen(clock="15:17:17", **metrics):
    return SystemSample("top", clock, metrics)


def rows(*looks):
    return {(row.pid, row.metric): row for row in series_of(Capture(), looks)}


def test_a_screen_is_one_look_with_its_processes():
    looks = looks_of([Block(screen(load1=4.5), httpd(1, 100)), Block(screen(load1=4.0))])
    assert [(look.metrics, len(look.processes)) for look in looks] == [({"load1": 4.5}, 1), ({"load1": 4.0}, 0)]


def test_rows_of_one_block_are_looks_of_their_own():
    assert len(looks_of([Block(screen(cpu_us=1), screen(cpu_us=2))])) == 2


def test_a_listing_without_a_system_is_one_look():
    assert len(looks_of([Block(httpd(1, 100), httpd(2, 100))])) == 1


def test_a_process_that_is_missing_in_a_look_leaves_a_gap():
    row = rows(Look(processes=[httpd(1, 100)]), Look(), Look(processes=[httpd(1, 300)]))[1, "rss_kb"]
    samples = unpack(row.samples)
    assert samples[0] == 100 and math.isnan(samples[1]) and samples[2] == 300
    assert (row.n, row.min, row.mean, row.max, row.last) == (2, 100, 200, 300, 300)
    assert (row.user, row.command, row.group) == ("apache", "/usr/sbin/httpd", "httpd")


def test_a_pid_that_another_program_took_over_is_two_series():
    other = ProcessSample(pid=1, user="root", command="cron", group="cron", rss_kb=5)
    assert len(list(series_of(Capture(), [Look(processes=[httpd(1, 100)]), Look(processes=[other])]))) == 2


def test_the_clock_is_a_series_that_goes_on_past_midnight():
    assert seconds_of_day(["23:59:58", None, "00:00:01", "00:00:04"]) == [86398, None, 86401, 86404]


def test_a_clock_that_steps_back_a_little_is_taken_as_it_is():
    assert seconds_of_day(["12:00:05", "12:00:04"]) == [43205, 43204]


@given(st.lists(st.floats()))
def test_figures_of_any_kind_are_no_error(figures):
    row = rows(*[Look(metrics={"x": figure}) for figure in figures]).get((None, "x"))
    assert row is None or math.isfinite(row.mean)
