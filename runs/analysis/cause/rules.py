"""The rules: what one side was limited by, and which of it explains the difference to the other side.

Basis: B. Gregg's USE method (utilisation, saturation and errors of each resource) says what to look at; the operational laws of
Denning and Buzen (1978) say what follows: X = U/D for a resource that is busy all the time, and N = X·R (Little) for requests
under way. A rule names a resource only where it was saturated; a high figure that both sides have explains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from runs.analysis.cause.evidence import FREE_PCT, FULL_PCT, HEAVY, MOVED, Watched
from runs.analysis.cause.programs import Amount, Program
from runs.analysis.doubt_disturbances import list_throttled
from runs.analysis.facts import Source

CORE_FULL, CORE_FREE = 92.0, 65.0  # one core, and the idlest one beside it
GENERATOR_FULL = 0.9  # of what it can use; starting and ending are in its CPU time too
SHARED = 1 / 3  # of the CPU time that server and generator took on one machine
TAKEN = 0.6  # of a core, by one process on a machine that others fill too
ONE_CORE = 1.1  # a process that used more has several threads
PINNED = (0.94, 1.02)  # cores of several processes that have one between them
OTHERS = 0.5  # cores that programs used which are none of the load's
STOLEN_PCT = 10.0
COLLECTING = 0.15  # of the time or of the CPU time; collectors are built to stay below a tenth
THROTTLED = 0.25  # of the scheduler's periods
QUEUED = 1.6  # times the shortest time: most of the time is waiting
STRAIGHT = 1.35  # no waiting worth a word
SERIAL = 1.7  # requests worked on at once: one, within what the shortest of many times misses
ONE_AT_LEAST = 0.8  # a serial section that is always taken: less means that something else was waited for
LINKS_MBIT = (10, 100, 1000, 2500, 5000, 10_000, 25_000, 40_000, 50_000, 100_000)
FLAT = 0.8  # of the mean, the least of the samples: what fills a link is the same all the time
LINK_FULL = (0.9, 1.01)  # of the speed: preambles and gaps between frames are not counted
WAITING = 0.5  # of the clients: more of them are at one place than at all others
WAITING_SOCKETS = 500  # in TIME_WAIT; Linux has 28,232 local ports where nobody set others
LOST = 0.01  # of the segments sent again: more than a sound network loses (RFC 3155 calls it a lossy link)
DISK = ("_busy_pct", "_util_pct")  # of diskstats, iostat
DISK_BUSY_PCT = 40.0  # beside tasks that wait for it
PRESSURE_PCT = 20.0  # of the time some task waited (the kernel's PSI)
SAMPLES = 3  # fewer are a glance
LOGGED = {
    "listen_queue": "backlog",
    "nf_conntrack": "network",
    "neighbours": "network",
    "tcp_memory": "memory",
    "memory": "memory",
}  # others limit the workers

Certainty = Literal["likely", "possible"]


@dataclass(frozen=True, slots=True)
class Point:
    """One piece of evidence: kind and numbers for wording.EVIDENCE, and the line it stands on."""

    kind: str
    source: Source
    values: tuple[float | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """What limited one side. facts are for its sentence."""

    cause: str
    certainty: Certainty
    points: tuple[Point, ...]
    facts: dict[str, Any] = field(default_factory=dict)


Rule = Callable[[Watched], Iterator[Limit]]


def find_limits(side: Watched) -> list[Limit]:
    """What the side was limited by, the surest and nearest to the cause first."""
    return [limit for rule in RULES for limit in rule(side)]


def _sure(*amounts: Amount | None) -> Certainty:
    return "likely" if all(amount is None or amount.n >= SAMPLES for amount in amounts) else "possible"


def _list_cpu_points(side: Watched) -> tuple[Point, ...]:
    """How busy the machine was; where other programs kept it busy, what the load itself used."""
    if side.own is not None and side.front and side.is_light and (side.idle or 0) < FREE_PCT:
        return (Point("own", side.front.source, (side.own, side.cores or 1)),)
    return (Point("busy", side.busy.source, (side.busy.value,)),) if side.busy else ()


# USE method, CPU of the machine that makes the load: a generator that has no CPU left measures itself.
def find_full_generator(side: Watched) -> Limit | None:
    used, most = side.generating, side.most_generating
    if used and most and used.value >= GENERATOR_FULL * most:
        return Limit("generator", _sure(used), (Point("generator", used.source, (used.value, most)),))
    if doubt := side.doubts.get("generator.saturated"):
        return Limit("generator", "possible", tuple(Point("generator_seen", source) for source in doubt.sources[:1]))
    if used is None and not side.is_local and (busy := side.generator.get("cpu_busy")) and busy.value >= FULL_PCT:
        return Limit("generator", _sure(busy), (Point("generator_busy", busy.source, (busy.value,)),))
    return None


def find_generator(side: Watched) -> Iterator[Limit]:
    used, most = side.generating, side.most_generating
    if full := find_full_generator(side):
        yield full
    elif used and side.is_local and side.own and side.is_full and used.value >= SHARED * side.own:
        points = (Point("generator", used.source, (used.value, side.cores or most or 1)), *_list_cpu_points(side))
        yield Limit("generator", "possible", points)


# Kernel documentation, sched-bwc.rst: a group that has used up its quota waits for the next period.
def find_quota(side: Watched) -> Iterator[Limit]:
    for name, share in list_throttled({name: amount.value for name, amount in side.server.items()}).items():
        if "throttled_pe" in name and share >= 100 * THROTTLED:
            throttled = side.server[name]
            yield Limit("cpu_quota", _sure(throttled), (Point("throttled", throttled.source, (share,)),))
    if side.throttled and side.throttled.value >= 100 * THROTTLED:
        point = Point("throttled_total", side.throttled.source, (side.throttled.value,))
        yield Limit("cpu_quota", "possible", (point,))


# USE method, memory: saturation is paging and reclaim in the program's own time, not how little is free.
def find_memory(side: Watched) -> Iterator[Limit]:
    pressure = side.server.get("pressure_memory_some_pct")
    rates = [side.server.get(name) for name in ("swap_in_pages_per_s", "swap_in_kb_per_s")]
    swap = [rate for rate in rates if rate and rate.value >= 10]
    if swap and (pressure is None or pressure.value >= 5):
        yield Limit("memory", _sure(swap[0]), (Point("swapped", swap[0].source, (swap[0].value,)),))
    elif pressure and pressure.value >= PRESSURE_PCT:
        yield Limit("memory", _sure(pressure), (Point("memory_pressure", pressure.source, (pressure.value,)),))
    elif (doubt := side.doubts.get("machine.swap")) and doubt.severity != "note":
        yield Limit("memory", "possible", tuple(Point("swap_in_use", source) for source in doubt.sources[:1]))


# RFC 9293 and tcp(7): what is lost is sent again, and a queue that is full drops.
def find_network(side: Watched) -> Iterator[Limit]:
    again, sent = side.server.get("tcp_retransmits_per_s"), side.amount("tcp_segments_out_per_s")
    if not (side.has_free_cpu or side.is_light):
        return
    if again and sent and again.value >= LOST * sent and not _find_overflows(side):
        points = (Point("retransmits", again.source, (100 * again.value / sent,)), *_list_cpu_points(side))
        yield Limit("network", _sure(again), points)
    else:
        yield from _find_full_link(side)


# USE method, network: saturation is data that waits to be sent, while clients wait for it and read at once.
def _find_full_link(side: Watched) -> Iterator[Limit]:
    moved = [amount for name, amount in side.server.items() if name.endswith(MOVED) and not name.startswith("lo_")]
    busiest = max(moved, key=lambda amount: amount.value, default=None)
    unsent = side.server.get("sockets_unsent")
    # Samples around the load count as its own, which matters where the speed alone has to tell.
    if busiest is None or not _carries_answers(side, busiest.value, WAITING if unsent else FLAT):
        return
    mbit = 8e-6 * busiest.value
    points = (Point("link", busiest.source, (mbit,)), *_list_cpu_points(side))
    if unsent:
        if _waits_to_send(side):
            queued = Point("unsent", unsent.source, (unsent.value, side.clients or 0))
            yield Limit("network", _sure(side.busy), (queued, *points), {"taken": mbit})
    elif any(
        amount is busiest and side.amount(f"{name}_least") >= FLAT * amount.value
        for name, amount in side.server.items()
    ):
        # Nobody prints the link's speed, and those of hardware are known in steps.
        speed = next((each for each in LINKS_MBIT if LINK_FULL[0] <= mbit / each <= LINK_FULL[1]), None)
        if speed:
            yield Limit("network", "possible", points, {"link": speed})


def _carries_answers(side: Watched, bytes_per_s: float, share: float) -> bool:
    """Whether an interface carries at least this share of what was answered."""
    if side.rate and side.reply_bytes:
        return bytes_per_s >= share * side.rate * side.reply_bytes
    return not side.is_local


def _waits_to_send(side: Watched) -> bool:
    """Most clients' answers wait at the server, and do not lie unread at the load generator."""
    most = WAITING * (side.clients or math.inf)
    unread = side.generator.get("sockets_unread")
    return side.amount("sockets_unsent") >= most and not (not side.is_local and unread and unread.value >= most)


