"""Latencies counted: what a million requests took, in memory that does not grow with them.

Microseconds are counted to five significant digits: whole milliseconds are exact below 100 s, tenths of them below 10 s,
and no figure is more than a hundredth of a per cent too low. Counts of several files add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_EXACT = 100_000  # microseconds: below it every one is counted by itself
_MOST_SECONDS = 7200  # intervals; of a longer load each is two seconds, or four, ...
_TAIL = (99.5, 99.9, 99.95, 99.99, 99.995, 99.999, 99.9995, 99.9999)


def bucket(us: int) -> int:
    """The smallest microsecond that is counted together with this one: 123456 → 123450."""
    if us < _EXACT:
        return us
    width: int = 10 ** (len(str(us)) - 5)
    return us - us % width


class Latencies:
    """Counts of latencies, with the least, the most and the sum exact, in microseconds."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.n = self.total = self.most = 0
        self.least = -1

    def add(self, us: int, n: int = 1) -> None:
        key = us if us < _EXACT else bucket(us)
        self.counts[key] = self.counts.get(key, 0) + n
        self.n += n
        self.total += us * n
        self.most = max(self.most, us)
        self.least = us if self.least < 0 else min(self.least, us)

    def rows(self) -> list[list[float]]:
        """[[ms, how many], ...], ascending."""
        return [[ms(us), n] for us, n in sorted(self.counts.items())]

    def percentiles(self, percents: Iterable[float] | None = None) -> dict[str, float]:
        """{"50": ms, ...} of these, or of all that so many requests can tell. "100" is the longest.

        Counted as ab counts: of the requests sorted by time, the one with p per cent of them before it.
        """
        wanted = sorted(percents if percents is not None else told_by(self.n))
        found: dict[str, float] = {}
        cells = iter(sorted(self.counts.items()))
        us, passed = 0, 0
        for percent in wanted if self.n else ():
            rank = min(rank_of(percent, self.n), self.n - 1)
            while passed <= rank:
                us, n = next(cells)
                passed += n
            found[f"{percent:g}"] = ms(self.most if percent == 100 else us)
        return found


def rank_of(percent: float, n: int) -> int:
    """How many of n requests are before the percentile: 99.9 % of 2000 → 1998."""
    return n * round(percent * 10_000) // 1_000_000


def told_by(n: int) -> list[float]:
    """Every per cent, then finer ones as long as one request in n makes a difference."""
    return [*map(float, range(100)), *(p for p in _TAIL if n * (100 - p) >= 99.999), 100.0]


def ms(us: float) -> float:
    """Milliseconds without a fraction where there is none."""
    value = us / 1000
    return int(value) if value == int(value) else round(value, 6)


class Seconds:
    """Requests by the second in which each began: how many, what they took in the mean, and the longest."""

    def __init__(self) -> None:
        self.step = 1
        self._cells: dict[int, list[int]] = {}  # n, sum and most in microseconds

    def add(self, second: int, us: int, n: int = 1) -> None:
        cell = self._cells.setdefault(second // self.step, [0, 0, 0])
        cell[0] += n
        cell[1] += us * n
        cell[2] = max(cell[2], us)
        while len(self._cells) > _MOST_SECONDS:
            self._widen()

    def _widen(self) -> None:
        self.step *= 2
        cells, self._cells = self._cells, {}
        for at, (n, total, most) in cells.items():
            cell = self._cells.setdefault(at // 2, [0, 0, 0])
            cell[0] += n
            cell[1] += total
            cell[2] = max(cell[2], most)

    def columns(self, *, epoch: bool) -> dict[str, Any]:
        """{"start_s", "step_s", "at_s", "n", "mean_ms", "max_ms"}; an interval without requests is not there.

        at_s counts from start_s, which is None where the clock is the load's own (epoch False).
        """
        cells = sorted(self._cells.items())
        start = cells[0][0] if cells and epoch else 0
        return {
            "start_s": start * self.step if epoch else None,
            "step_s": self.step,
            "at_s": [(at - start) * self.step for at, _ in cells],
            "n": [n for _, (n, _, _) in cells],
            "mean_ms": [round(total / n / 1000, 3) for _, (n, total, _) in cells],
            "max_ms": [ms(most) for _, (_, _, most) in cells],
        }


class Spread:
    """Least, most and mean of whole numbers."""

    def __init__(self) -> None:
        self.n = self.total = 0
        self.least: int | None = None
        self.most = 0

    def add(self, counts: Mapping[int, int]) -> None:
        """Take in {number: how often}."""
        if counts:
            self.n += sum(counts.values())
            self.total += sum(figure * n for figure, n in counts.items())
            self.most = max(self.most, *counts)
            self.least = min(counts) if self.least is None else min(self.least, *counts)

    def as_dict(self) -> dict[str, float]:
        return {"min": self.least or 0, "max": self.most, "mean": round(self.total / self.n, 6)} if self.n else {}
