"""The lab: bottlenecks planted for real, recorded with bd, and judged by analysis.cause.

What is planted: for each kind a sound variant and one with the bottleneck, in several sizes. Sizes are drawn from seeded random
numbers, so that each recording is of another server and load.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PORT = 8201
URL = f"http://127.0.0.1:{PORT}/"
OUTSIDE = f"http://10.201.0.2:{PORT}/"  # the server in a network namespace of its own
SECONDS = 4
LONG_S = 30  # for what takes several lists of processes to see
TOOLS = ("ab", "wrk", "hey")


@dataclass(frozen=True, slots=True)
class Variant:
    """options of the server; around: what it is started in (taskset, a cgroup, a namespace)."""

    name: str
    server: str
    load: str
    around: str = ""


@dataclass(frozen=True, slots=True)
class Plant:
    """causes: the right names; of one that explains nothing between variants, the first variant stands alone."""

    kind: str
    number: int
    causes: tuple[str, ...]
    variants: tuple[Variant, ...]

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number:02}"


Random = random.Random
Made = tuple[tuple[str, ...], tuple[Variant, ...]]


def load(
    draw: Random,
    clients: int,
    *,
    url: str = URL,
    keep: bool = False,
    tools: Sequence[str] = TOOLS,
    seconds: int = SECONDS,
) -> str:
    """ab takes one core at most."""
    tool = draw.choice(tools)
    if tool == "ab":
        return f"ab -q {'-k ' if keep else ''}-t {seconds} -n 1000000 -c {clients} {url}"
    if tool == "wrk":
        close = "" if keep else " -H 'Connection: close'"
        return f"wrk -t 1 -c {clients} -d {seconds}s --latency{close} {url}"
    return f"hey {'' if keep else '-disable-keepalive '}-z {seconds}s -c {clients} {url}"


def pair(sound: str, planted: str, command: str, *, around: str = "", base: str = "") -> tuple[Variant, ...]:
    return Variant("sound", sound, command, base), Variant("planted", planted, command, around)


def one_core(draw: Random) -> Made:
    n, ms = draw.choice((2, 4, 8)), draw.choice((2, 4, 8))
    server = f"--workers {n} --work-ms {ms}"
    return ("one_core",), pair(server, server, load(draw, draw.choice((8, 16, 32))), around="taskset -c 1")


def one_thread(draw: Random) -> Made:
    ms = draw.choice((1, 3, 6))
    command = load(draw, draw.choice((4, 8, 16)))
    return ("one_core", "workers"), pair(f"--workers 4 --work-ms {ms}", f"--workers 1 --work-ms {ms}", command)


def cpu(draw: Random) -> Made:
    n, ms, factor = draw.choice((4, 8)), draw.choice((2, 3, 5)), draw.choice((1.5, 2, 3))
    command = load(draw, draw.choice((8, 16)))
    return ("cpu",), pair(f"--workers {n} --work-ms {ms}", f"--workers {n} --work-ms {ms * factor}", command)


def workers(draw: Random) -> Made:
    n, ms, clients = draw.choice((2, 4, 6)), draw.choice((10, 20, 50)), draw.choice((24, 32))
    command = load(draw, clients)
    return ("workers",), pair(f"--workers {clients + 4} --sleep-ms {ms}", f"--workers {n} --sleep-ms {ms}", command)


def lock(draw: Random) -> Made:
    ms, clients, other = draw.choice((3, 5, 10)), draw.choice((8, 16, 24)), draw.choice((0, 1, 5))
    server = f"--workers {clients + 2} --sleep-ms {other}"
    return ("lock",), pair(f"{server} --work-ms 0.5", f"{server} --lock-ms {ms}", load(draw, clients))


def downstream(draw: Random) -> Made:
    ms, factor, clients = draw.choice((10, 20, 40)), draw.choice((2, 3, 5)), draw.choice((4, 8, 16))
    server = f"--workers {clients + 4}"
    return ("downstream",), pair(
        f"{server} --sleep-ms {ms}", f"{server} --sleep-ms {ms * factor}", load(draw, clients, keep=draw.random() < 0.5)
    )


def database(draw: Random) -> Made:
    rows, clients = draw.choice((20_000, 50_000, 100_000)), draw.choice((4, 8))
    server = f"--workers {clients + 2}"
    light, heavy = "select 1", f"select sum(n) from generate_series(1,{rows}) n"  # noqa: S608  (our own number)
    return ("database",), pair(f"{server} --sql '{light}'", f"{server} --sql '{heavy}'", load(draw, clients))


def table_lock(draw: Random) -> Made:
    ms, clients = draw.choice((0.003, 0.005, 0.01)), draw.choice((8, 16))
    server = f"--workers {clients + 2}"
    waits = f"select pg_sleep({ms})"
    locks = f"select pg_advisory_xact_lock(8201), pg_sleep({ms})"
    return ("lock",), pair(f"{server} --sql '{waits}'", f"{server} --sql '{locks}'", load(draw, clients))


def fsync(draw: Random) -> Made:
    clients = draw.choice((2, 4, 8))
    server = f"--workers {clients + 2}"
    return ("disk",), pair(server, f"{server} --fsync {draw.choice((2**18, 2**20))}", load(draw, clients))


def quota(draw: Random) -> Made:
    n, ms, clients = draw.choice((2, 4)), draw.choice((1, 2, 4)), draw.choice((8, 16))
    server = f"--workers {n} --work-ms {ms}"
    return ("cpu_quota",), pair(server, server, load(draw, clients), around=f"quota {draw.choice((30, 50, 80))}")


def link(draw: Random) -> Made:
    return limited_link(draw, draw.choice((10, 100)))


def shaped_link(draw: Random) -> Made:
    """Of a speed that no hardware has, as providers sell them."""
    return limited_link(draw, draw.choice((20, 30, 50)))


def limited_link(draw: Random, mbit: int) -> Made:
    size, clients = draw.choice((20_000, 50_000)), draw.choice((8, 16))
    server = f"--bind 10.201.0.2 --workers {clients + 2} --size {size}"
    command = load(draw, clients, url=OUTSIDE)
    return ("network",), pair(server, server, command, base="namespace 0", around=f"namespace {mbit}")


def memory(draw: Random) -> Made:
    """Each request touches more memory than the group's limit leaves in RAM."""
    n, mb = draw.choice((2, 4)), draw.choice((24, 48))
    server = f"--workers {n} --hold-mb {mb}"
    around = f"memory {round(n * mb * draw.choice((0.5, 0.7)) + 8)}"
    return ("memory",), pair(server, server, load(draw, draw.choice((4, 8))), around=around)


