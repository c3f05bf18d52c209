"""top: one screen a block, its summary and its process table, or either alone.

Reads     procps 3.2 to 4.0 ("Cpu(s): 70.0%us" and "%Cpu(s): 70.0 us", k/m/g, KiB/MiB/GiB, per-CPU lines, two abreast,
          bars), also as translated, and 2 ("CPU states:", below a line that is uptime's), busybox, toybox, FreeBSD's summary
          and table
Yields    SystemSample and a ProcessSample a row
Units     KiB for memory whatever the screen shows, per cent, seconds
Quirks    a decimal comma in some locales; a "+" behind a memory figure means that its last digits are cut off: null;
          %CPU is of one CPU; with -H the rows are threads
Source    procps top.c (summary_show, task_show), busybox and toybox top.c
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..lines import Lines
from ..records import Found, Problem, ProcessSample, Record, SystemSample
from ..tables import RowReader, Table, name_once, samples
from ..top_summary import Summary, begins_with_tasks, is_uptime
from ..transcript import is_elision
from ..units import name_words

KIND = "top"
BEGINS = r"top - \d\d:\d\d:\d\d up [\w :,]{1,60}load average: [\d.,]{1,12}, [\d.,]{1,12}, [\d.,]{1,12}[ \t\r]{0,9}\n"
PROGRAMS = ("top",)
LISTS_ALL = False
OPENS = (
    r"top - \d\d?:\d\d|\d\d?:\d\d(?::\d\d)?(?:[ap]m)?\s+up\s+\d|\d+ processes:\s*\d+ \w+, |CPU\d* states:\s+\d"
    r"|last pid:\s*\d+;|(?:Tasks|Threads|任务|Tareas|Tâches|Tarefas|Hilos):\s*\d+ total,"
    r"|%?Cpu(?:\(s\)|\d+)\s*:\s*\.?\d|CPU:\s+[\d.]+% (?:usr|user)"
    r"|\d+%cpu\s+\d+%user|(?:[KMGT]iB )?(?:Mem|Swap)\s?:\s*[\d.,]+\+?\s?[kKMGT]?\s?\+?(?:total|used|Active),"
    r"|PID\s+(?:PPID\s+)?USER(?:NAME)?\s.*(?:\bRES\b|\bVIRT\b|\bVSZ\b|\bSIZE\b).*%?W?CPU"
    r"|(?=(?:[A-Z%][A-Z%+]*+\s++){1,12}PID\s)(?=.*(?:\bRES\b|\bVIRT\b|TIME\+))(?=.*%CPU)"
    r"|PID\s(?=.*(?:\bRES\b|\bVIRT\b|TIME\+))(?=.*%CPU)"
)

_COLUMNS = name_words(
    {"pid": "PID", "ppid": "PPID", "user": "USER USERNAME", "pr": "PRI", "ni": "NICE", "virt_kb": "VIRT VSZ SIZE"}
    | {
        "res_kb": "RES RSS",
        "shr_kb": "SHR SHARE",
        "swap_kb": "SWAP",
        "state": "S STAT STATE",
        "cpu_pct": "%CPU WCPU CPU",
    }
    | {"mem_pct": "%MEM", "virt_pct": "%VSZ", "time_s": "TIME+ TIME", "command": "COMMAND Command ARGS CMD NAME"}
)
_COMMANDS = ("COMMAND", "ARGS", "CMD", "Command", "NAME")
_GLUED = re.compile(r"([A-Z%].*?\s(?:COMMAND|ARGS|CMD|NAME))\s+(?=\d+\s)")  # the first row, right behind the titles


@lru_cache(maxsize=64)
def _names(header: str) -> list[str] | None:
    """Names of the columns below a header, None where it is not top's; every screen of a log has the same one."""
    words = header.split()
    if "PID" not in words or not {"%CPU", "WCPU", "RES", "VIRT", "TIME+"} & set(words):
        return None
    return name_once([(_COLUMNS.get(word, word.lower()), word.lower()) for word in words])


def parse(lines: Lines, command: str | None) -> Found | None:
    ahead = lines.ahead(2)
    if ahead and is_uptime(ahead[0].strip()) and not begins_with_tasks(ahead[1:]):
        return None
    return _Screen(lines).read()


