"""A first repeat that is not like the later ones."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from runs.analysis.columns import Column
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import HUGE
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure

# Repeats of a steady server differ by a few per cent; a first one this far off is no repeat of the others.
FAR = 0.15
# With several later ones, also this many times as far as they lie from each other.
BEYOND = 2
# Of all: leaving out one config's slow run and another's not would make the difference that is looked for.
MORAL = (
    "the first repeat looks like a cold start (processes to fork, caches to fill): "
    "leave the first of every config uncounted, or repeat more"
)


@rule("warmth.first", basis="Kalibera and Jones, Rigorous Benchmarking in Reasonable Time (2013): leave warm-up out")
def cold_start(case: Case) -> Iterator[Finding]:
    for column in case.columns:
        first, later = _rates(column)
        if first is None or not later or (first.requests_per_second or 0) >= _lowest_like(later):
            continue
        mean = fmean(later)
        whose = "the second" if len(later) == 1 else f"the mean of the {len(later)} later ones"
        detail = f"{figure(first.requests_per_second)} requests per second, {figure(mean)} in {whose}"
        yield Finding("caution", detail, MORAL, (Source(first.source, first.line),), run=first.id)


def _rates(column: Column) -> tuple[RunFact | None, list[float]]:
    """The first repeat and the later ones' rates, where there are both."""
    told = [run for run in column.runs if 0 < (run.requests_per_second or 0) < HUGE]
    if len(told) < 2 or told[0].repeat == told[1].repeat:
        return None, []
    return told[0], [run.requests_per_second or 0.0 for run in told[1:]]


def _lowest_like(later: list[float]) -> float:
    """A first rate under this is not like the later ones."""
    return min(fmean(later) * (1 - FAR), min(later) - BEYOND * (max(later) - min(later)))
