"""Sentences that tell configs apart: how each was set up ("nginx had gzip on, Apache did not"), and what slowed one of them
("while nginx was tested a backup was running") or made the other look faster.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

from parsers.blocks import Block

from .answers import begins_section
from .clauses import (
    CJK,
    ENDS_SENTENCE,
    IS_GENERAL,
    find_owners,
    index_names,
    list_words,
    split_clauses,
    split_sentences,
)
from .options import Option
from .ordinals import read_number

_SENTENCE = re.compile(r"(?<!\d)\.|\.(?!\d)|[;:()|!。]|\b(?:but|whereas)\b")
_LETTER = rf"(?-i:[^\W{CJK}])"  # no blanks stand between these and others; to ignore their case takes 10 ms to compile
_AMOUNT = re.compile(  # "2 workers", "single-threaded", "all cores", "four instances", "a pool of 50"
    r"\b(?P<n>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|(?:one |a )?single|all(?: of)?(?: the| its)?)[ -]"
    r"(?P<kind>(?:(?:worker|server|client|load) )?"
    r"(?:worker|process|instance|replica|thread|core|cpu|machine|node|pod)(?:e?s|ed)?)\b"
    r"|\b(?P<pool>pool)(?: size)?(?: (?:of|is|was|at))?[ =:](?P<size>\d{1,4})\b",
    re.IGNORECASE,
)
_JOB = (
    r"(?P<job>(?:backup|build|compilation|cron ?job|job|indexer|re-?index(?:ing)?|crawler"
    r"|vacuum|compaction|migration|sync|update|upgrade|virus scan|scan|download|restore|import)s?)"
    r" (?:was|were) (?:still |also )?(?:running|in progress|going on|active)\b"
)
_CLIENTS = re.compile(
    r"\b(?P<n>\d{1,4}) (?:(?:concurrent|parallel|simultaneous|open) )?(?:clients?|connections|users)\b", re.IGNORECASE
)
_LOADED = re.compile(r"\b(?:tested|loaded|benchmarked|measured|stressed|hit|hammered)\b", re.IGNORECASE)
_STATISTIC = re.compile(
    r"\b(?:(?P<peak>peak|maximum|max|highest)|(?P<mean>mean|average|median))\b(?! (?:latency|response|time|memory|cpu|load))",
    re.IGNORECASE,
)
_OF_RATES = re.compile(r"\b(?:rates?|throughput|requests|rps|req/s|figures?|numbers|table)\b", re.IGNORECASE)
_DISTURBS = {  # by languages, and what is told of it
    "{job}": _JOB,
    "a slow CPU clock": (
        r"\b(?:clock|frequency|turbo(?: ?boost)?)(?: \w+){0,2} (?:was|were) "
        r"(?:limited|capped|throttled|locked|disabled|reduced|off)\b"
        r"|\bcpu(?: \w+){0,2} (?:was|were) (?:throttled|(?:limited|capped|locked|reduced) (?:to|at) \d[\d.]{0,4} ?[GM]Hz)\b"
        r"|\bthermal(?:ly)? throttl\w+"
    ),
    "debug logging": (
        r"\b(?:debug(?:[- ]level)? logging|log ?level debug|debug logs?) (?:was|were) (?:still |left )?(?:enabled|on|active)\b"
        r"|\b(?:taken|measured|made|tested|benchmarked|r[au]n|running) with (?:the )?debug(?:[- ]level)? log(?:ging|s)\b"
    ),
    "a backup": (
        r"\blief(?:en)? (?:\w+ ){0,3}(?:backups?|(?:daten)?sicherung)\b"
        r"|\bsauvegarde (?:[\w']+ ){0,4}(?:tournait|était (?:encore )?en cours)"
        r"|\b(?:copia de seguridad|backup) (?:[\w']+ ){0,4}(?:estaba|seguía) (?:en (?:curso|marcha)|corriendo)"
        r"|\b(?:corría|se ejecutaba) una? (?:copia de seguridad|backup)"
        r"|\b(?:działała?|trwała?) (?:jeszcze )?(?:backup|kopia zapasowa)|\bш(?:ёл|ел|ло) (?:бэкап|резервное копирование)"
        r"|バックアップ[がも](?:動い|走っ|実行)"
        r"|(?:正在|仍在|还在)[^，。；]{0,8}备份|备份(?:任务)?(?:正在|仍在|还在)"
    ),
    "an update": (
        r"\blief(?:en)? (?:\w+ ){0,3}(?:updates?|aktualisierung)\b"
        r"|\bmise à jour (?:[\w']+ ){0,4}(?:tournait|était (?:encore )?en cours)"
        r"|\bш(?:ёл|ел|ло) обновление|\btrwała aktualizacja"
    ),
}
_DENIES = re.compile(
    r"\b(?:no|not|never|neither|nothing|before|until|kein\w*|nicht|vor|bevor|sans|aucune?|avant|sin|ning[uú]n\w*|antes|nie|żad\w+|przed"
    r"|не|нет|до|перед)\b|n't\b|[?？]|前|ない|ません",
    re.IGNORECASE,
)
_NEAR = r"(?:the )?(?:server|host) itself|(?:the )?same (?:machine|host|box)|localhost|loopback"
# What one side may have and the other not: words for it, and for its contrary. Those of _COSTS only ever slow what has them.
_HAS = {
    "TLS": (r"tls(?:\s?v?1\.\d)?|ssl|https|encrypt(?:ed|ion)", r"plain http|unencrypted"),
    "compression": (r"gzip(?:ped)?|brotli|deflate|compress(?:ion|ed)", r"uncompressed"),
    "HTTP/2": (r"http/?2|h2(?! (?:database|db)\b)", r"http/?1(?:\.1)?"),
    "access log": (
        r"(?:access|request)[- ]?log(?:s|ging|ged)?|(?<!error )(?<!debug )logging|log(?:s|ged)? (?:every|each|all) requests?",
        r"(?!)",
    ),
    "a warm-up": (r"(?<!needs no )(?<!needs a )(?:pre-?)?warm(?:ed|ing)?[- ]?ups?|pre-?warmed", r"(?!)"),
    "a cache": (r"cach(?:e|ed|es|ing)", r"uncached"),
    "a debug build": (
        r"debug[ -]?(?:build|mode|version|modus)|in debug|unoptimi[sz]ed|отладочн\w*|mode débogage|modo depuración",
        r"-{0,2}release(?: build|[ -]modus)?|optimi[sz]ed|релизн\w*",
    ),
    "battery power": (
        r"battery(?: power)?|akku|batería|batterie|аккумулятор\w*|电池",
        r"charger|plugged in|mains|ac power|netzteil|enchufad\w*|secteur|от сети|电源",
    ),
    "a VPN or the internet": (
        r"vpn|from home|over the internet|mobile network|lte|[45]g",
        r"(?:the same |a local |local )?(?:data ?cent(?:er|re)|lan|network|rack|switch)|locally|" + _NEAR,
    ),
    "Wi-Fi": (
        r"wi-?fi|wlan|wireless|inal[aá]mbric\w*|sans fil|беспроводн\w*|无线\w*|無線\w*",
        rf"{_NEAR}|(?:lan-?)?[ck]abel|cables?|wired|ethernet|câbl\w*|filaire|кабел\w*|проводн\w*|有线|有線",
    ),
    "a virtual machine or container": (
        r"docker|containers?|podman|vm|virtual machine|wsl2?|virtuelle\w* maschine|máquina virtual|machine virtuelle"
        r"|виртуальн\w* машин\w*|виртуалк\w*|虚拟机|云主机|容器|仮想マシン",
        r"bare[ -]metal|native(?:ly)?|physi[ck]al machine|physische\w*|máquina física|servidor físico|machine physique|физическ\w*"
        r"|物理机|裸机|物理マシン|実機",
    ),
    "daytime or live traffic": (
        r"(?:production|live) (?:traffic|load)|(?:peak|business|office) (?:time|hours)|(?:during|by) (?:the )?day|tagsüber"
        r"|(?:vor|nach)mittags|im laufenden betrieb|de día|en horas? punta|en journée|днём|в рабочее время|白天|高峰期?|昼間",
        r"(?:at|by|over) ?night|nachts|in der nacht|de noche|por la noche|la nuit|ночью|夜里|夜间|半夜|凌晨|夜間",
    ),
}
_COSTS = (
    "a debug build",
    "battery power",
    "a VPN or the internet",
    "Wi-Fi",
    "a virtual machine or container",
    "daytime or live traffic",
)
_TELLS_ALONE = (  # "was on", "was measured over my", "ran in a"; how something is usually run tells of no load test
    r"\b(?:was|were|is|are|ran|runs|running|measured|tested|benchmarked|loaded|built|compiled|served|stood|sat|done|made|taken)\s"
    r"(?:(?:built|run|running|measured|tested|still|only|accidentally|actually)\s){0,2}"
    r"(?:from (?:my|our|the|an?) (?:\w{2,20} )?(?:laptop|notebook|desk\w*|pc|office|home) )?"
    r"(?:(?:in(?:side)?|on|over|via|within|as|from|through|behind|by)\s(?:(?:an?|the|my|our)\s)?(?:[\w-]{2,20}\s)?|(?:an?|the)\s)?"
)
_SLIPPED = re.compile(  # by mistake, and not elsewhere; "nginx is still slower with gzip" is none, nor is "the left one"
    r"\b(?:forgot\w*|overlooked|still (?:on|enabled|active|running|set|configured|in|had|built|using|serv\w+|logging|compress\w+)"
    r"|(?:i|we|had|have|was|were|been) (?:accidentally )?left (?!out|aside|behind|off|without))\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\S*://\S*")
# The same that a sentence about one side alone tells, in its section or with its name.
COLD = "a cold start"
_SLOWED_ALONE = {
    COLD: (
        r"\b(?:re)?started (?:\w+ )?(?:before|for) (?:each|every)\b"
        r"|\b(?:an empty|a cold) cache\b|\bcold[- ]start(?:ed)?\b|\bfrom cold\b"
        r"|\b(?:caches?|server|jvm|opcache) (?:was|were) (?:still )?(?:cold|empty)\b|\bwithout (?:any )?warm(?:ing)?[- ]?up\b"
        r"|\b(?:ran|measured|tested|benchmarked|loaded)\b[^.;]{0,30}\b(?:right|straight|directly|immediately|just) "
        r"after (?:the |a )?(?:re)?(?:start|boot)\b"
        r"|\b(?:leere[mnrs]?|kalte[mnrs]?) cache\b|\bohne aufwärm"
        r"|\b(?:lief(?:en)?|gemessen|getestet)\b[^.;]{0,30}\b(?:direkt|gleich|unmittelbar) nach (?:dem|einem) (?:neu)?start\b"
        r"|\bcache (?:vide|froid)\b|\bà froid\b"
        r"|\bcaché (?:vacía|fría)\b|\ben frío\b|\bcon la caché vacía\b"
    ),
    **{what: rf"(?<![\w-])(?:{_HAS[what][0]})(?![\w-])" for what in ("a debug build", "battery power", "Wi-Fi")},
    "a VPN or the internet": r"\b(?:over|through|via) (?:a |the |my )?(?:vpn|internet|mobile network)\b|\bfrom home\b",
}
_IS_PICKED = re.compile(  # of several runs those that somebody liked
    r"\b(?:kept|keep|took|take|picked|chose|show(?:ing)?|report(?:ed)?|pasted?) "
    r"(?:only )?(?:the |its |my )?(?:\w+ )?(?:best|fastest)\b"
    r"|\b(?:fastest|quickest|highest) (?:\w+ )?(?:out )?of (?:about )?\w{1,6} (?:runs|tries|attempts|rounds|tests|measurements)\b"
    r"|\bbest (?:\w+ )?(?:out )?of (?:about )?(?:\d{1,3}|three|four|five|six|seven|eight|nine|ten|a dozen|several|many)\b"
    r"|\b(?:threw|left|throwing|leaving) (?:out|away) the (?:slow|bad|worst)\w*"
    r"|\b(?:discarded|dropped|omitted|ignored|removed) the (?:slow|bad|worst)\w*"
    r"|\b(?:slow|bad|worst)\w* (?:\w+ )?(?:was|were) (?:discarded|dropped|omitted|ignored|removed|left out)\b"
    r"|\bnur die (?:besten|schnellsten)\b"
    r"|\b(?:besten|schnellsten) (?:\w+ )?von (?:\d{1,3}|drei|vier|fünf|zehn)\b"
    r"|\bmeilleure?s? (?:\w+ )?(?:sur|de) (?:\d{1,3}|cinq|dix)\b",
    re.IGNORECASE,
)
_IS_OF_EACH = re.compile(r"\b(?:each|both|all|every|figures|numbers|results|rates)\b", re.IGNORECASE)
_PICKED = "picked runs of the other side"
_AS_THERE = re.compile(r"\b(?:same|as (?:above|before)|likewise|ditto|identical(?:ly)?|again)\b", re.IGNORECASE)
_LACKS = re.compile(r"\b(?:no|not|none|never|without|off|disabled|ohne|nicht|kein\w*|aus|sans)\b|n't\b", re.IGNORECASE)
_AFFIRMS = re.compile(r"\b(?:with|on|enabled|had|did|mit)\b", re.IGNORECASE)

_OF_PAGE = re.compile(
    r"\b(?:page|document|file|body|response|repl(?:y|ies)|payload|image|html|json)s?\b", re.IGNORECASE
)
_OF_DATA = re.compile(
    r"\b(?:database|table|collection|data ?set)s?\b"
    r"|\b(?:returns?|returned|fetch(?:es|ed)|renders?|rendered|lists?|listed|selects?|selected|serializes) \d",
    re.IGNORECASE,
)
_OF_RESULT = re.compile(
    r"\bmemory\b|\bram\b|\brss\b|\bper second\b|/s\b|\bthroughput\b|\btransfer|\bused\b", re.IGNORECASE
)
_SIZE = re.compile(r"\b(?P<n>\d[\d,]{0,11}(?:\.\d{1,3})?)[ -]?(?P<unit>[km]i?b|bytes?)\b", re.IGNORECASE)
_ROWS = re.compile(
    r"\b(?P<n>\d[\d,]{0,11}) (?P<unit>million|rows?|records?|entries|products)\b|\b(?P<empty>empty)\b", re.IGNORECASE
)
_ON_MACHINE = re.compile(
    r"\bon (?:my|our|the|an?) (?:\w+ )?"
    r"(?:laptop|notebook|desktop|workstation|server|vps|vm|pc|macbook(?: (?:pro|air))?|raspberry pi|droplet)\b",
    re.IGNORECASE,
)
_UNITS = {"k": 1024, "m": 1024**2, "b": 1}
_UNLIKE = 1.2  # of sizes
_MADE_ELSEWHERE = re.compile(
    r"\b(?:figures?|numbers?|results?|runs|measurements|reports?|tests?)\b.{0,30}?\b(?:are|is|was|were|come|came|made|taken|copied)\b.{0,30}?"
    r"\b(?:last (?:year|month|week)|from (?:an?|the|their|its|somebody's|someone's) (?:own |old |older )?"
    r"(?:[A-Z]\w+ )?(?:blog|article|web ?site|readme|vendor|paper|documentation|docs|press release)"
    r"|(?:an?|the|my|on) (?:older|old|other|another|previous|different) (?:server|machine|laptop|box|host|computer|vm))\b",
    re.IGNORECASE,
)
_ELSEWHERE = "figures from another time or machine"


def read_stated_amounts(texts: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, Option]]:
    """(name of a config, how much of something it had, or how many clients loaded it) of each clause that tells it of one."""
    index = index_names(names)
    told = (text for text in texts if _AMOUNT.search(text) or _CLIENTS.search(text))
    for sentence in (each for text in told for each in ENDS_SENTENCE.split(text)):
        is_loaded = _LOADED.search(sentence) and not IS_GENERAL.search(sentence)
        for name, clause in find_owners(split_clauses(sentence, index), index):
            if amount := _AMOUNT.search(clause):
                kind, n = ((amount["kind"] or amount["pool"]).rpartition(" ")[2].removesuffix("ed"), amount["n"] or "")
                number = amount["size"] or ("all" if n.lower().startswith("all") else str(read_number(n) or 1))
                yield name, Option("instance" if kind.startswith("instance") else kind, number, amount[0])
            if is_loaded and (clients := _CLIENTS.search(clause)):
                yield name, Option("client", clients["n"], clients[0])


def read_disturbances(texts: Iterable[str], names: Collection[str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what slowed it) of each sentence, or part of one, that tells it of one config alone."""
    disturbs = re.compile("|".join(_DISTURBS.values()), re.IGNORECASE)
    sentences = [each for text in texts if disturbs.search(text) for each in _SENTENCE.split(text)]
    parts = [part for each in sentences if "," in each for part in each.split(",")]
    yield from _find_slowed(find_owners([*sentences, *parts], index_names(names)), _DISTURBS, names)


