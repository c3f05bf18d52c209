"""A run's series, thinned out to what a chart can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

from runs.ingest.pack import unpack
from runs.models import Run, Series

CLOCK = "clock_s"


def of_run(run: Run, metric: str, points: int) -> dict[str, Any]:
    """The metric of each process (or of the system) in the run's captures, in `points` samples. Two queries."""
    beside = Series.objects.filter(capture__run=run)
    rows = beside.filter(metric__in=(metric, CLOCK)).select_related("capture").order_by("capture_id", "id")
    clocks = {
        row.capture_id: unpack(row.samples, row.capture.n_samples).tolist() for row in rows if row.metric == CLOCK
    }
    return {
        "run": run.pk,
        "metric": metric,
        "metrics": sorted(set(beside.order_by().values_list("metric", flat=True).distinct()) - {CLOCK}),
        "series": [_one(row, clocks.get(row.capture_id), points) for row in rows if row.metric == metric],
    }


def _one(row: Series, clock: list[float] | None, points: int) -> dict[str, Any]:
    samples = unpack(row.samples, row.capture.n_samples).tolist()
    looks = thinned(samples, points)
    return {
        "capture": row.capture_id,
        "tool": row.capture.tool,
        "phase": row.capture.phase,
        **{name: getattr(row, name) for name in ("pid", "user", "command", "group", "n", "min", "mean", "max", "last")},
        "looks": looks,
        "clock_s": [_known(clock[look]) for look in looks] if clock else None,
        "samples": [_known(samples[look]) for look in looks],
    }


def thinned(samples: Sequence[float], points: int) -> list[int]:
    """Indexes of at most `points` samples: the least and the greatest of every stride, so that no peak is lost."""
    if len(samples) <= points:
        return list(range(len(samples)))
    stride = math.ceil(len(samples) / (points // 2))
    starts = range(0, len(samples), stride)
    return sorted(set(chain.from_iterable(_ends(samples, range(s, min(s + stride, len(samples)))) for s in starts)))


def _ends(samples: Sequence[float], where: Sequence[int]) -> tuple[int, int]:
    known = [index for index in where if not math.isnan(samples[index])] or where[:1]
    return min(known, key=samples.__getitem__), max(known, key=samples.__getitem__)


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
