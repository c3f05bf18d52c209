"""What monitors saw of the machine: swap, CPU, the hypervisor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.doubts.told import many
from runs.analysis.facts import CaptureFact, Source
from runs.analysis.monitors import free_kb
from runs.analysis.numbers import figure

MIB = 1024
TIGHT = 0.15  # with less of its memory available than this, what is in swap is missed
GROWN_KB = 1024
IDLE_PCT = 5
STOLEN_PCT = 5


def spread(case: Case, capture: CaptureFact, severity: Severity, detail: str, moral: str) -> Iterator[Finding]:
    """The same finding for each run that the capture stands beside; beside none it is about the whole comparison."""
    source = (Source(capture.source, capture.line),)
    runs = case.runs_of(capture)
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
    for capture in case.captures:
        used = capture.peaks.get("swap_used_kb") or capture.metrics.get("swap_used_kb")
        beside = {run.id for run in case.runs_of(capture)}
        if not used or used < MIB or (beside and beside <= seen):
            continue
        seen |= beside
        severity, moral = _grave(case, capture, beside)
        when = f" {capture.phase} the run" if capture.phase else ""
        seen_used = f"{figure(used / MIB)} MiB of swap in use{when}"
        for finding in spread(case, capture, severity, seen_used + _left(capture), moral):
            yield replace(finding, brief=f"{seen_used}: not comparable") if severity == "fatal" else finding


def _grave(case: Case, capture: CaptureFact, beside: set[int]) -> tuple[Severity, str]:
    if case.sides(capture) == "generator":
        return "note", "the load generator had pages in swap, and its times may hold some of the waiting"
    if not (_tight(capture) or _paging(case, capture, beside)):
        return "note", "memory was still available, so these may be old pages of idle programs"
    if beside and case.unswapped - beside:
        return "fatal", "a server that pages is measured by its disk, and others here did not, so it is not comparable"
    return "caution", "a server that pages is measured by its disk"


def _obtainable_kb(capture: CaptureFact) -> float | None:
    told = capture.metrics.get("mem_available_kb")
    return told if told is not None else free_kb(capture)


def _tight(capture: CaptureFact) -> bool:
    total, free = capture.metrics.get("mem_total_kb"), _obtainable_kb(capture)
    return bool(total) and free is not None and free < TIGHT * (total or 0)


def _paging(case: Case, capture: CaptureFact, beside: set[int]) -> bool:
    """Pages went in or out while it was watched, or swap grew, in one capture or from one to another beside the same runs."""
    own = {one.id: one for run in beside for one in case.captures_of(run)}.values() or [capture]
    if any((one.peaks.get(f"swap_{way}_kb_per_s") or 0) > 0 for one in own for way in ("in", "out")):
        return True
    used = [
        ends["swap_used_kb"] for one in own for ends in (one.metrics, one.lows, one.peaks) if "swap_used_kb" in ends
    ]
    return max(used) - min(used) > GROWN_KB


def _left(capture: CaptureFact) -> str:
    total, free = capture.metrics.get("mem_total_kb"), _obtainable_kb(capture)
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
    for capture in case.captures:
        beside = {run.id for run in case.runs_of(capture)}
        if capture.phase in ("before", "after") or not beside or beside <= seen or not _queued(case, capture):
            continue
        seen |= beside
        yield from spread(
            case, capture, words[case.sides(capture)][0], _load(case, capture), words[case.sides(capture)][1]
        )


def _cores(case: Case, capture: CaptureFact) -> int | None:
    machine = case.machine_of(capture)
    return machine.cores if machine else None


def _queued(case: Case, capture: CaptureFact) -> bool:
    """No time was idle; or in each capture more tasks were ready to run than there are cores."""
    idle, running, cores = capture.metrics.get("cpu_id"), capture.metrics.get("tasks_running"), _cores(case, capture)
    queue = capture.lows.get("run_queue", capture.metrics.get("run_queue"))
    if queue is not None and cores is not None and queue > cores:
        return True
    if idle is not None:
        return idle < IDLE_PCT and capture.metrics.get("cpu_wa", 0) < 100 - IDLE_PCT
    return running is not None and cores is not None and running - 1 > cores  # top itself is running too


def _load(case: Case, capture: CaptureFact) -> str:
    idle, cores = capture.metrics.get("cpu_id"), _cores(case, capture)
    running = capture.metrics.get("tasks_running", capture.metrics.get("run_queue"))
    told = [f"CPU {figure(idle)} % idle"] if idle is not None else []
    if running is not None:
        on = f" on {many(cores, 'core')}" if cores else ""
        told.append(f"{many(running, 'task')} running or ready to run{on}")
    return ", ".join(told)


@rule("machine.steal", basis="proc(5): steal is the time that the hypervisor gave to other machines")
def stolen(case: Case) -> Iterator[Finding]:
    for capture in case.captures:
        share = capture.metrics.get("cpu_st", 0)
        if share >= STOLEN_PCT and capture.phase not in ("before", "after"):
            text = "other virtual machines took CPU time, which no repeat gets alike"
            yield from spread(case, capture, "caution", f"{figure(share)} % of CPU time stolen", text)
