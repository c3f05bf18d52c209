"""What serving costs: requests/s by memory and by core, memory of one process, how many workers fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from runs.analysis.columns import Column
from runs.analysis.facts import CaptureFact, HostFact, RunFact, Source, TextFact
from runs.analysis.monitors import (
    MANY_IN_ONE,
    MIB,
    MemoryTaken,
    Served,
    find_available,
    is_threaded,
    measure_taken,
    name_programs,
    select_under_load,
)
from runs.analysis.table import Comparison, find_columns
from runs.numbers import figure

LEAST_KB = 1  # no process is smaller than what the kernel counts in


@dataclass(frozen=True)
class CostCell:
    """A figure. text: as a page writes it; how: the sum it comes from; bound: "", "at least" or "at most".

    `value` None: there is none, and `how` says why.
    """

    value: float | None
    text: str
    how: str
    sources: tuple[Source, ...] = ()
    bound: str = ""


@dataclass(frozen=True, slots=True)
class CostRow:
    """One measure; a column that has nothing on it has None."""

    key: str
    label: str
    unit: str
    cells: tuple[CostCell | None, ...]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of one column: its counted runs, its captures under load, memory around its runs, its machine.

    captures   all of them, whatever their phase; out: runs of the column that do not count
    """

    column: Column
    runs: tuple[RunFact, ...]
    captures: tuple[CaptureFact, ...]
    served: tuple[Served, ...]
    taken: tuple[MemoryTaken, ...]
    host: HostFact | None
    out: frozenset[int] = frozenset()

    @property
    def rate(self) -> float | None:
        rates = [rate for run in self.runs if (rate := _read_rate(run)) is not None]
        return fmean(rates) if rates else None

    def rate_at(self, capture: CaptureFact) -> float | None:
        """The requests/s of the run that the capture stands beside, else of all; None beside a run that does not count."""
        if capture.run in self.out:
            return None
        own = [_read_rate(run) for run in self.runs if run.id == capture.run]
        return own[0] if own else self.rate


def _read_rate(run: RunFact) -> float | None:
    rate = run.requests_per_second
    return rate if rate is not None and math.isfinite(rate) else None


def compute_rss(name: str, seen: ColumnFacts) -> CostCell | None:
    """ "20 × 13 MiB": processes of one program and their resident memory together, the mean of the captures."""
    groups = [(served, group) for served in seen.served for group in served.groups if group.name == name]
    if not groups:
        return None
    sources = tuple(served.capture.first_line for served, _ in groups)
    each = fmean(group.rss_mean_kb for _, group in groups) / MIB
    note = ", beside a run that is not counted" if any(served.capture.run in seen.out for served, _ in groups) else ""
    if any(served.whole == "quoted" for served, _ in groups):
        return CostCell(None, f"{figure(each)} MiB each", f"how many there were is not shown{note}", sources)
    n, total = fmean(group.n for _, group in groups), fmean(group.rss_kb for _, group in groups) / MIB
    how = f"{figure(round(n, 1))} × {figure(each)} MiB"
    some = any(served.whole == "some" for served, _ in groups)
    how += (f" of {_describe_room(groups[0][0])}" if some else "") + note
    return CostCell(total, figure(total), how, sources, "at least" if some else "")


def compute_rate_per_mib(seen: ColumnFacts) -> CostCell | None:
    """Requests/s for each MiB of the server's RSS, all its programs together."""
    whole = [served for served in seen.served if served.whole != "quoted"]
    sums = [(rate, served) for served in whole if (rate := seen.rate_at(served.capture)) is not None]
    if not sums:
        return None
    value = fmean(rate / (served.rss_kb / MIB) for rate, served in sums)
    rate, first = sums[0]
    names = " + ".join(group.name for group in first.groups)
    how = f"{figure(rate)} requests/s / {figure(first.rss_kb / MIB)} MiB of {names}"
    how += f", the mean of {len(sums)} captures" if len(sums) > 1 else ""
    some = any(served.whole == "some" for _, served in sums)
    return CostCell(
        value, figure(value), how, tuple(served.capture.first_line for _, served in sums), "at most" if some else ""
    )


