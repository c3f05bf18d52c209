"""sysstat: the line that sar, mpstat, iostat and pidstat begin with.

Reads     "Linux 6.1.0-18-amd64 (web3) 03/04/24 _x86_64_ (2 CPU)"
Yields    HostFacts with name, cores and kernel
Units     none
Quirks    the date is as the locale has it; old versions print no number of CPUs, and older ones no machine
Source    sysstat's common.c, print_gal_header()
"""

from __future__ import annotations

import re
from typing import Any

from ..broken_lines import join_rest
from ..lines import Lines
from ..records import Found, HostFacts, Record

KIND = "sysstat"
PROGRAMS = ("sar", "mpstat", "iostat", "pidstat", "cifsiostat", "tapestat")
_DATE = r"(?:\d\S+|\w+,? \d\d \w+ \d{4})"  # "Thursday 04 September 2014" where the locale is India's
OPENS = rf"Linux \d+\.\d+\S* \(\S+\)\s+{_DATE}(?:\s+_\w+_(?:\s+\(\d+(?: CPU\))?)?)?\s*$"

_LINE = re.compile(rf"Linux (\d+\.\d+\S*) \((\S+)\)\s+({_DATE})(?:\s+_(\w+)_(?:\s+\((\d+) CPU\))?)?")
_END = re.compile(r"(?:\(\d+ )?CPU\)")  # where a mail client broke the line
_NAMES = ("kernel_release", "nodename", "date", "machine")


def parse(lines: Lines, command: str | None) -> Found | None:
    line, first = next(lines), lines.number
    found = _LINE.fullmatch(join_rest(lines, line, lambda more: bool(_END.fullmatch(more))))
    if found is None:
        lines.step_back()
        return None
    values: dict[str, Any] = {name: text for name, text in zip(_NAMES, found.groups(), strict=False) if text}
    if found[5]:
        values["n_cpus"] = int(found[5])
    elif lines.unended():
        values.pop("machine" if found[4] else "date", None)  # it may go on
    return Found(values, first, lines.number)


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(name=values.get("nodename"), cores=values.get("n_cpus"), kernel=values.get("kernel_release"))]
