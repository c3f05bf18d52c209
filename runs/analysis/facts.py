"""The input of a comparison: plain copies of stored rows, with the URLs of their lines.

Units as everywhere: _ms, _s, _kb (KiB), _pct in the names; None means that the tool did not print it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal

from parsers.records import Semantics

HUGE = 1e15  # no tool measures more; NaN is not below it either
# A share of failures beyond which rates are about something else: most differences that people claim are smaller.
FATAL = 0.05
KEPT_UP = 0.95  # of the rate that was set; the first and last request are never a whole interval apart
UNDER_WAY = 0.01  # so small a share of the replies may be those that came when the time was over
LINES_A_PAGE = 3000  # of an upload's text; a line further down needs its page named

Severity = Literal["fatal", "caution", "note"]


def line_address(page: str, line: int) -> str:
    """The URL of a line of the upload with this page."""
    return f"{page}?line={line}#L{line}" if line > LINES_A_PAGE else f"{page}#L{line}"


@dataclass(frozen=True)
class Source:
    """A line that a statement is based on: its URL and its number in the upload's text."""

    url: str
    line: int


def source_at(source: str, line: int) -> Source:
    """The URL of another line of the same upload."""
    return Source(line_address(source.partition("#")[0].partition("?")[0], line), line)


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
    """One load test. `source` is the URL of its first line, `semantics` what its tool's figures mean.

    options           options of its command in standard terms (requests, concurrency, duration_s, rate ...), and scheme,
                      hostname and path of its address
    ran_at            start time, if the text or its sender has one
    most_repeats      maximum repeats of its config, if a sequential test decided when to stop
    timed_ms, counts  from a file of its single requests, if there is one; counts are [[ms, number], ...]
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
    figure_lines: Mapping[str, int] = field(default_factory=dict)
    most_repeats: int | None = None
    ran_at: datetime | None = None

    def source_of(self, *figures: str) -> Source:
        """The line of the first of these figures with a known line, otherwise the run's first line."""
        for name in figures:
            if name in self.figure_lines:
                return source_at(self.source, self.figure_lines[name])
        return Source(self.source, self.line)

    def source_of_value(self, where: str) -> Source:
        """The line of the value that `read_at` reads there; of a requested concurrency not that of a measured one."""
        if where in ("clients", "concurrency"):
            return self.source_of("users", *(() if self.semantics.concurrency == "measured" else ("concurrency",)))
        if where == "measured_concurrency":
            return self.source_of("concurrency")
        return self.source_of(where.removeprefix("values.").replace("kinds.", "failed_"))

    def number(self, path: str) -> float | None:
        """A figure of the tool's values by its name or "table.name"; None if it is not a finite number."""
        name, _, part = path.partition(".")
        value = self.values.get(name)
        if part:
            value = value.get(part) if isinstance(value, Mapping) else None
        sound = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < HUGE
        return value if sound else None  # type: ignore[return-value]

    @property
    def answered_by(self) -> str:
        """The Server header, from the report or from headers shown with it."""
        return self.server_software or str(self.values.get("shown_server") or "")

    def failures_of(self, kind: str) -> float | None:
        """Number of failures of this kind, if the tool counts it."""
        path = self.semantics.failure_kinds.get(kind)
        return self.number(path) if path else None

    @property
    def clients(self) -> int | None:
        """Maximum number of concurrent requests, without clients that never got a connection."""
        asked = self.requested_clients
        lost = int(self.failures_of("connect") or 0) if self.semantics.connects_once else 0
        return asked - lost if asked is not None and lost < asked else asked

    @property
    def loading_clients(self) -> int | None:
        """The concurrency that names its load: the requested one, unless most clients never got a connection."""
        asked, clients = self.requested_clients, self.clients
        return clients if clients is not None and asked is not None and 2 * clients < asked else asked

    @property
    def requested_clients(self) -> int | None:
        """The requested concurrency. Some tools print a measured mean instead."""
        printed = self.concurrency if self.semantics.concurrency == "asked" else None
        asked = self.number("users") or self.options.get("concurrency") or printed
        if asked is None:
            return self.semantics.default_concurrency if self.command else None
        return int(asked) if abs(asked) < HUGE else None

    @property
    def measured_concurrency(self) -> float | None:
        """The mean number of concurrent requests, if the tool prints it."""
        is_printed = self.semantics.concurrency == "measured"
        # Rows that were stored before hold it as their concurrency.
        return self.number("concurrency") or self.concurrency if is_printed else None

    @property
    def set_rate(self) -> float | None:
        """The set rate in requests/s; None if unknown."""
        asked, each = self.options.get("rate"), self.options.get("rate_each")
        if asked is None and isinstance(each, (int, float)):
            asked = each * (self.clients or 0)
        return float(asked) if isinstance(asked, (int, float)) and 0 < asked < HUGE else None

    @property
    def is_open_loop(self) -> bool:
        """Whether requests are sent at a set rate; otherwise a client waits for each response."""
        return self.set_rate is not None or self.semantics.open_loop

    @property
    def left_out_share(self) -> float | None:
        """The share of requests dropped at a set rate, if the tool counts them."""
        counts = [self.number(path) for path in self.semantics.left_out or ()]
        left_out, begun = counts or (None, None)
        return left_out / (left_out + begun) if left_out and begun is not None else None

    @property
    def late_answers(self) -> float:
        return self.number(self.semantics.late_answers) or 0 if self.semantics.late_answers else 0

    @property
    def requests_made(self) -> int | None:
        """Number of requests made, including failed ones."""
        if self.complete_requests is not None:
            failed = 0 if self.semantics.failures_in_requests else (self.failed_requests or 0) - self.late_answers
            return max(int(self.complete_requests + failed), 0)
        if asked := self.options.get("requests"):
            return int(asked)
        worked = (self.requests_per_second or 0) * (self.duration_s or 0)
        return round(worked) if worked and abs(worked) < HUGE else None

    @property
    def non_2xx_responses(self) -> int | None:
        """Responses with a status other than 2xx, as counted by the tool, tables summed up."""
        counts: list[float | None] = []
        for path in self.semantics.non_2xx:
            table = self.values.get(path)
            if isinstance(table, Mapping):  # by status; what is no status had no reply
                counts.append(sum(int(n) for status, n in table.items() if str(status)[:1] in "1345"))
            else:
                counts.append(self.number(path))
        if any(count is not None for count in counts):
            return int(sum(count or 0 for count in counts))
        good = self.number(self.semantics.good_replies) if self.semantics.good_replies else None
        if good is not None and self.complete_requests:
            # One or two are requests that were under way when the time was over.
            others = self.complete_requests - int(good)
            return others if others >= UNDER_WAY * self.complete_requests else 0
        return 0 if self.semantics.absent_non_2xx_is_zero and not self.partial else None


