"""Why one side of a comparison is slower, or what limits a single config or a sweep: at most three findings, or what is missing.

find_causes(case, comparison, headline, doubts, sweeps, out) -> Causes. Which rules there are is in docs/causes.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

from runs.analysis.adaptive import write_bd_command, write_command
from runs.analysis.cause.evidence import Watched, collect
from runs.analysis.cause.programs import Falls
from runs.analysis.cause.rules import COLLECTING, Certainty, Limit, Point, find_full_generator, find_limits
from runs.analysis.cause.wording import (
    EVIDENCE,
    WAITING,
    compose,
    describe_both_generators,
    describe_demand,
    describe_limit,
    describe_unknown,
)
from runs.analysis.doubt_case import LOCAL, Case, Doubt
from runs.analysis.doubt_load import find_noted_capacity
from runs.analysis.facts import Source
from runs.analysis.headline_outcome import Headline, Outcome
from runs.analysis.scalability_law import Sweep
from runs.analysis.table import Comparison

MOST = 3
EXPLAINS = 0.5  # of the difference: less is one cause among others that nobody saw
SMALL = 1.05  # a difference that is not worth a cause, where it is not proven
FLAT = 1.15  # the rate of a level against the one before, where more clients bring no more
SERIAL_SHARE = 0.02
LONGER_BYTES = 1000.0
# These are the same resource to different degrees: the rate follows from the CPU time of a request.
BY_CPU = ("cpu", "database", "cpu_quota", "one_core", "generator")
FREES_MEMORY = ("garbage_collection", "restarts")
COLLECTS_UNSEEN = ("cpu", "one_core")
FEWER_CORES = ("one_core", "cpu_quota")  # and here from how many cores it could use
BOTH = {"one_core": "both were limited by one core", "cpu_quota": "both used up their CPU quota"}
# What leaves CPU idle can explain why the other side, which used it up, served more.
NOTHING_ELSE = ("workers", "lock", "downstream")


@dataclass(frozen=True, slots=True)
class Evidence:
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class FoundCause:
    """One cause. config: the side that it slows down; share_pct: of the difference, None where it cannot be counted."""

    cause: str
    config: str
    share_pct: float | None
    certainty: Certainty
    evidence: tuple[Evidence, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Causes:
    """unknown: why none can be told, and missing: what would tell; both empty where there is nothing to explain.

    command: what records it, on host where that is another machine.
    """

    findings: tuple[FoundCause, ...] = ()
    unknown: str = ""
    missing: tuple[str, ...] = ()
    command: str = ""
    host: str = ""


def find_causes(
    case: Case,
    comparison: Comparison,
    headline: Headline,
    doubts: Sequence[Doubt],
    sweeps: Sequence[Sweep],
    out: Collection[int],
) -> Causes:
    @cache
    def watch(at: int) -> Watched | None:
        return collect(case, at, comparison.columns[at], out, doubts)

    if headline.outcome is Outcome.SWEEP and headline.sweep:
        levels = [(point.value, side) for point in headline.sweep.sound if (side := watch(point.at)) is not None]
        return _explain_levels(case, levels, sweeps)
    sides = [side for one in headline.sides[:2] if (side := watch(one.at)) is not None]
    if headline.outcome is Outcome.SINGLE and sides:
        return _explain_one(sides[0])
    winner, loser = (side and watch(side.at) for side in (headline.winner, headline.loser))
    if winner and loser:
        return _compare_two(winner, loser, headline)
    if headline.outcome is Outcome.FAILED and loser:
        return _explain_one(loser)
    every = [side for at in range(len(comparison.columns)) if (side := watch(at)) is not None]
    if headline.outcome is Outcome.NOT_COMPARABLE and len(every) == 2:
        best, other = sorted(every, key=lambda side: -(side.rate or 0))
        kept_out = [one for one in _separate(best, other) if one.cause in ("memory", "steal") or "ports" in one.facts]
        ordered = _order_causes(_find_other_work(best, other), kept_out)
        return Causes(tuple(_make_finding(limit, other) for limit in ordered)[:MOST])
    return Causes()


def _compare_two(winner: Watched, loser: Watched, headline: Headline) -> Causes:
    proven = headline.outcome in (Outcome.BETTER, Outcome.TRADE_OFF, Outcome.FAILED)
    if not proven and (headline.ratio or 1) < SMALL:
        return Causes()
    unlike = _find_other_work(winner, loser)
    share = _explain(winner, loser, winner.demand_ms, loser.demand_ms)  # the utilisation law
    shares = dict.fromkeys(BY_CPU, share)
    # What is left of the time for requests is 1 less the part that garbage collection took.
    left, its = 1 - loser.lost_to_collection, 1 - winner.lost_to_collection
    shares |= {"garbage_collection": _explain(winner, loser, left, its)}
    shares |= dict.fromkeys(FEWER_CORES, _explain(winner, loser, loser.answering, winner.answering))
    if held_back := _find_full_generators(winner, loser):
        findings = [_make_finding(limit, loser) for limit in unlike] + held_back
    else:
        limits = _order_causes(unlike, _separate(winner, loser))
        findings = [_make_finding(limit, loser, shares.get(limit.cause)) for limit in limits]
        findings = findings or _find_shared_cpu(winner, loser, share or 0) or _compare_idle(winner, loser)
    if headline.outcome is Outcome.FAILED:
        findings += _find_failures(loser)
    if not findings:
        return _list_missing(winner, loser)
    findings = [_add_falls(finding, loser, winner) for finding in findings]
    if headline.outcome is Outcome.UNPROVEN:  # then no cause is more than possible, and none explains a share
        weak = (replace(finding, text=finding.text.replace("Likely: ", "Possibly: ", 1)) for finding in findings)
        findings = [replace(cause, share_pct=None, certainty="possible") for cause in weak]
    return Causes(tuple(findings[:MOST]))


def _order_causes(unlike: list[Limit], limits: list[Limit]) -> list[Limit]:
    """Unlike work first; but what connections failed or waited for explains more than that each request opened one."""
    opened = [limit for limit in unlike if limit.cause == "keepalive"]
    held_up = [limit for limit in limits if opened and (limit.cause == "backlog" or "ports" in limit.facts)]
    others = [limit for limit in limits if limit not in held_up]
    return [*(limit for limit in unlike if limit not in opened), *held_up, *opened, *others]


def _find_full_generators(winner: Watched, loser: Watched) -> list[FoundCause]:
    """Whatever else was busy, both rates are what the generator could send."""
    own, other = find_full_generator(loser), find_full_generator(winner)
    if own is None or other is None:
        return []
    certainty: Certainty = "likely" if own.certainty == other.certainty == "likely" else "possible"
    both = replace(own, points=(*own.points, *other.points), certainty=certainty)
    return [_make_finding(both, loser, words=describe_both_generators(loser.name, winner.name))]


def _find_shared_cpu(winner: Watched, loser: Watched, share: float) -> list[FoundCause]:
    """Both were limited by the same CPU: then the rates are as the CPU times of a request.

    That follows from the rates where both used all of it, so it is no share of the difference that evidence accounts for.
    """
    theirs, own = ({limit.cause: limit for limit in reversed(find_limits(side))} for side in (winner, loser))
    limit = next((own[cause] for cause in BY_CPU if cause in own and cause in theirs), None)
    if limit is None or share < EXPLAINS or not (winner.demand_ms and loser.demand_ms):
        return []
    both = replace(limit, points=(*limit.points, *theirs[limit.cause].points))
    words = describe_demand(winner.name, loser.name, loser.demand_ms, winner.demand_ms)
    shared = ", which the load generator shared" if winner.is_local and loser.is_local else ""
    limited = BOTH.get(limit.cause, "both ran out of CPU")
    if "demand" in own[limit.cause].facts | theirs[limit.cause].facts:
        limited = "most of a request's time is CPU time of the database in both"
    return [_make_finding(both, loser, words=f"{limited}{shared}; {words}")]


def _compare_idle(winner: Watched, loser: Watched) -> list[FoundCause]:
    """Neither had a queue or a busy resource: then the rates are as the times that nobody waited in."""
    share = _explain(winner, loser, winner.alone_ms, loser.alone_ms)  # X = N/R, of clients none of whom queues
    limits = [
        next((limit for limit in find_limits(side) if limit.cause == "downstream"), None) for side in (winner, loser)
    ]
    if share is None or share < EXPLAINS or not (limits[0] and limits[1]):
        return []
    both = replace(limits[1], points=(*limits[1].points, *limits[0].points))
    times = (loser.alone_ms or 0, winner.alone_ms or 0)
    words = describe_demand(winner.name, loser.name, *times, WAITING)
    return [_make_finding(both, loser, share, f"{describe_limit(limits[1], loser.name)}; {words}")]


def _find_failures(loser: Watched) -> list[FoundCause]:
    doubts = [doubt for rule, doubt in loser.doubts.items() if rule.startswith("errors.") and doubt.sources]
    points = tuple(Evidence(doubts[0].text.rstrip("."), source) for source in doubts[0].sources[:1]) if doubts else ()
    words = describe_limit(Limit("errors", "likely", ()), loser.name)
    return [FoundCause("answers", loser.title, None, "likely", points, compose(words, "likely"))] if points else []


def _explain_one(side: Watched) -> Causes:
    """The first limit alone: what else was high is its effect as often as not."""
    limits = find_limits(side)[:1]
    if not limits:
        return _list_missing(side)
    return Causes(tuple(_add_falls(_make_finding(limit, side), side) for limit in limits))


def _add_falls(cause: FoundCause, side: Watched, other: Watched | None = None) -> FoundCause:
    """Memory that rose and fell on this side alone fits, and proves nothing: a cache that is emptied shows the same.

    What collects garbage in the thread that answers is only seen as CPU time of a request.
    """
    fits = FREES_MEMORY if other is None else (*FREES_MEMORY, *COLLECTS_UNSEEN)
    if cause.cause not in fits or not (falls := _find_own_falls(side, other)):
        return cause
    words = EVIDENCE["falls"](falls.program, falls.n, 100 * falls.share)
    return replace(cause, evidence=(*cause.evidence, Evidence(words, falls.source)))


def _find_own_falls(side: Watched, other: Watched | None) -> Falls | None:
    """Of the program that answers, where that of the other side shows none."""
    falls = side.falls.get(side.front.name) if side.front else None
    shared = other is not None and other.front is not None and other.front.name in other.falls
    return None if shared else falls


def _explain_levels(case: Case, levels: Sequence[tuple[float, Watched]], sweeps: Sequence[Sweep]) -> Causes:
    """What limits the highest level that was served, where more clients brought no more."""
    ordered = sorted(levels, key=lambda level: level[0])
    if len(ordered) < 2:
        return Causes()
    (_, before), (_, last) = ordered[-2:]
    if not before.rate or not last.rate or last.rate > FLAT * before.rate:
        return Causes()
    limits = find_limits(last)[:1] or _find_taken_workers(case, ordered) or _find_serial_section(last, sweeps)
    return Causes(tuple(_make_finding(limit, last) for limit in limits)) if limits else _list_missing(last)


def _find_taken_workers(case: Case, levels: Sequence[tuple[float, Watched]]) -> list[Limit]:
    """The limit of workers was raised along with the clients, and the rate stayed: they were all taken at each level."""
    noted = [
        (side, capacity) for _, side in levels for run in side.runs[:1] if (capacity := find_noted_capacity(case, run))
    ]
    if len(noted) < 2 or any(capacity.value > (side.clients or 0) for side, capacity in noted):
        return []
    points = tuple(
        point
        for side, capacity in noted[-2:]
        for point in (
            Point("limit", capacity.source, (capacity.name, capacity.value)),
            Point("rate", side.source_of("requests_per_second"), (side.rate or 0, side.clients or 0)),
        )
    )
    words = ", ".join(f"{capacity.name} {capacity.value}" for _, capacity in noted)
    return [Limit("workers", "possible", points, {"levels": words})]


def _find_serial_section(last: Watched, sweeps: Sequence[Sweep]) -> list[Limit]:
    """Gunther's sigma, from the fit of the sweep that the level is in; only where CPU was free it is a lock."""
    own = {run.id for run in last.runs}
    for sweep in sweeps:
        if not sweep.fit or not any(own & set(level.runs) for level in sweep.levels):
            continue
        low = sweep.fit.contention_interval.low if sweep.fit.contention_interval else None
        if last.idle is not None and last.idle >= 25 and low is not None and low > SERIAL_SHARE:
            point = Point("contention", sweep.levels[-1].sources[0], (sweep.fit.contention,))
            return [Limit("lock", "possible", (point,), {})]
    return []


