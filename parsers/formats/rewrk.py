"""rewrk: the result of a load, with its table of percentiles (--pct).

Reads     from "Beginning round 1..." or "Benchmarking N connections @ URL" to the errors or the table
Yields    one LoadResult
Units     times as printed in ns, us, ms or s, kept in ms; sizes with 1024, kept in bytes; requests/s
Quirks    a latency of the table is the mean of those beyond the percentile, not the percentile itself, so that it is no
          percentile of the record
Source    rewrk's README and src/results.rs, 0.1 to 0.3
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, UNITS_S, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines, size_bytes, time_ms

KIND = "rewrk"
PROGRAMS = ("rewrk", "rewrk.exe")
SEMANTICS = Semantics(
    failures_in_requests=False,
    address_from_command=True,
    printed_as={
        "concurrency": "connections",
        "mean_ms": "latency_ms.avg",
        **{f"{name}_ms": f"latency_ms.{name}" for name in ("min", "max")},
    },
)
OPTIONS = {
    "-c --connections": Option("concurrency"),
    "-d --duration": Option("duration_s"),
    "-t --threads": Option("threads"),
    "-h --host": Option("url"),
    "-m --method": Option("method"),
    "-H --header": Option("header"),
    "-b --body": Option("body"),
    "--http2": Option("protocol", takes_value=False, means="http2"),
    "-r --rounds": Option(),
    "--pct --json": FLAG,
}
DEFAULTS = {"concurrency": 1, "threads": 1}
PRINTS = {"duration_s": "duration_s"}
OPENS = r"Beginning round \d+\.\.\.|Benchmarking \d+ connections? @ \w+://\S+ for "

_FOR = r"\d{1,9} (?:day|hour|minute|second)(?:s|\(s\))?"
_PART = re.compile(r"(\d+) ([dhms])")


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(
        lines, _REPORT, lambda line: None if lines.unended() and line[-1:].isalnum() else _read_line(line)
    )
    return report if report and report.values.keys() & {"requests_per_second", "latency_ms"} else None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(r"Benchmarking \d|\d+(?:\.\d+)?(?:s|ms|[uµ]s|ns)\s|Total:\s|\|\s+\d|\d+ Errors: "),
    noise=re.compile(
        r"Beginning round \d|(?:Latencies|Requests|Transfer):$|Avg\s+Stdev\s+Min\s+Max$|\+ -+ \+|\|\s+Percentile\s+\|"
    ),
    over=lambda values, line: line.startswith(("Beginning ", "Benchmarking ")) and "url" in values,
    whole=6,
)


_read_line = compile_lines(
    {
        "B": (r"\d+(?:\.\d+)?\s?[KMGT]?", size_bytes),
        "L": (
            rf"{_FOR}(?:, {_FOR}){{0,3}}",
            lambda text: sum(int(n) * UNITS_S[unit] for n, unit in _PART.findall(text)),
        ),
        "T": (r"\d+(?:\.\d+)?(?:s|ms|[uµ]s|ns)", time_ms),
    },
    r"Benchmarking <connections:N> connections? @ <url:W> for <duration_s:L>",
    r"<latency_ms.avg:T>\s+<latency_ms.stdev:T>\s+<latency_ms.min:T>\s+<latency_ms.max:T>",
    r"Total:\s+<complete_requests:N>\s+Req/Sec:\s+<requests_per_second:F>",
    r"Total:\s+<transferred_bytes:B>B\s+Transfer Rate:\s+<transfer_bytes_per_s:B>B/Sec",
    r"\|\s+<@:P>%\s+\|\s+<mean_beyond_ms.*:T>\s+\|",
    r"<errors.*:N> Errors: <@:X>",
)


def records(values: dict[str, Any]) -> list[Record]:
    # Printed only where there were any.
    failed = sum(values.get("errors", {}).values()) if "complete_requests" in values else None
    return [make_result(KIND, values, failed_requests=failed)]
