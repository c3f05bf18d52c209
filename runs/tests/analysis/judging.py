"""Short ways to a verdict: configs as lists of requests per second, or of another figure of each run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from runs.analysis import conclude, stats
from runs.analysis.doubt_case import Case
from runs.analysis.facts import CaptureFact, HostFact
from runs.analysis.headline_outcome import Headline
from runs.analysis.judgement import judge
from runs.analysis.table import Comparison, compare
from runs.analysis.verdict import Judgement, Spread, Verdict
from runs.analysis.verdict_wording import add_words
from runs.tests.analysis.facts import configs, run

RATE = "requests_per_second"
# In no order, so that there is no trend in them
FOUR = [102.0, 100.0, 103.0, 101.0]
# Repeats of one config that were up to 42 % apart, 8 in all
SPREAD = Spread({RATE: stats.Pool(4, 4, 4 * 0.15**2, math.log(1.42))}, "of other ab runs kept here")


def table(
    *sides: list[float], figure: str = RATE, names: Sequence[str] = "abcdefgh", in_turn: bool = False, **fields: Any
) -> Comparison:
    """Config a, b, ... with a run a value, all of a before those of b unless `in_turn`; `fields` go to all runs."""
    order = [(repeat, at, value) for at, side in enumerate(sides, 1) for repeat, value in enumerate(side, 1)]
    runs = [
        run(at, **(fields | {figure: value}), repeat=repeat)
        if figure != RATE
        else run(at, value, repeat=repeat, **fields)
        for repeat, at, value in (sorted(order) if in_turn else order)
    ]
    return compare(configs(*names[: len(sides)]), runs, [])


def verdict(*sides: list[float], key: str = RATE, at: int = 1, spread: Spread | None = None, **fields: Any) -> Verdict:
    """The verdict on config b (or the one at `at`), which must be there."""
    found = judge(table(*sides, figure=key, **fields), spread=spread).of(key, at)
    assert found is not None
    return found


def excluding(comparison: Comparison, why: Mapping[int, str]) -> Judgement:
    """Without the runs of the columns in `why`."""
    out = {run.id: why[at] for at in why for run in comparison.columns[at].runs}
    return add_words(judge(comparison, excluded=out))


def failing(*sides: list[tuple[int, int]], at: int = 1, **fields: object) -> Verdict | None:
    """A config's runs as (failed, made); 10 requests per second each, twice that in the second config.

    The verdict on the config at `at`.
    """
    runs = [
        run(number, 10.0 * number, failed_requests=bad, complete_requests=made, **fields)
        for number, side in enumerate(sides, 1)
        for bad, made in side
    ]
    return judge(compare(configs(*"abcd"[: len(sides)]), runs, [])).of("failed_requests", at)


def headline_of(
    comparison: Comparison,
    *,
    spread: Spread | None = None,
    captures: Sequence[CaptureFact] = (),
    hosts: Sequence[HostFact] = (),
) -> Headline:
    """The headline of a table, with the doubts that its runs raise."""
    named = list({column.config.id: column.config for column in comparison.columns}.values())
    runs = [run for column in comparison.columns for run in column.runs]
    return conclude(Case(named, runs, captures, hosts=hosts), comparison, spread).headline
