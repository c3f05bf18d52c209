"""A text as it comes out of a file or a pipe: in pieces, of which only the one being read is held."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial

from .transcript import MAX_LINE

_PIECE = 1 << 16  # characters of a file at a time
_LINES = 1024


class Text:
    """A text in pieces that may end anywhere. Iterated, it gives its lines with their ends; it can be read once."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pieces = iter(pieces)

    def __iter__(self) -> Iterator[str]:
        rest = ""
        for piece in self.pieces:
            *lines, rest = (rest + piece).split("\n")
            yield from (f"{line}\n" for line in lines)
        if rest:
            yield rest


def pieces(lines: Iterable[str]) -> Iterator[str]:
    """A text's pieces, or `lines` as such: each with one line feed at its end, but for the last where it has no end.

    A file is read in large pieces, a list of whole lines is put together; of a pipe nothing is waited for but a line.
    """
    if isinstance(lines, Text):
        return lines.pieces
    if isinstance(lines, io.TextIOBase) and lines.seekable():
        return iter(partial(lines.read, _PIECE), "")
    if isinstance(lines, list) and all(line.find("\n") == len(line) - 1 <= MAX_LINE and line for line in lines):
        return map("".join, batched(lines))
    return _line_by_line(lines)


def batched(lines: list[str]) -> Iterator[list[str]]:
    return (lines[at : at + _LINES] for at in range(0, len(lines), _LINES))


def _line_by_line(lines: Iterable[str]) -> Iterator[str]:
    unended = None
    for line in lines:
        if unended is not None:
            yield f"{unended}\n"
            unended = None
        if len(line) <= MAX_LINE and line.find("\n") == len(line) - 1:
            yield line or "\n"
            continue
        # What lies behind MAX_LINE is not looked at; a line feed inside a line must not make two of it.
        body = line.rstrip("\r\n")[:MAX_LINE].replace("\n", " ")
        if line[-1:] in ("\r", "\n"):
            yield f"{body}\n"
        else:
            unended = body
    if unended:
        yield unended
