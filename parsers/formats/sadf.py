"""sadf: sysstat's data as JSON (`sadf -j`).

Reads     the whole object, sysstat 10 to 12
Yields    one SystemSample a timestamp, of the CPU, memory, swap, queue and networks; HostFacts
Units     as sar's: per cent, KiB, a second
Quirks    the CPU's shares stand under "cpu-load" or (-u ALL) "cpu-load-all"; times are UTC unless -T or -t was given
Source    sysstat's json_stats.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..multiline import take_object
from ..records import Found, HostFacts, Record, SystemSample
from ..tables import Table
from ..units import CPU_SHARES

KIND = "sadf"
PROGRAMS = ("sadf",)
OPENS = r"\{\"sysstat\": \{\s*$"
MOST = 1e15  # no system counts more
_BEGINS = re.compile(r'\{"sysstat":\{')

_TABLES = {
    "memory": {
        "memfree": "mem_free_kb",
        "avail": "mem_available_kb",
        "memused": "mem_used_kb",
        "buffers": "mem_buffers_kb",
        "cached": "mem_cached_kb",
        "swpfree": "swap_free_kb",
        "swpused": "swap_used_kb",
    },
    "queue": {
        "runq-sz": "run_queue",
        "blocked": "blocked",
        "ldavg-1": "load1",
        "ldavg-5": "load5",
        "ldavg-15": "load15",
    },
    "process-and-context-switch": {"cswch": "context_switches_per_s", "proc": "processes_created_per_s"},
    "swap-pages": {"pswpin": "swap_in_pages_per_s", "pswpout": "swap_out_pages_per_s"},
    "io": {"tps": "disk_transfers_per_s"},
}


def parse(lines: Lines, command: str | None) -> Found | None:
    return take_object(lines, _BEGINS, _read)


def _read(tree: dict[str, Any]) -> dict[str, Any]:
    host = tree["sysstat"]["hosts"][0]
    values: dict[str, Any] = {
        name: host.get(key) for name, key in (("host", "nodename"), ("kernel", "release"), ("date", "file-date"))
    }
    cores = host.get("number-of-cpus")
    values["cores"] = int(cores) if re.fullmatch(r"[0-9]{1,6}", str(cores)) else None
    rows = [_read_row(statistics) for statistics in host.get("statistics", []) if statistics]
    if not rows:
        return {}
    names = list(dict.fromkeys(name for row in rows for name in row))
    values["rows"] = Table({name: [row.get(name) for row in rows] for name in names}, len(rows))
    values["n_rows"] = len(rows)
    return values


def _read_row(statistics: dict[str, Any]) -> dict[str, Any]:
    """The figures of one timestamp, by our names."""
    row: dict[str, Any] = {"time": statistics.get("timestamp", {}).get("time")}
    for load in statistics.get("cpu-load") or statistics.get("cpu-load-all") or ():
        if load.get("cpu") == "all":
            row |= {f"cpu_{CPU_SHARES[key]}": _read_figure(figure) for key, figure in load.items() if key in CPU_SHARES}
    for table, names in _TABLES.items():
        own = statistics.get(table) or {}
        row |= {to: _read_figure(own[key]) for key, to in names.items() if key in own}
    for device in (statistics.get("network") or {}).get("net-dev") or ():
        for way in ("rx", "tx"):
            if (size := _read_figure(device.get(f"{way}kB"))) is not None:
                row[f"{device.get('iface')}_{way}_bytes_per_s"] = round(size * 1024, 3)
    return {name: value for name, value in row.items() if value is not None}


def _read_figure(value: object) -> float | int | None:
    return value if isinstance(value, int | float) and 0 <= value < MOST and value is not True else None


def records(values: dict[str, Any]) -> list[Record]:
    found: list[Record] = []
    for row in values["rows"]:
        metrics = {name: float(value) for name, value in row.items() if isinstance(value, int | float)}
        clock = str(row.get("time") or "")
        found.append(SystemSample(KIND, clock if re.fullmatch(r"\d\d:\d\d:\d\d", clock) else None, metrics))
    facts = HostFacts(name=values.get("host"), cores=values.get("cores"), kernel=values.get("kernel"))
    return [*found, facts]
