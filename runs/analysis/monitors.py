"""Rows of the comparison that come from monitors: memory and CPU, of the machine and by program, per phase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from runs.analysis.facts import CaptureFact, ProcessFact

# Programs that belong to watching, not to what is watched.
LOOKERS = {
    "top",
    "ps",
    "grep",
    "egrep",
    "bash",
    "sh",
    "less",
    "script",
    "screen",
    "tmux",
    "sshd",
    "login",
    "awk",
    "tee",
}
# A program that needs less than this part of what the biggest needs is not what a comparison is about.
WORTH_A_ROW = 0.05


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """All processes of one program in one capture. Sums and the mean skip processes without the figure."""

    name: str
    n: int
    rss_kb: float
    rss_mean_kb: float
    cpu_pct: float
    members: tuple[ProcessFact, ...]


def groups(processes: Iterable[ProcessFact]) -> list[ProcessGroup]:
    """One group a program, the biggest by memory first."""
    by_name: dict[str, list[ProcessFact]] = defaultdict(list)
    for process in processes:
        by_name[process.group or process.command].append(process)
    made = [_group(name, members) for name, members in by_name.items()]
    return sorted(made, key=lambda group: (-group.rss_kb, group.name))


def _group(name: str, members: list[ProcessFact]) -> ProcessGroup:
    sizes = [process.rss_kb for process in members if process.rss_kb is not None]
    total = sum(sizes)
    return ProcessGroup(
        name=name,
        n=len(members),
        rss_kb=total,
        rss_mean_kb=total / len(sizes) if sizes else 0.0,
        cpu_pct=sum(process.cpu_pct or 0.0 for process in members),
        members=tuple(members),
    )


def leading(captures: Sequence[CaptureFact], most: int) -> list[str]:
    """The names of at most `most` groups worth a row: the biggest in any capture, helpers of looking left out."""
    biggest: dict[str, float] = {}
    for capture in captures:
        for group in groups(capture.processes):
            if group.name not in LOOKERS and group.rss_kb:
                biggest[group.name] = max(group.rss_kb, biggest.get(group.name, 0.0))
    floor = WORTH_A_ROW * max(biggest.values(), default=0.0)
    worth = [name for name in biggest if biggest[name] >= floor]
    return sorted(worth, key=lambda name: (-biggest[name], name))[:most]


PHASES = ("before", "during", "after", "")
MOST_PROGRAMS = 4
MIB = 1024


@dataclass(frozen=True, slots=True)
class Metric:
    """One row before it is laid out in columns: each capture's value."""

    key: str
    label: str
    unit: str
    kind: str
    values: tuple[tuple[CaptureFact, float], ...]


def free_kb(capture: CaptureFact) -> float | None:
    """Memory that programs could still get: "available" where printed, else free + buffers + cached or + inactive."""
    if "mem_available_kb" in capture.metrics:
        return capture.metrics["mem_available_kb"]
    free = capture.metrics.get("mem_free_kb")
    if free is None:
        return None
    cached = [capture.metrics.get(name) for name in ("mem_buffers_kb", "mem_cached_kb", "mem_buff_cache_kb")]
    if any(part is not None for part in cached):
        return free + sum(part or 0 for part in cached)
    inactive = capture.metrics.get("mem_inactive_kb")
    return free + inactive if inactive is not None else None


def memory_parts(capture: CaptureFact) -> dict[str, float]:
    """Used, buffers, cached (or inactive, where only that is told) and free in MiB; {} without a total.

    What old tools call "used" holds buffers and cache too, so it is worked out from the total instead.
    """
    told = capture.metrics
    total, free = told.get("mem_total_kb"), told.get("mem_free_kb")
    if total is None or free is None:
        return {}
    parts = {"buffers": told.get("mem_buffers_kb"), "cached": told.get("mem_cached_kb")}
    if not any(parts.values()):
        parts = {"cached": told.get("mem_buff_cache_kb"), "inactive": told.get("mem_inactive_kb")}
    known = {name: value / MIB for name, value in parts.items() if value}
    return {"used": max(total / MIB - free / MIB - sum(known.values()), 0.0), **known, "free": free / MIB}


