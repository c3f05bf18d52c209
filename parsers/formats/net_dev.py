"""net_dev: /proc/net/dev, what was received and sent over each network interface since the machine's start.

Reads     the two lines of headings and the rows, or rows behind grep's path
Yields    one SystemSample: bytes a second of each interface, errors and drops of all
Units     bytes, packets
Quirks    old kernels print no blank behind the colon; the machine's own traffic is that of lo
Source    the kernel's net/core/net-procfs.c
"""

from __future__ import annotations

import re
from typing import Any

from ..kernel_files import PATH, split_path
from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "net_dev"
COMMAND = r"/proc/(?:self/)?net/dev\b"
OPENS = rf"{PATH}?Inter-\|\s+Receive\b|{PATH}\s*[\w.@-]{{1,20}}:\s*\d+(?:\s+\d+){{4,15}}\s*$"

_HEAD = re.compile(r"Inter-\|\s+Receive\s+\|\s+Transmit|face \|bytes .*\|bytes .*")
_ROW = re.compile(r"([\w.@-]{1,20}):\s*(\d{1,20}(?:\s+\d{1,20}){15})")
_NAMES = (
    *("rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo", "rx_frame", "rx_compressed", "rx_multicast"),
    *("tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo", "tx_collisions", "tx_carrier", "tx_compressed"),
)
MOST_INTERFACES = 8  # that get series of their own


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    interfaces: dict[str, dict[str, Any]] = {}
    for text in lines.texts():
        line = split_path(text)[1].strip()
        row = _ROW.fullmatch(line)
        if row and row[1] not in interfaces and not lines.unended():
            figures = dict(zip(_NAMES, map(int, row[2].split()), strict=True))
            interfaces[row[1]] = {"interface": row[1], **figures}
        elif interfaces or not _HEAD.fullmatch(line):
            lines.refuse()
            break
    return Found({"interfaces": list(interfaces.values())}, first, lines.last) if interfaces else None


def records(values: dict[str, Any]) -> list[Record]:
    used = [row for row in values["interfaces"] if row["rx_bytes"] + row["tx_bytes"]]
    counters = {
        f"{row['interface']}_{way}_bytes_per_s": float(row[f"{way}_bytes"])
        for row in used[:MOST_INTERFACES]
        for way in ("rx", "tx")
    }
    for name in ("errors", "dropped"):
        counters[f"net_{name}_per_s"] = float(sum(row[f"rx_{name}"] + row[f"tx_{name}"] for row in used))
    return [SystemSample(KIND, None, {}, counters)]
