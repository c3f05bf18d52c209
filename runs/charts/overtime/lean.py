"""Points as small whole numbers, so that a figure of hundreds of lines is light: what overtime.js reads.

    {"second": 1000, "tick": 1000, "unit": 0.03125, "axes": [...], "panels": [{"data": [...], "layout": {...}}],
     "ends": [first, last]}

A trace has "lean": {"x": number of an axis, "y": [first, difference, difference ...], "breaks": [places]} in place of x and
y. y adds up to whole numbers of `unit`; before each of the places in `breaks` the line is interrupted. An axis is
{"at": first, "by": step, "n": how many} where the step is always the same, else {"at": first, "d": [differences]}; it counts
ticks. `tick` and `second` are in what the figure's x axis is in: ms for a clock. `ends` are of all that there is, in
seconds or looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .timeline import Floats, Kind, Timeline, Whole, holes

FINENESS = 2048  # of the largest figure: a screen has fewer pixels, and a hover box shows four digits
FRACTION = 100  # of a second, where a clock has fractions


@dataclass(slots=True)
class Lean:
    """Collects the axes and traces of one figure. holes: of a line that has a figure at every look."""

    when: Timeline
    holes: Whole
    unit: float
    per_second: int = 1
    axes: list[dict[str, Any]] = field(default_factory=list)
    _known: dict[bytes, int] = field(default_factory=dict)

    def trace(self, at: Floats, figures: Floats, breaks: Whole) -> dict[str, Any]:
        """The `figures` and when each was; `breaks` are places in them."""
        lean: dict[str, Any] = {"x": self.axis_of(at), "y": _differences(np.rint(figures * (1 / self.unit)))}
        if len(breaks):
            lean["breaks"] = breaks
        return lean

    def ticks(self, at: Floats) -> Whole:
        return np.rint(at * self.per_second).astype(np.int64)

    def axis_of(self, at: Floats) -> int:
        ticks = self.ticks(at)
        key = ticks.tobytes()
        if key not in self._known:
            self._known[key] = len(self.axes)
            self.axes.append(_axis(ticks))
        return self._known[key]


def lean(when: Timeline, highest: float) -> Lean:
    """For figures up to `highest`: a power of two of their unit is what they are counted in."""
    unit = 2.0 ** math.floor(math.log2(highest / FINENESS)) if 0 < highest < math.inf else 1.0
    whole = when.kind is Kind.LOOK or not len(when.at) or bool((when.at == np.rint(when.at)).all())
    return Lean(when, holes(when.at, when.usual), unit, 1 if whole else FRACTION)


def figure(made: Lean, panels: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The whole of it, for orjson."""
    second = 1000 if made.when.kind is Kind.CLOCK else 1
    return {
        "second": second,
        "tick": second / made.per_second,
        "unit": made.unit,
        "axes": made.axes,
        "panels": list(panels),
        **more,
    }


def _differences(whole: Floats) -> Whole:
    numbers: Whole = whole.astype(np.int64)
    numbers[1:] -= numbers[:-1].copy()
    return numbers


def _axis(ticks: Whole) -> dict[str, Any]:
    if not len(ticks):
        return {"at": 0, "by": 0, "n": 0}
    steps = ticks[1:] - ticks[:-1]
    if not len(steps) or (steps == steps[0]).all():
        return {"at": int(ticks[0]), "by": int(steps[0]) if len(steps) else 0, "n": len(ticks)}
    return {"at": int(ticks[0]), "d": steps}
