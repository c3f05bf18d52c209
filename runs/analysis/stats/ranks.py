"""The Mann-Whitney test, Cliff's delta, and the interval of a shift that belongs to them.

Exact p-values are worked out from the ranks as they are, ties included: all ways to share the ranks out between the two
sides are counted by adding one value after the other (the shift algorithm of Streitberg and Röhmel, 1986). Tools print
whole milliseconds, so ties are the rule, and tables made for values without ties are wrong there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

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