def compute_rate_per_core(seen: ColumnFacts) -> CostCell | None:
    """Requests/s for each core of the machine."""
    if seen.rate is None or seen.host is None or not seen.host.cores:
        return None
    cores, value = seen.host.cores, seen.rate / seen.host.cores
    how = f"{figure(seen.rate)} requests/s / {cores} core" + ("s" if cores > 1 else "")
    return CostCell(value, figure(value), how, tuple(run.source_of() for run in seen.runs))


def compute_price_per_million(seen: ColumnFacts) -> CostCell | None:
    """What a million requests cost at this rate, by the price of an hour of the machine."""
    if not seen.rate or seen.host is None or seen.host.price_per_hour is None:
        return None
    price, value = seen.host.price_per_hour, seen.host.price_per_hour / 3600 / seen.rate * 1e6
    how = f"{figure(price)} an hour / 3600 s / {figure(seen.rate)} requests/s × 1,000,000"
    return CostCell(value, figure(value), how, tuple(run.source_of() for run in seen.runs))


def describe_available_memory(seen: ColumnFacts) -> CostCell | None:
    """Available memory before → after, and what the run took; of several runs the mean."""
    if not seen.taken:
        return None
    before, after = (fmean(memory.before_kb for memory in seen.taken), fmean(memory.after_kb for memory in seen.taken))
    how = f"{before:.0f} − {after:.0f} kB, {seen.taken[0].basis}" + _say_mean_of_runs(seen.taken)
    text = f"{figure(before / MIB)} → {figure(after / MIB)}"
    return CostCell((before - after) / MIB, text, how, _collect_sources(seen.taken))


def compute_memory_per_process(seen: ColumnFacts) -> CostCell | None:
    """What one process took of the available memory."""
    known = [memory for memory in seen.taken if memory.each_kb is not None and memory.count]
    if not known:
        return _note_no_process(seen.taken)
    value = fmean(memory.each_kb or 0.0 for memory in known)
    first = known[0]
    words = first.count.words if first.count else ""
    mb = (first.each_kb or 0.0) / 1000  # by thousands, as one reckons by hand
    how = f"({first.before_kb:.0f} − {first.after_kb:.0f}) kB / {words} = {first.each_kb:.0f} kB, about {mb:.1f} MB"
    sources = (
        *_collect_sources(known),
        *(source for memory in known if memory.count for source in memory.count.sources),
    )
    return CostCell(value / MIB, figure(value / MIB), how + _say_mean_of_runs(known), tuple(dict.fromkeys(sources)))


def _note_no_process(memories: Sequence[MemoryTaken]) -> CostCell | None:
    if not memories:
        return None
    shrank = any(memory.taken_kb > 0 for memory in memories)
    why = "nothing shows how many processes there were" if shrank else "available memory did not shrink"
    return CostCell(None, "–", why, _collect_sources(memories))


def count_fitting_workers(seen: ColumnFacts) -> CostCell | None:
    """How many processes fit into memory: (available + what the group holds) / memory of one."""
    known = [memory for memory in seen.taken if memory.each_kb is not None and memory.count]
    if known:
        memory = known[0]
        each, n = memory.each_kb or 1.0, memory.count.n if memory.count else 0
        value = int((memory.after_kb + memory.taken_kb) / each)
        how = f"({memory.after_kb:.0f} kB available + {n} × {each:.0f} kB) / {each:.0f} kB, {memory.basis}"
        return CostCell(value, str(value), how, _collect_sources([memory]))
    for whole in seen.served:
        free = _find_free(whole.capture, seen.captures)
        many = whole.groups[0].name.lower().startswith(MANY_IN_ONE)
        counts = whole.capture.run not in seen.out and whole.whole != "quoted" and not many
        if free and counts and whole.groups[0].rss_mean_kb >= LEAST_KB:
            return _count_by_rss(whole, *free)
    return None


