"""vmstat: procps' table of processes, memory, swap, io and CPU, one row a sample (-a, -n, -t, -w, -S too).

Reads     the two header lines (again every screenful) and the rows; also rows under the second header alone, and rows
          that stand apart from their header, and the last columns alone where somebody cut the others off
Yields    one SystemSample a row, but for the first of several: that is the average since the machine's start; of hours
          of rows a block each 10,000, the later ones numbered by "iteration", as are rows without a header of their own
Units     memory in KiB whatever -S says; si and so KiB/s, bi and bo blocks/s; shares of CPU time in per cent
Quirks    kernels add columns (st, gu); -a shows inact and active instead of buff and cache; -t adds a date at the end
Source    procps' src/vmstat.c, 3.2 to 4.0

vmstat_totals: `vmstat -s`, what the kernel has counted since the machine's start, a figure a line.

Reads     procps 2 to 4.0, from "total memory" on
Yields    SystemSample of memory, and HostFacts with the RAM and swap
Units     KiB, unless -S says otherwise; ticks, pages and counts as printed
Quirks    old versions print no unit; "swap cache" is the page cache
Source    procps' src/vmstat.c, sum_format()
"""

from __future__ import annotations

import re
from array import array
from itertools import islice
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..multiline import join_rest, match_joined
from ..records import Found, HostFacts, Problem, Record, SystemSample
from ..tables import Table
from ..transcript import is_elision
from ..units import number, rounded

KIND = "vmstat"
PROGRAMS = ("vmstat",)
OPENS = (
    r"procs\s{3,}memory\s+(?:page|swap)|(?:--)?[^\W\d]{4,6}+\.?(?:--)? {1,2}-{6,}[^\s-]+-{6,}"
    r"|r\s+b\s+(?:w\s+)?swpd\s+free\s+\S+\s+\S+\s+si\s+so\s"
    r"|(?:(?:(?!us\s)[a-z]{1,5}+\s++){0,12}+us\s+sy\s+id\s+wa(?:\s+st(?:\s+gu)?)?)\s*$"
    r"|\d{1,4}\s{1,4}\d{1,4}(?:\s+\d+){10}(?:\s+\d{1,3}){4,6}\s*$"
)

_TITLES = re.compile(r"-*procs-*\s+-*memory-*\s.*cpu.*")
_TRANSLATED_TITLES = re.compile(r"-*[^\W\d]+\.?-* {1,2}-{6,}[^\s-]+-{6,} -+[^\s-]+-+ -+[^\s-]+-+ .*")
_COLUMNS = re.compile(r"r\s+b\s+(?:w\s+)?swpd\s+free\s.*\bid\b.*")
_MORE_COLUMNS = re.compile(r"(?:(?:us|sy|id|wa|st|gu)\s*)*(?:[A-Z]{3,5})?")
_USUAL = "r b swpd free buff cache si so bi bo in cs us sy id wa st gu".split()  # noqa: SIM905
_ACTIVE = [{"buff": "inact", "cache": "active"}.get(name, name) for name in _USUAL]  # of -a
_BEFORE = "vmstat before"  # what Lines.memory has of the table before
_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active")
_UNITS = {"k": 1000 / 1024, "K": 1, "m": 1e6 / 1024, "M": 1024}
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?: [A-Z]{3,5})?\s*$")  # old ones put the time zone behind it
MOST_ROWS = 10_000  # of a block: nearly three hours at a row a second
_ASKED_ACTIVE = re.compile(r"\s-\w*a|\s--active")
_ASKED_UNIT = re.compile(r"\s(?:-\w*S|--unit)[ =]?([kKmM])\b")


