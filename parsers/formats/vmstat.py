"""vmstat: procps' table of processes, memory, swap, io and CPU, one row a look (-a, -n, -t, -w, -S too).

Reads     the two header lines (again every screenful) and the rows; also rows under the second header alone
Yields    one SystemSample a row, but for the first of several: that is the average since the machine's start
Units     memory in KiB whatever -S says; si and so KiB/s, bi and bo blocks/s; shares of CPU time in per cent
Quirks    kernels add columns (st, gu); -a shows inact and active instead of buff and cache; -t adds a date at the end
Source    procps' src/vmstat.c, 3.2 to 4.0
"""

from __future__ import annotations

import re
from typing import Any

from ..broken import rest, whole
from ..catalogue import Found
from ..lines import Lines
from ..records import Problem, Record, SystemSample
from ..units import number

KIND = "vmstat"
COMMAND = r"(?:^|[\s/;&|(])vmstat(?:\s|$)"
OPENS = (
    r"procs -+memory-+|procs\s{3,}memory\s+(?:page|swap)|--procs-- -+memory-+"
    r"|r\s+b\s+(?:w\s+)?swpd\s+free\s+\S+\s+\S+\s+si\s+so\s"
)

_TITLES = re.compile(r"-*procs-*\s+-*memory-*\s.*cpu.*")
_COLUMNS = re.compile(r"r\s+b\s+(?:w\s+)?swpd\s+free\s.*\bid\b.*")
_MORE_COLUMNS = re.compile(r"(?:(?:us|sy|id|wa|st|gu)\s*)*(?:[A-Z]{3,5})?")
_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active")
_UNITS = {"k": 1000 / 1024, "K": 1, "m": 1e6 / 1024, "M": 1024}
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_ASKED_UNIT = re.compile(r"\s(?:-\w*S|--unit)[ =]?([kKmM])\b")


def parse(lines: Lines, command: str | None) -> Found | None:
    first = last = lines.number + 1
    asked = _ASKED_UNIT.search(command or "")
    factor = _UNITS[asked[1]] if asked else 1
    columns: list[str] = []
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    blank: list[str] = []

    def reading(text: str) -> dict[str, Any] | None:
        return _row(text, columns, factor)

    for line in lines:
        stripped = line.strip()
        if not stripped:
            blank.append(lines.raw)
            continue
        names = _names(lines, stripped)
        row = whole(lines, stripped, reading) if columns else None
        if row is not None:
            rows.append(row)
        elif names is not None and names in ([], columns):
            pass  # the heading of the next screenful
        elif names is not None and not columns:
            columns = names
        elif columns and stripped[:1].isdigit() and len(stripped.split()) > 2 and names is None:
            if not lines.unended():
                problems.append(Problem(lines.number, f"expected {len(columns)} figures, found {stripped[:60]!r}"))
        else:
            lines.back(*blank, lines.raw)
            break
        last = lines.number
        blank.clear()
    if not columns or not (rows or problems):
        return None
    return Found({"n_rows": len(rows), "rows": rows}, first, last, False, problems)


def _names(lines: Lines, line: str) -> list[str] | None:
    """The columns that a heading names, [] for the titles above it, None for any other line."""
    if line.startswith(("procs", "--procs")) and whole(lines, line, _TITLES.fullmatch) is not None:
        return []
    if not line.startswith("r"):
        return None
    heading = whole(lines, line, _COLUMNS.fullmatch)
    if heading is None:
        return None
    text = rest(lines, heading[0], lambda more: bool(_MORE_COLUMNS.fullmatch(more)))
    return [name for name in text.split() if name.islower()]


def _row(line: str, columns: list[str], factor: float) -> dict[str, Any] | None:
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
        row[f"{name}_kb" if name in _MEMORY else name] = _whole(figure * factor) if name in _MEMORY else figure
    if stamp:
        row["timestamp"] = stamp[1]
    return row


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else round(value, 6)


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
    return [_sample(row) for row in (rows[1:] if len(rows) > 1 else rows)]


def _sample(row: dict[str, Any]) -> SystemSample:
    metrics = {metric: float(row[name]) for name, metric in _METRICS.items() if name in row}
    metrics |= {f"cpu_{name}": float(row[name]) for name in _CPU if name in row}
    stamp = row.get("timestamp", "")
    return SystemSample(tool=KIND, clock=stamp[11:] or None, metrics=metrics)
