"""siege_log: lines of siege.log, one for each siege.

Reads     the header line with the lines below it, or such lines alone
Yields    one LoadResult a line
Units     as siege.py: seconds, MB
Source    siege's log.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, LoadResult, Problem, Record
from ..units import number

KIND = "siege_log"
TOOL = "siege"
COMMAND = r"siege\S*\.log\b"
OPENS = r"Date & Time,\s+Trans,|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\s+\d+,\s+\d+\.\d\d,\s+\d+,\s+\d"

_COLUMNS = (
    "transactions",
    "elapsed_s",
    "data_transferred_mb",
    "response_time_s",
    "transaction_rate",
    "throughput_mb_per_s",
    "concurrency",
    "successful_transactions",
    "failed_transactions",
)
_ROW = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,")
_WIDTH = 8  # of the last cell, at least: a shorter one was cut off
_REST = re.compile(r"[\d., ]+|[A-Za-z, ]*Failed")
_NOTE = re.compile(r"\*{4} .* \*{4}$")  # siege --mark, -m


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for stripped in lines.texts():
        if _ROW.match(stripped):
            if lines.cut == lines.number and len(lines.raw.rpartition(",")[2]) >= _WIDTH:
                stripped += lines.cut_text
                lines.cut = 0
            row = _read_row(stripped)
            following = (lines.peek() or "").strip()
            if len(row) <= len(_COLUMNS) and _REST.fullmatch(following):  # broken by a mail client
                row = _read_row(f"{stripped} {following}")
                next(lines)
            if len(row) == len(_COLUMNS) + 1:
                rows.append(row)
            else:
                problems.append(Problem(lines.number, f"expected {len(_COLUMNS)} figures, found {stripped[:80]!r}"))
        elif not (
            _NOTE.match(stripped) or (not rows and (stripped.startswith("Date & Time") or _REST.fullmatch(stripped)))
        ):
            lines.refuse()
            break
    if not rows and not problems:
        return None
    return Found({"n_rows": len(rows), "rows": rows}, first, lines.last, False, problems)


def _read_row(line: str) -> dict[str, Any]:
    cells = [c.strip() for c in line.split(",")]
    row: dict[str, Any] = {"date_time": cells[0]}
    for name, cell in zip(_COLUMNS, cells[1:], strict=False):
        try:
            row[name] = number(cell)
        except ValueError:
            return row
    return row


def records(values: dict[str, Any]) -> list[Record]:
    rows = values.get("rows")
    return [_load(row) for row in rows] if isinstance(rows, list) else []


def _load(row: dict[str, float]) -> LoadResult:
    return LoadResult(
        tool=TOOL,
        requests_per_second=row["transaction_rate"],
        complete_requests=int(row["transactions"]),
        failed_requests=int(row["failed_transactions"]),
        duration_s=row["elapsed_s"],
        mean_ms=round(row["response_time_s"] * 1000, 6),
        transferred_bytes=round(row["data_transferred_mb"] * 1048576),
    )
