"""sysstat: the line that sar, mpstat, iostat and pidstat begin with.

Reads     "Linux 6.1.0-18-amd64 (web3) 03/04/24 _x86_64_ (2 CPU)"
Yields    HostFacts with name, cores and kernel
Units     none
Quirks    the date is as the locale has it; before sysstat 9 there are neither machine nor number of CPUs
Source    sysstat's common.c, print_gal_header()
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Found
from ..lines import Lines
from ..records import HostFacts, Record

KIND = "sysstat"
COMMAND = r"(?:^|[\s/;&|(])(?:sar|mpstat|iostat|pidstat|cifsiostat|tapestat)(?:\s|$)"
OPENS = r"Linux \d+\.\d+\S* \(\S+\)\s+\d\S+(?:\s+_\w+_\s+\(\d+ CPU\))?\s*$"

_LINE = re.compile(r"Linux (\d+\.\d+\S*) \((\S+)\)\s+(\d\S+)(?:\s+_(\w+)_\s+\((\d+) CPU\))?")
_NAMES = ("kernel_release", "nodename", "date", "machine")


def parse(lines: Lines, command: str | None) -> Found | None:
    line = _LINE.fullmatch(next(lines).strip())
    if line is None or (line[5] is None and lines.unended()):
        lines.again()
        return None
    values: dict[str, Any] = {name: text for name, text in zip(_NAMES, line.groups(), strict=False) if text}
    if line[5]:
        values["n_cpus"] = int(line[5])
    return Found(values, lines.number, lines.number)


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(name=values.get("nodename"), cores=values.get("n_cpus"), kernel=values.get("kernel_release"))]
