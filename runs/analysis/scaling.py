"""How req/s and latency go with concurrency: runs that differ only in it, and the law fitted to them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import median

from runs.analysis import adaptive
from runs.analysis.columns import Column
from runs.analysis.facts import ConfigFact, RunFact
from runs.analysis.method import REQUESTED, Method, read_method, split_unlike
from runs.analysis.scalability_law import LEAST_LEVELS, ROUGH, Fit, Knee, Level, Sweep, fit, is_too_wide, miss_share
from runs.analysis.table import Comparison
from runs.numbers import mean

Key = tuple[object, ...]


def find_sweeps(configs: Sequence[ConfigFact], runs: Sequence[RunFact], excluded: Mapping[int, str]) -> list[Sweep]:
    """Sweeps of two levels and more, in the order of the configs; `excluded` runs are named and left out."""
    known = [run for run in runs if run.counted and _is_usable(run)]
    levels: dict[int, set[int]] = defaultdict(set)
    for run in known:
        levels[run.config].add(get_level(run))
    # A sweep is one config under several levels, or several configs each named after its one level.
    if not [
        one
        for one in configs
        if one.id in levels and (len(levels[one.id]) > 1 or _remove_level(one.name, *levels[one.id]) is not None)
    ]:
        return []
    places = {config.id: at for at, config in enumerate(configs)}
    known = [run for run in known if run.config in places]
    loads = _list_loads(known)
    by_key: dict[Key, list[RunFact]] = defaultdict(list)
    for run in known:
        by_key[run.config, run.tool, *_fill_key(_describe_load(run), loads[run.config])].append(run)
    groups = _merge_groups(by_key, {config.id: config for config in configs})
    made, paths = [], []
    for group in groups:
        if len({get_level(run) for run in group}) > 1:
            own = [configs[place] for place in sorted({places[run.config] for run in group})]
            made.append(_make_sweep(own, places[own[0].id], group, excluded))
            paths.append(group[0].path)
    return sorted(_rename_equal(made, paths), key=lambda sweep: sweep.place)


def get_level(run: RunFact) -> int:
    return read_method(run).concurrency or 0


def _read_other_load(run: RunFact) -> Method:
    """All of the load but what makes the level, and what a sweep has in common."""
    return read_method(run)._replace(concurrency=None)


def _is_usable(run: RunFact) -> bool:
    rate = run.requests_per_second
    return get_level(run) > 0 and rate is not None and math.isfinite(rate) and rate >= 0


def _describe_load(run: RunFact) -> Key:
    """Everything of the load but the concurrency and how long it went on; None: not told."""
    how = read_method(run)
    asked = None if how.further is None else tuple(pair for pair in how.further if pair[0] in REQUESTED)
    return run.hostname or None, run.port, how.path, how.keepalive, how.pipelining, how.method, asked, run.host_id


def _list_loads(runs: Sequence[RunFact]) -> dict[int, list[set[object]]]:
    """Of each config, the values that its runs tell of each part of the load."""
    loads: dict[int, list[set[object]]] = {}
    for run in runs:
        for values, part in zip(
            loads.setdefault(run.config, [set() for _ in _describe_load(run)]), _describe_load(run), strict=True
        ):
            values |= {part} - {None}
    return loads


def _fill_key(load: Key, known: Sequence[set[object]]) -> Key:
    """What a run does not tell is as in the config's other runs, where they agree."""
    parts = zip(load, known, strict=True)
    return tuple(next(iter(values)) if part is None and len(values) == 1 else part for part, values in parts)


def _merge_groups(by_key: Mapping[Key, list[RunFact]], configs: Mapping[int, ConfigFact]) -> list[list[RunFact]]:
    """Runs of one config each; and configs of one level each, whose names differ in nothing but that level."""
    whole, single = [], defaultdict(list)
    for (config, *load), runs in by_key.items():
        levels = {get_level(run) for run in runs}
        bare = _remove_level(configs[config].name if isinstance(config, int) else "", *levels)
        if len(levels) == 1 and bare is not None:
            single[bare, *load].append(runs)
        else:
            whole.append(runs)
    for alike in single.values():
        if len({get_level(runs[0]) for runs in alike}) == len(alike):
            whole.append([run for runs in alike for run in runs])
        else:
            whole += alike
    return whole


