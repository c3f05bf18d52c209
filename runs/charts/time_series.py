"""Charts of values over time: stacked layers, lines, and small multiples of lines, with the runs marked on them.

`describe` says what is shown, which `svg` draws; `encode` makes Plotly's figures of the same description. Their points are
delta-encoded: a trace has "delta": {"x": [first, difference, ...], "y": [...], "gaps": [places]} in place of x and y, which
static/js/overtime.js restores. That halves the compressed size.

    {"second": 1000, "tick": 1000, "unit": 0.03125, "panels": [{"data": [...], "layout": {...}}], "ends": [first, last]}

x adds up to numbers of `tick`, y to numbers of `unit`; before each of the places in `gaps` the line is interrupted. `tick`
and `second` are in the unit of the figure's x axis (ms for a clock). `ends` are the first and last time of all samples, in
seconds (or numbers of samples, where no time is known).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from runs.charts import MOST_LINES, Axis, Band, Chart, Key, Line, Mark, Panel, Span, cut, make_linear_axis, paint
from runs.charts.plotly import NUMBERS, Figure, as_text, axis, layout
from runs.charts.timeline import (
    DAY_S,
    NO_PLACES,
    Floats,
    TimeAxis,
    Timeline,
    Trace,
    Whole,
    add_neighbours,
    clip_timeline,
    find_gaps,
    make_time_ticks,
    select_samples,
    thin_together,
    thin_values,
)

HEIGHT, SMALL = 300, 230  # pixels; the pages keep boxes of these heights free
AXES = 75  # of these, for the unit and the time in pictures
TITLES = {
    TimeAxis.CLOCK: "clock of the monitor",
    TimeAxis.SINCE: "seconds since the run began",
    TimeAxis.SAMPLE: "sample",
}
TOTAL = "total"
STEPS = 4096  # of the largest value: a screen has fewer pixels, and a hover box shows four digits
FRACTIONS = 100  # of a second, where a clock has fractions
MOST_RUNS, MOST_MIDNIGHTS = 200, 400  # more would cover the chart
LETTER_PX = 7


@dataclass(frozen=True, slots=True)
class RunSpan:
    """A run's span in seconds of the day; an end past midnight is above 86400, None where it is not known."""

    name: str
    start_s: float
    end_s: float | None
    url: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What a chart shows: the time from `low` to `high` (None: from the first, to the last) on about `points` pixels.

    most_points: of a line or layer, where fewer are enough.
    """

    points: int
    low: float | None = None
    high: float | None = None
    runs: Sequence[RunSpan] = ()
    most_points: int = 10_000

    @property
    def thinned(self) -> int:
        return min(self.points, self.most_points)


def describe(
    when: Timeline,
    panels: Sequence[tuple[str, Sequence[Trace]]],
    view: View,
    name: tuple[str, str] = ("", ""),
    *,
    stacked: bool = False,
    shared: bool = False,
    most: float | None = None,
    total: bool = False,
) -> Chart:
    """A panel for each (unit, traces): layers on each other from zero, or at most MOST_LINES lines.

    name     of the chart, and its title
    shared   all panels have the same y axis
    most     the end of the y axis, if not above the highest value
    total    with a line of the layers' sum
    """
    part = clip_timeline(when, view.low, view.high)
    shown = [
        (unit, _select_known(traces, part) if stacked else select_samples(traces[:MOST_LINES], part))
        for unit, traces in panels
    ]
    tops = [
        most or _find_highest([Trace("", _add_up(traces))] if stacked and traces else traces) or 1.0
        for _, traces in shown
    ]
    low, high = _ends(when, view)
    x = Axis(low, high, make_time_ticks(low, high, when.kind is TimeAxis.CLOCK), TITLES[when.kind])
    spans = (*_mark_runs(when, view), *_mark_midnights(when))
    drawn = [
        Panel(
            x,
            make_linear_axis(max(tops) if shared else top, unit, end=most or 0.0),
            (
                *spans,
                *(_describe_layers(part, traces, view, total) if stacked else _describe_lines(part, traces, view)),
            ),
            height=(HEIGHT if stacked else SMALL) - AXES,
        )
        for (unit, traces), top in zip(shown, tops, strict=True)
    ]
    first = panels[0][1]
    key = tuple(Key(trace.name, paint=trace.paint) for trace in first) if stacked else ()
    key += (Key(TOTAL, paint="ink"),) if total else ()
    names = ", ".join(trace.name for trace in first[:MOST_LINES])
    columns = 1 if stacked or len(drawn) == 1 else 2
    return Chart(*name, tuple(drawn), key, summary=f"{len(part.at)} samples: {names}", columns=columns)


def _select_known(traces: Sequence[Trace], when: Timeline) -> list[Trace]:
    """Those that have a value there, painted by their place among all."""
    painted = [replace(trace, paint=trace.paint or paint(place)) for place, trace in enumerate(traces)]
    return [trace for trace in select_samples(painted, when) if not np.isnan(trace.values).all()]


def _add_up(traces: Sequence[Trace]) -> Floats:
    """The sum of the layers; NaN where none has a value."""
    values = np.array([trace.values for trace in traces])
    return np.where(np.isnan(values).all(axis=0), np.nan, np.nan_to_num(values).sum(axis=0))


def _find_highest(traces: Sequence[Trace]) -> float:
    # Of NaN and a number, fmax gives the number.
    return max((float(np.fmax.reduce(trace.values, initial=0.0)) for trace in traces), default=0.0)


def _ends(when: Timeline, view: View) -> tuple[float, float]:
    """The first and the last second that are drawn."""
    first, last = when.ends
    low, high = view.low if view.low is not None else first, view.high if view.high is not None else last
    return low, max(high, low + 1e-3)


def _mark_runs(when: Timeline, view: View) -> Iterator[Span]:
    """One that is too narrow for its name gets its number, which the page explains, or nothing beside another's name."""
    low, high = _ends(when, view)
    px = view.points / (high - low)
    free = low  # the end of the last name
    for number, run in place_runs(view.runs, when)[:MOST_RUNS]:
        start, end = max(run.start_s, low), min(run.end_s or run.start_s, high)
        text = ""
        if free <= start <= end:
            text = run.name if (end - start) * px > len(run.name) * LETTER_PX else str(number)
            free = start + (len(text) + 1) * LETTER_PX / px
        yield Span(run.start_s, run.end_s or run.start_s, "ink", text)


