"""bombardier: the statistics that it prints at the end, as text or JSON (-o json).

Reads     from "Bombarding URL ..." (or what is left of it) to "Throughput:"; one object of JSON
Yields    one LoadResult
Units     times as printed in us, ms, s, m or h (JSON: us), kept in ms; sizes with 1024, kept in bytes; requests/s
Quirks    "Reqs/sec" is the mean of what was counted every few hundredths of a second, so that it is not quite the requests
          over the time; "others" had no answer, and are in the rate and in the latencies; a rate (-r) is a limit to as many
          connections, not a plan of when requests begin
Source    bombardier's templates.go, format.go and bombardier.go, 1.0 to 1.2
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..multiline import figure, figures, find_text, take_object
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import GO_DURATION, compile_lines, go_duration_ms, size_bytes, time_ms

KIND = "bombardier"
PROGRAMS = ("bombardier", "bombardier-linux-amd64", "bombardier-darwin-amd64", "bombardier-windows-amd64.exe")
SEMANTICS = Semantics(
    http_version="1.1",
    failures_in_rate=True,
    sampled_rate=True,  # of every few hundredths of a second
    address_from_command=True,
    non_2xx=("status_1xx", "status_3xx", "status_4xx", "status_5xx"),
    received_bytes="bytes_read",
    printed_as={
        "non_2xx_responses": "status_2xx",
        "requests_per_second": "requests_per_s.avg",
        "failed_requests": "others",
        "concurrency": "connections",
        "mean_ms": "latency_ms.avg",
        "max_ms": "latency_ms.max",
    },
)
OPTIONS = {
    "-c --connections": Option("concurrency"),
    "-n --requests": Option("requests"),
    "-d --duration": Option("duration_s"),
    "-r --rate": Option("rate"),
    "-t --timeout": Option("timeout_s"),
    "-m --method": Option("method"),
    "-H --header": Option("header"),
    "-b --body -f --body-file": Option("body"),
    "-a --disableKeepAlives": Option("keepalive", takes_value=False, means=False),
    **{f"--{name}": Option("protocol", takes_value=False, means=name) for name in ("fasthttp", "http1", "http2")},
    "-o --format -p --print --cert --key": Option(),
    "-l --latencies -k --insecure -s --stream -q --no-print": FLAG,
}
PRINTS = {"duration_s": "duration_s", "requests": "requests", "rate": "asked_requests_per_second"}
_SIGN = r"(?:[^\w\s>|#]\S{0,20}?\s{0,9})?"  # an emoji or its code, which those who paste put before a line; no quoting
OPENS = (
    rf"Bombarding \w+://\S+ (?:for|with) |{_SIGN}Statistics\s+Avg\s+Stdev\s+Max\s*$|Reqs/sec(?:\s+\d[\d.]*){{1,3}}\s*$"
    r"|1xx - \d+, 2xx - \d+, 3xx - \d+,"
    r"|\{\s*\"spec\":\s*\{|\{\s*$"
)

_read_figures = compile_lines(
    {
        "B": (r"\d+\.\d\d[KMGTP]?", size_bytes),
        "S": (GO_DURATION, lambda text: go_duration_ms(text) / 1000),
        "T": (r"\d+\.\d\d(?:us|ms|s|m|h)", time_ms),
    },
    r"Bombarding <url:W> (?:for <duration_s:S>|with <requests:N> requests?(?:\(s\))?) using <connections:N> connections?(?:\(s\))?",
    # The mean alone, where it is quoted
    r"Reqs/sec\s+<requests_per_s.avg:F>(?:\s+<requests_per_s.stdev:F>)?(?:\s+<requests_per_s.max:F>)?",
    r"Latency\s+<latency_ms.avg:T>\s+<latency_ms.stdev:T>\s+<latency_ms.max:T>",
    r"<@:P>%\s+<percentiles_ms.*:T>",
    r"1xx - <status_1xx:N>, 2xx - <status_2xx:N>, 3xx - <status_3xx:N>, 4xx - <status_4xx:N>, 5xx - <status_5xx:N>",
    r"others - <others:N>",
    rf"{_SIGN}Throughput:\s+\**<throughput_bytes_per_s:B>B/s\**",
)
_ERROR = re.compile(r"(\S.*) - (\d+)")
_STATUSES = ("status_1xx", "status_2xx", "status_3xx", "status_4xx", "status_5xx")
_MOST_ERRORS = 60
_OF_GOOD = r"Latency Distribution \(2xx\)$"
JSON = re.compile(r'\{"spec":\{"numberOfConnections":\d')


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    report = take_report(lines, _REPORT, _Reader(lines).read)
    if report and "latency_ms" not in report.values and (whole := take_object(lines, JSON, _read_object)):
        whole.first = report.first  # the JSON stands below "Bombarding ..." and the progress
        return whole
    return report


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"Bombarding \S+ (?:for|with) |Reqs/sec\s|Latency\s+\d|\d+(?:\.\d+)?%\s+\d\S*$|1xx - |others -|Errors:$"
        rf"|{_SIGN}Throughput:\s|{_OF_GOOD}"
    ),
    noise=re.compile(
        rf"{_SIGN}Statistics\s+Avg\s|Latency Distribution(?: \(Total\))?$|HTTP codes:$"
        r"|There wasn't enough data to compute statistics"
        rf"|\d+ / \d+(?:\s+\[|$)|\[[=>_-]+\]?(?:\s|$)|(?:\d+\.\d\d%\s*)?(?:\d+/s\s*)?(?:{GO_DURATION}\s*)?(?:Done!)?$"
    ),
    last="throughput_bytes_per_s",
)


class _Reader:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.of_good = False  # whether the percentiles of answers with a status of 2xx have begun, behind those of all

    def read(self, line: str) -> dict[str, Any] | None:
        if line == "Errors:":
            return {"errors": _read_errors(self.lines)}
        if re.match(_OF_GOOD, line):
            self.of_good = True
            return {}
        if line.endswith("m") and self.lines.unended():
            return None  # "8.81m" may be the beginning of 8.81ms
        read = _read_figures(line)
        if self.of_good and read and "percentiles_ms" in read:
            return {"percentiles_2xx_ms": read["percentiles_ms"]}
        return read


def _read_errors(lines: Lines) -> dict[str, int]:
    """What stands below "Errors:": texts with how often each came, of which a mail client may have broken some."""
    errors: dict[str, int] = {}
    text = ""
    for _ in range(_MOST_ERRORS):
        ahead = lines.ahead(1)
        if not ahead or "Throughput:" in ahead[0]:
            break
        text = f"{text} {lines.take_next()}".strip()
        if (match := _ERROR.fullmatch(text)) and not lines.unended():
            errors[match[1]] = int(match[2])
            text = ""
    return errors


def _read_object(tree: dict[str, Any]) -> dict[str, Any]:
    spec, result = tree.get("spec", {}), tree.get("result", {})
    names = {"mean": "avg", "stddev": "stdev", "max": "max"}
    return {
        "format": "json",
        "url": find_text(spec, "url"),
        "method": find_text(spec, "method"),
        "connections": figure(spec, "numberOfConnections"),
        "duration_s": figure(spec, "testDurationSeconds"),
        "requests": figure(spec, "numberOfRequests"),
        "asked_requests_per_second": figure(spec, "rate"),
        "time_taken_s": figure(result, "timeTakenSeconds"),
        "bytes_read": figure(result, "bytesRead"),
        "bytes_written": figure(result, "bytesWritten"),
        **{name: figure(result, name.replace("status_", "req")) for name in _STATUSES},
        "others": figure(result, "others"),
        "errors": _count_errors(result.get("errors")),
        "latency_ms": {names[key]: us for key, us in figures(result, "latency", factor=0.001).items() if key in names},
        "percentiles_ms": figures(result, "latency", "percentiles", factor=0.001),
        "requests_per_s": {names[key]: rate for key, rate in figures(result, "rps").items() if key in names},
    }


def _count_errors(errors: Any) -> dict[str, int]:
    listed = errors if isinstance(errors, list) else []
    return {text: figure(one, "count") for one in listed if (text := find_text(one, "description"))}


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c and -n are those of the report."""
    return command.agrees(values, {"concurrency": "connections", "requests": "requests"})


def records(values: dict[str, Any]) -> list[Record]:
    counts = [values[name] for name in (*_STATUSES, "others") if name in values]
    complete = sum(counts) if len(counts) > len(_STATUSES) else None
    duration = values.get("time_taken_s", values.get("duration_s"))
    return [make_result(KIND, values, complete_requests=complete, duration_s=duration)]