def memory(captures: Sequence[CaptureFact]) -> list[Metric]:
    """System memory, swap, then resident memory of each leading program, all in MiB."""
    found = [
        *_system("mem_free", "Free memory", captures, _metric("mem_free_kb")),
        *_system("mem_obtainable", "Available memory", captures, free_kb),
        *_system("swap_used", "Swap used", captures, _metric("swap_used_kb")),
    ]
    programs = {capture.id: {group.name: group for group in groups(capture.processes)} for capture in captures}
    for name in leading(captures, MOST_PROGRAMS):
        found += _program(f"{name}: each, mean", "MiB", captures, programs, lambda group: group.rss_mean_kb / MIB)
        found += _program(f"{name}: all together", "MiB", captures, programs, lambda group: group.rss_kb / MIB)
        found += _program(f"{name}: processes", "", captures, programs, lambda group: group.n)
    return found


def cpu(captures: Sequence[CaptureFact]) -> list[Metric]:
    """Shares of CPU time and the one-minute load."""
    names = [("us", "User"), ("sy", "System"), ("ni", "Nice"), ("wa", "Waiting for disk"), ("si", "Soft interrupts")]
    names += [("st", "Stolen"), ("id", "Idle")]
    found = []
    for name, label in names:
        rows = _phased(f"cpu_{name}", label, "%", "", captures, _metric(f"cpu_{name}"))
        found += [row for row in rows if name in ("us", "sy", "id") or any(value for _, value in row.values)]
    found += _phased("load1", "Load, 1 minute", "", "", captures, _metric("load1"))
    return _phased("cpu_busy", "Busy", "%", "", captures, busy_pct) + found


def busy_pct(capture: CaptureFact) -> float | None:
    """What was not idle, waiting for the disk left out: nobody worked then."""
    idle = capture.metrics.get("cpu_id")
    return None if idle is None else max(100 - idle - capture.metrics.get("cpu_wa", 0.0), 0.0)


def _metric(name: str) -> Callable[[CaptureFact], float | None]:
    return lambda capture: capture.metrics.get(name)


def _system(
    key: str, label: str, captures: Sequence[CaptureFact], read: Callable[[CaptureFact], float | None]
) -> list[Metric]:
    def mib(capture: CaptureFact) -> float | None:
        value = read(capture)
        return None if value is None else value / MIB

    return _phased(key, label, "MiB", "amount", captures, mib)


Programs = dict[int, dict[str, ProcessGroup]]


def _program(
    label: str, unit: str, captures: Sequence[CaptureFact], programs: Programs, read: Callable[[ProcessGroup], float]
) -> list[Metric]:
    """Rows for the program that `label` opens with."""
    name = label.rpartition(": ")[0]

    def value(capture: CaptureFact) -> float | None:
        group = programs[capture.id].get(name)
        return None if group is None else read(group)

    return _phased(label.replace(" ", "_"), label, unit, "amount" if unit else "", captures, value)


def _phased(
    key: str,
    label: str,
    unit: str,
    kind: str,
    captures: Sequence[CaptureFact],
    read: Callable[[CaptureFact], float | None],
) -> list[Metric]:
    """One row a phase that has values. A capture quoted in part gives way to a full one of the same config."""
    rows = []
    for phase in PHASES:
        values = [
            (capture, value) for capture in captures if capture.phase == phase and (value := read(capture)) is not None
        ]
        full = {capture.config for capture, _ in values if not capture.partial}
        kept = tuple((capture, value) for capture, value in values if not capture.partial or capture.config not in full)
        if kept:
            suffix = f", {phase}" if phase else ""
            rows.append(Metric(f"{key}_{phase}".rstrip("_"), label + suffix, unit, kind, kept))
    return rows
