"""ab_percentiles_csv: the file that ab -e writes, the time within which each per cent of the requests was answered.

Reads     the heading with the rows below it
Yields    one Timings, without counts
Units     ms with three decimals
Quirks    older versions end at 99; the request that stands for a per cent is the nearest one, while the report's is the
          one before, so that the two may lie one request apart
Source    ab.c, output_results(): "Percentage served,Time in ms"
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, Record, Timings
from ..request_files import take_rows

KIND = "ab_percentiles_csv"
COMMAND = r"(?:^|[\s/;&|(])ab\S*\s(?:.*\s)?-e|\.csv\b"
TOOL = "ab"
OPENS = r"Percentage served,\s*Time in ms"

_HEAD = re.compile(r"Percentage served,\s*Time in ms")
_ROW = re.compile(r"(\d{1,3}),\s*(\d{1,12}\.\d{3})", re.ASCII)
_ROW_BEGINS = re.compile(r"-?\d{1,3},\s*(?:[-\d.]*|-?nan|-?inf)$", re.ASCII)


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    if not _HEAD.fullmatch((lines.peek() or "").strip()):
        return None
    next(lines)
    rows = _Percentiles()
    taken = take_rows(lines, rows, command, finished=lambda line: _ROW.fullmatch(line) is not None)
    if not rows.percentiles:
        return None
    values = {"n_rows": taken.n, "percentiles_ms": rows.percentiles}
    whole = taken.whole and "99" in rows.percentiles
    return Found(values, first, taken.last, not whole, taken.problems)


class _Percentiles:
    def __init__(self) -> None:
        self.percentiles: dict[str, float] = {}

    def many(self, text: str) -> int:
        return 0  # a hundred rows need no hurry

    def one(self, line: str) -> bool:
        found = _ROW.fullmatch(line)
        if found is None or int(found[1]) > 100 or str(int(found[1])) in self.percentiles:
            return False
        self.percentiles[str(int(found[1]))] = float(found[2])
        return True

    def meant(self, line: str) -> bool:
        return _ROW_BEGINS.match(line) is not None


def records(values: dict[str, Any]) -> list[Record]:
    return [Timings(tool=TOOL, percentiles_ms=values["percentiles_ms"])]
