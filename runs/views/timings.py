"""What each request took: the part of a run's page (and of an experiment's, for files whose run is not there) that says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.analysis import histogram
from runs.charts import Figure
from runs.charts import timings as drawing
from runs.models import Run, Timing
from runs.selectors import reads, timed
from runs.views import figures

HEADINGS = {"requests": "How long did how many requests take?", "course": "How did the load go by the second?"}


@dataclass(frozen=True, slots=True)
class File:
    """One file as the page tells of it. `rows` are (per cent, ms)."""

    what: str
    n: int | None
    url: str
    first: int
    last: int
    upload: str
    rows: list[tuple[str, float]]
    starts: str


def of_run(run: Run) -> dict[str, Any]:
    """The page's context: files, one table for all of them, charts. One query."""
    rows = timed.rows(run=run)
    course = _course(rows)
    made = figures.published(
        _figures(rows), lambda what, digest: reverse("run-timing-figure", args=[run.pk, what, digest])
    )
    charts = [(name, HEADINGS[name], chart) for name, chart in made.items()]
    words = drawing.words(course) if course else ""
    return context_of(rows) | {"timed": timed.joined(rows), "timing_charts": charts, "course_words": words}


def run_figure(request: HttpRequest, pk: int, what: str, digest: str) -> HttpResponse:
    """One of the charts of a run's single requests as JSON."""
    return figures.answered(request, what, digest, lambda: _figures(timed.rows(run=get_object_or_404(Run, pk=pk))))


def context_of(rows: Sequence[Timing]) -> dict[str, Any]:
    """The files and one table for all of them."""
    files = [_file(row) for row in rows]
    told = [(dict(file.rows), row) for file, row in zip(files, rows, strict=True)]
    percents = sorted({percent for each, _ in told for percent in each}, key=float)
    table = [(percent, [_cell(row, percent, each.get(percent)) for each, row in told]) for percent in percents]
    return {"timings": files, "timing_table": table}


def _file(row: Timing) -> File:
    what = f"{row.tool}, a row a request" if row.n is not None else f"{row.tool}, its percentiles"
    url = reads.line_url(row.upload_id, row.line_first)
    shown = histogram.table_of(row.percentiles_ms)
    starts = str(row.values.get("first_starttime", ""))
    return File(what, row.n, url, row.line_first, row.line_last, str(row.upload), shown, starts)


def _cell(row: Timing, percent: str, ms: float | None) -> tuple[float | None, str]:
    return ms, _line_of(row, percent) if ms is not None else ""


def _line_of(row: Timing, percent: str) -> str:
    """The line that a percentile stands on: ab sorts its rows by time. Else, and where lines are missing, the first."""
    line, rows = row.line_first, row.line_last - row.line_first
    if row.n is None and rows == row.values.get("n_rows"):
        line += 1 + int(percent)
    elif row.n == rows and "sum_ttime_ms" in row.values:
        line += 1 + min(row.n * round(float(percent) * 10_000) // 1_000_000, row.n - 1)
    return reads.line_url(row.upload_id, line)


def _counted(rows: Sequence[Timing]) -> Timing | None:
    """The first file that has a row a request."""
    return next((row for row in rows if row.n), None)


def _course(rows: Sequence[Timing]) -> drawing.Course | None:
    """How its load went, where it lasted some seconds."""
    counted = _counted(rows)
    course = timed.course_of(counted) if counted else None
    return course if course and len(course.at_s) >= drawing.FEWEST else None


def _figures(rows: Sequence[Timing]) -> dict[str, Figure]:
    counted, course = _counted(rows), _course(rows)
    if counted is None:
        return {}
    bars = histogram.bars(histogram.unpack(counted.histogram))
    made = {"requests": drawing.histogram([drawing.Bar(bar.low, bar.high, bar.n) for bar in bars])}
    return made | ({"course": drawing.course(course)} if course else {})
