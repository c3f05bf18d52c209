"""The sentences of a headline: who leads and by how much, what speaks against it, and what to do next.

An effect is said in per cent up to twice as much, then in times, as everywhere on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runs.analysis.doubt_differences import CACHED, CONDITION, DAY, MACHINE, PROPERTIES
from runs.analysis.headline_against import RATE, REQUEST, Objection, RankedColumn, Rule
from runs.analysis.headline_differences import STOLEN
from runs.analysis.headline_lead import (
    CONTRADICTION,
    FULL,
    ONE_RUN,
    TOO_LITTLE,
    choose_verb,
    count_runs,
    find_outweighing,
    has_single_run,
    is_confounded,
    list_weighty,
    name_unit,
    quote_name,
    say_difference,
    say_effect,
    say_how_sure,
    say_ratio,
    say_under_unlike,
    why_unproven,
)
from runs.analysis.headline_outcome import ADVICE, ADVISED_S, FINER_STEPS, LABELS, Headline, Next, NextStep, Outcome
from runs.analysis.objection_wording import (
    as_number,
    describe_dropped,
    describe_failure,
    describe_objection,
    say_against,
    shorten,
)
from runs.analysis.scaling import Range
from runs.analysis.summary_wording import (
    advise_levels,
    describe_leaders,
    describe_levels,
    say_on,
    say_runs_a_level,
    say_where,
)
from runs.analysis.table import strip_workload
from runs.analysis.verdict import Kind
from runs.numbers import capitalize, figure, join_words, name_first, percent, share_words, spread_words

NOTHING = "No run here says how many requests it served per second, or how long one took."
BEFORE_DOUBT = {ONE_RUN: "; ", TOO_LITTLE: ", "}  # of others: ", but "
MOST_OTHERS = 3
FEWEST_NAMED, LEADS = 3, (Outcome.BETTER, Outcome.LIKELY)  # of workloads on which one config leads
MOST_AGAINST = 2
ADVICE_ON = {  # of ALIKE and GENERATOR: the only thing that differs, or what held a side back
    Rule.MISSED: "Set a rate that both reach to compare their times, or none to compare what they serve: at a rate that is missed, "
    "requests wait in a queue that grows until the end.",
    Rule.PORTS: "Keep connections open (keep-alive) or load from more addresses: a client without free ports measures itself.",
    Rule.IDLE: "To learn how much each can serve, load without pauses: these rates are mostly the clients'.",
    Rule.NETWORK: "Load over a faster network first: repeats over a full one measure it.",
    CONDITION: "Set both up alike but for what is compared, then run them again, in turn.",
    DAY: "Run both again on one day, in turn: much else may have changed on the machine between the two.",
    Rule.OTHERS: "Run both again, in turn, while nothing else runs on the machine.",
    Rule.NOT_AS_NAMED: "Load each config in the way that its name says, then compare.",
    Rule.SHOWN_STATUS: "Look at what both answer (curl -i) before rates are compared.",
    Rule.LOG: "Raise that limit of the machine or free its memory, then run both again, in turn.",
    Rule.IMPOSSIBLE: "Look at the reports of both before more runs are made: their figures cannot all be true.",
    Rule.DISTURBED: "Run both again, in turn, without what slowed one of them.",
    Rule.TOLD: "See which is right before more runs are made: the names above the reports, or the text's own figures.",
    Rule.BEFOREHAND: "Begin the runs of both alike, each after one warm-up run, and run them again, in turn.",
    Rule.CLAIMED: "See which is right before more runs are made: the names above the reports, or what the text says of them.",
    Rule.PICKED: "Compare all runs of either side, or the median of as many runs of each.",
    Rule.THROTTLED: "Give both the same CPU time, or none of them a limit, then run both again, in turn.",
    Rule.STEAL: "Run both again, in turn, on a machine whose CPU time is its own, or when others leave it.",
    STOLEN: "Run both again, in turn, on a machine whose CPU time is its own, or when others leave it.",
}
FOLLOWS: dict[str, str] = {
    Rule.IMPOSSIBLE: "",
    Rule.NOT_AS_NAMED: ", against its name,",
    Rule.TOLD: ", which reverses their order,",
    Rule.CLAIMED: ", against its reports,",
}
OF_MACHINES = {prop.name for prop in MACHINE}


def write_headline(headline: Headline) -> Headline:
    """The headline with its sentence, the words of what speaks against it, and what to do next."""
    against = tuple(
        replace(objection, text=describe_objection(objection), in_sentence=_is_in_sentence(headline, objection, at))
        for at, objection in enumerate(headline.against)
    )
    step = replace(headline.next, text=_write_advice(headline.next, headline))
    headline = replace(headline, against=against, next=step)
    dropped = "" if headline.outcome == Outcome.NOT_COMPARABLE else _say_dropped(headline)
    return replace(headline, sentence=" ".join(filter(None, (_write_sentence(headline), dropped))))


def _is_in_sentence(headline: Headline, objection: Objection, at: int) -> bool:
    if headline.outcome == Outcome.FAILED:
        return at < MOST_OTHERS
    if headline.outcome == Outcome.NOT_COMPARABLE:
        return objection.label in [unlike.name for unlike in headline.unlike]
    says_against = headline.winner is not None or headline.outcome == Outcome.SAME
    return headline.sweep is None and says_against and (at < MOST_AGAINST or objection.rule == "workload")


def _write_sentence(headline: Headline) -> str:
    if headline.sweep:
        return _say_sweep(headline, headline.sweep)
    write = {
        Outcome.FAILED: _say_failed,
        Outcome.NOT_COMPARABLE: _say_not_comparable,
        Outcome.SAME: _describe_tie,
        Outcome.SINGLE: _say_single,
    }.get(headline.outcome, _say_leader)
    sentence = NOTHING if headline.outcome == Outcome.NONE else write(headline)
    more = len(headline.others) - MOST_OTHERS
    rest = [f"{more} more workloads stand in the table."] if more > 0 else []
    return " ".join([*_say_leads_all(headline), sentence, *map(_say_other, headline.others[:MOST_OTHERS]), *rest])


def _say_leads_all(headline: Headline) -> list[str]:
    """That one config leads on each of several workloads, with its least and its largest lead."""
    every = [strip_workload_names(each) for each in (headline, *headline.others)]
    led = [each for each in every if each.outcome in LEADS and each.metric == RATE and not is_confounded(each)]
    leaders = {each.winner.title for each in led if each.winner}
    ratios = [(each.ratio, each.workload) for each in led if each.winner and each.ratio and each.workload]
    if len(every) < FEWEST_NAMED or len(leaders) != 1 or len(ratios) < len(every):
        return []
    (low, where), (high, there) = min(ratios), max(ratios)
    far = f"{spread_words(low)} ({where}) to {spread_words(high)} ({there})"
    return [f"“{shorten(leaders.pop())}” leads on all {len(every)} workloads, by {far}."]


def _say_leader(headline: Headline) -> str:
    """One leads, or two are too near to each other to say who."""
    if headline.winner is None or headline.loser is None:
        return _say_no_leader(headline)
    where = say_on(headline.workload) if _is_place(headline) else ""
    headline = strip_workload_names(headline) if where else headline
    own, other = (quote_name(side) for side in (headline.winner, headline.loser) if side)
    sides, effect = count_runs(headline), say_effect(headline)
    rank = f", the next of {len(headline.sides)}," if len(headline.sides) > 2 else ""
    if machines := _say_machines(headline):
        rank = f"{rank.rstrip(',')}, {machines},"
    if headline.ratio is None:
        unit = name_unit(headline)
        value, its = (figure(side.value) for side in (headline.winner, headline.loser) if side)
        return f"{where}{own} measured {value} {unit}, {other}{rank.rstrip(',')} {its} ({sides}){_say_but(headline)}."
    if headline.outcome == Outcome.UNPROVEN:
        if worst := find_outweighing(headline):
            apart = f"{share_words(abs(headline.ratio - 1))} apart in {name_unit(headline)}"
            return f"{where}{own} and {other}{rank} are {apart} ({sides}, unproven), but {say_against(worst, 'the ')}."
        far = say_ratio(headline.ratio, "faster", "as fast") if headline.metric == RATE else effect
        said = f"{where}{own} measured {far} {other}{rank} in {sides}{_say_unproven(headline)}"
        return " ".join([said, *_describe_base(headline)])
    sure = say_how_sure(headline, sides)
    verb = "served" if headline.metric == RATE else "took"
    verb = choose_verb(headline) if headline.outcome == Outcome.LIKELY else verb
    proof = ", not proven" if headline.outcome == Outcome.LIKELY and not is_confounded(headline) else ""
    if proof and headline.drift:
        proof += " as all runs of one came before those of the other: a drift of the machine could be all of it"
    said = f"{where}{own} {verb} {effect} {other}{rank.rstrip(',')} ({sure}{proof}){_say_but(headline)}."
    return " ".join([said, *_describe_base(headline)])


def _say_machines(headline: Headline) -> str:
    """As "on another machine: 64 cores against 8"; with one CPU model it may be one machine."""
    by_name = {machine.name: machine for machine in headline.machines}
    where = "with " if "CPU" not in by_name else "on another machine: " if headline.winner else "on two machines: "
    if cores := by_name.get("cores"):
        values, unit = [figure(as_number(one)) for one in (cores.own, cores.other)], " cores"
    else:
        values, unit = [str(one) for cpu in by_name.values() for one in (cpu.own, cpu.other)], ""
    titles = [side.title.lower() for side in headline.sides[:2]]
    if all(f"{value}{unit[:-1]}".lower() in title for value, title in zip(values, titles, strict=False)):
        return ""  # their names say it
    return f"{where}{values[0]}{unit} {'against' if headline.winner else 'and'} {values[1]}"


def _is_place(headline: Headline) -> bool:
    """Whether a workload is to be named: there are several, and the leader's own name does not say it in other words."""
    named = _strip_title(headline.winner, headline.workload).title if headline.winner else ""
    return bool(headline.others and headline.workload and headline.workload not in named)


