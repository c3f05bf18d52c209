"""How many repeats it would take."""

from __future__ import annotations

import math

from scipy.special import ndtri

from runs.analysis.stats.welch import student_quantile

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
