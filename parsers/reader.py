"""One forward pass over a text: finds where tools' output begins, lets the format read it, says what stands around it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from . import transcript
from .catalogue import Format, Found, claimed, formats, inline_openings, openings
from .lines import Lines
from .records import Block, Problem

_TRAIL = 60


@dataclass(slots=True)
class _Command:
    text: str
    line: int
    host: str | None
    printed: str | None = None  # kind of the block that came right out of it
    prose_since: bool = False
    prefix: str = ""  # quoting before its prompt


@dataclass(slots=True)
class _Around:
    """What was seen since the last block: the prose, and the command that may have printed the next one."""

    heading: tuple[int, str] | None = None
    trail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_TRAIL))
    command: _Command | None = None
    in_output: bool = False

    def note(self, number: int, line: str, lines: Lines) -> None:
        """Take in a line that no tool printed."""
        typed, prefix = transcript.prompt(line), ""
        if (
            typed is None
            and not line[0].isalpha()
            and (quoting := transcript.QUOTING.match(line))
            and quoting[0].strip()
        ):
            typed, prefix = transcript.prompt(line[quoting.end() :]), quoting[0]
        if typed is not None:
            self._typed(typed, number, lines, prefix)
        elif transcript.is_elision(line) or self.in_output:
            return
        elif transcript.is_prose(line):
            text = line.strip()[: transcript.MAX_HEADING]
            self.heading = (number, text)
            self.trail.append(self.heading)
            if self.command:
                self.command.prose_since = True

    def _typed(self, typed: tuple[str | None, str], number: int, lines: Lines, prefix: str) -> None:
        host, command = typed
        while command.endswith("\\") and len(command) < 4096 and (more := lines.peek()) is not None:
            next(lines)
            command = command[:-1].rstrip() + " " + more.strip().removeprefix(">").strip()
        if command:
            self.command = _Command(command, number, host, prefix=prefix)
            self.in_output = True

    def printed_by(self, block: Block, form: Format) -> _Command | None:
        """The command that printed this block, if the text shows it."""
        command = self.command
        if command is None or not form.fits(command.text, block.values):
            return None
        named = bool(form.command and form.command.search(command.text))
        if command.printed is not None:  # it printed a block already: one more only of the same kind, nothing between
            return command if named and not command.prose_since else None
        if named:  # with a heading between, it is the command of a whole section and stays for its other blocks
            return command
        return command if self.in_output else None


def read(lines: Iterable[str]) -> Iterator[Block]:
    """Blocks of tool output in `lines` (text lines, with or without their line ends), in order, each as soon as it is read.

    Never raises on any text; what cannot be read is in the blocks' `problems`. Memory does not grow with the length.
    """
    source = Lines(lines)
    around = _Around()
    for line in source:
        if not line or line.isspace():
            around.in_output = False
            continue
        opening = _opening(line)
        if opening:
            form, prefix, label = opening
            number = source.number
            found = _parse(source, form, prefix, around)
            if found:
                yield _block(source, form, found, around, prefix, label)
            elif source.number == number:  # it only looked like it ("MaxClients 50" as a heading)
                around.note(number, line, source)
            continue
        number = source.number
        around.note(number, line, source)
        if around.in_output and around.command and around.command.line == number:
            claimed_block = _claim(source, around)
            if claimed_block is not None:
                yield claimed_block


def _opening(line: str) -> tuple[Format, str, str | None] | None:
    """(format, quoting before it, label before it) when a tool's output begins with this line."""
    if line[0] == "$":  # most command lines; no output begins so
        return None
    label = None
    at = len(line) - len(line.lstrip())
    found = openings().match(line, at)
    if not found and not line[at].isalpha():  # no quoting begins with a letter
        quoting = transcript.QUOTING.match(line)
        at = quoting.end() if quoting else 0
        found = openings().match(line, at)
    if not found:
        named = inline_openings().match(line, at) if ":" in line[:-2] else None
        if not named:
            return None
        found, label, at = named, named["label"].strip(" *_#>|-•・"), named.end()
    prefix = line[:at] if label or line[:at].strip() else ""
    return formats()[found.lastgroup or ""], prefix, label


def _parse(source: Lines, form: Format, prefix: str, around: _Around) -> Found | None:
    """Let the format read from its opening line on. None: there was nothing to it, and its lines stay unread."""
    opening = source.number
    source.again()
    source.prefix = prefix
    command = around.command.text if around.command and not around.command.prose_since else None
    try:
        found = form.parse(source, command)
    finally:
        source.prefix = ""
    if source.number < opening:  # the format gave its own opening line back: go on behind it
        next(source)
        return None
    return found


def _claim(source: Lines, around: _Around) -> Block | None:
    """The output of a command that tells by itself what it prints (`cat httpd.conf`)."""
    command = around.command
    if command is None:
        return None
    for form in claimed(command.text):
        source.prefix = command.prefix
        try:
            found = form.parse(source, command.text)
        finally:
            source.prefix = ""
        if found:
            return _block(source, form, found, around, command.prefix)
    return None


def _block(
    source: Lines, form: Format, found: Found, around: _Around, prefix: str = "", label: str | None = None
) -> Block:
    block = Block(
        kind=form.kind,
        first=found.first,
        last=found.last,
        values=found.values,
        label=label,
        partial=found.partial,
        problems=found.problems,
    )
    if around.heading:
        block.heading_line, block.heading = around.heading
        if prefix.strip() and not label:
            block.heading = transcript.unquote(block.heading, prefix).strip()
    if source.cut == found.last and all(problem.line != source.cut for problem in found.problems):
        message = f"the text ends in {source.cut_text!r}, without a line end: the number may be cut off"
        block.problems.append(Problem(source.cut, message))
    command = around.printed_by(block, form)
    if command:
        block.command, block.command_line, block.prompt_host = command.text, command.line, command.host
        if not command.prose_since:
            command.printed = form.kind
    elif around.command and (around.command.printed or not around.command.prose_since):
        around.command = None
    block.trail = list(around.trail)
    around.trail.clear()
    around.in_output = False
    return block
