"""Rows in, charts out: descriptions of what is shown (`description`), which `svg` and `plotly` draw alike.

Series colours go by a config's place and are never used for good or bad.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

N_COLORS = 8
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "cross")
MAYBE_WIDE = re.compile("[\u1100-\u115f\u231a-\U0003ffff]")  # no other letter takes two columns
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
    """`words` cut to about `most` letters, the end kept too: names often differ in their last word only."""
    words = clean(words)
    width = columns(words)
    if width <= most:
        return words
    head, tail, kept = list(words), "", 0
    while len(head) > 1 and width >= most:
        letter = head.pop()
        if kept < most // 3:
            tail, kept = letter + tail, kept + columns(letter)
        else:
            width -= columns(letter)
    return f"{''.join(head).rstrip()}…{tail.lstrip()}"


def columns(words: str) -> int:
    """Letters as wide as in Latin script; a Chinese or Japanese one takes two."""
    wide = [] if words.isascii() else MAYBE_WIDE.findall(words)
    return len(words) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in wide)


def drawable(values: Sequence[float]) -> list[float]:
    """Those that a time or a rate can be: nought, or a positive number that an axis can be made for."""
    return [value for value in values if value == 0 or SMALLEST <= value <= LARGEST]


def format_plain(value: float) -> str:
    """Four significant figures without an exponent, for hover boxes: 29219.55 -> "29220"."""
    return f"{float(f'{value:.4g}'):.12g}"


def write(value: float) -> str:
    """As the pages' tables write it: four significant figures, halves up, thousands marked: 29219.55 -> "29,220"."""
    if not math.isfinite(value):
        return "–"
    value = float(f"{value:.12g}")  # 7.000000000000001 is a sum's rounding
    if value == int(value):
        return f"{int(value):,}"
    exact = Decimal(repr(value))
    decimals = min(max(3 - exact.adjusted(), 0), -int(exact.as_tuple().exponent))
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP):,f}"
