"""The comparison table: columns are configs (the baseline first), rows are metrics grouped by what they tell of.

Its columns compete with each other by workload.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from runs.analysis.columns import WORD, Column, build_columns, find_baselines
from runs.analysis.facts import CaptureFact, ConfigFact, RunFact, read_at
from runs.analysis.method import Method
from runs.analysis.monitors import (
    MIB,
    MOST_PROGRAMS,
    PHASES,
    ProcessGroup,
    Read,
    Served,
    busy_pct,
    find_served,
    free_kb,
    group_processes,
    list_serving,
    pick_biggest,
)
from runs.numbers import Delta, delta, mean


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
    n: int = 0
    delta: Delta | None = None

    @property
    def alike(self) -> bool:
        """All values are the same one, so that showing each would say nothing more."""
        return len({figure.value for figure in self.figures}) == 1


# The column's index, what the value was read from, and the value.
RowValue = tuple[int, RunFact | CaptureFact, float]


@dataclass(frozen=True)
class Row:
    """One metric. `kind` is the quantity (rate, time, amount) that gets deltas, or "" for one that gets none.

    bases         for each column the index of the one that its delta stands against
    where         of runs: see Metric
    of, phase     of monitors: what the row is of, and when; rows of one thing differ in their phase only
    out           runs that are kept out of a mean, where others of the column are in it
    silent        columns that do not count; they have no deltas
    """

    key: str
    label: str
    unit: str
    kind: str
    values: tuple[RowValue, ...]
    bases: tuple[int, ...]
    where: str = ""
    of: str = ""
    phase: str = ""
    out: Collection[int] = ()
    silent: Collection[int] = ()

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """One a column. Made when somebody asks for them: a page of many configs shows a few rows."""
        figures: list[list[Figure]] = [[] for _ in self.bases]
        for at, source, value in self.values:
            figures[at].append(self._make_figure(source, value))
        cells = list(map(self._make_cell, figures))
        return tuple(
            cell._replace(delta=delta(cell.mean, cells[base].mean, self.kind))
            if self.kind and base != at and at not in self.silent
            else cell
            for at, (cell, base) in enumerate(zip(cells, self.bases, strict=True))
        )

    def _make_figure(self, source: RunFact | CaptureFact, value: float) -> Figure:
        if isinstance(source, CaptureFact):
            what = f"{source.tool} {source.phase}".strip()
            return Figure(value, source.source, source.line, what, source.run, source.partial)
        line = source.source_of_value(self.where)
        return Figure(value, line.url, line.line, source.label or f"run {source.id}", source.id, source.partial)

    def _make_cell(self, figures: list[Figure]) -> Cell:
        if 0 < sum(figure.run in self.out for figure in figures) < len(figures):
            figures = [figure._replace(counted=figure.run not in self.out) for figure in figures]
        values = [figure.value for figure in figures if figure.counted]
        n = len(values)  # of one value a whole number stays one
        return Cell(tuple(figures), mean(values) if n > 1 else values[0] if n else None, n)

    def between(self, places: Mapping[int, int]) -> Row:
        """The row of two columns alone, which get these places."""
        values = tuple((places[at], source, value) for at, source, value in self.values if at in places)
        return replace(self, values=values, bases=(0, 0))


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Comparison:
    """`bases`: for each column the index of the one that its deltas stand against (see pairs)."""

    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    bases: tuple[int, ...] = ()

    @cached_property
    def n_below(self) -> Mapping[str, int]:
        """The columns below each heading."""
        return Counter(column.config.group for column in self.columns)

    @property
    def rows(self) -> Iterator[Row]:
        return (row for group in self.groups for row in group.rows)

    def row(self, key: str) -> Row | None:
        return next((row for row in self.rows if row.key == key), None)


# key, label, unit, kind, and where the value is: see facts.read_at
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
    *[(f"p{p}_ms", f"p{p}", "ms", "time", f"percentiles_ms.{p}") for p in ("50", "75", "90", "95", "99", "99.9")],
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
    columns = tuple(build_columns(configs, runs))
    bases = find_baselines(columns)
    groups = [
        Group(name, _run_rows(metrics, columns, bases))
        for name, metrics in (("Load", LOAD), ("Latency", LATENCY), ("Errors", ERRORS))
    ]
    if captures:
        serving = list_serving(captures, [run.server_software for run in runs])
        monitors = _Monitors(captures, find_columns(columns), bases, serving)
        groups += [Group("Memory", tuple(monitors.memory_rows())), Group("CPU", tuple(monitors.cpu_rows()))]
    return Comparison(columns, tuple(group for group in groups if group.rows), bases)


FAILURES = ("failed_requests", "non_2xx_responses")  # which are why a run is kept out: they are shown of all runs


def set_baselines(
    comparison: Comparison, to: tuple[int, ...], out: Collection[int] = (), silent: Collection[int] = ()
) -> Comparison:
    """The same comparison with each column's deltas against the column `to` names for it. out, silent: see Row."""
    if to == comparison.bases and not out and not silent:
        return comparison
    groups = (
        Group(
            group.name,
            tuple(replace(row, bases=to, out=() if row.key in FAILURES else out, silent=silent) for row in group.rows),
        )
        for group in comparison.groups
    )
    return Comparison(comparison.columns, tuple(groups), to)


