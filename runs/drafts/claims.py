"""Sentences that tell configs apart: which is faster ("Apache beats nginx by far"), how each was set up ("nginx had gzip on,
Apache did not"), and what slowed one of them ("while nginx was tested a backup was running").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from parsers.blocks import Block
from runs.numbers import mean

from .options import Option

_LEADS_IN = (
    r"(?:[-#*>_,:\s]|(?:so|thus|hence|overall|clearly|conclusion|results?|summary|tl;?dr|verdict|in short|surprisingly"
    r"|as expected|(?:as )?(?:we|you) (?:can )?see(?: that)?|we found(?: that)?"
    r"|in (?:our|my|all|these|every) (?:tests?|runs?|benchmarks?))\b)*+"
)
_HOW = (
    r"(?:(?:clearly|easily|consistently|always|simply|still|much|far|way|a lot|by far|significantly|about|roughly|twice"
    r"|\d[\d.]*+ ?(?:%|times|x)) )*+"
)
_IS, _DOES = r"(?:is|was|are|were)", r"(?:serve|handle)[sd]"
_WINS = (
    rf"(?:{_HOW}(?:beats?|outperform(?:s|ed)?|outpaced?s?|wins (?:over|against)|won against)|{_IS} {_HOW}(?:faster|quicker) than"
    rf"|{_DOES} {_HOW}more (?:requests )?(?:per second )?than)"
)
_LOSES = (
    rf"(?:{_IS} {_HOW}slower than|(?:loses|lost) {_HOW}(?:to|against)"
    rf"|{_DOES} {_HOW}(?:fewer|less) (?:requests )?(?:per second )?than)"
)
# What a claim may go on with; what tells of one kind of page or of memory limits it.
_GOES_ON = (
    r"(?:[\s,]*(?:by far|by a (?:wide|large|huge|clear) margin|by \d[\d.]* ?%|clearly|easily|hands down|here|again|every time"
    r"|in (?:all|our|my|this|these|every|each|the) (?:of )?(?:our |my |the )?(?:tests?|runs?|benchmarks?|comparison)"
    r"|on (?:this|our|the same) (?:machine|hardware|box|server)))*[\s.!*_]*"
)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")
_MOST_NAMES, _LONGEST = 12, 200

_CJK = r"\u3040-\u30ff\u4e00-\u9fff"
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:\.\d+)*|[{_CJK}]+")
_SENTENCE = re.compile(r"(?<!\d)\.|\.(?!\d)|[;:()|!。]|\b(?:but|whereas)\b")
_WHOLE = re.compile(r"(?<!\d)\.(?=\s|$)|[!。]")  # with the clauses that set two configs against each other
_CLAUSE = re.compile(r",(?!\d)|[;:()|]|\b(?:and|but|while|whereas|against|vs|und|aber|et|mais|pero)\b")
_SAID = re.compile(
    r"\b(?P<n>\d{1,3}) (?P<kind>(?:(?:worker|server) )?(?:worker|process|instance|replica|thread|core|cpu)(?:e?s)?)\b",
    re.IGNORECASE,
)
_JOB = (
    r"(?P<job>(?:backup|build|compilation|cron ?job|job|update|upgrade|virus scan|scan|download|restore|import)s?)"
    r" (?:was|were) (?:still |also )?(?:running|in progress|going on|active)\b"
)
_DISTURBS = {  # by languages, and what is told of it
    "{job}": _JOB,
    "debug logging": (
        r"\b(?:debug(?:[- ]level)? logging|log ?level debug|debug logs?) (?:was|were) (?:still |left )?(?:enabled|on|active)\b"
    ),
    "a backup": (
        r"\blief(?:en)? (?:\w+ ){0,3}(?:backups?|(?:daten)?sicherung)\b|\bsauvegarde (?:tournait|était (?:encore )?en cours)"
        r"|\b(?:copia de seguridad|backup) (?:estaba|seguía) (?:en (?:curso|marcha)|corriendo)"
        r"|\b(?:corría|se ejecutaba) una? (?:copia de seguridad|backup)"
        r"|\b(?:działała?|trwała?) (?:jeszcze )?(?:backup|kopia zapasowa)|\bш(?:ёл|ел|ло) (?:бэкап|резервное копирование)"
        r"|バックアップ[がも](?:動い|走っ|実行)"
    ),
    "an update": (
        r"\blief(?:en)? (?:\w+ ){0,3}(?:updates?|aktualisierung)\b|\bmise à jour (?:tournait|était (?:encore )?en cours)"
        r"|\bш(?:ёл|ел|ло) обновление|\btrwała aktualizacja"
    ),
}
_DENIES = re.compile(
    r"\b(?:no|not|never|neither|nothing|before|until|kein\w*|nicht|vor|bevor|sans|aucune?|avant|sin|ning[uú]n\w*|antes|nie|żad\w+|przed"
    r"|не|нет|до|перед)\b|n't\b|[?？]|前|ない|ません",
    re.IGNORECASE,
)
# What one side may have and the other not: words for it, and for its contrary. Those of _COSTS only ever slow what has them.
_HAS = {
    "TLS": (r"tls(?:\s?v?1\.\d)?|ssl|https|encrypt(?:ed|ion)", r"plain http|unencrypted"),
    "compression": (r"gzip(?:ped)?|brotli|deflate|compress(?:ion|ed)", r"uncompressed"),
    "access log": (
        r"(?:access|request)[- ]?log(?:s|ging|ged)?|(?<!error )(?<!debug )logging|logs? (?:every|each|all) requests?",
        r"(?!)",
    ),
    "a cache": (r"cach(?:e|ed|es|ing)", r"uncached"),
    "a debug build": (
        r"debug[ -]?(?:build|mode|version)|in debug|unoptimi[sz]ed",
        r"-{0,2}release(?: build)?|optimi[sz]ed",
    ),
    "battery power": (r"battery(?: power)?", r"charger|plugged in|mains|ac power"),
    "a VPN or the internet": (
        r"vpn|from home|over the internet|mobile network|lte|[45]g",
        r"(?:the same |a local |local )?(?:data ?cent(?:er|re)|lan|network|rack|switch)|locally",
    ),
    "Wi-Fi": (r"wi-?fi|wlan|wireless", r"cable|wired|ethernet"),
    "a virtual machine or container": (
        r"docker|containers?|podman|vm|virtual machine|wsl2?",
        r"bare[ -]metal|native(?:ly)?",
    ),
}
_COSTS = ("a debug build", "battery power", "a VPN or the internet", "Wi-Fi", "a virtual machine or container")
_LACKS = re.compile(r"\b(?:no|not|none|never|without|off|disabled|ohne|nicht|kein\w*|aus|sans)\b|n't\b", re.IGNORECASE)
_AFFIRMS = re.compile(r"\b(?:with|on|enabled|had|did|mit)\b", re.IGNORECASE)
_IS_GENERAL = re.compile(  # tells of no side of these, or the same of both
    r"\b(?:usually|often|normally|typically|default|would|could|should|might|may|can|if|too|also|as well|same|both|neither|either"
    r"|likewise|auch|beide\w*|üblich\w*)\b|[?？]",
    re.IGNORECASE,
)
_OF_PAGE = re.compile(
    r"\b(?:page|document|file|body|response|repl(?:y|ies)|payload|image|html|json)s?\b", re.IGNORECASE
)
_OF_DATA = re.compile(r"\b(?:database|table|collection|data ?set)s?\b", re.IGNORECASE)
_OF_RESULT = re.compile(
    r"\bmemory\b|\bram\b|\brss\b|\bper second\b|/s\b|\bthroughput\b|\btransfer|\bused\b", re.IGNORECASE
)
_SIZE = re.compile(r"\b(?P<n>\d[\d,]{0,11}(?:\.\d{1,3})?)[ -]?(?P<unit>[km]i?b|bytes?)\b", re.IGNORECASE)
_ROWS = re.compile(
    r"\b(?P<n>\d[\d,]{0,11}) (?P<unit>million|rows?|records?|entries|products)\b|\b(?P<empty>empty)\b", re.IGNORECASE
)
_UNITS = {"k": 1024, "m": 1024**2, "b": 1}
_UNLIKE = 1.2  # of sizes
_MADE_ELSEWHERE = re.compile(
    r"\b(?:figures|numbers|results|runs|measurements|reports?|tests?)\b.{0,30}?\b(?:are|is|was|were|come|came|made|taken)\b.{0,20}?"
    r"\b(?:last (?:year|month|week)"
    r"|(?:an?|the|my|on) (?:older|old|other|another|previous|different) (?:server|machine|laptop|box|host|computer|vm))\b",
    re.IGNORECASE,
)
_ELSEWHERE = "figures from another time or machine"


def note_claims(blocks: Sequence[Block], names: Mapping[int, str]) -> None:
    """Put into the first load test of a config that is said to be faster than one with higher rates what is said.

    names: {load: name of its config}
    """
    rates: dict[str, list[float]] = defaultdict(list)
    first: dict[str, int] = {}
    for load, name in names.items():
        first.setdefault(name, load)
        rates[name] += [rate for load_result in blocks[load].load_results if (rate := load_result.requests_per_second)]
    known = {name.lower(): name for name in rates if len(name) > 1 and rates[name]}
    if not 2 <= len(known) <= _MOST_NAMES:
        return
    for line, text, faster, slower in _find_claims(blocks, list(known)):
        own, its = known[faster], known[slower]
        if mean(rates[own]) < mean(rates[its]):
            blocks[first[own]].values.setdefault("claimed_otherwise", {"said": text, "line": line, "over": its})


def _find_claims(blocks: Sequence[Block], names: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """(line, sentence, faster config, slower config), the names in lower case."""
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    claim = re.compile(
        rf"{_LEADS_IN}(?:the )?(?P<one>{any_name}) (?:(?P<wins>{_WINS})|{_LOSES}) (?:the )?(?P<two>{any_name}){_GOES_ON}",
        re.IGNORECASE,
    )
    for line, text in (each for block in blocks for each in (*block.trail, *block.tail)):
        for sentence in _SENTENCE_ENDS.split(text[:_LONGEST]):
            if match := claim.fullmatch(sentence.strip()):
                one, two = match["one"].lower(), match["two"].lower()
                yield line, sentence.strip("#*_ .!"), *((one, two) if match["wins"] else (two, one))


def read_said(texts: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, Option]]:
    """(name of a config, how much of something it had) of each clause that tells it of one config."""
    clauses = [clause for text in texts if _SAID.search(text) for clause in _CLAUSE.split(text)]
    for name, clause in _find_owners(clauses, _index_names(names)):
        if amount := _SAID.search(clause):
            yield name, Option(amount["kind"].rpartition(" ")[2], amount["n"], amount[0])


def read_disturbances(texts: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what slowed it) of each sentence, or part of one, that tells it of one config alone."""
    disturbs = {what: re.compile(pattern, re.IGNORECASE) for what, pattern in _DISTURBS.items()}
    texts = [text for text in texts if any(pattern.search(text) for pattern in disturbs.values())]
    sentences = [each for text in texts for each in _SENTENCE.split(text)]
    parts = [part for each in sentences if "," in each for part in each.split(",")]
    for name, clause in _find_owners([*sentences, *parts], _index_names(names)):
        for what, pattern in disturbs.items():
            if (match := pattern.search(clause)) and not _DENIES.search(clause):
                job = (match.groupdict().get("job") or "").lower()
                yield (
                    name,
                    what.format(job=f"{'' if job.endswith('s') else 'an ' if job[:1] in 'aeiou' else 'a '}{job}"),
                )


