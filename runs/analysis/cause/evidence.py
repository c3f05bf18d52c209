"""What is known of one side of a comparison: its load, what monitors saw during it, and the CPU time of each program.

Shares are of 0 to 100, CPU time is in cores (1.5: one and a half), times in ms. A figure that nothing tells is missing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from runs.analysis.columns import Column
from runs.analysis.doubt_case import Case, hostname_of, is_local, seconds_taken
from runs.analysis.doubts import Doubt
from runs.analysis.facts import CaptureFact, ProcessFact, RunFact, Source
from runs.analysis.monitors import BEHIND, FRONT, MANY_IN_ONE, busy_pct, group_processes

# Names under which tools print the shortest time, and what one of it is in ms.
SHORTEST = {
    **{"total_ms.min": 1.0, "request_ms.min": 1.0, "http_req_duration_ms.min": 1.0, "fastest_ms": 1.0},
    **{"fastest_s": 1000.0, "shortest_s": 1000.0},
}
CONNECT = {"connect_ms.median": 1.0, "connect_ms.mean": 1.0}
BYTES = {
    "html_transferred_bytes": 1.0,
    "total_transferred_bytes": 1.0,
    "total_data_bytes": 1.0,
    "data_transferred_mb": 2.0**20,
}
DATABASES = (
    *("postgres", "mysqld", "mariadbd", "mongod", "oracle", "sqlservr"),
    *("redis-server", "memcached", "clickhouse"),
)
USES_CPU = 0.02  # cores; a program that uses less than that does nothing
MOVED = "x_bytes_per_s"  # over an interface, sent or received
AROUND = ("before", "after")
SHORT_S = 2.0  # a shorter run is over before monitors of each second tell its load from what is around it
COVERED = (0.5, 1.5)  # of the run's time: a monitor of much less, or much more, tells the mean of something else
SLACK_S = 3.0  # for starting and ending


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


@dataclass(frozen=True)
class Watched:
    """One column of the table.

    name                what of its title sets it apart from the others
    server, generator   figures of the machine under load, and of the one that made it; the same where is_local
    generating          cores that the load generator used, and the most that it can use
    doubts              rule -> the doubt, of those about its runs
    is_short            there are monitors, and each run was over before they could tell anything
    is_elsewhen         a monitor shows the CPU of the machine under load, at another time than the runs'
    """

    at: int
    title: str
    name: str
    runs: tuple[RunFact, ...]
    rate: float | None
    clients: int | None
    mean_ms: float | None
    shortest_ms: float | None
    connect_ms: float | None
    reply_bytes: float | None
    is_local: bool
    hostname: str
    cores: int | None
    server: Mapping[str, Amount]
    generator: Mapping[str, Amount]
    programs: tuple[Program, ...] = ()
    generating: Amount | None = None
    most_generating: float | None = None
    doubts: Mapping[str, Doubt] = field(default_factory=dict)
    is_short: bool = False
    is_elsewhen: bool = False

    @property
    def busy(self) -> Amount | None:
        return self.server.get("cpu_busy")

    @property
    def idle(self) -> float | None:
        """Free CPU in per cent, waiting for a disk included: nobody worked then."""
        return None if self.busy is None else 100 - self.busy.value

    @property
    def own(self) -> float | None:
        """Cores that the load itself used: servers and databases by their names, and a generator on the same machine.

        Not more than there are: then what may run behind a server did something else.
        """
        found = [*self.servers, *(one for one in self.programs if one.is_database)]
        if not found or (self.is_local and self.generating is None):
            return None
        used = sum(one.cores for one in found) + (self.generating.value if self.generating and self.is_local else 0)
        return min(used, self.cores or used)

    @property
    def servers(self) -> list[Program]:
        """Programs that answer. What may run behind them counts where none is known, or what is known only passes on."""
        front = [one for one in self.programs if one.is_front]
        passes = all(one.takes_many for one in front)
        return front + [one for one in self.programs if passes and one.is_behind]

    @property
    def own_ms(self) -> float | None:
        """CPU time that the load itself took for a request."""
        return self.own * 1000 / self.rate if self.own is not None and self.rate else None

    @property
    def demand_ms(self) -> float | None:
        """The utilisation law: CPU time of a request is the busy time over the requests (Denning and Buzen, 1978)."""
        if self.own_ms is not None:
            return self.own_ms
        if self.busy is None or not self.cores or not self.rate:
            return None
        return self.busy.value / 100 * self.cores * 1000 / self.rate

    @property
    def in_service(self) -> float | None:
        """Little's law with the shortest time, which held no waiting: how many requests were worked on at once."""
        return self.rate * self.shortest_ms / 1000 if self.rate and self.shortest_ms else None

    @property
    def cycle_ms(self) -> float | None:
        """Little's law again: how long a client takes from one request to the next. mean_ms leaves out who was never served."""
        return 1000 * self.clients / self.rate if self.clients and self.rate else self.mean_ms

    @property
    def alone_ms(self) -> float | None:
        """A request without waiting for its turn: the shortest, else the mean where each client had a process of its own.

        Then no connection waited to be accepted, and no process for a lock, as far as lists of them show.
        """
        if self.shortest_ms is not None:
            return self.shortest_ms
        door, front = self.server.get("accept_queue"), self.front
        if (
            not (door and "waiting_lock" in self.server and front and self.clients)
            or front.takes_many
            or front.n - 1 < self.clients
        ):
            return None
        held = self.held.value if self.held else 0
        return self.cycle_ms if door.value < 0.1 * self.clients and held < 2 else None

    @property
    def held(self) -> Amount | None:
        """The most processes of one program, a server or a database, that waited for a lock."""
        names = {one.name for one in self.programs if one.is_front or one.is_behind or one.is_database}
        found = [one for name in names if (one := self.server.get(f"waiting_lock_{name}"))]
        return max(found, key=lambda one: one.value, default=None)

    @property
    def front(self) -> Program | None:
        """The program that answers: of the known ones that with the most CPU time."""
        return max(self.servers, key=lambda one: (one.is_front, one.cores, one.n), default=None)

    def source_of(self, *figures: str) -> Source:
        return self.runs[0].source_of(*figures)

    def amount(self, name: str) -> float:
        found = self.server.get(name)
        return found.value if found else 0.0


