"""What the figures were measured on, and how much of it was free."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from time import sleep

CPU_LINE, CPU_INFO = Path("/proc/stat"), Path("/proc/cpuinfo")


def described() -> str:
    """Python, CPU and system in one line."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {_cpu()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _cpu() -> str:
    if not CPU_INFO.exists():
        return platform.processor() or "unknown CPU"
    names = (
        line.partition(":")[2].strip() for line in CPU_INFO.read_text().splitlines() if line.startswith("model name")
    )
    return next(names, "unknown CPU")


def free_cores(seconds: float = 2) -> str:
    """How many cores nobody used during the next seconds, and the load average of the last minute."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    if not CPU_LINE.exists():
        return f"{max(0, cores - load):.2f} of {cores} cores free by the load average ({load:.2f})"
    before = _idle_and_all()
    sleep(seconds)
    after = _idle_and_all()
    share = (after[0] - before[0]) / max(1, after[1] - before[1])
    return f"{share * cores:.2f} of {cores} cores free over {seconds:g} s, load average {load:.2f}"


def _idle_and_all() -> tuple[int, int]:
    """Ticks without work (waiting for a disk is none) and all ticks, of all cores."""
    ticks = [int(word) for word in CPU_LINE.read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)
