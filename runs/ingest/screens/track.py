"""One series while it comes in: its packed parts and the summary that its row gets."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from ..pack import Floats, Whole, joined, moved, pack

Who = tuple[int | None, str, str, str]  # pid, user, command, group; the system is (None, "", "", "")
SYSTEM: Who = (None, "", "", "")
HUGE = 1e300  # no tool measures more; NaN is not below it either, and sums stay finite
PART = 8192


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
        return joined(self.parts)

    def add(self, part: bytes, n: int, low: float, high: float, last: float, total: float) -> None:
        """Append a packed part and its summary."""
        self.n += n
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.last = last
        self.total += total
        self.parts.append(part)

    def pack(self, looks: Whole, figures: Floats) -> None:
        """Append figures, of which there is at least one and none is NaN."""
        ends = float(figures.min()), float(figures.max())
        self.add(pack(looks, figures), len(figures), *ends, float(figures[-1]), float(figures.sum()))

    def absorb(self, other: Track, by: int) -> None:
        """Append what another holds, whose looks are `by` later here than it numbered them."""
        parts = [moved(part, by) for part in other.parts] if by else other.parts
        self.add(b"", other.n, other.low, other.high, other.last, other.total)
        self.parts[-1:] = parts


class Metric:
    """One metric of the whole machine, a figure a look at most."""

    def __init__(self) -> None:
        self.track = Track()
        self._looks = array("q")
        self._figures = array("d")

    def add(self, look: int, figure: float) -> None:
        if not abs(figure) < HUGE:
            return
        self._looks.append(look)
        self._figures.append(figure)
        if len(self._looks) >= PART:
            self.flush()

    def flush(self) -> None:
        if self._looks:
            self.track.pack(np.array(self._looks), np.array(self._figures))
            self._looks, self._figures = array("q"), array("d")
