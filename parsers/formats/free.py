"""free: procps' and busybox' table of memory, one block a sample.

Reads     the header and its rows in any unit (-b -k -m -g, -h with or without --si), -w, -t, -l, -v, -L, and repeats by -s, in the
          languages that procps is translated into
Yields    SystemSample, and HostFacts with the RAM and swap
Units     KiB; free prints no unit but for -h, so it is taken from the command, else from what a total can be
Quirks    before 3.3.10 "buffers" and "cached" stand apart, with a row "-/+ buffers/cache"; old kernels have no "available"
Source    procps' src/free.c, 3.2 to 4.0, and busybox' procps/free.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..multiline import join_rest, match_joined
from ..records import Found, HostFacts, Problem, Record, SystemSample
from ..units import name_words, rounded

KIND = "free"
COMMAND = r"(?:^|[\s/;&|(])free(?:\s+-|\s*$|\s*[|;&>])"
PROGRAMS = ("free",)
_ALONE = re.compile(r"(?:sudo\s+)?(?:\S*/)?free(?:\s+-[\w-]+(?:[ =]\d+)?)*")
MEMORY_ONLY = True
# Titles of free's columns, and what its rows begin with, in lower case, in procps' own translations.
_COLUMNS = {
    "total": "gesamt razem totalt 총계 загалом",
    "used": "benutzt belegt usado usada utilisé utilizată użyte używane użyty använt anv. 사용 використ.",
    "free": "frei libre livre liberă wolne wolny fritt 여분 вільна",
    "shared": "gemns. gemeins. gemeinsam compartido compart. partagé partajată dzielone dzielony delat 공유 спільна",
    "buff/cache": "puffer/cache búf/caché tamp/cache buf/cache 버퍼/캐시 буфери/кеш",
    "buffers": "puffer búfer búferes tampons bufory buffertar 버퍼 буфери",
    "cache": "caché 캐시 кеш",
    "available": "verfügbar disponible disponível disponibilă dostępne tillgängl. 가용 дост.",
}
_ROWS = {
    "mem": "speicher mem. pamięć minne 메모리 пам. 内存 bnhớ",
    "swap": "auslagerungsdatei inter intercambio échange wymiana växl. своп. 交换",
    "total": "gesamt razem totalt загалом 总量",
    "low": "niedrig baja baixa basse niska lågt нижня 低",
    "high": "hoch alta haute wysoka högt верхня 高",
}
_TOTAL, _USED, _FREE = ("|".join(map(re.escape, _COLUMNS[name].split())) for name in ("total", "used", "free"))
OPENS = (
    r"(?:Output\s*)?total\s+used\s+free\s+(?:shared\s+buff|buffers)\S*"
    r"|SwapUse\s+[\d.]"
    rf"|(?:total|{_TOTAL})\s+(?:{_USED})\s+(?:{_FREE})\s+[^\W\d]|Gesamt\s+Belegt\s+Frei\s"
)

_COLUMN = name_words({name: f"{name} {others}" for name, others in _COLUMNS.items()} | {"cached": "cached"})
_LABEL = name_words({name: f"{name} {others}" for name, others in _ROWS.items()} | {"comm": "comm"})
_MORE_SIZES = re.compile(r"(?:\d++(?:[.,]\d++)?+(?:B|[KMGTP]i?B?)?\s*)+")
_ROW = re.compile(r"(-/\+ [^\s:]+|Comm|[^\W\d][^\d:：]{0,24}?)\s?[:：]\s+(\S.*)")
_SIZE = re.compile(r"(\d+(?:[.,]\d+)?)(B|([KMGTP])(i?)B?)?")
_ONE_LINE = re.compile(r"SwapUse\s+(\S+)\s+CachUse\s+(\S+)\s+MemUse\s+(\S+)\s+MemFree(?:\s+(\S+))?")
_IN_ONE_LINE = ("swap_used_kb", "mem_buff_cache_kb", "mem_used_kb", "mem_free_kb")
_ORDER = "KMGTP"
_UNIT_KB = {"b": 1 / 1024, "k": 1, "m": 1024, "g": 1024**2, "t": 1024**3}
_DECIMAL = {"b": 1 / 1024, "k": 1000 / 1024, "m": 1e6 / 1024, "g": 1e9 / 1024, "t": 1e12 / 1024}
_LONG = {"bytes": "b", "kibi": "k", "mebi": "m", "gibi": "g", "tebi": "t"}
_LONG_SI = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t"}


def claims(command: str) -> bool:
    return "free" in command and bool(_ALONE.fullmatch(command.strip()))


def parse(lines: Lines, command: str | None) -> Found | None:
    if not lines.ahead(1):
        return None
    lines.skip_blank()
    first = lines.number + 1
    if (lines.peek() or "").lstrip().startswith("SwapUse"):
        return _parse_one_line(lines, command or "")
    # What a page calls everything that is printed sticks to it in Markdown that was made of the page.
    opening = next(lines).strip().removeprefix("Output")
    columns = _read_columns(join_rest(lines, opening, lambda more: bool(_read_columns(more))))
    columns = columns or _name_by_place(opening, next(filter(None, map(str.strip, lines.ahead(3))), ""))
    if columns[:3] != ["total", "used", "free"] or len(columns) < 4:
        lines.step_back()
        return None
    table = _Table(lines, columns, _find_unit(command or ""), 1000 if "--si" in (command or "").split() else 1024)
    for text in lines.texts():
        if not table.take(text):
            lines.refuse()
            break
    values = table.values
    if not values and not table.problems:
        return None
    _believe(values, table.unit)
    values["sample"] = _number_of(lines, command, first)
    return Found(
        values, first, lines.last, "mem_total_kb" not in values or "swap_total_kb" not in values, table.problems
    )


def _parse_one_line(lines: Lines, command: str) -> Found | None:
    """-L: what is used of swap, of the caches and of memory, and what is free, without any total."""
    line, first = lines.take_next(), lines.number
    match = match_joined(
        lines, line, lambda text: None if text.endswith("MemFree") else _ONE_LINE.fullmatch(text)
    ) or _ONE_LINE.fullmatch(line)
    base = 1000 if "--si" in command.split() else 1024
    sizes = _parse_figures(" ".join(filter(None, match.groups())), _find_unit(command), base) if match else None
    if sizes is None or len(sizes) < len(_IN_ONE_LINE) - 1:  # the last one may be cut off
        return None
    values: dict[str, Any] = dict(zip(_IN_ONE_LINE, sizes, strict=False))
    values["sample"] = _number_of(lines, command, first)
    return Found(values, first, lines.number)


def _read_columns(text: str) -> list[str]:
    """Our names of free's columns; none where one word is no title of free's."""
    names = [_COLUMN.get(word, "").replace("/", "_") for word in text.lower().split()]
    return names if all(names) else []


def _name_by_place(titles: str, below: str) -> list[str]:
    """Our names of the columns by their order, where the titles are in another language and a row's figures add up."""
    row = _ROW.fullmatch(below)
    sizes = (_parse_figures(row[2], 1, 1024) or []) if row else []
    if len(sizes) not in (6, 7) or re.search(r"\d", titles) or not len(sizes) <= len(titles.split()) <= len(sizes) + 1:
        return []
    caches = ["buff_cache"] if len(sizes) == 6 else ["buffers", "cache"]
    is_new = sum(sizes[1:3]) < sizes[0] * 0.999 or sizes[-1] > sizes[-2]  # old: what is used holds the caches, too
    last = [*caches, "available"] if is_new or len(sizes) == 7 else ["buffers", "cached"]
    return ["total", "used", "free", "shared", *last]


