"""The headline in one line and the figures under it, as the first thing on a page and on a card; headline_wording has it whole.

Also the words that it shares with the whole: intervals, numbers of runs, what speaks against a leader. Names are cut to
what sets the configs apart, as the page names each in full beside its letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runs.analysis.columns import drop_shared_words
from runs.analysis.doubt_case import Doubt
from runs.analysis.doubt_differences import CONDITION
from runs.analysis.facts import Source
from runs.analysis.headline_against import (
    FIGURES,
    RATE,
    REQUEST,
    Objection,
    RankedColumn,
    Rule,
    Unlike,
    has_contradiction,
)
from runs.analysis.headline_differences import STOLEN, find_short_answer
from runs.analysis.headline_outcome import Headline, NextStep, Outcome
from runs.analysis.objection_wording import (
    describe_dropped,
    describe_failure,
    say_against,
    say_briefly,
    say_first_difference,
    shorten,
)
from runs.analysis.scaling import Range
from runs.analysis.summary_wording import describe_leaders, list_levels, say_runs_a_level, say_where, with_axis
from runs.analysis.verdict import MARGIN
from runs.analysis.verdict_wording import AT_LIMIT, p_words
from runs.numbers import (
    BETWEEN,
    TIMES_FROM,
    capitalize,
    figure,
    percent,
    share_words,
    spread_words,
    times,
    with_unit,
    write_against,
)

LONGEST_CLAUSE, LONGEST_DIFFERENCE = 60, 80  # of what could be all of a lead
MOST_REASONS = 3
ONE_RUN, TOO_LITTLE = "one run cannot show noise", "too little to be sure"
CONTRADICTION = "figures of one report contradict each other"
FULL = {  # rule of what held one side back
    **AT_LIMIT,
    Rule.OTHERS: "another program used the CPU beside one of them",
}
ONE_RUN_FAR = "Far more than such runs usually vary, but one run each is no proof"
REPEATS_FAR = "More than repeats vary, but not proven"
CONFOUNDED = "A test shows it, but {}"
OF_TEXT: dict[str, str] = {  # what the text itself has against a lead
    Rule.IMPOSSIBLE: "the reports contradict themselves",
    Rule.TOLD: "the text's own figures reverse their order",
    Rule.CLAIMED: "the text says the opposite",
    Rule.NOT_AS_NAMED: "a config was not loaded as its name says",
}
UNDER_UNLIKE = "Rates under unlike conditions say nothing of the configs."


@dataclass(frozen=True, slots=True)
class Lead:
    """who: the config that the line opens with, and its column; "" and None where it opens with none.

    line     what follows the name: "is 8.7 % ahead"
    figures  of the winner and the loser, to stand before `under`: ("805", "748"); () where nobody leads
    under    what the line rests on, and how sure that is
    """

    line: str
    under: str = ""
    who: str = ""
    at: int | None = None
    figures: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.who} {self.line}".strip()


def write_lead(headline: Headline) -> Lead:
    if headline.sweep:
        return _lead_of_sweep(headline, headline.sweep)
    write: dict[Outcome, Callable[[Headline], Lead]] = {
        Outcome.FAILED: _lead_of_failed,
        Outcome.NOT_COMPARABLE: _lead_of_not_comparable,
        Outcome.SAME: _describe_tie,
        Outcome.SINGLE: _lead_of_single,
        Outcome.NONE: lambda _: Lead("No load test here", "Nothing says how many requests were served, or how fast."),
    }
    return write.get(headline.outcome, _lead_of_leader)(headline)


def name_sides(headline: Headline) -> dict[int, str]:
    """Column -> the name of each side, without the words that all sides of the page share."""
    sides = [side for one in (headline, *headline.others) for side in one.sides]
    names = drop_shared_words([side.title for side in sides])
    return {side.at: shorten(name) for side, name in zip(sides, names, strict=True)}


def _lead_of_leader(headline: Headline) -> Lead:
    own, other = headline.winner, headline.loser
    if own is None or other is None:
        return _lead_of_nobody(headline)
    if worst := find_outweighing(headline):
        under = f"{name_unit(headline)}, {share_words(abs((headline.ratio or 1) - 1))} apart, {count_runs(headline)}."
        line = f"Both measured about the same, but {say_briefly(worst, 'the ')}"
        return Lead(line, under, figures=(figure(own.value), figure(other.value)))
    line = f"{choose_verb(headline)} {say_effect(headline, 'requests')}"
    if headline.ratio is None:
        line = f"{choose_verb(headline)} {figure(own.value)} {name_unit(headline)}, against {figure(other.value)}"
    else:
        line = _say_ahead(headline) if headline.outcome == Outcome.UNPROVEN else line
        line = f"{line} {name_sides(headline)[other.at]}" if len(headline.sides) > 2 else line.rpartition(" ")[0]
    return Lead(
        line=line + _say_but(headline),
        under=f"{name_unit(headline)}, {count_runs(headline)}.{_add_how_sure(headline)}",
        who=name_sides(headline).get(own.at, own.title),
        at=own.at,
        figures=(figure(own.value), figure(other.value)),
    )


def _say_but(headline: Headline) -> str:
    """What speaks most against a leader, or against calling two the same, where that is short."""
    objection = _pick_worst(headline)
    if objection is None or (
        headline.outcome == Outcome.UNPROVEN and not (objection.serious or objection.rule == Rule.IMPOSSIBLE)
    ):
        return ""
    whose = "" if headline.winner else "the "
    if objection.rule == "differs" and objection.serious and headline.winner:
        clause = f", but {say_first_difference(objection)}"
        if len(clause) >= LONGEST_DIFFERENCE:
            clause = f", but {'more' if objection.label == CONDITION else objection.label} differs, too"
        return clause
    clause = f", but {say_briefly(objection, whose)}"
    return clause if len(clause) < LONGEST_CLAUSE else ""


def find_outweighing(headline: Headline) -> Objection | None:
    """A time that is far worse, beside a lead that is not proven and so small that two are called the same where it is."""
    is_small = headline.outcome == Outcome.UNPROVEN and abs(math.log(headline.ratio or math.inf)) < MARGIN
    worst = _pick_worst(headline) if is_small and not has_contradiction(headline.against) else None
    return worst if worst and worst.serious and worst.rule in ("tail", "latency") else None


def _pick_worst(headline: Headline) -> Objection | None:
    return next((objection for objection in headline.against if objection.serious), next(iter(headline.against), None))


def choose_verb(headline: Headline) -> str:
    likely = "likely " if headline.outcome == Outcome.LIKELY else ""
    return likely + ("serves" if headline.metric == RATE else "takes")


def say_effect(headline: Headline, things: str = "requests per second") -> str:
    """As "30 % more requests per second than", "2.8 times as many requests per second as"."""
    ratio = headline.ratio or 1.0
    if headline.metric != RATE:
        return f"{share_words(1 - ratio)} less time per request than"
    return say_ratio(ratio, f"more {things}", f"as many {things}")


def say_ratio(ratio: float, more: str = "more", many: str = "as many") -> str:
    """In per cent up to twice as much: "30 % more than", "2.8 times as many as"."""
    return f"{times(ratio)} times {many} as" if ratio >= TIMES_FROM else f"{share_words(abs(ratio - 1))} {more} than"


def _say_ahead(headline: Headline) -> str:
    ratio = headline.ratio or 1.0
    if headline.metric != RATE:
        return f"measured {share_words(1 - ratio)} less time per request than"
    return (
        f"measured {times(ratio)} times as fast as" if ratio >= TIMES_FROM else f"is {share_words(ratio - 1)} ahead of"
    )


def name_unit(headline: Headline) -> str:
    return "requests per second" if headline.metric == RATE else "ms per request"


def count_runs(headline: Headline) -> str:
    """As "one run each", "3 runs each", "2 runs against 3", the leader's first; of a side alone "one run"."""
    own, other = headline.winner or headline.sides[0], headline.loser or headline.sides[:2][-1]
    runs = "one run" if own.n == 1 else f"{own.n:,} runs"
    return f"{runs} each" if own.n == other.n else f"{runs} against {other.n:,}"


