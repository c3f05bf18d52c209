"""Curves: latency over the percentiles, and requests and latency over the clients at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from runs.charts import MOST_LINES, Figure, axis, color, label, layout, marker, plain, scatter, suffix, symbol

TICKS = ("50", "90", "95", "99", "99.9", "99.99", "99.999", "99.9999")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
COLUMNS = 2
MUCH_SLOWER = 30  # times the median
MOST_PANELS = 24
MOST_MARKERS = 20  # more on one line hide it
WIDE = 30  # times the lowest level: levels that lie further apart get a log axis
HEIGHT, LEGEND_ROW, LABEL_ROW = 430, 22, 15
TOP, BOTTOM = [0.46, 1.0], [0.0, 0.36]


@dataclass(frozen=True, slots=True)
class Line:
    """One run: per cent as text -> ms. "100" is its longest of `n` requests. `notes` go into the hover box."""

    name: str
    place: int
    repeat: int
    percentiles_ms: Mapping[str, float]
    n: int | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    config: str = ""


def position(percent: float) -> float:
    """Where a percentile stands on the x axis: 50 -> 2, 90 -> 10, 99 -> 100."""
    return round(1 / (1 - percent / 100), 6)


def uses_log_axis(lines: Sequence[Line], scale: str = "") -> bool:
    """Whether the time axis is logarithmic: as `scale` ("log" or "linear") says, else where most lines would be pressed flat."""
    if scale in ("log", "linear"):
        return scale == "log"
    values = sorted(value for line in lines for value in line.percentiles_ms.values() if value > 0)
    return bool(values) and values[-1] > MUCH_SLOWER * values[len(values) // 2]


def latency_figure(lines: Sequence[Line], scale: str = "") -> Figure:
    """Up to ten lines on one pair of axes; more become small multiples, one a config, with the same y."""
    log = uses_log_axis(lines, scale)
    small = len(lines) > MOST_LINES
    total = Counter([line.place for line in lines])
    places = list(total)[:MOST_PANELS] if small else [0]
    if small:  # at most ten lines a panel: more cannot be told apart
        lines = [line for place in places for line in [line for line in lines if line.place == place][:MOST_LINES]]
    traces = [_percentile_trace(line, places.index(line.place) + 1 if small else 1, log) for line in lines]
    rows = math.ceil(len(places) / COLUMNS) if small else 1
    parts = layout(
        170 * rows + 60 if small else 380,
        hovermode="closest" if small else "x unified",
        showlegend=not small,
        margin={"l": 60, "r": 16, "t": 24 if small else 40, "b": 44},
    )
    furthest = max([x for trace in traces for x in trace["x"]], default=100.0)
    for at in range(len(places)):
        parts |= _percentile_axes(at, furthest, log=log, matched=small)
    if small:
        parts["grid"] = {"rows": rows, "columns": COLUMNS, "pattern": "independent", "ygap": 0.35, "xgap": 0.12}
        parts["annotations"] = [_panel_heading(at, lines, place, total[place]) for at, place in enumerate(places)]
    return {"data": traces, "layout": parts}


def points(line: Line) -> list[tuple[float, float, str]]:
    """(x, ms, hover words) of one run. The longest request stands where 1 of n is left, if n is known."""
    found = []
    for percent, value in sorted(line.percentiles_ms.items(), key=lambda item: float(item[0])):
        if float(percent) < 100:
            words = f"{percent} % within <b>{plain(value)} ms</b>{line.notes.get(percent, '')}"
            found.append((position(float(percent)), value, words))
        elif line.n and line.n > 1 and (not found or line.n > found[-1][0]):
            words = f"longest <b>{plain(value)} ms</b>{line.notes.get(percent, '')}"
            found.append((float(line.n), value, words))
    return found


def _percentile_trace(line: Line, axes: int, log: bool) -> Figure:
    dots = points(line)
    return scatter(
        "lines+markers" if len(dots) <= MOST_MARKERS else "lines",
        [x for x, _, _ in dots],
        # A log axis has no place for zero, which some tools print for anything under half a millisecond.
        [None if log and not y else y for _, y, _ in dots],
        name=label(line.name, 40),
        xaxis=f"x{suffix(axes)}",
        yaxis=f"y{suffix(axes)}",
        line={"color": color(line.place), "width": 2, "dash": DASHES[(line.repeat - 1) % len(DASHES)]},
        marker={"color": color(line.place), "symbol": symbol(line.place), "size": 6},
        hovertext=[f"{label(line.name, 40)}: {words}" for _, _, words in dots],
        hoverinfo="text",
    )


def _percentile_axes(at: int, furthest: float, *, log: bool, matched: bool) -> Figure:
    ticks = [tick for tick in TICKS if position(float(tick)) <= furthest * 1.01] or list(TICKS[:4])
    x = axis(
        "" if matched else "% of requests answered within the time",
        type="log",
        tickmode="array",
        tickvals=[position(float(tick)) for tick in ticks],
        ticktext=list(ticks),
        tickangle=0,
        # Where 1/(1-p) would be the box's title; each line in it says its per cent itself.
        unifiedhovertitle={"text": " "},
        range=[math.log10(1.9), math.log10(furthest * 1.15)],
    )
    y = axis("" if matched else "ms", type="log" if log else "linear", rangemode="tozero")
    if log:
        y["dtick"] = "D2"  # 1, 2 and 5 of each decade; Plotly's own choice crowds two decades
    if matched and at:
        y |= {"matches": "y"}
    return {f"xaxis{suffix(at + 1)}": x, f"yaxis{suffix(at + 1)}": y}


def _panel_heading(at: int, lines: Sequence[Line], place: int, total: int) -> Figure:
    name = next(line.config or line.name for line in lines if line.place == place)
    return {
        "text": label(name, 36) + (f" ({MOST_LINES} of {total} runs)" if total > MOST_LINES else ""),
        "xref": f"x{suffix(at + 1)} domain",
        "yref": f"y{suffix(at + 1)} domain",
        "x": 0,
        "y": 1.14,
        "showarrow": False,
        "xanchor": "left",
        "font": {"size": 12, "color": color(place)},
    }


@dataclass(frozen=True, slots=True)
class Dot:
    """One repeat: clients at once, requests/s, and ms where the tool told them."""

    n: float
    rate: float
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One config's sweep. `band` are (clients, requests/s, low, high) of the fitted law.

    peak    (clients, lowest, highest) where the law has its peak, if that is within what was measured
    tail    what the ms are: "95 % within" or "mean"
    """

    name: str
    place: int
    dots: tuple[Dot, ...]
    band: tuple[tuple[float, float, float, float], ...] = ()
    peak: tuple[float, float, float] | None = None
    tail: str = "95 % within"


