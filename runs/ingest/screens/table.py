"""A block's looks, with the processes of each by column: straight out of its table where that says the same as its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parsers import Block, ProcessSample, SystemSample
from parsers.catalogue import formats
from parsers.table import Table

from ..clocks import NEAR, clock_in

PER_PROCESS = ("rss_kb", "vsz_kb", "cpu_pct", "mem_pct", "time_s")
_NAMES = {"rss_kb": ("rss_kb", "res_kb"), "vsz_kb": ("vsz_kb", "virt_kb")}  # by the tables' own names for them
_TRIED = 3
_NOTHING: dict[str, float] = {}


@dataclass(slots=True)
class Rows:
    """Processes of one look: who they are and, of the metrics that were printed, a figure each (None: not printed)."""

    pids: Sequence[Any] = ()
    users: Sequence[Any] = ()
    commands: Sequence[Any] = ()
    figures: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(slots=True)
class Look:
    """One screen, one listing or one row: the machine and its processes at one time."""

    clock: str | None
    metrics: dict[str, float]
    rows: Rows


class Reader:
    """Reads blocks of one command into looks."""

    def __init__(self) -> None:
        self._sure: tuple[str, ...] = ()  # columns of a table that were seen to say the same as its records

    def looks(self, block: Block) -> list[Look]:
        """The looks in order. Each SystemSample begins one; processes belong to the one before them.

        A listing without any process is a look too: that it found none is what it says. A look without a clock of its
        own has the one of the line right above its block.
        """
        table = block.values.get("processes")
        looks = self._at_once(block, table) if isinstance(table, Table) and len(table) else None
        if looks is None:
            looks = _by_record(block)
        if not looks and table is not None:
            looks = [Look(None, _NOTHING, Rows())]
        if len(looks) == 1 and looks[0].clock is None:
            looks[0].clock = clock_above(block)
        return looks

    def _at_once(self, block: Block, table: Table) -> list[Look] | None:
        """The one look of a block, its table as it is. None where the first rows' records say anything else.

        Of the screens that follow one row is enough: whether its processes count at all (threads do not).
        """
        columns = tuple(table.columns)
        tried = min(1 if columns == self._sure else _TRIED, len(table))
        head = Table({name: column[:tried] for name, column in table.columns.items()}, tried)
        records = formats()[block.kind].records(block.values | {"processes": head})
        systems = [record for record in records if isinstance(record, SystemSample)]
        samples = [record for record in records if isinstance(record, ProcessSample)]
        if len(systems) > 1 or (systems and records[0] is not systems[0]):
            return None
        rows = rows_of(table) if samples else Rows()
        if samples and columns != self._sure:
            if _said(rows, tried) != [_of(sample) for sample in samples]:
                return None
            self._sure = columns
        if not systems and not samples:
            return []
        clock, metrics = (systems[0].clock, systems[0].metrics) if systems else (None, _NOTHING)
        return [Look(clock, metrics, rows)]


def clock_above(block: Block) -> str | None:
    """ "HH:MM:SS" out of the line that tells the time right above a block."""
    if not block.above:
        return None
    line, text = block.above[-1]
    return clock_in(text) if 0 < block.first - line <= NEAR else None


def rows_of(table: Table) -> Rows:
    """The rows of a process table by column."""
    columns, n = table.columns, len(table)
    found = {
        metric: next((columns[name] for name in _NAMES.get(metric, (metric,)) if name in columns), None)
        for metric in PER_PROCESS
    }
    figures = {metric: column for metric, column in found.items() if column is not None}
    return Rows(
        columns.get("pid") or [0] * n, columns.get("user") or [None] * n, columns.get("command") or [""] * n, figures
    )


def _said(rows: Rows, n: int) -> list[tuple[Any, ...]]:
    figures = [rows.figures.get(metric, [None] * n)[:n] for metric in PER_PROCESS]
    commands = [str(command or "") for command in rows.commands[:n]]
    groups = [ProcessSample.group_of(command) for command in commands]
    return list(zip(rows.pids[:n], rows.users[:n], commands, groups, *figures, strict=True))


def _of(sample: ProcessSample) -> tuple[Any, ...]:
    figures = (getattr(sample, metric) for metric in PER_PROCESS)
    return (sample.pid, sample.user, sample.command, sample.group, *figures)


def _by_record(block: Block) -> list[Look]:
    looks: list[tuple[SystemSample | None, list[ProcessSample]]] = []
    for record in block.records:
        if isinstance(record, SystemSample):
            looks.append((record, []))
        elif isinstance(record, ProcessSample):
            if not looks:
                looks.append((None, []))
            looks[-1][1].append(record)
    return [
        Look(system.clock if system else None, system.metrics if system else _NOTHING, _rows_of(processes))
        for system, processes in looks
    ]


def _rows_of(processes: Sequence[ProcessSample]) -> Rows:
    figures = {metric: [getattr(one, metric) for one in processes] for metric in PER_PROCESS}
    pids, users, commands = ([getattr(one, name) for one in processes] for name in ("pid", "user", "command"))
    return Rows(pids, users, commands, figures)
