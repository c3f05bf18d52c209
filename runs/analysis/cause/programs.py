"""CPU time during a load: of each program, of the load generator, and of what collects garbage."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from runs.analysis.doubt_case import Case, seconds_taken
from runs.analysis.facts import CaptureFact, ProcessFact, RunFact, Source
from runs.analysis.monitors import BEHIND, DATABASES, FRONT, MANY_IN_ONE, group_processes

USES_CPU = 0.02  # cores; a program that uses less than that does nothing
SEVERAL = 2  # times that memory fell: once is a start, an end or a chance
AROUND = ("before", "after")


@dataclass(frozen=True, slots=True)
class Amount:
    """A mean over `n` samples, and the line that the first of them stands on."""

    value: float
    source: Source
    n: int = 1


@dataclass(frozen=True, slots=True)
class Program:
    """All processes of one program during the load.

    cores     CPU time over the time of the load; most: of the one process that used the most of it; busy: how many used any
    replaced  the share of its processes that ended during the load and were replaced
    """

    name: str
    n: float
    cores: float
    most: float
    busy: int
    source: Source
    replaced: float = 0.0

    @property
    def is_database(self) -> bool:
        return self.name.lower().startswith(DATABASES)

    @property
    def takes_many(self) -> bool:
        """It serves many connections in each process."""
        return self.name.lower().startswith(MANY_IN_ONE)

    @property
    def is_front(self) -> bool:
        """Its name is that of a program that answers requests."""
        return self.name.lower().startswith(FRONT)

    @property
    def is_behind(self) -> bool:
        """Its name is that of a program that often runs behind one, and as often does something else."""
        return self.name.lower().startswith(BEHIND) and not self.is_database


@dataclass(frozen=True, slots=True)
class Falls:
    """How often the memory of a program fell, by which part of what it was, and the line of the first sample."""

    program: str
    n: int
    share: float
    source: Source


Listed = dict[tuple[int, str], ProcessFact]


def find_programs(case: Case, runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> tuple[Program, ...]:
    """Of the run that tells most: by the CPU time before and after the load, else by the shares that a monitor showed."""
    watched = [capture for capture in captures if case.watched_side(capture) != "generator"]
    for run in runs:
        own = [one for one in watched if one.run == run.id and one.processes]
        before, after = ([one for one in own if one.phase == phase] for phase in AROUND)
        after = [one for one in after if any(process.time_s for process in one.processes) and not one.is_cut]
        pairs = [(one, other) for one in before for other in after if one.tool == other.tool]
        seconds = seconds_taken(run)
        if pairs and seconds:
            # Times of whole seconds are too coarse for many processes.
            finest = min(pairs, key=lambda pair: all((process.time_s or 0) % 1 == 0 for process in pair[1].processes))
            return _measure_by_time(*finest, seconds)
    during = [one for one in watched if one.phase not in AROUND and one.processes and not one.partial]
    return _measure_by_share(max(during, key=lambda one: (one.n, len(one.processes)))) if during else ()


def _measure_by_time(before: CaptureFact, after: CaptureFact, seconds: float) -> tuple[Program, ...]:
    first: Listed = {(one.pid, one.group): one for one in before.processes}
    last: Listed = {(one.pid, one.group): one for one in after.processes}
    grouped: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for pid, process in last.items():
        if not (process.monitors or process.makes_load):
            grouped[process.group].append(pid)
    programs = []
    for name, pids in grouped.items():
        used = [(last[pid].time_s or 0) - ((first[pid].time_s or 0) if pid in first else 0) for pid in pids]
        cores = [max(each, 0) / seconds for each in used]
        old = [pid for pid in first if pid[1] == name]
        gone = len([pid for pid in old if pid not in last]) / len(old) if old and len(pids) >= len(old) / 2 else 0
        busy = sum(each > USES_CPU for each in cores)
        here = after.first_line
        programs.append(Program(name, len(pids), sum(cores), max(cores), busy, here, gone))
    return tuple(sorted(programs, key=lambda program: -program.cores))


def _measure_by_share(capture: CaptureFact) -> tuple[Program, ...]:
    here = capture.first_line
    groups = [group for group in group_processes(capture, served=True) if group.cpu_pct]
    shares = {group.name: [(member.cpu_pct or 0) / 100 for member in group.members] for group in groups}
    programs = [
        Program(
            *(group.name, group.n, group.cpu_pct / 100, max(shares[group.name])),
            *(sum(each > USES_CPU for each in shares[group.name]), here),
        )
        for group in groups
    ]
    return tuple(sorted(programs, key=lambda program: -program.cores))


def find_generating(runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> Amount | None:
    """What the shell counted of the load's children, else what a monitor showed of load tools in several samples."""
    seconds = {run.id: seconds_taken(run) for run in runs}
    timed = [
        (capture, capture.metrics["load_cpu_s"] / (seconds[capture.run] or math.inf))
        for capture in captures
        if "load_cpu_s" in capture.metrics and capture.run in seconds
    ]
    if timed:
        return Amount(fmean(cores for _, cores in timed), timed[0][0].first_line, 9)
    shown = [
        (capture, sum(each.cpu_pct or 0 for each in capture.processes if each.makes_load) / 100)
        for capture in captures
        if capture.run in seconds and capture.phase not in AROUND and any(each.makes_load for each in capture.processes)
    ]
    return read_amount(shown) if shown else None


def limit_generating(run: RunFact, case: Case, captures: Sequence[CaptureFact]) -> float | None:
    """One core for each thread, as far as the machine has them."""
    machines = [machine.cores for capture in captures if (machine := case.machine_of(capture)) and machine.cores]
    threads = 1 if run.semantics.one_thread else run.number("threads")
    limits = [float(each) for each in (threads, machines[0] if machines else None) if each]
    return min(limits, default=None)


def find_collecting(name: str, runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> Amount | None:
    """Seconds a second of "gc_pause" or "gc_cpu": of a log of collections, else of the threads' CPU time around the load."""
    collecting = []
    for run in runs:
        seconds = seconds_taken(run) or math.inf
        own = [capture for capture in captures if capture.run == run.id]
        logged = [one for one in own if f"{name}_pct" in one.metrics]
        around = {one.phase: one for one in own if f"{name}_s" in one.metrics}
        if logged:
            spent = sum(one.metrics[f"{name}_pct"] / 100 * one.n for one in logged)
            collecting.append((logged[0], spent / max(seconds, sum(one.n for one in logged))))
        elif len(around) == len(AROUND):
            spent = around["after"].metrics[f"{name}_s"] - around["before"].metrics[f"{name}_s"]
            collecting.append((around["after"], max(spent, 0) / seconds))
    return Amount(fmean(share for _, share in collecting), collecting[0][0].first_line, 9) if collecting else None


def find_falling_programs(captures: Sequence[CaptureFact]) -> dict[str, Falls]:
    """By program, where its memory rose and fell several times in one run; of the run in which it did so most often."""
    falling_programs: dict[str, Falls] = {}
    for capture in captures:
        for name, shares in capture.falls.items():
            if len(shares) >= SEVERAL and (name not in falling_programs or len(shares) > falling_programs[name].n):
                falling_programs[name] = Falls(name, len(shares), fmean(shares), capture.first_line)
    return falling_programs


def read_amount(samples: Sequence[tuple[CaptureFact, float]]) -> Amount:
    capture = samples[0][0]
    return Amount(fmean(value for _, value in samples), capture.first_line, sum(one.n for one, _ in samples))
