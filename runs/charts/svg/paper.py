"""The canvas of a picture. Lengths are px at the picture's own size; it scales with the box that it is put into.

Every colour stands twice: as an attribute for the light scheme, which any renderer knows, and in a style for the dark
one, which browsers follow. The standard library's ElementTree escapes what names bring along.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring  # noqa: S405  (writes only)

from runs.charts import N_COLORS, plain

WIDTH = 720
PAD = 16
SMALLEST, LARGEST = 1e-9, 1e15
NAMESPACE = "http://www.w3.org/2000/svg"
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
# As in static/css/base.css (a test compares the two).
LIGHT = {"box": "#ffffff", "ink": "#1c2024", "muted": "#59626c", "line": "#dfe2e5"}
LIGHT |= {"s0": "#0072b2", "s1": "#d55e00", "s2": "#00835f", "s3": "#b5528c"}
LIGHT |= {"s4": "#8a6a00", "s5": "#2f8fc4", "s6": "#6a51a3", "s7": "#5f666d"}
DARK = {"box": "#1a1e22", "ink": "#e4e7ea", "muted": "#9da7b1", "line": "#2e343a"}
DARK |= {"s0": "#4fa8df", "s1": "#f0834a", "s2": "#35b98f", "s3": "#dd8fbd"}
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


def paper(name: str, height: float, title: str, description: str) -> Element:
    """An empty picture. `name` sets its ids apart from those of others on one page; the rest screen readers read out."""
    size = {"width": str(WIDTH), "height": number(height), "viewBox": f"0 0 {WIDTH} {number(height)}"}
    told = {"class": "bd", "role": "img", "aria-labelledby": f"bd-{name}-title bd-{name}-desc"}
    root = Element("svg", {"xmlns": NAMESPACE, **size, **told, "font-family": SANS})
    for tag, words in (("title", title), ("desc", description)):
        SubElement(root, tag, {"id": f"bd-{name}-{tag}"}).text = clean(words)
    SubElement(root, "style").text = _style()
    draw(root, "rect", "box", width=WIDTH, height=height, rx=6)
    return root


def written(root: Element) -> str:
    return tostring(root, encoding="unicode")


def draw(parent: Element, tag: str, color: str, *, line: bool = False, **attributes: float | str) -> Element:
    """A shape in a colour of the scheme: filled, or drawn with a line."""
    paint = "stroke" if line else "fill"
    given = {key.replace("_", "-"): number(v) if not isinstance(v, str) else v for key, v in attributes.items()}
    given |= {"fill": "none"} if line else {}
    return SubElement(parent, tag, {"class": f"bd-{paint}-{color}", paint: LIGHT[color], **given})


def text(
    parent: Element,
    words: str,
    x: float,
    y: float,
    *,
    color: str = "ink",
    size: int = 12,
    anchor: str = "start",
    bold: bool = False,
) -> None:
    more = {"font-weight": "600"} if bold else {}
    element = draw(parent, "text", color, x=x, y=y, font_size=float(size), text_anchor=anchor)
    element.attrib |= more
    element.text = clean(words)


def dot(parent: Element, place: int, x: float, y: float, radius: float = 4.5) -> None:
    """The symbol of the config at `place`, rimmed so that dots on one spot can be told apart."""
    shape = SHAPES[(place + place // N_COLORS) % len(SHAPES)]
    rim = {"stroke": LIGHT["box"], "vector-effect": "non-scaling-stroke"}
    if shape == "circle":
        made = draw(parent, "circle", shade(place), cx=x, cy=y, r=radius)
    else:
        at = f"translate({number(x)} {number(y)}) scale({number(radius)})"
        made = draw(parent, "path", shade(place), d=shape, transform=at)
    made.attrib |= rim
    made.set("class", f"{made.get('class')} bd-stroke-box")


def shade(place: int) -> str:
    """The colour of the config at `place`."""
    return f"s{place % N_COLORS}"


def clean(words: str) -> str:
    """On one line, without characters that XML cannot hold."""
    return " ".join(UNWRITABLE.sub("\ufffd", words).split())


def number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"


def told(value: float) -> str:
    """As the page's table writes it: four significant figures, and no digit before the point taken away."""
    return f"{value:.0f}" if 1000 <= abs(value) < LARGEST else plain(value)


def fitted(words: str, width: float, size: float = 12) -> str:
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


def ticks(most: float, about: int = 6) -> list[float]:
    """Round numbers from 0 to the first at or above `most` (> 0): steps of 1, 2 or 5 times a power of ten."""
    rough = most / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
    return [round(step * at, 12) for at in range(math.ceil(most / step * 0.999) + 1)]


def empty(name: str, title: str, why: str) -> str:
    """A picture that says why there is nothing to see."""
    root = paper(name, 90, title, why)
    text(root, fitted(clean(title), WIDTH - 2 * PAD, 15), PAD, 30, size=15, bold=True)
    text(root, why, PAD, 60, color="muted", size=13)
    return written(root)


def drawable(values: Sequence[float]) -> list[float]:
    """Those that a time or a rate can be: nought, or a positive number that an axis can be made for."""
    return [value for value in values if value == 0 or SMALLEST <= value <= LARGEST]


def _style() -> str:
    rules = [f".bd .bd-{paint}-{key}{{{paint}:{DARK[key]}}}" for paint in ("fill", "stroke") for key in DARK]
    return f"@media (prefers-color-scheme: dark){{{''.join(rules)}}}"
