"""What monitors saw: the machine's memory and CPU, processes by program, and what serving a run took of memory.

Sizes in kB as the kernel prints them (1024 bytes).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from runs.analysis.facts import CaptureFact, ProcessFact, RunFact, Source
from runs.analysis.method import read_method

# Programs around a monitor's command, which are not what is watched; monitors themselves are told by their formats.
HELPERS = frozenset(
    {
        *("grep", "egrep", "bash", "sh", "less", "script", "screen", "tmux", "sshd", "login", "awk", "tee", "watch"),
        *("tail", "cat", "dstat", "htop", "atop"),
    }
)
# A program that needs less than this part of what the biggest needs is not what a comparison is about.
WORTH_A_ROW = 0.05
FELL = 0.2  # of a program's memory: more than what comes and goes with single requests


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """All processes of one program in one capture. Sums and the mean skip processes without the figure.

    Of several samples n, rss_kb and cpu_pct are means of each sample's number or sum; the peaks are the most of them.
    """

    name: str
    n: float
    rss_kb: float
    rss_mean_kb: float
    cpu_pct: float
    members: tuple[ProcessFact, ...]
    peak_n: float = 0
    peak_rss_kb: float = 0

    @property
    def helps(self) -> bool:
        """It keeps a terminal or a monitor going, and is not what a comparison is about."""
        return self.name.lower() in HELPERS or self.members[0].monitors


def group_processes(capture: CaptureFact, *, served: bool = False) -> list[ProcessGroup]:
    """One group a program, the biggest by memory first. served: without load tools, monitors and what goes with them."""
    by_name: dict[str, list[ProcessFact]] = defaultdict(list)
    for process in capture.processes:
        by_name[process.group or process.command].append(process)
    groups = [_make_group(name, members, capture.programs.get(name, {})) for name, members in by_name.items()]
    kept = [group for group in groups if not (served and (group.helps or group.members[0].makes_load))]
    return sorted(kept, key=lambda group: (-group.rss_kb, group.name))


def _make_group(name: str, members: list[ProcessFact], sums: Mapping[str, Sequence[float]]) -> ProcessGroup:
    sizes = [process.rss_kb for process in members if process.rss_kb is not None]
    single = {
        "processes": len(members),
        "rss_kb": sum(sizes),
        "cpu_pct": sum(member.cpu_pct or 0.0 for member in members),
    }
    n, rss_kb, cpu_pct = (sums.get(metric, (value, value)) for metric, value in single.items())
    each = sum(sizes) / len(sizes) if sizes else 0.0
    if sums and n[0]:
        each = rss_kb[0] / n[0]
    return ProcessGroup(name, n[0], rss_kb[0], each, cpu_pct[0], tuple(members), n[1], rss_kb[1])


def is_server(program: str) -> bool:
    """Whether a program answers requests, or often runs behind one that does."""
    return program.lower().startswith((*FRONT, *BEHIND)) and not is_batch(program)


def may_be_behind(program: str) -> bool:
    """Whether a program by its name stands between clients and an application, or keeps its data."""
    return (
        program.lower().startswith((*FRONT, *DATABASES))
        or re.search(r"db|sql|redis|mongo|proxy", program, re.I) is not None
    )


def is_named(program: str, word: str) -> bool:
    """Whether a word is the program's name, or what the server calls itself."""
    return program.lower().startswith((word, *FAMILIES.get(word, ())))


def is_batch(program: str) -> bool:
    """Whether a program does work of its own and answers no requests: a backup, a build, an encoder. Kernels show 15 characters."""
    return program.lower()[:15] in BATCH


def find_falls(sizes: Iterable[float]) -> list[float]:
    """By which part of what it was a size fell, each time that it fell by a marked part and had risen by one before."""
    falls: list[float] = []
    high, low = 0.0, None  # the most of the rise; the least of the fall, None while it rises
    for size in sizes:
        if low is None:
            high = max(high, size)
            if size < high * (1 - FELL):
                low = size
                falls.append(1 - size / high)
        else:
            low = min(low, size)
            falls[-1] = 1 - low / high
            if low < size * (1 - FELL):
                high, low = size, None
    return falls


def pick_biggest(groups: Iterable[ProcessGroup], most: int, by: str = "rss_kb", first: Sequence[str] = ()) -> list[str]:
    """The names of at most `most` programs worth a row: the biggest in any capture, without what keeps monitors going.

    by: an attribute of theirs; first: names that go before bigger ones; if they are too many, the first of them
    """
    biggest: dict[str, float] = {}
    for group in groups:
        if getattr(group, by) and not group.helps:
            biggest[group.name] = max(getattr(group, by), biggest.get(group.name, 0.0))
    floor = WORTH_A_ROW * max(biggest.values(), default=0.0)
    worth = [name for name in biggest if biggest[name] >= floor or name in first]
    rank = {name: place for place, name in enumerate(first)}
    chosen = sorted(worth, key=lambda name: (rank.get(name, len(rank)), -biggest[name], name))[:most]
    return sorted(chosen, key=lambda name: (name not in rank, -biggest[name], name))


