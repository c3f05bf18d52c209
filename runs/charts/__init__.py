"""Rows in, plain Plotly figures out: dicts with "data" and "layout", ready for JSON.

A colour is written as the name of a style sheet variable ("--s0"); the page's script puts in what it stands for, so
that one figure serves light and dark. Series colours go by a config's place and are never used for good or bad.
"""

from __future__ import annotations

import html
import re
from typing import Any

Figure = dict[str, Any]

N_COLORS = 8
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "cross")
# XML has no way at all to write these, not even escaped.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
COLORWAY = [f"--s{place}" for place in range(N_COLORS)]
MOST_LINES = 10


def color(place: int) -> str:
    return f"--s{place % N_COLORS}"


def paint(place: int) -> str:
    return f"s{place % N_COLORS}"


def symbol(place: int) -> str:
    """The symbol that goes with the colour: the first eight differ, and later ones differ from their colour's first."""
    return SYMBOLS[(place + place // N_COLORS) % len(SYMBOLS)]


def short(name: str, most: int = 28) -> str:
    """A name that fits beside an axis; hover shows it whole. Both ends stay: names often differ in their last word."""
    if len(name) <= most:
        return name
    tail = most // 2 - 1
    return f"{name[: most - tail - 1].rstrip()}…{name[-tail:].lstrip()}"


def clean(words: str) -> str:
    """On one line, without characters that XML cannot hold."""
    return " ".join(UNWRITABLE.sub("\ufffd", words).split())


def as_text(words: str) -> str:
    """Words as Plotly shows them: it takes tags and %{...} in any text of a figure for its own."""
    return html.escape(words, quote=False).replace("{", "&#123;")


def label(name: str, most: int = 28) -> str:
    """`short`, as a text of a figure."""
    return as_text(short(name, most))


def plain(value: float) -> str:
    """Four significant figures without an exponent, for hover boxes: 29219.55 -> "29220"."""
    return f"{float(f'{value:.4g}'):.12g}"


def write(value: float) -> str:
    """As the pages' tables write it: four significant figures, thousands marked: 29219.55 -> "29,220"."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.12g}"


def scatter(mode: str, x: Any, y: Any, **parts: Any) -> Figure:
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **parts}


def marker(place: int, size: int, rim: float = 1) -> Figure:
    """The mark of the config at `place`, rimmed so that marks on one spot can be told apart."""
    return {"color": color(place), "symbol": symbol(place), "size": size, "line": {"color": "--box", "width": rim}}


def suffix(number: int) -> str:
    """What Plotly appends to the names of the `number`-th pair of axes, from 1."""
    return "" if number == 1 else str(number)


# A legend across the whole chart, above it: beside long axis labels the plot itself would be too narrow for one.
LEGEND = {"orientation": "h", "xref": "container", "yref": "container", "x": 0, "y": 1, "yanchor": "top"}


def layout(height: int, **parts: Any) -> Figure:
    """What all charts share. Sizes in pixels; the page keeps a box of this height free, so that nothing jumps."""
    common: Figure = {
        "height": height,
        "margin": {"l": 56, "r": 16, "t": 12, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "--ink", "size": 12},
        "colorway": COLORWAY,
        "hoverlabel": {"bgcolor": "--box", "bordercolor": "--line", "font": {"color": "--ink"}, "align": "left"},
        "legend": LEGEND | {"font": {"color": "--ink"}, "traceorder": "normal"},
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
        "title": {"text": title, "font": {"color": "--muted", "size": 12}},
        "automargin": True,
        "fixedrange": True,
    }
    return common | parts
