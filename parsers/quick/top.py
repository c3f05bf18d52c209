"""The usual summary of procps 3.3 and 4.0 in one match; top.py reads any other line by line, and the same figures (a test)."""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..units import uptime_s

_LINES, _SIZE = 5, 1000
_TEXT = (
    r"top - (\d\d:\d\d:\d\d) up +([^\n]{0,99}?), +(\d+) users?, +load average: (\d+\.\d+), (\d+\.\d+), (\d+\.\d+)\n"
    r"(Tasks|Threads): +(\d+) total, +(\d+) running, +(\d+) sleeping, +(\d+) stopped, +(\d+) zombie *\n"
    r"%Cpu\(s\): *([\d.]+) us, *([\d.]+) sy, *([\d.]+) ni, *([\d.]+) id, *([\d.]+) wa, *([\d.]+) hi, *([\d.]+) si, *([\d.]+) st *\n"
    r"([KMG])iB Mem : +([\d.]+) total, +([\d.]+) free, +([\d.]+) used, +([\d.]+) buff/cache *\n"
    r"\21iB Swap: +([\d.]+) total, +([\d.]+) free, +([\d.]+) used\. +([\d.]+) avail Mem *\n"
)
_SUMMARY = re.compile(_TEXT.replace("+", "{1,15}+").replace("*", "{0,15}+"))  # no figure is endless
_TASKS = ("tasks_total", "tasks_running", "tasks_sleeping", "tasks_stopped", "tasks_zombie")
_CPU = ("us", "sy", "ni", "id", "wa", "hi", "si", "st")
_MEMORY = ("mem_total_kb", "mem_free_kb", "mem_used_kb", "mem_buff_cache_kb") + (
    "swap_total_kb",
    "swap_free_kb",
    "swap_used_kb",
    "mem_avail_kb",
)
_FACTOR = {"K": 1, "M": 1024, "G": 1024**2}


def read(lines: Lines) -> dict[str, Any] | None:
    """Figures of the summary whose five lines come next, which are taken; None, with nothing taken, if it is unusual."""
    found = lines.match(_SUMMARY, _LINES, _SIZE)
    if found is None:
        return None
    try:
        return _values(found.groups())
    except ValueError:  # "1.2.3", or an uptime in words of its own
        lines.take(-len(found[0]), -_LINES)
        return None


def _values(groups: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {
        "time": groups[0],
        "uptime": groups[1],
        "uptime_s": uptime_s(groups[1]),
        "users": int(groups[2]),
        "load1": float(groups[3]),
        "load5": float(groups[4]),
        "load15": float(groups[5]),
    }
    if groups[6] == "Threads":
        values["mode"] = "threads"
    values.update(zip(_TASKS, map(int, groups[7:12]), strict=True))
    values["cpu"] = dict(zip(_CPU, map(float, groups[12:20]), strict=True))
    amounts = groups[21:]
    if groups[20] == "K":
        values.update(zip(_MEMORY, map(int, amounts), strict=True))
    else:
        factor = _FACTOR[groups[20]]
        values.update((key, _kb(float(text) * factor)) for key, text in zip(_MEMORY, amounts, strict=True))
    return values


def _kb(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else round(amount, 3)
