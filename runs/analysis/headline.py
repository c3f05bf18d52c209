"""The headline of a comparison: who leads, by how much, how sure that is and what speaks against it.

Kinds and numbers only; headline_wording has the sentences. How it is decided:
  a side failed            that comes first, whatever its rate
  one thing over a range   a sweep: concurrency, or a number that alone sets the configs' names apart
  unlike loads, machines   not comparable, unless the difference is what is compared
  the two best configs     the verdict on the leading metric, and what other metrics say against the leader
Each workload (configs under one load) is decided by itself; the strongest one leads. The best of several configs is tested
against the second best alone: K. Hung and W. Fithian, "Rank verification for exponential families", Annals of Statistics
47 (2019), show that this needs no further correction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from runs.analysis.doubt_case import Case
from runs.analysis.doubts import Doubt, list_excluded, list_incomparable
from runs.analysis.headline_against import (
    GENERATOR,
    IMPOSSIBLE,
    RATE,
    REQUEST,
    Failure,
    Objection,
    Page,
    Side,
    find_contradictions,
    find_failures,
    find_flaws,
    find_objections,
)
from runs.analysis.headline_unlike import DAY, Unlike, find_unlike
from runs.analysis.scalability_law import Sweep
from runs.analysis.scaling import Range, find_range
from runs.analysis.table import Comparison, find_family, find_workloads, name_workload
from runs.analysis.verdict import GAINS, LOSSES, Ground, Judgement, Kind, Verdict, Void


class Outcome(StrEnum):
    """Of several workloads the one whose outcome comes first leads."""

    FAILED = "failed"
    TRADE_OFF = "trade_off"  # proven, and another metric that matters proves or shows the opposite
    BETTER = "better"  # proven, nothing serious against it
    LIKELY = "likely"
    NOT_COMPARABLE = "not_comparable"
    UNPROVEN = "unproven"
    SAME = "same"
    SINGLE = "single"
    NONE = "none"
    SWEEP = "sweep"


class Step(StrEnum):
    """What to do next."""

    NOTHING = "nothing"
    REPEAT = "repeat"
    OUTLIER = "outlier"  # find out about one run that is far off
    WARM = "warm"  # leave the cold first runs out
    LONGER = "longer"  # runs too short to say much
    CHECK = "check"  # figures of one report contradict each other
    STEADY = "steady"  # more repeats than anybody makes: make the runs vary less first
    GENERATOR = "generator"  # it was at its limit, so that repeats would only measure it again
    FIX = "fix"  # find out why requests failed
    ALIKE = "alike"  # load both alike
    MEND = "mend"  # what keeps a config from counting, other than an unlike load
    CHOOSE = "choose"  # decide which metric matters
    LEVELS = "levels"  # repeat the levels of a sweep
    COMPARE = "compare"  # there is one config only
    LOAD = "load"  # there is no load test


@dataclass(frozen=True, slots=True)
class Next:
    """`runs`: of each side in a new set, decided beforehand; 0: none are advised. `by_turns`: the command of each is known."""

    step: Step
    runs: int = 0
    about: str = ""
    text: str = ""
    by_turns: bool = False


@dataclass(frozen=True, slots=True)
class Headline:
    """`sides` of one workload, the best first; `ratio` of the winner's metric to the loser's, low to high at 95 %.

    spread   the most that runs of one config differ by, as a ratio
    most     runs a side that were to be made at most, of a test after each round; 0: it was none
    odd      ("outlier" or "cold", config): single runs that are far off the others
    drift    each side's runs follow each other, and a trend within them could explain the difference
    unlike   what keeps the two from being compared
    machines in what their machines differ, where those are what is compared
    dropped  (title, why) of columns that a doubt keeps out
    rest     the sides that did not fail, compared; `others`: the other workloads
    base     the baseline's side and the best one's ratio to it, where the baseline is neither of the best two
    """

    outcome: Outcome
    next: Next
    metric: str = "requests_per_second"
    winner: Side | None = None
    loser: Side | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    spread: float | None = None
    within_step: bool = False
    drift: bool = False
    most: int = 0
    odd: tuple[str, str] = ("", "")
    against: tuple[Objection, ...] = ()
    sides: tuple[Side, ...] = ()
    unlike: tuple[Unlike, ...] = ()
    machines: tuple[Unlike, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    workload: str = ""
    base: tuple[Side, float, Kind] | None = None
    rest: Headline | None = None
    others: tuple[Headline, ...] = ()
    sweep: Range | None = None
    sentence: str = ""

    @property
    def failing(self) -> list[Side]:
        """The sides of all workloads of which too much failed."""
        return [side for one in (self, *self.others) for side in one.sides if side.failure and side.failure.is_serious]

    @property
    def change_pct(self) -> float | None:
        return _in_per_cent(self.ratio)

    @property
    def low_pct(self) -> float | None:
        return _in_per_cent(self.low)

    @property
    def high_pct(self) -> float | None:
        return _in_per_cent(self.high)


def _in_per_cent(ratio: float | None) -> float | None:
    return None if ratio is None else (ratio - 1) * 100


# The leading metric is the first that two sides have; of load at a set rate the times lead, as the rate was given.
MEASURES = {RATE: 1, "mean_ms": -1, "p50_ms": -1}
NEAR = 1.02  # of rates that were set: all alike
ADVISED_S = 10  # how long a run is to be at least, where they were too short
FEWEST = 4  # repeats to advise where nothing is known of their spread
FEWEST_A_LEVEL = 3
MOST_ADVISED = 20  # more repeats than that are not the way


def find_headline(
    case: Case,
    comparison: Comparison,
    judgement: Judgement,
    doubts: Sequence[Doubt],
    directives: Sequence[str],
    sweeps: Sequence[Sweep],
) -> Headline:
    """The headline without its sentences (see headline_wording.write_headline). directives: those in which the configs differ."""
    failures = find_failures(comparison, doubts)
    workloads = find_workloads(comparison)
    page = Page(comparison, judgement, doubts, directives, case.hosts, list_excluded(doubts), failures, workloads)
    found = [_decide_workload(page, workload) for workload in workloads]
    shares = {at: min(one.weight, 1.0) for at, one in failures.items() if one.is_serious}
    swept = find_range(comparison, sweeps, page.out, shares, case.limit)
    return _head_sweep(page, swept, found) if swept else _combine(page, found)


def _decide_workload(page: Page, block: Sequence[int]) -> Headline:
    """The columns of one load: those that failed, those that a doubt keeps out, and the others against each other."""
    columns, silent = page.comparison.columns, page.judgement.silent
    failing = [at for at in block if at in page.failures and page.failures[at].is_serious]
    rest = _compare(page, [at for at in block if at not in failing and at not in silent])
    dropped = tuple((columns[at].title, silent[at]) for at in block if at in silent and at not in failing)
    rest = replace(rest, dropped=dropped, workload=name_workload(columns, block))
    if dropped and rest.outcome in (Outcome.SINGLE, Outcome.NONE) and len(block) > 1 and not failing:
        return replace(rest, outcome=Outcome.NOT_COMPARABLE, next=_advise_on_dropped(page, block))
    if not failing:
        return rest
    bad = sorted((page.side(rest.metric, at) for at in failing), key=lambda side: -page.failures[side.at].weight)
    return Headline(
        outcome=Outcome.FAILED,
        next=Next(Step.FIX, about=bad[0].title),
        metric=rest.metric,
        winner=rest.winner or next(iter(rest.sides), None),
        loser=bad[0],
        against=tuple(_say_failure(side.title, side.failure) for side in bad if side.failure),
        sides=(*rest.sides, *bad),
        dropped=dropped,
        workload=rest.workload,
        rest=rest if len(rest.sides) > 1 else None,
    )


def _advise_on_dropped(page: Page, block: Sequence[int]) -> Next:
    """Whether loads are to be made alike, or something else is wrong with a config."""
    differing = list_incomparable(page.doubts)
    dropped = [page.comparison.columns[at] for at in block if at in page.judgement.silent]
    wrong = next((column.title for column in dropped if column.config.id not in differing), None)
    return Next(Step.ALIKE) if wrong is None else Next(Step.MEND, about=wrong)


def _say_failure(title: str, failure: Failure) -> Objection:
    share = None if failure.share is None else 100 * failure.share
    return Objection("failures", title, failure.rule, "%", share, serious=True, source=failure.source)


def _compare(page: Page, ats: Sequence[int]) -> Headline:
    """Columns under one load, none of which failed: the best of them against the second best."""
    key = _pick_measure(page, ats)
    sides = [side for at in ats if (side := page.side(key, at)).value is not None]
    if not sides:
        return Headline(Outcome.NONE, Next(Step.LOAD), key)
    if len(sides) == 1:
        return Headline(Outcome.SINGLE, Next(Step.COMPARE), key, sides=tuple(sides))
    return _compare_two(page, key, sorted(sides, key=lambda side: -_score(page, key, side)))


def _pick_measure(page: Page, ats: Sequence[int]) -> str:
    have = {key: sum(bool(page.figures(key, at)) for at in ats) for key in MEASURES}
    rates = [one.value for at in ats for one in page.figures(RATE, at)]
    was_set = {run for doubt in page.concerns("load.set_rate", ats) for run in doubt.runs}
    runs = {run.id for at in ats for run in page.comparison.columns[at].runs}
    if rates and runs <= was_set and min(rates) > 0 and max(rates) < NEAR * min(rates) and have["mean_ms"] > 1:
        return "mean_ms"
    return next((key for key in MEASURES if have[key] == len(ats) > 1), max(have, key=lambda key: have[key]))


def _score(page: Page, key: str, side: Side) -> float:
    """How good a side is beside the others of its block: by its verdict's ratio, as the table has it, or by its mean."""
    verdict = page.judgement.of(key, side.at)
    value = side.value or 0.0
    if verdict and verdict.ratio:
        value = verdict.ratio * (page.side(key, page.judgement.bases[side.at]).value or 0.0)
    return value if MEASURES[key] > 0 else -value