def _add_how_sure(headline: Headline) -> str:
    """Of a proven lead its interval and p; of another why it may be none."""
    if headline.outcome != Outcome.UNPROVEN:
        confounded = CONFOUNDED.format(_say_confounder(headline)) if is_confounded(headline) else ""
        far = ONE_RUN_FAR if has_single_run(headline) else confounded or REPEATS_FAR
        alone = ONE_RUN if headline.outcome == Outcome.TRADE_OFF and has_single_run(headline) else ""
        said = [say_how_sure(headline), far if headline.outcome == Outcome.LIKELY else capitalize(alone)]
        return "".join(f" {each}." for each in said if each)
    why = why_unproven(headline)
    return "" if why in (CONTRADICTION, *FULL.values()) else f" {capitalize(why)}."  # which is among the reasons


def why_unproven(headline: Headline) -> str:
    """Why a lead may be none: part of a sentence."""
    spread, ratio = headline.spread or 1.0, headline.ratio or 1.0
    differ = f"runs of one config differ by up to {spread_words(spread)}"
    if has_contradiction(headline.against):
        return CONTRADICTION
    if held_back := next(
        (objection.rule for objection in headline.against if objection.rule in FULL and objection.serious), ""
    ):
        return FULL[held_back]
    if headline.within_step:
        return "no further apart than one step of what the tool prints"
    if headline.drift:
        return "all runs of one came before those of the other, and the figures drifted through both"
    if headline.odd[0] and headline.winner is None:
        began = next(
            (
                f", and {objection.label} just before it"
                for objection in headline.against
                if objection.rule == Rule.BEFOREHAND
            ),
            "",
        )
        return f"one run of “{shorten(headline.odd[1])}” alone decides which is ahead{began}"
    if headline.odd[0] == "outlier":
        return f"one run of “{shorten(headline.odd[1])}” is far off the others"
    if headline.odd[0] == "cold":
        return f"{differ}, and the first of them looks like a cold start"
    if spread > 1 and spread >= max(ratio, 1 / ratio) ** 0.5:
        return f"{differ}, so this may be noise"
    return ONE_RUN if has_single_run(headline) else TOO_LITTLE


