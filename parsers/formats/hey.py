"""hey: the summary that hey prints (once called boom, and much the same today).

Reads     from "Summary:" to the distribution of errors, or what is left of it
Yields    one LoadResult
Units     seconds as printed, kept in seconds; a record's in ms
Quirks    the block "Total data / Size/request" stands in the summary only where a body was read; where every request failed
          rates are printed and times are NaN; "0% in 0.0000 secs" rows are percentiles that were too few to have
Source    hey's requester/print.go and report.go, 0.1.x
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Problem, Record, Semantics
from ..transcript import is_elision

KIND = "hey"
PROGRAMS = ("hey", "boom", "hey_linux_amd64", "boom_linux_amd64")
SEMANTICS = Semantics(failures_in_rate=True)
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
    "-d": Option("body"),
    "-a": Option(secret=True),
    "-disable-keepalive": Option("keepalive", takes_value=False, means=False),
    **dict.fromkeys(("-cpus", "-D", "-host", "-o", "-q", "-x"), Option()),
    **dict.fromkeys(("-disable-compression", "-disable-redirects", "-h2"), Option(takes_value=False)),
}
ONE_DASH = True
OPENS = (
    r"Summary:\s*$|Total:\s+\d[\d.]*\s+secs\.?\s*$|Slowest:\s+\d[\d.]*\s+secs\.?\s*$|Response time histogram:\s*$"
    r"|Latency distribution:\s*$|Details \(average, fastest, slowest\):|Status code distribution:\s*$"
)

_SUMMARY = {
    "Total": "time_taken_s",
    "Slowest": "slowest_s",
    "Fastest": "fastest_s",
    "Average": "average_s",
    "Requests/sec": "requests_per_second",
    "Total data": "total_data_bytes",
    "Size/request": "size_per_request_bytes",
}
_SECTIONS = (
    "Summary",
    "Response time histogram",
    "Latency distribution",
    "Details (average, fastest, slowest)",
    "Status code distribution",
    "Error distribution",
)
_BROKEN = 50  # columns that a line has at least where a mail client broke it
_WHOLE = 4  # sections of the six
_HEAD = re.compile(rf"({'|'.join(map(re.escape, _SECTIONS))}):")
_FIGURE = re.compile(rf"({'|'.join(_SUMMARY)}):\s+(\d[\d.]*|NaN|[+-]Inf)(?:\s+(secs\.?|bytes))?")
_BAR = re.compile(r"(\d+\.\d+|NaN|[+-]Inf)\s+\[(\d+)\]\s*\|[■∎\s]*")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%+:?\s+(?:in\s+)?(\d+\.\d+) secs\.?")
_DETAIL = re.compile(
    r"(DNS\+dialup|DNS-lookup|DNS lookup|req write|resp wait|resp read):\s+([\d.]+|NaN) secs, ([\d.]+|NaN) secs, ([\d.]+|NaN) secs"
)
_STATUS = re.compile(r"\[(\d{3})\]\s+(\d+) responses")
_ERROR = re.compile(r"\[(\d+)\]\s+(\S.*)")


def parse(lines: Lines, command: str | None) -> Found | None:
    first = last = lines.number + 1
    report = _Report()
    problems: list[Problem] = []
    blank: list[str] = []
    for line in lines:
        stripped = line.strip()
        if not stripped or is_elision(stripped):
            blank.append(lines.raw)
            continue
        taken = report.take(stripped, whole=not lines.unended())
        if taken is False and report.goes_on and not blank:
            report.append(stripped)  # a long error that a mail client broke
        elif taken is False:
            lines.back(*blank, lines.raw)
            break
        if taken is None and lines.cut != lines.number:
            problems.append(
                Problem(lines.number, f"expected a figure of hey's {report.section}, found {stripped[:60]!r}")
            )
        last = lines.number
        blank.clear()
    values = report.values
    if len(values) < 2:
        return None
    return Found(values, first, last, len(report.seen) < _WHOLE, problems)


class _Report:
    """hey's sections, in the order that hey prints them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.section = ""
        self.seen: set[str] = set()
        self.error = ""
        self.goes_on = False

    def take(self, line: str, whole: bool) -> bool | None:
        """True: read. None: it is in its place, and broken. False: the report is over. whole: its end is not missing."""
        self.goes_on = self.goes_on and not _ERROR.fullmatch(line)
        head = _HEAD.fullmatch(line)
        if head:
            if head[1] in self.seen or (self.section and _SECTIONS.index(head[1]) < _SECTIONS.index(self.section)):
                return False
            self.section = head[1]
            self.seen.add(head[1])
            return True
        for pattern, take in (
            (_FIGURE, self._figure),
            (_BAR, self._bar),
            (_PERCENT, self._percent),
            (_DETAIL, self._detail),
            (_STATUS, self._status),
        ):
            if found := pattern.fullmatch(line):
                return take(found)
        if self.section == "Error distribution" and (found := _ERROR.fullmatch(line)):
            if whole:
                self.error, self.goes_on = found[2], len(line) >= _BROKEN
                self.values.setdefault("errors", {})[self.error] = int(found[1])
            return True
        return None if self._belongs(line) else False

    def append(self, text: str) -> None:
        """Add the rest of the error read last, once."""
        errors = self.values["errors"]
        errors[f"{self.error} {text}"] = errors.pop(self.error)
        self.goes_on = False

    def _belongs(self, line: str) -> bool:
        label = line.partition(":")[0]
        return label in _SUMMARY and self.section == "Summary"

    def _figure(self, found: re.Match[str]) -> bool | None:
        name = _SUMMARY[found[1]]
        if name in self.values:
            return False
        if found[2][0].isdigit():
            self.section = self.section or "Summary"
            self.values[name] = float(found[2]) if found[3] != "bytes" else int(float(found[2]))
        return True

    def _bar(self, found: re.Match[str]) -> bool:
        if found[1][0].isdigit():
            self.values.setdefault("histogram", []).append([float(found[1]), int(found[2])])
        return True

    def _percent(self, found: re.Match[str]) -> bool:
        if float(found[1]) > 0:  # "0% in 0.0000 secs": too few requests for this percentile
            self.values.setdefault("percentiles_s", {})[f"{float(found[1]):g}"] = float(found[2])
        return True

    def _detail(self, found: re.Match[str]) -> bool:
        name = re.sub(r"\W", "_", found[1].lower())
        if "NaN" not in found.groups():
            times = (float(text) for text in found.groups()[1:])
            table = self.values.setdefault("details", {})
            table[name] = dict(zip(("average_s", "fastest_s", "slowest_s"), times, strict=True))
        return True

    def _status(self, found: re.Match[str]) -> bool:
        self.values.setdefault("status_codes", {})[found[1]] = int(found[2])
        return True


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    statuses, errors = get("status_codes", {}), get("errors", {})
    answered, failed = sum(statuses.values()), sum(errors.values())
    percentiles = {name: _ms(seconds) for name, seconds in get("percentiles_s", {}).items()}
    if get("slowest_s"):
        percentiles["100"] = _ms(values["slowest_s"])
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=get("requests_per_second"),
            complete_requests=answered if statuses else None,
            failed_requests=failed if statuses or errors else None,
            duration_s=get("time_taken_s"),
            mean_ms=_ms(values["average_s"]) if get("average_s") else None,
            min_ms=_ms(values["fastest_s"]) if get("fastest_s") else None,
            max_ms=_ms(values["slowest_s"]) if get("slowest_s") else None,
            percentiles_ms=percentiles,
            transferred_bytes=get("total_data_bytes"),
        )
    ]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 6)
