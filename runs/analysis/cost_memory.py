"""Memory around a run: the server's processes in each capture, available memory before and after, what one process took.

Sizes in kB as the kernel prints them (1024 bytes).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from runs.analysis.columns import read_method
from runs.analysis.facts import CaptureFact, RunFact, Source
from runs.analysis.monitors import ProcessGroup, group_processes

# Beginnings of program names: what answers requests, and what often runs behind it.
FRONT = (
    *("httpd", "apache", "nginx", "lighttpd", "caddy", "haproxy", "varnish", "h2o", "openresty", "traefik", "envoy"),
    *("litespeed", "lshttpd", "thttpd", "cherokee", "hiawatha", "squid", "passenger", "puma", "unicorn", "thin"),
    *("mongrel", "php-fpm", "php-cgi", "gunicorn", "uwsgi", "uvicorn", "hypercorn", "daphne", "starman", "tomcat"),
)
BEHIND = (
    *("ruby", "rails", "php", "python", "node", "deno", "bun", "java", "perl", "beam", "mono", "dotnet"),
    *("mysqld", "mariadbd", "postgres", "postmaster", "redis-server", "memcached", "mongod"),
)
# What a server calls itself in its answers, and the programs that may be it.
FAMILIES = {
    "apache": ("httpd", "apache"),
    "nginx": ("nginx",),
    "openresty": ("openresty", "nginx"),
    "lighttpd": ("lighttpd",),
    "caddy": ("caddy",),
    "litespeed": ("litespeed", "lshttpd"),
}
# These serve many connections in each process, so that more processes would not serve more.
MANY_IN_ONE = (
    *("nginx", "lighttpd", "caddy", "haproxy", "varnish", "h2o", "openresty", "traefik", "envoy", "node", "java"),
)
# A script of the machine's own stands idle while the server is under load.
BUSY_PCT = 1.0
MOST_PROGRAMS = 4
Whole = Literal["all", "some", "quoted"]


@dataclass(frozen=True, slots=True)
class Served:
    """The server's programs in one capture, the biggest first.

    whole   "all" processes are listed; "some": a screen that had no room for the rest; "quoted": single lines of one
    """

    capture: CaptureFact
    groups: tuple[ProcessGroup, ...]
    whole: Whole

    @property
    def rss_kb(self) -> float:
        return sum(group.rss_kb for group in self.groups)

    @property
    def n(self) -> float:
        return sum(group.n for group in self.groups)


def served(capture: CaptureFact, software: str = "") -> Served | None:
    """None where no server is seen, or none with its memory. `software` is what the runs say answered them."""
    found = [group for group in group_processes(capture, served=True) if group.rss_kb > 0]
    front = [group for group in found if group.name.lower().startswith(FRONT)]
    behind = [group for group in found if group.name.lower().startswith(BEHIND) and group not in front]
    answering = [group for group in front if group.name.lower().startswith(_family(software))]
    busy = [group for group in front + behind if group.cpu_pct >= BUSY_PCT]
    known = [group for group in found if group in (answering or front) or group in busy] or behind[:1]
    # A program that nobody has heard of serves too, if it is the biggest.
    chosen = known or found[:1]
    return Served(capture, tuple(chosen[:MOST_PROGRAMS]), _whole(capture)) if chosen else None


def _family(software: str) -> tuple[str, ...]:
    return next((programs for name, programs in FAMILIES.items() if name in software.lower()), ())


def _whole(capture: CaptureFact) -> Whole:
    if capture.partial:
        return "quoted"
    total = capture.metrics.get("tasks_total")
    if capture.is_cut or (not capture.lists_all and (total is None or total > len(capture.processes))):
        return "some"
    return "all"


def programs(found: Sequence[Served]) -> list[str]:
    """The names of the programs in these captures, the biggest in any of them first."""
    biggest: dict[str, float] = {}
    for one in found:
        for group in one.groups:
            biggest[group.name] = max(biggest.get(group.name, 0.0), group.rss_kb)
    return sorted(biggest, key=lambda name: (-biggest[name], name))[:MOST_PROGRAMS]


def under_load(captures: Sequence[CaptureFact], software: str = "") -> list[Served]:
    """The captures that tell best what serving takes: those during the load, else after it, else of no known phase.

    Of one phase, whole lists go before screens that show a part.
    """
    found = [one for capture in captures if (one := served(capture, software))]
    for wanted in (("all", "some"), ("quoted",)):
        for phase in ("during", "after", ""):
            for whole in wanted:
                kept = [one for one in found if one.capture.phase == phase and one.whole == whole]
                if kept:
                    return kept
    return []


# What a person wrote beside a run: as many connections as that, and so many processes there are.
_SAID = re.compile(r"(MaxClients|MaxRequestWorkers)\D{0,12}?(\d{1,6})(?!\d)", re.IGNORECASE)
Read = Callable[[CaptureFact], float | None]


@dataclass(frozen=True, slots=True)
class Count:
    """How many processes a difference in memory is spread over, and in words where the number is from."""

    n: int
    words: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """Available memory around one run. `basis` says which of the kernel's figures it is, `count` may be missing."""

    before_kb: float
    after_kb: float
    basis: str
    sources: tuple[Source, ...]
    count: Count | None

    @property
    def taken_kb(self) -> float:
        return self.before_kb - self.after_kb

    @property
    def each_kb(self) -> float | None:
        """What one process took; None where memory did not shrink or nothing tells how many there were."""
        return self.taken_kb / self.count.n if self.count and self.taken_kb > 0 else None


