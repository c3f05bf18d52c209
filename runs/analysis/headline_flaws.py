"""Flaws of a measurement that may be all of a lead: what held back or slowed a side, reports that cannot be right."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

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
        full: list[tuple[RankedColumn, Finding]] = []
        for side in (own, other):
            every = [finding for name in (rule, "machine.cpu") for finding in data.findings(name, side.at)]
            full += [(side, finding) for finding in every if finding.moral in morals][:1]
        if full:
            last, serious = full[-1][1], full[-1][0] is other
            label, share = str(last.facts.get("program", "")), last.facts.get("cpu")
            beside = UNWATCHED if last.facts.get("alone") is False else None
            objections.append(Objection.of(last, rule, _name_one(full), label, "%", share, beside, serious=serious))
    return objections


def _name_one(found: Sequence[tuple[RankedColumn, Finding]]) -> str:
    """The side of which alone something was found; "" for both."""
    return found[0][0].title if len(found) == 1 else ""


def _find_other_answers(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A page was an error, or a side is named after something else: the server that answered, or the way it was loaded."""
    objections = []
    for rule, label in ((Rule.OTHER_SERVER, "server"), (Rule.SHOWN_STATUS, "status"), (Rule.NOT_AS_NAMED, "had")):
        stated = [
            Objection.of(one, rule, side.title, one.facts[label], other=one.facts.get("other"), serious=True)
            for side, one in data.first_findings(rule, own, other)
        ]
        if rule == Rule.SHOWN_STATUS and len(stated) == 2 and stated[0].label == stated[1].label:
            stated = [replace(stated[0], config="")]
        objections += stated
    return objections


