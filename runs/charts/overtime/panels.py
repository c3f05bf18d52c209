"""Strands drawn: stacked areas, lines, and small multiples of lines on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runs.charts import MOST_LINES, Figure, axis, color, layout, short

from . import bands as marks
from .bands import Band
from .lean import Lean, figure, lean
from .strands import Strand, since, thinned, thinned_together
from .timeline import DAY_S, Floats, Kind, Timeline, Whole, beside, holes, window

HEIGHT, SMALL = 300, 170  # pixels; the pages keep boxes of these heights free
TITLES = {Kind.CLOCK: "clock of the monitor", Kind.SINCE: "seconds since the run began", Kind.LOOK: "look"}


def stack(
    when: Timeline,
    strands: Sequence[Strand],
    unit: str,
    *,
    points: int,
    low: float | None = None,
    high: float | None = None,
    bands: Sequence[Band] = (),
    most: float | None = None,
) -> Figure:
    """Layers on each other from zero, the first at the bottom. `most` is where the y axis ends, if not where they do."""
    part = window(when, low, high)
    cut = since(strands, part)
    told = [one for one in cut if not np.isnan(one.figures).all()]
    made = lean(part, _highest(told))
    places = (
        thinned_together([one.figures for one in told], points, beside(made.holes)) if told else np.empty(0, np.int64)
    )
    traces = [
        trace
        for number, part_places in enumerate(_runs(places, part))
        for trace in _layers(made, told, part_places, f"s{number}", unit)
    ]
    y = axis(unit, rangemode="tozero", hoverformat=".4~r", **({"range": [0, most]} if most else {}))
    parts = layout(HEIGHT, yaxis=y, hovermode="x unified", **_time(when, part, (low, high), bands, points))
    return figure(made, [{"data": traces, "layout": parts}], n=len(part.at), ends=when.ends)


def lines(when: Timeline, groups: Sequence[tuple[str, Sequence[Strand]]], **asked: Any) -> Figure:
    """A panel for each unit: [(unit, its strands)]."""
    return grid(when, [strands for _, strands in groups], [unit for unit, _ in groups], shared=False, **asked)


def grid(
    when: Timeline,
    panels: Sequence[Sequence[Strand]],
    units: Sequence[str],
    *,
    points: int,
    low: float | None = None,
    high: float | None = None,
    bands: Sequence[Band] = (),
    shared: bool = True,
) -> Figure:
    """One chart a panel; shared: all with the same y. At most MOST_LINES lines are drawn in each."""
    part = window(when, low, high)
    cut = [since(panel[:MOST_LINES], part) for panel in panels]
    highs = [_highest(panel) for panel in cut]
    top = max(highs, default=1.0)
    made = lean(part, top if shared else min((high for high in highs if high), default=1.0))
    drawn = []
    for panel, unit, own in zip(cut, units, highs, strict=True):
        traces = [trace for place, one in enumerate(panel) if (trace := _line(made, one, place, unit, points))]
        y = axis(unit, rangemode="tozero", **({"range": [0, (top if shared else own) * 1.05 or 1]}))
        times = _time(when, part, (low, high), bands, points, small=True)
        drawn.append({"data": traces, "layout": layout(SMALL, yaxis=y, hovermode="closest", **times)})
    return figure(made, drawn, n=len(part.at), ends=when.ends)


def _highest(strands: Sequence[Strand]) -> float:
    highs = [float(np.fmax.reduce(one.figures, initial=0.0)) for one in strands]  # of NaN and a figure, the figure
    return max(highs, default=0.0)


def _runs(places: Whole, part: Timeline) -> list[Whole]:
    """The places in runs without a step back: layers need times that grow."""
    if not len(places):
        return []
    return np.split(places, np.flatnonzero(np.diff(part.parts()[places])) + 1)


def _layers(made: Lean, strands: Sequence[Strand], places: Whole, group: str, unit: str) -> list[Figure]:
    traces = [_edges(made, places, group)]
    for place, one in enumerate(strands):
        figures = one.figures[places]
        known = ~np.isnan(figures)
        shade = one.color or color(place)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": short(one.name, 40),
                "legendgroup": one.name,
                "stackgroup": group,
                "line": {"width": 0, "color": shade},
                "fillcolor": shade,
                "hovertemplate": f"%{{y:.4~r}} {unit}<extra>{short(one.name, 40)}{one.words}</extra>",
                "lean": made.trace(made.when.at[places[known]], figures[known], np.empty(0, np.int64)),
            }
        )
    return [trace for trace in traces if trace]


def _edges(made: Lean, places: Whole, group: str) -> Figure:
    """A layer of nothing that is there only at the two sides of each hole: the others are taken for zero there."""
    at, breaks = made.when.at, made.holes
    inner = breaks[(breaks > places[0]) & (breaks <= places[-1])]
    inner = inner[at[inner] - at[inner - 1] > 0]
    if not len(inner):
        return {}
    near = max(1 / made.per_second, made.when.usual / 10)
    edges = np.sort(np.concatenate([at[inner - 1] + near, at[inner] - near]))
    lean_edges = {"x": made.axis_of(edges), "y": np.zeros(len(edges), np.int64)}
    hidden = {"hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    return {"type": "scatter", "mode": "lines", "stackgroup": group, "lean": lean_edges} | hidden


def _line(made: Lean, one: Strand, place: int, unit: str, points: int) -> Figure:
    at, figures, breaks = _known(made, one.figures)
    if not len(figures):
        return {}
    chosen = thinned(figures, points, beside(breaks) if len(breaks) else None)
    at, figures = at[chosen], figures[chosen]
    if len(breaks) or len(at) == 1:
        before = np.searchsorted(chosen, breaks)
        at, figures, breaks = _dashes(made, at, figures, before[before < len(chosen)])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": short(one.name, 40),
        "line": {"width": 1.5, "color": one.color or color(place)},
        "hovertemplate": f"%{{y:.4~r}} {unit}, %{{x}}<br>{one.name[:90]}{one.words}<extra></extra>",
        "lean": made.trace(at, figures, breaks),
    }


def _known(made: Lean, figures: Floats) -> tuple[Floats, Floats, Whole]:
    """(times, figures, holes) of the looks that have a figure."""
    unknown = np.isnan(figures)
    if not unknown.any():
        return made.when.at, figures, made.holes
    at = made.when.at[~unknown]
    return at, figures[~unknown], holes(at, made.when.usual)


def _dashes(made: Lean, at: Floats, figures: Floats, breaks: Whole) -> tuple[Floats, Floats, Whole]:
    """A process that was seen once is a point, which a line does not show: it gets a dash as long as a step."""
    edges = np.concatenate([[0], breaks, [len(at)]])
    lone = edges[:-1][np.diff(edges) == 1]
    if not len(lone):
        return at, figures, breaks
    length = max(made.when.usual, 1 / made.per_second)
    moved = breaks + np.searchsorted(lone, breaks)
    return np.insert(at, lone + 1, at[lone] + length), np.insert(figures, lone + 1, figures[lone]), moved


def _time(
    when: Timeline,
    part: Timeline,
    asked: tuple[float | None, float | None],
    bands: Sequence[Band],
    points: int,
    *,
    small: bool = False,
) -> dict[str, Any]:
    """The x axis with what is marked on it."""
    factor = 1000.0 if when.kind is Kind.CLOCK else 1.0
    first, last = when.ends
    low, high = asked[0] if asked[0] is not None else first, asked[1] if asked[1] is not None else last
    extra: dict[str, Any] = {"type": "linear", "hoverformat": ",.0f"}
    if when.kind is Kind.CLOCK:
        extra = {"type": "date", "tickformat": "%H:%M:%S", "hoverformat": "%H:%M:%S"}
    x = axis(
        "" if small else TITLES[when.kind],
        range=[low * factor, max(high, low + 1e-3) * factor],
        showgrid=False,
        zeroline=False,
        nticks=max(4, points // 100),
        **extra,
    )
    found = marks.shapes(marks.placed(bands, when), factor, (low, high), points)
    found["shapes"] += [_midnight(day * DAY_S - when.offset, factor) for day in _midnights(when)]
    margin = {"l": 56, "r": 16, "t": 24 if found["annotations"] else 12, "b": 28 if small else 44}
    return {"xaxis": x | {"fixedrange": False}, "dragmode": "zoom", "margin": margin, **found}


def _midnights(when: Timeline) -> range:
    if when.kind is not Kind.CLOCK:
        return range(0)
    first, last = when.ends
    return range(int(first // DAY_S) + 1, min(int(last // DAY_S), int(first // DAY_S) + 400) + 1)


def _midnight(at: float, factor: float) -> dict[str, Any]:
    line = {"color": "--muted", "width": 1, "dash": "dot"}
    place = {"x0": at * factor, "x1": at * factor, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "paper", "line": line, **place}
