"""Statistics over plain lists of floats. Nothing here knows of benchmarks; ratios are differences of logs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, stdtr, stdtrit


def logs(values: Sequence[float]) -> list[float] | None:
    """The logs; None where a value has none that is of use (zero, negative, infinite, not a number)."""
    if not all(0 < value < math.inf for value in values):
        return None
    return [math.log(value) for value in values]


def log_sd(logged: Sequence[float]) -> float:
    """The sample's standard deviation (n - 1); 0 where the values are equal but for rounding. Wants two or more."""
    mean = math.fsum(logged) / len(logged)
    squares = math.fsum((value - mean) ** 2 for value in logged)
    # Logs of equal values can differ in their last digit through the mean; that is no spread.
    return math.sqrt(squares / (len(logged) - 1)) if len(set(logged)) > 1 else 0.0


def widest(logged: Sequence[float]) -> float:
    """From the least to the greatest."""
    return max(logged) - min(logged)


Floats = NDArray[np.float64]

# Up to here (repeats of the smaller side times repeats of both: 15 a side, 4 against 120) p is exact. Beyond, the normal
# approximation differs by less than matters, while counting takes a time that grows with the square of this.
MOST_EXACT = 500
# More pairs are not all made for an interval: each side gives way to this many of its quantiles.
MOST_PER_SIDE = 300
# Romano, Kromrey, Coraggio and Skowronek (2006) match these to Cohen's small, medium and large.
DELTA_WORDS = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (math.inf, "large"))


@dataclass(frozen=True, slots=True)
class Ranks:
    """`u` counts the pairs in which the second side's value is the larger, ties as half; p is two-sided."""

    u: float
    p: float
    exact: bool


def mann_whitney(xs: Sequence[float], ys: Sequence[float]) -> Ranks:
    """Whether one side's values tend to be larger. Both sides need a value."""
    doubled = _doubled_ranks([*xs, *ys])
    n, m = len(xs), len(ys)
    own = int(doubled[n:].sum())
    u = own / 2 - m * (m + 1) / 2
    if _countable(n, m):
        return Ranks(u, _exact_p(doubled, m, own) if m <= n else _exact_p(doubled, n, int(doubled[:n].sum())), True)
    return Ranks(u, _normal_p(doubled, n, m, u), False)


def cliffs_delta(u: float, n: int, m: int) -> float:
    """How much more often the second side's value is the larger than the smaller: -1 to 1."""
    return 2 * u / (n * m) - 1


def delta_word(delta: float) -> str:
    return next(word for limit, word in DELTA_WORDS if abs(delta) < limit)


def shift_interval(xs: Sequence[float], ys: Sequence[float], *, confidence: float = 0.95) -> tuple[float, float, float]:
    """(low, middle, high) of how far ys lie above xs: the Hodges-Lehmann estimate and the interval of the rank test.

    The interval leaves out as many of the smallest and largest differences as the test would reject (Hollander and
    Wolfe, "Nonparametric Statistical Methods", the two-sample location problem).
    """
    outside = _outside(len(xs), len(ys), (1 - confidence) / 2) / (len(xs) * len(ys))
    one, other = (_thinned(side) for side in (xs, ys))
    differences = np.subtract.outer(other, one).ravel()
    at = min(math.floor(outside * differences.size), (differences.size - 1) // 2)
    last = differences.size - 1
    middle = last // 2, last - last // 2
    parted = np.partition(differences, sorted({at, last - at, *middle}))
    return float(parted[at]), float(parted[middle[0]] / 2 + parted[middle[1]] / 2), float(parted[last - at])


def _countable(n: int, m: int) -> bool:
    return min(n, m) * (n + m) <= MOST_EXACT


def _thinned(side: Sequence[float]) -> Floats:
    values = np.sort(np.asarray(side, dtype=np.float64))
    if values.size <= MOST_PER_SIDE:
        return values
    return np.quantile(values, (np.arange(MOST_PER_SIDE) + 0.5) / MOST_PER_SIDE)


def _doubled_ranks(values: Sequence[float]) -> NDArray[np.int64]:
    """Twice the rank of each value, which is whole where ties share the mean of their ranks."""
    _, place, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray(2 * ends - counts + 1, dtype=np.int64)[place]


def _exact_p(doubled: NDArray[np.int64], m: int, own: int) -> float:
    shares = _rank_sums(tuple(sorted(doubled.tolist())), m)
    lower, upper = float(shares[: own + 1].sum()), float(shares[own:].sum())
    return min(2 * min(lower, upper), 1.0)


@lru_cache(maxsize=128)
def _rank_sums(doubled: tuple[int, ...], m: int) -> Floats:
    """[s] = the share of all ways to draw m of these ranks in which their sum is s."""
    top = sum(doubled[-m:])
    ways = np.zeros((m + 1, top + 1))
    ways[0, 0] = 1
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : top + 1 - rank].copy()
    return np.asarray(ways[m] / math.comb(len(doubled), m))


