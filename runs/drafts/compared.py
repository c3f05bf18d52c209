"""Lines above load tests that name nothing alone, but do together: "before" and "after", "A" and "B", "server" and "laptop"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from parsers.catalogue import makes_load

from .asides import ITEM, heading_level, is_aside, strip_markup
from .heading_words import (
    EXPECTED,
    LETTER,
    MACHINE,
    STARTS_SERVER,
    drop_repeat,
    find_phase,
    is_generic,
    is_short,
    is_warm_up,
    names_amount,
    only_counts,
    says_again,
)
from .told_hosts import find_told_host

Heading = tuple[int, str]  # (line, text)
_VERSION = re.compile(
    r"\W*(?:(?:same )?(?:with|as|using|on|in|mit|avec|con)\s)?(?:v|version )?(\d+\.\d+)\W*", re.IGNORECASE
)
_DEEPEST = 6  # level of headings
_OPTION_WORD = re.compile(r"-{1,2}[a-z][a-z-]+")


def may_name(text: str) -> bool:
    return not (is_aside(text) or says_again(text) or (is_warm_up(text) and text.count(" ") > 3) or is_generic(text))


def raise_items(trails: Sequence[list[Heading]]) -> None:
    """Make headings of the items of nested lists that outputs stand below: "* nginx", "  * 10 clients", "  * 100 clients"."""
    paths = [_find_path(trail) for trail in trails]
    named = [trail for trail, path in zip(trails, paths, strict=True) if path]
    indents = sorted({_indent(text) for trail in named for _, text in trail if ITEM.match(text)})
    depth = max((heading_level(text) for trail in trails for _, text in trail), default=0)
    if len(indents) < 2 or len(indents) > _DEEPEST - depth or sum(map(bool, paths)) < 2:
        return
    if all(_indent(path[0][1]) == indents[0] for path in paths if path):  # each outer item has one inner one, about it
        paths = [path[:1] for path in paths]
    for trail, path in zip(trails, paths, strict=True):
        trail[:] = [
            (line, f"{'#' * (max(depth, 1) + 1 + indents.index(_indent(text)))} {strip_markup(text)}")
            if (line, text) in path
            else (line, text)
            for line, text in trail
        ]


def _find_path(trail: Sequence[Heading]) -> list[Heading]:
    """The items that the end of a trail is nested in, of several inner ones none; none where headings name what it is of."""
    said = [heading for heading in trail if not is_aside(heading[1])]
    items = [heading for heading in said if ITEM.match(heading[1])]
    if not items or items[-1] != said[-1]:
        return []
    path, has_steps = items[-1:], False
    for item in reversed(items[:-1]):
        if _indent(item[1]) == _indent(path[0][1]):
            if len(path) > 1:
                return []
            has_steps = True
        path = [item, *path] if _indent(item[1]) < _indent(path[0][1]) else path
    if has_steps:
        path = path[:-1]
    if not path:
        return []
    last = [text for line, text in trail if line < path[0][0] and heading_level(text) > 1][-1:]
    return [] if last and may_name(last[0]) else path


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def find_compared(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """The last lines above load tests that name nothing alone, but do together: "before" and "after" a change, "A" and "B"."""
    last = [
        next((text for _, text in reversed(trail) if not (is_aside(text) or only_counts(text))), "") for trail in trails
    ]
    phases = {text: find_phase(text) for text in last if is_short(text)}
    letters = {text: found[1].upper() for text in last if (found := LETTER.fullmatch(drop_repeat(text)))}
    if _count_again(trails, letters):
        letters = {}
    compared = (
        {text for text, phase in phases.items() if phase} if {"before", "after"} <= set(phases.values()) else set()
    )
    # Commands name nothing, unless they start the servers that are compared.
    starts = {trail[-1][1] for trail in trails if trail and STARTS_SERVER.match(strip_markup(trail[-1][1]))}
    compared |= starts if len(starts) > 1 else set()
    templated = [next((text for _, text in reversed(trail) if EXPECTED.fullmatch(text)), "") for trail in trails]
    expected = {text: any(found.groups()) for text in templated if (found := EXPECTED.fullmatch(text))}
    # Words that look like options tell runs apart where each has one of its own: a script's "-threads" and "-single".
    words = [trail[-1][1].strip() for trail in trails if trail and _OPTION_WORD.fullmatch(trail[-1][1].strip())]
    compared |= {*words} if len({*words}) > 1 else set()
    amounts = {
        text: re.sub(r"\d+", "#", text) for text in last if is_short(text) and is_generic(text) and names_amount(text)
    }
    n_alike = Counter(amounts.values())
    compared |= {text for text, base in amounts.items() if n_alike[base] > 1}
    versions = {text: found[1] for text in last if (found := _VERSION.fullmatch(text))}
    compared |= set(versions) if len(set(versions.values())) > 1 else set()
    compared |= set(letters) if len(set(letters.values())) > 1 else set()
    return compared or (set(expected) if len(set(expected.values())) > 1 else set())


def _count_again(trails: Sequence[Sequence[Heading]], letters: Mapping[str, str]) -> bool:
    """Whether letters number the repeats of what stands above each "(a)": they begin anew there, and only there."""
    counted = [
        (letters[text], any(may_name(above) for _, above in trail[:-1]))
        for trail in trails
        if trail and (text := trail[-1][1]) in letters
    ]
    begins = [letter == "A" for letter, _ in counted]
    return sum(begins) > 1 and len(counted) > sum(begins) and begins == [is_named for _, is_named in counted]


def find_machines(sections: Sequence[Sequence[Heading]]) -> set[str]:
    """ "## server", where "## laptop" names other load tests: each section has a machine of its own."""
    last = [next((text for _, text in reversed(trail) if heading_level(text)), "") for trail in sections]
    levels = {heading_level(text) for text in last if text and not is_generic(text)}
    return {text for text in last if heading_level(text) in levels and MACHINE.fullmatch(strip_markup(text))}


def find_only_machine(sections: Sequence[Sequence[Heading]]) -> set[str]:
    """Lines that only tell the name of the one machine: "Hostname: web1". Where there are several, they may name configs."""
    told = {text: name for trail in sections for _, text in trail if (name := find_told_host(text).name)}
    return {*told} if len({*told.values()}) == 1 else set()


def find_tool_names(sections: Sequence[Sequence[Heading]]) -> set[str]:
    """Lines that recur, and only name a load tool, below headings: "**wrk:**"."""
    plain = Counter(text for trail in sections for _, text in trail if not heading_level(text))
    has_headings = any(heading_level(text) > 1 for trail in sections for _, text in trail)
    recurring = (text for text, n in plain.items() if n > 1 and has_headings)
    return {text for text in recurring if makes_load(strip_markup(text).lower())}
