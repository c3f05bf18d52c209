"""What speaks against a leader: requests that failed, metrics that say the opposite, loads and machines that are unlike.

Kinds and numbers only; headline_wording has the words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import itemgetter
from statistics import median

from runs.analysis.doubt_case import Doubt, Part
from runs.analysis.doubt_differences import PROPERTIES
from runs.analysis.facts import Finding, HostFact, Source
from runs.analysis.failures import LATE, LATE_SAID, MINOR, Failure, find_failures
from runs.analysis.judgement import ALL_TOGETHER, PERCENTILE, TAIL, judged_row, verdicts_between
from runs.analysis.table import Comparison, Figure, Row, find_workloads
from runs.analysis.verdict import LOSSES, Ground, Judgement, Verdict
from runs.numbers import mean

RATE = "requests_per_second"
REQUEST = "request"  # what sides were asked for, of which each stands alone
FIGURES = "figures."  # the rules of doubts about figures that cannot be true


class Rule(StrEnum):
    """What speaks against a leader, besides its metrics: mostly a rule of doubts."""

    MISSED = "load.missed_rate"
    GENERATOR = "generator.saturated"
    PORTS = "generator.ports"
    NETWORK = "network.link"
    OTHERS = "machine.others"
    DRIFT = "repeats.trend"
    IMPOSSIBLE = "impossible"
    IDLE = "load.idle_clients"
    LOST = "lost_clients"
    STOPPED = "tool.interrupted"
    CLOSED = "network.keepalive"
    OTHER_SERVER = "load.other_server"
    NOT_AS_NAMED = "load.not_as_named"
    SHOWN_STATUS = "load.shown_status"
    TOLD = "load.told_otherwise"
    LOG = "machine.log"
    THROTTLED = "machine.throttled"
    STEAL = "machine.steal"
    BEFOREHAND = "warmth.beforehand"
    CLAIMED = "load.claimed_otherwise"
    PICKED = "load.picked"
    DISTURBED = "machine.disturbed"


# What the machine or the text shows beside the slower side alone.
SLOWED = (Rule.LOG, Rule.THROTTLED, Rule.STEAL, Rule.DISTURBED)
CONFOUNDERS = {
    "differs",
    Rule.IMPOSSIBLE,  # of both sides: of one it leaves no lead at all
    Rule.DRIFT,
    Rule.OTHER_SERVER,
    Rule.NOT_AS_NAMED,
    Rule.SHOWN_STATUS,
    Rule.IDLE,
    Rule.LOST,
    Rule.TOLD,
    Rule.BEFOREHAND,
    Rule.CLAIMED,
    Rule.PICKED,
    *SLOWED,
}
# What held a side back other than its config: rule -> the findings that say so, of whatever rule.
HELD_BACK = {
    Rule.GENERATOR: {"generator_full", "cpu_of_generator"},
    Rule.PORTS: {"no_ports"},
    Rule.NETWORK: {"link_full"},
    Rule.OTHERS: {"others"},
}
UNWATCHED = "unwatched"  # in place of the other side's figure, beside which nothing was looked at
# Other metrics count against a leader from this factor on where they are proven or likely, and where they are not.
WORSE, SHOWN = 1.1, 1.25
MUCH_WORSE = 2.0  # seen and not tested: serious all the same
MOST_TIMES = 2
NOTICED_MIB, NOTICED_MIB_EACH = 10.0, 1.0  # of all processes, of each: less memory decides for no config
LONG_ENOUGH_S = 1.0  # to be no more than a doubt
# The leading metric is the first that two sides have; of load at a set rate the times lead, as the rate was given.
MEASURES = {RATE: 1, "mean_ms": -1, "p50_ms": -1}
# Metric -> the rule of the objection that it may give rise to.
RULE_OF = {"max_ms": "longest", "mean_ms": "latency", RATE: "rate"}
NEAR = 1.02  # of rates that were set: all alike


@dataclass(frozen=True)
class RankedColumn:
    """One column of the table: its runs that count, and their mean of the leading metric.

    heading  the one above its config, where the configs that it is compared with stand under others
    """

    at: int
    title: str
    n: int
    value: float | None
    failure: Failure | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Unlike:
    """A property in which two sides differ.

    stops      rates under such a difference are not compared, unless it `is_compared`
    confounds  it could be all of a lead
    """

    name: str
    own: str | float
    other: str | float
    unit: str
    stops: bool
    is_said: bool = False
    confounds: bool = False
    is_compared: bool = False
    source: Source | None = None

    @property
    def is_of(self) -> str:
        """What it tells of: of several such properties one may be compared."""
        return (PROPERTIES[self.name].like if self.name in PROPERTIES else "") or self.name


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against the leader. value and other: its own figure and the other side's.

    factor       how many times as bad as the other's; None where that is no number
    rule         tail, longest, latency, rate, memory, cpu, failures, workload, differs, or a rule of doubts
    in_sentence  the headline's sentence says it
    """

    rule: str
    config: str
    label: str = ""
    unit: str = ""
    value: float | str | None = None
    other: float | str | None = None
    factor: float | None = None
    serious: bool = False
    source: Source | None = None
    text: str = ""
    in_sentence: bool = False

    @classmethod
    def of(
        cls,
        finding: Finding,
        rule: str,
        config: str,
        label: str = "",
        unit: str = "",
        value: float | str | None = None,
        other: float | str | None = None,
        *,
        serious: bool = False,
    ) -> Objection:
        """What a rule of doubts found."""
        return cls(rule, config, label, unit, value, other, serious=serious, source=finding.first_source)

    @property
    def explains_lead(self) -> bool:
        """Whether it is something else than the config that could be all of the lead."""
        return self.serious and self.rule in CONFOUNDERS


