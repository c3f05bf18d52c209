"""What is drawn over time: one figure a look, and which of them a screen can show."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .timeline import Floats, Timeline, Whole

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from tsdownsample import M4Downsampler, MinMaxDownsampler

FEWEST = 8  # points that a line is thinned to at least
# First, lowest, highest and last of each bin: MinMaxLTTB takes twice as long and loses one of two peaks in a bin.
_m4 = M4Downsampler()  # type: ignore[no-untyped-call]
_min_max = MinMaxDownsampler()  # type: ignore[no-untyped-call]


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
    """The places of about `points` of the figures that look like all of them: no peak is lost.

    The figures have no NaN. What stays the same for long is told by its ends, so that most lines lose nothing. `keep` are
    places that must stay, such as the two sides of a hole.
    """
    n = len(figures)
    if n <= max(points, FEWEST):
        return np.arange(n)
    chosen = _ends(figures, points)
    if chosen is None:
        chosen = np.zeros(n, bool)
        chosen[_m4.downsample(figures, n_out=max(points, FEWEST) // 4 * 4)] = True
    if keep is not None and len(keep) <= points // 2:
        chosen[keep] = True
    return np.flatnonzero(chosen)


def _ends(figures: Floats, most: int) -> NDArray[np.bool_] | None:
    """Which figures are no neighbours' equal: the ends of what stays the same. None where they are more than `most`."""
    moves = figures[1:] != figures[:-1]
    if np.count_nonzero(moves) >= most:
        return None
    chosen = np.ones(len(figures), bool)
    np.logical_or(moves[:-1], moves[1:], out=chosen[1:-1])
    return chosen if np.count_nonzero(chosen) <= most else None


def extremes(figures: Floats, points: int) -> Whole:
    """The places of at most `points` figures (2 at least): the least and the greatest of every stride; NaN is neither."""
    if len(figures) <= points:
        return np.arange(len(figures))
    return np.unique(_min_max.downsample(figures, n_out=points // 2 * 2)).astype(np.int64)


def thinned_together(layers: Sequence[Floats], points: int, keep: Whole) -> Whole:
    """Places for layers that are stacked, which need the same ones: up to half by the sum, the rest by the layers."""
    n = len(layers[0]) if layers else 0
    if n <= points:
        return np.arange(n)
    filled = [np.nan_to_num(layer) for layer in layers]
    total = np.round(
        np.sum(filled, axis=0), 6
    )  # often always the same, such as all memory: then the layers get the rest
    together = thinned(total, points // 2)
    each = max((points - len(together)) // len(filled), FEWEST)
    chosen = np.zeros(n, bool)
    chosen[together] = True
    for layer in filled:
        chosen[thinned(layer, each)] = True
    if len(keep) <= points:
        chosen[keep] = True
    return np.flatnonzero(chosen)
