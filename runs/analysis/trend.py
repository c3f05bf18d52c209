"""When did one config change? Change points in the daily means of comparable runs.

Method    Binary segmentation of the days' mean logs of requests per second. In each stretch the split with the highest
          |t| (of two means with a common spread) is the candidate; its p-value is the share of random orders of the same
          days whose highest |t| is as high (a permutation test of the maximum, so having looked for the best split is
          paid for). Stretches are split down to candidates with p <= 0.05; Holm's adjustment over all tests made then
          decides which of them stay, a split inside another only if that one stays.
Takes     the days for independent of each other and for equally sure, whatever their numbers of runs.
Says no   where a side would have fewer than three days: with so few, chance captures like change.
Source    A. J. Scott and M. Knott, "A cluster analysis method for grouping means in the analysis of variance",
          Biometrics 30 (1974), for the segmentation; E. J. G. Pitman (1937) for the permutation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from runs.analysis.stats import holm

FEWEST_DAYS = 3  # of a stretch
MOST_DAYS = 1000  # the newest are looked at
ORDERS = 999
LEVEL = 0.05
SEED = 5  # the same days always give the same answer

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Day:
    """The runs of one day: how many, the mean of the logs of their rates, the lowest and the highest rate."""

    on: date
    n: int
    mean_log: float
    least: float
    most: float

    @property
    def center(self) -> float:
        """The geometric mean, in requests per second."""
        return math.exp(self.mean_log)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days between two changes. `center` is the geometric mean of its runs, n how many these are."""

    days: tuple[Day, ...]

    @property
    def n(self) -> int:
        return sum(day.n for day in self.days)

    @property
    def center(self) -> float:
        return math.exp(sum(day.mean_log * day.n for day in self.days) / self.n)


@dataclass(frozen=True, slots=True)
class Change:
    """From `on` the rates are `pct` per cent off those of the stretch before. p is adjusted for all tests made."""

    on: date
    pct: float
    p: float
    n: int
    n_before: int

    @property
    def words(self) -> str:
        sign = "+" if self.pct > 0 else "−"
        p = "p < 0.01" if self.p < 0.01 else f"p = {self.p:.2f}"
        per_cent = f"{abs(self.pct):.1f}" if abs(self.pct) < 10 else f"{abs(self.pct):.0f}"
        return f"{sign}{per_cent} % from {self.on.day} {self.on:%B %Y}, n={self.n} against {self.n_before}, {p}"


@dataclass(frozen=True, slots=True)
class Course:
    """Days in stretches, and the changes between these: one fewer."""

    stretches: tuple[Stretch, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class _Split:
    """A candidate: days before `at` against those from it. `inside`: the number of the split that made its stretch."""

    at: int
    p: float
    inside: int | None


def course(days: Sequence[Day]) -> Course:
    """The newest days in order, broken where they changed."""
    days = sorted(days, key=lambda day: day.on)[-MOST_DAYS:]
    kept = dict(_kept(np.array([day.mean_log for day in days])))
    ends = [*sorted(kept), len(days)]
    parts = [Stretch(tuple(days[start:end])) for start, end in zip([0, *ends[:-1]], ends, strict=True) if days]
    changes = [_change(before, after, kept[at]) for before, after, at in zip(parts, parts[1:], ends, strict=False)]
    return Course(tuple(parts), tuple(changes))


def _change(before: Stretch, after: Stretch, p: float) -> Change:
    pct = 100 * (after.center / before.center - 1)
    return Change(after.days[0].on, pct, p, after.n, before.n)


def _kept(values: Floats) -> Iterator[tuple[int, float]]:
    """The splits that stay, with their adjusted p."""
    splits = _candidates(values)
    adjusted = holm([split.p for split in splits])
    stay: set[int] = set()
    for number, (split, p) in enumerate(zip(splits, adjusted, strict=True)):
        if p <= LEVEL and (split.inside is None or split.inside in stay):
            stay.add(number)
            yield split.at, p


def _candidates(values: Floats) -> list[_Split]:
    """The best split of every stretch that was tested, those that failed as well: they count as tests."""
    random = np.random.default_rng(SEED)
    found: list[_Split] = []
    waiting: list[tuple[int, int, int | None]] = [(0, len(values), None)]
    while waiting:
        start, end, inside = waiting.pop(0)
        if end - start < 2 * FEWEST_DAYS:
            continue
        stretch = values[start:end]
        highest, at = _best(stretch[None, :])
        orders = np.stack([random.permutation(stretch) for _ in range(ORDERS)])
        p = (1 + int((_best(orders)[0] >= highest[0] - 1e-12).sum())) / (ORDERS + 1)
        found.append(_Split(start + int(at[0]), p, inside))
        if p <= LEVEL:
            middle, number = start + int(at[0]), len(found) - 1
            waiting += [(start, middle, number), (middle, end, number)]
    return found


def _best(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """For each row the highest sum of squares between two sides, and where the second side begins.

    With the sum of all squares fixed, as in the orders of one stretch, it grows as |t| does.
    """
    n = rows.shape[1]
    centered = rows - rows.mean(axis=1, keepdims=True)
    left = np.cumsum(centered, axis=1)[:, FEWEST_DAYS - 1 : n - FEWEST_DAYS]
    sizes = np.arange(FEWEST_DAYS, n - FEWEST_DAYS + 1)
    between = left**2 * (n / (sizes * (n - sizes)))
    at = between.argmax(axis=1)
    return np.take_along_axis(between, at[:, None], axis=1)[:, 0], at + FEWEST_DAYS
