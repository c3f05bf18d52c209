"""ps_mem: the memory of each program, as the script of that name prints it.

Reads     the table by program, by process (-d) and with swap (-S); repeated (-w), each table to its total is a sample
Yields    a ProcessSample a row; of a program with several processes one for all, with 0 for a pid
Units     KiB
Quirks    "RAM used" is in place of RSS: what processes share is counted once, so it is less than the sum of theirs
Source    ps_mem.py, print_header() and print_memory_usage()
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import iteration
from ..lines import Lines
from ..records import Found, ProcessSample, Record
from ..units import size_kb

KIND = "ps_mem"
PROGRAMS = ("ps_mem", "ps_mem.py", "ps-mem")
_SIZE = r"\d{1,9}\.\d [KMGT]iB"
_TITLES = r"Private\s{1,9}\+\s{1,9}Shared\s{1,9}=\s{1,9}RAM used\s"
_SUM = rf"{_SIZE}\s{{1,9}}\+\s{{1,9}}{_SIZE}\s{{1,9}}=\s{{1,9}}{_SIZE}\s"
OPENS = rf"(?:{_TITLES}|{_SUM})"
NEEDS = ("ram used", "ib +")
_HEADING = re.compile(rf"{_TITLES}\s*(?:Swap used\s+)?Program(?:\[pid\])?")
_ROW = re.compile(
    rf"(?P<private>{_SIZE})\s+\+\s+(?P<shared>{_SIZE})\s+=\s+(?P<used>{_SIZE})(?:\s+(?P<swap>{_SIZE}))?"
    r"\s+(?P<program>\S.*?)(?:\s\((?P<n>\d{1,9})\)|\s\[(?P<pid>\d{1,9})\])?"
)
_TOTAL = re.compile(rf"(?P<used>{_SIZE})(?:\s+(?P<swap>{_SIZE}))?")
_RULE = re.compile(r"-{20,}|={20,}")


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above, ruled = lines.number + 1, lines.raw, False
    rows: list[dict[str, Any]] = []
    total: dict[str, Any] = {}
    for text in lines.texts():
        if _RULE.fullmatch(text):
            ruled = True
        elif ruled and not total and (match := _TOTAL.fullmatch(text)):
            total = _read_sizes(match)
        elif not ruled and (row := _ROW.fullmatch(text)) and (row["n"] or row["pid"] or not lines.unended()):
            rows.append(_read_row(row))  # without a number the text may have ended within the program's name
        elif rows or not _HEADING.fullmatch(text):
            lines.refuse()
            break
        if total and text.startswith("="):
            break
    if not rows:
        return None
    values = {"iteration": iteration(lines, KIND, first, lines.last, above), "n_rows": len(rows), "rows": rows}
    return Found(values | {f"total_{name}": size for name, size in total.items()}, first, lines.last)


def _read_row(row: re.Match[str]) -> dict[str, Any]:
    """Without a pid, one row stands for n processes."""
    numbers = {name: int(row[name]) for name in ("n", "pid") if row[name]}
    return {"program": row["program"], **_read_sizes(row), **numbers}


def _read_sizes(match: re.Match[str]) -> dict[str, Any]:
    return {f"{name}_kb": size_kb(text) for name, text in match.groupdict().items() if text and text.endswith("iB")}


def records(values: dict[str, Any]) -> list[Record]:
    return [
        ProcessSample(
            pid=row.get("pid", 0),
            user=None,
            command=row["program"],
            group=ProcessSample.group_of(row["program"]),
            rss_kb=row["used_kb"],
        )
        for row in values.get("rows", [])
    ]
