"""rate_list: a list of requests per second that somebody wrote: "- nginx: 12,345 req/s".

Reads     two such lines and more, with or without list marks; what stands behind the rate is a remark, or else the name: "900
          req/s - nginx", "900 req/s, 50 users: nginx".
          Without names they are repeats of what the heading above names. A line of a name, one blank and
          the rate has nothing else. The unit may stand before the figure: "nginx: QPS = 11542"
Yields    one LoadResult for each, named by what stands before its rate
Units     requests/s; "12.3k" is 12300; "124.974" is 124974 in a German line, or beside "3.751.419"
Quirks    lists of goals and limits, of metrics and of means are none of results. rate_step_per_s is the last digit that was
          written: a report may back it up
Source    blogs, issues and chats

rate_prose: requests per second that somebody tells of in a sentence: "nginx made 6,365 TPS, and caddy got 5,000 TPS".

Reads     a line of prose where a word for what was measured stands before each rate, or the unit does ("QPS 达到 10.7万")
Yields    one LoadResult for each, named by what stands before it
Units     requests/s
Quirks    what could, should or must be reached, was so in another year or is what others say, is none of results. `said` is the
          line: beside reports it is prose as any other
Source    blogs, issues and chats

rate_mean: the mean below the rates of a loop's runs: "average TPS: 66225.3".

Reads     that line, right below two rates or more without a unit, each in a line of its own
Yields    one LoadResult for each of these where it is their mean, else one for the mean
Units     requests/s
Source    awk in scripts around pgbench
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..catalogue import Format
from ..commands import Option
from ..lines import Lines
from ..rate_blocks import are_loads, are_set, find_prose, next_found
from ..records import Found, LoadResult, Problem, Record, Semantics
from ..transcript import unquote
from ..written_rates import (
    LOAD,
    NOT_MEASURED,
    POINTED,
    RATE,
    REPEAT,
    UNIT,
    group_by_commas,
    is_round,
    read_number,
    strip_cell_markup,
)

KIND = "rate_list"
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=(), quotes_others=True, shown_as="list of rates")
OPTIONS: dict[str, Option] = {}
_UNIT = rf"(?:{UNIT}|r/s(?:ec)?|(?<=[wW万萬])\s?(?:/|per)\s?[s秒])"  # as a title "r/s" is iostat's reads
_MARK = r"(?:(?P<mark>[-*•・‣]|\d{1,2}[.)])\s+)?"
_NAME = r"[*_`]{0,2}(?!\d{1,2}[.)]\s)(?P<name>(?:/|[A-Z]{3,6} /)?[^\W_][^:：=|→`*]{0,58}?)[*_`]{0,2}"
_TOTAL = r"(?:\[\d[\d.,]{0,20}\]\s?[-–:]\s?)?"  # what was counted: "[3.751.419] - 124.974 req/sec"
_ABOUT = r"(?:~|≈|about |around |ca\. ?)?[*_`]{0,2}"
_NUMBER = r"(?:\d{1,3}(?:[,  '’]\d{3}){1,5}|\d{1,12})(?:\.\d{1,6})?\s?[kKMwW万萬만億亿千]?"
_RATE = rf"(?P<rate>{_NUMBER}|\d{{1,12}},\d{{1,2}})"  # "152,94", too
_LINE = (
    rf"\s{{0,8}}{_MARK}{_TOTAL}(?:{_NAME}\s{{0,8}}(?:[:：=→]|->|=>|\s[-–—]+|(?P<gap>\s))\s{{0,40}})?{_ABOUT}{_RATE}\s?"
    rf"(?P<unit>{_UNIT})[*_`]{{0,2}}(?![\w/]|\s{{0,3}}[:：=]\s{{0,20}}\d)"
)
# "nginx: QPS = 11542", "shared_buffers = 128MB, TPS = 12351": what stands before the unit is the name.
_UNIT_FIRST = (
    rf"\s{{0,8}}{_MARK}[*_`]{{0,2}}(?!\d{{1,2}}[.)]\s)(?P<name>[^\W_][^|→`*]{{0,100}}?)[*_`]{{0,2}}\s{{0,3}}(?:[,;:：–—-]|->|=>)"
    rf"\s{{0,3}}(?P<gap>(?!))?(?:[^\W\d]{{1,12}}\s){{0,2}}(?P<unit>[qrt]ps)\s?(?:[:：=]\s?|\s){_ABOUT}{_RATE}[*_`]{{0,2}}"
    r"(?![\w/]|[.,]\d|\s?%)"
)
_NO_GROUPS = re.compile(r"\(\?P<\w+>")
OPENS = (
    rf"(?i:(?=.{{0,120}}\d\s?[kMwW万萬만億亿千]?\s?{_UNIT}){_LINE}"
    rf"|(?=.{{1,120}}[qrt]ps[\s:：=]){_NO_GROUPS.sub('(?:', _UNIT_FIRST)})"
)
NEEDS = (
    *("/s", "/ s", "/\ts", "per s", "pers", "per\ts", "qps", "rps", "tps", "pro s", " a s", " every s", " each s"),
    *("par s", "por s", "al s", "na s", "/с", "/ с", "в с", "/秒"),
)
_ITEM, _ITEM_OF_UNIT = re.compile(_LINE, re.IGNORECASE), re.compile(_UNIT_FIRST, re.IGNORECASE)
# What a log or a program has before its figures, and what was measured beside them: no names.
_OF_LOG = re.compile(
    r"\w\(|\d[-/:.]\d\d[-/:.]|\b(?:INFO|WARN(?:ING)?|DEBUG|ERROR|progress)\b|\d\s?(?:%|m?s|sec|[uµ]s)(?!\w)"
)
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
_REMARK = re.compile(  # "(cold)", "- nginx", ", 50 users: nginx", ", 626.07KB/s [nginx]"
    rf"(?:\s?[,;]\s?\d[\d.,]{{0,15}}\s?[kmg]?i?b(?:/s|ps))?\s*(?:[,;]\s*(?P<load>\d{{1,7}})\s{LOAD.pattern}\s?[:,-]|[(（\[,-])"
    r"\s*(?P<name>[^\W\d][^()（）\[\]]{0,58})[)）\]]?\s*$",
    re.IGNORECASE,
)
# Of languages that group thousands by points, whatever the unit's own
_POINTED_WORDS = re.compile(
    r"\b(?:mit|ohne|vor|nach|bei|und|der|die|das|für|verbindungen|benutzern?|clientes|conexiones|usuarios|sem|senza|dopo|prima)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}")
_MILLIONS = re.compile(r"(?<![\d.])\d{1,3}\.\d{3}\.\d{3}(?![\d.])")  # no version, and no address has such parts
_DECIMAL_COMMA = re.compile(r",\d{1,2}$")
_GAP = re.compile(r"\S(?:\s\s|\t)")  # between columns
_MEASURED = re.compile(  # beside a rate
    r"(?<![\d.,])[.,]*+\d[\d.,]*+\s?(?:%|m?s|sec|[uµ]s|[kmg]i?b)(?!\w)", re.IGNORECASE
)
_LONGEST = 300  # characters of a line that are looked at for them
_MOST, _MOST_WORDS = 50, 3
_REFUSED = "rate_list refused"  # what Lines.memory has: the last line of a list that was none of results


def parse(lines: Lines, command: str | None) -> Found | None:
    if lines.number < lines.memory.get(_REFUSED, 0):
        return None
    with lines.keep_taken() as taken:
        items: list[tuple[re.Match[str], int]] = []
        marks: set[str] = set()
        is_goal = False
        for line in map(lines.end_text, lines):
            if not line.strip() and items:
                continue
            item = _ITEM.match(line)
            item = None if item and item["gap"] and not _is_column(item) else item
            item = item or _match_unit_first(line)
            marks |= {re.sub(r"\d+", "1", item["mark"] or "")} if item else set()
            if item is None or len(marks) > 1 or len(items) == _MOST or (not items and lines.unended()):
                lines.step_back()
                break
            is_goal = is_goal or bool(
                _NO_RESULT.search(item["name"] or "") or _GOAL.search(line) or NOT_MEASURED.search(line)
            )
            items.append((item, lines.number))
        quoted_rates = _make_list(items, lines.prose) if len(items) > 1 and not is_goal else []
        if not quoted_rates:
            lines.memory[_REFUSED] = items[-1][1] if items else 0
            lines.back(*taken)
            return None
    lines.memory[KIND] = quoted_rates
    return next_found(lines, KIND)


def _make_list(items: list[tuple[re.Match[str], int]], prose: Sequence[tuple[int, str]]) -> list[Found]:
    """The rates of a list's lines; none where they were set, or where some of them alone have a name."""
    quoted_rates = [_make_item(item, number) for item, number in items]
    if len({each.label for each in quoted_rates} - {None}) < len(quoted_rates):
        remarks = [_REMARK.match(item.string, item.end()) for item, _ in items]
        for each, remark in zip(quoted_rates, remarks, strict=True):
            each.values |= {"concurrency": int(remark["load"])} if remark and remark["load"] else {}
        _name_by_remarks(quoted_rates, [remark["name"].strip() if remark else "" for remark in remarks])
    if all(item.re is _ITEM_OF_UNIT for item, _ in items) and all(
        is_round(each.values["requests_per_second"]) for each in quoted_rates
    ):
        return []  # somebody may have set them
    labels = {each.label for each in quoted_rates}
    is_named = labels == {None} or None not in labels and len(labels) > 1
    if not is_named or are_set(
        [each.values["requests_per_second"] for each in quoted_rates], find_prose(prose, quoted_rates[0].first)
    ):
        return []
    _take_loads(quoted_rates)
    return quoted_rates


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the list that was read."""
    return next_found(lines, KIND)


def _match_unit_first(line: str) -> re.Match[str] | None:
    item = _ITEM_OF_UNIT.match(line)
    return None if item is None or _OF_LOG.search(item["name"]) else item


def _is_column(item: re.Match[str]) -> bool:
    """Whether blanks alone stand between a name and its rate: two of them, or one in a line of no more than these."""
    if _GAP.search(item["name"]):
        return False
    name = item.string[: item.start("rate")]
    has_others = item.string[item.end() :].strip() or len(name.split()) > _MOST_WORDS or _ENDS_IN_VERB.search(name)
    return not (has_others and re.search(r"\S\s$", name))


def _name_by_remarks(quoted_rates: list[Found], remarks: list[str]) -> None:
    """Take what stands behind the rates for what tells those of one name apart, or for their names, where it differs."""
    is_none = any(_MEASURED.search(remark) or _NO_RESULT.search(remark) for remark in remarks)
    loads = [each.values.get("concurrency") for each in quoted_rates]
    are_names = (
        len({*zip(remarks, loads, strict=True)}) == len(remarks)
        and all(remarks)
        and not all(map(REPEAT.fullmatch, remarks))
    )
    for each, remark in zip(quoted_rates, remarks, strict=True):
        if each.label and remark and not _DAY.fullmatch(each.label):
            each.label = f"{each.label} · {remark}"
        elif are_names and not is_none:
            each.values["config"] = each.label = remark


def _make_item(item: re.Match[str], number: int) -> Found:
    text = item.string[:_LONGEST]
    groups_by_points = (
        _DECIMAL_COMMA.search(item["rate"])
        or POINTED.search(item["unit"])
        or _POINTED_WORDS.search(text)
        or _MILLIONS.search(text)
    )
    figure = group_by_commas(item["rate"]) if groups_by_points else item["rate"]
    rate, step = read_number(f"{figure.upper()} rps") or (None, None)
    name = (item["name"] or "").strip(" -–—(,;:：")
    values = {"requests_per_second": rate, "rate_step_per_s": step} | ({"config": name} if name else {})
    return Found(values, number, number, partial=True, label=name or None)


def _take_loads(quoted_rates: list[Found]) -> None:
    """Take names that only say what was asked for ("GET", "SET") for the loads of one config, which a heading names."""
    if quoted_rates and quoted_rates[0].label and are_loads([each.label or "" for each in quoted_rates]):
        for each in quoted_rates:
            each.values |= {"load": each.label}
            each.values.pop("config", None)
            each.label = None


def records(values: dict[str, Any]) -> list[Record]:
    clients, rate = values.get("concurrency"), values["requests_per_second"]
    return [LoadResult(tool=KIND, path=values.get("load"), concurrency=clients, requests_per_second=rate)]


# --- rate_prose -------------------------------------------------------------------------------------------------------
_PROSE = "rate_prose"
_PROSE_NEEDS = (
    *("/s", "/ s", "per s", "pers", "per\ts", "qps", "rps", "tps", "pro s", "秒", "запрос", "segu", "seku", "sec"),
)
_ROUGHLY = r"(?:(?:about|around|only|just|roughly|an average of|nur|etwa|rund|environ|unos|około|约|大约)\s?|[~≈])?"
_VERB = (
    r"(?:(?<!\w)(?:made|makes|reache[sd]|got|gets?|see|saw|gave|gives|handle[sd]|serve[sd]|does|did|achieve[sd]|delivers|delivered|manage[sd]|yields"
    r"|yielded|hits?|scored|measured|averaged|process(?:ed|es)|was|were|could (?:process|handle|serve|do|reach)"
    r"|erreichte?|schaffte?|lieferte?|atteint|alcanza|alcanzó|osiąga|osiągnął)\s{1,2}"
    r"|[はが]\s?|(?:达到?|有|为)了?\s?)"
)
_ENDS_IN_VERB = re.compile(rf"(?:{_VERB}|(?<!\w)(?:had|has|have|is|are|at|with|of|to|about)\s)$", re.IGNORECASE)
_STATED_RATE = (
    rf"(?:{_VERB}{_ROUGHLY}[*_`]{{0,3}}(?P<rate>{_NUMBER})[*_`]{{0,3}}\s?(?P<unit>{RATE})"
    rf"|[qrt]ps\s?(?:值|数)?\s?(?:达到?了?|高达|约?为|是|只有){_ROUGHLY}\s?(?P<figure>{_NUMBER})(?:\s?/\s?[s秒])?(?![\w.]|\s?%))[*_`]{{0,3}}"
)
_PROSE_OPENS = rf"(?i:\s{{0,3}}(?=[^\W\d_]|\*\*)(?=.{{0,200}}\d)[^|\t:]{{0,200}}?{_STATED_RATE})"
_PROSE_RATE = re.compile(_STATED_RATE, re.IGNORECASE)
_ANY_RATE = re.compile(rf"(?<![\w.,])(?P<rate>{_NUMBER})\s?(?P<unit>{RATE})", re.IGNORECASE)
# Between two rates, where the second has no verb of its own: ", nginx only 2000 req/s"
_OF_ANOTHER = re.compile(
    r"\s?(?:[,;]\s(?:(?:and|but|while|whereas)\s)?|(?:and|but|while|whereas|against)\s)"
    r"(?!(?:about|around|almost|nearly|only|just|roughly|some|another|later|then|now|at|with|for|to|of|in|on|from|over|under|by|as"
    rf"|an?|the|its?|max\w*|min\w*|peak\w*|mean|average|median|p?\d+)\b)[*_`]{{0,3}}\w[\w.+-]*(?:\s\w[\w.+-]*)?[*_`]{{0,3}}\s{_ROUGHLY}[*_`]{{0,3}}",
    re.IGNORECASE,
)
_ROUGHLY_BEHIND = re.compile(rf"(?<=\s){_ROUGHLY}$", re.IGNORECASE)
_NOT_OF_A_RUN = re.compile(
    r"\b(?:can|could(?! (?:process|handle|serve|do|reach) [*_`]{0,3}\d[\d,]*\.\d)|should|would|must|need\w*"
    r"|want\w*|might|may|if|expect\w*"
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
    r"|so|thus|hence|overall|TL;?DR)(?!\w)|而|但|\w*结果[:：])+",
    re.IGNORECASE,
)
# The same backwards, so that it is looked for at the end alone.
_BEHIND = re.compile(r"(?:[\s,;:，、*_`]|(?<!\w)(?:ti|ew|I|hcihw|taht|se|riw|sp[qrt])(?!\w)|的)*", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"(?<=\w\w[.!?])\s{1,3}(?=[^\W\d_])|(?<=[。！？])")
_LETTER = re.compile(r"(?<!\w)([A-Z])\W*$")
_OF_ONES_OWN = re.compile(  # what names nothing: the heading above does
    r"(?!\W*(?:with(?:out)?|using|before|after|mit|ohne|avec|sans|con|sin)\b)"
    r"(?:\W*(?:\w+ ){0,3}?\b(?:I|we|this|that|it|which)(?: (?:now|then|have|just))?\s+)",
    re.IGNORECASE,
)
_LONGEST_SENTENCE, _MOST_RATES, _LONGEST_NAME = 400, 6, 48


def _parse_prose(lines: Lines, command: str | None) -> Found | None:
    line = next(lines)
    rates = _find_rates(line[:_LONGEST_SENTENCE])
    if (
        command
        or len(rates) > _MOST_RATES
        or len(line) > _LONGEST_SENTENCE
        or _NOT_OF_A_RUN.search(line)
        or NOT_MEASURED.search(line)
    ):
        return None
    quoted_rates, end = list[Found](), 0
    for rate in rates:
        said = _ROUGHLY_BEHIND.sub("", line[end : rate.start()])
        backwards = _BEFORE.sub("", strip_cell_markup(said))[::-1]
        name = _BEHIND.sub("", backwards, count=1)[::-1]
        name = _SENTENCE_ENDS.split(name)[-1] or _read_letter(line[end : rate.start()], len(rates))
        of = rate.groupdict()
        figure = read_number(f"{of['rate'] or of['figure']} {of['unit'] or 'rps'}")
        end = rate.end()
        is_own = len(rates) == 1 and _OF_ONES_OWN.fullmatch(line[: rate.start()]) is not None
        is_letter = len(rates) > 1 and re.fullmatch("[A-Z]", name) is not None
        if not figure or not (is_own or is_letter or re.search(r"\w\w", name)) or len(name) > _LONGEST_NAME:
            return None
        values = {"requests_per_second": figure[0], "rate_step_per_s": figure[1], "said": line.strip()}
        quoted_rates.append(Found(values, lines.number, lines.number, partial=True, label=None if is_own else name))
    _take_loads(quoted_rates)
    if quoted_rates:
        read = [rate.span() for rate in rates]
        others = [each for each in _ANY_RATE.finditer(line) if not any(a <= each.start() < b for a, b in read)]
        quoted_rates[-1].problems.extend(
            Problem(lines.number, f"a rate that was not read: {each[0]!r}") for each in others
        )
    lines.memory[_PROSE] = quoted_rates
    return next_found(lines, _PROSE)


def _find_rates(line: str) -> list[re.Match[str]]:
    """The rates with a verb, and those behind them that another one's name alone stands before."""
    rates = list(_PROSE_RATE.finditer(line))
    for each in _ANY_RATE.finditer(line) if rates else ():
        before = max((rate.end() for rate in rates if rate.end() <= each.start()), default=0)
        is_read = any(rate.start() <= each.start() < rate.end() for rate in rates)
        if before and not is_read and _OF_ANOTHER.fullmatch(line, before, each.start()):
            rates.append(each)
    return sorted(rates, key=lambda rate: rate.start())


