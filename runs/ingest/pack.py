"""Series of figures as compact bytes, exact to the last bit.

Layout: one letter, then zlib. "i": every figure is whole, so differences of int64 (kB and counts hardly change from
look to look and shrink to almost nothing). "f": the float64s themselves. Both little-endian; NaN marks a look without
a figure.
"""

from __future__ import annotations

import math
import sys
import zlib
from array import array
from collections.abc import Iterable
from itertools import accumulate

EXACT = 2**53  # beyond it a float64 no longer holds every whole number


def _little(figures: array) -> bytes:  # type: ignore[type-arg]
    if sys.byteorder == "big":
        figures.byteswap()
    return zlib.compress(figures.tobytes(), 6)


def _is_whole(figure: float) -> bool:
    minus_zero = figure == 0 and math.copysign(1, figure) < 0
    return math.isfinite(figure) and figure.is_integer() and abs(figure) < EXACT and not minus_zero


def pack(figures: Iterable[float]) -> bytes:
    """The figures as bytes; `unpack` gives the very same back."""
    floats = array("d", figures)
    if not all(map(_is_whole, floats)):
        return b"f" + _little(floats)
    whole = [int(figure) for figure in floats]
    return b"i" + _little(array("q", (now - before for before, now in zip([0, *whole], whole, strict=False))))


def unpack(packed: bytes | memoryview) -> list[float]:
    """The figures of `pack`. Raises ValueError for bytes that it did not write."""
    letter, body = bytes(packed[:1]), zlib.decompress(bytes(packed[1:]))
    if letter not in (b"i", b"f"):
        raise ValueError(f"packed series must begin with i or f, not {letter!r}")
    figures = array("q" if letter == b"i" else "d", body)
    if sys.byteorder == "big":
        figures.byteswap()
    return [float(figure) for figure in (accumulate(figures) if letter == b"i" else figures)]
