"""The charts of one run: how its latency is spread, and what the files of its single requests show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from runs.analysis import histogram
from runs.charts import Figure
from runs.charts.bars import histogram_figure
from runs.charts.curves import Line, latency_figure
from runs.charts.history import FEWEST_INTERVALS, LoadBySecond, describe_load, load_figure
from runs.models import Run, Timing
from runs.presenters.comparison_charts import drawn_percentiles
from runs.selectors import reads

START_FORMAT = "%a %b %d %H:%M:%S %Y"
MOST_INTERVALS = 7200  # of a longer load the intervals without a request are not filled in


@dataclass(frozen=True, slots=True)
class File:
    what: str
    n: int | None
    url: str
    first: int
    last: int
    upload: str
    rows: list[tuple[str, float]]
    starts: str


def draw_latency(run: Run, exact_ms: dict[str, float], scale: str) -> Figure | None:
    """The percentiles of a run; None where fewer than two are known.

    `exact_ms`: percentiles of the single requests, if there is a file of them. `scale`: see uses_log_axis.
    """
    percentiles = drawn_percentiles(run.percentiles_ms, exact_ms)
    if len(percentiles) < 2:
        return None
    return latency_figure([Line(run.config.name, 0, 1, percentiles, run.complete_requests)], scale)


def timings_of_run(run: Run) -> dict[str, Any]:
    """Template context of the single requests: files, one table of all of them, charts. One query."""
    rows = reads.find_timings(run=run)
    file = next((row for row in rows if row.n), None)  # the first that has a row for each request
    course = _course(file) if file else None
    charts = []
    if file:
        bars = histogram.bars(histogram.unpack(file.histogram))
        chart = histogram_figure([(bar.low, bar.high, bar.n) for bar in bars])
        charts.append(("requests", "How long did how many requests take?", chart))
    if course:
        charts.append(("course", "How did the load go by the second?", load_figure(course)))
    exact_ms = reads.join_files(rows).percentiles_ms
    words = describe_load(course) if course else ""
    return describe_timings(rows) | {"exact_ms": exact_ms, "timing_charts": charts, "course_words": words}


def describe_timings(rows: Sequence[Timing]) -> dict[str, Any]:
    """Template context of files without their charts: the files and one table of all of them."""
    files = [_file(row) for row in rows]
    shown = [(dict(file.rows), row) for file, row in zip(files, rows, strict=True)]
    percents = sorted({percent for each, _ in shown for percent in each}, key=float)
    table = [
        (percent, [(each.get(percent), _line_url_of(row, percent) if percent in each else "") for each, row in shown])
        for percent in percents
    ]
    return {"timings": files, "timing_table": table}


def _file(row: Timing) -> File:
    what = f"{row.tool}, a row a request" if row.n is not None else f"{row.tool}, its percentiles"
    url = reads.line_url(row.upload_id, row.line_first)
    shown = histogram.table_of(row.percentiles_ms)
    starts = str(row.values.get("first_starttime", ""))
    return File(what, row.n, url, row.line_first, row.line_last, str(row.upload), shown, starts)


def _line_url_of(row: Timing, percent: str) -> str:
    """The line of a percentile in a file sorted by time; the first line of the file where that is not certain."""
    line, rows = row.line_first, row.line_last - row.line_first
    if row.n is None and rows == row.values.get("n_rows"):
        line += 1 + int(percent)
    elif row.n == rows and "sum_ttime_ms" in row.values:
        line += 1 + min(row.n * round(float(percent) * 10_000) // 1_000_000, row.n - 1)
    return reads.line_url(row.upload_id, line)


def _course(row: Timing) -> LoadBySecond | None:
    """The load by the second; None where it lasted a few seconds only, or the file has no clock."""
    stored = histogram.unpack(row.seconds)
    if not stored or not stored["at_s"]:
        return None
    step, last = stored["step_s"], stored["at_s"][-1]
    cells = dict(zip(stored["at_s"], zip(stored["n"], stored["mean_ms"], stored["max_ms"], strict=True), strict=True))
    at_s = list(range(0, last + 1, step)) if last / step < MOST_INTERVALS else stored["at_s"]
    if len(at_s) < FEWEST_INTERVALS:
        return None
    n, mean_ms, max_ms = zip(*(cells.get(at, (0, None, None)) for at in at_s), strict=True)
    try:  # the first request by the clock of the machine that loaded, which has no time zone
        begins = datetime.strptime(str(row.values.get("first_starttime", "")), START_FORMAT)  # noqa: DTZ007
    except ValueError:
        begins = None
    return LoadBySecond(begins, step, at_s, n, mean_ms, max_ms)
