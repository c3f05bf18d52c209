"""Statistics over plain lists of floats. Nothing here knows of benchmarks; ratios are differences of logs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median

import numpy as np
import scipy  # its packages are imported at their first use
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def logs(values: Sequence[float]) -> list[float] | None:
    """The logs; None where a value has none that is of use (zero, negative, infinite, not a number)."""
    if not all(0 < value < math.inf for value in values):
        return None
    return [math.log(value) for value in values]


def sample_sd(values: Sequence[float]) -> float:
    """The sample's standard deviation (n - 1); 0 where the values are equal but for rounding. Wants two or more."""
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    # Equal values can differ from their mean in the last digit; that is no spread.
    return math.sqrt(squares / (len(values) - 1)) if len(set(values)) > 1 else 0.0


@lru_cache(maxsize=4096)  # a search for the repeats needed asks for up to a hundred, the same for each metric
def student_quantile(share: float, df: float) -> float:
    """The value that Student's t with `df` degrees of freedom stays under in `share` of cases."""
    return float(scipy.special.stdtrit(df, share))


def repeatability_limit(values: Sequence[float]) -> float:
    """How far apart 19 of 20 pairs of equal single runs lie at most (ISO 5725), with Student's t for the few that are known."""
    return student_quantile(0.975, len(values) - 1) * sample_sd(values) * math.sqrt(2)


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the second side lies above the first: low and high bound `difference` at 95 %; p is two-sided.

    p is under 5 % just where low to high leaves out 0.
    """

    difference: float
    low: float
    high: float
    p: float


def unite(one: Shift, other: Shift) -> Shift:
    """What neither of two tests rejects, with the difference of the first."""
    p = max(one.p, other.p) if (one.difference > 0) == (other.difference > 0) else 1.0
    return Shift(one.difference, min(one.low, other.low), max(one.high, other.high), p)


CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2


def shift_by_student(difference: float, error: float, df: float, level: float = 2 * TAIL) -> Shift:
    """low and high leave out 0 just where p is under `level`."""
    reach = student_quantile(1 - level / 2, df) * error
    p = 2 * float(scipy.special.stdtr(df, -abs(difference) / error))
    return Shift(difference, difference - reach, difference + reach, p)


def welch(xs: Sequence[float], ys: Sequence[float], *, least_sds: tuple[float, float] = (0.0, 0.0)) -> Shift | None:
    """Welch's t test. `least_sds`: spreads that the sides have at least, of rounding. None without two values or spread.

    Its degrees of freedom are held to (n - 1)(1 + n/m) for n values against more, m. Without that it finds 9 to 12 in
    100 false differences for 2 values against 8 and 7 for 3 against 10; equal sides are not touched.
    """
    n, m = len(xs), len(ys)
    if min(n, m) < 2:
        return None
    sds = [max(sample_sd(side), least) for side, least in zip((xs, ys), least_sds, strict=True)]
    parts = (sds[0] ** 2 / n, sds[1] ** 2 / m)
    if not sum(parts) > 0:
        return None
    df = min(_compute_joint_df(parts, (n, m)), (min(n, m) - 1) * (1 + min(n, m) / max(n, m)))
    return shift_by_student(fmean(ys) - fmean(xs), math.sqrt(sum(parts)), df)


def _compute_joint_df(parts: tuple[float, float], sizes: tuple[int, int]) -> float:
    """Welch and Satterthwaite's degrees of freedom for the sum of two variances of means."""
    # Divided first: squares of very small variances would vanish.
    shares = [part / sum(parts) for part in parts]
    return 1 / sum(share**2 / (size - 1) for share, size in zip(shares, sizes, strict=True))


def _compute_placements(values: Floats, among: Floats) -> Floats:
    """For each value the share of `among` that lies below it, ties as half."""
    ordered = np.sort(among)
    below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.asarray(below / (2 * ordered.size), dtype=np.float64)


def cliffs_delta(xs: Sequence[float], ys: Sequence[float]) -> float:
    """How much more often the second side's value is the larger than the smaller: -1 to 1."""
    return 2 * float(_compute_placements(np.asarray(ys), np.asarray(xs)).mean()) - 1


# Romano, Kromrey, Coraggio and Skowronek (2006) match these to Cohen's small, medium and large.
DELTA_WORDS = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (math.inf, "large"))


def delta_word(delta: float) -> str:
    return next(word for limit, word in DELTA_WORDS if abs(delta) < limit)


