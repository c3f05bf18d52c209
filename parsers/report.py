"""Reports of a line a figure: what many tools print. A format says what each line tells, and this takes the lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .broken import rest, was_broken, whole
from .catalogue import Found
from .lines import Lines
from .records import Problem
from .transcript import is_elision, prompt

_WIDE = 100  # columns; a line that is longer was not broken


@dataclass(frozen=True, slots=True)
class Report:
    """What a tool's report looks like.

    tool    its name, as in "expected one of wrk's lines"
    read    (line) -> what the line tells, or None where it is not one of the tool's figures, or broken
    meant   begins the lines that have a figure; one that cannot be read alone may be broken over up to `broken` more
    noise   begins, or is, a line that belongs to the report and tells nothing
    goes_on is a line that is the rest of the one before, where a line may have more or less on it
    free    begins a line of free text (an error) that tells nothing and may be broken
    last    name of the value that only the last line tells
    whole   so many values make a report that is not partial
    """

    tool: str
    read: Callable[[str], dict[str, Any] | None]
    meant: re.Pattern[str]
    noise: re.Pattern[str]
    goes_on: re.Pattern[str] | None = None
    free: re.Pattern[str] | None = None
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
        if report.meant.match(line):
            while report.goes_on and (longer := rest(self.lines, line, self._goes_on)) != line.strip():
                line = longer
            if line[-1:].isdigit() and self.lines.unended():
                return True  # the figure may be cut off
            read = whole(self.lines, line, report.read, report.broken)
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
        if report.free is None or not self.values or not report.free.match(line):
            return False
        self._free(line)
        return True

    def _goes_on(self, line: str) -> bool:
        return self.report.goes_on is not None and self.report.goes_on.fullmatch(line) is not None

    def _free(self, line: str) -> None:
        while following := self.lines.ahead(1):
            text = following[0].strip()
            broken = len(line) < _WIDE and was_broken(line, text) and any(map(str.isalnum, text))
            if not broken or prompt(text) is not None:
                return
            self.lines.skip_blank()
            line = next(self.lines).strip()


def take_report(lines: Lines, report: Report) -> Found | None:
    """The report that begins with the next line; None where no line told anything."""
    first = last = lines.number + 1
    taking = _Taking(report, lines)
    blank: list[str] = []
    for line in lines:
        stripped = line.strip()
        if not stripped or is_elision(stripped):
            blank.append(lines.raw)
            continue
        raw = lines.raw
        if not taking.take(stripped):
            lines.back(*blank, raw)
            break
        last = lines.number
        blank.clear()
        if report.last in taking.values:
            break
    if not taking.values:
        return None
    return Found(taking.values, first, last, len(taking.values) < report.whole, taking.problems)


def merge(values: dict[str, Any], read: dict[str, Any]) -> bool:
    """Add what a line told, tables within tables; False, with nothing added, where any of it was told before."""
    if any(not isinstance(told, dict) or not isinstance(values[key], dict) or told.keys() & values[key].keys()
           for key, told in read.items() if key in values):  # fmt: skip
        return False
    for key, told in read.items():
        if key in values:
            values[key] |= told
        else:
            values[key] = told
    return True
