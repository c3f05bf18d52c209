"""A line on a terminal's standard error that says how far a text is; nothing is written where nobody watches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TextIO

EVERY_S = 0.2
CLEAR = "\r\x1b[K"
MB = 1_000_000


class ProgressLine:
    """What is done with one text. size_bytes: of the file as it lies, 0 where that is not known."""

    def __init__(self, stream: TextIO, name: str, size_bytes: int = 0) -> None:
        self._stream = stream if stream.isatty() else None
        self._name, self._size = name, size_bytes
        self._came = self._read = self._blocks = 0
        self._next = monotonic() + EVERY_S
        self._is_shown = False

    def taking(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """The same parts of the file, counted as they are taken."""
        for part in parts:
            self._came += len(part)
            self._show("taken in", self._came, self._size)
            yield part
        self._size = 0

    def reading(self, size_bytes: int) -> None:
        """The text is there, and has so many bytes; it is read now."""
        self._size = size_bytes

    def hear(self, n_bytes: int, n_blocks: int) -> None:
        """So much more was read."""
        self._read += n_bytes
        self._blocks += n_blocks
        self._show("read", self._read, self._size, f", {self._blocks:,} blocks found")

    def end(self) -> None:
        """Leave the line as if nothing had been there."""
        if self._stream and self._is_shown:
            self._stream.write(CLEAR)
            self._stream.flush()

    def _show(self, done: str, n_bytes: int, of: int, more: str = "") -> None:
        if self._stream is None or monotonic() < self._next:
            return
        self._next, self._is_shown = monotonic() + EVERY_S, True
        share = f" of {of / MB:.1f}" if of else ""
        self._stream.write(f"{CLEAR}{self._name}: {n_bytes / MB:.1f}{share} MB {done}{more}")
        self._stream.flush()
