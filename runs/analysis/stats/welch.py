"""Welch's test of two means without the assumption that both spread alike.

Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved", Biometrika 34 (1947); degrees of freedom by Welch and Satterthwaite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.special import stdtr, stdtrit

from runs.analysis.stats.logs import log_sd


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
