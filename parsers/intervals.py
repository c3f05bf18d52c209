"""What sysstat's sar, mpstat and pidstat have in common: titles, and rows below that begin with a time or with "Average:".

One interval is one block: all rows of one time, under as many titles as the tool was asked for. Titles are printed once,
once a screenful or once an interval, so that the columns are kept between two blocks (`Lines.memory`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .lines import Lines
from .multiline import peek_rest
from .records import Found, Problem
from .units import number

# "Average:" and "Summary:" (of file systems) as sysstat's own translations have it.
_AVERAGE = (
    "Average|Gemideld|Průměr|Middel|Durchschn\\.|Meznombro|Media|Batezbestekoa|Keskiarvo|Moyenne|Medie|Prosjek|Átlag"
    "|Rata-rata|平均値|평균값|Орточо|Vidēji|Medja|Gj\\.snitt|Gemiddeld|Średnia|Média|Среднее|Priemer|Просек|Genomsnitt"
    "|Ortalama|Середнє|Trung bình|平均时间|平均時間"
    "|Summary|Kopsavilkums|Laburpena|Podsumowanie|Resumen?|Resumo|Rezumat|Ringkasan|Résumé|Samenvatting|Sammanfattning"
    "|Sammendrag|Sažetak|Sintesi|Sommario|Souhrn|Sumário|Súhrn|Tổng kết|Yhteenveto|Zusammenfassung|Összegzés|Özet|Резюме"
    "|Сажетак|Сводка|サマリ|总计|요약"
)
# Some locales put the time zone behind it ("11:41:07  IST"); BAT is a title.
_CLOCK = r"\d\d[:.時时시]\s?\d\d[:.分분]\s?\d\d[秒초]?(?:\s[AP]M(?!\S))?(?:\s{1,2}(?!BAT)(?:UTC|[A-Z]{2,4}T)(?!\S))?"
STAMP = rf"(?:{_CLOCK}|\d{{10}}(?=\s)|Average:)"  # with which titles may begin a text; any other average only goes on

_UNTIMED = "Time"  # above the rows of pidstat -h
_LAST = "Command"  # a title that is always the last one; its column is the rest of the line
_STAMP = re.compile(rf"({_CLOCK}|(?:{_AVERAGE})\s?[::]|{_UNTIMED}|\d{{10}})\s+(?=\S)")  # the wide colon is Chinese
_TIMES = re.compile(_CLOCK)
_AVERAGES = re.compile(rf"(?:{_AVERAGE})\s?[::]")
_TITLE = re.compile(r"%?(?:[A-Za-z]|\d+/s$)[\w/%.+-]*")
_UNIT = re.compile(r"(.*?)(kB|kb|MB)_?(.*)")
_SPECIAL = {"areq-sz": "_kb", "avgrq-sz": "_sectors", "await": "_ms", "svctm": "_ms", "vsz": "_kb", "rss": "_kb"}
_SIZE = re.compile(r"(\d+(?:[.,]\d+)?)([BkMGTP])")
_FACTOR = {"B": 1 / 1024, "k": 1, "M": 1024, "G": 1024**2, "T": 1024**3, "P": 1024**4}
_SPECIAL |= {"stksize": "_kb", "stkref": "_kb"}
_SOON = 6
_MOST = 40  # lines that a mail client may make of one
_LONGEST = 32  # characters of a metric's name

Row = dict[str, Any]


def metric(kind: str, which: str, name: str) -> str:
    """What a figure of one device or interface is called among the machine's: "disk_vda_util_pct"."""
    return f"{kind}_{which[: _LONGEST - len(kind) - len(name) - 2]}_{name}"


