"""What the rules of doubts read: the facts of one comparison, and figures of a run that are printed or worked out.

None: neither. Times in seconds and milliseconds as the names say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from runs.analysis.columns import Column, build_columns
from runs.analysis.facts import CaptureFact, ConfigFact, HostFact, OverrideFact, RunFact, Source, TextFact

Severity = Literal["fatal", "caution", "note"]
SEVERITIES: tuple[Severity, ...] = ("fatal", "caution", "note")
LOCAL = {"localhost", "localhost.localdomain", "127.0.0.1", "::1", "[::1]", "0.0.0.0"}  # noqa: S104
MANY = 1000  # so many replies of one length, and none of another, show that a page does not change
HUGE = 1e15  # no tool measures more; NaN is not below it either
# A share of failures beyond which rates are about something else: most differences that people claim are smaller.
FATAL = 0.05
STUMP = 0.5  # of the document's length
ENOUGH_MB = 0.2  # so that rounding is under 3 %


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule has against one run, one config, or (neither) the whole comparison.

    moral  what follows from it, as a key of doubt_wording.MORALS: findings of one moral are told in one sentence
    facts  what was seen, as the rule's function in doubt_wording.DETAILS takes it
    """

    severity: Severity
    moral: str
    facts: Mapping[str, Any]
    sources: tuple[Source, ...] = ()
    run: int | None = None
    config: int | None = None


def about_run(run: RunFact, severity: Severity, moral: str, **facts: Any) -> Finding:
    """A finding that rests on the run's first line."""
    return Finding(severity, moral, facts, (Source(run.source, run.line),), run=run.id)


@dataclass(frozen=True)
class Case:
    """One comparison. The first config is the baseline; only counted runs are doubted."""

    configs: Sequence[ConfigFact]
    runs: Sequence[RunFact]
    captures: Sequence[CaptureFact] = ()
    texts: Sequence[TextFact] = ()
    hosts: Sequence[HostFact] = ()
    rulings: Sequence[OverrideFact] = field(default=())

    @cached_property
    def columns(self) -> list[Column]:
        return build_columns(self.configs, self.runs)

    @cached_property
    def counted(self) -> list[RunFact]:
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
        found: dict[tuple[str, int | None], list[RunFact]] = defaultdict(list)
        for run in self.counted:
            found["run", run.id].append(run)
            found["config", run.config].append(run)
        return found

    def runs_of(self, capture: CaptureFact) -> list[RunFact]:
        """The counted runs that a capture belongs to: its own one, or all of its config."""
        key = ("config", capture.config) if capture.run is None else ("run", capture.run)
        return self._runs.get(key, [])

    @cached_property
    def _captures(self) -> dict[int, list[CaptureFact]]:
        found: dict[int, list[CaptureFact]] = defaultdict(list)
        for capture in self.captures:
            for run in self.runs_of(capture):
                found[run.id].append(capture)
        return found

    def captures_of(self, run: int) -> list[CaptureFact]:
        return self._captures.get(run, [])

    @cached_property
    def unswapped(self) -> set[int]:
        """The runs with a capture of the server in which no swap was in use."""
        seen = (capture for capture in self.captures if self.watched_side(capture) != "generator")
        clean = (capture for capture in seen if capture.metrics.get("swap_used_kb") == 0)
        return {run.id for capture in clean for run in self.runs_of(capture)}

    def machine_of(self, capture: CaptureFact) -> HostFact | None:
        found = self.machines.get(capture.host_id or 0)
        return found or (self.hosts[0] if len(self.hosts) == 1 else None)

    def watched_side(self, capture: CaptureFact) -> Literal["server", "generator", "both"]:
        """Which end of the load a capture watched."""
        runs = self.runs_of(capture) or self.counted
        if any(is_local(run) for run in runs):
            return "both"
        targets = {run.host_id for run in runs if run.host_id}
        elsewhere = capture.host_id is not None and bool(targets) and capture.host_id not in targets
        return "generator" if elsewhere else "server"

    @cached_property
    def best_served(self) -> float | None:
        """The most requests per second of a run that served what it was asked for."""
        rates = [run.requests_per_second for run in self.counted if run.requests_per_second and not mostly_fails(run)]
        return max(rates, default=None)

    @cached_property
    def steady(self) -> set[tuple[str, float | None]]:
        """Path and length of documents that never came in another length, in many replies of one run."""
        return {
            (run.path, number(run, "document_length_bytes"))
            for run in self.counted
            if run.failed_requests == 0 and (run.complete_requests or 0) >= MANY
        }


