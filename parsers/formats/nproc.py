"""nproc: the number of processors, nothing else.

Reads     a bare number, and that only right below a command line of nproc
Yields    HostFacts
Units     none
Quirks    --ignore takes some off, so that its number is not that of the machine
Source    coreutils' src/nproc.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, HostFacts, Record

KIND = "nproc"
PROGRAMS = ("nproc",)
OPENS = ""

_FIGURE = re.compile(r"[1-9]\d{0,4}")
_ALONE = re.compile(r"(?:sudo\s+)?(?:\S*/)?nproc(?:\s+--(?:all|ignore[= ]\d+))*")


def claims(command: str) -> bool:
    return "nproc" in command and bool(_ALONE.fullmatch(command.strip()))


def parse(lines: Lines, command: str | None) -> Found | None:
    _, figure = lines.take_below(_FIGURE.fullmatch)
    if not figure:
        return None
    name = "processors_left" if "--ignore" in (command or "") else "processors"
    return Found({f"n_{name}": int(figure)}, lines.number, lines.number)


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(cores=values.get("n_processors"))]
