"""gzip and zstd taken off a text as it comes in, with a bound on what comes out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from backports import zstd
from django.conf import settings

from ..rejected import rejected, too_large

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SKIPPED = tuple(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16))  # a zstd frame without content
LONGEST_MAGIC = 4
AT_ONCE = 2**20  # bytes that are unpacked at a time
# The logs of idle machines pack to about a hundredth. What packs better, and is large, is made to fill a disk.
MOST_TIMES, UNSUSPICIOUS_BYTES = 250, 64 * 2**20
MOST_WINDOW = 24  # 16 MiB of memory; every level of zstd up to 19 needs less


class _Frame(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /, max_length: int) -> bytes: ...


class Unpacker:
    """Gives what it is fed, or, where that begins as gzip or zstd does, what is packed in it.

    Raises Rejected 413 for more than MAX_UPLOAD_BYTES of text, 400 for what does not unpack.
    """

    def __init__(self) -> None:
        self.size = 0  # bytes of text so far
        self._taken = 0
        self._held: bytes | None = b""  # the first bytes, until there are enough of them to tell what they are
        self._frame: _Frame | None = None
        self._is_packed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._taken += len(data)
        if self._held is not None:
            data = self._held + data
            if len(data) < LONGEST_MAGIC:
                self._held = data
                return
            self._begin(data)
        yield from self._unpacked(data) if self._is_packed else self._counted(data)

    def end(self) -> Iterator[bytes]:
        """What was held back. Raises Rejected 400 where the packed text was cut off."""
        if self._held:
            yield from self._counted(self._held)
        if self._frame is not None and not self._frame.eof:
            raise rejected(400, "The packed text is cut off: it ends before its archive does. Send it again.")

    def _begin(self, data: bytes) -> None:
        self._held = None
        self._is_packed = data.startswith((GZIP, ZSTD, *SKIPPED))

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        try:
            while data:
                if self._frame is None or self._frame.eof:
                    self._frame = _frame(data)
                    if self._frame is None:
                        return
                yield from self._one_frame(self._frame, data)
                data = self._frame.unused_data if self._frame.eof else b""
        except (zlib.error, zstd.ZstdError) as error:
            raise rejected(400, f"The packed text does not unpack ({error}). Send it again, or unpacked.") from error

    def _one_frame(self, frame: _Frame, data: bytes) -> Iterator[bytes]:
        while not frame.eof:
            text = frame.decompress(data, AT_ONCE)
            yield from self._counted(text)
            # zlib hands back what it did not come to, zstd keeps it.
            data = getattr(frame, "unconsumed_tail", b"")
            if not data and (len(text) < AT_ONCE or getattr(frame, "needs_input", False)):
                return

    def _counted(self, text: bytes) -> Iterator[bytes]:
        self.size += len(text)
        if self.size > settings.MAX_UPLOAD_BYTES:
            raise too_large(None if self._is_packed else self.size)
        if self.size > max(UNSUSPICIOUS_BYTES, MOST_TIMES * self._taken):
            raise rejected(413, f"The packed text unpacks to more than {MOST_TIMES} times its size. Send it unpacked.")
        if text:
            yield text


def _frame(data: bytes) -> _Frame | None:
    """A decompressor for what begins here; None for the zeros with which tapes fill up an archive."""
    if data.startswith(GZIP) or data == GZIP[: len(data)]:
        return zlib.decompressobj(wbits=31)
    if not data.strip(b"\0"):
        return None
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: MOST_WINDOW})
