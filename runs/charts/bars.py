"""Bars: what each config serves, what its processes cost, where memory and CPU time went, how long requests took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runs.charts import (
    N_COLORS,
    Figure,
    as_text,
    axis,
    color,
    label,
    layout,
    paint,
    plain,
    short,
    suffix,
    symbol,
    write,
)
from runs.charts.description import Bars, Chart, Dots, Mark, Panel, Row, Whisker, linear_axis

# Enough dots to show a spread; beyond it they only cover one another and weigh on the page.
MOST_DOTS = 60
MOST_BARS = 40
SMALLEST, LARGEST = 1e-9, 1e15
# Heights in pixels of a config's strip, and of a program's name with its figures.
ROW, HEAD = 30, 46
# (key, name, colour) of the parts of a stack, from zero
MEMORY = (
    ("used", "used by programs", "--m0"),
    ("buffers", "buffers", "--m1"),
    ("cached", "cached", "--m2"),
    ("inactive", "inactive", "--m4"),
    ("free", "free", "--m3"),
)
CPU = (
    ("us", "user", "--m0"),
    ("sy", "system", "--m1"),
    ("si", "interrupts", "--m5"),
    ("wa", "waiting for disk", "--m4"),
    ("id", "idle", "--m3"),
)
SPARK_WIDTH, SPARK_STEP, MOST_SPARK_BARS = 300, 26, 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One config's requests per second: each repeat's value, with words for the hover box.

    `interval`: the bounds of the mean's 95 % interval, where there are repeats enough for one. `counted` False: a doubt
    keeps all of it out of verdicts, which the bar must not hide.
    """

    name: str
    place: int
    values: tuple[float, ...]
    hovers: tuple[str, ...] = ()  # with Plotly's tags
    delta: str = ""
    interval: tuple[float, float] | None = None
    counted: bool = True
    label: str = ""
    change: str = ""
    workload: str = ""
    failed: bool = False

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


RATE = "requests per second"


def rate_chart(bars: Sequence[Bar], title: str = "Which config serves more?", unit: str = RATE) -> Chart | None:
    """A bar for each config that has a rate, in a panel for each workload; None where no config has one."""
    filled = [replace(bar, values=tuple(drawable(bar.values))) for bar in bars if drawable(bar.values)]
    if not filled:
        return None
    workloads = dict.fromkeys(bar.workload for bar in filled)
    shown = {name: [bar for bar in filled if bar.workload == name][:MOST_BARS] for name in workloads}
    panels = tuple(_rate_panel(name, group, unit) for name, group in shown.items())
    words = "; ".join(_describe(bar, unit) for group in shown.values() for bar in group)
    n_left = len(filled) - sum(map(len, shown.values()))
    notes = ["a dot is a run", "a bar their mean"]
    notes += ["a line its 95 % interval"] if any(bar.interval for bar in filled) else []
    notes += ["hatched: not counted"] if not all(bar.counted and not bar.failed for bar in filled) else []
    notes += [f"{n_left} more configs are not drawn"] if n_left else []
    rows = tuple((bar.name, len(bar.values), bar.mean, bar.change, *bar.values) for bar in filled)
    most = max(len(bar.values) for bar in filled)
    heads = ("config", "runs", f"mean, {unit}", "change", *(f"run {n}" for n in range(1, most + 1)))
    return Chart("throughput", title, panels, note=" · ".join(notes), summary=words, heads=heads, rows=rows)


def _describe(bar: Bar, unit: str) -> str:
    mark = "" if bar.counted and not bar.failed else ", failed" if bar.failed else ", not counted"
    return f"{bar.name}: {write(bar.mean)} {unit}, {len(bar.values)} runs{mark}"


def _rate_panel(title: str, bars: Sequence[Bar], unit: str) -> Panel:
    """The axis reaches every value that counts, and of others and of intervals as much as does not press the bars flat."""
    good = [value for bar in bars if bar.counted and not bar.failed for value in bar.values]
    top = max(good or [value for bar in bars for value in bar.values]) or 1.0
    beyond = [value for bar in bars for value in (*bar.values, *(bar.interval or ()))]
    axis = linear_axis(max(top, min(max(beyond), 1.3 * top)), unit)
    marks: list[Mark] = []
    for at, bar in enumerate(bars):
        hatched = bar.failed or not bar.counted
        marks.append(Bars(paint(bar.place), (at,), (0.0,), (bar.mean,), hatched=(hatched,)))
        marks += [Whisker(at, *bar.interval)] if bar.interval else []
        marks.append(Dots(bar.place, bar.values, (float(at),) * len(bar.values), bar.name, bar.hovers))
    return Panel(axis, tuple(_rate_row(bar) for bar in bars), tuple(marks), title)


