"""The headline of a comparison: who leads, by how much, how sure that is and what speaks against it.

Kinds and numbers only; headline_wording has the sentences. How it is decided:
  a side failed            that comes first, whatever its rate
  one thing over a range   a sweep: concurrency, the set rate, or a number that alone sets the configs' names apart
  unlike loads, machines   not comparable, unless the difference is what is compared
  the two best configs     the verdict on the leading metric, and what other metrics say against the leader
Each workload (configs under one load) is decided by itself; the strongest one leads. The best of several configs is tested
against the second best alone: K. Hung and W. Fithian, "Rank verification for exponential families", Annals of Statistics
47 (2019), show that this needs no further correction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from runs.analysis.adaptive import write_command
from runs.analysis.doubt_case import Case, list_incomparable
from runs.analysis.headline_against import (
    HELD_BACK,
    MEASURES,
    RATE,
    REQUEST,
    HeadlineData,
    Objection,
    RankedColumn,
    Rule,
    Unlike,
    find_objections,
    find_widest_spread,
    leads_by_median,
    make_failure_objection,
    pick_measure,
    score_column,
)
from runs.analysis.headline_differences import find_alike, find_short_answer, find_stops, find_unlike
from runs.analysis.headline_flaws import drop_repeats, find_contradictions, find_flaws, find_held_back, find_odd_runs
from runs.analysis.headline_outcome import (
    FEWEST,
    FEWEST_A_LEVEL,
    Headline,
    Next,
    NextStep,
    Outcome,
    advise,
    decide_outcome,
)
from runs.analysis.scalability_law import Sweep
from runs.analysis.scaling import Range, find_range
from runs.analysis.table import find_family_words, name_workload, strip_workload
from runs.analysis.verdict import Ground, Kind, Verdict

MOST_ALIKE = 12  # columns that are held against each other for those that had the same load


def find_headline(case: Case, data: HeadlineData, sweeps: Sequence[Sweep]) -> Headline:
    """The headline without its sentences (see headline_wording.write_headline)."""
    headline = [_decide_workload(data, workload) for workload in data.workloads]
    shares = {at: min(failure.weight, 1.0) for at, failure in data.failures.items() if failure.is_serious}
    swept = find_range(data.comparison, sweeps, data.out, shares, case.limit)
    return _make_sweep_headline(data, swept, headline) if swept else _combine_workloads(data, headline)


def _decide_workload(data: HeadlineData, block: Sequence[int]) -> Headline:
    """The columns of one load: those that failed, those that a doubt keeps out, and the others against each other."""
    columns, silent = data.comparison.columns, data.judgement.silent
    failing = [at for at in block if at in data.failures and data.failures[at].is_serious]
    rest = _compare_columns(data, [at for at in block if at not in failing and at not in silent])
    kept_out = [at for at in block if at in silent and at not in failing]
    dropped = tuple((columns[at].title, silent[at], data.failures.get(at)) for at in kept_out)
    rest = replace(rest, dropped=(*rest.dropped, *dropped), workload=name_workload(data.comparison, block))
    if dropped and rest.outcome in (Outcome.SINGLE, Outcome.NONE) and len(block) > 1 and not failing:
        step = _advise_on_dropped(data, block)
        if step.step == NextStep.ALIKE and len(block) == 2 and rest.sides:
            sides = (rest.sides[0], data.side(rest.metric, kept_out[0]))
            if unlike := tuple(find_stops(data, *sides)):
                rest = replace(rest, sides=sides, unlike=unlike, dropped=())
        return replace(rest, outcome=Outcome.NOT_COMPARABLE, next=step)
    if not failing:
        return rest
    bad = sorted((data.side(rest.metric, at) for at in failing), key=lambda side: -data.failures[side.at].weight)
    return Headline(
        outcome=Outcome.FAILED,
        next=Next(NextStep.FIX, about=bad[0].title),
        metric=rest.metric,
        winner=rest.winner or next(iter(rest.sides), None),
        loser=bad[0],
        against=tuple(make_failure_objection(side.title, side.failure) for side in bad if side.failure),
        sides=(*rest.sides, *bad),
        dropped=rest.dropped,
        workload=rest.workload,
        rest=rest if len(rest.sides) > 1 else None,
    )


def _advise_on_dropped(data: HeadlineData, block: Sequence[int]) -> Next:
    """Whether loads are to be made alike, or something else is wrong with a config."""
    differing = list_incomparable(data.doubts)
    dropped = [data.comparison.columns[at] for at in block if at in data.judgement.silent]
    wrong = next((column.title for column in dropped if column.config.id not in differing), None)
    return Next(NextStep.ALIKE) if wrong is None else Next(NextStep.MEND, about=wrong)


def _compare_columns(data: HeadlineData, ats: Sequence[int]) -> Headline:
    """Columns under one load, none of which failed: the best of them against the second best.

    Of a set rate, those that did not reach it stand behind those that did, which differ by their times.
    """
    missed = [at for at in ats if data.concerns(Rule.MISSED, [at])]
    reached = [at for at in ats if at not in missed]
    if missed and len(reached) > 1 and pick_measure(data, reached) != RATE:
        late = tuple((data.comparison.columns[at].title, "it did not reach the set rate", None) for at in missed)
        found = _compare_columns(data, reached)
        return replace(found, dropped=(*found.dropped, *late))
    key = pick_measure(data, ats)
    sides = [side for at in ats if (side := data.side(key, at)).value is not None]
    if not sides:
        return Headline(Outcome.NONE, Next(NextStep.LOAD), key)
    if len(sides) == 1:
        return Headline(Outcome.SINGLE, Next(NextStep.COMPARE), key, sides=tuple(sides))
    ranked = sorted(sides, key=lambda side: -score_column(data, key, side))
    columns = _compare_best_two(data, key, ranked)
    few = columns.outcome == Outcome.NOT_COMPARABLE and len(ranked) <= MOST_ALIKE
    if not few or not (alike := find_alike(data, ranked)):
        return columns
    left = [side for side in ranked if side not in alike]
    dropped = []
    for side in left:
        name = next(stop.name for one in alike for stop in find_stops(data, one, side))
        dropped.append((side.title, f"{name} differs", side.failure))
    return replace(_compare_best_two(data, key, alike), dropped=tuple(dropped))


def _compare_best_two(data: HeadlineData, key: str, ranked: Sequence[RankedColumn]) -> Headline:
    own, other = ranked[:2]
    verdict = data.verdicts_between(own.at, other.at)(key)
    if verdict is None or (verdict.ratio is None and verdict.void is None and verdict.kind == Kind.NONE):
        return _compare_unjudged(data, key, ranked)
    if (verdict.ratio or 1) != 1 and ((verdict.ratio or 1) > 1) != (MEASURES[key] > 0):
        own, other = other, own  # one run leads by the mean of all; the verdict rests on more than the mean
        verdict = data.verdicts_between(own.at, other.at)(key) or verdict
    differing = find_unlike(data, own.at, other.at)
    unlike = [difference for difference in differing if not difference.is_compared]
    stops = tuple(difference for difference in unlike if difference.stops)
    against = list_objections(data, key, own, other, verdict, unlike)
    outcome = Outcome.NOT_COMPARABLE if stops else decide_outcome(verdict, against)
    odd = find_odd_runs(data, (own, other))
    best_two = Headline(
        outcome=outcome,
        next=advise(outcome, verdict, against, odd),
        metric=key,
        spread=find_widest_spread(data, key, (own, other)),
        odd=odd,
        set_rate=_find_served_rate(data, own, other) if outcome == Outcome.SAME else 0,
        against=tuple(against),
        sides=(own, other, *ranked[2:]),
    )
    if odd[0] and outcome == Outcome.UNPROVEN and not leads_by_median(data, key, own, other):
        return best_two
    if short := find_short_answer(stops, own, other):
        best_two = replace(best_two, next=Next(NextStep.ANSWER, about=short[0]))
    machines = tuple(
        difference for difference in differing if difference.is_compared and difference.name in ("CPU", "cores")
    )
    base = _compare_with_base(data, key, own, other)
    return _add_verdict(data, replace(best_two, unlike=stops, machines=machines, base=base), verdict)


def _find_served_rate(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> float:
    """The rate in requests/s that was asked of both sides, and that both served; else 0."""
    served = [finding.facts["asked"] for _, finding in data.first_findings("load.set_rate", own, other)]
    return max(served) if len(served) == 2 else 0


def _compare_unjudged(data: HeadlineData, key: str, ranked: Sequence[RankedColumn]) -> Headline:
    """The best two where no verdict has a ratio of them, as where one served nothing."""
    own, other = ranked[:2]
    step = Next(NextStep.NOTHING) if other.value else Next(NextStep.FIX, about=other.title)
    against = find_contradictions(data, own, other)
    if against and against[0].config:
        step = Next(NextStep.CHECK, about=against[0].config)
    leader, second = (own, other) if own.value != other.value else (None, None)
    return Headline(Outcome.UNPROVEN, step, key, leader, second, against=tuple(against), sides=tuple(ranked))


def _add_verdict(data: HeadlineData, headline: Headline, verdict: Verdict) -> Headline:
    """With what the verdict on the first two sides says, and with the first as the winner where it leads."""
    own, other = headline.sides[:2]
    runs_of = [data.comparison.columns[side.at].runs for side in (own, other)]
    are_typed = all(any(map(write_command, runs)) for runs in runs_of)  # one line can run both in turn
    headline = replace(
        headline,
        next=replace(headline.next, by_turns=are_typed),
        most=verdict.most,
        within_step=verdict.ground == Ground.WITHIN_STEP,
        drift=verdict.ground == Ground.DRIFT,
    )
    if headline.outcome == Outcome.SAME or headline.unlike or abs((verdict.ratio or 2) - 1) < 0.0005:
        return headline
    p = verdict.p if verdict.p_adjusted is None else verdict.p_adjusted
    return replace(headline, winner=own, loser=other, ratio=verdict.ratio, low=verdict.low, high=verdict.high, p=p)


def find_confounder(data: HeadlineData, ahead: int, behind: int) -> str:
    """What else than the config could be all of a proven lead: a rule, or the name of what differs; "" for nothing."""
    for difference in find_unlike(data, ahead, behind):
        if difference.confounds and not difference.is_compared:
            return difference.name
    sides = data.side(RATE, ahead), data.side(RATE, behind)
    flaws = [*find_contradictions(data, *sides), *find_flaws(data, *sides)]
    return next((flaw.rule for flaw in flaws if flaw.explains_lead), "")


def find_doubtful(data: HeadlineData, ahead: int, behind: int) -> str:
    """The rule of what makes a lead of one column over another none; "" for nothing."""
    own, other = data.side(RATE, ahead), data.side(RATE, behind)
    if any(objection.config for objection in find_contradictions(data, own, other)):
        return Rule.IMPOSSIBLE
    return next((objection.rule for objection in find_held_back(data, own, other) if objection.serious), "")


def list_objections(
    data: HeadlineData,
    key: str,
    own: RankedColumn,
    other: RankedColumn,
    verdict: Verdict,
    unlike: Sequence[Unlike],
) -> list[Objection]:
    """All that speaks against a leader or, of two that are alike, against either: what could be all of the lead first.

    unlike: what differs and is not compared; where that stops the comparison, nothing else counts
    """
    differing = [
        Objection(
            "differs", own.title, one.name, one.unit, one.own, one.other, serious=one.confounds, source=one.source
        )
        for one in unlike
    ]
    if any(one.stops for one in unlike):
        return differing
    better = find_objections(data, key, own, other, data.verdicts_between(own.at, other.at))
    if verdict.kind == Kind.SAME:
        better += find_objections(data, key, other, own, data.verdicts_between(other.at, own.at))
    wrong, flaws = find_contradictions(data, own, other), drop_repeats(find_flaws(data, own, other), unlike)
    return sorted([*better, *differing, *flaws, *wrong], key=_weigh)


def _weigh(objection: Objection) -> int:
    """The less, the more it weighs: figures that cannot be true, what held a side back, failures, what else could be all of it."""
    if objection.rule == Rule.IMPOSSIBLE and objection.config:
        return 0
    if objection.rule == Rule.MISSED:
        return 2
    if not objection.serious:
        return 5
    return (
        1 if objection.rule in HELD_BACK else 2 if objection.rule == "failures" else 3 if objection.explains_lead else 4
    )


def _compare_with_base(
    data: HeadlineData, key: str, own: RankedColumn, other: RankedColumn
) -> tuple[RankedColumn, float, Kind] | None:
    base = data.judgement.bases[own.at]
    verdict = data.judgement.of(key, own.at)
    if key != RATE or base in (own.at, other.at) or verdict is None or (verdict.ratio or 0) <= 1:
        return None
    return data.side(key, base), verdict.ratio or 1.0, verdict.kind


def _combine_workloads(data: HeadlineData, headlines: Sequence[Headline]) -> Headline:
    """The strongest workload leads, of those with many configs; another one that says the opposite makes it a trade-off."""
    if not headlines:
        return Headline(Outcome.NONE, Next(NextStep.LOAD))
    if len(headlines) > 1 and all(headline.outcome == Outcome.SINGLE for headline in headlines):
        return _combine_single_configs(data, headlines)
    most = max(len(headline.sides) for headline in headlines)

    def rank(headline: Headline) -> tuple[int, bool, float]:
        is_small = 2 * len(headline.sides) < most  # three configs of fifteen
        failure = headline.loser.failure if headline.loser and headline.outcome == Outcome.FAILED else None
        strength = failure.weight if failure else abs(math.log(headline.ratio or 1))
        return list(Outcome).index(headline.outcome), is_small, -strength

    ordered = sorted(headlines, key=rank)
    first, *others = [
        headline for headline in ordered if headline.outcome not in (Outcome.SINGLE, Outcome.NONE)
    ] or ordered[:1]
    if not others or first.winner is None or first.outcome not in (Outcome.BETTER, Outcome.LIKELY, Outcome.TRADE_OFF):
        return replace(first, others=tuple(others))
    family, families = _find_families(first)
    opposite = []
    for headline in others:
        if headline.winner and headline.outcome in (Outcome.BETTER, Outcome.LIKELY, Outcome.TRADE_OFF):
            leading, theirs = _find_families(headline)
            # Where neither leader takes part in the other workload, they do not contradict each other.
            if leading != family and (leading and leading in families or family and family in theirs):
                names = headline.winner.title, headline.workload
                opposite.append(Objection("workload", *names, "", None, None, headline.ratio, serious=True))
    outcome = Outcome.TRADE_OFF if opposite and first.outcome == Outcome.BETTER else first.outcome
    step = Next(NextStep.CHOOSE) if outcome == Outcome.TRADE_OFF else first.next
    return replace(first, outcome=outcome, next=step, against=(*first.against, *opposite), others=tuple(others))


def _find_families(headline: Headline) -> tuple[frozenset[str], list[frozenset[str]]]:
    """(the words that set the winner apart, those of each side)."""
    titles = [side.title for side in headline.sides]
    winner = headline.winner.title if headline.winner else ""
    return find_family_words(winner, titles), [find_family_words(title, titles) for title in titles]


def _combine_single_configs(data: HeadlineData, headlines: Sequence[Headline]) -> Headline:
    """Several configs or requests, each of which stands alone: what was asked of them is unlike."""
    sides = tuple(side for headline in headlines for side in headline.sides)
    asked = [data.comparison.columns[side.at].method.path or side.title for side in sides]
    own, other = asked[0], next((each for each in asked if each != asked[0]), sides[1].title)
    unlike = (Unlike(REQUEST, own, other, "", stops=True),)
    step = Next(NextStep.COMPARE)
    return replace(headlines[0], outcome=Outcome.NOT_COMPARABLE, next=step, sides=sides, unlike=unlike, workload="")


def _make_sweep_headline(data: HeadlineData, swept: Range, headlines: Sequence[Headline]) -> Headline:
    """One thing over a range; of several configs the one that leads at each level is the winner."""
    once = min((point.n for point in swept.points if point.n), default=1) == 1
    odd, about = find_odd_runs(data, [data.side(RATE, point.at) for point in swept.points])
    if data.concerns(Rule.GENERATOR, range(len(data.comparison.columns))):
        step = Next(NextStep.GENERATOR)
    elif failing := [point for point in swept.points if point.config not in {one.config for one in swept.sound}]:
        step = Next(NextStep.FIX, about=failing[0].config or data.comparison.columns[failing[0].at].title)
    elif odd and swept.limit is None:
        step = Next(NextStep.WARM, FEWEST) if odd == "cold" else Next(NextStep.OUTLIER, about=about)
    else:
        step = Next(NextStep.LEVELS, FEWEST_A_LEVEL if once else 0)
    swept = replace(swept, workloads=_split_sweep(data, swept))
    parts = [_conclude_part(name, part, headlines) for name, part in swept.workloads]
    parts.sort(key=lambda headline: (headline.winner is None, -(headline.ratio or 0)))
    if not parts or parts[0].winner is None:
        return Headline(Outcome.SWEEP, step, RATE, sweep=swept)
    best, *others = parts
    listed = {headline.winner.at for headline in parts if headline.winner}
    others += [headline for headline in _list_led(headlines) if headline.winner and headline.winner.at not in listed]
    return replace(best, outcome=Outcome.SWEEP, next=step, sweep=swept, others=tuple(others))


def _split_sweep(data: HeadlineData, swept: Range) -> tuple[tuple[str, Range], ...]:
    """(workload, its part of the sweep) of the configs that compete."""
    parts = []
    for points in swept.split_by_workload(data.workloads):
        name = name_workload(data.comparison, [point.at for point in points])
        named = (replace(point, config=strip_workload(point.config, name)) for point in points)
        parts.append((name, replace(swept, points=tuple(named))))
    return tuple(part for part in parts if len(part[1].series) > 1)


def _list_led(headlines: Sequence[Headline]) -> list[Headline]:
    return [headline for headline in headlines if headline.winner and headline.metric == RATE]


def _conclude_part(workload: str, part: Range, headlines: Sequence[Headline]) -> Headline:
    """The level at which a config leads by most, where it leads at each of the workload; else a headline without a winner."""
    names_at = {point.at: point.config for point in part.points}
    led = [headline for headline in _list_led(headlines) if headline.winner and headline.winner.at in names_at]
    leads = {names_at[headline.winner.at] for headline in led if headline.winner}
    if len(leads) != 1 or len(led) < 2 or {*part.leaders.values()} - leads:
        part = replace(part, workloads=(("", part),))
        return Headline(Outcome.SWEEP, Next(NextStep.NOTHING), RATE, workload=workload, sweep=part)
    best = max(led, key=lambda headline: headline.ratio or 0)  # "by up to"
    winner, loser = (
        side and replace(side, title=names_at.get(side.at, side.title)) for side in (best.winner, best.loser)
    )
    return replace(best, winner=winner, loser=loser, workload=workload, sweep=part)
