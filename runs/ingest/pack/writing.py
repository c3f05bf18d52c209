"""Figures into bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import local

import numpy as np
from backports import zstd
from numpy.typing import ArrayLike, NDArray

from .layout import AMOUNTS, DIFFERENCES, LETTER, LINE, RAW, WIDTHS, ZSTD, Floats, Whole

EXACT = 2.0**53  # beyond it a float64 no longer holds every whole number
SCALES = (0, 1, 2, 3, 4, 6)
_TRIED = 16  # figures that a scale is tried with before all of them are
_SMALL = 24  # bytes that zstd's own header would only lengthen
_kept = local()


def pack(looks: ArrayLike, figures: ArrayLike) -> bytes:
    """The figures of the looks numbered `looks` (from 0, ascending), as bytes. A figure NaN is as good as none."""
    numbers = np.asarray(looks, np.int64)
    values = np.asarray(figures, np.float64)
    known = values == values
    if not known.all():
        numbers, values = numbers[known], values[known]
    if not len(values):
        return LETTER
    steady = values[0] == values[-1] and bool((values.view(np.int64) == values[:1].view(np.int64)).all())
    scale, whole = _scaled(values[:1] if steady else values)
    body = _raw(values) if whole is None else _line(int(whole[0]), 0) if steady else _whole(whole)
    without_gap = int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1
    where = _line(int(numbers[0]), 1) if without_gap else _whole(numbers)
    return b"".join((LETTER, bytes((scale,)), _varint(len(values)), where, body))


def packed(samples: Sequence[float]) -> bytes:
    """The same for a figure a look, NaN where there is none."""
    return pack(np.arange(len(samples)), samples)


def joined(parts: Iterable[bytes]) -> bytes:
    """One packed series of several, whose looks follow each other."""
    return LETTER + b"".join(part[1:] for part in parts)


def _scaled(values: Floats) -> tuple[int, Whole | None]:
    """(power of ten, whole numbers) that give the very same figures, bit for bit; (255, None) where none does."""
    with np.errstate(over="ignore", invalid="ignore"):
        for scale in SCALES:
            if _times(values[:_TRIED], scale) is not None and (whole := _times(values, scale)) is not None:
                return scale, whole
    return RAW, None


def _times(values: Floats, scale: int) -> Whole | None:
    """The figures as whole numbers of that power of ten, None where they are none."""
    factor = 10.0**scale
    rounded = np.rint(values * factor) if scale else values
    if not np.abs(rounded).max() < EXACT:
        return None
    whole = rounded.astype(np.int64)
    return whole if ((whole / factor).view(np.int64) == values.view(np.int64)).all() else None


def _whole(numbers: Whole) -> bytes:
    base = int(numbers[0])
    steps = np.diff(numbers)
    step = int(steps[0]) if len(steps) else 0
    if step >= 0 and (steps == step).all():
        return _line(base, step)
    low = int(numbers.min())
    amounts, folded = numbers - low, (steps << 1) ^ (steps >> 63)
    ways = [(DIFFERENCES, base, folded, _width(folded)), (AMOUNTS, low, amounts, _width(amounts))]
    narrow = min(width for *_, width in ways)
    return min((_planes(*way) for way in ways if way[-1] == narrow), key=len)


def _line(base: int, step: int) -> bytes:
    return b"".join((bytes((LINE,)), _varint(_zigzag(base)), _varint(step)))


def _width(numbers: Whole) -> int:
    """Log2 of the bytes that the numbers need without the low bits that all lack."""
    together = int(np.bitwise_or.reduce(numbers))
    top = together.bit_length() - _zeros(together)
    return 0 if top <= 8 else 1 if top <= 16 else 2 if top <= 32 else 3


def _zeros(together: int) -> int:
    return (together & -together).bit_length() - 1 if together else 0


def _planes(how: int, base: int, numbers: Whole, width: int) -> bytes:
    cut = _zeros(int(np.bitwise_or.reduce(numbers)))
    plain = _by_planes((numbers >> cut if cut else numbers).astype(WIDTHS[width]))
    flags = how | width << 2
    if len(plain) > _SMALL:
        plain, flags = _squeezed(plain), flags | ZSTD
    return b"".join((bytes((flags,)), _varint(_zigzag(base)), _varint(cut), _varint(len(plain)), plain))


def _raw(values: Floats) -> bytes:
    body = _squeezed(_by_planes(values.astype("<f8")))
    return _varint(len(body)) + body


def _by_planes(numbers: NDArray[np.generic]) -> bytes:
    size = numbers.dtype.itemsize
    return numbers.tobytes() if size == 1 else numbers.view(np.uint8).reshape(-1, size).T.tobytes()


def _squeezed(data: bytes) -> bytes:
    """One zstd frame. The compressor is kept: a new one for each of thousands of series takes longer than its work."""
    if not hasattr(_kept, "compressor"):
        _kept.compressor = zstd.ZstdCompressor(level=3)
    return bytes(_kept.compressor.compress(data, zstd.ZstdCompressor.FLUSH_FRAME))


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1
