"""What is known of one side of a comparison: its load, what monitors saw during it, and the CPU time of each program.

Shares are of 0 to 100, CPU time is in cores (1.5: one and a half), times in ms. A figure that nothing tells is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from runs.analysis.cause.programs import (
    AROUND,
    Amount,
    Falls,
    Program,
    find_collecting,
    find_falling_programs,
    find_generating,
    find_programs,
    limit_generating,
    read_amount,
)
from runs.analysis.columns import Column
from runs.analysis.doubt_case import Case, Doubt, hostname_of, is_local, seconds_taken
from runs.analysis.facts import HUGE, CaptureFact, RunFact, Source
from runs.analysis.monitors import busy_pct

# Names under which tools print the shortest time, and what one of it is in ms.
SHORTEST = {
    **{"total_ms.min": 1.0, "request_ms.min": 1.0, "http_req_duration_ms.min": 1.0, "fastest_ms": 1.0},
    **{"fastest_s": 1000.0, "shortest_s": 1000.0},
}
BYTES = {
    "html_transferred_bytes": 1.0,
    "total_transferred_bytes": 1.0,
    "total_data_bytes": 1.0,
    "data_transferred_mb": 2.0**20,
}
FULL_PCT = 95.0  # of all cores: what sampling misses is under a twentieth
LIGHT = 0.4  # of the cores
HEAVY = 0.75
FREE_PCT = 25.0  # with as much of the CPU idle, CPU is not what limits
MOVED = "x_bytes_per_s"  # over an interface, sent or received
SHORT_S = 2.0  # a shorter run is over before monitors of each second tell its load from what is around it
COVERED = (0.5, 1.5)  # of the run's time: a monitor of much less, or much more, tells the mean of something else
SLACK_S = 3.0  # for starting and ending


@dataclass(frozen=True)
class Watched:
    """One column of the table.

    name                what of its title sets it apart from the others
    server, generator   figures of the machine under load, and of the one that made it; the same where is_local
    generating          cores that the load generator used, and the most that it can use
    paused, collecting  part of the time that garbage collection held a program up, and cores that it used
    throttled           per cent of a control group's periods since it is there, where nothing tells those of the load
    falls               programs whose memory rose and fell during the load
    reached             limits that a log says were reached, and how many lines say so
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
    reply_bytes: float | None
    is_local: bool
    hostname: str
    cores: int | None = None
    server: Mapping[str, Amount] = field(default_factory=dict)
    generator: Mapping[str, Amount] = field(default_factory=dict)
    programs: tuple[Program, ...] = ()
    generating: Amount | None = None
    most_generating: float | None = None
    paused: Amount | None = None
    collecting: Amount | None = None
    throttled: Amount | None = None
    falls: Mapping[str, Falls] = field(default_factory=dict)
    reached: Mapping[str, Amount] = field(default_factory=dict)
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
        if not self.serving or (self.is_local and self.generating is None):
            return None
        used = sum(one.cores for one in self.serving) + (
            self.generating.value if self.generating and self.is_local else 0
        )
        return min(used, self.cores or used)

    @property
    def has_free_cpu(self) -> bool:
        """CPU was idle; or what else ran used it, and the load took little of it and little of a request's shortest time."""
        if self.idle is not None and self.idle >= FREE_PCT:
            return True
        return self.is_light and self.alone_ms is not None and (self.own_ms or 0) <= LIGHT * self.alone_ms

    @property
    def is_full(self) -> bool:
        """No core was idle, and the load itself used most of them, as far as that is known."""
        if self.busy is None or self.busy.value < FULL_PCT:
            return False
        return self.own is None or not self.cores or self.own >= HEAVY * self.cores

    @property
    def is_light(self) -> bool:
        return self.own is not None and self.cores is not None and self.own <= LIGHT * self.cores

    @property
    def has_cpu_left(self) -> bool:
        if self.own is not None and self.cores:
            return self.own < HEAVY * self.cores
        return self.idle is not None and self.idle >= 10

    @property
    def servers(self) -> list[Program]:
        """Programs that answer. What may run behind them counts where none is known, or what is known only passes on."""
        front = [program for program in self.programs if program.is_front]
        passes = all(one.takes_many for one in front)
        return front + [program for program in self.programs if passes and program.is_behind]

    @property
    def serving(self) -> list[Program]:
        """Programs that answer, and their databases."""
        return self.servers + [program for program in self.programs if program.is_database]

    @property
    def answering(self) -> float | None:
        """Cores that these used; None where none is known."""
        return sum(program.cores for program in self.serving) or None

    @property
    def own_ms(self) -> float | None:
        """CPU time that the load itself took for a request."""
        return self.own * 1000 / self.rate if self.own is not None and self.rate else None

    @property
    def lost_to_collection(self) -> float:
        """The part of the time, or of the servers' CPU time, whichever is more, that garbage collection took."""
        used = max(sum(server.cores for server in self.servers), self.collecting.value) if self.collecting else 0
        share = self.collecting.value / used if self.collecting and used else 0.0
        return min(max(share, self.paused.value if self.paused else 0.0), 0.99)

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
        names = {
            program.name for program in self.programs if program.is_front or program.is_behind or program.is_database
        }
        amounts = [amount for name in names if (amount := self.server.get(f"waiting_lock_{name}"))]
        return max(amounts, key=lambda amount: amount.value, default=None)

    @property
    def front(self) -> Program | None:
        """The program that answers: of the known ones that with the most CPU time."""
        return max(self.servers, key=lambda program: (program.is_front, program.cores, program.n), default=None)

    def source_of(self, *figures: str) -> Source:
        return self.runs[0].source_of(*figures)

    def amount(self, name: str) -> float:
        limit = self.server.get(name)
        return limit.value if limit else 0.0