def scaling_figure(curves: Sequence[Curve]) -> Figure:
    """At most ten sweeps: every repeat a dot, the law a line with its band, its peak a dotted line."""
    drawn = [curve for curve in curves if curve.dots][:MOST_LINES]
    levels = sorted({dot.n for curve in drawn for dot in curve.dots}) or [1.0]
    log = levels[0] > 0 and levels[-1] > WIDE * levels[0]
    several = len(drawn) > 1
    marked = [curve for curve in drawn if curve.peak]
    traces = [trace for curve in drawn for trace in _rate_traces(curve) + _latency_traces(curve)]
    tails = list(dict.fromkeys(curve.tail for curve in drawn if any(dot.ms is not None for dot in curve.dots)))
    below = bool(tails)
    top = 14 + LABEL_ROW * len(marked) + (LEGEND_ROW * math.ceil(len(drawn) / 3) if several else 0)
    parts = layout(
        (HEIGHT if below else HEIGHT // 2 + 40) + top,
        margin={"l": 64, "r": 20, "t": top, "b": 46},
        hovermode="closest",
        showlegend=several,
        xaxis=_clients_axis(levels, "y2" if below else "y", log=log),
        yaxis=axis("requests per second", rangemode="tozero", domain=TOP if below else [0, 1], anchor="x"),
        shapes=[shape for curve in marked for shape in _peak_shapes(curve)],
        annotations=[_peak_label(curve, levels, row, several=several, log=log) for row, curve in enumerate(marked)],
    )
    if below:
        parts["yaxis2"] = axis(f"ms, {' or '.join(tails)}", rangemode="tozero", domain=BOTTOM, anchor="x")
    return {"data": traces, "layout": parts}


def _clients_axis(levels: Sequence[float], anchor: str, *, log: bool) -> Figure:
    """Ticks are at the levels, if these are few."""
    ticks: Figure = {}
    if log and len(levels) <= 12:
        ticks = {"tickmode": "array", "tickvals": levels, "ticktext": [plain(n) for n in levels]}
    scale: Figure = {"type": "log"} if log else {"rangemode": "tozero"}
    return axis("clients at once (concurrency)", anchor=anchor, **scale, **ticks)


def _rate_traces(curve: Curve) -> list[Figure]:
    dots = _repeat_dots(curve, "y", [(dot.n, dot.rate) for dot in curve.dots], "requests/s")
    dots |= {"name": label(curve.name, 40), "legendgroup": str(curve.place), "showlegend": True}
    if not curve.band:
        return [dots]
    x = [n for n, *_ in curve.band]
    edge = [low for _, _, low, _ in curve.band] + [high for *_, high in reversed(curve.band)]
    area = {"fill": "toself", "fillcolor": color(curve.place), "opacity": 0.15, "line": {"width": 0}}
    hidden = {"hoverinfo": "skip", "legendgroup": str(curve.place), "showlegend": False}
    law = scatter("lines", x, [rate for _, rate, _, _ in curve.band], line={"color": color(curve.place), "width": 2})
    return [scatter("lines", x + x[::-1], edge, **area, **hidden), law | hidden, dots]


def _latency_traces(curve: Curve) -> list[Figure]:
    found = [(dot.n, dot.ms) for dot in curve.dots if dot.ms is not None]
    if not found:
        return []
    dots = _repeat_dots(curve, "y2", found, "ms")
    levels = sorted({n for n, _ in found})
    means = [fmean([ms for n, ms in found if n == level]) for level in levels]
    dotted = {"color": color(curve.place), "width": 1.5, "dash": "dot"}
    line = scatter("lines", levels, means, yaxis="y2", line=dotted, hoverinfo="skip")
    return [trace | {"legendgroup": str(curve.place), "showlegend": False} for trace in (line, dots)]


def _repeat_dots(curve: Curve, yaxis: str, points: Sequence[tuple[float, float]], unit: str) -> Figure:
    name = label(curve.name, 40)
    hovers = [f"<b>{name}</b><br>{plain(value)} {unit} at {plain(n)} clients" for n, value in points]
    x, y = [n for n, _ in points], [value for _, value in points]
    return scatter("markers", x, y, yaxis=yaxis, marker=marker(curve.place, 8), hovertext=hovers, hoverinfo="text")


def _peak_shapes(curve: Curve) -> list[Figure]:
    """A line through both panels where the peak is, and how far it may be off."""
    at, low, high = curve.peak or (0.0, 0.0, 0.0)
    place: Figure = {"xref": "x", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    line: Figure = place | {"type": "line", "x0": at, "x1": at}
    line["line"] = {"color": color(curve.place), "width": 1.5, "dash": "dash"}
    span = place | {"type": "rect", "x0": low, "x1": high, "fillcolor": color(curve.place), "opacity": 0.08}
    return [span | {"line": {"width": 0}}, line]


def _peak_label(curve: Curve, levels: Sequence[float], row: int, *, several: bool, log: bool) -> Figure:
    """One above the other over the panels, since peaks may be close. On a log axis, x is a logarithm."""
    at, low, high = curve.peak or (0.0, 0.0, 0.0)
    whose = f"{label(curve.name, 24)}: " if several else ""
    x, left, right = (math.log10(max(n, 1e-9)) for n in (at, levels[0], levels[-1])) if log else (at, 0.0, levels[-1])
    return {
        "xref": "x",
        "yref": "paper",
        "x": x,
        "y": 1,
        "yshift": LABEL_ROW * row,
        "yanchor": "bottom",
        "xanchor": "right" if x > (left + right) / 2 else "left",
        "showarrow": False,
        "text": f"{whose}peak at {plain(round(at))} ({plain(round(low))} to {plain(round(high))})",
        "font": {"size": 11, "color": color(curve.place)},
    }