def _normal_p(doubled: NDArray[np.int64], n: int, m: int, u: float) -> float:
    """With the corrections for ties and for continuity."""
    total = n + m
    _, counts = np.unique(doubled, return_counts=True)
    tied = float((counts.astype(np.float64) ** 3 - counts).sum())
    variance = n * m / 12 * (total + 1 - tied / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    z = (abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return min(2 * float(ndtr(-z)), 1.0)


def _outside(n: int, m: int, tail: float) -> int:
    """How many differences to leave out at each end so that the test would reject what lies beyond, at `tail` a side."""
    if not _countable(n, m):
        rejected = math.floor(n * m / 2 + float(ndtri(tail)) * math.sqrt(n * m * (n + m + 1) / 12))
    else:
        least = min(n, m)
        # Without ties the doubled sums are even: every second share is that of U = 0, 1, 2, ...
        shares = _rank_sums(tuple(range(2, 2 * (n + m) + 1, 2)), least)[least * (least + 1) :: 2]
        rejected = int(np.searchsorted(np.cumsum(shares), tail, side="right"))
    return max(rejected - 1, 0)


@dataclass(frozen=True, slots=True)
class Welch:
    """`difference` is mean(ys) - mean(xs); low and high bound it at the confidence asked for; p is two-sided."""

    difference: float
    low: float
    high: float
    p: float
    df: float


def welch(xs: Sequence[float], ys: Sequence[float], *, confidence: float = 0.95) -> Welch | None:
    """None where there is nothing to test with: fewer than two values a side, or no spread on either."""
    if min(len(xs), len(ys)) < 2:
        return None
    parts = [log_sd(side) ** 2 / len(side) for side in (xs, ys)]
    total = sum(parts)
    if not total > 0:
        return None
    # Divided first: squares of very small variances would vanish.
    shares = [part / total for part in parts]
    df = 1 / sum(share**2 / (len(side) - 1) for share, side in zip(shares, (xs, ys), strict=True))
    error = math.sqrt(total)
    difference = fmean(ys) - fmean(xs)
    reach = student_quantile(0.5 + confidence / 2, df) * error
    p = min(2 * float(stdtr(df, -abs(difference) / error)), 1.0)
    return Welch(difference, difference - reach, difference + reach, p, df)


def student_quantile(share: float, df: float) -> float:
    """The value that Student's t with `df` degrees of freedom stays under in `share` of cases."""
    return float(stdtrit(df, share))


# Tables as likely as the observed one must count in spite of rounding.
SLACK = 1 + 1e-7


def fisher(bad: int, of: int, other_bad: int, other_of: int) -> float:
    """Fisher's exact test of two shares, two-sided: the chance of a table no likelier than this one, margins fixed."""
    drawn = bad + other_bad
    possible = np.arange(max(0, drawn - other_of), min(of, drawn) + 1, dtype=np.float64)
    weights = _log_choose(of, possible) + _log_choose(other_of, drawn - possible)
    shares = np.exp(weights - weights.max())
    seen = shares[bad - int(possible[0])]
    return min(float(shares[shares <= seen * SLACK].sum() / shares.sum()), 1.0)


def _log_choose(n: int, k: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1))


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: an error among all of them stays as unlikely as each says."""
    adjusted = [0.0] * len(ps)
    highest = 0.0
    for done, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        highest = max(highest, min((len(ps) - done) * ps[at], 1.0))
        adjusted[at] = highest
    return adjusted


# From so many sets on the widest one may be a mishap: what 19 in 20 stay within is told instead.
MANY_SETS = 20


@dataclass(frozen=True, slots=True)
class Pool:
    """Sets of repeats, in logs: their number, squares about each set's own mean with their df, and how wide sets are.

    `widest` is the widest set's width; from MANY_SETS on, what 19 in 20 stay within.
    """

    sets: int
    df: int
    squares: float
    widest: float

    @property
    def sd(self) -> float:
        return math.sqrt(self.squares / self.df)

    def reach(self, n: int, m: int, confidence: float) -> float:
        """How far apart the means of n and m new repeats of one thing can be, in logs, at this confidence."""
        return student_quantile(0.5 + confidence / 2, self.df) * self.sd * math.sqrt(1 / n + 1 / m)


def pooled(sets: Iterable[Sequence[float]]) -> Pool | None:
    """From logs; sets of fewer than two say nothing. None where none is left."""
    told = [logged for logged in sets if len(logged) > 1]
    if not told:
        return None
    squares = math.fsum(log_sd(logged) ** 2 * (len(logged) - 1) for logged in told)
    widths = sorted(map(widest, told))
    return Pool(len(told), sum(len(logged) - 1 for logged in told), squares, widths[math.ceil(0.95 * len(told)) - 1])


MOST_REPEATS = 100


def repeats_needed(distance: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Repeats a side for a two-sided test to see `distance` between two means, at the given chance; from 2 up.

    n = 2 (t + z)² sd² / distance², the usual formula for two means, with Student's t for the test's own quantile so that
    few repeats are not called enough (J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", has tables).
    None where it takes more than MOST_REPEATS, or where no number would do.
    """
    if not (distance > 0 and math.isfinite(distance) and math.isfinite(sd)):
        return None
    z = float(ndtri(power))
    for n in range(2, MOST_REPEATS + 1):
        t = student_quantile(1 - alpha / 2, 2 * n - 2)
        if n >= 2 * ((t + z) * sd / distance) ** 2:
            return n
    return None


def repeats_for_ranks(effect: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Repeats a side for a two-sided rank test to see sides that differ by this much, as Cliff's delta (-1 to 1).

    G. E. Noether, "Sample size determination for some common nonparametric tests", JASA 82 (1987): N = (z + z')² /
    (12 c (1 - c) (p - 1/2)²) in all, of two sides as large as each other c = 1/2, and p - 1/2 is half of delta. One wild
    run, which blows up a standard deviation, changes it little. None where it takes more than MOST_REPEATS.
    """
    if not abs(effect) > 0:
        return None
    z = float(ndtri(1 - alpha / 2)) + float(ndtri(power))
    n = math.ceil((z / effect) ** 2 * 2 / 3)
    return n if n <= MOST_REPEATS else None


def least_p(n: int, m: int) -> float:
    """The least two-sided p that an exact rank test of n against m values can have."""
    return 2 / math.comb(n + m, n)


def fewest_for_ranks(alpha: float) -> int:
    """Repeats a side from which an exact rank test can reach `alpha` at all: its least p is 2 in C(2n, n)."""
    return next(n for n in range(2, MOST_REPEATS) if least_p(n, n) <= alpha)
