"""Charts over time of what monitors measured: the boxes that a page keeps free for them, and the figures drawn in these.

A page's boxes and legends need columns only. The figures, which need the samples, are fetched (see views/runs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from runs.charts import MOST_LINES, N_COLORS, Cell, Chart, cut, paint, time_series
from runs.charts.bars import CPU
from runs.charts.plotly import Figure, as_text
from runs.charts.timeline import Floats, Timeline, Trace, build_timeline, find_extremes, to_rows
from runs.models import Capture, Run, Series
from runs.selectors.samples import CLOCK, MOST_PROCESSES, OTHERS, Program, Samples
from runs.series import unpack_samples

Programs = Mapping[str, Sequence[Program]]
Panels = list[tuple[str, list[Trace]]]  # (unit, traces)

KIB = 1024
MOST_SERIES = 500  # in one answer of REST: the largest of more
SERIES_COLUMNS = ("pid", "user", "command", "group", "n", "min", "mean", "max", "last")
MOST_PROGRAMS = 7  # the others are drawn as one more layer
MOST_DRAWN = 20 * MOST_LINES  # processes of one program, in panels of MOST_LINES
METRIC_OF = {"rss": "rss_kb", "busy": "cpu_pct"}
LINES = ("load", "processes")  # the others are stacked
MOST = {"cpu": 100.0}  # the end of the y axis
TITLES = {
    "rss": "Resident memory by program",
    "busy": "CPU time by program",
    "memory": "Where did memory go?",
    "cpu": "Where did CPU time go?",
    "load": "Load",
    "processes": "Resident memory of each",
}
OTHERS_PAINT = "m2"
MEMORY = ("mem_total_kb", "mem_free_kb", "mem_buffers_kb", "mem_cached_kb", "mem_buff_cache_kb")
MEMORY_LAYERS = (
    ("used by programs", ("mem_total_kb",), "m0"),
    ("buffers", ("mem_buffers_kb",), "m1"),
    ("cached", ("mem_cached_kb", "mem_buff_cache_kb"), "m2"),
    ("free", ("mem_free_kb",), "m3"),
)
CPU_METRICS = [key for _, keys, _ in CPU for key in keys]
LOAD_LINES = (
    ("load, 1 minute", ("load1",), "s0"),
    ("5 minutes", ("load5",), "s1"),
    ("15 minutes", ("load15",), "s2"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a legend. key: the name that its trace has."""

    name: str
    paint: str
    note: str = ""

    @property
    def key(self) -> str:
        return as_text(cut(self.name, 40))


Legend = list[Entry]


@dataclass(frozen=True, slots=True)
class Place:
    """One chart's place on a page. address: of the figure for Plotly; rows, picture, drawing: of its values, of the chart as a
    file and as HTML; panels: how many boxes it is drawn in; folded: only when the reader asks for it."""

    what: str
    heading: str
    address: str
    rows: str
    picture: str
    drawing: str
    legend: Legend
    panels: range
    note: str = ""
    folded: bool = False


# --- the boxes of a page ---------------------------------------------------------------------------------------------------


def make_charts_of_capture(capture: Capture, machine: Sequence[Series], programs: Programs, wanted: str) -> list[Place]:
    """`wanted`: the program whose processes are drawn one by one, by default the largest. No query."""
    names = {row.metric for row in machine if row.max or "swap" not in row.metric}
    return (
        _place_charts("captures", capture.pk, names, programs, capture.n_samples, wanted)
        if capture.n_samples > 1
        else []
    )


def make_charts_of_run(run: Run, samples: Samples | None, wanted: str) -> list[Place]:
    """The same for the captures of a run. At most four queries."""
    if samples is None:
        return []
    programs = samples.programs("rss_kb", "cpu_pct")
    several = samples if len(samples.captures) > 1 else None
    return _place_charts("runs", run.pk, samples.metric_names(), programs, samples.n, wanted, several)


