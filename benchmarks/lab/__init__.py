"""The lab: bottlenecks planted for real, recorded with bd, and judged by analysis.cause.

What is planted: for each kind a sound variant and one with the bottleneck, in several sizes. Sizes are drawn from seeded random
numbers, so that each recording is of another server and load.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

PORT = 8201
URL = f"http://127.0.0.1:{PORT}/"
SERVER = "10.201.0.2"  # in a network namespace of its own
LONG_S = 30  # for what takes several lists of processes to see
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Variant:
    """server: options of benchmarks.lab.server, or a command. around: what it is started in (taskset, a cgroup, a namespace)."""

    name: str
    server: str
    load: str
    around: str = ""


# The right names of the cause; where nothing is to be explained "", or the first variant stands alone.
Planted = tuple[str, tuple[Variant, ...]]


@dataclass(frozen=True, slots=True)
class Plant:
    kind: str
    number: int
    causes: tuple[str, ...]
    variants: tuple[Variant, ...]

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number:02}"


class Draw(random.Random):
    def __call__(self, *values: T) -> T:
        return self.choice(values)

    def load(
        self, clients: int, *, url: str = URL, keep: bool = False, tools: str = "ab wrk hey", seconds: int = 4
    ) -> str:
        """The command line of one of the tools; ab takes one core at most."""
        close = "" if keep else " -H 'Connection: close'"
        return {
            "ab": f"ab -q {'-k ' if keep else ''}-t {seconds} -n 1000000 -c {clients} {url}",
            "wrk": f"wrk -t 1 -c {clients} -d {seconds}s --latency{close} {url}",
            "hey": f"hey {'' if keep else '-disable-keepalive '}-z {seconds}s -c {clients} {url}",
        }[self.choice(tools.split())]


def pair(sound: str, planted: str, command: str, *, around: str = "", base: str = "") -> tuple[Variant, ...]:
    return Variant("sound", sound, command, base), Variant("planted", planted, command, around)


def one_core(draw: Draw) -> Planted:
    server = f"--workers {draw(2, 4, 8)} --work-ms {draw(2, 4, 8)}"
    return "one_core", pair(server, server, draw.load(draw(8, 16, 32)), around="taskset -c 1")


def one_thread(draw: Draw) -> Planted:
    work = f"--work-ms {draw(1, 3, 6)}"
    return "one_core workers", pair(f"--workers 4 {work}", f"--workers 1 {work}", draw.load(draw(4, 8, 16)))


def cpu(draw: Draw) -> Planted:
    server, ms = f"--workers {draw(4, 8)} --work-ms", draw(2, 3, 5)
    return "cpu", pair(f"{server} {ms}", f"{server} {ms * draw(1.5, 2, 3)}", draw.load(draw(8, 16)))


def workers(draw: Draw) -> Planted:
    n, ms, clients = draw(2, 4, 6), draw(10, 20, 50), draw(24, 32)
    sleep = f"--sleep-ms {ms}"
    return "workers", pair(f"--workers {clients + 4} {sleep}", f"--workers {n} {sleep}", draw.load(clients))


def lock(draw: Draw) -> Planted:
    ms, clients = draw(3, 5, 10), draw(8, 16, 24)
    server = f"--workers {clients + 2} --sleep-ms {draw(0, 1, 5)}"
    return "lock", pair(f"{server} --work-ms 0.5", f"{server} --lock-ms {ms}", draw.load(clients))


def downstream(draw: Draw) -> Planted:
    ms, factor, clients = draw(10, 20, 40), draw(2, 3, 5), draw(4, 8, 16)
    server, command = f"--workers {clients + 4} --sleep-ms", draw.load(clients, keep=draw.random() < 0.5)
    return "downstream", pair(f"{server} {ms}", f"{server} {ms * factor}", command)


def database(draw: Draw) -> Planted:
    rows, clients = draw(20_000, 50_000, 100_000), draw(4, 8)
    server = f"--workers {clients + 2} --sql"
    heavy = f"select sum(n) from generate_series(1,{rows}) n"  # noqa: S608  (our own number)
    return "database", pair(f"{server} 'select 1'", f"{server} '{heavy}'", draw.load(clients))


def table_lock(draw: Draw) -> Planted:
    wait, clients = f"pg_sleep({draw(0.003, 0.005, 0.01)})", draw(8, 16)
    server = f"--workers {clients + 2} --sql"
    locks = f"select pg_advisory_xact_lock(8201), {wait}"
    return "lock", pair(f"{server} 'select {wait}'", f"{server} '{locks}'", draw.load(clients))


def fsync(draw: Draw) -> Planted:
    server = f"--workers {(clients := draw(2, 4, 8)) + 2}"
    return "disk", pair(server, f"{server} --fsync {draw(2**18, 2**20)}", draw.load(clients))


def quota(draw: Draw) -> Planted:
    server, command = f"--workers {draw(2, 4)} --work-ms {draw(1, 2, 4)}", draw.load(draw(8, 16))
    return "cpu_quota", pair(server, server, command, around=f"quota {draw(30, 50, 80)}")


def link(draw: Draw) -> Planted:
    return limited_link(draw, draw(10, 100))


def shaped_link(draw: Draw) -> Planted:
    """Of a speed that no hardware has, as providers sell them."""
    return limited_link(draw, draw(20, 30, 50))


def limited_link(draw: Draw, mbit: int) -> Planted:
    size, clients = draw(20_000, 50_000), draw(8, 16)
    server, command = (
        f"--bind {SERVER} --workers {clients + 2} --size {size}",
        draw.load(clients, url=f"http://{SERVER}:{PORT}/"),
    )
    return "network", pair(server, server, command, base="namespace 0", around=f"namespace {mbit}")


def backlog(draw: Draw) -> Planted:
    clients, n, ms = draw(32, 64), draw(2, 4), draw(5, 10)
    server, command = f"--workers {n} --sleep-ms {ms} --backlog", draw.load(clients)
    return "backlog", pair(f"{server} 511", f"{server} {draw(1, 2, 4)}", command)


def memory(draw: Draw) -> Planted:
    """Each request touches more memory than the group's limit leaves in RAM."""
    n, mb = draw(2, 4), draw(24, 48)
    server, around = f"--workers {n} --hold-mb {mb}", f"memory {round(n * mb * draw(0.5, 0.7) + 8)}"
    return "memory", pair(server, server, draw.load(draw(4, 8)), around=around)


