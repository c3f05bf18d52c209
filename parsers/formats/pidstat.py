"""pidstat: sysstat's figures of processes, by interval.

Reads     -u -r -d -s -v -w -R in any mixture, -h, -H, -l, -t, -U, in the languages that sysstat is translated into
Yields    the time, and a ProcessSample a process, of each interval; the averages at the end are a block without one
Units     KiB for memory, per cent of one CPU, faults, switches and KiB a second; iodelay in clock ticks
Quirks    only processes that did something are shown; each table of an interval has its own; -h prints all columns in one row
          and, like -t, no more than the time; with -t the rows below a process are its threads; "-" is no figure
Source    sysstat's pidstat.c
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import STAMP, Interval, Tool
from ..lines import Lines
from ..records import Found, Record, SystemSample
from ..tables import Table, samples

KIND = "pidstat"
PROGRAMS = ("pidstat",)
OPENS = rf"(?:{STAMP}|(?:#\s+)?Time)\s+(?:(?:UID|USER)\s+)?(?:TGID\s+TID|PID)\s+\S*[%/a-zA-Z]"

_TEXTS = frozenset(["USER", "Command", "policy"])
_THREAD = re.compile(r"^\|_{0,2}")


def _titles(words: list[str]) -> bool:
    return ("PID" in words[:2] or "TGID" in words[:2]) and not words[-1][0].isdigit()


def parse(lines: Lines, command: str | None) -> Found | None:
    _unquote_less(lines)
    return _TOOL.parse(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    _unquote_less(lines)
    return _TOOL.follows(lines, command)


def _unquote_less(lines: Lines) -> None:
    """The sign before "Time" is pidstat's own, and no quoting."""
    bare = lines.prefix.rstrip()
    if bare.endswith("#"):
        lines.prefix = bare[:-1]


def _values(found: Interval) -> dict[str, Any]:
    """The processes of one interval: what its tables have of the same one is one row."""
    processes: dict[tuple[Any, Any], dict[str, Any]] = {}
    threads = any("TID" in titles for titles, _ in found.tables)
    for _, rows in found.tables:
        pid = None
        for row in rows:
            pid = row.get("tgid") or pid if threads else row.get("pid")
            if pid is None:
                continue  # the text ends before it
            named = {"pid": pid, **({"lwp": row.get("tid")} if threads else {})}
            command = _THREAD.sub("", str(row.pop("command", "")))
            rest = {name: value for name, value in row.items() if name not in ("pid", "tgid", "tid")}
            processes.setdefault((pid, row.get("tid")), named | {"command": command}).update(rest)
    names = list(dict.fromkeys(name for row in processes.values() for name in row))
    columns = {name: [row.get(name) for row in processes.values()] for name in names}
    table = Table(columns, len(processes))
    if found.average:
        return {"n_rows": len(table), "rows": list(table)}  # no listing of processes: nothing was so at any time
    return {"columns": names, "n_processes": len(table), "processes": table}


_TOOL = Tool(KIND, _titles, _TEXTS, _values)


def records(values: dict[str, Any]) -> list[Record]:
    table = values.get("processes")
    if not isinstance(table, Table):
        return []
    if "lwp" in table.columns:  # rows of threads would count a process many times
        processes = [at for at, thread in enumerate(table.columns["lwp"]) if thread is None]
        table = Table(
            {name: [column[at] for at in processes] for name, column in table.columns.items()}, len(processes)
        )
    return [SystemSample(tool=KIND, clock=values.get("time"), metrics={}), *samples(table)]
