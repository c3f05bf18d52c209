"""Samples in the blocks of monitors: one screen, listing or row each; and which blocks are samples of one command."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from parsers.blocks import Block
from parsers.records import Problem, ProcessSample, Record, SystemSample
from parsers.tables import Table

from .clocks import DAY_S, MAX_LINES_APART, read_clock, seconds_of_day
from .collecting import MAX_PROCESSES, CaptureSeries

MAX_SINGLE_SAMPLES = 20  # samples of a command that stay blocks of their own, so that one can be quoted or edited
PROCESS_METRICS = ("rss_kb", "vsz_kb", "cpu_pct", "mem_pct", "time_s")
MAX_SHORT_ROWS = 8
ROW_TABLES = ("processes", "rows")  # names of a block's rows among its values, for all tools
_COLUMNS = {"rss_kb": ("rss_kb", "res_kb"), "vsz_kb": ("vsz_kb", "virt_kb")}  # what process tables call a metric
_N_COMPARED = 3  # rows of a new layout that are compared with their records
_LOOP = re.compile(r"\b(?:while|until|for|watch|repeat)\b")
_IDLE = re.compile(r"(?:sudo\s+)?(?:date|sleep|clear|echo|printf)\b[^|;&]*")  # changes nothing that a monitor shows
_SHOWS_FILE = re.compile(
    r"(?:(?:sudo|ssh\s+\S+)\s+)*(?:[xz]?cat|zstdcat|bat|less|more|view|tail|head)\s+(?:-\S+\s+|\d+\s+)*(?!/(?:proc|sys)/)\w*[\w./~]"
)


def make_short_records(block: Block) -> list[Record]:
    """The block's records, made from no more than 8 of its rows, the last one among them. Busy machines have hundreds each."""
    short = {
        name: Table(
            {column: [*cells[: MAX_SHORT_ROWS - 1], cells[-1]] for column, cells in table.columns.items()},
            MAX_SHORT_ROWS,
        )
        for name in ROW_TABLES
        if isinstance(table := block.values.get(name), Table) and len(table) > MAX_SHORT_ROWS
    }
    if not short:
        return block.records
    return replace(block, values=block.values | short).records


@dataclass(slots=True)
class Sample:
    """The machine and its processes at one time.

    clock           "HH:MM:SS" or None
    metrics         of the machine
    processes       (pid, user, command) of each, as printed
    process_values  {metric: one value a process, in the same order}; None or NaN: not printed
    counters, over  see SystemSample
    """

    clock: str | None
    metrics: dict[str, float]
    processes: list[tuple[Any, Any, Any]] = field(default_factory=list)
    process_values: dict[str, list[Any]] = field(default_factory=dict)
    counters: dict[str, float] = field(default_factory=dict)
    over: float | None = None

    def add(self, process: ProcessSample) -> None:
        self.processes.append((process.pid, process.user, process.command))
        for metric in PROCESS_METRICS:
            self.process_values.setdefault(metric, []).append(getattr(process, metric))


