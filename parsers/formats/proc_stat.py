"""proc_stat: /proc/stat, what the kernel has counted since the machine's start.

Reads     the "cpu" line and those that follow, whole or without some (`grep cpu`), also behind grep's path
Yields    one SystemSample: shares of CPU time since the sample before, of the machine and of each core; processes that can run
Units     ticks of 1/100 s; counts; btime in seconds since 1970
Quirks    old kernels print 4 to 9 figures of CPU time; guest time is in user time, too; only the first figure of "intr" and
          "softirq", the sum, is kept
Source    the kernel's fs/proc/stat.c, 2.6 to 6.x
"""

from __future__ import annotations

import re
from typing import Any

from ..broken_lines import rejoin
from ..kernel_files import FIGURES, PATH, split_path, starts_again
from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "proc_stat"
COMMAND = r"/proc/stat\b"
OPENS = rf"{PATH}?cpu\d{{0,5}} {{1,2}}\d+(?: \d+){{3,9}}\s*$"

_CPU = re.compile(r"cpu(\d{0,5}) {1,2}(\d{1,19}(?: \d{1,19}){3,9})")
_COUNT = re.compile(r"(intr|ctxt|btime|processes|procs_running|procs_blocked|softirq) (\d{1,19})(?: \d{1,19})*")
_NAMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")
_SHARES = {"user": "us", "nice": "ni", "system": "sy", "idle": "id", "iowait": "wa", "irq": "hi", "softirq": "si"}
_SHARES["steal"] = "st"
_CREATED = "processes_created"  # "processes" are a listing's
MOST_CORES = 64  # that get a series of their own


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    cores: dict[str, dict[str, int]] = {}
    for text in lines.texts():
        line = split_path(rejoin(lines, text, FIGURES))[1]
        cpu, count = _CPU.fullmatch(line), _COUNT.fullmatch(line)
        name = _CREATED if count and count[1] == "processes" else count[1] if count else ""
        known = (cpu[1] in cores or ("cpu" in values and not cpu[1])) if cpu else name in values
        if starts_again(lines, known or lines.unended()):
            break
        if cpu:
            ticks = dict(zip(_NAMES, map(int, cpu[2].split()), strict=False))
            if cpu[1]:
                cores[cpu[1]] = ticks
            else:
                values["cpu"] = ticks
        elif count and values | cores:
            values[name] = int(count[2])
        else:
            lines.refuse()
            break
    if cores:
        values["cpus"] = [{"cpu": int(name), **ticks} for name, ticks in cores.items()]
    return Found(values, first, lines.last, "cpu" not in values) if values else None


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {"run_queue": values.get("procs_running"), "blocked": values.get("procs_blocked")}
    cores = values.get("cpus", [])
    total = values.get("cpu") or {name: sum(core.get(name, 0) for core in cores) for name in _NAMES}
    over = sum(total.get(name, 0) for name in _SHARES)  # guest time is counted in user and nice
    counters = {f"cpu_{short}": 100.0 * total[name] for name, short in _SHARES.items() if name in total}
    for core in cores[:MOST_CORES]:
        idle = core["idle"] + core.get("iowait", 0)
        busy = sum(core.get(name, 0) for name in _SHARES) - idle
        counters[f"core{core['cpu']}_busy_pct"] = 100.0 * busy * len(cores)
    known = {name: float(value) for name, value in metrics.items() if value is not None}
    return [SystemSample(KIND, None, known, counters, float(over))]
