"""How did it change over time? Faint days with their range, a dark centre, broken at each change point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from runs.charts import Figure, axis, layout, plain

HEIGHT = 340
FEW = 5  # days


@dataclass(frozen=True, slots=True)
class Point:
    """The runs of one day: how many, their centre, the lowest and the highest of them."""

    on: date
    n: int
    center: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Part:
    """Days between two changes, and the centre of all their runs."""

    points: tuple[Point, ...]
    center: float


def figure(parts: Sequence[Part]) -> Figure:
    """Requests per second a day, one part after the other with a gap between them."""
    points = [point for part in parts for point in part.points]
    days = [point.on.isoformat() for point in points]
    faint = {"width": 0, "color": "--s0"}
    traces: list[Figure] = [
        {"x": days, "y": [p.least for p in points], "mode": "lines", "line": faint, "hoverinfo": "skip"},
        {"x": days, "y": [p.most for p in points], "mode": "lines", "line": faint, "hoverinfo": "skip"}
        | {"fill": "tonexty", "fillcolor": "--line"},
        {
            "x": days,
            "y": [p.center for p in points],
            "mode": "markers",
            "marker": {"color": "--s0", "size": 5, "opacity": 0.45},
            "hovertext": [_hover(p) for p in points],
            "hoverinfo": "text",
        },
        _centers(parts),
    ]
    shapes = [_edge(part.points[0].on) for part in parts[1:]]
    axes = {"xaxis": axis("", type="date") | _few(points), "yaxis": axis("requests per second", rangemode="tozero")}
    return {"data": [{"type": "scatter"} | trace for trace in traces], "layout": layout(HEIGHT, shapes=shapes, **axes)}


def _few(points: Sequence[Point]) -> Figure:
    """Of few days each has its tick: Plotly would tell hours of them, and of a single one milliseconds."""
    if not 0 < len(points) < FEW:
        return {}
    first, last = points[0].on - timedelta(days=1), points[-1].on + timedelta(days=1)
    days = [point.on.isoformat() for point in points]
    return {"tickvals": days, "tickformat": "%-d %b %Y", "range": [first.isoformat(), last.isoformat()]}


def _centers(parts: Sequence[Part]) -> Figure:
    """Each part's centre from its first day to its last; None breaks the line."""
    days: list[str | None] = []
    values: list[float | None] = []
    for part in parts:
        days += [part.points[0].on.isoformat(), part.points[-1].on.isoformat(), None]
        values += [part.center, part.center, None]
    line = {"color": "--ink", "width": 2.5}
    return {"x": days, "y": values, "mode": "lines", "line": line, "hoverinfo": "skip"}


def _edge(on: date) -> Figure:
    """A dotted upright line on the day of a change."""
    line = {"color": "--muted", "width": 1, "dash": "dot"}
    return {"type": "line", "x0": on.isoformat(), "x1": on.isoformat(), "yref": "paper", "y0": 0, "y1": 1, "line": line}


def _hover(point: Point) -> str:
    low, high = plain(point.least), plain(point.most)
    return f"{point.on.isoformat()}<br>{plain(point.center)} requests per second, n={point.n}<br>{low} to {high}"
