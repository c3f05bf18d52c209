"""unknown: a rate on a line of its own, as several tools print it ("Requests/sec: 1234.56").

Reads     that line, with a remark behind the rate; a name before the label needs a colon or two spaces behind it
Yields    one LoadResult, of the tool that the command above names, else of none that is known
Units     requests/s
Quirks    wrk goes on with "Transfer/sec", and is left to its own format then
Source    wrk.c, hey's requester/print.go, oha's src/printer.rs
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..units import number

KIND = "unknown"
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=("failures", "percentiles"), shown_as="unknown tool")
OPTIONS: dict[str, Option] = {}
INLINE = r"Requests/sec(?::\s{1,40}|\s{1,40})[*_`]{0,2}(\d[\d.]{0,30})"
OPENS = r"Requests/sec:\s+[*_`]{0,2}\d[\d.]*[*_`]{0,2}(?:\s*$|\s{2,}\S|\s[(\[])"


def parse(lines: Lines, command: str | None) -> Found | None:
    line = next(lines)
    if (lines.peek() or "").lstrip().startswith("Transfer/sec:"):
        lines.step_back()
        return None
    found = re.match(INLINE, line.strip())
    if found is None:
        return None
    values = {"requests_per_second": number(found[1])}
    return Found(values, lines.number, lines.number, partial=True, lines=dict.fromkeys(values, lines.number))


def records(values: dict[str, Any]) -> list[Record]:
    return [LoadResult(tool=KIND, requests_per_second=values["requests_per_second"])]
