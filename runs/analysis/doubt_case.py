"""What the rules of doubts read: the facts of one comparison, and figures of a run that are printed or worked out.

None: neither. Times in seconds and milliseconds as the names say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, TypeVar

from runs.analysis.adaptive import FigureLimit
from runs.analysis.columns import Column, build_columns, find_baselines
from runs.analysis.facts import (
    FATAL,
    HUGE,
    CaptureFact,
    ConfigFact,
    Finding,
    HostFact,
    OverrideFact,
    RunFact,
    Severity,
    Source,
    TextFact,
)

SEVERITIES: tuple[Severity, ...] = ("fatal", "caution", "note")
LOCAL = {"localhost", "localhost.localdomain", "127.0.0.1", "::1", "[::1]", "0.0.0.0"}  # noqa: S104
MANY = 1000  # so many replies of one length, and none of another, show that a page does not change
STUMP = 0.5  # of the document's length
ENOUGH_MB, HALF_STEP_MB = 0.2, 0.005  # so that rounding is under 3 %
BYTES_A_MB = 1048576
LEAST_BYTES = 64  # less than any page has


def about_run(run: RunFact, severity: Severity, moral: str, source: Source | None = None, /, **facts: Any) -> Finding:
    """A finding that rests on this line, or on that of the rule's figure, see Rule.figures."""
    return Finding(severity, moral, facts, (source,) if source else (), run=run.id)


@dataclass(frozen=True, slots=True)
class Part:
    """A finding in words: one run's or one config's share of a doubt; neither: the whole comparison's.

    who       a run's title, a config's name, or "" for the whole comparison
    text      the finding by itself: for the run or config, and the verdict's sentence
    override  who overruled it
    """

    who: str
    finding: Finding
    detail: str
    moral: str
    text: str
    override: OverrideFact | None = None

    @property
    def run(self) -> int | None:
        return self.finding.run

    @property
    def config(self) -> int | None:
        return self.finding.config


@dataclass(frozen=True)
class Doubt:
    """`rule` is the id that overrides name, `basis` says where the rule comes from."""

    rule: str
    severity: Severity
    text: str
    parts: tuple[Part, ...]
    basis: str

    @cached_property
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

    @cached_property
    def runs(self) -> tuple[int, ...]:
        return tuple(part.run for part in self.parts if part.run is not None)

    @cached_property
    def run_ids(self) -> frozenset[int]:
        return frozenset(self.runs)

    @property
    def configs(self) -> tuple[int, ...]:
        return tuple(part.config for part in self.parts if part.config is not None)


def name_tool(run: RunFact) -> str | None:
    """By which tool a rate in a table came, nobody knows."""
    return None if run.semantics.quotes_others else run.semantics.shown_as or run.tool


def list_excluded(doubts: Iterable[Doubt]) -> dict[int, str]:
    """Run id -> why it is kept out of verdicts."""
    return {part.run: part.text for part in _list_fatal_parts(doubts) if part.run is not None}


def list_incomparable(doubts: Iterable[Doubt]) -> dict[int, str]:
    """Config id -> why the whole config is not comparable with what it stands against."""
    return {part.config: part.text for part in _list_fatal_parts(doubts) if part.config is not None}


def _list_fatal_parts(doubts: Iterable[Doubt]) -> list[Part]:
    fatal = [doubt for doubt in doubts if doubt.severity == "fatal" and not doubt.overruled]
    return [part for doubt in reversed(fatal) for part in doubt.parts]  # so that the first doubt's words are given


