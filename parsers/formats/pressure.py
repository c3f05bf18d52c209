"""pressure: /proc/pressure/*, the share of time in which tasks waited for CPU, memory or disks.

Reads     the files cpu, io, memory and irq, and cgroups' *.pressure: below a command that names them, behind grep's path, or
          below head's heading; without any name, as printed by a command that is not shown, no file is known
Yields    one SystemSample of all files that follow each other
Units     per cent of the last 10, 60 and 300 s; total in microseconds
Quirks    "full" of cpu is nought for the whole machine, and old kernels leave it out; irq has no "some"
Source    the kernel's kernel/sched/psi.c, psi_show()
"""

from __future__ import annotations

import re
from typing import Any

from ..kernel_files import PATH, heading_path, named_files, split_path
from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "pressure"
COMMAND = r"/proc/pressure\b|\.pressure\b"
OPENS = (
    rf"{PATH}?(?:some|full) avg10=\d+\.\d\d avg60="
    r"|==> /(?:proc/pressure/\w+|sys/fs/cgroup/\S*\.pressure) <==\s*$"
)
_LINE = re.compile(r"(some|full) avg10=(\d+\.\d\d) avg60=(\d+\.\d\d) avg300=(\d+\.\d\d) total=(\d{1,19})")
_MS_PER_S = 10_000  # microseconds of a second that are one per cent


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    files, heading = named_files(command, "/proc/pressure/"), ""
    for text in lines.texts():
        heading = heading_path(text) or heading
        path, line = split_path(text)
        found = _LINE.fullmatch(line)
        if heading_path(text) and _resource(heading):
            continue
        resource = _resource(path or heading) if found else ""
        if found and not resource:
            begun = list(values)
            resource = begun[-1] if begun and found[1] not in values[begun[-1]] else _next_file(files, begun)
        if not found or not resource or lines.unended() or found[1] in values.get(resource, {}):
            lines.refuse()
            break
        averages = {f"avg{span}_pct": float(found[at]) for at, span in ((2, 10), (3, 60), (4, 300))}
        values.setdefault(resource, {})[found[1]] = averages | {"total_us": int(found[5])}
    return Found(values, first, lines.last) if values else None


def _resource(path: str) -> str:
    """ "cpu" of /proc/pressure/cpu, and of a cgroup's cpu.pressure with the cgroup's path before it."""
    if path.startswith("/proc/pressure/"):
        return path.rpartition("/")[2]
    group, _, name = path.removeprefix("/sys/fs/cgroup").rpartition("/")
    return f"{group.strip('/')}:{name.removesuffix('.pressure')}".lstrip(":") if name.endswith(".pressure") else ""


def _next_file(files: list[str], begun: list[str]) -> str:
    return next((name for name in files if name not in begun), "" if files or begun else "unknown")


def records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {}
    counters: dict[str, float] = {}
    for resource, kinds in values.items():
        if ":" in resource:
            continue  # a cgroup's, not the machine's
        for kind, figures in kinds.items():
            metrics[f"pressure_{resource}_{kind}_avg10_pct"] = figures["avg10_pct"]
            counters[f"pressure_{resource}_{kind}_pct"] = figures["total_us"] / _MS_PER_S
    return [SystemSample(KIND, None, metrics, counters)]