def _compare_two(page: Page, key: str, ranked: Sequence[Side]) -> Headline:
    own, other = ranked[:2]
    verdict_of = page.verdicts_between(own.at, other.at)
    verdict = verdict_of(key)
    if verdict is None or (verdict.ratio is None and verdict.void is None and verdict.kind == Kind.NONE):
        step = Next(Step.NOTHING) if other.value else Next(Step.FIX, about=other.title)
        leader, second = (own, other) if own.value != other.value else (None, None)
        against = find_contradictions(page, own, other)
        step = Next(Step.CHECK, about=against[0].config) if against and against[0].config else step
        return Headline(Outcome.UNPROVEN, step, key, leader, second, against=tuple(against), sides=tuple(ranked))
    if (verdict.ratio or 1) != 1 and ((verdict.ratio or 1) > 1) != (MEASURES[key] > 0):
        own, other = other, own  # the mean of all is led by one run; the verdict goes by more
        verdict_of = page.verdicts_between(own.at, other.at)
        verdict = verdict_of(key) or verdict
    differing = find_unlike(page, own.at, other.at)
    unlike = [one for one in differing if not one.is_compared]
    stops = tuple(one for one in unlike if one.stops)
    against = [
        Objection("differs", own.title, one.name, one.unit, one.own, one.other, source=one.source) for one in unlike
    ]
    if not stops:
        better = find_objections(page, key, own, other, verdict_of)
        if verdict.kind == Kind.SAME:  # what speaks against either
            better += find_objections(page, key, other, own, page.verdicts_between(other.at, own.at))
        wrong = find_contradictions(page, own, other)
        flaws = find_flaws(page, own, other)
        first = [one for one in wrong if one.config] + [one for one in flaws if one.rule == GENERATOR and one.serious]
        against = [*first, *better, *against, *(one for one in [*flaws, *wrong] if one not in first)]
    outcome = Outcome.NOT_COMPARABLE if stops else _decide(verdict, against)
    odd = _find_odd(page, (own, other))
    if odd[0] and outcome == Outcome.UNPROVEN and not _leads_by_median(page, key, own, other):
        step = _advise(outcome, verdict, against, odd)
        sides, spread = (own, other, *ranked[2:]), _spread(page, key, (own, other))
        return Headline(outcome, step, key, odd=odd, spread=spread, against=tuple(against), sides=sides)
    columns = (page.comparison.columns[side.at] for side in (own, other))
    are_typed = all(
        any(run.whole_command for run in column.runs) for column in columns
    )  # one line can run both in turn
    leads = outcome != Outcome.SAME and not stops and abs((verdict.ratio or 2) - 1) >= 0.0005
    return Headline(
        outcome=outcome,
        next=replace(_advise(outcome, verdict, against, odd), by_turns=are_typed),
        most=verdict.most,
        odd=odd,
        metric=key,
        winner=own if leads else None,
        loser=other if leads else None,
        ratio=verdict.ratio if leads else None,
        low=verdict.low if leads else None,
        high=verdict.high if leads else None,
        p=(verdict.p if verdict.p_adjusted is None else verdict.p_adjusted) if leads else None,
        spread=_spread(page, key, (own, other)),
        within_step=verdict.ground == Ground.WITHIN_STEP,
        drift=verdict.ground == Ground.DRIFT,
        against=tuple(against),
        sides=(own, other, *ranked[2:]),
        unlike=stops,
        machines=tuple(one for one in differing if one.is_compared and one.name in ("CPU", "cores")),
        base=_compare_with_base(page, key, own, other),
    )