def _count_by_rss(whole: Served, free_kb: float, basis: str, where: Source) -> CostCell:
    group = whole.groups[0]
    value = int((free_kb + group.rss_kb) / group.rss_mean_kb)
    n, each = figure(round(group.n, 1)), f"{group.rss_mean_kb:.0f} kB"
    how = f"({free_kb:.0f} kB available + {n} × {each}) / {each} RSS of one {group.name}, {basis}"
    return CostCell(value, str(value), how, tuple(dict.fromkeys((where, whole.capture.first_line))), "at least")


def _find_free(capture: CaptureFact, captures: Sequence[CaptureFact]) -> tuple[float, str, Source] | None:
    """Available memory when `capture` was taken: by itself, else by another capture of its run and phase."""
    same = [other for other in captures if other.run == capture.run and other.phase == capture.phase]
    for other in (capture, *same):
        free = find_available(other)
        if free:
            return *free, other.first_line
    return None


def find_host(runs: Sequence[RunFact], hosts: Mapping[int, HostFact]) -> HostFact | None:
    """The machine that these runs loaded, or the only one there is."""
    known = {run.host_id for run in runs} - {None}
    if len(known) == 1:
        return hosts.get(next(iter(known)) or 0)
    return next(iter(hosts.values())) if not known and len(hosts) == 1 else None


def _describe_room(served: Served) -> str:
    total = served.capture.metrics.get("tasks_total")
    return f"the {len(served.capture.processes)} shown" + (f" ({figure(int(total))} tasks)" if total else "")


def _say_mean_of_runs(memories: Sequence[MemoryTaken]) -> str:
    return f" (the first of {len(memories)} runs; the figure is their mean)" if len(memories) > 1 else ""


def _collect_sources(memories: Sequence[MemoryTaken]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for memory in memories for source in memory.sources))


SHARED = (
    "RSS counts memory that processes share once in each of them, so sums of it are upper bounds; what one more process "
    "really takes is nearer to the change of available memory."
)
MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Rows over the comparison's columns. `sentences` say what stands out, `notes` how to read the figures."""

    rows: tuple[CostRow, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]