def _make_finding(limit: Limit, side: Watched, share: float | None = None, words: str = "") -> FoundCause:
    evidence = tuple(Evidence(EVIDENCE[point.kind](*point.values), point.source) for point in limit.points)
    counted = None if share is None else round(100 * min(max(share, 0.0), 1.0))
    text = compose(words or describe_limit(limit, side.name), limit.certainty)
    return FoundCause(limit.cause, side.title, counted, limit.certainty, tuple(dict.fromkeys(evidence)), text)


def _list_missing(*sides: Watched) -> Causes:
    missing = []
    if any(side.is_short for side in sides):
        return Causes(unknown=describe_unknown(("length",), both=len(sides) > 1), missing=("length",))
    if any(side.busy is None for side in sides):
        missing.append("cpu")
    if not all(side.programs for side in sides):
        missing.append("processes")
    if not all(side.generating or side.generator.get("cpu_busy") for side in sides):
        missing.append("generator")
    if "cpu" not in missing:
        missing += ["shortest"] if any(side.shortest_ms is None for side in sides) else []
        missing += ["levels"]
        missing += ["collections"] if len(sides) > 1 and _find_own_falls(sides[1], sides[0]) else []
    names = tuple(missing)
    host = next((side.hostname for side in sides if side.hostname and side.hostname not in LOCAL), "")
    unseen = [side for side in sides if side.busy is None]
    unknown = describe_unknown(
        names,
        both=len(sides) > 1,
        of=unseen[0].name if len(unseen) == 1 < len(sides) else "",
        is_elsewhen=any(side.is_elsewhen for side in unseen),
    )
    return Causes(unknown=unknown, missing=names, command=_write_command(sides, host), host=host)


