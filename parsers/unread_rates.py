"""Rates that should have been read and were not: each becomes a problem of its line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import Any

from .catalogue import UNKNOWN, Format, compile_rate_labels, formats
from .records import Found, LoadResult, Problem, Values, list_floats
from .units import ungrouped
from .written_rates import NOT_MEASURED, UNIT, is_round, read_number

_FIGURE = r"-?(?:\d{1,3}(?:[,'’]\d{3})+|\d{1,12})(?:[.,]\d{1,9})?(?:e[+-]?\d{1,2})?(?:\s?[kKMwW万萬만億亿千])?"
_ABOUT = r"[*_`~≈]{0,3}(?:(?:about|around|roughly|nearly|approximately|approx\.?|ca\.?|only|just|over|almost|some)\s)?[*_`~≈]{0,3}"
_PLAIN_UNIT = rf"(?:{UNIT}|req(?:uest)?s?/min(?:ute)?)[*_`]{{0,3}}(?![\w/])"
_LABEL = rf"(?<![\w./$?&-])(?<!\d\s)(?:{UNIT}|(?:transaction|request|reply) rate)(?![\w/.])"
_BEHIND = r"(?![\w%+]|[.,]\d|\s?(?:m?s|secs?|[uµ]s|[kmg]i?b|users?|clients|connections|threads|workers|r?pm)\b)"
_IS_MEAN = r"(?:avg|average|mean|total|overall|achieved|actual|measured|final|throughput)"
_LABELLED = re.compile(  # "QPS: 900", "rps=900", "| req/s | 900 |", '"qps": {"mean": 900}'
    rf"{_LABEL}[\"'`*)\]]{{0,4}}(?:\s?[(\[](?:{_IS_MEAN}|#/sec)[)\]]|\s{_IS_MEAN}(?=\s?[:=]))?[\"'`*]{{0,3}}"
    r"(?:\s{0,40}(?:[:：=~≈|→\t]|[=-]>|,(?=\S))|\s(?:is|was|are|were|of|reached|hit)\s(?:about\s|around\s|only\s)?)[\s|]{0,40}(?:\{\s?[\"']?(?:mean|avg|average)[\"']?\s?:\s?)?[\"'`*~≈]{0,3}"
    rf"(?P<figure>{_FIGURE}){_BEHIND}",
    re.IGNORECASE,
)
_LABELLED_AT_START = re.compile(  # "rps 900", "mean QPS 900", 'http_requests_per_second{server="nginx"} 900.1'
    rf"\W{{0,6}}(?:(?:{_IS_MEAN}\s)?|(?=[^{{]{{0,80}}\{{)[\w\s]{{1,60}}?){_LABEL}(?:\{{[^{{}}]{{0,200}}\}})?\s[\s.]{{0,80}}(?P<figure>{_FIGURE}){_BEHIND}"
    r"\s{0,9}(?:$|[(\[#,;|])",
    re.IGNORECASE,
)
_ALONE = re.compile(  # "900 req/s", "nginx: 900 hits/s (second run)", "900 r/s"
    rf"\W{{0,8}}(?:\d{{1,2}}[.)]\s)?(?:(?P<name>[^\W\d][^:：=|→\t]{{0,40}}?)(?:\s{{0,3}}(?:[:：=|→\t]|[=-]>)|\s(?:[-–—]\s)?)\s{{0,40}})?"
    rf"{_ABOUT}(?P<figure>{_FIGURE})\s?(?:{_PLAIN_UNIT}|\[\#/sec\]|(?(name)(?!)|r/s(?=\W*$)))"
    r"(?:\W{0,6}|\s{0,3}[(（,;|#–—-].{0,80}|\s(?:with|without|on|for|using|from|mit|avec|con) .{0,60})"
    r"|\W{0,6}(?:[\w ]{0,20}\b)?(?:rate|throughput|durchsatz|débit)\s?[:=]\s{0,40}"
    rf"(?P<per>{_FIGURE})\s?/\s?s(?:ec(?:ond)?)?\W{{0,4}}",
    re.IGNORECASE,
)
_RATE_IN_PROSE = re.compile(  # "we got about 900 requests a second"
    r"\b(?:ma[dk]es?|reach(?:e[sd])?|g[eo]ts?|got|saw|sees?|gave|gives?|handle[sd]?|serve[sd]?|d(?:oes|id)|achieve[sd]?|deliver(?:s|ed)?"
    r"|manage[sd]?|yield(?:s|ed)?|hits?|scored|measured?|average[sd]?|process(?:es|ed)?|was|were|reported|show(?:s|ed)?"
    r"|(?:dropped|fell|rose|went|increased|decreased|improved|jumped|climbed)(?: from .{1,30}?)? to)\s"
    rf"(?:an? (?:average|mean) of\s)?{_ABOUT}(?P<figure>{_FIGURE})\s?{_PLAIN_UNIT}",
    re.IGNORECASE,
)
_MAY_TELL = re.compile(
    r"[rqt]ps|req|per|/ ?s|[ahy] sec|se[gk]|rate|秒|секунд|/ ?с|초당|#/sec|quer|trans|hits|ops"
)  # in lower case: quicker than to ignore it
_REMARK = re.compile(r"\([^()]{0,60}\d[^()]{0,60}\)")  # "(target: 1000)", "(was 800)"
_NO_FIGURES = ("0", "-1")  # nothing was counted, or nothing is limited
_OF_SEVERAL = re.compile(r"\b(?:avg|average|mean|median|averaged|moyenne|durchschnitt|media)\b|平均", re.IGNORECASE)
_NOT_MEASURED = re.compile(  # goals, limits, loads that were set, other times and other servers, differences
    r"\b(?:expect\w*|target\w*|limit\w*|sla|cap(?:ped|acity)?|throttl\w*|burst|max\w*|(?<!/)min(?:imum)?|up to|peak"
    r"|at (?:least|most)|should|must|need\w*|want\w*|would|could|can|may|might|if|claim\w*|promise[sd]?|advertised|vendors?"
    r"|production|per (?:client|user|node|core|pod|connection|thread|worker|process|ip)|(?:in|by|since|until) (?:19|20)\d\d"
    r"|ago|last (?:year|month|week|time)|used to|previously|formerly|originally|back then|according to|heard|ramp\w*"
    r"|arrival\w*|autoscal\w*|alert\w*|instantaneous|uptime|assert\w*|default\w*|example|rate.?limit\w*|more|less|faster"
    r"|slower|differences?|improvements?|gain|overhead|increase of|muss|soll\w*|könnte|debería)\b"
    r"|(?:[<≤≥+±−]|(?<![=-])>)\s?\d|HTTP/[12]|\bkB/request|[应需]|可以|目标|上限|最大",
    re.IGNORECASE,
)
_DIGIT, _NO_TITLE = re.compile(r"\d"), 9
_ROUGHLY = re.compile(
    r"(?:[~≈]|about|around|roughly|nearly|approx\w*\.?|ca\.?|over|almost|some)[\s*`]*$", re.IGNORECASE
)
_GOALS = re.compile(
    r"\b(?:needs?|needed|at least|targets?|goals?|expect\w*|requirements?|limits?|quotas?|slos?|slas?|plans?"
    r"|should|must|budget|tiers?)\b",
    re.IGNORECASE,
)
_HTML_CELL = re.compile(rf"<t[dh][^<>]{{0,99}}>[^<>]{{0,40}}(?<![^\W_]){UNIT}(?![^\W_])[^<>]{{0,40}}</t", re.IGNORECASE)
_BRACKETED = re.compile(r"\W{0,4}\[[^\[\]]{1,40}\]\W{0,4}")
_UNIT_BEHIND = re.compile(r"\s?([^\s\d]{1,20}/s\S{0,8})(?=\s{2,}\d)")
_EXPECTED = "; expected the tool's report, or a list or a table with a name for each rate"
MOST_STATED = 200  # lines of stated rates that are looked at in a text
_DECIMALS = re.compile(r"\d+(?:\.(\d+))?")
LABELS = "labels"  # what Lines.memory has, see `note_labels`
_LONGEST = 500  # characters of a line that are looked at


def check_rates(form: Format, found: Found, lines: Mapping[int, str]) -> list[Problem]:
    """A problem for each of these lines, which the format took, with a load tool's rate that is not among what it read."""
    at = found.values.lines if isinstance(found.values, Values) else found.lines
    read = {value for name, value in found.values.items() if isinstance(value, int | float) and at.get(name) in lines}
    if not find_unread_rates(lines, read):
        return []
    results = (record for record in form.records(found.values) if isinstance(record, LoadResult))
    rates = {result.requests_per_second for result in results if result.requests_per_second is not None}
    return find_unread_rates(lines, read | rates | set(list_floats(found.values.get("parts", {}))))


