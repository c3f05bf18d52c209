"""What a comparison is made from: plain copies of stored rows, with the address of the line each stands on.

Units as everywhere: _ms, _s, _kb (KiB), _pct in the names; None means that the tool did not print it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Setup:
    """A config as a comparison sees it. `group` is the heading above its own."""

    id: int
    name: str
    group: str = ""
    url: str = ""
    experiment: str = ""


@dataclass(frozen=True, slots=True)
class RunFact:
    """One load test. `source` is the address of its first line, `percentiles_ms` maps "50" to ms."""

    id: int
    setup: int
    tool: str
    label: str
    repeat: int
    url: str
    source: str
    line: int
    host: str = ""
    command: str = ""
    note: str = ""
    partial: bool = False
    aborted: bool = False
    counted: bool = True
    requests_per_second: float | None = None
    complete_requests: int | None = None
    failed_requests: int | None = None
    concurrency: float | None = None
    duration_s: float | None = None
    keepalive: bool | None = None
    mean_ms: float | None = None
    max_ms: float | None = None
    percentiles_ms: dict[str, float] = field(default_factory=dict)
    server_software: str = ""
    path: str = ""
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a capture: means over its looks."""

    pid: int
    group: str
    command: str
    rss_kb: float | None = None
    cpu_pct: float | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """One capture: system metrics by name (mem_free_kb, cpu_us, ...; means over its looks) and processes."""

    id: int
    setup: int | None
    run: int | None
    tool: str
    phase: str
    label: str
    url: str
    source: str
    line: int
    partial: bool = False
    metrics: dict[str, float] = field(default_factory=dict)
    processes: tuple[Process, ...] = ()
