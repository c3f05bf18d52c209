"""locust_csv: the file ..._stats.csv that Locust writes with --csv, a row an endpoint.

Reads     the heading with the rows below it
Yields    one LoadResult: of the row "Aggregated"
Units     times ms; rates requests/s; sizes bytes
Quirks    percentiles are approximated: above 100 ms they have two digits, and the longest may be given more than it took;
          "N/A" stands where nothing was measured. The longest time itself is told exactly
Source    Locust's stats.py, 1.x and 2.x
"""

from __future__ import annotations

import csv
import re
from typing import Any

from ..lines import Lines
from ..records import Found, LoadResult, Problem, Record
from ..transcript import is_elision
from ..units import number

KIND = "locust_csv"
COMMAND = r"(?:^|[\s/;&|(])locust\s|_stats\.csv\b"
TOOL = "locust"
OPENS = r"Type,Name,Request Count,Failure Count,"

_HEADING = re.compile(rf"{OPENS}[\w /%.,]+")
_PERCENT = re.compile(r"(\d[\d.]*)%")
_MOST_PIECES = 3  # more lines that a row with blanks in its name is broken into


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    heading = _heading(lines)
    if heading is None:
        return None
    columns, last = heading.split(","), lines.number
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    passed: list[str] = []
    for line in lines:
        stripped = line.strip()
        if not stripped or is_elision(stripped):
            passed.append(lines.raw)
            continue
        row = None if lines.unended() else _whole_row(lines, stripped, columns)
        if row is None and stripped.count(",") < len(columns) // 2:
            lines.back(*passed, lines.raw)
            break
        if row is not None:
            rows.append(row)
        elif lines.cut != lines.number and not lines.unended():
            problems.append(Problem(lines.number, f"expected {len(columns)} cells, found {stripped[:60]!r}"))
        last = lines.number
        passed.clear()
    if not rows:
        return None
    whole = any(row["name"] == "Aggregated" for row in rows)
    return Found({"n_rows": len(rows), "rows": rows}, first, last, not whole, problems)


def _heading(lines: Lines) -> str | None:
    """The heading, taken with the lines that it was broken into; None where it is not whole, and the next line is taken."""
    text, used = next(lines).strip(), 0
    for following in lines.ahead(_MOST_PIECES) if not text.endswith(",100%") else ():
        text, used = f"{text} {following.strip()}", used + 1
        if text.endswith(",100%"):
            break
    if not _HEADING.fullmatch(text) or not text.endswith(",100%"):
        return None
    for _ in range(used):
        lines.skip_blank()
        next(lines)
    return text


def _whole_row(lines: Lines, line: str, columns: list[str]) -> dict[str, Any] | None:
    row = _row(line, columns)
    text = line
    for used, following in enumerate(lines.ahead(_MOST_PIECES) if row is None else (), start=1):
        text = f"{text} {following.strip()}"
        if (row := _row(text, columns)) is not None:
            for _ in range(used):
                lines.skip_blank()
                next(lines)
            break
    return row


def _row(line: str, columns: list[str]) -> dict[str, Any] | None:
    cells = next(csv.reader([line]), [])
    if len(cells) != len(columns):
        return None
    row: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        try:
            if percent := _PERCENT.fullmatch(column):
                if cell != "N/A":
                    row.setdefault("percentiles_ms", {})[f"{float(percent[1]):g}"] = number(cell)
            else:
                row[_name(column)] = cell if column in {"Type", "Name"} else number(cell)
        except ValueError:
            return None
    return row


def _name(column: str) -> str:
    """ "Median Response Time" → "median_response_time_ms", "Requests/s" → "requests_per_s"."""
    name = column.lower().replace("/", " per ").replace(" ", "_")
    return name + {"time": "_ms", "size": "_bytes"}.get(name.rpartition("_")[2], "")


def records(values: dict[str, Any]) -> list[Record]:
    total = next((row for row in values["rows"] if row["name"] in {"Aggregated", "Total"}), None)
    if total is None:
        return []
    n, rate = total["request_count"], total.get("requests_per_s")
    size = total.get("average_content_size_bytes")
    most = total.get("max_response_time_ms")
    return [
        LoadResult(
            tool=TOOL,
            requests_per_second=rate,
            complete_requests=n,
            failed_requests=total["failure_count"],
            duration_s=round(n / rate, 3) if rate else None,
            mean_ms=total.get("average_response_time_ms"),
            min_ms=total.get("min_response_time_ms"),
            max_ms=most,
            percentiles_ms=total.get("percentiles_ms", {}) | ({"100": most} if most is not None else {}),
            transferred_bytes=round(size * n) if size is not None else None,
        )
    ]