@dataclass(frozen=True)
class HeadlineData:
    """What a headline is decided from. directives: those in which the configs differ; out: runs that a doubt keeps out."""

    comparison: Comparison
    judgement: Judgement
    doubts: Sequence[Doubt]
    directives: Sequence[str]
    hosts: Sequence[HostFact]
    out: Mapping[int, str]

    @cached_property
    def failures(self) -> Mapping[int, Failure]:
        findings = ((doubt.rule, finding) for doubt in self.doubts if not doubt.overruled for finding in doubt.findings)
        return find_failures(self.comparison.columns, findings)

    @cached_property
    def workloads(self) -> Sequence[Sequence[int]]:
        """The columns that compete."""
        return find_workloads(self.comparison)

    @cached_property
    def _has_several_headings(self) -> Mapping[int, bool]:
        """Column -> whether those that it competes with stand below several headings."""
        columns = self.comparison.columns
        several = [(ats, len({columns[at].config.group for at in ats}) > 1) for ats in self.workloads]
        return {at: has_several for ats, has_several in several for at in ats}

    @cached_property
    def _impossible(self) -> Mapping[int, list[tuple[int, str, Part]]]:
        """Run id -> (place, rule, what was found) of its figures that cannot all be true."""
        by_run: dict[int, list[tuple[int, str, Part]]] = {}
        doubts = [doubt for doubt in self.doubts if doubt.rule.startswith(FIGURES) and not doubt.overruled]
        for place, (rule, part) in enumerate((doubt.rule, part) for doubt in doubts for part in doubt.parts):
            by_run.setdefault(part.run or 0, []).append((place, rule, part))
        return by_run

    def list_impossible(self, at: int) -> list[tuple[str, Part]]:
        """(rule, what was found) of a column's figures that cannot all be true, in the order of the doubts."""
        placed = [each for run in self.comparison.columns[at].runs for each in self._impossible.get(run.id, ())]
        return [(rule, part) for _, rule, part in sorted(placed, key=itemgetter(0))]

    def figures(self, key: str, at: int) -> list[Figure]:
        row = self.comparison.row(key)
        all_figures = row.cells[at].figures if row else ()
        return [figure for figure in all_figures if figure.run not in self.out and math.isfinite(figure.value)]

    def side(self, key: str, at: int) -> RankedColumn:
        column, figures = self.comparison.columns[at], self.figures(key, at)
        value = mean([figure.value for figure in figures]) if figures else None
        apart = self._has_several_headings.get(at, False)
        return RankedColumn(
            at, column.title, len(figures), value, self.failures.get(at), column.config.group if apart else ""
        )

    def verdicts_between(self, own: int, other: int) -> Callable[[str], Verdict | None]:
        return verdicts_between(self.comparison, self.judgement, own, other, self.out)

    def concerns(self, rule: str, ats: Iterable[int]) -> list[Doubt]:
        """Doubts of this rule about runs of these columns."""
        runs = {run.id for at in ats for run in self.comparison.columns[at].runs}
        return [doubt for doubt in self._doubts_by_rule.get(rule, ()) if runs & doubt.run_ids]

    @cached_property
    def drifting(self) -> Mapping[int, Finding]:
        """Config id -> how its rates went down or up from run to run."""
        return {
            finding.config or 0: finding
            for doubt in self._doubts_by_rule.get(Rule.DRIFT, ())
            for finding in doubt.findings
        }

    @cached_property
    def _doubts_by_rule(self) -> Mapping[str, list[Doubt]]:
        """Those that nobody overruled."""
        by_rule: dict[str, list[Doubt]] = {}
        for doubt in self.doubts:
            if not doubt.overruled:
                by_rule.setdefault(doubt.rule, []).append(doubt)
        return by_rule

    @cached_property
    def _findings(self) -> Mapping[tuple[str, int | None], list[tuple[int, Finding]]]:
        """(rule, run id) -> its findings, each with its place among those of the rule."""
        by_place: dict[tuple[str, int | None], list[tuple[int, Finding]]] = {}
        for rule, doubts in self._doubts_by_rule.items():
            for place, one in enumerate(finding for doubt in doubts for finding in doubt.findings):
                by_place.setdefault((rule, one.run), []).append((place, one))
        return by_place

    def findings(self, rule: str, at: int) -> list[Finding]:
        """What this rule has against runs of this column, in the order of the doubts."""
        runs = {run.id for run in self.comparison.columns[at].runs}
        numbered = [each for run in runs for each in self._findings.get((rule, run), ())]
        return [finding for _, finding in sorted(numbered, key=itemgetter(0))]

    def first_findings(self, rule: str, *sides: RankedColumn) -> list[tuple[RankedColumn, Finding]]:
        """The first thing that this rule has against each of these, without those that it has none against."""
        return [(side, finding) for side in sides for finding in self.findings(rule, side.at)[:1]]


