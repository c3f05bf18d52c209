"""What a pattern tells by itself: with which characters a text can begin that it matches."""

from __future__ import annotations

from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # nothing else takes patterns apart
from typing import Any

ASCII = [chr(code) for code in range(128)]
_ONE_CHARACTER = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)
_REPEATED = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_NO_CHARACTER = (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT)


def find_first_characters(pattern: str) -> set[str]:
    """The ASCII characters with which a text may begin that the pattern matches; all where it matches an empty one."""
    parsed = _parser.parse(pattern)
    found, may_be_empty = _find_first(parsed, parsed.state.flags)
    return set(ASCII) if may_be_empty else found


def _find_first(nodes: Any, flags: int) -> tuple[set[str], bool]:
    """(the characters, whether what matches may be empty) of nodes in a row."""
    found: set[str] = set()
    for operation, argument in nodes:
        own, may_be_empty = _find_first_of_node(operation, argument, flags)
        found |= own
        if not may_be_empty:
            return found, False
    return found, True


def _find_first_of_node(operation: Any, argument: Any, flags: int) -> tuple[set[str], bool]:
    if operation in _ONE_CHARACTER:
        single = _compiler.compile(_parser.SubPattern(_parser.State(), [(operation, argument)]), flags)
        return set(filter(single.match, ASCII)), False
    if operation is _constants.BRANCH:
        branches = [_find_first(branch, flags) for branch in argument[1]]
        return set().union(*(found for found, _ in branches)), any(may_be_empty for _, may_be_empty in branches)
    if operation is _constants.SUBPATTERN:
        _, added, removed, nodes = argument
        return _find_first(nodes, (flags | added) & ~removed)
    if operation is _constants.ATOMIC_GROUP:
        return _find_first(argument, flags)
    if operation in _REPEATED:
        found, may_be_empty = _find_first(argument[2], flags)
        return found, may_be_empty or argument[0] == 0
    if operation in _NO_CHARACTER:
        return set(), True
    return set(ASCII), False  # a reference to a group, and what later versions may add
