"""The comparison table: columns are configs (the baseline first), rows are metrics grouped by what they tell of.

Its columns compete with each other by workload.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from runs.analysis.columns import WORD, Column, build_columns, find_baselines
from runs.analysis.facts import CaptureFact, ConfigFact, RunFact
from runs.analysis.monitors import (
    MIB,
    MOST_PROGRAMS,
    PHASES,
    ProcessGroup,
    busy_pct,
    free_kb,
    group_processes,
    pick_biggest,
)
from runs.analysis.numbers import Delta, delta, mean


class Figure(NamedTuple):
    """One stored value, and the address of the line that it stands on.

    run       whose it is, for a monitor's too; None: of the whole config
    partial   read from a block that lacks most of what its tool prints
    counted   False: a doubt keeps its run out of verdicts and means
    """

    value: float
    source: str
    line: int
    what: str
    run: int | None = None
    partial: bool = False
    counted: bool = True


class Cell(NamedTuple):
    """The mean of a metric's values under one config. `n` counts the values in it; no values: an empty cell."""

    figures: tuple[Figure, ...] = ()
    mean: float | None = None
    delta: Delta | None = None

    @property
    def n(self) -> int:
        return sum(figure.counted for figure in self.figures)

    @property
    def alike(self) -> bool:
        """All values are the same one, so that showing each would say nothing more."""
        return len({figure.value for figure in self.figures}) == 1