def compute_cost(
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
    by_column = _group_captures(comparison.columns, captures)
    seen = [_observe(column, own, texts, known, out) for column, own in zip(comparison.columns, by_column, strict=True)]
    rows = _make_rows(seen)
    if not rows:
        return None
    return Cost(tuple(rows), tuple(_describe_rows(rows, comparison.columns)), tuple(_collect_notes(seen, rows, out)))


def _group_captures(columns: Sequence[Column], captures: Sequence[CaptureFact]) -> list[list[CaptureFact]]:
    """Each column's captures."""
    column_of = find_columns(columns)
    by_column: list[list[CaptureFact]] = [[] for _ in columns]
    for capture in captures:
        if (at := column_of(capture)) is not None:
            by_column[at].append(capture)
    return by_column


def _observe(
    column: Column,
    captures: Sequence[CaptureFact],
    texts: Sequence[TextFact],
    hosts: Mapping[int, HostFact],
    excluded: Mapping[int, str],
) -> ColumnFacts:
    runs = tuple(run for run in column.runs if run.id not in excluded)
    host = find_host(runs, hosts)
    # Monitors of the machine that made the load say nothing of what serving costs.
    own = tuple(capture for capture in captures if host is None or capture.host_id in (None, host.id))
    out = frozenset(run.id for run in column.runs if run.id in excluded)
    software = next((run.server_software for run in column.runs if run.server_software), "")
    served = tuple(select_under_load(own, software))
    return ColumnFacts(column, runs, own, served, tuple(_find_memory_taken(column, runs, own, texts)), host, out)


def _find_memory_taken(
    column: Column, runs: Sequence[RunFact], captures: Sequence[CaptureFact], texts: Sequence[TextFact]
) -> list[MemoryTaken]:
    own = [text.text for text in texts if text.config in (None, column.config.id)]
    memory_taken = []
    for run in runs:
        around_run = [capture for capture in captures if capture.run == run.id]
        if not around_run and len(runs) == 1:
            around_run = [capture for capture in captures if capture.run is None]
        threaded = is_threaded((column.config.name, run.server_software), own)
        memory = measure_taken(run, around_run, threaded=threaded)
        if memory:
            memory_taken.append(memory)
    return memory_taken


def _make_rows(seen: Sequence[ColumnFacts]) -> list[CostRow]:
    """Those that any column has a figure of."""
    programs = name_programs([served for each in seen for served in each.served])
    measures: list[tuple[str, str, str, Callable[[ColumnFacts], CostCell | None]]] = [
        ("per_mib", "Requests per MiB of RSS", "per s", compute_rate_per_mib),
        ("per_core", "Requests per core", "per s", compute_rate_per_core),
        ("per_million", "Cost of a million requests", "", compute_price_per_million),
        *((f"rss_{name}", f"{name}: resident memory", "MiB", partial(compute_rss, name)) for name in programs),
        ("available", "Available memory, before → after", "MiB", describe_available_memory),
        ("per_process", "Taken by each process", "MiB", compute_memory_per_process),
        ("workers", "Processes that fit (MaxClients)", "", count_fitting_workers),
    ]
    rows = [CostRow(key, label, unit, tuple(map(measure, seen))) for key, label, unit, measure in measures]
    return [row for row in rows if any(row.cells)]


def _describe_rows(rows: Sequence[CostRow], columns: Sequence[Column]) -> list[str]:
    notes = []
    by_key = {row.key: row for row in rows}
    if row := by_key.get("per_mib"):
        notes += _compare_columns(row, columns)
    if row := by_key.get("per_process"):
        known = [
            (column, cell) for column, cell in zip(columns, row.cells, strict=True) if cell and cell.value is not None
        ]
        notes += [f"{column.title}, memory taken by each process: {cell.how}." for column, cell in known[:MOST_NAMES]]
    return notes


def _compare_columns(row: CostRow, columns: Sequence[Column]) -> list[str]:
    """The most and the least that a MiB serves. Bounds are not set against each other."""
    known = [(cell.value, column) for column, cell in zip(columns, row.cells, strict=True) if cell and cell.value]
    if len(known) < 2 or any(cell and cell.bound for cell in row.cells):
        return []
    (most, best), (least, other) = max(known, key=lambda one: one[0]), min(known, key=lambda one: one[0])
    return [
        f"For each MiB of resident memory {best.title} served {figure(most)} requests/s, {other.title} {figure(least)}; "
        "whether that is more than chance is not tested."
    ]


def _collect_notes(seen: Sequence[ColumnFacts], rows: Sequence[CostRow], excluded: Mapping[int, str]) -> list[str]:
    keys = {row.key for row in rows}
    notes = [SHARED] if any(each.served for each in seen) else []
    bases = list(dict.fromkeys(memory.basis for each in seen for memory in each.taken))
    if "available" in keys:
        notes.append(
            f"Available memory is {', '.join(bases)}; kB are the kernel's (1024 bytes), “about … MB” counts them by thousands."
        )
    if any(
        "one a connection" in (memory.count.words if memory.count else "") for each in seen for memory in each.taken
    ):
        notes.append(
            "Where no whole list of processes was shown, each connection is taken to have a process (prefork)."
        )
    if "workers" in keys:
        notes.append(
            "What fits is (available memory + what the processes hold) / memory of one; leave room for the rest."
        )
    left = [(run, excluded[run.id]) for each in seen for run in each.column.runs if run.id in excluded]
    if len(left) == 1:
        run, why = left[0]
        notes.append(f"Not counted: {run.label or f'run {run.id}'}, {why.rstrip('.')}.")
    elif left:
        notes.append(f"Not counted: {len(left):,} runs (see the doubts).")
    return notes
