"""One forward pass over a text: finds where tools' output begins, lets the format read it, says what stands around it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from . import transcript
from .catalogue import (
    UNKNOWN,
    Format,
    Parse,
    any_opening,
    beginnings,
    claimed,
    formats,
    inline_openings,
    opening_too,
    openings,
    parse_command,
    rate_labels,
    rate_lines,
    semantics_of,
)
from .decode import MAX_LINE
from .lines import Lines, Values
from .prompts import is_template, prompt
from .records import Found, LoadResult, Problem, Record
from .units import ungrouped

_TRAIL = 60
_STAMPS = 16  # lines with a time that are kept of each gap; the middle ones go
_LONGEST_STAMP = 500
_TYPED = 24  # commands that are kept of each gap: the last ones
# The first line of a report, behind another program's output that had no line end.
_GLUED = re.compile(
    r"(?:(?<=[\])}\"'.;>\d\w])|(?<=\s\s))"
    r"(?:Running \d+(?:\.\d+)?[smh] test @ \w+://\S+\s*$|This is ApacheBench, Version \d|Bombarding \w+://\S)"
)
_BESIDE = re.compile(r"\s{2,}(?=\S)")
_ALIKE = 8  # characters with which two reports of one tool begin alike
_TIME = re.compile(r"[:時시点點](?<=\d.)\s?\d")  # the rarest sign first
_EPOCH_OR_DAY = re.compile(r"\W{0,20}+(?:[12]\d{9}|20\d{6})")
# What our own code raises on a text that nobody thought of; a lack of memory and a time limit are none of these.
UNFORESEEN = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration),
    *(TypeError, ValueError, re.error),
)
log = logging.getLogger(__name__)


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
class Context:
    """What was seen since the last block: the prose, and the command that may have printed the next one."""

    heading: tuple[int, str] | None = None
    trail: list[tuple[int, str]] = field(default_factory=list)
    command: TypedCommand | None = None
    in_output: bool = False
    stamps: list[tuple[int, str]] = field(default_factory=list)
    commands: tuple[str, ...] = ()
    unread: list[Problem] = field(default_factory=list)
    tried: tuple[str, int] | None = None  # kind and first line of the block that a format reads at this moment

    def add_line(self, number: int, line: str, lines: Lines) -> None:
        """Take in a line that no tool printed."""
        if rate_labels().search(line):
            self.unread += _find_unread_rates({number: line}, set())
        if transcript.is_plain(line):
            if not self.in_output:
                self._add_heading(number, line)
            return
        if len(line) <= _LONGEST_STAMP and (_TIME.search(line) or _EPOCH_OR_DAY.match(line)):
            self._add_stamp(number, line)
        typed, prefix = prompt(line), ""
        if typed is None and not line[0].isalpha():  # no quoting begins with a letter
            quoting = transcript.QUOTING.match(line)
            if quoting and quoting[0].strip():
                typed, prefix = prompt(line[quoting.end() :]), quoting[0]
        if typed is not None and is_template(typed[1]) and parse_command(typed[1]).tool:
            if self.command:
                self.command.prose_since = True
        elif typed is not None and typed[1].startswith("# "):
            self._add_heading(number, typed[1])
        elif typed is not None:
            self._add_command(typed, number, lines, prefix)
        elif self.in_output and not (transcript.is_banner(line) or _is_comment(line, lines)):
            return
        elif line[0] in "=-" and self._underlines(number, line.rstrip()):
            self._add_heading(*self.trail.pop())
        elif not transcript.is_elision(line) and transcript.is_prose(line):
            self._add_heading(number, line)

    def _underlines(self, number: int, line: str) -> bool:
        """Whether a line makes a heading, as Markdown has it, of the one above; that gets the "#" which tells so elsewhere."""
        above, text = self.trail[-1] if self.trail else (-1, "")
        if above != number - 1 or line.strip(line[0]) or not 0 <= len(line) - transcript.width(text) + 3 <= 6:
            return False
        self.trail[-1] = (above, f"{'##' if line[0] == '=' else '###'} {text}")
        return True

    def _add_heading(self, number: int, line: str) -> None:
        self.heading = (number, line.strip()[: transcript.MAX_HEADING])
        self.trail.append(self.heading)
        if len(self.trail) > _TRAIL:
            del self.trail[0]
        if self.command:
            self.command.prose_since = True

    def _add_stamp(self, number: int, line: str) -> None:
        self.stamps.append((number, line.rstrip()))
        if len(self.stamps) > _STAMPS:
            del self.stamps[_STAMPS // 2]

    def _add_command(self, typed: tuple[str | None, str], number: int, lines: Lines, prefix: str) -> None:
        host, command = typed
        while command.endswith("\\") and len(command) < 4096 and (more := lines.peek()) is not None:
            next(lines)
            command = command[:-1].rstrip() + " " + more.strip().removeprefix(">").strip()
        if command:
            self.command = TypedCommand(command, number, host, prefix=prefix)
            self.commands = (*self.commands[1 - _TYPED :], command)
            self.in_output = True

    @property
    def pending_command(self) -> str | None:
        """The command whose output may come next, without prose between."""
        return self.command.text if self.command and not self.command.prose_since else None

    def end_block(self, form: Format, values: dict[str, Any]) -> dict[str, Any]:
        """A block of these values ends here: what stands around it, by the names of Block's fields.

        The list `below` is filled later, while the next block is looked for.
        """
        command = self.command
        if command is not None and not self._was_printed_by(command, form, values):
            if command.printed or not command.prose_since:
                self.command = None
            command = None
        elif command is not None and not command.prose_since:
            command.printed = form.kind
        fields: dict[str, Any] = {"trail": self.trail, "above": self.stamps, "below": [], "typed": self.commands}
        if command is not None:
            fields |= {"command": command.text, "command_line": command.line, "prompt_host": command.host}
        self.trail, self.stamps, self.commands, self.in_output = [], fields["below"], (), False
        return fields

    def take_unread(self, form: Format) -> list[Problem]:
        """The rates that were not read since the last load test, where `form` is the next one's."""
        if form.tool is None or not self.unread:
            return []
        unread, self.unread = self.unread, []
        return unread

    def _was_printed_by(self, command: TypedCommand, form: Format, values: dict[str, Any]) -> bool:
        named = bool(form.command and form.command.search(command.text))
        if named and self.in_output and command.printed is None:
            return True  # right below the command: figures that do not fit were changed by hand
        if not form.fits(parse_command(command.text, form.tool or form.kind), values):
            return False
        if command.printed is not None:  # it printed a block already: one more only of the same kind, nothing between
            return named and not command.prose_since
        # With a heading between, a command that names the tool is that of a whole section and stays for its other blocks.
        return named or self.in_output


