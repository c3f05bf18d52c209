"""Rows in, charts out: what a chart shows, as panels with axes and marks in data units, which `svg` and `plotly` draw alike.

A paint is the name of a style sheet variable without dashes: "s0" to "s7" for configs, by their place and never for good or bad;
"m0" to "m5" for parts of a stack.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runs.numbers import cut_name, figure

N_COLORS = 8
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "cross")
# XML has no way at all to write these, not even escaped.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
MOST_LINES = 10
SMALLEST, LARGEST = 1e-9, 1e15


def paint(place: int) -> str:
    return f"s{place % N_COLORS}"


def symbol(place: int) -> str:
    """The symbol that goes with the colour: the first eight differ, and later ones differ from their colour's first."""
    return SYMBOLS[(place + place // N_COLORS) % len(SYMBOLS)]


def clean(words: str) -> str:
    """On one line, without characters that XML cannot hold."""
    return " ".join(UNWRITABLE.sub("\ufffd", words).split())


def cut(words: str, most: int) -> str:
    """`words` cut to about `most` letters; see `cut_name` for which are kept."""
    return cut_name(clean(words), most)


def keep_drawable(values: Sequence[float]) -> list[float]:
    """Those that a time or a rate can be: nought, or a positive number that an axis can be made for."""
    return [value for value in values if value == 0 or SMALLEST <= value <= LARGEST]


Cell = str | int | float | bool | None
Points = Sequence[float] | NDArray[np.float64]
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    """`minor`: goes without its text where the chart is narrow."""

    at: float
    text: str
    minor: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    low: float
    high: float
    ticks: tuple[Tick, ...] = ()
    title: str = ""
    log: bool = False

    def place(self, value: float) -> float:
        """0 at the low end, 1 at the high end; what lies beyond is at the end."""
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(value, SMALLEST))
        return min(max((at - low) / ((high - low) or 1), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One of a panel's named rows. head: above its bar; left: beside it, short; value and more: at the right end.

    place: the config whose symbol and colour its label has; None: no config.
    """

    head: str = ""
    label: str = ""
    left: str = ""
    value: str = ""
    more: str = ""
    place: int | None = None
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from `low` to `high`, along rows (`at` is the row's number) or, where the y axis has numbers, upright at x.

    width   of an upright bar, in units of x
    hatched which bars do not count
    """

    paint: str
    at: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    name: str = ""
    hatched: tuple[bool, ...] = ()
    width: float = 1.0
    hovers: tuple[str, ...] = ()
    solid: bool = False


@dataclass(frozen=True, slots=True)
class Dots:
    """One symbol a value, of the config at `place`. On rows, y is the row's number, and a part of it moves the dot down."""

    place: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    name: str = ""
    hovers: tuple[str, ...] = ()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Whisker:
    """The interval of a mean on a row, from low to high."""

    row: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """NaN in y breaks the line. `end`: the label beside its last point."""

    paint: str
    x: Points
    y: Points
    name: str = ""
    dotted: bool = False
    end: str = ""
    hovers: tuple[str, ...] = ()
    thin: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """The area from low to high; nothing where high is NaN. solid: a layer of a stack."""

    paint: str
    x: Points
    low: Points
    high: Points
    name: str = ""
    solid: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the x axis shaded over the whole height, with its text above; or with low = high a line, whose text stands at
    its top, or at its foot where values are high.

    line: how many others stand before it, which are near
    """

    low: float
    high: float
    paint: str = "ink"
    text: str = ""
    line: int = 0
    at_foot: bool = False


Mark = Bars | Dots | Whisker | Line | Band | Span


@dataclass(frozen=True, slots=True)
class Panel:
    """`y`: an axis with numbers, or named rows from the top. height: px of the plot and of names above it, where it has no rows."""

    x: Axis
    y: Axis | tuple[Row, ...]
    marks: tuple[Mark, ...]
    title: str = ""
    height: int = 220


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of the legend: a config's symbol, or a part's colour."""

    text: str
    place: int | None = None
    paint: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """name: in addresses and ids. note: what its marks mean. summary: what it shows, in words.

    heads, rows  the table that says the same
    columns      how many panels stand side by side, where there is room
    """

    name: str
    title: str
    panels: tuple[Panel, ...]
    key: tuple[Key, ...] = ()
    note: str = ""
    summary: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    columns: int = 1
    zooms: bool = False

    @property
    def cells(self) -> list[list[str]]:
        """The table as text."""
        return [["–" if v is None else figure(v) if isinstance(v, float) else str(v) for v in row] for row in self.rows]

    @property
    def is_log(self) -> bool:
        """Whether the first panel's y axis is logarithmic."""
        y = self.panels[0].y
        return isinstance(y, Axis) and y.log


def make_linear_axis(most: float, title: str = "", *, ticks: int = MOST_TICKS, end: float = 0.0) -> Axis:
    """From 0 to a tick at or above `most` in steps of 1, 2 or 5 times a power of ten; with `end`, to there and no further."""
    if not SMALLEST < most < math.inf:
        most = 1.0
    rough = most / (ticks - 1)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
    places = [round(step * at, 12) for at in range(math.ceil(most / step * 0.999) + 1)]
    shown = [at for at in places if at <= (end or at)]
    crowded = len(shown) > (3 if end and shown[-1] >= 1000 else 4)  # with an end, beside the names of rows
    marks = tuple(Tick(at, figure(at), minor=crowded and number % 2 == 1) for number, at in enumerate(shown))
    return Axis(0.0, end or places[-1], marks, title)


def make_log_axis(values: Sequence[float], title: str = "") -> Axis:
    """Around the values, at least half a decade; ticks at 1, 2 and 5 of each decade, of many decades at 1 only."""
    known = [value for value in values if SMALLEST < value < math.inf] or [1.0]
    places = [times * 10.0**power for power in range(-9, 16) for times in (1, 2, 5)]
    low = max([at for at in places if at <= min(known) * 1.001], default=places[0])
    high = min([at for at in places if at >= max(max(known) * 0.999, low * 4.9)], default=places[-1])
    decades = math.log10(high / low)
    return Axis(
        low,
        high,
        tuple(
            Tick(at, figure(at), minor=not _is_power(at) and decades > 1.5)
            for at in places
            if low <= at <= high and (decades <= 3.5 or _is_power(at))
        ),
        title,
        log=True,
    )


def _is_power(value: float) -> bool:
    return abs(math.log10(value) - round(math.log10(value))) < 1e-6