def read_at(where: str) -> Callable[[RunFact], Any]:
    """What reads this value of a run: an attribute, "values.x", "options.x", "percentiles_ms.x", or "kinds.x" of failures."""
    source, _, name = where.partition(".")
    if source == "kinds":
        return lambda run: run.failures_of(name)
    return (lambda run: getattr(run, source).get(name)) if name else attrgetter(source)


# What a fact has under the same name as the stored run.
COPIED = (*FIGURES, "label", "repeat", "command", "note", "partial", "counted", "values", "host_id", "figure_lines")
COPIED += ("most_repeats", "ran_at")


@dataclass(frozen=True, slots=True)
class ProcessFact:
    """One process of a capture: means over its captures. `makes_load`: it is a load tool, maybe with
    `one_thread`; `monitors`: it is a monitor. time_s: CPU time since its start.
    """

    pid: int
    group: str
    command: str
    rss_kb: float | None = None
    cpu_pct: float | None = None
    makes_load: bool = False
    one_thread: bool = False
    monitors: bool = False
    time_s: float | None = None


@dataclass(frozen=True, slots=True)
class CaptureFact:
    """One capture: system metrics by name (mem_free_kb, cpu_us, ...) and processes.

    `metrics` has means over its `n` samples, `lows` and `peaks` minimum and maximum.
    `lists_all`: its tool lists every process; `cpu_now`: with the CPU time of its own interval.
    `programs`: of several samples {program: {"processes", "rss_kb", "cpu_pct":
    [mean, maximum] of the sums of each sample}}. `seconds`: from its first sample to its last, by their clocks.
    `part`: it has those samples of a longer capture that cover its run; `divided`: it is split into such parts.
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
    cpu_now: bool = False
    programs: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    seconds: float | None = None
    falls: Mapping[str, Sequence[float]] = field(default_factory=dict)
    part: bool = False
    divided: bool = False

    @property
    def first_line(self) -> Source:
        return Source(self.source, self.line)

    @property
    def is_cut(self) -> bool:
        """Whether its screens list fewer processes than they count, so that sums over processes are too small."""
        return self.metrics.get("tasks_unlisted", 0) > 0


@dataclass(frozen=True, slots=True)
class HostFact:
    """A machine, as described by the texts. `passport`: see parsers.formats.machine."""

    id: int
    name: str
    cpu_model: str = ""
    cores: int | None = None
    mhz: float | None = None
    ram_kb: int | None = None
    swap_kb: int | None = None
    os: str = ""
    kernel: str = ""
    price_per_hour: float | None = None
    passport: Mapping[str, Any] | None = None


# What is known of a machine beside its name, under the names of the stored host.
HARDWARE = ("cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel")


@dataclass(frozen=True, slots=True)
class TextFact:
    """A configuration file's text. `config` None: for all configs."""

    config: int | None
    path: str
    text: str
    source: str
    line: int


@dataclass(frozen=True)
class Finding:
    """An objection of one rule to one run, one config, or (neither) the whole comparison.

    moral  its consequence, a key of doubt_wording.MORALS: findings with the same one share a sentence
    facts  the values for the rule's template in doubt_wording.DETAILS
    """

    severity: Severity
    moral: str
    facts: Mapping[str, Any]
    sources: tuple[Source, ...] = ()
    run: int | None = None
    config: int | None = None

    @property
    def first_source(self) -> Source | None:
        return next(iter(self.sources), None)


@dataclass(frozen=True, slots=True)
class OverrideFact:
    """A user's decision that a fatal doubt about a run, or a config as a whole, does not count."""

    id: int
    rule: str
    run: int | None = None
    config: int | None = None
    by: str = ""
    at: str = ""
    reason: str = ""
