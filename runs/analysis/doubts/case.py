"""What the rules look at: plain facts of one comparison, and the questions that many rules ask of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from runs.analysis.columns import Column, columns
from runs.analysis.doubts.told import document_bytes, is_local, mostly_fails
from runs.analysis.facts import CaptureFact, ConfigFact, HostFact, OverrideFact, RunFact, TextFact

MANY = 1000  # so many replies of one length, and none of another, show that a page does not change


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
        return columns(self.configs, self.runs)

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
        """The counted runs that a capture stands beside: its own one, or all of its config."""
        key = ("config", capture.config) if capture.run is None else ("run", capture.run)
        return self._runs.get(key, [])

    @cached_property
    def _looks(self) -> dict[int, list[CaptureFact]]:
        found: dict[int, list[CaptureFact]] = defaultdict(list)
        for capture in self.captures:
            for run in self.runs_of(capture):
                found[run.id].append(capture)
        return found

    def captures_of(self, run: int) -> list[CaptureFact]:
        """The captures that stand beside a run."""
        return self._looks.get(run, [])

    @cached_property
    def unswapped(self) -> set[int]:
        """The runs beside which a look at the server saw no swap in use."""
        seen = (capture for capture in self.captures if self.sides(capture) != "generator")
        clean = (capture for capture in seen if capture.metrics.get("swap_used_kb") == 0)
        return {run.id for capture in clean for run in self.runs_of(capture)}

    def machine_of(self, capture: CaptureFact) -> HostFact | None:
        found = self.machines.get(capture.host_id or 0)
        return found or (self.hosts[0] if len(self.hosts) == 1 else None)

    def sides(self, capture: CaptureFact) -> str:
        """Which end of the load a capture watched: "server", "generator" or "both"."""
        beside = self.runs_of(capture) or self.counted
        if any(is_local(run) for run in beside):
            return "both"
        targets = {run.host_id for run in beside if run.host_id}
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
            (run.path, document_bytes(run))
            for run in self.counted
            if run.failed_requests == 0 and (run.complete_requests or 0) >= MANY
        }
