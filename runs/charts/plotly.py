"""The Plotly back end: a chart as a dict with "data" and "layout", ready for JSON.

A colour is written as the name of a style sheet variable ("--s0"); static/js/charts.js puts in what it stands for, so that
one figure serves light and dark.
"""

from __future__ import annotations

import html
import math
from typing import Any

from runs.charts import Axis, Band, Bars, Chart, Dots, Line, Mark, Panel, Span, Whisker, clean, cut, paint, symbol

Figure = dict[str, Any]
BETWEEN = 70  # px between panels: ticks, title of the axis, heading
ROW = 44
ENTRY, FREE_ENTRIES = 19, 2  # px of a line of the legend, and how many have room in the margin
NUMBERS = ",.12~g"


def as_text(words: str) -> str:
    """Words as Plotly shows them: it takes tags and %{...} in any text of a figure for its own."""
    return html.escape(clean(words), quote=False).replace("{", "&#123;")


def layout(height: int, **parts: Any) -> Figure:
    """What all charts share. Sizes in pixels; the page keeps a box of this height free, so that nothing jumps."""
    legend = {"orientation": "h", "xref": "container", "yref": "container", "x": 0, "y": 1, "yanchor": "top"}
    common: Figure = {
        "height": height,
        "margin": {"l": 60, "r": 16, "t": 30, "b": 46},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "--ink", "size": 12},
        "hoverlabel": {"bgcolor": "--box", "bordercolor": "--line", "font": {"color": "--ink"}, "align": "left"},
        "legend": legend | {"font": {"color": "--ink"}, "traceorder": "normal"},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "--muted", "activecolor": "--ink"},
        "showlegend": False,
    }
    return common | parts


def axis(title: str = "", **parts: Any) -> Figure:
    common: Figure = {
        "gridcolor": "--line",
        "zerolinecolor": "--muted",
        "linecolor": "--line",
        "tickfont": {"color": "--muted"},
        "title": {"text": as_text(title), "font": {"color": "--muted", "size": 12}},
        "automargin": True,
    }
    return common | parts


def draw_figure(chart: Chart) -> Figure:
    """All panels below each other, each with axes of its own."""
    heights = [panel.height if isinstance(panel.y, Axis) else ROW * max(len(panel.y), 2) for panel in chart.panels]
    total = sum(heights) + BETWEEN * (len(heights) - 1)
    parts = layout(
        total + 76 + ENTRY * max(len(chart.key) - FREE_ENTRIES, 0),
        showlegend=bool(chart.key),
        hovermode="closest",
        shapes=[],
        annotations=[],
        barmode="overlay",
    )
    traces: list[Figure] = []
    top = float(total)
    for number, (panel, height) in enumerate(zip(chart.panels, heights, strict=True), 1):
        after = "" if number == 1 else str(number)
        domain = [max((top - height) / total, 0.0), top / total]
        parts[f"xaxis{after}"] = _make_axis(panel.x) | {"anchor": f"y{after}"}
        parts[f"yaxis{after}"] = _make_y_axis(panel) | {"anchor": f"x{after}", "domain": domain}
        if panel.title:
            parts["annotations"].append(
                _note(panel.title, domain[1], "bottom") | {"xref": "paper", "yref": "paper", "x": 0}
            )
        for mark in panel.marks:
            if isinstance(mark, Span):
                _add_span(parts, mark, panel, after)
            else:
                traces.append(_trace(mark, panel) | {"xaxis": f"x{after}", "yaxis": f"y{after}"})
        top -= height + BETWEEN
    _name_once(traces)
    return {"data": traces, "layout": parts}


def _name_once(traces: list[Figure]) -> None:
    """An entry of the legend toggles all traces of its name."""
    seen: set[str] = set()
    for trace in traces:
        name = trace.get("name", "")
        trace["showlegend"] = name not in seen and bool(name)
        trace["legendgroup"] = name
        seen.add(name)


def _make_axis(one: Axis) -> Figure:
    if not one.log:
        ticks: Figure = {"tickformat": NUMBERS}
        if any(tick.text and not tick.text.replace(",", "").replace(".", "").isdigit() for tick in one.ticks):
            ticks = _make_ticks(one)
        return axis(one.title, range=[one.low, one.high], **ticks)
    ends = [math.log10(one.low), math.log10(one.high) + 1e-3]  # or else the last tick is not drawn
    return axis(one.title, type="log", range=ends, **_make_ticks(one))


