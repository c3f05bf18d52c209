"""What monitors measured: the series of a capture, or of the captures of one run in a row, for tables and charts.

Tables and legends read columns only, so a page costs the same however long a monitor ran. Samples are unpacked for charts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import Count, F, FloatField, Max, Q, QuerySet, Sum
from django.db.models.functions import Cast

from runs.charts.time_series import RunSpan
from runs.models import Capture, Run, Series
from runs.series import Floats, unpack_points, unpack_samples
from runs.series.clocks import DAY_S, seconds_of_day
from runs.series.samples import PROCESS_METRICS

MOST_PROCESSES = 25_000  # that are added up; the smallest of more are left out, and the page says so
MOST_MARKS = MOST_CAPTURES = 200
MARGIN_S = 30.0
MUCH_LONGER = 3  # times a run and its margins
OTHERS = "all others"
CLOCK = "clock_s"
STEADY = (CLOCK, "mem_free_kb", "cpu_us", "load1")  # nearly every capture has one of them


@dataclass(frozen=True, slots=True)
class Program:
    """All processes of one program: how many there were, and means over the samples in which they ran together."""

    name: str
    n: int
    together: float
    each: float


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A program in a capture's table: memory of one and of all processes, CPU time of all.

    n      processes of all samples; sums: of several samples {"processes", "rss_kb", "cpu_pct": [mean, most] at a time}
    """

    name: str
    n: int
    each_kb: float | None
    together_kb: float | None
    cpu_pct: float | None
    sums: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One process: means over the samples in which it ran."""

    pid: int | None
    group: str
    command: str
    n: int
    rss_kb: float | None
    rss_max_kb: float | None
    cpu_pct: float | None


@dataclass(slots=True)
class Samples:
    """The samples of captures of one machine that follow each other.

    since_s  the second of the day from which the time of a run counts
    """

    captures: list[Capture]
    experiment_id: int
    since_s: float | None = None
    offsets: dict[int, int] = field(default_factory=dict)  # of each capture's first sample
    n: int = 0

    def __post_init__(self) -> None:
        for capture in self.captures:
            self.offsets[capture.pk] = self.n
            self.n += capture.n_samples

    def part_around(self, run: Run) -> tuple[float, float] | None:
        """(from, to) in seconds since the run began, where the monitors ran much longer than it. No query."""
        if self.since_s is None or run.clock_end_s is None:
            return None
        length = run.clock_end_s - self.since_s
        margin = max(length / 2, MARGIN_S)
        measured_s = sum(high - low for low, high in map(_read_span, self.captures))
        return (-margin, length + margin) if measured_s > MUCH_LONGER * (length + 2 * margin) else None

    def version(self) -> list[Any]:
        """Changes when the series do: they get new ids whenever their text is read again. At most two queries."""
        newest = self._find_newest_ids(pid=None, metric__in=STEADY)
        if len(newest) < len(self.captures):  # processes only, and no clock
            newest |= self._find_newest_ids()
        return [self.since_s, *([capture.pk, capture.n_samples, newest.get(capture.pk)] for capture in self.captures)]

    def _find_newest_ids(self, **where: Any) -> dict[int, int]:
        """{capture id: the newest of its series}."""
        return dict(self._series(**where).order_by().values_list("capture").annotate(Max("id")))

    def clock(self) -> Floats | None:
        """The second of the day of each sample, growing past midnight; None where no capture has a clock."""
        packed = dict(self._series(pid=None, metric=CLOCK).values_list("capture_id", "samples"))
        if not packed:
            return None
        sizes = {capture.pk: capture.n_samples for capture in self.captures}
        return join_clocks(
            [unpack_samples(packed[pk], n) if pk in packed else np.full(n, np.nan) for pk, n in sizes.items()]
        )

    def machine_metrics(self, names: Sequence[str]) -> dict[str, Floats]:
        """{metric: a value for each sample}, of those metrics that there are."""
        rows = self._series(pid=None, metric__in=names).values_list("capture_id", "metric", "samples")
        metrics: dict[str, Floats] = {}
        for capture, metric, samples in rows.iterator():
            self._put(metrics.setdefault(metric, self._unknown()), capture, samples)
        return metrics

    def programs(self, *metrics: str) -> dict[str, list[Program]]:
        """Each metric's programs, the largest first. One query."""
        total = Sum(F("mean") * Cast("n", FloatField()))
        rows = self._processes(metrics).order_by().values("metric", "group").annotate(n_rows=Count("id"), total=total)
        by_metric: dict[str, list[Program]] = {metric: [] for metric in metrics}
        for row in rows.annotate(n_samples=Sum("n")).order_by("-total", "group"):
            together, each = row["total"] / max(self.n, 1), row["total"] / (row["n_samples"] or 1)
            by_metric[row["metric"]].append(Program(row["group"], row["n_rows"], together, each))
        return by_metric

    def metric_names(self) -> set[str]:
        """The metrics of the machine and of processes; swap_used_kb only where any was used. At most two queries."""
        names = set(self._series().order_by().values_list("metric", flat=True).distinct())
        used = "swap_used_kb" in names and self._series(metric="swap_used_kb", pid=None, max__gt=0).exists()
        return names if used else names - {"swap_used_kb"}

    def sum_by_program(self, metric: str, programs: Sequence[str]) -> dict[str, Floats]:
        """Each of the programs as the sum of its processes, then all others as one."""
        rows = self._processes([metric]).order_by("-mean")[:MOST_PROCESSES]
        sums: dict[str, Floats] = {}
        for capture, group, samples in rows.values_list("capture_id", "group", "samples").iterator():
            name = group if group in programs else OTHERS
            self._add(sums.setdefault(name, self._unknown()), capture, samples)
        return {name: sums[name] for name in (*programs, OTHERS) if name in sums}

    def processes(self, program: str, most: int) -> list[tuple[int | None, str, Floats]]:
        """(pid, command, resident memory) of the largest processes of a program."""
        rows = self._processes(["rss_kb"]).filter(group=program).order_by("-mean", "pid", "id")
        fields = rows.values_list("capture_id", "pid", "user", "command", "samples")
        by_process: dict[tuple[int | None, str, str], Floats] = {}
        for capture, pid, user, command, samples in fields[: most * len(self.captures)]:
            who = (pid, user, command)
            if who not in by_process and len(self.captures) == 1:
                by_process[who] = unpack_samples(samples, self.n)
            else:
                self._put(by_process.setdefault(who, self._unknown()), capture, samples)
        return [(pid, command, values) for (pid, _, command), values in by_process.items()][:most]

    def count_processes(self, program: str) -> int:
        """How many there are; in several captures, one process has several series."""
        rows = self._processes(["rss_kb"]).filter(group=program).order_by()
        return rows.values("pid", "user", "command").distinct().count()

    def marks(self) -> list[RunSpan]:
        """The runs of the experiment, on the same machine or none, that have a start time; none without a clock."""
        if not any(capture.clock_first for capture in self.captures):
            return []
        hosts = {capture.host_id for capture in self.captures} - {None}
        rows = Run.objects.filter(experiment=self.experiment_id, clock_start_s__isnull=False).select_related("config")
        if hosts:
            rows = rows.filter(Q(host__in=hosts) | Q(host=None))
        columns = ("label", "repeat", "clock_start_s", "clock_end_s", "config__name")
        return [
            RunSpan(f"{run.label or run.config.name}, run {run.repeat}", start, run.clock_end_s, run.get_absolute_url())
            for run in rows.only(*columns).order_by("clock_start_s", "id")[:MOST_MARKS]
            if (start := run.clock_start_s) is not None
        ]

    def _series(self, **where: Any) -> QuerySet[Series]:
        return Series.objects.filter(capture__in=[capture.pk for capture in self.captures], **where)

    def _processes(self, metrics: Sequence[str]) -> QuerySet[Series]:
        return self._series(metric__in=metrics, pid__isnull=False)

    def _unknown(self) -> Floats:
        return np.full(self.n, np.nan)

    def _put(self, whole: Floats, capture: int, samples: Any) -> None:
        values = unpack_samples(samples)
        at = self.offsets[capture]
        np.copyto(whole[at : at + len(values)], values, where=~np.isnan(values))

    def _add(self, whole: Floats, capture: int, samples: Any) -> None:
        places, values = unpack_points(samples)
        at = self.offsets[capture] + places
        sums = whole[at]
        whole[at] = np.where(np.isnan(sums), values, sums + values)


