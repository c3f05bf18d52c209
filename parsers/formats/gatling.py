"""gatling: what Gatling prints at the end of a simulation.

Reads     from "---- Global Information" to the distribution and the errors; the simulation from "Simulation ... started..." above
Yields    one LoadResult: of all requests, the failed (KO) ones too; the columns OK and KO stay in the values
Units     times ms, printed whole; rates requests/s
Quirks    columns of bars since 3.11, "n (OK=n KO=n)" before; thousands are marked since then. A column that counted nothing
          has "-". The rate is of whole seconds, rounded up. How many users there were is in the simulation only
Source    Gatling's ConsoleTemplate.scala, 2.x to 3.15
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, note_script, take_noted, take_report
from ..units import number

KIND = "gatling"
PROGRAMS = ("gatling", "gatling.sh", "gatling.bat")
SEMANTICS = Semantics(
    failures_in_rate=True,
    failures_hold_statuses=True,
    makes_all_requests=True,
    mean_step_ms=1,
    max_step_ms=1,
    percentile_step_ms=1,
    printed_as={
        "requests_per_second": "requests_per_s.total",
        "complete_requests": "request_count.total",
        "failed_requests": "request_count.ko",
        **{f"{name}_ms": f"response_time_ms.{name}.total" for name in ("min", "mean", "max")},
        **{f"percentiles_ms.{percent}": f"response_time_ms.{percent}" for percent in (50, 75, 95, 99)},
    },
)
OPTIONS = {"-s --simulation": Option("script"), "-rf --results-folder -rd --run-description -bdf -rsf -sf": Option()}
ADDRESS = False
_CELL = r"(-|\d[\d,]{0,24}(?:\.\d{1,9})?)"
_CELLS = rf"(?:\|\s*{_CELL}\s*\|\s*{_CELL}\s*\|\s*{_CELL}\s*\|?|{_CELL}\s+\(OK={_CELL}\s+KO={_CELL}\s*\))"
PRINTS = {"script": "script"}
OPENS = (
    r"(?:-+ )?Global Information(?: -{3,}|\s*$)|request count\s+\d[\d,]{0,24}\s+(?:\||\(OK=)"
    r"|Simulation [\w.$]+ started\.\.\.\s*$"
)

_SIMULATION = re.compile(r"Simulation ([\w.$]+) started\.\.\.")
_ROW = re.compile(
    r"(?:> )?(?:(request count)|(?:mean (requests/sec|throughput \(rps\)))|(min|max|mean) response time(?: \(ms\))?"
    r"|(?:response time )?(std deviation)(?: \(ms\))?|response time (\d[\d.]*)(?:st|nd|rd|th) percentile(?: \(ms\))?)"
    rf"\s+{_CELLS}"
)
_SHARE = re.compile(r"(?:> )?(\S.*?)(?<=\S)\s++(\d[\d,]{0,24})\s+\(\s*\d+(?:\.\d+)?%\)")
_RANGE = re.compile(r"(?:OK: )?(?:\d+ ms <=? )?t (?:<|>=?) \d+ ms|KO|failed")
_HEADING = r"(?:-+ )?(?:Global Information|Response Time Distribution|Errors)(?: -{3,}|$)|-{10,}(?:$|\|)"
_COLUMNS = ("total", "ok", "ko")


def parse(lines: Lines, command: str | None) -> Found | None:
    if note_script(lines, KIND, _SIMULATION):
        return None
    report = take_report(lines, _REPORT, _read_line)
    if not report or not report.values.keys() & {"request_count", "requests_per_s"}:
        return None
    report.values |= take_noted(lines, KIND)
    return report


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"(?:> )?(?:request count|(?:min|max|mean|response) \w|std deviation|(?:OK: )?(?:t [<>]|\d+ ms <)"
        r"|(?:KO|failed)(?:\s|$))"
        rf"|{_SHARE.pattern}$"
    ),
    noise=re.compile(rf"{_HEADING}|={{10,}}$"),
    over=lambda values, line: "Global Information" in line and "request_count" in values,
    whole=3,
)


def _read_line(line: str) -> dict[str, Any] | None:
    if match := _ROW.fullmatch(line):
        count, rate, extreme, spread, percent, *cells = match.groups()
        columns = {
            name: number(cell.replace(",", ""))
            for name, cell in zip(_COLUMNS, filter(None, cells), strict=True)
            if cell != "-"
        }
        if count or rate:
            return {"request_count" if count else "requests_per_s": columns}
        return {"response_time_ms": {extreme or (f"{float(percent):g}" if percent else spread and "stdev"): columns}}
    if match := _SHARE.fullmatch(line):
        kind = "ranges" if _RANGE.fullmatch(match[1]) else "errors"
        return {kind: {match[1]: int(match[2].replace(",", ""))}}
    return None


def records(values: dict[str, Any]) -> list[Record]:
    counts, times = values.get("request_count", {}), values.get("response_time_ms", {})
    count, rate = counts.get("total"), values.get("requests_per_s", {}).get("total")
    totals = {name: columns["total"] for name, columns in times.items() if "total" in columns}
    return [
        make_result(
            KIND,
            values,
            failed_requests=counts.get("ko", 0) if count is not None else None,
            duration_s=round(count / rate, 3) if count and rate else None,
            percentiles_ms={name: time for name, time in totals.items() if name[0].isdecimal()},
        )
    ]
