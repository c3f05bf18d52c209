"""A stream of bytes cut into pieces of whole lines."""

from __future__ import annotations

from collections.abc import Iterator

PIECE = 2**20  # bytes of text in a piece, about


class Cutter:
    """Pieces of at most `size` bytes, each of whole lines; a line longer than that has pieces of its own.

    line_end  the bytes between two lines; they stand at whole multiples of their own length
    """

    def __init__(self, line_end: bytes, line_feed: bytes, size: int = PIECE) -> None:
        self.inside = False  # whether the next piece goes on with a line that has begun
        self._end, self._feed = line_end, line_feed
        self._size = max(size - size % len(line_end), len(line_end))
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The pieces that are whole now."""
        self._parts.append(data)
        self._held += len(data)
        if self._held <= self._size + len(self._end):
            return
        rest = b"".join(self._parts)
        at = 0
        while len(rest) - at > self._size + len(self._end):
            stop = self._stop(rest, at, at + self._size)
            yield rest[at:stop]
            at = stop
        self._parts = [rest[at:]]
        self._held = len(rest) - at

    def end(self) -> list[bytes]:
        """What is left, in a piece or two."""
        rest = b"".join(self._parts)
        stop = self._stop(rest, 0, len(rest)) if self.inside else len(rest)
        return [piece for piece in (rest[:stop], rest[stop:]) if piece]

    def _stop(self, data: bytes, at: int, limit: int) -> int:
        """Where the piece that begins at `at` ends: not behind `limit`."""
        found = self._first(data, at, limit) if self.inside else self._last(data, at, limit)
        if found < 0:
            self.inside = True
            return limit
        self.inside = False
        stop = found + len(self._end)
        # In a text whose lines end at carriage returns a line feed may follow one all the same.
        return stop + len(self._feed) if self._feed != self._end and data.startswith(self._feed, stop) else stop

    def _first(self, data: bytes, at: int, limit: int) -> int:
        found = data.find(self._end, at, limit)
        while found >= 0 and (found - at) % len(self._end):
            found = data.find(self._end, found + 1, limit)
        return found

    def _last(self, data: bytes, at: int, limit: int) -> int:
        found = data.rfind(self._end, at, limit)
        while found >= 0 and (found - at) % len(self._end):
            found = data.rfind(self._end, at, found + len(self._end) - 1)
        return found