def note_labels(memory: dict[str, Any], form: Format, found: Found, lines: Mapping[int, str]) -> None:
    """Note in Lines.memory which tool's report has these labels of rates, and with how many decimals; "" of several tools.

    Who quotes one such line means that tool.
    """
    if form.semantics is None or form.semantics.quotes_others or form.kind == UNKNOWN or len(found.values) < 2:
        return
    labels = memory.setdefault(LABELS, {})
    for line in lines.values():
        for label in compile_rate_labels().finditer(line, 0, _LONGEST):
            figure = _DECIMALS.search(line, label.end(), _LONGEST)
            own = form.kind, len(figure[1] or "") if figure else 0
            labels[label[0]] = own if labels.get(label[0], own) == own else ("", 0)


def find_unread_rates(lines: Mapping[int, str], read: Set[float] = frozenset()) -> list[Problem]:
    """A problem for each of these lines with a load tool's rate that is not among those that were read."""
    unread = {
        number: next((text for text, rates in _find_rates(line) if read.isdisjoint(rates)), "")
        for number, line in lines.items()
    }
    return [_report_unread(number, text) for number, text in unread.items() if text]


def note_stated_rate(stated: list[tuple[int, str]], number: int, line: str, prose: Sequence[tuple[int, str]]) -> None:
    """Note a line that states a rate as measured, in a form that no tool prints: "QPS: 900", "we got about 900 requests a second".

    prose: (line, text) of what stands above; what that calls goals or limits is not measured
    """
    if len(stated) == MOST_STATED or not _find_stated(line):
        return
    if not any(map(_GOALS.search, _find_titles(prose))):
        stated.append((number, line.strip()))


