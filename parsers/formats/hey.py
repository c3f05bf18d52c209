"""hey: the summary that hey prints (once called boom, and much the same today).

Reads     from "Summary:" to the distribution of errors, or what is left of it
Yields    one LoadResult
Units     seconds as printed, kept in seconds; a record's in ms
Quirks    the block "Total data / Size/request" stands in the summary only where a body was read; where every request failed
          rates are printed and times are NaN; boom prints the status codes before the histogram; "0% in 0.0000 secs" rows
          are percentiles that were too few to have
Source    hey's requester/print.go and report.go, 0.1.x

hey_csv: what hey -o csv prints instead of its report, a row a request that was answered.

Reads     the heading with the rows below it
Yields    one LoadResult and one Timings
Units     seconds with four decimals; "offset" is when the request began, counted from the load's beginning
Quirks    requests that failed have no row, and hey keeps the first 1,000,000 rows at the most; rows are in the order of the
          answers; versions before 0.1.3 have no offset. The rate is not printed: it is the rows over the time from the
          beginning to the last answer
Source    hey's requester/print.go and report.go
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from ..catalogue import Format
from ..commands import FLAG, Command, Option, names_program
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, SummaryReader, make_result, take_report
from ..request_files import Rows, find_requests, make_timings
from ..units import compile_lines

KIND = "hey"
PROGRAMS = ("hey", "boom", "hey_linux_amd64", "boom_linux_amd64")
SEMANTICS = Semantics(
    http_version="1.1",
    failures_in_requests=False,
    failures_in_rate=True,
    non_2xx=("status_codes",),
    received_bytes="total_data_bytes",
    printed_as={
        "duration_s": "time_taken_s",
        "mean_ms": "average_s",
        "max_ms": "slowest_s",
        "percentiles_ms.50": "percentiles_s.50",
        "percentiles_ms.99": "percentiles_s.99",
        "complete_requests": "status_codes",
        "failed_requests": "errors",
        "non_2xx_responses": "status_codes",
    },
)
OPTIONS = {
    "-n": Option("requests"),
    "-c": Option("concurrency"),
    "-z": Option("duration_s"),
    "-t": Option("timeout_s"),
    "-m": Option("method"),
    "-H": Option("header"),
    "-A": Option("accept"),
    "-U": Option("user_agent"),
    "-T": Option("content_type"),
    "-d -D": Option("body"),
    "-a": Option(secret=True),
    "-disable-keepalive": Option("keepalive", takes_value=False, means=False),
    "-q": Option("rate_each"),
    "-h2": Option("protocol", takes_value=False, means="HTTP/2"),
    "-cpus -host -o -x": Option(),
    "-disable-compression -disable-redirects": FLAG,
}
ONE_DASH = True
OPENS = (
    r"Summary:\s*$|Total:\s+\d[\d.]*\s+secs\.?\s*$|Slowest:\s+\d[\d.]*\s+secs\.?\s*$|Response time histogram:\s*$"
    r"|Requests/sec:\s+\d+\.\d{4}\s*$"
    r"|Latency distribution:\s*$|Details \(average, fastest, slowest\):|Status code distribution:\s*$"
)

_TIMES = {"Total": "time_taken_s", "Slowest": "slowest_s", "Fastest": "fastest_s", "Average": "average_s"}
_SIZES = {"Total data": "total_data_bytes", "Size/request": "size_per_request_bytes"}
_PARTS = r"DNS\+dialup|DNS-lookup|DNS lookup|req write|resp wait|resp read"
_TABLES = {
    "Response time histogram:": "histogram",
    "Latency distribution:": "percentiles_s",
    "Details (average, fastest, slowest):": "details",
    "Status code distribution:": "status_codes",
    "Error distribution:": "errors",
}
_WHOLE = 3  # tables of the five, unless there are errors, which come last
_NO_FIGURE = r"(?:NaN|[+-]Inf)"  # where no request was answered
_LABELS = "|".join([*_TIMES, *_SIZES, "Requests/sec"])
_read_line = compile_lines(
    {
        "B": (r"\d+(?:\.\d+)?", lambda text: int(float(text))),
        "D": (_PARTS, lambda text: re.sub(r"\W", "_", text.lower())),
        "L": ("|".join(_TIMES), _TIMES.__getitem__),
        "R": (r"\d+(?:\.\d+)?", float),
        "S": ("|".join(_SIZES), _SIZES.__getitem__),
    },
    r"<@:L>:\s+<*:R>(?:\s+secs\.?)?",
    r"Requests/sec:\s+<requests_per_second:R>",
    r"<@:S>:\s+<*:B>(?:\s+bytes)?",
    r"<histogram+:F>\s+\[<histogram+:N>\]\s*\|[■∎\s]*(?:[\[（(].*)?",
    r"(?!0+(?:\.0+)?%)<@:P>%+:?\s+(?:in\s+)?<percentiles_s.*:F> secs\.?",
    r"<@:D>:\s+<details.*.average_s:R> secs, <details.*.fastest_s:R> secs, <details.*.slowest_s:R> secs",
    r"\[<@:C>\]\s+<status_codes.*:N> responses",
)
_ERROR = re.compile(r"\[(\d+)\]\s+(\S.*)")
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"(?:{_LABELS}|{_PARTS}):\s|\d+(?:\.\d+)?%+:?\s+(?:in\s+)?\d|\d+\.\d+\s+\[\d+\]|\[\d+\]\s|Error distribution:$"
    ),
    noise=re.compile(
        rf"(?:Summary:|{'|'.join(map(re.escape, _TABLES))})$|(?:{_LABELS}|{_PARTS}):\s+{_NO_FIGURE}|{_NO_FIGURE}\s+\[\d+\]"
        rf"|\d+(?:\.\d+)?%+:?\s+(?:in\s+)?{_NO_FIGURE}|0+(?:\.0+)?%"  # of too few requests for this percentile
    ),
    over=lambda values, line: line == "Summary:" or _TABLES.get(line) in values,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, SummaryReader(lines, _read_line, _ERROR).read)
    values = report.values if report else {}
    if report is None or (
        len(values) < 2 and not ("requests_per_second" in values and names_program(command, PROGRAMS))
    ):
        lines.return_to_mark()  # "Summary:" may be anybody's heading, above a rate by itself
        return None
    return replace(report, partial="errors" not in values and len(values.keys() & set(_TABLES.values())) < _WHOLE)


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether there are no more replies and errors than the command asks for."""
    asked = None if "duration_s" in command.options else command.options.get("requests")
    made = sum(values.get("status_codes", {}).values()) + sum(values.get("errors", {}).values())
    return asked is None or made <= asked


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    statuses, errors = get("status_codes", {}), get("errors", {})
    printed = (("mean_ms", "average_s"), ("min_ms", "fastest_s"), ("max_ms", "slowest_s"))
    result = make_result(
        KIND,
        values,
        complete_requests=sum(statuses.values()) if statuses else None,
        failed_requests=sum(errors.values()) if statuses or errors else None,
        duration_s=get("time_taken_s"),
        percentiles_ms={name: _ms(seconds) for name, seconds in get("percentiles_s", {}).items()},
        **{to: _ms(values[name]) if get(name) else None for to, name in printed},
    )
    return [result]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 6)


