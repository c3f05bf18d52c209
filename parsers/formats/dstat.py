"""dstat: its table of the machine's figures, a row a second.

Reads     the row of groups, the row of titles (again every screenful) and the rows, of dstat and of pcp dstat
Yields    SystemSample a row, but for the first of several: that is the average since the machine's start
Units     shares of CPU time in per cent; sizes with 1024, kept in KiB, those of disk and network a second; load; counts a second
Quirks    a column is known by its group and its title ("used" is of memory or of swap); of a group of its own, as each disk's,
          and of plugins no figure is read
Source    dstat 0.7's and pcp-dstat's manuals, and their --list
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..lines import Lines
from ..multiline import join_rest, match_joined, rejoin
from ..records import Found, Problem, Record, SystemSample

KIND = "dstat"
PROGRAMS = ("dstat", "pcp-dstat", "dool")
_GROUP = r"-{1,20}[a-z][a-z0-9/-]{0,60}"  # matches in one way, as the first letter ends the dashes
_KNOWN = r"(?:total-(?:cpu-)?usage|dsk/total|net/total|memory-usage|load-avg)"
OPENS = rf"(?:{_GROUP} )*-{{1,20}}{_KNOWN}-{{1,20}}(?: {_GROUP})*\s*$"

_SHARES = {"usr": "us", "sys": "sy", "idl": "id", "wai": "wa", "hiq": "hi", "siq": "si", "stl": "st"}
_SIZES = {
    "dsk/total": {"read": "disk_read_kb_per_s", "writ": "disk_write_kb_per_s"},
    "net/total": {"recv": "net_received_kb_per_s", "send": "net_sent_kb_per_s"},
    "memory-usage": {"used": "mem_used_kb", "buff": "mem_buffers_kb", "cach": "mem_cached_kb", "free": "mem_free_kb"},
    "swap": {"used": "swap_used_kb", "free": "swap_free_kb"},
    "paging": {"in": "swap_in_kb_per_s", "out": "swap_out_kb_per_s"},
}
_COUNTS = {
    **dict.fromkeys(("total-cpu-usage", "total-usage"), {title: f"cpu_{name}" for title, name in _SHARES.items()}),
    "load-avg": {"1m": "load1", "5m": "load5", "15m": "load15"},
    "system": {"int": "interrupts_per_s", "csw": "context_switches_per_s"},
    "procs": {"run": "procs_running", "blk": "procs_blocked"},
}
_TITLES = {title for names in (*_SIZES.values(), *_COUNTS.values()) for title in names}
_GROUPS = re.compile(rf"{_GROUP}(?: {_GROUP})*")
_FIGURE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([BkMGT]?)")
_KB = {"": 1 / 1024, "B": 1 / 1024, "k": 1, "M": 1024, "G": 1024**2, "T": 1024**3}
_THOUSANDS = {"": 1, "B": 1, "k": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_MOST_ROWS = 10_000
_Column = tuple[str, Mapping[str, float]]  # its figures' name, "" where it is not known, and their units


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    groups: list[str] = []
    columns: list[list[str]] = []
    plan: list[list[_Column]] = []
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for line in lines.texts():
        if line[0] == "-" and _GROUPS.fullmatch(line):
            groups, columns = [group.strip("-") for group in rejoin(lines, line, _GROUPS).split()], []
            plan = []
        elif not columns and (titles := match_joined(lines, line, partial(_read_titles, groups), most=4)):
            columns = [
                *titles[:-1],
                join_rest(lines, " ".join(titles[-1]), lambda more: set(more.split()) <= _TITLES).split(),
            ]
            plan = _plan_row(groups, columns)
        elif len(rows) == _MOST_ROWS or "|" not in line:
            lines.refuse()
            break
        elif row := match_joined(lines, line, partial(_read_row, plan), most=4):
            rows.append(row)
        elif lines.cut != lines.number and not lines.unended():
            problems.append(Problem(lines.number, f"expected a row of dstat's figures, found {line[:60]!r}"))
    return Found({"n_rows": len(rows), "rows": rows}, first, lines.last, False, problems) if rows else None


def _read_titles(groups: list[str], line: str) -> list[list[str]] | None:
    """The titles of each group's columns."""
    cells = [cell.split() for cell in line.split("|")]
    return cells if len(cells) == len(groups) and all(cells) and not _TITLES.isdisjoint(sum(cells, [])) else None


def _plan_row(groups: list[str], columns: list[list[str]]) -> list[list[_Column]]:
    """What the columns of each group are; of a group of which none is known, nothing."""
    plan: list[list[_Column]] = []
    for group, titles in zip(groups, columns, strict=True):
        sizes, counts = _SIZES.get(group, {}), _COUNTS.get(group, {})
        known: list[_Column] = [
            (sizes.get(title) or counts.get(title, ""), _KB if title in sizes else _THOUSANDS) for title in titles
        ]
        plan.append(known if any(name for name, _ in known) else [])
    return plan


def _read_row(plan: list[list[_Column]], line: str) -> dict[str, Any] | None:
    """The figures that are known, by their names."""
    row: dict[str, Any] = {}
    cells = line.split("|")
    if len(cells) != len(plan):
        return None
    for columns, cell in zip(plan, cells, strict=True):
        texts = cell.split() if columns else []
        if len(texts) != len(columns):
            return None
        for (name, units), text in zip(columns, texts, strict=True):
            match = _FIGURE.fullmatch(text)
            if match is None:
                return None
            value = float(match[1]) * units[match[2]]
            if name:
                row[name] = round(value, 3) if units is _KB else value
    return row or None


def records(values: dict[str, Any]) -> list[Record]:
    rows = values["rows"]
    return [SystemSample(tool=KIND, clock=None, metrics=row) for row in (rows[1:] if len(rows) > 1 else rows)]
