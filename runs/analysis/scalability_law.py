"""The Universal Scalability Law, fitted: X(N) = λN / (1 + σ(N−1) + κN(N−1)).

λ is what one client alone gets done, σ the share of work that waits in line (contention), κ the cost of agreeing with
each other (coherency). With κ above 0 the curve has a peak at N* = sqrt((1−σ)/κ); at κ = 0 it levels off at λ/σ.
Source: N. J. Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import scipy  # its packages are imported at their first use

from runs.analysis.facts import ConfigFact, Source

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
        free = points - levels
        within = self.within / free
        p = float(scipy.special.fdtrc(levels - 3, free, lack / within)) if within > 0 else float(lack <= 1e-12)
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
    allowed = squares.misses(*values) + variance * float(scipy.special.fdtri(1, freedom, 0.95)) + 1e-12
    peak = squares.peak(*values[1:])
    start = min(peak, 1e4 * squares.top) if peak else 1e4 * squares.top
    # Without a peak the curve is that of one far beyond what was measured.
    lowest = 0.01
    low = _find_edge(squares, start, lowest, allowed) if squares.least_with(lowest) > allowed else 0.0
    if peak is None or squares.least_with(math.inf) <= allowed:
        return low, None
    return low, _find_edge(squares, start, 1e6 * squares.top, allowed)


def _find_edge(squares: Squares, inside: float, outside: float, allowed: float) -> float:
    """Where the squares come to what is allowed, by halving on a log scale."""
    for _ in range(_STEPS):
        middle = math.sqrt(inside * outside)
        inside, outside = (middle, outside) if squares.least_with(middle) <= allowed else (inside, middle)
        if abs(math.log(outside / inside)) < _CLOSE:
            break
    return inside


LEAST_LEVELS = 4
CONFIDENCE = 0.95
CURVE_POINTS = 60
# A parameter this near to its bound stands on it: there the covariance says nothing.
_AT_BOUND = 1e-7
# What leaves so small a part of the squares needs no other start.
_ENOUGH = 0.01
_STARTS = ((0.02, 0.05), (0.5, 0.5), (0.95, 0.01))


@dataclass(frozen=True, slots=True)
class LawInterval:
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
    rate_one_interval: LawInterval | None
    contention_interval: LawInterval | None
    coherency_interval: LawInterval | None
    peak_at: float | None
    peak_rate: float | None
    peak_interval: LawInterval
    residual: float
    freedom: int
    r_squared: float | None
    lack_of_fit: float | None
    curve: tuple[CurvePoint, ...]


def compute_law(n: float, rate_one: float, contention: float, coherency: float) -> float:
    return rate_one * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def fit(levels: Sequence[tuple[float, Sequence[float]]]) -> Fit | None:
    """The law through every repeat of [(clients, [requests/s, ...]), ...]; each repeat weighs the same.

    None under four levels, without a rate above 0, or where no solution is found.
    """
    filled = [(n, list(rates)) for n, rates in sorted(levels) if rates and n >= 1]
    if len({n for n, _ in filled}) < LEAST_LEVELS:
        return None
    squares = Squares.of(filled)
    solution = _solve(squares) if squares else None
    return _fit(squares, solution) if squares and solution is not None else None


def _solve(squares: Squares) -> np.ndarray | None:
    """(λ, σ, κ) in the scale of `squares`, the best of several starts."""

    def curve(n: np.ndarray, one: float, contention: float, coherency: float) -> np.ndarray:
        return one * squares.shape(n, contention, coherency)

    best: tuple[float, np.ndarray] | None = None
    for contention, coherency in (*_list_starts(squares), *_STARTS):
        start = [squares.best_rate_one(contention, coherency), contention, coherency]
        try:
            values, _ = scipy.optimize.curve_fit(
                curve,
                squares.n,
                squares.means,
                p0=start,
                sigma=1 / np.sqrt(squares.counts),
                bounds=([0, 0, 0], [np.inf, 1, np.inf]),
                x_scale="jac",
                **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-12),
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


def _list_starts(squares: Squares) -> list[tuple[float, float]]:
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
    factor = float(scipy.special.stdtrit(freedom, 0.5 + CONFIDENCE / 2))
    covariance = _compute_covariance(squares, one, contention, coherency, variance)
    errors = [factor * math.sqrt(max(covariance[at, at], 0.0)) for at in range(3)]
    scale = (squares.rate, 1.0, 1 / squares.top**2)
    parts = [(one, np.inf), (contention, 1.0), (coherency, np.inf)]
    intervals = [
        LawInterval(max(value - error, 0.0) * unit, min(value + error, most) * unit) if 0 < value < most else None
        for (value, most), error, unit in zip(parts, errors, scale, strict=True)
    ]
    law = one * squares.rate, contention, coherency / squares.top**2
    peak = squares.peak(contention, coherency)
    low, high = peak_interval(squares, (one, contention, coherency), variance, freedom)
    return Fit(
        *law,
        rate_one_interval=intervals[0],
        contention_interval=intervals[1],
        coherency_interval=intervals[2],
        peak_at=peak,
        peak_rate=None if peak is None else compute_law(max(peak, 1.0), *law),
        peak_interval=LawInterval(low, high),
        residual=math.sqrt(variance) * squares.rate,
        freedom=freedom,
        r_squared=squares.r_squared(one, contention, coherency),
        lack_of_fit=lack,
        curve=_compute_curve(squares, (one, contention, coherency), covariance, factor),
    )


def _compute_slopes(squares: Squares, n: np.ndarray, one: float, contention: float, coherency: float) -> np.ndarray:
    """The law's derivatives by λ, σ and κ, one row a point."""
    share = squares.shape(n, contention, coherency)
    down = -one * share**2 / n
    return np.column_stack([share, down * (n - 1), down * n * (n - 1) / squares.top**2])


