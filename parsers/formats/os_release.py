"""os_release: which distribution a machine runs.

Reads     /etc/os-release and /etc/lsb-release, `lsb_release -a`, and the one line of /etc/redhat-release and its likes; what
          `cat /etc/*release` prints of several
Yields    HostFacts with the system's name
Units     none
Quirks    the same line comes again where several files have it; Red Hat's older systems have only the one line
Source    systemd's os-release(5), lsb_release(1)
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, HostFacts, Record

KIND = "os_release"
COMMAND = r"lsb_release|/etc/\S*(?:release|issue|_version)\b"
_LINE = (
    r"(?:CentOS|Red Hat|Fedora|Rocky Linux|AlmaLinux|Oracle Linux|Scientific Linux|Amazon Linux)[A-Za-z ]{0,40}"
    r"\brelease \d[\w.-]*(?: \([\w ]+\))?\s*"
)
OPENS = (
    r"(?:PRETTY_NAME|NAME|DISTRIB_ID|DISTRIB_DESCRIPTION)=\"?[A-Za-z]|Distributor ID:\s+\S|LSB Version:\s+\S"
    r"|Description:\s+(?:Ubuntu|Debian|Linux Mint|openSUSE|SUSE|CentOS|Red Hat|Fedora)[A-Za-z/ ]*"
    r" \d[\w.]*(?: LTS)?(?: \(\w+\))?\s*$"
    rf"|{_LINE}$"
)

_SETTING = re.compile(r"([A-Z][A-Z_]{1,40})=(\"[^\"]*\"|'[^']*'|\S*)")
_FIELD = re.compile(r"(LSB Version|Distributor ID|Description|Release|Codename):\s+(\S.*)")
_RELEASE = re.compile(_LINE)
_MOST = 60  # lines
_TELLING = ("pretty_name", "distrib_description", "description", "release_line")  # which of them names the system best


def parse(lines: Lines, command: str | None) -> Found | None:
    values: dict[str, Any] = {}
    first = last = lines.number + 1
    taken: list[str] = []
    whole = 0  # how many of them belong to it
    for line in lines:
        taken.append(lines.raw)
        text = line.strip()
        new = _read_line(text)
        if (not new and text) or len(taken) > _MOST:
            break
        if new:
            last, whole = lines.number, len(taken)
        if not lines.unended():  # else the rest of it may be missing
            values |= {name: value for name, value in new.items() if name not in values}
    if not any(name in values for name in _TELLING):
        whole = 0
    lines.back(*taken[whole:])
    return Found(values, first, last) if whole else None


def _read_line(text: str) -> dict[str, str]:
    """What one line says, by its own names; nothing where it is none of these files'."""
    if setting := _SETTING.fullmatch(text):
        return {setting[1].lower(): setting[2].strip("\"'")}
    if field := _FIELD.fullmatch(text):
        return {field[1].lower().replace(" ", "_"): field[2]}
    return {"release_line": text} if _RELEASE.fullmatch(text) else {}


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(os=next(str(values[name]) for name in _TELLING if name in values))]