def _rate_row(bar: Bar) -> Row:
    words = " · failed" if bar.failed else "" if bar.counted else " · not counted"
    return Row(bar.name + words, bar.label, value=write(bar.mean), more=bar.change, place=bar.place, muted=bool(words))


def mini_rows(bars: Sequence[Bar], most: int = 6) -> list[MiniBar]:
    """For cards: at most `most` bars to one scale. One that does not count is as long as the scale at most."""
    filled = [bar for bar in bars if drawable(bar.values)][:most]
    good = [bar.mean for bar in filled if bar.counted and not bar.failed]
    top = max(good or [bar.mean for bar in filled], default=1.0) or 1.0
    return [
        MiniBar(
            bar.name,
            bar.change if bar.failed and bar.change else f"{write(bar.mean)}/s",
            round(100 * min(bar.mean / top, 1.0), 1),
            bar.place % N_COLORS,
            bar.failed or not bar.counted,
        )
        for bar in filled
    ]


def drawable(values: Sequence[float]) -> list[float]:
    """Those that a time or a rate can be: nought, or a positive number that an axis can be made for."""
    return [value for value in values if value == 0 or SMALLEST <= value <= LARGEST]


def _names_axis(names: Sequence[str], **parts: Any) -> Figure:
    ticks: Figure = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names)}
    return axis(showgrid=False, zeroline=False, **ticks, **parts)


@dataclass(frozen=True, slots=True)
class MiniBar:
    """A bar of a card. width: per cent of the longest that counts; failed: hatched."""

    name: str
    value: str
    width: float
    shade: int
    failed: bool


@dataclass(frozen=True, slots=True)
class SparkBar:
    y: int
    width: float
    dots: tuple[float, ...]
    shade: int
    label: str


@dataclass(frozen=True, slots=True)
class Spark:
    """A picture of `width` × `height` units; `left_out` bars did not fit."""

    bars: tuple[SparkBar, ...]
    width: int
    height: int
    left_out: int
    label: str


def spark(bars: Sequence[Bar]) -> Spark | None:
    """The first six bars to one scale from zero, or None where there is nothing to draw."""
    filled = [bar for bar in bars if bar.values]
    if not filled:
        return None
    top = max(max(bar.values) for bar in filled) or 1.0
    shown, scale = filled[:MOST_SPARK_BARS], (SPARK_WIDTH - 12) / top
    drawn = tuple(
        SparkBar(
            y=at * SPARK_STEP,
            width=round(bar.mean * scale, 1),
            dots=tuple(round(value * scale, 1) for value in bar.values[:20]),
            shade=bar.place % N_COLORS,
            label=short(bar.name, 40),
        )
        for at, bar in enumerate(shown)
    )
    words = [f"{bar.name}: {plain(bar.mean)} requests per second, n={len(bar.values)}" for bar in shown]
    return Spark(drawn, SPARK_WIDTH, SPARK_STEP * len(drawn), len(filled) - len(drawn), "; ".join(words))


@dataclass(frozen=True, slots=True)
class Sizes:
    name: str
    place: int
    program: str
    mib: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """One stacked bar: shares by the names in MEMORY (MiB) or CPU (%). `step` names it within its config."""

    name: str
    step: str
    parts: Mapping[str, float]


