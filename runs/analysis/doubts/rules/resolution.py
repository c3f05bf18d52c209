"""Times near the smallest step that their tool prints."""

from __future__ import annotations

import math
from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Source, rule
from runs.analysis.doubts.told import HUGE
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure

FEW_STEPS = 10  # one step is then 10 % or more
ENOUGH = 4  # different times, so that a common step is no accident


@rule("resolution.steps", basis="ab prints percentiles in whole ms, siege times in hundredths of a second")
def coarse(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        step, value = step_ms(run), _typical_ms(run)
        if step is None or value is None or value > FEW_STEPS * step:
            continue
        what = "half within" if run.tool == "ab" else "mean"
        detail = f"{what} {figure(value)} ms, told in steps of {figure(step)} ms"
        text = "a step is 10 % or more of that, so a difference of one or two steps is none"
        yield Finding("note", detail, text, (Source(run.source, run.line),), run=run.id)


def step_ms(run: RunFact) -> float | None:
    """The step that the run's times are told in: what divides all of ab's, as on machines whose clock ticks each 10 ms."""
    if run.tool == "siege":
        return 10.0
    times = {value for value in run.percentiles_ms.values() if 0 < value < HUGE}
    if run.tool != "ab" or not run.percentiles_ms or any(value != int(value) for value in times):
        return None
    return float(math.gcd(*map(int, times))) if len(times) >= ENOUGH else 1.0


def _typical_ms(run: RunFact) -> float | None:
    return run.mean_ms if run.tool == "siege" else run.percentiles_ms.get("50")