def _run_rows(metrics: Sequence[Metric], columns: Sequence[Column], bases: tuple[int, ...]) -> tuple[Row, ...]:
    """A row for each of these metrics that any run has; one that is all noughts only where that says something."""
    rows = []
    for key, label, unit, kind, where in metrics:
        read = read_at(where)
        values = [(at, run, read(run)) for at, column in enumerate(columns) for run in column.runs]
        values = [
            each for each in values if type(each[2]) in (int, float)
        ]  # no text out of a tool's own values, and no bool
        if any(value for _, _, value in values) or (values and key not in ONLY_WHEN_ANY):
            rows.append(Row(key, label, unit, kind, tuple(values), bases, where))
    return tuple(rows)


@dataclass(frozen=True)
class _Monitors:
    """The rows of what monitors saw. column_of: see find_columns; serving: names of the programs that answered the runs."""

    captures: Sequence[CaptureFact]
    column_of: Callable[[CaptureFact], int | None]
    bases: tuple[int, ...]
    serving: Sequence[str]

    def memory_rows(self) -> Iterator[Row]:
        """System memory, swap, then resident memory of each leading program, all in MiB.

        Single lines quoted of a listing give no sum and no number of processes; cut screens neither, beside a capture that
        lists all.
        """
        yield from self._make_rows("mem_free", "Free memory", "MiB", _read_metric("mem_free_kb"))
        yield from self._make_rows("mem_obtainable", "Available memory", "MiB", free_kb)
        yield from self._make_rows("swap_used", "Swap used", "MiB", _read_metric("swap_used_kb"))
        programs = {capture.id: {group.name: group for group in group_processes(capture)} for capture in self.captures}
        groups = [group for of in programs.values() for group in of.values()]
        for name in pick_biggest(groups, MOST_PROGRAMS, first=self.serving):
            listed = {capture.id: programs[capture.id].get(name) for capture in self.captures}
            yield from self._make_program_rows(f"{name}: each, mean", "MiB", listed, "rss_mean_kb")
            summed = [capture for capture in self.captures if listed[capture.id] and not capture.partial]
            summed = [capture for capture in summed if not capture.is_cut] or summed
            own = {capture.id: listed[capture.id] for capture in summed}
            yield from self._make_program_rows(f"{name}: all together", "MiB", own, "rss_kb")
            if any(group and group.peak_rss_kb > group.rss_kb for group in own.values()):
                yield from self._make_program_rows(f"{name}: all together, most", "MiB", own, "peak_rss_kb")
            yield from self._make_program_rows(f"{name}: processes", "", own, "n")
            if any(group and group.peak_n > group.n for group in own.values()):
                yield from self._make_program_rows(f"{name}: processes, most", "", own, "peak_n")
        if served := self._unlike_servers:
            yield from self._make_rows(
                "server_programs:_all_together",
                "server: all together",
                "MiB",
                lambda capture: served[capture.id].rss_kb if capture.id in served else None,
            )

    def cpu_rows(self) -> Iterator[Row]:
        """Shares of CPU time, CPU time of each leading program that served, and the one-minute load."""
        yield from self._make_rows("cpu_busy", "Busy", "%", busy_pct)
        for name, label in CPU_SHARES.items():
            for row in self._make_rows(f"cpu_{name}", label, "%", _read_metric(f"cpu_{name}")):
                if name in ("us", "sy", "id") or any(value for _, _, value in row.values):
                    yield row
        now = [capture for capture in self.captures if capture.cpu_now]
        served = {capture.id: {group.name: group for group in group_processes(capture, served=True)} for capture in now}
        for name in pick_biggest((group for of in served.values() for group in of.values()), MOST_PROGRAMS, "cpu_pct"):
            own = {capture: groups.get(name) for capture, groups in served.items()}
            yield from self._make_program_rows(f"{name}: CPU", "%", own, "cpu_pct", key=f"cpu_of_{name}")
        if now and (serving := self._unlike_servers):
            used = {
                each.id: sum(group.cpu_pct for group in serving[each.id].groups) for each in now if each.id in serving
            }
            yield from self._make_rows("cpu_of_server_programs", "server: CPU", "%", lambda each: used.get(each.id))
        yield from self._make_rows("load1", "Load, 1 minute", "", _read_metric("load1"))

    @cached_property
    def _unlike_servers(self) -> dict[int, Served]:
        """Capture's id -> what served, where no program serves in two columns, so that rows of programs compare nothing."""
        whole = {each.id: served for each in self.captures if (served := find_served(each)) and served.is_whole}
        names: dict[int, set[str]] = {}
        for capture in self.captures:
            at = self.column_of(capture)
            if at is not None and capture.id in whole:
                names.setdefault(at, set()).update(group.name for group in whole[capture.id].groups)
        every = [name for own in names.values() for name in own]
        return whole if len(names) > 1 and len(every) == len({*every}) else {}

    def _make_program_rows(
        self, label: str, unit: str, groups: Mapping[int, ProcessGroup | None], figure: str, key: str = ""
    ) -> Iterator[Row]:
        """groups: of one program, by the capture's id; figure: an attribute of theirs."""

        def read(capture: CaptureFact) -> float | None:
            value: float | None = getattr(groups.get(capture.id), figure, None)
            return value if unit or value is None else round(value, 1)  # a mean number of processes

        return self._make_rows(key or label.replace(" ", "_"), label, unit, read)

    def _make_rows(self, key: str, label: str, unit: str, read: Read) -> Iterator[Row]:
        """One row a phase that has values, read in kB where their unit is MiB.

        A capture quoted in part gives way to a full one of the same config.
        """

        for phase in PHASES:
            own = [capture for capture in self.captures if capture.phase == phase]
            seen = [(capture, value) for capture in own if (value := read(capture)) is not None]
            full = {capture.config for capture, _ in seen if not capture.partial}
            values = tuple(
                (at, capture, value / MIB if unit == "MiB" else value)
                for capture, value in seen
                if not capture.partial or capture.config not in full
                if (at := self.column_of(capture)) is not None
            )
            if values:
                suffix = f", {phase}" if phase else ""
                place = f"{key}_{phase}".rstrip("_")
                kind = "amount" if unit == "MiB" else ""
                yield Row(place, label + suffix, unit, kind, values, self.bases, of=label, phase=phase)