@dataclass(frozen=True)
class Case:
    """One comparison. The first config is the baseline; only counted runs are doubted.

    varied  column -> its value of what a sweep varies over a range; empty where the comparison is none
    limit   of a search for the highest load that keeps it
    """

    configs: Sequence[ConfigFact]
    runs: Sequence[RunFact]
    captures: Sequence[CaptureFact] = ()
    texts: Sequence[TextFact] = ()
    hosts: Sequence[HostFact] = ()
    overrides: Sequence[OverrideFact] = ()
    varied: Mapping[int, float] = field(default_factory=dict)
    limit: FigureLimit | None = None

    @cached_property
    def columns(self) -> list[Column]:
        return build_columns(self.configs, self.runs)

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """For each column the index of the one that it stands against, see find_baselines."""
        return find_baselines(self.columns, self._list_odd_tool())

    def _list_odd_tool(self) -> Sequence[int]:
        """The columns of the first config, where two or more others were all loaded with one other tool."""
        tools: dict[int, set[str | None]] = defaultdict(set)
        for run in self.counted_runs:
            tools[run.config].add(name_tool(run))
        first, *others = tools.values() or [set()]
        is_odd = len(others) > 1 and all(each == others[0] for each in others) and first.isdisjoint(others[0])
        if not is_odd or None in first or others[0] == {None} or len(others[0]) > 1:
            return ()
        return [at for at, column in enumerate(self.columns) if column.config.id == next(iter(tools))]

    @cached_property
    def counted_runs(self) -> list[RunFact]:
        """The counted runs in the order of the columns."""
        return [run for column in self.columns for run in column.runs]

    @cached_property
    def titles(self) -> dict[int, str]:
        """Run id -> its column's title, with the repeat where the column has several."""
        return {
            run.id: f"{column.title}, repeat {run.repeat}" if len(column.runs) > 1 else column.title
            for column in self.columns
            for run in column.runs
        }

    @cached_property
    def names(self) -> dict[int, str]:
        return {config.id: config.name for config in self.configs}

    @cached_property
    def machines(self) -> dict[int, HostFact]:
        return {host.id: host for host in self.hosts}

    @cached_property
    def _runs(self) -> dict[tuple[str, int | None], list[RunFact]]:
        by_config: dict[tuple[str, int | None], list[RunFact]] = defaultdict(list)
        beside = {capture.run for capture in self.captures}
        for column in self.columns:
            seen = [run for run in column.runs if run.id in beside]
            for run in column.runs:
                # What was watched beside one repeat only is taken for what the others had, too.
                by_config["run", run.id] = list(column.runs) if seen == [run] else [run]
                by_config["config", run.config].append(run)
        return by_config

    def runs_of(self, capture: CaptureFact) -> list[RunFact]:
        """The counted runs that a capture is about: its own one with repeats that nothing watched, or all of its config."""
        key = ("config", capture.config) if capture.run is None else ("run", capture.run)
        return self._runs.get(key, [])

    @cached_property
    def _captures(self) -> dict[int, list[CaptureFact]]:
        by_run: dict[int, list[CaptureFact]] = defaultdict(list)
        for capture in self.captures:
            for run in self.runs_of(capture):
                by_run[run.id].append(capture)
        return by_run

    def captures_of(self, run: int) -> list[CaptureFact]:
        return self._captures.get(run, [])

    def captures_beside(self, runs: Iterable[RunFact]) -> list[CaptureFact]:
        """The captures of several runs, each once, in the order in which the comparison lists them."""
        captures = {capture.id: capture for run in runs for capture in self.captures_of(run.id)}
        return sorted(captures.values(), key=lambda capture: self._places[capture.id])

    @cached_property
    def _places(self) -> dict[int, int]:
        return {capture.id: at for at, capture in enumerate(self.captures)}

    @cached_property
    def unswapped(self) -> set[int]:
        """The runs with a capture of the server in which no swap was in use, or no page went in or out."""
        seen = (capture for capture in self.captures if self.watched_side(capture) != "generator")
        clean = (
            capture
            for capture in seen
            if capture.metrics.get("swap_used_kb") == 0
            or capture.peaks.get("swap_in_kb_per_s") == 0 == capture.peaks.get("swap_out_kb_per_s")
        )
        return {run.id for capture in clean for run in self.runs_of(capture)}

    def machine_of(self, capture: CaptureFact) -> HostFact | None:
        host = self.machines.get(capture.host_id or 0)
        return host or (self.hosts[0] if len(self.hosts) == 1 else None)

    def watched_side(self, capture: CaptureFact) -> Literal["server", "generator", "both"]:
        """Which end of the load a capture watched."""
        runs = self.runs_of(capture) or self.counted_runs
        if any(is_local(run) for run in runs):
            return "both"
        targets = {run.host_id for run in runs if run.host_id}
        elsewhere = capture.host_id is not None and bool(targets) and capture.host_id not in targets
        return "generator" if elsewhere else "server"

    @cached_property
    def best_served(self) -> float | None:
        """The most requests per second of a run that served what it was asked for."""
        rates = [
            run.requests_per_second for run in self.counted_runs if run.requests_per_second and not mostly_fails(run)
        ]
        return max(rates, default=None)

    @cached_property
    def steady(self) -> set[tuple[str, float | None]]:
        """Path and length of documents that never came in another length, in many replies of one run."""
        return {
            (run.path, run.number("document_length_bytes"))
            for run in self.counted_runs
            if run.failed_requests == 0 and (run.complete_requests or 0) >= MANY
        }


@dataclass(frozen=True, slots=True)
class Rule:
    """`find` yields a Finding for each run, each config or the whole comparison that it doubts.

    basis    where it comes from; what a tool's documentation or source says on it is declared by its format
    figures  what its findings about a run rest on, as printed: their line link goes to the first that has a line
    of_runs  `find` reads one run, and else the Case
    """

    find: Callable[[Any], Iterable[Finding]]
    basis: str
    figures: tuple[str, ...] = ()
    of_runs: bool = False

    def apply(self, case: Case) -> Iterable[Finding]:
        return chain.from_iterable(map(self.find, case.counted_runs)) if self.of_runs else self.find(case)


