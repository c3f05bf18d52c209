"""What makes a comparison doubtful, in sentences with the lines they rest on.

find_doubts(case)  all of them, fatal ones first; those that are alike are one
list_excluded(doubts)   runs that a fatal doubt keeps out of verdicts, and why
fatal_rules(case)  the rules that keep runs out whatever it is compared with
list_incomparable(doubts)      configs that are not comparable with what they stand against, and why
A fatal doubt that a person overruled is still shown, and keeps nothing out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from runs.analysis import doubt_figures as figures
from runs.analysis import doubt_machine as machine
from runs.analysis.doubt_case import SEVERITIES, Case, Finding, Part, Severity
from runs.analysis.doubt_differences import find_differences
from runs.analysis.doubt_wording import compose_sentence, make_part
from runs.analysis.facts import Source
from runs.analysis.worker_limits import find_more_clients_than_workers


@dataclass(frozen=True, slots=True)
class Rule:
    """`find` reads a Case and yields a Finding for each run, each config or the whole comparison that it doubts.

    basis    where the rule comes from; what a tool's documentation or source says on it is declared by its format
    figures  what its findings about a run rest on, as printed: their line link goes to the first that has a line
    """

    find: Callable[[Case], Iterable[Finding]]
    basis: str
    figures: tuple[str, ...] = ()


LITTLE = "Little's law: requests under way are the rate times the response time"
TOOLS_OWN = "each tool's documentation: what is counted, and when a time begins, is not the same"
OPEN = "Schroeder, Wierman, Harchol-Balter, Open Versus Closed (2006)"
OFFERED = "queueing theory: throughput and latency are functions of the offered load"
SWAP = "Apache's performance tuning guide: a web server should never have to swap; Linux's documentation of swapping"
LIMITS = "Apache's mpm_common, nginx's core and php-fpm's documentation: what comes beyond the limit waits"
SYN = "RFC 6298, section 2: the first timeout is 1 s; RFC 2988 had 3 s; each doubles the last"
STEPS = "arithmetic: what is printed in steps is known to half a step"
STATUS = "RFC 9110, section 15: only 2xx says that a request succeeded"
CLOSING = "RFC 9112, section 9.3: either side may close a connection that was to persist"
BUSY = "top(1), proc(5): no idle time and more tasks ready to run than cores mean that tasks waited for a CPU"
WARM_UP = "Kalibera and Jones, Rigorous Benchmarking in Reasonable Time (2013): leave warm-up out"
FAILED, RATE, LENGTH = "failed_requests", "requests_per_second", "failed_length"
RULES = {
    "differs.load": Rule(partial(find_differences, "load"), OFFERED),
    "differs.machine": Rule(
        partial(find_differences, "machine"), "practice: a rate is one of machine and config together"
    ),
    "differs.page": Rule(partial(find_differences, "page"), "practice: rates compare where the same thing is fetched"),
    "differs.tool": Rule(partial(find_differences, "tool"), TOOLS_OWN),
    "errors.checks": Rule(
        figures.find_failed_checks, "practice: a wrong answer was not served", ("checks_failed", "checks")
    ),
    "errors.failed": Rule(figures.find_failed, "practice: what failed was not served", (FAILED, "availability_pct")),
    "errors.late": Rule(
        figures.find_late_answers, "practice: a time that was not recorded is in no percentile", (FAILED,)
    ),
    "errors.length": Rule(
        figures.find_other_lengths, "practice: another length is another page or an error", (LENGTH, FAILED)
    ),
    "errors.status": Rule(figures.find_other_statuses, STATUS, ("non_2xx_responses", FAILED)),
    "figures.availability": Rule(
        figures.find_wrong_availabilities,
        "arithmetic: the share of transactions that did not fail",
        ("availability_pct",),
    ),
    "figures.concurrency": Rule(figures.find_wrong_concurrencies, LITTLE, ("concurrency",)),
    "figures.counts": Rule(
        figures.find_impossible_counts, "arithmetic: no more can fail than was asked for", (FAILED, "non_2xx_responses")
    ),
    "figures.mean": Rule(
        figures.find_wrong_means, "arithmetic: clients times the time taken over the requests", ("mean_ms",)
    ),
    "figures.memory": Rule(machine.find_impossible_sizes, "arithmetic: resident memory is a part of the machine's"),
    "figures.percentiles": Rule(
        figures.find_wrong_percentiles, "arithmetic: percentiles rise up to the longest time", ("percentiles_ms.50",)
    ),
    "figures.rate": Rule(figures.find_wrong_rates, "arithmetic: the rate is the requests over the time taken", (RATE,)),
    "generator.same_host": Rule(
        machine.find_shared_host, "practice: load comes from another machine than the one measured"
    ),
    "generator.saturated": Rule(
        machine.find_saturated_generators, "practice: a generator at its limit cannot send more"
    ),
    "length.p99": Rule(
        figures.find_few_for_p99,
        "order statistics: n/100 requests lie beyond the 99th percentile",
        ("percentiles_ms.99",),
    ),
    "length.per_client": Rule(
        figures.find_few_requests_each,
        "practice: each client's first requests meet cold caches",
        ("complete_requests",),
    ),
    "length.seconds": Rule(
        figures.find_short_runs, "practice: start-up and caches change a rate over seconds", ("duration_s",)
    ),
    "limits.clients": Rule(find_more_clients_than_workers, LIMITS),
    "load.generators": Rule(
        figures.find_summed, "arithmetic: what ran at the same time adds up; percentiles do not", (RATE,)
    ),
    "load.idle_clients": Rule(machine.find_idle_clients, LITTLE, ("mean_ms",)),
    "load.missed_rate": Rule(machine.find_missed_rates, OPEN, (RATE,)),
    "load.set_rate": Rule(machine.find_set_rates, OPEN, (RATE,)),
    "machine.cpu": Rule(machine.find_busy_cpus, BUSY),
    "machine.noise": Rule(
        machine.find_noisy_hosts, "A/A runs: equal runs of one small loop on that machine (bd passport)"
    ),
    "machine.others": Rule(
        machine.find_other_programs, "practice: CPU time that another program takes is missing where the server runs"
    ),
    "machine.steal": Rule(
        machine.find_stolen_time, "proc(5): steal is the time that the hypervisor gave to other machines"
    ),
    "machine.swap": Rule(machine.find_swapping, SWAP),
    "machine.unseen": Rule(
        machine.find_short_monitors, "the clocks of the monitors' samples, and the time the run took"
    ),
    "network.keepalive": Rule(machine.find_refused_keepalive, CLOSING, ("keepalive_requests",)),
    "network.link": Rule(
        machine.find_full_links,
        "Ethernet, IP and TCP: of each full frame of 1,538 bytes 1,448 are the reply's",
        (RATE,),
    ),
    "network.syn": Rule(machine.find_lost_syns, SYN, ("connect_ms",)),
    "network.tail": Rule(
        machine.find_hanging_requests,
        "order statistics; Tene, How NOT to Measure Latency (2013): coordinated omission",
        ("percentiles_ms.99", "max_ms"),
    ),
    "repeats.copied": Rule(machine.find_copies, "practice: no two runs have all figures alike to the last digit"),
    "repeats.outlier": Rule(machine.find_outlying_repeats, "robust statistics: the median absolute deviation", (RATE,)),
    "repeats.trend": Rule(
        machine.find_drifting_repeats, "a straight line through the logs of the rates in their order"
    ),
    "resolution.steps": Rule(figures.find_coarse_times, STEPS, ("percentiles_ms.50", "mean_ms")),
    "resolution.within": Rule(figures.find_times_within_a_step, STEPS),
    "tool.aborted": Rule(figures.find_aborted, "the tool's own message", ("error",)),
    "tool.interrupted": Rule(
        figures.find_interrupted,
        "the command: fewer requests than asked for, and no time limit that was reached",
        ("complete_requests",),
    ),
    "tool.partial": Rule(figures.find_quoted_in_part, "the text itself: a report quoted in part"),
    "tool.warnings": Rule(figures.find_warnings, "the tool's own words on its run", ("warnings",)),
    "warmth.first": Rule(machine.find_cold_starts, WARM_UP, (RATE,)),
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """`rule` is the id that overrides name, `basis` says where the rule comes from."""

    rule: str
    severity: Severity
    text: str
    parts: tuple[Part, ...]
    basis: str

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, as codes and numbers, one for each part."""
        return tuple(part.finding for part in self.parts)

    @property
    def overruled(self) -> bool:
        return all(part.override for part in self.parts)

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(dict.fromkeys(source for finding in self.findings for source in finding.sources))

    @property
    def overridden(self) -> tuple[Part, ...]:
        """The parts that a person overruled."""
        return tuple(part for part in self.parts if part.override)

    @property
    def runs(self) -> tuple[int, ...]:
        return tuple(part.run for part in self.parts if part.run is not None)

    @property
    def configs(self) -> tuple[int, ...]:
        return tuple(part.config for part in self.parts if part.config is not None)


