"""Rows of the comparison that come from monitors: memory and CPU, of the machine and by program, per phase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from runs.analysis.facts import CaptureFact, ProcessFact

# Programs around a monitor's command, which are not what is watched; monitors themselves are told by their formats.
HELPERS = frozenset(
    {
        *("grep", "egrep", "bash", "sh", "less", "script", "screen", "tmux", "sshd", "login", "awk", "tee", "watch"),
        *("tail", "cat", "dstat", "htop", "atop"),
    }
)
# A program that needs less than this part of what the biggest needs is not what a comparison is about.
WORTH_A_ROW = 0.05


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """All processes of one program in one capture. Sums and the mean skip processes without the figure.

    Of several samples n, rss_kb and cpu_pct are means of each sample's number or sum; the peaks are the most of them.
    """

    name: str
    n: float
    rss_kb: float
    rss_mean_kb: float
    cpu_pct: float
    members: tuple[ProcessFact, ...]
    peak_n: float = 0
    peak_rss_kb: float = 0

    @property
    def helps(self) -> bool:
        """It keeps a terminal or a monitor going, and is not what a comparison is about."""
        return self.name.lower() in HELPERS or self.members[0].monitors


def group_processes(capture: CaptureFact, *, served: bool = False) -> list[ProcessGroup]:
    """One group a program, the biggest by memory first. served: without load tools, monitors and what goes with them."""
    by_name: dict[str, list[ProcessFact]] = defaultdict(list)
    for process in capture.processes:
        by_name[process.group or process.command].append(process)
    groups = [_group(name, members, capture.programs.get(name, {})) for name, members in by_name.items()]
    kept = [group for group in groups if not (served and (group.helps or group.members[0].makes_load))]
    return sorted(kept, key=lambda group: (-group.rss_kb, group.name))


def _group(name: str, members: list[ProcessFact], sums: Mapping[str, Sequence[float]]) -> ProcessGroup:
    sizes = [process.rss_kb for process in members if process.rss_kb is not None]
    single = {"processes": len(members), "rss_kb": sum(sizes), "cpu_pct": sum(one.cpu_pct or 0.0 for one in members)}
    n, rss_kb, cpu_pct = (sums.get(metric, (value, value)) for metric, value in single.items())
    each = sum(sizes) / len(sizes) if sizes else 0.0
    if sums and n[0]:
        each = rss_kb[0] / n[0]
    return ProcessGroup(name, n[0], rss_kb[0], each, cpu_pct[0], tuple(members), n[1], rss_kb[1])


def leading(captures: Sequence[CaptureFact], most: int) -> list[str]:
    """The names of at most `most` groups worth a row: the biggest in any capture, without what keeps monitors going."""
    biggest: dict[str, float] = {}
    for capture in captures:
        for group in group_processes(capture):
            if group.rss_kb and not group.helps:
                biggest[group.name] = max(group.rss_kb, biggest.get(group.name, 0.0))
    floor = WORTH_A_ROW * max(biggest.values(), default=0.0)
    worth = [name for name in biggest if biggest[name] >= floor]
    return sorted(worth, key=lambda name: (-biggest[name], name))[:most]


PHASES = ("before", "during", "after", "")
MOST_PROGRAMS = 4
MIB = 1024


@dataclass(frozen=True, slots=True)
class Metric:
    """One row before it is laid out in columns: each capture's value. `of`: the rows of one thing, a phase each, share it."""

    key: str
    label: str
    unit: str
    kind: str
    values: tuple[tuple[CaptureFact, float], ...]
    of: str = ""
    phase: str = ""


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
    metrics = capture.metrics
    total, free = metrics.get("mem_total_kb"), metrics.get("mem_free_kb")
    if total is None or free is None:
        return {}
    parts = {"buffers": metrics.get("mem_buffers_kb"), "cached": metrics.get("mem_cached_kb")}
    if not any(parts.values()):
        parts = {"cached": metrics.get("mem_buff_cache_kb"), "inactive": metrics.get("mem_inactive_kb")}
    known = {name: value / MIB for name, value in parts.items() if value}
    return {"used": max(total / MIB - free / MIB - sum(known.values()), 0.0), **known, "free": free / MIB}


def memory(captures: Sequence[CaptureFact]) -> list[Metric]:
    """System memory, swap, then resident memory of each leading program, all in MiB.

    Of a program that some capture lists whole, cut screens give no sum and no number beside it.
    """
    found = [
        *_system("mem_free", "Free memory", captures, _metric("mem_free_kb")),
        *_system("mem_obtainable", "Available memory", captures, free_kb),
        *_system("swap_used", "Swap used", captures, _metric("swap_used_kb")),
    ]
    programs = {capture.id: {group.name: group for group in group_processes(capture)} for capture in captures}
    for name in leading(captures, MOST_PROGRAMS):
        found += _program(f"{name}: each, mean", "MiB", captures, programs, lambda group: group.rss_mean_kb / MIB)
        listed = [capture for capture in captures if name in programs[capture.id]]
        summed = [capture for capture in listed if not capture.is_cut] or listed
        own = [programs[capture.id][name] for capture in summed]
        found += _program(f"{name}: all together", "MiB", summed, programs, lambda group: group.rss_kb / MIB)
        if any(group.peak_rss_kb > group.rss_kb for group in own):
            found += _program(
                f"{name}: all together, most", "MiB", summed, programs, lambda group: group.peak_rss_kb / MIB
            )
        found += _program(f"{name}: processes", "", summed, programs, lambda group: round(group.n, 1))
        if any(group.peak_n > group.n for group in own):
            found += _program(f"{name}: processes, most", "", summed, programs, lambda group: group.peak_n)
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
            rows.append(Metric(f"{key}_{phase}".rstrip("_"), label + suffix, unit, kind, kept, label, phase))
    return rows