# tcp(7): the side that closes keeps the connection's port in TIME_WAIT for a minute, and there are only so many ports.
def find_ports(side: Watched) -> Iterator[Limit]:
    waiting = (side.server if side.is_local else side.generator).get("tcp_time_wait")
    points = (Point("time_wait", waiting.source, (waiting.value,)),) if waiting else ()
    refused = [run for run in side.runs if "assign requested address" in str(run.values).lower()]
    if refused:
        yield Limit("network", "likely", (Point("no_port", refused[0].source_of("errors")), *points), {"ports": True})
    elif waiting and waiting.value >= WAITING_SOCKETS and any(run.failures_of("connect") for run in side.runs):
        failed = Point("connect_failed", side.source_of("socket_errors", "errors"))
        yield Limit("network", "possible", (failed, *points), {"ports": True})


def _find_overflows(side: Watched) -> Amount | None:
    names = ("tcp_listen_overflows_per_s", "tcp_listen_drops_per_s", "tcp_request_queue_drops_per_s")
    overflows = [amount for name in names if (amount := side.server.get(name)) and amount.value >= 0.5]
    return max(overflows, key=lambda amount: amount.value, default=None)


def _queue(side: Watched, taken: float) -> Point | None:
    """listen(2): connections that wait to be accepted, where most clients do that were not `taken` by a worker."""
    door, left = side.server.get("accept_queue"), (side.clients or 0) - taken
    if door is None or left < 1 or door.value < max(WAITING * left, 1):
        return None
    return Point("queue", door.source, (door.value, side.clients or 0))


