"""oha: the summary that it prints at the end, as text or JSON (-j, --output-format json).

Reads     from "Summary:" or "Success rate:" to the distribution of errors; one object of JSON
Yields    one LoadResult
Units     times as printed in secs, ms or us, kept in ms (the total in s); sizes with 1024, kept in bytes; requests/s
Quirks    much like hey's, but with "Success rate:", and percentiles are a "Response time distribution"; requests under way
          at the end are "aborted due to deadline", which oha does not count as failed either; older versions print the
          rate of success as 1.0000
Source    oha's src/printer.rs, 0.5 to 1.x
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..multiline import figure, figures, take_object
from ..records import Found, Record, Semantics
from ..report import Report, SummaryReader, make_result, take_report
from ..units import to_ms

KIND = "oha"
PROGRAMS = ("oha",)
SEMANTICS = Semantics(
    failures_in_requests=False,
    failures_in_rate=True,
    in_rate_beside="errors",  # also those aborted due to the deadline, which have no status
    non_2xx=("status_codes",),
    received_bytes="total_data_bytes",
    printed_as={
        "duration_s": "total_ms",
        "mean_ms": "average_ms",
        "max_ms": "slowest_ms",
        "complete_requests": "status_codes",
        "failed_requests": "errors",
        "non_2xx_responses": "status_codes",
    },
)
OPTIONS = {
    "-n": Option("requests"),
    "-c": Option("concurrency"),
    "-z": Option("duration_s"),
    "-q": Option("rate"),
    "-p": Option("pipelining"),
    "-t": Option("timeout_s"),
    "-m --method": Option("method"),
    "-H": Option("header"),
    "-A": Option("accept"),
    "-T": Option("content_type"),
    "-d -D": Option("body"),
    "-a": Option(secret=True),
    "--disable-keepalive": Option("keepalive", takes_value=False, means=False),
    "--urls-from-file": Option("url_file", takes_value=False, means=True),
    "--http-version": Option("protocol"),
    "--fps --host -r -s -x": Option(),
    "--disable-compression -j --json --insecure --no-tui": FLAG,
}
OPENS = r"Summary:\s*$|Success rate:\s+\d+\.\d+%?\s*$|Response time distribution:\s*$|\{\s*$|\{\"summary\":\s*\{"

_BYTES = {"B": 1, "": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
_TIME = r"(\d+(?:\.\d+)?) (secs|sec|s|ms|us|µs|ns)"
_TIMES = {"Total": "total_ms", "Slowest": "slowest_ms", "Fastest": "fastest_ms", "Average": "average_ms"}
_SIZES = {"Total data": "total_data_bytes", "Size/request": "size_per_request_bytes", "Size/sec": "size_per_s_bytes"}
_SUMMARY = re.compile(rf"(Total|Slowest|Fastest|Average):\s+{_TIME}")
_SUCCESS = re.compile(r"Success rate:\s+(\d+\.\d+)(%?)")
_RATE = re.compile(r"Requests/sec:\s+(\d+\.\d+)")
_SIZE = re.compile(r"(Total data|Size/request|Size/sec):\s+(\d+(?:\.\d+)?)(?: ([KMGT]iB|B))?")
_BAR = re.compile(r"(\d+\.\d+)(?: (secs|sec|s|ms|us|µs|ns))? \[(\d+)\]\s*\|■*")
_PERCENT = re.compile(rf"(\d+(?:\.\d+)?)% in {_TIME}")
_DETAIL = re.compile(rf"(DNS\+dialup|DNS-lookup):\s+{_TIME}, {_TIME}, {_TIME}")
_STATUS = re.compile(r"\[(\d{3})\] (\d+) responses")
_ERROR = re.compile(r"\[(\d+)\] (\S.*)")
JSON = re.compile(r'\{"(?:summary":\{"(?:successRate|total|average)":|details":\{"DNSDialup":\{)')
_DEADLINE = "aborted due to deadline"


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    ahead = [line.strip() for line in lines.ahead(2)]
    if not any(line.startswith(("Success rate:", "Response time distribution:")) for line in ahead):
        return None  # hey's summary begins alike
    found = take_report(lines, _REPORT, SummaryReader(lines, _MEANINGS, _ERROR).read)
    return found if found and found.values.keys() - {"success_rate_pct"} else None


def _read_success(found: re.Match[str]) -> dict[str, Any]:
    return {"success_rate_pct": round(float(found[1]) * (1 if found[2] else 100), 6)}


def _read_size(found: re.Match[str]) -> dict[str, Any]:
    return {_SIZES[found[1]]: round(float(found[2]) * _BYTES[found[3] or ""])}


def _read_bar(found: re.Match[str]) -> dict[str, Any]:
    return {"histogram_ms": [[to_ms(found[1], found[2] or "secs"), int(found[3])]]}


def _read_detail(found: re.Match[str]) -> dict[str, Any]:
    times = (to_ms(found[at], found[at + 1]) for at in (2, 4, 6))
    name = re.sub(r"\W", "_", found[1].lower())
    return {"details": {name: dict(zip(("average_ms", "fastest_ms", "slowest_ms"), times, strict=True))}}


_MEANINGS = (
    (_SUCCESS, _read_success),
    (_SUMMARY, lambda found: {_TIMES[found[1]]: to_ms(found[2], found[3])}),
    (_RATE, lambda found: {"requests_per_second": float(found[1])}),
    (_SIZE, _read_size),
    (_BAR, _read_bar),
    (_PERCENT, lambda found: {"percentiles_ms": {f"{float(found[1]):g}": to_ms(found[2], found[3])}}),
    (_DETAIL, _read_detail),
    (_STATUS, lambda found: {"status_codes": {found[1]: int(found[2])}}),
)


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"(?:Success rate|Total|Slowest|Fastest|Average|Requests/sec|Total data|Size/request|Size/sec|DNS\+dialup"
        r"|DNS-lookup):\s|\d+(?:\.\d+)?% in |\d+\.\d+(?: \w+)? \[\d+\]|\[\d+\] |Error distribution:$"
    ),
    noise=re.compile(
        r"(?:Summary|Response time histogram|Response time distribution|Details \(average, fastest, slowest\)"
        r"|Status code distribution|Error distribution):$"
        r"|(?:Slowest|Fastest|Average|Size/request|DNS\+dialup|DNS-lookup):\s+(?:NaN|-?inf)"
    ),
    over=lambda values, line: line == "Summary:",
)


def _read_object(tree: dict[str, Any]) -> dict[str, Any]:
    if figure(tree, "summary", "requestsPerSec") is None:
        return {}
    times = {name: figure(tree, "summary", name.lower(), factor=1000) for name in _TIMES}
    percentiles = figures(tree, "latencyPercentiles", factor=1000)
    bars = figures(tree, "responseTimeHistogram")
    parts = ("average", "fastest", "slowest")
    details = {
        name: {f"{part}_ms": ms for part, ms in figures(tree, "details", key, factor=1000).items() if part in parts}
        for name, key in (("dns_dialup", "DNSDialup"), ("dns_lookup", "DNSLookup"))
    }
    return {
        "format": "json",
        "success_rate_pct": figure(tree, "summary", "successRate", factor=100),
        **{_TIMES[name]: ms for name, ms in times.items()},
        "requests_per_second": figure(tree, "summary", "requestsPerSec"),
        "total_data_bytes": figure(tree, "summary", "totalData"),
        "size_per_request_bytes": figure(tree, "summary", "sizePerRequest"),
        "size_per_s_bytes": figure(tree, "summary", "sizePerSec"),
        "percentiles_ms": {name.removeprefix("p"): ms for name, ms in percentiles.items()},
        "histogram_ms": [[round(float(s) * 1000, 6), n] for s, n in bars.items() if isfinite(float(s) * 1000)] or None,
        "details": {name: part for name, part in details.items() if part},
        "status_codes": figures(tree, "statusCodeDistribution"),
        "errors": figures(tree, "errorDistribution"),
    }


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    statuses, errors = get("status_codes", {}), get("errors", {})
    failed = sum(n for text, n in errors.items() if text != _DEADLINE)
    result = make_result(
        KIND,
        values,
        complete_requests=sum(statuses.values()) if statuses else None,
        failed_requests=failed if statuses or errors else None,
        duration_s=round(values["total_ms"] / 1000, 9) if "total_ms" in values else None,
        mean_ms=get("average_ms"),
        min_ms=get("fastest_ms"),
        max_ms=get("slowest_ms"),
        transferred_bytes=get("total_data_bytes"),
    )
    return [result]
