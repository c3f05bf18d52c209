"""Sentences that favour a config: they call it faster ("Apache beats nginx by far"), or leave out where it failed or did less."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from parsers.blocks import Block
from runs.numbers import mean

from .answers import begins_section
from .clauses import IS_GENERAL, LONGEST, find_owners, index_names, list_words, split_clauses, split_sentences

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
    r"|(?:cannot|can't|could not|couldn't|does not|doesn't|did not|didn't) keep up with"
    rf"|{_DOES} {_HOW}(?:fewer|less) (?:requests )?(?:per second )?than)"
)
_LEADS = (  # all others
    rf"{_IS} {_HOW}(?:the )?(?:clear(?:ly)? )?(?:winner|(?:fast|quick)(?P<most>er|est)"
    r"(?: (?:one|option|choice|server|framework|proxy|database))?"
    r"(?: (?:of|among) (?:the |these |them |all )*+(?:two|both|three|four|five|\d{1,2}|them|all)?)?)"
)
# What a claim may go on with; what tells of one kind of page or of memory limits it.
_GOES_ON = (
    r"(?:[\s,:;]*(?:it (?:won|lost)|by far"
    r"|by a (?:wide|large|huge|clear) margin|by \d[\d.]* ?%|clearly|easily|hands down|here|again|every time"
    r"|in (?:all|our|my|this|these|every|each|the) (?:of )?(?:our |my |the )?(?:tests?|runs?|benchmarks?|comparison)"
    r"|on (?:this|our|the same) (?:machine|hardware|box|server)))*[\s.!*_]*"
)
_AMOUNT = re.compile(  # "v2 handles 60 % more requests than v1", "v1 is 3 times slower than v2"
    r"(?P<one>.*?)(?P<n>\d{1,4}(?:\.\d{1,2})?) ?(?P<unit>%|percent|per cent|x|times)"
    r" (?:(?P<more>faster|quicker|more (?:requests?|throughput)|higher (?:throughput|rate))"
    r"|(?:slower|(?:fewer|less) (?:requests?|throughput)|lower (?:throughput|rate)))"
    r"(?: (?:per|a) second)? (?:than|compared (?:to|with)) (?P<two>.{2,60})",
    re.IGNORECASE,
)
# What else than the rates of these reports an amount may be of.
_OF_OTHERS = re.compile(
    r"\b(?:latenc\w*|p\d\d|percentiles?|memory|ram|cpu|time|start(?:s|up)?|for|if|when|where|up to|at (?:most|least|\d)|over \d"
    r"|claim\w*|says?|said|report(?:s|ed)|according|expect\w*|promis\w*|wrote|blog|docs|read(?:s|me)?|last|previous\w*|earlier|theor\w*"
    r"|only|large|small|static|dynamic|single|per core|first|not|never)\b|n't\b|[-–] ?\d+ ?%|[\"“«?]",
    re.IGNORECASE,
)
_FAR = 1.15  # a ratio from the nearest one of the reports
_MANY_TIMES = 2  # as large a gain, or as small
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")
_MOST_NAMES = 12
_FAILS = re.compile(
    r"\bhad (?:\w+ )?(?:timeouts|errors|failures)\b"
    r"|\b(?:crash(?:ed|es)|fell over|died|hung|timed out|failed|fails|broke down|collapsed|refused connections)\b"
    r"|\b(?:abgestürzt|stürzte|упал\w*|падает|se cay[óo]|plant(?:é|ait))\b|崩溃|挂了|落ち",
    re.IGNORECASE,
)
_LEAVES_OUT = re.compile(
    r"\b(?:left (?:(?:it|them|that|those|these) )?out|leav(?:e|ing) (?:(?:it|them|that) )?out|omit\w*|exclud\w*"
    r"|not (?:shown|included|listed|counted)"
    r"|(?:only|just) (?:show\w*|list\w*|report\w*|include\w*)|(?:show\w*|list\w*|report\w*) only"
    r"|skip(?:ped)? (?:it|them|that|those)|do(?:n't| not) show|weggelassen|lassen wir weg|nur gezeigt|опустил\w*|не показ\w*"
    r"|omitimos)\b|省略|没有列出|只列出",
    re.IGNORECASE,
)
_LEFT_OUT = "failures of the other side at loads that are left out"
_SHARE_FAILED = re.compile(  # "12 % of the requests to v2 failed", "v2 failed 12 % of its requests"
    r"(?P<share>\d{1,2}(?:\.\d{1,2})?) ?(?:%|percent|per cent) of (?:\S+ ){0,3}?requests\b.{0,40}?"
    r"\b(?:failed|timed out|were (?:errors|refused|rejected)|(?:returned|got|ended in|answered with) (?:an? )?(?:error|50\d))"
    r"|\bfail(?:ed|s) (?:about |around |roughly )?(?P<failed>\d{1,2}(?:\.\d{1,2})?) ?(?:%|percent|per cent) of (?:\S+ )?requests\b",
    re.IGNORECASE,
)
_OF_OTHER_LOAD = re.compile(  # what failed there is in none of the figures
    r"\b(?:at|from|above|beyond|over|with|under) (?:about )?\d|\b(?:clients|connections|users|earlier|before"
    r"|previous|first|initial|once|old|until|later|after)\b",
    re.IGNORECASE,
)
_DOES_LESS = re.compile(  # of what a server does for a request
    r"\b(?:(?:disabled|removed|dropped|skipped|stubbed|mocked|commented|turned off|switched off|took out|left out|without)"
    r"\s(?:out\s)?(?:(?:the|its|all|any)\s)?(?:\w+\s){0,2}?"
    r"|(?=.{0,80}\b(?:(?:was|were|is|are|had to be)\s(?:\w+\s)?(?:disabled|removed|dropped|skipped|stubbed|mocked|hard-?coded"
    r"|(?:turned|switched) off)|deaktiviert|abgeschaltet|ausgeschaltet|отключ\w+|выключ\w+|убра(?:ть|л\w*)|desactiv\w+)\b))"
    r"(?:auth(?:entication|ori[sz]ation|n)?|token checks?|validation|(?:database|db) (?:writes?|calls?|quer(?:y|ies)|access)"
    r"|writes? to the database|anmeldung|prüfung|datenbankzugriff\w*|проверк\w+|авторизаци\w+|запис\w+ в базу|autenticación"
    r"|validación)\b|\b(?:mock|stub|fake|dummy)(?:ed|bed)? (?:database|db|backend|service)\b"
    r"|\b(?:database|db|backend)\b.{0,20}\b(?:mocked|stubbed|replaced (?:by|with))\b",
    re.IGNORECASE,
)
_FAVOURS = {  # what else made a side look faster
    "figures of the other side that were not measured": re.compile(
        r"\b(?:extrapolat(?:ed|ion)|hochgerechnet|extrapolé\w*|extrapolad\w+|экстраполир\w+)\b"
        r"|\b(?:figures?|numbers?|results?|rates?|throughput)\b.{0,40}\b(?:estimated|projected|guessed|scaled up|multiplied by)\b",
        re.IGNORECASE,
    ),
    "tuning of the other side alone": re.compile(
        r"\b(?:was|were|been) (?:\w+ ){0,2}(?:tuned|optimi[sz]ed)\b(?! for\b)|\bwe (?:only )?tuned\b",
        re.IGNORECASE,
    ),
    "sums over several instances of the other side": re.compile(
        r"\b(?:sums? of|added up|total of) (?:all |the |\w+ )?(?:\w+ )?(?:instances|servers|nodes|replicas|pods)\b",
        re.IGNORECASE,
    ),
    "crashes of the other side": re.compile(
        r"\b(?:crash(?:ed|es)|fell over|died) (?:\w+ ){0,2}(?:after (?:about )?\d|(?:in|during|at the end of) (?:each|every)\b)",
        re.IGNORECASE,
    ),
}
_NAMES_TUNING = re.compile(r"tun(?:ed|ing)|optimi[sz]|default|stock", re.IGNORECASE)
_NEGATES = re.compile(r"\b(?:not|never|no|none|nicht|nie|kein\w*|не|nunca)\b|n't\b", re.IGNORECASE)
_LESS = "less work done by the other side"


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
    best = max(known, key=lambda name: mean(rates[known[name]]))
    amounts = [*_find_amounts(blocks, list(known.values()))]
    claims = [
        (line, text, known[faster], known[slower or best])
        for line, text, faster, slower in _find_claims(blocks, list(known))
    ]
    for line, text, own, its in [*claims, *(claim for claim, _ in amounts)]:
        if mean(rates[own]) < mean(rates[its]):
            blocks[first[own]].values.setdefault("claimed_otherwise", {"said": text, "line": line, "over": its})
    for (line, text, own, its), ratio in amounts:
        if mean(rates[own]) >= mean(rates[its]) and _is_far(ratio, rates[own], rates[its]):
            claimed = {"said": text, "line": line, "over": own, "is_amount": True}
            blocks[first[its]].values.setdefault("claimed_otherwise", claimed)


def _is_far(ratio: float, own: Sequence[float], its: Sequence[float]) -> bool:
    """Whether no two runs of either side are nearly as far apart as this, and their means by far more or less."""
    gains = sorted((ratio - 1, max(mean(own) / mean(its) - 1, 0.001)))
    return gains[1] > _MANY_TIMES * gains[0] and not min(own) / max(its) / _FAR <= ratio <= max(own) / min(its) * _FAR


def _find_amounts(blocks: Sequence[Block], names: Sequence[str]) -> Iterator[tuple[tuple[int, str, str, str], float]]:
    """((line, sentence, faster config, slower config), ratio of their rates) of sentences that give an amount."""
    index = index_names(names)
    for line, text in (each for block in blocks for each in (*block.trail, *block.tail)):
        for sentence in _SENTENCE_ENDS.split(text[:LONGEST]):
            match = _AMOUNT.fullmatch(sentence)
            if match is None or _OF_OTHERS.search(sentence) or IS_GENERAL.search(sentence):
                continue
            owners = [name for name, _ in find_owners((match["one"], match["two"]), index)]
            ratio = _read_ratio(match)
            if len(owners) == 2 and owners[0] != owners[1] and ratio > 1:
                yield (line, sentence.strip("#*_ .!"), *(owners if match["more"] else reversed(owners))), ratio


def _read_ratio(match: re.Match[str]) -> float:
    """Of the faster one's rate to the slower one's; 0 for none: "120 % slower"."""
    number = float(match["n"])
    if match["unit"].lower() in ("x", "times"):
        return number
    if match["more"]:
        return 1 + number / 100
    return 1 / (1 - number / 100) if number < 100 else 0.0


def _find_claims(blocks: Sequence[Block], names: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """(line, sentence, faster config, slower config or "" for all others), the names in lower case."""
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    claim = re.compile(
        rf"{_LEADS_IN}(?P<wins_all>the (?:clear |overall )?winner {_IS} )?(?:the )?(?P<one>{any_name})"
        rf"(?(wins_all)| (?:{_LEADS}|(?:(?P<wins>{_WINS})|{_LOSES}) (?:the )?(?P<two>{any_name}))){_GOES_ON}",
        re.IGNORECASE,
    )
    for line, text in (each for block in blocks for each in (*block.trail, *block.tail)):
        for sentence in _SENTENCE_ENDS.split(text[:LONGEST]):
            match = claim.fullmatch(sentence.strip())
            if match is None or (match["most"] == "er" and len(names) > 2):
                continue
            one, two = match["one"].lower(), (match["two"] or "").lower()
            yield line, sentence.strip("#*_ .!"), *((one, two) if match["wins"] or not two else (two, one))


_FAILED_RUN = re.compile(  # one that is not shown, as nothing was measured
    r"\b(?:run|test|attempt|iteration|round)s?\b[^.;]{0,40}?(?<!\bnot )\b(?:timed out|hung|crashed|aborted|froze|died"
    r"|failed(?! to (?!start|finish))|never (?:finished|ended)|(?:was|were) (?:killed|aborted|lost|left out|dropped)"
    r"|had to be (?:killed|repeated|restarted))\b"
    r"|\b(?:server|process|workers?|container|service)\b[^.;]{0,20}?(?<!\bnot )\b"
    r"(?:crashed|hung|died|froze|(?:was|were) killed|ran out of memory)\b"
    r"|\b(?:lauf|durchlauf|versuch)\b[^.;]{0,30}\b(?:abgebrochen|abgestürzt|hing)\b|\bserver\b[^.;]{0,20}\b(?:abgestürzt|stürzte)\b"
    r"|\b(?:essai|mesure)\b[^.;]{0,30}\b(?:échoué|planté|interrompue?)\b",
    re.IGNORECASE,
)
_NOT_FAILED = re.compile(
    r"\b(?:no|none|never(?! (?:finished|ended))|neither|nothing|if|warm\w*|first|kein\w*|aucune?|0 (?:\w+ )?failed"
    r"|(?:requests?|connections?|responses?|packets?) (?:\w+ ){0,2}(?:failed|timed out|died|dropped)"  # a report prints these
    r"|(?:after|before|between) (?:each|every|(?:all |the )?(?:runs|tests))|afterwards)\b|[?？]",
    re.IGNORECASE,
)
_FAILED = "a failed run"
_ANSWERED_BADLY = re.compile(
    r"\b(?:answers?|responses?|requests?(?! per\b)|replies)\b[^.;]{0,60}\b(?:were|was|got|returned|came back)\b[^.;]{0,20}"
    r"(?<!\d)(?:4(?:0\d|13|29|99)|5[02]\d)(?:s\b|\s?errors?\b|(?=\s?(?:[,.;)]|$|and\b|or\b|because\b|from\b|under\b)))",
    re.IGNORECASE,
)
_FAILED_ANSWERS = "failing answers"


def note_failures(blocks: Sequence[Block], names: Mapping[int, str]) -> None:
    """Put into the load tests of a config the share of failures that a sentence tells of it, where they print none themselves."""
    index = index_names(names.values())
    shares: dict[str, set[float]] = defaultdict(set)
    for text in (text for block in blocks for _, text in (*block.trail, *block.tail) if _SHARE_FAILED.search(text)):
        for sentence in split_sentences(text):
            if not (IS_GENERAL.search(sentence) or _OF_OTHER_LOAD.search(sentence)):
                for name, clause in find_owners(split_clauses(sentence, index), index):
                    if (match := _SHARE_FAILED.search(clause)) and not _NEGATES.search(clause):
                        shares[name].add(float(match["share"] or match["failed"]))
    of_config = {name: [load for load, own in names.items() if own == name] for name in shares}
    for name, loads in of_config.items():
        if len(shares[name]) == 1 and not any(_prints_failures(blocks[load]) for load in loads):
            for load in loads:
                blocks[load].values["availability_pct"] = 100 - max(shares[name])


def read_failing(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what failed) of sentences that tell it of one config, by its name, or else by where they stand."""
    index = index_names(names.values())
    patterns = {_FAILED: _FAILED_RUN, _FAILED_ANSWERS: _ANSWERED_BADLY}
    placed = [*_list_by_place(blocks, names)]
    told = [(name, text) for name, text in placed if any(pattern.search(text) for pattern in patterns.values())]
    named = find_owners(chain.from_iterable(split_sentences(text) for _, text in told), index)
    unnamed = ((name, each) for name, text in told for each in split_sentences(text) if name)
    for name, sentence in (*named, *(each for each in unnamed if index.keys().isdisjoint(list_words(each[1])))):
        for what, pattern in patterns.items():
            if pattern.search(sentence) and not _NOT_FAILED.search(sentence):
                yield name, what


