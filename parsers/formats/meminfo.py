"""meminfo: /proc/meminfo, whole or a few of its lines.

Reads     "Key:   N kB" lines in any number; each key once
Yields    SystemSample, and HostFacts where the total is among them
Units     KiB (the kernel's kB); HugePages counts as counts
Quirks    old kernels lack MemAvailable; `egrep` leaves two or three lines; a key that comes again begins a new print
Source    the kernel's fs/proc/meminfo.c, 2.6 to 6.x
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, HostFacts, Problem, Record, SystemSample

KIND = "meminfo"
COMMAND = r"/proc/meminfo"
MEMORY_ONLY = True
OPENS = (
    r"(?:Mem(?:Total|Free|Available|Shared)|Buffers|Cached|Swap(?:Total|Free|Cached)|(?:In)?[Aa]ctive(?:\((?:anon|file)\))?"
    r"|AnonPages|Mapped|Slab|Dirty|Committed_AS|CommitLimit|(?:High|Low)(?:Total|Free)|PageTables):\s+\d+ kB\s*(?:[^\s\w].*)?$"
)

_LINE = re.compile(r"([A-Z]\w*(?:\(\w+\))?):\s+(\d+)( kB)?(?=\s|$|[^\w.])(?!\s*[=+*/-]\s*\d)")
_CUT = re.compile(r"([A-Z]\w*(?:\(\w+\))?):")
_FREE_KEYS = ("HugePages_", "Hugepage")
_METRICS = {
    "memtotal": "mem_total_kb",
    "memfree": "mem_free_kb",
    "memavailable": "mem_available_kb",
    "buffers": "mem_buffers_kb",
    "cached": "mem_cached_kb",
    "inactive": "mem_inactive_kb",
    "active": "mem_active_kb",
    "slab": "mem_slab_kb",
    "swaptotal": "swap_total_kb",
    "swapfree": "swap_free_kb",
}


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for stripped in lines.texts(elisions=True):
        found = _LINE.match(stripped)
        if found and found[1].lower() not in values and (found[3] or found[1].startswith(_FREE_KEYS)):
            values[found[1].lower()] = int(found[2])
        elif not found and values and _CUT.match(stripped) and (lines.peek() is None or " kB" in stripped):
            problems.append(Problem(lines.number, f"expected a number of kB, found {stripped[:60]!r}"))
        elif found and not found[3] and values and lines.peek() is None:
            problems.append(Problem(lines.number, f"the text ends in {stripped[:60]!r}: the number may be cut off"))
        else:
            lines.refuse()
            break
    if not values:
        return None
    return Found(values, first, lines.last, "memtotal" not in values or len(values) < 6, problems)


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {name: float(v) for key, name in _METRICS.items() if isinstance(v := values.get(key), int)}
    if "swap_total_kb" in metrics and "swap_free_kb" in metrics:
        metrics["swap_used_kb"] = metrics["swap_total_kb"] - metrics["swap_free_kb"]
    if "mem_available_kb" not in metrics and "mem_free_kb" in metrics and "mem_inactive_kb" in metrics:
        # What a kernel without MemAvailable lets one say: free, or easily freed.
        metrics["mem_available_kb"] = metrics["mem_free_kb"] + metrics["mem_inactive_kb"]
    found: list[Record] = [SystemSample(tool=KIND, clock=None, metrics=metrics)]
    total, swap = values.get("memtotal"), values.get("swaptotal")
    if isinstance(total, int):
        found.append(HostFacts(ram_kb=total, swap_kb=swap if isinstance(swap, int) else None))
    return found