def _read_letter(text: str, n_rates: int) -> str:
    """What a sentence on several calls one of them, where that is a letter: "A served 900 req/s while B managed 1200 req/s"."""
    match = _LETTER.search(text) if n_rates > 1 else None
    return match[1] if match else ""


# --- rate_mean --------------------------------------------------------------------------------------------------------
_OF_MEAN = "rate_mean"
_MEAN = rf"\s{{0,8}}(?:average|avg\.?|mean) {RATE}\s?[:=]\s{{0,8}}(?P<rate>{_NUMBER})\s*$"
_MEAN_LINE = re.compile(_MEAN, re.IGNORECASE)


def _parse_mean(lines: Lines, command: str | None) -> Found | None:
    match, number = _MEAN_LINE.match(next(lines)), lines.number
    mean, above = read_number(match["rate"]) if match else None, list[tuple[int, tuple[float, float]]]()
    for line, text in reversed(lines.prose):
        rate = read_number(unquote(text, lines.prefix).strip())
        if not rate or line < (above[0][0] if above else number) - 2:
            break
        above.insert(0, (line, rate))
    if not mean or len(above) < 2:
        return None
    is_mean = abs(sum(rate for _, (rate, _) in above) / len(above) - mean[0]) <= mean[1]
    lines.memory[_OF_MEAN] = repeats = [
        Found({"requests_per_second": rate, "rate_step_per_s": step}, line, line, partial=True)
        for line, (rate, step) in (above if is_mean else [(number, mean)])
    ]
    repeats[0].captions = [(line, "") for line, _ in above]  # they are no headings
    repeats[-1].last = number
    return next_found(lines, _OF_MEAN)


OTHER_FORMATS = (
    Format(
        kind=_OF_MEAN,
        opens=rf"(?i:{_MEAN})",
        needs=("average", "avg", "mean"),
        parse=_parse_mean,
        follows=lambda lines, _: next_found(lines, _OF_MEAN),
        records=records,
    ),
    Format(
        kind=_PROSE,
        opens=_PROSE_OPENS,
        needs=_PROSE_NEEDS,
        parse=_parse_prose,
        follows=lambda lines, _: next_found(lines, _PROSE),
        records=records,
    ),
)
