"""go-wrk: the results of a load, in lines like wrk's.

Reads     from "Running 10s test @ URL" or "80 goroutine(s) running concurrently" to the errors or the percentiles
Yields    one LoadResult
Units     times as Go prints them, kept in ms; sizes with 1024, kept in bytes; requests/s
Quirks    what it calls 50% is the 0.5 % percentile: it asks its histogram for .50 of 100 per cent. No record has these; a reply
          whose status is neither 2xx nor a redirect is an error, and no request of the count
Source    go-wrk.go and loader.go of tsliwowicz/go-wrk, 0.1 to 0.10
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import GO_DURATION, compile_lines, go_duration_ms, size_bytes

KIND = "go_wrk"
PROGRAMS = ("go-wrk", "wrknet")
SEMANTICS = Semantics(
    failures_in_requests=False,
    failures_hold_statuses=True,
    address_from_command=True,
    received_bytes="transferred_bytes",
    printed_as={
        "concurrency": "goroutines",
        "failed_requests": "errors",
        "duration_s": "time_taken_s",
        **{f"{name}_ms": f"latency_ms.{name}" for name in ("mean", "min", "max")},
    },
)
OPTIONS = {
    "-c": Option("concurrency"),
    "-d": Option("duration_s"),
    "-T": Option("timeout_s", unit="ms"),
    "-M": Option("method"),
    "-H": Option("header"),
    "-host": Option("host_header"),
    "-body": Option("body"),
    "-f": Option("url_file"),
    "-cpus": Option("threads"),
    "-no-ka": Option("keepalive", takes_value=False, means=False),
    "-cert -key -ca": Option(),
    "-no-c -no-vr -redir -http -v -help": FLAG,
}
DEFAULTS = {"concurrency": 10, "duration_s": 10}
PRINTS = {"duration_s": "duration_s"}
OPENS = r"Running \d+s test @ \S|\d+ (?:goroutine|task)\(s\) running concurrently\s*$"

_RUNNING = re.compile(r"\d+ (?:goroutine|task)\(s\) running concurrently")
_read_line = compile_lines(
    {
        "B": (r"\d+(?:\.\d+)?[KMGTP]?", size_bytes),
        "S": (GO_DURATION, lambda text: round(go_duration_ms(text) / 1000, 9)),
        "T": (GO_DURATION, go_duration_ms),
    },
    r"Running <duration_s:N>s test @ <url:W>",
    r"<goroutines:N> (?:goroutine|task)\(s\) running concurrently",
    r"<complete_requests:N> requests in <time_taken_s:S>, <transferred_bytes:B>B read",
    r"Requests/sec:\s+<requests_per_second:F>",
    r"Transfer/sec:\s+<transfer_bytes_per_s:B>B",
    r"Overall Requests/sec:\s+<overall_requests_per_second:F>",
    r"Overall Transfer/sec:\s+<overall_transfer_bytes_per_s:B>B",
    r"Fastest Request:\s+<latency_ms.min:T>",
    r"Avg Req Time:\s+<latency_ms.mean:T>",
    r"Slowest Request:\s+<latency_ms.max:T>",
    r"(?:stddev|Std Req Time):\s+<latency_ms.stdev:T>",
    r"Number of Errors:\s+<errors:N>",
    r"<@:P>%:\s+<at_a_hundredth_ms.*:T>",
)
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"Running \d+s test|\d+ \w+\(s\) running|\d+ requests in \d|(?:Overall )?(?:Requests|Transfer)/sec:"
        r"|(?:Fastest|Slowest) Request:|(?:Avg|Std) Req Time:|Number of Errors:|stddev:|\d+(?:\.\d+)?%:\s"
    ),
    noise=re.compile(r"Error Counts:"),
    over=lambda values, line: (
        bool(_RUNNING.fullmatch(line) and "goroutines" in values) or (line.startswith("Running ") and bool(values))
    ),
    whole=7,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    ours = "go-wrk " in (command or "")
    if not ours and not any(_RUNNING.fullmatch(line.strip()) for line in lines.ahead(3)):
        return None  # wrk's first line is the same
    return take_report(lines, _REPORT, _read_line)


def records(values: dict[str, Any]) -> list[Record]:
    return [make_result(KIND, values, failed_requests=values.get("errors"))]
