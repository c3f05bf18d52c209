"""jmeter: the lines that JMeter's summariser prints while a test runs without its windows.

Reads     from "Creating summariser" or the first "summary + ..." to "... end of run", or such lines alone
Yields    one LoadResult: of the last line with "=", which is of the whole run so far; those with "+" are of an interval
Units     times ms, printed whole; rates samples/s; elapsed time as 00:00:34, 34s or 3.4s, kept in s
Quirks    decimals have a comma where the machine's language has; a build tool puts "[INFO]" before each line. The
          concurrency is the most threads that were started
Source    JMeter's reporters/Summariser.java, 2 to 5
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report
from ..units import clock_s, number

KIND = "jmeter"
PROGRAMS = ("jmeter", "jmeter.sh", "jmeter.bat", "mvn")
SEMANTICS = Semantics()
OPTIONS = {
    **dict.fromkeys(("-D", "-G", "-H", "-J", "-j", "-l", "-o", "-P", "-p", "-q", "-t"), Option()),
    **dict.fromkeys(("-e", "-f", "-n", "-r"), Option(takes_value=False)),
}
_BEFORE = r"(?:\[INFO\] )?"
_NAME = r"(?:summary|Generate Summary Results)"
OPENS = (
    rf"{_BEFORE}(?:{_NAME} [=+]\s+\d+ in\s|Creating summariser <"
    r"|Starting (?:the|standalone) test @ .*\(\d{13}\)\s*$)"
)

_ROW = re.compile(
    rf"{_BEFORE}({_NAME}) ([=+])\s+(\d+) in\s+(\d+:\d\d:\d\d|\d+(?:[.,]\d+)?s) =\s+(\d+[.,]\d+)/s"
    r" Avg:\s+(\d+) Min:\s+(\d+) Max:\s+(\d+) Err:\s+(\d+) \((\d+[.,]\d+)%\)"
    r"(?:\s+Active: (\d+) Started: (\d+) Finished: (\d+))?"
)
_STARTED = re.compile(rf"{_BEFORE}Starting (?:the|standalone) test @ .*\((\d{{13}})\)")
_END = re.compile(rf"{_BEFORE}\.\.\. end of run")
_COUNTS = ("samples", "avg_ms", "min_ms", "max_ms", "errors")
_THREADS = ("active", "started", "finished")


def parse(lines: Lines, command: str | None) -> Found | None:
    found = take_report(lines, _REPORT)
    if found is None or "rows" not in found.values:
        return None
    found.values["n_rows"] = len(found.values["rows"])
    found.partial = not any(row["sign"] == "=" for row in found.values["rows"])
    return found


def _line(line: str) -> dict[str, Any] | None:
    if started := _STARTED.fullmatch(line):
        return {"started_epoch_ms": int(started[1])}
    if _END.fullmatch(line):
        return {"end_of_run": True}
    if not (found := _ROW.fullmatch(line)):
        return None
    elapsed = found[4].removesuffix("s")
    counts = (found[3], *found.group(6, 7, 8, 9))
    row: dict[str, Any] = {"summariser": found[1], "sign": found[2]}
    row |= {name: int(n) for name, n in zip(_COUNTS, counts, strict=True)}
    row["elapsed_s"] = clock_s(elapsed) if ":" in elapsed else number(elapsed)
    row |= {"samples_per_s": number(found[5]), "errors_pct": number(found[10])}
    if found[11]:
        row |= {name: int(n) for name, n in zip(_THREADS, found.group(11, 12, 13), strict=True)}
    return {"rows": [row]}


def _over(values: dict[str, Any], line: str) -> bool:
    """Two lines of the whole run follow each other only where they are of two runs."""
    rows = values.get("rows", [])
    ends = bool(rows) and rows[-1]["sign"] == "="
    return ends and re.match(rf"{_BEFORE}(?:{_NAME} =|Creating summariser|Starting )", line) is not None


_REPORT = Report(
    tool=KIND,
    read=_line,
    meant=re.compile(rf"{_BEFORE}(?:{_NAME} [=+]\s|Starting (?:the|standalone) test @|\.\.\. end)"),
    noise=re.compile(
        rf"{_BEFORE}(?:Creating summariser <|Tidying up|Starting (?:the|standalone) test @"
        r"|Remote engines have|Starting remote engines|Configuring remote engine)"
    ),
    free=re.compile(rf"{_BEFORE}(?:Created the tree successfully|Waiting for possible)"),
    goes_on=re.compile(r"(?:Active: .*|Started: .*|Finished: .*)"),
    over=_over,
    last="end_of_run",
    broken=3,
)


def records(values: dict[str, Any]) -> list[Record]:
    rows = values["rows"]
    whole = [row for row in rows if row["sign"] == "="] or rows
    last = whole[-1]
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=last["samples_per_s"],
            complete_requests=last["samples"],
            failed_requests=last["errors"],
            concurrency=max((row["started"] for row in rows if "started" in row), default=None),
            duration_s=last["elapsed_s"],
            mean_ms=last["avg_ms"],
            min_ms=last["min_ms"],
            max_ms=last["max_ms"],
            percentiles_ms={"100": last["max_ms"]},
        )
    ]
