"""http_load: the statistics at the end of its run.

Reads     from "2201 fetches, 80 max parallel, ..." to the last of the response codes
Yields    one LoadResult
Units     times in ms, sizes in bytes, six digits of each figure ("1.33667e+07")
Quirks    times are of the connection and of the first byte of the answer, none of a whole request; fetches that timed out are
          among the fetches, and in the rate; a byte count is bad where it is another than the first one of its address
Source    http_load.c, finish(), 12mar2006
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines

KIND = "http_load"
PROGRAMS = ("http_load",)
SEMANTICS = Semantics(
    failures_in_rate=True,
    one_thread=True,
    failure_kinds={"timeout": "timeouts"},
    printed_as={"complete_requests": "fetches", "failed_requests": "timeouts", "duration_s": "time_taken_s"},
)
OPTIONS = {
    "-p -parallel": Option("concurrency"),
    "-f -fetches": Option("requests"),
    "-s -seconds": Option("duration_s"),
    "-r -rate": Option("rate"),
    "-timeout": Option("timeout_s"),
    "-proxy": Option("proxy"),
    "-cipher": Option("cipher"),
    "-sip -throttle": Option(),
    "-checksum -jitter -verbose -v": FLAG,
}
OPENS = r"\d+ fetches, \d+ max parallel, \d|\d[\d.e+]* fetches/sec, \d|msecs/(?:connect|first-response): \d"
NEEDS = ("fetches", "msecs/")

_read_line = compile_lines(
    {"F": (r"\d[\d.]{0,30}(?:e[+-]\d\d)?", float)},
    "<fetches:N> fetches, <max_parallel:N> max parallel, <received_bytes:F> bytes, in <time_taken_s:F> seconds",
    "<mean_bytes_per_connection:F> mean bytes/connection",
    "<requests_per_second:F> fetches/sec, <bytes_per_second:F> bytes/sec",
    "msecs/connect: <connect_ms.mean:F> mean, <connect_ms.max:F> max, <connect_ms.min:F> min",
    "msecs/first-response: <first_response_ms.mean:F> mean, <first_response_ms.max:F> max, <first_response_ms.min:F> min",
    "<timeouts:N> timeouts",
    "<bad_checksums:N> bad checksums",
    "<bad_byte_counts:N> bad byte counts",
    "code <@:C> -- <status_codes.*:N>",
)
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"\d\S* (?:fetches|mean bytes|timeouts$|bad (?:checksums|byte counts)$)|msecs/(?:connect|first-response):|code \d"
    ),
    noise=re.compile(r"HTTP response codes:$"),
    over=lambda values, line: " max parallel, " in line and bool(values),
    whole=7,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    if report is not None and report.values.keys() >= {"fetches", "status_codes"}:
        report.values.setdefault("timeouts", 0)  # which stand above the codes, where there were any
    return report


def records(values: dict[str, Any]) -> list[Record]:
    return [make_result(KIND, values)]
