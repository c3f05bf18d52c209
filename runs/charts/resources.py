"""What does a process cost, where did memory go, where did CPU go?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.charts import Figure, axis, color, layout, short, symbol

# Enough dots to show a spread; beyond it they only cover one another and weigh on the page.
MOST_DOTS = 60
# Heights in pixels of a config's strip, and of a program's name with its figures.
ROW, HEAD = 30, 46
MEMORY = [("used", "used by programs"), ("buffers", "buffers"), ("cached", "cached"), ("inactive", "inactive")]
MEMORY.append(("free", "free"))
CPU = (("us", "user"), ("sy", "system"), ("si", "interrupts"), ("wa", "waiting for disk"), ("id", "idle"))


@dataclass(frozen=True, slots=True)
class Sizes:
    """Resident memory (MiB) of each process of one program under one config."""

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


def processes(sizes: Sequence[Sizes]) -> Figure:
    """A strip of dots over a box for each config; one panel a program, as tall as it has configs."""
    programs = list(dict.fromkeys(size.program for size in sizes))
    panels = [[size for size in sizes if size.program == program] for program in programs]
    parts = layout(44 + sum(ROW * len(panel) + HEAD for panel in panels), margin={"l": 8, "r": 20, "t": 4, "b": 44})
    parts["annotations"] = []
    total = sum(ROW * len(panel) + HEAD for panel in panels)
    top, traces = 1.0, []
    for at, panel in enumerate(panels, 1):
        bottom = top - (ROW * len(panel) + HEAD) / total
        parts |= _panel_axes(at, panel, (max(bottom, 0.0), top - 18 / total), last=at == len(panels))
        parts["annotations"].append(_program(programs[at - 1], top))
        traces += [_strip(size, at, row) for row, size in enumerate(panel)]
        top = bottom
    return {"data": traces, "layout": parts}


def _panel_axes(at: int, panel: Sequence[Sizes], domain: tuple[float, float], *, last: bool) -> Figure:
    suffix = "" if at == 1 else str(at)
    low, high = domain
    y = axis(
        # Between two panels stand the first one's figures.
        domain=[low if last else low + (high - low) * HEAD / 2 / (ROW * len(panel) + HEAD), high],
        range=[len(panel) - 0.5, -0.5],
        tickmode="array",
        tickvals=list(range(len(panel))),
        ticktext=[short(size.name, 24) for size in panel],
        showgrid=False,
        zeroline=False,
        anchor=f"x{suffix}",
    )
    title = "resident MiB, a dot a process" if last else ""
    return {f"xaxis{suffix}": axis(title, rangemode="tozero", anchor=f"y{suffix}"), f"yaxis{suffix}": y}


def _strip(size: Sizes, axes: int, row: int) -> Figure:
    suffix = "" if axes == 1 else str(axes)
    ordered = sorted(size.mib)
    if len(ordered) > MOST_DOTS:
        ordered = [ordered[round(at * (len(ordered) - 1) / (MOST_DOTS - 1))] for at in range(MOST_DOTS)]
    words = f"{size.name}<br>{size.program}, {len(size.mib)} processes"
    return {
        "type": "box",
        "orientation": "h",
        "x": [round(value, 3) for value in ordered],
        "y": [row] * len(ordered),
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
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


def _program(program: str, top: float) -> Figure:
    place = {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": top,
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
    }
    return place | {"text": f"<b>{short(program, 40)}</b>", "font": {"size": 12, "color": "--ink"}}


def memory(stacks: Sequence[Stack]) -> Figure:
    """Used, buffers, cached, inactive and free for each config, before → after, from zero."""
    return _stacked(stacks, MEMORY, "MiB", [f"--m{at}" for at in (0, 1, 2, 4, 3)])


def cpu(stacks: Sequence[Stack]) -> Figure:
    """Shares of CPU time for each config while it was under load."""
    return _stacked(stacks, CPU, "% of CPU time", ["--m0", "--m1", "--m5", "--m4", "--m3"])


# The page writes the legend: Plotly's own wraps badly beside long names.
def _stacked(stacks: Sequence[Stack], parts: Sequence[tuple[str, str]], unit: str, colors: Sequence[str]) -> Figure:
    steps = [short(stack.name, 24) + (f" · {stack.step}" if stack.step else "") for stack in stacks]
    traces: list[Figure] = []
    for (key, label), shade in zip(parts, colors, strict=True):
        if not any(stack.parts.get(key) for stack in stacks):
            continue
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": label,
                "y": list(range(len(stacks))),
                "x": [stack.parts.get(key) for stack in stacks],
                "marker": {"color": shade, "line": {"color": "--box", "width": 1}},
                "hovertemplate": "%{x:.4r} " + unit + "<br>" + label + "<extra></extra>",
            }
        )
    ticks: Figure = {"tickmode": "array", "tickvals": list(range(len(stacks))), "ticktext": steps}
    return {
        "data": traces,
        "legend": [{"name": trace["name"], "color": trace["marker"]["color"]} for trace in traces],
        "layout": layout(
            64 + 26 * max(len(stacks), 2),
            barmode="stack",
            bargap=0.28,
            margin={"l": 8, "r": 20, "t": 4, "b": 40},
            xaxis=axis(unit, rangemode="tozero"),
            yaxis=axis(autorange="reversed", showgrid=False, zeroline=False, **ticks),
        ),
    }
