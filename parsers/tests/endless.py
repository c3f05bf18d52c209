"""Made texts that patterns may go back and forth in: what each kind prints, with pieces repeated in it, and the time they take."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import parsers
from parsers.catalogue import formats

from .reading import FIXTURES, KINDS, captures, text_of

PIECES = (
    *(
        " ",
        "\t",
        "1",
        "a",
        "(",
        "[",
        "{",
        ")",
        "]",
        ".",
        ",",
        ":",
        "-",
        "/",
        "%",
        '"',
        "'",
        "\\",
        "=",
        "|",
        "#",
        "`",
        "*",
        "_",
        ";",
    ),
    *(
        "1 ",
        "1.1 ",
        "1,",
        "a ",
        "a, ",
        "A: ",
        "a=1 ",
        "--a ",
        "$ ",
        "a@b:~ ",
        "~/",
        '"a": ',
        '"lscpu": [',
        "<b ",
        "&#3",
        ".. ",
    ),
    *("\x1b[", "\x1b]", "\x1b[1m", "[1;", "\x08", "\u3000", "é", "0% ", "1m", "> ", "- ", "1. "),
)
FLOOR_S = 0.05  # of less nothing can be told
_AROUND = 25  # lines of the capture above the changed one, so that its format reads it


class Endless(NamedTuple):
    """A capture's lines with `piece` repeated: inside one of them, or as further lines."""

    kind: str
    above: list[str]
    line: str
    at: int
    piece: str
    below: list[str]
    in_line: bool

    def text(self, size: int) -> list[str]:
        if self.in_line:
            lines = [self.line[: self.at] + self.piece * (size // len(self.piece)) + self.line[self.at :]]
        else:
            lines = [self.line, *[self.piece] * (2 * size // (len(self.piece) + 20))]
        return [f"{line}\n" for line in [*self.above, *lines, *self.below]]


@cache
def _lines_of_kinds() -> dict[str, list[tuple[list[str], int]]]:
    """By kind: a capture's lines and the number of one of them, each shape of a line once."""
    found: dict[str, list[tuple[list[str], int]]] = {kind: [] for kind in sorted(KINDS)}
    seen = set()
    for path in captures():
        lines = text_of(path).split("\n") if path.stat().st_size < 20_000 else []
        for at, line in enumerate(lines[:120]):
            shape = path.parent.name, re.sub(r"[\d.]+|\s+", " ", line)
            if line.strip() and shape not in seen:
                seen.add(shape)
                found[path.parent.name].append((lines, at))
    return {kind: lines for kind, lines in found.items() if lines}


def _own_pieces(kind: str) -> list[str]:
    """Words and signs of the kind's own pattern."""
    return re.findall(r"[A-Za-z]{2,}[:(]?|[/%#|@]", formats()[kind].opens)[:40]


def draw(n: int, seed: int) -> Iterator[Endless]:
    """`n` texts of each kind."""
    chance = random.Random(seed)  # noqa: S311
    for kind, places in _lines_of_kinds().items():
        own = _own_pieces(kind) or ["a"]
        for number in range(n):
            lines, at = chance.choice(places)
            piece = chance.choice(own) + chance.choice(["", " "]) if number % 4 == 0 else chance.choice(PIECES)
            in_line = number % 3 > 0
            piece = piece if in_line or number % 2 else lines[at]
            column = chance.choice([0, chance.randint(0, len(lines[at])), len(lines[at])])
            above, below = lines[max(0, at - _AROUND) : at], lines[at + 1 : at + 3]
            yield Endless(kind, above, lines[at], column, piece, below, in_line)


def cpu_s(lines: list[str]) -> float:
    start = time.process_time()
    for block in parsers.read(lines):
        assert block.records is not None
    return time.process_time() - start


def is_read_within(most_s: float, lines: list[str]) -> bool:
    """Whether they are, in one of three tries: patterns are compiled at their first use, and others use the processor, too."""
    return any(cpu_s(lines) < most_s for _ in range(3))


def growth(one: Endless, size: int) -> float:
    """How many times as long twice the size takes; of three where the first says more than 4."""
    for _ in range(3):
        less, more = (cpu_s(one.text(n)) for n in (size, 2 * size))
        if more <= 4 * max(less, FLOOR_S):
            break
    return more / max(less, FLOOR_S)


def text_of_kind(kind: str, size: int) -> str:
    """About so many characters of a kind's captures."""
    texts = [
        text_of(path).strip("\n") for path in sorted((FIXTURES / kind).glob("*.txt")) if path.stat().st_size < 30_000
    ]
    text = "\n\n".join(texts) + "\n\n"
    return text * max(1, size // len(text)) if texts else ""