def strip_workload_names(headline: Headline) -> Headline:
    """With names as they are within the workload, which is said once before them: "Go" of "Get All Todos · Go", "Go · /todos"."""
    workload = headline.workload
    return replace(
        headline,
        winner=headline.winner and _strip_title(headline.winner, workload),
        loser=headline.loser and _strip_title(headline.loser, workload),
        sides=tuple(_strip_title(side, workload) for side in headline.sides),
        base=headline.base and (_strip_title(headline.base[0], workload), *headline.base[1:]),
        rest=headline.rest and strip_workload_names(replace(headline.rest, workload=workload)),
    )


def _strip_title(side: RankedColumn, workload: str) -> RankedColumn:
    return replace(side, title=strip_workload(side.title, workload))


def _say_unproven(headline: Headline) -> str:
    why, worse, step = why_unproven(headline), _say_but(headline), headline.next
    if headline.within_step:
        return f", {why}{worse}."
    if why in (CONTRADICTION, *FULL.values()):
        return f"{worse}."
    full = f"{BEFORE_DOUBT.get(why, ', but ')}{why}{worse.replace(', but', ', and', 1)}"
    is_to_repeat = step.step in (NextStep.REPEAT, NextStep.LONGER) and has_single_run(headline)
    return f"{full}: {_say_runs_to_make(step)}." if is_to_repeat else f"{full}."


