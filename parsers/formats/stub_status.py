"""stub_status: nginx' page of its connections.

Reads     the four lines that the module prints
Yields    SystemSample
Units     none: connections and requests; accepts, handled and requests count from the start of the server
Quirks    Tengine adds a column "request_time" (ms) to the counters
Source    nginx' ngx_http_stub_status_module.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines, iteration
from ..records import Found, Problem, Record, SystemSample

KIND = "stub_status"
COMMAND = r"(?:^|[\s/;&|(])(?:curl|wget|fetch|lynx)\s"
OPENS = r"Active connections:\s+\d+\s*$"

_ACTIVE = re.compile(r"Active connections:\s+(\d+)")
_TITLES = re.compile(r"server accepts handled requests( request_time)?")
_COUNTS = re.compile(r"\d+(?:\s+\d+){0,3}")
_STATES = re.compile(r"(Reading|Writing|Waiting)\s?:\s+(\d+)")
_NAMES = ("accepts", "handled", "requests", "request_time_ms")


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    values: dict[str, Any] = {}
    titles = False
    for stripped in lines.texts():
        new = _line(stripped, titles)
        if new is None or new.keys() & values.keys():
            lines.refuse()
            break
        titles = bool(_TITLES.fullmatch(stripped))
        values |= new
    if not values:
        return None
    last = lines.last
    values = {"iteration": iteration(lines, KIND, first, last, above), **values}
    problems = [] if "waiting" in values or lines.cut == last else [Problem(last, "the page breaks off before its end")]
    return Found(values, first, last, "requests" not in values, problems)


def _line(text: str, titles: bool) -> dict[str, int] | None:
    """What one line of the page says; None where it is none. `titles`: the line above names the counters."""
    if active := _ACTIVE.fullmatch(text):
        return {"active_connections": int(active[1])}
    if titles and _COUNTS.fullmatch(text):
        return dict(zip(_NAMES, map(int, text.split()), strict=False))
    if text.startswith("Reading:"):
        return {name.lower(): int(count) for name, count in _STATES.findall(text)}
    return {} if _TITLES.fullmatch(text) else None


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {name: float(value) for name, value in values.items() if name != "iteration"}
    return [SystemSample(tool=KIND, clock=None, metrics=metrics)]
