"""Curves: latency over the percentiles, and requests, latency and failures over what was varied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os.path import commonprefix
from statistics import fmean, median

from runs.charts import (
    MOST_LINES,
    Axis,
    Band,
    Cell,
    Chart,
    Dots,
    Key,
    Line,
    Mark,
    Panel,
    Span,
    Tick,
    keep_drawable,
    make_linear_axis,
    make_log_axis,
    paint,
)
from runs.numbers import BETWEEN, figure

PERCENTS = ("50", "75", "90", "95", "99", "99.9", "99.99", "99.999", "99.9999")
HIDDEN_WHERE_NARROW = ("75", "95", "99.99", "99.9999")
LONGEST = 3.0  # times the last percentile: where the longest request stands, which has no percentile of its own
MUCH_SLOWER = 30  # times the median
MOST_PANELS = 12
MOST_WITH_DOTS = 4
MOST_DOTS = 20  # more on one line hide it
WIDE = 30  # times the lowest level: levels that lie further apart get a log axis
MOST_BESIDE = 12  # letters of a name at the end of a line
MOST_LEVELS = 10  # with a tick each
SWEPT = 160  # px of all panels of a sweep


@dataclass(frozen=True, slots=True)
class LatencyRun:
    """One run: per cent as text -> ms; "100" is its longest request. `name` and `place` are those of its config, `short` its name
    within the workload."""

    name: str
    place: int
    percentiles_ms: Mapping[str, float]
    label: str = ""
    counted: bool = True
    workload: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class PercentileSpread:
    """A config's runs, percentile by percentile: (x, median, least, most), and the same of the longest request."""

    name: str
    label: str
    place: int
    points: tuple[tuple[float, float, float, float], ...]
    longest: tuple[float, float, float] | None
    n: int
    counted: bool = True
    workload: str = ""
    short: str = ""


def place_percentile(percent: float) -> float:
    """Where a percentile stands on the x axis: 50 -> 2, 90 -> 10, 99 -> 100."""
    return round(1 / (1 - percent / 100), 6)