def has_single_run(headline: Headline) -> bool:
    return bool(headline.winner and headline.loser and min(headline.winner.n, headline.loser.n) == 1)


def is_confounded(headline: Headline) -> bool:
    """Whether something else than the config could be all of the lead."""
    return any(objection.explains_lead for objection in headline.against)


def _say_confounder(headline: Headline) -> str:
    first = next(objection for objection in headline.against if objection.explains_lead)
    return OF_TEXT.get(first.rule, "what else differs could be all of it")


def say_how_sure(headline: Headline, sides: str = "") -> str:
    """As "95 % interval 28 to 32 %, 3 runs each, tested after each round, p=0.02"."""
    looks = "tested after each round" if headline.most else ""
    chance = p_words(headline.p) if headline.p is not None else ""
    return ", ".join(filter(None, (describe_interval(headline), sides, looks, chance)))


def describe_interval(headline: Headline) -> str:
    """Of the winner's ratio, in the effect's own words: "95 % interval 28 to 32 %"."""
    low, high = headline.low, headline.high
    if low is None or high is None:
        return ""
    if headline.metric != RATE:
        low, high = 2 - high, 2 - low  # as shares less, which count the other way
    elif (headline.ratio or 1.0) >= TIMES_FROM:
        return f"95 % interval {times(low)} to {times(high)} times"
    return f"95 % interval {share_words(low - 1).removesuffix(' %')} to {share_words(high - 1)}"


def _lead_of_nobody(headline: Headline) -> Lead:
    names = name_sides(headline)
    measured = [f"{names[side.at]} {figure(side.value)}" for side in headline.sides if side.value is not None]
    return Lead("No leader", f"{'; '.join(measured[:3])} {name_unit(headline)}.{_add_how_sure(headline)}")


def _describe_tie(headline: Headline) -> Lead:
    both = "Both" if len(headline.sides) == 2 else f"The best 2 of {len(headline.sides)}"
    what = "serve the same" if headline.metric == RATE else "take the same time"
    own, other = headline.sides[:2]
    at_rate = f" at {figure(headline.set_rate)} requests per second, as asked for" if headline.set_rate else ""
    under = f"{name_unit(headline)}{at_rate}, less than 2 % apart, {count_runs(headline)}."
    return Lead(
        f"{both} {what}{_say_but(headline)}",
        under + _describe_base(headline),
        figures=(figure(own.value), figure(other.value)),
    )


