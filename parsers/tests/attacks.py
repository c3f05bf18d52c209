"""Texts made of a pattern itself, in which it may go back and forth: what each of its repeats repeats, behind what leads there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # nothing else takes patterns apart
from typing import Any

SIGNS = " 1aA-,.:/|=\"'([{<%$#_;é\t\\*+~"
PUMPS = (
    *SIGNS,
    *("a ", "1 ", "1,", "1.", "a=", "a,", "a: ", "- ", "(a", "> ", "1:", " a,"),
)
_REPEATED = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_LONG, _MOST = 30, 20  # a repeat that may go on for so long; characters of what is repeated at once
_SOON_S = 0.002  # of less nothing can be told where others use the processor, too


def make_attacks(pattern: str, flags: int = 0) -> Iterator[tuple[str, str]]:
    """(what stands in front, what is repeated behind it): signs alone, and what each long repeat of the pattern holds."""
    tree = _parser.parse(pattern, flags)
    attacks = dict.fromkeys(("", pump) for pump in PUMPS)
    for front, body in _find_repeats(tree, tree.state.flags, ""):
        for pick in range(3):
            pump = _sample(body, tree.state.flags, pick)[:_MOST]
            attacks |= dict.fromkeys([("", pump), (front, pump), ("", (front + pump)[-_MOST:])])
        attacks |= dict.fromkeys((front, sign) for sign in SIGNS)
    return ((front, pump) for front, pump in attacks if pump)


def is_slow(look: Callable[[str], Any], front: str, pump: str, size: int = 4_000) -> bool:
    """Whether such a text takes more than eight times as long as a quarter of it. Of three tries: others use the processor, too."""
    few, many = (front + pump * (n // len(pump)) + "\0" for n in (size // 4, size))
    return all((spent := _spend(look, many)) > _SOON_S and spent > 8 * _spend(look, few) for _ in range(3))


def _spend(look: Callable[[str], Any], text: str) -> float:
    start = time.process_time()
    look(text)
    return time.process_time() - start


def _sample(nodes: Any, flags: int, pick: int = 0) -> str:
    """A text that the nodes match, mostly; `pick` is the number of the alternative that is taken."""
    found = ""
    for operation, argument in nodes:
        if operation is _constants.LITERAL:
            found += chr(argument)
        elif operation is _constants.BRANCH:
            found += _sample(argument[1][pick % len(argument[1])], flags, pick)
        elif operation is _constants.SUBPATTERN:
            found += _sample(argument[3], flags, pick)
        elif operation is _constants.ATOMIC_GROUP:
            found += _sample(argument, flags, pick)
        elif operation in _REPEATED:
            found += _sample(argument[2], flags, pick) * min(max(argument[0], 1), _MOST)
        elif operation in (_constants.IN, _constants.NOT_LITERAL, _constants.ANY):
            fitting = _find_fitting(operation, tuple(argument) if isinstance(argument, list) else argument, flags)
            found += fitting[pick % len(fitting)]
    return found


@cache
def _find_fitting(operation: Any, argument: Any, flags: int) -> list[str]:
    """The signs that a class matches; most classes are in many patterns."""
    single = _compiler.compile(_parser.SubPattern(_parser.State(), [(operation, argument)]), flags)
    return [*filter(single.fullmatch, SIGNS)] or ["x"]


def _find_repeats(nodes: Any, flags: int, front: str) -> Iterator[tuple[str, Any]]:
    """(a text that leads there, what is repeated) of each long repeat."""
    for operation, argument in nodes:
        if operation in _REPEATED and argument[1] >= _LONG:
            yield front, argument[2]
        for part in _list_parts(operation, argument):
            yield from _find_repeats(part, flags, front)
        front += _sample([(operation, argument)], flags)


def _list_parts(operation: Any, argument: Any) -> list[Any]:
    if operation is _constants.BRANCH:
        return list(argument[1])
    if operation in _REPEATED:
        return [argument[2]]
    if operation is _constants.SUBPATTERN:
        return [argument[3]]
    if operation is _constants.ATOMIC_GROUP:
        return [argument]
    return [argument[1]] if operation in (_constants.ASSERT, _constants.ASSERT_NOT) else []
