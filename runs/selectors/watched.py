"""What monitors saw, as arrays over time: the series of a capture, or of the captures that a run has beside it.

Which captures, which programs and which runs are marked is told by columns; samples are unpacked only for a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import Count, F, FloatField, Max, Q, QuerySet, Sum
from django.db.models.functions import Cast

from runs.charts import MOST_LINES, short
from runs.charts.overtime import Band, Strand, Timeline, joined, timeline
from runs.charts.overtime.timeline import Floats
from runs.ingest.clocks import seconds
from runs.ingest.series_packing import unpack_points, unpack_samples
from runs.models import Capture, Run, Series

MOST_PROGRAMS = 7  # the rest is drawn as one more layer
MOST_PANELS = 20
MOST_PROCESSES = 25_000  # that are added up; the smallest of more are left out, and the page says so
MOST_BANDS = 200
DAY_S = 86_400
MARGIN_S, FAR_MORE = 30.0, 3
OTHERS = "all others"
CLOCK = "clock_s"
STEADY = (CLOCK, "mem_free_kb", "cpu_us", "load1")  # one of them is in nearly every capture


@dataclass(frozen=True, slots=True)
class Program:
    """All processes of one program: how many there were, and the mean of the figures of those that were there together."""

    name: str
    n: int
    together: float
    each: float
    most: float  # of one process


@dataclass(slots=True)
class Watched:
    """Captures of one machine, one after the other. `since_s`: the second of the day from which a run's time counts."""

    captures: list[Capture]
    experiment_id: int
    since_s: float | None = None
    offsets: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at = 0
        for capture in self.captures:
            self.offsets[capture.pk] = at
            at += capture.n_samples

    def around(self, run: Run) -> tuple[float, float] | None:
        """What to show first, in seconds since the run began, where the monitors saw far more than it; by columns only."""
        if self.since_s is None or run.clock_end_s is None:
            return None
        length = run.clock_end_s - self.since_s
        beside = max(length / 2, MARGIN_S)
        told = sum(high - low for low, high in map(_span, self.captures))
        return (-beside, length + beside) if told > FAR_MORE * (length + 2 * beside) else None

    @property
    def n_looks(self) -> int:
        return sum(capture.n_samples for capture in self.captures)

    def stamp(self) -> list[Any]:
        """What changes when the series do: they are written anew, with new ids, whenever their text is read anew."""
        last = self._last_ids(pid=None, metric__in=STEADY)
        if len(last) < len(self.captures):  # only processes, and no clock
            last |= self._last_ids()
        return [self.since_s, *([one.pk, one.n_samples, last.get(one.pk)] for one in self.captures)]

    def _last_ids(self, **which: Any) -> dict[int, int]:
        return dict(self._series(**which).order_by().values_list("capture").annotate(Max("id")))

    def timeline(self) -> Timeline:
        rows = self._series(pid=None, metric=CLOCK).values_list("capture_id", "samples")
        told = dict(rows)
        clocks = [self._clock(told.get(capture.pk), capture.n_samples) for capture in self.captures]
        whole = joined(clocks)
        return timeline(whole if told else None, self.n_looks, self.since_s)

    @staticmethod
    def _clock(samples: Any, n: int) -> Floats:
        return np.full(n, np.nan) if samples is None else unpack_samples(samples, n)

    def system(self, names: Sequence[str]) -> dict[str, Floats]:
        """{metric: a figure a look}, of those that were told at all."""
        rows = self._series(pid=None, metric__in=names).values_list("capture_id", "metric", "samples")
        found: dict[str, Floats] = {}
        for capture, metric, samples in rows.iterator():
            whole = found.setdefault(metric, np.full(self.n_looks, np.nan))
            self._put(whole, capture, samples)
        return found

    def programs(self, *metrics: str) -> dict[str, list[Program]]:
        """Each metric's programs by the columns of their processes' series, the largest first. One query."""
        total = Sum(F("mean") * Cast("n", FloatField()))
        rows = self._processes(metrics).order_by().values("metric", "group").annotate(n_rows=Count("id"), total=total)
        told = rows.annotate(looks=Sum("n"), most=Max("max")).order_by("-total", "group")
        looks = max(self.n_looks, 1)
        found: dict[str, list[Program]] = {metric: [] for metric in metrics}
        for one in told:
            together, each = one["total"] / looks, one["total"] / (one["looks"] or 1)
            found[one["metric"]].append(Program(one["group"], one["n_rows"], together, each, one["most"]))
        return found

    def names(self) -> set[str]:
        """The metrics that were told, of the machine or of processes. One query."""
        return set(self._series().order_by().values_list("metric", flat=True).distinct())

    def swapped(self) -> bool:
        return self._series(metric="swap_used_kb", pid=None, max__gt=0).exists()

    def by_program(self, metric: str, programs: Sequence[str]) -> list[Strand]:
        """Each of the programs as the sum of its processes, then all others as one."""
        rows = self._processes([metric]).order_by("-mean")[:MOST_PROCESSES]
        sums: dict[str, Floats] = {}
        for capture, group, samples in rows.values_list("capture_id", "group", "samples").iterator():
            name = group if group in programs else OTHERS
            whole = sums.setdefault(name, np.full(self.n_looks, np.nan))
            self._add(whole, capture, samples)
        return [Strand(name, sums[name]) for name in (*programs, OTHERS) if name in sums]

    def processes(self, metric: str, program: str, factor: float) -> list[Strand]:
        """The largest processes of one program, each by itself, their figures times `factor`."""
        rows = self._processes([metric]).filter(group=program).order_by("-mean", "pid", "id")
        found: dict[tuple[int | None, str, str], Floats] = {}
        wanted = rows.values_list("capture_id", "pid", "user", "command", "samples")[
            : MOST_PANELS * MOST_LINES * len(self.captures)
        ]
        for capture, pid, user, command, samples in wanted:
            who = (pid, user, command)
            if who not in found and len(self.captures) == 1:
                found[who] = unpack_samples(samples, self.n_looks)
            else:
                self._put(found.setdefault(who, np.full(self.n_looks, np.nan)), capture, samples)
        for figures in found.values():
            figures *= factor
        return [
            Strand(f"{pid} {short(command, 60)}", figures)
            for (pid, _, command), figures in islice(found.items(), MOST_PANELS * MOST_LINES)
        ]

    def n_processes(self, metric: str, program: str) -> int:
        """How many `processes` gives."""
        rows = self._processes([metric]).filter(group=program).order_by().values("pid", "user", "command").distinct()
        return min(rows.count(), MOST_PANELS * MOST_LINES)

    def bands(self) -> list[Band]:
        """The runs of the same experiment, on the same machine or none, that say when they began; none without a clock."""
        if not any(capture.clock_first for capture in self.captures):
            return []
        hosts = {capture.host_id for capture in self.captures}
        rows = Run.objects.filter(experiment=self.experiment_id, clock_start_s__isnull=False).select_related("config")
        if hosts - {None}:
            rows = rows.filter(Q(host__in=hosts - {None}) | Q(host=None))
        told = rows.only("label", "repeat", "clock_start_s", "clock_end_s", "config__name").order_by(
            "clock_start_s", "id"
        )
        return [
            Band(f"{one.label or one.config.name}, run {one.repeat}", start, one.clock_end_s, one.get_absolute_url())
            for one in told[:MOST_BANDS]
            if (start := one.clock_start_s) is not None
        ]

    def _series(self, **which: Any) -> QuerySet[Series]:
        return Series.objects.filter(capture__in=[capture.pk for capture in self.captures], **which)

    def _processes(self, metrics: Sequence[str]) -> QuerySet[Series]:
        return self._series(metric__in=metrics, pid__isnull=False)

    def _part(self, whole: Floats, capture: int, samples: Any) -> tuple[Floats, Floats]:
        figures = unpack_samples(samples)
        at = self.offsets[capture]
        return whole[at : at + len(figures)], figures

    def _put(self, whole: Floats, capture: int, samples: Any) -> None:
        part, figures = self._part(whole, capture, samples)
        unknown = np.isnan(figures)
        if unknown.any():
            np.copyto(part, figures, where=~unknown)
        else:
            part[:] = figures

    def _add(self, whole: Floats, capture: int, samples: Any) -> None:
        looks, figures = unpack_points(samples)
        at = self.offsets[capture] + looks
        sums = whole[at]
        whole[at] = np.where(np.isnan(sums), figures, sums + figures)


