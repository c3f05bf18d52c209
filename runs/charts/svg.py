"""The SVG back end: charts inside a page, and the same as files of their own.

A plot is an <svg> as wide as its box whose x positions are per cents, so that text keeps its size at any width. Only lines
and areas are stretched. Colours are classes: of the page's style sheet, or in a file of a style element. Text of users is
escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from runs.charts import (
    Axis,
    Band,
    Bars,
    Chart,
    Dots,
    Key,
    Line,
    Panel,
    Row,
    Span,
    Tick,
    Whisker,
    clean,
    cut,
    keep_drawable,
    paint,
    symbol,
)
from runs.charts.bars import Bar
from runs.numbers import count_columns, figure

# Corners of the symbols but for the circle, with a radius of about 1.
CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.87, -0.87), (0.87, -0.87), (0.87, 0.87), (-0.87, 0.87)),
    "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "triangle-up": ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
    "x": ((-1, -0.6), (-0.6, -1), (0, -0.4), (0.6, -1), (1, -0.6), (0.4, 0))
    + ((1, 0.6), (0.6, 1), (0, 0.4), (-0.6, 1), (-1, 0.6), (-0.4, 0)),
    "star": ((0, -1.2), (0.35, -0.4), (1.2, -0.4), (0.5, 0.15), (0.75, 1), (0, 0.5))
    + ((-0.75, 1), (-0.5, 0.15), (-1.2, -0.4), (-0.35, -0.4)),
    "pentagon": ((0, -1.1), (1.05, -0.35), (0.65, 0.9), (-0.65, 0.9), (-1.05, -0.35)),
    "cross": ((-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4), (1, 0.4), (0.4, 0.4))
    + ((0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4), (-1, -0.4), (-0.4, -0.4)),
}
HEAD, BAR, GAP = 19, 22, 10  # px of a row's label, its bar, and what is between
LOW_HEAD, LOW_BAR, LOW_GAP = 16, 10, 5  # the same of many rows
MANY_ROWS = 8  # more of them are low, so that all of a comparison is on the first screen
THIN_BAR, STEP_GAP = 16, 5  # px of bars below one label, and what is between
NAMES = 16.0  # px of the names of spans above the plot
BESIDE = 56  # px of the words to the left of a bar
LETTER, BOLD = 7.4, 8.8  # px of a letter at the size of the text, in a wide font
RADIUS, SMALL_RADIUS = 5, 3.2
CROWDED = 16  # px of a tick upwards
ACROSS = 1000  # units of width in which lines and areas are drawn
NARROW, WIDE = 42, 96  # letters of a row's label
MOST_HOVERS = 200
MOST_SPOKEN = 600  # letters


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawn panel: its elements, and how much room they take. left, right: px beside what `width` means."""

    body: str
    height: float
    left: int
    right: int


def px(value: float) -> str:
    return f"{round(value, 1):g}"


def escape(words: str) -> str:
    return html.escape(clean(words))


def text(words: str, x: str, y: float, *classes: str, dx: float = 0) -> str:
    names = f' class="{" ".join(classes)}"' if any(classes) else ""
    return f'<text x="{x}" y="{px(y)}"{names}{f""" dx="{px(dx)}" """.rstrip() if dx else ""}>{escape(words)}</text>'


