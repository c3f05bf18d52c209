"""sar: sysstat's tables of any part of the machine, live or out of its daily file, by interval.

Reads     -u -P -r -S -q -n -d -b -B -W -w -m ... -A in any mixture and in the languages that sysstat is translated into; columns
          that are not known here are kept, too
Yields    one SystemSample an interval with all tables of that time; averages are blocks without one
Units     per cent, KiB, milliseconds, counts and KiB a second; -b counts blocks of 512 bytes, as printed
Quirks    live, the tables of one interval stand together; out of a file each table has its whole day before the next one begins;
          "LINUX RESTART" is no row; old versions have other columns under the same titles
Source    sysstat's pr_stats.c
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import STAMP, Interval, Tool, metric
from ..records import Record, SystemSample

KIND = "sar"
PROGRAMS = ("sar", "sadc")
OPENS = (
    rf"{STAMP}\s+(?:CPU\s+%use?r\s+%nice\s+(?:%system|%sys\s+%iowait\s+%steal)|CPU\s+(?:total/s|MHz|wghMHz|i\d+/s)"
    r"|(?:proc/s|cswch/s|pswpin/s|pgpgin/s|frmpg/s|kbmemfree|kbswpfree|kbhugfree|dentunusd|runq-sz|totsck|tcp6sck|call/s|scall/s"
    r"|i\w+/s|fwddgm/s|active/s|atmptf/s|total/s|%s(?:cpu|io|mem)-10|MBfsfree)(?:\s+\S*[a-z]|\s*$)|tps\s+rtps\s|TTY\s+rcvin/s"
    r"|%use?r\s+%nice\s+%sys|tps\s+r(?:kB|d_sec)/s\s|rx(?:pck|err)/s\s|intr/s\s"  # --pretty puts the name last
    r"|INTR\s+intr/s|DEV\s+tps|IFACE\s+rx\w+/s|BUS\s+idvendor|FAN\s+rpm|TEMP\s+degC|IN\s+inV|BAT\s+%|FCHOST\s+fch)"
)

_KEYS = {
    "CPU": "cpu_per_core",
    "INTR": "interrupts",
    "TTY": "ttys",
    "DEV": "devices",
    "IFACE": "interfaces",
    "BUS": "buses",
}
_KEYS |= {"FAN": "fans", "TEMP": "temperatures", "IN": "inputs", "BAT": "batteries", "FCHOST": "fc_hosts"}
_KEYS |= {"FILESYSTEM": "filesystems", "MOUNTPOINT": "filesystems"}
_TEXTS = frozenset(_KEYS) | {"DEVICE", "manufact", "product", "maxpower", "idvendor", "idprod"}
_TITLE = re.compile(r"%?[A-Za-z][\w/%.+-]*")
_TELLING = re.compile(r"/s$|^%|^kb|-sz$|-nr$|sck$|MHz$|^INTR$")
_METRICS = {
    "user_pct": "cpu_us",
    "usr_pct": "cpu_us",
    "nice_pct": "cpu_ni",
    "system_pct": "cpu_sy",
    "sys_pct": "cpu_sy",
    "iowait_pct": "cpu_wa",
    "steal_pct": "cpu_st",
    "irq_pct": "cpu_hi",
    "soft_pct": "cpu_si",
    "idle_pct": "cpu_id",
    "memfree_kb": "mem_free_kb",
    "avail_kb": "mem_available_kb",
    "memused_kb": "mem_used_kb",
    "buffers_kb": "mem_buffers_kb",
    "cached_kb": "mem_cached_kb",
    "active_kb": "mem_active_kb",
    "inact_kb": "mem_inactive_kb",
    "swpfree_kb": "swap_free_kb",
    "swpused_kb": "swap_used_kb",
    "ldavg_1": "load1",
    "ldavg_5": "load5",
    "ldavg_15": "load15",
    "runq_sz": "run_queue",
    "plist_sz": "tasks_total",
}


def _titles(words: list[str]) -> bool:
    if len(words) < 2 or "PID" in words or not all(_TITLE.fullmatch(word) for word in words):
        return False
    return any(map(_TELLING.search, words)) and words[3:6] != ["%sys", "%iowait", "%irq"]


def _values(found: Interval) -> dict[str, Any]:
    """Figures of the machine by their names; those of each device, interface or CPU in a list."""
    values: dict[str, Any] = {}
    each: dict[str, dict[Any, dict[str, Any]]] = {}
    for titles, rows in found.tables:
        title = next((title for title in (titles[0], titles[-1]) if title in _KEYS), None)
        for row in rows:
            which = row.pop(title.lower(), None) if title else None
            if title is None or which == "all":
                values |= {n: v for n, v in row.items() if n not in values}
            elif which is not None:
                name = "cpu_no" if title == "CPU" else title.lower()
                each.setdefault(_KEYS[title], {}).setdefault(which, {name: which}).update(row)
    return values | {name: list(rows.values()) for name, rows in each.items()}


_TOOL = Tool(KIND, _titles, _TEXTS, _values)
parse, follows = _TOOL.parse, _TOOL.follows


def records(values: dict[str, Any]) -> list[Record]:
    if "average" in values:
        return []
    metrics = {
        _METRICS.get(name, name): float(value)
        for name, value in values.items()
        if name != "iteration" and isinstance(value, int | float)
    }
    for kind, key, rows in (("net", "iface", values.get("interfaces", [])), ("disk", "dev", values.get("devices", []))):
        for row in rows:
            figures = {name: value for name, value in row.items() if isinstance(value, int | float) and name != key}
            metrics |= {metric(kind, str(row[key]), name): float(value) for name, value in figures.items()}
    return [SystemSample(tool=KIND, clock=values.get("time"), metrics=metrics)]