# --- hey_csv ---------------------------------------------------------------------------------------------------------
_CSV_OPENS = r"response-time,DNS\+dialup,DNS,Request-write,Response-delay,Response-read"

_CSV_HEAD = re.compile(rf"{_CSV_OPENS}(?:,status-code)?(?:,offset)?")
_CSV_FIGURE = re.compile(r"\d{1,7}\.\d{4}", re.ASCII)
_PERCENTS = (10, 25, 50, 75, 90, 95, 99)  # as hey's own report has them


def _parse_csv(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    heading = (lines.peek() or "").strip()
    if not _CSV_HEAD.fullmatch(heading):
        return None
    next(lines)
    return find_requests(lines, _Requests(heading.split(",")), command, first)


class _Requests(Rows):
    begins = re.compile(r"[-\d.]+,[-\d.,]*$|(?:[-+]?(?:NaN|Inf|[\d.]+),){2}", re.ASCII)

    def __init__(self, columns: list[str]) -> None:
        super().__init__()
        self.width = len(columns)
        self.status = columns.index("status-code") if "status-code" in columns else None
        self.offset = columns.index("offset") if "offset" in columns else None
        self.statuses: Counter[str] = Counter()
        self.last_offset = self.span = 0  # microseconds
        self.all_four = re.compile(r"(?:\d{1,7}\.\d{4},){6}\d{3},\d{1,7}\.\d{4}", re.ASCII)

    def take_text(self, text: str) -> int:
        rows = text.split("\n")[:-1]
        if self.width != 8 or not all(map(self.all_four.fullmatch, rows)):
            return 0
        for row in rows:
            # Figures of four decimals without their points are ten thousandths of a second.
            cells = row.replace(".", "").split(",")
            self._count(int(cells[0]) * 100, cells[6], int(cells[7]) * 100)
        return len(rows)

    def add(self, row: list[str]) -> None:
        status = row[self.status] if self.status is not None else ""
        self._count(_parse_us(row[0]), status, _parse_us(row[self.offset]) if self.offset is not None else None)

    def read(self, line: str) -> list[str] | None:
        cells = line.split(",")
        figures = [cell for at, cell in enumerate(cells) if at != self.status]
        if len(cells) != self.width or not all(map(_CSV_FIGURE.fullmatch, figures)):
            return None
        return cells if self.status is None or re.fullmatch(r"[1-9]\d\d", cells[self.status]) else None

    def _count(self, us: int, status: str, offset: int | None) -> None:
        self.times.add(us)
        if status:
            self.statuses[status] += 1
        if offset is not None:
            self.seconds.add(offset // 1_000_000, us)
            self.last_offset = max(self.last_offset, offset)
            self.span = max(self.span, offset + us)

    def values(self) -> dict[str, Any]:
        times = self.times
        spread = {"min": times.least, "max": times.most, "mean": times.total / times.n}
        values: dict[str, Any] = {
            "n_requests": times.n,
            "response_time_s": {name: _s(us) for name, us in spread.items()},
            "percentiles_s": {p: _s(1000 * figure) for p, figure in times.percentiles(_PERCENTS).items()},
            "spectrum_ms": times.percentiles(),
            "latency_counts": times.rows(),
        }
        if self.statuses:
            values["status_codes"] = dict(sorted(self.statuses.items()))
        if self.offset is not None:
            values |= {"last_offset_s": _s(self.last_offset), "last_answer_s": _s(self.span)}
            values["by_second"] = self.seconds.columns(epoch=False)
        return values


def _parse_us(text: str) -> int:
    return round(float(text) * 1_000_000)


def _s(us: float) -> float:
    return round(us / 1_000_000, 9)


def _csv_records(values: dict[str, Any]) -> list[Record]:
    spread = {name: round(1000 * seconds, 6) for name, seconds in values["response_time_s"].items()}
    n, span = values["n_requests"], values.get("last_answer_s")
    result = LoadResult(
        tool=KIND,
        requests_per_second=round(n / span, 4) if span else None,
        complete_requests=n,
        duration_s=span,
        mean_ms=spread["mean"],
        min_ms=spread["min"],
        max_ms=spread["max"],
        percentiles_ms={p: round(1000 * s, 6) for p, s in values["percentiles_s"].items()} | {"100": spread["max"]},
    )
    return [result, make_timings(KIND, values)]


OTHER_FORMATS = (
    Format(
        kind="hey_csv",
        opens=_CSV_OPENS,
        command=re.compile(r"(?:^|[\s/;&|(])(?:hey|boom)(?:_linux_amd64)?\s|\.csv\b"),
        parse=_parse_csv,
        records=_csv_records,
    ),
)
