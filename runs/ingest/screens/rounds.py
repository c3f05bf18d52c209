"""Which blocks are looks of one command: the screens of `top -b`, or what a loop prints again and again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parsers import Block

from ..clocks import clock_in
from .table import clock_above

NEAR = 4  # lines from the end of one to the beginning of the next, those that tell the time apart
_LOOP = re.compile(r"\b(?:while|until|for|watch|repeat)\b")
_IDLE = re.compile(r"(?:sudo\s+)?(?:date|sleep|clear|echo|printf)\b[^|;&]*")  # changes nothing that a monitor sees
_SHOWS = re.compile(
    r"(?:(?:sudo|ssh\s+\S+)\s+)*(?:[xz]?cat|zstdcat|bat|less|more|view|tail|head)\s+(?:-\S+\s+|\d+\s+)*(?!/(?:proc|sys)/)\w*[\w./~]"
)


@dataclass(slots=True)
class _Open:
    """A command whose looks may go on. alone: each time that it was typed it printed one look, as far as is seen."""

    number: int
    command: str | None
    command_line: int | None
    host: str | None
    loops: bool
    timed: bool
    alone: bool = True


class Rounds:
    """Numbers blocks as they come, in the order of the text: those that are looks of one command get the same number.

    Right behind each other, with nothing but the time between them, these are looks of one command: screens that say so
    themselves (their kind counts iterations); what a command printed that has a loop in it; and what stands below a time
    each, as `while sleep 1; do date; ps aux; done` prints it. Loops may print several kinds in turn. What stands below
    `cat top.txt` is all out of that file.

    One command that is typed again and again with nothing else between, or listings below each other with no command at
    all, get the same number too, but of them `anew` says so: when they are few, each is a look by itself.

    anew  whether the block that was numbered last was typed anew
    """

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._kind = ""
        self._last = 0
        self._count = 0
        self._stamp = ""  # the line that told the time last
        self.anew = False

    def interrupted(self) -> None:
        """Something else stands here: what comes next begins anew."""
        self._open.clear()
        self._stamp = ""

    def open_numbers(self) -> set[int]:
        """Of the commands whose looks may go on."""
        return {found.number for found in self._open.values()}

    def number(self, block: Block) -> int:
        """The number of the command whose look this is; one that was not there before where it is the first.

        A look that stands below another kind's in a loop gets the time that stands above both.
        """
        if not self._near(block) or _others_typed(block):
            self.interrupted()
        if clock_above(block) is not None:
            self._stamp = block.above[-1][1]
        found = self._open.get(block.kind)
        again = found is not None and self._again(found, block)
        self.anew = found is not None and not again and _anew(found, block)
        if found is None or not (again or self.anew):
            found = self._opened(block)
        elif self._stamp and not block.above:
            block.above = [(block.first - 1, self._stamp)]
        found.alone = found.alone and not again
        found.command_line = block.command_line or found.command_line
        self._kind, self._last = block.kind, max(block.last, self._last)
        return found.number

    def _opened(self, block: Block) -> _Open:
        self._count += 1
        loops = bool(_LOOP.search(block.command or ""))
        if not (loops or self._stamp):
            self._open = {kind: found for kind, found in self._open.items() if found.alone}
        of = (block.command, block.command_line, block.prompt_host)
        self._open[block.kind] = _Open(self._count, *of, loops, bool(self._stamp))
        return self._open[block.kind]

    def _near(self, block: Block) -> bool:
        if block.trail and not all(clock_in(text) for _, text in block.trail):
            return False
        return block.first - self._last <= NEAR + min(len(block.trail), NEAR)

    def _again(self, before: _Open, block: Block) -> bool:
        same_line = block.command_line == before.command_line
        if block.kind == self._kind and not block.trail:
            if _iterates(block, 0 if same_line else 1) and (same_line or not block.command):
                return True
            if not (block.command or block.typed) and _SHOWS.match(before.command or ""):
                return True
        if before.loops and same_line:
            return True
        # Below a date the reader no longer says which command printed a block; one that was typed anew it does.
        of_the_loop = same_line or block.command_line is None
        return before.timed and of_the_loop and (clock_above(block) is not None or block.kind != self._kind)


def _iterates(block: Block, beyond: int) -> bool:
    """Whether the block counts itself, to more than that."""
    count = block.values.get("iteration")
    return (isinstance(count, int) and count > beyond) or (block.values.get("sample") or 0) > 1


def _anew(before: _Open, block: Block) -> bool:
    if not before.alone or (block.prompt_host or before.host) != before.host:
        return False
    return block.command == before.command if block.typed else block.command is None


def _others_typed(block: Block) -> bool:
    """Whether something was done since the block before, of which the text shows no output."""
    others = block.typed[:-1] if block.command else block.typed
    return not all(map(_IDLE.fullmatch, others))