def _is_comment(line: str, lines: Lines) -> bool:
    """Whether somebody put "# warm-up" between a command's output and the next prompt."""
    return line.startswith("# ") and any(prompt(following) is not None for following in lines.ahead(1))


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
    figure_lines    {path of a figure in the values: its line}, where the format keeps them
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
    figure_lines: dict[str, int] = field(default_factory=dict, compare=False)
    _result: tuple[dict[str, Any], LoadResult] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def lines(self) -> tuple[int, int]:
        return self.first, self.last

    @property
    def records(self) -> list[Record]:
        """The same figures as records. A single load result is completed from its command, and kept."""
        if self._result is not None and self._result[0] is self.values:
            return [self._result[1]]
        try:
            return self._make_records()
        except UNFORESEEN as failure:
            self.fail(failure)
            return []

    def records_with(self, table: Sequence[dict[str, Any]]) -> list[Record]:
        """The records of the same figures with another table of processes, not completed; of no block that failed."""
        try:
            return formats()[self.kind].records(self.values | {"processes": table}) if self.values else []
        except UNFORESEEN as failure:
            self.fail(failure)
            return []

    def fail(self, failure: Exception) -> None:
        """Give up the figures: no other block of the text is lost for one that our code cannot read."""
        log.error("%s, lines %d to %d", self.kind, self.first, self.last, exc_info=failure)
        self.values, self.partial = {}, True
        message = f"this output of {self.kind} could not be read, for a fault of the reader ({type(failure).__name__})"
        self.problems.append(Problem(self.first, message))

    def _make_records(self) -> list[Record]:
        if not self.values:
            return []
        records = formats()[self.kind].records(self.values)
        results = [record for record in records if isinstance(record, LoadResult)]
        if len(results) != 1:  # the rows of a log had a command each
            return records
        result = _complete(results[0], self.command or "")
        if len(records) == 1:
            self._result = self.values, result
        return [result if record is results[0] else record for record in records]

    @property
    def load_results(self) -> list[LoadResult]:
        return [record for record in self.records if isinstance(record, LoadResult)]


def _complete(result: LoadResult, text: str) -> LoadResult:
    """The load result with what its command tells and the tool did not print: a quoted line has no concurrency."""
    if result.tool == UNKNOWN and (tool := parse_command(text).tool):
        result = replace(result, tool=tool)
    names = [name for name in ("concurrency", "keepalive", "hostname", "port", "path") if getattr(result, name) is None]
    if "hostname" not in names and "port" in names:  # half an address from each would be nobody's
        names.remove("port")
    semantics = semantics_of(result.tool)
    if not (names and text and semantics.completed_from_command):
        return result
    command = parse_command(text, result.tool)
    if not command.tool or command.problem or command.unknown:
        return result
    asked: dict[str, Any] = {name: command.options.get(name) for name in ("concurrency", "keepalive")}
    asked |= {"hostname": command.hostname, "port": command.port, "path": command.path}
    return replace(result, **{name: asked[name] for name in names if asked[name] is not None})


