"""autocannon: the tables that it prints at the end, and its JSON (--json).

Reads     from "Running 10s test @ URL" or the first table to the count of requests and of errors; versions before 2 printed
          one table of three columns, without lines. One object of JSON, which stands below the tables where both were kept
Yields    one LoadResult
Units     latencies ms; requests/s; sizes with 1000, kept in bytes; counts of a thousand and more are printed rounded ("87k")
Quirks    latencies are counted in whole ms, so a quick server has 0 ms; figures of the second table have the separators of
          the machine's language; its "Min" and percentiles are of seconds, not of requests. The first line is wrk's
Source    autocannon's lib/printResult.js, 1 to 9
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..multiline import figure, figures, find_text, take_object
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import DECIMAL_SIZES, compile_lines, number

KIND = "autocannon"
PROGRAMS = ("autocannon",)
SEMANTICS = Semantics(
    http_version="1.1",
    sampled_rate=True,  # of each second, and the count is printed rounded
    failure_kinds={"timeout": "timeouts"},
    non_2xx=("responses_non_2xx",),
    absent_non_2xx_is_zero=True,
    percentile_step_ms=1.0,
    received_bytes="total_read_bytes",
    printed_as={
        "requests_per_second": "requests_per_s.avg",
        **dict.fromkeys(("mean_ms", "max_ms", "percentiles_ms.50", "percentiles_ms.99"), "latency_ms"),
        "complete_requests": "requests_sent",
        "duration_s": "time_taken_s",
        "failed_requests": "errors",
        "non_2xx_responses": "responses_non_2xx",
    },
)
OPTIONS = {
    "-c --connections": Option("concurrency"),
    "-d --duration": Option("duration_s"),
    "-a --amount": Option("requests"),
    "-R --overallRate": Option("rate"),
    "-p --pipelining": Option("pipelining"),
    "-w --workers": Option("threads"),
    "-t --timeout": Option("timeout_s"),
    "-m --method": Option("method"),
    "-H --headers": Option("header"),
    "-b --body -i --input": Option("body"),
    "-r --connectionRate": Option("rate_each"),
    "-F -s -T --title -W": Option(),
    "-f -j --json -l --latency -n --renderStatusCodes": FLAG,
}
PRINTS = {"duration_s": "duration_s", "requests": "amount", "pipelining": "pipelining"}
OPENS = (
    r"Running (?:\d+s|\d+ requests) test @ \S|│ Stat\s+│ (?:2\.5|1)%\s|Stat\s+(?:2\.5%\s+50|1%\s+2\.5)%\s"
    r"|\{\s*$|\{\"(?:title|url)\":\s*\""
)

_TITLE = r"(?: \(<title:T>\)?)?"  # of a run, as versions before 4 print it
_CONNECTIONS = re.compile(r"(\d+) connections(?: with (\d+) pipelining factor)?(?: and \d+ workers?)?")
_OLD = re.compile(
    r"(Latency)(?: \(ms\))((?:\s+[\d.]+){3})|(Req/Sec)((?:\s+[\d.]+){3})|(Bytes/Sec)((?:\s+[\d.]+ [kMGT]?B){3})"
)
_OLD_HEADING = re.compile(r"Stat\s+Avg\s+Stdev\s+Max")
_BARE_HEADING = re.compile(r"Stat(?:\s+(?:\d{1,2}(?:\.\d)?%|Avg|Stdev|Min|Max)){7}")  # pasted without its lines
_BARE_ROW = re.compile(r"(Latency|Req/Sec|Bytes/Sec)((?:\s+\d[\d.,]*(?: (?:ms|[kMGT]?B))?){7})")
_BARE_CELL = re.compile(r"\d[\d.,]*(?: (?:ms|[kMGT]?B))?")
_MS = re.compile(r"(\d+(?:\.\d+)?) ms")
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ([kMGT]?)B")
_COLUMN = re.compile(r"\d{1,2}(?:\.\d{1,3})?|avg|stdev|min|max")
_HEADINGS = {"Stat": 8, "Code": 2, "Percentile": 2}  # columns
_COUNT = {"": 1, "k": 1000, "m": 1000**2}
_SEPARATOR = re.compile(r"[.,'’ ](?=\d{3}(?!\d))")


JSON = re.compile(
    r'\{(?:"title":"[^"]*",?)?(?:"url":"[^"]*",?)?(?:"socketPath":"[^"]*",)?"connections":\d|\{"title":"[^"]*","url":"'
)


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    ours = "autocannon " in (command or "")
    ahead = [line.strip() for line in lines.ahead(3)]
    if not ours and not any(line.startswith(("│", "Stat")) or _CONNECTIONS.fullmatch(line) for line in ahead):
        return None  # wrk's first line is the same
    report = take_report(lines, _REPORT, _Tables().read)
    title = report.values.pop("title", None) if report else None
    if report and (exact := take_object(lines, JSON, _read_object)):
        return Found(report.values | exact.values, report.first, exact.last, False, report.problems, label=title)
    return replace(report, label=title) if report else None


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"│ |Stat\s+(?:Avg\s|\d)|Latency\s+\d+(?:\.\d+)? ms\s|Latency \(ms\)\s|(?:Req|Bytes)/Sec\s|Running \d"
        r"|\d+ connections|# of samples: |\d+ 2xx responses"
        r"|\d+[km]? requests in \d|\d+[km]? errors \("
    ),
    noise=re.compile(r"[┌├└][─┬┼┴]+|Req/Bytes counts sampled|\d+[km]? requests with mismatched body|running \["),
    broken=3,
)


class _Tables:
    """What the lines tell; a row's columns are those of the heading above it."""

    def __init__(self) -> None:
        self.columns: list[str] = []

    def read(self, line: str) -> dict[str, Any] | None:
        if line.startswith("│"):
            return self._read_row([cell.strip() for cell in line.split("│")[1:-1]]) if line.endswith("│") else None
        if _BARE_HEADING.fullmatch(line):
            self.columns = line.split()
            return {}
        if self.columns and (match := _BARE_ROW.fullmatch(line)):
            return self._read_row([match[1], *_BARE_CELL.findall(match[2])])
        if not self.columns and (match := _OLD.fullmatch(line)):
            return _read_old_row(*(text for text in match.groups() if text))
        if _OLD_HEADING.fullmatch(line):
            return {}
        return _read_figures(line)

    def _read_row(self, cells: list[str]) -> dict[str, Any] | None:
        if cells and (width := _HEADINGS.get(cells[0])):
            if len(cells) != width:
                return None
            self.columns = cells
            return {}
        if not cells or len(cells) != len(self.columns):
            return None
        try:
            return self._read_figures(cells[0], cells[1:])
        except ValueError:
            return None

    def _read_figures(self, name: str, cells: list[str]) -> dict[str, Any] | None:
        if self.columns[:1] == ["Code"]:
            return {"status_codes": {name: int(cells[0])}}
        if self.columns[:1] == ["Percentile"]:
            return {"spectrum_ms": {f"{float(number(name)):g}": float(number(cells[0]))}}
        if name not in _NAMES:
            return None
        field, figure = _NAMES[name]
        names = [column.lower().removesuffix("%") for column in self.columns[1:]]
        if not all(_COLUMN.fullmatch(name) for name in names):
            return None
        return {field: dict(zip(names, map(figure, cells), strict=True))}