def _place_charts(
    kind: str,
    pk: int,
    names: Collection[str],
    programs: Programs,
    n_samples: int,
    wanted: str,
    several: Samples | None = None,
) -> list[Place]:
    """`several`: of more than one capture, in which one process has several series."""

    def chart(what: str, heading: str, legend: Legend, note: str = "", query: str = "", small: int = 0) -> Place:
        forms = ("json", "csv", "svg", "html")
        address, rows, picture, drawing = (reverse("over-time", args=[kind, pk, what, form]) + query for form in forms)
        note = note or f"{n_samples:,} samples"
        panels = range(small or 1)
        return Place(what, heading, address, rows, picture, drawing, legend, panels, note, folded=what == "processes")

    charts = []
    for what in METRIC_OF:
        if shown := programs[METRIC_OF[what]]:
            total = sum(one.n for one in shown)
            some = f", the {MOST_PROCESSES} largest of {total} processes" if total > MOST_PROCESSES else ""
            legend = _make_program_legend(programs, METRIC_OF[what])
            charts.append(chart(what, TITLES[what], legend, f"{n_samples:,} samples{some}"))
    if "mem_free_kb" in names:
        charts.append(chart("memory", TITLES["memory"], _make_legend(MEMORY_LAYERS, names)))
    if "cpu_id" in names:
        charts.append(chart("cpu", TITLES["cpu"], _make_legend(CPU, names)))
    if "load1" in names:
        charts.append(
            chart("load", TITLES["load"], _make_legend(LOAD_LINES, names), small=2 if "swap_used_kb" in names else 1)
        )
    largest = programs["rss_kb"]
    program = next((program for program in largest if program.name == wanted), largest[0] if largest else None)
    if program:
        n = several.count_processes(program.name) if several else program.n
        note = f"{n} processes" if n <= MOST_DRAWN else f"the {MOST_DRAWN} largest of {n} processes"
        query = "?" + urlencode({"program": program.name})
        heading = f"{TITLES['processes']} {program.name}"
        charts.append(chart("processes", heading, [], note, query, small=-(-min(n, MOST_DRAWN) // MOST_LINES)))
    return charts


def _make_legend(layers: Sequence[tuple[str, tuple[str, ...], str]], names: Collection[str]) -> Legend:
    return [Entry(words, shade) for words, metrics, shade in layers if not set(metrics).isdisjoint(names)]


def _make_program_legend(programs: Programs, metric: str) -> Legend:
    shades, shown = paint_programs(programs, metric), programs[metric]
    legend = [Entry(one.name, shades[one.name], f"× {one.n}") for one in shown[:MOST_PROGRAMS]]
    rest = sum(program.n for program in shown[MOST_PROGRAMS:])
    legend += [Entry(OTHERS, OTHERS_PAINT, f"× {rest}")] if rest else []
    return [*legend, Entry(time_series.TOTAL, "ink")]


def paint_programs(programs: Programs, metric: str) -> dict[str, str]:
    """The colour of each program that has its own layer, the largest first: the same for memory and for CPU time."""
    by_memory = {program.name: place for place, program in enumerate(programs["rss_kb"][:MOST_PROGRAMS])}
    names = [program.name for program in programs[metric][:MOST_PROGRAMS]]
    taken = {by_memory[name] for name in names if name in by_memory}
    free = (place for place in range(N_COLORS) if place not in taken)
    return {name: paint(by_memory[name] if name in by_memory else next(free)) for name in names}


# --- the figures -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChartOverTime:
    """One chart with its samples and their clock, to be shown in full or in part."""

    what: str
    title: str
    when: Timeline
    panels: Panels

    def describe(self, view: time_series.View) -> Chart:
        what = self.what
        own = {"stacked": what not in LINES, "total": what in METRIC_OF, "shared": what == "processes"}
        return time_series.describe(self.when, self.panels, view, (what, self.title), most=MOST.get(what), **own)

    def encode(self, view: time_series.View) -> Figure:
        """For Plotly."""
        return time_series.encode(self.describe(view), self.when, view)

    def list_rows(self, view: time_series.View) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
        """(heads, rows)."""
        traces = [trace for _, panel in self.panels for trace in panel]
        heads = (self.when.kind.value, *(f"{trace.name}, {unit}" for unit, panel in self.panels for trace in panel))
        return heads, to_rows(self.when, traces, points=view.points, low=view.low, high=view.high)


def load_chart(samples: Samples, what: str, program: str) -> ChartOverTime | None:
    """The chart of that name; None where nothing was sampled that it could show. At most three queries."""
    panels = PANELS[what](samples, program) if what in PANELS else []
    if not any(traces for _, traces in panels):
        return None
    title = f"{TITLES[what]}{f' {program}' if what == 'processes' and program else ''}"
    return ChartOverTime(what, title, build_timeline(samples.clock(), samples.n, samples.since_s), panels)


def _draw_by_program(metric: str, unit: str, factor: float) -> Callable[[Samples, str], Panels]:
    def panels(samples: Samples, program: str) -> Panels:
        shades = paint_programs(samples.programs(*METRIC_OF.values()), metric)
        sums = samples.sum_by_program(metric, list(shades))
        shades[OTHERS] = OTHERS_PAINT
        return [(unit, [Trace(name, values * factor, shades[name]) for name, values in sums.items()])]

    return panels


def _draw_processes(samples: Samples, program: str) -> Panels:
    program = program or next((largest.name for largest in samples.programs("rss_kb")["rss_kb"]), "")
    traces = [
        Trace(f"{pid} {cut(command, 60)}", values / KIB)
        for pid, command, values in samples.processes(program, MOST_DRAWN)
    ]
    return [("MiB", traces[first : first + MOST_LINES]) for first in range(0, len(traces), MOST_LINES)]


def make_memory_traces(metrics: Mapping[str, Floats]) -> list[Trace]:
    """Used, buffers, cached and free in MiB. "Used" is the total less the others: some monitors count buffers in it."""
    free, total = metrics.get("mem_free_kb"), metrics.get("mem_total_kb")
    if free is None:
        return []
    buffers, cached = metrics.get("mem_buffers_kb"), metrics.get("mem_cached_kb")
    if buffers is None and cached is None:
        cached = metrics.get("mem_buff_cache_kb")
    used = None
    if total is not None:
        known = [values for values in (free, buffers, cached) if values is not None]
        used = np.maximum(total - np.sum([np.nan_to_num(values) for values in known], axis=0), 0.0)
        used = np.where(np.isnan(free), np.nan, used)
    layers = zip(MEMORY_LAYERS, (used, buffers, cached, free), strict=True)
    return [Trace(name, values / KIB, shade) for (name, _, shade), values in layers if values is not None]


def make_cpu_traces(metrics: Mapping[str, Floats]) -> list[Trace]:
    """Shares of CPU time in per cent, each kind that was ever above zero."""
    traces = []
    for name, keys, shade in CPU:
        parts = [metrics[key] for key in keys if key in metrics]
        if parts and any(np.nanmax(part) > 0 for part in parts):
            values = np.where(np.isnan(parts[0]), np.nan, np.sum([np.nan_to_num(part) for part in parts], axis=0))
            traces.append(Trace(name, values, shade))
    return traces


def _load(samples: Samples, program: str) -> Panels:
    """The load averages, and swap where any was used."""
    metrics = samples.machine_metrics(("load1", "load5", "load15", "swap_used_kb"))
    averages = [Trace(name, metrics[key], shade) for name, (key,), shade in LOAD_LINES if key in metrics]
    panels = [("load average", averages)] if averages else []
    swap = metrics.get("swap_used_kb")
    if swap is not None and np.nanmax(swap) > 0:
        panels.append(("MiB", [Trace("swap used", swap / KIB)]))
    return panels


PANELS: dict[str, Callable[[Samples, str], Panels]] = {
    "rss": _draw_by_program("rss_kb", "MiB", 1 / KIB),
    "busy": _draw_by_program("cpu_pct", "% of one core", 1.0),
    "memory": lambda samples, _: [("MiB", make_memory_traces(samples.machine_metrics(MEMORY)))],
    "cpu": lambda samples, _: [("% of CPU time", make_cpu_traces(samples.machine_metrics(CPU_METRICS)))],
    "load": _load,
    "processes": _draw_processes,
}


# --- the same samples for scripts ------------------------------------------------------------------------------------------


def thin_series(run: Run, metric: str, points: int) -> dict[str, Any]:
    """REST's answer: the metric of each process (or the machine) in the run's captures, in `points` samples. Three queries."""
    stored = Series.objects.filter(capture__run=run)
    columns = [*SERIES_COLUMNS, "samples", *(f"capture__{name}" for name in ("tool", "phase", "n_samples"))]
    light = stored.select_related("capture").only("capture_id", *columns)
    rows = list(light.filter(metric=metric).order_by("-mean", "id")[: MOST_SERIES + 1])
    clocks = {
        row.capture_id: unpack_samples(row.samples, row.capture.n_samples)
        for row in light.filter(metric=CLOCK, pid=None)
    }
    shown = sorted(rows[:MOST_SERIES], key=lambda row: (row.capture_id, row.pk))
    return {
        "run": run.pk,
        "metric": metric,
        "metrics": sorted(set(stored.order_by().values_list("metric", flat=True).distinct()) - {CLOCK}),
        "truncated": len(rows) > MOST_SERIES,
        "series": [_thin_row(row, clocks.get(row.capture_id), points) for row in shown],
    }


def _thin_row(row: Series, clock: Floats | None, points: int) -> dict[str, Any]:
    values = unpack_samples(row.samples, row.capture.n_samples)
    places = find_extremes(values, points)
    return {
        "capture": row.capture_id,
        "tool": row.capture.tool,
        "phase": row.capture.phase,
        **{name: getattr(row, name) for name in SERIES_COLUMNS},
        "sample_numbers": places.tolist(),
        "clock_s": _replace_gaps(clock[places]) if clock is not None else None,
        "samples": _replace_gaps(values[places]),
    }


def _replace_gaps(values: Floats) -> list[float | None]:
    return [None if unknown else value for value, unknown in zip(values.tolist(), np.isnan(values), strict=True)]