PHASES = ("before", "during", "after", "")
MIB = 1024


def free_kb(capture: CaptureFact) -> float | None:
    """Memory that programs could still get: "available" where printed, else free + buffers + cached or + inactive."""
    if "mem_available_kb" in capture.metrics:
        return capture.metrics["mem_available_kb"]
    free = capture.metrics.get("mem_free_kb")
    if free is None:
        return None
    cached = [capture.metrics.get(name) for name in ("mem_buffers_kb", "mem_cached_kb", "mem_buff_cache_kb")]
    if any(part is not None for part in cached):
        return free + sum(part or 0 for part in cached)
    inactive = capture.metrics.get("mem_inactive_kb")
    return free + inactive if inactive is not None else None


def memory_parts(capture: CaptureFact) -> dict[str, float]:
    """Used, buffers, cached (or inactive, where only that is told) and free in MiB; {} without a total.

    What old tools call "used" holds buffers and cache too, so it is worked out from the total instead.
    """
    metrics = capture.metrics
    total, free = metrics.get("mem_total_kb"), metrics.get("mem_free_kb")
    if total is None or free is None:
        return {}
    parts = {"buffers": metrics.get("mem_buffers_kb"), "cached": metrics.get("mem_cached_kb")}
    if not any(parts.values()):
        parts = {"cached": metrics.get("mem_buff_cache_kb"), "inactive": metrics.get("mem_inactive_kb")}
    known = {name: value / MIB for name, value in parts.items() if value}
    return {"used": max(total / MIB - free / MIB - sum(known.values()), 0.0), **known, "free": free / MIB}


def busy_pct(capture: CaptureFact) -> float | None:
    """What was not idle, waiting for the disk left out: nobody worked then."""
    idle = capture.metrics.get("cpu_id")
    return None if idle is None else max(100 - idle - capture.metrics.get("cpu_wa", 0.0), 0.0)


