"""Stored runs and captures as the facts that analysis reads."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Case, Q, When
from numpy.typing import NDArray

from parsers.catalogue import (
    find_requested_load,
    get_semantics,
    has_cpu_now,
    has_one_thread,
    is_monitor,
    lists_all_processes,
    makes_load,
    parse_command,
)
from runs.analysis.facts import COPIED, CaptureFact, ProcessFact, RunFact, line_address
from runs.analysis.monitors import FELL, find_falls, is_server
from runs.database import make_page_url
from runs.models import Capture, Run, Series, find_divided
from runs.series import unpack_samples
from runs.series.clocks import seconds_of_day

OF_PROCESS = ("rss_kb", "cpu_pct", "time_s")
OF_SERIES = ("pid", "group", "command", "metric", "mean", "min", "max")
MANY_SAMPLES = 6  # fewer are too few to see that a program's memory rises and falls
MANY_PROCESSES = 1000  # of servers in one capture: more take too long to unpack while somebody waits


def line_url(upload_id: int, line: int) -> str:
    """The address of one line of an upload."""
    return line_address(make_page_url("upload", upload_id), line)


def make_run_fact(run: Run) -> RunFact:
    """One stored run; its host must be loaded with it."""
    command = parse_command(run.command, run.tool)
    address = {"scheme": command.scheme, "hostname": command.hostname, "path": command.path or None}
    asked = find_requested_load(run.command, run.tool, run.values)
    return RunFact(
        id=run.pk,
        config=run.config_id,
        url=run.get_absolute_url(),
        source=line_url(run.upload_id, run.line_first),
        line=run.line_first,
        last_line=run.line_last,
        semantics=get_semantics(run.tool),
        host=run.host.name if run.host else "",
        options=asked | {name: value for name, value in address.items() if value is not None or name not in asked},
        upload=run.upload_id,
        **{name: getattr(run, name) for name in COPIED},
    )


def make_capture_facts(captures: Sequence[Capture]) -> list[CaptureFact]:
    """Captures with their system metrics and processes (means over the samples of each). One query."""
    if not captures:
        return []
    long = [one.pk for one in captures if one.n_samples >= MANY_SAMPLES and one.phase == Capture.Phase.DURING]
    sizes = When(Q(metric="rss_kb", capture__in=long) & ~Q(pid=None), then="samples")
    rows = Series.objects.filter(Q(pid=None) | Q(metric__in=OF_PROCESS), capture__in=[c.pk for c in captures])
    series: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for capture, *row in rows.order_by("id").values_list("capture_id", *OF_SERIES, Case(sizes)):
        series[capture].append(tuple(row))
    divided = find_divided(captures)
    return [replace(_make_capture_fact(one, series[one.pk]), divided=one.pk in divided) for one in captures]


def _find_falls(capture: Capture, series: Sequence[tuple[Any, ...]], lists_all: bool) -> dict[str, list[float]]:
    """Of each program that serves the process whose memory fell most often; or all together, where each one is listed."""
    sums: dict[str, NDArray[np.float64]] = {}
    falls_by_name: dict[str, list[float]] = {}
    servers = [row for row in series if row[-1] is not None and is_server(row[1])]
    for _, program, _, _, _, low, high, samples in servers if len(servers) <= MANY_PROCESSES else ():
        sizes = unpack_samples(samples, capture.n_samples)
        sums[program] = sums.get(program, 0) + np.nan_to_num(sizes)
        if low < high * (1 - FELL):
            falls_by_name[program] = max(
                falls_by_name.get(program, []), find_falls(sizes[~np.isnan(sizes)].tolist()), key=len
            )
    for program, together in sums.items() if lists_all else ():  # of the samples that list it
        falls_by_name[program] = max(
            falls_by_name.get(program, []), find_falls(together[together > 0].tolist()), key=len
        )
    return {program: falls for program, falls in falls_by_name.items() if falls}


def _measure_seconds(capture: Capture) -> float | None:
    """Of a part with the time that its first sample is of."""
    seconds = (seconds_of_day(capture.clock_last) - seconds_of_day(capture.clock_first)) % 86400
    n = capture.n_samples
    return None if math.isnan(seconds) else seconds * n / (n - 1) if capture.is_part and n > 1 else seconds


def _make_capture_fact(capture: Capture, series: Sequence[tuple[Any, ...]]) -> CaptureFact:
    system = {metric: values for pid, _, _, metric, *values, _ in series if pid is None and metric != "clock_s"}
    processes: dict[tuple[int, str, str], dict[str, float]] = defaultdict(dict)
    for pid, group, command, metric, mean, *_ in series:
        if pid is not None:
            processes[pid, group, command][metric] = mean
    lists_all = lists_all_processes(capture.tool)
    return CaptureFact(
        id=capture.pk,
        config=capture.config_id,
        run=capture.run_id,
        **{name: getattr(capture, name) for name in ("tool", "phase", "label", "partial", "host_id", "programs")},
        url=capture.get_absolute_url(),
        source=line_url(capture.upload_id, capture.line_first),
        line=capture.line_first,
        n=capture.n_samples,
        seconds=_measure_seconds(capture),
        lists_all=lists_all,
        part=capture.is_part,
        falls=_find_falls(capture, series, lists_all or ("tasks_total" in system and "tasks_unlisted" not in system)),
        cpu_now=has_cpu_now(capture.tool),
        metrics={metric: mean for metric, (mean, _, _) in system.items()},
        lows={metric: low for metric, (_, low, _) in system.items()},
        peaks={metric: peak for metric, (_, _, peak) in system.items()},
        processes=tuple(
            ProcessFact(
                *(pid, group, command, shares.get("rss_kb"), shares.get("cpu_pct")),
                *(makes_load(group), has_one_thread(group), is_monitor(group)),
                time_s=shares.get("time_s"),
            )
            for (pid, group, command), shares in processes.items()
        ),
    )
