"""top_macos: the top of macOS, one screen a block, its summary and its process table.

Reads     `top -l N` with any columns (-stats), and what a terminal shows, where several parts stand on one line
Yields    SystemSample and a ProcessSample a row
Units     KiB for memory whatever the screen shows, per cent, seconds
Quirks    commands are cut to 16 characters and have blanks in them; "+" and "-" behind a figure say how it moved; MEM is what
          the process is charged with, compressed pages too; memory "unused" is what no one holds; the first screen of
          several has no %CPU yet
Source    Apple's top, globalstats.c and layout.c
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import iteration
from ..lines import Lines
from ..multiline import was_broken
from ..records import Found, Record, SystemSample
from ..tables import Table, samples
from ..units import clock_s, number, rounded

KIND = "top_macos"
PROGRAMS = ("top",)
OPENS = r"Processes:\s+\d+ total,|Load Avg: \d|CPU usage: [\d.]+% user|PhysMem: \d|PID\s+COMMAND\s+\S.*(?:#TH|%CPU|MEM)"

_TASKS = re.compile(r"(\d+) (total|running|stuck|sleeping|threads)")
_CLOCK = re.compile(r"(?:^|\s)(\d\d:\d\d:\d\d)\s*$")
_DATE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d")
_LOADS = re.compile(r"Load Avg: ([\d.]+), ([\d.]+), ([\d.]+)")
_CPU = re.compile(r"CPU usage: ([\d.]+)% user, ([\d.]+)% sys, ([\d.]+)% idle")
_MEMORY = re.compile(r"PhysMem: (\d+[BKMGT]) used(?: \(([^)]*)\))?, (\d+[BKMGT]) unused")
_PARTS = re.compile(r"(\d+[BKMGT]) (wired|compressor)")
_SWAPS = re.compile(r"(\d+)\(\d+\) swapins, (\d+)\(\d+\) swapouts")
_MORE = re.compile(r"(?:SharedLibs|MemRegions|VM|Networks|Disks|Swap):\s|Purgeable:")
_BEGINS = re.compile(
    r"(?:Processes|Load Avg|CPU usage|SharedLibs|MemRegions|PhysMem|VM|Networks|Disks|PID)\b|\d{4}/\d\d/\d\d "
)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([BKMGT])[+-]?")
_MOST = 12  # lines that a mail client may make of one
_FACTOR = {"B": 1 / 1024, "K": 1, "M": 1024, "G": 1024**2, "T": 1024**3}
_COLUMNS = {
    "%CPU": "cpu_pct",
    "TIME": "time_s",
    "#TH": "nth",
    "#WQ": "nwq",
    "#PORTS": "nports",
    "#POR": "nports",
    "#MREGS": "nmregs",
    "MEM": "mem_kb",
    "RSIZE": "rss_kb",
    "VSIZE": "vsz_kb",
    "PURG": "purg_kb",
    "CMPRS": "cmprs_kb",
    "STATE": "state",
    "USER": "user",
}


def parse(lines: Lines, command: str | None) -> Found | None:
    return _Screen(lines).read()


class _Screen:
    """One screen while it is being read."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.above = lines.raw
        self.values: dict[str, Any] = {}
        self.titles: list[str] = []
        self.rows: list[dict[str, Any]] = []
        self.first = self.last = 0

    def read(self) -> Found | None:
        for text in self.lines.texts():
            number = self.lines.number
            if not (self._take_row(text) if self.titles else self._take_header(text) or self._take_summary(text)):
                self.lines.refuse()
                break
            self.first, self.last = self.first or number, self.lines.number
        if not self.values and not self.rows:
            return None
        count = iteration(self.lines, KIND, self.first, self.last, self.above)
        values: dict[str, Any] = {"iteration": count, **self.values}
        if self.titles:
            values |= {"n_processes": len(self.rows), "processes": self._make_table()}
        return Found(values, self.first, self.last, len(self.values) < 6)

    def _make_table(self) -> Table:
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        return Table({name: [row.get(name) for row in self.rows] for name in names}, len(self.rows))

    def _take_summary(self, text: str) -> bool:
        """Take a line of the summary in. False where it is none, or belongs to the next screen."""
        if not _BEGINS.match(text) or (text.startswith("Processes:") and self.values):
            return False
        text = self._join_line(text)
        new = _read_figures(text)
        self.values |= new
        return bool(new) or bool(_MORE.match(text))

    def _join_line(self, text: str) -> str:
        """The line with its rest, where a mail client broke it."""
        last, number = text, self.lines.number
        while (ahead := self.lines.ahead(1)) and was_broken(last, ahead[0]) and not _BEGINS.match(ahead[0].strip()):
            if self.lines.number - number > _MOST:
                break
            last = self.lines.take_next()
            text = f"{text} {last}"
        return text

    def _take_header(self, text: str) -> bool:
        words = text.split()
        if words[:1] != ["PID"] or "COMMAND" not in words[:2]:
            return False
        while (ahead := self.lines.ahead(1)) and re.fullmatch(
            r"[A-Z#%][A-Z#%_]*(?:\s+[A-Z#%][A-Z#%_]*)*", ahead[0].strip()
        ):
            words += self.lines.take_next().split()
        self.titles = words
        return True

    def _take_row(self, text: str) -> bool:
        number, whole, row = self.lines.number, text, self._split_fields(text)
        while row is None and whole[:1].isdigit() and (ahead := self.lines.ahead(1)):
            if self.lines.number - number > _MOST:
                break
            if not was_broken(text, ahead[0]) or self._split_fields(ahead[0].strip()) is not None:
                break
            text = self.lines.take_next()
            whole = f"{whole} {text}"
            row = self._split_fields(whole)
        if row is None:
            return False
        self.rows.append(row)
        return True

    def _split_fields(self, text: str) -> dict[str, Any] | None:
        """One row: the command is what is left between the pid and as many words as there are other columns."""
        words, others = text.split(), self.titles[2:]
        if len(words) < len(others) + 2 or not words[0].rstrip("*+-").isdigit():
            return None
        figures = words[len(words) - len(others) :]
        row: dict[str, Any] = {"pid": int(words[0].rstrip("*+-")), "command": " ".join(words[1 : -len(others)])}
        try:
            for title, word in zip(others, figures, strict=True):
                row[_COLUMNS.get(title, re.sub(r"\W+", "n", title).lower())] = _parse_figure(title, word)
        except ValueError:
            return None
        return row