def read_unlike(
    texts: Iterable[str], names: Collection[str]
) -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """{what: {name of a config: how it had that}} by sentences that set configs against each other, and (name, what slowed it)."""
    said: dict[str, dict[str, str]] = {}
    slowed: list[tuple[str, str]] = []
    index = _index_names(names)
    for sentence in (each for text in texts for each in _WHOLE.split(text[: 3 * _LONGEST])):
        if _IS_GENERAL.search(sentence):
            continue
        owned = [*_find_owners(_CLAUSE.split(sentence), index)]
        if owned and _MADE_ELSEWHERE.search(sentence) and len({name for name, _ in owned}) == 1:
            said[_ELSEWHERE] = dict.fromkeys(names, "figures from here") | {owned[0][0]: _ELSEWHERE}
        for what, (has, lacks) in _HAS.items() if owned else ():
            states = _read_states(
                sentence, owned, names, rf"(?<![\w-])(?:{has})(?![\w-])", rf"(?<!\w)(?:{lacks})(?!\w)"
            )
            if what in _COSTS:
                slowed += [(name, what) for name, state in states.items() if state]
            elif states:
                said[what] = {name: what if states.get(name) else f"no {what.removeprefix('a ')}" for name in names}
        for what, pattern, is_of in (("page", _SIZE, _OF_PAGE), ("data", _ROWS, _OF_DATA)):
            if is_of.search(sentence) and not _OF_RESULT.search(sentence):
                amounts = {name: match for name, clause in owned if (match := pattern.search(clause))}
                if len(amounts) == len(names) and _are_unlike([*map(_read_amount, amounts.values())]):
                    said[what] = {name: f"{what} {match[0]}" for name, match in amounts.items()}
    return said, slowed