def _sum(*names: str) -> Read:
    def read(capture: CaptureFact) -> float | None:
        values = [capture.metrics.get(name) for name in names]
        known = [value for value in values if value is not None and math.isfinite(value)]
        return sum(known) if len(known) == len(names) else None

    return read


def _printed(capture: CaptureFact) -> float | None:
    """The kernel's own estimate. Where a kernel has none, a reader of /proc/meminfo put MemFree + Inactive in its place."""
    kb = capture.metrics.get("mem_available_kb")
    return None if kb is None or not math.isfinite(kb) or kb == FREE_AND_INACTIVE(capture) else kb


FREE_AND_INACTIVE = _sum("mem_free_kb", "mem_inactive_kb")
BASES: tuple[tuple[str, Read], ...] = (
    ("MemAvailable", _printed),
    ("MemFree + Inactive", FREE_AND_INACTIVE),
    ("free + buffers + cached", _sum("mem_free_kb", "mem_buffers_kb", "mem_cached_kb")),
    ("free + buff/cache", _sum("mem_free_kb", "mem_buff_cache_kb")),
)


def available(capture: CaptureFact) -> tuple[float, str] | None:
    """(kB that programs could still get, the figures it is made of): MemAvailable, else MemFree + Inactive, else what is left."""
    return next(((value, words) for words, read in BASES if (value := read(capture)) is not None), None)


def taken(run: RunFact, captures: Sequence[CaptureFact], *, threaded: bool) -> Taken | None:
    """Available memory just before the run and just after it (else during it), by one and the same figure."""
    before = [capture for capture in captures if capture.phase == "before"]
    after = [one for one in captures if one.phase == "after"] or [one for one in captures if one.phase == "during"]
    for words, read in BASES:
        first = [capture for capture in before if read(capture) is not None][-1:]
        last = [capture for capture in after if read(capture) is not None][:1]
        if first and last:
            sources = tuple(Source(capture.source, capture.line) for capture in (*first, *last))
            count = _count(run, before, after, threaded=threaded)
            return Taken(read(first[0]) or 0.0, read(last[0]) or 0.0, words, sources, count)
    return None


def _count(
    run: RunFact, before: Sequence[CaptureFact], after: Sequence[CaptureFact], *, threaded: bool
) -> Count | None:
    """Processes that were added, else that were there, else those that the connections had: one each, up to MaxClients."""
    first, last = (_listed(captures, run.server_software) for captures in (before, after))
    if last and first and last.n > first.n:
        return Count(last.n - first.n, f"{last.n} − {first.n} processes", (*first.sources, *last.sources))
    if last and not first:
        return Count(last.n, f"{last.n} processes", last.sources)
    connections = read_method(run).concurrency
    if last or not connections or threaded:
        return None
    here = (Source(run.source, run.line),)
    said = _SAID.search(f"{run.label}\n{run.note}")
    if said and 0 < int(said[2]) <= connections:
        return Count(int(said[2]), f"{said[2]} processes ({said[1]}, for {connections} connections)", here)
    return Count(connections, f"{connections} processes, one a connection", here)


def _listed(captures: Sequence[CaptureFact], software: str) -> Count | None:
    """The biggest program's processes in the first capture that lists them all."""
    for capture in captures:
        found = served(capture, software)
        if found and found.whole == "all":
            biggest = found.groups[0]
            return Count(round(biggest.n), biggest.name, (Source(capture.source, capture.line),))
    return None


def is_threaded(names: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a server may take several connections in one process: then connections do not count processes."""
    many = re.compile(
        r"nginx|lighttpd|caddy|haproxy|\b(?:worker|event)\b|mpm_(?:worker|event)|node|varnish", re.IGNORECASE
    )
    return any(many.search(name) for name in names) or any("threadsperchild" in text.lower() for text in texts)