class Painter:
    """Draws one panel. `ids` sets the ids of this chart's symbols apart from those of others on the page."""

    def __init__(self, panel: Panel, ids: str) -> None:
        self.panel, self.ids = panel, ids
        named = any(isinstance(mark, Span) and mark.text and mark.high > mark.low for mark in panel.marks)
        self.top = NAMES if named else 0.0
        self.used: set[tuple[str, bool]] = set()
        self.hatched = False
        self.left = 0  # px of words beside bars
        self.is_low = False
        if isinstance(panel.y, Axis):
            self.height = panel.height - self.top
        else:
            self.left = BESIDE * any(row.left for row in panel.y)
            self.is_low = len(panel.y) > MANY_ROWS and not self.left
            head, gap = (LOW_HEAD, LOW_GAP) if self.is_low else (HEAD, GAP)
            self.tops: list[float] = []  # the upper edge of each row's bar
            at = -float(gap)
            for row in panel.y:
                at += head + gap if row.head or row.label else STEP_GAP
                self.tops.append(at)
                at += self._bar(row)
            self.height = self.tops[-1] + self._bar(panel.y[-1]) + gap / 2 if panel.y else 0.0

    def _bar(self, row: Row) -> int:
        if self.is_low:
            return LOW_BAR
        return THIN_BAR if row.left or not row.head else BAR

    def x(self, value: float) -> str:
        return px100(self.panel.x.place(value))

    def y(self, value: float) -> float:
        """px from the top."""
        if isinstance(self.panel.y, Axis):
            return self.top + self.height * (1 - self.panel.y.place(value))
        row = min(max(round(value), 0), len(self.panel.y) - 1)
        bar = self._bar(self.panel.y[row])
        return self.top + self.tops[row] + bar / 2 + (value - row) * bar

    def draw(self) -> Plot:
        draw: dict[type, Callable[[Any], str]] = {Bars: self._draw_bars, Dots: self._draw_dots}
        draw |= {Whisker: self._draw_whisker, Span: self._draw_span, Line: self._draw_line, Band: self._draw_band}
        parts: tuple[list[str], list[str]] = [], []
        for mark in self.panel.marks:
            parts[isinstance(mark, (Line, Band))].append(draw[type(mark)](mark))
        plain, stretched = map("".join, parts)
        view = f'viewBox="0 {px(self.top)} {ACROSS} {px(self.height)}" y="{px(self.top)}" height="{px(self.height)}"'
        areas = f'<svg class="p" {view} preserveAspectRatio="none">{stretched}</svg>' if stretched else ""
        axes, left, right, below = self._draw_axes()
        return Plot(f"{axes}{areas}{plain}{self._ends()}", self.height + below, left, right)

    # --- axes --------------------------------------------------------------------------------------------------------------

    def _draw_axes(self) -> tuple[str, int, int, int]:
        """(elements, room to the left, to the right, below)."""
        bottom = self.top + self.height
        ticks = self.panel.x.ticks
        lines = "".join(
            f'<line x1="{self.x(t.at)}" x2="{self.x(t.at)}" y1="{px(self.top)}" y2="{px(bottom)}"/>' for t in ticks
        )
        words = "".join(self._draw_tick(tick, bottom + 16) for tick in ticks)
        below = 20 if ticks else 2
        if self.panel.x.title:
            words += text(self.panel.x.title, "100%", bottom + below + 13, "f", "e")
            below += 18
        if not isinstance(self.panel.y, Axis):
            values = [
                BOLD * count_columns(row.value) + LETTER * count_columns(row.more) for row in self.panel.y if row.value
            ]
            right = 22 + round(max(values)) if values else 16
            rows = "".join(self._draw_row(at, row) for at, row in enumerate(self.panel.y))
            return f'<g class="g">{lines}</g>{words}{rows}', self.left, right, below
        crowded = self.height < CROWDED * len(self.panel.y.ticks)
        up = [tick for tick in self.panel.y.ticks if not (crowded and tick.minor)]
        lines += "".join(f'<line x2="100%" y1="{px(self.y(t.at))}" y2="{px(self.y(t.at))}"/>' for t in up)
        words += "".join(text(t.text, "0", self.y(t.at) + 4, "f", "e", dx=-8) for t in up)
        left = 14 + max([round(LETTER * len(t.text)) for t in up], default=0)
        longest = max((len(mark.end) for mark in self.panel.marks if isinstance(mark, Line)), default=0)
        right = 18 + round(longest * LETTER) if longest else 18
        return f'<g class="g">{lines}</g>{words}', left, right, below

    def _draw_tick(self, tick: Tick, y: float) -> str:
        place = self.panel.x.place(tick.at)
        anchor = "m" if place > 0.01 else ""
        return text(tick.text, self.x(tick.at), y, "f", *(["w"] if tick.minor else []), *([anchor] if anchor else []))

    def _draw_row(self, at: int, row: Row) -> str:
        y = self.top + self.tops[at]
        middle = y + self._bar(row) / 2 + 4
        drawn = self._draw_head(row, y - (3 if self.is_low else 6)) if row.head or row.label else ""
        if row.left:
            drawn += text(row.left, "0", middle, "f", "e", dx=-8)
        if row.value:
            more = f'<tspan class="f" dx="6">{escape(row.more)}</tspan>' if row.more else ""
            drawn += f'<text x="100%" y="{px(middle)}" dx="12" class="v">{escape(row.value)}{more}</text>'
        return drawn

    def _draw_head(self, row: Row, y: float) -> str:
        """The label and the name over the bar; a long name twice, cut where the chart is narrow."""
        mark, indent, left = "", 0.0, self.left
        if row.place is not None and not row.label:
            mark = f'<g class="d {paint(row.place)}">{self._draw_symbol(row.place, px(6 - left), y - 4, RADIUS)}</g>'
            indent = 18
        letter = f'<tspan class="k {paint(row.place or 0)}">{escape(row.label)}</tspan> ' if row.label else ""
        names = (
            [("", row.head)]
            if count_columns(row.head) <= NARROW
            else [("w", cut(row.head, WIDE)), ("o", cut(row.head, NARROW))]
        )
        return mark + "".join(
            f'<text x="{px(indent - left)}" y="{px(y)}" class="{" ".join(filter(None, (kind, "f" if row.muted else "")))}">'
            f"{letter}{escape(name)}</text>"
            for kind, name in names
        )

    # --- marks -------------------------------------------------------------------------------------------------------------

    def _draw_bars(self, bars: Bars) -> str:
        flags = bars.hatched or (False,) * len(bars.at)
        self.hatched |= any(flags)
        parts = []
        for n, (at, low, high, hatched) in enumerate(zip(bars.at, bars.low, bars.high, flags, strict=True)):
            x0, x1, y0, y1 = self._box(bars, at, low, high)
            style = f' fill="url(#{self.ids}-h)" class="x {bars.paint}"' if hatched else ""
            title = f"<title>{escape(bars.hovers[n])}</title>" if bars.hovers else ""
            place = f'x="{px100(x0)}" width="{px100(x1 - x0)}" y="{px(y0)}" height="{px(y1 - y0)}"'
            parts.append(f"<rect {place}{style}>{title}</rect>" if title else f"<rect {place}{style}/>")
        return f'<g class="{"q" if bars.solid else "b"} {bars.paint}">{"".join(parts)}</g>'

    def _box(self, bars: Bars, at: float, low: float, high: float) -> tuple[float, float, float, float]:
        """(left, right) as shares of the width, (top, bottom) in px."""
        across = self.panel.x
        if isinstance(self.panel.y, Axis):
            left, right = across.place(at - bars.width / 2), across.place(at + bars.width / 2)
            return left, right, self.y(high), self.y(low)
        half = self._bar(self.panel.y[round(at)]) / 2
        return across.place(low), across.place(high), self.y(at) - half, self.y(at) + half

    def _draw_dots(self, dots: Dots) -> str:
        radius = SMALL_RADIUS if dots.small else RADIUS
        hovers = dots.hovers if len(dots.hovers) <= MOST_HOVERS else ()
        drawn = "".join(
            self._draw_symbol(dots.place, self.x(x), self.y(y), radius, hovers[at] if hovers else "")
            for at, (x, y) in enumerate(zip(dots.x, dots.y, strict=True))
        )
        return f'<g class="d {paint(dots.place)}">{drawn}</g>'

    def _draw_symbol(self, place: int, x: str, y: float, radius: float, hover: str = "") -> str:
        kind = symbol(place)
        if kind in CORNERS:
            self.used.add((kind, radius != RADIUS))
            name = f"{self.ids}-{kind}{'' if radius == RADIUS else 's'}"
            tag, where = "use", f'href="#{name}" x="{x}" y="{px(y)}"'
        else:
            tag, where = "circle", f'cx="{x}" cy="{px(y)}" r="{radius:g}"'
        return f"<{tag} {where}><title>{escape(hover)}</title></{tag}>" if hover else f"<{tag} {where}/>"

    def _draw_whisker(self, whisker: Whisker) -> str:
        """A line with a cap at each end that lies on the axis."""
        axis, y = self.panel.x, self.y(whisker.row)
        ends = [value for value in (whisker.low, whisker.high) if axis.low <= value <= axis.high]
        caps = "".join(f'<line x1="{self.x(v)}" x2="{self.x(v)}" y1="{px(y - 5)}" y2="{px(y + 5)}"/>' for v in ends)
        line = f'<line x1="{self.x(whisker.low)}" x2="{self.x(whisker.high)}" y1="{px(y)}" y2="{px(y)}"/>'
        return f'<g class="i">{line}{caps}</g>'

    def _draw_span(self, span: Span) -> str:
        left, right = self.panel.x.place(span.low), self.panel.x.place(span.high)
        size = f'y="{px(self.top)}" height="{px(self.height)}"'
        if span.high > span.low:
            drawn = f'<rect class="z {span.paint}" x="{px100(left)}" width="{px100(right - left)}" {size}/>'
            return drawn + (text(span.text, px100(left), self.top - 5, "f") if span.text else "")
        ends = f'y1="{px(self.top)}" y2="{px(self.top + self.height)}"'
        drawn = f'<line class="r {span.paint}" x1="{px100(left)}" x2="{px100(left)}" {ends}/>'
        if not span.text:
            return drawn
        anchor, dx = ("e", -5) if left > 0.5 else ("", 5)
        y = self.height - 5 - 14 * span.line if span.at_foot else 12 + 14 * span.line
        return drawn + text(span.text, px100(left), self.top + y, "f", anchor, dx=dx)

    def _place_across(self, value: float) -> str:
        return px(ACROSS * self.panel.x.place(value))

    def _draw_line(self, line: Line) -> str:
        path, pen = [], "M"
        for x, y in zip(map(float, line.x), map(float, line.y), strict=True):
            if math.isnan(y):
                pen = "M"
                continue
            path.append(f"{pen}{self._place_across(x)} {px(self.y(y))}")
            pen = "L"
        kind = "l" + (" t" if line.dotted else "") + (" n" if line.thin else "")
        return f'<path class="{kind} {line.paint}" d="{"".join(path)}"/>'

    def _draw_band(self, band: Band) -> str:
        across, floor = [self._place_across(float(x)) for x in band.x], [float(low) for low in band.low]
        tops = [low if math.isnan(high) else float(high) for low, high in zip(floor, band.high, strict=True)]
        upper, lower = ([f"{x} {px(self.y(y))}" for x, y in zip(across, own, strict=True)] for own in (tops, floor))
        return f'<path class="{"q" if band.solid else "a"} {band.paint}" d="M{"L".join([*upper, *lower[::-1]])}z"/>'

    def _ends(self) -> str:
        """Labels beside the last points of lines, moved apart."""
        ends: list[tuple[float, Line]] = []
        for line in self.panel.marks:
            if isinstance(line, Line) and line.end:
                ends.append((self.y(float([y for y in line.y if not math.isnan(y)][-1])) + 4, line))
        ends.sort(key=itemgetter(0))
        places: list[float] = []
        for y, _ in ends:
            places.append(max(y, places[-1] + 14) if places else y)
        over = max(places[-1] - self.top - self.height, 0.0) if places else 0.0
        labels = zip(places, ends, strict=True)
        return "".join(text(line.end, "100%", y - over, "k", line.paint, dx=8) for y, (_, line) in labels)

    def definitions(self) -> str:
        outlines = "".join(
            f'<path id="{self.ids}-{kind}{"s" if small else ""}" d="{outline(kind, 0, 0, SMALL_RADIUS if small else RADIUS)}"/>'
            for kind, small in sorted(self.used)
        )
        hatch = (
            f'<pattern id="{self.ids}-h" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path class="h" d="M0 0V6"/></pattern>'
            if self.hatched
            else ""
        )
        return f"<defs>{outlines}{hatch}</defs>" if outlines or hatch else ""


