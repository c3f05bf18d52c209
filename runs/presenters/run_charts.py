"""Rows and findings as the input of `runs.charts`: a comparison's columns, captures and sweeps; and of one run how its latency is
spread, and what the files of its single requests show.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from statistics import fmean
from typing import Any

from runs import ingest
from runs.analysis import Judged, histogram
from runs.analysis.columns import Column
from runs.analysis.facts import CaptureFact, RunFact
from runs.analysis.headline_outcome import Headline
from runs.analysis.monitors import PHASES, group_processes, list_serving, memory_parts, pick_biggest
from runs.analysis.scalability_law import Sweep
from runs.analysis.scaling import Range
from runs.analysis.stats import sample_sd, student_quantile
from runs.analysis.table import Comparison, find_workloads, name_workload, strip_workload
from runs.charts import Chart, keep_drawable
from runs.charts.bars import (
    CPU,
    Bar,
    Sizes,
    Stack,
    make_cpu_chart,
    make_histogram_chart,
    make_memory_chart,
    make_process_chart,
    make_rate_chart,
)
from runs.charts.curves import (
    Curve,
    Dot,
    LatencyRun,
    SweptPoint,
    make_latency_chart,
    make_scaling_chart,
    make_sweep_chart,
)
from runs.charts.svg_file import draw_empty, draw_file
from runs.charts.timeline import FEWEST_INTERVALS, LoadBySecond, describe_load_course, make_load_chart
from runs.models import Run, Timing
from runs.numbers import delta, figure, signed
from runs.selectors import comparison_data

MOST_PROGRAMS = 3
MOST_WITH_PHASES = 4  # configs whose processes are drawn before, during and after
FEWEST_REPEATS = 3
FEWEST_LEVELS = 3  # two points show no more than their two rows in the table
LOWEST_PERCENTILE = 50.0  # where the axis begins
USUAL_CHARTS = ("throughput", "latency", "processes", "memory", "cpu")
# What a picture says that has nothing to show: it is embedded elsewhere, where an error would say less.
EMPTY_PICTURES = {
    "throughput": "No run here says how many requests it served per second.",
    "latency": "No run here printed percentiles.",
}
START_FORMAT = "%a %b %d %H:%M:%S %Y"
MOST_INTERVALS = 7200  # of a longer load the intervals without a request are not filled in


def make_throughput_bars(comparison: Comparison, headline: Headline, silent: Container[int] = ()) -> list[Bar]:
    """One bar for each column that has requests per second. `silent`: columns that a doubt keeps out of verdicts.

    Of two configs the effect stands at the better one, as in the headline, also where that is the baseline.
    """
    row = comparison.row("requests_per_second")
    if row is None:
        return []
    named = _name_workloads(comparison)
    failed = {side.at for side in headline.failing}
    best = headline.winner.at if headline.winner and headline.metric == row.key else None
    is_pair = len(comparison.columns) == 2 and best is not None and comparison.bases[best] == best
    lead = delta(headline.ratio, 1.0, row.kind) if is_pair else None
    bars = []
    for at, (column, cell) in enumerate(zip(comparison.columns, row.cells, strict=True)):
        values = tuple(one.value for one in cell.figures if one.counted)
        counting = {one.run for one in cell.figures if one.counted}
        effect = cell.delta if lead is None else lead if at == best else None
        change = signed(effect) if effect and effect.text else ""
        bar = Bar(
            name=column.title,
            place=column.color,
            values=values,
            hovers=tuple(_describe_run(run) for run in column.runs if run.id in counting),
            interval=compute_mean_interval(values),
            counted=at not in silent,
            failed=at in failed,
            label=column.letter if len(comparison.columns) > 1 else "",
            change=change,
            workload=named.get(at, ""),
            short=strip_workload(column.title, named.get(at, "")),
            left_out=tuple(keep_drawable([one.value for one in cell.figures if not one.counted])),
        )
        bars += [bar] if values else []
    return bars


def _name_workloads(comparison: Comparison) -> dict[int, str]:
    """Column -> the name of its workload, where there are several."""
    blocks = find_workloads(comparison)
    names = {at: name for block in blocks for name in [name_workload(comparison, block)] for at in block}
    return names if len(blocks) > 1 else {}


def compute_mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The mean's 95 % interval by Student's t; None below three repeats, where it would be far wider than the values."""
    if len(values) < FEWEST_REPEATS or not all(math.isfinite(value) for value in values):
        return None
    reach = student_quantile(0.975, len(values) - 1) * sample_sd(values) / math.sqrt(len(values))
    return fmean(values) - reach, fmean(values) + reach


def make_scaling_curve(sweep: Sweep) -> Curve:
    """A sweep to draw. Only a peak within the measured levels is marked."""
    fit, knee = sweep.fit, sweep.knee
    return Curve(
        name=sweep.name,
        place=sweep.place,
        dots=tuple(
            Dot(level.n, rate, ms)
            for level in sweep.levels
            for rate, ms in zip_longest(level.rates, level.tails[: len(level.rates)])
        ),
        band=tuple((point.n, point.rate, point.low, point.high) for point in fit.curve) if fit else (),
        peak=(knee.at, knee.low, knee.high) if knee else None,
        tail=sweep.tail,
    )