CPU_SHARES = {"us": "User", "sy": "System", "ni": "Nice", "wa": "Waiting for disk", "si": "Soft interrupts"}
CPU_SHARES |= {"st": "Stolen", "id": "Idle"}


def _read_metric(name: str) -> Read:
    return lambda capture: capture.metrics.get(name)


def list_failed_shares(comparison: Comparison) -> dict[int, float]:
    """Column -> the share of its requests that failed, of the runs whose mean is shown and that tell both, as `find_failures`."""
    bad = comparison.row("failed_requests")
    if bad is None:
        return {}
    of = {run.id: made for column in comparison.columns for run in column.runs if (made := run.requests_made)}
    pairs = [
        (at, [(figure.value, of[figure.run]) for figure in cell.figures if figure.counted and figure.run in of])
        for at, cell in enumerate(bad.cells)
    ]
    sums = {at: (sum(own for own, _ in told), sum(all_made for _, all_made in told)) for at, told in pairs}
    return {at: own / whole for at, (own, whole) in sums.items() if own and whole and math.isfinite(own)}


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
    headed: list[_HeadedBlock] = []
    for block in blocks.values():
        columns = [comparison.columns[at] for at in block]
        headings = {column.config.group for column in columns}
        headed_block = _HeadedBlock(block, headings, {_own_words(column) for column in columns}, columns[0].method)
        own = next((other for other in headed if other.has_variant(headed_block)), None)
        if own is not None:
            own.add(headed_block)
            continue
        joined.append(block)
        if len(headed) < _MOST_HEADED:
            headed.append(headed_block)
    return joined


