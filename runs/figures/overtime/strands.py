"""What is drawn over time: one figure a look, and which of them a screen can show."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .timeline import Floats, Timeline, Whole

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from tsdownsample import MinMaxLTTBDownsampler

FEWEST = 8  # points that a line is thinned to at least
_lttb = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Strand:
    """One line or layer: a figure for every look of the capture, NaN where it has none."""

    name: str
    figures: Floats
    color: str = ""
    words: str = ""  # what the hover box says beside the name


def since(strands: Sequence[Strand], when: Timeline) -> list[Strand]:
    """The strands at the looks of that timeline only."""
    if len(strands) and len(when.looks) == len(strands[0].figures):
        return list(strands)
    return [Strand(one.name, one.figures[when.looks], one.color, one.words) for one in strands]


def thinned(figures: Floats, points: int, keep: Whole | None = None) -> Whole:
    """The places of about `points` of the figures that look like all of them: lowest, highest, where they turn.

    The figures have no NaN. What stays the same for long is told by its ends, so that most lines lose nothing. `keep` are
    places that must stay, such as the two sides of a hole.
    """
    n = len(figures)
    if n <= max(points, FEWEST):
        return np.arange(n)
    steady = figures[1:] == figures[:-1]
    turns = np.ones(n, bool)
    turns[1:-1] = ~(steady[:-1] & steady[1:])
    if keep is not None and len(keep) <= points // 2:
        turns[keep] = True
    chosen = np.flatnonzero(turns)
    if len(chosen) <= points:
        return chosen
    peaks = np.array([figures.argmin(), figures.argmax()])  # of two in one bin, the algorithm keeps one
    chosen = np.union1d(_lttb.downsample(figures, n_out=max(points, FEWEST) - 2).astype(np.int64), peaks)
    return np.union1d(chosen, keep) if keep is not None and len(keep) <= points // 2 else chosen


def thinned_together(layers: Sequence[Floats], points: int, keep: Whole) -> Whole:
    """Places for layers that are stacked, which need the same ones: half of them by the sum, half by the single layers."""
    n = len(layers[0]) if layers else 0
    if n <= points:
        return np.arange(n)
    filled = [np.nan_to_num(layer) for layer in layers]
    each = max(points // 2 // len(filled), FEWEST)
    chosen = [thinned(np.sum(filled, axis=0), points // 2), *(thinned(layer, each) for layer in filled)]
    if len(keep) <= points:
        chosen.append(keep)
    return np.unique(np.concatenate(chosen))
