"""Two sides of one metric, and what a test says of them. Ratios are the config's value by the baseline's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from runs.analysis import stats
from runs.analysis.numbers import mean

# From so many repeats a side the rank test can tell anything at the usual 5 %; below, Welch's test assumes more.
ENOUGH_FOR_RANKS = 4
MOST_LOG = 700
# Drawn from 4 runs against 8 of equal means: at this ratio of spreads p is under 5 % in 9 of 100, at 5 times in 12.
LOPSIDED = 2
ALPHA = 0.05
# The same: the whole 95 % interval lies within this of equal. That is a test of equivalence by two one-sided tests
# (D. J. Schuirmann, 1987) at 2.5 % each, stricter than the usual 5 %, so that it agrees with the interval shown.
MARGIN = math.log(1.02)


@dataclass(frozen=True, slots=True)
class Side:
    """One config's values of a metric and their mean; `logs` None: a value has none (zero, negative)."""

    values: tuple[float, ...]
    logs: list[float] | None
    mean: float


def side(values: Sequence[float]) -> Side:
    """Of one value or more."""
    return Side(tuple(values), stats.logs(values), mean(values))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Two sides; distance, low and high are logs of ratios, None where a value has no log.

    test "": none could be made (one run a side, or repeats that are equal to the last digit on both sides).
    """

    base: Side
    own: Side
    distance: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    effect: float | None = None

    @property
    def n(self) -> int:
        return len(self.own.values)

    @property
    def n_base(self) -> int:
        return len(self.base.values)

    @property
    def fewest(self) -> int:
        return min(self.n, self.n_base)

    @property
    def apart(self) -> float:
        """Between the means, in the row's unit."""
        return abs(self.own.mean - self.base.mean)

    @property
    def spread(self) -> stats.Pool | None:
        """What the two sides' own repeats vary by."""
        return stats.pooled(logged for one in (self.base, self.own) if (logged := one.logs))

    @property
    def lopsided(self) -> bool:
        """A rank test with fewer repeats on the side that varies more, which finds differences where there are none."""
        if self.effect is None or self.n == self.n_base or self.base.logs is None or self.own.logs is None:
            return False
        few, many = sorted((self.base.logs, self.own.logs), key=len)
        return stats.log_sd(few) > LOPSIDED * stats.log_sd(many)


def weigh(base: Side, own: Side) -> Evidence:
    """Mann-Whitney from 4 repeats a side, Welch on the logs for 2 and 3, no test for one."""
    if min(len(base.values), len(own.values)) >= ENOUGH_FOR_RANKS:
        return _by_ranks(base, own)
    return _by_means(base, own)


def _by_ranks(base: Side, own: Side) -> Evidence:
    ranks = stats.mann_whitney(base.values, own.values)
    test = "Mann-Whitney, exact" if ranks.exact else "Mann-Whitney, normal approximation"
    effect = stats.cliffs_delta(ranks.u, len(base.values), len(own.values))
    found = Evidence(base, own, test=test, p=ranks.p, effect=effect)
    if base.logs is None or own.logs is None:
        return found
    low, middle, high = stats.shift_interval(base.logs, own.logs)
    return replace(found, distance=middle, low=low, high=high, of="all pairs of runs (median)")


def _by_means(base: Side, own: Side) -> Evidence:
    if base.logs is None or own.logs is None:
        return Evidence(base, own)
    found = stats.welch(base.logs, own.logs)
    of = "runs" if len(base.logs) == len(own.logs) == 1 else "geometric means"
    if found is None:
        return Evidence(base, own, fmean(own.logs) - fmean(base.logs), of=of)
    return Evidence(base, own, found.difference, found.low, found.high, of, "Welch on the logs", found.p)


def ratio(distance: float | None) -> float | None:
    """A difference of logs as a factor; None for none, and where it or its inverse is beyond what a number holds."""
    return math.exp(distance) if distance is not None and abs(distance) < MOST_LOG else None