def _read_old_row(name: str, text: str) -> dict[str, Any]:
    """A row of the table without lines between its columns, which are avg, stdev and max."""
    field, read = _NAMES[name]
    cells = re.findall(r"(?<![\d.])[\d.]+ [kMGT]?B" if name == "Bytes/Sec" else r"[\d.]+", text)
    try:
        figures = [_parse_figure(cell) if name == "Latency" else read(cell) for cell in cells]
    except ValueError:  # "1.2.3"
        return {}
    return {field: dict(zip(("avg", "stdev", "max"), figures, strict=True))}


def _count(text: str) -> int:
    unit = text[-1] if text[-1].isalpha() else ""
    return int(text.removesuffix(unit)) * _COUNT[unit]


_read_figures = compile_lines(
    {
        "B": (
            r"\d+(?:\.\d+)? [kMGT]?",
            lambda text: round(float(text.split()[0]) * DECIMAL_SIZES[text.partition(" ")[2]]),
        ),
        "K": (r"\d+[km]?", _count),
        "S": (r"\d+", float),
        "T": (r".*?", lambda text: text or None),
    },
    rf"Running (?:<duration_s:S>s|<amount:N> requests) test @ <url:W>{_TITLE}",
    r"<connections:N> connections(?: with <pipelining:N> pipelining factor)?(?: and \d+ workers?)?",
    r"# of samples: <samples:N>",
    r"<responses_2xx:N> 2xx responses, <responses_non_2xx:N> non 2xx responses",
    r"<requests_sent:K> requests in <time_taken_s:F>s, <total_read_bytes:B>B read(?: \(.*?\)?)?",
    r"<errors:K> errors \(<timeouts:K> timeouts\)",
)


