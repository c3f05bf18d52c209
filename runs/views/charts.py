"""A comparison's rows handed to the figures."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from itertools import zip_longest
from statistics import fmean, stdev
from typing import Any

from runs.analysis.columns import Column
from runs.analysis.facts import CaptureFact, RunFact
from runs.analysis.monitors import memory_parts
from runs.analysis.numbers import figure
from runs.analysis.processes import groups, leading
from runs.analysis.scaling import Sweep
from runs.analysis.stats import student_quantile
from runs.analysis.table import Comparison
from runs.charts import latency, resources, scaling, throughput
from runs.views.spectra import lines

MOST_PROGRAMS = 3
FEWEST_REPEATS = 3
FEWEST_LEVELS = 3  # two points show no more than their two rows in the table
PHASES = {"before": 0, "during": 1, "after": 2, "": 3}


def bars(comparison: Comparison, silent: Container[int] = ()) -> list[throughput.Bar]:
    """One bar a column that has requests per second. `silent`: columns that a doubt keeps out of verdicts."""
    row = comparison.row("requests_per_second")
    if row is None:
        return []
    return [
        throughput.Bar(
            name=column.title,
            place=column.color,
            values=tuple(one.value for one in cell.figures),
            interval=interval([one.value for one in cell.figures]),
            hovers=tuple(_run_words(column, run) for run in column.runs if run.requests_per_second is not None),
            counted=at not in silent,
            delta=f"{cell.delta} {cell.delta.than} {comparison.columns[base].title}"
            if cell.delta and cell.delta.word != "equal"
            else "",
        )
        for at, (column, cell, base) in enumerate(zip(comparison.columns, row.cells, comparison.bases, strict=True))
        if cell.figures
    ]


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The mean's 95 % interval by Student's t, from three repeats: two would give one twelve times as wide as they."""
    if len(values) < FEWEST_REPEATS or not all(math.isfinite(value) for value in values):
        return None
    reach = student_quantile(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return fmean(values) - reach, fmean(values) + reach


def curve(sweep: Sweep) -> scaling.Curve:
    """A sweep to draw. A peak that lies beyond the levels measured, or anywhere, is told in words and not marked."""
    fit, knee = sweep.fit, sweep.knee
    return scaling.Curve(
        name=sweep.name,
        place=sweep.place,
        dots=tuple(
            scaling.Dot(level.n, rate, ms)
            for level in sweep.levels
            for rate, ms in zip_longest(level.rates, level.tails[: len(level.rates)])
        ),
        band=tuple((point.n, point.rate, point.low, point.high) for point in fit.curve) if fit else (),
        peak=(knee.at, knee.low, knee.high) if knee else None,
        tail=sweep.tail,
    )


def wants_log(asked: str, spectrum: Sequence[latency.Line]) -> bool:
    """The time axis as ?y= asks for (log or linear), else as the spread calls for."""
    return asked == "log" or (asked != "linear" and latency.wide(spectrum))


def all_charts(
    comparison: Comparison,
    captures: Sequence[CaptureFact],
    sweeps: Sequence[Sweep] = (),
    *,
    silent: Container[int] = (),
    out: Container[int] = (),
    asked: str = "",
) -> dict[str, dict[str, Any]]:
    """Plotly figures by name; only those that have something to show. `asked` is the page's ?y=."""
    made: dict[str, dict[str, Any]] = {}
    found = bars(comparison, silent)
    if found:
        made["throughput"] = throughput.figure(found)
    spectrum = lines(comparison, out)
    if spectrum:
        made["latency"] = latency.figure(spectrum, log=wants_log(asked, spectrum))
    drawn = [curve(sweep) for sweep in sweeps if len(sweep.levels) >= FEWEST_LEVELS]
    if drawn:
        made["scaling"] = scaling.figure(drawn)
    sizes = _sizes(comparison.columns, captures)
    if sizes:
        made["processes"] = resources.processes(sizes)
    memory = [(capture, memory_parts(capture)) for capture in captures]
    stacks = _stacks(comparison.columns, [(capture, parts) for capture, parts in memory if len(parts) > 1])
    if stacks:
        made["memory"] = resources.memory(stacks)
    cpu = _stacks(comparison.columns, [(capture, _cpu(capture)) for capture in captures if "cpu_us" in capture.metrics])
    if cpu:
        made["cpu"] = resources.cpu(cpu)
    return made


# Chart -> why there is none, where the text has nothing to draw it from.
MISSING = {
    "throughput": "No bars: no run here says how many requests it served per second.",
    "latency": "No latency spectrum: no run here printed percentiles, as ab does at its end.",
    "processes": "No sizes of processes: no list of processes stands in the text, such as ps aux prints.",
    "memory": "No picture of memory: neither top, free nor /proc/meminfo stands in the text.",
    "cpu": "No picture of CPU time: no top or vmstat stands in the text.",
}


def missing(charts: Mapping[str, object]) -> list[str]:
    """Why charts that a comparison usually has are not there."""
    return [why for name, why in MISSING.items() if name not in charts]


def _run_words(column: Column, run: RunFact) -> str:
    rows = [f"<b>{column.title}</b>", f"run {run.repeat}: {figure(run.requests_per_second)} requests per second"]
    rows += [f"n={len(column.runs)}" + (f" · {run.host}" if run.host else ""), run.command[:90]]
    return "<br>".join(row for row in rows if row)


def _sizes(columns: Sequence[Column], captures: Sequence[CaptureFact]) -> list[resources.Sizes]:
    """Each leading program's processes by config, out of the config's fullest kind of capture (during before after)."""
    made = []
    for program in leading(captures, MOST_PROGRAMS):
        for column in _one_a_config(columns):
            own = [capture for capture in captures if capture.config == column.config.id]
            by_phase: dict[str, list[float]] = {}
            for capture in own:
                members = next((group.members for group in groups(capture.processes) if group.name == program), ())
                by_phase.setdefault(capture.phase, []).extend(one.rss_kb / 1024 for one in members if one.rss_kb)
            phase = max(by_phase, key=lambda name: (name != "before", len(by_phase[name])), default="")
            if by_phase.get(phase):
                made.append(resources.Sizes(column.config.name, column.color, program, tuple(by_phase[phase])))
    return made


def _stacks(columns: Sequence[Column], found: Sequence[tuple[CaptureFact, dict[str, float]]]) -> list[resources.Stack]:
    """One bar a config and phase: the mean of each part over its captures; partial captures only where nothing else is."""
    made = []
    for column in _one_a_config(columns):
        own = [(capture, parts) for capture, parts in found if capture.config == column.config.id]
        for phase in sorted({capture.phase for capture, _ in own}, key=PHASES.__getitem__):
            parts = [each for capture, each in own if capture.phase == phase]
            names = dict.fromkeys(name for each in parts for name in each)
            mean = {name: round(sum(each.get(name, 0.0) for each in parts) / len(parts), 3) for name in names}
            made.append(resources.Stack(column.config.name, phase, mean))
    return made


def _one_a_config(columns: Sequence[Column]) -> list[Column]:
    return list({column.config.id: column for column in reversed(columns)}.values())[::-1]


def _cpu(capture: CaptureFact) -> dict[str, float]:
    parts = {name: capture.metrics.get(f"cpu_{name}", 0.0) for name in ("us", "ni", "sy", "si", "hi", "wa", "id")}
    return {
        "us": parts["us"] + parts["ni"],
        "sy": parts["sy"],
        "si": parts["si"] + parts["hi"],
        "wa": parts["wa"],
        "id": parts["id"],
    }
