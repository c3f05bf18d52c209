"""What a comparison is made from: plain copies of stored rows, with the address of the line each stands on.

Units as everywhere: _ms, _s, _kb (KiB), _pct in the names; None means that the tool did not print it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Source:
    """A line that something rests on: its address and its number in the upload's text."""

    url: str
    line: int


class Semantics(Protocol):
    """What a load tool means by its figures. Its format declares it: see parsers.records.Semantics for each name."""

    @property
    def open_loop(self) -> Literal["never", "with_rate", "always"]: ...
    @property
    def concurrency(self) -> Literal["asked", "measured"]: ...
    @property
    def default_concurrency(self) -> int | None: ...
    @property
    def failures_in_requests(self) -> bool: ...
    @property
    def failures_in_rate(self) -> bool: ...
    @property
    def exact_rate(self) -> bool: ...
    @property
    def exact_mean(self) -> bool: ...
    @property
    def length_failures(self) -> bool: ...
    @property
    def absent_non_2xx_is_zero(self) -> bool: ...
    @property
    def makes_all_requests(self) -> bool: ...
    @property
    def whole_report(self) -> tuple[str, ...]: ...
    @property
    def rate_step(self) -> float: ...
    @property
    def mean_step_ms(self) -> float: ...
    @property
    def max_step_ms(self) -> float: ...
    @property
    def percentile_step_ms(self) -> float: ...


@dataclass(frozen=True, slots=True)
class ConfigFact:
    """A config as a comparison sees it. `group` is the heading above its own."""

    id: int
    name: str
    group: str = ""
    url: str = ""
    experiment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The figures of a run that have a column of their own: a field here is stored, compared and served by REST.

    The names are those of `parsers.records.LoadResult` and of the model Run. `percentiles_ms` maps "50" to ms.
    """

    tool: str
    tool_version: str = ""
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
    hostname: str = ""
    port: int | None = None
    path: str = ""
    aborted: bool = False


FIGURES = tuple(each.name for each in fields(RunFigures))


@dataclass(frozen=True, slots=True)
class RunFact(RunFigures):
    """One load test. `source` is the address of its first line, `semantics` what its tool means by the figures.

    options           what its command sets in standard terms (requests, concurrency, duration_s, rate ...); of the address
                      that it loads scheme, hostname and path
    timed_ms, counts  out of a file of its single requests, where there is one; counts are [[ms, how many], ...]
    """

    id: int
    config: int
    label: str
    repeat: int
    url: str
    source: str
    line: int
    semantics: Semantics
    host: str = ""
    command: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    partial: bool = False
    counted: bool = True
    values: dict[str, object] = field(default_factory=dict)
    host_id: int | None = None
    upload: int = 0
    last_line: int = 0
    timed_ms: dict[str, float] = field(default_factory=dict)
    counts: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ProcessFact:
    """One process of a capture: means over the captures that it is in. `makes_load`: its program is a load tool, which may run
    on `one_thread`; `monitors`: it is a monitor.
    """

    pid: int
    group: str
    command: str
    rss_kb: float | None = None
    cpu_pct: float | None = None
    makes_load: bool = False
    one_thread: bool = False
    monitors: bool = False


@dataclass(frozen=True, slots=True)
class CaptureFact:
    """One capture: system metrics by name (mem_free_kb, cpu_us, ...) and processes.

    `metrics` has means over its samples, of which there were `n`; `lows` and `peaks` the least and the most of several.
    `lists_all`: its tool lists every process.
    """

    id: int
    config: int | None
    run: int | None
    tool: str
    phase: str
    label: str
    url: str
    source: str
    line: int
    partial: bool = False
    metrics: dict[str, float] = field(default_factory=dict)
    processes: tuple[ProcessFact, ...] = ()
    host_id: int | None = None
    lows: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)
    n: int = 1
    lists_all: bool = True


@dataclass(frozen=True, slots=True)
class HostFact:
    """A machine, as far as the texts tell."""

    id: int
    name: str
    cpu_model: str = ""
    cores: int | None = None
    mhz: float | None = None
    ram_kb: int | None = None
    swap_kb: int | None = None
    os: str = ""
    kernel: str = ""


@dataclass(frozen=True, slots=True)
class TextFact:
    """A configuration file's text. `config` None: it holds for every config."""

    config: int | None
    path: str
    text: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class OverrideFact:
    """A person's word that a fatal doubt about a run, or about a config as a whole, does not count."""

    id: int
    rule: str
    run: int | None = None
    config: int | None = None
    by: str = ""
    at: str = ""
    reason: str = ""