class _Screen:
    """One screen while it is being read."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.summary = Summary(lines)
        self.first = self.last = lines.number + 1
        self.above = lines.raw
        self.problems: list[Problem] = []

    def read(self) -> Found | None:
        lines = self.lines
        blank: list[str] = []
        reader = None
        if self.summary.take_usual():
            self.last = lines.number
        for line in lines:
            stripped = line.strip()
            if not stripped or is_elision(stripped):
                blank.append(lines.raw)
                continue
            stripped = self.summary.in_english(stripped)
            if "PID" in stripped and (names := self._read_header(stripped)):
                self.last = lines.number
                blank.clear()
                reader = RowReader(lines, names, lines.raw)
                break
            if not self.summary.take(stripped):
                lines.back(*blank, lines.raw)
                break
            self.last = lines.number
            blank.clear()
        return self._finish(reader)

    def _finish(self, reader: RowReader | None) -> Found | None:
        values, parts = self.summary.values, self.summary.parts
        if self.summary.cores:
            values["cpu_per_core"] = self.summary.cores
        if reader is None:
            return self._done(values, True) if parts else None
        table = reader.read()
        self.problems = reader.problems
        if not len(table) and not parts:
            return None
        self.last = max(self.last, reader.last)
        values["n_processes"] = len(table)
        has_sizes = {"pid", "res_kb"} <= table.columns.keys()
        sizes = dict(zip(table.columns["pid"], table.columns["res_kb"], strict=True)) if has_sizes else {}
        values["sum_res_kb"] = round(sum(sizes.values()), 3) if has_sizes else None
        values["processes"] = table
        total = values.get("tasks_total")
        few = isinstance(total, int) and len(table) <= 2 < total
        return self._done(values, few or parts < 3)

    def _done(self, values: dict[str, Any], partial: bool) -> Found:
        """Screens that follow each other at once are iterations of one run of top."""
        before, count = self.lines.memory.get(KIND, (None, 0))
        count = count + 1 if before is not None and self._only_blank_since(before) else 1
        self.lines.memory[KIND] = (self.last, count)
        return Found({"iteration": count, **values}, self.first, self.last, partial, self.problems)

    def _only_blank_since(self, line: int) -> bool:
        gap = self.first - line
        return 0 < gap <= 4 and (gap < 3 or not self.above.strip())

    def _read_header(self, line: str) -> list[str] | None:
        if line.endswith(" COMMAND") and "[" not in line:
            return _names(line)
        if (glued := _GLUED.match(line)) and (names := _names(glued[1])):
            self.lines.put_rest(line[glued.end() :])
            return names
        words = line.replace("S[%CPU]", "S %CPU").replace("[", " ").replace("]", " ").split()
        if words and words[0] not in _COMMANDS and words[-1] not in _COMMANDS:
            rest = self.summary.in_english(self.lines.peek() or "").split()
            if rest and rest[-1] in _COMMANDS and all(w in _COLUMNS for w in rest):
                words += rest  # broken by a mail client
                next(self.lines)
        return _names(" ".join(words))


def records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {}
    for name, value in values.items():
        if name.startswith(("mem_", "swap_", "load", "tasks_")) and isinstance(value, (int, float)):
            metrics["mem_available_kb" if name == "mem_avail_kb" else name] = float(value)
    total, listed = values.get("tasks_total"), values.get("n_processes")
    if isinstance(total, int) and isinstance(listed, int) and listed < total:
        metrics["tasks_unlisted"] = float(total - listed)
    cpu = values.get("cpu")
    cores = values.get("cpu_per_core")
    if isinstance(cpu, dict):
        whole = float(values.get("cpu_capacity_pct", 100)) / 100  # toybox counts 100 a CPU
        metrics |= {f"cpu_{name}": share / whole for name, share in cpu.items()}
    elif isinstance(cores, list) and cores:
        names = [name for name in cores[0] if name != "cpu_no"]
        metrics |= {f"cpu_{name}": sum(core.get(name, 0) for core in cores) / len(cores) for name in names}
    clock = values.get("time")
    table_records: list[Record] = [SystemSample(tool=KIND, clock=str(clock) if clock else None, metrics=metrics)]
    table = values.get("processes")
    if isinstance(table, Table) and values.get("mode") != "threads":  # a thread's memory is its whole process's
        of_pid: dict[int, ProcessSample] = {}
        for process_sample in samples(table, rss="res_kb", vsz="virt_kb"):  # BSD lists threads with their process's pid
            first = of_pid.get(process_sample.pid)
            of_pid[process_sample.pid] = (
                replace(first, cpu_pct=(first.cpu_pct or 0) + (process_sample.cpu_pct or 0))
                if first
                else process_sample
            )
        table_records += of_pid.values()
    return table_records
