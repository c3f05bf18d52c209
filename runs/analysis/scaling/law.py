"""The Universal Scalability Law, fitted: X(N) = λN / (1 + σ(N−1) + κN(N−1)).

λ is what one client alone gets done, σ the share of work that waits in line (contention), κ the cost of agreeing with
each other (coherency). With κ above 0 the curve has a peak at N* = sqrt((1−σ)/κ); at κ = 0 it levels off at λ/σ.
Source: N. J. Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from .profile import Squares, peak_interval

LEAST_LEVELS = 4
CONFIDENCE = 0.95
CURVE_POINTS = 60
# A parameter this near to its bound stands on it: there the covariance says nothing.
_AT_BOUND = 1e-7
# What leaves so small a part of the squares needs no other start.
_ENOUGH = 0.01
_STARTS = ((0.02, 0.05), (0.5, 0.5), (0.95, 0.01))


@dataclass(frozen=True, slots=True)
class Interval:
    """95 %. `high` None: without end."""

    low: float
    high: float | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The law at `n` clients, in requests/s, with the 95 % band of the curve itself (not of single runs)."""

    n: float
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted law. Rates in requests/s; contention (σ) and coherency (κ) are shares without a unit.

    *_interval     from the covariance; None for one that stands on its bound (0, or 1 for σ)
    peak_at        clients at the peak, under 1 where the curve only falls; None where κ is 0: it has none
    peak_interval  from the profile of the squares: no `high` where no peak at all fits as well
    residual       residual standard error in requests/s, on `freedom` degrees of freedom
    r_squared      None where all rates are equal
    lack_of_fit    p of the test that the curve misses the means no more than repeats vary; None without repeats
    """

    rate_one: float
    contention: float
    coherency: float
    rate_one_interval: Interval | None
    contention_interval: Interval | None
    coherency_interval: Interval | None
    peak_at: float | None
    peak_rate: float | None
    peak_interval: Interval
    residual: float
    freedom: int
    r_squared: float | None
    lack_of_fit: float | None
    curve: tuple[CurvePoint, ...]

    def rate(self, n: float) -> float:
        return law(n, self.rate_one, self.contention, self.coherency)


def law(n: float, rate_one: float, contention: float, coherency: float) -> float:
    return rate_one * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def fit(levels: Sequence[tuple[float, Sequence[float]]]) -> Fit | None:
    """The law through every repeat of [(clients, [requests/s, ...]), ...]; each repeat weighs the same.

    None under four levels, without a rate above 0, or where no solution is found.
    """
    filled = [(n, list(rates)) for n, rates in sorted(levels) if rates and n >= 1]
    if len({n for n, _ in filled}) < LEAST_LEVELS:
        return None
    squares = Squares.of(filled)
    if squares is None:
        return None
    found = _solved(squares)
    return None if found is None else _fit(squares, found)


def _solved(squares: Squares) -> np.ndarray | None:
    """(λ, σ, κ) in the scale of `squares`, the best of several starts."""

    def curve(n: np.ndarray, one: float, contention: float, coherency: float) -> np.ndarray:
        return one * squares.shape(n, contention, coherency)

    best: tuple[float, np.ndarray] | None = None
    for contention, coherency in (*_linear_start(squares), *_STARTS):
        start = [squares.best_rate_one(contention, coherency), contention, coherency]
        try:
            values, _ = optimize.curve_fit(
                curve,
                squares.n,
                squares.means,
                p0=start,
                sigma=1 / np.sqrt(squares.counts),
                bounds=([0, 0, 0], [np.inf, 1, np.inf]),
                x_scale="jac",
                xtol=1e-12,
                ftol=1e-12,
                gtol=1e-12,
                max_nfev=2000,
            )
        except (RuntimeError, ValueError):  # no convergence from here, or a start on nothing finite
            continue
        rss = squares.misses(*values)
        if math.isfinite(rss) and (best is None or rss < best[0] * (1 - 1e-9)):
            best = rss, values
            if rss < _ENOUGH * squares.total:
                break
    return best[1] if best else None


def _linear_start(squares: Squares) -> list[tuple[float, float]]:
    """(σ, κ) of the straight line that the law becomes as N/X = (1 + σ(N−1) + κN(N−1)) / λ."""
    used = squares.means > 1e-9  # less is none, beside the greatest
    n, inverse = squares.n[used], squares.n[used] / squares.means[used]
    if len(n) < 3:
        return []
    terms = np.column_stack([np.ones_like(n), n - 1, n * (n - 1) / squares.top**2])
    (constant, contention, coherency), *_ = np.linalg.lstsq(terms, inverse, rcond=None)
    if not constant > 0:
        return []
    return [(float(np.clip(contention / constant, 0, 0.999)), float(max(coherency / constant, 0)))]


def _fit(squares: Squares, values: np.ndarray) -> Fit:
    one, contention, coherency = (float(value) for value in values)
    contention = 0.0 if contention < _AT_BOUND else 1.0 if contention > 1 - _AT_BOUND else contention
    coherency = 0.0 if coherency < _AT_BOUND else coherency
    one = squares.best_rate_one(contention, coherency)
    variance, freedom, lack = squares.variance(one, contention, coherency)
    factor = float(stats.t.ppf(0.5 + CONFIDENCE / 2, freedom))
    covariance = _covariance(squares, one, contention, coherency, variance)
    errors = [factor * math.sqrt(max(covariance[at, at], 0.0)) for at in range(3)]
    scale = (squares.rate, 1.0, 1 / squares.top**2)
    parts = [(one, np.inf), (contention, 1.0), (coherency, np.inf)]
    intervals = [
        Interval(max(value - error, 0.0) * unit, min(value + error, most) * unit) if 0 < value < most else None
        for (value, most), error, unit in zip(parts, errors, scale, strict=True)
    ]
    peak = squares.peak(contention, coherency)
    low, high = peak_interval(squares, (one, contention, coherency), variance, freedom)
    return Fit(
        rate_one=one * squares.rate,
        contention=contention,
        coherency=coherency / squares.top**2,
        rate_one_interval=intervals[0],
        contention_interval=intervals[1],
        coherency_interval=intervals[2],
        peak_at=peak,
        peak_rate=None
        if peak is None
        else law(max(peak, 1.0), one * squares.rate, contention, coherency / squares.top**2),
        peak_interval=Interval(low, high),
        residual=math.sqrt(variance) * squares.rate,
        freedom=freedom,
        r_squared=squares.r_squared(one, contention, coherency),
        lack_of_fit=lack,
        curve=_curve(squares, (one, contention, coherency), covariance, factor),
    )


def _slopes(squares: Squares, n: np.ndarray, one: float, contention: float, coherency: float) -> np.ndarray:
    """The law's derivatives by λ, σ and κ, one row a point."""
    share = squares.shape(n, contention, coherency)
    down = -one * share**2 / n
    return np.column_stack([share, down * (n - 1), down * n * (n - 1) / squares.top**2])