def px100(share: float) -> str:
    return f"{round(100 * share, 2):g}%"


# --- in a page -------------------------------------------------------------------------------------------------------------


def draw_inline(chart: Chart) -> str:
    """The chart's panels, each a plot as wide as its place, with legend and note as HTML."""
    painters = [Painter(panel, f"{chart.name}-{at}" if at else chart.name) for at, panel in enumerate(chart.panels)]
    plots = [painter.draw() for painter in painters]
    left, right = max(plot.left for plot in plots), max(plot.right for plot in plots)
    room = f"l{min(-(-left // 8), 12)} r{min(-(-right // 8), 18)}"
    drawn: list[str] = []
    for painter, plot in zip(painters, plots, strict=True):
        panel = painter.panel
        title = f'<p class="panel-title">{escape(panel.title)}</p>' if panel.title else ""
        unit = f'<p class="unit">{escape(panel.y.title)}</p>' if isinstance(panel.y, Axis) and panel.y.title else ""
        label = escape(chart.summary[:MOST_SPOKEN] or chart.title) if not drawn else escape(panel.title or chart.title)
        drawn.append(
            f'<div>{title}{unit}<svg class="f {room}" height="{px(plot.height)}" role="img" aria-label="{label}">'
            f"{painter.definitions()}{plot.body}</svg></div>"
        )
    legend = f'<p class="chart-key">{"".join(map(_draw_key, chart.key))}</p>' if chart.key else ""
    words = escape(chart.note).replace(" %", "\N{NO-BREAK SPACE}%")
    note = f'<p class="chart-note">{words}</p>' if words else ""
    wide = " wide" if chart.columns > 1 else ""
    return f'<div class="fig">{legend}<div class="plots{wide}">{"".join(drawn)}</div>{note}</div>'


