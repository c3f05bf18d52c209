"""The percentile spectrum: x = 1/(1-p) on a log axis, one line a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element  # noqa: S405  (a type only)

from runs.charts import MOST_LINES, plain
from runs.charts.latency import TICKS, Line, points, position, wide

from .paper import PAD, WIDTH, clean, dot, draw, drawable, empty, fitted, number, paper, shade, text, ticks, written

LEFT, RIGHT, PLOT = 64, WIDTH - 40, 300
DASHES = ("", "7 4", "2 3", "7 3 2 3", "12 4")
Place = Callable[[float], float]


def spectrum(lines: Sequence[Line], title: str, *, log: bool | None = None, name: str = "latency") -> str:
    """The picture of up to ten runs, every config's first runs first. `log`: the time axis; None: as the spread asks."""
    drawn = [(line, [(x, y) for x, y, _ in points(line) if drawable([y])]) for line in _kept(lines)]
    drawn = [(line, dots) for line, dots in drawn if len(dots) > 1]
    if not drawn:
        return empty(name, title, "No run here printed percentiles.")
    log = wide([line for line, _ in drawn]) if log is None else log
    left_out = len(lines) - len(drawn)
    top = 74 + 18 * math.ceil(len(drawn) / 2)
    root = paper(name, top + PLOT + 56, f"{title}: latency percentiles", _told([line for line, _ in drawn]))
    text(root, fitted(clean(title), WIDTH - 2 * PAD, 15), PAD, 28, size=15, bold=True)
    words = f"ms within which that share of requests was answered{', log scale' if log else ''}"
    text(root, words + (f"; {left_out} more runs are not drawn" if left_out else ""), PAD, 47, color="muted")
    for at, (line, _) in enumerate(drawn):
        _key(root, line, PAD + at % 2 * (WIDTH / 2 - PAD), 68 + 18 * (at // 2))
    across = _x_axis(root, max(x for _, dots in drawn for x, _ in dots), top)
    up = _y_axis(root, [y for _, dots in drawn for _, y in dots], top, log)
    for line, dots in drawn:
        _line(root, line, [(across(x), up(y)) for x, y in dots if y > 0 or not log])
    return written(root)


def _kept(lines: Sequence[Line]) -> list[Line]:
    """At most ten: more cannot be told apart. The first of each config, then the second of each, ..., in order."""
    turn: dict[int, int] = {}
    ranked = []
    for at, line in enumerate(lines):
        turn[line.place] = turn.get(line.place, 0) + 1
        ranked.append((turn[line.place], at))
    return [lines[at] for at in sorted(at for _, at in sorted(ranked)[:MOST_LINES])]


def _told(lines: Sequence[Line]) -> str:
    parts = []
    for line in lines:
        values = [f"{p} % within {plain(line.percentiles_ms[p])} ms" for p in TICKS[:4] if p in line.percentiles_ms]
        parts.append(f"{line.name}: {', '.join(values)}")
    return "; ".join(parts)


def _key(root: Element, line: Line, x: float, y: float) -> None:
    _stroke(root, line, f"M{number(x)} {number(y)}h26")
    dot(root, line.place, x + 13, y, 3.5)
    text(root, fitted(clean(line.name), WIDTH / 2 - 3 * PAD - 34), x + 34, y + 4)


def _x_axis(root: Element, furthest: float, top: float) -> Place:
    first, last = math.log10(1.9), math.log10(furthest * 1.12)
    scale = (RIGHT - LEFT) / (last - first)
    for tick in TICKS:
        x = LEFT + (math.log10(position(float(tick))) - first) * scale
        if x <= RIGHT:
            draw(root, "path", "line", line=True, d=f"M{number(x)} {number(top)}v{PLOT}")
            text(root, f"{tick} %", x, top + PLOT + 18, color="muted", size=11, anchor="middle")
    text(root, "share of requests", RIGHT, top + PLOT + 38, color="muted", anchor="end")
    return lambda value: LEFT + (math.log10(value) - first) * scale


def _y_axis(root: Element, values: Sequence[float], top: float, log: bool) -> Place:
    bottom = top + PLOT
    marks = _decades([value for value in values if value > 0]) if log else ticks(max(values) or 1.0)
    low, high = (math.log10(marks[0]), math.log10(marks[-1])) if log else (0.0, marks[-1])
    scale = PLOT / (high - low)

    def place(value: float) -> float:
        return bottom - ((math.log10(value) if log else value) - low) * scale

    for mark in marks:
        draw(root, "path", "line", line=True, d=f"M{LEFT} {number(place(mark))}H{RIGHT}")
        text(root, plain(mark), LEFT - 8, place(mark) + 4, color="muted", size=11, anchor="end")
    return place


def _decades(values: Sequence[float]) -> list[float]:
    """Powers of ten around the values, at least one decade of them."""
    low = math.floor(math.log10(min(values, default=1.0)))
    high = max(math.ceil(math.log10(max(values, default=1.0))), low + 1)
    return [10.0**power for power in range(low, high + 1)]


def _line(root: Element, line: Line, dots: Sequence[tuple[float, float]]) -> None:
    if not dots:
        return
    _stroke(root, line, "M" + "L".join(f"{number(x)} {number(y)}" for x, y in dots))
    for x, y in dots:
        dot(root, line.place, x, y, 3.5)


def _stroke(root: Element, line: Line, path: str) -> None:
    dash = DASHES[(line.repeat - 1) % len(DASHES)]
    drawn = draw(root, "path", shade(line.place), line=True, d=path, stroke_width=2)
    if dash:
        drawn.set("stroke-dasharray", dash)
