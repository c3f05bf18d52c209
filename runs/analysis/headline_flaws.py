"""What makes the figures of two sides doubtful: what held one of them back, reports that cannot be right or say little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from runs.analysis.facts import Finding
from runs.analysis.headline_against import (
    CLOSED,
    DRIFT,
    HELD_BACK,
    IDLE,
    IMPOSSIBLE,
    LONG_ENOUGH_S,
    LOST,
    NOT_AS_NAMED,
    OTHER_SERVER,
    SHOWN_STATUS,
    STOPPED,
    TOLD,
    HeadlineData,
    Objection,
    RankedColumn,
)

FAR_LONGER = 10  # times
MANY_LOST = 0.1  # of the clients


def find_flaws(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What makes both sides' figures doubtful."""
    finders = (
        find_held_back,
        _find_other_answers,
        _find_other_loads,
        _find_stopped,
        _find_idle_clients,
        _find_closed_connections,
        _find_lost_clients,
        _find_drifting_side,
        _find_short_runs,
        _find_told_otherwise,
    )
    return [found for find in finders for found in find(data, own, other)]


def find_held_back(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What other than its config held a side back. serious: the other side may serve more than the leader."""
    objections = []
    for rule, morals in HELD_BACK.items():
        found = {}
        for side in (own, other):
            every = [one for name in (rule, "machine.cpu") for one in data.findings(name, side.at)]
            if full := next((one for one in every if one.moral in morals), None):
                found[side.title] = full
        if found:
            whose, last = (next(iter(found)) if len(found) == 1 else ""), [*found.values()][-1]
            label, share = str(last.facts.get("program", "")), last.facts.get("cpu")
            serious, source = other.title in found, last.first_source
            objections.append(Objection(rule, whose, label, "%", share, serious=serious, source=source))
    return objections


def _find_other_answers(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Another web server answered than the one that a side is named after, whose rate it may be; or a page was an error."""
    stated = [
        Objection(rule, side.title, str(one.facts[what]), serious=True, source=one.first_source)
        for rule, what in ((OTHER_SERVER, "server"), (SHOWN_STATUS, "status"))
        for side in (own, other)
        for one in data.findings(rule, side.at)[:1]
    ]
    alike = [one for one in stated if one.rule == SHOWN_STATUS]
    is_of_both = len(alike) == 2 and alike[0].label == alike[1].label
    return [*stated[:-2], replace(alike[0], config="")] if is_of_both else stated


def _find_other_loads(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A side was loaded in another way than the one that it is named after. label: which; other: the config that it is like."""
    return [
        Objection(
            NOT_AS_NAMED, side.title, one.facts["had"], other=one.facts["other"], serious=True, source=one.first_source
        )
        for side in (own, other)
        for one in data.findings(NOT_AS_NAMED, side.at)[:1]
    ]


def _find_stopped(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Someone ended the run of one side before all its requests were made, or before its time was over."""
    objections = []
    for side in (own, other):
        for one in data.findings(STOPPED, side.at)[:1]:
            what, (made, asked) = "requests", (one.facts.get("made"), one.facts.get("asked"))
            if "limit" in one.facts:
                what, made, asked = "s", one.facts["took"], one.facts["limit"]
            objections.append(Objection(STOPPED, side.title, "", what, made, asked, source=one.first_source))
    return objections


def _find_idle_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Clients mostly had no request under way: of one side, or of both, whose rates are then those of the clients' pauses.

    serious: of the slower side alone
    """
    idle = [(side, found[0]) for side in (own, other) if (found := data.findings(IDLE, side.at))]
    if not idle or any(run.is_open_loop for at in (own.at, other.at) for run in data.comparison.columns[at].runs):
        return []  # at a set rate they stand by until they are needed
    shares = [100 * one.facts["busy"] / one.facts["clients"] for _, one in idle]
    whose, source = (idle[0][0].title if len(idle) == 1 else ""), idle[0][1].first_source
    return [Objection(IDLE, whose, "", "%", max(shares), serious=whose == other.title, source=source)]


def _find_closed_connections(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Connections of one side only that were to be kept and were not."""
    closed = [(side, found[0]) for side in (own, other) if (found := data.findings(CLOSED, side.at))]
    return [Objection(CLOSED, side.title, source=one.first_source) for side, one in closed] if len(closed) == 1 else []


def _find_lost_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Many clients of a side never got a connection: it was loaded with fewer."""
    objections = []
    for side in (own, other):
        for run in data.comparison.columns[side.at].runs:
            asked, lost = run.requested_clients or 0, (run.requested_clients or 0) - (run.clients or 0)
            if run.clients and lost >= MANY_LOST * asked > 0:
                source = run.source_of("socket_errors")
                objections.append(Objection(LOST, side.title, "", "clients", lost, asked, serious=True, source=source))
                break
    return objections


def _find_drifting_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """The rate of one side alone went down or up from run to run: its mean stands for none of them.

    serious: by as much as half of the lead
    """
    ratio = (own.value or 0) / (other.value or 1)
    far = abs(math.log(ratio)) / 2 if 0 < ratio < math.inf else 0.0
    found = {side.title: data.drifting.get(data.comparison.columns[side.at].config.id) for side in (own, other)}
    findings = [(title, one) for title, one in found.items() if one]
    return [
        Objection(DRIFT, title, one.moral, "", first, last, serious=is_far, source=one.first_source)
        for title, one in findings
        if len(findings) == 1
        for first, last in [(one.facts["first"], one.facts["last"])]
        for is_far in [abs(math.log(last / first)) >= far]
    ]


def _find_told_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Rates that the text itself tells of a side, and its report does not have."""
    return [
        Objection(TOLD, side.title, "", "", one.facts["told"], one.facts["rate"], source=one.first_source)
        for side in (own, other)
        for one in data.findings(TOLD, side.at)[:1]
    ]


def find_contradictions(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Figures that cannot all be true, more failures than requests among them, with one of each side as its `label`.

    Where reports of both sides contradict themselves alike, config is "": their tool counts otherwise than is known here.
    """
    found: dict[str, dict[str, Objection]] = {}
    for side in (own, other):
        for rule, part in data.list_impossible(side.at):
            objection = Objection(
                IMPOSSIBLE, side.title, part.text.partition(": ")[0], source=part.finding.first_source
            )
            found.setdefault(rule, {}).setdefault(side.title, objection)
    one_sided = {title: objection for each in found.values() if len(each) == 1 for title, objection in each.items()}
    both = [replace(next(iter(each.values())), config="") for each in found.values() if len(each) > 1]
    return [*one_sided.values(), *both[:1]]


def _find_short_runs(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which no run took a second: start-up and chance in scheduling are in every figure.

    serious: the other side's ran far longer, so that they are in its figures hardly at all.
    """
    short: dict[str, Finding] = {}
    took: dict[str, float] = {}
    for side in (own, other):
        took[side.title] = max((run.duration_s or 0 for run in data.comparison.columns[side.at].runs), default=0)
        runs = {run.id for run in data.comparison.columns[side.at].runs} - data.out.keys()
        findings = [one for one in data.findings("length.seconds", side.at) if one.run in runs]
        longest = max(findings, key=lambda one: one.facts["took"], default=None)
        if longest and len(findings) == len(runs) and longest.facts["took"] < LONG_ENOUGH_S:
            short[side.title] = longest
    if not short:
        return []
    whose = "" if len(short) > 1 else next(iter(short))
    longest = max(short.values(), key=lambda one: one.facts["took"])
    far = bool(whose) and max(took.values()) >= FAR_LONGER * longest.facts["took"]
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
