"""ab_gnuplot: the file that ab -g writes, a row a request.

Reads     the heading with the rows below it, or rows alone
Yields    one Timings
Units     whole ms; "seconds" is the epoch second in which the request began, "starttime" the same on the machine's clock
Quirks    the rows are sorted by total time, not by start: what is missing at the end are the slowest requests
Source    ab.c, output_results(): "starttime\\tseconds\\tctime\\tdtime\\tttime\\twait"

ab_percentiles_csv: the file that ab -e writes, the time within which each per cent of the requests was answered.

Reads     the heading with the rows below it
Yields    one Timings, without counts
Units     ms with three decimals
Quirks    older versions end at 99; the request that stands for a per cent is the nearest one, while the report's is the
          one before, so that the two may lie one request apart
Source    ab.c, output_results(): "Percentage served,Time in ms"
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..records import Found, Record, Timings
from ..request_files import MinMaxMean, Rows, find_requests, make_timings, take_rows

KIND = "ab_gnuplot"
COMMAND = r"^(?>.*?(?:^|[\s/;&|(])ab\S{0,60}\s)(?:.*\s)?-g|\.(?:tsv|plot|gnuplot|dat)\b"
TOOL = "ab"
_DATE = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d:\d\d\s+\d{4}"
OPENS = rf"starttime\s+seconds\s+ctime\s+dtime\s+ttime\s+wait|{_DATE}\s+\d{{9,11}}(?:\s+\d+){{4}}\s*$"

_HEAD = re.compile(r"starttime\s+seconds\s+ctime\s+dtime\s+ttime\s+wait")
_ROW = re.compile(rf"({_DATE})\s+(\d{{1,11}})\s+(\d{{1,9}})\s+(\d{{1,9}})\s+(\d{{1,9}})\s+(\d{{1,9}})", re.ASCII)
_WORDS = 10  # five of the date, then the figures
_DAYS = frozenset(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
_FIGURES = ("ctime", "dtime", "ttime", "wait")


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    headed = _HEAD.fullmatch((lines.peek() or "").strip()) is not None
    if headed:
        next(lines)
    return find_requests(lines, _Requests(), command, first, is_headed=headed)


class _Requests(Rows):
    begins = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d")

    def __init__(self) -> None:
        super().__init__()
        self.spreads = {name: MinMaxMean() for name in _FIGURES}
        self.first: int | None = None
        self.last = 0
        self.first_starttime = ""

    def take_text(self, text: str) -> int:
        words = text.split()
        n = text.count("\n")
        if len(words) != _WORDS * n or not text.isascii() or not _DAYS.issuperset(words[::_WORDS]):
            return 0
        columns = {name: Counter(words[6 + at :: _WORDS]) for at, name in enumerate(_FIGURES)}
        pairs = Counter(zip(words[5::_WORDS], words[8::_WORDS], strict=True))
        if any(not key.isdigit() or len(key) > 9 for column in columns.values() for key in column):
            return 0
        seconds = {second: int(second) for second, _ in pairs if second.isdigit() and len(second) < 12}
        if not all(second in seconds for second, _ in pairs):
            return 0
        for name, column in columns.items():
            self.spreads[name].add({int(key): count for key, count in column.items()})
        for key, count in columns["ttime"].items():
            self.times.add(int(key) * 1000, count)
        for (second, key), count in pairs.items():
            self.seconds.add(seconds[second], int(key) * 1000, count)
        earliest = min(seconds, key=seconds.__getitem__)
        at = words[5::_WORDS].index(earliest) * _WORDS
        self._span(seconds[earliest], max(seconds.values()), " ".join(words[at : at + 5]))
        return n

    def read(self, line: str) -> re.Match[str] | None:
        return _ROW.fullmatch(line)

    def add(self, row: re.Match[str]) -> None:
        figures = [int(figure) for figure in row.groups()[1:]]
        for name, figure in zip(_FIGURES, figures[1:], strict=True):
            self.spreads[name].add({figure: 1})
        self.times.add(figures[3] * 1000)
        self.seconds.add(figures[0], figures[3] * 1000)
        self._span(figures[0], figures[0], " ".join(row[1].split()))

    def is_finished(self, line: str) -> bool:
        return False

    def _span(self, first: int, last: int, starttime: str) -> None:
        if self.first is None or first < self.first:
            self.first, self.first_starttime = first, starttime
        self.last = max(self.last, last)

    def values(self) -> dict[str, Any]:
        return {
            "n_requests": self.times.n,
            **{f"{name}_ms": spread.as_dict() for name, spread in self.spreads.items()},
            "first_epoch_s": self.first,
            "last_epoch_s": self.last,
            "first_starttime": self.first_starttime,
            "sum_ttime_ms": self.spreads["ttime"].total,
            "percentiles_ms": self.times.percentiles(),
            "latency_counts": self.times.rows(),
            "by_second": self.seconds.columns(epoch=True),
        }


def records(values: dict[str, Any]) -> list[Record]:
    return [make_timings(TOOL, values, "percentiles_ms")]


# --- ab_percentiles_csv ----------------------------------------------------------------------------------------------
_CSV_OPENS = r"Percentage served,\s*Time in ms"

_CSV_HEAD = re.compile(r"Percentage served,\s*Time in ms")
_CSV_ROW = re.compile(r"(\d{1,3}),\s*(\d{1,12}\.\d{3})", re.ASCII)


def _parse_csv(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    if not _CSV_HEAD.fullmatch((lines.peek() or "").strip()):
        return None
    next(lines)
    rows = _Percentiles()
    taken = take_rows(lines, rows, command)
    if not rows.percentiles:
        return None
    values = {"n_rows": taken.n, "percentiles_ms": rows.percentiles}
    whole = taken.whole and "99" in rows.percentiles
    return Found(values, first, taken.last, not whole, taken.problems)


class _Percentiles(Rows):
    begins = re.compile(r"-?\d{1,3},\s*(?:[-\d.]*|-?nan|-?inf)$", re.ASCII)

    def __init__(self) -> None:
        super().__init__()
        self.percentiles: dict[str, float] = {}

    def read(self, line: str) -> re.Match[str] | None:
        return _CSV_ROW.fullmatch(line)

    def take_line(self, line: str) -> bool:
        match = self.read(line)
        if match is None or int(match[1]) > 100 or str(int(match[1])) in self.percentiles:
            return False
        self.percentiles[str(int(match[1]))] = float(match[2])
        return True


def _csv_records(values: dict[str, Any]) -> list[Record]:
    return [Timings(tool=TOOL, percentiles_ms=values["percentiles_ms"])]


OTHER_FORMATS = (
    Format(
        kind="ab_percentiles_csv",
        opens=_CSV_OPENS,
        command=re.compile(r"^(?>.*?(?:^|[\s/;&|(])ab\S{0,60}\s)(?:.*\s)?-e|\.csv\b"),
        parse=_parse_csv,
        records=_csv_records,
    ),
)
