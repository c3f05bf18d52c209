"""mpstat: sysstat's shares of CPU time, by interval, of all processors and of each.

Reads     -u, -P, -N, -I and -A in any mixture, sysstat 7 to 12, in the languages that it is translated into
Yields    one SystemSample an interval; the average at the end is a block without one
Units     per cent of the time; interrupts a second
Quirks    without an interval the one row is of the time since the machine's start; titles come once a screenful, or once an
          interval where there is more than one row; "all" is a mean, not a sum; old versions print "%user" and "intr/s"
Source    sysstat's mpstat.c
"""

from __future__ import annotations

from typing import Any

from ..intervals import STAMP, Interval, Tool
from ..records import Record, SystemSample

KIND = "mpstat"
PROGRAMS = ("mpstat",)
OPENS = (
    rf"{STAMP}\s+(?:(?:CPU|NODE)\s+%use?r\s+%nice\s+%sys\s+%iowait\s+%irq\s|CPU\s+intr/s\s*$"
    r"|CPU\s+(?:HI/s|\d+/s|[A-Z]+\d*/s)\s+\S+/s\s)"
)

_KEYS = {"CPU": "cpu_per_core", "NODE": "nodes"}
_SHARES = {"usr_pct": "us", "user_pct": "us", "sys_pct": "sy", "nice_pct": "ni", "idle_pct": "id", "iowait_pct": "wa"}
_SHARES |= {"irq_pct": "hi", "soft_pct": "si", "steal_pct": "st", "guest_pct": "guest", "gnice_pct": "gnice"}


def _titles(words: list[str]) -> bool:
    return len(words) > 1 and words[0] in _KEYS and words[1][0] != "-" and not words[1].replace(".", "").isdigit()


def _values(found: Interval) -> dict[str, Any]:
    """The figures of all processors by their names, those of each in a list."""
    values: dict[str, Any] = {}
    each: dict[str, dict[int, dict[str, Any]]] = {}
    for titles, rows in found.tables:
        key = titles[0].lower()
        for row in rows:
            which = row.pop(key)
            if which == "all":
                values |= {n: v for n, v in row.items() if n not in values}
            elif isinstance(which, int):
                each.setdefault(key, {}).setdefault(which, {f"{key}_no": which}).update(row)
    return values | {_KEYS[key.upper()]: list(rows.values()) for key, rows in each.items()}


_TOOL = Tool(KIND, _titles, frozenset(_KEYS), _values)
parse, follows = _TOOL.parse, _TOOL.follows


def records(values: dict[str, Any]) -> list[Record]:
    if "average" in values:
        return []
    rows = [values] if values.keys() & _SHARES.keys() else values.get("cpu_per_core", [])
    metrics = {
        f"cpu_{metric}": sum(shares) / len(shares)
        for name, metric in _SHARES.items()
        if (shares := [float(row[name]) for row in rows if row.get(name) is not None])
    }
    if values.get("intr_per_s") is not None:
        metrics["interrupts_per_s"] = float(values["intr_per_s"])
    return [SystemSample(tool=KIND, clock=values.get("time"), metrics=metrics)]
