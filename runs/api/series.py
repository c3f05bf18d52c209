"""A run's series, thinned out to what a chart can show."""

from __future__ import annotations

from typing import Any

import numpy as np

from runs.charts.timeline import Floats, find_extremes
from runs.ingest.series_packing import unpack_samples
from runs.models import Run, Series

CLOCK = "clock_s"
MOST = 500  # series in one answer: the largest of more
OF_ROW = ("pid", "user", "command", "group", "n", "min", "mean", "max", "last")
OF_CAPTURE = ("tool", "phase", "n_samples")


def of_run(run: Run, metric: str, points: int) -> dict[str, Any]:
    """The metric of each process (or of the system) in the run's captures, in `points` samples. Three queries."""
    beside = Series.objects.filter(capture__run=run)
    light = beside.select_related("capture").only(
        "capture_id", "samples", *OF_ROW, *(f"capture__{name}" for name in OF_CAPTURE)
    )
    rows = list(light.filter(metric=metric).order_by("-mean", "id")[: MOST + 1])
    told = light.filter(metric=CLOCK, pid=None)
    clocks = {row.capture_id: unpack_samples(row.samples, row.capture.n_samples) for row in told}
    shown = sorted(rows[:MOST], key=lambda row: (row.capture_id, row.pk))
    return {
        "run": run.pk,
        "metric": metric,
        "metrics": sorted(set(beside.order_by().values_list("metric", flat=True).distinct()) - {CLOCK}),
        "truncated": len(rows) > MOST,
        "series": [_one(row, clocks.get(row.capture_id), points) for row in shown],
    }


def _one(row: Series, clock: Floats | None, points: int) -> dict[str, Any]:
    samples = unpack_samples(row.samples, row.capture.n_samples)
    looks = find_extremes(samples, points)
    return {
        "capture": row.capture_id,
        "tool": row.capture.tool,
        "phase": row.capture.phase,
        **{name: getattr(row, name) for name in OF_ROW},
        "looks": looks.tolist(),
        "clock_s": _known(clock[looks]) if clock is not None else None,
        "samples": _known(samples[looks]),
    }


def _known(figures: Floats) -> list[float | None]:
    """A gap is null."""
    return [None if unknown else figure for figure, unknown in zip(figures.tolist(), np.isnan(figures), strict=True)]