def of_capture(capture: Capture) -> Watched:
    return Watched([capture], capture.experiment_id)


def of_run(run: Run, captures: Sequence[Capture]) -> Watched | None:
    """Those of the run's captures that can be put in a row; None where nothing was watched for long enough.

    They are of one machine. One whose clock lies within another's shows the same time twice: that with fewer looks is out.
    A run that has none of its own may have been seen by a monitor that ran through several: one query more.
    """
    ordered = sorted(captures, key=lambda one: (-one.n_samples, one.pk))
    if not ordered or ordered[0].n_samples < 2:
        through = _through(run)
        return Watched([through], run.experiment_id, run.clock_start_s) if through else None
    first = ordered[0]
    if not first.clock_first:
        return Watched([first], run.experiment_id)
    kept: list[Capture] = []
    for capture in ordered[:MOST_BANDS]:
        if capture.clock_first and capture.host_id == first.host_id and all(_apart(capture, one) for one in kept):
            kept.append(capture)
    return Watched(sorted(kept, key=lambda one: (one.upload_id, one.line_first)), run.experiment_id, run.clock_start_s)


def _through(run: Run) -> Capture | None:
    """The capture of the same experiment and machine that looked most often while the run went on."""
    if run.clock_start_s is None:
        return None
    low, high = run.clock_start_s, run.clock_end_s or run.clock_start_s
    rows = Capture.objects.filter(experiment=run.experiment_id, n_samples__gt=1).exclude(clock_first="")
    if run.host_id is not None:
        rows = rows.filter(Q(host=run.host_id) | Q(host=None))
    for capture in rows.defer("values", "quotes").order_by("-n_samples", "id")[:MOST_BANDS]:
        first, last = _span(capture)
        if any(first <= low + day and high + day <= last for day in (0, DAY_S)):
            return capture
    return None


def _apart(one: Capture, other: Capture) -> bool:
    (low, high), (their_low, their_high) = _span(one), _span(other)
    return all(high + day < their_low or low + day > their_high for day in (-DAY_S, 0, DAY_S))


def _span(capture: Capture) -> tuple[float, float]:
    low, high = seconds(capture.clock_first), seconds(capture.clock_last or capture.clock_first)
    return low, high + DAY_S * (high < low)


def pages_of(strands: Sequence[Strand]) -> Iterator[Sequence[Strand]]:
    """MOST_LINES at a time."""
    for first in range(0, len(strands), MOST_LINES):
        yield strands[first : first + MOST_LINES]
