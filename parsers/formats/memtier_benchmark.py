"""memtier_benchmark: the tables of a load of Redis or memcached.

Reads     from its progress, "4  Threads" or the title of a table to the table's last row, and the histogram below it
Yields    one LoadResult for each table: of its "Totals", since all kinds of operation were asked at once; the others stay in
          the values. Its path names those kinds, and whether the table is of the best or the worst of several runs
Units     ms; operations/s; KB/s as printed
Quirks    old versions print one latency, which is the mean; "---" is what an operation does not have; the number of clients
          stands above the first of several tables only; the mean of several runs (-x) is no run of its own; a table of several
          rows of totals is of so many runs
Source    memtier_benchmark's run_stats.cpp, 1.2 to 2.1
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report

KIND = "memtier_benchmark"
_COLUMNS = f"{KIND} columns"  # of its last table
PROGRAMS = ("memtier_benchmark",)
SEMANTICS = Semantics(address_from_command=True, whole_report=(), rate_step=0.01)
OPTIONS = {
    "-s -h --server --host": Option("hostname"),
    "-p --port": Option("port"),
    "-c --clients": Option("connections"),
    "-t --threads": Option("threads"),
    "-n --requests": Option("repeats_each"),
    "--test-time": Option("duration_s"),
    "--pipeline": Option("pipelining"),
    "-a --authenticate": Option(secret=True),
    "--rate-limiting": Option("rate_each"),
    "-P --protocol": Option("protocol"),
    "-d --data-size --data-size-range": Option("body"),
    "--ratio --key-pattern --key-minimum --key-maximum --multi-key-get --command --command-ratio": Option("script"),
    "--command-key-pattern": Option("script"),
    "-x --run-count -o --out-file --json-out-file -S --unix-socket --key-prefix --select-db": Option(),
    "--expiry-range --print-percentiles": Option(),
    "-R --random-data --distinct-client-seed --hide-histogram --cluster-mode -D --debug --randomize": FLAG,
    "--no-expiry --tls --tls-skip-verify -4 -6": FLAG,
}
DEFAULTS = {"threads": 4, "connections": 50, "hostname": "localhost", "port": 6379}
PRINTS = {
    "threads": "threads",
    "connections": "connections_per_thread",
    "duration_s": "duration_s",
    "repeats_each": "requests_per_client",
}
_TITLES = r"ALL STATS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE RESULTS \(\d+ runs\)"
OPENS = rf"Type\s+Ops/sec\s|(?:{_TITLES})\s*$|Writing results to stdout\s*$|\[RUN #\d+\] \w|\d+\s+Threads\s*$"

_COLUMN = re.compile(r"(Ops|Hits|Misses|MOVED|ASK)/sec|(?:(Avg\.|p\d+(?:\.\d+)?) )?Latency|(KB)/sec")
_HEADING = re.compile(r"Type\s+Ops/sec\s.*KB/sec")
_CELL = r"(?:---|\d{1,15}\.\d{2,5})"
_ROW = re.compile(rf"([A-Z]\w*)\s+({_CELL}(?:\s+{_CELL})*)")
_TITLE = re.compile(rf"({_TITLES})")
_ASKED = re.compile(r"(\d{1,9})\s+(Threads|Connections per thread|Requests per (?:client|thread)|Seconds)")
_NAMES = {"Threads": "threads", "Connections per thread": "connections_per_thread", "Seconds": "duration_s"}
_NAMES |= {"Requests per client": "requests_per_client", "Requests per thread": "requests_per_thread"}


def parse(lines: Lines, command: str | None) -> Found | None:
    table = _Table()
    report = take_report(lines, _REPORT, table.read)
    if report is None or "operations" not in report.values:
        return None
    lines.memory[_COLUMNS] = table.columns
    asked = {name: value for name, value in report.values.items() if name in _NAMES.values()}
    if asked:
        lines.memory[KIND] = asked
    elif report.values.get("title", "")[:1] in "WA":  # of the same runs as the best one above
        report.values |= lines.memory.get(KIND, {})
    return report


def follows(lines: Lines, command: str | None) -> Found | None:
    """The totals of one more run, where somebody put those of several below one heading."""
    if not any(map(_is_total, lines.ahead(1))):
        return None
    while not (lines.peek() or "").strip():
        next(lines)
    return take_report(lines, _REPORT, _Table(lines.memory[_COLUMNS]).read)


def _is_total(line: str) -> bool:
    return line.split()[:1] == ["Totals"]


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"(?:{_TITLES})$|Type\s+Ops/sec|\d+\s+(?:Threads|Connections per|Requests per|Seconds)"
        r"|[A-Z][a-z]\w*\s+(?:---|\d+\.\d\d)(?:\s|$)"
    ),
    noise=re.compile(
        r"Writing results to stdout$|={20,}|-{20,}|Request Latency Distribution$|Type\s+<= msec\s|---$"
        r"|[A-Z]\w*\s+\d+\.\d{3}\s+\d+\.\d+$"
    ),
    free=re.compile(r"\[RUN #\d+"),
    over=lambda values, line: (
        "operations" in values and bool(re.match(OPENS, line) or ("Totals" in values["operations"] and _is_total(line)))
    ),
    whole=2,
    broken=3,
)


class _Table:
    def __init__(self, columns: Sequence[str] = ()) -> None:
        self.columns = list(columns)

    def read(self, line: str) -> dict[str, Any] | None:
        if match := _ASKED.fullmatch(line):
            return {_NAMES[match[2]]: int(match[1])}
        if match := _TITLE.fullmatch(line):
            return {"title": match[1]}
        if _HEADING.fullmatch(line):
            self.columns = [_name_column(each) for each in _COLUMN.finditer(line)]
            return {}
        row = _ROW.fullmatch(line)
        cells = row[2].split() if row else []
        if not row or len(cells) != len(self.columns):
            return None
        figures = {name: float(cell) for name, cell in zip(self.columns, cells, strict=True) if cell != "---"}
        return {"operations": {row[1]: figures}}


def _name_column(match: re.Match[str]) -> str:
    if match[1]:
        return f"{match[1].lower()}_per_s"
    if match[3]:
        return "kb_per_s"
    return f"{match[2]}_ms" if match[2] and match[2] != "Avg." else "avg_ms"


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c and -t are those above the table."""
    return command.agrees(values, {"connections": "connections_per_thread", "threads": "threads"})


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    operations = get("operations", {})
    kinds = [name for name, figures in operations.items() if name != "Totals" and figures.get("ops_per_s")]
    total = operations.get("Totals", operations[kinds[0]] if len(kinds) == 1 else {})
    title = get("title", "")
    path = " + ".join(kinds) + {"B": ", best run", "W": ", worst run"}.get(title[:1], "")
    asked = [values[name] for name in ("threads", "connections_per_thread") if name in values]
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=total.get("ops_per_s"),
            concurrency=asked[0] * asked[1] if len(asked) == 2 else None,
            duration_s=get("duration_s"),
            mean_ms=total.get("avg_ms"),
            percentiles_ms={name[1:-3]: ms for name, ms in total.items() if name[0] == "p" and name.endswith("_ms")},
            path=path or None,
        )
    ]
