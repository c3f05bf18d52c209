"""Rules of doubts about the conditions of runs.

What monitors saw of the machine, where the load generator ran, and times of the network.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from runs.analysis.columns import WORD, Column
from runs.analysis.doubt_case import (
    Case,
    about_run,
    hostname_of,
    is_during,
    is_local,
    make_findings,
    mean_reply_bytes,
    rule,
    run_rule,
    seconds_taken,
)
from runs.analysis.facts import HUGE, CaptureFact, Finding, ProcessFact, RunFact, Severity
from runs.analysis.monitors import (
    AROUND_THEM,
    KERNEL_THREADS,
    MIB,
    ProcessGroup,
    free_kb,
    group_processes,
    is_batch,
    is_named,
    is_server,
    may_be_behind,
)

TIGHT = 0.15  # with less of its memory available than this, what is in swap is missed
GROWN_KB = 1024
IDLE_PCT = 5
SEEN, UNSEEN_S = 0.5, 3  # of a run by the monitors beside it; clocks of whole seconds say less of short ones
NOISY_PCT = 3  # from here on a machine's equal runs hide differences that people look for
A_CORE_PCT = 95
BUSY_PCT = 20  # of a core; what uses less moves no rate that people look at
LINKS_MBIT = (100, 1000, 2500, 10_000, 25_000, 40_000, 100_000)
# Of a link's bits those that are replies: TCP, IP and Ethernet take 5 to 6 % of full frames, and what is sent back some.
CARRIED = (0.91, 0.955)
ONE_PACE = 1.005  # servers vary more
# Local ports of a client: Linux's default range, and the widest one without reserved ports. Each that was closed waits a minute.
PORTS, NO_PORTS_LEFT, MOST_WAITING = (28_232, 64_511), 0.9, 1.05
FULL_PCT = 95  # of one core; what a program with one thread can use at most, less what sampling misses
CPU_MORALS: dict[str, tuple[Severity, str]] = {
    "server": ("note", "cpu_of_server"),
    "generator": ("caution", "cpu_of_generator"),
    "both": ("caution", "cpu_of_both"),
}
# When a SYN is sent again: after 1 s, doubling (1, 3, 7, 15, 31 s), or as Linux before 3.1 did, after 3 s (3, 9, 21 s).
AGAIN_S = (1, 3, 7, 9, 15, 21, 31)
LATE = 0.05  # the connection comes a little after the second SYN, never before it
EARLY_MS = 15  # but for the rounding of clocks
TIMES_P99 = 10
OMITTED = 0.1  # of all clients' time in the slowest hundredth of the requests; with even times it is 0.01
MOSTLY_OMITTED = 0.5
HANG_MS = 200  # the least timer in TCP that a hanging request could wait for
MOST_OF_CPU = 0.75


@rule("generator.same_host", "practice: load comes from another machine than the one measured", "server_hostname")
def find_shared_host(case: Case) -> Iterator[Finding]:
    """The address is the machine's own, or a capture of the server shows the generator among its processes."""
    seen: set[int] = set()
    for run in filter(is_local, case.counted_runs):
        seen.add(run.id)
        yield about_run(run, "caution", "shared_host", tool=run.tool, name=hostname_of(run))
    for capture in case.captures:
        loaders = sorted({process.group for process in capture.processes if process.makes_load})
        serves = any(is_server(process.group) for process in capture.processes)
        runs = {run.id for run in case.runs_of(capture)} - seen
        if loaders and serves and runs and case.watched_side(capture) == "server":
            seen |= runs
            yield from make_findings(case, capture, "caution", "shared_host", monitor=capture.tool, program=loaders[0])


@rule("machine.others", "practice: CPU time that another program takes is missing where the server runs")
def find_other_programs(case: Case) -> Iterator[Finding]:
    """What neither serves nor loads, and used the CPU beside one config only, of configs with the same server.

    What never serves is told beside unlike servers, too, and what used a whole core beside the only program that a config is
    named after.
    """
    used = [_list_programs(case, column) for column in case.columns]
    serving = [{*filter(is_server, each)} for each in used]
    calm = [servers for servers, each in zip(serving, used, strict=True) if servers == each.keys()]
    everywhere = {name for name in used[0] if all(name in each for each in used)} if used else set()
    beside = [[capture for run in each.runs for capture in case.captures_of(run.id)] for each in case.columns]
    alone = all(any(capture.processes for capture in captures) for captures in beside)  # each config was watched
    for column, own, servers in zip(case.columns, used, serving, strict=True):
        others = {name for name in own.keys() - servers if name.lower() not in column.title.lower()}
        if not any(servers & each for each in calm):
            others = {name for name in others if is_batch(name)}
        others |= _list_strangers(column, own) if alone else set()
        for name in sorted(others - everywhere) if len(used) > 1 else ():
            share, capture = own[name]
            yield from make_findings(case, capture, "caution", "others", program=name, cpu=share, alone=alone)