def _leads_by_median(page: Page, key: str, own: Side, other: Side) -> bool:
    """Whether the leader by the mean leads by the median, too: else one odd run decides."""
    mine, its = (median(one.value for one in page.figures(key, side.at)) for side in (own, other))
    return (mine > its) == (MEASURES[key] > 0)


def _decide(verdict: Verdict, against: Sequence[Objection]) -> Outcome:
    serious = any(one.serious for one in against)
    if any(one.rule == IMPOSSIBLE and one.config for one in against):
        return Outcome.UNPROVEN
    if verdict.void in (Void.GAIN_BY_FAILURES, Void.LOSS_BY_FAILURES):
        return Outcome.TRADE_OFF
    if verdict.kind == Kind.SAME:
        return Outcome.SAME
    if any(one.rule == GENERATOR and one.serious for one in against):
        return Outcome.UNPROVEN
    if verdict.kind in (Kind.BETTER, Kind.WORSE):
        return Outcome.TRADE_OFF if serious else Outcome.BETTER
    return Outcome.LIKELY if verdict.kind in (*GAINS, *LOSSES) else Outcome.UNPROVEN


def _find_odd(page: Page, sides: Sequence[Side]) -> tuple[str, str]:
    """Whether one repeat of any is far off, or the first of any looks cold."""
    for rule, what in (("warmth.first", "cold"), ("repeats.outlier", "outlier")):
        for side in sides:
            if page.concerns(rule, [side.at]):
                return what, side.title
    return "", ""