def draw_charts(
    comparison: Comparison, judged: Judged, captures: Sequence[CaptureFact], scale: str
) -> dict[str, Chart]:
    """The charts by name; only those that have something to show. `scale`: of the time axis, "log", "linear" or by itself."""
    headline = judged.headline
    curves = [make_scaling_curve(sweep) for sweep in judged.sweeps if len(sweep.levels) >= FEWEST_LEVELS]
    charts = [
        make_rate_chart(make_throughput_bars(comparison, headline, judged.judgement.silent)),
        make_latency_chart(make_latency_runs(comparison, judged.out), scale),
        make_scaling_chart(curves),
        _draw_sweep(comparison, headline.sweep) if headline.sweep else None,
        *(_draw_captures(comparison.columns, captures) if captures else ()),
    ]
    return {chart.name: chart for chart in charts if chart}


def draw_picture(chart: Chart | None, what: str, title: str) -> str:
    """The chart as a file, or why there is none."""
    return draw_file(chart, title) if chart else draw_empty(what, title, EMPTY_PICTURES[what])


def _draw_sweep(comparison: Comparison, swept: Range) -> Chart | None:
    """The points of each workload by themselves; of one config those of each path."""
    compete = {point.at: (point.config, name) for name, part in swept.workloads for point in part.points}
    paths = {point.load[1] for point in swept.points}
    places: dict[str, int] = {}
    points = []
    for point in swept.points:
        config, workload = compete.get(point.at, (point.config, (point.load[1] or "") if len(paths) > 1 else ""))
        place = places.setdefault(config, comparison.columns[point.at].color)
        points.append(SweptPoint(config, place, point.value, point.rate, point.mean_ms, point.failed_pct, workload))
    axis = swept.axis if not swept.unit or swept.unit in swept.axis else f"{swept.axis} ({swept.unit})"
    return make_sweep_chart(points, axis, swept.peak, swept.limit)


def _draw_captures(columns: Sequence[Column], captures: Sequence[CaptureFact]) -> list[Chart | None]:
    memory = [(capture, memory_parts(capture)) for capture in captures]
    cpu = [
        (capture, {key: sum(capture.metrics.get(name, 0.0) for name in names) for key, names, _ in CPU})
        for capture in captures
        if "cpu_us" in capture.metrics
    ]
    return [
        make_process_chart(_make_process_sizes(columns, captures)),
        make_memory_chart(_make_stacks(columns, [(capture, parts) for capture, parts in memory if len(parts) > 1])),
        make_cpu_chart(_make_stacks(columns, cpu)),
    ]


def make_latency_runs(comparison: Comparison, out: Container[int] = ()) -> list[LatencyRun]:
    """The runs that have percentiles; all repeats of a config whose single requests are known are one.

    Exact percentiles, where a file of the single requests has them, replace those of the report. `out`: ids of runs that a
    doubt keeps out of verdicts.
    """
    drawn, workloads = [], _name_workloads(comparison)
    for at, column in enumerate(comparison.columns):
        label = f"{column.letter} {column.short or column.title}" if len(comparison.columns) > 1 else ""
        workload = workloads.get(at, "")
        short = strip_workload(column.title, workload)
        own = LatencyRun(column.title, column.color, {}, label, workload=workload, short=short)
        runs = [run for run in column.runs if len(pick_percentiles(run.percentiles_ms, run.timed_ms)) > 1]
        counted = [run for run in runs if run.id not in out]
        if len(counted) > 1 and all(run.counts for run in counted):
            joined = histogram.percentiles(histogram.add_counts(run.counts for run in counted))
            drawn.append(replace(own, percentiles_ms=pick_percentiles({}, joined)))
            runs = [run for run in runs if run.id in out]
        for run in runs:
            percentiles = pick_percentiles(run.percentiles_ms, run.timed_ms)
            drawn.append(replace(own, percentiles_ms=percentiles, counted=run.id not in out))
    return drawn


def pick_percentiles(printed: Mapping[str, float], exact: Mapping[str, float]) -> dict[str, float]:
    """The percentiles of a run that are drawn: the exact ones from the median up, else those that its report printed."""
    shown = {name: ms for name, ms in exact.items() if float(name) >= LOWEST_PERCENTILE}
    return shown if len(shown) > 1 else dict(printed)


def _describe_run(run: RunFact) -> str:
    rate = f"run {run.repeat}: {figure(run.requests_per_second)} requests per second"
    return ", ".join(filter(None, (rate, run.host, run.command[:90])))


