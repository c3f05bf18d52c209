"""Process tables, kept by column: quick to read, to add up and to look into, without a dict for each process.

`RowReader` reads the rows below a header: at once while they are plain, line by line where they are not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from .catalogue import find_kinds
from .lines import MOST_ROWS, Lines
from .prompts import prompt
from .records import Problem, ProcessSample
from .transcript import clean, is_elision, needs_cleaning
from .units import Memo, clock_s, number, size_kb


class Table(Sequence[dict[str, Any]]):
    """A sequence of dicts {column: value}, made when they are asked for. A None in a column is left out of its dict.

    lines  the line of each row in the text, or () where that is not kept
    """

    __slots__ = ("columns", "lines", "_n")

    def __init__(self, columns: dict[str, list[Any]], n: int, lines: Sequence[int] = ()) -> None:
        self.columns = columns
        self.lines = lines
        self._n = n

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        if index < 0:
            index += self._n
        if not 0 <= index < self._n:
            raise IndexError(index)
        return {name: value for name, column in self.columns.items() if (value := column[index]) is not None}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self.columns)
        for row in zip(*self.columns.values(), strict=True):
            yield {name: value for name, value in zip(names, row, strict=True) if value is not None}

    def __repr__(self) -> str:
        return f"Table({self._n} rows of {', '.join(self.columns)})"


def samples(table: Table, *, rss: str = "rss_kb", vsz: str = "vsz_kb") -> Iterator[ProcessSample]:
    """A sample a row; `rss` and `vsz` are the tool's names of the two columns."""
    for row in table:
        command = str(row.get("command", ""))
        yield ProcessSample(
            pid=row.get("pid", 0),
            user=row.get("user"),
            command=command,
            group=ProcessSample.group_of(command),
            rss_kb=row.get(rss),
            vsz_kb=row.get(vsz),
            cpu_pct=row.get("cpu_pct"),
            mem_pct=row.get("mem_pct"),
            time_s=row.get("time_s"),
        )


def name_once(columns: Sequence[tuple[str, str]]) -> list[str]:
    """Names of columns of which each is (our name, the tool's): where two have one name, the second keeps the tool's."""
    names: list[str] = []
    for ours, printed in columns:
        name = ours if ours not in names else printed
        while name in names:
            name += f"_{len(names) + 1}"
        names.append(name)
    return names


def percent(text: str) -> float:
    """ "6.1", "6,1" or "6%" as a float. Raises ValueError."""
    return float(number(text.rstrip("%")))


def _parse_clock(text: str) -> float | None:
    return None if text == "-" else int(text) if text.isdecimal() else clock_s(text)  # ps' etimes and times are seconds


_SIZE, _CLOCK, _PERCENT, _COUNT = Memo(size_kb), Memo(_parse_clock), Memo(percent), Memo(int)


def _strip_ends(column: Sequence[str]) -> list[str]:
    """The last column's texts, cleaned of what a terminal or a page left behind them."""
    if needs_cleaning("".join(column).replace("\r\n", "\n")):
        return [clean(text).rstrip() for text in column]
    return list(map(str.rstrip, column))


def _marked(column: Sequence[str]) -> bool:
    """Whether a page or a terminal left its marks in one of the texts: tags, entities, colours, zero-width spaces."""
    seen = set(column)
    return needs_cleaning("".join(seen)) and any(clean(text) != text for text in seen)


