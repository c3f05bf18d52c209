"""A text for its readers: its pieces, any of its lines, and never all of it at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Protocol, overload

from ..redact import Secret
from .manner import Decoder, Manner
from .spool import unpacked

AT_ONCE = 2**16  # characters that the parsers are given at a time
MOST_SPANS = 10_000


class Pieces(Protocol):
    """Where the packed pieces of a text lie."""

    def packed(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """The pieces of these numbers, which ascend."""


class Sheet(NamedTuple):
    """A piece, unpacked. `inside`: it goes on with a line that has begun in the piece before."""

    text: str
    inside: bool
    size_bytes: int


@dataclass
class Text:
    """One text as it is kept.

    sha256       of its bytes
    key          the same for the same text, whatever its encoding, line ends or redactions
    first_lines  number of the line (from 1) that each piece begins with, or goes on with where a line has several pieces
    secrets      what in it looks like a secret. Not known of a text that was stored before
    whole        all of it, where it is small and has just come in; else None
    """

    manner: Manner
    size_bytes: int
    n_lines: int
    sha256: str
    key: str
    stored: Pieces
    first_lines: Sequence[int] = (1,)
    secrets: list[Secret] = field(default_factory=list)
    whole: str | None = None
    _sheet: tuple[int, list[str]] = (-1, [])

    @property
    def encoding(self) -> str:
        return self.manner.encoding

    @property
    def n_pieces(self) -> int:
        return len(self.first_lines)

    def pieces(self, told: Callable[[int], None] = lambda n_bytes: None) -> Iterator[str]:
        """The whole text in order, in pieces that may end anywhere. `told` hears of the bytes that were read."""
        for sheet in self.sheets():
            for at in range(0, len(sheet.text), AT_ONCE):
                yield sheet.text[at : at + AT_ONCE]
            told(sheet.size_bytes)

    def sheets(self) -> Iterator[Sheet]:
        """Its pieces, unpacked, in order."""
        if self.whole is not None:
            yield Sheet(self.whole, False, self.size_bytes)
            return
        decoder, before = Decoder(self.manner, first=True), 0
        for at, data in enumerate(self.stored.packed(range(self.n_pieces))):
            piece = unpacked(data)
            text = decoder.take(piece, last=at + 1 == self.n_pieces)
            yield Sheet(text, self.first_lines[at] == before, len(piece))
            before = self.first_lines[at]

    def bytes(self) -> Iterator[bytes]:
        """The text as it is kept, piece by piece."""
        return map(unpacked, self.stored.packed(range(self.n_pieces)))

    def lines(self, first: int = 1, last: int | None = None) -> Iterator[str]:
        """Lines first..last without their ends; only the pieces that they stand in are read.

        Of a line that has several pieces it gives the first one.
        """
        last = self.n_lines if last is None else min(last, self.n_lines)
        for at, lines in self._opened(max(first, 1), last):
            begin = self.first_lines[at]
            yield from islice(lines, max(first - begin, 0), last - begin + 1)

    def filled(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The spans without their blank lines, which nobody misses: a span for each run of lines with something in them.

        Where there are very many of them, the last one holds all that follow.
        """
        runs = (run for first, last in spans for run in _runs(self.lines(first, last), first))
        yield from islice(runs, MOST_SPANS - 1)
        if (run := next(runs, None)) is not None:
            yield run[0], max((last for _, last in runs), default=run[1])

    def _opened(self, first: int, last: int) -> Iterator[tuple[int, list[str]]]:
        """The pieces in which these lines begin, each with its number and all lines that it holds.

        The last one is remembered: spans often lie close together.
        """
        begin = self.first_lines[bisect_right(self.first_lines, first) - 1]
        near = range(bisect_left(self.first_lines, begin), bisect_right(self.first_lines, last))
        numbers = [at for at in near if at == 0 or self.first_lines[at] > self.first_lines[at - 1]]
        if numbers and numbers[0] == self._sheet[0]:
            yield self._sheet
            del numbers[0]
        for at, data in zip(numbers, self.stored.packed(numbers), strict=True):
            text = Decoder(self.manner, first=at == 0).take(unpacked(data), last=at + 1 == self.n_pieces)
            lines = text.split("\n")
            self._sheet = (at, lines if lines[-1] else lines[:-1])
            yield self._sheet


def _runs(lines: Iterable[str], first: int) -> Iterator[tuple[int, int]]:
    """The runs of lines that are not blank; `first` is the number of the first line."""
    start, number = None, first - 1
    for number, line in enumerate(lines, first):
        if not line or line.isspace():
            if start:
                yield start, number - 1
            start = None
        else:
            start = start or number
    if start:
        yield start, number


class LinesOf(Sequence[str]):
    """A text's lines as a sequence, read where they are asked for."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def __len__(self) -> int:
        return self.text.n_lines

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            return list(self.text.lines(start + 1, stop))[::step]
        number = range(len(self))[at]
        return next(self.text.lines(number + 1, number + 1))

    def __iter__(self) -> Iterator[str]:
        return self.text.lines()
