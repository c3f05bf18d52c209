"""Sentences and clauses of prose, and which config each is of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from .boilerplate import fold_name

LONGEST = 200  # characters of a clause that is looked at
CJK = r"\u3040-\u30ff\u4e00-\u9fff"
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_WORD = re.compile(rf"[^\W_{CJK}]+(?:\.\d+)*|[{CJK}]+")
ENDS_SENTENCE = re.compile(r"(?<!\d)\.(?=\s|$)|[!。]")  # with the clauses that set two configs against each other
_CLAUSE = re.compile(r",(?!\d)|[;:()|，；：（）]|\b(?:and|but|while|whereas|against|vs|und|aber|et|mais|pero)\b")
_JOINS_NAMES, _BEFORE_NAMES = (
    {"and", "und", "et"},
    {"both", "the", "for", "with", "in", "on", "of", "für", "mit", "pour"},
)
_CLAUSES = re.compile(f"({_CLAUSE.pattern})")  # with what joins them
IS_GENERAL = re.compile(  # tells of no side of these, or the same of both
    r"\b(?:usually|often|normally|typically|default|would|could|should|might|may|can|if|too|also|as well|same|both|neither|either"
    r"|likewise|auch|beide\w*|üblich\w*)\b|[?？]",
    re.IGNORECASE,
)


def split_sentences(text: str) -> list[str]:
    return ENDS_SENTENCE.split(text[: 3 * LONGEST])


def index_names(names: Iterable[str]) -> Mapping[str, list[tuple[str, set[str]]]]:
    """{word of a name: (name, the words that not all names have) of those of whose words it is in the fewest names}; "Node.js"
    may be written "NodeJS", too.
    """
    words = {name: {word.lower() for word in _WORD.findall(name)} for name in names}
    shared = set.intersection(*words.values()) if words else set()
    n_names = Counter(chain.from_iterable(words.values()))
    with_word: dict[str, list[tuple[str, set[str]]]] = {}
    for name, every in words.items():
        spelled = fold_name(name)
        own_words = every - shared
        bare = {word for word in own_words if not _VERSION.fullmatch(word)}  # "Symfony" for "Symfony 7"
        is_own = bare < own_words and any(n_names[word] == 1 for word in bare)
        for own in (own_words, {spelled} if spelled.isalnum() else set[str](), bare if is_own else set[str]()):
            if own:
                with_word |= {word: [] for word in own if word not in with_word}
                with_word[min(own, key=n_names.__getitem__)].append((name, own))
    return with_word


def list_words(text: str) -> set[str]:
    """The words of a text, and each two of letters that stand side by side as one: "Node JS" as "nodejs"."""
    words = [word.lower() for word in _WORD.findall(text)]
    return {*words, *("".join(pair) for pair in pairwise(words) if all(map(str.isalpha, pair)))}


def split_clauses(sentence: str, names: Mapping[str, object]) -> list[str]:
    """Its clauses; what stands behind a colon or in brackets without a config's name is of the one before: "nginx: HTTPS (h2)"."""
    first, *others = _CLAUSES.split(sentence)
    clauses, is_within = [first], False
    for joint, part in zip(others[::2], others[1::2], strict=True):
        is_named = not names.keys().isdisjoint(list_words(part))
        words = list_words(clauses[-1])
        if (
            joint in _JOINS_NAMES
            and not names.keys().isdisjoint(words)
            and all(word in names or word in _BEFORE_NAMES for word in words)
        ):
            clauses[-1] += f" {joint}{part}"  # "nginx and Apache had gzip on" is of both
        elif not is_named and (joint in (":", "(") or (joint == ")" and is_within)):
            clauses[-1] += f" {part}"
        else:
            clauses.append(part)
        is_within = joint == "(" and not is_named
    return clauses


def find_owners(clauses: Iterable[str], names: Mapping[str, list[tuple[str, set[str]]]]) -> Iterator[tuple[str, str]]:
    """(name of a config, clause) of the clauses that have the words of one config alone. names: see index_names."""
    for clause in clauses:
        said = list_words(clause)
        about = {name for word in said for name, own in names.get(word, ()) if own <= said}
        if len(about) == 1:
            yield about.pop(), clause