def ports(draw: Random) -> Made:
    """The load generator closes first, which ab does not, and has few local ports."""
    clients = draw.choice((8, 16))
    server = f"--workers {clients + 2} --client-closes"
    around = f"ports 20000 {20000 + draw.choice((500, 1000, 2000))}"
    return ("network",), pair(
        server, server, load(draw, clients, tools=("wrk", "hey")), base="ports 30000 60999", around=around
    )


def backlog(draw: Random) -> Made:
    clients, n, ms = draw.choice((32, 64)), draw.choice((2, 4)), draw.choice((5, 10))
    server = f"--workers {n} --sleep-ms {ms}"
    command = load(draw, clients)
    return ("backlog",), pair(f"{server} --backlog 511", f"{server} --backlog {draw.choice((1, 2, 4))}", command)


def restarts(draw: Random) -> Made:
    n, clients, most = draw.choice((2, 4)), draw.choice((8, 16)), draw.choice((20, 50))
    server = f"--workers {n} --work-ms 1"
    return ("restarts",), pair(
        server, f"{server} --max-requests {most} --start-ms {draw.choice((50, 100))}", load(draw, clients)
    )


def garbage(draw: Random) -> Made:
    """A JVM whose heap holds little more than what the server keeps."""
    mb, kb, collector = draw.choice((60, 80, 120)), draw.choice((20, 50)), draw.choice(("Serial", "Parallel", "G1"))
    server = f"java -XX:+Use{collector}GC -Xmx{{}}m benchmarks/lab/Garbage.java {PORT} {mb} {kb}"
    tight = round(1.3 * mb) + 15
    return ("garbage_collection",), pair(server.format(10 * mb), server.format(tight), load(draw, draw.choice((8, 16))))


def garbage_logged(draw: Random) -> Made:
    """The same of one that collects in the thread that serves, so that only its log tells."""
    mb, made = draw.choice((40, 70)), draw.choice((500, 1000))
    server = f"node --trace-gc --max-old-space-size={{}} benchmarks/lab/garbage.js {PORT} {mb} {made}"
    command = load(draw, draw.choice((8, 16)))
    return ("garbage_collection",), pair(server.format(1500), server.format(round(1.15 * mb) + 6), command)


