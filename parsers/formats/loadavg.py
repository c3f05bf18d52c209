"""loadavg: the one line of /proc/loadavg.

Reads     "3.95 1.58 0.65 6/418 225"
Yields    SystemSample
Units     none: processes
Quirks    the fraction is of the kernel's threads: those that can run, and all
Source    the kernel's fs/proc/loadavg.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines, iteration
from ..records import Found, Record, SystemSample

KIND = "loadavg"
COMMAND = r"/proc/loadavg"
OPENS = r"\d+\.\d\d \d+\.\d\d \d+\.\d\d \d+/\d+(?:\s+\d+)?\s*$"

_LINE = re.compile(r"(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) (\d+)/(\d+)(?:\s+(\d+))?")


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    line = _LINE.fullmatch(next(lines).strip())
    if line is None:
        lines.again()
        return None
    values: dict[str, Any] = {"iteration": iteration(lines, KIND, first, first, above)}
    values |= {name: float(text) for name, text in zip(("load1", "load5", "load15"), line.groups(), strict=False)}
    values["run_queue"] = int(line[4])
    if line[6] or not lines.unended():  # else its digits may go on
        values["sched_entities"] = int(line[5])
    if line[6]:
        values["last_pid"] = int(line[6])
    return Found(values, first, first)


def records(values: dict[str, Any]) -> list[Record]:
    names = ("load1", "load5", "load15", "run_queue", "sched_entities")
    return [
        SystemSample(tool=KIND, clock=None, metrics={name: float(values[name]) for name in names if name in values})
    ]