def collect(case: Case, at: int, column: Column, out: Iterable[int], doubts: Sequence[Doubt]) -> Watched | None:
    """None of a column without runs. out: runs that do not count; of a column that has no others they are all there is."""
    left_out = set(out)
    runs = tuple(run for run in column.runs if run.id not in left_out) or column.runs
    if not runs:
        return None
    ids = {run.id for run in runs}
    own = [doubt for doubt in doubts if not doubt.runs or ids & doubt.run_ids]
    side = Watched(
        at=at,
        title=column.title,
        name=column.name or column.title,
        runs=runs,
        rate=_mean(run.requests_per_second for run in runs),
        clients=next((run.clients for run in runs if run.clients), None),
        mean_ms=_mean(run.mean_ms for run in runs),
        shortest_ms=_mean(_read_printed(run, SHORTEST) for run in runs),
        reply_bytes=_mean(
            total / n for run in runs if (total := _read_printed(run, BYTES)) and (n := run.complete_requests)
        ),
        is_local=all(is_local(run) for run in runs),
        hostname=next((name for run in runs if (name := hostname_of(run))), ""),
        doubts={doubt.rule: doubt for doubt in reversed(own)},
    )
    captures = case.captures_beside(runs)
    return _add_captures(case, side, captures) if captures else side


def _add_captures(case: Case, side: Watched, captures: Sequence[CaptureFact]) -> Watched:
    """With what monitors saw beside its runs."""
    runs = side.runs
    beside = [capture for capture in captures if capture.phase not in AROUND and capture.run is not None]
    during = [one for one in beside if _covers(case, one)]
    server, generator = (
        [one for one in during if case.watched_side(one) in (end, "both")] for end in ("server", "generator")
    )
    machines = [machine for one in server if (machine := case.machine_of(one))]
    seen = max((sum(name.startswith("core") for name in one.metrics) for one in server), default=0)
    around = [capture for capture in captures if capture.phase in AROUND and case.watched_side(capture) != "generator"]
    collected = around + server
    followed = [run for run in runs if (seconds_taken(run) or SHORT_S) >= SHORT_S]
    return replace(
        side,
        is_local=side.is_local or any(process.makes_load for one in server for process in one.processes),
        cores=(machines[0].cores if machines else None) or seen or None,
        server=_collect_amounts(server),
        generator=_collect_amounts(generator),
        programs=find_programs(case, followed, captures),
        generating=find_generating(followed, captures),
        most_generating=limit_generating(runs[0], case, generator),
        paused=find_collecting("gc_pause", followed, collected),
        collecting=find_collecting("gc_cpu", followed, collected),
        throttled=_find_throttled(collected),
        falls=find_falling_programs(server),
        reached=_find_reached(collected),
        is_short=not followed,
        is_elsewhen=any(
            case.watched_side(one) != "generator" and busy_pct(one) is not None for one in beside if one not in during
        ),
    )


def _find_throttled(captures: Sequence[CaptureFact]) -> Amount | None:
    """Of the group that was throttled most, by a file printed during the load or after it. Long names are stored cut."""
    names = [(capture, name) for capture in captures if capture.phase != "before" for name in capture.metrics]
    if any("throttled_pe" in name for _, name in names):
        return None
    throttled = [read_amount([(one, one.metrics[name])]) for one, name in names if "throttled_to" in name]
    return max(throttled, key=lambda amount: amount.value, default=None)


def _find_reached(captures: Sequence[CaptureFact]) -> dict[str, Amount]:
    """By the limit's name, of logs printed during the load or after it."""
    reached: dict[str, list[tuple[CaptureFact, float]]] = defaultdict(list)
    for capture in captures:
        for name, n in capture.metrics.items():
            if capture.phase != "before" and name.startswith("reached_"):
                reached[name.removeprefix("reached_")].append((capture, n))
    return {name: replace(read_amount(own), value=sum(n for _, n in own)) for name, own in reached.items()}


def _covers(case: Case, capture: CaptureFact) -> bool:
    """Whether a monitor is about the time of its runs. One without clocks has taken at least a second for each sample."""
    lengths = [seconds for run in case.runs_of(capture) if run.id == capture.run and (seconds := seconds_taken(run))]
    if not lengths:
        return True
    watched = capture.n - 1 if capture.seconds is None else capture.seconds
    ended_early = capture.n > 1 and capture.seconds is not None and watched + SLACK_S < COVERED[0] * lengths[0]
    return lengths[0] >= SHORT_S and not ended_early and watched <= COVERED[1] * lengths[0] + SLACK_S


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and abs(value) < HUGE]
    return fmean(known) if known else None


def _read_printed(run: RunFact, names: Mapping[str, float]) -> float | None:
    printed = ((run.number(name), factor) for name, factor in names.items())
    return next((value * factor for value, factor in printed if value), None)


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
    return {name: read_amount(list(best_samples.values())) for name, best_samples in best.items()}
