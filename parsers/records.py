"""The kinds of record that formats make of a tool's output, the same for all tools.

A format turns its tool's text into `values` (names close to the tool's own) and those into records. Results are stored from
records only, so a new tool needs no change outside its own file.

Units are in the names: _ms milliseconds, _s seconds, _kb KiB (the kernel's kB), _pct per cent, _bytes bytes.
None means that the tool did not print it; it never means zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

    The defaults are assumed for unknown tools. Steps are the resolution of printed figures; 0 if it is too fine to matter.

    open_loop               requests are sent at a set rate even if no command shows it; otherwise a client sends its next
                            request after a response (closed loop), unless the command sets a rate
    concurrency             what a printed "concurrency" is: "asked" (requested), or "measured" (a mean), which
                            stays among the values and is no LoadResult.concurrency
    default_concurrency     concurrency of a command without the option
    failures_in_requests    complete_requests includes the failed ones; otherwise they are additional
    failures_in_rate        requests_per_second includes the failed requests
    sampled_rate            requests_per_second is a mean of samples or over another time: not exactly complete_requests (or
                            those that did not fail) / duration_s
    in_rate_beside          path of a count that requests_per_second includes in addition to complete_requests
    available_pct           path of the share of requests that did not fail, in per cent
    exact_mean              mean_ms is concurrency times duration_s over complete_requests, and the rate as exact
    length_failures         failed_requests includes responses of another length than the first one
    failures_hold_statuses  failed_requests includes responses with an error status
    connects_once           a client whose connection failed sends nothing, which lowers the concurrency
    failure_kinds           {kind: path of its count}; a path is a name in the values, or "table.name"
    non_2xx                 paths of the counts of responses with a status other than 2xx; of a table by status all but 2xx
    good_replies            path of the count of responses with a status below 400, if nothing else is printed
    fewest_clients          path of the fewest clients at any time, of a tool whose clients may come and go by stages
    received_bytes          path of the total bytes of all responses, if no length is printed; MB by its name
    checks                  pairs of paths: of failed and of passed checks of responses; the first printed one counts
    late_answers            path of the count of responses after the timeout, which are in the rate and not in the percentiles
    late_after_s            timeout of a command without the option
    left_out                paths of the counts of requests dropped at a set rate, and of those sent
    absent_non_2xx_is_zero  a complete report without non_2xx_responses had none
    makes_all_requests      complete_requests is the requested number, unless a time limit or a user ended the run
    one_thread              the tool has one thread and can use one core only
    prints_tls              a complete report of a load over TLS has tls_protocol
    http_version            the only version of HTTP that it speaks, unless an option sets the protocol: "1.0"
    printed_as              {field of LoadResult: path of the printed figure}, if the names differ
    address_from_command    an address missing in the report is taken from the command
    quotes_others           its figures were written by people, of any tool; values have rate_step_per_s, the rounding
    shown_as                its name on pages, if it is not a tool: "table of rates"
    citations               {rule of a doubt: what the tool's documentation or source says about it}
    whole_report            what a complete report has: "failures", "percentiles", "document" (its path or length)
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
    fewest_clients: str = ""
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

    counters  metrics that only grow: the difference to the previous sample is divided by the seconds between them
    over      counter to divide by instead of the time
    """

    tool: str
    clock: str | None
    metrics: dict[str, float]
    counters: dict[str, float] = field(default_factory=dict)
    over: float | None = None


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """One process in one sample. `group` is the program's base name; sums are by group."""

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
    """Facts about a machine. passport: how much equal runs of a small loop vary, see formats/machine.py."""

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
    """The times of a load test's single requests, from a file that its tool wrote, or only their percentiles.

    tool       the tool that wrote it; "" if unknown
    n          number of requests, None if only percentiles are known
    histogram  [[ms, how many], ...] ascending, see request_files.py; empty if only percentiles are known
    seconds    by the second in which they began, see request_files.Seconds.columns; None if the file has no clock
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
    """The values of a block, with the line from which each figure was first read.

    source   the text's Lines
    `lines` has the line by name or "table.name"; figures of a table that was read as a whole have the table's name.
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


def list_floats(values: Mapping[str, Any]) -> Iterator[float]:
    """The figures in nested tables: each part of a load has its own rate."""
    for value in values.values():
        if isinstance(value, dict):
            yield from list_floats(value)
        elif isinstance(value, float):
            yield value


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