def read(lines: Iterable[str]) -> Iterator[Block]:
    """Blocks of tool output in `lines` (text lines, with or without their line ends), in order, each as soon as it is read.

    Never raises on any text; what cannot be read is in the `problems` of the blocks. A fault of our own is logged and costs
    its block only. What the source of the text raises goes on to the caller. Memory does not grow with the length.
    """
    source, context = Lines(lines), Context()
    before: Block | None = None
    reading = _read_blocks(source, context)
    while True:
        number = source.number
        try:
            block = next(reading, None)
        except UNFORESEEN as failure:  # a generator that raised is at its end
            if source.fetching:
                raise
            block, reading = _give_up(source, context, number, failure), _read_blocks(source, context)
        if block is None:
            break
        yield block
        before = block
    if before is not None:
        before.problems += context.unread + _take_too_long(source, source.number)


def _take_too_long(source: Lines, last: int) -> list[Problem]:
    """A problem for each line up to this one that was too long to be looked at and was not reported before."""
    numbers = [number for number in source.too_long if number <= last]
    del source.too_long[: len(numbers)]
    return [Problem(number, f"a line of more than {MAX_LINE // 1024} KiB: it was not looked at") for number in numbers]


def _give_up(source: Lines, context: Context, number: int, failure: Exception) -> Block:
    """A block without figures for the lines, behind `number`, at which reading failed; it goes on behind them."""
    kind, first = context.tried or (UNKNOWN, source.number)
    context.tried, first = None, max(first, number + 1)
    while source.number < first and next(source, None) is not None:
        pass  # what the format put back is not tried once more
    block = Block(kind, first, max(source.number, first))
    block.fail(failure)
    return block


def _read_blocks(source: Lines, context: Context) -> Iterator[Block]:
    usual = tuple(beginnings())
    line: str | None = ""
    while line is not None:
        block = None
        if source.empty():
            context.in_output = False
        if source.begins(usual):
            block = _read_usual(source, context)
        if block is None:
            line = next(source, None)
            if not line or line.isspace():
                context.in_output = False
            elif glued := _find_glued(line):
                if prompt(line[:glued]) is not None:
                    context.add_line(source.number, line[:glued], source)
                source.put_rest(line[glued:])
            elif opening := _find_opening(line):
                block = _read_opened(source, line, *opening, context)
            else:
                block = _read_claimed(source, line, context)
        if block is not None:
            yield block
            form = formats()[block.kind]
            if form.follows is not None:
                yield from _read_following(source, form, form.follows, context)
            line = ""


def _read_usual(source: Lines, context: Context) -> Block | None:
    """The block on whose usual beginning the text stands. None: it is not quite the usual one, and is looked at as any line."""
    number = source.number
    for begins, form in beginnings().items():
        if source.begins((begins,)):
            found = _try_parse(form, form.parse, source, context, context.pending_command)
            return _make_block(source, form, found, context) if found and source.number > number else None
    return None


def _find_glued(line: str) -> int:
    """Where a report begins on a line that another program's output, or the command, stands on before it; 0 where none does."""
    found = _GLUED.search(line) if "//" in line or "ApacheBench" in line else None
    if not found or not any(map(str.isalnum, front := line[: found.start()])):
        return 0
    return found.start() if not front[-1].isspace() or prompt(front) is not None else 0


@lru_cache(maxsize=64)  # a listing of headings has few different lines
def _find_opening(line: str) -> tuple[Format, str, str | None] | None:
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


def _read_opened(
    source: Lines, line: str, form: Format, prefix: str, label: str | None, context: Context
) -> Block | None:
    """The block that begins with the line returned last. None: there was nothing to it, and its lines stay unread."""
    number, raw = source.number, source.raw
    source.again()
    above = source.raw
    found = _parse_quoted(source, form, prefix, context, context.pending_command)
    for other in opening_too(form.kind, line[len(prefix) :].lstrip()) if found is None else ():
        if source.number == number:
            source.raw = raw  # the format may have looked further, and put back what it saw
            source.again()
        source.raw = above
        if source.number == number - 1 and (
            found := _parse_quoted(source, other, prefix, context, context.pending_command)
        ):
            form = other
            break
    if found and source.number >= number:
        if _opens_beside(form, line[len(prefix) :].strip()):
            message = "another report stands beside this one on the same lines; it was not read"
            found.problems.append(Problem(number, message))
        return _make_block(source, form, found, context, prefix, label)
    if source.number < number:  # the format gave its own opening line back: go on behind it
        next(source)
    if source.number == number:  # it only looked like it ("MaxClients 50" as a heading)
        context.add_line(number, line, source)
        source.skip_repeats()
    return None