@dataclass(frozen=True, slots=True)
class Row:
    """One metric. `kind` is the quantity (rate, time, amount) that gets deltas, or "" for one that gets none.

    of, phase   of monitors: what the row is of, and when; rows of one thing differ in their phase only
    """

    key: str
    label: str
    unit: str
    kind: str
    cells: tuple[Cell, ...]
    of: str = ""
    phase: str = ""

    @property
    def averages_percentiles(self) -> bool:
        """Its means are of each run's own percentile, where a chart of single requests has that of all requests."""
        return self.key[1:2].isdigit() and any(cell.n > 1 for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`bases`: for each column the index of the one that its deltas stand against (see pairs)."""

    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    bases: tuple[int, ...] = ()

    def row(self, key: str) -> Row | None:
        for group in self.groups:
            for row in group.rows:
                if row.key == key:
                    return row
        return None


# key, label, unit, kind, and where the value is: an attribute of the run, "values.x", "p.x" for a percentile, "kinds.x" of failures
Metric = tuple[str, str, str, str, str]
LOAD: list[Metric] = [
    ("requests_per_second", "Requests", "per s", "rate", "requests_per_second"),
    ("transfer_rate", "Transfer", "KiB/s", "amount", "values.transfer_rate_kbytes_per_s"),
    ("throughput", "Throughput", "MB/s", "amount", "values.throughput_mb_per_s"),
    ("complete_requests", "Requests made", "", "", "complete_requests"),
    ("concurrency", "Concurrency", "", "", "clients"),
    ("measured_concurrency", "Concurrency, measured", "", "", "measured_concurrency"),
    ("duration_s", "Time taken", "s", "", "duration_s"),
]
LATENCY: list[Metric] = [
    ("mean_ms", "Mean", "ms", "time", "mean_ms"),
    *[(f"p{p}_ms", f"{p} % within", "ms", "time", f"p.{p}") for p in ("50", "75", "90", "95", "99", "99.9")],
    ("max_ms", "Longest", "ms", "time", "max_ms"),
]
KINDS = ("connect", "receive", "length", "exceptions", "read", "errored", "timeout", "refused", "reset")  # of failures
ERRORS: list[Metric] = [
    ("failed_requests", "Failed requests", "", "", "failed_requests"),
    *[(f"failed_{kind}", f"· {kind}", "", "", f"kinds.{kind}") for kind in KINDS],
    ("non_2xx_responses", "Non-2xx responses", "", "", "non_2xx_responses"),
    ("write_errors", "Write errors", "", "", "kinds.write"),
    ("availability_pct", "Availability", "%", "", "values.availability_pct"),
]
# Rows that say nothing when all their values are nought.
ONLY_WHEN_ANY = {"non_2xx_responses", "write_errors", *(f"failed_{kind}" for kind in KINDS)}


def compare(configs: Sequence[ConfigFact], runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> Comparison:
    """The whole table. The first config is the baseline that deltas stand against, or the first of each block."""
    columns = build_columns(configs, runs)
    groups = [
        Group("Load", _run_rows(LOAD, columns)),
        Group("Latency", _run_rows(LATENCY, columns)),
        Group("Errors", _run_rows(ERRORS, columns)),
    ]
    if captures:
        groups.append(Group("Memory", _monitor_rows(_memory_rows(captures), columns)))
        groups.append(Group("CPU", _monitor_rows(_cpu_rows(captures), columns)))
    return set_baselines(
        Comparison(tuple(columns), tuple(group for group in groups if group.rows)), find_baselines(columns)
    )


def set_baselines(
    comparison: Comparison, to: tuple[int, ...], out: Collection[int] = (), silent: Collection[int] = ()
) -> Comparison:
    """The same comparison with each column's deltas against the column `to` names for it, none against itself.

    out: runs that are kept out of a mean, where others of the column are in it. silent: columns that do not count; they have
    no deltas.
    """
    if to == comparison.bases and not out and not silent:
        return comparison
    groups = []
    for group in comparison.groups:
        rows = []
        for row in group.rows:
            own = [_without(cell, out) for cell in row.cells] if out else row.cells
            changes = [
                delta(cell.mean, own[to[at]].mean, row.kind) if row.kind and to[at] != at and at not in silent else None
                for at, cell in enumerate(own)
            ]
            cells = tuple(Cell(cell.figures, cell.mean, change) for cell, change in zip(own, changes, strict=True))
            rows.append(replace(row, cells=cells))
        groups.append(replace(group, rows=tuple(rows)))
    return replace(comparison, groups=tuple(groups), bases=to)


def value_of(run: RunFact, where: str) -> float | None:
    """The value at `where` (see Metric), if the run has it."""
    source, _, name = where.partition(".")
    if source == "p":
        found: object = run.percentiles_ms.get(name)
    elif source == "values":
        found = run.values.get(name)
    elif source == "kinds":
        found = run.failures_of(name)
    else:
        found = getattr(run, where)
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def _cell(figures: Sequence[Figure]) -> Cell:
    """The cell of a column that has these figures, without a delta."""
    values = [figure.value for figure in figures if figure.counted]
    if len(values) > 1:
        return Cell(tuple(figures), mean(values))
    return Cell(tuple(figures), values[0] if values else None)  # a whole number stays one


def _without(cell: Cell, out: Collection[int]) -> Cell:
    if not 0 < sum(figure.run in out for figure in cell.figures) < len(cell.figures):
        return cell
    return _cell([figure._replace(counted=figure.run not in out) for figure in cell.figures])


def _run_rows(metrics: Sequence[Metric], columns: Sequence[Column]) -> tuple[Row, ...]:
    rows = []
    for key, label, unit, kind, where in metrics:
        per_column: list[list[Figure]] = [[] for _ in columns]
        printed = where.replace("p.", "percentiles_ms.") if where[:2] == "p." else where
        for figures, column in zip(per_column, columns, strict=True):
            for run in column.runs:
                if (value := value_of(run, where)) is not None:
                    at = run.source_of(printed)
                    figures.append(Figure(value, at.url, at.line, run.label or f"run {run.id}", run.id, run.partial))
        values = [figure.value for figures in per_column for figure in figures]
        if any(values) or (values and key not in ONLY_WHEN_ANY):
            rows.append(Row(key, label, unit, kind, tuple(map(_cell, per_column))))
    return tuple(rows)


def _monitor_rows(metrics: Sequence[MonitorRow], columns: Sequence[Column]) -> tuple[Row, ...]:
    column_of = find_columns(columns)
    rows = []
    for metric in metrics:
        per_column: list[list[Figure]] = [[] for _ in columns]
        for capture, value in metric.values:
            if (at := column_of(capture)) is not None:
                what = f"{capture.tool} {capture.phase}".strip()
                per_column[at].append(Figure(value, capture.source, capture.line, what, capture.run, capture.partial))
        if any(per_column):
            cells = tuple(map(_cell, per_column))
            rows.append(Row(metric.key, metric.label, metric.unit, metric.kind, cells, metric.of, metric.phase))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class MonitorRow:
    """One row before it is laid out in columns: each capture's value. `of`: the rows of one thing, a phase each, share it."""

    key: str
    label: str
    unit: str
    kind: str
    values: tuple[tuple[CaptureFact, float], ...]
    of: str = ""
    phase: str = ""


def _memory_rows(captures: Sequence[CaptureFact]) -> list[MonitorRow]:
    """System memory, swap, then resident memory of each leading program, all in MiB.

    Single lines quoted of a listing give no sum and no number of processes; cut screens neither, beside a capture that lists all.
    """
    found = [
        *_system("mem_free", "Free memory", captures, _metric("mem_free_kb")),
        *_system("mem_obtainable", "Available memory", captures, free_kb),
        *_system("swap_used", "Swap used", captures, _metric("swap_used_kb")),
    ]
    programs = {capture.id: {group.name: group for group in group_processes(capture)} for capture in captures}
    for name in pick_biggest(captures, MOST_PROGRAMS):
        found += _program(f"{name}: each, mean", "MiB", captures, programs, lambda group: group.rss_mean_kb / MIB)
        listed = [capture for capture in captures if name in programs[capture.id]]
        summed = [capture for capture in listed if not capture.partial]
        summed = [capture for capture in summed if not capture.is_cut] or summed
        own = [programs[capture.id][name] for capture in summed]
        found += _program(f"{name}: all together", "MiB", summed, programs, lambda group: group.rss_kb / MIB)
        if any(group.peak_rss_kb > group.rss_kb for group in own):
            found += _program(
                f"{name}: all together, most", "MiB", summed, programs, lambda group: group.peak_rss_kb / MIB
            )
        found += _program(f"{name}: processes", "", summed, programs, lambda group: round(group.n, 1))
        if any(group.peak_n > group.n for group in own):
            found += _program(f"{name}: processes, most", "", summed, programs, lambda group: group.peak_n)
    return found


def _cpu_rows(captures: Sequence[CaptureFact]) -> list[MonitorRow]:
    """Shares of CPU time and the one-minute load."""
    names = [("us", "User"), ("sy", "System"), ("ni", "Nice"), ("wa", "Waiting for disk"), ("si", "Soft interrupts")]
    names += [("st", "Stolen"), ("id", "Idle")]
    found = []
    for name, label in names:
        rows = _phased(f"cpu_{name}", label, "%", "", captures, _metric(f"cpu_{name}"))
        found += [row for row in rows if name in ("us", "sy", "id") or any(value for _, value in row.values)]
    found += _phased("load1", "Load, 1 minute", "", "", captures, _metric("load1"))
    return _phased("cpu_busy", "Busy", "%", "", captures, busy_pct) + found


def _metric(name: str) -> Callable[[CaptureFact], float | None]:
    return lambda capture: capture.metrics.get(name)


def _system(
    key: str, label: str, captures: Sequence[CaptureFact], read: Callable[[CaptureFact], float | None]
) -> list[MonitorRow]:
    def mib(capture: CaptureFact) -> float | None:
        value = read(capture)
        return None if value is None else value / MIB

    return _phased(key, label, "MiB", "amount", captures, mib)


Programs = dict[int, dict[str, ProcessGroup]]


def _program(
    label: str,
    unit: str,
    captures: Sequence[CaptureFact],
    programs: Programs,
    read: Callable[[ProcessGroup], float],
) -> list[MonitorRow]:
    """Rows for the program that `label` opens with."""
    name = label.rpartition(": ")[0]

    def value(capture: CaptureFact) -> float | None:
        group = programs[capture.id].get(name)
        return None if group is None else read(group)

    return _phased(label.replace(" ", "_"), label, unit, "amount" if unit else "", captures, value)


def _phased(
    key: str,
    label: str,
    unit: str,
    kind: str,
    captures: Sequence[CaptureFact],
    read: Callable[[CaptureFact], float | None],
) -> list[MonitorRow]:
    """One row a phase that has values. A capture quoted in part gives way to a full one of the same config."""
    rows = []
    for phase in PHASES:
        values = [
            (capture, value) for capture in captures if capture.phase == phase and (value := read(capture)) is not None
        ]
        full = {capture.config for capture, _ in values if not capture.partial}
        kept = tuple((capture, value) for capture, value in values if not capture.partial or capture.config not in full)
        if kept:
            suffix = f", {phase}" if phase else ""
            rows.append(MonitorRow(f"{key}_{phase}".rstrip("_"), label + suffix, unit, kind, kept, label, phase))
    return rows


def list_failed_shares(comparison: Comparison) -> dict[int, float]:
    """Column -> the share of its requests that failed, where both are told."""
    bad, made = comparison.row("failed_requests"), comparison.row("complete_requests")
    if bad is None or made is None:
        return {}
    pairs = enumerate(zip(bad.cells, made.cells, strict=True))
    return {at: own.mean / of.mean for at, (own, of) in pairs if own.mean and of.mean and math.isfinite(own.mean)}


def find_columns(columns: Sequence[Column]) -> Callable[[CaptureFact], int | None]:
    """Tells a capture's column: of one beside a run that run's, else its config's first."""
    by_run: dict[int | None, int] = {run.id: at for at, column in enumerate(columns) for run in column.runs}
    by_config: dict[int | None, int] = {}
    for at, column in enumerate(columns):
        by_config.setdefault(column.config.id, at)
    return lambda capture: by_run.get(capture.run, by_config.get(capture.config))


def find_workloads(comparison: Comparison) -> list[list[int]]:
    """The columns that compete: blocks of the table, those joined that are variants of each other's configs."""
    blocks: dict[int, list[int]] = {}
    for at, base in enumerate(comparison.bases):
        blocks.setdefault(base, []).append(at)
    joined: list[list[int]] = []
    for block in blocks.values():
        own = next((one for one in joined if _are_variants(comparison.columns, one, block)), None)
        if own is None:
            joined.append(block)
        else:
            own += block
    return joined


def _are_variants(columns: Sequence[Column], one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two headings stand over configs (each with variants) and not over workloads: loaded alike, and no name recurs."""
    headings, others = ({columns[at].config.group for at in block} for block in (one, other))
    names, its = ({_own_words(columns[at]) for at in block} for block in (one, other))
    apart = "" not in headings | others and headings.isdisjoint(others) and names.isdisjoint(its)
    return apart and columns[one[0]].method.agrees(columns[other[0]].method)


def _own_words(column: Column) -> frozenset[str]:
    """The words of a config's name without numbers and its heading's words, where any are left."""
    words = {word.lower() for word in WORD.findall(column.config.name)}
    heading = {word.lower() for word in WORD.findall(column.config.group)}
    return frozenset({word for word in words - heading if not word[0].isdigit()} or words)


def name_workload(every: Sequence[Column], block: Sequence[int]) -> str:
    """What the columns of a block share: their heading, their load, or words of their names."""
    columns = [every[at] for at in block]
    groups = {column.config.group for column in columns}
    others = {column.config.group for at, column in enumerate(every) if at not in block}
    if len(groups) == 1 and not groups & others and (group := groups.pop()):
        return group
    shared = set.intersection(*({*WORD.findall(column.title)} for column in columns)) if columns else set()
    words = [word for word in columns[0].title.replace("·", " ").split() if {*WORD.findall(word)} & shared]
    splits = {column.split for column in columns}
    return splits.pop() if len(splits) == 1 and columns[0].split else " ".join(words).strip(" ,:;")


def find_family(title: str, titles: Sequence[str]) -> frozenset[str]:
    """The words of a title that set it apart in its workload, numbers left out."""
    words = [{word.lower() for word in WORD.findall(one) if not word[0].isdigit()} for one in titles]
    own = {word.lower() for word in WORD.findall(title) if not word[0].isdigit()}
    return frozenset(own - set.intersection(*words)) if len(words) > 1 else frozenset(own)
