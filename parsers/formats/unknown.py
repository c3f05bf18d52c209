"""unknown: a rate on a line of its own, as several tools print it ("Requests/sec: 1234.56").

Reads     that line, with a remark behind the rate; a name before the label needs a colon or two spaces behind it
Yields    one LoadResult, of the tool that the command above names, else of the one whose reports above have this line, else of
          none that is known
Units     requests/s
Quirks    wrk goes on with "Transfer/sec", and is left to its own format then
Source    wrk.c, hey's requester/print.go, oha's src/printer.rs

throughput_line: the same of scripts and other tools: "Throughput: 1476 requests/second", "Requêtes/sec: 41.88".

Reads     that line, or "Requests per second: 900", where one on latencies stands right below it, or its label has the unit; of
          lists none, which may be of goals
Yields    one LoadResult, of no tool that is known
Units     requests/s
Source    perfer's main.c, and scripts around load tests
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..units import number, ungrouped
from ..unread_rates import LABELS
from ..written_rates import RATE, read_number

KIND = "unknown"
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=("failures", "percentiles"), shown_as="unknown tool")
OPTIONS: dict[str, Option] = {}
INLINE = r"Requests/sec(?::\s{1,40}|\s{1,40})[*_`]{0,2}(\d[\d.]{0,30})"
OPENS = r"Requests/sec:\s+[*_`]{0,2}\d[\d.,]*[*_`]{0,2}(?:\s*$|\s{2,}\S|\s[(\[])"


def parse(lines: Lines, command: str | None) -> Found | None:
    line = next(lines)
    if (lines.peek() or "").lstrip().startswith("Transfer/sec:"):
        lines.step_back()
        return None
    match = re.match(INLINE, ungrouped(line.strip()))
    if match is None:
        return None
    values: dict[str, Any] = {"requests_per_second": number(match[1])}
    at = dict.fromkeys(values, lines.number)
    tool, decimals = lines.memory.get(LABELS, {}).get("Requests/sec", ("", 0))
    if tool and not command and len(match[1].partition(".")[2]) in (0, decimals):
        values["tool"] = tool
    return Found(values, lines.number, lines.number, partial=True, lines=at)


def records(values: dict[str, Any]) -> list[Record]:
    return [LoadResult(tool=values.get("tool", KIND), requests_per_second=values["requests_per_second"])]


# --- throughput_line --------------------------------------------------------------------------------------------------
_LINE = (
    r"(?:[^\w\s|>*+#-]{1,3}\s{1,3})?"
    r"(?:(?P<label>requêtes/sec|anfragen/sek|peticiones/seg|requisições/seg)|(?P<plain>(?:requests|queries) per second)"
    r"|throughput|durchsatz|débit)\s?:\s{1,40}"
    rf"(?P<rate>\d[\d.,]{{0,30}})(?:\s?(?P<unit>{RATE}))?\s*"
)
_THROUGHPUT = re.compile(_LINE, re.IGNORECASE)
_ON_LATENCY = re.compile(
    r"\b(?:laten[czs]|temps|p50|(?:response|antwort)\s?(?:time|zeit)|time (?:per|for) (?:request|query))", re.IGNORECASE
)
_OF_GOALS = re.compile(r"[<≤]\s?\d|\b(?:target|goal|ziel|slo)\b", re.IGNORECASE)


def _parse_throughput(lines: Lines, command: str | None) -> Found | None:
    line = next(lines)
    match = _THROUGHPUT.fullmatch(line.strip())
    rate = read_number(f"{match['rate']} {match['unit'] or ''}".strip()) if match else None
    below = [text for text in lines.ahead(3) if text.strip()][:2]
    is_explained = any(map(_ON_LATENCY.search, below)) and not any(map(_OF_GOALS.search, below))
    if not (match and rate and (match["label"] or ((match["unit"] or match["plain"]) and is_explained))):
        return None
    return Found({"requests_per_second": rate[0]}, lines.number, lines.number, partial=True)


OTHER_FORMATS = (
    Format(
        kind="throughput_line",
        opens=rf"(?i:{_LINE}$)",
        needs=("throughput", "durchsatz", "débit", "/se", "per second"),
        parse=_parse_throughput,
        records=records,
    ),
)
