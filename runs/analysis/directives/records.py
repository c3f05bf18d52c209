"""What a config text says: directives, the sections they stand in and their lines; and what every dialect shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Deeper nesting than any real file has; a text of brackets alone must not cost memory with its square.
MOST_DEEP = 30
_DECORATION = re.compile(r"[\s#;/*\[\]()（）<>{}［］〈〉〜~=\-…・.。、:：︙]+")
_DOTS = re.compile(r"\.{2,}|…|・{2,}|︙|^[:：]$")
_MAYBE = re.compile(r"\.\.|[…・︙略]|snip|cut|omit|trunc|skip|[:：]$", re.IGNORECASE)  # what no other line gets past
_LEFT_OUT = re.compile(
    r"(?:以下|中|前|後|途中)?(?:省略|略)|snip(?:ped)?|cut|omitted|truncated|skip(?:ped)?", re.IGNORECASE
)
_WORD = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|(\S+)""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Directive:
    """One setting. `path` are the sections around it, outermost first, `line` counts from 0 in its text.

    name    as written, with its first argument where that tells what is set ("LoadModule wsgi_module")
    key     what makes it the same setting as another: `name` without what the dialect does not tell apart
    """

    path: tuple[str, ...]
    name: str
    value: str
    line: int
    key: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text read as `dialect`. `unread` are the offsets of lines that are no directive of it.

    elided      part of the text was left out by whoever showed it, so what is not in it may still be set
    """

    dialect: str
    directives: tuple[Directive, ...]
    unread: tuple[int, ...] = ()
    elided: bool = False


def is_elision(line: str) -> bool:
    """ "...", "# [snip]", "（中略）": something was left out here."""
    stripped = line.strip()
    if not stripped or len(stripped) > 24 or not _MAYBE.search(stripped):
        return False
    core = _DECORATION.sub("", stripped)
    if not core:
        return bool(_DOTS.search(stripped))
    return bool(_LEFT_OUT.fullmatch(core)) and (core != stripped or "略" in core)


def words(text: str) -> list[str]:
    """A line's words; quotes hold words together and are no part of them."""
    return [next((part for part in found.groups() if part is not None), "") for found in _WORD.finditer(text)]


def joined(parts: Sequence[str]) -> str:
    """Words as one value, written the same however they were quoted and spaced."""
    return " ".join(part if part and not re.search(r"\s", part) else f'"{part}"' for part in parts)


def significant(text: str, comment: str) -> Iterator[tuple[int, str]]:
    """(offset, line without blank ends) of lines that are neither empty, nor comments, nor say that lines are missing."""
    for at, line in enumerate(text.split("\n")):
        stripped = line.strip()
        if stripped and not stripped.startswith(tuple(comment)) and not is_elision(stripped):
            yield at, stripped


def elided(text: str) -> bool:
    return any(is_elision(line) for line in text.split("\n"))
