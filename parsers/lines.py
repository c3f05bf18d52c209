"""The text as parsers see it: cleaned lines, one at a time, numbered, with the possibility of putting some back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice, takewhile
from operator import length_hint
from typing import Any

from .transcript import clean, needs_cleaning, unquote

PLAIN_ROWS = 4096
_NUMBER_AT_END = re.compile(r"(?<![^\s,(])[+-]?\d[\d.,:]*$")


class Lines:
    """An iterator of cleaned lines without their line ends.

    number   1-based number of the line returned last
    raw      that line as given; before: the one before it (not kept up across a quickly read table)
    cut      number of the text's last line where that ends in a number (cut_text) that may go on, and 0 where it does not
    blank_after  how many blank lines plain_rows took behind its rows
    memory   what a format wants to know of its own block before
    prefix   quoting that is being taken off each line ("> ", "# "); the reader sets it where a block begins
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._back: list[str] = []
        self.number = 0
        self.raw = ""
        self.before = ""
        self.prefix = ""
        self.cut = 0
        self.cut_text = ""
        self.blank_after = 0
        self.memory: dict[str, Any] = {}

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        self.before = self.raw
        self.raw = raw = self._back.pop() if self._back else next(self._lines)
        self.number += 1
        if needs_cleaning(raw) or len(raw) > 512:
            raw = clean(raw)
        if self.raw[-1:] not in "\r\n":
            raw = self._last(raw)
        return unquote(raw, self.prefix) if self.prefix else raw

    def _last(self, line: str) -> str:
        """A line without an end: if it is the text's last one, without the number at its end, which may go on."""
        if self._back or length_hint(self._lines):
            return line  # a list's iterator knows how many are left, so that nothing need be taken
        following = next(self._lines, None)
        if following is not None:
            self._back.append(following)
            return line
        number = _NUMBER_AT_END.search(line)
        if number is None:
            return line
        self.cut, self.cut_text = self.number, number[0]
        return line[: number.start()]

    def back(self, *raws: str) -> None:
        """Put raw lines back, given in the order of the text; the last one given is the one returned last."""
        self._back.extend(reversed(raws))
        self.number -= len(raws)

    def again(self) -> None:
        """Put the line returned last back."""
        self.back(self.raw)
        self.raw = self.before

    def peek(self) -> str | None:
        """The next line without taking it; None at the end."""
        raw, number = self.raw, self.number
        line = next(self, None)
        if line is not None:
            self.again()
        self.raw, self.number = raw, number
        return line

    def ahead(self, most: int) -> list[str]:
        """The next non-blank lines, `most` at the most, without taking them; blank ones between are passed over."""
        raw, number = self.raw, self.number
        seen: list[str] = []
        found: list[str] = []
        for line in self:
            seen.append(self.raw)
            if line.strip():
                found.append(line)
            if len(found) == most or len(seen) >= 4 * most:
                break
        self.back(*seen)
        self.raw, self.number = raw, number
        return found

    def unended(self) -> bool:
        """Whether the line returned last is the text's last one and has no line end."""
        return self.raw[-1:] not in "\r\n" and self.peek() is None

    def skip_blank(self) -> list[str]:
        """Take the blank lines that come next; returns them raw, so that they can be put back."""
        taken: list[str] = []
        for line in self:
            if line.strip():
                self.again()
                break
            taken.append(self.raw)
        return taken

    def plain_rows(self) -> list[str]:
        """Up to 4096 raw lines until a blank one (which is taken too), not cleaned: the quick way through a long table.

        Empty where lines are quoted or were put back: then the caller has to go line by line.
        """
        if self.prefix or self._back:
            return []
        before = length_hint(self._lines)
        rows = list(islice(takewhile(str.strip, self._lines), PLAIN_ROWS))
        ended = not rows or rows[-1][-1:] in "\r\n" or before - length_hint(self._lines) > len(rows)
        self.blank_after = int(len(rows) < PLAIN_ROWS and ended)
        self.number += len(rows) + self.blank_after
        return rows

    def plain(self, most: int) -> list[str]:
        """The next `most` raw lines (fewer at the end), taken and not cleaned; none where lines are quoted."""
        if self.prefix:
            return []
        rows = self._back[: -most - 1 : -1]
        if rows:
            del self._back[-len(rows) :]
        if len(rows) < most:
            rows += islice(self._lines, most - len(rows))
        self.number += len(rows)
        return rows

    def back_rows(self, rows: list[str]) -> None:
        """Put back the last `rows` of those that plain_rows returned."""
        self.back(*rows, *["\n"] * self.blank_after)