def brunner_munzel(xs: Sequence[float], ys: Sequence[float]) -> Shift:
    """E. Brunner and U. Munzel's rank test (2000), which lets the sides vary unlike, and the shifts that it does not reject.

    scipy.stats.brunnermunzel has no interval, and more degrees of freedom. Held to n - 1 of the smaller side, p is right where
    Holm's adjustment asks for small ones: 0.7 in 100 of 10 equal values a side come below 0.7 %, and not 1.1.
    `difference` is Hodges and Lehmann's.
    """
    one, other = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
    differences = np.sort(np.subtract.outer(_thin(other), _thin(one)), axis=None)
    low = _find_least_shift(one, other, differences)
    high = -_find_least_shift(other, one, -differences[::-1])
    ahead, p = _rank_test(one, other)
    if p < 2 * TAIL and low <= 0 <= high:  # of values equal on both sides: only a shift of 0 itself is rejected there
        low = max(low, float(differences[differences > 0][0]) / 2) if ahead > 0 else low
        high = min(high, float(differences[differences < 0][-1]) / 2) if ahead < 0 else high
    return Shift(float(np.median(differences)), low, high, p)


# More pairs are not all looked at for an interval: each side gives way to this many of its quantiles.
MOST_PER_SIDE = 500


def _thin(side: Floats) -> Floats:
    if side.size <= MOST_PER_SIDE:
        return side
    return np.asarray(np.quantile(side, (np.arange(MOST_PER_SIDE) + 0.5) / MOST_PER_SIDE), dtype=np.float64)


