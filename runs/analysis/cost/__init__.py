"""What serving costs: requests/s by memory and by core, memory of one process, how many workers fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.analysis.columns import Column
from runs.analysis.facts import CaptureFact, HostFact, RunFact, TextFact
from runs.analysis.numbers import figure
from runs.analysis.table import Comparison

from . import table
from .memory import Taken, is_threaded, taken
from .serving import programs, under_load
from .table import Cell, Row, Seen

__all__ = ["Cell", "Cost", "Row", "cost"]

SHARED = (
    "RSS counts memory that processes share once in each of them, so sums of it are upper bounds; what one more process "
    "really takes is nearer to the change of available memory."
)
MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Rows over the comparison's columns. `sentences` say what stands out, `notes` how to read the figures."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]


def cost(
    comparison: Comparison,
    captures: Sequence[CaptureFact],
    *,
    hosts: Sequence[HostFact] = (),
    texts: Sequence[TextFact] = (),
    excluded: Mapping[int, str] | None = None,
) -> Cost | None:
    """None where neither memory nor cores are known.

    Runs in `excluded` (id -> why) lend no figure. What their processes held is still told: it is so, whatever was served.
    """
    out = excluded or {}
    known = {host.id: host for host in hosts}
    beside = _beside(comparison.columns, captures)
    seen = [_seen(column, own, texts, known, out) for column, own in zip(comparison.columns, beside, strict=True)]
    rows = _rows(seen)
    if not rows:
        return None
    return Cost(
        comparison.columns, tuple(rows), tuple(_sentences(rows, comparison.columns)), tuple(_notes(seen, rows, out))
    )


def _beside(columns: Sequence[Column], captures: Sequence[CaptureFact]) -> list[list[CaptureFact]]:
    """Each column's captures: one beside a run is its column's, another one its config's first column's."""
    by_run = {run.id: at for at, column in enumerate(columns) for run in column.runs}
    by_setup = {column.config.id: at for at, column in reversed(list(enumerate(columns)))}
    beside: list[list[CaptureFact]] = [[] for _ in columns]
    for capture in captures:
        at = by_run.get(capture.run or 0, by_setup.get(capture.config or 0))
        if at is not None:
            beside[at].append(capture)
    return beside


def _seen(
    column: Column,
    captures: Sequence[CaptureFact],
    texts: Sequence[TextFact],
    hosts: Mapping[int, HostFact],
    excluded: Mapping[int, str],
) -> Seen:
    runs = tuple(run for run in column.runs if run.id not in excluded)
    host = table.host_of(runs, hosts)
    # Monitors of the machine that made the load say nothing of what serving costs.
    own = tuple(capture for capture in captures if host is None or capture.host_id in (None, host.id))
    out = frozenset(run.id for run in column.runs if run.id in excluded)
    software = next((run.server_software for run in column.runs if run.server_software), "")
    found = tuple(under_load(own, software))
    return Seen(column, runs, own, found, tuple(_taken(column, runs, own, texts)), host, out)


def _taken(
    column: Column, runs: Sequence[RunFact], captures: Sequence[CaptureFact], texts: Sequence[TextFact]
) -> list[Taken]:
    own = [text.text for text in texts if text.config in (None, column.config.id)]
    found = []
    for run in runs:
        beside = [capture for capture in captures if capture.run == run.id]
        if not beside and len(runs) == 1:
            beside = [capture for capture in captures if capture.run is None]
        threaded = is_threaded((column.config.name, run.server_software), own)
        one = taken(run, beside, threaded=threaded)
        if one:
            found.append(one)
    return found


def _rows(seen: Sequence[Seen]) -> list[Row]:
    names = programs([one for each in seen for one in each.served])
    made = [
        *table.row("per_mib", "Requests per MiB of RSS", "per s", [table.per_mib(each) for each in seen]),
        *table.row("per_core", "Requests per core", "per s", [table.per_core(each) for each in seen]),
    ]
    for name in names:
        cells = [table.program(each, name) for each in seen]
        made += table.row(f"rss_{name}", f"{name}: resident memory", "MiB", cells)
    made += table.row("available", "Available memory, before → after", "MiB", [table.around(each) for each in seen])
    made += table.row("per_process", "Taken by each process", "MiB", [table.per_process(each) for each in seen])
    made += table.row("workers", "Processes that fit (MaxClients)", "", [table.workers(each) for each in seen])
    return made


def _sentences(rows: Sequence[Row], columns: Sequence[Column]) -> list[str]:
    found = []
    by_key = {row.key: row for row in rows}
    if row := by_key.get("per_mib"):
        found += _side_by_side(row, columns)
    if row := by_key.get("per_process"):
        told = [
            (column, cell) for column, cell in zip(columns, row.cells, strict=True) if cell and cell.value is not None
        ]
        found += [f"{column.title}, memory taken by each process: {cell.how}." for column, cell in told[:MOST_NAMES]]
    return found


def _side_by_side(row: Row, columns: Sequence[Column]) -> list[str]:
    """The most and the least that a MiB serves. Bounds are not set against each other."""
    told = [(cell.value, column) for column, cell in zip(columns, row.cells, strict=True) if cell and cell.value]
    if len(told) < 2 or any(cell and cell.bound for cell in row.cells):
        return []
    (most, best), (least, other) = max(told, key=lambda one: one[0]), min(told, key=lambda one: one[0])
    return [
        f"For each MiB of resident memory {best.title} served {figure(most)} requests/s, {other.title} {figure(least)}; "
        "whether that is more than chance is not tested."
    ]


def _notes(seen: Sequence[Seen], rows: Sequence[Row], excluded: Mapping[int, str]) -> list[str]:
    keys = {row.key for row in rows}
    found = [SHARED] if any(each.served for each in seen) else []
    bases = list(dict.fromkeys(one.basis for each in seen for one in each.taken))
    if "available" in keys:
        found.append(
            f"Available memory is {', '.join(bases)}; kB are the kernel's (1024 bytes), “about … MB” counts them by thousands."
        )
    if any("one a connection" in (one.count.words if one.count else "") for each in seen for one in each.taken):
        found.append(
            "Where no whole list of processes was shown, each connection is taken to have a process (prefork)."
        )
    if "workers" in keys:
        found.append(
            "What fits is (available memory + what the processes hold) / memory of one; leave room for the rest."
        )
    left = [(run, excluded[run.id]) for each in seen for run in each.column.runs if run.id in excluded]
    found += [f"Not counted: {run.label or f'run {run.id}'}, {why.rstrip('.')}." for run, why in left[:MOST_NAMES]]
    return found
