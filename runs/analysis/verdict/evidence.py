"""Two sides of one metric, and what a test says of them. Ratios are the config's value by the baseline's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from runs.analysis import stats
from runs.analysis.numbers import mean

# From so many repeats a side the rank test can tell anything at the usual 5 %; below, Welch's test assumes more.
ENOUGH_FOR_RANKS = 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """base and values as given; distance, low and high are logs of ratios, None where a value has no log.

    test "": none could be made (one run a side, or repeats that are equal to the last digit on both sides).
    """

    base: tuple[float, ...]
    values: tuple[float, ...]
    distance: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    effect: float | None = None
    own: stats.Pool | None = None

    @property
    def fewest(self) -> int:
        return min(len(self.base), len(self.values))

    @property
    def apart(self) -> float:
        """Between the means, in the row's unit."""
        return abs(mean(self.values) - mean(self.base))


def weigh(base: Sequence[float], values: Sequence[float]) -> Evidence:
    """Both sides need a value. Mann-Whitney from 4 a side, Welch on the logs for 2 and 3, no test for one."""
    logged = stats.logs(base), stats.logs(values)
    given = Evidence(tuple(base), tuple(values))
    if given.fewest >= ENOUGH_FOR_RANKS:
        return _by_ranks(given, *logged)
    return _by_means(given, *logged)


Logs = list[float] | None


def _by_ranks(given: Evidence, base: Logs, values: Logs) -> Evidence:
    n, m = len(given.base), len(given.values)
    ranks = stats.mann_whitney(given.base, given.values)
    test = "Mann-Whitney, exact" if ranks.exact else "Mann-Whitney, normal approximation"
    effect = stats.cliffs_delta(ranks.u, n, m)
    if base is None or values is None:
        return Evidence(given.base, given.values, test=test, p=ranks.p, effect=effect)
    low, middle, high = stats.shift_interval(base, values)
    return Evidence(
        *(given.base, given.values, middle, low, high),
        of="all pairs of runs (median)",
        test=test,
        p=ranks.p,
        effect=effect,
        own=stats.pooled([base, values]),
    )


def _by_means(given: Evidence, base: Logs, values: Logs) -> Evidence:
    if base is None or values is None:
        return given
    own, found = stats.pooled([base, values]), stats.welch(base, values)
    of = "runs" if len(base) == len(values) == 1 else "geometric means"
    if found is None:
        distance = fmean(values) - fmean(base)
        return Evidence(given.base, given.values, distance, of=of, own=own)
    return Evidence(
        *(given.base, given.values, found.difference, found.low, found.high),
        of=of,
        test="Welch on the logs",
        p=found.p,
        own=own,
    )


def ratio(distance: float | None) -> float | None:
    """A difference of logs as a factor; None for none, and where it is beyond what a number holds."""
    if distance is None:
        return None
    try:
        return math.exp(distance)
    except OverflowError:
        return None
