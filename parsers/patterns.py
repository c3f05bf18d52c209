"""What a pattern tells by itself, with which characters a text can begin that it matches, and the same pattern made quicker;
answers about lines, which are remembered while a text is related; and words that several patterns share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import count, groupby
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # nothing else takes patterns apart
from typing import Any, TypeVar

ASCII = [chr(code) for code in range(128)]
_ONE_CHARACTER = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)
_REPEATED = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_PARTS = re.compile(r"\\s(?:[+*?]\+?|\{[\d,]*\}\+?)?|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
# Of characters, of which each text begins with one of one group only.
_GROUPS = (
    "a-mx-z_",
    "n-w",
    "A-H",
    "I-R",
    "S-Z",
    "0-9",
    r"#$%>|:=+`()\]}',.;~!?@&\x00- \x7f",
    r'{"\[/\\<*^-',
    r"\x80-\U0010ffff",
)
_NO_CHARACTER = (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT)


@cache
def find_first_characters(pattern: str) -> set[str]:
    """The ASCII characters with which a text may begin that the pattern matches; all where it matches an empty one."""
    parsed = _parser.parse(pattern)
    first_characters, may_be_empty = _find_first(parsed, parsed.state.flags)
    return set(ASCII) if may_be_empty else first_characters


# Words for the states before and after a change.
BEFORE, AFTER = "before|vorher|avant|antes", "after|nachher|après|después"


def split_alternatives(pattern: str) -> list[str]:
    """The alternatives of which a pattern consists."""
    alternatives, depth = [""], 0
    for part in _PARTS.findall(pattern):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            alternatives.append("")
        else:
            alternatives[-1] += part
    return alternatives


@cache
def find_group(character: str) -> str:
    """The class of characters, of those by which patterns are told apart, that this one is in."""
    return next(group for group in _GROUPS if group == _GROUPS[-1] or re.match(f"[{group}]", character))


def begins_with_any(pattern: str, characters: str) -> bool:
    """Whether a text may begin with one of a class of characters that the pattern matches."""
    return characters == _GROUPS[-1] or bool(re.search(f"[{characters}]", "".join(find_first_characters(pattern))))


def join_by_first_character(pattern: str) -> str:
    """The same pattern, quicker where few texts match: each is held against the alternatives that may begin as it does."""
    parts = split_alternatives(pattern)
    groups = ((group, "|".join(part for part in parts if begins_with_any(part, group))) for group in _GROUPS)
    return rf"(?:{'|'.join(rf'(?=[{group}])(?:{some})' for group, some in groups if some)})"


def compile_words(pattern: str) -> re.Pattern[str]:
    """The pattern, of words without capitals, for texts of which `lower` was taken.

    Quicker than one that ignores the case: a sign is compared with the first ones of all alternatives at once, and of those in a
    row for the beginning of a word none is tried elsewhere.
    """
    rows = groupby(split_alternatives(pattern), key=lambda part: part.startswith(r"\b"))
    return re.compile(
        "|".join(
            rf"\b(?:{'|'.join(part[2:] for part in row)})" if are_words else "|".join(row) for are_words, row in rows
        )
    )


def lower(text: str) -> str:
    """The text in lower case, sign for sign."""
    return text.replace("İ", "i").lower()


def keep_short(pattern: str, most: int) -> str:
    """The alternatives of a pattern that a text of so many characters may match, each once."""
    parts = dict.fromkeys(split_alternatives(pattern))
    return "|".join(part for part in parts if _parser.parse(number_names(part)).getwidth()[0] <= most) or "(?!)"


def keep_to_line(pattern: str) -> str:
    """The pattern whose blanks, and classes of all characters but some, go no farther than to the end of a line."""

    def keep(part: str) -> str:
        if part.startswith(r"\s"):
            blanks = rf"[^\S\n]{part[2:]}"
            return blanks if part[2:].startswith(("*", "?", "{0")) else f"(?:{blanks}|$)"
        return f"[^\\n{part[2:]}" if part.startswith("[^") else part

    return "".join(map(keep, _PARTS.findall(pattern)))


def number_names(pattern: str) -> str:
    """The pattern, parts of which may recur, with other names for the groups in each of them."""
    number = count()
    last = ""

    def rename(match: re.Match[str]) -> str:
        nonlocal last
        last = last if match[1] == "=" else f"g{next(number)}"
        return f"(?P{match[1]}{last}"

    return re.sub(r"\(\?P([<=])\w+", rename, pattern)


def _find_first(nodes: Any, flags: int) -> tuple[set[str], bool]:
    """(the characters, whether what matches may be empty) of nodes in a row."""
    first: set[str] = set()
    for operation, argument in nodes:
        own, may_be_empty = _find_first_of_node(operation, argument, flags)
        first |= own
        if not may_be_empty:
            return first, False
    return first, True


def _find_first_of_node(operation: Any, argument: Any, flags: int) -> tuple[set[str], bool]:
    if operation in _ONE_CHARACTER:
        single = _compiler.compile(_parser.SubPattern(_parser.State(), [(operation, argument)]), flags)
        return set(filter(single.match, ASCII)), False
    if operation is _constants.BRANCH:
        branches = [_find_first(branch, flags) for branch in argument[1]]
        return set().union(*(first_of_node for first_of_node, _ in branches)), any(
            may_be_empty for _, may_be_empty in branches
        )
    if operation is _constants.SUBPATTERN:
        _, added, removed, nodes = argument
        return _find_first(nodes, (flags | added) & ~removed)
    if operation is _constants.ATOMIC_GROUP:
        return _find_first(argument, flags)
    if operation in _REPEATED:
        first_of_node, may_be_empty = _find_first(argument[2], flags)
        return first_of_node, may_be_empty or argument[0] == 0
    if operation in _NO_CHARACTER:
        return set(), True
    return set(ASCII), False  # a reference to a group, and what later versions may add


_MOST_REMEMBERED, _MOST_KEPT = 100_000, 20_000  # lines, while one text is related and behind it
_MOST_SHORT, _LONGEST_SHORT = 512, 100
Answer = TypeVar("Answer")
_forget: list[tuple[Callable[[], Any], Callable[[], None]]] = []


def remember_lines(tell: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """The function, called once for each line: it is asked for several times, all lines of a text in turn."""
    remembering = lru_cache(maxsize=_MOST_REMEMBERED)(tell)
    _forget.append((remembering.cache_info, remembering.cache_clear))
    return remembering


def forget_lines() -> None:
    """A text was related: where it was a long one, its lines are not kept in memory."""
    for get_size, clear in _forget:
        if get_size().currsize > _MOST_KEPT:
            clear()


def remember_short(tell: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """The function, called once for each of the short texts that recur, such as titles of tables; no long text is kept."""
    remembering = lru_cache(maxsize=_MOST_SHORT)(tell)
    return lambda text: remembering(text) if len(text) <= _LONGEST_SHORT else tell(text)


class TitlePattern:
    """A pattern, whatever the case, that is asked for the same titles and cells of tables again and again."""

    def __init__(self, pattern: str) -> None:
        compiled = re.compile(pattern, re.IGNORECASE)
        self.pattern, self.sub = pattern, compiled.sub
        self.search, self.match, self.fullmatch = map(
            remember_short, (compiled.search, compiled.match, compiled.fullmatch)
        )
