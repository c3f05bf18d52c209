"""wrk: the report of wrk and of wrk2.

Reads     from "Running 4s test @ URL" (or what is left of it) to "Transfer/sec"; what a script's done() prints stays unread
Yields    one LoadResult
Units     times as printed in us, ms, s, m or h, kept in ms (duration in s); sizes with 1024, kept in bytes; rates with 1000
Quirks    errors and other statuses than 2xx and 3xx are printed only where there were some; wrk2 adds its calibration and,
          with --latency, a long spectrum, and with --u_latency both once more, without the time that requests waited to
          be sent; "Req/Sec" is per thread. A server that closes each connection behind its answer without saying so gives
          a read error for each answer: those are no failed requests, and kept as connections_closed. The spectrum is in
          ms, with twice as many rows each time that what is left halves
Source    wrk.c, stats.c and units.c of wrk 3 to 4.2 and wrk2
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..records import Found, Record, Semantics, Values
from ..report import Report, make_result, take_report
from ..units import Kind, compile_lines, size_bytes, time_ms, time_s, ungrouped

KIND = "wrk"
PROGRAMS = ("wrk", "wrk2")
SEMANTICS = Semantics(
    http_version="1.1",
    failures_in_requests=False,  # but for late answers
    connects_once=True,
    failure_kinds={kind: f"socket_errors.{kind}" for kind in ("connect", "read", "write", "timeout")},
    late_answers="socket_errors.timeout",
    late_after_s=2.0,
    absent_non_2xx_is_zero=True,
    received_bytes="total_transferred_bytes",
    printed_as={
        "failed_requests": "socket_errors",
        "duration_s": "time_taken_s",
        "mean_ms": "latency_mean_ms",
        "max_ms": "latency_max_ms",
    },
    citations={
        "errors.late": "wrk.c, response_complete(): an answer behind the timeout is counted, and its time is not recorded",
    },
)
OPTIONS = {
    "-c --connections": Option("concurrency"),
    "-d --duration": Option("duration_s"),
    "-t --threads": Option("threads"),
    "-R --rate": Option("rate"),
    "-H --header": Option("header"),
    "--timeout": Option("timeout_s"),
    "-s --script": Option("script"),
    "-L --latency -U --u_latency -v --version": FLAG,
}
PRINTS = {"threads": "threads", "duration_s": "duration_s"}
OPENS = (
    r"Running \d+(?:\.\d+)?[smh] test @ \S|\d+ threads? and \d+ connections?\s*$|Thread Stats\s+Avg\s+Stdev\s+Max"
    r"|\d[\d,]* requests in \d+\.\d\d(?!\d)[a-z]+, \S+ read|Requests/sec:\s+\d[\d.,]*\s*$|Transfer/sec:\s+\d[\d.]*[KMGT]?B\s*$"
    r"|Detailed Percentile spectrum:\s*$"
)

_NEARLY = 0.02  # of the answers: a connection may be closed before its first one, or behind the last that was counted
_TIME = r"-?\d[\d.]*(?:us|ms|s|m|h)"
_COUNT = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def _parse_rate(text: str) -> float:
    unit = text.lstrip("-.0123456789")
    return round(float(text.removesuffix(unit)) * _COUNT[unit], 6)


_KINDS: dict[str, Kind] = {
    "B": (r"\d[\d.]*[KMGT]?", size_bytes),
    "R": (r"-?\d[\d.]*[kMG]?", _parse_rate),
    "S": (_TIME, time_s),
    "T": (_TIME, time_ms),
}
_read_figures = compile_lines(
    _KINDS | {"D": (r"\d+(?:\.\d\d)?(?![.\d])", float)},  # somebody may have rounded it
    r"Running <duration_s:S> test @ <url:W>.*",
    r"<threads:N> threads? and <connections:N> connections?.*",
    r"Latency\s+<latency_mean_ms:T>\s+<latency_sd_ms:T>\s+<latency_max_ms:T>\s+<latency_within_sd_pct:F>%.*",
    r"Req/Sec\s+<thread_rps_mean:R>\s+<thread_rps_sd:R>\s+<thread_rps_max:R>\s+<thread_rps_within_sd_pct:F>%.*",
    # The deviation of a single sample is no number.
    r"Latency\s+(?!0\.00)<latency_mean_ms:T>\s+-?nan(?:us)?\s+<latency_max_ms:T>\s.*",
    r"Req/Sec\s+(?!0\.00)<thread_rps_mean:R>\s+-?nan\s+<thread_rps_max:R>\s.*",
    r"<complete_requests:N> requests in <time_taken_s:S>, <total_transferred_bytes:B>B read.*",
    r"Socket errors: connect <socket_errors.connect:N>, read <socket_errors.read:N>, write <socket_errors.write:N>,"
    r" timeout <socket_errors.timeout:N>.*",
    r"Non-2xx or 3xx responses: <non_2xx_responses:N>.*",
    r"Requests/sec:\s+<requests_per_second:D>.*",
    r"Transfer/sec:\s+<transfer_bytes_per_s:B>B.*",
)
_read_percent = compile_lines(_KINDS, r"<@:P>%\s+<*:T>")  # wrk2 writes 50.000%
_SPECTRUM = re.compile(r"(\d+\.\d{3})\s+([01]\.\d{6,12})\s+\d+\s+(\d+\.\d\d|inf)")
_SHOWN_FROM = 50  # per cent; of the spectrum, rows below are no percentiles of interest
_UNCORRECTED = "uncorrected_percentiles_ms"  # without the time that requests waited to be sent
_GLUED = ("Requests/sec: ", "Transfer/sec: ")
# wrk2's calibration, what stands around its spectrum, and the headings of the tables.
_NOISE = re.compile(
    r"Thread Stats\s+Avg|Latency Distribution|Thread calibration:|Detailed Percentile spectrum:|Value\s+Percentile\s+TotalCount"
    r"|(?:Latency|Req/Sec)\s+(?:0\.00|-?nan)(?:us)?\s.*(?<=[\s-])nan(?:%|us|\s)"  # no request was answered
    r"|Initialised \d+ threads|#\[(?:Mean|Max|Buckets)\b|-+$|[a-z ]*\baccount\)\)$"
)
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"Running |Latency\s|Req/Sec|Requests/sec|Transfer/sec|Socket errors|Non-2xx|\d+ threads? and"
        rf"|\d[\d,]* requests in|\d+(?:\.\d+)?%\s+{_TIME}|{_SPECTRUM.pattern}$|.*(?:{'|'.join(_GLUED)})"
    ),
    noise=_NOISE,
    over=lambda values, line: "requests_per_second" in values and _NOISE.match(line) is not None,
    last="transfer_bytes_per_s",
    whole=10,
    broken=0,  # what stands behind a line that is none would be read with it
)


def parse(lines: Lines, command: str | None) -> Found | None:
    values = Values(lines)
    report = take_report(lines, _REPORT, _Reader(lines, values).read, values)
    if not values.keys() & {"requests_per_second", "complete_requests", "latency_mean_ms", "url", "spectrum_ms"}:
        return None
    if not values.get(_UNCORRECTED, True):
        del values[_UNCORRECTED]
    _tell_closed_connections(values)
    return report


class _Reader:
    """What a line tells; percentiles and rows of the spectrum are of the table whose heading stands above."""

    def __init__(self, lines: Lines, values: Values) -> None:
        self.lines, self.values = lines, values

    def read(self, line: str) -> dict[str, Any] | None:
        if line.startswith("Latency Distribution (HdrHistogram - Uncorr"):
            return {_UNCORRECTED: {}}
        if line.endswith("m") and self.lines.unended():
            return None  # "8.81m" may be the beginning of 8.81ms
        if "," in line and not line.startswith("Running "):
            line = ungrouped(line)
        if (read := _read_figures(line)) is not None:
            return read
        if match := _SPECTRUM.fullmatch(line):
            is_shown = float(match[2]) < 1 or match[3] == "inf"  # only the last row is the longest request
            return self._name_row("spectrum_ms", f"{float(match[2]) * 100:.10g}", float(match[1])) if is_shown else {}
        if read := _read_percent(line):
            return self._name_row("percentiles_ms", *next(iter(read.items())))
        glued = max(map(line.find, _GLUED))  # what the server printed at the same time stands before it
        return self.read(line[glued:]) if glued > 0 else None

    def _name_row(self, table: str, percent: str, ms: float) -> dict[str, Any]:
        """A row of a table: of several that are printed as one per cent, the first."""
        table = f"uncorrected_{table}" if _UNCORRECTED in self.values else table
        return {} if percent in self.values.get(table, {}) else {table: {percent: ms}}


def _tell_closed_connections(values: dict[str, Any]) -> None:
    """Take read errors out of the failures where there is one for each answer, and one more at most for each connection."""
    errors, made = values.get("socket_errors"), values.get("complete_requests", 0)
    most = made * (1 + _NEARLY) + values.get("connections", 0) + (errors["timeout"] if errors else 0)
    if errors and made and made * (1 - _NEARLY) <= errors["read"] <= most:
        values["connections_closed"] = errors["read"]
        values["socket_errors"] = errors | {"read": 0}


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c and address are those of the report."""
    same_url = not command.url or values.get("url", command.url) == command.url
    return same_url and command.agrees(values, {"concurrency": "connections"})


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    spectrum = {name: ms for name, ms in get("spectrum_ms", {}).items() if float(name) >= _SHOWN_FROM}
    errors = get("socket_errors")
    whole = "complete_requests" in values and "latency_mean_ms" in values
    result = make_result(
        KIND,
        values,
        # Printed only where there were any, so that a whole report without them says none.
        failed_requests=sum(errors.values()) if errors else 0 if whole else None,
        concurrency=get("connections"),
        percentiles_ms=spectrum | get("percentiles_ms", {}),
    )
    return [result]
