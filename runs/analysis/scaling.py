"""How req/s and latency go with concurrency: runs that differ only in it, and the law fitted to them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from runs.analysis.columns import method
from runs.analysis.facts import ConfigFact, RunFact, Source
from runs.analysis.numbers import figure
from runs.analysis.scalability_law import LACK_OF_FIT, LEAST_LEVELS, Fit, Interval, fit

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """All repeats at one concurrency. rates in requests/s; tails in ms (see Sweep.tail), of the runs that print it."""

    n: int
    rates: tuple[float, ...]
    tails: tuple[float, ...]
    runs: tuple[int, ...]
    sources: tuple[Source, ...]

    @property
    def rate(self) -> float:
        return fmean(self.rates)

    @property
    def tail_ms(self) -> float | None:
        return fmean(self.tails) if self.tails else None


@dataclass(frozen=True, slots=True)
class Found:
    """A sweep before it is fitted. `configs` are several where each level is a config of its own."""

    name: str
    configs: tuple[ConfigFact, ...]
    place: int
    tool: str
    tail: str
    levels: tuple[Level, ...]
    left_out: tuple[tuple[RunFact, str], ...]


def find(configs: Sequence[ConfigFact], runs: Sequence[RunFact], excluded: Mapping[int, str]) -> list[Found]:
    """Sweeps of two levels and more, in the order of the configs; `excluded` runs are named and left out."""
    places = {config.id: at for at, config in enumerate(configs)}
    known = [run for run in runs if run.config in places and run.counted and _usable(run)]
    told = _told(known)
    by_key: dict[Key, list[RunFact]] = defaultdict(list)
    for run in known:
        by_key[run.config, run.tool, *_filled(_load(run), told[run.config])].append(run)
    groups = _merged(by_key, {config.id: config for config in configs})
    made = []
    for group in groups:
        if len({level_of(run) for run in group}) > 1:
            own = [configs[place] for place in sorted({places[run.config] for run in group})]
            made.append(_found(own, places[own[0].id], group, excluded))
    return sorted(_told_apart(made), key=lambda sweep: sweep.place)


def level_of(run: RunFact) -> int:
    return method(run).concurrency or 0


def _usable(run: RunFact) -> bool:
    rate = run.requests_per_second
    return level_of(run) > 0 and rate is not None and math.isfinite(rate) and rate >= 0


def _load(run: RunFact) -> Key:
    """Everything of the load but the concurrency and how long it went on; None: not told."""
    return run.hostname or None, run.port, run.path or None, run.keepalive, run.host_id


def _told(runs: Sequence[RunFact]) -> dict[int, list[set[object]]]:
    """Of each config, the values that its runs tell of each part of the load."""
    told: dict[int, list[set[object]]] = {}
    for run in runs:
        for values, part in zip(told.setdefault(run.config, [set() for _ in _load(run)]), _load(run), strict=True):
            values |= {part} - {None}
    return told


def _filled(load: Key, told: Sequence[set[object]]) -> Key:
    """What a run does not tell is as in the config's other runs, where they agree."""
    parts = zip(load, told, strict=True)
    return tuple(next(iter(values)) if part is None and len(values) == 1 else part for part, values in parts)


def _merged(by_key: Mapping[Key, list[RunFact]], configs: Mapping[int, ConfigFact]) -> list[list[RunFact]]:
    """Runs of one config each; and configs of one level each, whose names differ in nothing but that level."""
    whole, single = [], defaultdict(list)
    for (config, *load), runs in by_key.items():
        levels = {level_of(run) for run in runs}
        bare = _without(configs[config].name if isinstance(config, int) else "", *levels)
        if len(levels) == 1 and bare is not None:
            single[bare, *load].append(runs)
        else:
            whole.append(runs)
    for alike in single.values():
        if len({level_of(runs[0]) for runs in alike}) == len(alike):
            whole.append([run for runs in alike for run in runs])
        else:
            whole += alike
    return whole


def _without(name: str, level: int, *more: int) -> str | None:
    """The name with its level taken out; None where it does not hold it, or holds several."""
    bare, count = re.subn(rf"(?<!\d){level}(?!\d)", "N", name)
    return bare if count == 1 and not more else None