def _advise(outcome: Outcome, verdict: Verdict, against: Sequence[Objection], odd: tuple[str, str]) -> Next:
    if outcome == Outcome.NOT_COMPARABLE:
        return Next(Step.ALIKE, about=against[0].label if len(against) == 1 else "")
    rules = {one.rule: one.config for one in against}
    if rules.get(IMPOSSIBLE):
        return Next(Step.CHECK, about=rules[IMPOSSIBLE])
    if GENERATOR in rules:
        return Next(Step.GENERATOR)
    if "length.seconds" in rules:
        return Next(Step.LONGER, max(FEWEST, verdict.fewest))
    if outcome == Outcome.TRADE_OFF or (outcome == Outcome.SAME and any(one.serious for one in against)):
        return Next(Step.CHOOSE)
    if outcome == Outcome.BETTER and any(one.label == DAY for one in against):
        return Next(Step.ALIKE, about=DAY)
    if outcome in (Outcome.BETTER, Outcome.SAME) or verdict.ground == Ground.WITHIN_STEP:
        return Next(Step.NOTHING)
    if odd[0] == "outlier":
        return Next(Step.OUTLIER, about=odd[1])
    if odd[0] == "cold":
        return Next(Step.WARM, max(verdict.fewest - 1 + FEWEST_A_LEVEL, FEWEST))
    if verdict.needed and verdict.needed > MOST_ADVISED and verdict.fewest > 1:
        return Next(Step.STEADY)
    if verdict.fewest == 1:  # whose own spread nobody knows: a few repeats show it
        return Next(Step.REPEAT, max(verdict.needed or 0, FEWEST) if (verdict.needed or 0) <= MOST_ADVISED else FEWEST)
    return Next(Step.REPEAT, max(verdict.needed or 0, verdict.fewest + 2, FEWEST))


def _spread(page: Page, key: str, sides: Sequence[Side]) -> float | None:
    values = [[one.value for one in page.figures(key, side.at)] for side in sides]
    return max((max(own) / min(own) for own in values if len(own) > 1 and min(own) > 0), default=None)


