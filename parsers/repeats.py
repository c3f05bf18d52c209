"""What monitors that print the same again and again have in common."""

from __future__ import annotations

from .lines import Lines

_NEAR = 3


def iteration(lines: Lines, kind: str, first: int, last: int, above: str) -> int:
    """Which print of one run this is, from 1: one more than that of the block right before, with nothing but blanks between.

    first, last     lines of this block
    above           `lines.raw` as its reading began
    """
    before, count = lines.memory.get(kind, (None, 0))
    gap = first - before if before is not None else 0
    count = count + 1 if gap == 1 or (0 < gap <= _NEAR and not above.strip()) else 1
    lines.memory[kind] = (last, count)
    return int(count)
