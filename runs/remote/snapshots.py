"""A validated plan as plain values, and its form in JSON: what a job's row keeps and what its worker runs.

Units: _s seconds. Addresses are canonical ("http://shop.lan:8080"), see runs.remote.addresses. No database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Load:
    """One load to send: what a tool's command line is built from.

    base      an address of the allow-list; path begins with "/" and stays below it
    headers   (name, value); a secret is still "{secret:NAME}" here, it is filled in where the process is started
    requests, duration_s   one of them is set
    most_requests   the target's limit, for a tool that can keep it beside a duration
    """

    tool: str
    base: str
    path: str
    concurrency: int
    requests: int | None = None
    duration_s: int | None = None
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    content_type: str = ""
    keepalive: bool = False
    timeout_s: int = 30
    most_requests: int | None = None

    @property
    def url(self) -> str:
        return self.base + self.path


@dataclass(frozen=True, slots=True)
class Stage:
    """One step to run: a variant at a level. repeat counts from 1; 0 is a warm-up, stored but not counted."""

    variant: str
    level: int
    repeat: int


Pair = tuple[str, int]  # variant, level of concurrency


@dataclass(frozen=True, slots=True)
class Machine:
    """How a machine is reached: over ssh, or (destination "") it is the one that the worker runs on.

    shared   the socket of an open connection to it, while a job holds one
    """

    name: str
    destination: str = ""
    identity_file: str = ""
    shared: str = ""


@dataclass(frozen=True, slots=True)
class VariantPlan:
    """One config to compare, with everything that it leaves to the plan filled in."""

    name: str
    base: str
    path: str
    keepalive: bool
    switch: tuple[str, ...] = ()
    switch_timeout_s: int = 30
    config_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A plan as it was validated, enough to run it without looking at the plan again.

    allowed      {canonical base: [IP addresses that its name may have]}, the target's allow-list at the start
    target       None: the target is not reached, so no monitors
    """

    name: str
    generator: Machine
    target_name: str
    target: Machine | None
    allowed: dict[str, list[str]]
    tool: str
    variants: tuple[VariantPlan, ...]
    levels: tuple[int, ...]
    repeats: int
    warmups: int
    order: str
    seed: int
    cooldown_s: float
    interval_s: float
    requests: int | None
    duration_s: int | None
    method: str
    headers: tuple[tuple[str, str], ...]
    body: str
    content_type: str
    timeout_s: int
    most_requests: int
    most_concurrency: int
    most_duration_s: int
    rse_limit_pct: float | None = None
    most_repeats: int | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def pairs(self) -> list[Pair]:
        return [(variant.name, level) for level in self.levels for variant in self.variants]


@dataclass(frozen=True, slots=True)
class Files:
    """Where on the generator the texts of Tool.inputs() lie: the request's body, siege's settings."""

    body: str = ""
    rc: str = ""


def from_dict(data: Mapping[str, Any]) -> Snapshot:
    """The snapshot of `asdict`. Raises KeyError or TypeError for anything else."""
    values = dict(data)
    values["generator"] = Machine(**values["generator"])
    values["target"] = Machine(**values["target"]) if values["target"] else None
    values["variants"] = tuple(
        VariantPlan(**{**each, "switch": tuple(each["switch"]), "config_files": tuple(each["config_files"])})
        for each in values["variants"]
    )
    values["headers"] = tuple((name, value) for name, value in values["headers"])
    values |= {name: tuple(values.get(name, ())) for name in ("levels", "notes")}
    return Snapshot(**values)


def find_variant(snapshot: Snapshot, name: str) -> VariantPlan:
    """Raises KeyError for a variant that the snapshot does not have."""
    return {variant.name: variant for variant in snapshot.variants}[name]


OF_EACH_LOAD = (
    *("tool", "requests", "duration_s", "method", "headers", "body", "content_type"),
    *("timeout_s", "most_requests"),
)


def load_for(snapshot: Snapshot, name: str, level: int) -> Load:
    """The load of a variant at a level of concurrency, its secrets still names."""
    variant = find_variant(snapshot, name)
    shared = {name: getattr(snapshot, name) for name in OF_EACH_LOAD}
    return Load(base=variant.base, path=variant.path, concurrency=level, keepalive=variant.keepalive, **shared)