def _read_states(
    sentence: str, owned: Sequence[tuple[str, str]], names: Collection[str], has: str, lacks: str
) -> dict[str, bool]:
    """{name of a config: whether it had something}, where a sentence says that one had it and another one had not."""
    has_it, lacks_it = re.compile(has, re.IGNORECASE), re.compile(lacks, re.IGNORECASE)
    if not has_it.search(sentence) or any(has_it.search(name) or lacks_it.search(name) for name in names):
        return {}
    states: dict[str, bool] = {}
    for name, clause in owned:
        is_denied = _LACKS.search(clause) is not None
        if lacks_it.search(clause):
            states[name] = False
        elif is_denied or has_it.search(clause) or _AFFIRMS.search(clause):
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


def _index_names(names: Iterable[str]) -> Mapping[str, list[tuple[str, set[str]]]]:
    """{word: (name of a config that has it, the words that not all names have) of each}."""
    words = {name: {word.lower() for word in _WORD.findall(name)} for name in names}
    shared = set.intersection(*words.values()) if words else set()
    with_word: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
    for name, every in words.items():
        own = every - shared
        for word in own:
            with_word[word].append((name, own))
    return with_word


def _find_owners(clauses: Iterable[str], names: Mapping[str, list[tuple[str, set[str]]]]) -> Iterator[tuple[str, str]]:
    """(name of a config, clause) of the clauses that have the words of one config alone. names: see _index_names."""
    for clause in clauses:
        said = {word.lower() for word in _WORD.findall(clause)}
        about = {name for word in said for name, own in names.get(word, ()) if own <= said}
        if len(about) == 1:
            yield about.pop(), clause