RULES: dict[str, Rule] = {}  # by the ids that overrides name; whole once the package is imported
Find = TypeVar("Find", bound=Callable[[Any], Iterable[Finding]])


def rule(name: str, basis: str, *figures: str, of_runs: bool = False) -> Callable[[Find], Find]:
    """Declares a function as a rule, see Rule."""

    def declare(find: Find) -> Find:
        RULES[name] = Rule(find, basis, figures, of_runs)
        return find

    return declare


run_rule = partial(rule, of_runs=True)
LITTLE = "Little's law: requests under way are the rate times the response time"


def fatal_rules(case: Case) -> dict[int, set[str]]:
    """Run id -> the rules that keep it out whatever it is compared with."""
    out: dict[int, set[str]] = defaultdict(set)
    for name, rule in RULES.items():
        for finding in rule.apply(case) if not name.startswith("differs.") else ():
            if finding.severity == "fatal" and finding.run is not None:
                out[finding.run].add(name)
    return out


def mostly_fails(run: RunFact) -> bool:
    """So many requests failed, of whatever kind, or were answered with an error, that the rate is about something else."""
    made = run.requests_made
    bad = max(run.failed_requests or 0, run.non_2xx_responses or 0)
    return bool(made) and bad >= FATAL * (made or 1)


def seconds_taken(run: RunFact) -> float | None:
    if run.duration_s is not None:
        return run.duration_s if 0 < run.duration_s < HUGE else None
    made, rate = run.requests_made, run.requests_per_second
    return made / rate if made and rate and 0 < rate < HUGE else None


def hostname_of(run: RunFact) -> str:
    """The host that was loaded, "" where neither report nor command has it."""
    return run.hostname or run.options.get("hostname") or ""


def is_local(run: RunFact) -> bool:
    """The address that was loaded is the generator's own machine."""
    name = hostname_of(run)
    return name in LOCAL or name.startswith("127.")


def read_tls(run: RunFact) -> str | None:
    """Whether the load went over TLS: by the address, or by what the tool prints of the protocol."""
    scheme = run.options.get("scheme")
    is_off = scheme or (run.semantics.prints_tls and not run.partial and not run.aborted)
    return "on" if run.values.get("tls_protocol") or scheme == "https" else "off" if is_off else None


def mean_reply_bytes(run: RunFact) -> float | None:
    """The bytes received for each request, where a tool prints their sum; None where that was rounded too much to tell."""
    path, made = run.semantics.received_bytes, run.complete_requests
    total_bytes = run.number(path) if path else None
    if total_bytes is None or not made:
        return None
    unit = BYTES_A_MB if "_mb" in path else 1
    is_known = unit == 1 or total_bytes >= ENOUGH_MB or (total_bytes + HALF_STEP_MB) * unit < LEAST_BYTES * made
    return total_bytes * unit / made if is_known else None


def mean_of_failed(run: RunFact) -> float | None:
    """Mean body length (bytes) of the replies that failed by length: what is left of all when the good ones are taken."""
    total, length = run.number("html_transferred_bytes"), run.number("document_length_bytes")
    failed, made = run.number("failed_length"), run.complete_requests
    if total is None or length is None or not failed or not made:
        return None
    # Requests under way at the end are in the total too, so that it may be a few replies more.
    return max(total - (made - failed) * length, 0) / failed


def is_stump(run: RunFact) -> bool:
    """The replies that failed by length were, in the mean, not the page in other words but a piece of it, or nothing."""
    mean, length = mean_of_failed(run), run.number("document_length_bytes")
    return mean is not None and bool(length) and mean < (length or 0) * STUMP


def broken_requests(run: RunFact) -> dict[str, float]:
    """Failures that no page's change explains, by kind, without answers that came late."""
    late = run.semantics.late_answers
    counts = {kind: run.number(path) for kind, path in run.semantics.failure_kinds.items() if path != late}
    return {kind: count for kind, count in counts.items() if count and kind != "length"}


def is_during(capture: CaptureFact) -> bool:
    return capture.phase not in ("before", "after")


def make_findings(case: Case, capture: CaptureFact, severity: Severity, moral: str, **facts: Any) -> Iterator[Finding]:
    """The same finding for each run that the capture belongs to; without one it is about the whole comparison."""
    runs = case.runs_of(capture)
    if capture.run is not None and len(runs) > 1:
        facts["repeats"] = len(runs)
    for run in runs:
        yield about_run(run, severity, moral, capture.first_line, **facts)
    if not runs and severity != "fatal":
        yield Finding(severity, moral, facts, (capture.first_line,))
