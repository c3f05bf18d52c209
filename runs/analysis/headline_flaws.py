"""Flaws of a measurement that may be all of a lead: what held back or slowed a side, reports that cannot be right."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from runs.analysis.doubt_differences import CONDITION
from runs.analysis.facts import Finding
from runs.analysis.headline_against import (
    HELD_BACK,
    LONG_ENOUGH_S,
    RATE,
    SLOWED,
    UNWATCHED,
    HeadlineData,
    Objection,
    RankedColumn,
    Rule,
    Unlike,
)
from runs.analysis.headline_differences import MUCH_STOLEN_PCT
from runs.numbers import mean

# What slows a side -> the words of a condition that tells of the same.
IN_CONDITION = {
    "a debug build": r"(?<![a-z])(?:release|debug)(?![a-z])",
    "a development server": r"\bdevelopment\b|\brunserver\b",
}
FAR_LONGER = 10  # times
START_S = 0.1  # a run that is over by then had no more than started
MANY_LOST = 0.1  # of the clients
QUOTA = re.compile(r"\d*cpus?\b|\d*cores?\b|quota|limit|throttl|\b\d+m\b", re.IGNORECASE)  # names after CPU time


def drop_repeats(flaws: Sequence[Objection], unlike: Sequence[Unlike]) -> list[Objection]:
    """The flaws without those that conditions which differ tell as well: a debug build is one without "--release"."""
    said = " ".join(f"{each.own} {each.other}" for each in unlike if each.name == CONDITION and each.confounds)
    return [
        flaw
        for flaw in flaws
        if not (flaw.rule == Rule.DISTURBED and re.search(IN_CONDITION.get(flaw.label, "(?!)"), said, re.IGNORECASE))
    ]


def find_flaws(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What makes both sides' figures doubtful."""
    finders = (
        find_held_back,
        _find_other_answers,
        _find_stopped,
        _find_idle_clients,
        _find_closed_connections,
        _find_lost_clients,
        _find_drifting_side,
        _find_slowed_side,
        _find_slow_beginnings,
        _find_short_runs,
        _find_told_otherwise,
        _find_claimed_otherwise,
        _find_picked,
    )
    return [objection for find in finders for objection in find(data, own, other)]


