"""uptime: how long a machine is up, and its load; also the line that w begins with.

Reads     procps' line, busybox', toybox', and BSD's ("load averages:")
Yields    SystemSample with the loads
Units     seconds
Quirks    a decimal comma in some locales, with a comma between the loads, too; macOS prints no comma between them; BSD prints
          no seconds, and hours with AM and PM; the users are left out where there are none
Source    procps' library/uptime.c, busybox' procps/uptime.c, BSD's w.c
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from ..lines import Lines, iteration, whole
from ..records import Found, Record, SystemSample
from ..units import number, uptime_s

KIND = "uptime"
PROGRAMS = ("uptime", "w")
OPENS = r"\d\d?:\d\d(?::\d\d)?(?:[AP]M)?\s+up\s+\d"

_LINE = re.compile(
    r"(?P<hour>\d\d?)(?P<rest>:\d\d(?::\d\d)?)(?P<half>[AP]M)?\s+up\s+(?P<up>\d.*?),\s+(?:(?P<users>\d+)\s+users?,\s+)?"
    r"load averages?:(?:\s+(?P<load1>\d+[.,]\d+)(?:,?\s+(?P<load5>\d+[.,]\d+))?(?:,?\s+(?P<load15>\d+[.,]\d+))?)?,?"
)


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    line = whole(lines, next(lines), _LINE.fullmatch)
    if line is None:
        lines.again()
        return None
    values: dict[str, Any] = {"iteration": iteration(lines, KIND, first, lines.number, above), "time": _time(line)}
    values["uptime"] = line["up"].strip()
    with suppress(ValueError):  # in a shape that says no time, only the text of it is kept
        values["uptime_s"] = uptime_s(line["up"])
    if line["users"]:
        values["users"] = int(line["users"])
    for name in ("load1", "load5", "load15"):
        if line[name]:
            values[name] = number(line[name])
    return Found(values, first, lines.number, "load1" not in values)


def _time(line: re.Match[str]) -> str:
    hour = int(line["hour"])
    if line["half"]:
        hour = hour % 12 + (12 if line["half"] == "PM" else 0)
    return f"{hour:02}{line['rest']}"


def records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {name: float(values[name]) for name in ("load1", "load5", "load15") if name in values}
    clock = str(values["time"])
    return [SystemSample(tool=KIND, clock=clock if clock.count(":") == 2 else None, metrics=metrics)]
