"""jmeter: the lines that JMeter's summariser prints while a test runs without its windows.

Reads     from "Creating summariser" or the first "summary + ..." to "... end of run", or such lines alone
Yields    one LoadResult: of the last line with "=", which is of the whole run so far; those with "+" are of an interval
Units     times ms, printed whole; rates samples/s; elapsed time as 00:00:34, 34s or 3.4s, kept in s
Quirks    decimals have a comma where the machine's language has; a build tool puts "[INFO]" before each line. The
          concurrency is the most threads that were started
Source    JMeter's reporters/Summariser.java, 2 to 5

jtl: JMeter's results as CSV, a row a sample.

Reads     the heading with the rows below it, or rows without a heading as JMeter 2 writes them
Yields    one LoadResult and one Timings
Units     elapsed, Latency and Connect in ms, whole; timeStamp in ms since 1970, when the sample began; bytes
Quirks    the columns are the user's choice, so the heading tells them; commas in a cell are quoted; a sample that an
          assertion failed has success "false" though its code is 200. The rate is the samples over the time from the
          first one's beginning to the last one's end. The concurrency is the most threads at a time
Source    JMeter's save/CSVSaveService.java, 2 to 5
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import Any

from ..catalogue import Format
from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report
from ..request_files import Rows, find_requests, make_timings
from ..units import clock_s, number

KIND = "jmeter"
PROGRAMS = ("jmeter", "jmeter.sh", "jmeter.bat", "mvn")
SEMANTICS = Semantics(failures_in_rate=True, failures_hold_statuses=True, non_2xx=("status_codes",))
OPTIONS = {
    "-G -J -t": Option("script"),
    "-D -H -j -l -o -P -p -q": Option(),
    "-e -f -n -r": FLAG,
}
_BEFORE = r"(?:\[INFO\] )?"
_NAME = r"(?:summary|Generate Summary Results)"
OPENS = (
    rf"{_BEFORE}(?:{_NAME} [=+]\s+\d+ in\s|Creating summariser <"
    r"|Starting (?:the|standalone) test @ .*\(\d{13}\)\s*$|Created the tree successfully using \S+\.jmx\s*$)"
)
PRINTS = {"script": "script"}

_PLAN = re.compile(rf"{_BEFORE}Created the tree successfully using (\S+\.jmx)")
_ROW = re.compile(
    rf"{_BEFORE}({_NAME}) ([=+])\s+(\d+) in\s+(\d+:\d\d:\d\d|\d+(?:[.,]\d+)?s) =\s+(\d+[.,]\d+)/s"
    r" Avg:\s+(\d+) Min:\s+(\d+) Max:\s+(\d+) Err:\s+(\d+) \((\d+[.,]\d+)%\)"
    r"(?:\s+Active: (\d+) Started: (\d+) Finished: (\d+))?"
)
_STARTED = re.compile(rf"{_BEFORE}Starting (?:the|standalone) test @ .*\((\d{{13}})\)")
_END = re.compile(rf"{_BEFORE}\.\.\. end of run")
_COUNTS = ("samples", "avg_ms", "min_ms", "max_ms", "errors")
_THREADS = ("active", "started", "finished")


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    if report is None or "rows" not in report.values:
        return None
    report.values["n_rows"] = len(report.values["rows"])
    report.partial = not any(row["sign"] == "=" for row in report.values["rows"])
    return report


def _read_line(line: str) -> dict[str, Any] | None:
    if plan := _PLAN.fullmatch(line):
        return {"script": plan[1]}
    if started := _STARTED.fullmatch(line):
        return {"started_epoch_ms": int(started[1])}
    if _END.fullmatch(line):
        return {"end_of_run": True}
    if not (match := _ROW.fullmatch(line)):
        return None
    elapsed = match[4].removesuffix("s")
    counts = (match[3], *match.group(6, 7, 8, 9))
    row: dict[str, Any] = {"summariser": match[1], "sign": match[2]}
    row |= {name: int(n) for name, n in zip(_COUNTS, counts, strict=True)}
    row["elapsed_s"] = clock_s(elapsed) if ":" in elapsed else number(elapsed)
    row |= {"samples_per_s": number(match[5]), "errors_pct": number(match[10])}
    if match[11]:
        row |= {name: int(n) for name, n in zip(_THREADS, match.group(11, 12, 13), strict=True)}
    return {"rows": [row]}


def _over(values: dict[str, Any], line: str) -> bool:
    """Two lines of the whole run follow each other only where they are of two runs."""
    rows = values.get("rows", [])
    ends = bool(rows) and rows[-1]["sign"] == "="
    return ends and re.match(rf"{_BEFORE}(?:{_NAME} =|Creating summariser|Starting )", line) is not None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(rf"{_BEFORE}(?:{_NAME} [=+]\s|Starting (?:the|standalone) test @|\.\.\. end)|{_PLAN.pattern}$"),
    noise=re.compile(
        rf"{_BEFORE}(?:Creating summariser <|Tidying up|Starting (?:the|standalone) test @"
        r"|Remote engines have|Starting remote engines|Configuring remote engine)"
    ),
    free=re.compile(rf"{_BEFORE}(?:Created the tree successfully|Waiting for possible)"),
    goes_on=re.compile(r"(?:Active: .*|Started: .*|Finished: .*)"),
    over=_over,
    last="end_of_run",
    broken=3,
)


def records(values: dict[str, Any]) -> list[Record]:
    rows = values["rows"]
    whole = [row for row in rows if row["sign"] == "="] or rows
    last = whole[-1]
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=last["samples_per_s"],
            complete_requests=last["samples"],
            failed_requests=last["errors"],
            concurrency=max((row["started"] for row in rows if "started" in row), default=None),
            duration_s=last["elapsed_s"],
            mean_ms=last["avg_ms"],
            min_ms=last["min_ms"],
            max_ms=last["max_ms"],
            percentiles_ms={"100": last["max_ms"]},
        )
    ]


# --- jtl -------------------------------------------------------------------------------------------------------------
_JTL_OPENS = r"timeStamp,elapsed,\w|1\d{12},\d+,[^,]*,\w*,[^,]*,[^,]*,\w*,(?:true|false),"

_BARE = ["timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success"]
_NAMED = re.compile(r"timeStamp,elapsed(?:,\w+)*")
_PERCENTS = (50, 90, 95, 99)  # as JMeter's own report has them
_MOST_LABELS = 200


def _parse_jtl(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    heading = (lines.peek() or "").strip()
    if _NAMED.fullmatch(heading):
        next(lines)
        rows = _Samples(heading.split(","), exact=True)
    else:
        rows = _Samples(_BARE, exact=False)
    return find_requests(lines, rows, command, first)


class _Samples(Rows):
    begins = re.compile(r"\d{9,13},\d+,")

    def __init__(self, columns: list[str], exact: bool) -> None:
        super().__init__()
        self.at = {name: at for at, name in enumerate(columns)}
        self.width, self.exact = len(columns), exact
        self.seen = 0  # columns of the first row, where no heading tells them
        self.codes: Counter[str] = Counter()
        self.labels: dict[str, list[int]] = {}  # samples, failed, sum of ms, most ms
        self.begin = self.end = self.failed = self.bytes = self.threads = 0

    def read(self, line: str) -> list[str] | None:
        cells = line.split(",") if '"' not in line else next(csv.reader([line]), [])
        width = self.width if self.exact else self.seen or len(cells)
        if len(cells) != width or width < self.width or not cells[0].isdecimal() or not cells[1].isdecimal():
            return None
        if len(cells[0]) != 13 or self._get_cell(cells, "success") not in {"true", "false", ""}:
            return None
        if not self.exact:
            self.seen = width
        return cells if not cells[-1] or cells[-1][-1] != '"' else None

    def _get_cell(self, cells: list[str], name: str) -> str:
        at = self.at.get(name)
        return cells[at] if at is not None else ""

    def _get_int_cell(self, cells: list[str], name: str) -> int:
        text = self._get_cell(cells, name)
        return int(text) if text.isdecimal() else 0

    def add(self, row: list[str]) -> None:
        began, took = int(row[0]), int(row[1])
        failed = self._get_cell(row, "success") == "false"
        self.times.add(took * 1000)
        self.seconds.add(began // 1000, took * 1000)
        self.begin = min(self.begin or began, began)
        self.end = max(self.end, began + took)
        self.failed += failed
        self.bytes += self._get_int_cell(row, "bytes")
        self.threads = max(self.threads, self._get_int_cell(row, "allThreads"))
        self.codes[self._get_cell(row, "responseCode")] += 1
        label = self._get_cell(row, "label")
        if label in self.labels or len(self.labels) < _MOST_LABELS:
            counts = self.labels.setdefault(label, [0, 0, 0, 0])
            counts[:] = counts[0] + 1, counts[1] + failed, counts[2] + took, max(counts[3], took)

    def values(self) -> dict[str, Any]:
        times = self.times
        values: dict[str, Any] = {
            "n_requests": times.n,
            "first_epoch_s": self.begin / 1000,
            "last_epoch_s": self.end / 1000,
            "elapsed_ms": {"min": times.least // 1000, "max": times.most // 1000, "mean": _mean(times.total, times.n)},
            "percentiles_ms": times.percentiles(_PERCENTS),
            "spectrum_ms": times.percentiles(),
            "latency_counts": times.rows(),
            "by_second": self.seconds.columns(epoch=True),
        }
        totals = {"success": {"n_failed": self.failed}, "bytes": {"total_bytes": self.bytes}}
        totals |= {"allThreads": {"most_threads": self.threads}}
        for column, figure in totals.items():
            if column in self.at:
                values |= figure
        if "responseCode" in self.at:
            values["status_codes"] = dict(sorted(self.codes.items()))
        if "label" in self.at:
            values["labels"] = {
                label: {"n": n, "n_failed": failed, "mean_ms": round(total / n, 6), "max_ms": most}
                for label, (n, failed, total, most) in sorted(self.labels.items())
            }
        return values


def _mean(us: int, n: int) -> float:
    return round(us / n / 1000, 6)


def _jtl_records(values: dict[str, Any]) -> list[Record]:
    n, spread = values["n_requests"], values["elapsed_ms"]
    span = round(values["last_epoch_s"] - values["first_epoch_s"], 3)
    result = LoadResult(
        tool=KIND,
        requests_per_second=round(n / span, 4) if span > 0 else None,
        complete_requests=n,
        failed_requests=values.get("n_failed"),
        concurrency=values.get("most_threads"),
        duration_s=span,
        mean_ms=spread["mean"],
        min_ms=spread["min"],
        max_ms=spread["max"],
        percentiles_ms=values["percentiles_ms"] | {"100": spread["max"]},
    )
    return [result, make_timings(KIND, values)]


OTHER_FORMATS = (
    Format(
        kind="jtl",
        opens=_JTL_OPENS,
        command=re.compile(r"(?:^|[\s/;&|(])jmeter(?:\.sh|\.bat)?\s|\.(?:jtl|csv)\b"),
        parse=_parse_jtl,
        records=_jtl_records,
    ),
)
