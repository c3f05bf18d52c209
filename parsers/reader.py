"""One forward pass over a text: finds where tools' output begins, lets the format read it, says what stands around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from . import transcript
from .catalogue import (
    Format,
    any_opening,
    beginnings,
    claimed,
    formats,
    inline_openings,
    opening_too,
    openings,
    parse_command,
    semantics_of,
)
from .commands import Command
from .lines import Lines
from .records import Found, LoadResult, Problem, Record

_TRAIL = 60
_STAMPS = 16  # lines with a time that are kept of each gap; the middle ones go
_LONGEST_STAMP = 500
_TYPED = 8  # commands that are kept of each gap: the last ones
_TIME = re.compile(r"[:時시点點](?<=\d.)\s?\d")  # the rarest sign first
_EPOCH_OR_DAY = re.compile(r"\W{0,20}+(?:[12]\d{9}|20\d{6})")


@dataclass(slots=True)
class TypedCommand:
    """A command behind a prompt: its line, and the host that the prompt names."""

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
    command: TypedCommand | None = None
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
            self.command = TypedCommand(command, number, host, prefix=prefix)
            self.commands = (*self.commands[1 - _TYPED :], command)
            self.in_output = True

    @property
    def text(self) -> str | None:
        """The command whose output may come next, without prose between."""
        return self.command.text if self.command and not self.command.prose_since else None

    def ended(self, form: Format, values: dict[str, Any]) -> tuple[TypedCommand | None, list[tuple[int, str]]]:
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

    def _printed(self, command: TypedCommand, form: Format, values: dict[str, Any]) -> bool:
        named = bool(form.command and form.command.search(command.text))
        if named and self.in_output and command.printed is None:
            return True  # right below the command: figures that do not fit were changed by hand
        if not form.fits(parse_command(command.text, form.tool or form.kind), values):
            return False
        if command.printed is not None:  # it printed a block already: one more only of the same kind, nothing between
            return named and not command.prose_since
        # With a heading between, a command that names the tool is that of a whole section and stays for its other blocks.
        return named or self.in_output


@dataclass(slots=True)
class Block:
    """One recognised piece of tool output.

    first, last     1-based lines of the tool's own output in the text as given (not the command line)
    heading         nearest line of prose above that belongs to it, as printed
    label           what stands before the figure on its own line ("2nd run:"), or None
    command         the command that printed it, without its prompt
    prompt_host     host name out of that prompt
    trail           (line, text) of each line of prose since the block before, oldest first (the last 60)
    partial         True where most of what the tool prints is missing
    values          the tool's own figures: names and units of interfaces.md
    above, below    (line, text) of lines around it that no tool printed and that may tell the time: dates, prompts (the
                    first and last few). What is below one block is above the next: the list fills while that is looked for
    typed           commands typed since the block before, its own among them (the last few)
    """

    kind: str
    first: int
    last: int
    values: dict[str, Any] = field(default_factory=dict)
    heading: str | None = None
    heading_line: int | None = None
    label: str | None = None
    command: str | None = None
    command_line: int | None = None
    prompt_host: str | None = None
    trail: list[tuple[int, str]] = field(default_factory=list)
    partial: bool = False
    problems: list[Problem] = field(default_factory=list)
    above: list[tuple[int, str]] = field(default_factory=list)
    below: list[tuple[int, str]] = field(default_factory=list)
    typed: tuple[str, ...] = ()
    _result: tuple[dict[str, Any], LoadResult] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def lines(self) -> tuple[int, int]:
        return self.first, self.last

    @property
    def records(self) -> list[Record]:
        """The same figures as records. A single load result is completed from its command, and kept."""
        if self._result is not None and self._result[0] is self.values:
            return [self._result[1]]
        records = formats()[self.kind].records(self.values)
        results = [record for record in records if isinstance(record, LoadResult)]
        if len(results) != 1:  # the rows of a log had a command each
            return records
        result = _complete(results[0], self.values, self.command or "")
        if len(records) == 1:
            self._result = self.values, result
        return [result if record is results[0] else record for record in records]

    @property
    def load_results(self) -> list[LoadResult]:
        return [record for record in self.records if isinstance(record, LoadResult)]


def _complete(result: LoadResult, values: dict[str, Any], text: str) -> LoadResult:
    """The load result with what its command tells and the tool did not print: a quoted line has no concurrency."""
    semantics = semantics_of(result.tool)
    command = parse_command(text, result.tool) if text and semantics.completed_from_command else Command()
    if not command.tool or command.problem or command.unknown:
        return result
    asked: dict[str, Any] = {
        "concurrency": command.options.get("concurrency"),
        "keepalive": command.options.get("keepalive"),
        "hostname": command.hostname,
        "port": command.port,
        "path": command.path,
    }
    if result.hostname is not None:  # half an address from each would be nobody's
        del asked["port"]
    measured = semantics.concurrency == "measured" and "users" not in values
    missing: dict[str, Any] = {
        name: value
        for name, value in asked.items()
        if value is not None and (getattr(result, name) is None or name == "concurrency" and measured)
    }
    return replace(result, **missing) if missing else result


Parse = Callable[[Lines, str | None], Found | None]


def read(lines: Iterable[str]) -> Iterator[Block]:
    """Blocks of tool output in `lines` (text lines, with or without their line ends), in order, each as soon as it is read.

    Never raises on any text; what cannot be read is in the blocks' `problems`. Memory does not grow with the length.
    """
    source, around = Lines(lines), Around()
    usual = tuple(beginnings())
    line: str | None = ""
    while line is not None:
        block = None
        if source.empty():
            around.in_output = False
        if source.begins(usual):
            block = _begun(source, around)
        if block is None:
            line = next(source, None)
            if not line or line.isspace():
                around.in_output = False
            elif opening := _opening(line):
                block = _opened(source, line, *opening, around)
            else:
                block = _between(source, line, around)
        if block is not None:
            yield block
            form = formats()[block.kind]
            if form.follows is not None:
                yield from _following(source, form, form.follows, around)
            line = ""


def _begun(source: Lines, around: Around) -> Block | None:
    """The block on whose usual beginning the text stands. None: it is not quite the usual one, and is looked at as any line."""
    number = source.number
    for begins, form in beginnings().items():
        if source.begins((begins,)):
            found = _tried(form.parse, source, around.text)
            return _block(source, form, found, around) if found and source.number > number else None
    return None


def _opening(line: str) -> tuple[Format, str, str | None] | None:
    """(format, quoting before it, label before it) when a tool's output begins with this line."""
    if line[0] == "$":  # most command lines; no output begins so
        return None
    label = None
    at = len(line) - len(line.lstrip())
    found = any_opening().match(line, at)
    if not found and not line[at].isalpha():  # no quoting begins with a letter
        quoting = transcript.QUOTING.match(line)
        at = quoting.end() if quoting else 0
        found = any_opening().match(line, at)
    if found:
        found = openings().match(line, at)
    if not found:
        named = inline_openings().match(line, at) if ":" in line[:-2] else None
        if not named:
            return None
        found, label, at = named, named["label"].strip(" *_#>|-•・"), named.end()
    prefix = line[:at] if label or line[:at].strip() else ""
    return formats()[found.lastgroup or ""], prefix, label


