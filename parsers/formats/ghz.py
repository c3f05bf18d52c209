"""ghz: the summary of a load of gRPC calls.

Reads     from "Summary:" or "Count:" to the distribution of errors
Yields    one whose path is the method of --call where the command tells it
Units     times as printed in ns, µs, ms or s, kept in ms; the histogram's in ms; requests/s
Quirks    much like hey's, but with a count and with units; the count has the failed calls, and so have the rate and the
          times; old versions show only OK among the status codes, and failures among the errors. JSON and CSV are not read
Source    ghz's printer/template.go and printer.go, 0.1 to 0.120
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Record, Semantics
from ..report import Report, SummaryReader, make_result, take_report
from ..units import compile_lines, time_ms

KIND = "ghz"
PROGRAMS = ("ghz",)
SEMANTICS = Semantics(
    failures_in_rate=True,
    address_from_command=True,
    printed_as={
        "complete_requests": "count",
        "duration_s": "total_ms",
        "mean_ms": "average_ms",
        "min_ms": "fastest_ms",
        "max_ms": "slowest_ms",
    },
)
OPTIONS = {
    "-c --concurrency": Option("concurrency"),
    "-n --total": Option("requests"),
    "-z --duration -x --max-duration": Option("duration_s"),
    "-r --rps -q --qps": Option("rate"),
    "-t --timeout": Option("timeout_s"),
    "--connections": Option("connections"),
    "--call": Option("path"),
    "-d --data -D --data-file -B --binary-file": Option("body"),
    "-m --metadata": Option("header"),
    "--proto --protoset --cacert --cert --key --cname --config --tags -M --metadata-file -o --output -O": Option(),
    "-i --import-paths --name --cpus --debug --host --format --load-schedule --load-start --load-end": Option(),
    "--load-step --load-max-duration --load-step-duration --authority --keepalive": Option(),
    "--insecure --skipTLS -e --enable-compression -b --binary -a --async": FLAG,
}
DEFAULTS = {"concurrency": 50, "requests": 200}
OPENS = r"Summary:\s*$|Count:\s+\d+\s*$"

_TIMES = {"Total": "total_ms", "Slowest": "slowest_ms", "Fastest": "fastest_ms", "Average": "average_ms"}
_COUNT = re.compile(r"Count:\s+\d{1,18}")
_read_line = compile_lines(
    {
        "B": (r"\d+\.\d{2,3}", float),
        "C": (r"[A-Z][A-Za-z]+", str),
        "F": (r"\d+\.\d\d", float),
        "L": ("|".join(_TIMES), _TIMES.__getitem__),
        "T": (r"\d+(?:\.\d+)? (?:s|ms|[uµμ]s|ns)", time_ms),
    },
    r"Count:\s+<count:N>",
    r"Name:\s+<name:X>",
    r"<@:L>:\s+<*:T>",
    r"Requests/sec:\s+<requests_per_second:F>",
    r"<histogram_ms+:B> \[<histogram_ms+:N>\]\s*\|∎*",
    r"<@:P> ?% in <percentiles_ms.*:T>",
    r"\[<@:C>\]\s+<grpc_codes.*:N> responses",
)
_ERROR = re.compile(r"\[(\d{1,18})\]\s+(\S.*)")


def parse(lines: Lines, command: str | None) -> Found | None:
    ahead = [line.strip() for line in lines.ahead(3)]
    if not any(_COUNT.fullmatch(line) for line in ahead[:3]) or len(ahead) < 2:
        return None  # hey's and oha's summaries begin alike
    report = take_report(lines, _REPORT, SummaryReader(lines, _read_line, _ERROR).read)
    return report if report and report.values.keys() != {"count"} else None  # a count alone may be anybody's


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"(?:Count|Name|Total|Slowest|Fastest|Average|Requests/sec):\s|\d+(?:\.\d+)? ?% in |\d+\.\d+ \[\d+\]|\[\w+\]\s"
        r"|Error distribution:$"
    ),
    noise=re.compile(
        r"(?:Summary|Response time histogram|Latency distribution|Status code distribution):$"
        r"|(?:Slowest|Fastest|Average):\s+NaN"
    ),
    over=lambda values, line: line == "Summary:" or (line.startswith("Count:") and "count" in values),
)


def records(values: dict[str, Any]) -> list[Record]:
    count, answered = values.get("count"), values.get("grpc_codes", {}).get("OK", 0)
    are_known = count is not None and values.keys() & {"grpc_codes", "errors"}
    return [make_result(KIND, values, failed_requests=count - answered if are_known else None)]
