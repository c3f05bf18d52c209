"""What a capture's page shows of it: columns only, in the database's order, the same few queries whatever its length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from runs.models import Capture, Series
from runs.selectors.watched import Program

PER_PROCESS = ("rss_kb", "vsz_kb", "cpu_pct", "mem_pct", "time_s")


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of the whole machine over the looks."""

    name: str
    n: int
    low: float
    mean: float
    high: float
    last: float


@dataclass(frozen=True, slots=True)
class Process:
    """One process: means over the looks in which it was there."""

    pid: int | None
    user: str
    group: str
    command: str
    n: int
    rss_kb: float | None
    rss_max_kb: float | None
    cpu_pct: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """A program: its processes' memory and CPU time, those that were there together added up."""

    name: str
    n: int
    each_kb: float | None
    together_kb: float | None
    most_kb: float | None
    cpu_pct: float | None


def machine(capture: Capture) -> list[Metric]:
    """By name. One query."""
    rows = capture.series.filter(pid=None).exclude(metric__in=(*PER_PROCESS, "clock_s")).order_by("metric")
    return [Metric(*row) for row in rows.values_list("metric", "n", "min", "mean", "max", "last")]


def processes(capture: Capture, most: int) -> list[Process]:
    """The `most` largest by memory, or by CPU time where no memory was told. Two queries."""
    found = _largest(capture, "rss_kb", most)
    if not found:
        return [
            Process(row.pid, row.user, row.group, row.command, row.n, None, None, row.mean)
            for row in _largest(capture, "cpu_pct", most)
        ]
    return [
        Process(row.pid, row.user, row.group, row.command, row.n, row.mean, row.max, busy.get(_who(row)))
        for busy in [_busy(capture, found)]
        for row in found
    ]


def _largest(capture: Capture, metric: str, most: int) -> list[Series]:
    rows = capture.series.filter(metric=metric, pid__isnull=False).defer("samples")
    return list(rows.order_by("-mean", "pid", "id")[:most])


def _busy(capture: Capture, largest: Sequence[Series]) -> dict[tuple[int | None, str, str], float]:
    rows = capture.series.filter(Q(pid__in={row.pid for row in largest}), metric="cpu_pct").defer("samples")
    return {_who(row): row.mean for row in rows}


def _who(row: Series) -> tuple[int | None, str, str]:
    return row.pid, row.user, row.command


def groups(programs: Mapping[str, Sequence[Program]], most: int) -> list[Group]:
    """The `most` largest of Watched.programs("rss_kb", "cpu_pct")."""
    busy = {one.name: one.together for one in programs["cpu_pct"]}
    if not programs["rss_kb"]:
        return [Group(one.name, one.n, None, None, None, one.together) for one in programs["cpu_pct"][:most]]
    return [
        Group(one.name, one.n, one.each, one.together, one.most, busy.get(one.name))
        for one in programs["rss_kb"][:most]
    ]


def counted(captures: Sequence[Capture]) -> dict[int, int]:
    """{capture: how many processes it saw}. One query."""
    rows = Series.objects.filter(capture__in=[capture.pk for capture in captures], metric="rss_kb", pid__isnull=False)
    found: dict[int, int] = defaultdict(int)
    found.update(rows.order_by().values_list("capture_id").annotate(Count("id")))
    return found
