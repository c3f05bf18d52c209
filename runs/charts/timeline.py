"""What went over time: when samples were taken, lines of values, and which of them a screen can show; charts of a config by the
day and of a load by the second.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runs.charts import Axis, Band, Cell, Chart, Dots, Key, Line, Mark, Panel, Span, Tick, make_linear_axis
from runs.numbers import figure, write_count

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


class TimeAxis(Enum):
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

    kind: TimeAxis
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
        return Timeline(TimeAxis.SAMPLE, np.arange(n_samples), np.arange(1.0, n_samples + 1), 1.0)
    at = clock_s[known]
    steps = np.diff(at)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    if start_s is None:
        return Timeline(TimeAxis.CLOCK, known, at, step)
    offset = start_s + DAY_S * round((float(at[0]) - start_s) / DAY_S)
    return Timeline(TimeAxis.SINCE, known, at - offset, step, offset)


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


def make_time_ticks(low: float, high: float, clock: bool) -> tuple[Tick, ...]:
    """Round times between two seconds, at most about six: by the clock, or as seconds."""
    step = next((step for step in STEPS_S if (high - low) / step <= 6), STEPS_S[-1])
    first = math.ceil(low / step)
    places = [at * step for at in range(first, int(high // step) + 1)]
    form = slice(0, 8 if step < 60 else 5)
    words = (str(_write_time(TimeAxis.CLOCK, at))[form] if clock else f"{at:,}" for at in places)
    return tuple(Tick(at, text, minor=n % 2 == 1) for n, (at, text) in enumerate(zip(places, words, strict=True)))


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


def _write_time(kind: TimeAxis, at: float) -> Cell:
    second = int(at)
    if kind is TimeAxis.CLOCK:
        return f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
    return second if second == at else at


def _round(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.5g}")


FEWEST_INTERVALS = 3  # fewer show no course
MOST_POINTS = 600
MOST_DAY_TICKS = 6


@dataclass(frozen=True, slots=True)
class LoadBySecond:
    """A load by the time at which requests began; an interval without any has n 0 and no times.

    begins   by the clock of the machine that loaded, None where only seconds from the start are known
    step_s   length of an interval
    at_s     where each begins
    """

    begins: datetime | None
    step_s: int
    at_s: Sequence[int]
    n: Sequence[int]
    mean_ms: Sequence[float | None]
    max_ms: Sequence[float | None]


def make_trend_chart(stretches: Sequence[Any]) -> Chart:
    """Requests per second by day: faint days with their range, and a dark mean that breaks at each change.

    stretches: of a Course of trends
    """
    days = [day for stretch in stretches for day in stretch.days]
    x = tuple(float(day.on.toordinal()) for day in days)
    means_x = tuple(float(d.on.toordinal()) for s in stretches for d in (s.days[0], s.days[-1], s.days[-1]))
    means_y = tuple(value for s in stretches for value in (s.center, s.center, math.nan))
    hovers = tuple(_describe_day(day) for day in days)
    marks: tuple[Mark, ...] = (
        Band("s0", x, tuple(day.least for day in days), tuple(day.most for day in days)),
        *(Span(s.days[0].on.toordinal(), s.days[0].on.toordinal(), "muted") for s in stretches[1:]),
        Dots(0, x, tuple(day.center for day in days), "a day's mean", hovers, small=True),
        Line("ink", means_x, means_y, "mean between changes"),
    )
    panel = Panel(_make_day_axis(days), make_linear_axis(max(day.most for day in days), "requests per second"), marks)
    note = "a dot is a day's mean · band: its runs · dark: the mean between changes"
    heads = ("day", "runs", "mean", "least", "most")
    rows = tuple((day.on.isoformat(), day.n, day.center, day.least, day.most) for day in days)
    words = f"{write_count(len(days), 'day')}, from {figure(days[0].center)} to {figure(days[-1].center)} requests per second"
    return Chart("trend", "How did it change over time?", (panel,), (), note, words, heads, rows, zooms=True)


def _make_day_axis(days: Sequence[Any]) -> Axis:
    """Ticks at days that runs were made on; a single day stands in the middle."""
    first, last = days[0].on.toordinal(), days[-1].on.toordinal()
    pad = max((last - first) * 0.02, 0.5)
    n = min(MOST_DAY_TICKS, last - first + 1)
    at = sorted({first + round((last - first) * part / max(n - 1, 1)) for part in range(n)})
    years = days[0].on.year != days[-1].on.year
    ticks = tuple(
        Tick(day, f"{date.fromordinal(day):%-d %b{' %Y' if years else ''}}", minor=number % 2 == 1)
        for number, day in enumerate(at)
    )
    return Axis(first - pad, last + pad, ticks, f"{days[0].on.year}" if not years else "")


def _describe_day(day: Any) -> str:
    build = f", {day.build[:40]}" if day.build else ""
    span = f"{figure(day.least)} to {figure(day.most)}"
    return f"{day.on.isoformat()}{build}: {figure(day.center)} requests per second, {write_count(day.n, 'run')}, {span}"


def _replace_gaps(values: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if value is None else value for value in values)


def make_load_chart(load: LoadBySecond) -> Chart:
    """Requests per second above, their mean and longest time below, on one time axis."""
    begins = load.begins
    offset = begins.hour * 3600 + begins.minute * 60 + begins.second if begins else 0
    kept = _thin(load)
    at = tuple(float(load.at_s[place] + offset) for place in kept)
    rates = tuple(load.n[place] / load.step_s for place in kept)
    longest, means = (_replace_gaps([own[place] for place in kept]) for own in (load.max_ms, load.mean_ms))
    ticks = make_time_ticks(at[0], at[-1], bool(offset))
    x = Axis(at[0], max(at[-1], at[0] + 1), ticks, "clock of the load generator" if load.begins else "seconds")
    lines = (Line("s1", at, longest, "longest", thin=True), Line("s0", at, means, "mean"))
    top = max([value for value in longest if not math.isnan(value)], default=1.0)
    panels = (
        Panel(
            x,
            make_linear_axis(max(rates), "requests started per second"),
            (Line("s0", at, rates, "requests started per second"),),
        ),
        Panel(x, make_linear_axis(top, "ms"), lines),
    )
    key = (Key("mean", paint="s0"), Key("longest", paint="s1"))
    heads = ("second", "requests started per second", "mean ms", "longest ms")
    rows = tuple(zip(load.at_s, (n / load.step_s for n in load.n), load.mean_ms, load.max_ms, strict=True))
    return Chart(
        "course",
        "How did the load change by the second?",
        panels,
        key,
        "",
        describe_load_course(load),
        heads,
        rows,
        zooms=True,
    )


def _thin(load: LoadBySecond) -> list[int]:
    """The places of the intervals that are drawn: of each stretch the least and the most served and the slowest."""
    n, size = len(load.n), -(-len(load.n) // (MOST_POINTS // 3))
    if n <= MOST_POINTS:
        return list(range(n))
    kept = set()
    for first in range(0, n, size):
        part = range(first, min(first + size, n))
        kept |= {min(part, key=load.n.__getitem__), max(part, key=load.n.__getitem__)}
        kept.add(max(part, key=lambda place: load.max_ms[place] or 0.0))
    return sorted(kept)


def describe_load_course(load: LoadBySecond) -> str:
    """The course of the load in a sentence. The first and the last interval are seldom whole, so they do not count."""
    inner = [n / load.step_s for n in load.n[1:-1]]
    least, most = figure(min(inner)), figure(max(inner))
    rate = most if least == most else f"From {least} to {most}"
    sentence = f"{rate} requests started per second, over {len(load.n) * load.step_s} s."
    at, length = _find_longest_pause(load.n)
    if not length:
        return sentence
    begins = load.begins + timedelta(seconds=load.at_s[at]) if load.begins else None
    when = f"at {begins:%H:%M:%S}" if begins else f"{load.at_s[at]} s after the start"
    return f"{sentence} The longest time without one was {length * load.step_s} s, {when}."


def _find_longest_pause(n: Sequence[int]) -> tuple[int, int]:
    """(first interval, how many) of the longest stretch of zeros."""
    longest, begins = (0, 0), 0
    for at, count in enumerate(n):
        if count:
            begins = at + 1
        elif at + 1 - begins > longest[1]:
            longest = (begins, at + 1 - begins)
    return longest
