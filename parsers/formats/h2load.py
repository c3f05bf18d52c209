"""h2load: nghttp2's load tool, from "starting benchmark..." to its table of times.

Reads     the whole report or what is left of it: the "finished in" line, the counts, the table
Yields    one LoadResult
Units     times as printed in us, ms, s, m or h, kept in ms (time taken in s); sizes with 1024, kept in bytes
Quirks    the clients are told by thread; "requests" are counted five ways, and "failed" are more than
          "done" where connections broke; "succeeded" are 2xx and 3xx; a mean of requests/s
          per client stands in the table
Source    nghttp2's src/h2load.cc and util.cc, 1.x
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines, size_bytes, time_s, to_ms

KIND = "h2load"
PROGRAMS = ("h2load", "h2load-http3")
SEMANTICS = Semantics(
    failures_hold_statuses=True,
    failure_kinds={"errored": "requests_errored", "timeout": "requests_timeout"},
    non_2xx=("status_3xx", "status_4xx", "status_5xx"),
    received_bytes="traffic_data_bytes",
    printed_as={
        "concurrency": "clients_of_threads",
        "duration_s": "time_taken_s",
        **{f"{name}_ms": f"request_ms.{name}" for name in ("mean", "min", "max")},
        "complete_requests": "requests_done",
        "failed_requests": "requests_failed",
        "non_2xx_responses": "status_4xx",
    },
)
OPTIONS = {
    "-n --requests": Option("requests"),
    "-c --clients": Option("concurrency"),
    "-t --threads": Option("threads"),
    "-m --max-concurrent-streams": Option("pipelining"),
    "-D --duration": Option("duration_s"),
    "-H --header": Option("header"),
    "-i --input-file": Option("url_file"),
    "-d --data": Option("body"),
    "-p --no-tls-proto": Option("protocol"),
    "-r --rate": Option("connection_rate"),
    "--h1": Option("protocol", takes_value=False, means="HTTP/1.1"),
    "-B --base-uri -N -T -w -W": Option(),
    "-v --verbose": FLAG,
}
INLINE = r"finished in [^,\s]{1,20},? (\d[\d.]{0,30}) req/s"
OPENS = (
    r"starting benchmark\.\.\.|spawning thread #\d+:|finished in \d[\d.]*+\w*,? \d[\d.]* req/s"
    r"|requests: \d+ total, \d+ started|time for request:\s+\d|request\s*:(?:\s+\d[\d.]*[mun]?s){7}\s"
)

_COUNTED = "total|started|done|succeeded|failed|errored|timeout|[2-5]xx"
_COUNTS = re.compile(rf"(requests|status codes): ((?:\d{{1,18}} (?:{_COUNTED})(?:, |$)){{1,7}})")
_TABLE = {
    "time for request": "request_ms",
    "time for connect": "connect_ms",
    "time to 1st byte": "first_byte_ms",
    "req/s": "client_rps",
    "req/s (client)": "client_rps",
    "request": "request_ms",
    "connect": "connect_ms",
    "TTFB": "first_byte_ms",
}
_COLUMNS = {4: ("min", "max", "mean", "sd"), 7: ("min", "max", "median", "p95", "p99", "mean", "sd")}
_ROW = re.compile(
    rf"({'|'.join(map(re.escape, _TABLE))})\s*:((?:\s+[\d.]+(?:us|ms|s|m|h)?){{4,7}})\s+([\d.]+)%",
)
_PERCENTILES = {"50": "median", "95": "p95", "99": "p99"}
_CELL = re.compile(r"([\d.]+)(us|ms|s|m|h)?")
_PROTOCOLS = {"h2": "HTTP/2", "h2c": "HTTP/2", "h3": "HTTP/3"}
_read_figures = compile_lines(
    {
        "A": (r"\S{2,10}", lambda text: _PROTOCOLS.get(text, text.upper())),
        "B": (r"[\d.]+[KMGT]?", size_bytes),
        "F": (r"[\d.]+", float),
        "S": (r"[\d.]+(?:us|ms|s|m|h)", lambda text: round(time_s(text), 9)),
        "T": (r"[\d.]+[KMGT]?B \(\d{1,18}\)|\d{1,18} bytes", lambda text: int(re.findall(r"\d+", text)[-1])),
    },
    r"finished in <time_taken_s:S>,? <requests_per_second:F> req/s(?:, <transfer_bytes_per_s:B>B/s)?",
    r"spawning thread #<@:N>: <clients_of_threads.*:N> total client\(s\)\."
    r"(?: Timing-based test with [\d.]+s of warm-up time and <measured_s.*:F>s of main duration.*|.*)",
    r"Application protocol: <application_protocol:A>",
    r"traffic: <traffic_total_bytes:T> total, <traffic_headers_bytes:T> headers(?: \(space savings [-\d.]+%\))?,"
    r" <traffic_data_bytes:T> data",
)
_NOISE = re.compile(
    r"starting benchmark|spawning thread|progress: \d+%|Warm-up|Main benchmark duration|TLS Protocol:|Cipher:"
    r"|Server Temp Key:|No protocol negotiated|min\s+max\s+(?:mean|median)|(?:\+/- )?sd$|UDP datagram:"
    r"|Stopped all clients|Process Request Failure|(?:min|smoothed) RTT\s*:|packets (?:sent|recv|lost)\s*:|GRO packets\s*:"
)
_LABELS = (
    "Application protocol: ",
    "spawning thread #",
    "finished in ",
    "requests: ",
    "status codes: ",
    "traffic: ",
    *_TABLE,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    return report if report and report.values.keys() & {"requests_per_second", "requests_total", "request_ms"} else None


def _read_line(line: str) -> dict[str, Any] | None:
    """What one line of figures tells, or None."""
    if (read := _read_figures(line)) is not None:
        return read
    try:
        if match := _COUNTS.fullmatch(line):
            of = match[1].partition(" ")[0].replace("requests", "requests_").replace("status", "status_")
            return {f"{of}{name}": int(n) for n, name in map(str.split, match[2].split(", "))}
        return _read_row(match) if (match := _ROW.fullmatch(line)) else None
    except ValueError:  # "1.2.3"
        return None


_REPORT = Report(
    tool=KIND,
    meant=re.compile("|".join(map(re.escape, _LABELS))),
    noise=_NOISE,
    over=lambda values, line: "request_ms" in values and not line.startswith(_LABELS),
    whole=15,
)


def _read_row(match: re.Match[str]) -> dict[str, Any] | None:
    cells = [to_ms(cell[1], cell[2]) if cell[2] else float(cell[1]) for cell in _CELL.finditer(match[2])]
    names = _COLUMNS.get(len(cells))
    row = dict(zip(names, cells, strict=True)) | {"within_sd_pct": float(match[3])} if names else None
    return {_TABLE[match[1]]: row} if row else None


def records(values: dict[str, Any]) -> list[Record]:
    times, clients = values.get("request_ms", {}), values.get("clients_of_threads", {})
    all_stated = list(clients) == [str(n) for n in range(len(clients))]  # of those left out the clients are not known
    concurrency = sum(clients.values()) if clients and all_stated else None
    percentiles = {percent: times[name] for percent, name in _PERCENTILES.items() if name in times}
    figures: dict[str, Any] = {"concurrency": concurrency, "percentiles_ms": percentiles}
    if measured := values.get(
        "measured_s"
    ):  # "finished in" has the warm-up, too, which the counts and the rate leave out
        figures["duration_s"] = max(measured.values())
    if values.keys() >= {"requests_done", "requests_succeeded", "requests_failed"}:
        ended = values["requests_succeeded"] + values["requests_failed"]  # with those that were never sent
        figures["complete_requests"] = max(values["requests_done"], ended)
    return [make_result(KIND, values, **figures)]
