"""rate_list: a list of requests per second that somebody wrote: "- nginx: 12,345 req/s".

Reads     two such lines and more, with or without list marks; what stands behind the rate is a remark. Without names they are
          repeats of what the heading above names
Yields    one LoadResult for each, named by what stands before its rate
Units     requests/s; "12.3k" is 12300
Quirks    lists of goals and limits, of metrics and of means are none of results. rate_step_per_s is the last digit that was
          written: a report may back it up
Source    blogs, issues and chats
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..written_rates import POINTED, group_by_commas, next_found, read_number

KIND = "rate_list"
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=(), quotes_others=True, shown_as="list of rates")
OPTIONS: dict[str, Option] = {}
_UNIT = (
    r"(?:(?:http )?(?:req(?:uest)?s?|transactions?|queries)\s?(?:/|per|p/)\s?s(?:ec(?:ond)?s?)?"
    r"|anfragen ?(?:/|pro) ?s(?:ekunde)?|[rqt]ps)"
)
_MARK = r"(?:(?P<mark>[-*•・‣]|\d{1,2}[.)])\s+)?"
_NAME = r"[*_`]{0,2}(?!\d{1,2}[.)]\s)(?P<name>(?:/|[A-Z]{3,6} /)?[^\W_][^:：=|→`*]{0,58}?)[*_`]{0,2}"
_ABOUT = r"(?:~|≈|about |around |ca\. ?)?[*_`]{0,2}"
_RATE = r"(?P<rate>(?:\d{1,3}(?:[,  '’]\d{3})+|\d{1,12})(?:\.\d{1,6})?\s?[kKM万萬만億亿]?)"
_LINE = (
    rf"\s{{0,8}}{_MARK}(?:{_NAME}\s{{0,8}}(?:[:：=→]|->|=>|\s[-–—]+)\s{{0,8}})?{_ABOUT}{_RATE}\s?"
    rf"(?P<unit>{_UNIT})[*_`]{{0,2}}(?![\w/])"
)
OPENS = rf"(?i:(?=.{{0,120}}\d\s?[kM万萬만億亿]?\s?{_UNIT}){_LINE})"
NEEDS = ("/s", "/ s", "/\ts", "per", "ps", "pro s")
_ITEM = re.compile(_LINE, re.IGNORECASE)
_GOAL = re.compile(
    r"\b(?:target|goal|expect\w*|estimate\w*|theoretical|budget|threshold|limit\w*|slo|quota|capacity|up to"
    r"|per (?:client|user|node|core))\b|\bp50=",
    re.IGNORECASE,
)
_NO_RESULT = re.compile(
    r"\b(?:max\w*|min\w*|peak|sustained|average|avg|mean|median|total|sum|rate|throughput|requests?|rps|qps|tps|load|traffic|stdev"
    r"|worst|best)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*[(（,-]\s*([^\W\d][^()（）]{0,58})[)）]?\s*$")
# Of languages that group thousands by points, whatever the unit's own
_POINTED_WORDS = re.compile(
    r"\b(?:mit|ohne|vor|nach|bei|und|der|die|das|für|verbindungen|benutzern?|clientes|conexiones|usuarios|sem|senza|dopo|prima)\b",
    re.IGNORECASE,
)
_LONGEST = 300  # characters of a line that are looked at for them
_MOST = 50
_REFUSED = "rate_list refused"  # what Lines.memory has: the last line of a list that was none of results


def parse(lines: Lines, command: str | None) -> Found | None:
    if lines.number < lines.memory.get(_REFUSED, 0):
        return None
    with lines.keep_taken() as taken:
        found: list[Found] = []
        remarks: list[re.Match[str] | None] = []
        marks: set[str] = set()
        is_goal = False
        for line in map(lines.end_text, lines):
            if not line.strip() and found:
                continue
            item = _ITEM.match(line)
            marks |= {re.sub(r"\d+", "1", item["mark"] or "")} if item else set()
            if item is None or len(marks) > 1 or len(found) == _MOST or (not found and lines.unended()):
                lines.step_back()
                break
            is_goal = is_goal or bool(_NO_RESULT.search(item["name"] or "") or _GOAL.search(line))
            found.append(_make_item(item, lines.number))
            remarks.append(_REMARK.match(line, item.end()))
        if len({each.label for each in found} - {None}) < len(
            found
        ):  # a name may recur, with a remark that tells which
            for each, remark in zip(found, remarks, strict=True):
                each.label = f"{each.label} · {remark[1].strip()}" if remark and each.label else each.label
        labels = {each.label for each in found}
        if is_goal or len(found) < 2 or not (labels == {None} or None not in labels and len(labels) > 1):
            lines.memory[_REFUSED] = found[-1].last if found else 0
            lines.back(*taken)
            return None
    lines.memory[KIND] = found
    return follows(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the list that was read."""
    return next_found(lines, KIND)


def _make_item(item: re.Match[str], number: int) -> Found:
    groups_by_points = POINTED.search(item["unit"]) or _POINTED_WORDS.search(item.string, 0, _LONGEST)
    figure = group_by_commas(item["rate"]) if groups_by_points else item["rate"]
    rate, step = read_number(figure.upper()) or (None, None)
    name = (item["name"] or "").strip(" -–—(")
    values = {"requests_per_second": rate, "rate_step_per_s": step} | ({"config": name} if name else {})
    return Found(values, number, number, partial=True, label=name or None)


def records(values: dict[str, Any]) -> list[Record]:
    return [LoadResult(tool=KIND, requests_per_second=values["requests_per_second"])]
