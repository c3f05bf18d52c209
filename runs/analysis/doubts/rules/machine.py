"""What monitors saw of the machine: swap, CPU, the hypervisor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.doubts.told import many
from runs.analysis.facts import Look, Source
from runs.analysis.monitors import free_kb
from runs.analysis.numbers import figure

MIB = 1024
TIGHT = 0.15  # with less of its memory available than this, what is in swap is missed
GROWN_KB = 1024
IDLE_PCT = 5
STOLEN_PCT = 5


def spread(case: Case, look: Look, severity: Severity, detail: str, moral: str) -> Iterator[Finding]:
    """The same finding for each run that the look stands beside; beside none it is about the whole comparison."""
    source = (Source(look.source, look.line),)
    runs = case.runs_of(look)
    for run in runs:
        yield Finding(severity, detail, moral, source, run=run.id)
    if not runs and severity != "fatal":
        yield Finding(severity, detail, moral, source)


@rule(
    "machine.swap",
    basis="Apache's performance tuning guide: a web server should never have to swap; vmstat(8) on si and so",
)
def swapping(case: Case) -> Iterator[Finding]:
    """Swap in use is fatal where memory was tight or swap grew, and other configs had none in use."""
    seen: set[int] = set()
    for look in case.looks:
        used = look.peaks.get("swap_used_kb") or look.metrics.get("swap_used_kb")
        beside = {run.id for run in case.runs_of(look)}
        if not used or used < MIB or (beside and beside <= seen):
            continue
        seen |= beside
        severity, moral = _grave(case, look, beside)
        when = f" {look.phase} the run" if look.phase else ""
        seen_used = f"{figure(used / MIB)} MiB of swap in use{when}"
        for finding in spread(case, look, severity, seen_used + _left(look), moral):
            yield replace(finding, brief=f"{seen_used}: not comparable") if severity == "fatal" else finding


def _grave(case: Case, look: Look, beside: set[int]) -> tuple[Severity, str]:
    if case.sides(look) == "generator":
        return "note", "the load generator had pages in swap, and its times may hold some of the waiting"
    if not (_tight(look) or _paging(case, look, beside)):
        return "note", "memory was still available, so these may be old pages of idle programs"
    if beside and case.unswapped - beside:
        return "fatal", "a server that pages is measured by its disk, and others here did not, so it is not comparable"
    return "caution", "a server that pages is measured by its disk"


def _obtainable_kb(look: Look) -> float | None:
    told = look.metrics.get("mem_available_kb")
    return told if told is not None else free_kb(look)


def _tight(look: Look) -> bool:
    total, free = look.metrics.get("mem_total_kb"), _obtainable_kb(look)
    return bool(total) and free is not None and free < TIGHT * (total or 0)


def _paging(case: Case, look: Look, beside: set[int]) -> bool:
    """Pages went in or out while it was watched, or swap grew, in one look or from one to another beside the same runs."""
    own = {one.id: one for run in beside for one in case.looks_of(run)}.values() or [look]
    if any((one.peaks.get(f"swap_{way}_kb_per_s") or 0) > 0 for one in own for way in ("in", "out")):
        return True
    used = [
        ends["swap_used_kb"] for one in own for ends in (one.metrics, one.lows, one.peaks) if "swap_used_kb" in ends
    ]
    return max(used) - min(used) > GROWN_KB


def _left(look: Look) -> str:
    total, free = look.metrics.get("mem_total_kb"), _obtainable_kb(look)
    return (
        f", {figure(round(free / MIB, 1))} of {figure(round(total / MIB, 1))} MiB available"
        if total and free is not None
        else ""
    )


@rule(
    "machine.cpu",
    basis="top(1), proc(5): no idle time and more tasks ready to run than cores mean that tasks waited for a CPU",
)
def busy(case: Case) -> Iterator[Finding]:
    words: dict[str, tuple[Severity, str]] = {
        "server": ("note", "the CPU was what limited the server, so the rate tells what a request costs in CPU time"),
        "generator": ("caution", "the load generator was at its limit, so it may be what was measured"),
        "both": ("caution", "server and load generator waited for each other's CPU time"),
    }
    seen: set[int] = set()
    for look in case.looks:
        beside = {run.id for run in case.runs_of(look)}
        if look.phase in ("before", "after") or not beside or beside <= seen or not _queued(case, look):
            continue
        seen |= beside
        yield from spread(case, look, words[case.sides(look)][0], _load(case, look), words[case.sides(look)][1])


def _cores(case: Case, look: Look) -> int | None:
    machine = case.machine_of(look)
    return machine.cores if machine else None


def _queued(case: Case, look: Look) -> bool:
    """No time was idle; or in each look more tasks were ready to run than there are cores."""
    idle, running, cores = look.metrics.get("cpu_id"), look.metrics.get("tasks_running"), _cores(case, look)
    queue = look.lows.get("run_queue", look.metrics.get("run_queue"))
    if queue is not None and cores is not None and queue > cores:
        return True
    if idle is not None:
        return idle < IDLE_PCT and look.metrics.get("cpu_wa", 0) < 100 - IDLE_PCT
    return running is not None and cores is not None and running - 1 > cores  # the one that looks is running too


def _load(case: Case, look: Look) -> str:
    idle, cores = look.metrics.get("cpu_id"), _cores(case, look)
    running = look.metrics.get("tasks_running", look.metrics.get("run_queue"))
    told = [f"CPU {figure(idle)} % idle"] if idle is not None else []
    if running is not None:
        on = f" on {many(cores, 'core')}" if cores else ""
        told.append(f"{many(running, 'task')} running or ready to run{on}")
    return ", ".join(told)


@rule("machine.steal", basis="proc(5): steal is the time that the hypervisor gave to other machines")
def stolen(case: Case) -> Iterator[Finding]:
    for look in case.looks:
        share = look.metrics.get("cpu_st", 0)
        if share >= STOLEN_PCT and look.phase not in ("before", "after"):
            text = "other virtual machines took CPU time, which no repeat gets alike"
            yield from spread(case, look, "caution", f"{figure(share)} % of CPU time stolen", text)