def place_runs(runs: Sequence[RunSpan], when: Timeline) -> list[tuple[int, RunSpan]]:
    """The runs in the timeline's own time, with their numbers from 1: those whose day is certain, and no others."""
    if when.kind is TimeAxis.SAMPLE or not len(when.at):
        return []
    low, high = when.ends
    days = range(int((low + when.offset) // DAY_S) - 1, int((high + when.offset) // DAY_S) + 1)
    placed = []
    for number, run in enumerate(runs, 1):
        length = (run.end_s - run.start_s) if run.end_s is not None else 0.0
        starts = [run.start_s + DAY_S * day - when.offset for day in days]
        inside = [start for start in starts if start <= high and start + length >= low]
        if len(inside) == 1:
            placed.append((number, RunSpan(run.name, inside[0], inside[0] + length)))
    return placed


def _mark_midnights(when: Timeline) -> list[Span]:
    first, last = when.ends
    days = range(int(first // DAY_S) + 1, int(last // DAY_S) + 1) if when.kind is TimeAxis.CLOCK else range(0)
    return [Span(day * DAY_S, day * DAY_S, "muted") for day in days[:MOST_MIDNIGHTS]]


def _describe_layers(when: Timeline, traces: Sequence[Trace], view: View, total: bool) -> Iterator[Mark]:
    """An area for each layer between two gaps, all layers of one stretch after those of the one before; then their sum."""
    places = thin_together([trace.values for trace in traces], view.thinned, add_neighbours(when.gaps))
    stretches = [group for group in np.split(places, np.searchsorted(places, when.gaps)) if len(group)]
    sums: list[tuple[Floats, Floats]] = []
    for group in stretches if traces else ():
        at, values = when.at[group], [trace.values[group] for trace in traces]
        if len(group) == 1:  # an area needs two ends
            at, values = np.append(at, at + when.step), [np.repeat(value, 2) for value in values]
        base = np.zeros(len(at))
        for trace, own in zip(traces, values, strict=True):
            top = base + own
            yield Band(trace.paint, at, base, top, trace.name, solid=True)
            base = np.where(np.isnan(own), base, top)
        sums.append((at, np.where(np.isnan(values).all(axis=0), np.nan, base)))
    if total and sums:
        broken = [(np.insert(at, 0, at[0]), np.insert(top, 0, np.nan)) for at, top in sums]
        x, y = (np.concatenate(parts)[1:] for parts in zip(*broken, strict=True))
        yield Line("ink", x, y, TOTAL)


def _describe_lines(when: Timeline, traces: Sequence[Trace], view: View) -> Iterator[Line]:
    for place, trace in enumerate(traces):
        known = ~np.isnan(trace.values)
        at, values = when.at[known], trace.values[known]
        if not len(values):
            continue
        gaps = when.gaps if len(at) == len(when.at) else find_gaps(at, when.step)
        chosen = thin_values(values, view.thinned, add_neighbours(gaps))
        at, values = at[chosen], values[chosen]
        if len(gaps) or len(at) == 1:
            before = np.searchsorted(chosen, gaps)
            at, values, gaps = _extend_lone_points(when.step, at, values, before[before < len(chosen)])
            at, values = np.insert(at, gaps, at[gaps]), np.insert(values, gaps, np.nan)
        yield Line(trace.paint or paint(place), at, values, trace.name, end=cut(trace.name, 16))


def _extend_lone_points(step: float, at: Floats, values: Floats, gaps: Whole) -> tuple[Floats, Floats, Whole]:
    """A process that was seen once is a point, which a line does not show: it becomes a dash as long as a step."""
    edges = np.concatenate([[0], gaps, [len(at)]])
    lone = edges[:-1][np.diff(edges) == 1]
    moved = gaps + np.searchsorted(lone, gaps)
    return np.insert(at, lone + 1, at[lone] + step), np.insert(values, lone + 1, values[lone]), moved


# --- the same for Plotly ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Encoding:
    """How a figure's points are written: `per_second` ticks of time, values in numbers of `unit`. second: on the x axis."""

    second: int
    per_second: int
    unit: float
    step: float

    def encode(self, at: Floats, values: Floats, gaps: Whole = NO_PLACES) -> dict[str, Any]:
        delta: dict[str, Any] = {"x": _differences(at * self.per_second), "y": _differences(values * (1 / self.unit))}
        return {"delta": delta | ({"gaps": gaps} if len(gaps) else {})}


def _differences(values: Floats) -> Whole:
    whole: Whole = np.rint(values).astype(np.int64)
    whole[1:] -= whole[:-1].copy()
    return whole


def encode(chart: Chart, when: Timeline, view: View) -> Figure:
    """A figure for each panel of what `describe` gives for this timeline and view."""
    lowest = min(panel.y.high for panel in chart.panels if isinstance(panel.y, Axis))
    per_second = FRACTIONS if when.kind is not TimeAxis.SAMPLE and (when.at != np.rint(when.at)).any() else 1
    second = 1000 if when.kind is TimeAxis.CLOCK else 1
    own = _Encoding(second, per_second, 2.0 ** math.floor(math.log2(lowest / STEPS)), when.step)
    return {
        "second": second,
        "tick": second / per_second,
        "unit": own.unit,
        "panels": [_encode_panel(panel, own, when.kind is TimeAxis.CLOCK, view) for panel in chart.panels],
        "ends": when.ends,
    }


def _encode_panel(panel: Panel, own: _Encoding, clock: bool, view: View) -> Figure:
    layers = [mark for mark in panel.marks if isinstance(mark, Band)]
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    unit = panel.y.title if isinstance(panel.y, Axis) else ""
    top = panel.y.high if isinstance(panel.y, Axis) else 0.0
    y = axis(unit, rangemode="tozero", tickformat=NUMBERS, hoverformat=".4~r", range=[0, top])
    small = panel.height < HEIGHT - AXES
    spans = [mark for mark in panel.marks if isinstance(mark, Span)]
    across = _make_time_axis(panel.x, spans, own.second, clock, small=small, ticks=max(4, view.points // 100))
    parts = layout(SMALL if small else HEIGHT, yaxis=y, hovermode="x unified" if layers else "closest", **across)
    data = [*_encode_layers(layers, own, unit), *(_encode_line(line, own, unit, bool(layers)) for line in lines)]
    return {"data": data, "layout": parts}


def _encode_layers(layers: Sequence[Band], own: _Encoding, unit: str) -> Iterator[Figure]:
    """Plotly stacks layers at times that grow: where the clock was set back another group begins."""
    n = len({area.name for area in layers})
    stretches = [layers[first : first + n] for first in range(0, len(layers), n or 1)]
    starts = [at for at in range(len(stretches)) if not at or stretches[at][0].x[0] < stretches[at - 1][0].x[-1]]
    for first, end in zip(starts, [*starts[1:], len(stretches)], strict=False):  # no end where nothing starts
        group = f"s{first}"
        if end - first > 1:
            yield _encode_edges([areas[0].x for areas in stretches[first:end]], own, group)
        for areas in zip(*stretches[first:end], strict=True):
            at = np.concatenate([area.x for area in areas])
            values = np.concatenate([np.subtract(area.high, area.low) for area in areas])
            known = ~np.isnan(values)
            name, shade = as_text(cut(areas[0].name, 40)), f"--{areas[0].paint}"
            style = {"line": {"width": 0, "color": shade}, "fillcolor": shade}
            hover = {"hovertemplate": f"%{{y:.4~r}} {unit}<extra>{name}</extra>"}
            yield {"type": "scatter", "mode": "lines", "name": name, "legendgroup": name, "stackgroup": group} | (
                style | hover | own.encode(at[known], values[known])
            )


def _encode_edges(stretches: Sequence[Sequence[float] | Floats], own: _Encoding, group: str) -> Figure:
    """A layer of zeros at both sides of each gap only: Plotly takes the other layers as zero there."""
    near = max(1 / own.per_second, own.step / 10)
    ends = ((before[-1] + near, after[0] - near) for before, after in zip(stretches, stretches[1:], strict=False))
    edges = np.sort(np.array(list(ends)).ravel())
    hidden = {"hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    return {"type": "scatter", "mode": "lines", "stackgroup": group} | hidden | own.encode(edges, np.zeros(len(edges)))


def _encode_line(line: Line, own: _Encoding, unit: str, over_layers: bool) -> Figure:
    at, values = np.asarray(line.x, float), np.asarray(line.y, float)
    gaps = np.flatnonzero(np.isnan(values))
    when = (
        f"<extra>{as_text(line.name)}</extra>"
        if over_layers
        else f", %{{x}}<br>{as_text(line.name[:90])}<extra></extra>"
    )
    return {
        "type": "scatter",
        "mode": "lines",
        "name": as_text(cut(line.name, 40)),
        "line": {"width": 1.5, "color": f"--{line.paint}"},
        "hovertemplate": f"%{{y:.4~r}} {unit}{when}",
        **own.encode(np.delete(at, gaps), np.delete(values, gaps), gaps - np.arange(len(gaps))),
    }


def _make_time_axis(
    time: Axis, spans: Sequence[Span], second: int, clock: bool, *, small: bool, ticks: int
) -> dict[str, Any]:
    """The x axis, with the runs and midnights marked on it."""
    extra: dict[str, Any] = {"type": "linear", "hoverformat": ",.0f"}
    if clock:
        extra = {"type": "date", "tickformat": "%H:%M:%S", "hoverformat": "%H:%M:%S"}
    ends = [time.low * second, time.high * second]
    x = axis("" if small else time.title, range=ends, showgrid=False, zeroline=False, nticks=ticks, **extra)
    shapes = [shape for span in spans for shape in _draw_span(span, second)]
    names = [_name_span(span, max(span.low, time.low) * second) for span in spans if span.text]
    margin = {"l": 56, "r": 16, "t": 24 if names else 12, "b": 28 if small else 44}
    marks = {"shapes": shapes, "annotations": names}
    return {"xaxis": x | {"fixedrange": False}, "dragmode": "zoom", "margin": margin, **marks}


def _draw_span(span: Span, second: int) -> Iterator[Figure]:
    """A run as an area with a strip above the plot, a midnight as a line."""
    place: Figure = {"xref": "x", "yref": "paper", "x0": span.low * second, "x1": span.high * second}
    shade = f"--{span.paint}"
    if span.paint == "muted":
        yield place | {"type": "line", "y0": 0, "y1": 1, "line": {"color": shade, "width": 1, "dash": "dot"}}
        return
    for y0, y1, opacity in ((0, 1, 0.09), (1, 1.02, 0.8)):
        style = {"fillcolor": shade, "opacity": opacity, "line": {"color": shade, "width": 0 if y0 else 1}}
        yield place | {"type": "rect", "y0": y0, "y1": y1} | style


def _name_span(span: Span, at: float) -> Figure:
    place = {"xref": "x", "yref": "paper", "x": at, "y": 1.02, "xanchor": "left", "yanchor": "bottom"}
    return place | {"showarrow": False, "text": as_text(span.text), "font": {"size": 11, "color": "--muted"}}
