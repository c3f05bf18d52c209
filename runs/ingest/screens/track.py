"""One series while it comes in: its packed parts and the summary that its row gets."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..series_packing import Floats, Integers, join_parts, pack_points, shift_points

Who = tuple[int | None, str, str, str]  # pid, user, command, group; the system is (None, "", "", "")
SYSTEM: Who = (None, "", "", "")
HUGE = 1e300  # no tool measures more; NaN is not below it either, and sums stay finite
PART = 100_000  # figures that are kept as they are before they are packed


@dataclass(slots=True)
class Track:
    """n figures, their least, greatest, last and sum, and the parts that `pack` made of them, in order."""

    n: int = 0
    low: float = np.inf
    high: float = -np.inf
    last: float = np.nan
    total: float = 0.0
    parts: list[bytes] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return min(max(self.total / self.n, self.low), self.high)  # what rounding adds must not leave the range

    @property
    def packed(self) -> bytes:
        return join_parts(self.parts)

    def add(self, part: bytes, n: int, low: float, high: float, last: float, total: float) -> None:
        """Append a packed part and its summary."""
        self.n += n
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.last = last
        self.total += total
        self.parts.append(part)

    def pack(self, looks: Integers, figures: Floats) -> None:
        """Append figures, of which there is at least one and none is NaN."""
        ends = float(figures.min()), float(figures.max())
        self.add(pack_points(looks, figures), len(figures), *ends, float(figures[-1]), float(figures.sum()))

    def absorb(self, other: Track, by: int) -> None:
        """Append what another holds, whose looks are `by` later here than it numbered them."""
        parts = [shift_points(part, by) for part in other.parts] if by else other.parts
        self.add(b"", other.n, other.low, other.high, other.last, other.total)
        self.parts[-1:] = parts


class Metrics:
    """The metrics of the whole machine. Screens alike say the same ones, so that a look's figures are kept as one row."""

    def __init__(self) -> None:
        self.tracks: dict[str, Track] = {}
        self._layouts: dict[tuple[str, ...], tuple[array[int], array[float]]] = {}
        self._kept = 0

    def add(self, look: int, metrics: Mapping[str, float]) -> None:
        """Take in the figures of one look; looks come in order."""
        names = tuple(metrics)
        layout = self._layouts.get(names)
        if layout is None:
            layout = self._layouts[names] = array("q"), array("d")
        layout[0].append(look)
        extend(layout[1], metrics.values())
        self._kept += len(names)
        if self._kept >= PART:
            self.flush()

    def flush(self) -> None:
        """Pack what came in since the last time."""
        found: dict[str, list[tuple[Integers, Floats]]] = {}
        for names, (looks, figures) in self._layouts.items():
            rows = np.array(figures).reshape(len(looks), len(names))
            for name, column in zip(names, rows.T, strict=True):
                found.setdefault(name, []).append((np.array(looks), column))
        for name, parts in found.items():
            at, column = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            known = np.abs(column) < HUGE
            if known.any():
                order = np.argsort(at[known], kind="stable")
                self.track(name).pack(at[known][order], column[known][order])
        self._layouts, self._kept = {}, 0

    def track(self, name: str) -> Track:
        found = self.tracks.get(name)
        if found is None:
            found = self.tracks[name] = Track()
        return found


def extend(figures: array[float], column: Iterable[Any]) -> None:
    """Append a column: NaN where it has no figure, infinity for one beyond all measure."""
    column = list(column)
    try:
        figures.fromlist(column)
    except (TypeError, OverflowError):
        figures.extend(map(_float, column))


def _float(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf
