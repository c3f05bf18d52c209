"""hey_csv: what hey -o csv prints instead of its report, a row a request that was answered.

Reads     the heading with the rows below it
Yields    one LoadResult and one Timings
Units     seconds with four decimals; "offset" is when the request began, counted from the load's beginning
Quirks    requests that failed have no row, and hey keeps the first 1,000,000 rows at the most; rows are in the order of the
          answers; versions before 0.1.3 have no offset. The rate is not printed: it is the rows over the time from the
          beginning to the last answer
Source    hey's requester/print.go and report.go
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..lines import Lines
from ..records import Found, LoadResult, Record, Timings
from ..request_files import Latencies, Seconds, take_rows

KIND = "hey_csv"
COMMAND = r"(?:^|[\s/;&|(])(?:hey|boom)(?:_linux_amd64)?\s|\.csv\b"
TOOL = "hey"
OPENS = r"response-time,DNS\+dialup,DNS,Request-write,Response-delay,Response-read"

_HEAD = re.compile(rf"{OPENS}(?:,status-code)?(?:,offset)?")
_FIGURE = re.compile(r"\d{1,7}\.\d{4}", re.ASCII)
_ROW_BEGINS = re.compile(r"[-\d.]+,[-\d.,]*$|(?:[-+]?(?:NaN|Inf|[\d.]+),){2}", re.ASCII)
_PERCENTS = (10, 25, 50, 75, 90, 95, 99)  # as hey's own report has them


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    heading = (lines.peek() or "").strip()
    if not _HEAD.fullmatch(heading):
        return None
    next(lines)
    rows = _Requests(heading.split(","))
    taken = take_rows(lines, rows, command, finished=lambda line: rows.read(line) is not None)
    if not taken.n:
        return None
    return Found(rows.values(), first, taken.last, not taken.whole, taken.problems)


class _Requests:
    def __init__(self, columns: list[str]) -> None:
        self.width = len(columns)
        self.status = columns.index("status-code") if "status-code" in columns else None
        self.offset = columns.index("offset") if "offset" in columns else None
        self.times = Latencies()
        self.seconds = Seconds()
        self.statuses: Counter[str] = Counter()
        self.last_offset = self.span = 0  # microseconds
        self.all_four = re.compile(r"(?:\d{1,7}\.\d{4},){6}\d{3},\d{1,7}\.\d{4}", re.ASCII)

    def many(self, text: str) -> int:
        rows = text.split("\n")[:-1]
        if self.width != 8 or not all(map(self.all_four.fullmatch, rows)):
            return 0
        for row in rows:
            # Figures of four decimals without their points are ten thousandths of a second.
            cells = row.replace(".", "").split(",")
            self._add(int(cells[0]) * 100, cells[6], int(cells[7]) * 100)
        return len(rows)

    def one(self, line: str) -> bool:
        cells = self.read(line)
        if cells is None:
            return False
        us = _us(cells[0])
        self._add(
            us,
            cells[self.status] if self.status is not None else "",
            _us(cells[self.offset]) if self.offset is not None else None,
        )
        return True

    def read(self, line: str) -> list[str] | None:
        """The row's cells; None where it is not whole."""
        cells = line.split(",")
        figures = [cell for at, cell in enumerate(cells) if at != self.status]
        if len(cells) != self.width or not all(map(_FIGURE.fullmatch, figures)):
            return None
        return cells if self.status is None or re.fullmatch(r"[1-9]\d\d", cells[self.status]) else None

    def meant(self, line: str) -> bool:
        return _ROW_BEGINS.match(line) is not None

    def _add(self, us: int, status: str, offset: int | None) -> None:
        self.times.add(us)
        if status:
            self.statuses[status] += 1
        if offset is not None:
            self.seconds.add(offset // 1_000_000, us)
            self.last_offset = max(self.last_offset, offset)
            self.span = max(self.span, offset + us)

    def values(self) -> dict[str, Any]:
        times = self.times
        spread = {"min": times.least, "max": times.most, "mean": times.total / times.n}
        values: dict[str, Any] = {
            "n_requests": times.n,
            "response_time_s": {name: _s(us) for name, us in spread.items()},
            "percentiles_s": {p: _s(1000 * figure) for p, figure in times.percentiles(_PERCENTS).items()},
            "spectrum_ms": times.percentiles(),
            "latency_counts": times.rows(),
        }
        if self.statuses:
            values["status_codes"] = dict(sorted(self.statuses.items()))
        if self.offset is not None:
            values |= {"last_offset_s": _s(self.last_offset), "last_answer_s": _s(self.span)}
            values["by_second"] = self.seconds.columns(epoch=False)
        return values


def _us(text: str) -> int:
    return round(float(text) * 1_000_000)


def _s(us: float) -> float:
    return round(us / 1_000_000, 9)


def records(values: dict[str, Any]) -> list[Record]:
    spread = {name: round(1000 * seconds, 6) for name, seconds in values["response_time_s"].items()}
    n, span = values["n_requests"], values.get("last_answer_s")
    timings = Timings(
        tool=TOOL,
        n=n,
        percentiles_ms=values["spectrum_ms"],
        histogram=values["latency_counts"],
        seconds=values.get("by_second"),
    )
    result = LoadResult(
        tool=TOOL,
        requests_per_second=round(n / span, 4) if span else None,
        complete_requests=n,
        duration_s=span,
        mean_ms=spread["mean"],
        min_ms=spread["min"],
        max_ms=spread["max"],
        percentiles_ms={p: round(1000 * s, 6) for p, s in values["percentiles_s"].items()} | {"100": spread["max"]},
    )
    return [result, timings]