def ports(draw: Draw) -> Planted:
    """The load generator closes first, which ab does not, and has few local ports."""
    clients = draw(8, 16)
    server, around = f"--workers {clients + 2} --client-closes", f"ports 20000 {20000 + draw(500, 1000, 2000)}"
    return "network", pair(server, server, draw.load(clients, tools="wrk hey"), base="ports 30000 60999", around=around)


def restarts(draw: Draw) -> Planted:
    server, clients, most = f"--workers {draw(2, 4)} --work-ms 1", draw(8, 16), draw(20, 50)
    ends = f"--max-requests {most} --start-ms {draw(50, 100)}"
    return "restarts", pair(server, f"{server} {ends}", draw.load(clients))


def recycled(draw: Draw) -> Planted:
    """Workers that grow until they end, so that the program's memory rises and falls."""
    n, kb, most = draw(2, 4), draw(100, 200, 400), draw(300, 500)
    server = f"--workers {n} --sleep-ms {draw(8, 15)} --keep-kb {kb}"
    ends = f"--max-requests {most} --start-ms {draw(500, 1000)}"
    return "restarts", pair(f"{server} --cache-mb 1", f"{server} {ends}", draw.load(draw(16, 32), seconds=LONG_S))


def garbage(draw: Draw) -> Planted:
    """A JVM whose heap holds little more than what the server keeps."""
    mb, kb, collector = draw(60, 80, 120), draw(20, 50), draw("Serial", "Parallel", "G1")
    server = f"java -XX:+Use{collector}GC -Xmx{{}}m benchmarks/lab/Garbage.java {PORT} {mb} {kb}"
    sound, tight = server.format(10 * mb), server.format(round(1.3 * mb) + 15)
    return "garbage_collection", pair(sound, tight, draw.load(draw(8, 16)))


