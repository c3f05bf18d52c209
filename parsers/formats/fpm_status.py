"""fpm_status: PHP-FPM's page of one pool (pm.status_path), as text.

Reads     "key: value" lines from "pool:" on, without those of each process ("?full")
Yields    SystemSample
Units     seconds since the start; counts of connections and processes
Quirks    totals count from the pool's start; "max children reached" says how often all workers were busy
Source    php-src' sapi/fpm/fpm/fpm_status.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines, iteration
from ..records import Found, Record, SystemSample

KIND = "fpm_status"
COMMAND = r"(?:^|[\s/;&|(])(?:curl|wget|fetch|lynx|cgi-fcgi)\s"
OPENS = r"pool:\s+[\w.-]+\s*$"

_LINE = re.compile(r"([a-z]+(?: [a-z]+){0,3}):\s+(\S.*)")
_KEYS = frozenset(
    [
        "pool",
        "process_manager",
        "start_time",
        "start_since",
        "uptime",
        "accepted_conn",
        "listen_queue",
        "max_listen_queue",
        "listen_queue_len",
        "idle_processes",
        "active_processes",
        "total_processes",
        "max_active_processes",
        "max_children_reached",
        "slow_requests",
        "memory_peak",
    ]
)
_TEXTS = frozenset(["pool", "process_manager", "start_time", "uptime"])
_UNITS = {"start_since": "start_since_s", "memory_peak": "memory_peak_bytes"}
_METRICS = {"accepted_conn": "requests", "active_processes": "busy_workers", "idle_processes": "idle_workers"}


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    last, whole = first, 0
    values: dict[str, Any] = {}
    taken: list[str] = []
    for line in lines:
        taken.append(lines.raw)
        if not line.strip():
            continue
        new = _read_line(line.strip())
        if not new or new.keys() & values.keys():
            break
        if new.keys() <= _TEXTS or not lines.unended():  # else its digits may go on
            values |= new
        last, whole = lines.number, len(taken)
    if "accepted_conn" not in values:
        whole = 0
    lines.back(*taken[whole:])
    if not whole:
        return None
    values = {"iteration": iteration(lines, KIND, first, last, above), **values}
    return Found(values, first, last, "active_processes" not in values)


def _read_line(text: str) -> dict[str, Any]:
    """What one line says; nothing where it is none of the page's."""
    found = _LINE.fullmatch(text)
    key = found[1].replace(" ", "_") if found else ""
    if found is None or key not in _KEYS:
        return {}
    if key in _TEXTS:
        return {key: found[2]}
    return {_UNITS.get(key, key): int(found[2])} if found[2].isdecimal() and found[2].isascii() else {}


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {
        _METRICS.get(name, name): float(value)
        for name, value in values.items()
        if isinstance(value, int) and name not in ("iteration", "start_since_s")
    }
    return [SystemSample(tool=KIND, clock=None, metrics=metrics)]
