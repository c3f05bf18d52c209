"""When did one config change? Steps and dips in the daily means of comparable runs.

Method    Circular binary segmentation of the days' mean logs of requests per second: the days are split where the days
          from one to another, or all days from one on, differ most from the others of their stretch. So a dip of a few days
          is one finding with two changes. What remains on each side is looked at again.
          A p-value is the share of 499 series without a change that show as much at their best split (so that having
          looked for it is paid for). They are drawn with the autocorrelation that the days have beside the split, and their
          noise is estimated in the same way. An outlier, a day far off the median of its week, counts as that median.
Noise     From differences between days, which a change hardly touches: those of neighbours against those further apart
          tell the autocorrelation. The largest ones are left out.
Level     Each stretch is tested at 2 %, and a finding must hold among the days around it too, where noise may be another.
          benchmarks/truth.py measures how often that finds what is there, and what is not.
Takes     the days for equally sure, whatever their numbers of runs, and gaps between days for none.
Says no   where a side would have fewer than three days: with so few, chance captures like change.
Packages  ruptures has faster searches, but none says how sure a change is. The test needs a search over all drawn series
          at once anyway, which numpy does in a few lines.
Source    A. B. Olshen, E. S. Venkatraman, R. Lucito and M. Wigler, "Circular binary segmentation", Biostatistics 5 (2004);
          L. Davies and U. Gather, "The identification of multiple outliers", JASA 88 (1993), for the median filter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np
import scipy  # its packages are imported at their first use
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

FEWEST_DAYS = 3  # of a stretch
MOST_DAYS = 1000  # the newest are looked at
LEVEL = 0.02
N_DRAWN = 499
SEED = 5  # the same days always give the same answer
WEEK = 7
FAR_OFF = 4.0  # standard deviations from its week's median that make a day an outlier
TRIM = 4.0  # differences beyond so many standard deviations are left out: 0.1 % of the variance of normal ones
TRIMMED = 0.9989
TO_SD = 1.4826  # from the median absolute deviation
MOST_CORRELATION = 0.9
AROUND = 30  # days on either side of a change among which it must hold, or as many as a stretch beside it has
LENGTH_STEP = 1.15  # between the lengths of dips that are compared with drawn ones

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Day:
    """The runs of one day: how many, the mean of the logs of their rates, the lowest and the highest rate."""

    on: date
    n: int
    mean_log: float
    least: float
    most: float
    build: str = ""  # the newest that its runs name

    @property
    def center(self) -> float:
        """The geometric mean, in requests per second."""
        return math.exp(self.mean_log)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days between two changes. `center` is the geometric mean of its runs, n how many these are."""

    days: tuple[Day, ...]

    @property
    def n(self) -> int:
        return sum(day.n for day in self.days)

    @property
    def center(self) -> float:
        return math.exp(sum(day.mean_log * day.n for day in self.days) / self.n)


@dataclass(frozen=True, slots=True)
class Change:
    """Between two stretches. p is of the test that found it."""

    before: Stretch
    after: Stretch
    p: float

    @property
    def on(self) -> date:
        """The first day that differs."""
        return self.after.days[0].on

    @property
    def pct(self) -> float:
        """By how many per cent the rates are off those before."""
        return 100 * (self.after.center / self.before.center - 1)

    @property
    def builds(self) -> tuple[str, str]:
        """The last build before it and the first after it; "" where that day's runs name none."""
        return self.before.days[-1].build, self.after.days[0].build


@dataclass(frozen=True, slots=True)
class Course:
    """Days in stretches, and the changes between these: one fewer."""

    stretches: tuple[Stretch, ...]
    changes: tuple[Change, ...]

    @property
    def n_days(self) -> int:
        return sum(len(stretch.days) for stretch in self.stretches)

    @property
    def n(self) -> int:
        return sum(stretch.n for stretch in self.stretches)