def _found(own: list[ConfigFact], place: int, group: list[RunFact], excluded: Mapping[int, str]) -> Found:
    kept = [run for run in group if run.id not in excluded]
    tail = "95 % within" if any("95" in run.percentiles_ms for run in kept) else "mean"
    by_level: dict[int, list[RunFact]] = defaultdict(list)
    for run in kept:
        by_level[level_of(run)].append(run)
    name = own[0].name if len(own) == 1 else _without(own[0].name, level_of(group[0])) or own[0].name
    return Found(
        name=name,
        configs=tuple(own),
        place=place,
        tool=group[0].tool,
        tail=tail,
        levels=tuple(_level(n, by_level[n], tail) for n in sorted(by_level)),
        left_out=tuple((run, excluded[run.id]) for run in group if run.id in excluded),
    )


def _level(n: int, runs: list[RunFact], tail: str) -> Level:
    values = [run.mean_ms if tail == "mean" else run.percentiles_ms.get("95") for run in runs]
    return Level(
        n=n,
        rates=tuple(run.requests_per_second or 0.0 for run in runs),
        tails=tuple(value for value in values if value is not None and math.isfinite(value)),
        runs=tuple(run.id for run in runs),
        sources=tuple(Source(run.source, run.line) for run in runs),
    )


def _told_apart(made: list[Found]) -> list[Found]:
    """Sweeps of one config under several loads carry the load's number in their names."""
    names = [sweep.name for sweep in made]
    return [
        sweep
        if names.count(sweep.name) == 1
        else Found(
            f"{sweep.name} ({names[: at + 1].count(sweep.name)})",
            *(sweep.configs, sweep.place, sweep.tool, sweep.tail, sweep.levels, sweep.left_out),
        )
        for at, sweep in enumerate(made)
    ]


# Residual standard error as a share of the mean rate: how near the law comes to what was measured.
CLOSE, ROUGH = 0.05, 0.15
# A peak whose interval spans more than this is not named: nobody could act on it.
WIDEST = 4.0


def sentence(sweep: Found, fit: Fit | None) -> str:
    """How many levels are missing, or where the peak is."""
    if fit is None:
        return _missing(sweep)
    if _off(sweep, fit) >= ROUGH:
        return f"{sweep.name}: {_quality(sweep, fit)} No peak is read off it."
    return f"{sweep.name}: {_peak(sweep, fit)} {_quality(sweep, fit)}"


def details(fit: Fit) -> tuple[str, ...]:
    """λ, σ and κ with their intervals."""
    return (
        f"λ {_with_interval(fit.rate_one, fit.rate_one_interval, ' requests/s for one client alone')}",
        f"σ {_with_interval(fit.contention, fit.contention_interval, ', the share of work that waits in line (contention)')}",
        f"κ {_with_interval(fit.coherency, fit.coherency_interval, ', the cost of keeping each other informed (coherency)')}",
    )