def load_samples_of_capture(capture: Capture) -> Samples:
    return Samples([capture], capture.experiment_id)


def load_samples_of_run(run: Run, captures: Sequence[Capture]) -> Samples | None:
    """Those of the run's captures that can be put in a row; None where no monitor took more than one sample.

    They are of one machine. Where the clocks of two overlap, the one with fewer samples is left out, since both show the
    same time. For a run without captures of its own, one that ran through several runs may do, even where what it saw of the
    run is a part of it: one query more.
    """
    ordered = sorted(captures, key=lambda capture: (capture.is_part, -capture.n_samples, capture.pk))
    if not ordered or ordered[0].is_part or ordered[0].n_samples < 2:
        longer = _find_capture_around(run)
        if longer or not ordered or ordered[0].n_samples < 2:
            return Samples([longer], run.experiment_id, run.clock_start_s) if longer else None
    first = ordered[0]
    if not first.clock_first:
        return Samples([first], run.experiment_id)
    chosen: list[Capture] = []
    for capture in ordered[:MOST_CAPTURES]:
        if (
            capture.clock_first
            and capture.host_id == first.host_id
            and not any(_do_overlap(capture, c) for c in chosen)
        ):
            chosen.append(capture)
    chosen.sort(key=lambda capture: (capture.upload_id, capture.line_first))
    return Samples(chosen, run.experiment_id, run.clock_start_s)