def find_held_back(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What other than its config held a side back. serious: the other side may serve more than the leader."""
    objections = []
    for rule, morals in HELD_BACK.items():
        by_rule = {}
        for side in (own, other):
            every = [finding for name in (rule, "machine.cpu") for finding in data.findings(name, side.at)]
            if full := next((finding for finding in every if finding.moral in morals), None):
                by_rule[side.title] = full
        if by_rule:
            whose, last = (next(iter(by_rule)) if len(by_rule) == 1 else ""), [*by_rule.values()][-1]
            label, share = str(last.facts.get("program", "")), last.facts.get("cpu")
            serious, source = other.title in by_rule, last.first_source
            beside = UNWATCHED if last.facts.get("alone") is False else None
            objections.append(Objection(rule, whose, label, "%", share, beside, serious=serious, source=source))
    return objections


def _find_other_answers(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A page was an error, or a side is named after something else: the server that answered, or the way it was loaded."""
    stated: dict[str, list[Objection]] = {}
    for rule, label in ((Rule.OTHER_SERVER, "server"), (Rule.SHOWN_STATUS, "status"), (Rule.NOT_AS_NAMED, "had")):
        stated[rule] = [
            Objection(
                rule,
                side.title,
                finding.facts[label],
                other=finding.facts.get("other"),
                serious=True,
                source=finding.first_source,
            )
            for side, finding in data.first_findings(rule, own, other)
        ]
    alike = stated[Rule.SHOWN_STATUS]
    if len(alike) == 2 and alike[0].label == alike[1].label:
        stated[Rule.SHOWN_STATUS] = [replace(alike[0], config="")]
    return list(chain(*stated.values()))


def _find_stopped(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Someone ended the run of one side before all its requests were made, or before its time was over."""
    objections = []
    for side, finding in data.first_findings(Rule.STOPPED, own, other):
        what, made, asked = ("s", "took", "limit") if "limit" in finding.facts else ("requests", "made", "asked")
        figures = finding.facts.get(made), finding.facts.get(asked)
        objections.append(Objection(Rule.STOPPED, side.title, "", what, *figures, source=finding.first_source))
    return objections


def _find_idle_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Clients mostly had no request under way: of one side, or of both, whose rates are then those of the clients' pauses.

    serious: of the slower side alone
    """
    idle = data.first_findings(Rule.IDLE, own, other)
    if not idle or any(run.is_open_loop for at in (own.at, other.at) for run in data.comparison.columns[at].runs):
        return []  # at a set rate they stand by until they are needed
    shares = [100 * finding.facts["busy"] / finding.facts["clients"] for _, finding in idle]
    whose, source = (idle[0][0].title if len(idle) == 1 else ""), idle[0][1].first_source
    return [Objection(Rule.IDLE, whose, "", "%", max(shares), serious=whose == other.title, source=source)]


def _find_closed_connections(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Connections of one side only that were to be kept and were not."""
    closed = data.first_findings(Rule.CLOSED, own, other)
    if len(closed) != 1:
        return []
    return [Objection(Rule.CLOSED, side.title, source=finding.first_source) for side, finding in closed]


def _find_lost_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Many clients of a side never got a connection: it was loaded with fewer."""
    objections = []
    for side in (own, other):
        for run in data.comparison.columns[side.at].runs:
            asked, lost = run.requested_clients or 0, (run.requested_clients or 0) - (run.clients or 0)
            if run.clients and lost >= MANY_LOST * asked > 0:
                source = run.source_of("socket_errors")
                objections.append(
                    Objection(Rule.LOST, side.title, "", "clients", lost, asked, serious=True, source=source)
                )
                break
    return objections


def _find_drifting_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """The rate of one side alone went down or up from run to run: its mean stands for none of them.

    serious: by as much as half of the lead
    """
    ratio = (own.value or 0) / (other.value or 1)
    far = abs(math.log(ratio)) / 2 if 0 < ratio < math.inf else 0.0
    drifts = {side.title: data.drifting.get(data.comparison.columns[side.at].config.id) for side in (own, other)}
    findings = [(title, finding) for title, finding in drifts.items() if finding]
    if len(findings) != 1:
        return []
    (title, finding), first, last = findings[0], findings[0][1].facts["first"], findings[0][1].facts["last"]
    is_far = abs(math.log(last / first)) >= far
    return [Objection(Rule.DRIFT, title, finding.moral, "", first, last, serious=is_far, source=finding.first_source)]


def _find_slowed_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What slowed the slower side alone: a limit in a log, a throttled group, much stolen CPU time, what the text tells of.

    Stolen time of a side beside one that nobody watched; of two that were watched it stops their comparison.
    """
    objections = []
    for rule in SLOWED:
        findings = data.findings(rule, other.at) if not data.findings(rule, own.at) else []
        if rule == Rule.STEAL:
            findings = [
                finding
                for finding in findings
                if not finding.facts["spared"] and finding.facts["share"] >= MUCH_STOLEN_PCT
            ]
        if rule == Rule.THROTTLED and any(QUOTA.search(side.title) for side in (own, other)):
            findings = []  # how much CPU time each may use is what is compared
        for finding in findings[:1]:
            label, share = str(finding.facts.get("limit", finding.facts.get("what", ""))), finding.facts.get("share")
            objections.append(
                Objection(rule, other.title, label, "%", share, serious=True, source=finding.first_source)
            )
    return objections


def _find_slow_beginnings(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What came just before runs of the slower side alone, where half of the lead at most is left without them.

    What loaded the machine before the first run may go on beside all of them.
    """
    of_leader = {finding.facts["kind"] for finding in data.findings(Rule.BEFOREHAND, own.at)}
    findings = [
        finding for finding in data.findings(Rule.BEFOREHAND, other.at) if finding.facts["kind"] not in of_leader
    ]
    slowed = {finding.run for finding in findings}
    left = [one.value for one in data.figures(RATE, other.at) if one.run not in slowed]
    goes_on = any(finding.facts["kind"] == "load" for finding in findings)
    half = math.sqrt(max(own.value or 0, 0) * max(other.value or 0, 0))  # the rate between the two
    if not findings or (left and mean(left) < half and not goes_on):
        return []
    what, source = findings[0].facts["what"], findings[0].first_source
    return [Objection(Rule.BEFOREHAND, other.title, what, serious=True, source=source)]


def _find_told_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Rates that the text itself tells of a side, and its report does not have.

    serious: the first one, where the other side would lead with them
    """
    findings = data.first_findings(Rule.TOLD, own, other)
    told = {own.at: own.value or 0, other.at: other.value or 0} | {
        side.at: finding.facts["told"] for side, finding in findings
    }
    objections: list[Objection] = []
    for side, finding in findings:
        rates, reverses = (finding.facts["told"], finding.facts["rate"]), told[own.at] < told[other.at]
        is_first = not objections
        objections.append(
            Objection(Rule.TOLD, side.title, "", "", *rates, serious=reverses and is_first, source=finding.first_source)
        )
    return objections


def _find_claimed_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A sentence of the text that calls the slower side faster than the other one; or gives another amount: not serious."""
    leader = data.comparison.columns[own.at].config.name
    claim = next((each for each in data.findings(Rule.CLAIMED, other.at) if each.facts["over"] == leader), None)
    if claim is None:
        return []
    is_opposite, said = claim.moral == "claimed_otherwise", claim.facts["said"]
    return [Objection(Rule.CLAIMED, other.title, said, serious=is_opposite, source=claim.first_source)]


def _find_picked(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which the best of several runs is told. serious: of the leader alone"""
    picked = data.first_findings(Rule.PICKED, own, other)
    if not picked:
        return []
    (side, finding), is_one = picked[0], len(picked) == 1
    whose, is_leader = (side.title if is_one else ""), side.title == own.title
    said, source = finding.facts["said"], finding.first_source
    return [Objection(Rule.PICKED, whose, said, serious=is_one and is_leader, source=source)]


def find_contradictions(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Figures that cannot all be true, more failures than requests among them, with one of each side as its `label`.

    Where reports of both sides contradict themselves alike, config is "": their tool counts otherwise than is known here, or
    both were edited.
    """
    by_rule: dict[str, dict[str, Objection]] = {}
    for side in (own, other):
        for rule, part in data.list_impossible(side.at):
            label, source = part.text.partition(": ")[0], part.finding.first_source
            objection = Objection(Rule.IMPOSSIBLE, side.title, label, serious=True, source=source)
            by_rule.setdefault(rule, {}).setdefault(side.title, objection)
    one_sided = {title: objection for each in by_rule.values() if len(each) == 1 for title, objection in each.items()}
    both = [replace(next(iter(each.values())), config="") for each in by_rule.values() if len(each) > 1]
    return [*one_sided.values(), *both[:1]]


def _find_short_runs(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which no run took a second: start-up and chance in scheduling are in every figure.

    serious: the other side's ran far longer, so that they are in its figures hardly at all, or one had no more than started.
    """
    short: dict[str, Finding] = {}
    took: dict[str, float] = {}
    for side in (own, other):
        took[side.title] = max((run.duration_s or 0 for run in data.comparison.columns[side.at].runs), default=0)
        runs = {run.id for run in data.comparison.columns[side.at].runs} - data.out.keys()
        findings = [finding for finding in data.findings("length.seconds", side.at) if finding.run in runs]
        longest = max(findings, key=lambda finding: finding.facts["took"], default=None)
        if longest and len(findings) == len(runs) and longest.facts["took"] < LONG_ENOUGH_S:
            short[side.title] = longest
    if not short:
        return []
    whose = "" if len(short) > 1 else next(iter(short))
    longest = max(short.values(), key=lambda finding: finding.facts["took"])
    is_start = longest.facts["took"] < START_S
    far = bool(whose) and (is_start or max(took.values()) >= FAR_LONGER * longest.facts["took"])
    return [
        Objection("length.seconds", whose, "", "s", longest.facts["took"], serious=far, source=longest.first_source)
    ]


def find_odd_runs(data: HeadlineData, sides: Sequence[RankedColumn]) -> tuple[str, str]:
    """Whether one repeat of any is far off, or the first of any looks cold."""
    for rule, what in (("warmth.first", "cold"), ("repeats.outlier", "outlier")):
        for side in sides:
            if data.concerns(rule, [side.at]):
                return what, side.title
    return "", ""
