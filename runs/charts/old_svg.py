"""Pictures drawn without a browser: SVG to embed elsewhere by its address, or to put into an HTML file.

Nothing in a picture is loaded from anywhere, and none has a script. Lengths are px at the picture's own size; it scales with
the box that it is put into. Every colour stands twice: as an attribute for the light scheme, which any renderer knows, and in
a style for the dark one, which browsers follow. ElementTree escapes what names bring along.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring  # noqa: S405  (writes only)

from runs.charts import MOST_LINES, N_COLORS, plain
from runs.charts.bars import Bar
from runs.charts.curves import TICKS, Line, points, position, uses_log_axis

WIDTH = 720
PAD = 16
SMALLEST, LARGEST = 1e-9, 1e15
NAMESPACE = "http://www.w3.org/2000/svg"
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
# As in static/css/base.css (a test compares the two).
LIGHT = {"box": "#ffffff", "ink": "#17181c", "muted": "#575c66", "line": "#e3e3df"}
LIGHT |= {"s0": "#0072b2", "s1": "#c25200", "s2": "#007f5c", "s3": "#b5528c"}
LIGHT |= {"s4": "#846500", "s5": "#2a83b3", "s6": "#6a51a3", "s7": "#5f666d"}
DARK = {"box": "#1b1d22", "ink": "#eceef2", "muted": "#a6abb6", "line": "#2d3037"}
DARK |= {"s0": "#4aa8e0", "s1": "#f0894a", "s2": "#3cc79c", "s3": "#e08fbe"}
DARK |= {"s4": "#d6ad33", "s5": "#8acdf3", "s6": "#ab9ae0", "s7": "#a3acb5"}
# XML has no way at all to write these, not even escaped.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Outlines of radius 1 for the symbols that the pages' charts use, in their order.
SHAPES = (
    "circle",
    "M-.85-.85H.85V.85H-.85Z",
    "M0-1.2 1.2 0 0 1.2-1.2 0Z",
    "M0-1.1 1.05.8H-1.05Z",
    "M-1-.6-.6-1 0-.4.6-1 1-.6.4 0 1 .6.6 1 0 .4-.6 1-1 .6-.4 0Z",
    "M0-1.2.35-.4 1.2-.4.5.15.75 1 0 .5-.75 1-.5.15-1.2-.4-.35-.4Z",
    "M0-1.1 1.05-.35.65.9H-.65L-1.05-.35Z",
    "M-.4-1H.4V-.4H1V.4H.4V1H-.4V.4H-1V-.4H-.4Z",
)
BAR_ROW, BAR_HEIGHT, BARS_TOP = 46, 16, 60
MOST_BARS = 40
VALUE_ROOM = 86  # room to the right for the last bar's figure
UNIT = "requests per second"
LEFT, RIGHT, PLOT = 64, WIDTH - 40, 300
DASHES = ("", "7 4", "2 3", "7 3 2 3", "12 4")
Place = Callable[[float], float]


def draw_bars(given: Sequence[Bar], title: str) -> str:
    filled = [replace(bar, values=tuple(drawable(bar.values))) for bar in given if drawable(bar.values)]
    if not filled:
        return empty_picture("throughput", title, "No run here says how many requests it served per second.")
    shown = filled[:MOST_BARS]
    described = "; ".join(
        f"{bar.name}: {write_value(bar.mean)} {UNIT}, n={len(bar.values)}{'' if bar.counted else ', not counted'}"
        for bar in shown
    )
    left_out = f" {len(filled) - MOST_BARS} more are not drawn." if len(filled) > MOST_BARS else ""
    height = BARS_TOP + BAR_ROW * len(shown) + 44
    root = new_canvas("throughput", height, f"{title}: {UNIT}", described + left_out)
    text(root, truncate(clean(title), WIDTH - 2 * PAD, 15), PAD, 28, size=15, bold=True)
    intervals = [bar.interval for bar in shown if bar.interval]
    words = ", 95 % interval a line" if intervals else ""
    text(root, f"{UNIT}, mean of n; each repeat a dot{words}", PAD, 47, color="muted")
    # The axis reaches every value, and of an interval as much as does not press the bars flat.
    top = max(value for bar in shown for value in bar.values) or 1.0
    marks = round_ticks(max([top, *(min(high, 1.5 * top) for _, high in intervals)]))
    scale = (WIDTH - PAD - VALUE_ROOM - PAD) / marks[-1]
    for mark in marks:
        x = PAD + mark * scale
        path = f"M{number(x)} {BARS_TOP}V{number(height - 38)}"
        draw(root, "path", "line" if mark else "muted", line=True, d=path)
        text(root, plain(mark), x, height - 20, color="muted", size=11, anchor="middle")
    for at, bar in enumerate(shown):
        _bar(root, bar, BARS_TOP + BAR_ROW * at, scale, marks[-1])
    text(root, left_out.strip(), WIDTH - PAD, 47, color="muted", anchor="end")
    return to_text(root)


def _bar(root: Element, bar: Bar, y: float, scale: float, most: float) -> None:
    dot(root, bar.place, PAD + 6, y + 12)
    words = clean(bar.name) if bar.counted else f"not counted: {clean(bar.name)}"
    text(root, truncate(words, WIDTH - 3 * PAD, 12.5), PAD + 16, y + 16, color="ink" if bar.counted else "muted")
    middle = y + 22 + BAR_HEIGHT / 2
    place = {"x": PAD, "y": y + 22, "width": bar.mean * scale, "height": BAR_HEIGHT}
    box = draw(root, "rect", shade(bar.place), line=not bar.counted, **place, rx=2, opacity=0.55)
    if not bar.counted:
        box.attrib |= {"opacity": "1", "stroke-dasharray": "4 3"}
    furthest = max(drawable([*bar.values, *(bar.interval or ())]), default=0.0)
    if bar.interval:
        _whisker(root, bar.interval, middle, scale, most)
    for value in bar.values[:200]:
        dot(root, bar.place, PAD + value * scale, middle, 4)
    x = PAD + min(furthest, most) * scale + 10
    text(root, f"{write_value(bar.mean)} (n={len(bar.values)})", min(x, WIDTH - VALUE_ROOM - 4), middle + 4, bold=True)


def _whisker(root: Element, interval: tuple[float, float], y: float, scale: float, most: float) -> None:
    """A line with an end cap at each bound that lies on the picture."""
    low, high = max(interval[0], 0.0), min(interval[1], most)
    path = f"M{number(PAD + low * scale)} {number(y)}H{number(PAD + high * scale)}"
    for bound in interval:
        if 0 <= bound <= most:
            path += f"M{number(PAD + bound * scale)} {number(y - 5)}v10"
    draw(root, "path", "ink", line=True, d=path, stroke_width=1.5)


def draw_percentiles(lines: Sequence[Line], title: str, *, scale: str = "") -> str:
    """The picture of up to ten runs, every config's first runs first. `scale`: of the time axis, see uses_log_axis."""
    drawn = [(line, [(x, y) for x, y, _ in points(line) if drawable([y])]) for line in _select_lines(lines)]
    drawn = [(line, dots) for line, dots in drawn if len(dots) > 1]
    if not drawn:
        return empty_picture("latency", title, "No run here printed percentiles.")
    log = uses_log_axis([line for line, _ in drawn], scale)
    left_out = len(lines) - len(drawn)
    top = 74 + 18 * math.ceil(len(drawn) / 2)
    root = new_canvas(
        "latency", top + PLOT + 56, f"{title}: latency percentiles", _describe([line for line, _ in drawn])
    )
    text(root, truncate(clean(title), WIDTH - 2 * PAD, 15), PAD, 28, size=15, bold=True)
    words = f"ms within which that share of requests was answered{', log scale' if log else ''}"
    text(root, words + (f"; {left_out} more runs are not drawn" if left_out else ""), PAD, 47, color="muted")
    for at, (line, _) in enumerate(drawn):
        _key(root, line, PAD + at % 2 * (WIDTH / 2 - PAD), 68 + 18 * (at // 2))
    across = _x_axis(root, max(x for _, dots in drawn for x, _ in dots), top)
    up = _y_axis(root, [y for _, dots in drawn for _, y in dots], top, log)
    for line, dots in drawn:
        places = [(across(x), up(y)) for x, y in dots if y > 0 or not log]
        if places:
            _stroke(root, line, "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places))
        for x, y in places:
            dot(root, line.place, x, y, 3.5)
    return to_text(root)


def _select_lines(lines: Sequence[Line]) -> list[Line]:
    """At most ten: more cannot be told apart. The first of each config, then the second of each, ..., in order."""
    turn: Counter[int] = Counter()
    ranked = []
    for at, line in enumerate(lines):
        turn[line.place] += 1
        ranked.append((turn[line.place], at))
    return [lines[at] for at in sorted(at for _, at in sorted(ranked)[:MOST_LINES])]


def _describe(lines: Sequence[Line]) -> str:
    return "; ".join(
        f"{line.name}: "
        + ", ".join(f"{p} % within {plain(line.percentiles_ms[p])} ms" for p in TICKS[:4] if p in line.percentiles_ms)
        for line in lines
    )


def _key(root: Element, line: Line, x: float, y: float) -> None:
    _stroke(root, line, f"M{number(x)} {number(y)}h26")
    dot(root, line.place, x + 13, y, 3.5)
    text(root, truncate(clean(line.name), WIDTH / 2 - 3 * PAD - 34), x + 34, y + 4)


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
    if log:  # powers of ten around the values, at least one decade of them
        above = [math.log10(value) for value in values if value > 0] or [0.0]
        first = math.floor(min(above))
        marks = [10.0**power for power in range(first, max(math.ceil(max(above)), first + 1) + 1)]
        low, high = math.log10(marks[0]), math.log10(marks[-1])
    else:
        marks = round_ticks(max(values) or 1.0)
        low, high = 0.0, marks[-1]
    scale = PLOT / (high - low)

    def place(value: float) -> float:
        return bottom - ((math.log10(value) if log else value) - low) * scale

    for mark in marks:
        draw(root, "path", "line", line=True, d=f"M{LEFT} {number(place(mark))}H{RIGHT}")
        text(root, plain(mark), LEFT - 8, place(mark) + 4, color="muted", size=11, anchor="end")
    return place


def _stroke(root: Element, line: Line, path: str) -> None:
    drawn = draw(root, "path", shade(line.place), line=True, d=path, stroke_width=2)
    if dash := DASHES[(line.repeat - 1) % len(DASHES)]:
        drawn.attrib["stroke-dasharray"] = dash


def new_canvas(name: str, height: float, title: str, description: str) -> Element:
    """An empty picture. `name` sets its ids apart from those of others on one page; the rest screen readers read out."""
    size = {"width": str(WIDTH), "height": number(height), "viewBox": f"0 0 {WIDTH} {number(height)}"}
    names = {"class": "bd", "role": "img", "aria-labelledby": f"bd-{name}-title bd-{name}-desc"}
    root = Element("svg", {"xmlns": NAMESPACE, **size, **names, "font-family": SANS})
    for tag, words in (("title", title), ("desc", description)):
        SubElement(root, tag, {"id": f"bd-{name}-{tag}"}).text = clean(words)
    rules = "".join(f".bd-{paint}-{key}{{{paint}:{DARK[key]}}}" for paint in ("fill", "stroke") for key in DARK)
    SubElement(root, "style").text = f"@media (prefers-color-scheme: dark){{{rules}}}"
    draw(root, "rect", "box", width=WIDTH, height=height, rx=6)
    return root


def to_text(root: Element) -> str:
    return tostring(root, encoding="unicode")


def draw(parent: Element, tag: str, color: str, *, line: bool = False, **attributes: float | str) -> Element:
    """A shape in a colour of the scheme: filled, or drawn with a line."""
    paint = "stroke" if line else "fill"
    given = {key.replace("_", "-"): number(v) if not isinstance(v, str) else v for key, v in attributes.items()}
    given |= {"fill": "none"} if line else {}
    return SubElement(parent, tag, {"class": f"bd-{paint}-{color}", paint: LIGHT[color], **given})


def text(
    parent: Element, words: str, x: float, y: float, *, color: str = "ink", bold: bool = False, **more: Any
) -> None:
    """`more`: size of the font, 12 unless told, and anchor, the start."""
    weight: dict[str, Any] = {"font_weight": "600"} if bold else {}
    place = {"x": x, "y": y, "font_size": float(more.get("size", 12)), "text_anchor": more.get("anchor", "start")}
    draw(parent, "text", color, **place, **weight).text = clean(words)


def dot(parent: Element, place: int, x: float, y: float, radius: float = 4.5) -> None:
    """The symbol of the config at `place`, rimmed so that dots on one spot can be told apart."""
    shape = SHAPES[(place + place // N_COLORS) % len(SHAPES)]
    if shape == "circle":
        drawn = draw(parent, "circle", shade(place), cx=x, cy=y, r=radius)
    else:
        at = f"translate({number(x)} {number(y)}) scale({number(radius)})"
        drawn = draw(parent, "path", shade(place), d=shape, transform=at)
    drawn.attrib |= {"stroke": LIGHT["box"], "vector-effect": "non-scaling-stroke"}
    drawn.attrib["class"] += " bd-stroke-box"


def shade(place: int) -> str:
    return f"s{place % N_COLORS}"


def clean(words: str) -> str:
    """On one line, without characters that XML cannot hold."""
    return " ".join(UNWRITABLE.sub("\ufffd", words).split())


def number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"


def write_value(value: float) -> str:
    """As the page's table writes it: four significant figures, and no digit before the point taken away."""
    return f"{value:.0f}" if 1000 <= abs(value) < LARGEST else plain(value)


def truncate(words: str, width: float, size: float = 12) -> str:
    """`words` cut to about `width`, the end kept too: names often differ in their last word only."""
    most = int(width / (size * 0.56))
    if _columns(words) <= most:
        return words
    head, tail = list(words), ""
    while len(head) > 1 and _columns("".join(head) + tail) >= most:
        if _columns(tail) < most // 3:
            tail = head.pop() + tail
        else:
            head.pop()
    return f"{''.join(head).rstrip()}…{tail.lstrip()}"


def _columns(words: str) -> int:
    """Letters as wide as in Latin script; a Chinese or Japanese one takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def round_ticks(most: float) -> list[float]:
    """Round numbers from 0 to the first at or above `most` (> 0): steps of 1, 2 or 5 times a power of ten."""
    rough = most / 6
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
    return [round(step * at, 12) for at in range(math.ceil(most / step * 0.999) + 1)]


def empty_picture(name: str, title: str, why: str) -> str:
    """A picture that says why there is nothing to see."""
    root = new_canvas(name, 90, title, why)
    text(root, truncate(clean(title), WIDTH - 2 * PAD, 15), PAD, 30, size=15, bold=True)
    text(root, why, PAD, 60, color="muted", size=13)
    return to_text(root)


def drawable(values: Sequence[float]) -> list[float]:
    """Those that a time or a rate can be: nought, or a positive number that an axis can be made for."""
    return [value for value in values if value == 0 or SMALLEST <= value <= LARGEST]