def _find_stopped(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Someone ended the run of one side before all its requests were made, or before its time was over."""
    objections = []
    for side, finding in data.first_findings(Rule.STOPPED, own, other):
        what, made, asked = ("s", "took", "limit") if "limit" in finding.facts else ("requests", "made", "asked")
        figures = finding.facts.get(made), finding.facts.get(asked)
        objections.append(Objection.of(finding, Rule.STOPPED, side.title, "", what, *figures))
    return objections


def _find_idle_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Clients mostly had no request under way: of one side, or of both, whose rates are then those of the clients' pauses.

    serious: of the slower side alone
    """
    idle = data.first_findings(Rule.IDLE, own, other)
    if not idle or any(run.is_open_loop for at in (own.at, other.at) for run in data.comparison.columns[at].runs):
        return []  # at a set rate they stand by until they are needed
    shares = [100 * finding.facts["busy"] / finding.facts["clients"] for _, finding in idle]
    whose = _name_one(idle)
    return [Objection.of(idle[0][1], Rule.IDLE, whose, "", "%", max(shares), serious=whose == other.title)]


def _find_closed_connections(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Connections of one side only that were to be kept and were not."""
    closed = data.first_findings(Rule.CLOSED, own, other)
    return [Objection.of(closed[0][1], Rule.CLOSED, closed[0][0].title)] if len(closed) == 1 else []


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
    drifts = [(side, data.drifting.get(data.comparison.columns[side.at].config.id)) for side in (own, other)]
    findings = [(side.title, finding) for side, finding in drifts if finding]
    if len(findings) != 1:
        return []
    title, finding = findings[0]
    first, last = finding.facts["first"], finding.facts["last"]
    is_far = abs(math.log(last / first)) >= far
    return [Objection.of(finding, Rule.DRIFT, title, finding.moral, "", first, last, serious=is_far)]


def _find_slowed_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What slowed the slower side alone: a limit in a log, a throttled group, much stolen CPU time, what the text tells of.

    Stolen time of a side beside one that nobody watched; of two that were watched it stops their comparison.
    """
    objections = []
    for rule in SLOWED:
        of_leader = {_say_slowing(finding) for finding in data.findings(rule, own.at)}
        findings = [one for one in data.findings(rule, other.at) if _say_slowing(one) not in of_leader]
        if rule == Rule.STEAL:
            findings = [one for one in findings if not one.facts["spared"] and one.facts["share"] >= MUCH_STOLEN_PCT]
        if rule == Rule.THROTTLED and any(QUOTA.search(side.title) for side in (own, other)):
            findings = []  # how much CPU time each may use is what is compared
        for finding in findings[:1]:
            label, share = _say_slowing(finding), finding.facts.get("share")
            objections.append(Objection.of(finding, rule, other.title, label, "%", share, serious=True))
    return objections


def _say_slowing(finding: Finding) -> str:
    return str(finding.facts.get("limit", finding.facts.get("what", "")))


def _find_slow_beginnings(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What came just before runs of the slower side alone, where half of the lead at most is left without them.

    What loaded the machine before the first run may go on beside all of them.
    """
    of_leader = {finding.facts["kind"] for finding in data.findings(Rule.BEFOREHAND, own.at)}
    findings = [one for one in data.findings(Rule.BEFOREHAND, other.at) if one.facts["kind"] not in of_leader]
    slowed = {finding.run for finding in findings}
    left = [one.value for one in data.figures(RATE, other.at) if one.run not in slowed]
    goes_on = any(finding.facts["kind"] == "load" for finding in findings)
    half = math.sqrt(max(own.value or 0, 0) * max(other.value or 0, 0))  # the rate between the two
    if not findings or (left and mean(left) < half and not goes_on):
        return []
    return [Objection.of(findings[0], Rule.BEFOREHAND, other.title, findings[0].facts["what"], serious=True)]


def _find_told_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Rates that the text itself tells of a side, and its report does not have.

    serious: the first one, where the other side would lead with them
    """
    findings = data.first_findings(Rule.TOLD, own, other)
    told = {own.at: own.value or 0, other.at: other.value or 0}
    told |= {side.at: finding.facts["told"] for side, finding in findings}
    reverses = told[own.at] < told[other.at]
    objections = []
    for at, (side, finding) in enumerate(findings):
        rates = finding.facts["told"], finding.facts["rate"]
        objections.append(Objection.of(finding, Rule.TOLD, side.title, "", "", *rates, serious=reverses and at == 0))
    return objections


def _find_claimed_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A sentence of the text that calls the slower side faster than the other one; or gives another amount: not serious."""
    leader = data.comparison.columns[own.at].config.name
    claim = next((each for each in data.findings(Rule.CLAIMED, other.at) if each.facts["over"] == leader), None)
    if claim is None:
        return []
    is_opposite = claim.moral == "claimed_otherwise"
    return [Objection.of(claim, Rule.CLAIMED, other.title, claim.facts["said"], serious=is_opposite)]


def _find_picked(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which the best of several runs is told. serious: of the leader alone"""
    picked = data.first_findings(Rule.PICKED, own, other)
    if not picked:
        return []
    whose, first = _name_one(picked), picked[0][1]
    return [Objection.of(first, Rule.PICKED, whose, first.facts["said"], serious=whose == own.title)]


def find_contradictions(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Figures that cannot all be true, more failures than requests among them, with one of each side as its `label`.

    Where reports of both sides contradict themselves alike, config is "": their tool counts otherwise than is known here, or
    both were edited.
    """
    by_rule: dict[str, dict[str, Objection]] = {}
    for side in (own, other):
        for rule, part in data.list_impossible(side.at):
            label = part.text.partition(": ")[0]
            objection = Objection.of(part.finding, Rule.IMPOSSIBLE, side.title, label, serious=True)
            by_rule.setdefault(rule, {}).setdefault(side.title, objection)
    one_sided = {title: objection for each in by_rule.values() if len(each) == 1 for title, objection in each.items()}
    both = [replace(next(iter(each.values())), config="") for each in by_rule.values() if len(each) > 1]
    return [*one_sided.values(), *both[:1]]


def _find_short_runs(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which no run took a second: start-up and chance in scheduling are in every figure.

    serious: the other side's ran far longer, so that they are in its figures hardly at all, or one had no more than started.
    """
    short: list[tuple[RankedColumn, Finding]] = []
    longest_s = 0.0
    for side in (own, other):
        runs = data.comparison.columns[side.at].runs
        longest_s = max([longest_s, *(run.duration_s or 0 for run in runs)])
        counted = {run.id for run in runs} - data.out.keys()
        findings = [finding for finding in data.findings("length.seconds", side.at) if finding.run in counted]
        longest = max(findings, key=lambda finding: finding.facts["took"], default=None)
        if longest and len(findings) == len(counted) and longest.facts["took"] < LONG_ENOUGH_S:
            short.append((side, longest))
    if not short:
        return []
    whose, finding = _name_one(short), max((one for _, one in short), key=lambda one: one.facts["took"])
    took = finding.facts["took"]
    far = bool(whose) and (took < START_S or longest_s >= FAR_LONGER * took)
    return [Objection.of(finding, "length.seconds", whose, "", "s", took, serious=far)]


def find_odd_runs(data: HeadlineData, sides: Sequence[RankedColumn]) -> tuple[str, str]:
    """Whether one repeat of any is far off, or the first of any looks cold."""
    for rule, what in (("warmth.first", "cold"), ("repeats.outlier", "outlier")):
        for side in sides:
            if data.concerns(rule, [side.at]):
                return what, side.title
    return "", ""
