"""vmstat_totals: `vmstat -s`, what the kernel has counted since the machine's start, a figure a line.

Reads     procps 2 to 4.0, from "total memory" on
Yields    SystemSample of memory, and HostFacts with the RAM and swap
Units     KiB, unless -S says otherwise; ticks, pages and counts as printed
Quirks    old versions print no unit; "swap cache" is the page cache
Source    procps' src/vmstat.c, sum_format()
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, HostFacts, Record, SystemSample

KIND = "vmstat_totals"
PROGRAMS = ("vmstat",)
OPENS = r"\d+(?: [kKmM])? {1,2}total memory\s*$"

_LINE = re.compile(r"(\d+)(?: ([kKmM]))? {1,2}([A-Za-z][A-Za-z -]+[a-z])")
_UNITS = {"k": 1000 / 1024, "K": 1, "m": 1e6 / 1024, "M": 1024}
_SIZES = re.compile(r"(?:total|used|active|inactive|free|buffer) memory|swap cache|(?:total|used|free) swap")
_METRICS = {
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


def parse(lines: Lines, command: str | None) -> Found | None:
    values: dict[str, Any] = {}
    first = last = lines.number + 1
    blank: list[str] = []
    for line in lines:
        if not line.strip():
            blank.append(lines.raw)
            continue
        found = _LINE.fullmatch(line.strip())
        new = _figure(found[1], found[2], found[3]) if found else {}
        if not new or new.keys() & values.keys():
            lines.back(*blank, lines.raw)
            break
        if not lines.unended():  # else its name may go on
            values |= new
        last = lines.number
        blank.clear()
    return Found(values, first, last, "free_swap_kb" not in values) if values else None


def _figure(figure: str, unit: str | None, what: str) -> dict[str, int | float]:
    """ "4020152", "K", "total memory" -> {"total_memory_kb": 4020152}."""
    name = re.sub(r"[^a-z]+", "_", what.lower())
    if not _SIZES.fullmatch(what):
        return {name: int(figure)}
    size = int(figure) * _UNITS[unit or "K"]
    return {f"{name}_kb": int(size) if size == int(size) else round(size, 3)}


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {to: float(values[name]) for name, to in _METRICS.items() if name in values}
    found: list[Record] = [SystemSample(tool=KIND, clock=None, metrics=metrics)]
    if "total_memory_kb" in values:
        swap = values.get("total_swap_kb")
        found.append(HostFacts(ram_kb=int(values["total_memory_kb"]), swap_kb=None if swap is None else int(swap)))
    return found