def has_contradiction(against: Iterable[Objection]) -> bool:
    """Whether the figures of one side cannot all be true."""
    return any(objection.rule == Rule.IMPOSSIBLE and objection.config for objection in against)


def find_objections(
    data: HeadlineData, lead: str, own: RankedColumn, other: RankedColumn, verdict_of: Callable[[str], Verdict | None]
) -> list[Objection]:
    """Metrics that are worse on the leader's side: the worst two of the times, memory, CPU time, and failures."""
    by_rule: dict[str, list[Objection]] = {}
    gain = verdict_of(lead)
    missed = [side for side in (own, other) if data.concerns(Rule.MISSED, [side.at])]
    for row in data.comparison.rows:
        rule = _choose_rule(data, row, lead)
        verdict = verdict_of(row.key) if rule else None
        if rule and verdict and (objection := _make_objection(data, rule, row, own, other, verdict, gain)):
            by_rule.setdefault(rule, []).append(objection)
    times = next((by_rule[rule] for rule in ("tail", "longest", "latency") if rule in by_rule), [])
    times = sorted(times, key=lambda objection: -(objection.factor or 0))[:MOST_TIMES]
    times = [*_find_coordinated_omission(data, own, other), *times][:MOST_TIMES] if missed != [other] else []
    worst = [
        max(by_rule[rule], key=lambda objection: objection.factor or 0)
        for rule in ("rate", "memory", "cpu")
        if rule in by_rule
    ]
    failures = _find_more_failures(own, other) or _find_failures_beside(own, other)
    return [*failures, *_find_aborted(data, own), *_find_missed_rates(data, missed), *times[:1], *worst, *times[1:]]