def _find_capture_around(run: Run) -> Capture | None:
    """The capture of the same experiment and machine with the most samples that ran during all of the run."""
    if run.clock_start_s is None:
        return None
    low, high = run.clock_start_s, run.clock_end_s or run.clock_start_s
    rows = Capture.objects.filter(experiment=run.experiment_id, n_samples__gt=1).exclude(clock_first="")
    if run.host_id is not None:
        rows = rows.filter(Q(host=run.host_id) | Q(host=None))
    for capture in rows.defer("values", "quotes").order_by("-n_samples", "id")[:MOST_CAPTURES]:
        first, last = _read_span(capture)
        if any(first <= low + day and high + day <= last for day in (0, DAY_S)):
            return capture
    return None


def _do_overlap(capture: Capture, other: Capture) -> bool:
    (low, high), (first, last) = _read_span(capture), _read_span(other)
    return any(low + day <= last and first <= high + day for day in (-DAY_S, 0, DAY_S))


def _read_span(capture: Capture) -> tuple[float, float]:
    """The first and the last second of the day; the last one is larger past midnight."""
    low, high = seconds_of_day(capture.clock_first), seconds_of_day(capture.clock_last or capture.clock_first)
    return low, high + DAY_S * (high < low)


def join_clocks(clocks: Sequence[Floats]) -> Floats:
    """Clocks of captures that follow each other: one that begins hours before the last one ended is past midnight."""
    parts: list[Floats] = []
    last = -np.inf
    for clock in clocks:
        known = clock[~np.isnan(clock)]
        if len(known) and known[0] < last - DAY_S / 2:
            days = DAY_S * np.ceil((last - DAY_S / 2 - known[0]) / DAY_S)
            clock, known = clock + days, known + days
        last = float(known[-1]) if len(known) else last
        parts.append(clock)
    return np.concatenate(parts) if parts else np.empty(0)


def list_machine_series(capture: Capture) -> list[Series]:
    """The metrics of the machine by name, without their samples. One query."""
    rows = capture.series.filter(pid=None).exclude(metric__in=(*PROCESS_METRICS, CLOCK)).order_by("metric")
    return list(rows.defer("samples"))


def list_process_rows(capture: Capture, most: int) -> list[ProcessRow]:
    """The `most` largest by memory, or by CPU time where no memory is known. Two queries."""
    by_memory = _find_largest(capture, "rss_kb", most)
    if not by_memory:
        by_cpu = _find_largest(capture, "cpu_pct", most)
        return [ProcessRow(row.pid, row.group, row.command, row.n, None, None, row.mean) for row in by_cpu]
    rows = capture.series.filter(pid__in={row.pid for row in by_memory}, metric="cpu_pct").defer("samples")
    cpu_pct = {(row.pid, row.user, row.command): row.mean for row in rows}
    return [
        ProcessRow(
            *(row.pid, row.group, row.command, row.n, row.mean, row.max), cpu_pct.get((row.pid, row.user, row.command))
        )
        for row in by_memory
    ]


def _find_largest(capture: Capture, metric: str, most: int) -> list[Series]:
    rows = capture.series.filter(metric=metric, pid__isnull=False).defer("samples")
    return list(rows.order_by("-mean", "pid", "id")[:most])


def list_program_rows(capture: Capture, programs: Mapping[str, Sequence[Program]], most: int) -> list[ProgramRow]:
    """The `most` largest of the capture's `programs("rss_kb", "cpu_pct")`."""
    sums: dict[str, dict[str, list[float]]] = capture.programs
    cpu_pct = {program.name: program.together for program in programs["cpu_pct"]}
    if not programs["rss_kb"]:
        return [ProgramRow(one.name, one.n, None, None, one.together) for one in programs["cpu_pct"][:most]]
    return [
        ProgramRow(one.name, one.n, one.each, one.together, cpu_pct.get(one.name), sums.get(one.name, {}))
        for one in programs["rss_kb"][:most]
    ]


def count_processes(captures: Sequence[Capture]) -> dict[int, int]:
    """{capture: how many processes it has}, of those that have any. One query."""
    rows = Series.objects.filter(capture__in=[capture.pk for capture in captures], metric="rss_kb", pid__isnull=False)
    return dict(rows.order_by().values_list("capture_id").annotate(Count("id")))