def recycled(draw: Random) -> Made:
    """Workers that grow until they end, so that the program's memory rises and falls."""
    n, kb, most = draw.choice((2, 4)), draw.choice((100, 200, 400)), draw.choice((300, 500))
    server = f"--workers {n} --sleep-ms {draw.choice((8, 15))} --keep-kb {kb}"
    ends = f"--max-requests {most} --start-ms {draw.choice((500, 1000))}"
    command = load(draw, draw.choice((16, 32)), seconds=LONG_S)
    return ("restarts",), pair(f"{server} --cache-mb 1", f"{server} {ends}", command)


def returned(draw: Random) -> Made:
    """A collector that gives memory back, in the thread that answers and without a log: CPU time of a request."""
    kb, mb, objects = draw.choice((256, 512)), draw.choice((80, 150)), draw.choice((600_000, 1_200_000))
    server = f"--workers {draw.choice((1, 2))} --keep-kb {kb} --objects {objects}"
    command = load(draw, draw.choice((8, 16)), seconds=LONG_S)
    return ("garbage_collection", "cpu", "one_core"), pair(
        f"{server} --cache-mb 1", f"{server} --garbage-mb {mb}", command
    )


def dropped_cache(draw: Random) -> Made:
    """Memory that rises and falls and costs nothing, beside something else that is slow."""
    kb, mb, clients = draw.choice((256, 512)), draw.choice((80, 150)), draw.choice((8, 16))
    server, slow = f"--workers {clients + 4} --keep-kb {kb}", draw.choice(("downstream", "lock", "disk"))
    other = {"downstream": "--sleep-ms 25", "lock": "--lock-ms 4", "disk": "--fsync 4096 --sleep-ms 10"}[slow]
    causes = (slow, "downstream") if slow == "disk" else (slow,)  # by how fast the disk is
    command = load(draw, clients, seconds=LONG_S)
    return causes, pair(f"{server} --cache-mb 1 --sleep-ms 5", f"{server} --cache-mb {mb} {other}", command)


def generator(draw: Random) -> Made:
    clients = draw.choice((8, 16, 32))
    keep = "-k " if draw.random() < 0.5 else ""
    command = f"ab -q {keep}-t {SECONDS} -n 1000000 -c {clients} {URL}"
    return ("generator",), (Variant("alone", "nginx", command),)


def answers(draw: Random) -> Made:
    size, clients = draw.choice((300_000, 1_000_000)), draw.choice((4, 8))
    server = f"--workers {clients + 2}"
    return ("answers",), pair(f"{server} --size 2000", f"{server} --size {size}", load(draw, clients))


def errors(draw: Random) -> Made:
    clients, ms = draw.choice((4, 8)), draw.choice((2, 4))
    server = f"--workers {clients + 2} --work-ms {ms}"
    return ("answers",), pair(server, f"{server} --errors {draw.choice((0.3, 0.6))}", load(draw, clients))


def keepalive(draw: Random) -> Made:
    clients = draw.choice((4, 8, 16))
    server = f"--workers {clients + 2}"
    loads = (f"ab -q {keep}-t {SECONDS} -n 1000000 -c {clients} {URL}" for keep in ("-k ", ""))
    return ("keepalive",), tuple(
        Variant(name, server, command) for name, command in zip(("sound", "planted"), loads, strict=True)
    )


def nothing(draw: Random) -> Made:
    """Both variants are the same: no difference is to be explained."""
    clients = draw.choice((8, 16))
    server = f"--workers 4 --work-ms {draw.choice((1, 2, 4))}"
    return ("",), pair(server, server, load(draw, clients))


KINDS: dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        *(one_core, one_thread, cpu, workers, lock, downstream, database, table_lock, fsync, quota, link, backlog),
        *(shaped_link, memory, ports),
        *(
            restarts,
            recycled,
            garbage,
            garbage_logged,
            returned,
            dropped_cache,
            generator,
            answers,
            errors,
            keepalive,
            nothing,
        ),
    )
}


def plants(n: int) -> list[Plant]:
    """The first of every kind, then the second of every kind, and so on."""
    made = []
    for number in range(1, n + 1):
        for kind, make in KINDS.items():
            causes, variants = make(Random(f"{kind} {number}"))
            made.append(Plant(kind, number, causes, variants))
    return made