def _remove_level(name: str, level: int, *more: int) -> str | None:
    """The name with its level taken out; None where it does not hold it, or holds several."""
    bare, count = re.subn(rf"(?<!\d){level}(?!\d)", "N", name)
    return bare if count == 1 and not more else None


def _make_sweep(own: list[ConfigFact], place: int, group: list[RunFact], excluded: Mapping[int, str]) -> Sweep:
    unlike = {
        run.id: f"sent with {' and '.join(load.list_others(its))}, not {' and '.join(its.list_others(load))}"
        for run, other in split_unlike(group, get_level, _read_other_load)
        if (load := _read_other_load(run)) and (its := _read_other_load(other))
    }
    excluded = unlike | dict(excluded)
    kept = [run for run in group if run.id not in excluded]
    tail = "p95" if any("95" in run.percentiles_ms for run in kept) else "mean"
    by_level: dict[int, list[RunFact]] = defaultdict(list)
    for run in kept:
        by_level[get_level(run)].append(run)
    bare = None if len(own) == 1 else _remove_level(own[0].name, get_level(group[0]))
    # Of "10 connections · nginx" the server is what the sweep is of.
    other = [part for part in (bare or "").split(" · ") if not re.search(r"(?<!\w)N(?!\w)", part)]
    name = " · ".join(other) or bare or own[0].name
    return Sweep(
        name=name,
        configs=tuple(own),
        place=place,
        tool=group[0].tool,
        tail=tail,
        levels=tuple(_make_level(n, by_level[n], tail) for n in sorted(by_level)),
        left_out=tuple((get_level(run), excluded[run.id]) for run in group if run.id in excluded),
    )


def _make_level(n: int, runs: list[RunFact], tail: str) -> Level:
    values = [run.mean_ms if tail == "mean" else run.percentiles_ms.get("95") for run in runs]
    return Level(
        n=n,
        rates=tuple(run.requests_per_second or 0.0 for run in runs),
        tails=tuple(value for value in values if value is not None and math.isfinite(value)),
        runs=tuple(run.id for run in runs),
        sources=tuple(run.source_of() for run in runs),
    )


def _rename_equal(made: list[Sweep], paths: list[str]) -> list[Sweep]:
    """Sweeps of one config under several loads have the load's path in their names, or its number."""
    named = list(zip([sweep.name for sweep in made], paths, strict=True))
    renamed = []
    for at, (name, path) in enumerate(named):
        alike = [other for other, _ in named].count(name)
        number = [other for other, _ in named[: at + 1]].count(name)
        own = {its for other, its in named if other == name}
        renamed_as = f"{name} · {path}" if len(own - {""}) == alike else f"{name} ({number})"
        renamed.append(replace(made[at], name=renamed_as) if alike > 1 else made[at])
    return renamed


def fit_sweeps(
    configs: Sequence[ConfigFact], runs: Sequence[RunFact], *, excluded: Mapping[int, str] | None = None
) -> list[Sweep]:
    """Every sweep of two levels and more with the law fitted to it. `excluded`: run id -> why it does not count."""
    fitted = []
    for sweep in find_sweeps(configs, runs, excluded or {}):
        law = fit([(level.n, level.rates) for level in sweep.levels])
        missing = max(LEAST_LEVELS - len(sweep.levels), 0)
        fitted.append(replace(sweep, fit=law, knee=find_knee(sweep, law), missing=missing))
    return fitted


def find_knee(sweep: Sweep, fit: Fit | None) -> Knee | None:
    """A peak within what was measured, where its interval is narrow enough to be of use."""
    if fit is None or fit.peak_at is None or fit.peak_interval.high is None:
        return None
    if is_too_wide(fit.peak_interval) or miss_share(sweep, fit) >= ROUGH:
        return None
    within = sweep.levels[0].n <= fit.peak_at <= sweep.levels[-1].n
    return Knee(fit.peak_at, fit.peak_interval.low, fit.peak_interval.high) if within else None


@dataclass(frozen=True, slots=True)
class Point:
    """One config under one value of what was varied. `failed`: the share of its requests that failed.

    load: (HTTP method, path), each None where it is not told
    """

    config: str
    at: int
    value: float
    rate: float | None
    mean_ms: float | None
    failed: float
    n: int
    load: tuple[str | None, str | None] = (None, None)

    @property
    def failed_pct(self) -> float:
        return self.failed * 100


