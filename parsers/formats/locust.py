"""locust: the tables that Locust prints without its web pages.

Reads     the table of requests, each time that it was printed, to the percentiles and the report of errors at the end
Yields    one LoadResult: "Aggregated" of the last table; its rows stay in the values
Units     times ms, printed whole; rates requests/s
Quirks    the table is printed every two seconds and each counts from the beginning; percentiles are approximated: above
          100 ms they have two digits. How many users there were is in the log lines and the command only
Source    Locust's stats.py, 2.x
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report

KIND = "locust"
PROGRAMS = ("locust",)
SEMANTICS = Semantics()
OPTIONS = {
    **dict.fromkeys(("-u", "--users", "-c", "--clients"), Option("concurrency")),
    **dict.fromkeys(("-t", "--run-time"), Option("duration_s")),
    **dict.fromkeys(("-n", "--num-request"), Option("requests")),
    **dict.fromkeys(("-H", "--host"), Option("url")),
    **dict.fromkeys(("--csv", "-f", "--locustfile", "-L", "--logfile", "-r", "--spawn-rate"), Option()),
    **dict.fromkeys(("--headless", "--no-web", "--only-summary", "--print-stats"), Option(takes_value=False)),
}
_TYPE = r"(?:Type\s+)?"
OPENS = rf"{_TYPE}Name\s+# reqs\s+# fails|Type {{5}}Name\s*$|Response time percentiles \(approximated\)\s*$"

_HEAD = re.compile(rf"{_TYPE}Name\s+# reqs\s+# fails\s*\|\s*Avg\s+Min\s+Max\s+Med(?:ian)?\s*\|\s*req/s\s+failures/s")
_PERCENTS = re.compile(rf"{_TYPE}Name\s+((?:\d[\d.]*%\s+)+)# reqs")
_ROW = re.compile(
    r"(\S.*?)\s+(\d+)\s+(\d+)\s?\((\d+\.\d\d)%\)\s*\|\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\|\s*(\d+\.\d\d)\s+(\d+\.\d\d)"
)
_NAMES = ("requests", "failures", "failures_pct", "avg_ms", "min_ms", "max_ms", "median_ms")
_RATES = ("requests_per_s", "failures_per_s")
_TOTAL = ("Aggregated", "Total")


def parse(lines: Lines, command: str | None) -> Found | None:
    tables = _Tables()
    found = take_report(lines, tables.report())
    if found is None or not found.values.get("tables"):
        return None
    found.partial = "percentiles_ms" not in found.values
    return found


class _Tables:
    def __init__(self) -> None:
        self.rows: dict[str, Any] | None = None
        self.percents: list[str] = []

    def report(self) -> Report:
        return Report(
            tool=KIND,
            read=self.read,
            meant=re.compile(
                r"(?:Type|Name|Aggregated|Total|[A-Z]{3,8})(?:\s|$)|\S.*\d\(\d+\.\d\d%\)\s*\||\S.*?(?:\s+\d+){8,}$"
            ),
            noise=re.compile(r"-+(?:\|-+)+$|Response time percentiles|Error report$|# occurrences\s+Error$"),
            free=re.compile(r"\d+\s{2,}\S|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] \S+/[A-Z]+/locust"),
            broken=3,
        )

    def read(self, line: str) -> dict[str, Any] | None:
        if _HEAD.fullmatch(line):
            self.rows, self.percents = {}, []
            return {"tables": [self.rows]}
        if found := _PERCENTS.fullmatch(line):
            self.percents = found[1].split()
            return {}
        if self.percents:
            return self._percentiles(line.split())
        if self.rows is None or not (found := _ROW.fullmatch(line)):
            return None
        figures = [float(found[4]) if at == 4 else int(found[at]) for at in (2, 3, 4, 5, 6, 7, 8)]
        row = dict(zip(_NAMES, figures, strict=True))
        row |= dict(zip(_RATES, (float(found[9]), float(found[10])), strict=True))
        self.rows[" ".join(found[1].split())] = row
        return {}

    def _percentiles(self, words: list[str]) -> dict[str, Any] | None:
        name, figures = words[: -len(self.percents) - 1], words[-len(self.percents) - 1 :]
        if not name or not all(figure.isdecimal() for figure in figures):
            return None
        named = (f"{float(percent[:-1]):g}" for percent in self.percents)
        return {"percentiles_ms": {" ".join(name): dict(zip(named, map(int, figures), strict=False))}}


def records(values: dict[str, Any]) -> list[Record]:
    rows = values["tables"][-1]
    total = next((rows[name] for name in _TOTAL if name in rows), None)
    if total is None:
        return []
    told = values.get("percentiles_ms", {})
    percentiles = next((told[name] for name in _TOTAL if name in told), {"50": total["median_ms"]})
    n, rate = total["requests"], total["requests_per_s"]
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=rate,
            complete_requests=n,
            failed_requests=total["failures"],
            duration_s=round(n / rate, 3) if rate else None,
            mean_ms=total["avg_ms"],
            min_ms=total["min_ms"],
            max_ms=total["max_ms"],
            percentiles_ms=percentiles | {"100": total["max_ms"]},
        )
    ]