def collect(case: Case, at: int, column: Column, out: Iterable[int], doubts: Sequence[Doubt]) -> Watched | None:
    """None of a column without runs. out: runs that do not count; of a column that has no others they are all there is."""
    left_out = set(out)
    runs = tuple(run for run in column.runs if run.id not in left_out) or column.runs
    if not runs:
        return None
    ids = {run.id for run in runs}
    captures = [one for one in case.captures if ids & {run.id for run in case.runs_of(one)}]
    beside = [one for one in captures if one.phase not in AROUND and one.run is not None]
    during = [one for one in beside if _covers(case, one)]
    sides = {
        side: [one for one in during if case.watched_side(one) in (side, "both")] for side in ("server", "generator")
    }
    machines = [machine for one in sides["server"] if (machine := case.machine_of(one))]
    own = [doubt for doubt in doubts if not doubt.runs or ids & set(doubt.runs)]
    seen = max((sum(name.startswith("core") for name in one.metrics) for one in sides["server"]), default=0)
    cores = (machines[0].cores if machines else None) or seen or None
    followed = [run for run in runs if (seconds_taken(run) or SHORT_S) >= SHORT_S]
    return Watched(
        at=at,
        title=column.title,
        name=column.name or column.title,
        runs=runs,
        rate=_mean(run.requests_per_second for run in runs),
        clients=next((run.clients for run in runs if run.clients), None),
        mean_ms=_mean(run.mean_ms for run in runs),
        shortest_ms=_mean(_read_printed(run, SHORTEST) for run in runs),
        connect_ms=_mean(_read_printed(run, CONNECT) for run in runs),
        reply_bytes=_mean(
            total / n for run in runs if (total := _read_printed(run, BYTES)) and (n := run.complete_requests)
        ),
        is_local=all(is_local(run) for run in runs)
        or any(process.makes_load for one in sides["server"] for process in one.processes),
        hostname=next((name for run in runs if (name := hostname_of(run))), ""),
        cores=cores,
        server=_collect_amounts(sides["server"]),
        generator=_collect_amounts(sides["generator"]),
        programs=_find_programs(case, followed, captures),
        generating=_find_generating(followed, captures),
        most_generating=_limit_generating(runs[0], case, sides["generator"]),
        doubts={doubt.rule: doubt for doubt in reversed(own)},
        is_short=bool(captures) and not followed,
        is_elsewhen=any(
            case.watched_side(one) != "generator" and busy_pct(one) is not None for one in beside if one not in during
        ),
    )


def _covers(case: Case, capture: CaptureFact) -> bool:
    """Whether a monitor is about the time of its runs. One without clocks has taken at least a second for each sample."""
    lengths = [seconds for run in case.runs_of(capture) if run.id == capture.run and (seconds := seconds_taken(run))]
    if not lengths:
        return True
    watched = capture.n - 1 if capture.seconds is None else capture.seconds
    ended_early = capture.n > 1 and capture.seconds is not None and watched + SLACK_S < COVERED[0] * lengths[0]
    return lengths[0] >= SHORT_S and not ended_early and watched <= COVERED[1] * lengths[0] + SLACK_S


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return fmean(known) if known else None


