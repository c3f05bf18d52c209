"""Short ways to a verdict: configs as lists of requests per second, or of another figure of each run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from runs.analysis import stats
from runs.analysis.judgement import judge
from runs.analysis.table import Comparison, compare
from runs.analysis.verdict import Judgement, Spread, Verdict
from runs.analysis.verdict_wording import add_words
from runs.tests.analysis.facts import configs, run

RATE = "requests_per_second"
FOUR = [100.0, 101.0, 102.0, 103.0]
# Repeats of one config that were up to 42 % apart, 8 in all
SPREAD = Spread({RATE: stats.Pool(4, 4, 4 * 0.15**2, math.log(1.42))}, "of other ab runs kept here")


def table(*sides: list[float], figure: str = RATE, names: str = "abcdefgh", **fields: Any) -> Comparison:
    """Config a, b, ... with a run a value; `fields` go to all runs."""
    runs = [
        run(at, **(fields | {figure: value}), repeat=repeat)
        if figure != RATE
        else run(at, value, repeat=repeat, **fields)
        for at, side in enumerate(sides, 1)
        for repeat, value in enumerate(side, 1)
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
    return add_words(comparison, judge(comparison, excluded=out))


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
