"""How something went over time: a config by the day, a load by the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from runs.charts import Figure, as_text, axis, layout, plain, scatter

COLOR = "--s0"
FEW_DAYS = 5
FEW_INTERVALS = 10
FEWEST_INTERVALS = 3  # fewer show no course


@dataclass(frozen=True, slots=True)
class Day:
    on: date
    n: int
    center: float
    least: float
    most: float
    build: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days between two changes, and the mean of all their runs."""

    days: tuple[Day, ...]
    center: float


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


def trend_figure(stretches: Sequence[Stretch]) -> Figure:
    """Requests per second by day: faint days with their range, and a dark mean that breaks at each change."""
    days = [day for stretch in stretches for day in stretch.days]
    x = [day.on.isoformat() for day in days]
    faint: Figure = {"line": {"width": 0, "color": COLOR}, "hoverinfo": "skip"}
    band = {"fill": "tonexty", "fillcolor": "--line"}
    dots = {"marker": {"color": COLOR, "size": 5, "opacity": 0.45}, "hovertext": [_hover(day) for day in days]}
    traces = [
        scatter("lines", x, [day.least for day in days], **faint),
        scatter("lines", x, [day.most for day in days], **faint, **band),
        scatter("markers", x, [day.center for day in days], **dots, hoverinfo="text"),
        _means(stretches),
    ]
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"color": "--muted", "width": 1, "dash": "dot"}}
    changes = [stretch.days[0].on.isoformat() for stretch in stretches[1:]]
    axes = {"xaxis": axis("", type="date") | _ticks(days), "yaxis": axis("requests per second", rangemode="tozero")}
    return {"data": traces, "layout": layout(340, shapes=[line | {"x0": day, "x1": day} for day in changes], **axes)}


def _ticks(days: Sequence[Day]) -> Figure:
    """A tick for each of a few days: Plotly would put hours between them, and milliseconds around a single one."""
    if not 0 < len(days) < FEW_DAYS:
        return {}
    first, last = days[0].on - timedelta(days=1), days[-1].on + timedelta(days=1)
    ends = [first.isoformat(), last.isoformat()]
    return {"tickvals": [day.on.isoformat() for day in days], "tickformat": "%-d %b %Y", "range": ends}


def _means(stretches: Sequence[Stretch]) -> Figure:
    """Each stretch's mean from its first day to its last; None breaks the line."""
    x: list[str | None] = []
    y: list[float | None] = []
    for stretch in stretches:
        x += [stretch.days[0].on.isoformat(), stretch.days[-1].on.isoformat(), None]
        y += [stretch.center, stretch.center, None]
    return scatter("lines", x, y, line={"color": "--ink", "width": 2.5}, hoverinfo="skip")


def _hover(day: Day) -> str:
    low, high = plain(day.least), plain(day.most)
    build = f", {as_text(day.build[:40])}" if day.build else ""
    return f"{day.on.isoformat()}{build}<br>{plain(day.center)} requests per second, n={day.n}<br>{low} to {high}"


def load_figure(load: LoadBySecond) -> Figure:
    """Requests per second above, their mean and longest time below, on one time axis."""
    x = _times(load)
    rates = [round(n / load.step_s, 4) for n in load.n]
    at = "%{x|%H:%M:%S}" if load.begins else "%{x} s"
    traces = [
        _line(x, rates, "requests begun a second", "y", f"{at}: <b>%{{y:.4~g}}</b> a second"),
        _line(x, load.max_ms, "longest", "y2", f"{at}: longest <b>%{{y:.4~g}} ms</b>", dash="dot"),
        _line(x, load.mean_ms, "mean", "y2", f"{at}: mean <b>%{{y:.4~g}} ms</b>"),
    ]
    title = "clock of the machine that loaded" if load.begins else "seconds since the load began"
    return {
        "data": traces,
        "layout": layout(
            400,
            hovermode="x",
            xaxis=axis(title, anchor="y2", **_clock_ticks(load)),
            yaxis=axis("requests/s", domain=[0.58, 1], rangemode="tozero"),
            yaxis2=axis("ms: mean, longest (dotted)", domain=[0, 0.48], rangemode="tozero", anchor="x"),
        ),
    }


def describe_load(load: LoadBySecond) -> str:
    """The course of the load in a sentence. The first and the last interval are seldom whole, so they do not count."""
    inner = [n / load.step_s for n in load.n[1:-1]]
    least, most = plain(min(inner)), plain(max(inner))
    rate = most if least == most else f"From {least} to {most}"
    sentence = f"{rate} requests began a second, over {len(load.n) * load.step_s} s."
    at, length = _longest_pause(load.n)
    if not length:
        return sentence
    x = _times(load)[at]
    when = f"at {str(x)[11:]}" if load.begins else f"{x} s after the start"
    return f"{sentence} The longest time without one was {length * load.step_s} s, {when}."


def _longest_pause(n: Sequence[int]) -> tuple[int, int]:
    """(first interval, how many) of the longest stretch of zeros."""
    longest, begins = (0, 0), 0
    for at, count in enumerate(n):
        if count:
            begins = at + 1
        elif at + 1 - begins > longest[1]:
            longest = (begins, at + 1 - begins)
    return longest


def _times(load: LoadBySecond) -> list[str] | list[int]:
    if load.begins is None:
        return list(load.at_s)
    return [(load.begins + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S") for at in load.at_s]


def _clock_ticks(load: LoadBySecond) -> Figure:
    """Ticks by the clock; in a short load one an interval, since Plotly would write each second twice."""
    if load.begins is None:
        return {}
    each = {"dtick": 1000 * load.step_s} if len(load.n) < FEW_INTERVALS else {}
    return {"type": "date", "tickformat": "%H:%M:%S"} | each


def _line(
    x: Sequence[object], y: Sequence[float | None], name: str, axes: str, hover: str, dash: str = "solid"
) -> Figure:
    style = {"line": {"color": COLOR, "width": 2, "dash": dash}, "marker": {"color": COLOR, "size": 5}}
    more = {"name": name, "yaxis": axes, "connectgaps": False, "hovertemplate": f"{hover}<extra></extra>"}
    return scatter("lines" if len(x) > 60 else "lines+markers", x, y, **more, **style)