class _Table:
    """One sample's rows while they are being read.

    unit    KiB that a printed figure is, None where nothing tells
    base    what a size's K, M and G are powers of, where no "i" stands behind them
    """

    def __init__(self, lines: Lines, columns: list[str], unit: float | None, base: int) -> None:
        self.lines = lines
        self.columns = columns
        self.unit = unit
        self.base = base
        self.values: dict[str, Any] = {}
        self.problems: list[Problem] = []

    def take(self, line: str) -> bool:
        """Take one line in; False where it is none of this sample's."""
        row = _ROW.fullmatch(line)
        names = self._names(row[1], row[2].split(None, 1)[0]) if row else []
        if row is None or not names or names[0] in self.values:
            return False
        figures = self._parse_figures(row)
        if figures is not None:
            self.values |= dict(zip(names, figures, strict=False))
        elif self.lines.cut != self.lines.number:
            self.problems.append(Problem(self.lines.number, f"expected sizes, found {row[2][:60]!r}"))
        return True

    def _names(self, label: str, total: str) -> list[str]:
        """What the figures of a row are called; none where it is no row of free's."""
        if "-/+" in label:
            return ["minus_buffers_used_kb", "plus_buffers_free_kb"]
        name = _LABEL.get(label.lower()) or self._name_row_by_place(total)
        return [f"{name}_{column}_kb" for column in self.columns] if name else []

    def _name_row_by_place(self, total: str) -> str:
        """ "mem", "low", "high" or "swap", for a row whose label is in another language: free prints them in this order."""
        left = [name for name in ("mem", "low", "high", "swap") if f"{name}_total_kb" not in self.values]
        if left[:1] == ["low"] and _parse_figures(total, self.unit, self.base) != [self.values["mem_total_kb"]]:
            return "swap"  # without -l, or all memory of the machine is low
        return left[0] if "swap" in left else ""

    def _parse_figures(self, row: re.Match[str]) -> list[int | float] | None:
        figures = _parse_figures(row[2], self.unit, self.base)
        if (
            _LABEL.get(row[1].lower(), "mem") == "mem"
            and figures
            and len(figures) == len(row[2].split()) < len(self.columns)
        ):
            return _parse_figures(
                join_rest(self.lines, row[2], lambda more: bool(_MORE_SIZES.fullmatch(more))), self.unit, self.base
            )
        return figures


