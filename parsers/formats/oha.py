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
from ..units import compile_lines, size_bytes, time_ms

KIND = "oha"
PROGRAMS = ("oha",)
SEMANTICS = Semantics(
    failures_in_requests=False,
    failures_in_rate=True,
    available_pct="success_rate_pct",
    in_rate_beside="errors",  # also those aborted due to the deadline, which have no status
    non_2xx=("status_codes",),
    received_bytes="total_data_bytes",
    printed_as={
        "duration_s": "total_ms",
        "mean_ms": "average_ms",
        "min_ms": "fastest_ms",
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

_UNIT = r" (?:secs|sec|s|ms|us|µs|ns)"
_TIMES = {"Total": "total_ms", "Slowest": "slowest_ms", "Fastest": "fastest_ms", "Average": "average_ms"}
_SIZES = {"Total data": "total_data_bytes", "Size/request": "size_per_request_bytes", "Size/sec": "size_per_s_bytes"}
_read_line = compile_lines(
    {
        "B": (r"\d+(?:\.\d+)?(?: (?:[KMGT]iB|B))?", lambda text: size_bytes(text.removesuffix("B").removesuffix("i"))),
        "D": (r"DNS\+dialup|DNS-lookup", lambda text: re.sub(r"\W", "_", text.lower())),
        "L": ("|".join(_TIMES), _TIMES.__getitem__),
        "S": ("|".join(_SIZES), _SIZES.__getitem__),
        "T": (rf"\d+(?:\.\d+)?{_UNIT}", time_ms),
        "U": (rf"\d+\.\d+(?:{_UNIT})?", lambda text: time_ms(text if text[-1].isalpha() else f"{text}s")),
        "A": (r"\d+\.\d+%?", lambda text: round(float(text.rstrip("%")) * (1 if text[-1] == "%" else 100), 6)),
    },
    r"Success rate:\s+<success_rate_pct:A>",
    r"<@:L>:\s+<*:T>",
    r"Requests/sec:\s+<requests_per_second:F>",
    r"<@:S>:\s+<*:B>",
    r"<histogram_ms+:U> \[<histogram_ms+:N>\]\s*\|■*",
    r"<@:P>% in <percentiles_ms.*:T>",
    r"<@:D>:\s+<details.*.average_ms:T>, <details.*.fastest_ms:T>, <details.*.slowest_ms:T>",
    r"\[<@:C>\] <status_codes.*:N> responses",
)
_ERROR = re.compile(r"\[(\d+)\] (\S.*)")
JSON = re.compile(r'\{"(?:summary":\{"(?:successRate|total|average)":|details":\{"DNSDialup":\{)')
_DEADLINE = "aborted due to deadline"


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    ahead = [line.strip() for line in lines.ahead(2)]
    if not any(line.startswith(("Success rate:", "Response time distribution:")) for line in ahead):
        return None  # hey's summary begins alike
    report = take_report(lines, _REPORT, SummaryReader(lines, _read_line, _ERROR).read)
    return report if report and report.values.keys() - {"success_rate_pct"} else None


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
    statuses, errors = values.get("status_codes", {}), values.get("errors", {})
    failed = sum(n for text, n in errors.items() if text != _DEADLINE) if statuses or errors else None
    complete = sum(statuses.values()) if statuses else None
    return [make_result(KIND, values, complete_requests=complete, failed_requests=failed)]
