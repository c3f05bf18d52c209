"""times: the shell's own command for the CPU time that it and its children took.

Reads     two lines, and that only right below a command line of times; bd runs it behind a load
Yields    one SystemSample: the CPU time of the children, that is of the load generator
Units     minutes and seconds
Quirks    children count when they have ended; the first line is the shell itself
Source    POSIX, "times"
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "times"
PROGRAMS = ("times",)
OPENS = ""

_LINE = re.compile(r"(\d{1,9})m(\d{1,2}\.\d{1,6})s (\d{1,9})m(\d{1,2}\.\d{1,6})s")
_NAMES = ("shell_user_s", "shell_system_s", "children_user_s", "children_system_s")


def claims(command: str) -> bool:
    return command.strip() == "times"


def parse(lines: Lines, command: str | None) -> Found | None:
    rows = [_LINE.fullmatch(text.strip()) for text in lines.ahead(2)]
    if len(rows) < 2 or not all(rows):
        return None
    lines.skip_blank()
    first = lines.number + 1
    for _ in rows:
        lines.skip_blank()
        next(lines)
    figures = [60 * int(row[at]) + float(row[at + 1]) for row in rows if row for at in (1, 3)]
    return Found({name: round(value, 6) for name, value in zip(_NAMES, figures, strict=True)}, first, lines.number)


def records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample(KIND, None, {"load_cpu_s": values["children_user_s"] + values["children_system_s"]})]