def _find_unit(command: str) -> float | None:
    """KiB that one printed unit is, by the command's options; None where the command is not shown."""
    words = command.replace("|", " | ").split()
    if not any(word.rpartition("/")[2] == "free" for word in words):
        return None
    options = [word for word in words if word.startswith("-")]
    si = "--si" in options
    unit = 1000 / 1024 if si else 1.0
    for option in options:
        if option.startswith("--"):
            name = option[2:]
            if name in _LONG or name in _LONG_SI:
                unit = _UNIT_KB[_LONG[name]] if name in _LONG else _DECIMAL[_LONG_SI[name]]
        else:
            for letter in option[1:]:  # -t is a row of totals: there is no short option for TiB
                unit = (_DECIMAL if si else _UNIT_KB)[letter] if letter in "bkmg" else unit
    return unit


def _parse_figures(text: str, unit: float | None, base: int) -> list[int | float] | None:
    """The row's sizes in KiB; a remark behind them ends them."""
    figures: list[int | float] = []
    for word in text.split():
        size = _SIZE.fullmatch(word)
        if size is None:
            break
        value = float(size[1].replace(",", "."))
        if size[2] is None:
            factor = unit if unit is not None else 1.0
        elif size[2] == "B":
            factor = 1 / 1024
        else:
            factor = (1024 if size[4] else base) ** (_ORDER.index(size[3]) + 1) / 1024
        figures.append(rounded(value * factor))
    return figures or None


def _number_of(lines: Lines, command: str | None, first: int) -> int:
    """Which sample of one command this is: one more than that of the block right before."""
    before = lines.memory.get(KIND)
    number = before[1] + 1 if before and before[0] == command and first - before[2] <= _APART else 1
    lines.memory[KIND] = (command, number, lines.number)
    return number


_APART = 4
# Of a machine's RAM in KiB: a lower total was printed in MiB or GiB. It is above 64 GiB in MiB, and above 128 GiB where the
# column "available" tells that the tool is not old.
_LEAST_KB, _LEAST_NEW_KB = 68_000, 136_000


def _believe(values: dict[str, Any], unit: float | None) -> None:
    """Without a command, a total of 992 is MiB and one of 2090201088 bytes; KiB otherwise, free's default."""
    total = values.get("mem_total_kb")
    if unit is not None or not isinstance(total, int):
        return
    least = _LEAST_NEW_KB if "mem_available_kb" in values else _LEAST_KB
    factor = 1024 if total < least else 1 / 1024 if total > 512 * 1024**2 else 1
    for name, value in list(values.items()) if factor != 1 else ():
        scaled = value * factor
        values[name] = int(scaled) if scaled == int(scaled) else scaled


def records(values: dict[str, Any]) -> list[Record]:
    names = {"mem_buff_cache_kb": "mem_buff_cache_kb", "mem_cache_kb": "mem_cached_kb"}
    metrics = {
        names.get(name, name): float(value)
        for name, value in values.items()
        if name.startswith(("mem_", "swap_")) and isinstance(value, int | float)
    }
    samples: list[Record] = [SystemSample(tool=KIND, clock=None, metrics=metrics)]
    if "mem_total_kb" in metrics:
        swap = metrics.get("swap_total_kb")
        samples.append(HostFacts(ram_kb=int(metrics["mem_total_kb"]), swap_kb=int(swap) if swap is not None else None))
    return samples