# listen(2): connections beyond the backlog are dropped; the client tries again after a second (RFC 6298).
def find_backlog(side: Watched) -> Iterator[Limit]:
    overflows, lost, full = _find_overflows(side), side.doubts.get("network.syn"), side.server.get("accept_queue_full")
    waiting = side.server.get("accept_queue")
    points = tuple(Point("syn", source) for source in lost.sources[:1]) if lost else ()
    if overflows:
        yield Limit("backlog", _sure(overflows), (Point("overflows", overflows.source, (overflows.value,)), *points))
    elif full and full.value >= 0.5 and waiting and "tcp_listen_overflows_per_s" not in side.server:
        yield Limit("backlog", _sure(full), (Point("full", full.source, (waiting.value,)), *points))
    elif lost and not (_has_retransmits(side) or any(_find_full_link(side))):  # which lose a SYN as well
        yield Limit("backlog", "possible", points)


def _has_retransmits(side: Watched) -> bool:
    return side.amount("tcp_retransmits_per_s") >= LOST * (side.amount("tcp_segments_out_per_s") or math.inf)


# proc(5): iowait alone is idle time and proves nothing; tasks that waited for a disk while CPU was free do.
def find_disk(side: Watched) -> Iterator[Limit]:
    pressure = side.server.get("pressure_io_some_pct")
    busy = [amount for name, amount in side.server.items() if name.endswith(DISK) and not name.startswith("core")]
    disk = max(busy, key=lambda amount: amount.value, default=None)
    waits = (pressure and pressure.value >= PRESSURE_PCT) or side.amount("blocked") >= 1
    if disk and disk.value >= DISK_BUSY_PCT and waits and side.has_cpu_left:
        points = [Point("disk_busy", disk.source, (disk.value,))]
        points += [Point("io_pressure", pressure.source, (pressure.value,))] if pressure else []
        yield Limit("disk", _sure(disk), tuple(points))


def _is_foreign(side: Watched) -> bool:
    """The load took little of a core, and other programs about one: it may be theirs that is busy."""
    others = sum(program.cores for program in side.programs if program not in side.serving)
    return bool(side.serving) and (side.answering or 0) < HEAVY and others >= OTHERS