@lru_cache(maxsize=4096)
def column(title: str) -> tuple[str, int]:
    """(our name of a column, what its figures are multiplied with): "rkB/s" -> ("r_kb_per_s", 1), "%usr" -> ("usr_pct", 1)."""
    name, unit, factor = title.removesuffix("/s"), "", 1
    rate = "_per_s" if name != title else ""
    if name.startswith("%"):
        name, unit = name[1:], "_pct"
    elif size := _UNIT.fullmatch(name):
        name, unit, factor = f"{size[1]}_{size[3]}", "_kb", 1024 if size[2] == "MB" else 1
    else:
        unit = next((u for end, u in _SPECIAL.items() if name.lower().endswith(end)), "")
    return re.sub(r"\W+|_+", "_", name).strip("_").lower() + unit + rate, factor


def figure(text: str, factor: int = 1) -> int | float | None:
    """A printed figure times `factor`; None for what is not known ("-", "nan"). Raises ValueError for a text that is none.

    --human prints a "%" behind shares, and sizes with a unit of their own, which are KiB here whatever the title says.
    """
    if text == "-" or text.lstrip("+-").lower() in ("nan", "inf"):
        return None
    if size := _SIZE.fullmatch(text):
        return round(number(size[1]) * _FACTOR[size[2]], 3)
    value = number(text.removesuffix("%"))
    return value * factor if factor != 1 else value


