"""What parsers know of the world: a few kinds of record, whatever the tool.

A format turns its tool's text into `values` (the tool's own names, interfaces.md section 1) and those into records.
Whoever stores results reads the records only, so a new tool needs no change outside its own file.

Units are in the names: _ms milliseconds, _s seconds, _kb KiB (the kernel's kB), _pct per cent, _bytes bytes.
None means that the tool did not print it; it never means zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import mul
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class LoadResult:
    """One load test, as far as its tool printed it.

    percentiles_ms maps the per cent as text ("50", "99.9", "100") to ms; "100" is the longest request.
    """

    tool: str
    tool_version: str | None = None
    requests_per_second: float | None = None
    complete_requests: int | None = None
    failed_requests: int | None = None
    concurrency: float | None = None
    duration_s: float | None = None
    keepalive: bool | None = None
    mean_ms: float | None = None
    min_ms: float | None = None
    max_ms: float | None = None
    percentiles_ms: dict[str, float] = field(default_factory=dict)
    server_software: str | None = None
    hostname: str | None = None
    port: int | None = None
    path: str | None = None
    aborted: bool = False


SUMMED = ("requests_per_second", "complete_requests", "failed_requests", "concurrency")


def add_up(parts: Sequence[LoadResult]) -> LoadResult:
    """The result of a load of which each part has a report. Percentiles of parts have no sum; a figure that one lacks has none."""

    def every(name: str) -> list[Any]:
        values = [getattr(part, name) for part in parts]
        return [] if None in values else values

    figures: dict[str, Any] = {name: round(sum(values), 6) if (values := every(name)) else None for name in SUMMED}
    for name, choose in (("duration_s", max), ("min_ms", min), ("max_ms", max)):
        figures[name] = choose(values) if (values := every(name)) else None
    rates, means = every("requests_per_second"), every("mean_ms")
    figures["mean_ms"] = sum(map(mul, rates, means)) / sum(rates) if means and any(rates) else None
    figures |= {"percentiles_ms": {}, "aborted": any(part.aborted for part in parts)}
    shared = (each.name for each in fields(LoadResult) if each.name not in figures)
    unlike: dict[str, Any] = {
        name: None for name in shared if len({getattr(part, name) for part in parts}) > 1 and name != "tool"
    }
    return replace(parts[0], **figures, **unlike)


@dataclass(frozen=True, slots=True)
class Semantics:
    """What a load tool means by its figures, as far as tools differ. Each load tool's format declares it as SEMANTICS.

    The defaults are assumed for a tool that no format declares. Steps are the least difference that the tool prints; 0
    where it is too fine to matter.

    open_loop               requests begin at a set rate even where no command shows it; otherwise a client sends its next
                            request behind an answer (closed loop), unless the command sets a rate
    concurrency             what a printed "concurrency" means: "asked" for, or "measured": the mean that came about, which
                            stays among the values and is no LoadResult.concurrency
    default_concurrency     the concurrency of a command that sets none
    failures_in_requests    complete_requests includes the failed ones; otherwise they are counted beside it
    failures_in_rate        requests_per_second includes the failed requests
    sampled_rate            requests_per_second is a mean of samples, or of another time: only near complete_requests (or those
                            that did not fail) over duration_s, which it is otherwise
    in_rate_beside          path of a count that is in requests_per_second beside complete_requests
    available_pct           path of the share of requests that did not fail, in per cent
    exact_mean              mean_ms is concurrency times duration_s over complete_requests
    length_failures         a reply of another length than the first one is counted in failed_requests
    failures_hold_statuses  a reply with an error status is among failed_requests
    connects_once           a client whose connection failed sends nothing: so many fewer were under way
    failure_kinds           {kind: path of its count}; a path is a name in the values, or "table.name"
    non_2xx                 paths of the counts of replies with another status than 2xx; of a table by status the others count
    good_replies            path of the count of replies with a status below 400, where that is all that is printed
    received_bytes          path of the bytes that all replies came to, where the length of one is not printed; MB by its name
    checks                  pairs of paths: of the checks of answers that failed, and of those that held; the first printed counts
    late_answers            path of the count of answers behind the timeout: they are in the rate and not in the percentiles
    late_after_s            the timeout of a command that sets none
    left_out                paths of the counts of what was due at a set rate and never begun, and of what was begun
    absent_non_2xx_is_zero  a whole report without non_2xx_responses had none
    makes_all_requests      complete_requests is the number asked for, unless a time limit or a person ended the run
    one_thread              the tool runs on one thread, so that one core is all that it can use
    prints_tls              values have tls_protocol of a load over TLS, so that a whole report without it had none
    http_version            the only version of HTTP that it speaks, unless an option sets the protocol: "1.0"
    printed_as              {name of a LoadResult's figure: path of what is printed for it}, where that is another name
    address_from_command    the address that the report lacks is taken from the command
    quotes_others           its figures were written down by somebody, of whatever tool; values have rate_step_per_s, to which they
                            were rounded
    shown_as                what pages call it, where it is no tool: "table of rates"
    citations               {rule of a doubt: what the tool's documentation or source says on it}
    whole_report            what a whole report tells: of "failures", "percentiles", "document" (its path or length)
    """

    open_loop: bool = False
    concurrency: Literal["asked", "measured"] = "asked"
    default_concurrency: int | None = None
    failures_in_requests: bool = True
    failures_in_rate: bool = False
    sampled_rate: bool = False
    in_rate_beside: str = ""
    available_pct: str = "availability_pct"
    exact_mean: bool = False
    length_failures: bool = False
    failures_hold_statuses: bool = False
    connects_once: bool = False
    failure_kinds: Mapping[str, str] = field(default_factory=dict)
    non_2xx: tuple[str, ...] = ("non_2xx_responses",)
    good_replies: str = ""
    received_bytes: str = ""
    checks: tuple[tuple[str, str], ...] = ()
    late_answers: str = ""
    late_after_s: float = 0.0
    left_out: tuple[str, str] | None = None
    absent_non_2xx_is_zero: bool = False
    makes_all_requests: bool = False
    one_thread: bool = False
    prints_tls: bool = False
    http_version: str = ""
    printed_as: Mapping[str, str] = field(default_factory=dict)
    address_from_command: bool = False
    quotes_others: bool = False
    shown_as: str = ""
    citations: Mapping[str, str] = field(default_factory=dict)
    whole_report: tuple[Literal["failures", "percentiles", "document"], ...] = ("failures",)
    rate_step: float = 0.0
    mean_step_ms: float = 0.0
    max_step_ms: float = 0.0
    percentile_step_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class SystemSample:
    """One sample of a whole machine: memory, CPU and load, by metric name (mem_free_kb, cpu_us, load1, ...).

    counters  metrics that only grow: the difference from the sample before is divided by the seconds between both
    over      what to divide by instead: a counter of its own
    """

    tool: str
    clock: str | None
    metrics: dict[str, float]
    counters: dict[str, float] = field(default_factory=dict)
    over: float | None = None


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """One process in one sample. `group` is the program's base name, which processes are added up by."""

    pid: int
    user: str | None
    command: str
    group: str
    rss_kb: float | None = None
    vsz_kb: float | None = None
    cpu_pct: float | None = None
    mem_pct: float | None = None
    time_s: float | None = None

    @staticmethod
    def group_of(command: str) -> str:
        """Base name of the program: "/usr/sbin/apache2 -k start" → "apache2", "nginx: worker process" → "nginx"."""
        bare = command.strip()
        if bare.startswith("[") or bare.startswith("{"):
            return bare[1:].split("]")[0].split("}")[0].split("/")[0]
        first = bare.split(None, 1)[0] if bare else ""
        first = first[:1] + first[1:].partition("{")[0]  # FreeBSD's threads: "mysqld{connection}"
        return first.rstrip(":").rstrip("+").rsplit("/", 1)[-1].lstrip("-")[:100] or bare[:100]


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What a text says of the machine itself. passport: equal runs of one small loop on it, see formats/machine.py."""

    name: str | None = None
    cpu_model: str | None = None
    cores: int | None = None
    mhz: float | None = None
    ram_kb: int | None = None
    swap_kb: int | None = None
    os: str | None = None
    kernel: str | None = None
    passport: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration file as shown in the text. `path` is None where the text does not name it."""

    path: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Timings:
    """What the requests of a load test took, one by one as its tool wrote them to a file, or only their percentiles.

    tool       the one that wrote it; "" where any may have
    n          requests in it, None where only percentiles are there
    histogram  [[ms, how many], ...] ascending, see parsers.histogram; empty where only percentiles are there
    seconds    by the second in which they began, see parsers.histogram.Seconds.columns; None where the file has no clock
    """

    tool: str
    n: int | None = None
    percentiles_ms: dict[str, float] = field(default_factory=dict)
    histogram: list[list[float]] = field(default_factory=list)
    seconds: dict[str, Any] | None = None


Record = LoadResult | SystemSample | ProcessSample | HostFacts | ConfigText | Timings


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the text that could not be read: `line` is 1-based."""

    line: int
    message: str


class Values(dict[str, Any]):
    """What a format reads of a block, and the line from which each figure was first read.

    source   the text's Lines
    `lines` has the line by name or "table.name"; the figures of a table that was read whole stand under the table's name alone.
    """

    def __init__(self, source: Any, lines: dict[str, int] | None = None, table: str = "") -> None:
        super().__init__()
        self.lines: dict[str, int] = {} if lines is None else lines
        self._source, self._table = source, table

    def __setitem__(self, name: str, value: Any) -> None:
        path = self._table + name
        if path not in self.lines:
            self.lines[path] = self._source.number
        if type(value) is dict:
            figures, value = value, Values(self._source, self.lines, f"{path}.")
            value.update(figures)
        dict.__setitem__(self, name, value)

    def __ior__(self, other: Any) -> Values:  # type: ignore[override,misc]
        for name, value in other.items():
            self[name] = value
        return self

    def setdefault(self, name: str, value: Any = None) -> Any:
        if name not in self:
            self[name] = value
        return self[name]

    def as_dict(self) -> dict[str, Any]:
        return {name: value.as_dict() if isinstance(value, Values) else value for name, value in self.items()}


@dataclass(slots=True)
class Found:
    """What a format's parse read: `first` and `last` are line numbers of the tool's own output, `lines` those of figures; `label`
    is Block's; `captions` are headings (line, text) that stand above it and were read with it. One without values names what was
    not read in its problems, and its lines are none of a block."""

    values: dict[str, Any]
    first: int
    last: int
    partial: bool = False
    problems: list[Problem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    label: str | None = None
    captions: list[tuple[int, str]] = field(default_factory=list)
