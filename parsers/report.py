"""Reports of a line a figure: what many tools print. A format says what each line tells, and this takes the lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .lines import Lines
from .records import Found, Problem
from .transcript import prompt

_FIGURE_LAST = re.compile(r"(?:^|[\s=(,])[-+]?[\d.,]*\d$")
_LONGEST = 80  # characters of a figure; of many commas each would be tried as its beginning
_NARROW, _MAIL, _WIDE = 40, 60, 100  # columns: free text is broken at a blank, and its words are long


@dataclass(frozen=True, slots=True)
class Report:
    """What a tool's report looks like.

    tool    its name, as in "expected one of wrk's lines"
    read    (line) -> what the line tells, or None where it is not one of the tool's figures, or broken
    meant   begins the lines that have a figure; one that cannot be read alone may be broken over up to `broken` more
    noise   begins, or is, a line that belongs to the report and tells nothing
    goes_on is a line that is the rest of the one before, where a line may have more or less on it
    free    begins a line of free text (an error) that tells nothing and may be broken
    over    (values so far, line) -> whether the line begins the next report
    last    name of the value that only the last line tells
    whole   so many values make a report that is not partial
    """

    tool: str
    read: Callable[[str], dict[str, Any] | None]
    meant: re.Pattern[str]
    noise: re.Pattern[str]
    goes_on: re.Pattern[str] | None = None
    free: re.Pattern[str] | None = None
    over: Callable[[dict[str, Any], str], bool] | None = None
    last: str | None = None
    whole: int = 8
    broken: int = 2


@dataclass(slots=True)
class _Taking:
    report: Report
    lines: Lines
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def take(self, line: str) -> bool:
        """Take one line in, with what it was broken into. False: the report is over."""
        report = self.report
        if report.over and self.values and report.over(self.values, line):
            return False
        if report.meant.match(line):
            if self.lines.unended() and _FIGURE_LAST.search(line, max(len(line) - _LONGEST, 0)):
                return True  # the figure may be cut off
            read = self._read(line)
            if read is not None:
                return merge(self.values, read)
            if report.noise.match(line):
                return bool(self.values)
            if self.lines.cut != self.lines.number and not self.lines.unended():
                message = f"expected one of {report.tool}'s lines, found {line[:60]!r}"
                self.problems.append(Problem(self.lines.number, message))
            return True
        if report.noise.match(line):
            return True
        if report.free is None or not report.free.match(line):
            return False
        self._free(line)
        return True

    def _read(self, line: str) -> dict[str, Any] | None:
        """What a line tells, with those that it was broken into, which are taken then; None: neither tells anything."""
        report, text, used = self.report, line, 0
        if report.goes_on is None and (read := report.read(text)) is not None:
            return read
        following = [more.strip() for more in self.lines.ahead(report.broken)]
        while True:
            more = following[used] if used < len(following) else None
            if more is None or report.goes_on is None or not report.goes_on.fullmatch(more):
                read = report.read(text)
                if read is not None:
                    break
                if more is None:
                    return None
            text, used = f"{text} {more}", used + 1
        for _ in range(used):
            self.lines.skip_blank()
            next(self.lines)
        return read

    def _known(self, line: str) -> bool:
        report = self.report
        return any(kind and kind.match(line) for kind in (report.meant, report.noise, report.free))

    def _free(self, line: str) -> None:
        while following := self.lines.ahead(1):
            text = following[0].strip()
            if not _was_broken(line, text) or self._known(text) or prompt(text) is not None:
                return
            self.lines.skip_blank()
            line = next(self.lines).strip()


def _was_broken(line: str, following: str) -> bool:
    """Whether the first word of `following`, with a letter or figure in it, had no place on `line`."""
    word = following.split(None, 1)[0]
    return _NARROW <= len(line) < _WIDE and len(line) + 1 + len(word) > _MAIL and any(map(str.isalnum, word))


def take_report(lines: Lines, report: Report) -> Found | None:
    """The report that begins with the next line; None where no line says anything."""
    first = lines.number + 1
    taking = _Taking(report, lines)
    for text in lines.texts(elisions=True):
        if not taking.take(text):
            lines.refuse()
            break
        if report.last in taking.values:
            lines.last = lines.number
            break
    if not taking.values:
        return None
    return Found(taking.values, first, lines.last, len(taking.values) < report.whole, taking.problems)


def merge(values: dict[str, Any], read: dict[str, Any]) -> bool:
    """Add what a line says, tables within tables and rows to rows; False, with nothing added, where it was said before."""
    if any(not _adds(values[key], new) for key, new in read.items() if key in values):
        return False
    for key, new in read.items():
        if key not in values:
            values[key] = new
        elif isinstance(new, list):
            values[key] += new
        else:
            values[key] |= new
    return True


def _adds(known: Any, new: Any) -> bool:
    if isinstance(new, dict):
        return isinstance(known, dict) and not new.keys() & known.keys()
    return isinstance(new, list) and isinstance(known, list)