def _list_strangers(column: Column, own: Mapping[str, tuple[float, CaptureFact]]) -> set[str]:
    """Programs with a core or more beside those of which each is one word of the config's name: "java" beside "nginx"."""
    words = [word for word in WORD.findall(column.config.name.lower()) if not word[0].isdigit()]
    named = [{name for name in own if is_named(name, word)} for word in words]
    if not all(named):
        return set()
    return {
        name
        for name, (share, _) in own.items()
        if share >= A_CORE_PCT and not any(name in each for each in named) and not may_be_behind(name)
    }


def _list_programs(case: Case, column: Column) -> dict[str, tuple[float, CaptureFact]]:
    """Program -> the most that it used of a core during the column's runs (per cent), and where that stands.

    What never serves counts where it is seen beside a run at any time.
    """
    programs: dict[str, tuple[float, CaptureFact]] = {}
    for capture in {one.id: one for run in column.runs for one in case.captures_of(run.id)}.values():
        for group in group_processes(capture, served=True) if case.watched_side(capture) != "generator" else ():
            is_seen = is_batch(group.name) or (is_during(capture) and not _is_kernel(capture, group))
            if is_seen and group.cpu_pct >= max(BUSY_PCT, programs.get(group.name, (0.0,))[0]):
                programs[group.name] = group.cpu_pct, capture
    return {name: used for name, used in programs.items() if not name.lower().startswith(AROUND_THEM)}


def _is_kernel(capture: CaptureFact, group: ProcessGroup) -> bool:
    """Whether it is threads of the kernel, which have no memory, where it is shown."""
    are_sized = any(process.rss_kb for process in capture.processes)
    return not group.rss_kb if are_sized else group.name.startswith(KERNEL_THREADS)


@rule(
    "network.link",
    "Ethernet, IP and TCP: of each full frame of 1,538 bytes 1,448 are the reply's",
    "requests_per_second",
)
def find_full_links(case: Case) -> Iterator[Finding]:
    """Replies of several runs at one pace, which is what a usual network carries at most."""
    by_host: dict[int, list[tuple[RunFact, float]]] = defaultdict(list)
    for run in case.counted_runs:
        size, rate = mean_reply_bytes(run) or run.number("document_length_bytes"), run.requests_per_second
        mbit = 0.0 if is_local(run) else (size or 0) * (rate or 0) * 8 / 1e6
        for link in LINKS_MBIT:
            if link * CARRIED[0] <= mbit <= link * CARRIED[1]:
                by_host[link].append((run, mbit / 8))
    for link, full in by_host.items():
        paces = [mb for _, mb in full]
        for run, mb in full if len(full) > 1 and max(paces) <= ONE_PACE * min(paces) else ():
            yield about_run(run, "caution", "link_full", mb=mb, link=link)


@rule("generator.saturated", "practice: a generator at its limit cannot send more")
def find_saturated_generators(case: Case) -> Iterator[Finding]:
    for capture in case.captures:
        for process in capture.processes:
            if process.makes_load and _is_full(case, capture, process):
                facts = {"program": process.group, "cpu": process.cpu_pct}
                yield from make_findings(case, capture, "caution", "generator_full", **facts)


@rule(
    "generator.ports",
    "tcp(7), ip(7): a closed connection keeps its local port for a minute, and there are only so many",
)
def find_used_up_ports(case: Case) -> Iterator[Finding]:
    """Sockets in TIME_WAIT that are as many as a client has local ports."""
    for capture in case.captures:
        waiting = capture.peaks.get("tcp_time_wait") or capture.metrics.get("tcp_time_wait") or 0
        ports = next((n for n in PORTS if NO_PORTS_LEFT * n <= waiting <= MOST_WAITING * n), None)
        if ports:
            yield from make_findings(case, capture, "caution", "no_ports", waiting=waiting, ports=ports)


def _is_full(case: Case, capture: CaptureFact, process: ProcessFact) -> bool:
    cpu, used = process.cpu_pct or 0.0, sum(one.cpu_pct or 0.0 for one in capture.processes)
    if cpu > max(100, MOST_OF_CPU * used) and _is_queued(case, capture):
        return True  # of a machine without idle time it has most: the server beside it waits for requests
    threads = [run.options.get("threads") for run in case.runs_of(capture)]  # of the generator, as its command has them
    most = [1] if process.one_thread else [_find_cores(case, capture), *threads]
    return cpu >= FULL_PCT * min((n for n in most if n), default=math.inf)


