"""server_status: Apache's page of its workers for machines (mod_status, "server-status?auto").

Reads     "Key: value" lines from "ServerVersion:" (2.4) or "Total Accesses:" (2.2, or without ExtendedStatus "BusyWorkers:") on
Yields    SystemSample
Units     seconds, ms a request (DurationPerReq), KiB (Total kBytes), bytes; CPULoad per cent; the rest are counts
Quirks    totals count from the server's start; figures below one lack their zero (".0558"); the scoreboard is counted by sign
          ("_" idle, "." no process, "W" sending a reply, ...)
Source    httpd's modules/generators/mod_status.c
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..broken import was_broken
from ..catalogue import Found
from ..lines import Lines
from ..records import Record, SystemSample
from ..repeats import iteration
from ..units import number

KIND = "server_status"
COMMAND = r"server-status|(?:apachectl|apache2ctl)\s+(?:full)?status"
OPENS = r"ServerVersion: \S|Total Accesses: \d+\s*$|BusyWorkers: \d+\s*$"

_LINE = re.compile(r"([A-Z]\w*(?: \w+)?):(?:\s+(\S.*))?")
_FIGURE = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]\d+)?")
_BOARD = re.compile(r"[_SRWKDCLGI.]+")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=CPU)(?=[A-Z])|\s")
_MOST = 12  # lines that a mail client may make of one
_UNITS = {
    "cpu_load": "cpu_load_pct",
    "uptime": "uptime_s",
    "server_uptime_seconds": "server_uptime_s",
    "total_kbytes": "total_kb",
    "total_duration": "total_duration_ms",
    "duration_per_req": "duration_per_req_ms",
    "cpu_user": "cpu_user_s",
    "cpu_system": "cpu_system_s",
    "cpu_children_user": "cpu_children_user_s",
    "cpu_children_system": "cpu_children_system_s",
    "processes": "n_processes",
}
_TEXTS = frozenset(["server_version", "server_mpm", "server_built", "current_time", "restart_time", "server_uptime"])


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    last, blank = first, list[str]()
    values: dict[str, Any] = {}
    for line in lines:
        stripped = line.strip()
        if not stripped:
            blank.append(lines.raw)
            continue
        found = _LINE.fullmatch(stripped)
        name = _name(found[1]) if found else ""
        if found is None or name in values:
            lines.back(*blank, lines.raw)
            break
        values |= _value(name, _joined(lines, name, found), lines)
        last = lines.number
        blank.clear()
    if len(values) < 2:
        return None
    values = {"iteration": iteration(lines, KIND, first, last, above), **values}
    return Found(values, first, last, "busy_workers" not in values)


def _name(key: str) -> str:
    """ "BytesPerReq" -> "bytes_per_req", with the unit where the key tells none."""
    name = re.sub("_+", "_", _WORD.sub("_", key)).replace("kBytes", "kbytes").lower()
    return _UNITS.get(name, name)


def _joined(lines: Lines, name: str, found: re.Match[str]) -> str:
    """The value, with its rest where a mail client broke the line: of the scoreboard, or of a long list of modules."""
    value, last, number = found[2] or "", found[0], lines.number
    while lines.number - number <= _MOST and (ahead := lines.ahead(1)):
        more = ahead[0].strip()
        board = name == "scoreboard" and not value and _BOARD.fullmatch(more)
        if not board and (name != "server_version" or _LINE.match(more) or not was_broken(last, more)):
            break
        lines.skip_blank()
        last = next(lines).strip()
        value = f"{value} {last}".strip()
    return value


def _value(name: str, text: str, lines: Lines) -> dict[str, Any]:
    if not text or (name not in _TEXTS and lines.unended()):
        return {}  # it may go on
    if name == "scoreboard":
        return {name: dict(Counter(text))} if _BOARD.fullmatch(text) else {}
    return {name: number(text) if name not in _TEXTS and _FIGURE.fullmatch(text) else text}


_METRICS = {"total_accesses": "requests", "req_per_sec": "requests_per_s", "cpu_load_pct": "server_cpu_pct"}


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {
        _METRICS.get(name, name): float(value)
        for name, value in values.items()
        if isinstance(value, int | float) and name != "iteration" and not name.startswith("parent_server")
    }
    clock = re.search(r"\d\d:\d\d:\d\d", str(values.get("current_time", "")))
    return [SystemSample(tool=KIND, clock=clock[0] if clock else None, metrics=metrics)]