def garbage_logged(draw: Draw) -> Planted:
    """The same of one that collects in the thread that serves, so that only its log tells."""
    mb, made = draw(40, 70), draw(500, 1000)
    server = f"node --trace-gc --max-old-space-size={{}} benchmarks/lab/garbage.js {PORT} {mb} {made}"
    sound, tight = server.format(1500), server.format(round(1.15 * mb) + 6)
    return "garbage_collection", pair(sound, tight, draw.load(draw(8, 16)))


def returned(draw: Draw) -> Planted:
    """A collector that gives memory back, in the thread that answers and without a log: CPU time of a request."""
    kb, mb, objects = draw(256, 512), draw(80, 150), draw(600_000, 1_200_000)
    server = f"--workers {draw(1, 2)} --keep-kb {kb} --objects {objects}"
    variants = pair(f"{server} --cache-mb 1", f"{server} --garbage-mb {mb}", draw.load(draw(8, 16), seconds=LONG_S))
    return "garbage_collection cpu one_core", variants


def dropped_cache(draw: Draw) -> Planted:
    """Memory that rises and falls and costs nothing, beside something else that is slow: the disk, or what waits as long."""
    kb, mb, clients = draw(256, 512), draw(80, 150), draw(8, 16)
    slow = {"downstream": "--sleep-ms 25", "lock": "--lock-ms 4", "disk downstream": "--fsync 4096 --sleep-ms 10"}
    causes, server = draw("downstream", "lock", "disk downstream"), f"--workers {clients + 4} --keep-kb {kb} --cache-mb"
    command = draw.load(clients, seconds=LONG_S)
    return causes, pair(f"{server} 1 --sleep-ms 5", f"{server} {mb} {slow[causes]}", command)


def generator(draw: Draw) -> Planted:
    clients, keep = draw(8, 16, 32), draw.random() < 0.5
    return "generator", (Variant("alone", "nginx", draw.load(clients, keep=keep, tools="ab")),)


def answers(draw: Draw) -> Planted:
    size, clients = draw(300_000, 1_000_000), draw(4, 8)
    server = f"--workers {clients + 2} --size"
    return "answers", pair(f"{server} 2000", f"{server} {size}", draw.load(clients))


def errors(draw: Draw) -> Planted:
    clients = draw(4, 8)
    server = f"--workers {clients + 2} --work-ms {draw(2, 4)}"
    return "answers", pair(server, f"{server} --errors {draw(0.3, 0.6)}", draw.load(clients))


def keepalive(draw: Draw) -> Planted:
    server = f"--workers {(clients := draw(4, 8, 16)) + 2}"
    loads = {name: draw.load(clients, keep=name == "sound", tools="ab") for name in ("sound", "planted")}
    return "keepalive", tuple(Variant(name, server, command) for name, command in loads.items())


def nothing(draw: Draw) -> Planted:
    """Both variants are the same: no difference is to be explained."""
    clients = draw(8, 16)
    server = f"--workers 4 --work-ms {draw(1, 2, 4)}"
    return "", pair(server, server, draw.load(clients))


_DRAWN: tuple[Callable[[Draw], Planted], ...] = (
    *(one_core, one_thread, cpu, workers, lock, downstream, database, table_lock, fsync, quota, link, backlog),
    *(shaped_link, memory, ports, restarts, recycled, garbage, garbage_logged, returned, dropped_cache),
    *(generator, answers, errors, keepalive, nothing),
)
KINDS = {each.__name__: each for each in _DRAWN}


def plants(n: int) -> Iterator[Plant]:
    """The first of every kind, then the second of every kind, and so on."""
    for number in range(1, n + 1):
        for kind, make in KINDS.items():
            causes, variants = make(Draw(f"{kind} {number}"))
            yield Plant(kind, number, tuple(causes.split(" ")), variants)
