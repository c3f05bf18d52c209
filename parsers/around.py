"""What stands around a block: the prose before it, and the command that may have printed it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from . import transcript
from .catalogue import Format, parse_command
from .lines import Lines

_TRAIL = 60
_STAMPS = 16  # lines with a time that are kept of each gap; the middle ones go
_LONGEST_STAMP = 500
_TYPED = 8  # commands that are kept of each gap: the last ones
_TIME = re.compile(r"[:時시点點](?<=\d.)\s?\d")  # the rarest sign first
_EPOCH_OR_DAY = re.compile(r"\W{0,20}+(?:[12]\d{9}|20\d{6})")


@dataclass(slots=True)
class Command:
    text: str
    line: int
    host: str | None
    printed: str | None = None  # kind of the block that came right out of it
    prose_since: bool = False
    prefix: str = ""  # quoting before its prompt


@dataclass(slots=True)
class Around:
    """What was seen since the last block: the prose, and the command that may have printed the next one."""

    heading: tuple[int, str] | None = None
    trail: list[tuple[int, str]] = field(default_factory=list)
    command: Command | None = None
    in_output: bool = False
    stamps: list[tuple[int, str]] = field(default_factory=list)
    commands: tuple[str, ...] = ()

    def note(self, number: int, line: str, lines: Lines) -> None:
        """Take in a line that no tool printed."""
        if transcript.is_plain(line):
            if not self.in_output:
                self._headed(number, line)
            return
        if len(line) <= _LONGEST_STAMP and (_TIME.search(line) or _EPOCH_OR_DAY.match(line)):
            self._stamp(number, line)
        typed, prefix = transcript.prompt(line), ""
        if typed is None and not line[0].isalpha():  # no quoting begins with a letter
            quoting = transcript.QUOTING.match(line)
            if quoting and quoting[0].strip():
                typed, prefix = transcript.prompt(line[quoting.end() :]), quoting[0]
        if typed is not None:
            self._typed(typed, number, lines, prefix)
        elif self.in_output:
            return
        elif line[0] in "=-" and self._underlined(number, line.rstrip()):
            self._headed(*self.trail.pop())
        elif not transcript.is_elision(line) and transcript.is_prose(line):
            self._headed(number, line)

    def _underlined(self, number: int, line: str) -> bool:
        """Whether a line makes a heading, as Markdown has it, of the one above; that gets the "#" which tells so elsewhere."""
        above, text = self.trail[-1] if self.trail else (-1, "")
        if above != number - 1 or line.strip(line[0]) or not 0 <= len(line) - transcript.width(text) + 3 <= 6:
            return False
        self.trail[-1] = (above, f"{'##' if line[0] == '=' else '###'} {text}")
        return True

    def _headed(self, number: int, line: str) -> None:
        self.heading = (number, line.strip()[: transcript.MAX_HEADING])
        self.trail.append(self.heading)
        if len(self.trail) > _TRAIL:
            del self.trail[0]
        if self.command:
            self.command.prose_since = True

    def _stamp(self, number: int, line: str) -> None:
        self.stamps.append((number, line.rstrip()))
        if len(self.stamps) > _STAMPS:
            del self.stamps[_STAMPS // 2]

    def _typed(self, typed: tuple[str | None, str], number: int, lines: Lines, prefix: str) -> None:
        host, command = typed
        while command.endswith("\\") and len(command) < 4096 and (more := lines.peek()) is not None:
            next(lines)
            command = command[:-1].rstrip() + " " + more.strip().removeprefix(">").strip()
        if command:
            self.command = Command(command, number, host, prefix=prefix)
            self.commands = (*self.commands[1 - _TYPED :], command)
            self.in_output = True

    @property
    def text(self) -> str | None:
        """The command whose output may come next, without prose between."""
        return self.command.text if self.command and not self.command.prose_since else None

    def ended(self, form: Format, values: dict[str, Any]) -> tuple[Command | None, list[tuple[int, str]]]:
        """A block ends here: (the command that printed it if the text shows it, the prose since the block before)."""
        command = self.command
        if command is not None:
            if self._printed(command, form, values):
                if not command.prose_since:
                    command.printed = form.kind
            else:
                if command.printed or not command.prose_since:
                    self.command = None
                command = None
        trail, self.trail = self.trail, []
        self.in_output = False
        return command, trail

    def gap(self) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """A block ends here: (lines with a time since the block before, those that come until the next: it fills later)."""
        above, self.stamps = self.stamps, []
        return above, self.stamps

    def typed(self) -> tuple[str, ...]:
        """A block ends here: the commands since the block before."""
        commands, self.commands = self.commands, ()
        return commands

    def _printed(self, command: Command, form: Format, values: dict[str, Any]) -> bool:
        named = bool(form.command and form.command.search(command.text))
        if named and self.in_output and command.printed is None:
            return True  # right below the command: figures that do not fit were changed by hand
        if not form.fits(parse_command(command.text, form.tool or form.kind), values):
            return False
        if command.printed is not None:  # it printed a block already: one more only of the same kind, nothing between
            return named and not command.prose_since
        # With a heading between, a command that names the tool is that of a whole section and stays for its other blocks.
        return named or self.in_output
