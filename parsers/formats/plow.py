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
from ..units import GO_DURATION, go_duration_ms

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
        "mean_ms": "latency_ms",
        "max_ms": "latency_ms",
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
OPENS = r"Benchmarking \w+://\S+ [^@]{0,80}using \d+ connection|Statistics\s+Min\s+Mean\s+StdDev\s+Max\s*$"

_BEGUN = re.compile(
    rf"Benchmarking (\S+)(?: with (\d+) request\(s\))?(?: for ({GO_DURATION}))? using (\d+) connection\(s\)\.?"
)
_FIGURES = (
    (re.compile(rf"Elapsed\s+({GO_DURATION})"), "elapsed_s", lambda text: round(go_duration_ms(text) / 1000, 9)),
    (re.compile(r"Count\s+(\d{1,18})"), "count", int),
    (re.compile(r"RPS\s+(\d+\.\d+)"), "requests_per_second", float),
    (re.compile(r"Reads\s+(\d+\.\d+)MB/s"), "reads_mb_per_s", float),
    (re.compile(r"Writes\s+(\d+\.\d+)MB/s"), "writes_mb_per_s", float),
)
_STATUS = re.compile(r"([1-5]xx)\s+(\d{1,18})")
_LATENCY = re.compile(rf"Latency\s+({GO_DURATION})\s+({GO_DURATION})\s+({GO_DURATION})\s+({GO_DURATION})")
_RPS = re.compile(r"RPS" + r"\s+(\d+(?:\.\d+)?)" * 4)
_PERCENTS = re.compile(r"P\d+(?:\.\d+)?(?:\s+P\d+(?:\.\d+)?)*")
_TIMES = re.compile(rf"{GO_DURATION}(?:\s+{GO_DURATION})*")
_BAR = re.compile(rf"({GO_DURATION})\s+(\d{{1,18}})(?:\s+■+)?")
_COLUMNS = ("min", "mean", "stdev", "max")


def parse(lines: Lines, command: str | None) -> Found | None:
    found = take_report(lines, _REPORT, _Lines(lines).read)
    return found if found and found.values.keys() - {"url", "connections", "requests", "duration_s"} else None


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
        for pattern, name, meaning in _FIGURES:
            if found := pattern.fullmatch(line):
                return {name: meaning(found[1])}
        if found := _BEGUN.fullmatch(line):
            values: dict[str, Any] = {"url": found[1], "connections": int(found[4])}
            values |= {"requests": int(found[2])} if found[2] else {}
            return values | ({"duration_s": go_duration_ms(found[3]) / 1000} if found[3] else {})
        if found := _STATUS.fullmatch(line):
            return {f"status_{found[1]}": int(found[2])}
        if found := _LATENCY.fullmatch(line):
            return {"latency_ms": dict(zip(_COLUMNS, map(go_duration_ms, found.groups()), strict=True))}
        if found := _RPS.fullmatch(line):
            return {"requests_per_s": dict(zip(_COLUMNS, map(float, found.groups()), strict=True))}
        return self._read_table(line)

    def _read_table(self, line: str) -> dict[str, Any] | None:
        if _PERCENTS.fullmatch(line):
            self.percents = [name[1:] for name in line.split()]
            return {}
        if bar := _BAR.fullmatch(line):
            return {"histogram_ms": [[go_duration_ms(bar[1]), int(bar[2])]]}
        times = line.split()
        if not self.percents or len(times) != len(self.percents) or not _TIMES.fullmatch(line):
            return None
        return {"percentiles_ms": dict(zip(self.percents, map(go_duration_ms, times), strict=True))}


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    count = get("count")
    answered = [n for name, n in values.items() if name.startswith("status_")]
    result = make_result(
        KIND,
        values,
        requests_per_second=get("requests_per_second", get("requests_per_s", {}).get("mean")),
        complete_requests=count,
        failed_requests=max(count - sum(answered), 0) if count is not None and answered else None,
        concurrency=get("connections"),
        duration_s=get("elapsed_s", get("duration_s")),
        **{f"{name}_ms": get("latency_ms", {}).get(name) for name in ("mean", "min", "max")},
    )
    return [result]