def _write_command(sides: Sequence[Watched], host: str) -> str:
    """What to type to record what is missing, in the order of the page."""
    sides = sorted(sides, key=lambda side: side.at)
    typed = [
        next((" ".join(command.split()) for command in map(write_command, side.runs) if command), "") for side in sides
    ]
    if not all(typed):
        return write_bd_command([("", next(filter(None, typed), "COMMAND"))], host=host)
    return write_bd_command([(side.name, words) for side, words in zip(sides, typed, strict=True)], host=host)


# --- two sides ----------------------------------------------------------------------------------------------------------
def _explain(winner: Watched, loser: Watched, less_ms: float | None, more_ms: float | None) -> float | None:
    """The part of the ratio of rates that such a ratio accounts for, of times of a request or of cores; of logs."""
    if not (less_ms and more_ms and winner.rate and loser.rate) or min(less_ms, more_ms) < 0:
        return None
    if not 0 < loser.rate < winner.rate:
        return None
    faster = math.log(winner.rate) - math.log(loser.rate)
    return (math.log(more_ms) - math.log(less_ms)) / faster if faster else None


def _separate(winner: Watched, loser: Watched) -> list[Limit]:
    """The limits of the loser that the winner did not have."""
    shared = {limit.cause for limit in find_limits(winner)}
    collects_more = loser.lost_to_collection >= winner.lost_to_collection + COLLECTING
    more = {"garbage_collection"} if collects_more else set()
    own: list[Limit] = []
    for limit in find_limits(loser):
        if limit.cause not in shared - more | {one.cause for one in own}:
            own.append(limit)
    # Where nobody knows what the winner had, only what a setting or a log says is the loser's alone.
    if loser.server and not winner.server:
        own = [limit for limit in own if limit.facts.keys() & {"setting", "reached"}]
    if any(limit.cause not in NOTHING_ELSE for limit in own):
        own = [limit for limit in own if limit.cause not in NOTHING_ELSE]
    return own


def _find_other_work(winner: Watched, loser: Watched) -> list[Limit]:
    """What was answered and how differs: then rates are about different work, whatever the machine did."""
    other_work = []
    kept = [{run.keepalive for run in side.runs} for side in (winner, loser)]
    if kept == [{True}, {False}]:
        points = tuple(
            Point("keepalive", side.source_of("keepalive_requests", "complete_requests"), (side.name,))
            for side in (winner, loser)
        )
        other_work.append(Limit("keepalive", "likely", points))
    other, own = winner.reply_bytes, loser.reply_bytes
    if other and own and max(other, own) >= 2 * min(other, own) and abs(own - other) > LONGER_BYTES:
        points = tuple(
            Point(
                "size",
                side.source_of("html_transferred_bytes", "total_transferred_bytes"),
                (side.name, side.reply_bytes or 0),
            )
            for side in (winner, loser)
        )
        other_work.append(Limit("answers", "likely" if own > other else "possible", points, {"ratio": own / other}))
    return other_work
