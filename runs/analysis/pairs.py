"""Which column each column is judged against: like with like, where a text compares several things side by side.

An experiment's first config is its baseline. A text may hold several comparisons, though: MPMs without and with
keep-alive under a heading each, or two MPMs with three applications each ("itk, wordpress", "peruser, wordpress").
Those are blocks with a baseline of their own, as a figure of one application says nothing of another.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from runs.analysis.columns import Column, Method

# What parts the two halves of a name such as "itk, mod_python".
BETWEEN = (", ", " / ", " · ", " | ", " + ", ": ")


def bases(columns: Sequence[Column], without: Collection[int] = ()) -> tuple[int, ...]:
    """For each column the index of the one it stands against; a baseline stands against itself.

    `without` are columns that no verdict may rest on: a block's baseline is the first one that is not among them.
    """
    blocks: dict[str, list[int]] = {}
    for at, word in enumerate(_blocks(columns)):
        blocks.setdefault(word, []).append(at)
    loads = _loads(columns)
    found: dict[int, int] = {}
    for block in blocks.values():
        sound = [at for at in block if at not in without] or block[:1]
        found |= {at: _base(columns, loads, sound, at) for at in block}
    return tuple(found[at] for at in range(len(columns)))


def _loads(columns: Sequence[Column]) -> list[Method]:
    """How each column was loaded, without what sets the configs apart.

    Where one config was tried without keep-alive and one with it, at several levels each, keep-alive is what is compared.
    """
    by_setup: dict[int, list[tuple[object, ...]]] = {}
    for column in columns:
        by_setup.setdefault(column.config.id, []).append(column.method.parts())
    values = [[{parts[place] for parts in own} for own in by_setup.values()] for place in range(len(Method().parts()))]
    apart = [all(len(own) == 1 for own in place) and len(set().union(*place)) > 1 for place in values]
    kept = ((None if out else part for part, out in zip(c.method.parts(), apart, strict=True)) for c in columns)
    return [Method(*parts) for parts in kept]  # type: ignore[arg-type]


def _base(columns: Sequence[Column], loads: Sequence[Method], sound: Sequence[int], at: int) -> int:
    """The first sound column of another config and the same load; else the block's first, whatever its load."""
    mine = columns[at]
    others = [other for other in sound if other < at and columns[other].config.id != mine.config.id]
    same = (other for other in others if columns[other].method.agrees(mine.method))
    alike = next(same, next((other for other in others if loads[other].agrees(loads[at])), None))
    if alike is not None:
        return alike
    return at if _leads(columns, loads, sound, at) else sound[0]


def _leads(columns: Sequence[Column], loads: Sequence[Method], sound: Sequence[int], at: int) -> bool:
    """Whether this column is the baseline config under another load, which a later config was tried with too."""
    mine, first = columns[at], columns[sound[0]]
    if mine.config.id != first.config.id or at not in sound:
        return False
    later = (other for other in sound if other > at and columns[other].config.id != mine.config.id)
    return any(loads[other].agrees(loads[at]) and not loads[other].agrees(loads[sound[0]]) for other in later)


def _blocks(columns: Sequence[Column]) -> list[str]:
    """One word a column; equal words are one block."""
    members: dict[str, set[int]] = {}
    for column in columns:
        members.setdefault(column.config.group, set()).add(column.config.id)
    if len(members) > 1 and all(len(group) > 1 for group in members.values()):
        return [column.config.group for column in columns]
    names = list(dict.fromkeys(column.config.name for column in columns))
    crossed = _crossed(names, columns)
    return [crossed.get(column.config.name, "") for column in columns]


def _crossed(names: Sequence[str], columns: Sequence[Column]) -> dict[str, str]:
    """Name -> block, where the names are all pairs of two lists ("itk, a", "peruser, a", "itk, b", "peruser, b")."""
    for mark in BETWEEN:
        halves = [tuple(name.split(mark)) for name in names]
        if any(len(half) != 2 for half in halves):
            continue
        levels = [list(dict.fromkeys(half[side] for half in halves)) for side in (0, 1)]
        if min(map(len, levels)) < 2 or len(levels[0]) * len(levels[1]) != len(set(halves)):
            continue
        ways = [dict(zip(names, (half[side] for half in halves), strict=True)) for side in (1, 0)]
        best, other = sorted(ways, key=lambda way: (_unlike(way, columns), not _tidy(list(way.values()))))
        if _tidy(list(best.values())) or _unlike(best, columns) < _unlike(other, columns):
            return best
    return {}


def _tidy(words: Sequence[str]) -> bool:
    """Whether equal words stand together, as the configs of one comparison do in a text."""
    runs = [word for word, _ in groupby(words)]
    return len(runs) == len(set(runs))


def _unlike(blocks: dict[str, str], columns: Sequence[Column]) -> int:
    """How many pairs inside a block were loaded in ways that do not agree."""
    return sum(
        not one.method.agrees(other.method)
        for at, one in enumerate(columns)
        for other in columns[:at]
        if blocks[one.config.name] == blocks[other.config.name]
    )
