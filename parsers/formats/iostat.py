"""iostat: sysstat's report of CPU time and of what each device transfers, by interval.

Reads     the plain and the extended report (-x), -c, -d, -k, -m, -h, -s, -t, -y, -z, in any mixture, sysstat 7 to 12
Yields    one SystemSample a report, but for the first of several: that is of the time since the machine's start
Units     per cent, KiB (MiB and the sizes of -h are turned into it), milliseconds (await, svctm), requests and transfers a
          second; blocks and sectors as such, where an old version prints them
Quirks    -h prints the device's name last, and parts the extended report; a device may come without CPU figures and the
          other way round; the date of -t stands on a line of its own
Source    sysstat's iostat.c
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import clock, column, figure, metric
from ..lines import Lines
from ..multiline import peek_rest
from ..records import Found, Problem, Record, SystemSample
from ..units import CPU_SHARES

KIND = "iostat"
PROGRAMS = ("iostat",)
_TITLES = r"(?:tps|r/s|rrqm/s|kB_read/s|MB_read/s|Blk_read/s)"
_DATE = r"(?:Time: )?(?:\d\d?[/.-]\d\d?[/.-]\d{2,4}|\d{4}[/-]\d\d[/-]\d\d|\d{4}年\d\d月\d\d日)[ T]\d\d.\d\d.\d\d\S*(?:\s[AP]M)?\s*$"
OPENS = rf"avg-cpu:\s+%user\s|Device:?\s+{_TITLES}\s|(?:tps|r/s)\s+(?:kB_read/s|rkB/s)\s|{_DATE}"

_WORD = re.compile(r"%?[A-Za-z][\w/%.+-]*:?")
_STAMP = re.compile(r"\d\d:\d\d:\d\d(?: [AP]M)?|\d\d時\d\d分\d\d秒")
_SHARES = {f"{name}_pct": short for name, short in CPU_SHARES.items()}

Row = dict[str, Any]


def parse(lines: Lines, command: str | None) -> Found | None:
    return _Report(lines).read(1, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    return _Report(lines).read(lines.memory.get(KIND, 0) + 1, command)


class _Report:
    """One report while it is being read."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.values: Row = {}
        self.devices: dict[str, Row] = {}
        self.titles: list[str] = []
        self.seen: list[list[str]] = []  # titles of the tables that this report has
        self.problems: list[Problem] = []
        self.first = self.last = 0

    def read(self, count: int, command: str | None) -> Found | None:
        for text in self.lines.texts():
            number = self.lines.number
            if not self._take_line(text):
                self.lines.refuse()
                break
            self.first, self.last = self.first or number, self.lines.number
        if not self.devices and not self.values.keys() & _SHARES.keys() and not self.problems:
            return None
        self.lines.memory[KIND] = count
        values: Row = {"iteration": count, **self.values}
        if self.devices:
            values["devices"] = list(self.devices.values())
        if count == 1 and " -y" not in (command or "") and self._goes_on():
            values["average"] = "since boot"
        return Found(values, self.first, self.last, False, self.problems)

    def _goes_on(self) -> bool:
        """Whether another report follows, so that this first one is not of the time that was looked at."""
        ahead = self.lines.ahead(3)
        if not ahead or not _BEGINS.match(ahead[0].strip()):
            return False
        return bool(self.devices) or ahead[0].split()[0] == "avg-cpu:" or ahead[0].strip()[:1].isdigit()

    def _take_line(self, text: str) -> bool:
        """Take one line in. False where it is none of this report's."""
        if re.fullmatch(_DATE, text):
            stamp = _STAMP.search(text)
            if self.seen or "time" in self.values or stamp is None:
                return False
            self.values["time"] = clock(stamp[0])
            return True
        words = text.split()
        if _BEGINS.match(text) and all(_WORD.fullmatch(word) for word in words):
            return self._take_heading(text, words)
        return bool(self.titles) and self._take_row(text, words)

    def _take_heading(self, text: str, words: list[str]) -> bool:
        if words[0] == "avg-cpu:" and self.seen:
            return False
        while more := peek_rest(self.lines, text, _BEGINS):
            if not all(_WORD.fullmatch(word) for word in more.split()):
                break
            text = self.lines.take_next()
            words += more.split()
        words = [word.rstrip(":") for word in words]
        if words in self.seen:
            return False
        self.titles = words
        self.seen.append(words)
        return True

    def _take_row(self, text: str, words: list[str]) -> bool:
        line = text
        titles = self.titles[1:] if self.titles[0] == "avg-cpu" else self.titles
        while len(words) < len(titles) and (more := peek_rest(self.lines, line, _BEGINS)):
            line = self.lines.take_next()
            words += more.split()
        if len(words) > len(titles) or (len(words) < len(titles) and not self.lines.unended()):
            return False
        row = self._parse_figures(titles, words)
        if row is None:
            return self._take_odd(text, words)
        name = row.pop("device", None)
        if name is not None:
            parted = sum("Device" in titles for titles in self.seen) > 1
            if parted and name not in self.devices and self.lines.unended():
                return False  # the text ends inside its name
            self.devices.setdefault(name, {"device": name}).update(row)
        elif titles is not self.titles:
            self.values |= row
        elif titles[0] == "Device" or not row:  # cut off inside its name or before it
            return False
        return True

    def _parse_figures(self, titles: list[str], words: list[str]) -> Row | None:
        row: Row = {}
        for title, word in zip(titles, words, strict=False):
            if title == "Device":
                row["device"] = word
                continue
            name, factor = column(title)
            try:
                row[name] = figure(word, factor)
            except ValueError:
                return None
        return row if len(row) > ("device" in row) else None

    def _take_odd(self, text: str, words: list[str]) -> bool:
        """Name a row whose figures are none; False where it is no row at all."""
        if self.lines.unended() or sum(word[0].isdigit() for word in words) * 2 < len(words):
            return False
        self.problems.append(Problem(self.lines.number, f"expected {len(self.titles)} columns, found {text[:60]!r}"))
        return True


_BEGINS = re.compile(rf"avg-cpu:\s|Device:?\s|(?:tps|r/s|w/s|d/s|f/s)\s+[A-Za-z]|{_DATE}")


def records(values: dict[str, Any]) -> list[Record]:
    if "average" in values:
        return []
    metrics = {f"cpu_{to}": float(values[name]) for name, to in _SHARES.items() if values.get(name) is not None}
    for row in values.get("devices", []):
        figures = {name: value for name, value in row.items() if isinstance(value, int | float)}
        metrics |= {metric("disk", str(row["device"]), name): float(value) for name, value in figures.items()}
    return [SystemSample(tool=KIND, clock=values.get("time"), metrics=metrics)]
