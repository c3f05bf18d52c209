"""Reports of a line a figure: what many tools print. A format says what each line tells, and this takes the lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from .catalogue import get_semantics
from .commands import split_url
from .lines import Lines
from .prompts import prompt
from .records import Found, LoadResult, Problem, Values
from .transcript import FILE_HEAD, is_rule, read_remarked

_PLACEHOLDER = re.compile(r"(?<![\w/.])(?:[xX]{2}|[xX#?][.,]|[#?]{2})[xX#?.,]{0,20}(?:[a-zA-Z]{1,2}|%)?(?!\w)")
_FIGURE_LAST = re.compile(r"(?:^|[\s=(,])[-+]?[\d.,]*\d$")
_LONGEST = 80  # characters of a figure; of many commas each would be tried as its beginning
_STRAY = 2  # lines: so many may stand between two of a report
MANY = 3  # figures of a report from which on such lines are looked for: a quoted part of one ends before them
_SHORTEST, _FULL, _WIDEST = 40, 60, 100  # columns: free text is broken at a blank, and its words are long


@dataclass(frozen=True, slots=True)
class Report:
    """What a tool's report looks like.

    tool    its name, as in "expected one of wrk's lines"
    meant   begins the lines that have a figure; one that cannot be read alone may be broken over up to `broken` more
    noise   begins, or is, a line that belongs to the report and tells nothing
    goes_on is a line that is the rest of the one before, where a line may have more or less on it
    free    begins a line of free text (an error) that tells nothing and may be broken
    over    (values so far, line) -> whether the line begins the next report
    last    name of the value that only the last line tells
    whole   so many values make a report that is not partial
    """

    tool: str
    meant: re.Pattern[str]
    noise: re.Pattern[str]
    goes_on: re.Pattern[str] | None = None
    free: re.Pattern[str] | None = None
    over: Callable[[dict[str, Any], str], bool] | None = None
    last: str | None = None
    whole: int = 8
    broken: int = 2


class SummaryReader:
    """Lines of a summary that `read` knows each by itself; below "Error distribution:" errors: `error` finds (count, text)."""

    def __init__(self, lines: Lines, read: Callable[[str], dict[str, Any] | None], error: re.Pattern[str]) -> None:
        self.lines, self.read_figures, self.error = lines, read, error
        self.errors = False  # whether the errors' section has begun

    def read(self, line: str) -> dict[str, Any] | None:
        if (read := self.read_figures(line)) is not None:
            return read
        if line == "Error distribution:":
            self.errors = True
            return {}
        match = self.error.fullmatch(line) if self.errors and not self.lines.unended() else None
        return {"errors": {match[2] + self._read_rest(line): int(match[1])}} if match else None

    def _read_rest(self, line: str) -> str:
        """The rest of an error that a mail client broke."""
        following = (self.lines.peek() or "").strip()
        known = self.error.fullmatch(following) or FILE_HEAD.fullmatch(following) or prompt(following) is not None
        if not following or known or not _may_go_on(line, following):
            return ""
        return f" {self.lines.take_next()}"


@dataclass(slots=True)
class _Taking:
    lines: Lines
    report: Report
    read: Callable[[str], dict[str, Any] | None]
    values: Values
    problems: list[Problem] = field(default_factory=list)
    template: bool = False

    def take(self, line: str) -> bool:
        """Take one line in, with what it was broken into. False: the report is over."""
        report = self.report
        if report.over and self.values and report.over(self.values, line):
            return False
        if report.meant.match(line):
            if self.lines.unended() and _FIGURE_LAST.search(line, max(len(line) - _LONGEST, 0)):
                return True  # the figure may be cut off
            read = self._read_broken(line)
            if read is None and report.noise.match(line):
                return bool(self.values)
            if read is None and not self.lines.unended():
                read = read_remarked(line, self.read)
            if read is not None:
                return merge(self.values, read)
            if self.lines.cut != self.lines.number and not self.lines.unended():
                self.template = self.template or has_placeholder(line)
                message = f"expected one of {report.tool}'s lines, found {line[:60]!r}"
                self.problems.append(Problem(self.lines.number, message))
            return True
        if report.noise.match(line):
            return True
        if report.free is not None and report.free.match(line):
            self._read_free(line)
            return True
        if is_rule(line):
            return self._goes_on_below()
        return len(self.values) >= MANY and is_stray(self.lines, line, self._lacks)

    def _lacks(self, line: str) -> bool:
        """Whether a line has a figure that the report lacks so far."""
        report = self.report
        if not report.meant.match(line) or (report.over and report.over(self.values, line)):
            return False
        read = read_remarked(line, self.read)
        return read is not None and not read.keys() & self.values.keys()

    def _read_broken(self, line: str) -> dict[str, Any] | None:
        """What a line tells, with those that it was broken into, which are taken then; None: neither tells anything."""
        report, text, used = self.report, line, 0
        if not self._goes_on() and (read := self.read(text)) is not None:
            return read
        following = [more.strip() for more in self.lines.ahead(report.broken)] if report.broken else []
        while True:
            more = following[used] if used < len(following) else None
            if more is None or report.goes_on is None or not report.goes_on.fullmatch(more):
                read = self.read(text)
                if read is not None:
                    break
                if more is None:
                    return None
            text, used = f"{text} {more}", used + 1
        self.lines.take_next(used)
        return read

    def _goes_on(self) -> bool:
        goes_on = self.report.goes_on
        return goes_on is not None and any(goes_on.fullmatch(more.strip()) for more in self.lines.ahead(1))

    def _goes_on_below(self) -> bool:
        """Whether the next line, or two, have a figure that the report lacks so far."""
        ahead = [line.strip() for line in self.lines.ahead(2)]
        texts = [" ".join(ahead[:n]) for n in range(1, len(ahead) + 1)]
        read = next((told for text in texts if (told := self.read(text)) is not None), None)
        return bool(read and self.values) and not (read or {}).keys() & self.values.keys()

    def _is_known(self, line: str) -> bool:
        report = self.report
        return any(kind and kind.match(line) for kind in (report.meant, report.noise, report.free))

    def _read_free(self, line: str) -> None:
        while following := self.lines.ahead(1):
            text = following[0].strip()
            if not _may_go_on(line, text) or self._is_known(text) or prompt(text) is not None:
                return
            line = self.lines.take_next()


def _may_go_on(line: str, following: str) -> bool:
    """Whether the first word of `following`, with a letter or figure in it, had no place on `line`."""
    word = following.split(None, 1)[0]
    return _SHORTEST <= len(line) < _WIDEST and len(line) + 1 + len(word) > _FULL and any(map(str.isalnum, word))


def has_placeholder(text: str) -> bool:
    """Whether "XX.XX" or the like stands in place of a figure: a snapshot in the tests of a program, not a result."""
    return _PLACEHOLDER.search(text) is not None


def is_stray(lines: Lines, line: str, lacks: Callable[[str], bool]) -> bool:
    """Whether somebody put this line into a report, which goes on below with figures that it `lacks`."""
    if prompt(line) is not None:
        return False
    for following in map(str.strip, lines.ahead(_STRAY)):
        if lacks(following):
            return True
        if prompt(following) is not None:
            return False
    return False


def take_report(
    lines: Lines, report: Report, read: Callable[[str], dict[str, Any] | None], values: Values | None = None
) -> Found | None:
    """The report that begins with the next line; None where no line says anything.

    read    (line) -> what the line tells, or None where it is not one of the tool's figures, or broken; lines that lie ahead are
            read, too, to see whether the report goes on
    values  where what was read is put, for a `read` that wants to know it
    """
    first = lines.number + 1
    taking = _Taking(lines, report, read, Values(lines) if values is None else values)
    for text in lines.texts(elisions=True):
        if not taking.take(text):
            lines.refuse()
            break
        if report.last in taking.values:
            lines.last = lines.number
            break
    if not taking.values or taking.template:
        return None
    return Found(taking.values, first, lines.last, len(taking.values) < report.whole, taking.problems)


def note_script(lines: Lines, tool: str, pattern: re.Pattern[str]) -> bool:
    """Whether the next line tells the script that is about to run: it is kept for `take_noted`, and is not taken."""
    if match := pattern.fullmatch((lines.peek() or "").strip()):
        lines.memory[tool] = {"script": match[1]}
    return match is not None


def take_noted(lines: Lines, tool: str) -> dict[str, Any]:
    """What was noted above of the report that was read last."""
    return {name: value for name, value in lines.memory.pop(tool, {}).items() if value is not None}


def merge(values: dict[str, Any], read: dict[str, Any]) -> bool:
    """Add what a line says, tables within tables and rows to rows; False, with nothing added, where it was said before."""
    if any(not _adds(values[key], new) for key, new in read.items() if key in values):
        return False
    for key, new in read.items():
        if key not in values:
            values[key] = new
        elif isinstance(new, list):
            values[key] += new
        else:
            values[key] |= new
    return True


def _adds(known: Any, new: Any) -> bool:
    if isinstance(new, dict):
        return isinstance(known, dict) and not new.keys() & known.keys()
    return isinstance(new, list) and isinstance(known, list)


_FIGURES = {each.name for each in fields(LoadResult)} - {"tool"}
_PLAIN = (int, float, str)
_FACTORS = {
    ("_s", "_ms"): (1000, 6),
    ("_ms", "_s"): (0.001, 9),
}  # (unit printed, unit of the figure): (factor, decimals)


@cache
def _list_printed(tool: str) -> list[tuple[str, list[str], float, int]]:
    """(figure, path of what the tool prints for it, factor, decimals) as its semantics have it."""
    printed_as = get_semantics(tool).printed_as
    units = {name: (path[path.rfind("_") :], name[name.rfind("_") :]) for name, path in printed_as.items()}
    return [
        (name, path.split("."), *_FACTORS.get(units[name], (1, 0)))
        for name, path in printed_as.items()
        if name in _FIGURES
    ]


def list_figures(tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that have the name of a LoadResult's figure, or that this tool prints for one, in its unit."""
    figures = {name: values[name] for name in _FIGURES & values.keys()}
    for name, path, factor, decimals in _list_printed(tool):
        value: Any = values.get(path[0])
        for part in path[1:]:
            value = value.get(part) if isinstance(value, dict) else None
        if type(value) in _PLAIN:
            figures[name] = value if factor == 1 else round(value * factor, decimals)
    return figures


def make_result(tool: str, values: Mapping[str, Any], **figures: Any) -> LoadResult:
    """The LoadResult of these figures, of those among the values (see list_figures), and of the address in "url".

    The longest request is the last of the percentiles.
    """
    known: dict[str, Any] = dict(zip(("hostname", "port", "path"), split_url(values.get("url") or ""), strict=True))
    known |= list_figures(tool, values) | figures
    percentiles = known.get("percentiles_ms", {})
    if known.get("max_ms") is not None and "100" not in percentiles:
        known["percentiles_ms"] = percentiles | {"100": known["max_ms"]}
    return LoadResult(tool=tool, **known)