# The utilisation law for one core: a program with one thread serves 1/D, however many cores are free.
def find_one_core(side: Watched) -> Iterator[Limit]:
    # Where nobody says how many cores there are, a process that fills one beside idle CPU shows that there are more.
    if side.is_full or (side.cores or (2 if (side.idle or 0) >= FREE_PCT else 1)) < 2:
        return
    most, least, front = side.server.get("core_most"), side.server.get("core_least"), side.front
    # What is not known to serve may be anybody's, so it counts where no server is seen.
    watched = [each for each in side.programs if each.is_database] + (side.servers or list(side.programs))
    program = next((each for each in watched if each.busy == 1 and GENERATOR_FULL <= each.most <= ONE_CORE), None)
    if most and least and most.value >= CORE_FULL and least.value <= CORE_FREE and not _is_foreign(side):
        yield Limit("one_core", _sure(most), (Point("one_core", most.source, (most.value, least.value)),))
    elif program:
        points = (Point("one_process", program.source, (program.name, program.most)),)
        yield Limit("one_core", "likely", points, {"program": program.name})
    elif front and front.n <= 2 and front.busy == 1 and TAKEN <= front.most <= ONE_CORE and (door := _queue(side, 1)):
        taken = Point("one_process", front.source, (front.name, front.most))
        yield Limit("one_core", "possible", (taken, door), {"program": front.name})
    elif front and front.busy > 1 and PINNED[0] <= front.cores <= PINNED[1]:
        point = Point("together", front.source, (front.n, front.name, front.cores))
        yield Limit("one_core", "possible", (point,), {"program": front.name})


# USE method, CPU: no idle time. What else ran on the machine is no cause in the load: then the load used most of the CPU.
def find_cpu(side: Watched) -> Iterator[Limit]:
    busy = side.busy
    if busy is None or not side.is_full:
        return
    points = _list_cpu_points(side)
    if side.own is not None and side.front:
        points += (Point("program", side.front.source, (side.front.name, side.front.cores)),)
    database = _find_database(side)
    if database:
        points += (Point("program", database.source, (database.name, database.cores)),)
    limits = [Limit("database" if database else "cpu", _sure(busy), points), *find_steal(side)]
    yield from limits[:: -1 if side.amount("cpu_st") >= FREE_PCT else 1]  # with that much more, CPU would be idle


def _find_database(side: Watched) -> Program | None:
    """A database that used more CPU than what is in front of it."""
    database = max(
        (program for program in side.programs if program.is_database), key=lambda one: one.cores, default=None
    )
    return (
        database
        if database and database.cores >= max(1.5 * sum(server.cores for server in side.servers), 0.3)
        else None
    )


# A closed loop without waiting: the shortest time is CPU time of one program, so that this is what a request is made of.
def find_demand(side: Watched) -> Iterator[Limit]:
    database = _find_database(side)
    if database and side.rate and side.shortest_ms and database.cores * 1000 / side.rate >= 0.5 * side.shortest_ms:
        point = Point("program", database.source, (database.name, database.cores))
        yield Limit("database", "possible", (point,), {"demand": True})


# proc(5): steal is time in which a task could run and the hypervisor ran something else.
def find_steal(side: Watched) -> Iterator[Limit]:
    stolen = side.server.get("cpu_st")
    if stolen and stolen.value >= STOLEN_PCT:
        yield Limit("steal", _sure(stolen), (Point("stolen", stolen.source, (stolen.value,)),))


# Processes that end and start again serve nothing meanwhile, and begin with cold caches.
def find_restarts(side: Watched) -> Iterator[Limit]:
    front = side.front
    others = [
        server for server in side.servers if server.busy and server.replaced < 0.5 and front and server.n >= front.n
    ]
    if front and front.replaced >= 0.5 and front.n >= 2 and not others:  # which may be the one that answers
        yield Limit("restarts", "possible", (Point("replaced", front.source, (front.name, 100 * front.replaced)),))


# What collecting takes is not left for requests. HotSpot sizes its heap so that it takes 1 % (parallel) or 8 % (G1) of the time
# (its tuning guide, GCTimeRatio): more is a heap too small.
def find_collection(side: Watched) -> Iterator[Limit]:
    paused, collecting, lost = side.paused, side.collecting, side.lost_to_collection
    if paused and paused.value >= COLLECTING:
        point = Point("paused", paused.source, (100 * lost,))
        yield Limit("garbage_collection", _sure(paused), (point, *_list_cpu_points(side)), {"paused": lost})
    elif collecting and lost >= COLLECTING and not side.has_free_cpu:
        point = Point("collecting", collecting.source, (collecting.value,))
        yield Limit("garbage_collection", _sure(collecting), (point, *_list_cpu_points(side)), {"share": lost})


# USE method, errors: the log of what reached a limit names it. With no CPU left, more workers would serve no more.
def find_reached(side: Watched) -> Iterator[Limit]:
    for name, reached in side.reached.items():
        cause = LOGGED.get(name, "workers")
        if cause != "workers" or side.busy is None or side.has_free_cpu:
            points = (Point("reached", reached.source, (name, reached.value)), *_list_cpu_points(side))
            yield Limit(cause, "likely" if side.busy or cause == "memory" else "possible", points, {"reached": name})