@cache
def _compile_had(what: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What tells that a config had that, and that it had not. Compiled when asked for, as each process starts without them."""
    has, lacks = _HAS[what]
    return (
        re.compile(rf"(?<!{_LETTER}|-)(?:{has})(?!{_LETTER}|-)", re.IGNORECASE),
        re.compile(rf"(?<!{_LETTER})(?:{lacks})(?!{_LETTER})", re.IGNORECASE),
    )


@cache
def _compile_mentions() -> re.Pattern[str]:
    """What tells of any of them."""
    has, lacks = ("|".join(words) for words in zip(*_HAS.values(), strict=True))
    return re.compile(
        rf"(?<!{_LETTER}|-)(?:{has})(?!{_LETTER}|-)|(?<!{_LETTER})(?:{lacks})(?!{_LETTER})", re.IGNORECASE
    )


def read_unlike(
    texts: Iterable[str], names: Collection[str]
) -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """{what: {name of a config: how it had that}} by sentences that set configs against each other, and (name, what slowed it)."""
    said: dict[str, dict[str, str]] = {}
    states_of: dict[str, dict[str, bool]] = defaultdict(dict)  # {what: {name: whether it had that}}
    index = index_names(names)
    remarks, is_in_names = _Remarks(names), _find_in(names)
    for sentence in (each for text in texts for each in split_sentences(text)):
        owned = [] if IS_GENERAL.search(sentence) else [*find_owners(split_clauses(sentence, index), index)]
        if owned and _MADE_ELSEWHERE.search(sentence) and len({name for name, _ in owned}) == 1:
            said[_ELSEWHERE] = dict.fromkeys(names, "figures from here") | {owned[0][0]: _ELSEWHERE}
        for what in _HAS if _compile_mentions().search(sentence) else ():
            patterns = _compile_had(what)
            is_told = owned and patterns[0].search(sentence) and not any(map(is_in_names, patterns))
            states = _read_states(sentence, owned, names, *patterns) if is_told else {}
            states_of[what] |= states
            if not states:
                remarks.add(what, sentence, owned)
        machines = {name: match[0].lower() for name, clause in owned if (match := _ON_MACHINE.search(clause))}
        if len(machines) == len(names) and len({*machines.values()}) > 1:
            said["machine"] = machines
        kinds = {name: match.lastgroup or "" for name, clause in owned if (match := _STATISTIC.search(clause))}
        if len(kinds) == len(names) and len({*kinds.values()}) > 1 and _OF_RATES.search(sentence):
            said["statistic"] = {name: f"{kind} rate" for name, kind in kinds.items()}
        for what, pattern, is_of in (("page", _SIZE, _OF_PAGE), ("data", _ROWS, _OF_DATA)) if owned else ():
            if is_of.search(sentence) and not _OF_RESULT.search(sentence):
                amounts = {name: match for name, clause in owned if (match := pattern.search(clause))}
                if len(amounts) == len(names) and _are_unlike([*map(_read_amount, amounts.values())]):
                    said[what] = {name: f"{what} {match[0]}" for name, match in amounts.items()}
    slowed: list[tuple[str, str]] = []
    for what in _HAS:
        states = states_of[what] or remarks.read_states(what)
        if what in _COSTS:
            slowed += [(name, what) for name, state in states.items() if state]
        elif states:
            said[what] = {name: what if states.get(name) else f"no {what.removeprefix('a ')}" for name in names}
    return said, slowed


class _Remarks:
    """What sentences about one config each say of it: "nginx ran over HTTPS. Apache was plain HTTP.", "nginx was on Wi-Fi"."""

    def __init__(self, names: Collection[str]) -> None:
        self._is_in_names = _find_in(names)
        self._states: dict[str, dict[str, set[bool]]] = defaultdict(lambda: defaultdict(set))
        self._is_unclear: set[str] = set()  # what sentences about none of them, or about several, tell of, too
        self._is_stated: set[tuple[str, str]] = set()  # what was so when it was measured, and for whom

    def add(self, what: str, sentence: str, owned: Sequence[tuple[str, str]]) -> None:
        has, lacks = _compile_had(what)
        told = [(name, clause) for name, clause in owned if has.search(clause) or lacks.search(clause)]
        if len(told) != 1 and has.search(sentence if owned else _ADDRESS.sub(" ", sentence)):
            self._is_unclear.add(what)
        for name, clause in told:
            self._states[what][name].add(not (lacks.search(clause) or _LACKS.search(clause)))
            is_slip = _SLIPPED.search(sentence) and has.search(clause)
            if is_slip or (what in _COSTS and re.search(_TELLS_ALONE + has.pattern, clause, re.IGNORECASE)):
                self._is_stated.add((what, name))

    def read_states(self, what: str) -> dict[str, bool]:
        """{name: whether it had that} where one had and another had not, or one alone by mistake or to its cost."""
        states = {name: next(iter(each)) for name, each in self._states[what].items() if len(each) == 1}
        is_unclear = what in self._is_unclear or len(states) < len(self._states[what])
        if is_unclear or not states or any(map(self._is_in_names, _compile_had(what))):
            return {}
        is_alone = [*states.values()] == [True] and {(what, name) for name in states} <= self._is_stated
        return states if is_alone or {*states.values()} == {True, False} else {}


def _find_in(names: Collection[str]) -> Callable[[re.Pattern[str]], bool]:
    """What tells whether a pattern is found in any of the names, and looks for each only once."""
    return cache(lambda pattern: any(map(pattern.search, names)))


def read_picked(texts: Iterable[str], names: Iterable[str]) -> str:
    """The sentence that tells of all configs that their figures are the best of several runs, or ""."""
    index = index_names(names)
    sentences = [each for text in texts if _IS_PICKED.search(text) for each in split_sentences(text)]
    owned = {clause for _, clause in find_owners(sentences, index)}
    said = [each.strip("#*_> ") for each in sentences if _IS_PICKED.search(each) and not _LACKS.search(each)]
    return next((each for each in said if each.strip() and _IS_OF_EACH.search(each) and each not in owned), "")


def read_owned(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what slowed it, or made another one look faster) of sentences that are of one config each."""
    index, every = index_names(names.values()), {*names.values()}
    texts = (text for block in blocks for _, text in (*block.trail, *block.tail))
    sentences = chain.from_iterable(map(split_sentences, texts))
    parts = (part for each in sentences for part in dict.fromkeys([each, *re.split("[;,]", each)]))
    named = [*find_owners(parts, index)]
    in_sections = [each for each in _list_in_sections(blocks, names) if index.keys().isdisjoint(list_words(each[1]))]
    is_as_there = {name for name, sentence in (*in_sections, *named) if _AS_THERE.search(sentence)}
    unnamed, named = (
        [each for each in own if not (IS_GENERAL.search(each[1]) or any(name != each[0] for name in is_as_there))]
        for own in (in_sections, named)
    )
    picks = [(name, sentence) for name, sentence in (*unnamed, *named) if _IS_PICKED.search(sentence)]
    if any(not _LACKS.search(sentence) for _, sentence in picks):
        yield from ((name, _PICKED) for name in every - {name for name, _ in picks})
    yield from _find_slowed(unnamed, _DISTURBS | _SLOWED_ALONE, every)
    yield from _find_slowed(named, {COLD: _SLOWED_ALONE[COLD]}, every)  # all else: read_disturbances and read_unlike


def _find_slowed(
    owned: Iterable[tuple[str, str]], slows: Mapping[str, str], every: Collection[str]
) -> Iterator[tuple[str, str]]:
    """(name of a config, what slowed it) of these sentences, each of one config. slows: {what: its pattern}."""
    patterns = {what: re.compile(pattern, re.IGNORECASE) for what, pattern in slows.items()}
    is_in_names = _find_in(every)
    for name, sentence in owned:
        for what, pattern in patterns.items():
            match, denies = pattern.search(sentence), _DENIES if what in _DISTURBS else _LACKS
            if match and not denies.search(sentence) and not is_in_names(pattern):
                yield name, _say_disturbance(what, match)


def _list_in_sections(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, sentence) of each section, from a heading to the next one, whose load tests are all of that config.

    What stands above the first heading, or behind the last load test, is of no config.
    """
    sections: list[tuple[set[str], list[str]]] = [(set(), [])]  # (configs of its load tests, its lines)
    for at, block in enumerate(blocks[: max(names, default=-1) + 1]):
        for _, text in block.trail:
            if begins_section(text):
                sections.append((set(), []))
            else:
                sections[-1][1].append(text)
        if name := names.get(at):
            sections[-1][0].add(name)
    for configs, texts in sections[1:]:
        if len(configs) == 1:
            (name,) = configs
            yield from ((name, sentence) for text in texts for sentence in split_sentences(text))


def _say_disturbance(what: str, match: re.Match[str]) -> str:
    job = (match.groupdict().get("job") or "").lower()
    return what.format(job=f"{'' if job.endswith('s') else 'an ' if job[:1] in 'aeiou' else 'a '}{job}")


def _read_states(
    sentence: str,
    owned: Sequence[tuple[str, str]],
    names: Collection[str],
    has: re.Pattern[str],
    lacks: re.Pattern[str],
) -> dict[str, bool]:
    """{name of a config: whether it had something}, where a sentence says that one had it and another one had not."""
    states: dict[str, bool] = {}
    for name, clause in owned:
        is_denied = _LACKS.search(clause) is not None
        if lacks.search(clause):
            states[name] = False
        elif is_denied or has.search(clause) or _AFFIRMS.search(clause):
            states[name] = not is_denied
    if len(states) == 1 and re.search(r"\bonly\b", sentence, re.IGNORECASE):
        ((only, state),) = states.items()
        states = dict.fromkeys(names, not state) | {only: state}
    return states if {*states.values()} == {True, False} else {}


def _read_amount(match: re.Match[str]) -> float:
    groups = match.groupdict()
    if groups.get("empty"):
        return 0.0
    unit = match["unit"].lower()
    return float(match["n"].replace(",", "")) * (1e6 if unit == "million" else _UNITS.get(unit[0], 1))


def _are_unlike(amounts: Sequence[float]) -> bool:
    return max(amounts) > _UNLIKE * min(amounts)