def process_figure(sizes: Sequence[Sizes]) -> Figure:
    """A strip of dots over a box for each config; one panel a program, as tall as it has configs."""
    programs = list(dict.fromkeys(size.program for size in sizes))
    panels = [[size for size in sizes if size.program == program] for program in programs]
    total = sum(ROW * len(panel) + HEAD for panel in panels)
    parts = layout(44 + total, margin={"l": 8, "r": 20, "t": 4, "b": 44}, annotations=[])
    top, traces = 1.0, []
    for at, panel in enumerate(panels, 1):
        bottom = top - (ROW * len(panel) + HEAD) / total
        parts |= _panel_axes(at, panel, (max(bottom, 0.0), top - 18 / total), last=at == len(panels))
        place = {"xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "top"}
        name = {"text": f"<b>{label(programs[at - 1], 40)}</b>", "font": {"size": 12, "color": "--ink"}}
        parts["annotations"].append(place | name | {"showarrow": False})
        traces += [_strip(size, at, row) for row, size in enumerate(panel)]
        top = bottom
    return {"data": traces, "layout": parts}


def _panel_axes(at: int, panel: Sequence[Sizes], domain: tuple[float, float], *, last: bool) -> Figure:
    low, high = domain
    # The ticks of a panel are between it and the next one.
    low = low if last else low + (high - low) * HEAD / 2 / (ROW * len(panel) + HEAD)
    names = [label(size.name, 24) for size in panel]
    y = _names_axis(names, domain=[low, high], range=[len(panel) - 0.5, -0.5], anchor=f"x{suffix(at)}")
    title = "resident MiB, a dot a process" if last else ""
    x = axis(title, rangemode="tozero", anchor=f"y{suffix(at)}")
    return {f"xaxis{suffix(at)}": x, f"yaxis{suffix(at)}": y}


def _strip(size: Sizes, axes: int, row: int) -> Figure:
    ordered = sorted(size.mib)
    if len(ordered) > MOST_DOTS:
        ordered = [ordered[round(at * (len(ordered) - 1) / (MOST_DOTS - 1))] for at in range(MOST_DOTS)]
    words = f"{as_text(size.name)}<br>{as_text(size.program)}, {len(size.mib)} processes"
    return {
        "type": "box",
        "orientation": "h",
        "x": [round(value, 3) for value in ordered],
        "y": [row] * len(ordered),
        "xaxis": f"x{suffix(axes)}",
        "yaxis": f"y{suffix(axes)}",
        "boxpoints": "all",
        "jitter": 0.6,
        "pointpos": 0,
        "line": {"color": color(size.place), "width": 1 if len(ordered) > 1 else 0},
        "fillcolor": "rgba(0,0,0,0)",
        "marker": {"color": color(size.place), "symbol": symbol(size.place), "size": 6, "opacity": 0.65},
        "hoveron": "points",
        "hovertemplate": "%{x:.4r} MiB<br>" + words + "<extra></extra>",
        "width": 0.6,
    }


def stack_figure(stacks: Sequence[Stack], parts: Sequence[tuple[str, str, str]], unit: str) -> Figure:
    """Memory (the parts MEMORY) or CPU time (CPU) of each config. The page writes the legend: Plotly's wraps badly here."""
    steps = [label(stack.name, 24) + (f" · {as_text(stack.step)}" if stack.step else "") for stack in stacks]
    traces: list[Figure] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": label,
            "y": list(range(len(stacks))),
            "x": [stack.parts.get(key) for stack in stacks],
            "marker": {"color": shade, "line": {"color": "--box", "width": 1}},
            "hovertemplate": "%{x:.4r} " + unit + "<br>" + label + "<extra></extra>",
        }
        for key, label, shade in parts
        if any(stack.parts.get(key) for stack in stacks)
    ]
    return {
        "data": traces,
        "legend": [{"name": trace["name"], "color": trace["marker"]["color"]} for trace in traces],
        "layout": layout(
            64 + 26 * max(len(stacks), 2),
            barmode="stack",
            bargap=0.28,
            margin={"l": 8, "r": 20, "t": 4, "b": 40},
            xaxis=axis(unit, rangemode="tozero"),
            yaxis=_names_axis(steps, autorange="reversed"),
        ),
    }


def histogram_figure(bars: Sequence[tuple[float, float, int]]) -> Figure:
    """Bars of one width: (from ms, to less than ms, requests); a hatched last one, to infinity, has all slower requests."""
    total = sum(n for _, _, n in bars)
    width = bars[0][1] - bars[0][0] if bars and math.isfinite(bars[0][1]) else 1.0
    spans = [f"{low:g} to {high:g} ms" if math.isfinite(high) else f"{low:g} ms and slower" for low, high, _ in bars]
    hatch = {"shape": ["" if math.isfinite(high) else "/" for _, high, _ in bars]}
    trace = {
        "type": "bar",
        "x": [round(low + width / 2, 6) for low, _, _ in bars],
        "y": [n for _, _, n in bars],
        "width": width * 0.96,
        "marker": {"color": "--s0", "opacity": 0.7, "pattern": hatch},
        "hovertext": [
            f"{span}: <b>{n}</b> requests, {plain(100 * n / total)} %"
            for span, (_, _, n) in zip(spans, bars, strict=True)
        ],
        "hoverinfo": "text",
    }
    axes = {"xaxis": axis("ms from request to answer", showgrid=False), "yaxis": axis("requests", rangemode="tozero")}
    return {"data": [trace], "layout": layout(300, bargap=0, **axes)}
