"""What a tool printed, for a person: field names in words, units of their own, and figures of one kind as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runs.analysis.export import Value
from runs.analysis.facts import RunFact
from runs.numbers import capitalize

UNITS = {
    "_kbytes_per_s": "KiB/s",
    "_mb_per_s": "MB/s",
    "_bytes_per_s": "bytes/s",
    "_kb": "KiB",
    "_mb": "MB",
    "_bytes": "bytes",
    "_pct": "%",
    "_ms": "ms",
    "_us": "µs",
    "_s": "s",
}
WORDS = {
    "ab_version": "Version",
    "ab_revision": "Revision",
    "requests_per_second": "Requests per second",
    "req_per_s": "Requests per second",
    "time_per_request_across_ms": "Time per request, across all concurrent requests",
    "document_length_bytes": "Document length",
    "non_2xx_responses": "Responses other than 2xx",
    "keepalive_requests": "Keep-alive requests",
    "failed_exceptions": "Failed: exceptions",
    "tls_protocol": "TLS protocol",
    "load1": "Load, 1 minute",
    "load5": "Load, 5 minutes",
    "load15": "Load, 15 minutes",
    "html_transferred_bytes": "HTML transferred",
    "sd": "Std. deviation",
    "stdev": "Std. deviation",
    "med": "Median",
    "avg": "Mean",
    "min": "Least",
    "max": "Most",
    "pct": "%",
    "per_s": "per second",
}
CPU_SHARES = {
    "cpu_us": "user",
    "cpu_sy": "system",
    "cpu_ni": "nice",
    "cpu_id": "idle",
    "cpu_wa": "waiting for disk",
    "cpu_hi": "hardware interrupts",
    "cpu_si": "software interrupts",
    "cpu_st": "stolen",
}
SHORT = {"mem": "memory", "avail": "available", "buff": "buffers", "req": "requests"}
CAPITALS = {"http", "https", "tls", "ssl", "tcp", "url", "html", "cpu", "ttfb", "dns", "rps", "id", "os"}


@dataclass(frozen=True, slots=True)
class ToolField:
    """name: the tool's own, dotted where it is nested; url: of its line."""

    name: str
    words: str
    unit: str
    value: Value
    url: str


@dataclass(frozen=True, slots=True)
class FieldTable:
    """Groups of fields that have the same names: a row a group, None where a group lacks one."""

    heads: tuple[str, ...]
    rows: tuple[tuple[ToolField, tuple[ToolField | None, ...]], ...]


def flatten(values: Mapping[str, Any], stem: str = "") -> Iterator[tuple[str, Value]]:
    """What a tool printed as (name, value) pairs, nested names joined with dots; lists are counted."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{stem}{name}.")
        else:
            yield f"{stem}{name}", f"{len(value)} entries" if isinstance(value, list) else value


def arrange(fact: RunFact) -> tuple[list[ToolField], list[FieldTable]]:
    """The single fields, and tables of the others: those of the same names are one table."""
    groups: dict[str, Any] = {name: value for name, value in fact.values.items() if _is_group(value)}
    others = {name: value for name, value in fact.values.items() if name not in groups}
    single = [_make_field(fact, name, value) for name, value in flatten(others)]
    tables: dict[tuple[str, ...], list[str]] = {}
    for name, group in groups.items():
        alike = next((heads for heads in tables if len(set(heads) & group.keys()) > 1), tuple(group))
        tables.setdefault(alike, []).append(name)
    return single, [_make_table(fact, {name: groups[name] for name in names}) for names in tables.values()]


def _is_group(value: Any) -> bool:
    """Whether it is a group of plain values."""
    return isinstance(value, dict) and len(value) > 1 and not any(isinstance(x, (dict, list)) for x in value.values())


def _make_table(fact: RunFact, groups: Mapping[str, Mapping[str, Value]]) -> FieldTable:
    """A row a group; of a single group, such as percentiles, a row a field."""
    names = tuple(dict.fromkeys(name for group in groups.values() for name in group))
    if len(groups) == 1:
        (name, group) = next(iter(groups.items()))
        fields = [
            replace(_make_field(fact, f"{name}.{each}", group[each]), words=_name_head(each), unit="") for each in names
        ]
        head = ", ".join(filter(None, say_field(name)))
        return FieldTable((head,), tuple((field, (field,)) for field in fields))
    rows = tuple(
        (
            _make_field(fact, name, None),
            tuple(_make_field(fact, f"{name}.{each}", group[each]) if each in group else None for each in names),
        )
        for name, group in groups.items()
    )
    return FieldTable(tuple(_name_head(name) for name in names), rows)


def _name_head(name: str) -> str:
    return f"p{name}" if name.replace(".", "").isdigit() else say_field(name.removeprefix("p(").removesuffix(")"))[0]


def _make_field(fact: RunFact, name: str, value: Value) -> ToolField:
    """Its line is that of the tool's name for it, or of a figure of its value."""
    words, unit = say_field(name)
    shown = str(value) if name.endswith("_port") else value  # a number that is no quantity
    alike = [each for each in fact.figure_lines if value and getattr(fact, each, None) == value]
    return ToolField(name, words, unit, shown, fact.source_of(name, *alike, name.partition(".")[0]).url)


def say_field(name: str) -> tuple[str, str]:
    """(words, unit) of a field: "processing_ms" is ("Processing", "ms")."""
    if name in CPU_SHARES:
        return f"CPU, {CPU_SHARES[name]}", "%"
    ending = next((ending for ending in UNITS if name.endswith(ending)), "")
    if name in WORDS:
        return WORDS[name], "" if name.endswith("per_s") else UNITS.get(ending, "")
    parts = name.removesuffix(ending).replace("_", " ").replace(".", ": ").split()
    words = " ".join(part.upper() if part in CAPITALS else SHORT.get(part, part) for part in parts)
    return capitalize(words), UNITS.get(ending, "")


def main_figures(fact: RunFact) -> list[ToolField]:
    """The five or so that a page opens with."""
    made = "" if fact.complete_requests is None else f"of {fact.complete_requests:,}"
    wanted: Sequence[tuple[str, str, str, Value]] = (
        ("requests_per_second", "Requests per second", "", fact.requests_per_second),
        ("mean_ms", "Mean", "ms", fact.mean_ms),
        ("percentiles_ms.99", "p99", "ms", fact.percentiles_ms.get("99")),
        ("max_ms", "Longest", "ms", fact.max_ms),
        ("failed_requests", "Failed", made, fact.failed_requests),
        ("concurrency", "Concurrency", "", fact.concurrency),
        ("duration_s", "Took", "s", fact.duration_s),
    )
    return [ToolField(*shown, fact.source_of_value(shown[0]).url) for shown in wanted if shown[-1] is not None]
