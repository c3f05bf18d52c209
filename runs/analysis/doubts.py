"""What makes a comparison doubtful, in sentences with the lines they rest on.

find_doubts(case)  all of them, fatal ones first; those that are alike are one
excluded(doubts)   runs that a fatal doubt keeps out of verdicts, and why
fatal_rules(case)  the rules that keep runs out whatever it is compared with
apart(doubts)      configs that are not comparable with what they stand against, and why
A fatal doubt that a person overruled is still shown, and keeps nothing out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from runs.analysis import doubt_errors, doubt_figures, doubt_machine
from runs.analysis.doubt_case import SEVERITIES, Case, Finding, Severity
from runs.analysis.doubt_differences import find_differences
from runs.analysis.doubt_wording import NamedFinding, basis_of, compose_sentence, moral_of, name_finding, reason_of
from runs.analysis.facts import OverrideFact, Source

# A rule reads a Case and yields a Finding for each run, each config or the whole comparison that it doubts.
RULES: dict[str, Callable[[Case], Iterable[Finding]]] = {
    "differs.load": partial(find_differences, "load"),
    "differs.machine": partial(find_differences, "machine"),
    "differs.page": partial(find_differences, "page"),
    "differs.tool": partial(find_differences, "tool"),
    "errors.failed": doubt_errors.find_failed,
    "errors.late": doubt_errors.find_late_answers,
    "errors.length": doubt_errors.find_other_lengths,
    "errors.status": doubt_errors.find_other_statuses,
    "figures.availability": doubt_figures.find_wrong_availabilities,
    "figures.concurrency": doubt_figures.find_wrong_concurrencies,
    "figures.counts": doubt_errors.find_impossible_counts,
    "figures.mean": doubt_figures.find_wrong_means,
    "figures.percentiles": doubt_figures.find_wrong_percentiles,
    "figures.rate": doubt_figures.find_wrong_rates,
    "generator.same_host": doubt_machine.find_shared_host,
    "generator.saturated": doubt_machine.find_saturated_generators,
    "length.p99": doubt_figures.find_few_for_p99,
    "length.per_client": doubt_figures.find_few_requests_each,
    "length.seconds": doubt_figures.find_short_runs,
    "limits.clients": doubt_machine.find_more_clients_than_workers,
    "load.set_rate": doubt_figures.find_set_rates,
    "machine.cpu": doubt_machine.find_busy_cpus,
    "machine.steal": doubt_machine.find_stolen_time,
    "machine.swap": doubt_machine.find_swapping,
    "network.keepalive": doubt_figures.find_refused_keepalive,
    "network.syn": doubt_figures.find_lost_syns,
    "network.tail": doubt_figures.find_hanging_requests,
    "repeats.outlier": doubt_figures.find_outlying_repeats,
    "repeats.trend": doubt_figures.find_drifting_repeats,
    "resolution.steps": doubt_figures.find_coarse_times,
    "resolution.within": doubt_figures.find_times_within_a_step,
    "tool.aborted": doubt_errors.find_aborted,
    "tool.interrupted": doubt_errors.find_interrupted,
    "tool.partial": doubt_errors.find_quoted_in_part,
    "tool.warnings": doubt_errors.find_warnings,
    "warmth.first": doubt_figures.find_cold_starts,
}


# The printed figures that a rule's findings about a run rest on: its line link goes to the first that has a line.
GROUNDS = {
    "errors.failed": ("failed_requests", "availability_pct"),
    "errors.late": ("failed_requests",),
    "errors.length": ("failed_length", "failed_requests"),
    "errors.status": ("non_2xx_responses", "failed_requests"),
    "figures.availability": ("availability_pct",),
    "figures.concurrency": ("concurrency",),
    "figures.counts": ("failed_requests", "non_2xx_responses"),
    "figures.mean": ("mean_ms",),
    "figures.percentiles": ("percentiles_ms.50",),
    "figures.rate": ("requests_per_second",),
    "length.p99": ("percentiles_ms.99",),
    "length.per_client": ("complete_requests",),
    "length.seconds": ("duration_s",),
    "load.set_rate": ("requests_per_second",),
    "network.keepalive": ("keepalive_requests",),
    "network.syn": ("connect_ms",),
    "network.tail": ("percentiles_ms.99", "max_ms"),
    "repeats.outlier": ("requests_per_second",),
    "resolution.steps": ("percentiles_ms.50", "mean_ms"),
    "tool.aborted": ("error",),
    "tool.interrupted": ("complete_requests",),
    "tool.warnings": ("warnings",),
    "warmth.first": ("requests_per_second",),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One run's or one config's share of a doubt; neither: the whole comparison's. `ruling`: who overruled it."""

    who: str
    text: str
    run: int | None
    config: int | None
    sources: tuple[Source, ...]
    ruling: OverrideFact | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """`rule` is the id that overrides name, `basis` says where the rule comes from. Overruled: all of its parts are.

    findings  what was found, as codes and numbers, one for each part
    """

    rule: str
    severity: Severity
    text: str
    parts: tuple[Part, ...]
    basis: str
    findings: tuple[Finding, ...]
    overruled: bool = False

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(dict.fromkeys(source for part in self.parts for source in part.sources))

    @property
    def runs(self) -> tuple[int, ...]:
        return tuple(part.run for part in self.parts if part.run is not None)

    @property
    def configs(self) -> tuple[int, ...]:
        return tuple(part.config for part in self.parts if part.config is not None)

    @property
    def config(self) -> int | None:
        """The config that it is about, where that is one."""
        return self.configs[0] if len(self.configs) == 1 else None


