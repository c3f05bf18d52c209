"""fortio: the summary of `fortio load`, of HTTP, gRPC or TCP calls.

Reads     from "Fortio 1.60.3 running at", or the first line of a quoted part, to "All done"
Yields    one LoadResult
Units     times s, kept in ms; the last line's mean in ms; calls/s
Quirks    8 calls/s are asked for where no -qps is given, and 0 is as many as possible; clients keep to the rate by sleeping, and
          their times have a histogram of their own. Each call counts in the rate and the times, whatever came back: code -1 is a
          broken connection. Lines of the histogram and of each thread are passed over; JSON is not read
Source    fortio's periodic/periodic.go, stats/stats.go and fhttp/httprunner.go, 0.6 to 1.60
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import GO_DURATION, compile_lines, go_duration_ms

KIND = "fortio"
PROGRAMS = ("fortio",)
SEMANTICS = Semantics(
    failures_in_requests=True,
    failures_in_rate=True,
    non_2xx=("status_codes",),
    address_from_command=True,
    rate_step=0.1,
    printed_as={
        "complete_requests": "calls",
        "requests_per_second": "rounded_qps",
        "duration_s": "duration_s",
        **{f"{name}_ms": f"call_ms.{name}" for name in ("mean", "min", "max")},
    },
)
VERBS = ("load",)
OPTIONS = {
    "-c": Option("concurrency"),
    "-n": Option("requests"),
    "-t": Option("duration_s"),
    "-qps": Option("rate"),
    "-timeout": Option("timeout_s"),
    "-H": Option("header"),
    "-X": Option("method"),
    "-payload": Option("body"),
    "-payload-file": Option("body_file"),
    "-content-type": Option("content_type"),
    "-user": Option(secret=True),
    "-keepalive": Option("keepalive", takes_value=False),
    "-p -r -httpbufferkb -labels -payload-size -json -data-dir -loglevel -s -gomaxprocs -log-errors -abort-on": Option(),
    "-runid -offset -cacert -cert -key -resolve -connection-reuse -profile -health-name -grpc-max-streams -ping-delay": Option(),
    "-k -a -L -quiet -grpc -ping -health -http1.0 -h2 -stdclient -allow-initial-errors -uniform -jitter -nocatchup": FLAG,
    "-sequential-warmup -compression -halfclose -insecure -https-insecure": FLAG,
}
DEFAULTS = {"concurrency": 4}
PRINTS = {"concurrency": "threads", "rate": "asked_requests_per_second", "duration_s": "asked_s"}
OPENS = (
    r"Fortio \S{1,40} running at \d|Starting at (?:max|[\d.]{1,15}) qps with \d+ thread|Ended after \S{1,30} : \d+ calls\. qps="
    r"|(?:Aggregated Function Time|Sleep times) : count \d|# target \d{1,2}(?:\.\d{1,4})?% -?\d"
    r"|Sockets used: \d+ \(for perfect|Code +-?\d{1,3} : \d+ \(|All done \d+ calls \("
)
_NUMBER = r"-?\d{1,18}(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?"
# Of times asleep, and of calls that failed: their percentiles are not those of the calls.
_OTHER_TIMES = re.compile(r"(?:Aggregated Sleep Time|Error cases|Connection time.{0,20}|Sleep times?) : count \d")
_COUNTED = r"count <:N> avg <:E> \+/- <:E> min <:E> max <:E> sum <:E>"
_read_line = compile_lines(
    {
        "C": (r"-?\d{1,3}", str),
        "E": (_NUMBER, float),
        "M": (_NUMBER, lambda text: round(1000 * float(text), 6)),
        "P": (r"\d{1,2}(?:\.\d{1,4})?", str),
        "S": (GO_DURATION, lambda text: round(go_duration_ms(text) / 1000, 9)),
    },
    r"Starting at (?:max|<asked_requests_per_second:E>) qps with <threads:N> thread\(s\) \[gomax \d+\]"
    r"(?: for <asked_s:S>)?(?: : .*[)].*)?",
    r"Ended after <duration_s:S> : <ended_calls:N> calls\. qps=<qps:E>",
    r"Aggregated Function Time : count <call_ms.count:N> avg <call_ms.mean:M> \+/- <call_ms.stdev:M>"
    r" min <call_ms.min:M> max <call_ms.max:M> sum <:E>",
    r"Sockets used: <sockets:N>(?: \(for perfect.*)?",
    r"Code +<@:C> : <status_codes.*:N> \([\d.]+ ?%\)",
    rf"(?:Response Header Sizes|Aggregated Sleep Time|Error cases|Connection time.*|Sleep times?) : {_COUNTED}",
    rf"Response Body/Total Sizes : {_COUNTED.replace('avg <', 'avg <response_bytes')}",
    r"# target <@:P>% <percentiles_ms.*:M>",
    r"All done <calls:N> calls \((?:plus \d+ warmup)?.{0,60}?\) <mean_ms:E> ms avg, <rounded_qps:E> qps",
)
_CALLS = re.compile(r"Aggregated Function Time : count \d")


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _Reader().read)
    return report if report and report.values.keys() & {"qps", "rounded_qps", "call_ms", "percentiles_ms"} else None


class _Reader:
    """Reads line by line; `is_other` while a histogram of other times than those of the calls goes on."""

    def __init__(self) -> None:
        self.is_other = False

    def read(self, line: str) -> dict[str, Any] | None:
        if _OTHER_TIMES.match(line):
            self.is_other = True
        elif _CALLS.match(line) or not line.startswith("#"):
            self.is_other = False
        elif self.is_other:
            return {}
        return _read_line(line)


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"Starting at |Ended after \S+ : |Aggregated Function Time : |Sockets used: |Code +-?\d+ : |# target \d"
        rf"|Response \S+ Sizes : |All done \d|{_OTHER_TIMES.pattern}"
    ),
    noise=re.compile(r"# range, mid point|>=? -?\d|Jitter: |Uniform: |WARNING [\d.]+% of sleep|\S+:\d+: \d+$"),
    free=re.compile(
        r"Fortio \S+ running at |\d\d:\d\d:\d\d|Saved \d+ bytes of Json|Successfully wrote |IP addresses distribution"
    ),
    over=lambda values, line: "mean_ms" in values or line.startswith("Fortio "),
    whole=5,
    last="mean_ms",
)


def records(values: dict[str, Any]) -> list[Record]:
    codes = values.get("status_codes")
    times = values.get("call_ms", {})
    calls = (values.get("calls"), values.get("ended_calls"), times.get("count"))
    return [
        make_result(
            KIND,
            values,
            requests_per_second=values.get("qps", values.get("rounded_qps")),
            complete_requests=next((n for n in calls if n is not None), None),
            mean_ms=times.get("mean", values.get("mean_ms")),
            failed_requests=None if codes is None else codes.get("-1", 0),
        )
    ]