def parse(lines: Lines, command: str | None) -> Found | None:
    match = _ASKED_UNIT.search(command or "")
    order = _ACTIVE if _ASKED_ACTIVE.search(command or "") else _USUAL
    tables = [_Rows(lines, _UNITS[match[1]] if match else 1, order)]
    if (lines.peek() or "").lstrip()[:1].isdigit():
        tables = [table for table in (lines.memory.get(_BEFORE), *tables) if table and table.goes_on()]
    if not tables:
        return None
    lines.memory[_BEFORE] = tables[0]
    return tables[0].read()


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rows of one that has more than a block holds."""
    before = lines.memory.get(KIND)
    return before.read() if before else None


class _Rows:
    """The rows of one vmstat while they are being read, by column: a dict for each of 100,000 would take 100 MB."""

    def __init__(self, lines: Lines, factor: float, order: list[str]) -> None:
        self.lines = lines
        self.factor = factor
        self.order = order  # of the columns, where their titles are in another language or missing
        self.is_titled = False
        self.names: list[str] = []
        self.blocks = 0

    def goes_on(self) -> bool:
        """Whether a row that stands apart belongs to this table, or to none that is shown but looks like the usual one."""
        figures = list(map(int, (self.lines.peek() or "").split()))
        if not self.names and len(figures) <= len(_USUAL) and 98 <= sum(figures[_USUAL.index("us") :]) <= 102:
            self.names, self.blocks = self.order[: len(figures)], 1
        return len(figures) == len(self.names)

    def read(self) -> Found | None:
        lines = self.lines
        lines.memory[KIND] = None
        self.columns: dict[str, list[Any]] = {}
        self.n, self.problems = 0, list[Problem]()
        self.row_lines = array("q")
        first = last = lines.number + 1
        blank: list[str] = []
        for line in lines:
            stripped = line.strip()
            if not stripped or is_elision(stripped):
                blank.append(lines.raw)
                continue
            if not self._take(stripped):
                lines.back(*blank, lines.raw)
                break
            last = lines.number
            blank.clear()
            if self.n == MOST_ROWS:
                lines.memory[KIND] = self
                break
        if not self.names or not (self.n or self.problems):
            return None
        return self._finish(first, last)

    def _take(self, text: str) -> bool:
        """Take a line in. False where it is no part of the table."""
        names = _names(self.lines, text)
        if names is None and self.is_titled:
            names = self._name_by_place(text)
        self.is_titled = names == []
        row = match_joined(self.lines, text, self._read_row) if self.names else None
        if row is not None:
            self._add(row)
        elif names is not None and names in ([], self.names):
            pass  # the heading of the next screenful
        elif names is not None and not self.names:
            self.names = names
        elif self.names and text[:1].isdigit() and len(text.split()) > 2 and names is None:
            if not self.lines.unended():
                message = f"expected {len(self.names)} figures, found {text[:60]!r}"
                self.problems.append(Problem(self.lines.number, message))
        else:
            return False
        return True

    def _name_by_place(self, text: str) -> list[str] | None:
        """The columns below a line of titles in any language, None where this is no line of theirs."""
        row = _STAMP.sub("", next(filter(None, map(str.strip, self.lines.ahead(3))), "")).split()
        if not (16 <= len(row) <= len(self.order) and all(map(str.isdecimal, row))) or any(
            map(str.isdecimal, text.split())
        ):
            return None
        return self.order[: len(row)]

    def _read_row(self, text: str) -> dict[str, Any] | None:
        return _read_row(text, self.names, self.factor)

    def _add(self, row: dict[str, Any]) -> None:
        for name in row.keys() - self.columns.keys():
            self.columns[name] = [None] * self.n
        for name, column in self.columns.items():
            column.append(row.get(name))
        self.row_lines.append(self.lines.number)
        self.n += 1

    def _finish(self, first: int, last: int) -> Found:
        self.blocks += 1
        values: dict[str, Any] = {"iteration": self.blocks} if self.blocks > 1 else {}
        names = [f"{name}_kb" if name in _MEMORY else name for name in self.names] + ["timestamp"]
        columns = {name: self.columns[name] for name in names if name in self.columns}
        return Found(
            values | {"n_rows": self.n, "rows": Table(columns, self.n, self.row_lines)},
            first,
            last,
            False,
            self.problems,
        )


def _names(lines: Lines, line: str) -> list[str] | None:
    """The columns that a heading names, [] for the titles above it, None for any other line."""
    if line.startswith(("procs", "--procs")) and match_joined(lines, line, _TITLES.fullmatch) is not None:
        return []
    if "------" in line and _TRANSLATED_TITLES.fullmatch(line):
        return []
    if _is_tail(line.split()):
        return line.split()
    if not line.startswith("r"):
        return None
    heading = match_joined(lines, line, _COLUMNS.fullmatch)
    if heading is None:
        return None
    text = join_rest(lines, heading[0], lambda more: bool(_MORE_COLUMNS.fullmatch(more)))
    return [name for name in text.split() if name.islower()]


def _is_tail(names: list[str]) -> bool:
    """Whether these are the last of the usual columns, at least those of CPU time: somebody cut the others off."""
    ends = (_USUAL, _USUAL[:-1], _USUAL[:-2])
    return (
        names[-1:] != ["id"]
        and "us" in names
        and any(len(names) < len(end) and names == end[-len(names) :] for end in ends)
    )


def _read_row(line: str, columns: list[str], factor: float) -> dict[str, Any] | None:
    stamp = _STAMP.search(line)
    cells = (line[: stamp.start()] if stamp else line).split()
    if len(cells) != len(columns):
        return None
    try:
        figures = [number(cell) for cell in cells]
    except ValueError:
        return None
    row: dict[str, Any] = {}
    for name, figure in zip(columns, figures, strict=True):
        row[f"{name}_kb" if name in _MEMORY else name] = rounded(figure * factor) if name in _MEMORY else figure
    if stamp:
        row["timestamp"] = stamp[1]
    return row


_METRICS = {
    "free_kb": "mem_free_kb",
    "buff_kb": "mem_buffers_kb",
    "cache_kb": "mem_cached_kb",
    "inact_kb": "mem_inactive_kb",
    "active_kb": "mem_active_kb",
    "swpd_kb": "swap_used_kb",
    "r": "run_queue",
    "b": "blocked",
    "si": "swap_in_kb_per_s",
    "so": "swap_out_kb_per_s",
}
_CPU = ("us", "sy", "id", "wa", "st")


def records(values: dict[str, Any]) -> list[Record]:
    rows = values.get("rows", [])
    since_start = len(rows) > 1 and "iteration" not in values
    return list(map(_sample, islice(rows, 1 if since_start else 0, None)))


def _sample(row: dict[str, Any]) -> SystemSample:
    metrics = {metric: float(row[name]) for name, metric in _METRICS.items() if name in row}
    metrics |= {f"cpu_{name}": float(row[name]) for name in _CPU if name in row}
    stamp = row.get("timestamp", "")
    return SystemSample(tool=KIND, clock=stamp[11:] or None, metrics=metrics)


# --- vmstat_totals ---------------------------------------------------------------------------------------------------
_TOTALS_OPENS = r"\d+(?: [kKmM])? {1,2}total memory\s*$|\d+ [kKmM] [^\W\d][\w’' ]+$"

_LINE = re.compile(r"(\d+)(?: ([kKmM]))? {1,2}([A-Za-z][A-Za-z -]+[a-z])")
_ANY_LINE = re.compile(r"(\d+)(?: ([kKmM]))? {1,2}([^\W\d][^\d:]*)")
_SIZES_IN_ORDER = (
    *("total memory", "used memory", "active memory", "inactive memory", "free memory", "buffer memory"),
    *("swap cache", "total swap", "used swap", "free swap"),
)
_SIZES = re.compile(r"(?:total|used|active|inactive|free|buffer) memory|swap cache|(?:total|used|free) swap")
_TOTALS_METRICS = {
    "used_memory_kb": "mem_used_kb",
    "free_memory_kb": "mem_free_kb",
    "active_memory_kb": "mem_active_kb",
    "inactive_memory_kb": "mem_inactive_kb",
    "buffer_memory_kb": "mem_buffers_kb",
    "swap_cache_kb": "mem_cached_kb",
    "total_memory_kb": "mem_total_kb",
    "total_swap_kb": "swap_total_kb",
    "used_swap_kb": "swap_used_kb",
    "free_swap_kb": "swap_free_kb",
}


def _parse_totals(lines: Lines, command: str | None) -> Found | None:
    values: dict[str, Any] = {}
    first = lines.number + 1
    if not _LINE.fullmatch(ahead := lines.ahead(1)[0].strip()) or not ahead.endswith("total memory"):
        return _parse_translated_totals(lines)
    for text in lines.texts():
        match = _LINE.fullmatch(text)
        new = _parse_figure(match[1], match[2], match[3]) if match else {}
        if not new or new.keys() & values.keys():
            lines.refuse()
            break
        if not lines.unended():  # else its name may go on
            values |= new
    return Found(values, first, lines.last, "free_swap_kb" not in values) if values else None


def _parse_translated_totals(lines: Lines) -> Found | None:
    """The sizes, which come first, by their places; what is counted below them has no names here."""
    matches = [_ANY_LINE.fullmatch(line.strip()) for line in lines.ahead(len(_SIZES_IN_ORDER))]
    sizes = [row for row in matches if row and row[2]]
    if len(sizes) < len(_SIZES_IN_ORDER):
        return None
    values: dict[str, Any] = {}
    for row, what in zip(sizes, _SIZES_IN_ORDER, strict=True):
        values |= _parse_figure(row[1], row[2], what)
    first = lines.number + 1
    for text in lines.texts():
        if not _ANY_LINE.fullmatch(text):
            lines.refuse()
            break
    return Found(values, first, lines.last)


def _parse_figure(figure: str, unit: str | None, what: str) -> dict[str, int | float]:
    """ "4020152", "K", "total memory" -> {"total_memory_kb": 4020152}."""
    name = re.sub(r"[^a-z]+", "_", what.lower())
    if not _SIZES.fullmatch(what):
        return {name: int(figure)}
    return {f"{name}_kb": rounded(int(figure) * _UNITS[unit or "K"], 3)}


def _totals_records(values: dict[str, Any]) -> list[Record]:
    metrics = {to: float(values[name]) for name, to in _TOTALS_METRICS.items() if name in values}
    samples: list[Record] = [SystemSample(tool="vmstat_totals", clock=None, metrics=metrics)]
    if "total_memory_kb" in values:
        swap = values.get("total_swap_kb")
        samples.append(HostFacts(ram_kb=int(values["total_memory_kb"]), swap_kb=None if swap is None else int(swap)))
    return samples


OTHER_FORMATS = (
    Format(
        kind="vmstat_totals",
        opens=_TOTALS_OPENS,
        parse=_parse_totals,
        records=_totals_records,
    ),
)