def _find_least_shift(xs: Floats, ys: Floats, differences: Floats) -> float:
    """Where the shifts begin that are not rejected: the test changes at the differences between the sides alone."""

    def is_accepted(at: int) -> bool:
        return _rank_test(xs, ys - (differences[at] + differences[at + 1]) / 2)[1] >= 2 * TAIL

    return float(differences[bisect_left(range(differences.size // 2), True, key=is_accepted)])


def _rank_test(xs: Floats, ys: Floats) -> tuple[float, float]:
    """(how much more often ys are the larger, -1/2 to 1/2; p). Sides wholly apart have the p of exact ranks."""
    above, below = _compute_placements(ys, xs), _compute_placements(xs, ys)
    ahead = float(above.mean()) - 0.5
    parts = (float(above.var(ddof=1)) / ys.size, float(below.var(ddof=1)) / xs.size)
    if not sum(parts) > 0:
        return ahead, 2 / math.comb(xs.size + ys.size, xs.size) if ahead else 1.0
    df = min(_compute_joint_df(parts, (ys.size, xs.size)), min(xs.size, ys.size) - 1)
    return ahead, 2 * float(scipy.special.stdtr(df, -abs(ahead) / math.sqrt(sum(parts))))


@dataclass(frozen=True, slots=True)
class Placed:
    """A value and its place in the order of all runs."""

    place: int
    value: float


def find_pairs(xs: Sequence[Placed], ys: Sequence[Placed]) -> list[tuple[Placed, Placed]]:
    """Neighbours in the order, one of each side, each value in one pair at most."""
    ordered = sorted([(x, False) for x in xs] + [(y, True) for y in ys], key=lambda each: each[0].place)
    pairs: list[tuple[Placed, Placed]] = []
    waiting: tuple[Placed, bool] | None = None
    for value, second in ordered:
        if waiting is None or waiting[1] == second:
            waiting = value, second
        else:
            pairs.append((waiting[0], value) if second else (value, waiting[0]))
            waiting = None
    return pairs


def paired(pairs: Sequence[tuple[Placed, Placed]], *, least_sd: float = 0.0) -> Shift | None:
    """Student's paired test; None for fewer than two pairs, or no spread.

    Where one side always comes first, a steady drift shifts it by one step: the interval covers the differences both as
    they are and less that step. Without that, a drift of 10 % over ABAB finds 15 to 30 in 100 false differences.
    """
    differences = [y.value - x.value for x, y in pairs]
    halfway = [((x.place + y.place) / 2, (x.value + y.value) / 2) for x, y in pairs]
    drift = common_slope([([place for place, _ in halfway], [value for _, value in halfway])])
    step = drift.per_run if drift else 0.0
    level = [each - step * (y.place - x.place) for each, (x, y) in zip(differences, pairs, strict=True)]
    both = [_test_one_sample(each, least_sd) for each in (differences, level)]
    if both[0] is None or both[1] is None:
        return None
    return unite(both[0], both[1])


def _test_one_sample(values: Sequence[float], least_sd: float) -> Shift | None:
    sd = max(sample_sd(values), least_sd) if len(values) > 1 else 0.0
    return shift_by_student(fmean(values), sd / math.sqrt(len(values)), len(values) - 1) if sd else None


@dataclass(frozen=True, slots=True)
class Slope:
    """A straight line's rise a place with its standard error, and the standard deviation about the line."""

    per_run: float
    error: float
    sd: float
    df: int

    @property
    def p(self) -> float:
        """Two-sided, that there is no rise."""
        return shift_by_student(self.per_run, self.error, self.df).p if self.error else float(not self.per_run)


def common_slope(sets: Iterable[tuple[Sequence[float], Sequence[float]]]) -> Slope | None:
    """One slope of several sets of (places, values), each with a mean of its own; None where there are too few."""
    places: list[float] = []
    values: list[float] = []
    n_sets = 0
    for own_places, own in sets:
        n_sets += 1
        places += [place - fmean(own_places) for place in own_places]
        values += [value - fmean(own) for value in own]
    df, squares = len(values) - n_sets - 1, math.fsum(place**2 for place in places)
    if df < 1 or not squares:
        return None
    slope = math.fsum(place * value for place, value in zip(places, values, strict=True)) / squares
    left = math.fsum((value - slope * place) ** 2 for place, value in zip(places, values, strict=True))
    sd = math.sqrt(left / df)
    return Slope(slope, sd / math.sqrt(squares), sd, df)


# Of values this far from the median one is an outlier: so many times the median distance from it (as a standard deviation),
# and by at least a tenth, as few values can lie very near each other by chance.
OUTLIER_SDS, OUTLIER_LEAST = 7, math.log(1.1)
SD_OF_MEDIAN_DISTANCE = 1.4826


def find_outliers(logged: Sequence[float]) -> list[int]:
    """The positions of the values that lie far from the others; of fewer than four none does."""
    if len(logged) < 4:
        return []
    middle = median(logged)
    usual = median(abs(value - middle) for value in logged) * SD_OF_MEDIAN_DISTANCE
    far = max(OUTLIER_SDS * usual, OUTLIER_LEAST)
    return [at for at, value in enumerate(logged) if abs(value - middle) > far]


# One-sided, that a difference lies beyond the trend: 10 % of the 90 % interval lie at its two ends.
BEYOND_TREND = 0.05
# One-sided chance under which a trend within the runs is taken for one.
TREND_SEEN = 0.15


@dataclass(frozen=True, slots=True)
class Drift:
    """A steady rise a place that would be all of a difference, and that the runs do not rule out.

    is_seen: the runs themselves rise, or fall, that way
    """

    per_run: float
    is_seen: bool


def explaining_drift(xs: Sequence[Placed], ys: Sequence[Placed], tests: int = 1) -> Drift | None:
    """For sides of which one was measured wholly before the other; None where the difference lies beyond any such drift.

    It must lie beyond the straight line through both sides, with that line's own uncertainty, and a trend that is seen must not be
    half of it, as no real drift is quite straight. Outliers are left out.
    tests: so many of one row are made, any of which may be wrong.
    """
    kept = [_drop_outliers(side) for side in (xs, ys)]
    slope = common_slope([([each.place for each in side], [each.value for each in side]) for side in kept])
    if slope is None or not slope.error:
        return None
    apart, away = (fmean(own) - fmean(base) for base, own in zip(*map(_split, kept), strict=True))
    error = math.hypot(slope.sd * math.sqrt(sum(1 / len(side) for side in kept)), away * slope.error)
    towards = math.copysign(1, apart)
    per_run = towards * math.copysign(1, away) * slope.per_run
    is_seen = float(scipy.special.stdtr(slope.df, -per_run / slope.error)) < TREND_SEEN
    is_most = is_seen and 2 * per_run * abs(away) >= abs(apart)
    beyond = float(scipy.special.stdtr(slope.df, -towards * (apart - away * slope.per_run) / error))
    return None if beyond < BEYOND_TREND / tests and not is_most else Drift(apart / away, is_seen)


def _split(side: Sequence[Placed]) -> tuple[list[float], list[float]]:
    """(values, places)."""
    return [each.value for each in side], [float(each.place) for each in side]


def _drop_outliers(side: Sequence[Placed]) -> list[Placed]:
    out = find_outliers([each.value for each in side])
    return [each for at, each in enumerate(side) if at not in out]


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


@dataclass(frozen=True)
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


def pool_spread(sets: Iterable[Sequence[float]]) -> Pool | None:
    """From logs; sets of fewer than two say nothing. None where none is left."""
    repeated = [logged for logged in sets if len(logged) > 1]
    if not repeated:
        return None
    squares = math.fsum(sample_sd(logged) ** 2 * (len(logged) - 1) for logged in repeated)
    widths = sorted(max(each) - min(each) for each in repeated)
    return Pool(
        len(repeated), sum(len(logged) - 1 for logged in repeated), squares, widths[math.ceil(0.95 * len(repeated)) - 1]
    )


MOST_REPEATS = 100


def repeats_needed(distance: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Repeats a side for a two-sided test to see `distance` between two means, at the given chance; from 2 up.

    n = 2 (t + z)² sd² / distance², the usual formula for two means, with Student's t for the test's own quantile so that
    few repeats are not called enough (J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", has tables).
    None where it takes more than MOST_REPEATS, or where no number would do.
    """
    if not (distance > 0 and math.isfinite(distance) and math.isfinite(sd)):
        return None
    z = float(scipy.special.ndtri(power))
    for n in range(2, MOST_REPEATS + 1):
        t = student_quantile(1 - alpha / 2, 2 * n - 2)
        if n >= 2 * ((t + z) * sd / distance) ** 2:
            return n
    return None