def notes(sweep: Found) -> tuple[str, ...]:
    found = [f"Left out at concurrency {level_of(run)}: {why.rstrip('.')}." for run, why in sweep.left_out]
    if len(sweep.configs) > 1:
        found.append(
            "Each level is a config of its own; they count as one since their names differ in that number only."
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Knee:
    """Where req/s peaks: clients at once, and between which numbers of them with 95 %."""

    at: float
    low: float
    high: float


def knee(sweep: Found, fit: Fit | None) -> Knee | None:
    """A peak within what was measured, where its interval is narrow enough to be of use."""
    if fit is None or fit.peak_at is None or fit.peak_interval.high is None:
        return None
    if _too_wide(fit.peak_interval) or _off(sweep, fit) >= ROUGH:
        return None
    within = sweep.levels[0].n <= fit.peak_at <= sweep.levels[-1].n
    return Knee(fit.peak_at, fit.peak_interval.low, fit.peak_interval.high) if within else None


def _too_wide(interval: Interval) -> bool:
    return interval.high is None or interval.high > WIDEST * max(interval.low, 1.0)


def _missing(sweep: Found) -> str:
    levels = [str(level.n) for level in sweep.levels]
    lack = LEAST_LEVELS - len(levels)
    if lack <= 0:
        return f"{sweep.name}: no scaling law fits these {len(levels)} levels of concurrency."
    have = " and ".join(part for part in (", ".join(levels[:-1]), *levels[-1:]) if part) or "none"
    plural = "level" if len(levels) == 1 else "levels"
    are = "1 more is" if lack == 1 else f"{lack} more are"
    return (
        f"{sweep.name}: {len(levels)} {plural} of concurrency that count ({have}); a scaling law takes at least "
        f"{LEAST_LEVELS}, {are} missing."
    )


def _peak(sweep: Found, fit: Fit) -> str:
    least, most = sweep.levels[0].n, sweep.levels[-1].n
    interval = fit.peak_interval
    if fit.peak_at is None or interval.high is None:
        return _no_peak(fit, most)
    if fit.peak_at < least:
        return f"req/s falls from the lowest level measured on ({least} clients): the peak lies below it."
    span = f"95 % interval {_clients(interval.low)} to {_clients(interval.high)}"
    if _too_wide(interval):
        return f"req/s has a peak, but where is uncertain ({span} clients)."
    place = f"at {_clients(fit.peak_at)} clients ({span}), with {figure(fit.peak_rate)} requests/s"
    if fit.peak_at > most:
        return f"no peak up to the {most} clients measured; drawn out, the law puts it {place}."
    return f"req/s peaks {place}."


def _no_peak(fit: Fit, most: int) -> str:
    if fit.peak_interval.low > most:
        more = f" If there is one, it lies above {_clients(fit.peak_interval.low)} clients."
        return f"no peak within what was measured (up to {most} clients)." + more
    return f"whether req/s has a peak cannot be told from these levels (up to {most} clients)."


def _quality(sweep: Found, fit: Fit) -> str:
    share = _off(sweep, fit)
    word = "closely" if share < CLOSE else "roughly" if share < ROUGH else "badly"
    off = f"off by {share:.1%}".replace("%", " %")
    fitted = f"The law describes the {len(sweep.levels)} levels {word} (R² {_r_squared(fit)}, {off})."
    if fit.lack_of_fit is not None and fit.lack_of_fit < LACK_OF_FIT:
        return fitted + " It misses the means by more than repeats vary, so the intervals rest on its own misses."
    return fitted


def _off(sweep: Found, fit: Fit) -> float:
    """The residual standard error as a share of the mean rate."""
    rates = [rate for level in sweep.levels for rate in level.rates]
    return fit.residual * len(rates) / sum(rates)


def _r_squared(fit: Fit) -> str:
    return "–" if fit.r_squared is None else f"{min(fit.r_squared, 0.9999):.4f}".rstrip("0").rstrip(".")


def _with_interval(value: float, interval: Interval | None, what: str) -> str:
    if interval is None or interval.high is None:
        return f"{figure(value)}{what}"
    return f"{_short_figure(value)} ({_short_figure(interval.low)} to {_short_figure(interval.high)}){what}"


def _short_figure(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1 else figure(value)


def _clients(value: float) -> str:
    return f"{value:.0f}" if value < 10_000 else f"{value:.2g}"


@dataclass(frozen=True, slots=True)
class Sweep:
    """A set-up under several levels of concurrency.

    place     of its first config among all, as everywhere on a page
    tail      what Level.tails hold: "95 % within", or "mean" where the tool prints no percentiles
    knee      the law's peak, where it lies within what was measured and can be told
    missing   levels that a fit still takes; 0 where there are enough
    sentence  where the peak is and how sure that is, or how much is missing; details: the law's parameters
    """

    name: str
    configs: tuple[ConfigFact, ...]
    place: int
    tool: str
    tail: str
    levels: tuple[Level, ...]
    fit: Fit | None
    knee: Knee | None
    missing: int
    sentence: str
    details: tuple[str, ...]
    notes: tuple[str, ...]


def sweeps(
    configs: Sequence[ConfigFact], runs: Sequence[RunFact], *, excluded: Mapping[int, str] | None = None
) -> list[Sweep]:
    """Every sweep of two levels and more. `excluded`: run id -> why it does not count."""
    made = []
    for found in find(configs, runs, excluded or {}):
        fitted = fit([(level.n, level.rates) for level in found.levels])
        made.append(
            Sweep(
                name=found.name,
                configs=found.configs,
                place=found.place,
                tool=found.tool,
                tail=found.tail,
                levels=found.levels,
                fit=fitted,
                knee=knee(found, fitted),
                missing=max(LEAST_LEVELS - len(found.levels), 0),
                sentence=sentence(found, fitted),
                details=details(fitted) if fitted else (),
                notes=notes(found),
            )
        )
    return made
