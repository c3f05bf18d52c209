"""plow: the summary of a load, as it stands when it ended.

Reads     from "Benchmarking URL ..." or the statistics to the histogram
Yields    one LoadResult
Units     times as Go prints them, kept in ms; rates requests/s; MB/s as printed
Quirks    the first RPS is the count over the time, those of the statistics are of each second; a status class is printed only
          where there was one
Source    plow's README and print.go, 1.0 to 1.3
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import GO_DURATION, compile_lines, go_duration_ms

KIND = "plow"
PROGRAMS = ("plow",)
SEMANTICS = Semantics(
    address_from_command=True,
    non_2xx=("status_1xx", "status_3xx", "status_4xx", "status_5xx"),
    printed_as={
        "non_2xx_responses": "status_4xx",
        "complete_requests": "count",
        "concurrency": "connections",
        "duration_s": "elapsed_s",
        **{f"{name}_ms": f"latency_ms.{name}" for name in ("mean", "min", "max")},
    },
)
OPTIONS = {
    "-c --concurrency": Option("concurrency"),
    "-n --requests": Option("requests"),
    "-d --duration": Option("duration_s"),
    "--rate": Option("rate"),
    "--timeout": Option("timeout_s"),
    "-m --method": Option("method"),
    "-H --header": Option("header"),
    "-b --body": Option("body"),
    "-T --content": Option("content_type"),
    "-i --interval --host --cert --key --listen --socks5 --dial-timeout --req-timeout --resp-timeout": Option(),
    "-k --insecure --seconds --stream --no-clean --json": FLAG,
}
DEFAULTS = {"concurrency": 1}
PRINTS = {"duration_s": "duration_s", "requests": "requests"}
OPENS = (
    r"Benchmarking \w+://\S+ [^@]{0,80}using \d+ connection|Elapsed\s+\d[\d.hmµun]*s\s*$"
    r"|Statistics\s+Min\s+Mean\s+StdDev\s+Max\s*$"
)

_read_figures = compile_lines(
    {
        "C": (r"[1-5]xx", str),
        "S": (GO_DURATION, lambda text: round(go_duration_ms(text) / 1000, 9)),
        "T": (GO_DURATION, go_duration_ms),
    },
    r"Elapsed\s+<elapsed_s:S>",
    r"Count\s+<count:N>",
    r"RPS\s+<requests_per_second:F>",
    r"Reads\s+<reads_mb_per_s:F>MB/s",
    r"Writes\s+<writes_mb_per_s:F>MB/s",
    r"Benchmarking <url:W>(?: with <requests:N> request\(s\))?(?: for <duration_s:S>)? using <connections:N> connection\(s\)\.?",
    r"<@:C>\s+<status_*:N>",
    r"Latency\s+<latency_ms.min:T>\s+<latency_ms.mean:T>\s+<latency_ms.stdev:T>\s+<latency_ms.max:T>",
    r"RPS\s+<requests_per_s.min:F>\s+<requests_per_s.mean:F>\s+<requests_per_s.stdev:F>\s+<requests_per_s.max:F>",
    r"<histogram_ms+:T>\s+<histogram_ms+:N>(?:\s+■+)?",
)
_PERCENTS = re.compile(r"P\d+(?:\.\d+)?(?:\s+P\d+(?:\.\d+)?)*")
_TIMES = re.compile(rf"{GO_DURATION}(?:\s+{GO_DURATION})*")


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _Lines(lines).read)
    return report if report and report.values.keys() - {"url", "connections", "requests", "duration_s"} else None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"Benchmarking \w+:|(?:Elapsed|Count|RPS|Reads|Writes|Latency)\s+\d|[1-5]xx\s+\d|P\d+(?:\.\d+)?\s"
        rf"|{GO_DURATION}(?:\s|$)"
    ),
    noise=re.compile(r"@ Real-time charts|(?:Summary|Latency Percentile|Latency Histogram):$|Statistics\s+Min\s"),
)


class _Lines:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.percents: list[str] = []

    def read(self, line: str) -> dict[str, Any] | None:
        if self.lines.unended() and line[-1] in "sm":
            return None  # "1m" may be the beginning of 1ms, 1m30s
        read = _read_figures(line)
        return self._read_table(line) if read is None else read

    def _read_table(self, line: str) -> dict[str, Any] | None:
        if _PERCENTS.fullmatch(line):
            self.percents = [name[1:] for name in line.split()]
            return {}
        times = line.split()
        if not self.percents or len(times) != len(self.percents) or not _TIMES.fullmatch(line):
            return None
        return {"percentiles_ms": dict(zip(self.percents, map(go_duration_ms, times), strict=True))}


def records(values: dict[str, Any]) -> list[Record]:
    count, rate = values.get("count"), values.get("requests_per_s", {}).get("mean")
    answered = [n for name, n in values.items() if name.startswith("status_")]
    result = make_result(
        KIND,
        values,
        requests_per_second=values.get("requests_per_second", rate),
        failed_requests=max(count - sum(answered), 0) if count is not None and answered else None,
    )
    return [result]
