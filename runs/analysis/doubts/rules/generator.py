"""The load generator: where it ran, and whether it could do more."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.rules.machine import spread
from runs.analysis.doubts.told import is_local, url_in
from runs.analysis.facts import CaptureFact, ProcessFact, Source
from runs.analysis.numbers import figure

FULL_PCT = 95  # of one core; what a program with one thread can use at most, less what sampling misses
ONE_THREAD = {"ab", "ab2", "httperf", "weighttp"}
SERVERS = (
    *("httpd", "apache2", "nginx", "lighttpd", "php-fpm", "php", "ruby", "python", "node", "java", "gunicorn", "uwsgi"),
    *("puma", "caddy", "haproxy", "varnishd", "mysqld", "postgres", "h2o"),
)


@rule(
    "generator.same_host",
    basis="ab's documentation and practice: load comes from another machine than the one measured",
)
def same_host(case: Case) -> Iterator[Finding]:
    """The address is the machine's own, or a look at the server shows the generator among its processes."""
    text = "server and load generator shared one machine, so each took CPU time from the other"
    local = {run.id for run in case.counted if is_local(run)}
    for run in case.counted:
        if run.id in local:
            name = run.hostname or url_in(run.command)[1]
            yield Finding("caution", f"{run.tool} loaded {name}", text, (Source(run.source, run.line),), run=run.id)
    seen = set(local)
    for capture in case.captures:
        program = _loader_beside_server(capture)
        beside = [run for run in case.runs_of(capture) if run.id not in seen]
        if program and beside and case.sides(capture) == "server":
            seen |= {run.id for run in beside}
            yield from spread(
                case, capture, "caution", f"{capture.tool} shows {program} beside the server's processes", text
            )


def _loader_beside_server(capture: CaptureFact) -> str:
    names = {process.group for process in capture.processes}
    served = any(name.startswith(SERVERS) for name in names)
    loaders = sorted({process.group for process in capture.processes if process.makes_load})
    return loaders[0] if served and loaders else ""


@rule(
    "generator.saturated", basis="ab.c has one thread: at 100 % of a core it cannot send more, whatever the server does"
)
def saturated(case: Case) -> Iterator[Finding]:
    text = "the load generator was at its limit, so the server may be faster than this"
    for capture in case.captures:
        for process in capture.processes:
            if process.makes_load and _full(case, capture, process):
                detail = f"{process.group} used {figure(process.cpu_pct)} % of a core"
                yield from spread(case, capture, "caution", detail, text)


def _full(case: Case, capture: CaptureFact, process: ProcessFact) -> bool:
    if process.cpu_pct is None:
        return False
    machine = case.machine_of(capture)
    cores = 1 if process.group in ONE_THREAD else (machine.cores if machine else None)
    return cores is not None and process.cpu_pct >= FULL_PCT * cores
