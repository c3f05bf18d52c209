"""Time series as compact bytes, exact to the last bit.

A packed series is the letter "z" followed by frames, so that a long log can be packed in parts while it is read;
`join_parts` puts the parts together. A frame is (numbers are varints: 7 bits a byte, low ones first):

    scale       one byte: the values times 10**scale are whole numbers; 255 where they are not, but raw float64s
    n           number of values
    indexes     whole numbers: the indexes of the samples that have a value, ascending
    values      whole numbers, or raw: length and zstd of the float64s by byte planes

Whole numbers are one byte, base and step (base in zigzag). Byte 0: base, base + step, base + 2 step ... and nothing else:
constant values, and indexes without a gap. Otherwise its bits say how the rest is encoded: differences (1) or amounts
above base (2), bytes a number (log2, 4 and 8), zstd or plain (16); step is then the number of low bits that were cut off
because all were 0 (memory comes in pages). What follows is a length and the numbers by byte planes: all low bytes, then
all second ones ...

The letters "i" and "f" mark series of earlier versions: zlib over int64 differences or float64s, NaN where a sample has
no value.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from threading import local
from typing import Any

import numpy as np
from backports import zstd
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indexes = Integers | range  # a range where they are consecutive, which needs no memory

LETTER = b"z"
RAW = 255  # in place of a scale
LINE, DIFFERENCES, AMOUNTS, ZSTD = 0, 1, 2, 16
DTYPES = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
MAX_EXACT = 2.0**53  # beyond it a float64 no longer holds every whole number
SCALES = (0, 1, 2, 3, 4, 6)
N_PROBED = 16  # values that a scale is tried with before all of them are
MIN_COMPRESSED_BYTES = 24  # shorter data would only grow by zstd's own header
_thread = local()


def pack_points(indexes: ArrayLike, values: ArrayLike) -> bytes:
    """Pack the values of the samples with these indexes (from 0, ascending). A value NaN is left out."""
    numbers = np.asarray(indexes, np.int64)
    figures = np.asarray(values, np.float64)
    known = figures == figures
    if not known.all():
        numbers, figures = numbers[known], figures[known]
    if not len(figures):
        return LETTER
    is_constant = figures[0] == figures[-1] and bool((figures.view(np.int64) == figures[:1].view(np.int64)).all())
    scale, whole = _scale_to_integers(figures[:1] if is_constant else figures)
    if whole is None:
        body = _compress(_to_planes(figures.astype("<f8")))
        body = _encode_varint(len(body)) + body
    else:
        body = _encode_line(int(whole[0]), 0) if is_constant else _encode_integers(whole)
    has_gaps = int(numbers[-1]) - int(numbers[0]) != len(numbers) - 1
    where = _encode_integers(numbers) if has_gaps else _encode_line(int(numbers[0]), 1)
    return b"".join((LETTER, bytes((scale,)), _encode_varint(len(figures)), where, body))


def pack_samples(values: Sequence[float]) -> bytes:
    """Pack one value a sample, NaN where there is none."""
    return pack_points(np.arange(len(values)), values)


def join_parts(parts: Iterable[bytes]) -> bytes:
    return LETTER + b"".join(part[1:] for part in parts)


def shift_points(packed: bytes, by: int) -> bytes:
    return join_parts(pack_points(_to_array(indexes) + by, values) for indexes, values in _read_frames(packed))


def unpack_samples(packed: bytes | memoryview, n_samples: int | None = None) -> Floats:
    """One float64 a sample, NaN where it has none: `n_samples` of them, or up to the last that has one.

    Raises ValueError for bytes that are no packed series.
    """
    data = bytes(packed)
    try:
        if data[:1] == LETTER:
            return _fill_samples(list(_read_frames(data)), n_samples)
        samples = _unpack_old(data)
    except (zlib.error, zstd.ZstdError, IndexError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error
    if n_samples is None:
        return samples
    return np.concatenate([samples[:n_samples], np.full(max(n_samples - len(samples), 0), np.nan)])


def unpack_points(packed: bytes | memoryview) -> tuple[Integers, Floats]:
    """(indexes of the samples that have a value, their values). A short series in a long log needs little memory."""
    data = bytes(packed)
    if data[:1] != LETTER:
        samples = unpack_samples(data)
        known = np.flatnonzero(samples == samples)
        return known, samples[known]
    try:
        frames = [(_to_array(indexes), values) for indexes, values in _read_frames(data)]
    except (zstd.ZstdError, IndexError) as error:
        raise ValueError(f"a packed series is damaged: {error}") from error
    all_indexes, all_values = zip(*frames, strict=True) if frames else ((np.empty(0, np.int64),), (np.empty(0),))
    return np.concatenate(all_indexes), np.concatenate(all_values)


def _scale_to_integers(values: Floats) -> tuple[int, Integers | None]:
    """(power of ten, whole numbers) that give the same values bit for bit; (255, None) where none does."""
    with np.errstate(over="ignore", invalid="ignore"):
        for scale in SCALES:
            if _multiply(values[:N_PROBED], scale) is not None and (whole := _multiply(values, scale)) is not None:
                return scale, whole
    return RAW, None


def _multiply(values: Floats, scale: int) -> Integers | None:
    """The values times 10**scale as whole numbers, None where that is not exact."""
    factor = 10.0**scale
    rounded = np.rint(values * factor) if scale else values
    if not np.abs(rounded).max() < MAX_EXACT:
        return None
    whole = rounded.astype(np.int64)
    return whole if ((whole / factor).view(np.int64) == values.view(np.int64)).all() else None


def _encode_integers(numbers: Integers) -> bytes:
    base = int(numbers[0])
    steps = np.diff(numbers)
    step = int(steps[0]) if len(steps) else 0
    if step >= 0 and (steps == step).all():
        return _encode_line(base, step)
    low = int(numbers.min())
    amounts, zigzag_steps = numbers - low, (steps << 1) ^ (steps >> 63)
    encodings = [
        (DIFFERENCES, base, zigzag_steps, _log2_bytes(zigzag_steps)),
        (AMOUNTS, low, amounts, _log2_bytes(amounts)),
    ]
    narrowest = min(width for *_, width in encodings)
    return min((_encode_planes(*each) for each in encodings if each[-1] == narrowest), key=len)


def _encode_line(base: int, step: int) -> bytes:
    return b"".join((bytes((LINE,)), _encode_varint(_encode_zigzag(base)), _encode_varint(step)))


def _encode_planes(flags: int, base: int, numbers: Integers, width: int) -> bytes:
    shift = _count_trailing_zeros(int(np.bitwise_or.reduce(numbers)))
    body = _to_planes((numbers >> shift if shift else numbers).astype(DTYPES[width]))
    flags |= width << 2
    if len(body) > MIN_COMPRESSED_BYTES:
        body, flags = _compress(body), flags | ZSTD
    return b"".join(
        (bytes((flags,)), _encode_varint(_encode_zigzag(base)), _encode_varint(shift), _encode_varint(len(body)), body)
    )


def _log2_bytes(numbers: Integers) -> int:
    """Log2 of the bytes that each number needs without the low bits that are 0 in all of them."""
    bits = int(np.bitwise_or.reduce(numbers))
    n_bits = bits.bit_length() - _count_trailing_zeros(bits)
    return 0 if n_bits <= 8 else 1 if n_bits <= 16 else 2 if n_bits <= 32 else 3


def _count_trailing_zeros(bits: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else 0


def _to_planes(numbers: NDArray[np.generic]) -> bytes:
    size = numbers.dtype.itemsize
    return numbers.tobytes() if size == 1 else numbers.view(np.uint8).reshape(-1, size).T.tobytes()


def _compress(data: bytes) -> bytes:
    """One zstd frame. The compressor is reused: making one for each of thousands of series takes longer than its work."""
    if not hasattr(_thread, "compressor"):
        _thread.compressor = zstd.ZstdCompressor(level=3)
    return bytes(_thread.compressor.compress(data, zstd.ZstdCompressor.FLUSH_FRAME))


def _encode_varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _encode_zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


class _FrameReader:
    """Reads the bytes of frames in order. Raises IndexError where they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 1

    def read_byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def read_varint(self) -> int:
        number = shift = 0
        while (byte := self.read_byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def read_planes(self, n: int, dtype: np.dtype[np.generic], is_compressed: bool = True) -> NDArray[Any]:
        size = self.read_varint()
        self.at += size
        if self.at > len(self.data):
            raise IndexError("it ends too early")
        body = self.data[self.at - size : self.at]
        if is_compressed:
            body = zstd.ZstdDecompressor().decompress(body)
        if len(body) != n * dtype.itemsize:
            raise IndexError(f"{len(body)} bytes for {n} values of {dtype.itemsize}")
        planes = np.frombuffer(body, np.uint8).reshape(dtype.itemsize, n)
        return np.ascontiguousarray(planes.T).view(dtype).reshape(n)

    def read_integers(self, n: int) -> Indexes:
        """n whole numbers; a range where they are consecutive."""
        flags, base, step = self.read_byte(), self.read_varint(), self.read_varint()
        base = -((base + 1) >> 1) if base & 1 else base >> 1
        if flags == LINE:
            return range(base, base + n * step, step) if step else np.full(n, base, np.int64)
        dtype, is_compressed = DTYPES[flags >> 2 & 3], bool(flags & ZSTD)
        if not flags & DIFFERENCES:
            return (self.read_planes(n, dtype, is_compressed).astype(np.int64) << step) + base
        numbers = np.empty(n, np.int64)
        numbers[0] = base
        steps = self.read_planes(n - 1, dtype, is_compressed)
        if step:  # low bits that are gone; the lowest is the sign, so all were positive
            numbers[1:] = steps.astype(np.int64) << (step - 1)
        else:  # narrow numbers stay narrow: that is much quicker
            numbers[1:] = ((steps >> 1) ^ -(steps & 1)).view(f"i{steps.itemsize}")
        return np.cumsum(numbers, out=numbers)


def _read_frames(data: bytes) -> Iterator[tuple[Indexes, Floats]]:
    """(indexes, values) of each frame."""
    reader = _FrameReader(data)
    while reader.at < len(data):
        scale, n = reader.read_byte(), reader.read_varint()
        indexes = reader.read_integers(n)
        if scale == RAW:
            yield indexes, reader.read_planes(n, np.dtype("<f8")).astype(np.float64)
        else:
            whole = _to_array(reader.read_integers(n))
            yield indexes, whole / 10.0**scale if scale else whole.astype(np.float64)


def _to_array(numbers: Indexes) -> Integers:
    return np.arange(numbers.start, numbers.stop, numbers.step) if isinstance(numbers, range) else numbers


def _fill_samples(frames: Sequence[tuple[Indexes, Floats]], n_samples: int | None) -> Floats:
    n = n_samples if n_samples is not None else max((int(indexes[-1]) + 1 for indexes, _ in frames), default=0)
    if len(frames) == 1 and isinstance(frames[0][0], range) and frames[0][0] == range(n):
        return frames[0][1]  # a value at every sample
    samples = np.full(n, np.nan)
    for indexes, values in frames:
        if isinstance(indexes, range):
            part = samples[indexes.start : indexes.stop : indexes.step]
            part[:] = values[: len(part)]
        else:
            n_within = int(np.searchsorted(indexes, n))
            samples[indexes[:n_within]] = values[:n_within]
    return samples


def _unpack_old(data: bytes) -> Floats:
    letter = data[:1]
    if letter not in (b"i", b"f"):
        raise ValueError(f"a packed series must begin with z, i or f, not {letter!r}")
    body = zlib.decompress(data[1:])
    if letter == b"i":
        return np.cumsum(np.frombuffer(body, "<i8"), dtype=np.int64).astype(np.float64)
    return np.frombuffer(body, "<f8").astype(np.float64)
