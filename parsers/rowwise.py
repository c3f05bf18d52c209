"""Files of a row a request: many rows at once while they are plain, line by line where they are not. No row is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from .lines import Lines
from .records import Problem
from .transcript import is_elision

_MOST_PROBLEMS = 20
_MOST_PIECES, _MAIL = 3, 77  # more lines that a row is broken into; columns of a mail
_A_PART = re.compile(r"(?:^|[\s|;&/])(?:head|tail|e?grep|sed|awk|shuf|less|more)\s")


class Rows(Protocol):
    """What a format knows of its rows."""

    def many(self, text: str) -> int:
        """Take all rows of these lines in and return their number; 0, with nothing taken, where one of them is odd."""

    def one(self, line: str) -> bool:
        """Take one row in; False where it is none."""

    def meant(self, line: str) -> bool:
        """Whether a line that is no row was meant to be one, so that the rows may go on behind it."""


@dataclass(slots=True)
class Taken:
    """last: number of the last line that belongs to the rows. whole: nothing of the file is known to be missing."""

    last: int
    n: int = 0
    whole: bool = True
    problems: list[Problem] = field(default_factory=list)
    n_broken: int = 0

    def broken(self, number: int, line: str) -> None:
        """A row that cannot be read: the first ones are named, the others counted."""
        self.n_broken += 1
        self.whole = False
        if self.n_broken <= _MOST_PROBLEMS:
            self.problems.append(Problem(number, f"not a whole row: {line[:80]!r}"))
        elif self.n_broken == _MOST_PROBLEMS + 1:
            self.problems.append(Problem(number, ""))
        if self.n_broken > _MOST_PROBLEMS:
            first = self.problems[_MOST_PROBLEMS].line
            further = self.n_broken - _MOST_PROBLEMS
            self.problems[_MOST_PROBLEMS] = Problem(first, f"from here on {further} more rows that are not whole")


def take_rows(lines: Lines, rows: Rows, command: str | None, finished: Callable[[str], bool]) -> Taken:
    """Take the rows that come next. finished: whether a last row without a line end is as long as its tool prints it."""
    taken = Taken(lines.number)
    taken.whole = not _A_PART.search(command or "")
    one_by_one = 0
    while True:
        if not one_by_one:
            text = lines.rows() if rows.meant((lines.peek() or "").strip()) else ""
            count = rows.many(text) if text else 0
            if count:
                lines.take(len(text), count)
                taken.n += count
                taken.last = lines.number
                continue
            one_by_one = max(text.count("\n"), 1)
        one_by_one -= 1
        if not _next_row(lines, rows, taken, finished):
            return taken


def _next_row(lines: Lines, rows: Rows, taken: Taken, finished: Callable[[str], bool]) -> bool:
    """Take one more row, and blank lines or "..." before it. False, with nothing taken, where the rows are over."""
    passed: list[str] = []
    elided = False
    for line in lines:
        stripped = line.strip()
        cut = lines.cut == lines.number
        if not cut and (not stripped or is_elision(stripped)):
            passed.append(lines.raw)
            elided = elided or bool(stripped)
            continue
        if cut and finished(stripped + lines.cut_text):
            stripped, lines.cut, cut = stripped + lines.cut_text, 0, False
        if not cut and rows.one(stripped):
            taken.n += 1
        elif cut and rows.meant(stripped + lines.cut_text):
            taken.whole = False  # the reader says where the text ends
        elif not cut and rows.meant(stripped) and _broken_row(lines, rows, stripped):
            taken.n += 1
        elif not cut and rows.meant(stripped):
            taken.broken(lines.number, stripped)
        else:
            lines.back(*passed, lines.raw)
            return False
        taken.last = lines.number
        taken.whole = taken.whole and not elided
        return True
    lines.back(*passed)
    return False


def _broken_row(lines: Lines, rows: Rows, line: str) -> bool:
    """Take a row that a mail client broke at a blank, with the lines that it goes on in; False, with nothing taken."""
    text, used = line, 0
    for following in lines.ahead(_MOST_PIECES) if len(line) < _MAIL else ():
        if rows.meant(following.strip()):
            return False
        text, used = f"{text} {following.strip()}", used + 1
        if rows.one(text):
            for _ in range(used):
                lines.skip_blank()
                next(lines)
            return True
    return False
