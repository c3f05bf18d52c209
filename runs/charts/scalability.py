"""How does it scale with concurrency? Two stacked panels, req/s and latency, over the clients at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from runs.charts import MOST_LINES, Figure, axis, color, layout, plain, short, symbol

# Levels that lie further apart than this get a log axis: on a linear one the low ones would stand on one spot.
WIDE = 30
HEIGHT, LEGEND_ROW, LABEL_ROW = 430, 22, 15
TOP, BOTTOM = [0.46, 1.0], [0.0, 0.36]


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


@dataclass(slots=True)
class _Ends:
    low: float
    high: float
    log: bool = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.low > 0 and self.high > WIDE * self.low


def scaling_figure(curves: Sequence[Curve]) -> Figure:
    """At most ten sweeps: every repeat a dot, the law a line with its band, its peak a dotted line."""
    drawn = [curve for curve in curves if curve.dots][:MOST_LINES]
    ends = _ends(drawn)
    several = len(drawn) > 1
    marked = [curve for curve in drawn if curve.peak]
    traces = [trace for curve in drawn for trace in _rates(curve) + _times(curve)]
    tails = list(dict.fromkeys(curve.tail for curve in drawn if any(dot.ms is not None for dot in curve.dots)))
    below = bool(tails)
    top = 14 + LABEL_ROW * len(marked) + (LEGEND_ROW * math.ceil(len(drawn) / 3) if several else 0)
    parts = layout(
        (HEIGHT if below else HEIGHT // 2 + 40) + top,
        margin={"l": 64, "r": 20, "t": top, "b": 46},
        hovermode="closest",
        showlegend=several,
        xaxis=_clients(ends, drawn, "y2" if below else "y"),
        yaxis=axis("requests per second", rangemode="tozero", domain=TOP if below else [0, 1], anchor="x"),
        shapes=[shape for curve in marked for shape in _peak(curve)],
        annotations=[_label(curve, ends, row, several) for row, curve in enumerate(marked)],
    )
    if below:
        parts["yaxis2"] = axis(f"ms, {' or '.join(tails)}", rangemode="tozero", domain=BOTTOM, anchor="x")
    return {"data": traces, "layout": parts}


def _ends(curves: Sequence[Curve]) -> _Ends:
    every = [dot.n for curve in curves for dot in curve.dots] or [1.0]
    return _Ends(min(every), max(every))


def _clients(ends: _Ends, curves: Sequence[Curve], anchor: str) -> Figure:
    """Ticks stand at the levels, as far as these are few."""
    levels = sorted({dot.n for curve in curves for dot in curve.dots})
    ticks: Figure = {}
    if ends.log and len(levels) <= 12:
        ticks = {"tickmode": "array", "tickvals": levels, "ticktext": [plain(n) for n in levels]}
    scale: Figure = {"type": "log"} if ends.log else {"rangemode": "tozero"}
    return axis("clients at once (concurrency)", anchor=anchor, **scale, **ticks)


def _rates(curve: Curve) -> list[Figure]:
    traces = [_dots(curve, "y", [(dot.n, dot.rate) for dot in curve.dots], "requests/s")]
    traces[0] |= {"name": short(curve.name, 40), "legendgroup": str(curve.place), "showlegend": True}
    if not curve.band:
        return traces
    x = [n for n, *_ in curve.band]
    law: Figure = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": [rate for _, rate, _, _ in curve.band],
        "line": {"color": color(curve.place), "width": 2},
        "hoverinfo": "skip",
        "legendgroup": str(curve.place),
        "showlegend": False,
    }
    band: Figure = {
        "type": "scatter",
        "mode": "lines",
        "x": x + x[::-1],
        "y": [low for _, _, low, _ in curve.band] + [high for *_, high in reversed(curve.band)],
        "fill": "toself",
        "fillcolor": color(curve.place),
        "opacity": 0.15,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "legendgroup": str(curve.place),
        "showlegend": False,
    }
    return [band, law, *traces]


def _times(curve: Curve) -> list[Figure]:
    found = [(dot.n, dot.ms) for dot in curve.dots if dot.ms is not None]
    if not found:
        return []
    dots = _dots(curve, "y2", found, "ms")
    line: Figure = {
        "type": "scatter",
        "mode": "lines",
        "x": list(dict.fromkeys(sorted(n for n, _ in found))),
        "y": [_mean([ms for n, ms in found if n == level]) for level in sorted({n for n, _ in found})],
        "yaxis": "y2",
        "line": {"color": color(curve.place), "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }
    return [trace | {"legendgroup": str(curve.place), "showlegend": False} for trace in (line, dots)]


def _dots(curve: Curve, yaxis: str, points: Sequence[tuple[float, float]], unit: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [n for n, _ in points],
        "y": [value for _, value in points],
        "yaxis": yaxis,
        "marker": {
            "color": color(curve.place),
            "symbol": symbol(curve.place),
            "size": 8,
            "line": {"color": "--box", "width": 1},
        },
        "hovertext": [
            f"<b>{short(curve.name, 40)}</b><br>{plain(value)} {unit} at {plain(n)} clients" for n, value in points
        ],
        "hoverinfo": "text",
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _peak(curve: Curve) -> list[Figure]:
    """A line through both panels where the peak is, and how far it may be off."""
    if curve.peak is None:
        return []
    at, low, high = curve.peak
    place: Figure = {"xref": "x", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    line: Figure = place | {"type": "line", "x0": at, "x1": at}
    line["line"] = {"color": color(curve.place), "width": 1.5, "dash": "dash"}
    span = place | {"type": "rect", "x0": low, "x1": high, "fillcolor": color(curve.place), "opacity": 0.08}
    return [span | {"line": {"width": 0}}, line]


def _label(curve: Curve, ends: _Ends, row: int, several: bool) -> Figure:
    """One over the other above the panels, since peaks may lie close. A log axis takes a place as its logarithm."""
    at, low, high = curve.peak or (0.0, 0.0, 0.0)
    whose = f"{short(curve.name, 24)}: " if several else ""
    place = (_log10(at), _log10(ends.low), _log10(ends.high)) if ends.log else (at, 0.0, ends.high)
    return {
        "xref": "x",
        "yref": "paper",
        "x": place[0],
        "y": 1,
        "yshift": LABEL_ROW * row,
        "yanchor": "bottom",
        "xanchor": "right" if place[0] > (place[1] + place[2]) / 2 else "left",
        "showarrow": False,
        "text": f"{whose}peak at {plain(round(at))} ({plain(round(low))} to {plain(round(high))})",
        "font": {"size": 11, "color": color(curve.place)},
    }


def _log10(value: float) -> float:
    return math.log10(value) if value > 0 else 0.0