def _parse_ms(cell: str) -> float:
    match = _MS.fullmatch(cell)
    return float(match[1]) if match else float("x")


def _parse_figure(cell: str) -> float:
    """ "39,679" as English has it, "39.679" as German does → 39679; no figure has three decimals."""
    return float(number(_SEPARATOR.sub("", cell)))


def _parse_size(cell: str) -> float:
    match = _SIZE.fullmatch(cell)
    return round(float(match[1]) * DECIMAL_SIZES[match[2]]) if match else float("x")


def _read_object(tree: dict[str, Any]) -> dict[str, Any]:
    if figure(tree, "requests", "average") is None:
        return {}
    codes = tree.get("statusCodeStats", {})
    return {
        "format": "json",
        "url": find_text(tree, "url"),
        "connections": figure(tree, "connections"),
        "pipelining": figure(tree, "pipelining"),
        "samples": figure(tree, "samples"),
        "responses_2xx": figure(tree, "2xx"),
        "responses_non_2xx": figure(tree, "non2xx"),
        "status_codes": {code: n for code in codes if (n := figure(codes, code, "count")) is not None},
        "requests_sent": figure(tree, "requests", "sent"),
        "time_taken_s": figure(tree, "duration"),
        "total_read_bytes": figure(tree, "throughput", "total"),
        "errors": figure(tree, "errors"),
        "timeouts": figure(tree, "timeouts"),
        "latency_ms": _statistics(tree, "latency"),
        "requests_per_s": _statistics(tree, "requests"),
        "bytes_per_s": _statistics(tree, "throughput"),
    }


def _statistics(tree: dict[str, Any], name: str) -> dict[str, float]:
    """The figures by the names that the tables give them: p97_5 is "97.5"."""
    names = {"average": "avg", "stddev": "stdev", "min": "min", "max": "max"}
    return {
        names.get(key, key[1:].replace("_", ".")): value
        for key, value in figures(tree, name).items()
        if key in names or re.fullmatch(r"p[1-9]\d*(?:_\d+)?", key)
    }


_NAMES = {
    "Latency": ("latency_ms", _parse_ms),
    "Req/Sec": ("requests_per_s", _parse_figure),
    "Bytes/Sec": ("bytes_per_s", _parse_size),
}


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    times = dict(get("latency_ms", {}))
    if get("requests_per_s", {}).get("avg") == 0:  # where nothing was answered, zeros are printed
        times = {}
    result = make_result(
        KIND,
        values,
        # Printed only where there were any, so that a whole report without them says none.
        failed_requests=get("errors", 0 if "requests_sent" in values else None),
        concurrency=get("connections"),
        mean_ms=times.get("avg"),
        max_ms=times.get("max"),
        percentiles_ms=get("spectrum_ms", {}) | {name: ms for name, ms in times.items() if name[0].isdigit()},
    )
    return [result]