# Beginnings of program names: what answers requests, and what often runs behind it.
FRONT = (
    *("httpd", "apache", "nginx", "lighttpd", "caddy", "haproxy", "varnish", "h2o", "openresty", "traefik", "envoy"),
    *("litespeed", "lshttpd", "thttpd", "cherokee", "hiawatha", "squid", "passenger", "puma", "unicorn", "thin"),
    *("mongrel", "php-fpm", "php-cgi", "gunicorn", "uwsgi", "uvicorn", "hypercorn", "daphne", "starman", "tomcat"),
)
DATABASES = (
    *("mysqld", "mariadbd", "postgres", "postmaster", "redis-server", "memcached", "mongod"),
    *("oracle", "sqlservr", "clickhouse"),
)
BEHIND = (
    *("ruby", "rails", "php", "python", "node", "deno", "bun", "java", "perl", "beam", "mono", "dotnet"),
    *DATABASES,
)
BATCH = frozenset(
    name[:15]
    for name in (
        *("mysqldump", "mariadb-dump", "pg_dump", "pg_dumpall", "pg_basebackup", "mongodump", "xtrabackup"),
        *("mariabackup", "rsync", "rclone", "restic", "borg", "duplicity", "scp", "sftp", "cp", "dd", "find", "du"),
        *("updatedb", "mandb"),
        *("tar", "gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "zip", "unzip", "7z", "7za", "7zr", "gpg"),
        *("md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "fsck", "e2fsck", "badblocks", "logrotate"),
        *("cc1", "cc1plus", "gcc", "g++", "clang", "clang++", "ld", "lld", "lto1", "make", "cmake", "ninja", "rustc"),
        *("cargo", "javac", "ffmpeg", "x264", "x265", "handbrakecli", "convert", "xmrig", "stress", "stress-ng"),
        *("apt", "apt-get", "dpkg", "unattended-upgrades", "yum", "dnf", "rpm", "snap", "snapd", "packagekitd"),
        *("clamscan", "clamd", "freshclam", "rkhunter", "aide"),
    )
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
KERNEL_THREADS = (
    *("kworker", "ksoftirqd", "kswapd", "kcompactd", "khugepaged", "kthread", "ksmd", "migration", "rcu_", "jbd2"),
    *("irq/", "watchdog", "cpuhp", "xfsaild", "txg_", "z_", "md0", "nfsd", "swapper"),
)
# What starts servers and passes on what they write or receive.
AROUND_THEM = ("docker", "containerd", "conmon", "systemd", "rsyslog", "journal", "chrony", "ntp", "irqbalance")
# These serve many connections in each process, so that more processes would not serve more.
MANY_IN_ONE = (
    *("nginx", "lighttpd", "caddy", "haproxy", "varnish", "h2o", "openresty", "traefik", "envoy", "node", "java"),
)
# A script of the machine's own stands idle while the server is under load.
BUSY_PCT = 1.0
OTHERS_PART = 0.2  # of the CPU time of what is known to serve: another program may do a part of the work
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
    def is_whole(self) -> bool:
        """Whether these programs are known to serve, by their names or their CPU time, and no other one may do a part of it."""
        names, cpu_pct = {group.name for group in self.groups}, sum(group.cpu_pct for group in self.groups)
        others = (group for group in group_processes(self.capture, served=True) if group.rss_kb)
        beside = any(
            one.cpu_pct >= OTHERS_PART * cpu_pct and one.name not in names and not is_batch(one.name) for one in others
        )
        known = cpu_pct >= BUSY_PCT or all(map(is_server, names))
        return self.whole != "quoted" and known and not (cpu_pct and beside)


def find_served(capture: CaptureFact, software: str = "") -> Served | None:
    """None where no server is seen, or none with its memory. `software` is what the runs say answered them."""
    groups = [group for group in group_processes(capture, served=True) if group.rss_kb > 0]
    front = [group for group in groups if group.name.lower().startswith(FRONT)]
    behind = [
        group for group in groups if group.name.lower().startswith(BEHIND) and not group.name.lower().startswith(FRONT)
    ]
    answering = [group for group in front if group.name.lower().startswith(_find_family(software))]
    busy = [group for group in front + behind if group.cpu_pct >= BUSY_PCT]
    serving = {group.name for group in (*(answering or front), *busy)}
    known = [group for group in groups if group.name in serving] or behind[:1]
    kept = sorted(known, key=lambda group: group not in answering)[:MOST_PROGRAMS]
    # A program that nobody has heard of serves too, if it is the biggest.
    chosen = [group for group in known if group in kept] or groups[:1]
    return Served(capture, tuple(chosen), _check_completeness(capture)) if chosen else None


def _find_family(software: str) -> tuple[str, ...]:
    """Beginnings of the names of the programs that call themselves so in their answers; () where they are not known."""
    return next((programs for name, programs in FAMILIES.items() if name in software.lower()), ())


def _check_completeness(capture: CaptureFact) -> Whole:
    if capture.partial:
        return "quoted"
    total = capture.metrics.get("tasks_total")
    if capture.is_cut or (not capture.lists_all and (total is None or total > len(capture.processes))):
        return "some"
    return "all"


def name_programs(programs: Iterable[Served], first: tuple[str, ...] = ()) -> list[str]:
    """The names of the programs in these captures: those that begin with one of `first`, then the biggest in any of them."""
    biggest: dict[str, float] = {}
    for served in programs:
        for group in served.groups:
            biggest[group.name] = max(biggest.get(group.name, 0.0), group.rss_kb)
    order = sorted(biggest, key=lambda name: (not name.lower().startswith(first), -biggest[name], name))
    return order[:MOST_PROGRAMS]


def list_serving(captures: Iterable[CaptureFact], software: Iterable[str]) -> list[str]:
    """The names of the programs that served in these captures, where the runs say which software answered; else [].

    A desktop's browser or a build may be bigger than they are.
    """
    families = {name: family for name in software if (family := _find_family(name))}
    found = (find_served(capture, name) for capture in captures if capture.processes for name in families)
    return name_programs((served for served in found if served), first=sum(families.values(), ()))


def select_under_load(captures: Sequence[CaptureFact], software: str = "") -> list[Served]:
    """The captures that tell best what serving takes: those during the load, else after it, else of no known phase.

    Of one phase, whole lists go before screens that show a part.
    """
    processes_served = [served for capture in captures if (served := find_served(capture, software))]
    for wanted in (("all", "some"), ("quoted",)):
        for phase in ("during", "after", ""):
            for whole in wanted:
                kept = [
                    served for served in processes_served if served.capture.phase == phase and served.whole == whole
                ]
                if kept:
                    return kept
    return []


# What a person wrote beside a run: as many connections as that, and so many processes there are.
_STATED_LIMIT = re.compile(r"(MaxClients|MaxRequestWorkers|max_children)\D{0,12}?(\d{1,6})(?!\d)", re.IGNORECASE)
Read = Callable[[CaptureFact], float | None]


def find_stated_limit(*texts: str) -> tuple[str, int] | None:
    """The setting and its number that a person wrote in one of them: "MaxClients is 50 now"."""
    match = _STATED_LIMIT.search("\n".join(texts))
    return (match[1], int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class ProcessCount:
    """How many processes a difference in memory is spread over, and in words where the number is from."""

    n: int
    words: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryTaken:
    """Available memory around one run. `basis` says which of the kernel's figures it is, `count` may be missing."""

    before_kb: float
    after_kb: float
    basis: str
    sources: tuple[Source, ...]
    count: ProcessCount | None

    @property
    def taken_kb(self) -> float:
        return self.before_kb - self.after_kb

    @property
    def each_kb(self) -> float | None:
        """What one process took; None where memory did not shrink or nothing tells how many there were."""
        return self.taken_kb / self.count.n if self.count and self.taken_kb > 0 else None


def _read_sum(*names: str) -> Read:
    def read(capture: CaptureFact) -> float | None:
        values = [capture.metrics.get(name) for name in names]
        known = [value for value in values if value is not None and math.isfinite(value)]
        return sum(known) if len(known) == len(names) else None

    return read


def _read_printed(capture: CaptureFact) -> float | None:
    """The kernel's own estimate. Where a kernel has none, a reader of /proc/meminfo put MemFree + Inactive in its place."""
    kb = capture.metrics.get("mem_available_kb")
    return None if kb is None or not math.isfinite(kb) or kb == FREE_AND_INACTIVE(capture) else kb


FREE_AND_INACTIVE = _read_sum("mem_free_kb", "mem_inactive_kb")
BASES: tuple[tuple[str, Read], ...] = (
    ("MemAvailable", _read_printed),
    ("MemFree + Inactive", FREE_AND_INACTIVE),
    ("free + buffers + cached", _read_sum("mem_free_kb", "mem_buffers_kb", "mem_cached_kb")),
    ("free + buff/cache", _read_sum("mem_free_kb", "mem_buff_cache_kb")),
)


def find_available(capture: CaptureFact) -> tuple[float, str] | None:
    """(kB that programs could still get, the figures it is made of): MemAvailable, else MemFree + Inactive, else what is left."""
    return next(((value, words) for words, read in BASES if (value := read(capture)) is not None), None)


def measure_taken(run: RunFact, captures: Sequence[CaptureFact], *, threaded: bool) -> MemoryTaken | None:
    """Available memory just before the run and just after it (else during it), by one and the same figure."""
    before = [capture for capture in captures if capture.phase == "before"]
    after = [one for one in captures if one.phase == "after"] or [one for one in captures if one.phase == "during"]
    for words, read in BASES:
        first = [capture for capture in before if read(capture) is not None][-1:]
        last = [capture for capture in after if read(capture) is not None][:1]
        if first and last:
            sources = tuple(capture.first_line for capture in (*first, *last))
            count = _count_processes(run, before, after, threaded=threaded)
            return MemoryTaken(read(first[0]) or 0.0, read(last[0]) or 0.0, words, sources, count)
    return None


def _count_processes(
    run: RunFact, before: Sequence[CaptureFact], after: Sequence[CaptureFact], *, threaded: bool
) -> ProcessCount | None:
    """Processes that were added, else that were there, else those that the connections had: one each, up to MaxClients."""
    first, last = (_count_listed(captures, run.server_software) for captures in (before, after))
    if last and first and last.n > first.n:
        return ProcessCount(last.n - first.n, f"{last.n} − {first.n} processes", (*first.sources, *last.sources))
    if last and not first:
        return ProcessCount(last.n, f"{last.n} processes", last.sources)
    connections = read_method(run).concurrency
    if last or not connections or threaded:
        return None
    here = (run.source_of(),)
    said = find_stated_limit(run.label, run.note)
    if said and 0 < said[1] <= connections:
        return ProcessCount(said[1], f"{said[1]} processes ({said[0]}, for {connections} connections)", here)
    return ProcessCount(connections, f"{connections} processes, one a connection", here)


def _count_listed(captures: Sequence[CaptureFact], software: str) -> ProcessCount | None:
    """The biggest program's processes in the first capture that lists them all."""
    for capture in captures:
        served = find_served(capture, software)
        if served and served.whole == "all":
            biggest = served.groups[0]
            return ProcessCount(round(biggest.n), biggest.name, (capture.first_line,))
    return None


def is_threaded(names: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a server may take several connections in one process: then connections do not count processes."""
    many = re.compile(
        r"nginx|lighttpd|caddy|haproxy|\b(?:worker|event)\b|mpm_(?:worker|event)|node|varnish", re.IGNORECASE
    )
    return any(many.search(name) for name in names) or any("threadsperchild" in text.lower() for text in texts)
