"""rate_prose: requests per second that somebody tells of in a sentence: "nginx made 6,365 TPS, and caddy got 5,000 TPS".

Reads     a line of prose where a word for what was measured stands before each rate, or the unit does ("QPS 达到 10.7万")
Yields    one LoadResult for each, named by what stands before it
Units     requests/s
Quirks    what could, should or must be reached, was so in another year or is what others say, is none of results. `said` is the
          line: beside reports it is prose as any other
Source    blogs, issues and chats
"""

from __future__ import annotations

import re
from typing import Any

from .. import written_rates as rates
from ..commands import Option
from ..lines import Lines
from ..records import Found, LoadResult, Problem, Record, Semantics

KIND = "rate_prose"
TOOL = "rate_list"
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=(), quotes_others=True, shown_as="list of rates")
OPTIONS: dict[str, Option] = {}
NEEDS = ("/s", "/ s", "per", "ps", "pro s", "秒", "запрос", "segu", "seku", "sec")
_NUMBER = r"(?:\d{1,3}(?:[,  '’]\d{3})+|\d{1,12})(?:\.\d{1,6})?\s?[kKM万萬만億亿]?"
_ABOUT = r"(?:(?:about|around|only|just|roughly|an average of|nur|etwa|rund|environ|unos|około|约|大约)\s?|[~≈])?"
_VERB = (
    r"(?:(?<!\w)(?:made|makes|reache[sd]|got|gets|gave|gives|handle[sd]|serve[sd]|does|did|achieve[sd]|delivers|delivered|manage[sd]|yields"
    r"|yielded|hits?|scored|measured|averaged|was|were|erreichte?|schaffte?|lieferte?|atteint|alcanza|alcanzó|osiąga|osiągnął)\s{1,2}"
    r"|[はが]\s?|(?:达到?|有|为)了?\s?)"
)
_SAID = (
    rf"(?:{_VERB}{_ABOUT}[*_`]{{0,3}}(?P<rate>{_NUMBER})\s?(?P<unit>{rates.RATE})"
    rf"|[qrt]ps\s?(?:值|数)?\s?(?:达到?了?|高达|约?为|是|只有){_ABOUT}\s?(?P<figure>{_NUMBER})(?![\d.]|\s?%))[*_`]{{0,3}}"
)
OPENS = rf"(?i:\s{{0,3}}(?=[^\W\d_]|\*\*)(?=.{{0,200}}\d)[^|\t:]{{0,200}}?{_SAID})"
_RATE = re.compile(_SAID, re.IGNORECASE)
_ANY_RATE = re.compile(rf"(?<![\w.,]){_NUMBER}\s?{rates.RATE}", re.IGNORECASE)
_NO_RESULT = re.compile(
    r"\b(?:can|could|should|would|must|need\w*|want\w*|might|may|if|expect\w*"
    r"|target\w*|goal|claim\w*|limit\w*|max\w*|up to|at least"
    r"|theoretical\w*|estimate\w*|per (?:client|user|node|core)|capped|muss|soll\w*|könnte|debería"
    # of another time, or by others
    r"|(?:in|by|since|until|im Jahr|seit|en|w) (?:19|20)\d\d|ago|last (?:year|month|week|time)|used to|previously|formerly"
    r"|originally|back then|at peak|production|according to|promise[sd]?|vendor\w*|I(?:'ve| have)? (?:read|heard)"
    r"|letzte\w* Jahr|damals|früher|Hersteller"
    r")\b|应该|需要|可以|目标|如果|理论|上限|最大|去年|以前|曾经|官方|号称|据说|昔|昨年|公式|(?:19|20)\d\d\s?年",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # a name
    r"^(?:[\s,;.:，；。、()（）*_`–—-]|(?<!\w)(?:and|but|while|whereas|then|when|the|it"
    r"|und|aber|während|et|mais|tandis que|y|pero|i|a|oraz"
    r"|TL;?DR)(?!\w)|而|但)+",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"(?:[\s,;:，、*_`]|(?<!\w)(?:it|we|I|which|that|es|wir|[qrt]ps)(?!\w)|的)+$", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"(?<=\w\w[.!?])\s{1,3}(?=[^\W\d_])|(?<=[。！？])")
_LONGEST, _MOST, _LONGEST_NAME = 400, 6, 48


def parse(lines: Lines, command: str | None) -> Found | None:
    line = next(lines)
    told = list(_RATE.finditer(line[:_LONGEST]))
    if (
        command
        or len(told) > _MOST
        or len(line) > _LONGEST
        or _NO_RESULT.search(line)
        or rates.NOT_MEASURED.search(line)
    ):
        return None
    found, end = list[Found](), 0
    for rate in told:
        name = _BEHIND.sub("", _BEFORE.sub("", rates.strip_markup(line[end : rate.start()])))
        name = _SENTENCE_ENDS.split(name)[-1]
        figure = rates.read_number(f"{rate['rate'] or rate['figure']} {rate['unit'] or ''}".strip())
        end = rate.end()
        if not figure or not re.search(r"\w\w", name) or len(name) > _LONGEST_NAME:
            return None
        values = {"requests_per_second": figure[0], "rate_step_per_s": figure[1], "said": line.strip()}
        found.append(Found(values, lines.number, lines.number, partial=True, label=name))
    if found:
        read = [rate.span() for rate in told]
        others = [each for each in _ANY_RATE.finditer(line) if not any(a <= each.start() < b for a, b in read)]
        found[-1].problems.extend(Problem(lines.number, f"a rate that was not read: {each[0]!r}") for each in others)
    lines.memory[KIND] = found
    return follows(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the sentence that was read."""
    return rates.next_found(lines, KIND)


def records(values: dict[str, Any]) -> list[Record]:
    return [LoadResult(tool=TOOL, requests_per_second=values["requests_per_second"])]