def _compute_covariance(
    squares: Squares, one: float, contention: float, coherency: float, variance: float
) -> np.ndarray:
    """Of (λ, σ, κ); zero for what stands on its bound, which is taken as known."""
    free = [0, *([1] if 0 < contention < 1 else []), *([2] if coherency > 0 else [])]
    slopes = _compute_slopes(squares, squares.n, one, contention, coherency)[:, free]
    weighted = slopes * np.sqrt(squares.counts)[:, None]
    full = np.zeros((3, 3))
    full[np.ix_(free, free)] = variance * np.linalg.pinv(weighted.T @ weighted)
    return full


def _compute_curve(
    squares: Squares, values: tuple[float, float, float], covariance: np.ndarray, factor: float
) -> tuple[CurvePoint, ...]:
    """From the lowest level to the highest, evenly on a log scale where they lie far apart."""
    least, most = float(squares.n.min()), float(squares.n.max())
    spaced = np.geomspace if most > 8 * least else np.linspace
    n = spaced(least, most, CURVE_POINTS)
    slopes = _compute_slopes(squares, n, *values)
    error = factor * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0))
    rates = values[0] * squares.shape(n, values[1], values[2])
    drawn = [part * squares.rate for part in (rates, np.maximum(rates - error, 0), rates + error)]
    return tuple(CurvePoint(*map(float, point)) for point in zip(n, *drawn, strict=True))


# Residual standard error as a share of the mean rate: how near the law comes to what was measured.
CLOSE, ROUGH = 0.05, 0.15
# A peak whose interval spans more than this is not named: nobody could act on it.
WIDEST = 4.0


@dataclass(frozen=True, slots=True)
class Level:
    """All repeats at one concurrency. rates in requests/s; tails in ms (see Sweep.tail), of the runs that print it."""

    n: int
    rates: tuple[float, ...]
    tails: tuple[float, ...]
    runs: tuple[int, ...]
    sources: tuple[Source, ...]

    @property
    def rate(self) -> float:
        return fmean(self.rates)

    @property
    def tail_ms(self) -> float | None:
        return fmean(self.tails) if self.tails else None


@dataclass(frozen=True, slots=True)
class Sweep:
    """A set-up under several levels of concurrency. `configs` are several where each level is a config of its own.

    place     of its first config among all, as everywhere on a page
    tail      what Level.tails hold: "p95", or "mean" where the tool prints no percentiles
    left_out  (concurrency, why) of runs that do not count
    knee      the law's peak, where it lies within what was measured and can be told
    missing   levels that a fit still takes; 0 where there are enough
    sentence  where the peak is and how sure that is, or how much is missing; details: the law's parameters
    """

    name: str
    configs: tuple[ConfigFact, ...]
    place: int
    tool: str
    tail: str
    levels: tuple[Level, ...]
    left_out: tuple[tuple[int, str], ...]
    fit: Fit | None = None
    knee: Knee | None = None
    missing: int = 0
    sentence: str = ""
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Knee:
    """Where req/s peaks: clients at once, and between which numbers of them with 95 %."""

    at: float
    low: float
    high: float


def is_too_wide(interval: LawInterval) -> bool:
    return interval.high is None or interval.high > WIDEST * max(interval.low, 1.0)


def miss_share(sweep: Sweep, fit: Fit) -> float:
    """The residual standard error as a share of the mean rate."""
    rates = [rate for level in sweep.levels for rate in level.rates]
    return fit.residual * len(rates) / sum(rates)
