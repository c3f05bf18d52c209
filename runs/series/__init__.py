"""Pure: samples of monitors, their clocks, and the compact series that they are stored as, exact to the last bit.

A packed series is the letter "s" followed by frames, so that a long log can be packed in parts while it is read;
`join_packed_parts` puts the parts together. A frame is a head (see HEAD) and a body: the steps between the indexes of the samples
that have a value, as int32, where samples between have none; then the values: all low bytes, then all second ones ... They are
int32 where they times 10**scale are whole numbers, else float64.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from backports import zstd
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LETTER = b"s"
# Number of values, index of the first, bytes of the body, scale (or RAW), whether it is compressed, whether it has steps.
HEAD = struct.Struct("<IIIb??")
RAW = -1  # in place of a scale
SCALES = (0, 1, 2, 3)
MOST_WHOLE = 2.0**31
LEVEL = 3
LEAST_COMPRESSED = 40  # bytes: shorter ones grow by zstd's own head


def pack_points(indexes: ArrayLike, values: ArrayLike) -> bytes:
    """Pack the values of the samples with these indexes (from 0, ascending). A value NaN is left out."""
    numbers = np.asarray(indexes, np.int64)
    figures = np.asarray(values, np.float64)
    known = figures == figures
    if not known.all():
        numbers, figures = numbers[known], figures[known]
    if not len(figures):
        return LETTER
    first, has_steps = int(numbers[0]), int(numbers[-1] - numbers[0]) != len(numbers) - 1
    scale, column = _scale_to_integers(figures)
    steps = np.diff(numbers, prepend=first).astype("<i4").tobytes() if has_steps else b""
    body = steps + column.view(np.uint8).reshape(len(column), -1).T.tobytes()
    compressed = zstd.compress(body, LEVEL) if len(body) >= LEAST_COMPRESSED else body
    is_shorter = len(compressed) < len(body)
    body = compressed if is_shorter else body
    return LETTER + HEAD.pack(len(figures), first, len(body), scale, is_shorter, has_steps) + body


def pack_samples(values: Sequence[float]) -> bytes:
    """Pack one value a sample, NaN where there is none."""
    return pack_points(np.arange(len(values)), values)


def join_packed_parts(parts: Iterable[bytes]) -> bytes:
    return LETTER + b"".join(part[1:] for part in parts)


def unpack_samples(packed: bytes | memoryview, n_samples: int | None = None) -> Floats:
    """One float64 a sample, NaN where it has none: `n_samples` of them, or up to the last that has one.

    Raises ValueError for bytes that are no packed series.
    """
    frames = list(_read_frames(packed))
    n = n_samples if n_samples is not None else max((int(indexes[-1]) + 1 for indexes, _ in frames), default=0)
    if len(frames) == 1 and len(frames[0][1]) == n == frames[0][0][-1] + 1:
        return frames[0][1]  # a value at every sample
    samples = np.full(n, np.nan)
    for indexes, values in frames:
        n_within = int(np.searchsorted(indexes, n))
        samples[indexes[:n_within]] = values[:n_within]
    return samples


def unpack_points(packed: bytes | memoryview) -> tuple[Integers, Floats]:
    """(indexes of the samples that have a value, their values). A short series in a long log needs little memory."""
    indexes, values = zip((np.empty(0, np.int64), np.empty(0)), *_read_frames(packed), strict=True)
    return np.concatenate(indexes), np.concatenate(values)


@dataclass(slots=True)
class PackedSeries:
    """One series while it is packed: n values, their summary, and their packed parts in order."""

    n: int = 0
    low: float = np.inf
    high: float = -np.inf
    last: float = np.nan
    total: float = 0.0
    parts: list[bytes] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return min(max(self.total / self.n, self.low), self.high)  # rounding must not leave the range

    @property
    def packed(self) -> bytes:
        return join_packed_parts(self.parts)

    def add_part(self, part: bytes, n: int, low: float, high: float, last: float, total: float) -> None:
        self.n += n
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.last = last
        self.total += total
        self.parts.append(part)

    def add_values(self, indexes: Integers, values: Floats) -> None:
        """Append at least one value, none of them NaN."""
        summary = float(values.min()), float(values.max()), float(values[-1]), float(values.sum())
        self.add_part(pack_points(indexes, values), len(values), *summary)

    def append(self, other: PackedSeries, shift: int) -> None:
        parts = other.parts
        if shift:
            frames = (_read_frames(part) for part in parts)
            parts = [join_packed_parts(pack_points(at + shift, values) for at, values in each) for each in frames]
        self.add_part(b"", other.n, other.low, other.high, other.last, other.total)
        self.parts[-1:] = parts


def _scale_to_integers(values: Floats) -> tuple[int, NDArray[np.generic]]:
    """(power of ten, whole numbers) that give the same values bit for bit, else (RAW, the values)."""
    with np.errstate(over="ignore", invalid="ignore"):
        for scale in SCALES:
            whole = np.rint(values * 10.0**scale)
            if np.abs(whole).max() < MOST_WHOLE:
                column = whole.astype("<i4")
                if (_restore(column, scale).view(np.int64) == values.view(np.int64)).all():
                    return scale, column
    return RAW, values.astype("<f8")


def _restore(whole: NDArray[np.int32], scale: int) -> Floats:
    return whole / 10.0**scale


def _read_frames(packed: bytes | memoryview) -> Iterator[tuple[Integers, Floats]]:
    """(indexes, values) of each frame."""
    data, at = bytes(packed), 1
    if data[:1] != LETTER:
        raise ValueError(f"a packed series must begin with {LETTER!r}, not {data[:1]!r}")
    try:
        while at < len(data):
            n, first, size, scale, is_compressed, has_steps = HEAD.unpack_from(data, at)
            body = data[at + HEAD.size : at + HEAD.size + size]
            at += HEAD.size + size
            body = zstd.decompress(body) if is_compressed else body
            indexes = np.arange(first, first + n)
            if has_steps:
                indexes = first + np.cumsum(np.frombuffer(body, "<i4", n), dtype=np.int64)
            planes = np.frombuffer(body, np.uint8, offset=4 * n * has_steps).reshape(-1, n)
            column = np.ascontiguousarray(planes.T).view("<f8" if scale == RAW else "<i4").ravel()
            yield indexes, column.astype(np.float64) if scale == RAW else _restore(column, scale)
    except (struct.error, zstd.ZstdError, ValueError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error