@dataclass(frozen=True, slots=True)
class Range:
    """What was varied. peak: where the most was served without failures; limit: the least value at which requests fail.

    unit: what names count ("workers"), "" where the number is a setting's ("MaxClients 50") or the concurrency.
    capacity: where `bd sweep` searched the highest load that keeps a limit.
    loads: what else was set in its points, where runs at the same values had it otherwise, as the second of each pair says:
    ("threads 4", "threads 8"). Those are no points.
    workloads: (name, its part) of each set of configs that compete, with the names that they have within it.
    """

    axis: str
    points: tuple[Point, ...]
    peak: float | None
    limit: float | None
    unit: str = ""
    capacity: adaptive.Capacity | None = None
    loads: tuple[tuple[str, str], ...] = ()
    workloads: tuple[tuple[str, Range], ...] = ()

    @property
    def sound(self) -> list[Point]:
        return [point for point in self.points if not point.failed and point.rate]

    @property
    def leaders(self) -> dict[float, str]:
        """Value -> the config that serves the most at it, of those at which several serve without failures."""
        return {value: ranked[0].config for value, ranked in self._ranked.items()}

    @property
    def clear_leaders(self) -> dict[float, str]:
        """The same, with "" where the next one serves as much."""
        return {
            value: best.config if (best.rate or 0) > THE_SAME * (second.rate or 0) else ""
            for value, (best, second, *_) in self._ranked.items()
        }

    @property
    def _ranked(self) -> dict[float, list[Point]]:
        """Of each value the points, the best first; none where they were asked for unlike things: no series is better by that."""
        if any(len({point.load[part] for point in self.sound} - {None}) > 1 for part in (0, 1)):
            return {}
        at: dict[float, list[Point]] = defaultdict(list)
        for point in sorted(self.sound, key=lambda point: (point.value, -(point.rate or 0))):
            at[point.value].append(point)
        return {value: own for value, own in at.items() if len(own) > 1}

    @property
    def series(self) -> dict[str, list[Point]]:
        """The points of each config."""
        series: dict[str, list[Point]] = defaultdict(list)
        for point in self.points:
            series[point.config].append(point)
        return dict(series)

    def split_by_workload(self, blocks: Sequence[Sequence[int]]) -> list[list[Point]]:
        """The points of the configs that compete at any value, and were asked for the same. blocks: of columns that compete."""
        names = {point.at: point.config for point in self.points}
        first = {name: name for name in names.values()}  # {config: another one of its workload, or itself}

        def find_first(name: str) -> str:
            while first[name] != name:
                first[name] = name = first[first[name]]
            return name

        for block in blocks:
            own = [find_first(names[at]) for at in block if at in names]
            first |= dict.fromkeys(own, min(own, default=""))
        joined: dict[str, list[Point]] = defaultdict(list)
        for point in self.points:
            joined[find_first(point.config)].append(point)
        return [part for points in joined.values() for part in _split_by_load(points)]


def _split_by_load(points: Sequence[Point]) -> list[list[Point]]:
    """The points by what was asked for; all where none contradict each other."""
    if all(len({point.load[part] for point in points} - {None}) < 2 for part in (0, 1)):
        return [list(points)]
    by_load: dict[tuple[str | None, str | None], list[Point]] = defaultdict(list)
    for point in points:
        by_load[point.load].append(point)
    return list(by_load.values())


CONCURRENCY, SET_RATE = "concurrency", "set rate"
_LEVEL_OF: dict[str, dict[str, None]] = {CONCURRENCY: {"concurrency": None}}
_SET = (  # (field of Method, axis, unit), each of which changes with those before it
    ("rate", SET_RATE, "requests/s"),
    ("requests", "number of requests", "requests"),
    ("duration_s", "duration", "seconds"),
)
_LEVEL_OF |= {axis: dict.fromkeys(each for each, *_ in _SET[place:]) for place, (_, axis, _) in enumerate(_SET)}
AS_MUCH = 1.05  # what is served within this of the most is the most
THE_SAME = 1.02  # of two configs neither is ahead that are this close
MANY_LEVELS, MOST_AROUND = 12, 10
FEWEST_VALUES = 3
PLURAL = re.compile(r"s+(?:es)?\b")  # of any word: "process" and "processes" are cut to the same
NUMBER = re.compile(r"(\d+(?:\.\d+)*)")
# A number beside one of these words says how much there is of something, and is no version or ordinal.
QUANTITY = re.compile(
    r"worker|proc|thread|client|connection|concurren|user|child|core|cpu|pool|max|limit|size|buffer|backlog|cache|queue"
    r"|batch|timeout|rate|rps|qps|requests/s|slot|server|node|replica|instance|container|\bpods?\b|backend|shard|(?<!\w)-\w\b|接続|数|[kmg]i?b\b",
    re.IGNORECASE,
)