def _make_ticks(one: Axis) -> Figure:
    return {
        "tickmode": "array",
        "tickvals": [tick.at for tick in one.ticks],
        "ticktext": [as_text(tick.text) for tick in one.ticks],
        "tickangle": 0,
    }


def _make_y_axis(panel: Panel) -> Figure:
    if isinstance(panel.y, Axis):
        return _make_axis(panel.y)
    names = [as_text(cut(" ".join(filter(None, (row.label, row.head, row.left))), 28)) for row in panel.y]
    ticks: Figure = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return axis(showgrid=False, zeroline=False, fixedrange=True, range=[len(names) - 0.5, -0.5], **ticks)


def _trace(mark: Mark, panel: Panel) -> Figure:
    match mark:
        case Bars():
            return _make_bars(mark, panel)
        case Dots():
            style: Figure = {
                "color": f"--{paint(mark.place)}",
                "symbol": symbol(mark.place),
                "size": 6 if mark.small else 10,
            }
            style["line"] = {"color": "--box", "width": 1}
            return _make_scatter("markers", mark.x, mark.y, mark.name, mark.hovers, marker=style)
        case Whisker():
            line = {"color": "--ink", "width": 1.5}
            return _make_scatter("lines", (mark.low, mark.high), (mark.row, mark.row), "", (), line=line)
        case Line():
            line = {
                "color": f"--{mark.paint}",
                "width": 1.2 if mark.thin else 2.5,
                "dash": "dot" if mark.dotted else "solid",
            }
            return _make_scatter("lines", mark.x, mark.y, mark.name, mark.hovers, line=line, connectgaps=False)
        case Band():
            x, y = [*mark.x, *mark.x[::-1]], [*mark.low, *mark.high[::-1]]
            area = {"fill": "toself", "fillcolor": f"--{mark.paint}", "opacity": 0.15, "line": {"width": 0}}
            return _make_scatter("lines", x, y, "", (), **area)
    raise TypeError(mark)


def _make_scatter(mode: str, x: Any, y: Any, name: str, hovers: Any, **parts: Any) -> Figure:
    trace: Figure = {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), "name": as_text(name), **parts}
    if hovers:
        return trace | {"hovertext": [as_text(words) for words in hovers], "hoverinfo": "text"}
    return trace | {"hoverinfo": "skip"}


def _make_bars(bars: Bars, panel: Panel) -> Figure:
    upright = isinstance(panel.y, Axis)
    lengths = [high - low for low, high in zip(bars.low, bars.high, strict=True)]
    hatches = ["/" if hatched else "" for hatched in bars.hatched or (False,) * len(bars.at)]
    return {
        "type": "bar",
        "orientation": "v" if upright else "h",
        "base": list(bars.low),
        "x": list(bars.at) if upright else lengths,
        "y": lengths if upright else list(bars.at),
        "width": bars.width if upright else 0.62,
        "marker": {"color": f"--{bars.paint}", "opacity": 1 if bars.solid else 0.45, "pattern": {"shape": hatches}},
        "name": as_text(bars.name),
        "hovertext": [as_text(words) for words in bars.hovers] or None,
        "hoverinfo": "text" if bars.hovers else "skip",
    }


def _add_span(parts: Figure, span: Span, panel: Panel, after: str) -> None:
    place: Figure = {"xref": f"x{after}", "yref": f"y{after} domain", "y0": 0, "y1": 1, "layer": "below"}
    place |= {"x0": span.low, "x1": span.high}
    if span.high > span.low:
        parts["shapes"].append(
            place | {"type": "rect", "fillcolor": f"--{span.paint}", "opacity": 0.09, "line": {"width": 0}}
        )
    else:
        parts["shapes"].append(
            place | {"type": "line", "line": {"color": f"--{span.paint}", "width": 1.5, "dash": "dash"}}
        )
    if span.text:
        right = panel.x.place(span.low) > 0.5
        x = math.log10(span.low) if panel.x.log else span.low
        note = _note(span.text, *((0, "bottom") if span.at_foot else (1, "top")))
        note |= {"xref": f"x{after}", "yref": f"y{after} domain", "x": x, "xanchor": "right" if right else "left"}
        parts["annotations"].append(note | {"yshift": 14 * span.line * (1 if span.at_foot else -1)})


def _note(words: str, y: float, anchor: str) -> Figure:
    font = {"size": 12, "color": "--muted"}
    return {"text": as_text(words), "y": y, "yanchor": anchor, "xanchor": "left", "showarrow": False, "font": font}
