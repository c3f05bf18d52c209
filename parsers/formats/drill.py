"""drill: the statistics of --stats.

Reads     from "Concurrency" or "Time taken for tests" to the last figure of all requests
Yields    one LoadResult: of all requests; those of each step of the benchmark stay in the values
Units     times ms, printed whole, or ns with --nanosec, kept in ms; requests/s
Quirks    no colon behind a label; every answer but 2xx is a failed request, and is in the rate and in the times; percentiles
          since 0.8
Source    drill's main.rs, 0.5 to 0.9
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines

KIND = "drill"
PROGRAMS = ("drill",)
SEMANTICS = Semantics(
    failures_in_rate=True,
    failures_hold_statuses=True,
    mean_step_ms=1,
    percentile_step_ms=1,
    printed_as={"duration_s": "time_taken_s", "mean_ms": "average_ms", "percentiles_ms.50": "median_ms"},
)
OPTIONS = {
    "-b --benchmark": Option("script"),
    "-o --timeout": Option("timeout_s"),
    "-r --report -c --compare -t --threshold --tags --skip-tags": Option(),
    "-s --stats -q --quiet -n --nanosec -v --verbose --no-check-certificate --relaxed-interpolations": FLAG,
}
ADDRESS = False
OPENS = r"Time taken for tests\s+\d+\.\d+ seconds\s*$|Concurrency \d{1,9}\s*$"

_TIME = r"(\d{1,18})(ms|ns)"
_NAMES = {
    "Total requests": "complete_requests",
    "Successful requests": "successful_requests",
    "Failed requests": "failed_requests",
    "Median time per request": "median_ms",
    "Average time per request": "average_ms",
    "Sample standard deviation": "stdev_ms",
}
_read_figures = compile_lines(
    {},
    r"Concurrency <asked_concurrency:N>",
    r"Iterations <asked_iterations:N>",
    r"Rampup <asked_rampup:N>",
    r"Base URL <url:W>",
    r"Time taken for tests\s+<time_taken_s:F> seconds",
    r"Requests per second\s+<requests_per_second:F> \[#/sec\]",
)
_FIGURE = re.compile(
    rf"(?:(\S.*?)(?<=\S)\s++)??({'|'.join(_NAMES)}|(\d+(?:\.\d+)?)'th percentile)\s+(?:(\d{{1,18}})|{_TIME})"
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    return report if report and report.values.keys() & {"requests_per_second", "average_ms"} else None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"Time taken for tests\s|Requests per second\s|(?:Concurrency|Iterations|Rampup|Base URL) \S+$|{_FIGURE.pattern}$"
    ),
    noise=re.compile(r"(?:Iterations|Rampup) \d+$"),
    over=lambda values, line: line.startswith("Concurrency ") and "time_taken_s" in values,
    whole=6,
)


def _read_line(line: str) -> dict[str, Any] | None:
    if not (match := _FIGURE.fullmatch(line)):
        return _read_figures(line)
    step, label, percent, count, time, unit = match.groups()
    figure = int(count) if count else round(int(time) / 1e6, 6) if unit == "ns" else int(time)
    own = {"percentiles_ms": {f"{float(percent):g}": figure}} if percent else {_NAMES[label]: figure}
    return {"steps": {f"{step} {label}": figure}} if step else own


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    percentiles = ({"50": get("median_ms")} if "median_ms" in values else {}) | get("percentiles_ms", {})
    return [make_result(KIND, values, concurrency=get("asked_concurrency"), percentiles_ms=percentiles)]
