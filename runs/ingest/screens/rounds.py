"""Which blocks are looks of one command: the screens of `top -b`, or what a loop prints again and again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parsers import Block

from ..clocks import clock_in
from .table import clock_above

NEAR = 4  # lines from the end of one to the beginning of the next, those that tell the time apart
_LOOP = re.compile(r"\b(?:while|until|for|watch|repeat)\b")


@dataclass(slots=True)
class _Open:
    number: int
    command_line: int | None
    loops: bool
    timed: bool


class Rounds:
    """Numbers blocks as they come, in the order of the text: those that are looks of one command get the same number.

    Right behind each other, with nothing but the time between them, these are looks of one command: screens that say so
    themselves (their kind counts iterations); what a command printed that has a loop in it; and what stands below a time
    each, as `while sleep 1; do date; ps aux; done` prints it. Loops may print several kinds in turn.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._kind = ""
        self._last = 0
        self._count = 0
        self._stamp = ""  # the line that told the time last

    def interrupted(self) -> None:
        """Something else stands here: what comes next begins anew."""
        self._open.clear()
        self._stamp = ""

    def number(self, block: Block) -> int:
        """The number of the command whose look this is; one that was not there before where it is the first.

        A look that stands below another kind's in a loop gets the time that stands above both.
        """
        if not self._near(block):
            self.interrupted()
        if clock_above(block) is not None:
            self._stamp = block.above[-1][1]
        found = self._open.get(block.kind)
        if found is None or not self._again(found, block):
            found = self._opened(block)
        elif self._stamp and not block.above:
            block.above = [(block.first - 1, self._stamp)]
        self._kind, self._last = block.kind, max(block.last, self._last)
        return found.number

    def _opened(self, block: Block) -> _Open:
        self._count += 1
        loops = bool(_LOOP.search(block.command or ""))
        if not (loops or self._stamp):
            self._open.clear()
        self._open[block.kind] = _Open(self._count, block.command_line, loops, bool(self._stamp))
        return self._open[block.kind]

    def _near(self, block: Block) -> bool:
        if block.trail and not all(clock_in(text) for _, text in block.trail):
            return False
        return block.first - self._last <= NEAR + min(len(block.trail), NEAR)

    def _again(self, before: _Open, block: Block) -> bool:
        same_line = block.command_line == before.command_line
        iterates = "iteration" in block.values or (block.values.get("sample") or 0) > 1
        if same_line and block.kind == self._kind and iterates and not block.trail:
            return True
        if before.loops and same_line:
            return True
        # Below a date the reader no longer says which command printed a block; one that was typed anew it does.
        of_the_loop = same_line or block.command_line is None
        return before.timed and of_the_loop and (clock_above(block) is not None or block.kind != self._kind)