# Little's law: N clients of whom fewer are worked on wait for a worker. A server that takes many connections in one process
# has no such limit in its number of processes, so that a setting or the law itself must say it.
def find_workers(side: Watched) -> Iterator[Limit]:
    doubt, clients, front = side.doubts.get("limits.clients"), side.clients or 0, side.front
    if side.busy is not None and not (side.has_free_cpu or (side.alone_ms is None and side.is_light)):
        return
    if doubt:
        facts: dict[str, Any] = dict(doubt.findings[0].facts)
        points = tuple(Point("limit", source, (facts["setting"], facts["limit"])) for source in doubt.sources[:1])
        yield Limit("workers", "likely" if side.busy else "possible", (*points, *_list_cpu_points(side)), facts)
    elif side.busy and front and not front.takes_many and 1 < front.n <= clients:
        yield from _find_few_processes(side, front, clients)


def _find_few_processes(side: Watched, front: Program, clients: int) -> Iterator[Limit]:
    processes, at_once = front.n - 1, side.in_service  # the first one starts the others
    points = (Point("processes", front.source, (front.name, front.n)), *_list_cpu_points(side))
    facts = {"limit": processes, "clients": clients}
    if at_once and _is_queued(side) and 0.7 * processes <= at_once <= 1.3 * front.n:
        counted = Point("at_once", side.source_of("requests_per_second"), (at_once, clients))
        yield Limit("workers", _sure(side.busy), (counted, *points), facts)
    elif queue := _queue(side, processes):
        yield Limit("workers", _sure(side.busy), (queue, *points), facts)
    elif at_once is None and processes >= 2 and "accept_queue" not in side.server:
        yield Limit("workers", "possible", points, facts)


def _is_queued(side: Watched) -> bool:
    """The time of a client's cycle is much longer than the shortest time."""
    return bool(side.cycle_ms and side.shortest_ms and side.cycle_ms >= QUEUED * side.shortest_ms)


# USL (Gunther, 2007): a serial section bounds the rate at 1/S, whatever the number of clients and workers.
def find_lock(side: Watched) -> Iterator[Limit]:
    at_once, clients, front, held = side.in_service, side.clients or 0, side.front, side.held
    if held and front and held.value >= max(WAITING * min(front.n - 1, clients), 2) and side.has_cpu_left:
        points = (Point("held", held.source, (held.value,)), *_list_cpu_points(side))
        yield Limit("lock", _sure(side.busy), points, {"held": held.value})
        return
    if not (at_once and side.has_free_cpu and _is_queued(side) and clients >= 4 and front):
        return
    if ONE_AT_LEAST <= at_once <= max(SERIAL, 0.6 * min(front.n - 1, clients)) and front.n - 1 >= max(2 * at_once, 3):
        points = (
            Point("at_once", side.source_of("requests_per_second"), (at_once, clients)),
            Point("processes", front.source, (front.name, front.n)),
        )
        certainty: Certainty = "likely" if at_once <= SERIAL and side.busy and side.busy.n >= SAMPLES else "possible"
        yield Limit("lock", certainty, (*points, *_list_cpu_points(side)), {"at_once": at_once, "clients": clients})


# Little's law: nobody queues and nothing is busy, so that each request waits for something that no monitor sees.
def find_downstream(side: Watched) -> Iterator[Limit]:
    cycle, alone = side.cycle_ms, side.alone_ms
    if not (cycle and alone and side.has_free_cpu and side.busy) or any(_find_full_link(side)):
        return
    spent = (side.demand_ms or 0) / (side.cores or 1) * (side.clients or 1)
    if alone >= 3 and cycle <= STRAIGHT * alone and spent < 0.6 * cycle:
        points: tuple[Point, ...] = (Point("constant", side.source_of("mean_ms"), (cycle, alone)),)
        if side.shortest_ms is None:
            points = (
                Point("queue", side.server["accept_queue"].source, (side.amount("accept_queue"), side.clients or 0)),
            )
        yield Limit("downstream", _sure(side.busy), (*points, *_list_cpu_points(side)), {"ms": alone})


# The nearest to the cause first: a queue that is full is the effect of what is behind it, and is named all the same where a
# setting made it short.
RULES: Sequence[Rule] = (
    *(find_quota, find_memory, find_ports, find_backlog, find_network, find_disk, find_restarts, find_collection),
    *(find_generator, find_one_core, find_cpu, find_demand, find_lock, find_reached, find_workers, find_downstream),
)