def _draw_key(key: Key) -> str:
    """Its series is what a script switches on and off; parts of a stack have none, as the others would stay where they are."""
    shade = key.paint if key.place is None else paint(key.place)
    series = f' data-series="{shade}"' if shade.startswith("s") else ""
    swatch = f'<svg class="sw" width="12" height="12" aria-hidden="true">{draw_swatch(key)}</svg>'
    return f"<span{series}>{swatch}{escape(key.text)}</span>"


def draw_swatch(key: Key, x: float = 0, y: float = 0) -> str:
    """A square of 12 px in the part's colour, or the config's symbol in as much room."""
    if key.place is None:
        return f'<rect class="q {key.paint}" x="{px(x)}" y="{px(y)}" width="12" height="12" rx="2"/>'
    return f'<path class="d {paint(key.place)}" d="{outline(symbol(key.place), x + 6, y + 6, RADIUS)}"/>'


def outline(kind: str, x: float, y: float, radius: float) -> str:
    """The path of a symbol around a point."""
    if corners := CORNERS.get(kind):
        return "M" + "L".join(f"{px(x + radius * dx)} {px(y + radius * dy)}" for dx, dy in corners) + "z"
    size = f"{radius:g} {radius:g} 0 1 0"
    return f"M{px(x - radius)} {px(y)}a{size} {2 * radius:g} 0a{size}-{2 * radius:g} 0z"