def _read_figures(text: str) -> dict[str, Any]:
    """What a line of the summary tells; a terminal's has several parts."""
    figures: dict[str, Any] = {}
    if text.startswith("Processes:"):
        figures = {"tasks_total" if what == "total" else f"tasks_{what}": int(n) for n, what in _TASKS.findall(text)}
    if clock := _CLOCK.search(text) if text.startswith("Processes:") or _DATE.match(text) else None:
        figures["time"] = clock[1]
    if loads := _LOADS.search(text):
        figures |= {name: number(load) for name, load in zip(("load1", "load5", "load15"), loads.groups(), strict=True)}
    if cpu := _CPU.search(text):
        figures["cpu"] = {name: number(share) for name, share in zip(("us", "sy", "id"), cpu.groups(), strict=True)}
    if memory := _MEMORY.search(text):
        figures |= {"mem_used_kb": _parse_size(memory[1]), "mem_unused_kb": _parse_size(memory[3])}
        figures |= {f"mem_{what}_kb": _parse_size(size) for size, what in _PARTS.findall(memory[2] or "")}
    if swaps := _SWAPS.search(text):
        figures |= {"swapins": int(swaps[1]), "swapouts": int(swaps[2])}
    return figures


def _parse_figure(title: str, word: str) -> Any:
    if word == "N/A":
        return None
    if title in ("MEM", "RSIZE", "VSIZE", "PURG", "CMPRS"):
        return _parse_size(word)
    if title == "TIME":
        return clock_s(word.rstrip("+-"))
    if title == "%CPU":
        return float(number(word))
    if title in ("STATE", "USER", "#TH", "BOOSTS", "SEQ"):
        return word
    bare = word.rstrip("+-")
    return int(bare) if bare.isdigit() else bare


def _parse_size(text: str) -> int | float:
    """ "15G" -> 15728640. Raises ValueError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    return rounded(float(match[1]) * _FACTOR[match[2]], 3)


_METRICS = {"mem_used_kb": "mem_used_kb", "mem_unused_kb": "mem_free_kb", "mem_wired_kb": "mem_wired_kb"}


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {f"cpu_{name}": float(share) for name, share in values.get("cpu", {}).items()}
    metrics |= {name: float(values[name]) for name in values if name.startswith(("load", "tasks_"))}
    metrics |= {to: float(values[name]) for name, to in _METRICS.items() if name in values}
    table_records: list[Record] = [SystemSample(tool=KIND, clock=values.get("time"), metrics=metrics)]
    table = values.get("processes")
    return (
        table_records + list(samples(table, rss="rss_kb" if "rss_kb" in table.columns else "mem_kb"))
        if isinstance(table, Table)
        else table_records
    )
