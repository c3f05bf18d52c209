"""The search for the highest load that keeps a limit, on servers whose capacity is known."""

from __future__ import annotations

import random

import pytest

from runs.analysis.capacity import MOST_RUNS, describe_search, find_next_level


def search(capacity: float, *, first: int = 8, most: int = 4096, noise: float = 0.0, seed: int = 1):
    """Of a server that keeps the limit up to this load, give or take `noise` of it at each run."""
    chance = random.Random(seed)  # noqa: S311
    tried: list[tuple[int, bool]] = []
    while (found := find_next_level(tried, first=first, most=most)).level:
        tried.append((found.level, found.level <= capacity * (1 + chance.gauss(0, noise))))
    return found, tried


@pytest.mark.parametrize("capacity", [1, 2, 3, 7, 8, 9, 20, 50, 100, 1000, 3333])
def test_the_interval_holds_the_capacity_and_its_ends_were_run_three_times(capacity):
    found, tried = search(capacity)
    assert found.low <= capacity < found.high
    assert found.high - found.low <= max(1, found.low // 10)
    assert [level for level, _ in tried].count(found.low) >= 3 <= [level for level, _ in tried].count(found.high)
    assert len(tried) < 30


def test_a_capacity_beyond_the_highest_load_is_said_to_be_so():
    found, tried = search(10_000, most=100)
    assert (found.low, found.high) == (100, None)
    assert describe_search(found, "p95 < 200ms", tried) == (
        "p95 < 200ms is kept up to 100, the highest load that was tried (3 of 3 runs kept it)."
    )


def test_a_limit_that_even_one_client_breaks_ends_the_search():
    found, tried = search(0)
    assert (found.low, found.level) == (None, 0)
    assert describe_search(found, "p95 < 1ms", tried).startswith("Even a load of 1 breaks p95 < 1ms")


@pytest.mark.parametrize("seed", range(20))
def test_runs_that_vary_end_the_search_and_widen_the_interval(seed):
    found, tried = search(100, noise=0.1, seed=seed)
    assert len(tried) <= MOST_RUNS and found.low is not None
    assert found.high is None or found.low < found.high
    assert 60 < found.low < 140
