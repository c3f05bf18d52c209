"""A block's looks, with the processes of each by column: straight out of its table where that says the same as its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from parsers import Block, ProcessSample, Record, SystemSample
from parsers.catalogue import formats
from parsers.tables import Table

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
        self._sure: tuple[Sequence[str], Sequence[str]] = (), ()  # the layout that was tried last
        self._counts = False  # whether its processes do
        self._nobody = Table({}, 0)  # a table of these columns

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

        Screens alike follow each other: what was true of the processes of the first one is of theirs.
        """
        layout = tuple(table.columns), tuple(block.values)
        if layout != self._sure and not self._try(block, table, layout):
            return None
        rows = rows_of(table) if self._counts else Rows()
        told = _records(block, self._nobody)
        if not told:
            return [Look(None, _NOTHING, rows)] if self._counts else []
        system = told[0]
        if len(told) > 1 or not isinstance(system, SystemSample):
            return None
        return [Look(system.clock, system.metrics, rows)]

    def _try(self, block: Block, table: Table, layout: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
        """Whether a table says the same as its records: where the system stands, if anywhere, and of each process."""
        self._sure = (), ()
        n = min(_TRIED, len(table))
        records = _records(block, Table({name: column[:n] for name, column in table.columns.items()}, n))
        samples = [record for record in records if isinstance(record, ProcessSample)]
        if any(isinstance(record, SystemSample) for record in records[1:]):
            return False
        if samples and _said(rows_of(table), n) != [_of(sample) for sample in samples]:
            return False
        self._sure, self._counts = layout, bool(samples)
        self._nobody = Table({name: [] for name in table.columns}, 0)
        return True


def _records(block: Block, table: Table) -> list[Record]:
    return formats()[block.kind].records(block.values | {"processes": table})


def clock_above(block: Block) -> str | None:
    """ "HH:MM:SS" out of the line that tells the time right above a block."""
    if not block.above:
        return None
    line, text = block.above[-1]
    return clock_in(text) if 0 < block.first - line <= NEAR else None


def rows_of(table: Table) -> Rows:
    """The rows of a process table by column."""
    columns, n = table.columns, len(table)
    figures = {metric: columns[name] for metric, name in _told(tuple(columns))}
    return Rows(
        columns.get("pid") or [0] * n, columns.get("user") or [None] * n, columns.get("command") or [""] * n, figures
    )


@lru_cache(maxsize=64)
def _told(columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """(metric, the column that tells it) of those that a table of these columns has."""
    names = ((metric, _NAMES.get(metric, (metric,))) for metric in PER_PROCESS)
    return [(metric, next(name for name in some if name in columns)) for metric, some in names if {*some} & {*columns}]


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
