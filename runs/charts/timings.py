"""What each request took: how many took how long, and how the load went by the second."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from runs.charts import Figure, axis, layout, plain

COLOR = "--s0"
_SHORT = 10  # intervals
FEWEST = 3  # seconds: of fewer there is no course to see


@dataclass(frozen=True, slots=True)
class Bar:
    """Requests that took from `low` to less than `high` ms; high is infinite for those slower than the chart shows."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Course:
    """A load by the second in which requests began; an interval without any has n 0 and no times.

    begins   by the clock of the machine that loaded, None where only seconds from the start are known
    step_s   seconds an interval
    """

    begins: datetime | None
    step_s: int
    at_s: Sequence[int]
    n: Sequence[int]
    mean_ms: Sequence[float | None]
    max_ms: Sequence[float | None]


def histogram(bars: Sequence[Bar]) -> Figure:
    """Bars of one width; what is slower than the axis shows stands hatched at its end."""
    total = sum(bar.n for bar in bars)
    width = bars[0].high - bars[0].low if bars and math.isfinite(bars[0].high) else 1.0
    return {
        "data": [
            {
                "type": "bar",
                "x": [round(bar.low + width / 2, 6) for bar in bars],
                "y": [bar.n for bar in bars],
                "width": width * 0.96,
                "marker": {
                    "color": COLOR,
                    "opacity": 0.7,
                    "pattern": {"shape": ["" if math.isfinite(bar.high) else "/" for bar in bars]},
                },
                "hovertext": [_words(bar, total) for bar in bars],
                "hoverinfo": "text",
            }
        ],
        "layout": layout(
            300,
            bargap=0,
            xaxis=axis("ms from request to answer", showgrid=False),
            yaxis=axis("requests", rangemode="tozero"),
        ),
    }


def _words(bar: Bar, total: int) -> str:
    span = f"{bar.low:g} to {bar.high:g} ms" if math.isfinite(bar.high) else f"{bar.low:g} ms and slower"
    return f"{span}: <b>{bar.n}</b> requests, {plain(100 * bar.n / total)} %"


def course(load: Course) -> Figure:
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
            xaxis=axis(title, anchor="y2", **_clock(load)),
            yaxis=axis("requests/s", domain=[0.58, 1], rangemode="tozero"),
            yaxis2=axis("ms: mean, longest (dotted)", domain=[0, 0.48], rangemode="tozero", anchor="x"),
        ),
    }


def _clock(load: Course) -> Figure:
    """Ticks by the clock; in a short load one an interval, since Plotly would write each second twice."""
    if load.begins is None:
        return {}
    return {"type": "date", "tickformat": "%H:%M:%S"} | ({"dtick": 1000 * load.step_s} if len(load.n) < _SHORT else {})


def words(load: Course) -> str:
    """The course in a sentence. The first and the last interval are seldom whole, and left out of it."""
    inner = [n / load.step_s for n in load.n[1:-1]]
    least, most = plain(min(inner)), plain(max(inner))
    rate = most if least == most else f"From {least} to {most}"
    told = f"{rate} requests began a second, over {len(load.n) * load.step_s} s."
    at, longest = _pause(load.n)
    if not longest:
        return told
    x = _times(load)[at]
    when = f"at {str(x)[11:]}" if load.begins else f"{x} s after the start"
    return f"{told} The longest time without one was {longest * load.step_s} s, {when}."


def _pause(n: Sequence[int]) -> tuple[int, int]:
    """(where it begins, how many intervals) of the longest stretch of nought."""
    best, begins = (0, 0), 0
    for at, figure in enumerate(n):
        if figure:
            begins = at + 1
        elif at + 1 - begins > best[1]:
            best = (begins, at + 1 - begins)
    return best


def _times(load: Course) -> list[str] | list[int]:
    if load.begins is None:
        return list(load.at_s)
    return [(load.begins + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S") for at in load.at_s]


def _line(
    x: Sequence[object], y: Sequence[float | None], name: str, axes: str, hover: str, dash: str = "solid"
) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines" if len(x) > 60 else "lines+markers",
        "name": name,
        "x": x,
        "y": y,
        "yaxis": axes,
        "connectgaps": False,
        "line": {"color": COLOR, "width": 2, "dash": dash},
        "marker": {"color": COLOR, "size": 5},
        "hovertemplate": f"{hover}<extra></extra>",
    }
