"""Bytes into figures."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from backports import zstd
from numpy.typing import NDArray

from .layout import DIFFERENCES, LETTER, LINE, RAW, WIDTHS, ZSTD, Floats, Whole
from .writing import joined, pack

Looks = Whole | range  # a range where they follow each other, which needs no room


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
        frames = [(_numbers(looks), figures) for looks, figures in _frames(data)]
    except (zstd.ZstdError, IndexError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error
    if len(frames) == 1:
        return frames[0]
    looks, figures = zip(*frames, strict=True) if frames else ((np.empty(0, np.int64),), (np.empty(0),))
    return np.concatenate(looks), np.concatenate(figures)


def moved(packed: bytes, by: int) -> bytes:
    """The same figures, each `by` looks later."""
    return joined(pack(_numbers(looks) + by, figures) for looks, figures in _frames(packed))


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

    def planes(self, n: int, dtype: np.dtype[np.generic], squeezed: bool = True) -> NDArray[Any]:
        body = zstd.ZstdDecompressor().decompress(self.body()) if squeezed else self.body()
        if len(body) != n * dtype.itemsize:
            raise IndexError(f"{len(body)} bytes for {n} figures of {dtype.itemsize}")
        planes = np.frombuffer(body, np.uint8).reshape(dtype.itemsize, n)
        return np.ascontiguousarray(planes.T).view(dtype).reshape(n)

    def looks(self, n: int) -> Looks:
        flags, base, step = self.head()
        return range(base, base + n * step, step) if flags == LINE and step else self.numbers(n, flags, base, step)

    def whole(self, n: int) -> Whole:
        return self.numbers(n, *self.head())

    def head(self) -> tuple[int, int, int]:
        """(flags, base, step)"""
        flags, base, step = self.byte(), self.varint(), self.varint()
        return flags, -((base + 1) >> 1) if base & 1 else base >> 1, step

    def numbers(self, n: int, flags: int, base: int, step: int) -> Whole:
        if flags == LINE:
            return np.arange(n, dtype=np.int64) * step + base
        width, squeezed = WIDTHS[flags >> 2 & 3], bool(flags & ZSTD)
        if not flags & DIFFERENCES:
            return (self.planes(n, width, squeezed).astype(np.int64) << step) + base
        numbers = np.empty(n, np.int64)
        numbers[0] = base
        numbers[1:] = _unfolded(self.planes(n - 1, width, squeezed), step)
        return np.cumsum(numbers, out=numbers)


def _unfolded(folded: NDArray[np.unsignedinteger[Any]], cut: int) -> NDArray[np.signedinteger[Any]]:
    """Differences out of zigzag of which `cut` low bits are gone, without widening what is narrow: it is much quicker."""
    if cut:  # the lowest bit is the sign, so all were positive
        return folded.astype(np.int64) << (cut - 1)
    return ((folded >> 1) ^ -(folded & 1)).view(f"i{folded.itemsize}")


def _frames(data: bytes) -> Iterable[tuple[Looks, Floats]]:
    """(looks, figures) of each frame."""
    reader = _Reader(data)
    while reader.at < len(data):
        scale, n = reader.byte(), reader.varint()
        looks = reader.looks(n)
        if scale == RAW:
            yield looks, reader.planes(n, np.dtype("<f8")).astype(np.float64)
        else:
            figures = reader.whole(n)
            yield looks, figures / 10.0**scale if scale else figures.astype(np.float64)


def _numbers(looks: Looks) -> Whole:
    return np.arange(looks.start, looks.stop, looks.step) if isinstance(looks, range) else looks


def _spread(frames: Sequence[tuple[Looks, Floats]], n_looks: int | None) -> Floats:
    n = n_looks if n_looks is not None else max((int(looks[-1]) + 1 for looks, _ in frames), default=0)
    if len(frames) == 1 and isinstance(frames[0][0], range) and frames[0][0] == range(n):
        return frames[0][1]  # a figure at every look
    samples = np.full(n, np.nan)
    for looks, figures in frames:
        if isinstance(looks, range):
            part = samples[looks.start : looks.stop : looks.step]
            part[:] = figures[: len(part)]
        else:
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