def _find_titles(prose: Sequence[tuple[int, str]]) -> Iterator[str]:
    """The last line that leads to what stands below, and the titles of the sections that this is in, the innermost first."""
    level = _NO_TITLE
    for _, text in reversed(prose):
        depth = len(text) - len(text.lstrip("#"))
        if 0 < depth < level or (not depth and level == _NO_TITLE and text[-1:] in ":："):
            level = depth or _NO_TITLE - 1
            yield text


def is_exact_rate(line: str) -> bool:
    """Whether a line is a rate with its unit and nothing else, or begins with one or its label and has no round figures."""
    match = _ALONE.fullmatch(line)
    is_alone = match is not None and not match["name"] and line.rstrip()[-1:].isalpha()
    figures = [
        read_number(_get_figure(each)) for each in _find_stated(line) if each.start() == 0 or each.re is _LABELLED
    ]
    return (
        is_alone
        or "|" not in line
        and bool(figures)
        and not any(figure is None or is_round(figure[0]) for figure in figures)
    )


def is_rate_of_log(line: str) -> bool:
    """Whether a line is a rate behind the level or the time of a log: "[INFO] Requests/sec: 900"."""
    match = _LABELLED.search(line[:_LONGEST])
    return match is not None and _BRACKETED.fullmatch(line[: match.start()]) is not None


