"""A text as it comes out of a file or a pipe: in pieces, of which only the one being read is held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .transcript import MAX_LINE


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
    """A text's pieces, or `lines` as such: each with one line feed at its end, but for the last where it has no end."""
    if isinstance(lines, Text):
        yield from lines.pieces
        return
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
