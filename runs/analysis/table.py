"""The comparison table: columns are configs (the baseline first), rows are metrics grouped by what they tell of."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from runs.analysis import monitors
from runs.analysis.columns import Column, build_columns, find_baselines
from runs.analysis.facts import CaptureFact, ConfigFact, RunFact
from runs.analysis.numbers import Delta, delta, mean


@dataclass(frozen=True, slots=True)
class Figure:
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


@dataclass(frozen=True, slots=True)
class Cell:
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
        groups.append(Group("Memory", _monitor_rows(monitors.memory(captures), columns)))
        groups.append(Group("CPU", _monitor_rows(monitors.cpu(captures), columns)))
    return against(Comparison(tuple(columns), tuple(group for group in groups if group.rows)), find_baselines(columns))


def against(comparison: Comparison, to: tuple[int, ...], out: Collection[int] = ()) -> Comparison:
    """The same comparison with each column's deltas against the column `to` names for it, none against itself.

    out: runs that are kept out of a mean, where others of the column are in it.
    """
    groups = []
    for group in comparison.groups:
        rows = []
        for row in group.rows:
            own = [_without(cell, out) for cell in row.cells]
            changes = [
                delta(cell.mean, own[to[at]].mean, row.kind) if row.kind and to[at] != at else None
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
    return _cell([replace(figure, counted=figure.run not in out) for figure in cell.figures])


def _run_rows(metrics: Sequence[Metric], columns: Sequence[Column]) -> tuple[Row, ...]:
    rows = []
    for key, label, unit, kind, where in metrics:
        per_column: list[list[Figure]] = [[] for _ in columns]
        for figures, column in zip(per_column, columns, strict=True):
            for run in column.runs:
                if (value := value_of(run, where)) is not None:
                    what = run.label or f"run {run.id}"
                    at = run.source_of(where.replace("p.", "percentiles_ms.") if where[:2] == "p." else where)
                    figures.append(Figure(value, at.url, at.line, what, run.id, run.partial))
        values = [figure.value for figures in per_column for figure in figures]
        if any(values) or (values and key not in ONLY_WHEN_ANY):
            rows.append(Row(key, label, unit, kind, tuple(map(_cell, per_column))))
    return tuple(rows)


def _monitor_rows(metrics: Sequence[monitors.Metric], columns: Sequence[Column]) -> tuple[Row, ...]:
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
