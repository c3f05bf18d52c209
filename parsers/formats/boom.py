"""boom: the results that boom prints, the load tool in Python (hey was once a rewrite of it in Go, of the same name).

Reads     from "Running 100 queries - concurrency: 10" or "Successful calls" to the status codes
Yields    one LoadResult
Units     times in s, kept in ms; requests/s without decimals, cut off
Quirks    versions differ in how they say what is run; only calls that were answered are counted, whatever their status; errors are
          texts without a count
Source    boom.py, print_stats(), print_errors() and load(), 0.1 to 1.1
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report
from ..units import compile_lines

KIND = "boom"
PROGRAMS: tuple[str, ...] = ()  # the command is read as hey's, which has the same options for the load
SEMANTICS = Semantics(whole_report=(), rate_step=1.0, mean_step_ms=0.1, max_step_ms=0.1)
OPTIONS: dict[str, Option] = {}
OPENS = (
    r"Running \d+ (?:queries - concurrency: \d+|times per \d+ workers)|Successful calls\s+\d+\s*$"
    r"|RPS\s+\d+\s*$"
)

_read_line = compile_lines(
    {},
    r"Running <asked_requests:N> queries - concurrency: <concurrency:N>\.?",
    r"Running <asked_requests:N> times per <concurrency:N> workers\.?",
    r"Successful calls\s+<complete_requests:N>",
    r"Total time\s+<time_taken_s:F> s",
    r"Average\s+<average_s:F> s",
    r"Fastest\s+<fastest_s:F> s",
    r"Slowest\s+<slowest_s:F> s",
    r"Amplitude\s+<amplitude_s:F> s",
    r"Standard deviation\s+<stdev_s:F>",
    r"RPS\s+<requests_per_second:N>",
    r"Code <@:C>\s+<status_codes.*:N> times\.?",
)
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"(?:Successful calls|Total time|Average|Fastest|Slowest|Amplitude|Standard deviation|RPS)\s+\d|Running \d|Code \d"
    ),
    noise=re.compile(r"-{4,} \w[\w ]+ -{4,}$|Starting the load|\[=*|BSI\s|(?:RPS|BSI): \w|\s*Host: "),
    over=lambda values, line: line.startswith("Running ") and bool(values),
    whole=6,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    return report if report and report.values.keys() & {"complete_requests", "average_s"} else None


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    mean_s, max_s = get("average_s"), get("slowest_s")
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=get("requests_per_second"),
            complete_requests=get("complete_requests"),
            concurrency=get("concurrency"),
            duration_s=get("time_taken_s"),
            mean_ms=None if mean_s is None else round(mean_s * 1000, 6),
            max_ms=None if max_s is None else round(max_s * 1000, 6),
        )
    ]
