"""Short ways to a verdict: configs as lists of requests per second, or of another figure of each run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runs.analysis.table import Comparison, compare
from runs.analysis.verdict import Judgement, Spread, Verdict, judge
from runs.tests.analysis.facts import configs, run

RATE = "requests_per_second"


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


def said(comparison: Comparison, **how: Any) -> str:
    return judge(comparison, **how).sentence


def verdict(*sides: list[float], key: str = RATE, at: int = 1, spread: Spread | None = None, **fields: Any) -> Verdict:
    """The verdict on config b (or the one at `at`), which must be there."""
    found = judge(table(*sides, figure=key, **fields), spread=spread).of(key, at)
    assert found is not None
    return found


def excluding(comparison: Comparison, why: Mapping[int, str]) -> Judgement:
    """Without the runs of the columns in `why`."""
    return judge(comparison, excluded={run.id: why[at] for at in why for run in comparison.columns[at].runs})
