"""Sentences that say which config is faster ("Apache beats nginx by far")."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from parsers.blocks import Block
from runs.numbers import mean

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
