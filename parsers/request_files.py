"""Files of a row a request: reading their rows, and counting what a million requests took in memory that does not grow.

Many rows are taken at once while they are plain, line by line where they are not; no row is kept. Microseconds are counted
to five significant digits: whole milliseconds are exact below 100 s, tenths of them below 10 s, and no figure is more than a
hundredth of a per cent too low. Counts of several files add up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .lines import Lines
from .records import Found, Problem, Timings
from .transcript import is_elision
from .units import rounded

_MOST_PROBLEMS = 20
_MOST_PIECES, _MAIL = 3, 77  # more lines that a row is broken into; columns of a mail
_A_PART = re.compile(r"(?:^|[\s|;&/])(?:head|tail|e?grep|sed|awk|shuf|less|more)\s")


class Rows:
    """The rows of a file, as its format reads them. begins: what each begins with, also a broken one."""

    begins: re.Pattern[str]

    def __init__(self) -> None:
        self.times, self.seconds = Latencies(), Seconds()

    def read(self, line: str) -> Any:
        """The row in this line; None where it is not whole."""
        raise NotImplementedError

    def add(self, row: Any) -> None:
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        raise NotImplementedError

    def take_text(self, text: str) -> int:
        """Take all rows of these lines in and return their number; 0, with nothing taken, where one of them is odd."""
        return 0

    def take_line(self, line: str) -> bool:
        """Take one row in; False where it is none."""
        if (row := self.read(line)) is None:
            return False
        self.add(row)
        return True

    def is_row(self, line: str) -> bool:
        """Whether a line is a row, or a broken one, so that the rows may go on behind it."""
        return self.begins.match(line) is not None

    def is_finished(self, line: str) -> bool:
        """Whether a last row without a line end is as long as its tool prints it."""
        return self.read(line) is not None


@dataclass(slots=True)
class Taken:
    """last: number of the last line that belongs to the rows. whole: nothing of the file is known to be missing."""

    last: int
    n: int = 0
    whole: bool = True
    problems: list[Problem] = field(default_factory=list)
    n_broken: int = 0

    def broken(self, number: int, line: str) -> None:
        """A row that cannot be read: the first ones are named, the others counted."""
        self.n_broken += 1
        self.whole = False
        if self.n_broken <= _MOST_PROBLEMS:
            self.problems.append(Problem(number, f"not a whole row: {line[:80]!r}"))
        elif self.n_broken == _MOST_PROBLEMS + 1:
            self.problems.append(Problem(number, ""))
        if self.n_broken > _MOST_PROBLEMS:
            first = self.problems[_MOST_PROBLEMS].line
            further = self.n_broken - _MOST_PROBLEMS
            self.problems[_MOST_PROBLEMS] = Problem(first, f"from here on {further} more rows that are not whole")


def find_requests(lines: Lines, rows: Rows, command: str | None, first: int, *, is_headed: bool = True) -> Found | None:
    """The rows that come next; None where there is none. first: the line of their heading."""
    taken = take_rows(lines, rows, command)
    whole = is_headed and taken.whole
    return Found(rows.values(), first, taken.last, not whole, taken.problems) if taken.n else None


def make_timings(tool: str, values: Mapping[str, Any], percentiles: str = "spectrum_ms") -> Timings:
    return Timings(tool, values["n_requests"], values[percentiles], values["latency_counts"], values.get("by_second"))


def take_rows(lines: Lines, rows: Rows, command: str | None) -> Taken:
    """Take the rows that come next."""
    taken = Taken(lines.number)
    taken.whole = not _A_PART.search(command or "")
    one_by_one = 0
    while True:
        if not one_by_one:
            text = lines.rows() if rows.is_row((lines.peek() or "").strip()) else ""
            count = rows.take_text(text) if text else 0
            if count:
                lines.take(len(text), count)
                taken.n += count
                taken.last = lines.number
                continue
            one_by_one = max(text.count("\n"), 1)
        one_by_one -= 1
        if not _take_row(lines, rows, taken):
            return taken


def _take_row(lines: Lines, rows: Rows, taken: Taken) -> bool:
    """Take one more row, and blank lines or "..." before it. False, with nothing taken, where the rows are over."""
    passed: list[str] = []
    elided = False
    for line in lines:
        stripped = line.strip()
        cut = lines.cut == lines.number
        if not cut and (not stripped or is_elision(stripped)):
            passed.append(lines.raw)
            elided = elided or bool(stripped)
            continue
        if cut and rows.is_finished(stripped + lines.cut_text):
            stripped, lines.cut, cut = stripped + lines.cut_text, 0, False
        if not cut and rows.take_line(stripped):
            taken.n += 1
        elif cut and rows.is_row(stripped + lines.cut_text):
            taken.whole = False  # the reader says where the text ends
        elif not cut and rows.is_row(stripped) and _take_broken_row(lines, rows, stripped):
            taken.n += 1
        elif not cut and rows.is_row(stripped):
            taken.broken(lines.number, stripped)
        else:
            lines.back(*passed, lines.raw)
            return False
        taken.last = lines.number
        taken.whole = taken.whole and not elided
        return True
    lines.back(*passed)
    return False


def _take_broken_row(lines: Lines, rows: Rows, line: str) -> bool:
    """Take a row that a mail client broke at a blank, with the lines that it goes on in; False, with nothing taken."""
    text, used = line, 0
    for following in lines.ahead(_MOST_PIECES) if len(line) < _MAIL else ():
        if rows.is_row(following.strip()):
            return False
        text, used = f"{text} {following.strip()}", used + 1
        if rows.take_line(text):
            lines.take_next(used)
            return True
    return False


_EXACT = 100_000  # microseconds: below it every one is counted by itself
_MOST_SECONDS = 7200  # intervals; of a longer load each is two seconds, or four, ...
_TAIL = (99.5, 99.9, 99.95, 99.99, 99.995, 99.999, 99.9995, 99.9999)


def bucket(us: int) -> int:
    """The smallest microsecond that is counted together with this one: 123456 → 123450."""
    if us < _EXACT:
        return us
    width: int = 10 ** (len(str(us)) - 5)
    return us - us % width


class Latencies:
    """Counts of latencies, with the least, the most and the sum exact, in microseconds."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.n = self.total = self.most = 0
        self.least = -1

    def add(self, us: int, n: int = 1) -> None:
        key = us if us < _EXACT else bucket(us)
        self.counts[key] = self.counts.get(key, 0) + n
        self.n += n
        self.total += us * n
        self.most = max(self.most, us)
        self.least = us if self.least < 0 else min(self.least, us)

    def rows(self) -> list[list[float]]:
        """[[ms, how many], ...], ascending."""
        return [[ms(us), n] for us, n in sorted(self.counts.items())]

    def percentiles(self, percents: Iterable[float] | None = None) -> dict[str, float]:
        """{"50": ms, ...} of these, or of all that so many requests can tell. "100" is the longest.

        Counted as ab counts: of the requests sorted by time, the one with p per cent of them before it.
        """
        wanted = sorted(percents if percents is not None else percents_for(self.n))
        times: dict[str, float] = {}
        cells = iter(sorted(self.counts.items()))
        time, passed = 0.0, 0
        for percent in wanted if self.n else ():
            rank = min(self.n * round(percent * 10_000) // 1_000_000, self.n - 1)  # 99.9 % of 2000 → 1998
            if passed <= rank:
                while passed <= rank:
                    us, n = next(cells)
                    passed += n
                time = ms(us)
            times[_name_of(percent)] = ms(self.most) if percent == 100 else time
        return times


@cache
def _name_of(percent: float) -> str:
    return f"{percent:g}"


def percents_for(n: int) -> list[float]:
    """Every per cent, then finer ones as long as one request in n makes a difference."""
    return [*map(float, range(100)), *(p for p in _TAIL if n * (100 - p) >= 99.999), 100.0]


def ms(us: float) -> float:
    """Milliseconds without a fraction where there is none."""
    return rounded(us / 1000)


class Seconds:
    """Requests by the second in which each began: how many, what they took in the mean, and the longest."""

    def __init__(self) -> None:
        self.step = 1
        self._cells: dict[int, list[int]] = {}  # n, sum and most in microseconds

    def add(self, second: int, us: int, n: int = 1) -> None:
        cell = self._cells.setdefault(second // self.step, [0, 0, 0])
        cell[0] += n
        cell[1] += us * n
        cell[2] = max(cell[2], us)
        while len(self._cells) > _MOST_SECONDS:
            self._widen()

    def _widen(self) -> None:
        self.step *= 2
        cells, self._cells = self._cells, {}
        for at, (n, total, most) in cells.items():
            cell = self._cells.setdefault(at // 2, [0, 0, 0])
            cell[0] += n
            cell[1] += total
            cell[2] = max(cell[2], most)

    def columns(self, *, epoch: bool) -> dict[str, Any]:
        """{"start_s", "step_s", "at_s", "n", "mean_ms", "max_ms"}; an interval without requests is not there.

        at_s counts from start_s, which is None where the clock is the load's own (epoch False).
        """
        cells = sorted(self._cells.items())
        start = cells[0][0] if cells and epoch else 0
        return {
            "start_s": start * self.step if epoch else None,
            "step_s": self.step,
            "at_s": [(at - start) * self.step for at, _ in cells],
            "n": [n for _, (n, _, _) in cells],
            "mean_ms": [round(total / n / 1000, 3) for _, (n, total, _) in cells],
            "max_ms": [ms(most) for _, (_, _, most) in cells],
        }


class MinMaxMean:
    """Least, most and mean of whole numbers."""

    def __init__(self) -> None:
        self.n = self.total = 0
        self.least: int | None = None
        self.most = 0

    def add(self, counts: Mapping[int, int]) -> None:
        """Take in {number: how often}."""
        if counts:
            self.n += sum(counts.values())
            self.total += sum(figure * n for figure, n in counts.items())
            self.most = max(self.most, *counts)
            self.least = min(counts) if self.least is None else min(self.least, *counts)

    def as_dict(self) -> dict[str, float]:
        return {"min": self.least or 0, "max": self.most, "mean": round(self.total / self.n, 6)} if self.n else {}