@rule(
    "machine.swap",
    "Apache's performance tuning guide: a web server should never have to swap; Linux's documentation of swapping",
)
def find_swapping(case: Case) -> Iterator[Finding]:
    """Swap in use is fatal where memory was tight or swap grew, and other configs had none in use.

    So it is for repeats that nothing watched, where it is for all others of their config.
    """
    seen: set[int] = set()
    fatal: dict[int, Finding] = {}
    used_in = {one.id: one.peaks.get("swap_used_kb") or one.metrics.get("swap_used_kb") or 0 for one in case.captures}
    for capture in sorted(case.captures, key=lambda one: -used_in[one.id]):  # of each run the look that saw most
        used = used_in[capture.id]
        runs = {run.id for run in case.runs_of(capture)}
        if not used or used < MIB or (runs and runs <= seen):
            continue
        seen |= runs
        severity, moral = _grade_swap(case, capture, runs)
        total, free = capture.metrics.get("mem_total_kb"), free_kb(capture)
        facts = {"used_mib": used / MIB, "phase": capture.phase}
        if total and free is not None:
            facts |= {"free_mib": free / MIB, "total_mib": total / MIB}
        for finding in make_findings(case, capture, severity, moral, **facts):
            if finding.severity == "fatal" and finding.run is not None:
                fatal[finding.run] = finding
            yield finding
    for column in case.columns if fatal else ():
        watched = [run.id for run in column.runs if case.captures_of(run.id)]
        if watched and all(run in fatal for run in watched):
            last = fatal[watched[-1]]
            facts = {**last.facts, "repeats": len(column.runs)}
            yield from (replace(last, facts=facts, run=run.id) for run in column.runs if run.id not in fatal)


def _grade_swap(case: Case, capture: CaptureFact, runs: set[int]) -> tuple[Severity, str]:
    if case.watched_side(capture) == "generator":
        return "note", "generator_swapped"
    total, free = capture.metrics.get("mem_total_kb"), free_kb(capture)
    tight = bool(total) and free is not None and free < TIGHT * (total or 0)
    if not (tight or _is_paging(case, capture, runs)):
        return "note", "old_pages"
    return ("fatal", "paging_fatal") if runs and case.unswapped - runs else ("caution", "paging")


def _is_paging(case: Case, capture: CaptureFact, runs: set[int]) -> bool:
    """Pages went in or out while it was watched, or swap grew, in one capture or from one to another of the same runs."""
    own = {one.id: one for run in runs for one in case.captures_of(run)}.values() or [capture]
    if any((one.peaks.get(f"swap_{way}_kb_per_s") or 0) > 0 for one in own for way in ("in", "out")):
        return True
    used = [
        ends["swap_used_kb"] for one in own for ends in (one.metrics, one.lows, one.peaks) if "swap_used_kb" in ends
    ]
    return max(used) - min(used) > GROWN_KB


@rule(
    "machine.cpu",
    "top(1), proc(5): no idle time and more tasks ready to run than cores mean that tasks waited for a CPU",
)
def find_busy_cpus(case: Case) -> Iterator[Finding]:
    seen: set[int] = set()
    for capture in case.captures:
        runs = {run.id for run in case.runs_of(capture)}
        if not is_during(capture) or not runs or runs <= seen or not _is_queued(case, capture):
            continue
        seen |= runs
        severity, moral = CPU_MORALS[case.watched_side(capture)]
        running = capture.metrics.get("tasks_running", capture.metrics.get("run_queue"))
        facts = {"idle": capture.metrics.get("cpu_id"), "running": running, "cores": _find_cores(case, capture)}
        yield from make_findings(case, capture, severity, moral, **facts)


def _find_cores(case: Case, capture: CaptureFact) -> int | None:
    machine = case.machine_of(capture)
    return machine.cores if machine else None


def _is_queued(case: Case, capture: CaptureFact) -> bool:
    """No time was idle; or in each sample more tasks were ready to run than there are cores."""
    idle, running = capture.metrics.get("cpu_id"), capture.metrics.get("tasks_running")
    cores = _find_cores(case, capture)
    queue = capture.lows.get("run_queue", capture.metrics.get("run_queue"))
    if queue is not None and cores is not None and queue > cores:
        return True
    if idle is not None:
        return idle < IDLE_PCT and capture.metrics.get("cpu_wa", 0) < 100 - IDLE_PCT
    return running is not None and cores is not None and running - 1 > cores  # the monitor itself is running too