def number(run: RunFact, name: str, part: str = "") -> float | None:
    """The figure `name` of the tool's own values, or `part` of the group of figures of that name."""
    found = run.values.get(name)
    if part:
        found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not abs(found) < HUGE:
        return None
    return found


def set_rate(run: RunFact) -> float | None:
    """Requests/s that the load generator was to send; None where it waits for answers instead, or does not print it."""
    asked = number(run, "asked_requests_per_second")
    return number(run, "rate_per_s") if asked is None else asked


def count_requests(run: RunFact) -> int | None:
    """How many requests were made, failed ones too."""
    if run.complete_requests is not None:
        return run.complete_requests + (0 if run.semantics.failures_in_requests else run.failed_requests or 0)
    if asked := run.options.get("requests"):
        return int(asked)
    worked = (run.requests_per_second or 0) * (run.duration_s or 0)
    return round(worked) if worked and abs(worked) < HUGE else None


def mostly_fails(run: RunFact) -> bool:
    """So many requests failed, of whatever kind, that the rate is about something else."""
    made = count_requests(run)
    return bool(made) and (run.failed_requests or 0) >= FATAL * (made or 1)


def seconds_taken(run: RunFact) -> float | None:
    if run.duration_s is not None:
        return run.duration_s if 0 < run.duration_s < HUGE else None
    made, rate = count_requests(run), run.requests_per_second
    return made / rate if made and rate and 0 < rate < HUGE else None


def count_clients(run: RunFact) -> int | None:
    """How many requests were under way at once, as it was asked for. Some tools print what came about instead."""
    users = number(run, "users")
    if users is not None:
        return int(users)
    asked: int | None = run.options.get("concurrency")
    printed = run.concurrency if run.semantics.concurrency == "asked" else None
    if asked is None and printed is not None and abs(printed) < HUGE:
        return int(printed)
    return run.semantics.default_concurrency if asked is None and run.command else asked


def hostname_of(run: RunFact) -> str:
    """The host that was loaded, "" where neither report nor command has it."""
    return run.hostname or run.options.get("hostname") or ""


def is_local(run: RunFact) -> bool:
    """The address that was loaded is the generator's own machine."""
    name = hostname_of(run)
    return name in LOCAL or name.startswith("127.")


def mean_reply_bytes(run: RunFact) -> float | None:
    """The data transferred for each transaction, where a tool prints these; rounded to hundredths of a MB."""
    data, hits = number(run, "data_transferred_mb"), number(run, "transactions")
    return data * 1048576 / hits if data and hits and data >= ENOUGH_MB else None


def mean_of_failed(run: RunFact) -> float | None:
    """Mean body length (bytes) of the replies that failed by length: what is left of all when the good ones are taken."""
    total, length = number(run, "html_transferred_bytes"), number(run, "document_length_bytes")
    failed, made = number(run, "failed_length"), run.complete_requests
    if total is None or length is None or not failed or not made:
        return None
    # Requests under way at the end are in the total too, so that it may be a few replies more.
    return max(total - (made - failed) * length, 0) / failed


def is_stump(run: RunFact) -> bool:
    """The replies that failed by length were, in the mean, not the page in other words but a piece of it, or nothing."""
    mean, length = mean_of_failed(run), number(run, "document_length_bytes")
    return mean is not None and bool(length) and mean < (length or 0) * STUMP


def broken_requests(run: RunFact) -> dict[str, float]:
    """Failures that no page's change explains, by kind. One request may be counted under several kinds."""
    counts = {kind: number(run, f"failed_{kind}") for kind in ("connect", "receive", "exceptions")}
    counts["write"] = number(run, "write_errors")
    return {kind: count for kind, count in counts.items() if count}