def draw_strip(groups: Sequence[tuple[int, Sequence[float]]]) -> str:
    """Every run of every config on one line: (place, values). Fixed in size, for a cell of a table, whose figures it repeats."""
    known = [value for _, values in groups for value in values]
    if not known:
        return ""
    width, height, pad = 220, 26, 8
    low, high = min(known), max(known)
    lane = (height - 10) / max(len(groups) - 1, 1)
    drawn = [f'<path class="g" d="M0 {height // 2}H{width}"/>']
    for at, (place, values) in enumerate(groups):
        y = 5 + lane * at if len(groups) > 1 else height / 2
        xs = (pad + (width - 2 * pad) * ((value - low) / (high - low) if high > low else 0.5) for value in values)
        path = "".join(outline(symbol(place), x, y, 4 if len(groups) < 4 else 3) for x in xs)
        drawn.append(f'<path class="d {paint(place)}" d="{path}"/>')
    return f'<svg class="f strip" width="{width}" height="{height}" aria-hidden="true">{"".join(drawn)}</svg>'


def draw_mini(bars: Sequence[Bar]) -> str:
    """At most six bars for a card, to one scale, as a grid's rows: name, bar, value. What does not count is no longer than it."""
    filled = [bar for bar in bars if keep_drawable(bar.values)][:6]
    top = max([bar.mean for bar in filled if bar.is_sound] or [bar.mean for bar in filled], default=1.0) or 1.0
    return "".join(
        f'<span class="name" title="{escape(bar.name)}">{escape(bar.name)}</span>'
        f'<svg class="{paint(bar.place)}" aria-hidden="true"><line{"" if bar.is_sound else " class=x"} '
        f'x2="{round(100 * min(bar.mean / top, 1.0), 1):g}%" y1="5" y2="5"/></svg>'
        f"<b>{escape(bar.change if bar.failed and bar.change else f'{figure(bar.mean)}/s')}</b>"
        for bar in filled
    )