def _describe_base(headline: Headline) -> str:
    """Of several of which the best two are alike: how far the baseline lies behind them."""
    if headline.base is None:
        return ""
    side, ratio, _ = headline.base
    names = name_sides(headline)
    return f" {names[headline.sides[0].at]}: {say_ratio(ratio)} the baseline, {names.get(side.at, side.title)}."


def _lead_of_single(headline: Headline) -> Lead:
    side = headline.sides[0]
    runs = "One run" if side.n == 1 else f"Mean of {side.n:,} runs"
    failed = f", which {describe_failure(side.failure)}" if side.failure and side.failure.is_stated else ""
    return Lead(
        f"{figure(side.value)} {name_unit(headline)}",
        f"{runs} of one config{failed}; there is no other to compare it with.",
    )


def _lead_of_failed(headline: Headline) -> Lead:
    names = name_sides(headline)
    first, *others = headline.bad
    line = describe_failure(first.failure) if first.failure else "failed"
    if others:
        line += f"; {len(others)} more failed"
    own = headline.winner
    what = "No other config served what it was asked for."
    if own:
        served = f"{figure(own.value)} {name_unit(headline)}"
        share = percent(own.failure.share or 0.0, 1) if own.failure else "none"
        what = f"{names.get(own.at, own.title)}: {served}, {share} failed."
    return Lead(line, what, who=names.get(first.at, first.title), at=first.at)


def _lead_of_not_comparable(headline: Headline) -> Lead:
    if not headline.unlike:
        kept_out = f"{len(headline.dropped)} configs do not count" if len(headline.dropped) > 1 else ""
        name, why, failure = headline.dropped[0] if headline.dropped else ("", "", None)
        line = kept_out or f"{shorten(name)} does not count"
        failed = f"; it {describe_failure(failure)}" if failure and failure.is_stated and not kept_out else ""
        return Lead(line, f"{capitalize(why.partition(': ')[0].rstrip('.'))}{failed}." if why else "")
    first = headline.unlike[0]
    line = f"{capitalize(first.name)}: {write_against(first.own, first.other, first.unit)}"
    if first.name == REQUEST:
        return Lead(line, "Each was asked for something else, so that their rates say nothing of each other.")
    return Lead(line, say_under_unlike(headline))


def say_under_unlike(headline: Headline) -> str:
    """What follows from loads, machines or answers that are unlike."""
    short = find_short_answer(headline.unlike, *headline.sides[:2])
    if short is None:
        return UNDER_UNLIKE
    return f"{figure(short[1])} bytes may be an error page: its rate is no gain then."


def _lead_of_sweep(headline: Headline, swept: Range) -> Lead:
    series, sure = swept.series, say_runs_a_level(swept)
    if headline.winner:
        name, far = headline.winner.title, (headline.ratio or 1.0)
        if headline.ratio is None:
            return Lead("alone serves without failing", sure, who=shorten(name), at=headline.winner.at)
        where = f" on {headline.workload}" if say_where(headline.workload, swept) else ""
        lead = f"with up to {times(far)} times as many" if far >= TIMES_FROM else f"by up to {share_words(far - 1)}"
        return Lead(f"leads at every level{where}, {lead}", sure, who=shorten(name), at=headline.winner.at)
    if len(series) > 1:
        each = ((name, describe_leaders(part)) for name, part in swept.workloads)
        crossing = ". ".join(f"{say_where(name, swept)}{words}" for name, words in each if words)
        return Lead(crossing, sure) if crossing else Lead(f"{len(series)} configs over {swept.axis}", headline.sentence)
    levels = list_levels(swept, next(iter(series.values())))
    if swept.capacity:
        return Lead(swept.capacity.text, f"{capitalize(', '.join(levels))}. {sure}")
    first = next((part for part in levels if " fail " in part), levels[0])
    rest = "; ".join(part.replace("and stay", "they stay") for part in levels if part is not first)
    if first is not levels[0]:
        words, _, value = first.rpartition(" ")
        first = f"{words} {with_axis(swept, value)}"
    return Lead(capitalize(first), f"{capitalize(rest)}. {sure}" if rest else sure)


def list_weighty(headline: Headline) -> list[Objection]:
    """What speaks against the leader; where figures of one report cannot be true, none of its metrics."""
    is_impossible = has_contradiction(headline.against)
    return [objection for objection in headline.against if objection.factor is None or not is_impossible]