def _read_printed(run: RunFact, names: Mapping[str, float]) -> float | None:
    found = ((run.number(name), factor) for name, factor in names.items())
    return next((value * factor for value, factor in found if value), None)


def _collect_amounts(captures: Sequence[CaptureFact]) -> dict[str, Amount]:
    """Each metric by the capture of each run that has the most samples of it, the mean over the runs."""
    best: dict[str, dict[int | None, tuple[CaptureFact, float]]] = defaultdict(dict)
    for capture in captures:
        metrics = dict(capture.metrics)
        if (busy := busy_pct(capture)) is not None:
            metrics["cpu_busy"] = busy
        shares = [value for name, value in metrics.items() if name.startswith("core") and name.endswith("_busy_pct")]
        if shares:
            metrics |= {"core_most": max(shares), "core_least": min(shares), "cores": len(shares)}
        metrics |= {f"{name}_least": least for name, least in capture.lows.items() if name.endswith(MOVED)}
        for name, value in metrics.items():
            known = best[name].get(capture.run)
            if known is None or capture.n > known[0].n:
                best[name][capture.run] = capture, value
    return {name: _read_amount(list(found.values())) for name, found in best.items()}


def _read_amount(found: Sequence[tuple[CaptureFact, float]]) -> Amount:
    capture = found[0][0]
    return Amount(fmean(value for _, value in found), capture.first_line, sum(one.n for one, _ in found))


# --- CPU time of programs ------------------------------------------------------------------------------------------------
Listed = dict[tuple[int, str], ProcessFact]


def _find_programs(case: Case, runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> tuple[Program, ...]:
    """Of the run that tells most: by the CPU time before and after the load, else by the shares that a monitor showed."""
    watched = [one for one in captures if case.watched_side(one) != "generator"]
    for run in runs:
        own = [one for one in watched if one.run == run.id and one.processes]
        before, after = ([one for one in own if one.phase == phase] for phase in AROUND)
        after = [one for one in after if any(process.time_s for process in one.processes) and not one.is_cut]
        pairs = [(one, other) for one in before for other in after if one.tool == other.tool]
        seconds = seconds_taken(run)
        if pairs and seconds:
            return _measure_by_time(*min(pairs, key=lambda pair: _is_whole(pair[1])), seconds)
    during = [one for one in watched if one.phase not in AROUND and one.processes and not one.partial]
    return _measure_by_share(max(during, key=lambda one: (one.n, len(one.processes)))) if during else ()


def _is_whole(capture: CaptureFact) -> bool:
    """Its times are whole seconds, which is too coarse for many processes."""
    return all((one.time_s or 0) % 1 == 0 for one in capture.processes)


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
    return tuple(sorted(programs, key=lambda one: -one.cores))


def _measure_by_share(capture: CaptureFact) -> tuple[Program, ...]:
    here = capture.first_line
    found = [group for group in group_processes(capture, served=True) if group.cpu_pct]
    shares = {group.name: [(one.cpu_pct or 0) / 100 for one in group.members] for group in found}
    programs = [
        Program(
            *(group.name, group.n, group.cpu_pct / 100, max(shares[group.name])),
            *(sum(each > USES_CPU for each in shares[group.name]), here),
        )
        for group in found
    ]
    return tuple(sorted(programs, key=lambda one: -one.cores))


def _find_generating(runs: Sequence[RunFact], captures: Sequence[CaptureFact]) -> Amount | None:
    """What the shell counted of the load's children, else what a monitor showed of load tools in several samples."""
    seconds = {run.id: seconds_taken(run) for run in runs}
    timed = [
        (one, one.metrics["load_cpu_s"] / (seconds[one.run] or math.inf))
        for one in captures
        if "load_cpu_s" in one.metrics and one.run in seconds
    ]
    if timed:
        return Amount(fmean(cores for _, cores in timed), timed[0][0].first_line, 9)
    shown = [
        (one, sum(each.cpu_pct or 0 for each in one.processes if each.makes_load) / 100)
        for one in captures
        if one.run in seconds and one.phase not in AROUND and any(each.makes_load for each in one.processes)
    ]
    return _read_amount(shown) if shown else None


def _limit_generating(run: RunFact, case: Case, captures: Sequence[CaptureFact]) -> float | None:
    """One core for each thread, as far as the machine has them."""
    machines = [machine.cores for one in captures if (machine := case.machine_of(one)) and machine.cores]
    threads = 1 if run.semantics.one_thread else run.number("threads")
    limits = [float(each) for each in (threads, machines[0] if machines else None) if each]
    return min(limits, default=None)
