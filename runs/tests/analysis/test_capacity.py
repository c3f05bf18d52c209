"""The search for the highest load that keeps a limit, on servers whose capacity is known."""

from __future__ import annotations

import html
import math
import random

import pytest

from runs import ingest
from runs.analysis.adaptive import MOST_RUNS, Search, describe_search, find_capacity, find_next_level, read_limit
from runs.analysis.facts import RunFact
from runs.tests.analysis.facts import run


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


def test_loads_that_broke_the_limit_now_and_then_were_tried_all_the_same():
    found = Search(0, 8, None)  # of an interval that is open above
    said = describe_search(found, "p95 < 20ms", [(8, True), (16, False), (12, True), (12, False)])
    assert "is 8 or more: runs of up to 16 (0 of 1 run kept it) vary too much" in said


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


def levels_of(curve, noise: float, seed: int) -> dict[float, list[RunFact]]:
    """What `bd sweep --limit "p95 < 200ms"` would have measured, in ms, of a server whose latency follows this curve."""
    chance = random.Random(seed)  # noqa: S311
    tried: list[tuple[int, bool]] = []
    levels: dict[float, list[RunFact]] = {}
    while (found := find_next_level(tried, first=8, most=4096)).level:
        ms = curve(found.level) * math.exp(chance.gauss(0, noise))
        levels.setdefault(found.level, []).append(run(len(tried), 100.0, percentiles_ms={"95": ms}))
        tried.append((found.level, ms < 200))
    return levels


@pytest.mark.parametrize("noise", [0.01, 0.05])
@pytest.mark.parametrize(
    ("curve", "true"),
    [
        (lambda load: load, 200),
        (lambda load: 20 / (1 - min(load / 400, 0.999)), 360),
        (lambda load: 20 * load**0.5, 100),
    ],
    ids=["linear", "queueing", "slow"],
)
def test_the_interval_of_a_sweep_holds_the_capacity_in_19_of_20(curve, true, noise):
    found = [find_capacity(read_limit("p95 < 200ms"), levels_of(curve, noise, seed)) for seed in range(40)]
    held = [each for each in found if each and each.low <= true and (each.high is None or true <= each.high)]
    assert len(held) >= 36


def test_few_repeats_and_limits_that_need_not_break_tell_no_interval():
    levels = levels_of(lambda load: load, 0.05, 1)
    assert find_capacity(read_limit("rps > 100"), levels) is None
    assert find_capacity(read_limit("p95 < 200ms"), {load: runs[:1] for load, runs in levels.items()}) is None
    assert find_capacity(read_limit("p95 < 1ms"), levels).low is None
    assert find_capacity(read_limit("p95 < 9s"), levels).high is None


@pytest.mark.django_db
def test_a_recorded_sweep_has_its_interval_in_the_headline_and_in_rest_and_keeps_it_by_another_name(admin_client):
    levels = levels_of(lambda load: load, 0.03, 1)
    text = "# Recorded by bd 1\n# experiment: ab {}, the highest load with p95 < 200ms\n# host: web1\n" + "".join(
        f"\n## load {load}, run 1 of 60\n\nbd@web1:~$ ab -n 1000 -c {load} http://web1/\nConcurrency Level:      {load}\n"
        "Time taken for tests:   10.0 seconds\nComplete requests:      1000\nFailed requests:        0\n"
        f"Requests per second:    100.0 [#/sec] (mean)\n\n  50%  {ms / 2:.0f}\n  95%  {ms:.0f}\n\n"
        for load, runs in levels.items()
        for ms in (each.percentiles_ms["95"] for each in runs)
    )
    upload = ingest.submit(text.encode(), origin="rest").upload
    address = upload.runs.first().experiment.get_absolute_url()
    swept = admin_client.get(f"{address}?format=json").json()["headline"]["sweep"]["capacity"]
    assert swept["low"] <= 200 <= swept["high"] and swept["limit"] == "p95 < 200ms"
    admin_client.patch(
        f"/api/v1/experiments/{upload.runs.first().experiment_id}/", {"name": "Shop"}, content_type="application/json"
    )
    for form in ("", "?format=md"):
        page = html.unescape(admin_client.get(f"{address}{form}").content.decode())
        assert swept["text"] in page.replace("\\<", "<")
