"""Counts as they are stored, added up and cut into bars."""

from __future__ import annotations

import math

import pytest

from runs.analysis.histogram import add_counts, count_requests, make_bars, pack, percentiles, table_of, unpack


def counts_of(times: list[float]) -> list[list[float]]:
    return add_counts([[[time, 1] for time in times]])


def test_what_is_packed_comes_back():
    counts = [[0.001, 3], [12, 40], [100000.0, 1]]
    assert unpack(pack(counts)) == counts
    assert unpack(pack([])) == [] and pack(None) == b""


def test_a_million_requests_pack_into_a_few_kilobytes():
    whole_ms = [[ms, 500] for ms in range(2000)]
    assert len(pack(whole_ms)) < 10_000


def test_counts_of_repeats_add_up():
    assert add_counts([[[1, 2], [3, 1]], [[3, 4], [2, 5]]]) == [[1, 2], [2, 5], [3, 5]]


@pytest.mark.parametrize("n", [1, 2, 99, 1000, 2001])
def test_percentiles_are_those_of_the_sorted_times(n):
    times = [k * 37 % 991 / 10 for k in range(n)]
    ordered, found = sorted(times), percentiles(counts_of(times))
    assert all(ms == ordered[min(n * int(p) // 100, n - 1)] for p, ms in found.items() if "." not in p)
    assert found["100"] == ordered[-1]


def test_percentiles_go_as_far_as_the_requests_do():
    assert "99.9" in percentiles([[1, 1000]]) and "99.99" not in percentiles([[1, 1000]])
    assert "99.999" in percentiles([[1, 100_000]])
    assert percentiles([]) == {}


def test_a_table_shows_the_usual_ones_in_order():
    assert [name for name, _ in table_of(percentiles([[1, 1000]]))] == ["50", "75", "90", "95", "99", "99.9", "100"]


@pytest.mark.parametrize("most", [10, 60])
def test_bars_hold_every_request_and_are_few(most):
    counts = counts_of([(k * k) % 977 for k in range(5000)])
    cut = make_bars(counts, most)
    assert sum(bar.n for bar in cut) == count_requests(counts) and len(cut) <= most
    assert len({round(bar.high - bar.low, 6) for bar in cut if math.isfinite(bar.high)}) == 1


def test_a_few_that_hung_do_not_press_the_others_flat():
    cut = make_bars([[1, 400], [2, 500], [3, 99], [3000, 1]])
    assert [(bar.low, bar.n) for bar in cut] == [(1, 400), (2, 500), (3, 99), (4, 1)]
    assert cut[-1].high == math.inf


def test_bars_are_no_narrower_than_the_figures_are_round():
    cut = make_bars([[ms, 10] for ms in range(5, 12)])
    assert [(bar.low, bar.high, bar.n) for bar in cut] == [(ms, ms + 1, 10) for ms in range(5, 12)]


def test_all_alike_is_one_bar():
    assert [(bar.low, bar.n) for bar in make_bars([[7, 300]])] == [(7, 300)]
