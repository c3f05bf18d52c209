"""How is latency spread? The percentile spectrum: x = 1/(1-p) on a log axis, one line a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runs.charts import MOST_LINES, Figure, axis, color, layout, plain, short, symbol

TICKS = ("50", "90", "95", "99", "99.9", "99.99", "99.999", "99.9999")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
COLUMNS = 2
TOO_FAR = 30
MOST_PANELS = 24
MOST_MARKERS = 20  # more on one line hide it


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


def needs_log_axis(lines: Sequence[Line]) -> bool:
    """Whether a linear axis would press most of the lines flat: the slowest is far beyond a usual median."""
    values = sorted(value for line in lines for value in line.percentiles_ms.values() if value > 0)
    return bool(values) and values[-1] > TOO_FAR * values[len(values) // 2]


def latency_figure(lines: Sequence[Line], *, log: bool = False) -> Figure:
    """Up to ten lines on one pair of axes; more become small multiples, one a config, with the same y."""
    small = len(lines) > MOST_LINES
    places = list(dict.fromkeys(line.place for line in lines))[:MOST_PANELS] if small else [0]
    total = {place: sum(line.place == place for line in lines) for place in places}
    lines = _select_lines(lines, places) if small else lines
    traces = [_trace(line, places.index(line.place) + 1 if small else 1, log) for line in lines]
    rows = math.ceil(len(places) / COLUMNS) if small else 1
    parts = layout(
        170 * rows + 60 if small else 380,
        hovermode="closest" if small else "x unified",
        showlegend=not small,
        margin={"l": 60, "r": 16, "t": 24 if small else 40, "b": 44},
    )
    furthest = max((x for trace in traces for x in trace["x"]), default=100.0)
    for at in range(len(places)):
        parts |= _axes(at, furthest, log=log, matched=small)
    if small:
        parts["grid"] = {"rows": rows, "columns": COLUMNS, "pattern": "independent", "ygap": 0.35, "xgap": 0.12}
        parts["annotations"] = [_heading(at, lines, place, total[place]) for at, place in enumerate(places)]
    return {"data": traces, "layout": parts}


def _select_lines(lines: Sequence[Line], places: Sequence[int]) -> list[Line]:
    """At most ten lines a panel: more cannot be told apart."""
    return [line for place in places for line in [line for line in lines if line.place == place][:MOST_LINES]]


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


def _trace(line: Line, axes: int, log: bool) -> Figure:
    dots = points(line)
    suffix = "" if axes == 1 else str(axes)
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(dots) <= MOST_MARKERS else "lines",
        "name": short(line.name, 40),
        "x": [x for x, _, _ in dots],
        # A log axis has no place for nought, which ab prints for anything under half a millisecond.
        "y": [None if log and not y else y for _, y, _ in dots],
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "line": {"color": color(line.place), "width": 2, "dash": DASHES[(line.repeat - 1) % len(DASHES)]},
        "marker": {"color": color(line.place), "symbol": symbol(line.place), "size": 6},
        "hovertext": [f"{short(line.name, 40)}: {words}" for _, _, words in dots],
        "hoverinfo": "text",
    }


def _axes(at: int, furthest: float, *, log: bool, matched: bool) -> Figure:
    suffix = "" if at == 0 else str(at + 1)
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
    return {f"xaxis{suffix}": x, f"yaxis{suffix}": y}


def _heading(at: int, lines: Sequence[Line], place: int, total: int) -> Figure:
    suffix = "" if at == 0 else str(at + 1)
    name = next(line.config or line.name for line in lines if line.place == place)
    return {
        "text": short(name, 36) + (f" ({MOST_LINES} of {total} runs)" if total > MOST_LINES else ""),
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix} domain",
        "x": 0,
        "y": 1.14,
        "showarrow": False,
        "xanchor": "left",
        "font": {"size": 12, "color": color(place)},
    }