LABEL = re.compile(r"\b(?:port|pid|id|version)\W*$", re.IGNORECASE)  # "Server Port": a number that counts nothing


def smooth_rates(points: Sequence[Point]) -> list[float]:
    """The rates of a config's levels in order; of many levels of one run each the median of those around each, a tenth of all."""
    rates = [point.rate or 0.0 for point in points]
    is_noisy = len(rates) >= MANY_LEVELS and all(point.n == 1 for point in points)
    around = min(max(len(rates) // 20, 1), MOST_AROUND) if is_noisy else 0
    return [median(rates[max(at - around, 0) : at + around + 1]) for at in range(len(rates))]


def find_best(points: Sequence[Point]) -> Point:
    """The first level beyond which more bring hardly more."""
    rates = smooth_rates(points)
    return next(point for point, rate in zip(points, rates, strict=True) if rate * AS_MUCH >= max(rates))


def find_range(
    comparison: Comparison,
    sweeps: Sequence[Sweep],
    out: Mapping[int, str],
    failed: Mapping[int, float],
    kept: adaptive.FigureLimit | None = None,
) -> Range | None:
    """What was varied over a range, where that is all that sets the columns apart. `failed`: shares by column.

    kept: of a search for the highest load that keeps it.

    One config under two levels of concurrency or two set rates and more, several under three levels of concurrency, or three
    configs and more whose names differ in one number.
    """
    series = _find_series(comparison.columns, sweeps)
    if not series:
        return None
    columns = comparison.columns
    axis, unit, places = series
    fixed = {at: columns[at].method._replace(**_LEVEL_OF.get(axis, {})) for _, at, _ in places}
    unlike = split_unlike(places, lambda place: (place[0], place[2]), lambda place: fixed[place[1]])
    loads = dict.fromkeys(
        (
            " and ".join(fixed[other[1]].list_others(fixed[one[1]])),
            " and ".join(fixed[one[1]].list_others(fixed[other[1]])),
        )
        for one, other in unlike
    )
    places = [place for place in places if place not in [one for one, _ in unlike]]
    points = tuple(
        _make_point(name, at, value, columns[at], out, failed.get(at, 0.0))
        for name, at, value in sorted(places, key=lambda place: (place[0], place[2]))
    )
    limit = min((point.value for point in points if point.failed), default=None)
    levels = {point.value: columns[point.at].runs for point in points}
    capacity = adaptive.find_capacity(kept, levels) if kept else None
    swept = Range(axis, points, None, limit, unit, capacity, tuple(loads))
    sound = replace(swept, points=tuple(swept.sound)).series.values()
    best = max(sound, key=lambda own: max(smooth_rates(own)), default=None)
    return replace(swept, peak=find_best(best).value) if best else swept


_OF_BYTES = re.compile(r"\d\s?(?:[km]i?b|b|bytes?)(?!\w)", re.IGNORECASE)
Places = list[tuple[str, int, float]]


def find_varied(columns: Sequence[Column], sweeps: Sequence[Sweep]) -> dict[int, float]:
    """Column -> its value of what is varied over a range; empty where the runs are no such sweep."""
    series = _find_series(columns, sweeps)
    return {at: value for _, at, value in series[2]} if series else {}


def _find_series(columns: Sequence[Column], sweeps: Sequence[Sweep]) -> tuple[str, str, Places] | None:
    """(axis, its unit, (series, column, value) of every column with runs); None where no one thing sets them apart."""
    loaded = {at: column for at, column in enumerate(columns) if column.runs}
    return _find_sweep_series(loaded, sweeps) or _find_set_series(loaded) or _find_named_series(loaded)


def _find_sweep_series(columns: Mapping[int, Column], sweeps: Sequence[Sweep]) -> tuple[str, str, Places] | None:
    """(series, column, level) of every column; None where a column is in no sweep."""
    places: Places = []
    for at, column in columns.items():
        mine = [sweep for sweep in sweeps if column.config.id in {config.id for config in sweep.configs}]
        runs = {run.id for run in column.runs}
        level = get_level(column.runs[0])
        counted = (one for one in mine if any(runs & {*each.runs} for each in one.levels))
        left_out = (one for one in mine if any(level == n for n, _ in one.left_out))
        own = next(counted, next(left_out, None))
        if own is None or not level:
            return None
        places.append((own.name, at, level))
    levels: dict[str, set[float]] = defaultdict(set)
    for name, _, value in places:
        levels[name].add(value)
    of_several = len(levels) > 1 and len({column.config.id for column in columns.values()}) > 1
    fewest = FEWEST_VALUES if of_several else 2  # one config may have been asked for several things
    return (CONCURRENCY, "", places) if levels and min(map(len, levels.values())) >= fewest else None


def _find_set_series(columns: Mapping[int, Column]) -> tuple[str, str, Places] | None:
    """(config, column, value) of every column, where one config was tried with nothing but other rates, numbers or times."""
    for name, axis, unit in _SET:
        alike = {(column.config.id, column.method._replace(**_LEVEL_OF[axis])) for column in columns.values()}
        values = [(column.config.name, at, getattr(column.method, name)) for at, column in columns.items()]
        if len(alike) == 1 < len({value for *_, value in values}) and all(value for *_, value in values):
            return axis, unit, values
    return None


def _find_named_series(columns: Mapping[int, Column]) -> tuple[str, str, Places] | None:
    """The same of configs whose names differ in one whole number that counts something."""
    parts = {at: NUMBER.split(column.title) for at, column in columns.items()}
    words = {tuple(PLURAL.sub("", part).rstrip() for part in each[::2]) for each in parts.values()}
    # Sizes of what one config was asked for are kinds of requests.
    is_of_requests = all(one.method.path and _OF_BYTES.search(one.method.path) for one in columns.values())
    if len(parts) < FEWEST_VALUES or len(words) != 1 or is_of_requests:
        return None
    numbers = [each[1::2] for each in parts.values()]
    varied = [at for at, values in enumerate(zip(*numbers, strict=True)) if len(set(values)) > 1]
    if len(varied) != 1 or len({each[varied[0]] for each in numbers}) < len(parts):
        return None
    before, behind = (next(iter(parts.values()))[2 * varied[0] + at] for at in (0, 2))
    axis = max(before.strip(" =:,·("), behind.strip(" =:,·)"), key=_counts_something)
    if not _counts_something(axis) or not all(each[varied[0]].isdecimal() for each in numbers):
        return None
    places = [("", at, float(each[1::2][varied[0]])) for at, each in parts.items()]
    largest = parts[max(places, key=lambda place: place[2])[1]]
    return axis, _find_unit(largest[2 * varied[0]], largest[2 * varied[0] + 2]), places


def _find_unit(before: str, behind: str) -> str:
    """What a number between these words counts: "workers" of "4 workers, nginx" and of "workers: 4"; "" of "MaxClients 4"."""
    if _counts_something(before):
        return before.strip(" =:") if re.fullmatch(r"[a-z]+s[ =:]*", before) else ""
    words = re.split(r"[,;:()·]", behind.lstrip(" -"))[0].split()
    first = next((at for at, word in enumerate(words) if _counts_something(word)), len(words))
    return " ".join([*words[:first], *takewhile(_counts_something, words[first:])]) if first < len(words) else ""


def _counts_something(words: str) -> bool:
    return bool(QUANTITY.search(words)) and not LABEL.search(words)


def _make_point(name: str, at: int, value: float, column: Column, out: Mapping[int, str], failed: float) -> Point:
    runs = [run for run in column.runs if run.id not in out] or list(column.runs)
    rates = [run.requests_per_second for run in runs if run.requests_per_second is not None]
    times = [run.mean_ms for run in runs if run.mean_ms is not None]
    load = column.method.method, column.method.path
    return Point(
        name, at, value, mean(rates) if rates else None, mean(times) if times else None, failed, len(runs), load
    )