class SampleReader:
    """Reads the samples out of the blocks of one command.

    Process tables are taken by column without making records, which is many times quicker. For each new layout the first
    rows are compared with their records; where these say anything else, all records are read.
    """

    def __init__(self) -> None:
        self._checked_layout: tuple[Sequence[str], Sequence[str]] = (), ()
        self._has_processes = False  # whether the rows of the checked layout become records
        self._empty_table = Table({}, 0)  # a table of its columns
        self._before: Sample | None = None  # the sample with counters that was read last

    def read(self, block: Block) -> list[Sample]:
        """The samples in order. Each SystemSample begins one; processes belong to the one before them.

        A listing without any process is a sample too: it says that there are none. A sample without a clock of its own
        has the time in the line right above its block.
        """
        table = block.values.get("processes")
        samples = self._read_table(block, table) if isinstance(table, Table) and len(table) else None
        if samples is None:
            samples = _read_records(block)
        if not samples and table is not None:
            samples = [Sample(None, {})]
        if len(samples) == 1 and samples[0].clock is None:
            samples[0].clock = find_clock_above(block)
        for sample in samples:
            if sample.counters:
                if self._before is not None:
                    sample.metrics = sample.metrics | _compute_rates(self._before, sample)
                self._before = sample
        return samples

    def _read_table(self, block: Block, table: Table) -> list[Sample] | None:
        """The one sample of a block out of its table; None where the records say anything else."""
        layout = tuple(table.columns), tuple(block.values)
        if layout != self._checked_layout and not self._check_layout(block, table, layout):
            return None
        records = block.records_with(self._empty_table)
        if not (records or self._has_processes):
            return []
        system = records[0] if records else SystemSample("", None, {})
        if len(records) > 1 or not isinstance(system, SystemSample):
            return None
        if not self._has_processes:
            return [Sample(system.clock, system.metrics)]
        return [Sample(system.clock, system.metrics, list_process_keys(table), _process_values(table))]

    def _check_layout(self, block: Block, table: Table, layout: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
        """Whether a table says the same as its records do of the system and of the first processes."""
        self._checked_layout = (), ()
        n = min(_N_COMPARED, len(table))
        first_rows = Table({name: column[:n] for name, column in table.columns.items()}, n)
        records = block.records_with(first_rows)
        processes = [record for record in records if isinstance(record, ProcessSample)]
        if any(isinstance(record, SystemSample) for record in records[1:]):
            return False
        read = [(p.pid, p.user, p.command, *(getattr(p, metric) for metric in PROCESS_METRICS)) for p in processes]
        if processes and _make_comparable_rows(first_rows) != read:
            return False
        self._checked_layout, self._has_processes = layout, bool(processes)
        self._empty_table = Table({name: [] for name in table.columns}, 0)
        return True


def _compute_rates(before: Sample, sample: Sample) -> dict[str, float]:
    """What the counters grew by between two samples, a second or by their own measure.

    None where the time between is not known, or where one is smaller than before: the machine was started again.
    """
    if sample.over is not None and before.over is not None:
        passed = sample.over - before.over
    else:
        passed = (seconds_of_day(sample.clock) - seconds_of_day(before.clock)) % DAY_S
    grown = {name: n - before.counters[name] for name, n in sample.counters.items() if name in before.counters}
    if not passed > 0 or min(grown.values(), default=0.0) < 0:  # NaN is not above nought either
        return {}
    return {name: n / passed for name, n in grown.items()}


def find_clock_above(block: Block) -> str | None:
    """ "HH:MM:SS" out of the line that shows the time right above a block."""
    if not block.above:
        return None
    line, text = block.above[-1]
    return read_clock(text) if 0 < block.first - line <= MAX_LINES_APART else None


def list_process_keys(table: Table) -> list[tuple[Any, Any, Any]]:
    """(pid, user, command) of each row, as printed."""
    columns, n = table.columns, len(table)
    pids, users = columns.get("pid") or [0] * n, columns.get("user") or [None] * n
    return list(zip(pids, users, columns.get("command") or [""] * n, strict=True))


def _process_values(table: Table) -> dict[str, list[Any]]:
    """{metric: one value a row}, NaN where the table has no such column."""
    no_values = [math.nan] * len(table)
    names = _list_metric_columns(tuple(table.columns))
    return {metric: table.columns[name] if name else no_values for metric, name in names}


@lru_cache(maxsize=64)
def _list_metric_columns(columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """(metric, its column among these, or "") of each metric."""
    names = ((metric, _COLUMNS.get(metric, (metric,))) for metric in PROCESS_METRICS)
    return [(metric, next((name for name in some if name in columns), "")) for metric, some in names]


def _make_comparable_rows(table: Table) -> list[tuple[Any, ...]]:
    columns, n = table.columns, len(table)
    names = [name for _, name in _list_metric_columns(tuple(columns))]
    values = zip(*(columns[name] if name else [None] * n for name in names), strict=True)
    keys = list_process_keys(table)
    return [(pid, user, str(command or ""), *row) for (pid, user, command), row in zip(keys, values, strict=True)]


def _read_records(block: Block) -> list[Sample]:
    samples: list[Sample] = []
    for record in block.records:
        if isinstance(record, SystemSample):
            samples.append(Sample(record.clock, record.metrics, counters=record.counters, over=record.over))
        elif isinstance(record, ProcessSample):
            if not samples:
                samples.append(Sample(None, {}))
            samples[-1].add(record)
    return samples


# --- samples of one command --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _OpenCommand:
    """A command whose samples may go on. is_single: each time that it was typed it printed one sample, so far."""

    number: int
    command: str | None
    command_line: int | None
    host: str | None
    is_loop: bool
    has_clock: bool
    is_single: bool = True


class SampleGrouper:
    """Numbers blocks in the order of the text: those that are samples of one command get the same number.

    Blocks are samples of one command where they follow each other, with nothing but the time between them, and
    - count themselves (an iteration, as a batch of screens has it), or
    - were printed by one command with a loop in it, or
    - stand below a time each, as `while sleep 1; do date; ps aux; done` prints it (a loop may print several kinds in turn),
    - or stand below a command that shows a file.

    One command that is typed repeatedly with nothing else between, or listings below each other with no command at
    all, get the same number too, but `typed_again` is set: where they are few, each is a capture of its own.

    typed_again  whether the block that was numbered last was typed again
    """

    def __init__(self) -> None:
        self.typed_again = False
        self._open: dict[str, _OpenCommand] = {}
        self._last_kind = ""
        self._last_line = 0
        self._n_commands = 0
        self._clock_text = ""  # the line that showed the time last

    def interrupt(self) -> None:
        self._open.clear()
        self._clock_text = ""

    def open_numbers(self) -> set[int]:
        return {each.number for each in self._open.values()}

    def number(self, block: Block) -> int:
        """The number of the command whose sample this is; a new one where it is the first.

        A sample below one of another kind in a loop gets the time that stands above both.
        """
        others = block.typed[:-1] if block.command else block.typed  # commands without output in the text
        if not self._is_near(block) or not all(map(_IDLE.fullmatch, others)):
            self.interrupt()
        if find_clock_above(block) is not None:
            self._clock_text = block.above[-1][1]
        command = self._open.get(block.kind)
        goes_on = command is not None and self._goes_on(command, block)
        self.typed_again = command is not None and not goes_on and _is_typed_again(command, block)
        if command is None or not (goes_on or self.typed_again):
            command = self._open_command(block)
        elif self._clock_text and not block.above:
            block.above = [(block.first - 1, self._clock_text)]
        command.is_single = command.is_single and not goes_on
        command.command_line = block.command_line or command.command_line
        self._last_kind, self._last_line = block.kind, max(block.last, self._last_line)
        return command.number

    def _open_command(self, block: Block) -> _OpenCommand:
        self._n_commands += 1
        is_loop = bool(_LOOP.search(block.command or ""))
        looping = next((each for each in self._open.values() if each.is_loop), None)
        command_line = block.command_line
        if looping and not block.command and self._clock_text:  # it prints this kind with some of its samples only
            command_line = looping.command_line
            block.prompt_host = block.prompt_host or looping.host
        origin = (block.command, command_line, block.prompt_host)
        if is_loop:  # what another command printed, maybe on another machine, does not go on below it
            self._open = {kind: each for kind, each in self._open.items() if each.command_line == block.command_line}
        elif not self._clock_text:
            self._open = {kind: each for kind, each in self._open.items() if each.is_single}
        self._open[block.kind] = _OpenCommand(self._n_commands, *origin, is_loop, bool(self._clock_text))
        return self._open[block.kind]

    def _is_near(self, block: Block) -> bool:
        """Whether the block follows the one before, with at most lines that show the time between."""
        if block.trail and not all(read_clock(text) for _, text in block.trail):
            return False
        return block.first - self._last_line <= MAX_LINES_APART + min(len(block.trail), MAX_LINES_APART)

    def _goes_on(self, command: _OpenCommand, block: Block) -> bool:
        same_line = block.command_line == command.command_line
        if block.kind == self._last_kind and not block.trail:
            count = block.values.get("iteration")
            is_later = isinstance(count, int) and count > (0 if same_line else 1)
            if (is_later or (block.values.get("sample") or 0) > 1) and (same_line or not block.command):
                return True
            if not (block.command or block.typed) and _SHOWS_FILE.match(command.command or ""):
                return True
        if command.is_loop and same_line:
            return True
        # Below a date the reader does not know which command printed a block, except where one was typed again.
        of_the_loop = same_line or block.command_line is None
        return (
            command.has_clock and of_the_loop and (find_clock_above(block) is not None or block.kind != self._last_kind)
        )


def _is_typed_again(command: _OpenCommand, block: Block) -> bool:
    if not command.is_single or (block.prompt_host or command.host) != command.host:
        return False
    return block.command == command.command if block.typed else block.command is None


MAX_PROBLEMS = 500


@dataclass(slots=True)
class FoldedBlock(Block):
    """Consecutive samples of one command in one block: `values` are those of the last one, `series` has all of them.

    limit_reported  whether an earlier block has the problem that there are too many processes
    """

    series: CaptureSeries = field(default_factory=CaptureSeries)
    reader: SampleReader = field(default_factory=SampleReader)
    limit_reported: bool = False

    def add(self, block: Block) -> None:
        """Add the next sample."""
        was_summed = self.series.first_summed is not None
        _add_samples(self.series, self.reader, block)
        self.last, self.values, self.below = block.last, block.values, block.below
        self.partial = self.partial or block.partial
        problems = block.problems
        if not was_summed and self.series.first_summed is not None and not self.limit_reported:
            problems = [too_many_processes(block.first), *problems]
        for problem in problems:
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(problem)
            elif len(self.problems) == MAX_PROBLEMS:
                self.problems.append(Problem(problem.line, "more problems from here on are not listed"))


def count_samples(block: Block) -> int:
    """The number of samples in a monitor's block."""
    return block.series.n - block.series.first if isinstance(block, FoldedBlock) else 1


def list_clocks(block: Block) -> list[str]:
    """The clocks of a monitor's first and last sample, as far as it shows them."""
    if isinstance(block, FoldedBlock):
        clocks = [block.series.clock_first, block.series.clock_last]
    else:
        clocks = [r.clock or "" for r in make_short_records(block) if isinstance(r, SystemSample)]
        clocks = [clocks[0], clocks[-1]] if clocks else []
    return [clock for clock in clocks if clock]


def collect_series(blocks: Iterable[Block]) -> CaptureSeries:
    """The series of a capture's blocks, some of which may be folded."""
    series, reader = CaptureSeries(), SampleReader()
    for block in blocks:
        if isinstance(block, FoldedBlock):
            series.append(block.series)
        else:
            _add_samples(series, reader, block)
    return series


def _add_samples(series: CaptureSeries, reader: SampleReader, block: Block) -> None:
    samples = reader.read(block)
    for sample, line in zip(samples, _list_lines(block, len(samples)), strict=True):
        second = seconds_of_day(sample.clock)
        series.add(sample.clock, second, sample.metrics, sample.processes, sample.process_values, line)


def _list_lines(block: Block, n: int) -> Sequence[int]:
    """The line of each of a block's n samples: those of a table's last rows, where the format keeps them, or its first."""
    table = block.values.get("rows")
    lines = table.lines if isinstance(table, Table) else ()
    return lines[len(lines) - n :] if len(lines) >= n else [block.first] * n


def too_many_processes(line: int) -> Problem:
    return Problem(line, f"more than {MAX_PROCESSES:,} processes: from here on further ones are added up by program")
