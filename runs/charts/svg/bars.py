"""Requests per second as bars from zero: each repeat a dot, the interval a whisker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element  # noqa: S405  (a type only)

from runs.charts import plain
from runs.charts.throughput import Bar

from .paper import (
    PAD,
    WIDTH,
    clean,
    dot,
    draw,
    drawable,
    empty,
    fitted,
    number,
    paper,
    shade,
    text,
    ticks,
    told,
    written,
)

ROW, BAR, TOP = 46, 16, 60
MOST = 40
WORD = 86  # room to the right for the last bar's figure
UNIT = "requests per second"


def bars(found: Sequence[Bar], title: str, *, name: str = "throughput") -> str:
    """The picture of up to 40 configs, in the order given."""
    kept = [replace(bar, values=tuple(drawable(bar.values))) for bar in found if drawable(bar.values)]
    if not kept:
        return empty(name, title, "No run here says how many requests it served per second.")
    shown = kept[:MOST]
    words = [
        f"{bar.name}: {told(bar.mean)} {UNIT}, n={len(bar.values)}{'' if bar.counted else ', not counted'}"
        for bar in shown
    ]
    height = TOP + ROW * len(shown) + 44
    root = paper(name, height, f"{title}: {UNIT}", "; ".join(words) + _left_out(len(kept)))
    text(root, fitted(clean(title), WIDTH - 2 * PAD, 15), PAD, 28, size=15, bold=True)
    text(root, f"{UNIT}, mean of n; each repeat a dot{_whisker_words(shown)}", PAD, 47, color="muted")
    marks = ticks(_top(shown))
    scale = (WIDTH - PAD - WORD - PAD) / marks[-1]
    _axis(root, marks, scale, height)
    for at, bar in enumerate(shown):
        _row(root, bar, TOP + ROW * at, scale, marks[-1])
    if len(kept) > MOST:
        text(root, _left_out(len(kept)).strip(), WIDTH - PAD, 47, color="muted", anchor="end")
    return written(root)


def _top(shown: Sequence[Bar]) -> float:
    """What the axis must reach: every value, and of an interval as much as does not press the bars flat."""
    top = max(value for bar in shown for value in bar.values) or 1.0
    return max(top, min(max((bar.interval[1] for bar in shown if bar.interval), default=0.0), 1.5 * top))


def _left_out(n: int) -> str:
    return f" {n - MOST} more are not drawn." if n > MOST else ""


def _whisker_words(shown: Sequence[Bar]) -> str:
    return ", 95 % interval a line" if any(bar.interval for bar in shown) else ""


def _axis(root: Element, marks: Sequence[float], scale: float, height: float) -> None:
    for mark in marks:
        x = PAD + mark * scale
        draw(root, "path", "muted" if not mark else "line", line=True, d=f"M{number(x)} {TOP}V{number(height - 38)}")
        text(root, plain(mark), x, height - 20, color="muted", size=11, anchor="middle")


def _row(root: Element, bar: Bar, y: float, scale: float, most: float) -> None:
    dot(root, bar.place, PAD + 6, y + 12)
    words = clean(bar.name) if bar.counted else f"not counted: {clean(bar.name)}"
    text(root, fitted(words, WIDTH - 3 * PAD, 12.5), PAD + 16, y + 16, color="ink" if bar.counted else "muted")
    middle = y + 22 + BAR / 2
    box = draw(
        root,
        "rect",
        shade(bar.place),
        line=not bar.counted,
        x=PAD,
        y=y + 22,
        width=bar.mean * scale,
        height=BAR,
        rx=2,
        opacity=0.55,
    )
    if not bar.counted:
        box.attrib |= {"opacity": "1", "stroke-dasharray": "4 3"}
    furthest = max(drawable([*bar.values, *(bar.interval or ())]), default=0.0)
    if bar.interval:
        _whisker(root, bar.interval, middle, scale, most)
    for value in bar.values[:200]:
        dot(root, bar.place, PAD + value * scale, middle, 4)
    x = PAD + min(furthest, most) * scale + 10
    text(root, f"{told(bar.mean)} (n={len(bar.values)})", min(x, WIDTH - WORD - 4), middle + 4, bold=True)


def _whisker(root: Element, interval: tuple[float, float], y: float, scale: float, most: float) -> None:
    """A line with an end cap at each bound that lies on the picture."""
    low, high = max(interval[0], 0.0), min(interval[1], most)
    path = f"M{number(PAD + low * scale)} {number(y)}H{number(PAD + high * scale)}"
    for bound in interval:
        if 0 <= bound <= most:
            path += f"M{number(PAD + bound * scale)} {number(y - 5)}v10"
    draw(root, "path", "ink", line=True, d=path, stroke_width=1.5)
