"""What is to be the same between columns that are compared, how to read it from a run, and how much a difference weighs.

Grades: fatal, caution and note are a doubt's; "split" says that another thing is measured. A split is fatal where a third
column was measured like the baseline, which makes this one the odd one out; where there is none, the difference may be
just what is compared, and it is a caution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from runs.analysis.columns import option
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.told import clients, document_bytes, is_local, mean_reply_bytes, set_rate, url_in
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure

Grade = Literal["fatal", "split", "caution", "note"]
Value = str | float
Read = Callable[[Case, RunFact], Value | None]
NEAR_BYTES = 256  # less than a reply's headers
STEP_KB = 65536  # kernels keep more or less of a machine's memory for themselves


@dataclass(frozen=True, slots=True)
class Property:
    """`read` gives a run's value, None where it is not told; `unlike` grades two values that are not equal."""

    name: str
    read: Read
    unlike: Callable[[Value, Value], Grade | None]
    unit: str = ""

    def written(self, value: Value) -> str:
        return value if isinstance(value, str) else figure(value)


def always(grade: Grade) -> Callable[[Value, Value], Grade | None]:
    return lambda one, other: grade


def sizes(one: Value, other: Value) -> Grade | None:
    """How much it weighs that documents differ in length (bytes)."""
    small, large = sorted((float(one), float(other)))
    ratio = large / small if small else float("inf")
    if ratio < 1.02:
        return None
    if large - small < NEAR_BYTES or ratio < 1.2:
        return "note"
    return "caution" if ratio < 2 else "split"


def rough_sizes(one: Value, other: Value) -> Grade | None:
    """The same for means over all replies, which errors and redirects shift."""
    small, large = sorted((float(one), float(other)))
    ratio = large / small if small else float("inf")
    return "split" if ratio >= 3 else "caution" if ratio >= 1.5 else None


def rates(one: Value, other: Value) -> Grade | None:
    """How much it weighs that loads were sent at other rates (vegeta prints what came of the one that was set)."""
    small, large = sorted((float(one), float(other)))
    return "fatal" if large > 1.02 * small else None


def _machine(name: str) -> Read:
    def read(case: Case, run: RunFact) -> Value | None:
        found = case.machines.get(run.host_id or 0)
        return getattr(found, name) or None if found else None

    return read


def _memory_mib(case: Case, run: RunFact) -> Value | None:
    found = case.machines.get(run.host_id or 0)
    return float(round(found.ram_kb / STEP_KB) * STEP_KB // 1024) if found and found.ram_kb else None


def _keepalive(case: Case, run: RunFact) -> Value | None:
    return None if run.keepalive is None else "on" if run.keepalive else "off"


def _tls(case: Case, run: RunFact) -> Value | None:
    """Whether the load went over TLS: by the address, or by what ab prints of the protocol."""
    scheme = url_in(run.command)[0]
    return "on" if run.values.get("tls_protocol") or scheme == "https" else "off" if scheme else None


def _protocol(case: Case, run: RunFact) -> Value | None:
    told = run.values.get("tls_protocol")
    return told.split(",")[0] if isinstance(told, str) and told else None


def _address(case: Case, run: RunFact) -> Value | None:
    return "localhost" if is_local(run) else run.hostname or url_in(run.command)[1] or None


def _path(sized: bool) -> Read:
    """The path, of runs that tell (or do not tell) how long what they fetched was."""

    def read(case: Case, run: RunFact) -> Value | None:
        told = document_bytes(run) is not None or mean_reply_bytes(run) is not None
        return (run.path or url_in(run.command)[2] or None) if told is sized else None

    return read


def _mean_reply(case: Case, run: RunFact) -> Value | None:
    length = mean_reply_bytes(run)
    return None if length is None else float(round(length))


def _length(case: Case, run: RunFact) -> Value | None:
    length = document_bytes(run)
    return None if length is None else float(round(length))


def _version(case: Case, run: RunFact) -> Value | None:
    return f"{run.tool} {run.tool_version}" if run.tool_version else None


def _begins(case: Case, run: RunFact) -> Value | None:
    """When the next request begins: an open model's at a rate that was set, a closed one's when a client has its answer."""
    at_a_rate = run.tool == "wrk" and option(run.command, "R") is not None  # wrk2
    if at_a_rate or set_rate(run) is not None:
        return "at a set rate"
    return None if clients(run) is None else "behind an answer"


BEGINS = Property("requests begin", _begins, always("caution"))
FAMILIES: dict[str, tuple[Property, ...]] = {
    "tool": (
        Property("tool", lambda case, run: run.tool, always("fatal")),
        BEGINS,
        Property("version", _version, always("note")),
    ),
    "load": (
        Property("keep-alive", _keepalive, always("split")),
        Property("set rate", lambda case, run: set_rate(run), rates, " requests/s"),
        Property("TLS", _tls, always("split")),
        Property("TLS protocol", _protocol, always("note")),
        Property("concurrency", lambda case, run: clients(run), always("caution")),
        Property("requests", lambda case, run: option(run.command, "n"), always("note")),
    ),
    "page": (
        Property("document length", _length, sizes, " bytes"),
        Property("mean reply", _mean_reply, rough_sizes, " bytes"),
        Property("path", _path(sized=False), always("caution")),
        Property("path", _path(sized=True), always("note")),
        Property("address", _address, always("note")),
    ),
    "machine": (
        Property("CPU", _machine("cpu_model"), always("split")),
        Property("cores", _machine("cores"), always("split")),
        Property("memory", _memory_mib, always("caution"), " MiB"),
        Property("kernel", _machine("kernel"), always("caution")),
        Property("machine", lambda case, run: run.host or None, always("note")),
    ),
}