def _find_coordinated_omission(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Most of the time of the leader's clients went into so few requests that its percentiles do not show them."""
    slowest = [
        {
            finding.facts["slowest"]: finding
            for finding in data.findings("network.tail", side.at)
            if finding.severity == "caution"
        }
        for side in (own, other)
    ]
    mine, its = (max(by_share, default=0.0) for by_share in slowest)
    if mine <= its:
        return []
    return [Objection.of(slowest[0][mine], "omission", own.title, "", "%", 100 * mine)]


def _find_missed_rates(data: HeadlineData, sides: Sequence[RankedColumn]) -> list[Objection]:
    """Sides that were not loaded at the rate that was set; config "" where none was, and all were to be."""
    objections = []
    for side in sides:
        most = max(data.findings(Rule.MISSED, side.at), key=lambda finding: finding.facts["missed"])
        asked, got = most.facts.get("asked"), most.facts.get("got")
        value = 100 * most.facts["missed"] if asked is None else got
        objections.append(Objection.of(most, Rule.MISSED, side.title, "", "%", value, asked))
    if len(objections) > 1 and len({one.other for one in objections}) == 1 and objections[0].other:
        return [replace(max(objections, key=lambda one: float(one.value or 0)), config="")]
    return objections


def _choose_rule(data: HeadlineData, row: Row, lead: str) -> str:
    """Which kind of objection a row may give rise to; "" for none."""
    judged = judged_row(row)
    if judged is None or row.key == lead:
        return ""
    if row.key.endswith("_after") and data.comparison.row(f"{row.key.removesuffix('_after')}_during"):
        return ""
    if match := PERCENTILE.fullmatch(row.key):
        return "tail" if float(match[1]) >= TAIL else "latency"
    if row.key in RULE_OF:
        return RULE_OF[row.key]
    if row.key.startswith(("cpu_busy", "cpu_of_")):
        return "cpu"
    return "memory" if row.unit == "MiB" and judged.good < 0 else ""


def _make_objection(
    data: HeadlineData,
    rule: str,
    row: Row,
    own: RankedColumn,
    other: RankedColumn,
    verdict: Verdict,
    gain: Verdict | None,
) -> Objection | None:
    """None where the row does not speak against the leader, or too little to matter."""
    if not verdict.ratio or verdict.ground == Ground.WITHIN_STEP:
        return None
    value, other_value = (data.side(row.key, side.at).value for side in (own, other))
    if rule == "memory" and (value or 0) - (other_value or 0) < (
        NOTICED_MIB if ALL_TOGETHER in row.key else NOTICED_MIB_EACH
    ):
        return None
    factor = 1 / verdict.ratio if rule == "rate" else verdict.ratio
    if rule == "cpu":  # more requests take more CPU time: only what each takes counts
        factor /= max((gain.ratio or 1) if gain else 1, 1.0)
    proven = verdict.kind in LOSSES
    # Where times lead, those that lose as much as the leading ones gain leave no winner.
    is_as_much = rule in ("tail", "latency") and gain is not None and 1 / factor <= (gain.ratio or 0) < 1
    if factor < (WORSE if proven or is_as_much else SHOWN) or (
        rule == "longest" and not proven and factor < MUCH_WORSE
    ):
        return None
    figures = data.figures(row.key, own.at)
    worst = max(figures, key=lambda figure: figure.value) if figures else None
    serious = proven or (factor >= MUCH_WORSE and rule != "longest")
    return Objection(
        rule=rule,
        config=own.title,
        label=row.label,
        unit=row.unit,
        value=value,
        other=other_value,
        factor=factor,
        serious=serious,
        source=Source(worst.source, worst.line) if worst else None,
    )


def _find_more_failures(own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Failures too few to come first, and more of them than on the other side."""
    share = own.failure.share if own.failure and own.failure.share else 0.0
    less = other.failure.share if other.failure and other.failure.share else 0.0
    least = LATE_SAID if own.failure and own.failure.rule == LATE else MINOR
    is_news = own.failure and (own.failure.is_sure or other.failure is None or other.failure.is_sure)
    if own.failure is None or not is_news or share < least or share < less + least:
        return []
    rule, source, serious = own.failure.rule, own.failure.source, share >= less + MINOR
    return [Objection("failures", own.title, rule, "%", 100 * share, 100 * less, serious=serious, source=source)]


def _find_failures_beside(*sides: RankedColumn) -> list[Objection]:
    """What failed of either side, too little to come first: it is in the rates that are compared."""
    failing = [
        (side.title, failure) for side in sides if (failure := side.failure) and failure.share and failure.is_stated
    ]
    return [
        Objection(failure.rule, title, "", "%", 100 * (failure.share or 0), failure.late or None, source=failure.source)
        for title, failure in failing
        if failure.is_sure or len(failing) == 1
    ]


def _find_aborted(data: HeadlineData, own: RankedColumn) -> list[Objection]:
    """Runs of the leader that came to no end, where others did."""
    runs = data.comparison.columns[own.at].runs
    broken = [run for run in runs if run.aborted]
    if not broken or len(broken) == len(runs):
        return []
    source = broken[0].source_of("error")
    return [Objection("aborted", own.title, "", "runs", len(broken), len(runs), source=source)]


def make_failure_objection(title: str, failure: Failure) -> Objection:
    share = None if failure.share is None else 100 * failure.share
    return Objection("failures", title, failure.rule, "%", share, serious=True, source=failure.source)


def pick_measure(data: HeadlineData, ats: Sequence[int]) -> str:
    have = {key: sum(bool(data.figures(key, at)) for at in ats) for key in MEASURES}
    rates = [figure.value for at in ats for figure in data.figures(RATE, at)]
    was_set = {run for doubt in data.concerns("load.set_rate", ats) for run in doubt.runs}
    runs = [run for at in ats for run in data.comparison.columns[at].runs]
    is_set = all(run.id in was_set or run.is_open_loop for run in runs)
    timed = next((key for key in ("mean_ms", "p50_ms") if have[key] > 1), "")
    if rates and timed and is_set and min(rates) > 0 and max(rates) < NEAR * min(rates):
        return timed
    return next((key for key in MEASURES if have[key] == len(ats) > 1), max(have, key=lambda key: have[key]))


def score_column(data: HeadlineData, key: str, side: RankedColumn) -> float:
    """How good a side is beside the others of its block: by its verdict's ratio, as the table has it, or by its mean."""
    verdict = data.judgement.of(key, side.at)
    value = side.value or 0.0
    if verdict and verdict.ratio:
        value = verdict.ratio * (data.side(key, data.judgement.bases[side.at]).value or 0.0)
    return value if MEASURES[key] > 0 else -value


def find_widest_spread(data: HeadlineData, key: str, sides: Sequence[RankedColumn]) -> float | None:
    values = [[figure.value for figure in data.figures(key, side.at)] for side in sides]
    return max((max(own) / min(own) for own in values if len(own) > 1 and min(own) > 0), default=None)


def leads_by_median(data: HeadlineData, key: str, own: RankedColumn, other: RankedColumn) -> bool:
    """Whether the leader by the mean leads by the median, too, by a quarter as much and more: else one odd run decides."""
    mine, its = (median(figure.value for figure in data.figures(key, side.at)) for side in (own, other))
    return (mine - its) * MEASURES[key] > abs((own.value or 0.0) - (other.value or 0.0)) / 4