def uses_log_axis(runs: Sequence[LatencyRun], scale: str = "") -> bool:
    """Whether the time axis is logarithmic: as `scale` ("log" or "linear") says, else where most would be pressed flat."""
    if scale in ("log", "linear"):
        return scale == "log"
    values = sorted(value for run in runs for value in run.percentiles_ms.values() if value > 0)
    return bool(values) and values[-1] > MUCH_SLOWER * values[len(values) // 2]


def make_latency_chart(runs: Sequence[LatencyRun], scale: str = "") -> Chart | None:
    """The median of each config's runs and a band over all of them; more than ten become small multiples.

    These are of the workloads, or else of the configs. Levels of one config share a panel: they have one place.
    """
    spreads = [spread for spread in _collect_spreads(runs) if len(spread.points) + bool(spread.longest) > 1]
    if not spreads:
        return None
    log = uses_log_axis(runs, scale)
    configs = {(spread.name, spread.place): spread for spread in spreads}
    x = _make_percent_axis(spreads)
    values = [ms for spread in spreads for _, *own in (*spread.points, (0, *(spread.longest or ()))) for ms in own]
    y = make_log_axis([ms for ms in values if ms > 0], "ms, log scale") if log else make_linear_axis(max(values), "ms")
    small = len(configs) > MOST_LINES
    workloads = _group_by_workload(spreads) if small else {}
    groups = workloads or (_group_levels(spreads) if small else {"": spreads})
    height = 200 if workloads else 120 if small else 260
    panels = tuple(
        Panel(x, y, tuple(_make_spread_marks(group, x, log=log)), name, height)
        for name, group in islice(groups.items(), MOST_PANELS)
    )
    # Levels of one config have one colour: their names stand at the lines alone.
    is_keyed = (
        len(configs) > 1 and not small and (len({place for _, place in configs}) > 1 or not _shows_levels(spreads))
    )
    key = tuple(Key(_name_spread(s), s.place) for s in configs.values()) if is_keyed else ()
    key = tuple(Key(name, place) for place, name in {s.place: s.short for s in spreads}.items()) if workloads else key
    notes = ["line: median of runs", "band: all runs"] if any(s.n > 1 for s in spreads) else []
    notes += ["dotted: nothing printed between"] if any(s.longest for s in spreads) else []
    notes += ["thin: a run that does not count"] if not all(s.counted for s in spreads) else []
    what = "workloads" if workloads else "configs"
    notes += [f"{len(groups) - MOST_PANELS} more {what} are not drawn"] if len(groups) > MOST_PANELS else []
    rows = tuple(row for spread in spreads for row in _tabulate(spread))
    heads = ("config", "% of requests", "median, ms", "least", "most", "runs")
    words = "; ".join(_describe(spread) for spread in spreads[: 2 * MOST_LINES])
    columns = 2 if small else 1
    return Chart(
        "latency",
        "How is latency spread?",
        panels,
        key,
        " · ".join(notes),
        words,
        heads,
        rows,
        columns=columns,
        zooms=not small,
    )


def _collect_spreads(runs: Sequence[LatencyRun]) -> list[PercentileSpread]:
    """One a config, and one for each run that does not count."""
    groups: dict[tuple[str, int, int], list[LatencyRun]] = {}
    for at, run in enumerate(runs):
        groups.setdefault((run.name, run.place, -1 if run.counted else at), []).append(run)
    return [_make_spread(group) for group in groups.values()]


def _group_by_workload(spreads: Sequence[PercentileSpread]) -> dict[str, list[PercentileSpread]]:
    """The lines of each workload, where there are several, and so few configs in each that their lines can be told apart."""
    panels: dict[str, list[PercentileSpread]] = {}
    for spread in spreads:
        panels.setdefault(spread.workload, []).append(spread)
    most = max(len({spread.place for spread in group}) for group in panels.values())
    are_drawn = "" not in panels and len(panels) > 1 and 1 < most <= MOST_LINES
    return panels if are_drawn else {}


def _group_levels(spreads: Sequence[PercentileSpread]) -> dict[str, list[PercentileSpread]]:
    """The lines of each panel by its heading: what the names of one config's levels have in common, or a config's own name."""
    by_place: dict[int, list[PercentileSpread]] = {}
    for spread in spreads:
        by_place.setdefault(spread.place, []).append(spread)
    panels: dict[str, list[PercentileSpread]] = {}
    for group in by_place.values():
        heading = commonprefix([f"{spread.name}{BETWEEN}" for spread in group]).rpartition(BETWEEN)[0]
        for spread in group:
            letter, level = spread.label.partition(" ")[0], spread.name.removeprefix(heading).removeprefix(BETWEEN)
            is_level = heading and level
            panels.setdefault(heading if is_level else _name_spread(spread), []).append(
                replace(spread, label=f"{letter} {level}") if is_level else spread
            )
    return panels


def _make_spread(group: Sequence[LatencyRun]) -> PercentileSpread:
    """Percentiles that all of the runs have; where they share fewer than two, all that any has."""
    drawable = [{p: ms for p, ms in run.percentiles_ms.items() if keep_drawable([ms])} for run in group]
    shared = set.intersection(*(set(each) for each in drawable))
    percents = shared if len(shared) > 1 else set().union(*drawable)
    points, longest = [], None
    for percent in sorted(percents, key=float):
        values = [each[percent] for each in drawable if percent in each]
        if float(percent) >= 100:
            longest = (median(values), min(values), max(values))
        elif float(percent) >= 50:
            points.append((place_percentile(float(percent)), median(values), min(values), max(values)))
    first = group[0]
    own = first.name, first.label, first.place
    rest = first.counted, first.workload, first.short
    return PercentileSpread(*own, tuple(points), longest, len(group), *rest)


def _make_percent_axis(spreads: Sequence[PercentileSpread]) -> Axis:
    last = max((spread.points[-1][0] for spread in spreads if spread.points), default=place_percentile(99))
    shown = [percent for percent in PERCENTS if place_percentile(float(percent)) <= last * 1.01]
    ticks = [Tick(place_percentile(float(p)), f"{p} %", minor=p in HIDDEN_WHERE_NARROW) for p in shown]
    end = last * 1.1
    if any(spread.longest for spread in spreads):
        end = last * LONGEST
        ticks.append(Tick(end, "longest"))
    return Axis(1.9, end, tuple(ticks), "share of requests answered within the time", log=True)


def _make_spread_marks(spreads: Sequence[PercentileSpread], x: Axis, *, log: bool) -> list[Mark]:
    bands: list[Mark] = []
    lines: list[Mark] = []
    dots: list[Mark] = []
    several = len({(spread.name, spread.place) for spread in spreads}) > 1
    levels = _shows_levels(spreads)
    for spread in spreads:
        color, end = paint(spread.place), x.high
        # A log axis has no place for zero, which some tools print for anything under half a millisecond.
        points = [point for point in spread.points if point[2] > 0 or not log]
        if not points:
            continue
        letter, _, level = spread.label.partition(" ")
        label = (level if levels else letter) if several and spread.counted else ""
        whole = [*points, *([(end, *spread.longest)] if spread.longest else [])]
        if spread.n > 1 and len(whole) > 1:
            xs, _, low, high = zip(*whole, strict=True)
            bands.append(Band(color, xs, low, high))
        if spread.longest:
            tail = (points[-1][1], spread.longest[0])
            lines.append(Line(color, (points[-1][0], end), tail, dotted=True, end=label, thin=not spread.counted))
            label = ""
        xs, ys = tuple(p[0] for p in points), tuple(p[1] for p in points)
        hovers = tuple(f"{_name_spread(spread)}: {_name_percentile(p[0])} {figure(p[1])} ms" for p in points)
        dotted = len(spreads) <= MOST_WITH_DOTS and len(points) <= MOST_DOTS
        thin = not spread.counted
        lines.append(Line(color, xs, ys, spread.name, end=label, hovers=() if dotted else hovers, thin=thin))
        if dotted:
            dots.append(Dots(spread.place, xs, ys, spread.name, hovers, small=True))
    return [*bands, *lines, *dots]


def _shows_levels(spreads: Sequence[PercentileSpread]) -> bool:
    """Whether all are one config's levels, whose names are short enough to stand beside lines."""
    words = [spread.label.partition(" ")[2] for spread in spreads]
    return len({spread.place for spread in spreads}) == 1 and all(0 < len(word) <= MOST_BESIDE for word in words)


def _name_percentile(at: float) -> str:
    return f"p{100 * (1 - 1 / at):.6g}"


def _name_spread(spread: PercentileSpread) -> str:
    return spread.label or spread.name


def _describe(spread: PercentileSpread) -> str:
    ms_of = {_name_percentile(at): ms for at, ms, *_ in spread.points}
    parts = [f"{name} {figure(ms_of[name])} ms" for name in ("p50", "p90", "p95", "p99") if name in ms_of]
    parts += [f"longest {figure(spread.longest[0])} ms"] if spread.longest else []
    return f"{spread.name}: {', '.join(parts)}"


def _tabulate(spread: PercentileSpread) -> list[tuple[Cell, ...]]:
    name = spread.name if spread.counted else f"{spread.name}, not counted"
    rows: list[tuple[Cell, ...]] = [(name, _name_percentile(at), *values, spread.n) for at, *values in spread.points]
    return rows + ([(name, "longest", *spread.longest, spread.n)] if spread.longest else [])


@dataclass(frozen=True, slots=True)
class Dot:
    """One repeat: clients at once, requests/s, and ms where the tool told them."""

    n: float
    rate: float
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One config's sweep. `band` are (clients, requests/s, low, high) of the fitted law.

    peak    (clients, lowest, highest) where the law has its peak, if that is within what was measured
    tail    what the ms are: "p95" or "mean"
    """

    name: str
    place: int
    dots: tuple[Dot, ...]
    band: tuple[tuple[float, float, float, float], ...] = ()
    peak: tuple[float, float, float] | None = None
    tail: str = "p95"


def make_scaling_chart(curves: Sequence[Curve]) -> Chart | None:
    """At most ten sweeps: every repeat a dot, the law a line with its band, its peak a dashed line."""
    drawn = [curve for curve in curves if curve.dots][:MOST_LINES]
    if not drawn:
        return None
    names = number_equal_names([curve.name for curve in drawn])
    dots = [dot for curve in drawn for dot in curve.dots]
    x = _make_levels_axis([dot.n for dot in dots], "concurrency")
    highest = max([dot.rate for dot in dots] + [rate for curve in drawn for _, rate, *_ in curve.band])
    rates = [
        mark
        for at, (curve, name) in enumerate(zip(drawn, names, strict=True))
        for mark in _mark_rates(curve, name, at if len(drawn) > 1 else None)
    ]
    panels = [Panel(x, make_linear_axis(highest, "requests per second"), tuple(rates))]
    times = [dot.ms for dot in dots if dot.ms is not None]
    if times:
        tails = " or ".join(dict.fromkeys(curve.tail for curve in drawn))
        marks = [mark for curve, name in zip(drawn, names, strict=True) for mark in _mark_latency(curve, name)]
        panels.append(Panel(x, make_linear_axis(max(times), f"ms, {tails}"), tuple(marks)))
    key = tuple(Key(name, curve.place) for curve, name in zip(drawn, names, strict=True) if len(drawn) > 1)
    notes = ["a mark is a run"] + (["line and band: the fitted law"] if any(curve.band for curve in drawn) else [])
    rows = tuple((n, d.n, d.rate, d.ms) for curve, n in zip(drawn, names, strict=True) for d in curve.dots)
    words = "; ".join(
        f"{name}: {figure(curve.dots[0].rate)} requests per second at {figure(curve.dots[0].n)} clients, "
        f"{figure(curve.dots[-1].rate)} at {figure(curve.dots[-1].n)}"
        for curve, name in zip(drawn, names, strict=True)
    )
    heads = ("config", "clients", "requests per second", "ms")
    return Chart(
        "scaling",
        "How does it scale with concurrency?",
        tuple(panels),
        key,
        " · ".join(notes),
        words,
        heads,
        rows,
        columns=len(panels),
        zooms=True,
    )


def number_equal_names(names: Sequence[str]) -> list[str]:
    """The names, those that occur more than once with a number."""
    return [
        f"{name} ({names[: at + 1].count(name)})" if names.count(name) > 1 else name for at, name in enumerate(names)
    ]


def _make_levels_axis(levels: Sequence[float], title: str) -> Axis:
    """Ticks at the levels, if these are few."""
    known = sorted(set(levels))
    if known[0] > 0 and known[-1] > WIDE * known[0]:
        axis = make_log_axis(known, title)
        if len(known) <= MOST_LEVELS:
            ticks = tuple(Tick(n, figure(n), minor=at % 2 == 1) for at, n in enumerate(known))
            axis = Axis(known[0] / 1.15, known[-1] * 1.15, ticks, title, log=True)
        return axis
    return make_linear_axis(known[-1], title)


def _mark_rates(curve: Curve, name: str, line: int | None) -> list[Mark]:
    """line: of the peak's label, where there are several."""
    marks: list[Mark] = []
    if curve.peak:
        at, low, high = curve.peak
        words = f"{'' if line is None else f'{name}: '}peak at {figure(round(at))} ({figure(round(low))} to {figure(round(high))})"
        marks += [Span(low, high, paint(curve.place)), Span(at, at, paint(curve.place), words, line or 0, at_foot=True)]
    if curve.band:
        x, rate, low_, high_ = (tuple(part) for part in zip(*curve.band, strict=True))
        marks += [Band(paint(curve.place), x, low_, high_), Line(paint(curve.place), x, rate, name)]
    hovers = tuple(f"{name}: {figure(dot.rate)} requests per second at {figure(dot.n)}" for dot in curve.dots)
    xs, ys = tuple(dot.n for dot in curve.dots), tuple(dot.rate for dot in curve.dots)
    return [*marks, Dots(curve.place, xs, ys, name, hovers)]


def _mark_latency(curve: Curve, name: str) -> list[Mark]:
    points = [(dot.n, dot.ms) for dot in curve.dots if dot.ms is not None]
    if not points:
        return []
    levels = sorted({n for n, _ in points})
    means = tuple(fmean([ms for n, ms in points if n == level]) for level in levels)
    hovers = tuple(f"{name}: {figure(ms)} ms at {figure(n)}" for n, ms in points)
    dots = Dots(curve.place, tuple(n for n, _ in points), tuple(ms for _, ms in points), name, hovers)
    return [Line(paint(curve.place), tuple(levels), means, name), dots]


@dataclass(frozen=True, slots=True)
class SweptPoint:
    """One config of a sweep over any number. failed: per cent of its requests; workload: the name of what it was asked for."""

    series: str
    place: int
    value: float
    rate: float | None
    ms: float | None
    failed: float
    workload: str = ""


def make_sweep_chart(points: Sequence[SweptPoint], axis: str, peak: float | None, limit: float | None) -> Chart | None:
    """Low panels below each other over what was varied: requests per second, mean latency, failures. Of several workloads
    each has a panel of requests per second, as one scale for all would flatten the slower ones."""
    if not points:
        return None
    names = list(dict.fromkeys(point.series for point in points))[:MOST_LINES]
    workloads = list(dict.fromkeys(point.workload for point in points))[:MOST_PANELS]
    is_split = len(workloads) > 1
    metrics = [each for each in SWEPT_METRICS if each[0] != "mean ms"] if is_split else SWEPT_METRICS
    x = _make_levels_axis([point.value for point in points], axis)
    bare = Axis(x.low, x.high, tuple(Tick(tick.at, "") for tick in x.ticks), "", x.log)
    best = max((p for p in points if p.value == peak), key=lambda point: point.rate or 0, default=None)
    panels: list[Panel] = []
    for workload in workloads:
        own = [point for point in points if point.workload == workload and point.series in names]
        own_peak = peak if best and best.workload == workload else None
        own_limit = limit if any(point.failed for point in own if point.value == limit) else None
        drawn = _make_sweep_panels(own, bare, metrics, own_peak, own_limit)
        panels += [replace(drawn[0], title=workload), *drawn[1:]] if drawn and is_split else drawn
    if not panels:
        return None
    height = SWEPT // (2 if is_split else len(panels))
    panels = [replace(panel, height=height) for panel in panels]
    panels[-1] = replace(panels[-1], x=x)
    places = {point.series: point.place for point in points}
    key = tuple(Key(name, places[name]) for name in names if len(names) > 1)
    rows = tuple((*[p.workload] * is_split, p.series, p.value, p.rate, p.ms, p.failed) for p in points)
    heads = (*["workload"] * is_split, "config", axis, "requests per second", "mean ms", "failed, %")
    words = "; ".join(f"{axis} {figure(p.value)}: {figure(p.rate)} requests per second" for p in points if p.rate)
    return Chart("sweep", f"How does it scale with {axis}?", tuple(panels), key, "", words, heads, rows)


def _make_sweep_panels(
    points: Sequence[SweptPoint], x: Axis, metrics: Sequence[SweptMetric], peak: float | None, limit: float | None
) -> list[Panel]:
    """A panel for each metric that has something to show."""
    best = max((point.rate for point in points if point.value == peak and point.rate), default=0.0)
    beaten = [point for point in points if best and point.rate and point.rate > best]
    most_served = "most without failures" if any(point.failed for point in beaten) else "most served"
    most_served = "levels off here" if beaten and not any(point.failed for point in beaten) else most_served
    spans = ((peak, most_served), (limit, "fails from here"))
    series = list(dict.fromkeys(point.series for point in points))
    panels: list[Panel] = []
    for what, get in metrics:
        values = [value for point in points if (value := get(point)) is not None]
        if not values or (what.startswith("failed") and not any(values)):
            continue
        named = most_served if not panels else "fails from here" if what.startswith("failed") else ""
        marks: list[Mark] = [
            Span(at, at, "muted", words if words == named else "", at_foot=at == peak)
            for at, words in spans
            if at is not None
        ]
        marks += [mark for name in series for mark in _draw_swept_line([p for p in points if p.series == name], get)]
        panels.append(Panel(x, make_linear_axis(max(values), what, ticks=4), tuple(marks)))
    return panels


SweptMetric = tuple[str, Callable[[SweptPoint], float | None]]
SWEPT_METRICS: tuple[SweptMetric, ...] = (
    ("requests per second", lambda point: point.rate),
    ("mean ms", lambda point: point.ms),
    ("failed, %", lambda point: point.failed),
)


def _draw_swept_line(points: Sequence[SweptPoint], get: Callable[[SweptPoint], float | None]) -> list[Mark]:
    pairs = [(point.value, value) for point in points if (value := get(point)) is not None]
    if not pairs:
        return []
    x, y = tuple(at for at, _ in pairs), tuple(value for _, value in pairs)
    place = points[0].place
    hovers = tuple(f"{points[0].series}: {figure(value)} at {figure(at)}" for at, value in pairs)
    return [Line(paint(place), x, y, points[0].series), Dots(place, x, y, points[0].series, hovers)]
