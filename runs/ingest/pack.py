"""Series of figures as compact bytes, exact to the last bit.

A packed series is the letter "z" and frames one behind the other, so that a long log is packed a part at a time while it
is read: `joined` puts the parts together. A frame is (numbers are varints, 7 bits a byte, low ones first):

    scale       one byte: the figures times 10**scale are whole numbers; 255 where they are not, but raw float64s
    n           how many figures
    looks       whole numbers: which looks have a figure, ascending
    figures     whole numbers, or raw: length and zstd of the float64s by byte planes

Whole numbers are one byte, base and step (base in zigzag). Byte 0: base, base + step, base + 2 step ... and nothing else:
a steady figure, and looks without a gap. Else its bits say how the rest is kept: differences (1) or amounts above base (2),
bytes a number (log2, 4 and 8), zstd or plain (16); step is then how many low bits were cut off because all were 0 (memory
comes in pages). What follows is a length and the numbers by byte planes: all low bytes, then all second ones ...

The letters "i" and "f" are how series were packed before: zlib over int64 differences or float64s, NaN where a look has
no figure.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from threading import local

import numpy as np
from backports import zstd
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

LETTER = b"z"
EXACT = 2.0**53  # beyond it a float64 no longer holds every whole number
SCALES = (0, 1, 2, 3, 4, 6)
RAW = 255
_LINE, _DIFFERENCES, _AMOUNTS, _ZSTD = 0, 1, 2, 16
_WIDTHS = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
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


def moved(packed: bytes, by: int) -> bytes:
    """The same figures, each `by` looks later."""
    return joined(pack(looks + by, figures) for looks, figures in _frames(packed))


def unpack(packed: bytes | memoryview, n_looks: int | None = None) -> Floats:
    """A float64 a look, NaN where it has none: `n_looks` of them, or up to the last that has one.

    Raises ValueError for bytes that `pack` did not write.
    """
    data = bytes(packed)
    try:
        if data[:1] == LETTER:
            return _spread(list(_frames(data)), n_looks)
        return _fitted(_old(data), n_looks)
    except (zlib.error, zstd.ZstdError, IndexError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error


def points(packed: bytes | memoryview) -> tuple[Whole, Floats]:
    """(the looks that have a figure, their figures): what was there for a moment in a long log takes no room of all of it."""
    data = bytes(packed)
    if data[:1] != LETTER:
        samples = unpack(data)
        known = np.flatnonzero(samples == samples)
        return known, samples[known]
    try:
        looks, figures = (
            zip(*_frames(data), strict=True) if len(data) > 1 else ((np.empty(0, np.int64),), (np.empty(0),))
        )
    except (zstd.ZstdError, IndexError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error
    return (looks[0], figures[0]) if len(looks) == 1 else (np.concatenate(looks), np.concatenate(figures))


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
    ways = [(_DIFFERENCES, base, folded, _width(folded)), (_AMOUNTS, low, amounts, _width(amounts))]
    narrow = min(width for *_, width in ways)
    return min((_planes(*way) for way in ways if way[-1] == narrow), key=len)


def _line(base: int, step: int) -> bytes:
    return b"".join((b"\0", _varint(_zigzag(base)), _varint(step)))


def _width(numbers: Whole) -> int:
    """Log2 of the bytes that the numbers need without the low bits that all lack."""
    together = int(np.bitwise_or.reduce(numbers))
    top = together.bit_length() - _zeros(together)
    return 0 if top <= 8 else 1 if top <= 16 else 2 if top <= 32 else 3


def _zeros(together: int) -> int:
    return (together & -together).bit_length() - 1 if together else 0


def _planes(how: int, base: int, numbers: Whole, width: int) -> bytes:
    cut = _zeros(int(np.bitwise_or.reduce(numbers)))
    plain = _by_planes((numbers >> cut if cut else numbers).astype(_WIDTHS[width]))
    flags = how | width << 2
    if len(plain) > _SMALL:
        plain, flags = _squeezed(plain), flags | _ZSTD
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


class _Reader:
    """Walks through the bytes of frames. Raises IndexError where they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 1

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        number = shift = 0
        while (byte := self.byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def body(self) -> bytes:
        size = self.varint()
        self.at += size
        if self.at > len(self.data):
            raise IndexError("it ends too early")
        return self.data[self.at - size : self.at]

    def planes(self, n: int, dtype: np.dtype[np.generic], squeezed: bool = True) -> NDArray[np.generic]:
        body = zstd.decompress(self.body()) if squeezed else self.body()
        if len(body) != n * dtype.itemsize:
            raise IndexError(f"{len(body)} bytes for {n} figures of {dtype.itemsize}")
        planes = np.frombuffer(body, np.uint8).reshape(dtype.itemsize, n)
        return np.ascontiguousarray(planes.T).view(dtype).reshape(n)

    def whole(self, n: int) -> Whole:
        flags = self.byte()
        base, step = self.varint(), self.varint()
        base = -((base + 1) >> 1) if base & 1 else base >> 1
        if flags == _LINE:
            return np.arange(n, dtype=np.int64) * step + base
        count = n - 1 if flags & _DIFFERENCES else n
        small = self.planes(count, _WIDTHS[flags >> 2 & 3], bool(flags & _ZSTD)).astype(np.int64) << step
        if not flags & _DIFFERENCES:
            return small + base
        numbers = np.empty(n, np.int64)
        numbers[0] = base
        np.cumsum((small >> 1) ^ -(small & 1), out=numbers[1:])
        numbers[1:] += base
        return numbers


def _frames(data: bytes) -> Iterable[tuple[Whole, Floats]]:
    """(looks, figures) of each frame."""
    reader = _Reader(data)
    while reader.at < len(data):
        scale, n = reader.byte(), reader.varint()
        looks = reader.whole(n)
        if scale == RAW:
            yield looks, reader.planes(n, np.dtype("<f8")).astype(np.float64)
        else:
            figures = reader.whole(n)
            yield looks, figures / 10.0**scale if scale else figures.astype(np.float64)


def _spread(frames: Sequence[tuple[Whole, Floats]], n_looks: int | None) -> Floats:
    n = n_looks if n_looks is not None else max((int(looks[-1]) + 1 for looks, _ in frames), default=0)
    if len(frames) == 1 and len(frames[0][1]) == n and frames[0][0][-1] == n - 1:
        return frames[0][1]  # a figure at every look
    samples = np.full(n, np.nan)
    for looks, figures in frames:
        within = int(np.searchsorted(looks, n))
        samples[looks[:within]] = figures[:within]
    return samples


def _old(data: bytes) -> Floats:
    letter = data[:1]
    if letter not in (b"i", b"f"):
        raise ValueError(f"a packed series must begin with z, i or f, not {letter!r}")
    body = zlib.decompress(data[1:])
    if letter == b"i":
        return np.cumsum(np.frombuffer(body, "<i8"), dtype=np.int64).astype(np.float64)
    return np.frombuffer(body, "<f8").astype(np.float64)


def _fitted(samples: Floats, n_looks: int | None) -> Floats:
    if n_looks is None or n_looks == len(samples):
        return samples
    return np.concatenate([samples[:n_looks], np.full(max(n_looks - len(samples), 0), np.nan)])
