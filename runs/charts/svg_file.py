"""Charts as SVG files of their own: to embed elsewhere by address, or to put into an HTML file.

Nothing is loaded from anywhere, and no script is in them. Colours are fixed, in a style element, for light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from runs.charts import Axis, Chart, Key, cut
from runs.charts.svg import LETTER, Painter, Plot, draw_swatch, escape, px
from runs.numbers import count_columns

WIDTH, PAD, GAP = 720, 16, 24
TITLE, LINE = 26, 19
MOST_IN_A_LINE = 90  # letters
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
# As in static/css/base.css (a test compares the two).
LIGHT = {"box": "#ffffff", "ink": "#17181c", "muted": "#575c66", "line": "#e3e3df"}
LIGHT |= {"s0": "#0072b2", "s1": "#c25200", "s2": "#007f5c", "s3": "#b5528c"}
LIGHT |= {"s4": "#846500", "s5": "#2a83b3", "s6": "#6a51a3", "s7": "#5f666d"}
LIGHT |= {"m0": "#44546a", "m1": "#8497b0", "m2": "#b4c2d5", "m3": "#e3e8ef", "m4": "#c8b183", "m5": "#d9a679"}
DARK = {"box": "#1b1d22", "ink": "#eceef2", "muted": "#a6abb6", "line": "#2d3037"}
DARK |= {"s0": "#4aa8e0", "s1": "#f0894a", "s2": "#3cc79c", "s3": "#e08fbe"}
DARK |= {"s4": "#d6ad33", "s5": "#8acdf3", "s6": "#ab9ae0", "s7": "#a3acb5"}
DARK |= {"m0": "#7f93ad", "m1": "#566a85", "m2": "#3c4d64", "m3": "#2b333d", "m4": "#8d7a4f", "m5": "#a3744c"}
SHAPES = (
    "svg{overflow:visible}.e{text-anchor:end}.m{text-anchor:middle}.o{display:none}.v,.k,.T{font-weight:600}"
    ".v tspan{font-weight:400}.b{fill-opacity:.3}.a{fill-opacity:.15}.z{fill-opacity:.09}.x{fill-opacity:1}"
    ".g,.d{stroke-width:1}.i,.r{stroke-width:1.5}.r{stroke-dasharray:5 4}.h{stroke-width:1.6}"
    ".l{fill:none;stroke-width:2.5;vector-effect:non-scaling-stroke;stroke-linejoin:round}"
    ".n{stroke-width:1.2;stroke-opacity:.5}.t{stroke-width:2;stroke-dasharray:2 5;stroke-linecap:round}"
)
FRAME = (
    *(("text,.v,.T", "fill", "ink"), (".f", "fill", "muted"), (".B", "fill", "box"), (".g", "stroke", "line")),
    *((".i", "stroke", "ink"), (".h", "stroke", "muted"), (".d", "stroke", "box")),
)
SELECTOR = re.compile(r"(?<=[{}])[^{}@]+(?=\{)|^[^{}@]+(?=\{)")


def draw_file(chart: Chart, title: str) -> str:
    """The chart at a fixed width, under `title`, if any, and its own question."""
    head, question = (title, chart.title) if title else (chart.title, "")
    y = 2.0 * TITLE
    parts = [_draw_text(cut(head, 72), PAD, 28, "T", size=15), _draw_text(cut(question, 100), PAD, 48, "f")]
    for line in _split_key(chart.key):
        parts += [
            draw_swatch(entry, x, y + 4) + _draw_text(cut(entry.text, MOST_IN_A_LINE), x + 18, y + 14, "f")
            for entry, x in line
        ]
        y += LINE
    side = chart.columns
    width = (WIDTH - 2 * PAD - GAP * (side - 1)) / side
    painters = [Painter(panel, f"bd-{chart.name}-{at}") for at, panel in enumerate(chart.panels)]
    plots = [painter.draw() for painter in painters]
    room = max(plot.left for plot in plots), max(plot.right for plot in plots)
    for first in range(0, len(plots), side):
        height = 0.0
        for at in range(first, min(first + side, len(plots))):
            body, used = _draw_panel(painters[at], plots[at], PAD + (at - first) * (width + GAP), y, width, room)
            parts.append(body)
            height = max(height, used)
        y += height + 10
    for words in _wrap(chart.note):
        y += LINE
        parts.append(_draw_text(words, PAD, y, "f"))
    return _write_document(
        chart.name, y + PAD, ": ".join(filter(None, (title, chart.title))), chart.summary, "".join(parts)
    )


def draw_empty(name: str, title: str, why: str) -> str:
    """A picture that says why there is nothing to see."""
    body = _draw_text(cut(title, 72), PAD, 30, "T", size=15) + _draw_text(why, PAD, 60, "f")
    return _write_document(name, 90, title, why, body)


def _write_document(name: str, height: float, title: str, summary: str, body: str) -> str:
    """`name` sets the ids apart from those of other pictures on one page; title and summary are read out by screen readers."""
    size = f'width="{WIDTH}" height="{px(height)}" viewBox="0 0 {WIDTH} {px(height)}"'
    names = f'class="bd" role="img" aria-labelledby="bd-{name}-title bd-{name}-desc"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {names} font-family="{escape(SANS)}" font-size="12.5">'
        f'<title id="bd-{name}-title">{escape(title)}</title><desc id="bd-{name}-desc">{escape(summary)}</desc>'
        f"<style>{_write_style(body)}</style>"
        f'<rect class="B" width="{WIDTH}" height="{px(height)}" rx="6"/>{body}</svg>'
    )


def _write_style(body: str) -> str:
    used = [name for name in LIGHT if re.search(rf'class="[^"]*\b{name}"', body)]
    rules = f"{SHAPES}{_write_colors(LIGHT, used)}@media (prefers-color-scheme:dark){{{_write_colors(DARK, used)}}}"
    # In an HTML file, a style element is about the whole file.
    return SELECTOR.sub(lambda match: ",".join(f".bd {one}" for one in match[0].split(",")), rules)


def _write_colors(scheme: Mapping[str, str], used: Sequence[str]) -> str:
    rules = "".join(f"{selector}{{{what}:{scheme[name]}}}" for selector, what, name in FRAME)
    for name in used:
        filled = ",".join(f".{kind}.{name}" for kind in "bqadkz")
        stroked = ",".join(f".{kind}.{name}" for kind in "lrx")
        rules += f"{filled}{{fill:{scheme[name]}}}{stroked}{{stroke:{scheme[name]}}}"
    return rules


def _draw_panel(
    painter: Painter, plot: Plot, x: float, y: float, width: float, room: tuple[int, int]
) -> tuple[str, float]:
    """(elements, height). room: to the left and right of every plot."""
    panel, top, drawn = painter.panel, 0, ""
    if panel.title:
        drawn, top = _draw_text(cut(panel.title, round(width / LETTER)), x, y + 14, "T"), LINE
    if isinstance(panel.y, Axis) and panel.y.title:
        drawn += _draw_text(panel.y.title, x, y + top + 14, "f")
        top += LINE + 8
    inner = width - sum(room)
    place = f'x="{px(x + room[0])}" y="{px(y + top)}" width="{px(inner)}" height="{px(plot.height)}" overflow="visible"'
    return f"{drawn}<svg {place}>{painter.definitions()}{plot.body}</svg>", top + plot.height


def _split_key(key: tuple[Key, ...]) -> list[list[tuple[Key, float]]]:
    """The entries with their places, in as many lines as they need."""
    lines: list[list[tuple[Key, float]]] = []
    x = float(WIDTH)
    for entry in key:
        length = 36 + LETTER * min(count_columns(entry.text), MOST_IN_A_LINE)
        if x + length > WIDTH - PAD:
            lines.append([])
            x = PAD
        lines[-1].append((entry, x))
        x += length
    return lines


def _wrap(note: str) -> list[str]:
    lines: list[str] = []
    for part in note.split(" · ") if note else ():
        if lines and len(lines[-1]) + len(part) < MOST_IN_A_LINE:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines


def _draw_text(words: str, x: float, y: float, kind: str, size: float = 12.5) -> str:
    return f'<text x="{px(x)}" y="{px(y)}" class="{kind}" font-size="{size:g}">{escape(words)}</text>'