def say_difference(one: Unlike, own: RankedColumn, other: RankedColumn) -> str:
    """As "document length 157 bytes for “b”, 12,480 bytes for “a”"."""
    values = [with_unit(value, one.unit) for value in (one.own, one.other)]
    return f"{one.name} {values[0]} for {quote_name(own)}, {values[1]} for {quote_name(other)}"


def quote_name(side: RankedColumn) -> str:
    is_stated = not side.heading or side.title.startswith(f"{side.heading}{BETWEEN}")
    return f"“{shorten(side.title if is_stated else f'{side.heading}{BETWEEN}{side.title}')}”"


def needs_runs(headline: Headline) -> bool:
    """Whether what to do next is to run the same load again."""
    return headline.next.step in (NextStep.REPEAT, NextStep.WARM, NextStep.LEVELS)


def give_reasons(headline: Headline, doubts: Sequence[Doubt]) -> list[tuple[str, Source | None, bool]]:
    """(words, line, whether it speaks against the leader): what speaks against it, then what may explain the figures."""
    if headline.outcome == Outcome.NOT_COMPARABLE and headline.unlike and headline.unlike[0].name != REQUEST:
        sides = headline.sides[:2]
        against = [
            (capitalize(say_difference(difference, *sides)), difference.source, True) for difference in headline.unlike
        ]
    else:
        objections = [one for one in list_weighty(headline) if one.rule != "failures"]
        whose = "" if headline.winner else "the "
        against = [(capitalize(say_against(objection, whose)), objection.source, True) for objection in objections]
    said = {one.label if one.rule == "failures" else one.rule for one in headline.against}
    if Rule.IMPOSSIBLE in said:
        said |= {doubt.rule for doubt in doubts if doubt.rule.startswith(FIGURES)}
    if STOLEN in [difference.name for difference in headline.unlike]:
        said.add("machine.steal")
    if "differs" in said or headline.unlike:
        said |= {doubt.rule for doubt in doubts if doubt.rule.startswith("differs.")}
    cautions = [
        doubt for doubt in doubts if doubt.severity == "caution" and not doubt.overruled and doubt.rule not in said
    ]
    causes = [(shorten_doubt(caution), next(iter(caution.sources), None), False) for caution in cautions]
    return [*against, *_list_dropped(headline), *causes][:MOST_REASONS]


def _list_dropped(headline: Headline) -> list[tuple[str, Source | None, bool]]:
    """A config that a doubt keeps out, beside a leader: its bar is drawn, too, and may be the longest one."""
    if not headline.dropped or headline.sweep or headline.outcome in (Outcome.FAILED, Outcome.NOT_COMPARABLE):
        return []
    more = f" and {len(headline.dropped) - 1} more" if len(headline.dropped) > 1 else ""
    return [(f"Not counted: {describe_dropped(*headline.dropped[0])}{more}", None, False)]


# Rules whose sentence begins with figures: what they come to.
BRIEF = {
    "generator.same_host": "Load generator and server shared one machine",
    "length.per_client": "Fewer than 10 requests per client: mostly the start and end of the load",
    "length.seconds": "Runs of a few seconds only",
    "limits.clients": "More clients than the server handles at once",
    "load.set_rate": "Rates that were set say that the server kept up, not what it can do",
    "machine.cpu": "Server and load generator waited for CPU time",
    "network.syn": "The slowest connections waited for a SYN retransmission",
    "network.tail": "Most of the waiting is in the slowest 1 %, outside the percentiles",
    "warmth.first": "The first run looks like a cold start",
}


def shorten_doubt(doubt: Doubt) -> str:
    """A doubt in a clause: of several runs what was found in the first, as what follows for all may begin with "they"."""
    if doubt.rule in BRIEF:
        return BRIEF[doubt.rule]
    first, *others = doubt.parts
    if all(part.who == first.who for part in others):
        return _cut_clause(doubt.text)
    if all(part.detail == first.detail for part in others):
        return capitalize(_cut_clause(first.detail))
    return f"{_cut_clause(f'{first.who}: {first.detail}')}; {len(others)} more"


def _cut_clause(words: str) -> str:
    return re.split(r" \(|\. ", words, maxsplit=1)[0].rstrip(".")
