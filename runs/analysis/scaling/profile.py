"""The squares that a scaling law leaves, and what they say of its peak.

The law is linear in λ, so that λ follows from σ and κ; the peak's interval is read off the least squares that are left
when the peak is held in one place (the profile), which stays true where κ comes to 0 and no peak is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

_CONTENTIONS = np.concatenate([[0.0], np.geomspace(1e-5, 0.5, 40), 1 - np.geomspace(0.4, 1e-5, 30), [1.0]])
# Each refinement looks between the neighbours of the best so far: a thousandth of the first grid's steps after two.
_REFINEMENTS, _FINER = 2, 41
_STEPS, _CLOSE = 50, 1e-3
LACK_OF_FIT = 0.05


@dataclass(frozen=True, slots=True)
class Squares:
    """The levels, scaled so that the greatest rate is 1 and κ counts in 1/top².

    n, means, counts   clients, mean rate and repeats of each level; `within` are the squares inside the levels
    """

    n: np.ndarray
    means: np.ndarray
    counts: np.ndarray
    within: float
    total: float
    rate: float
    top: float

    @classmethod
    def of(cls, levels: Sequence[tuple[float, Sequence[float]]]) -> Squares | None:
        """None where no rate is above 0."""
        rate = max(max(rates) for _, rates in levels)
        if not (rate > 0 and math.isfinite(rate)):
            return None
        scaled = [(n, np.array(rates, dtype=float) / rate) for n, rates in levels]
        means = np.array([rates.mean() for _, rates in scaled])
        every = np.concatenate([rates for _, rates in scaled])
        return cls(
            n=np.array([n for n, _ in scaled], dtype=float),
            means=means,
            counts=np.array([len(rates) for _, rates in scaled], dtype=float),
            within=float(sum(((rates - rates.mean()) ** 2).sum() for _, rates in scaled)),
            total=float(((every - every.mean()) ** 2).sum()),
            rate=float(rate),
            top=float(max(n for n, _ in scaled)),
        )

    def shape(self, n: np.ndarray | float, contention: np.ndarray | float, coherency: np.ndarray | float) -> np.ndarray:
        """The law for λ = 1."""
        return np.asarray(n / (1 + contention * (n - 1) + coherency / self.top**2 * n * (n - 1)))

    def best_rate_one(self, contention: float, coherency: float) -> float:
        shape = self.shape(self.n, contention, coherency)
        return float((self.counts * shape * self.means).sum() / (self.counts * shape * shape).sum())

    def misses(self, one: float, contention: float, coherency: float) -> float:
        """Squares between the levels' means and the law."""
        gaps = self.means - one * self.shape(self.n, contention, coherency)
        return float((self.counts * gaps * gaps).sum())

    def variance(self, one: float, contention: float, coherency: float) -> tuple[float, int, float | None]:
        """(residual variance, its degrees of freedom, p of the test for lack of fit).

        Where the law misses the means by more than repeats vary, its own misses are the measure: repeats say nothing
        of how wrong the curve is.
        """
        missed, points, levels = self.misses(one, contention, coherency), int(self.counts.sum()), len(self.n)
        if points == levels:
            return missed / (levels - 3), levels - 3, None
        lack = missed / (levels - 3)
        within = self.within / (points - levels)
        p = float(stats.f.sf(lack / within, levels - 3, points - levels)) if within > 0 else float(lack <= 1e-12)
        if p < LACK_OF_FIT:
            return lack, levels - 3, p
        return (missed + self.within) / (points - 3), points - 3, p

    def r_squared(self, one: float, contention: float, coherency: float) -> float | None:
        if self.total <= 1e-12:
            return None
        return 1 - (self.misses(one, contention, coherency) + self.within) / self.total

    def peak(self, contention: float, coherency: float) -> float | None:
        return math.sqrt((1 - contention) / coherency) * self.top if coherency > 0 else None

    def least_with(self, peak: float) -> float:
        """The least squares of any law that has its peak at `peak` clients (infinite: no peak)."""

        def left(contention: np.ndarray) -> np.ndarray:
            coherency = (1 - contention) * (self.top / peak) ** 2
            shape = self.shape(self.n, contention[:, None], coherency[:, None])
            one = (shape * self.means * self.counts).sum(1) / (shape * shape * self.counts).sum(1)
            gaps = self.means - one[:, None] * shape
            return np.asarray((self.counts * gaps * gaps).sum(1))

        tried, values = _CONTENTIONS, left(_CONTENTIONS)
        for _ in range(_REFINEMENTS):
            at = int(values.argmin())
            tried = np.linspace(tried[max(at - 1, 0)], tried[min(at + 1, len(tried) - 1)], _FINER)
            values = left(tried)
        return float(values.min())


def peak_interval(
    squares: Squares, values: tuple[float, float, float], variance: float, freedom: int
) -> tuple[float, float | None]:
    """(lowest, highest) number of clients that the peak may be at, 95 %. No highest: no peak fits as well."""
    allowed = squares.misses(*values) + variance * float(stats.f.ppf(0.95, 1, freedom)) + 1e-12
    peak = squares.peak(*values[1:])
    start = min(peak, 1e4 * squares.top) if peak else 1e4 * squares.top
    # Without a peak the curve is that of one far beyond what was measured.
    lowest = 0.01
    low = _edge(squares, start, lowest, allowed) if squares.least_with(lowest) > allowed else 0.0
    if peak is None or squares.least_with(math.inf) <= allowed:
        return low, None
    return low, _edge(squares, start, 1e6 * squares.top, allowed)


def _edge(squares: Squares, inside: float, outside: float, allowed: float) -> float:
    """Where the squares come to what is allowed, by halving on a log scale."""
    for _ in range(_STEPS):
        middle = math.sqrt(inside * outside)
        if squares.least_with(middle) <= allowed:
            inside = middle
        else:
            outside = middle
        if abs(math.log(outside / inside)) < _CLOSE:
            break
    return inside