def _list_by_place(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of the config whose load tests stand around it, or "" above the first heading, text) of each line."""
    following, below = [""] * len(blocks), ""
    for at in range(len(blocks) - 1, -1, -1):
        following[at] = below = names.get(at, below)
    owner = ""
    for at, block in enumerate(blocks):
        for _, text in block.trail:
            if begins_section(text) and not _FAILED_RUN.search(text):
                owner = following[at]
            else:
                yield owner, text
        owner = names.get(at, owner)
    yield from ((owner, text) for _, text in blocks[-1].tail)


def _prints_failures(block: Block) -> bool:
    failed = [load_result.failed_requests for load_result in block.load_results]
    return "availability_pct" in block.values or any(each is not None for each in failed)


def read_favoured(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what made the only other one of which a clause tells it look faster). names: as above."""
    index, every = index_names(names.values()), {*names.values()}
    favours = {_LESS: _DOES_LESS, **_FAVOURS}
    favoured: dict[str, set[str]] = defaultdict(set)
    texts = (text[: 3 * LONGEST] for block in blocks for _, text in (*block.trail, *block.tail))
    told = (text for text in texts if any(pattern.search(text) for pattern in (_FAILS, *favours.values())))
    for sentence in (each for text in told for each in split_sentences(text)):
        owned = [each for each in find_owners(split_clauses(sentence, index), index) if not _NEGATES.search(each[1])]
        if _LEAVES_OUT.search(sentence):
            failing = [name for name, clause in owned if _FAILS.search(clause) and not _SHARE_FAILED.search(clause)]
            favoured[_LEFT_OUT] |= {*failing}
        if not IS_GENERAL.search(sentence):
            for what, pattern in favours.items():
                favoured[what] |= {name for name, clause in owned if pattern.search(clause)}
    for what, favoured_names in favoured.items():
        named = (favours.get(what, _DOES_LESS), _NAMES_TUNING)
        if len(favoured_names) == 1 and not any(pattern.search(name) for pattern in named for name in every):
            yield from ((name, what) for name in every - favoured_names)
