"""Stored times of single requests: exact percentiles, and counts that can be added up over runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from runs.analysis import histogram
from runs.models import Timing


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """Exact percentiles of a run and, where its file has a row for each request, how many took how long."""

    percentiles_ms: dict[str, float] = field(default_factory=dict)
    counts: list[list[float]] = field(default_factory=list)


def find_timings(**where: Any) -> list[Timing]:
    """The files that meet these conditions, each with its upload, whose text is not loaded. One query."""
    heavy = ("upload__raw", "upload__blocks", "upload__problems", "upload__unread")
    return list(Timing.objects.filter(**where).select_related("upload").defer(*heavy).order_by("id"))


def group_by_run(timings: Iterable[Timing]) -> dict[int, RequestTimes]:
    """By run, for those that have any."""
    files: dict[int, list[Timing]] = defaultdict(list)
    for row in timings:
        if row.run_id is not None:
            files[row.run_id].append(row)
    return {run: join_files(rows) for run, rows in files.items()}


def join_files(timings: Iterable[Timing]) -> RequestTimes:
    """The files of one run as one: a list of percentiles is exact up to 99 %, a file of rows has what is beyond."""
    counted: Timing | None = None
    printed: dict[str, float] = {}
    for row in timings:
        if row.n is None:
            printed = row.percentiles_ms
        else:
            counted = row
    if counted is None:
        return RequestTimes(printed)
    least = printed.get("99", 0.0)  # half a millisecond of rounding must not make the slower faster
    exact = {name: max(ms, least) if float(name) > 99 else ms for name, ms in counted.percentiles_ms.items()}
    return RequestTimes(exact | printed, histogram.unpack(counted.histogram))
