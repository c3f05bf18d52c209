"""What a draft's keys mean in the blocks: loads, and monitors as packed series, a row a metric of system or process."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parsers import Block, LoadResult, ProcessSample, SystemSample
from runs.models import Capture, Series

from .asked import load_results
from .fitting import fitted
from .pack import packed
from .timings import told

PER_PROCESS = ("rss_kb", "vsz_kb", "cpu_pct", "mem_pct", "time_s")
DAY_S = 86400
HUGE = 1e300  # no tool measures more; NaN is not below it either, and sums stay finite
Points = list[tuple[int, float]]  # (number of the look, figure)
Who = tuple[int | None, str, str, str]  # pid, user, command, group; the system is (None, "", "", "")
SYSTEM: Who = (None, "", "", "")


@dataclass(slots=True)
class Look:
    """One screen, one listing or one row: the machine and its processes at one time."""

    clock: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    processes: list[ProcessSample] = field(default_factory=list)


def load_of(blocks: Sequence[Block], key: str) -> tuple[Block, LoadResult, dict[str, object]]:
    """Block, record (completed from its command) and figures of a run's key; "b3.1" is the second of a block's, as in a log."""
    name, _, number = key.partition(".")
    block = blocks[int(name.removeprefix("b"))]
    results = load_results(block)
    rows = block.values.get("rows")
    values = rows[int(number)] if number and isinstance(rows, list) else told(block)
    return block, results[int(number or 0)], values


def looks_of(blocks: Iterable[Block]) -> list[Look]:
    """The looks in order. Each SystemSample begins one; processes belong to the one before them in their block."""
    looks: list[Look] = []
    for block in blocks:
        current: Look | None = None
        for record in block.records:
            if isinstance(record, SystemSample):
                current = Look(record.clock, record.metrics)
                looks.append(current)
            elif isinstance(record, ProcessSample):
                if current is None:
                    current = Look()
                    looks.append(current)
                current.processes.append(record)
    return looks


def series_of(capture: Capture, looks: Sequence[Look]) -> Iterator[Series]:
    """Unsaved rows for a capture, NaN where a look lacks the figure."""
    points: dict[tuple[Who, str], Points] = defaultdict(list)
    for number, look in enumerate(looks):
        for metric, figure in look.metrics.items():
            points[SYSTEM, metric].append((number, figure))
        for process in look.processes:
            who: Who = (process.pid, process.user or "", process.command, process.group)
            for metric in PER_PROCESS:
                figure = getattr(process, metric)
                if figure is not None:
                    points[who, metric].append((number, figure))
    clock = seconds_of_day([look.clock for look in looks])
    points[SYSTEM, "clock_s"] = [(number, second) for number, second in enumerate(clock) if second is not None]
    for (whose, metric), found in points.items():
        finite = [(number, float(figure)) for number, figure in found if abs(figure) < HUGE]
        if finite:
            yield _row(capture, whose, metric, finite, len(looks))


def seconds_of_day(clocks: Iterable[str | None]) -> list[float | None]:
    """From HH:MM:SS to seconds of the day; a clock that steps back by hours has passed midnight and goes on growing."""
    seconds: list[float | None] = []
    before, days = -math.inf, 0
    for clock in clocks:
        parts = (clock or "").split(":")
        if len(parts) != 3 or not all(part.isdecimal() for part in parts):
            seconds.append(None)
            continue
        now = int(parts[0]) * 3600 + int(parts[1]) * 60 + int(parts[2]) + days * DAY_S
        if now < before - DAY_S / 2:
            days += 1
            now += DAY_S
        seconds.append(float(now))
        before = now
    return seconds


def _row(capture: Capture, who: Who, metric: str, points: Points, n_looks: int) -> Series:
    samples = [math.nan] * n_looks
    for number, figure in points:
        samples[number] = figure
    figures = [figure for figure in samples if not math.isnan(figure)]
    pid, user, command, group = who
    summary = {"min": min(figures), "mean": math.fsum(figures) / len(figures), "max": max(figures), "last": figures[-1]}
    names = fitted(Series, metric=metric, pid=pid, user=user, command=command, group=group)
    return Series(capture=capture, n=len(figures), samples=packed(samples), **names, **summary)
