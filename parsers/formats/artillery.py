"""artillery: the summary at the end of a test, as versions 2.x and 1.x print it.

Reads     from "All VUs finished", "Summary report @" or the first metric to the last one; the reports of each period above it are
          passed over
Yields    one LoadResult: of http.*, or of "Requests completed" and "RPS sent"; other metrics stay in the values
Units     times ms; rates requests/s, whole numbers since 2.0; the total time in s
Quirks    an open model: users arrive at a rate that the script sets. The rate is of requests sent, and the mean of those of each
          period; responses and errors are counted beside each other. Without a summary (Ctrl-C) there are no figures of the run
Source    artillery's lib/console-reporter.ts (2.x), lib/commands/run.js (1.x)
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, Problem, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import number

KIND = "artillery"
PROGRAMS = ("artillery",)
SEMANTICS = Semantics(
    open_loop=True,
    failures_in_requests=False,
    failures_in_rate=True,
    sampled_rate=True,
    non_2xx=("status_codes",),
    rate_step=1,
    printed_as={
        **{f"{name}_ms": f"response_time_ms.{name}" for name in ("min", "mean", "max")},
        **{f"percentiles_ms.{percent}": f"response_time_ms.p{percent}" for percent in (75, 90, 95, 99)},
        "percentiles_ms.50": "response_time_ms.median",
        "failed_requests": "errors",
        "non_2xx_responses": "status_codes",
    },
)
VERBS = ("run", "quick", "run-fargate", "run-lambda", "run:fargate", "run:lambda")
OPTIONS = {
    "-t --target": Option("url"),
    "-n --num": Option("repeats_each"),
    "--count": Option("concurrency"),
    "-r --rate": Option("rate"),
    "-d --duration": Option("duration_s"),
    "-p --payload": Option("body_file"),
    "-e --environment -o --output -c --config --overrides -v --variables --dotenv --region --name --note --tags": Option(),
    "-k --insecure -q --quiet --solo": FLAG,
}
PRINTS = {"connections": "scenarios_launched"}  # of 1.x: each user has one, and a script says how many come
ADDRESS = False
_FIGURE = r"(-?\d[\d.]{0,30}|NaN)"
_INTERIM = r"Metrics for period to: |Report (?:@|for the previous \d+s @) |Elapsed time: \d+ (?:second|minute|hour|day)"
_SUMMARY = r"All (?:VUs|virtual users) finished|Summary report @ "
_PHASE = r"Test run id: \S{5,80}\s{0,200}$|Phase (?:started|completed): .*duration: |Started phase \d+(?: \([^()]*\))?, duration: "
_BUSY = (  # its own warning, between two periods
    r"Warning:\s*$|CPU usage of Artillery seems to be|which may severely affect its performance"
    r"|See https://\S{1,80}#high-cpu-warnings"
)
OPENS = (
    rf"{_SUMMARY}|{_PHASE}|(?:{_INTERIM})|Scenarios launched: +\d|RPS sent: +\d|Mean response/sec: +\d"
    r"|(?:http\.(?:request_rate|requests|responses|codes\.\d+|downloaded_bytes)|vusers\.\w+|errors\.[\w.]+): \.{3,} \d"
)
_TOTAL_TIME = re.compile(r"All VUs finished\. Total time: ((?:\d+ (?:day|hour|minute|second)s?(?:, )?)+)")
_SECONDS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
_METRIC = re.compile(rf"([A-Za-z]\w{{0,40}}\.[^:]{{1,200}}(?::[^:]{{1,100}}){{0,3}}):\s+(?:\.+\s+)?{_FIGURE}(/sec)?")
_TABLE = re.compile(
    r"([a-z]\w{0,40}\.[^\s:]{1,200}|Request latency|Response time \(msec\)|Scenario duration(?: \(msec\))?):"
)
_LIST = re.compile(r"(Codes|Errors|Scenario counts):")
_ROW = re.compile(rf"(min|max|mean|median|p\d{{2,4}}):\s+(?:\.+\s+)?{_FIGURE}")
_COUNTS = {  # rows of a list, by its name: what else looks like one is none of it
    "status_codes": re.compile(r"(\d{3}):\s+(\d{1,18})"),
    "errors": re.compile(
        r"(E[A-Z]{3,30}|\S.{0,200}?(?i:error|time|fail|mismatch|invalid|undefined).{0,200}?):\s+(\d{1,18})(?:\s+\(\d[\d.]*%\))?"
    ),
    "scenario_counts": re.compile(r"(\S.{0,200}?):\s+(\d{1,18})\s+\(\d[\d.]*%\)"),
}
_TOTAL = re.compile(
    rf"(Scenarios launched|Scenarios completed|Requests completed|RPS sent|Mean response/sec):\s+{_FIGURE}"
)
_NAMES = {
    "http.request_rate": "requests_per_second",
    "http.requests": "requests_sent",
    "http.responses": "complete_requests",
    "Scenarios launched": "scenarios_launched",
    "Scenarios completed": "scenarios_completed",
    "Requests completed": "complete_requests",
    "RPS sent": "requests_per_second",
    "Mean response/sec": "requests_per_second",
}
_TABLES = {
    "http.response_time": "response_time_ms",
    "vusers.session_length": "session_length_ms",
    "Request latency": "response_time_ms",
    "Response time (msec)": "response_time_ms",
    "Scenario duration": "session_length_ms",
    "Scenario duration (msec)": "session_length_ms",
    "Codes": "status_codes",
    "Errors": "errors",
    "Scenario counts": "scenario_counts",
}
_GROUPS = {"http.codes.": "status_codes", "errors.": "errors"}


def parse(lines: Lines, command: str | None) -> Found | None:
    reader = _Reader()
    report = take_report(lines, replace(_REPORT, over=reader.is_next), reader.read)
    if report is None or not reader.n_figures:
        return None
    if not report.values.keys() - {"periods", "total_time_s"}:
        report.problems.append(
            Problem(report.last, "artillery was broken off before its summary: no figures of the whole run")
        )
    return report


class _Reader:
    """What the lines tell; rows below a name belong to it, and those of a period to nothing.

    is_summary  whether the figures are those of the whole run, as they are where no heading says otherwise
    """

    def __init__(self) -> None:
        self.table = ""
        self.is_summary = True
        self.n_figures = 0
        self.has_figures = False  # of the summary

    def is_next(self, _: dict[str, Any], line: str) -> bool:
        is_row = any(rows.fullmatch(line) for rows in _COUNTS.values())
        return self.has_figures and (_HEADING.match(line) is not None or (is_row and self._read_figures(line) is None))

    def read(self, line: str) -> dict[str, Any] | None:
        if heading := _HEADING.match(line):
            self.is_summary, self.table = heading[1] is None, ""
            seconds = _read_total_time(line)
            return {"total_time_s": seconds} if seconds else {} if self.is_summary else {"periods": [line]}
        figures = self._read_figures(line)
        if not figures:
            return figures
        self.n_figures += 1
        self.has_figures = self.has_figures or self.is_summary
        return figures if self.is_summary else {}

    def _read_figures(self, line: str) -> dict[str, Any] | None:
        """What a line of figures tells: {} of a name alone, and of what was not measured."""
        if match := _TABLE.fullmatch(line) or _LIST.fullmatch(line):
            self.table = _TABLES.get(match[1], match[1])
            return {}
        if self.table and (row := _ROW.fullmatch(line)):
            return {self.table: {row[1]: number(row[2])}} if row[2] != "NaN" else {}
        if total := _TOTAL.fullmatch(line) or _METRIC.fullmatch(line):
            return _name_metric(total[1], total[2])
        if (rows := _COUNTS.get(self.table)) and (count := rows.fullmatch(line)):
            return {self.table: {count[1]: int(count[2])}}
        return None


def _name_metric(name: str, figure: str) -> dict[str, Any]:
    if figure == "NaN":
        return {}
    for prefix, table in _GROUPS.items():
        if name.startswith(prefix):
            return {table: {name.removeprefix(prefix): int(float(figure))}}
    known = _NAMES.get(name)
    value = float(figure) if known == "requests_per_second" else number(figure)
    return {known: value} if known else {"metrics": {name: value}}


def _read_total_time(line: str) -> int:
    match = _TOTAL_TIME.fullmatch(line)
    parts = re.findall(r"(\d+) (day|hour|minute|second)", match[1]) if match else []
    return sum(int(n) * _SECONDS[unit] for n, unit in parts)


_HEADING = re.compile(rf"({_INTERIM})|{_SUMMARY}")
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        "|".join(each.pattern for each in (_HEADING, _METRIC, _TABLE, _LIST, _ROW, _TOTAL, *_COUNTS.values()))
        + r"|\S.{0,200}?: \.{3,}$|(?:min|max|mean|median|p\d{2,4}|[a-z]\w{0,40}\.[^:]{1,200}):$"
    ),
    goes_on=re.compile(rf"(?:\.{{3,}}(?: |$))?(?:{_FIGURE}(?:/sec)?)?"),
    noise=re.compile(r"-{10,}$|Concurrent users: +\d"),
    free=re.compile(rf"{_PHASE}|{_BUSY}|Warning: |Complete report @ "),
    whole=8,
)


def records(values: dict[str, Any]) -> list[Record]:
    times, errors = values.get("response_time_ms", {}), values.get("errors")
    if not values.keys() - {"periods", "total_time_s"}:
        return [make_result(KIND, values, aborted=True)]
    named = {"50": times.get("median")} | {name[1:]: ms for name, ms in times.items() if name[1:].isdecimal()}
    percentiles = {"99.9" if name == "999" else name: ms for name, ms in named.items() if ms is not None}
    complete = values.get("complete_requests", 0 if "requests_sent" in values else None)
    failed = sum(errors.values()) if errors else None if complete is None else 0
    return [make_result(KIND, values, complete_requests=complete, failed_requests=failed, percentiles_ms=percentiles)]
