"""Packed pieces of a text that is not stored yet."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
import zlib
from collections.abc import Iterator, Sequence

from backports import zstd
from django.conf import settings

LEVEL = 3
# The first bytes of a text are packed by themselves, so that they can be unpacked without the others.
BEGINNING = 2**15
ZSTD = b"\x28\xb5\x2f\xfd"


class _Packing(threading.local):
    """What packs small pieces: making a new one takes longer than packing one with it."""

    def __init__(self) -> None:
        self.small = zstd.ZstdCompressor(LEVEL)


_packing = _Packing()


def packed(piece: bytes, *, opening: bool = False) -> bytes:
    """A piece as it is stored; `opening`: it is the first one."""
    if len(piece) <= BEGINNING:
        return _packing.small.compress(piece, zstd.ZstdCompressor.FLUSH_FRAME)
    if not opening:
        return zstd.compress(piece, LEVEL)
    packing = zstd.ZstdCompressor(LEVEL)
    head = packing.compress(piece[:BEGINNING], zstd.ZstdCompressor.FLUSH_BLOCK)
    return head + packing.compress(memoryview(piece)[BEGINNING:], zstd.ZstdCompressor.FLUSH_FRAME)


def unpacked(data: bytes) -> bytes:
    """A stored piece. Texts that were stored before there were pieces are packed by zlib, each as a whole."""
    return zstd.decompress(data) if data.startswith(ZSTD) else zlib.decompress(data)


class Spool:
    """The pieces in order: the first in memory, any others in a file without a name, which ends with the process."""

    def __init__(self) -> None:
        self._first: bytes | None = None
        self._ends = [0]
        self._file: int | None = None

    def add(self, data: bytes) -> None:
        if self._first is None:
            self._first = data
            return
        if self._file is None:
            file = tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=0)  # noqa: SIM115  (closed with the spool)
            weakref.finalize(self, file.close)
            self._file = file.fileno()
        os.pwrite(self._file, data, self._ends[-1])
        self._ends.append(self._ends[-1] + len(data))

    def packed(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """The pieces of these numbers."""
        for number in numbers:
            if number == 0:
                yield self._first or b""
            elif self._file is not None:
                begin, end = self._ends[number - 1], self._ends[number]
                yield os.pread(self._file, end - begin, begin)


def size_of(data: bytes) -> int:
    """Bytes of text in a packed piece, which is not the first one."""
    return zstd.get_frame_info(data).decompressed_size or 0