@rule("figures.memory", "arithmetic: resident memory is a part of the machine's")
def find_impossible_sizes(case: Case) -> Iterator[Finding]:
    """One process with more resident memory than its machine has."""
    for capture in case.captures:
        total = capture.metrics.get("mem_total_kb")
        largest = max((process.rss_kb or 0 for process in capture.processes), default=0)
        for run in case.runs_of(capture) if total and largest > total else ():
            mib = {"program_mib": round(largest / 1024), "total_mib": round((total or 0) / 1024)}
            yield about_run(run, "caution", "contradiction", capture.first_line, **mib)


@rule("machine.noise", "A/A runs: equal runs of one small loop on that machine (bd passport)")
def find_noisy_hosts(case: Case) -> Iterator[Finding]:
    """By its passport. The verdict's own test goes by the runs; this says what they cannot show on that machine."""
    loaded = {run.host_id for run in case.counted_runs}
    for host in case.hosts:
        noise = (host.passport or {}).get("noise_pct", 0)
        if host.id in loaded and noise >= NOISY_PCT and len(case.columns) > 1:
            others = (host.passport or {}).get("others_pct", 0)
            yield Finding("note", "noisy", {"host": host.name, "noise": noise, "others": others})


@rule("machine.unseen", "the clocks of the monitors' samples, and the time the run took")
def find_short_monitors(case: Case) -> Iterator[Finding]:
    """Monitors that were to go on beside a run and saw less than half of it: ended early, killed, or their link was cut."""
    for run in case.counted_runs:
        took, longest = seconds_taken(run) or 0, dict[int | None, CaptureFact]()
        for capture in case.captures_of(run.id):
            if capture.run == run.id and capture.phase == "during" and capture.n > 1 and capture.seconds is not None:
                best = longest.get(capture.host_id)
                if best is None or capture.seconds > (best.seconds or 0):
                    longest[capture.host_id] = capture
        for capture in longest.values():
            seen = capture.seconds or 0
            if seen < SEEN * took and took - seen >= UNSEEN_S:
                yield about_run(run, "note", "partly_watched", capture.first_line, seen=seen, took=round(took))


@run_rule(
    "network.syn",
    "RFC 6298, section 2: the first timeout is 1 s; RFC 2988 had 3 s; each doubles the last",
    "connect_ms",
)
def find_lost_syns(run: RunFact) -> Iterator[Finding]:
    """A connect that took just as long as the timer for a lost SYN: the backlog of the listening socket overflowed."""
    longest, mean = run.number("connect_ms.max"), run.number("connect_ms.mean")
    seconds = syn_timer(longest)
    if longest is not None and seconds is not None and not (mean is not None and mean > longest / 3):
        yield about_run(run, "caution", "syn", longest=longest, seconds=seconds)


def syn_timer(longest_ms: float | None) -> int | None:
    """The sum of SYN timers that the time lies just behind, in s."""
    if longest_ms is None:
        return None
    for seconds in AGAIN_S:
        if seconds * 1000 - EARLY_MS <= longest_ms <= seconds * 1000 * (1 + LATE):
            return seconds
    return None


@run_rule(
    "network.tail",
    "order statistics; Tene, How NOT to Measure Latency (2013): coordinated omission",
    "percentiles_ms.99",
    "max_ms",
)
def find_hanging_requests(run: RunFact) -> Iterator[Finding]:
    """What the percentiles leave out. A client that waits for its answer sends nothing meanwhile: coordinated omission."""
    p99, longest, mean = run.percentiles_ms.get("99"), run.max_ms, run.mean_ms
    if p99 is None or not 0 <= p99 < HUGE:
        return
    # At most p99 each: what is left of all clients' time went into the slowest hundredth.
    slowest = 1 - 0.99 * p99 / mean if mean and p99 and 0 < mean < HUGE and not run.is_open_loop else 0.0
    if slowest >= OMITTED:
        severity: Severity = "caution" if slowest >= MOSTLY_OMITTED else "note"
        yield about_run(run, severity, "omission", p99=p99, mean=mean, longest=longest, slowest=slowest)
    elif longest is not None and longest >= TIMES_P99 * p99 and longest - p99 >= HANG_MS:
        yield about_run(run, "note", "hung", p99=p99, longest=longest, times=TIMES_P99)


@run_rule(
    "network.keepalive",
    "RFC 9112, section 9.3: either side may close a connection that was to persist",
    "keepalive_requests",
)
def find_refused_keepalive(run: RunFact) -> Iterator[Finding]:
    """Keep-alive was asked for, and most connections were closed all the same."""
    kept, made = run.number("keepalive_requests"), run.complete_requests
    if kept is not None and made and kept <= made / 2 and not run.failed_requests:
        yield about_run(run, "note", "not_kept", kept=kept, made=made)