def find_doubts(case: Case) -> list[Doubt]:
    """All doubts about a comparison: fatal first, then as the rules stand in the catalogue.

    Findings that are alike (of one severity and moral, about things of one kind) are one doubt.
    """
    doubts = []
    runs = {run.id: run for run in case.counted_runs}
    places = {run: at for at, run in enumerate(runs)}
    overrides = {(override.rule, override.run, override.config): override for override in reversed(case.overrides)}
    for name, rule in RULES.items():
        alike: dict[tuple[object, ...], list[Part]] = {}
        for finding in sorted(rule.find(case), key=lambda finding: places.get(finding.run or 0, -1)):
            if finding.run is not None and not finding.sources:
                finding = replace(finding, sources=(runs[finding.run].source_of(*rule.figures),))
            override = overrides.get((name, finding.run, finding.config)) if finding.severity == "fatal" else None
            part = make_part(case, name, finding, override)
            kind = (finding.severity, part.moral, part.run is None, part.config is None, override is None)
            alike.setdefault(kind, []).append(part)
        doubts += [_make_doubt(case, name, parts) for parts in alike.values()]
    return sorted(doubts, key=lambda doubt: SEVERITIES.index(doubt.severity))


def is_rule(identity: str) -> bool:
    """Whether there is a rule of this id, which an override may be about."""
    return identity in RULES


