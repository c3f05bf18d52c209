"""diskstats: /proc/diskstats, what was read from and written to each block device since the machine's start.

Reads     the rows, of kernels with 11, 15 or 17 figures; also behind grep's path
Yields    one SystemSample: KiB a second of all disks, and of each disk the share of time that it was busy and its queue
Units     sectors of 512 bytes; milliseconds
Quirks    partitions stand below their disk and are counted in it; loop and ram devices are no disks; nor are device-mapper's
          and md's, whose disks stand beside them
Source    the kernel's block/genhd.c, diskstats_show(); Documentation/admin-guide/iostats.rst
"""

from __future__ import annotations

import re
from typing import Any

from ..broken_lines import rejoin
from ..kernel_files import FIGURES, PATH, split_path
from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "diskstats"
COMMAND = r"/proc/diskstats\b"
OPENS = rf"{PATH}?\s*\d{{1,4}} +\d{{1,7}} [a-z][\w!-]{{0,31}}(?: \d+){{4,17}}\s*$"

_ROW = re.compile(r"(\d{1,4}) +(\d{1,7}) ([a-z][\w!-]{0,31})((?: \d{1,19}){11,17})")
_NAMES = (
    *(
        "reads",
        "reads_merged",
        "sectors_read",
        "reading_ms",
        "writes",
        "writes_merged",
        "sectors_written",
        "writing_ms",
    ),
    *("in_flight", "busy_ms", "weighted_ms", "discards", "discards_merged", "sectors_discarded", "discarding_ms"),
    *("flushes", "flushing_ms"),
)
_NO_DISK = re.compile(r"(?:loop|ram|zram|dm-|md|sr|fd)\d+")
MOST_DISKS = 8  # that get series of their own


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    devices: dict[str, dict[str, Any]] = {}
    for text in lines.texts():
        row = _ROW.fullmatch(split_path(rejoin(lines, text, FIGURES))[1].strip())
        if not row or row[3] in devices or lines.unended():
            lines.refuse()
            break
        figures = dict(zip(_NAMES, map(int, row[4].split()), strict=False))
        devices[row[3]] = {"device": row[3], "major": int(row[1]), "minor": int(row[2]), **figures}
    return Found({"devices": list(devices.values())}, first, lines.last) if devices else None


def _is_partition(name: str, disk: str) -> bool:
    return bool(disk) and re.fullmatch(rf"{re.escape(disk)}p?\d+", name) is not None


def records(values: dict[str, Any]) -> list[Record]:
    counters: dict[str, float] = {}
    disk, n_disks = "", 0
    for device in values["devices"]:
        name = device["device"]
        if _NO_DISK.fullmatch(name) or _is_partition(name, disk):
            continue
        disk = name
        for total, sectors in (("disk_read", "sectors_read"), ("disk_written", "sectors_written")):
            counters[f"{total}_kb_per_s"] = counters.get(f"{total}_kb_per_s", 0.0) + device[sectors] / 2
        if device["reads"] + device["writes"] and n_disks < MOST_DISKS:
            n_disks += 1
            counters[f"{name}_busy_pct"] = device["busy_ms"] / 10
            counters[f"{name}_queue"] = device["weighted_ms"] / 1000
    return [SystemSample(KIND, None, {}, counters)]
