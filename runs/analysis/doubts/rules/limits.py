"""More clients than the server's config lets in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from runs.analysis.dialects import read
from runs.analysis.directives import Directive
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import clients
from runs.analysis.facts import RunFact, Source, TextFact
from runs.analysis.numbers import figure

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


# Each alone says how many requests are worked on at once.
WORKERS = {"MaxClients", "MaxRequestWorkers", "pm.max_children", "server.max-connections", "maxThreads", "maxconn"}
# What a person wrote beside a run: "MaxClients is 50 now".
SAID = re.compile(r"(MaxClients|MaxRequestWorkers|max_children)\D{0,12}?(\d+)", re.IGNORECASE)
NAMED = re.compile("|".join(re.escape(name) for name in (*WORKERS, "worker_connections")), re.IGNORECASE)
MPMS = ("prefork", "worker", "event", "itk", "peruser")
LONGEST_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class Room:
    """How many requests are worked on at once, by which setting, and the line that says so."""

    name: str
    value: int
    source: Source


@rule(
    "limits.clients",
    basis="Apache's mpm_common, nginx's core and php-fpm's documentation: what comes beyond the limit waits",
)
def beyond_the_limit(case: Case) -> Iterator[Finding]:
    rooms = {config.id: room_of(case, config.id) for config in case.configs}
    for run in case.counted:
        at_once, room = clients(run), said_of(case, run) or rooms.get(run.config)
        if at_once is None or room is None or at_once <= room.value:
            continue
        detail = f"{figure(at_once)} clients for {room.name} {figure(room.value)}"
        text = "no more are worked on at once, so the times hold the waiting of the rest"
        yield Finding("caution", detail, text, (room.source, Source(run.source, run.line)), run=run.id)


def said_of(case: Case, run: RunFact) -> Room | None:
    """A limit named in the run's or its config's heading or note, which a text shown elsewhere does not overrule."""
    found = SAID.search(f"{run.note}\n{run.label}\n{case.names.get(run.config, '')}")
    return Room(found[1], int(found[2]), Source(run.source, run.line)) if found else None


def room_of(case: Case, config: int) -> Room | None:
    """The limit in the config's own texts, else in those that hold for all. Of several the widest: any may be in force."""
    for whose in (config, None):
        texts = [text for text in case.texts if text.config == whose and len(text.text) <= LONGEST_TEXT]
        rooms = [room for text in texts for room in _rooms(case, text, case.names.get(config, ""))]
        if rooms:
            return max(rooms, key=lambda room: room.value)
    return None


def _rooms(case: Case, text: TextFact, name: str) -> list[Room]:
    found = _limits(text.text, text.path)
    mine = [limit for limit in found if limit.name in WORKERS and _in_force(limit, name)]
    rooms = [Room(limit.name, limit.value, _source(text, limit)) for limit in mine if limit.value]
    return rooms + _nginx(case, text, found)


@lru_cache(maxsize=32)
def _limits(text: str, path: str) -> list[Limit]:
    """What a text limits. Kept, as a text that holds for all configs is asked for each of them."""
    return limits(text, path=path) if NAMED.search(text) else []


def _in_force(limit: Limit, name: str) -> bool:
    """A section of another MPM than the one that the config is named after says nothing."""
    section = " ".join(limit.section).lower()
    named = [mpm for mpm in MPMS if mpm in name.lower()]
    return not named or not any(mpm in section for mpm in MPMS) or any(mpm in section for mpm in named)


def _nginx(case: Case, text: TextFact, found: Sequence[Limit]) -> list[Room]:
    """worker_connections holds for each worker process; "auto" is one a core."""
    each = [limit for limit in found if limit.name == "worker_connections"]
    processes = [limit.value for limit in found if limit.name == "worker_processes"]
    cores = max((host.cores or 0 for host in case.hosts), default=0)
    if not each or not (processes or cores):
        return []
    n = processes[0] if processes else cores
    return [Room(f"{n} × worker_connections", n * each[-1].value, _source(text, each[-1]))]


def _source(text: TextFact, limit: Limit) -> Source:
    """The line of the setting itself, where the text's own address counts lines."""
    line = text.line + limit.line_offset
    return Source(text.source.replace(f"#L{text.line}", f"#L{line}"), line)