def _say_no_leader(headline: Headline) -> str:
    names = " and ".join(quote_name(side) for side in headline.sides[:2])
    values = [side.value for side in headline.sides[:2] if side.value is not None]
    unit = name_unit(headline)
    if headline.within_step:
        return f"{names} are no further apart than one step of what the tool prints, {count_runs(headline)}."
    if len({*values}) == 1:
        return f"{names} measured the same, {figure(values[0])} {unit}, in {count_runs(headline)}."
    measured = [
        f"{quote_name(side)} measured {figure(side.value)} {unit}" for side in headline.sides if side.value is not None
    ]
    alone = f" {capitalize(why_unproven(headline))}." if headline.odd[0] else ""
    return f"{'; '.join(measured[:MOST_OTHERS])}.{alone}"


def _describe_tie(headline: Headline) -> str:
    names = " and ".join(quote_name(side) for side in headline.sides[:2])
    names += f", the best 2 of {len(headline.sides)}," if len(headline.sides) > 2 else ""
    what = "serve the same number of requests per second"
    what = what if headline.metric == RATE else "take the same time per request"
    sides = ", ".join(filter(None, (count_runs(headline), _say_machines(headline))))
    said = [f"{names} {what} within 2 % ({sides}){_say_but(headline)}."]
    if headline.set_rate:
        asked = f"Both merely served the {figure(headline.set_rate)} requests per second that were asked for"
        said += [f"{asked}: how many either can serve was not measured."]
    return " ".join([*said, *_describe_base(headline)])


def _say_single(headline: Headline) -> str:
    side = headline.sides[0]
    if headline.metric == RATE:
        said = f"{quote_name(side)} served {figure(side.value)} requests per second"
    else:
        said = f"{quote_name(side)} took {figure(side.value)} ms per request"
    said = " ".join([f"{said} ({count_runs(headline).removesuffix(' each')}).", *_say_failing([side])])
    return f"{said} There is no other config to compare it with."


