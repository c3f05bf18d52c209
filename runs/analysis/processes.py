"""Processes added up by program: all httpd together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runs.analysis.facts import CaptureFact, ProcessFact

# Programs that belong to looking, not to what is looked at.
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
