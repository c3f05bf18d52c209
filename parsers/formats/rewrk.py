"""rewrk: the result of a load, with its table of percentiles (--pct).

Reads     from "Benchmarking N connections @ URL" to the errors or the table
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
from ..units import BINARY_SIZES, to_ms

KIND = "rewrk"
PROGRAMS = ("rewrk", "rewrk.exe")
SEMANTICS = Semantics(
    failures_in_requests=False,
    address_from_command=True,
    printed_as={"concurrency": "connections", "mean_ms": "latency_ms", "max_ms": "latency_ms"},
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
OPENS = r"Benchmarking \d+ connections? @ \w+://\S+ for "

_TIME = r"(\d+(?:\.\d+)?)(s|ms|[uµ]s|ns)"
_FOR = r"\d{1,9} (?:day|hour|minute|second)(?:s|\(s\))?"
_BEGUN = re.compile(rf"Benchmarking (\d{{1,9}}) connections? @ (\S+) for ({_FOR}(?:, {_FOR}){{0,3}})")
_PART = re.compile(r"(\d+) ([dhms])")
_LATENCIES = re.compile(rf"{_TIME}\s+{_TIME}\s+{_TIME}\s+{_TIME}")
_REQUESTS = re.compile(r"Total:\s+(\d{1,18})\s+Req/Sec:\s+(\d+\.\d+)")
_TRANSFER = re.compile(r"Total:\s+(\d+(?:\.\d+)?)\s?([KMGT]?)B\s+Transfer Rate:\s+(\d+(?:\.\d+)?)\s?([KMGT]?)B/Sec")
_PERCENT = re.compile(rf"\|\s+(\d+(?:\.\d+)?)%\s+\|\s+{_TIME}\s+\|")
_ERRORS = re.compile(r"(\d{1,18}) Errors: (\S.*)")
_COLUMNS = ("avg", "stdev", "min", "max")


def parse(lines: Lines, command: str | None) -> Found | None:
    found = take_report(
        lines, _REPORT, lambda line: None if lines.unended() and line[-1].isalnum() else _read_line(line)
    )
    return found if found and found.values.keys() & {"requests_per_second", "latency_ms"} else None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(r"Benchmarking \d|\d+(?:\.\d+)?(?:s|ms|[uµ]s|ns)\s|Total:\s|\|\s+\d|\d+ Errors: "),
    noise=re.compile(r"(?:Latencies|Requests|Transfer):$|Avg\s+Stdev\s+Min\s+Max$|\+ -+ \+|\|\s+Percentile\s+\|"),
    over=lambda values, line: line.startswith("Benchmarking ") and "url" in values,
    whole=6,
)


def _read_line(line: str) -> dict[str, Any] | None:
    if found := _BEGUN.fullmatch(line):
        duration = sum(int(figure) * UNITS_S[unit] for figure, unit in _PART.findall(found[3]))
        return {"connections": int(found[1]), "url": found[2], "duration_s": duration}
    if found := _LATENCIES.fullmatch(line):
        times = (to_ms(found[at], found[at + 1]) for at in (1, 3, 5, 7))
        return {"latency_ms": dict(zip(_COLUMNS, times, strict=True))}
    if found := _REQUESTS.fullmatch(line):
        return {"complete_requests": int(found[1]), "requests_per_second": float(found[2])}
    if found := _TRANSFER.fullmatch(line):
        total, rate = (round(float(found[at]) * BINARY_SIZES[found[at + 1]]) for at in (1, 3))
        return {"transferred_bytes": total, "transfer_bytes_per_s": rate}
    if found := _PERCENT.fullmatch(line):
        return {"mean_beyond_ms": {f"{float(found[1]):g}": to_ms(found[2], found[3])}}
    if found := _ERRORS.fullmatch(line):
        return {"errors": {found[2]: int(found[1])}}
    return None


def records(values: dict[str, Any]) -> list[Record]:
    latency = values.get("latency_ms", {})
    # Printed only where there were any.
    failed = sum(values.get("errors", {}).values()) if "complete_requests" in values else None
    times = {f"{to}_ms": latency.get(name) for to, name in (("mean", "avg"), ("min", "min"), ("max", "max"))}
    return [make_result(KIND, values, failed_requests=failed, concurrency=values.get("connections"), **times)]