def _compare_with_base(page: Page, key: str, own: Side, other: Side) -> tuple[Side, float, Kind] | None:
    base = page.judgement.bases[own.at]
    verdict = page.judgement.of(key, own.at)
    if base in (own.at, other.at) or verdict is None or verdict.ratio is None:
        return None
    return page.side(key, base), verdict.ratio, verdict.kind


def _combine(page: Page, found: Sequence[Headline]) -> Headline:
    """The strongest workload leads; another one that says the opposite makes it a trade-off."""
    if not found:
        return Headline(Outcome.NONE, Next(Step.LOAD))
    if len(found) > 1 and all(one.outcome == Outcome.SINGLE for one in found):
        return _set_apart(page, found)
    ordered = sorted(found, key=lambda one: (list(Outcome).index(one.outcome), -abs(math.log(one.ratio or 1))))
    first, *others = [one for one in ordered if one.outcome not in (Outcome.SINGLE, Outcome.NONE)] or ordered[:1]
    if not others or first.winner is None or first.outcome not in (Outcome.BETTER, Outcome.LIKELY, Outcome.TRADE_OFF):
        return replace(first, others=tuple(others))
    family = find_family(first.winner.title, [side.title for side in first.sides])
    opposite = [
        Objection("workload", one.winner.title, one.workload, "", None, None, one.ratio, serious=True)
        for one in others
        if one.winner and one.outcome in (Outcome.BETTER, Outcome.LIKELY, Outcome.TRADE_OFF)
        if find_family(one.winner.title, [side.title for side in one.sides]) != family
    ]
    outcome = Outcome.TRADE_OFF if opposite and first.outcome == Outcome.BETTER else first.outcome
    step = Next(Step.CHOOSE) if outcome == Outcome.TRADE_OFF else first.next
    return replace(first, outcome=outcome, next=step, against=(*first.against, *opposite), others=tuple(others))


def _set_apart(page: Page, found: Sequence[Headline]) -> Headline:
    """Several configs or requests, each of which stands alone: what was asked of them is unlike."""
    sides = tuple(side for one in found for side in one.sides)
    asked = [page.comparison.columns[side.at].method.path or side.title for side in sides]
    own, other = asked[0], next((each for each in asked if each != asked[0]), sides[1].title)
    unlike = (Unlike(REQUEST, own, other, "", stops=True),)
    step = Next(Step.COMPARE)
    return replace(found[0], outcome=Outcome.NOT_COMPARABLE, next=step, sides=sides, unlike=unlike, workload="")


def _head_sweep(page: Page, swept: Range, found: Sequence[Headline]) -> Headline:
    """One thing over a range; of several configs the one that leads at each level is the winner."""
    once = min((point.n for point in swept.points if point.n), default=1) == 1
    odd, about = _find_odd(page, [page.side(RATE, point.at) for point in swept.points])
    if page.concerns(GENERATOR, range(len(page.comparison.columns))):
        step = Next(Step.GENERATOR)
    elif failing := [point for point in swept.points if point.config not in {one.config for one in swept.sound}]:
        step = Next(Step.FIX, about=failing[0].config or page.comparison.columns[failing[0].at].title)
    elif odd and swept.limit is None:
        step = Next(Step.WARM, FEWEST) if odd == "cold" else Next(Step.OUTLIER, about=about)
    else:
        step = Next(Step.LEVELS, FEWEST_A_LEVEL if once else 0)
    led = [one for one in found if one.winner and one.metric == RATE]
    names_at = {point.at: point.config for point in swept.points}
    leads = {names_at.get(one.winner.at) for one in led if one.winner}
    if len({*names_at.values()}) < 2 or len(leads) != 1 or len(led) < 2 or swept.leaders - leads:
        return Headline(Outcome.SWEEP, step, RATE, sweep=swept)
    best = max(led, key=lambda one: one.ratio or 0)  # "by up to"
    others = tuple(one for one in led if one is not best)
    named = (side and replace(side, title=names_at.get(side.at, side.title)) for side in (best.winner, best.loser))
    winner, loser = named
    return replace(best, outcome=Outcome.SWEEP, next=step, sweep=swept, others=others, winner=winner, loser=loser)
