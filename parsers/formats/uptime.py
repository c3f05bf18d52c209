"""uptime: how long a machine is up, and its load; also the line that w begins with.

Reads     procps' line, busybox', toybox', and BSD's ("load averages:")
Yields    SystemSample with the loads
Units     seconds
Quirks    a decimal comma in some locales, with a comma between the loads, too; macOS prints no comma between them; BSD prints
          no seconds, and hours with AM and PM; the users are left out where there are none
Source    procps' library/uptime.c, busybox' procps/uptime.c, BSD's w.c

loadavg: the one line of /proc/loadavg.

Reads     "3.95 1.58 0.65 6/418 225"
Yields    SystemSample
Units     none: processes
Quirks    the fraction is of the kernel's threads: those that can run, and all
Source    the kernel's fs/proc/loadavg.c
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from ..catalogue import Format
from ..intervals import iteration
from ..lines import Lines
from ..multiline import match_joined
from ..records import Found, Record, SystemSample
from ..units import number, uptime_s

KIND = "uptime"
PROGRAMS = ("uptime", "w")
OPENS = r"\d\d?:\d\d(?::\d\d)?(?:[AP]M)?\s+up\s+\d"

_LINE = re.compile(
    r"(?P<hour>\d\d?)(?P<rest>:\d\d(?::\d\d)?)(?P<half>[AP]M)?\s+up\s+(?P<up>\d.*?),\s+(?:(?P<users>\d+)\s+users?,\s+)?"
    r"load averages?:(?:\s+(?P<load1>\d+[.,]\d+)(?:,?\s+(?P<load5>\d+[.,]\d+))?(?:,?\s+(?P<load15>\d+[.,]\d+))?)?,?"
)
# A line as procps prints it, which needs no cleaning.
_PROCPS = (
    r" ?(\d\d:\d\d:\d\d) up {1,9}(\d{1,5} days?, {1,9}\d?\d:\d\d|\d{1,5} days?, {1,9}\d\d? min|\d?\d:\d\d|\d\d? min),"
    r" {1,9}(\d{1,5}) users?, {1,9}load average: (\d{1,6}\.\d\d), (\d{1,6}\.\d\d), (\d{1,6}\.\d\d)\n"
)
BEGINS = rf"{_PROCPS}(?=\s{{0,9}}+\S[^\n]*\n)(?!\s*+\d+ (?:processes|threads):)"  # behind which top of procps 2 goes on
_USUAL = re.compile(_PROCPS)
_LONGEST = 160  # characters of it


def parse(lines: Lines, command: str | None) -> Found | None:
    if usual := follows(lines, command):
        return usual
    first, above = lines.number + 1, lines.raw
    line = match_joined(lines, next(lines), _LINE.fullmatch)
    if line is None:
        lines.step_back()
        return None
    values: dict[str, Any] = {"iteration": iteration(lines, KIND, first, lines.number, above), "time": _read_time(line)}
    values["uptime"] = line["up"].strip()
    with suppress(ValueError):  # in a shape that says no time, only the text of it is kept
        values["uptime_s"] = uptime_s(line["up"])
    if line["users"]:
        values["users"] = int(line["users"])
    for name in ("load1", "load5", "load15"):
        if line[name]:
            values[name] = number(line[name])
    return Found(values, first, lines.number, "load1" not in values)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next line of a log of them, where procps printed it."""
    first = lines.number + 1
    match = lines.match(_USUAL, lines=1, size=_LONGEST)
    if match is None:
        return None
    clock, up, users, *loads = match.groups()
    count = iteration(lines, KIND, first, first, lines.raw)
    load1, load5, load15 = map(float, loads)
    values = {"iteration": count, "time": clock, "uptime": up, "uptime_s": uptime_s(up), "users": int(users)}
    return Found(values | {"load1": load1, "load5": load5, "load15": load15}, first, first)


def _read_time(line: re.Match[str]) -> str:
    hour = int(line["hour"])
    if line["half"]:
        hour = hour % 12 + (12 if line["half"] == "PM" else 0)
    return f"{hour:02}{line['rest']}"


def records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {name: float(values[name]) for name in ("load1", "load5", "load15") if name in values}
    clock = str(values["time"])
    return [SystemSample(tool=KIND, clock=clock if clock.count(":") == 2 else None, metrics=metrics)]


# --- loadavg -----------------------------------------------------------------------------------------------------------
_LOADS = re.compile(r"(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) (\d+)/(\d+)(?:\s+(\d+))?")
_NEXT_LOADS = re.compile(r"(\d{1,6}\.\d\d) (\d{1,6}\.\d\d) (\d{1,6}\.\d\d) (\d{1,9})/(\d{1,9})(?: (\d{1,9}))?\n")


def _parse_loads(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    line = _LOADS.fullmatch(next(lines).strip())
    if line is None:
        lines.step_back()
        return None
    return Found(_read_loads(lines, line, first, above, whole=not lines.unended()), first, first)


def _follow_loads(lines: Lines, command: str | None) -> Found | None:
    """The next line of a log of them."""
    first, above = lines.number + 1, lines.raw
    line = lines.match(_NEXT_LOADS, lines=1, size=_LONGEST)
    return Found(_read_loads(lines, line, first, above, whole=True), first, first) if line else None


def _read_loads(lines: Lines, line: re.Match[str], first: int, above: str, whole: bool) -> dict[str, Any]:
    """whole: its end is not missing, so that no digits go on there."""
    values: dict[str, Any] = {"iteration": iteration(lines, "loadavg", first, first, above)}
    values |= {name: float(text) for name, text in zip(("load1", "load5", "load15"), line.groups(), strict=False)}
    values["run_queue"] = int(line[4])
    if line[6] or whole:
        values["sched_entities"] = int(line[5])
    if line[6]:
        values["last_pid"] = int(line[6])
    return values


def _load_records(values: dict[str, Any]) -> list[Record]:
    names = ("load1", "load5", "load15", "run_queue", "sched_entities")
    return [
        SystemSample(
            tool="loadavg", clock=None, metrics={name: float(values[name]) for name in names if name in values}
        )
    ]


OTHER_FORMATS = (
    Format(
        kind="loadavg",
        opens=r"\d+\.\d\d \d+\.\d\d \d+\.\d\d \d+/\d+(?:\s+\d+)?\s*$",
        command=re.compile(r"/proc/loadavg"),
        parse=_parse_loads,
        follows=_follow_loads,
        records=_load_records,
    ),
)