def _opens_beside(form: Format, line: str) -> bool:
    """Whether the line with which a report begins has the beginning of another one further right: two terminals side by side."""
    if form.semantics is None or form.semantics.quotes_others:
        return False
    return any(line.startswith(line[:_ALIKE], gap.end()) for gap in _BESIDE.finditer(line[:_LONGEST_STAMP]))


def _parse_quoted(source: Lines, form: Format, prefix: str, context: Context, command: str | None) -> Found | None:
    """What a format reads from the next line on. A rate that it took and did not read becomes a problem."""
    source.prefix = prefix
    source.watched = rate_labels() if form.inline or form.semantics else None
    try:
        found = _try_parse(form, form.parse, source, context, command)
    finally:
        source.prefix, source.watched = "", None
        seen, source.seen = source.seen, {}
    taken = {number: line for number, line in seen.items() if number <= (found.last if found else source.number)}
    if found and taken:
        at = found.values.lines if isinstance(found.values, Values) else found.lines
        read = {value for name, value in found.values.items() if isinstance(value, float) and at.get(name) in taken}
        if unread := _find_unread_rates(taken, read):
            results = [record for record in form.records(found.values) if isinstance(record, LoadResult)]
            read |= {result.requests_per_second for result in results if result.requests_per_second is not None}
            known = {problem.line for problem in found.problems}
            unread = _find_unread_rates(taken, read)
            found.problems += [problem for problem in unread if problem.line not in known]
    elif taken:
        context.unread += _find_unread_rates(taken, set())
    return found


def _find_unread_rates(lines: dict[int, str], read: Set[float]) -> list[Problem]:
    """A problem for each rate of a load tool in these lines that is not among those that were read."""
    problems = []
    for number, line in lines.items():
        for found in rate_lines().finditer(ungrouped(line[:_LONGEST_STAMP])):
            if _as_float(found[found.lastindex or 0].rstrip(".,")) not in read:
                problems.append(Problem(number, f"a rate that was not read: {found[0][:80]!r}"))
                break
    return problems


def _as_float(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:  # "1.2.3"
        return None


def _try_parse(form: Format, parse: Parse, source: Lines, context: Context, command: str | None) -> Found | None:
    """What a format reads; None, too, where it took for a figure what is none ("1.2.3"): its lines stay unread."""
    context.tried = form.kind, source.number + 1
    try:
        found = parse(source, command)
    except (ValueError, OverflowError):
        if source.fetching:
            raise
        found = None
    if found is None:
        context.tried = None
    return found


def _read_following(source: Lines, form: Format, follows: Parse, context: Context) -> Iterator[Block]:
    """The blocks right behind the one read last that only its own format can tell."""
    while True:
        number, source.prefix = source.number, source.quoting
        try:
            found = _try_parse(form, follows, source, context, context.pending_command)
        finally:
            source.prefix = ""
        if found is None:
            return
        yield _make_block(source, form, found, context, source.quoting)
        if source.number == number and found.label is None:
            return  # it took no line; only what is labelled may stand on one line with others


def _read_claimed(source: Lines, line: str, context: Context) -> Block | None:
    """Note a line that no tool printed; if it is a command that tells by itself what it prints, its output."""
    number = source.number
    context.add_line(number, line, source)
    command = context.command
    if command is None or command.line != number or not context.in_output:
        return None
    for form in claimed(command.text):
        found = _parse_quoted(source, form, command.prefix, context, command.text)
        if found:
            return _make_block(source, form, found, context, command.prefix)
    return None


def _make_block(
    source: Lines, form: Format, found: Found, context: Context, prefix: str = "", label: str | None = None
) -> Block:
    source.quoting = prefix
    line, heading = context.heading or (None, None)
    if heading and prefix and not label and prefix.strip():
        heading = transcript.unquote(heading, prefix).strip()
    # Another format may have tried these lines before and not read them.
    context.unread = [problem for problem in context.unread if not found.first <= problem.line <= found.last]
    found.problems[:0] = context.take_unread(form) + (_take_too_long(source, found.last) if source.too_long else [])
    if source.cut == found.last and all(problem.line != source.cut for problem in found.problems):
        message = f"the text ends in {source.cut_text!r}, without a line end: the number may be cut off"
        found.problems.append(Problem(source.cut, message))
    block = Block(
        kind=form.kind,
        first=found.first,
        last=found.last,
        values=found.values.plain() if isinstance(found.values, Values) else found.values,
        figure_lines=found.values.lines if isinstance(found.values, Values) else found.lines,
        heading=heading,
        heading_line=line,
        label=label or found.label,
        partial=found.partial,
        problems=found.problems,
        **context.end_block(form, found.values),
    )
    context.tried = None
    return block
