"""Times near the smallest step that their tool prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from runs.analysis.columns import bases
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import HUGE
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure

FEW_STEPS = 10  # one step is then 10 % or more
FAR = 50  # steps; one is then under 2 %, which is no difference worth a word
MOST_SHOWN = 3
MANY = 4  # repeats whose mean is finer than a step
ENOUGH = 4  # different times, so that a common step is no accident,
NO_ACCIDENT = 4  # unless it is a small one: four even times happen


@rule("resolution.steps", basis="ab prints percentiles in whole ms, siege times in hundredths of a second")
def coarse(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        step, value = step_ms(run), _typical_ms(run)
        if step is None or value is None or value > FEW_STEPS * step:
            continue
        what = "half within" if run.tool == "ab" else "mean"
        detail = f"{what} {figure(value)} ms, told in steps of {figure(step)} ms"
        text = "one printed step is 10 % or more of the time, so a difference of a step or two is none"
        yield Finding("note", detail, text, (Source(run.source, run.line),), run=run.id)


def step_ms(run: RunFact) -> float | None:
    """The step that the run's times are told in: what divides all of ab's, as on machines whose clock ticks each 10 ms."""
    if run.tool == "siege":
        return 10.0
    times = {value for value in run.percentiles_ms.values() if 0 < value < HUGE}
    if run.tool != "ab" or not run.percentiles_ms or any(value != int(value) for value in times):
        return None
    common = math.gcd(*map(int, times)) if len(times) >= ENOUGH else 1
    return float(common) if common >= NO_ACCIDENT else 1.0


def _typical_ms(run: RunFact) -> float | None:
    return run.mean_ms if run.tool == "siege" else run.percentiles_ms.get("50")


@rule("resolution.within", basis="ab prints percentiles in whole ms, siege times in hundredths of a second")
def within_a_step(case: Case) -> Iterator[Finding]:
    """A config's times that are one step from what they stand against: they may be equal, or two steps apart.

    Of times of a few steps `coarse` has told already.
    """
    columns = case.columns
    for at, base in enumerate(bases(columns)):
        mine, its = columns[at].runs, columns[base].runs
        if at == base or not mine or not its or min(len(mine), len(its)) >= MANY:
            continue
        step = max((step_ms(run) or 0 for run in (*mine, *its)), default=0)
        near = [pair for pair in _pairs(mine, its) if _near(pair[1], pair[2], step)]
        if near:
            shown = [f"{name} {figure(own)} against {figure(other)} ms" for name, own, other in near[:MOST_SHOWN]]
            text = f"{figure(step)} ms is one step of what the tool prints, so they may be alike"
            sources = tuple(Source(run.source, run.line) for run in (mine[0], its[0]))
            yield Finding("note", ", ".join(shown), text, sources, config=columns[at].config.id)


def _near(own: float, other: float, step: float) -> bool:
    return 0 < abs(own - other) <= step and FEW_STEPS * step < max(own, other) <= FAR * step


def _pairs(mine: Sequence[RunFact], its: Sequence[RunFact]) -> Iterator[tuple[str, float, float]]:
    """(what, mean of mine, mean of the other's) of each time that both tell."""
    for name in ("50", "90", "95", "99"):
        own, other = (
            [ms for run in runs if abs(ms := run.percentiles_ms.get(name, HUGE)) < HUGE] for runs in (mine, its)
        )
        if own and other:
            yield f"{name} % within", fmean(own), fmean(other)
    own, other = (
        [ms for run in runs if run.tool == "siege" and 0 < (ms := run.mean_ms or 0) < HUGE] for runs in (mine, its)
    )
    if own and other:
        yield "mean", fmean(own), fmean(other)