_MOST_HEADED = 50  # blocks that each further one is held against: more are workloads


@dataclass
class _HeadedBlock:
    """Columns that compete, each below a heading; names: the words of their own."""

    ats: list[int]
    headings: set[str]
    names: set[frozenset[str]]
    method: Method

    def has_variant(self, other: _HeadedBlock) -> bool:
        """Whether the headings stand over configs (each with variants) and not over workloads: loaded alike, and no name recurs."""
        apart = self.headings.isdisjoint(other.headings) and self.names.isdisjoint(other.names)
        return apart and self.method.agrees(other.method)

    def add(self, other: _HeadedBlock) -> None:
        self.ats += other.ats
        self.headings |= other.headings
        self.names |= other.names


def _own_words(column: Column) -> frozenset[str]:
    """The words of a config's name without numbers and its heading's words, where any are left."""
    words = {word.lower() for word in WORD.findall(column.config.name)}
    heading = {word.lower() for word in WORD.findall(column.config.group)}
    return frozenset({word for word in words - heading if not word[0].isdigit()} or words)


PREPOSITION = re.compile(r"^(?:with|on|using|@)\s+")


def name_workload(comparison: Comparison, block: Sequence[int]) -> str:
    """What the columns of a block share: their heading, their load, or words of their names."""
    columns = [comparison.columns[at] for at in block]
    group = columns[0].config.group if columns else ""
    if group and all(column.config.group == group for column in columns) and comparison.n_below[group] == len(columns):
        return group
    splits = {column.split for column in columns}
    if len(splits) == 1 and columns[0].split:
        return splits.pop()
    if len(columns) == 1:
        return ""  # its whole name
    requests = {dict(column.method.further or ()).get("request") for column in columns}
    if len(requests) == 1 and (request := requests.pop()):
        return str(request)
    shared = set.intersection(*({*WORD.findall(column.config.name)} for column in columns)) if columns else set()
    words = [word for word in columns[0].config.name.replace("·", " ").split() if {*WORD.findall(word)} & shared]
    loads = [{*column.method.words().values()} for column in columns if column.split]
    load = [part for part in columns[0].method.words().values() if loads and all(part in own for own in loads)]
    load = [part for part in load if part in columns[0].split]
    return PREPOSITION.sub("", " ".join([*words, *load]).strip(" ,:;"))


def strip_workload(title: str, workload: str) -> str:
    """A title as it is within a workload: "Go" of "Get All Todos · Go", "Go · /todos"."""
    return title.removeprefix(f"{workload} · ").removesuffix(f" · {workload}")


def find_family_words(title: str, titles: Sequence[str]) -> frozenset[str]:
    """The words of a title that set it apart in its workload, numbers left out."""
    words = [{word.lower() for word in WORD.findall(one) if not word[0].isdigit()} for one in titles]
    own = {word.lower() for word in WORD.findall(title) if not word[0].isdigit()}
    return frozenset(own - set.intersection(*words)) if len(words) > 1 else frozenset(own)