@dataclass(slots=True)
class Interval:
    """Rows of one time. `clock` is HH:MM:SS of 24 hours, None for an average; `tables` are (titles, rows), rows by title."""

    first: int
    last: int
    clock: str | None = None
    average: bool = False
    tables: list[tuple[list[str], list[Row]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tool:
    """What one of the tools has of its own.

    titles   whether these words are its titles
    texts    titles of the columns that may hold a text
    values   what the tables of an interval tell
    """

    kind: str
    titles: Callable[[list[str]], bool]
    texts: frozenset[str]
    values: Callable[[Interval], Row]

    def parse(self, lines: Lines, command: str | None) -> Found | None:
        """An interval below titles of its own, the first of a run."""
        return _read_interval(lines, self, [], 0)

    def follows(self, lines: Lines, command: str | None) -> Found | None:
        """The next interval of the same run."""
        return _read_interval(lines, self, *lines.memory.get(self.kind, ([], 0)))


def _read_interval(lines: Lines, tool: Tool, titles: list[str], count: int) -> Found | None:
    reading = _Reading(lines, tool, titles)
    interval = reading.read()
    if interval is None:
        return None
    count = 0 if interval.average else count + 1
    lines.memory[tool.kind] = (reading.titles, count)
    head: Row = {"average": "all"} if interval.average else {"iteration": count}
    if interval.clock:
        head["time"] = interval.clock
    # A column may have a title of these names.
    return Found(head | tool.values(interval) | head, interval.first, interval.last, False, interval.problems)


class _Reading:
    def __init__(self, lines: Lines, tool: Tool, titles: list[str]) -> None:
        self.lines = lines
        self.tool = tool
        self.titles = titles
        self.heading = self.stamp = ""  # what the interval's titles and its rows begin with
        self.wraps = 0  # how many lines were the rest of a command
        self.found = Interval(0, 0)

    def read(self) -> Interval | None:
        for line in self.lines.texts(elisions=True):
            text = line.removeprefix("#").lstrip()
            number, stamp = self.lines.number, _STAMP.match(text)
            if stamp is None or not self._take_line(stamp[1], text, text[stamp.end() :]):
                self.lines.refuse()
                break
            self.found.first = self.found.first or number
            self.found.last = self.lines.number
        self.found.tables = [(titles, rows) for titles, rows in self.found.tables if rows]
        return self.found if self.found.tables or self.found.problems else None

    def _take_line(self, stamp: str, line: str, text: str) -> bool:
        """Take titles or a row in. False where it is none of this interval's."""
        if self.tool.titles(text.split()):
            return self._take_titles(stamp, line, text)
        if not self.titles or (self.stamp and stamp != self.stamp):
            return False
        return self._take_row(stamp, line, text)

    def _take_titles(self, stamp: str, line: str, text: str) -> bool:
        """A heading has the time of the interval before: with another one, or below rows without one, the next begins."""
        if (self.heading or self.stamp) and (stamp != self.heading or stamp == _UNTIMED):
            return False
        self.heading = stamp
        self.titles = text.split()
        while self.titles[-1] != _LAST and (more := peek_rest(self.lines, line, _STAMP)):
            words = more.split()
            if not all(_TITLE.fullmatch(word) for word in words):
                break
            line = self.lines.take_next()
            self.titles += words
        self.found.tables.append((self.titles, []))
        return True

    def _take_row(self, stamp: str, line: str, text: str) -> bool:
        number, most = self.lines.number, len(self.titles)
        named = self.titles[-1] == _LAST
        cells = text.split(None, most - 1)
        while (len(cells) < most or named) and (more := peek_rest(self.lines, line, _STAMP)):
            if len(cells) == most and not (self.wraps or self._a_row_soon()):
                break
            if self.lines.number - number > _MOST:
                break
            self.wraps += len(cells) == most
            line = self.lines.take_next()
            text = f"{text} {more}"
            cells = text.split(None, most - 1)
        if not named and len(cells) == most and " " in cells[-1]:
            cells = text.split()  # too many
        row = self._read_cells(cells)
        if row is None and sum(word[0].isdigit() for word in cells) * 2 < len(cells):
            return False
        if row is None:
            self._report_odd(number, text)
        if not self.stamp:
            self.stamp, self.found.clock = stamp, clock(stamp)
            self.found.average = bool(_AVERAGES.fullmatch(stamp))
        if row:
            if not self.found.tables:
                self.found.tables.append((self.titles, []))
            self.found.tables[-1][1].append(row)
        return True

    def _read_cells(self, cells: list[str]) -> Row | None:
        """A row by our names of its columns; None where it is none. The text's last line may lack some at its end."""
        if len(cells) != len(self.titles) and not (len(cells) < len(self.titles) and self.lines.unended()):
            return None
        row: Row = {}
        for title, text in zip(self.titles, cells, strict=False):
            name, factor = column(title)
            try:
                row[name] = figure(text, factor)
            except ValueError:
                if title not in self.tool.texts:
                    return None
                row[name] = text
        return row if len(row) > sum(title in self.tool.texts for title in self.titles[: len(cells)]) else None

    def _report_odd(self, number: int, text: str) -> None:
        if not self.lines.unended():
            message = f"expected {len(self.titles)} figures, found {text[:60]!r}"
            self.found.problems.append(Problem(number, message))

    def _a_row_soon(self) -> bool:
        return any(_STAMP.match(line.strip()) for line in self.lines.ahead(_SOON))


def clock(stamp: str) -> str | None:
    """ "05:47:08 PM" and "17時47分08秒" -> "17:47:08"; None for an average and for a time in seconds."""
    parts = re.findall(r"\d\d", stamp) if _TIMES.fullmatch(stamp) else []
    if len(parts) != 3:
        return None
    hour = int(parts[0])
    if " AM" in stamp or " PM" in stamp:
        hour = hour % 12 + (12 if " PM" in stamp else 0)
    return f"{hour:02}:{parts[1]}:{parts[2]}"


# --- prints of any monitor ------------------------------------------------------------------------------------------------
_NEAR = 3


def iteration(lines: Lines, kind: str, first: int, last: int, above: str) -> int:
    """Which print of one run this is, from 1: one more than that of the block right before, with nothing but blanks between.

    first, last     lines of this block
    above           `lines.raw` as its reading began
    """
    before, count = lines.memory.get(kind, (None, 0))
    gap = first - before if before is not None else 0
    count = count + 1 if gap == 1 or (0 < gap <= _NEAR and not above.strip()) else 1
    lines.memory[kind] = (last, count)
    return int(count)