@dataclass(frozen=True, slots=True)
class _Splits:
    """The best split of each row: the days [start, end) against its others, which explain `gain` of its squares."""

    start: Ints
    end: Ints
    gain: Floats


def find_course(days: Sequence[Day]) -> Course:
    """The newest days in order, broken where they changed."""
    days = sorted(days, key=lambda day: day.on)[-MOST_DAYS:]
    changes_by_day = dict(_find_changes(np.array([day.mean_log for day in days])))
    ends = [*sorted(changes_by_day), len(days)]
    parts = [Stretch(tuple(days[start:end])) for start, end in zip([0, *ends[:-1]], ends, strict=True) if days]
    changes = [
        Change(before, after, changes_by_day[at]) for before, after, at in zip(parts, parts[1:], ends, strict=False)
    ]
    return Course(tuple(parts), tuple(changes))


def _find_changes(values: Floats) -> Iterator[tuple[int, float]]:
    """Where a stretch begins that differs from the one before, and p."""
    smooth = _replace_outliers(values)
    waiting = [(0, len(values))]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2 * FEWEST_DAYS:
            continue
        p, cuts = _test_stretch(smooth[None, first:last])
        if p <= LEVEL:
            yield from ((first + cut, p) for cut in cuts)
            ends = [first, *(first + cut for cut in cuts), last]
            waiting += zip(ends, ends[1:], strict=False)


def _test_stretch(stretch: Floats) -> tuple[float, list[int]]:
    """p of the best split of a stretch, and where its parts end.

    It must hold among the days around it as well: where noise grows, calm days elsewhere say nothing of it.
    """
    n = stretch.shape[1]
    p = _estimate_chance(stretch)
    if p > LEVEL:
        return p, []
    split = _find_best_splits(stretch, range(FEWEST_DAYS, n), _estimate_noise_beside(stretch)[1])
    start, end = int(split.start[0]), int(split.end[0])
    around = max(AROUND, min(end - start, n - end + start))
    near = stretch[:, max((start or end) - around, 0) : end + around]
    return max(p, _estimate_chance(near)), sorted({start, end} - {0, n})


