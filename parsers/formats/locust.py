"""locust: the tables that Locust prints without its web pages.

Reads     the table of requests, each time that it was printed, to the percentiles and the report of errors at the end
Yields    one LoadResult: "Aggregated" of the last table; its rows stay in the values
Units     times ms, printed whole; rates requests/s
Quirks    the table is printed every two seconds and each counts from the beginning; percentiles are approximated: above
          100 ms they have two digits. How many users there were is in the log lines and the command only
Source    Locust's stats.py, 2.x

locust_csv: the file ..._stats.csv that Locust writes with --csv, a row an endpoint.

Reads     the heading with the rows below it
Yields    one LoadResult: of the row "Aggregated"
Units     times ms; rates requests/s; sizes bytes
Quirks    percentiles are approximated: above 100 ms they have two digits, and the longest may be given more than it took;
          "N/A" stands where nothing was measured. The longest time itself is exact
Source    Locust's stats.py, 1.x and 2.x
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

from ..catalogue import Format
from ..commands import FLAG, Option
from ..lines import Lines
from ..multiline import match_joined
from ..records import Found, LoadResult, Problem, Record, Semantics
from ..report import Report, take_report
from ..units import number

KIND = "locust"
PROGRAMS = ("locust",)
SEMANTICS = Semantics(failures_in_rate=True, failures_hold_statuses=True)
OPTIONS = {
    "-u --users -c --clients": Option("concurrency"),
    "-t --run-time": Option("duration_s"),
    "-n --num-request": Option("requests"),
    "-H --host": Option("url"),
    "-f --locustfile": Option("script"),
    "--csv -L --logfile -r --spawn-rate": Option(),
    "--headless --no-web --only-summary --print-stats": FLAG,
}
_TYPE = r"(?:Type\s+)?"
OPENS = rf"{_TYPE}Name\s+# reqs\s+# fails|Type {{5}}Name\s*$|Response time percentiles \(approximated\)\s*$"

_HEAD = re.compile(rf"{_TYPE}Name\s+# reqs\s+# fails\s*\|\s*Avg\s+Min\s+Max\s+Med(?:ian)?\s*\|\s*req/s\s+failures/s")
_PERCENTS = re.compile(rf"{_TYPE}Name\s+((?:\d[\d.]*%\s+)+)# reqs")
_ROW = re.compile(
    r"(\S.*?)(?<=\S)\s++(\d++)\s++(\d+)\s?\((\d+\.\d\d)%\)\s*\|\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\|\s*(\d+\.\d\d)\s+(\d+\.\d\d)"
)
_NAMES = ("requests", "failures", "failures_pct", "avg_ms", "min_ms", "max_ms", "median_ms")
_RATES = ("requests_per_s", "failures_per_s")
_TOTAL = ("Aggregated", "Total", "None Aggregated")  # "None" stands for no type


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _Tables().read)
    if report is None or not report.values.get("tables"):
        return None
    report.partial = "percentiles_ms" not in report.values
    return report


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"(?:Type|Name|None|Aggregated|Total|[A-Z]{3,8})(?:\s|$)|\S.*\d\(\d+\.\d\d%\)\s*\||\S.*(?:\s+\d+){8}$"
    ),
    noise=re.compile(r"-{20,}$|-+(?:\|-+)+\|?$|Response time percentiles|Error report$|# occurrences\s+Error$"),
    free=re.compile(r"\d+\s{2,}\S|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] \S+/[A-Z]+/locust"),
    broken=3,
)


class _Tables:
    def __init__(self) -> None:
        self.rows: dict[str, Any] | None = None
        self.percents: list[str] = []

    def read(self, line: str) -> dict[str, Any] | None:
        if _HEAD.fullmatch(line):
            self.rows, self.percents = {}, []
            return {"tables": [self.rows]}
        if match := _PERCENTS.fullmatch(line):
            self.percents = match[1].split()
            return {}
        if self.percents:
            return self._read_percentiles(line.split())
        if self.rows is None or "%)" not in line or not (match := _ROW.fullmatch(line)):
            return None
        figures = [float(match[4]) if at == 4 else int(match[at]) for at in (2, 3, 4, 5, 6, 7, 8)]
        row = dict(zip(_NAMES, figures, strict=True))
        row |= dict(zip(_RATES, (float(match[9]), float(match[10])), strict=True))
        self.rows[" ".join(match[1].split())] = row
        return {}

    def _read_percentiles(self, words: list[str]) -> dict[str, Any] | None:
        name, figures = words[: -len(self.percents) - 1], words[-len(self.percents) - 1 :]
        if not name or not all(figure.isdecimal() for figure in figures):
            return None
        named = (f"{float(percent[:-1]):g}" for percent in self.percents)
        return {"percentiles_ms": {" ".join(name): dict(zip(named, map(int, figures), strict=False))}}


def records(values: dict[str, Any]) -> list[Record]:
    rows = values["tables"][-1]
    total = next((rows[name] for name in _TOTAL if name in rows), None)
    if total is None:
        return []
    tables = values.get("percentiles_ms", {})
    percentiles = next((tables[name] for name in _TOTAL if name in tables), {"50": total["median_ms"]})
    times = [total[f"{name}_ms"] for name in ("avg", "min", "max")]
    return [_make_result(total["requests"], total["failures"], total["requests_per_s"], times, percentiles)]


def _make_result(
    n: int, failed: int, rate: float | None, times: Sequence[float | None], percentiles: dict[str, float]
) -> LoadResult:
    """times: the mean, the least and the most, in ms."""
    mean, least, most = times
    return LoadResult(
        tool=KIND,
        requests_per_second=rate,
        complete_requests=n,
        failed_requests=failed,
        duration_s=round(n / rate, 3) if rate else None,
        mean_ms=mean,
        min_ms=least,
        max_ms=most,
        percentiles_ms=percentiles | ({"100": most} if most is not None else {}),
    )


# --- locust_csv ------------------------------------------------------------------------------------------------------
_CSV_OPENS = r"Type,Name,Request Count,Failure Count,"

_HEADING = re.compile(rf"{_CSV_OPENS}[\w /%.,]+,100%")
_PERCENT = re.compile(r"(\d[\d.]*)%")
_MOST_PIECES = 3  # more lines that a row with blanks in its name is broken into


def _parse_csv(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    heading = match_joined(lines, next(lines), _HEADING.fullmatch, most=_MOST_PIECES)
    if heading is None:
        return None
    columns = heading[0].split(",")
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for stripped in lines.texts(elisions=True):
        row = (
            None
            if lines.unended()
            else match_joined(lines, stripped, lambda text: _read_row(text, columns), most=_MOST_PIECES)
        )
        if row is None and stripped.count(",") < len(columns) // 2:
            lines.refuse()
            break
        if row is not None:
            rows.append(row)
        elif lines.cut != lines.number and not lines.unended():
            problems.append(Problem(lines.number, f"expected {len(columns)} cells, found {stripped[:60]!r}"))
    if not rows:
        return None
    whole = any(row["name"] == "Aggregated" for row in rows)
    return Found({"n_rows": len(rows), "rows": rows}, first, lines.last, not whole, problems)


def _read_row(line: str, columns: list[str]) -> dict[str, Any] | None:
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


def _csv_records(values: dict[str, Any]) -> list[Record]:
    total = next((row for row in values["rows"] if row["name"] in {"Aggregated", "Total"}), None)
    if total is None:
        return []
    n, failed, rate = total["request_count"], total["failure_count"], total.get("requests_per_s")
    times = [total.get(f"{name}_response_time_ms") for name in ("average", "min", "max")]
    return [_make_result(n, failed, rate, times, total.get("percentiles_ms", {}))]


OTHER_FORMATS = (
    Format(
        kind="locust_csv",
        opens=_CSV_OPENS,
        command=re.compile(r"(?:^|[\s/;&|(])locust\s|_stats\.csv\b"),
        parse=_parse_csv,
        records=_csv_records,
    ),
)
