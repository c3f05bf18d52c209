"""How something went over time: a config by the day, a load by the second."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from runs.charts import Axis, Band, Chart, Dots, Key, Line, Mark, Panel, Span, Tick, make_linear_axis
from runs.charts.timeline import time_ticks
from runs.numbers import figure, write_count

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
    ticks = tuple(
        Tick(s, words, minor=n % 2 == 1) for n, (s, words) in enumerate(time_ticks(at[0], at[-1], bool(offset)))
    )
    x = Axis(at[0], max(at[-1], at[0] + 1), ticks, "clock of the machine that loaded" if load.begins else "seconds")
    lines = (Line("s1", at, longest, "longest", thin=True), Line("s0", at, means, "mean"))
    top = max([value for value in longest if not math.isnan(value)], default=1.0)
    panels = (
        Panel(
            x,
            make_linear_axis(max(rates), "requests begun a second"),
            (Line("s0", at, rates, "requests begun a second"),),
        ),
        Panel(x, make_linear_axis(top, "ms"), lines),
    )
    key = (Key("mean", paint="s0"), Key("longest", paint="s1"))
    heads = ("second", "requests begun a second", "mean ms", "longest ms")
    rows = tuple(zip(load.at_s, (n / load.step_s for n in load.n), load.mean_ms, load.max_ms, strict=True))
    return Chart(
        "course", "How did the load go by the second?", panels, key, "", describe_load(load), heads, rows, zooms=True
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


def describe_load(load: LoadBySecond) -> str:
    """The course of the load in a sentence. The first and the last interval are seldom whole, so they do not count."""
    inner = [n / load.step_s for n in load.n[1:-1]]
    least, most = figure(min(inner)), figure(max(inner))
    rate = most if least == most else f"From {least} to {most}"
    sentence = f"{rate} requests began a second, over {len(load.n) * load.step_s} s."
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
