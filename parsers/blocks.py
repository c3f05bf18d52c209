"""Block: one output of one tool in a text, and the records that its format makes of its figures."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .catalogue import UNKNOWN, formats, get_semantics, parse_command
from .records import SUMMED, LoadResult, Problem, Record, add_up, list_floats

# What our own code raises on a text that nobody thought of; a lack of memory and a time limit are none of these.
UNFORESEEN = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration),
    *(TypeError, ValueError, re.error),
)
MOST_RATE = 1e12  # a second, which no network carries
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Block:
    """One recognised piece of tool output.

    first, last     1-based lines of the tool's own output in the text as given (not the command line)
    heading         nearest line of prose above that belongs to it, as printed
    label           what stands before the figure on its own line ("2nd run:"), or None
    remark          what stands behind the figure of a single line ("(with cache)"), or ""
    command         the command that printed it, without its prompt
    prompt_host     host name out of that prompt
    trail           (line, text) of each line of prose since the block before, oldest first (the last 60); the items of lists
                    with their indentation
    partial         True where most of what the tool prints is missing
    values          the tool's own figures, with units in their names
    above, below    (line, text) of lines around it that no tool printed and that may tell the time: dates, prompts (the
                    first and last few). What is below one block is above the next: the list fills while that is looked for
    stream          what its lines had in front, in a log of several containers or machines: "bench-2"
    tail            (line, text) of each line of prose behind it, of the last block of a text
    typed           commands typed since the block before, its own among them (the last few)
    shown           (name, value, line) of what commands showed since the block before: ("governor", "powersave", 12)
    shown_behind    the same behind the last block of a text
    figure_lines    {path of a figure in the values: its line}, where the format keeps them
    is_quoted       whether its lines stood behind "> ", as those of a mail that is answered
    """

    kind: str
    first: int
    last: int
    values: dict[str, Any] = field(default_factory=dict)
    heading: str | None = None
    heading_line: int | None = None
    label: str | None = None
    remark: str = field(default="", kw_only=True)
    command: str | None = None
    command_line: int | None = None
    prompt_host: str | None = None
    trail: list[tuple[int, str]] = field(default_factory=list)
    partial: bool = False
    problems: list[Problem] = field(default_factory=list)
    above: list[tuple[int, str]] = field(default_factory=list)
    below: list[tuple[int, str]] = field(default_factory=list)
    stream: str = field(default="", kw_only=True)
    tail: list[tuple[int, str]] = field(default_factory=list, kw_only=True)
    shown: tuple[tuple[str, str, int], ...] = field(default=(), kw_only=True)
    shown_behind: tuple[tuple[str, str, int], ...] = field(default=(), kw_only=True)
    typed: tuple[str, ...] = ()
    figure_lines: dict[str, int] = field(default_factory=dict, compare=False)
    is_quoted: bool = field(default=False, compare=False)
    _result: tuple[dict[str, Any], LoadResult] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def lines(self) -> tuple[int, int]:
        return self.first, self.last

    def find_row_lines(self, row: int) -> tuple[int, int]:
        """The lines of this row of a log where the format keeps them, up to the next row; else those of the block."""
        after = self.figure_lines.get(f"rows.{row + 1}", self.last + 1)
        return self.figure_lines.get(f"rows.{row}", self.first), after - 1

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
        records = [self._refuse_rate(record) for record in formats()[self.kind].records(self.values)]
        if not self.values:
            return []  # it was all that was printed
        results = [record for record in records if isinstance(record, LoadResult)]
        if len(results) != 1:  # the rows of a log had a command each
            return records
        result = _complete(results[0], self.command or "")
        if len(records) == 1:
            self._result = self.values, result
        return [result if record is results[0] else record for record in records]

    def _refuse_rate(self, record: Record) -> Record:
        """The record without a rate below nought, or one that no network carries; a problem has its line."""
        if not isinstance(record, LoadResult) or record.requests_per_second is None:
            return record
        rate = record.requests_per_second
        if 0 <= rate <= MOST_RATE:
            return record
        names = [name for name, value in self.values.items() if value == rate]
        line = next((self.figure_lines[name] for name in names if name in self.figure_lines), self.first)
        self.values = {name: value for name, value in self.values.items() if name not in names}
        problem = Problem(line, f"{rate:g} requests per second: no load test has such a rate, so it was left out")
        if problem not in self.problems:
            self.problems.append(problem)
        return replace(record, requests_per_second=None)

    def add_up(self, parts: Sequence[Block], names: Sequence[str]) -> None:
        """Take the sum of the parts of one load, itself among them, for its figures; what they do not share is left out."""
        for part in parts:
            part.command, part._result = part.command or self.command, None
        results = [part.load_results[0] for part in parts]
        shared = {
            name: value for name, value in self.values.items() if all(part.values.get(name) == value for part in parts)
        }
        counts = {
            name: sum(part.values.get(name, 0) for part in parts)
            for name, value in self.values.items()
            if type(value) is int and name not in shared
        }
        rates = {name: result.requests_per_second for name, result in zip(names, results, strict=True)}
        total = add_up(results)
        known = {name: value for name in SUMMED if (value := getattr(total, name)) is not None and name in self.values}
        self.values = shared | counts | known | {"generators": rates}
        self.figure_lines = {name: line for name, line in self.figure_lines.items() if name in self.values}
        self.problems += [problem for part in parts if part is not self for problem in part.problems]
        self._result = self.values, total

    def take_command(self, quoted: Block) -> None:
        """Take the command of another block with the same figures, where this one has none."""
        if quoted.command and not self.command:
            self.command, self._result = quoted.command, None

    def drop_command(self) -> None:
        """Let go of a command that printed other figures than these."""
        self.command, self._result = None, None

    @property
    def load_results(self) -> list[LoadResult]:
        if self._result is not None and self._result[0] is self.values:
            return [self._result[1]]
        if formats()[self.kind].tool is None:
            return []  # the records of monitors are many
        return [record for record in self.records if isinstance(record, LoadResult)]

    @property
    def rates(self) -> set[float]:
        """The requests per second of its load tests and of their parts, and those that were sent (vegeta)."""
        rates = {rate for result in self.load_results if (rate := result.requests_per_second) is not None}
        if isinstance(sent := self.values.get("rate_per_s"), float):
            rates.add(sent)
        return rates.union(list_floats(self.values.get("parts", {})))


_SCRIPT = re.compile(r"(?>.*?\s-(?:s|-script)\s).*?\s--(?=\s)")
_CLOSES = re.compile(r"\bconnection: ?close\b", re.IGNORECASE)  # a header
_PATH = re.compile(r"(?<=\s)/[^\s'\";|&>]*")


def _complete(result: LoadResult, text: str) -> LoadResult:
    """The load result with what its command tells and the tool did not print: a quoted line has no concurrency."""
    if result.tool == UNKNOWN and (tool := parse_command(text).tool):
        result = replace(result, tool=tool)
    script = _SCRIPT.match(text) if result.path is not None else None
    if script and (paths := _PATH.findall(text, script.end())):  # a script asks for what its arguments say
        result = replace(result, path=paths[-1])
    semantics = get_semantics(result.tool)
    wanted = ["concurrency", "keepalive", *(["hostname", "port", "path"] if semantics.address_from_command else [])]
    names = [name for name in wanted if getattr(result, name) is None]
    if "hostname" not in names and "port" in names:  # half an address from each would be nobody's
        names.remove("port")
    if not (names and text):
        return result
    command = parse_command(text, result.tool)
    if not command.tool or command.problem or command.unknown:
        return result
    address = {"hostname": command.hostname, "port": command.port, "path": command.path}
    asked: dict[str, Any] = {"concurrency": semantics.default_concurrency, **command.options, **address}
    if _CLOSES.search(str(asked.get("header") or "")):
        asked["keepalive"] = False
    return replace(result, **{name: asked[name] for name in names if asked.get(name) is not None})
