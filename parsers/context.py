"""What stands around the blocks of a text: prose, prompts with what was typed, times, and rates that no format read."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from . import transcript
from .catalogue import Format, compile_rate_labels, formats, parse_command
from .lines import Lines
from .prompts import (
    find_branch,
    find_host_above,
    is_template,
    load_command,
    may_have_command,
    prompt,
    read_prompt,
)
from .records import Found, Problem
from .shown import ASKED, BRANCH, asks_git, read_shown, read_state
from .unread_rates import find_html_rates, find_unread_rates, is_rate_of_log, note_stated_rate

_ROWS_ABOVE = 8  # of a table whose unit stands in a later row
_TRAIL, _KEPT = 60, 3  # lines of prose between two blocks: the last ones, and the first ones, with a title or a caption
_STAMPS = 16  # lines with a time that are kept of each gap; the middle ones go
LONGEST_STAMP = 500
_LAST_PROBLEMS = 16
MOST_LOST = 20  # problems of a text of which nothing is read
_LONGEST_COMMAND = 4096
# A loop that is typed over several lines, behind the shell's second prompt
_COMPOUND = re.compile(r"(?:for|while|until)\s")
_COMPOUND_END = re.compile(r"(?:^|;|\s)done\b[^;]*$")
_MOST_OF_LOOP = 40  # lines
_FARTHEST_LABEL = 4  # lines above the output that it names, blank ones between
_TYPED = 24  # commands that are kept of each gap: the last ones
_TIME = re.compile(r"[:時시点點](?<=\d.)\s?\d")  # the rarest sign first
_LABELLED = re.compile(  # "nginx: ab -n 1000 -c 10 ...", "nginx >>> wrk -c 10 ..."
    r"\s*(?P<label>[^\s:$#%>|`/][^:$#%>|`]{0,60}?)(?::|\s(?:>>>?|[=-]>|[→»]))\s+`?"
)
_NESTED = re.compile(r"[ \t]+(?=(?:[-*+•]|\d{1,2}[.)])\s+\S)")  # before an item of a list in another one
_ECHO = re.compile(r"echo\s+(?P<quote>['\"]?)(?P<said>[^'\"$>|&;`]{2,60})(?P=quote)")
_ECHO_VARIABLE = re.compile(r"echo\s[^>|&;`]{0,40}\$\{?[A-Za-z_][^>|&;`]{0,40}")  # what it says stands below
_WIKI_HEADING = re.compile(r"\s*+h([1-6])\. +(?=\S)")
# What a site generator reads above a page; its title is a heading.
_FRONT_MATTER = re.compile(r"---|\+\+\+")
_FRONT_FIELD = re.compile(r"\w[\w-]{0,40}\s*[:=]|\s*$")
_MOST_OF_FRONT = 80  # lines
CHANGED = re.compile(  # a setting in a diff: "-worker_processes 1;", "+    keepalive_timeout 65;", but no item of a list
    r"(?P<sign>[+-])(?![+-]|\s\S)\s*(?P<setting>(?P<key>[A-Za-z_][\w.-]*)(?:\s*[=:]\s*|\s+)[^\s(){}'][^(){}']{0,60}?)[\s;,]*$"
)
_MOST_REMOVED = 200  # such settings in turn that are compared with what was added
_ASCIIDOC_TITLE = re.compile(r"(={2,6}) ([^\s=](?:[^=]|(?<![\s=])=(?![\s=])){0,200})")  # "=== workers=4"
BEGINS_TIME = re.compile(r"\W{0,20}+(?:[12]\d{9}|20\d{6})")


@dataclass(slots=True)
class TypedCommand:
    """A command behind a prompt: its line, and the host that the prompt names."""

    text: str
    line: int
    host: str | None
    printed: str | None = None  # kind of the block that came right out of it
    prose_since: bool = False
    labelled: bool = False  # whether that prose is a name for what comes right out of it
    prefix: str = ""  # quoting before its prompt


@dataclass(slots=True)
class Context:
    """What was seen since the last block: the prose, and the command that may have printed the next one."""

    heading: tuple[int, str] | None = None
    trail: list[tuple[int, str]] = field(default_factory=list)
    command: TypedCommand | None = None
    in_output: bool = False
    is_fenced: bool = False  # whether a fence of Markdown stands behind the command: what follows may be a heading
    stamps: list[tuple[int, str]] = field(default_factory=list)
    commands: tuple[str, ...] = ()
    unread: list[Problem] = field(default_factory=list)
    lost: list[Problem] = field(
        default_factory=list
    )  # of these, what tells of tables and lines of a log that have no block; the first ones
    stated: list[tuple[int, str]] = field(default_factory=list)  # lines that state a rate in a form that no tool prints
    # The last lines that were taken in
    rows_above: deque[tuple[int, str]] = field(default_factory=lambda: deque([(0, "")], _ROWS_ABOVE))
    service: str = ""  # the container whose lines come, in a log of several
    stream: str = ""  # the same with its number
    shown: tuple[tuple[str, str, int], ...] = ()
    branch: str | None = None  # of git, as the last prompt showed it
    no_diff_before: int = 0  # number of the line behind a diff that compares no load tests
    removed: dict[str, str] = field(default_factory=dict)  # settings of a diff's last removed lines, by first word
    prompt: str = ""  # what a load tool's command was typed behind last, where that names something: "web1 [prod] # "
    front: str = ""  # what ends the front matter that the lines are in
    label: tuple[int, str] | None = None  # the last line, where it may be a name for the output that begins below
    tried: tuple[str, int] | None = None  # kind and first line of the block that a format reads at this moment
    n_short: int = 0  # load tests with reports of few lines
    n_failed: Counter[str] = field(default_factory=Counter)  # by kind, the lines that only looked like a beginning
    skipped: tuple[int, int, int] | None = None  # first line, last line and number of the beginnings that were not read

    def add_line(self, number: int, text: str, lines: Lines) -> None:
        """Take in a line that no tool printed."""
        if (number == 1 or self.front) and self._is_front_matter(number, text, lines):
            return
        self.is_fenced |= text.startswith(transcript.FENCES)
        line_above, above = self.rows_above[-1]
        self.rows_above.append((number, text))
        self._follow_diff(text)
        self.label = self.label if self.label and transcript.is_rule(text) else None
        line = _describe(text)
        if line.typed is None and self.prompt and text.startswith(self.prompt):
            self._add_typed(number, text)
            return
        if line.typed is None:
            self._note_shown(number, line_above, text)
        if line.has_rate and (unread := find_unread_rates({number: text})):
            (self.add_lost if is_rate_of_log(text) else self.add_problems)(unread)
        elif line.typed is None and not line.is_template:
            note_stated_rate(self.stated, number, text, self.trail)
            self.add_lost(find_html_rates(number, lines.raw))
        if line.tells_time:
            self.add_stamp(number, text)
        if line.is_template:
            if self.command:
                self.command.prose_since = True
        elif line.typed is not None and line.typed[1].startswith("# "):
            self._add_heading(number, line.typed[1])
        elif line.typed is not None:
            if line.label:
                self._add_heading(number, line.label)
            self._follow_branch(text, number, above if line_above == number - 1 else "")
            self.shown = (*self.shown[2 - _TYPED :], *((*state, number) for state in read_prompt(text)))
            self._follow_prompt(text, line.typed[1])
            host = line.typed[0] or find_host_above(text, above if line_above == number - 1 else "")
            self._add_command((host, line.typed[1]), number, lines, line.prefix)
            if match := _ECHO.fullmatch(line.typed[1]):
                self._add_heading(number, match["said"])
        else:
            self._add_text(number, text, line.is_prose, lines)

    def add_rows(self, number: int, rows: list[str], lines: Lines | None) -> None:
        """Take in the lines behind this one, of which none is a prompt, or tells a rate or a time; some may be empty."""
        if self.in_output and "" in rows:
            end = rows.index("")
            self.add_rows(number, rows[:end], None if any(rows[end:]) else lines)
            number, rows, self.in_output = number + end, rows[end:], False
        last = number + len(rows)
        fence = next((at for at, row in enumerate(rows) if row.startswith(transcript.FENCES)), None)
        if self.in_output and fence is not None:
            self.is_fenced, rows = True, rows[fence:]
        for at, row in enumerate(rows[:_TYPED] if self.in_output else ()):
            self._note_shown(number + at + 1, number + at, row)
        is_typed = self.prompt != "" and any(row.startswith(self.prompt) for row in rows)
        if self.in_output and not (is_typed or self.is_fenced):
            rows = rows[-1 - _FARTHEST_LABEL :]  # only a name for an output may be among them
        numbered = [*enumerate(rows, last - len(rows) + 1)]
        behind = next((at for at, text in reversed(numbered) if text), 0)  # the last line with a text
        for at, text in numbered:
            if not text:
                self.in_output = False
                continue
            self.label = self.label if self.label and transcript.is_rule(text) else None
            if is_typed and self.prompt and text.startswith(self.prompt):
                self._add_typed(at, text)
                continue
            is_prose = transcript.is_plain(text) or not transcript.is_elision(text) and transcript.is_prose(text)
            self._add_text(at, text, is_prose, lines if at == behind else None)
        self.rows_above.extend([row for row in numbered if row[1]][-_ROWS_ABOVE:])
        self.removed = {}

    def _add_text(self, number: int, text: str, is_prose: bool, lines: Lines | None) -> None:
        """Take in a line that is no prompt. lines: those behind it, where a prompt may be the next."""
        command = self.command
        if command and self.in_output and command.line == number - 1 and _ECHO_VARIABLE.fullmatch(command.text):
            self._add_heading(number, text)
        elif self.in_output and command and not self.is_fenced and text[0] == "#" and asks_git(command.text):
            self.label = None  # "## main...origin/main"
        elif self.in_output and not (
            (self.is_fenced and text.startswith("##"))
            or transcript.is_equals_banner(text)
            or transcript.FILE_HEAD.fullmatch(text.strip())
            or _is_comment(text, lines)
        ):
            self.label = (number, text) if is_prose else self.label
        elif text[0] == "=" and (title := _ASCIIDOC_TITLE.fullmatch(text.rstrip())):
            self._add_heading(number, f"{'#' * len(title[1])} {title[2]}")
        elif text[0] in "=-" and self._underlines(number, text.rstrip()):
            self._add_heading(*self.trail.pop())
        elif is_prose or _is_comment(text, lines):  # "# tcp_nodelay on;"
            self._add_heading(number, text)
            if self.command:
                self.command.labelled = self.in_output

    def _is_front_matter(self, number: int, text: str, lines: Lines) -> bool:
        if number == 1:
            begins = _FRONT_MATTER.fullmatch(text.strip()) and _FRONT_FIELD.match(lines.peek() or "x")
            self.front = text.strip() if begins else ""
            return bool(self.front)
        ends = text.strip() == self.front or number > _MOST_OF_FRONT
        self.front = "" if ends else self.front
        return ends or not text.startswith("title")

    def follow_service(self, number: int, service: str) -> None:
        """Take the name of another container as a heading of what it prints from here on."""
        if service != self.service:
            self.label = None
            self._add_heading(number, service)
        self.service = service

    def take_label(self, number: int, kinds: Iterable[str]) -> None:
        """Output of these kinds begins with this line: what stands right above it, below a command, is a name for it.

        A script, or somebody, wrote that. Other lines between a command and a tool's output are what the command printed.
        """
        label, self.label = self.label, None
        if label and number - label[0] <= _FARTHEST_LABEL and any(formats()[kind].semantics for kind in kinds):
            self._add_heading(*label)
            if self.command:
                self.command.labelled = True

    def _follow_branch(self, line: str, number: int, above: str) -> None:
        """Take a branch that a prompt shows, and that the one before did not show, for a command that changes to it."""
        branch = find_branch(line, above.strip())
        if branch is None:
            return
        if self.trail and self.trail[-1] == (number - 1, above.strip()):
            self.trail.pop()  # the first line of the prompt
        self._change_branch(branch)

    def _change_branch(self, branch: str) -> None:
        if branch != self.branch:
            self.branch, self.commands = branch, (*self.commands[1 - _TYPED :], f"git switch {branch}")

    def _add_typed(self, number: int, line: str) -> None:
        """Take in what was typed behind the prompt that was learned: a command or a comment."""
        typed = line.removeprefix(self.prompt).strip()
        if typed.startswith("# "):
            self._add_heading(number, typed)
        else:
            self._add_command((None, typed), number, None, "")

    def _follow_prompt(self, line: str, command: str) -> None:
        """Learn a prompt of any shape from a load tool's command: others were typed behind the same."""
        before = line.partition(command)[0] if command else self.prompt
        if before != self.prompt and _NAMING_PROMPT.fullmatch(before) and parse_command(command).tool:
            self.prompt = before

    def _note_shown(self, number: int, line_above: int, text: str) -> None:
        """Note what a command shows: what runs there and in which version, how a page was answered, the governor of the CPU."""
        command, line = self.command, text.strip()
        typed, is_answer = (command.text, command.line == line_above) if command else ("", False)
        shown = read_state(line) or (read_shown(line, typed, is_answer) if self.in_output else None)
        if shown:
            self.shown = (*self.shown[1 - _TYPED :], (*shown, number))
            if shown[0] == f"{ASKED}{BRANCH}":
                self._change_branch(shown[1])

    def _follow_diff(self, text: str) -> None:
        """Take a setting that a diff shows with another value for a command that edits it."""
        line = CHANGED.match(text) if text[0] in "+-" else None
        if line is None:
            self.removed = {}
        elif line["sign"] == "-":
            self.removed[line["key"]] = line["setting"]
            if len(self.removed) > _MOST_REMOVED:
                del self.removed[next(iter(self.removed))]
        elif (old := self.removed.get(line["key"])) and old != line["setting"] and "#" not in old + line["setting"]:
            edit = f"sed -i 's#{old}#{line['setting']}#' file"
            self.commands = (*self.commands[1 - _TYPED :], edit)

    def _underlines(self, number: int, line: str) -> bool:
        """Whether a line makes a heading, as Markdown has it, of the one above; that gets the "#" which tells so elsewhere."""
        above, text = self.trail[-1] if self.trail else (-1, "")
        if above != number - 1 or line.strip(line[0]) or not 0 <= len(line) - transcript.width(text) + 3 <= 6:
            return False
        self.trail[-1] = (above, f"{'##' if line[0] == '=' else '###'} {text}")
        return True

    def _add_heading(self, number: int, line: str) -> None:
        if wiki := _WIKI_HEADING.match(line):
            line = f"{'#' * int(wiki[1])} {line[wiki.end() :]}"
        self.heading = (number, line.strip()[: transcript.MAX_HEADING])
        nested = _NESTED.match(line)
        self.trail.append((number, f"{nested[0]}{self.heading[1]}") if nested else self.heading)
        if len(self.trail) > _TRAIL:
            del self.trail[_KEPT]
        if self.command:
            self.command.prose_since, self.command.labelled = True, False

    def retitle(self, number: int, text: str) -> None:
        """Take a text for the heading of this line, in place of the one that it had; an empty one where it is none."""
        self.trail = [heading for heading in self.trail if heading[0] != number]
        if text:
            self._add_heading(number, text)
        else:
            self.heading = self.trail[-1] if self.trail else None

    def add_stamp(self, number: int, line: str) -> None:
        """Note a line with a time, or the time that a log has before its line."""
        self.stamps.append((number, line.rstrip()))
        if len(self.stamps) > _STAMPS:
            del self.stamps[_STAMPS // 2]

    def _add_command(self, typed: tuple[str | None, str], number: int, lines: Lines | None, prefix: str) -> None:
        """Take in a command. lines: those behind it, where it may go on."""
        host, command = typed
        while lines is not None and command.endswith("\\") and len(command) < _LONGEST_COMMAND:
            if (more := lines.peek()) is None:
                break
            next(lines)
            command = command[:-1].rstrip() + " " + more.strip().removeprefix(">").strip()
        for _ in range(_MOST_OF_LOOP if lines is not None and _COMPOUND.match(command) else 0):
            if lines is None or _COMPOUND_END.search(command) or not (lines.peek() or "").startswith("> "):
                break
            part = next(lines)[2:].strip()
            command = f"{command}{' ' if command.endswith((' do', ';', ' then')) else '; '}{part}"[:_LONGEST_COMMAND]
        command = command[:_LONGEST_COMMAND]  # each block below it may have it, and be looked at for what it says
        if command:
            self.command = TypedCommand(command, number, host, prefix=prefix)
            self.commands = (*self.commands[1 - _TYPED :], command)
            self.in_output, self.is_fenced = True, False

    @property
    def pending_command(self) -> str | None:
        """The command whose output may come next, without prose between but a name for it."""
        command = self.command
        return command.text if command and (command.labelled or not command.prose_since) else None

    def end_block(self, form: Format, values: dict[str, Any]) -> dict[str, Any]:
        """A block of these values ends here: what stands around it, by the names of Block's fields.

        The list `below` is filled later, while the next block is looked for.
        """
        command = self.command
        host = command.host if command and self.in_output and command.printed is None else None  # of a script's prompt
        if command is not None and not self._was_printed_by(command, form, values):
            if command.printed or not command.prose_since:
                self.command = None
            command = None
        elif command is not None and not command.prose_since:
            command.printed = form.kind
        fields: dict[str, Any] = {"trail": self.trail, "above": self.stamps, "below": [], "typed": self.commands}
        fields |= {"stream": self.stream, "shown": self.shown}
        if command is not None:
            fields |= {"command": command.text, "command_line": command.line}
        fields |= {"prompt_host": command.host if command else host}
        self.trail, self.stamps, self.commands, self.shown, self.in_output = [], fields["below"], (), (), False
        return fields

    def add_problems(self, problems: list[Problem]) -> None:
        """Note what was not read; several formats may say it of one line."""
        self.unread += [problem for problem in problems if problem not in self.unread[-_LAST_PROBLEMS:]]

    def add_lost(self, problems: list[Problem]) -> None:
        """The same, also where no block is read: the first ones of a text."""
        self.add_problems(problems)
        if len(self.lost) < MOST_LOST:
            self.lost += [problem for problem in problems if problem not in self.lost]

    def skip(self, line: int) -> None:
        """Note a line with which a report may begin and that is not tried, as too many of its kind began none."""
        first, _, n = self.skipped or (line, line, 0)
        self.skipped = first, line, n + 1

    def take_unread(self, form: Format, found: Found) -> list[Problem]:
        """The rates that were not read since the last load test, where this is the next one."""
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


# It begins with what no quoting or heading does, and no sentence ends like it.
_NAMING_PROMPT = re.compile(r"[\w\[(~/][^\n]{1,80}[#$%>❯➜➔λ»]\s{1,3}")


class _Line(NamedTuple):
    """What a line that no tool printed says by itself.

    typed, prefix   what `prompt` finds in it, and the quoting before that
    is_template     whether a load tool's command has still to be filled in
    label           what stands before a load tool's command without a prompt
    """

    has_rate: bool
    is_prose: bool = False
    tells_time: bool = False
    typed: tuple[str | None, str] | None = None
    prefix: str = ""
    is_template: bool = False
    label: str = ""


_PROSE, _NO_PROSE = _Line(has_rate=False, is_prose=True), _Line(has_rate=False)


@lru_cache(maxsize=1024)  # texts repeat their commands and headings
def _describe(line: str) -> _Line:
    has_rate = compile_rate_labels().search(line) is not None
    if transcript.is_plain(line) or transcript.FILE_HEAD.fullmatch(line.strip()):
        return _Line(has_rate, is_prose=True) if has_rate else _PROSE
    if not (has_rate or ":" in line or may_have_command(line) or _TIME.search(line) or BEGINS_TIME.match(line)):
        return _PROSE if not transcript.is_elision(line) and transcript.is_prose(line) else _NO_PROSE
    tells_time = len(line) <= LONGEST_STAMP and bool(_TIME.search(line) or BEGINS_TIME.match(line))
    typed, prefix = prompt(line), ""
    if typed is None and not line[0].isalpha():  # no quoting begins with a letter
        quoting = transcript.QUOTING.match(line)
        if quoting and quoting[0].strip():
            typed, prefix = prompt(line[quoting.end() :]), quoting[0]
    labelled = _LABELLED.match(line) if typed is None or " >>" in line else None
    if labelled:
        typed = load_command(line[labelled.end() :].strip().removesuffix("`" if labelled[0].endswith("`") else ""))
    if typed is not None:
        has_gaps = is_template(typed[1]) and bool(parse_command(typed[1]).tool)
        return _Line(has_rate, False, tells_time, typed, prefix, has_gaps, labelled["label"] if labelled else "")
    return _Line(has_rate, not transcript.is_elision(line) and transcript.is_prose(line), tells_time)


def _is_comment(line: str, lines: Lines | None) -> bool:
    """Whether somebody put "# warm-up" or "worker_processes 1 -> 2" between a command's output and the next prompt."""
    said = line[:1] == "#" and line.lstrip("#")[:1] == " " and any(map(str.isalpha, line))
    said = said or transcript.CHANGE.fullmatch(line.strip(" ;")) is not None
    return said and lines is not None and any(prompt(following) is not None for following in lines.ahead(1))
