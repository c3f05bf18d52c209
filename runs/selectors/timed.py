"""What is stored of single requests, as pages and comparisons want it: exact percentiles and counts that add up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from runs.analysis import histogram
from runs.charts.timings import Course
from runs.models import Timing

_STARTTIME = "%a %b %d %H:%M:%S %Y"
_MOST_INTERVALS = 7200  # further apart than that the empty ones are not filled in


@dataclass(frozen=True, slots=True)
class Timed:
    """Exact percentiles of a run and, where its file has a row a request, how many took how long."""

    percentiles_ms: dict[str, float] = field(default_factory=dict)
    counts: list[list[float]] = field(default_factory=list)


def rows(**wanted: Any) -> list[Timing]:
    """The timings that are wanted, each with its upload, whose text stays where it is. One query."""
    heavy = ("upload__raw", "upload__blocks", "upload__problems", "upload__unread")
    return list(Timing.objects.filter(**wanted).select_related("upload").defer(*heavy).order_by("id"))


def by_run(timings: Iterable[Timing]) -> dict[int, Timed]:
    """By run, those that have any."""
    found: dict[int, list[Timing]] = defaultdict(list)
    for row in timings:
        if row.run_id is not None:
            found[row.run_id].append(row)
    return {run: joined(its) for run, its in found.items()}


def joined(timings: Iterable[Timing]) -> Timed:
    """The files of one run as one: ab -e has microseconds up to 99 %, -g whole milliseconds and what is beyond."""
    counted: Timing | None = None
    printed: dict[str, float] = {}
    for row in timings:
        if row.n is None:
            printed = row.percentiles_ms
        else:
            counted = row
    if counted is None:
        return Timed(printed)
    least = printed.get("99", 0.0)  # half a millisecond of rounding must not make the slower faster
    told = {name: max(ms, least) if float(name) > 99 else ms for name, ms in counted.percentiles_ms.items()}
    return Timed(told | printed, histogram.unpack(counted.histogram))


def course_of(row: Timing) -> Course | None:
    """The load by the second, intervals without a request filled in; None where the file has no clock."""
    told = histogram.unpack(row.seconds)
    if not told or not told["at_s"]:
        return None
    step, last = told["step_s"], told["at_s"][-1]
    columns = zip(told["n"], told["mean_ms"], told["max_ms"], strict=True)
    seen = dict(zip(told["at_s"], columns, strict=True))
    at_s = list(range(0, last + 1, step)) if last / step < _MOST_INTERVALS else told["at_s"]
    cells = [seen.get(at, (0, None, None)) for at in at_s]
    n, mean, most = (list(column) for column in zip(*cells, strict=True))
    return Course(_begins(row), step, at_s, n, mean, most)


def _begins(row: Timing) -> datetime | None:
    try:
        return datetime.strptime(str(row.values.get("first_starttime", "")), _STARTTIME)  # noqa: DTZ007 - the machine's own
    except ValueError:
        return None