def find_html_rates(number: int, raw: str) -> list[Problem]:
    """A problem for a line of HTML as it stands with the title of a column or row of rates, where no row is a line of its own."""
    match = _HTML_CELL.search(raw[:_LONGEST]) if "<t" in raw else None
    return (
        [Problem(number, "an HTML table of rates that was not read; expected each row (<tr>) on a line of its own")]
        if match
        else []
    )


def find_stated_rates(lines: Sequence[tuple[int, str]], rates: Iterable[float]) -> list[Problem]:
    """A problem for each of these lines that states a rate that none of the text's reports has, nor their mean."""
    known = sorted(rates)
    unread = [
        (number, text) for number, text in lines if not all(_is_known(each, known) for each in _find_stated(text))
    ]
    stated_rates = [_report_unread(number, text.strip()[:80], _EXPECTED) for number, text in unread]
    if stated_rates and len(lines) == MOST_STATED:
        stated_rates.append(Problem(lines[-1][0], "further rates of this kind that were not read are not listed"))
    return stated_rates


def _find_stated(line: str) -> list[re.Match[str]]:
    if len(line) > _LONGEST or not _DIGIT.search(line) or not _MAY_TELL.search(line.lower()):
        return []
    text = _REMARK.sub("", line.replace("_", " "))
    if _NOT_MEASURED.search(text) or NOT_MEASURED.search(text):
        return []
    start, alone = _LABELLED_AT_START.match(text), _ALONE.fullmatch(text.rstrip())
    stated = [
        *_LABELLED.finditer(text),
        *([start] if start else ()),
        *([alone] if alone else ()),
        *_RATE_IN_PROSE.finditer(text),
    ]
    return [each for each in stated if _get_figure(each) not in _NO_FIGURES]


def _get_figure(match: re.Match[str]) -> str:
    return match["figure"] or match["per"] if match.re is _ALONE else match["figure"]


def _is_known(match: re.Match[str], known: Sequence[float]) -> bool:
    """Whether one of the rates may be the one that is stated, rounded or cut off; or, of a mean, whether it is among them."""
    figure = _get_figure(match)
    rate, step = read_number(figure.replace("'", ",")) or (_as_float(figure.replace(",", ".")) or 0.0, 1.0)
    while (
        rate
        and _ROUGHLY.search(match.string[: match.end(match.lastgroup or 0) - len(figure)])
        and not rate % (10 * step)
    ):
        step *= 10
    at = bisect_left(known, rate - step / 2)
    if at < len(known) and known[at] < rate + step:
        return True
    return bool(known) and known[0] < rate < known[-1] and _OF_SEVERAL.search(match.string) is not None


def _report_unread(line: int, text: str, expected: str = "") -> Problem:
    return Problem(line, f"a rate that was not read: {text!r}{expected}")


@lru_cache(maxsize=256)  # of one line it is asked by each format that tries it
def _find_rates(line: str) -> list[tuple[str, set[float | None]]]:
    """The rates of load tools in a line, with their labels, and their figures: a comma may stand before decimals."""
    text = ungrouped(line[:_LONGEST])
    labelled = [*_compile_rate_lines().finditer(text)]
    rates = [(each[0][:80], each[each.lastindex or 0].rstrip(".,")) for each in labelled]
    if len(labelled) == 1 and (unit := _UNIT_BEHIND.match(text, labelled[0].end(labelled[0].lastindex or 0))):
        beside = re.compile(rf"\s{{2,}}({_FIGURE})\s?{re.escape(unit[1])}(?!\S)")  # reports side by side
        rates += [(each[0].strip(), each[1].rstrip(".,")) for each in beside.finditer(text, unit.end())]
    return [(label, {_as_float(text.replace(",", sign)) for sign in ("", ".")}) for label, text in rates]


@cache
def _compile_rate_lines() -> re.Pattern[str]:
    """A load tool's rate with its label, anywhere on a line; the group that matched is the figure."""
    return re.compile("|".join(f.inline for f in formats().values() if f.inline))


def _as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # "1.2.3"
        return None