def _make_process_sizes(columns: Sequence[Column], captures: Sequence[CaptureFact]) -> list[Sizes]:
    """Each leading program's processes by config and phase; of many configs, in the phase that shows the most of them."""
    sizes, configs = [], _list_configs(columns)
    groups = [(capture, {group.name: group for group in group_processes(capture)}) for capture in captures]
    serving = list_serving(captures, [run.server_software for column in columns for run in column.runs])
    for program in pick_biggest([group for _, of in groups for group in of.values()], MOST_PROGRAMS, first=serving):
        for column in configs:
            by_phase: dict[str, list[float]] = {}
            in_part: set[str] = set()
            for capture, of in groups:
                if capture.config != column.config.id or program not in of:
                    continue
                members = [member for member in of[program].members if member.pid]  # 0 stands for several
                by_phase.setdefault(capture.phase, []).extend(
                    member.rss_kb / 1024 for member in members if member.rss_kb
                )
                if capture.partial or capture.is_cut:
                    in_part.add(capture.phase)
            shown = sorted((phase for phase in by_phase if by_phase[phase]), key=PHASES.index)
            if len(configs) > MOST_WITH_PHASES:
                shown = sorted(shown, key=lambda phase: (phase != "before", len(by_phase[phase])))[-1:]
            sizes += [
                Sizes(
                    column.config.name,
                    column.color,
                    program,
                    tuple(by_phase[phase]),
                    _choose_letter(column, configs),
                    phase,
                    phase in in_part,
                )
                for phase in shown
            ]
    return sizes


def _choose_letter(column: Column, every: Sequence[Column]) -> str:
    return column.letter if len(every) > 1 else ""


def _make_stacks(columns: Sequence[Column], samples: Sequence[tuple[CaptureFact, dict[str, float]]]) -> list[Stack]:
    """One bar a config and phase: the mean of each part over its captures; partial captures only where nothing else is."""
    stacks, configs = [], _list_configs(columns)
    for column in configs:
        own = [(capture, parts) for capture, parts in samples if capture.config == column.config.id]
        for phase in sorted({capture.phase for capture, _ in own}, key=PHASES.index):
            parts = [each for capture, each in own if capture.phase == phase]
            names = dict.fromkeys(name for each in parts for name in each)
            mean = {name: round(sum(each.get(name, 0.0) for each in parts) / len(parts), 3) for name in names}
            stacks.append(Stack(column.config.name, phase, mean, _choose_letter(column, configs), column.color))
    return stacks


def _list_configs(columns: Sequence[Column]) -> list[Column]:
    return list({column.config.id: column for column in reversed(columns)}.values())[::-1]


# --- one run -------------------------------------------------------------------------------------------------------------


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


def draw_latency(run: Run, exact_ms: dict[str, float], scale: str) -> Chart | None:
    """The percentiles of a run; None where fewer than two are known.

    `exact_ms`: percentiles of the single requests, if there is a file of them. `scale`: see uses_log_axis.
    """
    percentiles = pick_percentiles(run.percentiles_ms, exact_ms)
    return (
        make_latency_chart([LatencyRun(f"run {run.repeat}", 0, percentiles)], scale) if len(percentiles) > 1 else None
    )


def describe_timings_of_run(run: Run) -> dict[str, Any]:
    """Template context of the single requests: files, one table of all of them, charts. One query."""
    rows = comparison_data.find_timings(run=run)
    file = next((row for row in rows if row.histogram), None)  # the first that has a row for each request
    course = _compute_course(file) if file else None
    charts = []
    if file:
        charts.append(make_histogram_chart(histogram.make_bars(histogram.unpack(file.histogram))))
    if course:
        charts.append(make_load_chart(course))
    exact_ms = comparison_data.join_timings(rows).percentiles_ms
    words = describe_load_course(course) if course else ""
    return describe_timings(rows) | {"exact_ms": exact_ms, "timing_charts": charts, "course_words": words}


def describe_timings(rows: Sequence[Timing]) -> dict[str, Any]:
    """Template context of files without their charts: the files and one table of all of them."""
    files = [_describe_file(row) for row in rows]
    shown = [(dict(file.rows), row) for file, row in zip(files, rows, strict=True)]
    percents = sorted({percent for each, _ in shown for percent in each}, key=float)
    table = [
        (percent, [(each.get(percent), _find_line_url(row, percent) if percent in each else "") for each, row in shown])
        for percent in percents
    ]
    return {"timings": files, "timing_table": table}


def _describe_file(row: Timing) -> File:
    what = ", ".join(filter(None, (row.tool, "one row per request" if row.histogram else "its percentiles")))
    url = ingest.line_url(row.upload_id, row.line_first)
    shown = histogram.table_of(row.percentiles_ms)
    starts = str(row.values.get("first_starttime", ""))
    return File(what, row.n, url, row.line_first, row.line_last, str(row.upload), shown, starts)


def _find_line_url(row: Timing, percent: str) -> str:
    """The line of a percentile in a file sorted by time; the first line of the file where that is not certain."""
    line, rows = row.line_first, row.line_last - row.line_first
    if row.n is None and rows == row.values.get("n_rows"):
        line += 1 + int(percent)
    elif row.n == rows and "sum_ttime_ms" in row.values:
        line += 1 + min(row.n * round(float(percent) * 10_000) // 1_000_000, row.n - 1)
    return ingest.line_url(row.upload_id, line)


def _compute_course(row: Timing) -> LoadBySecond | None:
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