def find_doubts(case: Case) -> list[Doubt]:
    """All doubts about a comparison: fatal first, then as the rules stand in the catalogue.

    Findings that are alike (of one severity and moral, about things of one kind) are one doubt.
    """
    found = []
    runs = {run.id: run for run in case.counted}
    places = {run: at for at, run in enumerate(runs)}
    for rule, find in RULES.items():
        alike: dict[tuple[object, ...], list[tuple[Finding, OverrideFact | None]]] = {}
        for finding in sorted(find(case), key=lambda finding: places.get(finding.run or 0, -1)):
            if finding.run is not None and not finding.sources:
                finding = replace(finding, sources=(runs[finding.run].source_of(*GROUNDS.get(rule, ())),))
            ruling = _ruling_on(case, rule, finding)
            kind = (finding.severity, moral_of(finding), finding.run is None, finding.config is None, ruling is None)
            alike.setdefault(kind, []).append((finding, ruling))
        found += [_doubt(case, rule, findings) for findings in alike.values()]
    return sorted(found, key=lambda doubt: SEVERITIES.index(doubt.severity))


def is_rule(identity: str) -> bool:
    """Whether there is a rule of this id, which an override may be about."""
    return identity in RULES


def fatal_rules(case: Case) -> dict[int, set[str]]:
    """Run id -> the rules that keep it out whatever it is compared with."""
    out: dict[int, set[str]] = defaultdict(set)
    for rule, find in RULES.items():
        for finding in find(case) if not rule.startswith("differs.") else ():
            if finding.severity == "fatal" and finding.run is not None:
                out[finding.run].add(rule)
    return out


def excluded(found: Iterable[Doubt]) -> dict[int, str]:
    """Run id -> why it is kept out of verdicts."""
    return {part.run: part.text for part in _fatal_parts(found) if part.run is not None}


def apart(found: Iterable[Doubt]) -> dict[int, str]:
    """Config id -> why the whole config is not comparable with what it stands against."""
    return {part.config: part.text for part in _fatal_parts(found) if part.config is not None}


def _fatal_parts(found: Iterable[Doubt]) -> list[Part]:
    fatal = [doubt for doubt in found if doubt.severity == "fatal" and not doubt.overruled]
    return [part for doubt in reversed(fatal) for part in doubt.parts]  # so that the first doubt's words are given


def _doubt(case: Case, rule: str, findings: list[tuple[Finding, OverrideFact | None]]) -> Doubt:
    named: list[NamedFinding] = [name_finding(case, rule, finding) for finding, _ in findings]
    parts = tuple(
        Part(each.who, reason_of(each), finding.run, finding.config, finding.sources, ruling)
        for each, (finding, ruling) in zip(named, findings, strict=True)
    )
    overruled = all(part.ruling is not None for part in parts)
    found = tuple(finding for finding, _ in findings)
    return Doubt(
        rule,
        findings[0][0].severity,
        compose_sentence(case, named),
        parts,
        basis_of(case, rule, found),
        found,
        overruled,
    )


def _ruling_on(case: Case, rule: str, finding: Finding) -> OverrideFact | None:
    """The override of a fatal finding."""
    if finding.severity != "fatal" or (finding.run is None and finding.config is None):
        return None
    about = (rule, finding.run, finding.config)
    return next((ruling for ruling in case.rulings if (ruling.rule, ruling.run, ruling.config) == about), None)