# What a column holds, by the name that it gets: everything else is text.
CONVERTERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("pid", "ppid", "lwp", "nlwp", "c"), _COUNT.__getitem__),
    **dict.fromkeys(("virt_kb", "res_kb", "shr_kb", "swap_kb", "vsz_kb", "rss_kb"), _SIZE.__getitem__),
    **dict.fromkeys(("cpu_pct", "mem_pct", "virt_pct"), _PERCENT.__getitem__),
    **dict.fromkeys(("time_s", "elapsed_s"), _CLOCK.__getitem__),
}
_ROWS = "rows"  # what Lines.memory has of the table before: how many rows
_FEW_ROWS, _LONG_TABLE = 8, 5000
_USUAL_ROW = 128  # characters; few are longer
_DAYS = frozenset(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
_MONTHS = frozenset(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
# A ruler or the time, as a loop prints them between screens.
_BETWEEN = re.compile(r"[-=*#_~ ]{3,}$|[^/=]*\b\d\d:\d\d:\d\d\b[^/=]*$")
_SPLIT_STATE = re.compile(r"(?<=\s[SRDTZI]) (?=[<N]\s)")  # busybox prints its "S <" in columns of their own
_GLUED_SIZE = re.compile(r"(?<=\d[kmgt])(?=\d{1,9}%\s)")  # busybox leaves no blank behind a long VSZ: "8193g32773%"


class RowReader:
    """Reads the rows below a header: quickly while they are plain, line by line where they are not.

    names    column names in the order of the text; "command" is the rest of the line where it stands last
    titles   the raw line above the rows, where all titles stand on it: the next table begins where it comes again
    columns  what was read, by name; last: number of the last line that was a row
    elided   whether the text itself left rows out ("...")
    """

    def __init__(self, lines: Lines, names: Sequence[str], titles: str = "") -> None:
        self.lines = lines
        self.names = list(names)
        self.convert = [CONVERTERS.get(name) for name in names]
        self.columns: dict[str, list[Any]] = {name: [] for name in names}
        self.last = lines.number
        self.problems: list[Problem] = []
        self.elided = False
        self._titles = titles
        self._width = self._longest = 0  # of the line read last, and of the longest one, as they stand in the text
        self._wraps = 0  # how many lines were the rest of the row before
        # A text may be taken for a row of these columns: prompts and other tools' output end the table then.
        self._vague = self.convert[0] is None and sum(convert is not None for convert in self.convert) < 2
        # How many columns stand behind the command, whose words tell only from there where it ends.
        self._behind = len(names) - 1 - self.names.index("command") if "command" in names else 0

    def read(self, several: bool = True) -> Table:
        """All rows; `several` False stops at the first blank line (nothing else tells where a table without header ends)."""
        before = self.lines.memory.get(_ROWS, MOST_ROWS)
        most = min((2 * before + _FEW_ROWS) * _USUAL_ROW, MOST_ROWS)  # the next table may follow without a blank line
        while (
            not (self._behind or self._vague)
            and (text := self.lines.rows(most, self._titles))
            and self._take_plain_rows(text)
        ):
            most = min(4 * most, MOST_ROWS)
        if not self.lines.repeats(self._titles):
            self._slow(several)
        n = self.lines.memory[_ROWS] = len(next(iter(self.columns.values())))
        return Table(self.columns, n)

    def _take_plain_rows(self, text: str) -> bool:
        """Take in plain rows up to the first odd one. True where there was none, so that more may follow."""
        first, rows = text.partition("\n")[0], text.count("\n")
        if not self._convert_columns([first.split(None, len(self.names) - 1)], keep=rows == 1):
            return False  # else a log of headers would be split again below each
        if rows == 1:
            self._take_rows(len(text), 1)
            self._measure(first)
            return True
        before = self.lines.memory.get(_ROWS, rows)  # of the table before
        if rows <= 2 * before + _FEW_ROWS and self._take_even_rows(text, rows):
            self._take_rows(len(text), rows)
            return True
        return self._up_to_the_odd(text.split("\n")[:-1], before)

    def _up_to_the_odd(self, rows: list[str], before: int) -> bool:
        """A part at a time, the first as long as the table before: in a loop the next screen may follow without a blank line."""
        most, at, size = len(self.names) - 1, 0, max(before, _FEW_ROWS)
        while at < len(rows):
            part = rows[at : at + size]
            split = [row.split(None, most) for row in part]
            odd = len(part)
            if not self._convert_columns(split):
                # Of rows that are odd only together none is taken: read line by line they are cleaned.
                odd = next((i for i, fields in enumerate(split) if not self._convert_columns([fields], keep=False)), 0)
                self._convert_columns(split[:odd])
            if odd:
                self._take_rows(sum(map(len, part[:odd])) + odd, odd)
                self._measure(*part[:odd])
            if odd < len(part):
                return False
            at, size = at + odd, 2 * size
        return True

    def _take_rows(self, size: int, rows: int) -> None:
        self.lines.take(size, rows)
        self.last = self.lines.number

    def _take_even_rows(self, text: str, rows: int) -> bool:
        """Take in rows of one word a column, all at once: twice as quick as row by row.

        A row with a word too many and one with a word too few would have to follow each other to come out even, and
        then the columns between them hold no figures.
        """
        n = len(self.names)
        if self.convert[-1] or "pid" not in self.names:
            return False
        words = text.split()
        return (
            len(words) == n * rows
            and not needs_cleaning(text)
            and self._take([words[i::n] for i in range(n)], plain=True)
        )

    def _convert_columns(self, split: list[list[str]], keep: bool = True) -> bool:
        """Convert rows column by column. False, with nothing kept, where a row is too short or a figure is none."""
        if not split:
            return True
        try:
            columns = list(zip(*split, strict=True))
        except ValueError:
            return False
        return len(columns) == len(self.names) and self._take(columns, keep)

    def _take(self, columns: Sequence[Sequence[str]], keep: bool = True, plain: bool = False) -> bool:
        """Convert and keep columns. False, with nothing kept, where a figure is none or a text has marks of a page.

        `plain`: the texts are single words that need no cleaning.
        """
        try:
            new = [
                list(map(convert, column)) if convert else column
                for convert, column in zip(self.convert, columns, strict=True)
            ]
        except ValueError:
            return False
        if not plain and self._odd_texts(columns):
            return False
        if keep:
            if not self.convert[-1] and not plain:
                new[-1] = _strip_ends(columns[-1])
            for name, convert, column in zip(self.names, self.convert, new, strict=True):
                kept = self.columns[name]
                # The few texts of a long table need not be kept once a row.
                kept.extend(column if convert or len(kept) < _LONG_TABLE else map(sys.intern, column))
        return True

    def _odd_texts(self, columns: Sequence[Sequence[str]]) -> bool:
        """Whether a page left its marks in a text, or a column of its own holds the rest of busybox's "S <"."""
        if any(not convert and _marked(column) for convert, column in zip(self.convert[:-1], columns, strict=False)):
            return True
        return self.names[-2:-1] == ["stat"] and any(text.startswith(("< ", "N ")) for text in columns[-1])

    def _slow(self, several: bool) -> None:
        blank: list[str] = []
        for line in self.lines:
            stripped = line.strip()
            if not stripped:
                blank.append(self.lines.raw)
                continue
            if blank and not several and len(blank) != 1:
                self.lines.back(*blank, self.lines.raw)
                return
            # Behind a blank line and where no pid stands there is no row: most often it is the next screen.
            if blank and self.names[0] == "pid" and stripped[0].isalpha():
                self.lines.back(*blank, self.lines.raw)
                return
            if self._vague and (prompt(stripped) is not None or find_kinds(stripped)):
                self.lines.back(*blank, self.lines.raw)
                return
            if is_elision(stripped) and any(
                self._read_fields(line.strip()) is not None for line in self.lines.ahead(1)
            ):
                self.elided = True
            elif self._take_row(stripped) or not blank and (self._wrapped(stripped) or self._cut_off(stripped)):
                self.last = self.lines.number
                self._measure(self.lines.raw)
            else:
                self.elided = self.elided or is_elision(stripped)
                self.lines.back(*blank, self.lines.raw)
                return
            blank.clear()
        self.lines.back(*blank)

    def _take_row(self, line: str) -> bool:
        row = self._read_fields(line)
        if row is None and self._begins_a_row(line):
            following = self.lines.peek()  # a mail client broke the row: the rest is on the next line
            joined = f"{line} {following.strip()}" if following and following.strip() else ""
            row = self._read_fields(joined) if joined and self._read_fields(following or "") is None else None
            if row is not None:
                self._measure(self.lines.raw)
                next(self.lines)
        if row is None:
            return False
        if self.lines.cut == self.lines.number and not self.convert[-1]:
            blank = "" if row[-1].endswith((",", "(")) else " "  # the end of a text, not of a figure
            row[-1] = f"{row[-1]}{blank}{self.lines.cut_text}".strip()
            self.lines.cut = 0
        for name, value in zip(self.names, row, strict=True):
            self.columns[name].append(value)
        return True

    def _read_fields(self, line: str) -> list[Any] | None:
        """One row's values, or None where the line is no row."""
        most = len(self.names) - 1
        line = _GLUED_SIZE.sub(" ", line, count=1) if "virt_pct" in self.names else line
        fields = _SPLIT_STATE.sub("", line, count=1).split(None, most)
        fields = self._join_start(line, fields)
        if self._behind and len(words := line.split()) > most + 1:
            at = most - self._behind
            fields = [*words[:at], " ".join(words[at : -self._behind]), *words[-self._behind :]]
        if len(fields) == most and self.names[-1] == "command":
            fields.append("")  # a process without a name
        if len(fields) != most + 1:
            return None
        try:
            row = [convert(text) if convert else text for convert, text in zip(self.convert, fields, strict=True)]
        except ValueError:
            return None
        return row if self._plausible(row) else None

    def _plausible(self, row: list[Any]) -> bool:
        known = dict(zip(self.names, row, strict=True))
        return known.get("pid", 0) >= 0 and not (
            known.get("command") == "" and "time_s" not in known and "rss_kb" not in known
        )

    def _join_start(self, line: str, fields: list[str]) -> list[str]:
        """`lstart` prints five words and `start` two where others print one."""
        at = self.names.index("start") if "start" in self.names else -1
        if at < 0 or len(fields) <= at + 1:
            return fields
        words = 5 if fields[at] in _DAYS and fields[at + 1] in _MONTHS else 2 if fields[at] in _MONTHS else 1
        if words == 1:
            return fields
        parts = line.split(None, len(self.names) - 1 + words - 1)
        return [*parts[:at], " ".join(parts[at : at + words]), *parts[at + words :]]

    def _begins_a_row(self, line: str) -> bool:
        """Whether a line has at least its first columns right, so that its end may be on the next one."""
        fields = line.split()
        if not 3 <= len(fields) < len(self.names) or "pid" not in self.names[:4]:
            return False
        try:
            for convert, text in zip(self.convert, fields, strict=False):
                if convert:
                    convert(text)
        except ValueError:
            return False
        return True

    def _wrapped(self, line: str) -> bool:
        """The rest of the row before, where a mail client broke its command: only if it would not have fitted."""
        commands = self.columns.get("command")
        if not commands or self.names[-1] != "command" or prompt(line) is not None or _BETWEEN.match(line):
            return False
        if find_kinds(line):  # another tool's output: "1 WCHAN COMMAND" right below the longest row
            return False
        needed = self._width + 1 + len(line.split(None, 1)[0])
        if commands[-1]:
            if not (self._longest <= 110 and needed > max(70, self._longest) and (self._wraps or self._a_row_soon())):
                return False
        elif needed < 64:
            return False
        commands[-1] = f"{commands[-1]} {line}".strip()
        self._wraps += 1
        return True

    def _measure(self, *raws: str) -> None:
        widths = [len(raw.rstrip()) for raw in raws]
        self._width = widths[-1] if widths else self._width
        self._longest = max(self._longest, *widths, self._width)

    def _cut_off(self, line: str) -> bool:
        """Whether the text ends inside this row; a problem tells of it then."""
        if not self._begins_a_row(line) or self.lines.peek() is not None:
            return False
        number = self.lines.number
        self.problems.append(Problem(number, f"the text ends inside a row of {len(self.names)} columns: {line[:60]!r}"))
        return True

    def _a_row_soon(self) -> bool:
        """Whether a row comes within the next lines, with nothing but more of this row's command before it."""
        for line in self.lines.ahead(12):
            if self._read_fields(line.strip()) is not None or self._begins_a_row(line):
                return True
            if prompt(line) is not None or "PID" in line.split():
                return False
        return False