def _say_failed(headline: Headline) -> str:
    """What failed, then what the others served."""
    if headline.others and headline.workload:
        return say_on(headline.workload) + _say_failed(replace(strip_workload_names(headline), workload=""))
    failing = [f"{quote_name(side)} {describe_failure(side.failure)}" for side in headline.bad if side.failure]
    said = name_first(failing, MOST_OTHERS)
    if headline.winner is None:
        return f"{said}, so {'its rate says' if len(failing) == 1 else 'their rates say'} nothing."
    own = headline.winner
    share = own.failure.share if own.failure else 0.0
    fine = f"with {percent(share, 1)} failed" if share else "without failures"
    what = (
        f"served {figure(own.value)} a second" if headline.metric == RATE else f"took {figure(own.value)} ms a request"
    )
    said = f"{said}; {quote_name(own)} {what} {fine}."
    if headline.rest is None:
        return said
    rest = _write_sentence(headline.rest)
    unlike = rest.removeprefix("Not comparable: ")
    return f"{said} {'Of those that did not fail,' if unlike == rest else 'The others are not comparable:'} {unlike}"


def _say_not_comparable(headline: Headline) -> str:
    if not headline.unlike:
        why = [describe_dropped(*one) for one in headline.dropped]
        rest = f" {_say_single(headline).partition('. ')[0]}." if headline.sides else ""
        return f"Not comparable: {name_first(why, MOST_OTHERS, '; ')}.{rest}"
    if headline.unlike[0].name == REQUEST:
        unit = name_unit(headline)
        served = [f"{quote_name(side)} {figure(side.value)} {unit}" for side in headline.sides]
        said = f"Not comparable: {name_first(served, MOST_OTHERS)}. Each was asked for something else."
        return " ".join([said, *_say_failing(headline.sides)])
    own, other = headline.sides[:2]
    each = [say_difference(difference, own, other) for difference in headline.unlike]
    return " ".join([f"Not comparable: {'; '.join(each)}. {say_under_unlike(headline)}", *_say_failing(headline.sides)])


def _say_failing(sides: Sequence[RankedColumn]) -> list[str]:
    """What failed of sides that are compared with nothing, each in a sentence."""
    failing = [(side, side.failure) for side in sides if side.failure and side.failure.is_stated]
    return [f"{quote_name(side)} {describe_failure(failure)}." for side, failure in failing[:MOST_OTHERS]]


def _say_but(headline: Headline, most: int = MOST_AGAINST) -> str:
    """What speaks most against the leader, as the rest of its sentence."""
    whose = "" if headline.winner else "the "
    objections = [
        say_against(objection, whose) + _say_what_follows(objection, whose)
        for objection in list_weighty(headline)[:most]
    ]
    return f", but {' and '.join(objections)}".rstrip(",") if objections else ""


def _say_what_follows(objection: Objection, whose: str) -> str:
    """Of what else than a config could be all of a lead."""
    if whose or not objection.explains_lead:
        return ""
    is_of_both = objection.rule == Rule.SHOWN_STATUS and not objection.config
    return FOLLOWS.get(objection.rule, f", which could be {'what was measured' if is_of_both else 'all of it'},")


def _describe_base(headline: Headline) -> list[str]:
    if headline.base is None:
        return []
    side, ratio, kind = headline.base
    sure = {Kind.BETTER: "proven", Kind.LIKELY_BETTER: "likely"}.get(kind, "unproven")
    return [f"{quote_name(headline.sides[0])} served {say_ratio(ratio)} {quote_name(side)}, the baseline ({sure})."]


def _say_other(headline: Headline) -> str:
    """Another workload in brief."""
    where = say_on(headline.workload) if headline.workload else ""
    if headline.outcome == Outcome.FAILED or headline.winner is None or headline.loser is None:
        return f"{where}{_write_sentence(replace(strip_workload_names(headline), others=(), workload=''))}"
    ratio = headline.ratio or 1.0
    own, other = (quote_name(_strip_title(side, headline.workload)) for side in (headline.winner, headline.loser))
    far = f"served {say_ratio(ratio, 'more' if ratio > 1 else 'less')}"
    far = far if headline.metric == RATE else f"took {say_ratio(ratio, 'less time per request')}"
    return f"{where}{own} {far} {other} ({LABELS[headline.outcome]}){_say_but(headline, 1)}."


def _say_dropped(headline: Headline) -> str:
    """What a doubt keeps out; why of several stands among the doubts."""
    if not headline.dropped:
        return ""
    if len(headline.dropped) == 1:
        return f"Not counted: {describe_dropped(*headline.dropped[0])}."
    each = [f"“{shorten(name)}”" for name, _, _ in headline.dropped]
    listed = f"{', '.join(each[:MOST_OTHERS])}{' and others' if len(each) > MOST_OTHERS else ''}"
    failed = [
        f" “{shorten(name)}” {describe_failure(failure)}."
        for name, _, failure in headline.dropped
        if failure and failure.is_stated
    ]
    return f"Not counted: {listed} (see the doubts).{''.join(failed[:MOST_OTHERS])}"


