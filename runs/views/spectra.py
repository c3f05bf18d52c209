"""The lines of a latency spectrum: one a run, or one for all repeats of a config whose single requests are known."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from runs.analysis import histogram
from runs.analysis.columns import Column
from runs.analysis.facts import RunFact
from runs.analysis.numbers import delta
from runs.analysis.table import Comparison
from runs.charts.latency import Line

_FROM = 50.0  # per cent: where the axis begins


def lines(comparison: Comparison, out: Container[int] = ()) -> list[Line]:
    """Lines in the order of the columns; the first is what the others' hover boxes compare with.

    Exact percentiles, where a file of the requests has them, stand in place of the report's. Repeats that all have such
    a file are drawn as one, of all their requests. `out`: ids of runs that a doubt keeps out of verdicts.
    """
    found = [line for column in comparison.columns for line in _of_column(column, out)]
    first = found[0].percentiles_ms if found else {}
    return [line if line is found[0] else _noted(line, first) for line in found]


def percentiles(printed: Mapping[str, float], timed: Mapping[str, float]) -> dict[str, float]:
    """What is drawn of a run: what its report printed, or of the exact ones those that the axis has room for."""
    shown = {name: ms for name, ms in timed.items() if float(name) >= _FROM}
    return shown if len(shown) > 1 else dict(printed)


def _of_column(column: Column, out: Container[int]) -> Iterator[Line]:
    runs = [run for run in column.runs if len(percentiles(run.percentiles_ms, run.timed_ms)) > 1]
    together = [run for run in runs if run.id not in out]
    if len(together) > 1 and all(run.counts for run in together):
        yield _together(column, together)
        runs = [run for run in runs if run.id in out]
    for run in runs:
        yield Line(
            name=column.title
            + (f", run {run.repeat}" if len(column.runs) > 1 else "")
            + (", not counted" if run.id in out else ""),
            config=column.config.name,
            place=column.color,
            repeat=run.repeat,
            percentiles_ms=percentiles(run.percentiles_ms, run.timed_ms),
            n=run.complete_requests,
        )


def _together(column: Column, runs: Sequence[RunFact]) -> Line:
    counts = histogram.added(run.counts for run in runs)
    n = histogram.size(counts)
    return Line(
        name=f"{column.title}, {len(runs)} runs together, n={n}",
        config=column.config.name,
        place=column.color,
        repeat=1,
        percentiles_ms=percentiles({}, histogram.percentiles(counts)),
        n=n,
    )


def _noted(line: Line, base: Mapping[str, float]) -> Line:
    deltas = {percent: delta(ms, base.get(percent), "time") for percent, ms in line.percentiles_ms.items()}
    notes = {percent: f" ({found})" for percent, found in deltas.items() if found}
    return Line(line.name, line.place, line.repeat, line.percentiles_ms, line.n, notes, line.config)
