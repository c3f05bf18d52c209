"""Samples over time: when each was taken, lines of values, and which of them a screen can show."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from runs.charts import Cell

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from tsdownsample import M4Downsampler, MinMaxDownsampler

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

DAY_S = 86_400.0
GAP = 4  # times the usual step: a load delays monitors, and clocks show whole seconds
MOST_STEPS_BACK = 6  # a clock that is set back more often is not used
FEWEST = 8  # points that a line is thinned to at least
NO_PLACES: Whole = np.empty(0, np.int64)

# M4 keeps the first, lowest, highest and last of each bin. MinMaxLTTB takes twice as long and loses one of two peaks in a bin.
_m4 = M4Downsampler()  # type: ignore[no-untyped-call]
_min_max = MinMaxDownsampler()  # type: ignore[no-untyped-call]


class Kind(Enum):
    """What a time axis counts. The values are the heads of its column in rows."""

    CLOCK = "clock"  # seconds of the day, growing past midnight
    SINCE = "since"  # seconds since the run began
    SAMPLE = "sample"  # no time is known: samples from 1


@dataclass(frozen=True, slots=True)
class Timeline:
    """The samples whose time is known, in the order in which they were taken.

    samples  their numbers, from 0
    at       the time of each, in the unit of `kind`
    step     the usual step between two
    offset   seconds that were subtracted from the clock
    """

    kind: Kind
    samples: Whole
    at: Floats
    step: float
    offset: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last second."""
        return (float(self.at.min()), float(self.at.max())) if len(self.at) else (0.0, 1.0)

    @property
    def gaps(self) -> Whole:
        return find_gaps(self.at, self.step)


@dataclass(frozen=True, slots=True)
class Trace:
    """One line or layer: a value for every sample, NaN where it has none."""

    name: str
    values: Floats
    paint: str = ""


def build_timeline(clock_s: Floats | None, n_samples: int, start_s: float | None = None) -> Timeline:
    """From the clock of each sample (seconds of the day, NaN where it has none), counted from `start_s` where given."""
    known = np.flatnonzero(~np.isnan(clock_s)) if clock_s is not None else NO_PLACES
    if clock_s is None or len(known) < 2 or np.count_nonzero(np.diff(clock_s[known]) < 0) > MOST_STEPS_BACK:
        return Timeline(Kind.SAMPLE, np.arange(n_samples), np.arange(1.0, n_samples + 1), 1.0)
    at = clock_s[known]
    steps = np.diff(at)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    if start_s is None:
        return Timeline(Kind.CLOCK, known, at, step)
    offset = start_s + DAY_S * round((float(at[0]) - start_s) / DAY_S)
    return Timeline(Kind.SINCE, known, at - offset, step, offset)


def clip_timeline(whole: Timeline, low: float | None, high: float | None) -> Timeline:
    """The part from `low` to `high`, and one sample on each side, so that lines reach the edges."""
    if low is None and high is None:
        return whole
    inside = np.ones(len(whole.at), bool)
    if low is not None:
        inside &= whole.at >= low
    if high is not None:
        inside &= whole.at <= high
    if not inside.any():  # between two samples
        inside[np.abs(whole.at - (low or high or 0.0)).argmin()] = True
    wider = inside.copy()
    wider[:-1] |= inside[1:]
    wider[1:] |= inside[:-1]
    return replace(whole, samples=whole.samples[wider], at=whole.at[wider])


def select_samples(traces: Sequence[Trace], when: Timeline) -> list[Trace]:
    if len(traces) and len(when.samples) == len(traces[0].values):
        return list(traces)
    return [replace(trace, values=trace.values[when.samples]) for trace in traces]


def find_gaps(at: Floats, step: float) -> Whole:
    """Where a line must break: the places in `at` before which samples are missing or the clock was set back."""
    steps = np.diff(at)
    return np.flatnonzero((steps > GAP * step) | (steps < 0)) + 1


def add_neighbours(gaps: Whole) -> Whole:
    return np.concatenate([gaps, gaps - 1])


def thin_values(values: Floats, points: int, keep: Whole = NO_PLACES) -> Whole:
    """The places of about `points` values (without NaN) that look like all of them on a screen: no peak is lost.

    Of a stretch of equal values only the ends are needed, so most lines lose nothing. `keep`: places that must stay.
    """
    n = len(values)
    if n <= max(points, FEWEST):
        return np.arange(n)
    chosen = _ends_of_stretches(values, points)
    if chosen is None:
        chosen = np.zeros(n, bool)
        chosen[_m4.downsample(values, n_out=max(points, FEWEST) // 4 * 4)] = True
        chosen[[0, -1]] = True  # it may leave out the last of an uneven bin
    if len(keep) <= points // 2:
        chosen[keep] = True
    return np.flatnonzero(chosen)


def _ends_of_stretches(values: Floats, most: int) -> NDArray[np.bool_] | None:
    """Which values differ from one of their neighbours. None where these are more than `most`."""
    moves = values[1:] != values[:-1]
    if np.count_nonzero(moves) >= most:
        return None
    chosen = np.ones(len(values), bool)
    np.logical_or(moves[:-1], moves[1:], out=chosen[1:-1])
    return chosen if np.count_nonzero(chosen) <= most else None


def thin_together(layers: Sequence[Floats], points: int, keep: Whole = NO_PLACES) -> Whole:
    """Places for stacked layers, which need the same ones: up to half by their sum, the rest by each layer."""
    n = len(layers[0]) if layers else 0
    if n <= points:
        return np.arange(n)
    filled = [np.nan_to_num(layer) for layer in layers]
    total = np.round(np.sum(filled, axis=0), 6)  # often constant, such as all memory: then the layers get the rest
    together = thin_values(total, points // 2)
    each = max((points - len(together)) // len(filled), FEWEST)
    chosen = np.zeros(n, bool)
    chosen[together] = True
    for layer in filled:
        chosen[thin_values(layer, each)] = True
    if len(keep) <= points:
        chosen[keep] = True
    return np.flatnonzero(chosen)


def find_extremes(values: Floats, points: int) -> Whole:
    """The places of at most `points` values (2 at least): the least and the greatest of every bin; NaN is neither."""
    if len(values) <= points:
        return np.arange(len(values))
    return np.unique(_min_max.downsample(values, n_out=points // 2 * 2)).astype(np.int64)


STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)


def time_ticks(low: float, high: float, clock: bool) -> list[tuple[float, str]]:
    """Round times between two seconds, at most about six: by the clock, or as seconds."""
    step = next((step for step in STEPS_S if (high - low) / step <= 6), STEPS_S[-1])
    first = math.ceil(low / step)
    places = [at * step for at in range(first, int(high // step) + 1)]
    form = slice(0, 8 if step < 60 else 5)
    return [(at, str(_write_time(Kind.CLOCK, at))[form] if clock else f"{at:,}") for at in places]


def to_rows(
    when: Timeline, traces: Sequence[Trace], *, points: int, low: float | None = None, high: float | None = None
) -> list[tuple[Cell, ...]]:
    """About `points` rows: the time ("HH:MM:SS" of a clock), then each trace's value with five digits, or None."""
    part = clip_timeline(when, low, high)
    shown = select_samples(traces, part)
    places = thin_together([trace.values for trace in shown], points)
    return [
        (_write_time(part.kind, float(part.at[place])), *(_round(float(trace.values[place])) for trace in shown))
        for place in places
    ]


def _write_time(kind: Kind, at: float) -> Cell:
    second = int(at)
    if kind is Kind.CLOCK:
        return f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
    return second if second == at else at


def _round(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.5g}")