def _say_sweep(headline: Headline, swept: Range) -> str:
    series = swept.series
    if len(series) == 1:
        levels = describe_levels(swept, next(iter(series.values())))
        capacity = f"{swept.capacity.text}. " if swept.capacity else ""
        return f"{capacity}{capitalize(levels)}. {say_runs_a_level(swept)}"
    leads = {each.workload: each for each in (*reversed(headline.others), headline) if each.winner}
    clauses = []
    for workload, part in swept.workloads[:MOST_OTHERS]:
        lead = _say_sweep_lead(leads[workload]) if workload in leads else describe_leaders(part)
        clauses += [f"{say_where(workload, swept)}{lead}"] if lead else []
    each = [f"“{shorten(name)}”: {describe_levels(swept, points)}" for name, points in series.items()]
    return f"{'. '.join([*clauses, *each[:MOST_OTHERS]])}. {say_runs_a_level(swept)}"


def _say_sweep_lead(headline: Headline) -> str:
    name = quote_name(headline.winner) if headline.winner else ""
    far = say_ratio(headline.ratio or 1.0).rpartition(" ")[0]
    leads = f"leads at every level, with up to {far} ({count_runs(headline)})"
    return f"{name} {leads if headline.ratio else 'alone serves without failing'}"


def describe_lead(headline: Headline, bases: Sequence[int], marks: Sequence[str]) -> dict[int, str]:
    """Each winner's column -> its effect, where the table (each column against that of `bases`) has another one.

    marks: what the columns are called in it
    """
    effects = {}
    for one in (headline, *headline.others):
        if one.winner and one.loser and one.ratio and one.metric == RATE and bases[one.winner.at] != one.loser.at:
            effects[one.winner.at] = f"{say_ratio(one.ratio)} {marks[one.loser.at]}"
    return effects


def _write_advice(step: Next, headline: Headline) -> str:
    match step.step:
        case NextStep.REPEAT:
            return _advise_rounds(headline) if headline.most else _advise_repeats(step, headline)
        case NextStep.LONGER:
            why = "starting up and chance in scheduling are in every figure of runs under a second"
            return f"{capitalize(_say_runs_to_make(step))}: {why}."
        case NextStep.STEADY:
            spread = headline.spread or 1.0
            far = f" (by up to {spread_words(spread)} here)" if spread > 1 else ""
            return f"More repeats are not the way: find out first what makes runs of one config differ{far}."
        case NextStep.LEVELS:
            return advise_levels(step.runs, headline.sweep)
        case NextStep.NOTHING if headline.within_step:
            return FINER_STEPS
        case NextStep.ALIKE | NextStep.GENERATOR if step.about in ADVICE_ON:
            return ADVICE_ON[step.about]
        case NextStep.ALIKE if names := _list_differing(step, headline):
            where = "on the same machine" if {*names} <= OF_MACHINES else f"with the same {join_words(names)}"
            return f"Load both {where}, then compare."
    return ADVICE[step.step].format(about=shorten(step.about), runs=step.runs)


def _list_differing(step: Next, headline: Headline) -> list[str]:
    """In what two loads differ, where a load can be made alike in it."""
    names = [difference.name for difference in headline.unlike] or [step.about]
    return names if all(name in PROPERTIES and name not in (CACHED, CONDITION) for name in names) else []


def _say_runs_to_make(step: Next) -> str:
    return f"run each {step.runs} times, in turn{f', for {ADVISED_S} seconds and more' if step.step == NextStep.LONGER else ''}"


def _advise_repeats(step: Next, headline: Headline) -> str:
    warm = ", each after one warm-up run" if headline.winner else ""
    if step.by_turns:
        return (
            f"Run both in turn until it is sure{warm}: a sequential test after each round says when. "
            f"Or run each {step.runs} times, and keep to that number."
        )
    order = " (A, B, B, A …)" if len(headline.sides) == 2 and not headline.others else ""
    return (
        f"{capitalize(_say_runs_to_make(step))}{order}{warm}. Decide on the number first: adding runs until a "
        "difference shows will show one by chance."
    )


def _advise_rounds(headline: Headline) -> str:
    """Where both were tested after each round, and neither was found to be better."""
    rounds = min(side.n for side in headline.sides[:2])
    if rounds < headline.most:
        return f"The test after each round ended early, after {rounds} of at most {headline.most}: run it again until it is sure."
    return f"{rounds} rounds did not show it: make the runs vary less first, or let a new test run for more rounds (--repeat)."