def fatal_rules(case: Case) -> dict[int, set[str]]:
    """Run id -> the rules that keep it out whatever it is compared with."""
    out: dict[int, set[str]] = defaultdict(set)
    for name, rule in RULES.items():
        for finding in rule.find(case) if not name.startswith("differs.") else ():
            if finding.severity == "fatal" and finding.run is not None:
                out[finding.run].add(name)
    return out


def list_excluded(found: Iterable[Doubt]) -> dict[int, str]:
    """Run id -> why it is kept out of verdicts."""
    return {part.run: part.text for part in _list_fatal_parts(found) if part.run is not None}


def list_incomparable(found: Iterable[Doubt]) -> dict[int, str]:
    """Config id -> why the whole config is not comparable with what it stands against."""
    return {part.config: part.text for part in _list_fatal_parts(found) if part.config is not None}


def _list_fatal_parts(found: Iterable[Doubt]) -> list[Part]:
    fatal = [doubt for doubt in found if doubt.severity == "fatal" and not doubt.overruled]
    return [part for doubt in reversed(fatal) for part in doubt.parts]  # so that the first doubt's words are given


def _make_doubt(case: Case, rule: str, parts: list[Part]) -> Doubt:
    """Its basis is where the rule comes from, with what the tools of the runs that it is about say on it."""
    about = {part.run for part in parts}
    runs = [run for run in case.counted_runs if run.id in about] or case.counted_runs
    cited = [run.semantics.citations[rule] for run in runs if rule in run.semantics.citations]
    basis = "; ".join(dict.fromkeys([RULES[rule].basis, *cited]))
    return Doubt(rule, parts[0].finding.severity, compose_sentence(case, parts), tuple(parts), basis)