def _replace_outliers(values: Floats) -> Floats:
    """Days far off the median of the week around them, as that median."""
    if len(values) < 2 * FEWEST_DAYS:
        return values
    steps = np.abs(np.diff(values))
    spread = (np.median(steps) * TO_SD or np.std(steps)) / math.sqrt(2)
    medians = np.median(sliding_window_view(np.pad(values, WEEK // 2, mode="symmetric"), WEEK), axis=1)
    return np.where(np.abs(values - medians) > FAR_OFF * spread, medians, values)


def _estimate_chance(stretch: Floats) -> float:
    """The share of series without a change that show as much at their best split."""
    n = stretch.shape[1]
    statistic, correlations = _compute_statistics(stretch)
    # The estimate is low in few days, since the best split explains part of it: a margin of its error and of that.
    correlation = min(float(correlations[0]) + 1 / math.sqrt(n) + 10 / n, MOST_CORRELATION)
    drawn = _simulate_statistics(n - n % max(1, n // 25), round(20 * correlation))  # few lengths, so that they are kept
    return float((1 + (drawn >= statistic[0]).sum()) / (N_DRAWN + 1))


@lru_cache(maxsize=512)
def _simulate_statistics(n: int, twentieths: int) -> Floats:
    """Of series of n days without a change, whose autocorrelation at lag 1 is so many twentieths."""
    correlation = twentieths / 20
    noise = np.random.default_rng(SEED).standard_normal((N_DRAWN, n))
    noise[:, 0] /= math.sqrt(1 - correlation**2)
    return _compute_statistics(scipy.signal.lfilter([1], [1, -correlation], noise, axis=1))[0]


def _compute_statistics(rows: Floats) -> tuple[Floats, Floats]:
    """How much the best split of each row explains, in units of its noise, and the autocorrelation of that."""
    correlation, noise = _estimate_noise_beside(rows)
    return _find_best_splits(rows, _list_lengths(rows.shape[1]), noise).gain / noise, correlation


def _list_lengths(n: int) -> list[int]:
    """Of dips in n days: all short ones, and fewer of the long."""
    lengths, length = [], FEWEST_DAYS
    while length <= n - 2 * FEWEST_DAYS:
        lengths.append(length)
        length = max(length + 1, int(length * LENGTH_STEP))
    return lengths


def _find_best_splits(rows: Floats, lengths: Sequence[int], noise: Floats) -> _Splits:
    """A step, or else a dip where it explains more than a step by what a second change is worth (2 ln n, as in BIC)."""
    n = rows.shape[1]
    every = np.arange(len(rows))
    sums = np.pad(np.cumsum(rows - rows.mean(axis=1, keepdims=True), axis=1), ((0, 0), (1, 0)))
    sizes = np.arange(FEWEST_DAYS, n - FEWEST_DAYS + 1)
    gains = sums[:, FEWEST_DAYS : n - FEWEST_DAYS + 1] ** 2 * (n / (sizes * (n - sizes)))
    at = gains.argmax(axis=1)
    start, end, gain = np.zeros_like(at), at + FEWEST_DAYS, gains[every, at]
    for length in lengths:
        if length > n - 2 * FEWEST_DAYS:
            break
        inside = np.abs(
            sums[:, FEWEST_DAYS + length : n - FEWEST_DAYS + 1] - sums[:, FEWEST_DAYS : n - FEWEST_DAYS + 1 - length]
        )
        at = inside.argmax(axis=1)
        scores = inside[every, at] ** 2 * (n / (length * (n - length))) - 2 * math.log(n) * noise
        better = scores > gain
        gain = np.where(better, scores, gain)
        start = np.where(better, at + FEWEST_DAYS, start)
        end = np.where(better, at + FEWEST_DAYS + length, end)
    return _Splits(start, end, gain)


def _estimate_noise_beside(rows: Floats) -> tuple[Floats, Floats]:
    """Autocorrelation at lag 1 and long-run variance of what the best split of each row leaves."""
    split = _find_best_splits(rows, _list_lengths(rows.shape[1]), np.zeros(len(rows)))
    days = np.arange(rows.shape[1])
    inside = (days >= split.start[:, None]) & (days < split.end[:, None])
    means = [_compute_row_means(rows, where) for where in (inside, ~inside)]
    return _estimate_noise(rows - np.where(inside, *means))


def _compute_row_means(rows: Floats, where: NDArray[np.bool_]) -> Floats:
    sums = np.where(where, rows, 0).sum(axis=1, keepdims=True)
    means: Floats = sums / where.sum(axis=1, keepdims=True)
    return means


def _estimate_noise(rows: Floats) -> tuple[Floats, Floats]:
    """Autocorrelation at lag 1, 0 where it is negative, and long-run variance, as of an autoregressive process."""
    n = rows.shape[1]
    lag = 2 + min(n // 100, 4)  # far enough apart to be independent, near enough that changes touch few
    variance = np.mean([_compute_half_mean_square(rows, lag + more) for more in range(3) if lag + more < n - 1], axis=0)
    variance = np.maximum(variance, 1e-18)
    correlation = np.clip(1 - _compute_half_mean_square(rows, 1) / variance, 0, MOST_CORRELATION)
    return correlation, variance * (1 + correlation) / (1 - correlation)


def _compute_half_mean_square(rows: Floats, lag: int) -> Floats:
    """Of the differences between days so far apart, those that a change or an outlier makes left out."""
    sizes = np.abs(rows[:, lag:] - rows[:, :-lag])
    spread = np.median(sizes, axis=1, keepdims=True) * TO_SD
    kept = (sizes <= TRIM * spread) | (spread == 0)
    means: Floats = np.where(kept, sizes**2, 0).sum(axis=1) / kept.sum(axis=1)
    return means / (2 * TRIMMED)
