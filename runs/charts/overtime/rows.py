"""The same as rows, thinned alike: a chart's table twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .strands import Strand, since, thinned_together
from .timeline import Kind, Timeline, window

Cell = str | int | float | bool | None


def sheet(
    when: Timeline, strands: Sequence[Strand], *, points: int, low: float | None = None, high: float | None = None
) -> list[tuple[Cell, ...]]:
    """A row a look: its time ("HH:MM:SS" of a clock), then each strand's figure with five digits, None where it has none."""
    part = window(when, low, high)
    cut = since(strands, part)
    places = thinned_together([one.figures for one in cut], points, np.empty(0, np.int64))
    return [
        (_said(part.kind, float(part.at[place])), *(_figure(float(one.figures[place])) for one in cut))
        for place in places
    ]


def _said(kind: Kind, at: float) -> Cell:
    second = int(at)
    if kind is Kind.CLOCK:
        return f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
    return second if second == at else at


def _figure(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.5g}")
