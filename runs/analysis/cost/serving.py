"""Which processes of a capture are the server's, and whether the capture shows all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runs.analysis.facts import CaptureFact
from runs.analysis.processes import LOOKERS, ProcessGroup, groups

# Monitors and what keeps a terminal, beyond those that a table leaves out anyway.
MONITORS = frozenset(
    {"vmstat", "pidstat", "sar", "sadc", "iostat", "mpstat", "dstat", "htop", "atop", "free", "watch", "tail", "cat"}
)
HELPERS = frozenset(LOOKERS) | MONITORS
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
    "nginx",
    "lighttpd",
    "caddy",
    "haproxy",
    "varnish",
    "h2o",
    "openresty",
    "traefik",
    "envoy",
    "node",
    "java",
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
    def n(self) -> int:
        return sum(group.n for group in self.groups)


def served(capture: CaptureFact, software: str = "") -> Served | None:
    """None where no server is seen, or none with its memory. `software` is what the runs say answered them."""
    # What the load tools need is not what serving costs.
    serving = [process for process in capture.processes if not process.makes_load]
    found = [group for group in groups(serving) if group.rss_kb > 0 and group.name.lower() not in HELPERS]
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
    if capture.tool == "top" and (total is None or total > len(capture.processes)):
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
