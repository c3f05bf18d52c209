"""How many requests a server takes at once, as far as a config text says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .detect import read
from .records import Directive

# What limits how much is served at once, by the name that it is known by in each server's documentation.
NAMES = {
    "maxclients": "MaxClients",
    "maxrequestworkers": "MaxRequestWorkers",
    "serverlimit": "ServerLimit",
    "threadlimit": "ThreadLimit",
    "threadsperchild": "ThreadsPerChild",
    "startservers": "StartServers",
    "asyncrequestworkerfactor": "AsyncRequestWorkerFactor",
    "maxprocessors": "MaxProcessors",
    "listenbacklog": "ListenBacklog",
    "worker_processes": "worker_processes",
    "worker_connections": "worker_connections",
    "worker_rlimit_nofile": "worker_rlimit_nofile",
    "server.max-connections": "server.max-connections",
    "server.max-fds": "server.max-fds",
    "server.max-worker": "server.max-worker",
    "pm.max_children": "pm.max_children",
    "max_connections": "max_connections",
    "maxconn": "maxconn",
    "maxthreads": "maxThreads",
    "net.core.somaxconn": "net.core.somaxconn",
    "net.ipv4.tcp_max_syn_backlog": "net.ipv4.tcp_max_syn_backlog",
}
_LINE = re.compile(r"\s*([A-Za-z][\w.\-]*)(?:\s*=\s*|\s+)\"?(\d+)\b")


@dataclass(frozen=True, slots=True)
class Limit:
    """One setting: its documented name, its number, and the offset (from 0) of its line in the text.

    section     the sections around it as written, outermost first: an MPM's own block, a server's pool
    """

    name: str
    value: int
    line_offset: int
    section: tuple[str, ...] = ()


def limits(text: str, dialect: str | None = None, path: str = "") -> list[Limit]:
    """Every limit that the text sets to a number, in the order of its lines; "auto" is none."""
    parsed = read(text, path, dialect)
    if parsed is None:  # a page's prose around two settings: the lines that name one outright
        lines = ((at, _LINE.match(line)) for at, line in enumerate(text.split("\n")))
        named = [(at, found) for at, found in lines if found and found[1].lower() in NAMES]
        return [Limit(NAMES[found[1].lower()], int(found[2]), at) for at, found in named]
    return [limit for directive in parsed.directives if (limit := _limit(directive))]


def _limit(directive: Directive) -> Limit | None:
    name = NAMES.get(directive.name.lower().replace("-", "_")) or NAMES.get(directive.name.lower())
    found = re.fullmatch(r"\d{1,12}", directive.value.split(" ")[0]) if name else None
    return Limit(name, int(found[0]), directive.line, directive.path) if name and found else None