def _covariance(squares: Squares, one: float, contention: float, coherency: float, variance: float) -> np.ndarray:
    """Of (λ, σ, κ); zero for what stands on its bound, which is taken as known."""
    free = [0, *([1] if 0 < contention < 1 else []), *([2] if coherency > 0 else [])]
    slopes = _slopes(squares, squares.n, one, contention, coherency)[:, free]
    weighted = slopes * np.sqrt(squares.counts)[:, None]
    full = np.zeros((3, 3))
    full[np.ix_(free, free)] = variance * np.linalg.pinv(weighted.T @ weighted)
    return full


def _curve(
    squares: Squares, values: tuple[float, float, float], covariance: np.ndarray, factor: float
) -> tuple[CurvePoint, ...]:
    """From the lowest level to the highest, evenly on a log scale where they lie far apart."""
    least, most = float(squares.n.min()), float(squares.n.max())
    spaced = np.geomspace if most > 8 * least else np.linspace
    n = spaced(least, most, CURVE_POINTS)
    slopes = _slopes(squares, n, *values)
    error = factor * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0))
    rates = values[0] * squares.shape(n, values[1], values[2])
    return tuple(
        CurvePoint(
            float(at),
            float(rate * squares.rate),
            float(max(rate - e, 0) * squares.rate),
            float((rate + e) * squares.rate),
        )
        for at, rate, e in zip(n, rates, error, strict=True)
    )