def _opened(source: Lines, line: str, form: Format, prefix: str, label: str | None, around: Around) -> Block | None:
    """The block that begins with the line returned last. None: there was nothing to it, and its lines stay unread."""
    number, raw = source.number, source.raw
    source.again()
    above = source.raw
    found = _parsed(source, form, prefix, around.text)
    for other in opening_too(form.kind, line[len(prefix) :].lstrip()) if found is None else ():
        if source.number == number:
            source.raw = raw  # the format may have looked further, and put back what it saw
            source.again()
        source.raw = above
        if source.number == number - 1 and (found := _parsed(source, other, prefix, around.text)):
            form = other
            break
    if found and source.number >= number:
        return _block(source, form, found, around, prefix, label)
    if source.number < number:  # the format gave its own opening line back: go on behind it
        next(source)
    if source.number == number:  # it only looked like it ("MaxClients 50" as a heading)
        around.note(number, line, source)
    return None


def _parsed(source: Lines, form: Format, prefix: str, command: str | None) -> Found | None:
    source.prefix = prefix
    try:
        return _tried(form.parse, source, command)
    finally:
        source.prefix = ""


def _tried(parse: Parse, source: Lines, command: str | None) -> Found | None:
    """What a format reads; None, too, where it took for a figure what is none ("1.2.3"): its lines stay unread."""
    try:
        return parse(source, command)
    except (ValueError, OverflowError):
        return None


def _following(source: Lines, form: Format, follows: Parse, around: Around) -> Iterator[Block]:
    """The blocks right behind the one read last that only its own format can tell."""
    found, number = None, -1
    while source.number > number:
        number, source.prefix = source.number, source.quoting
        try:
            found = _tried(follows, source, around.text)
        finally:
            source.prefix = ""
        if found is None:
            return
        yield _block(source, form, found, around, source.quoting)


def _between(source: Lines, line: str, around: Around) -> Block | None:
    """Note a line that no tool printed; if it is a command that tells by itself what it prints, its output."""
    number = source.number
    around.note(number, line, source)
    command = around.command
    if command is None or command.line != number or not around.in_output:
        return None
    for form in claimed(command.text):
        found = _parsed(source, form, command.prefix, command.text)
        if found:
            return _block(source, form, found, around, command.prefix)
    return None


def _block(
    source: Lines, form: Format, found: Found, around: Around, prefix: str = "", label: str | None = None
) -> Block:
    source.quoting = prefix
    line, heading = around.heading or (None, None)
    if heading and prefix and not label and prefix.strip():
        heading = transcript.unquote(heading, prefix).strip()
    if source.cut == found.last and all(problem.line != source.cut for problem in found.problems):
        message = f"the text ends in {source.cut_text!r}, without a line end: the number may be cut off"
        found.problems.append(Problem(source.cut, message))
    command, trail = around.ended(form, found.values)
    above, below = around.gap()
    return Block(
        form.kind,
        found.first,
        found.last,
        found.values,
        heading,
        line,
        label,
        command.text if command else None,
        command.line if command else None,
        command.host if command else None,
        trail,
        found.partial,
        found.problems,
        above,
        below,
        around.typed(),
    )
