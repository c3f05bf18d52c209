"""Rules of doubts about what slowed runs and is not their config's: limits that a log tells of, stolen CPU time, throttled groups,
what the text shows or says, and what monitors saw beside one config alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runs.analysis.doubt_case import Case, about_run, is_during, make_findings, rule
from runs.analysis.doubt_wording import LOGGED
from runs.analysis.facts import CaptureFact, Finding

STOLEN_PCT = 5
THROTTLED_PCT = 10  # of the periods


class SlowingMetric(NamedTuple):
    """A metric of monitors that slows a server from `least` on, where another config had `normal` at most.

    words     what is said of its value
    named     what names of configs say that are compared for it
    """

    least: float
    normal: float
    words: str
    named: str


SLOWING_METRICS = {
    "cpu_wa": SlowingMetric(
        20,
        5,
        "{value:.0f} % of the CPU time waiting for a disk",
        r"disk|sync|log|write|buffer|cach|aio|ssd|hdd|nvme|nfs",
    ),
    "busiest_core_si": SlowingMetric(
        80,
        40,
        "{value:.0f} % of the time of one core in soft interrupts",
        r"irq|rps|rss|xps|xdp|ebpf|driver|nic|steering|affinity|queue",
    ),
    "tcp_listen_drops_per_s": SlowingMetric(
        1, 0.1, "{value:.0f} connections dropped a second", r"backlog|queue|listen|accept|somaxconn"
    ),
    "accept_queue_full": SlowingMetric(1, 0, "a full accept queue", r"backlog|queue|listen|accept|somaxconn"),
}


@rule("machine.log", "Linux: mm/oom_kill.c, nf_conntrack_core.c and tcp_input.c log what they then do to requests")
def find_logged_limits(case: Case) -> Iterator[Finding]:
    """Limits of the machine, not of a config, that a log shown during a load or after it tells of."""
    for capture in case.captures:
        for limit in LOGGED if capture.phase != "before" else ():
            for run in case.runs_of(capture) if capture.metrics.get(f"reached_{limit}") else ():
                yield about_run(run, "caution", "logged", capture.first_line, limit=limit)


@rule("machine.disturbed", "practice: what slows a machine is no config's", "requests_per_second")
def find_disturbances(case: Case) -> Iterator[Finding]:
    """What slowed runs by what the text shows or says, where no config is named after it."""
    names = " ".join(case.names.values()).lower()
    for run in case.counted_runs:
        told = run.values.get("slowed_by")
        for what in told if isinstance(told, list) else ():
            if not any(word in names for word in re.findall(r"\w{5,}", str(what).lower())):
                yield about_run(run, "caution", "disturbed", what=str(what))
    for capture, what in _find_slowing_metrics(case):
        for run in case.runs_of(capture):
            yield about_run(run, "caution", "disturbed", capture.first_line, what=what)


@rule("machine.steal", "proc(5): steal is the time that the hypervisor gave to other machines")
def find_stolen_time(case: Case) -> Iterator[Finding]:
    """`spared`: another config was watched as well, and lost little."""
    stolen = [(one, one.metrics["cpu_st"]) for one in case.captures if "cpu_st" in one.metrics and is_during(one)]
    spared = {run.config for one, share in stolen if share < STOLEN_PCT for run in case.runs_of(one)}
    for capture, share in stolen:
        if share >= STOLEN_PCT:
            others = spared - {run.config for run in case.runs_of(capture)}
            yield from make_findings(case, capture, "caution", "stolen", share=share, spared=bool(others))


@rule("machine.throttled", "the kernel's sched-bwc.rst: a group that has used up its quota waits for the next period")
def find_throttled_groups(case: Case) -> Iterator[Finding]:
    """By a group's counters during the run, else by its totals behind it."""
    for capture in case.captures if len(case.columns) > 1 else ():
        share = max(list_throttled(capture.metrics).values(), default=0.0) if capture.phase != "before" else 0.0
        if share >= THROTTLED_PCT and case.watched_side(capture) != "generator":
            yield from make_findings(case, capture, "caution", "throttled", share=share)


def list_throttled(metrics: Mapping[str, float]) -> dict[str, float]:
    """{metric: per cent of a group's periods in which it was throttled}. Long names are stored cut."""
    shares = {}
    for name, value in metrics.items():
        group, is_total, _ = name.partition("throttled_to")
        if is_total and not any(other.startswith(f"{group}throttled_pe") for other in metrics):
            shares[name] = value
        group, is_rate, _ = name.partition("throttled_pe")
        periods = sum(each for other, each in metrics.items() if other.startswith(f"{group}pe"))
        if is_rate and periods > 0:
            shares[name] = min(100 * value / periods, 100.0)
    return shares


def _find_slowing_metrics(case: Case) -> Iterator[tuple[CaptureFact, str]]:
    """What monitors show beside the runs of some configs, and hardly beside those of another one."""
    names = " ".join(case.names.values())
    for metric, slowing in SLOWING_METRICS.items():
        watched = [one for one in case.captures if is_during(one) and case.watched_side(one) != "generator"]
        values = [(one, one.metrics[metric]) for one in watched if metric in one.metrics]
        normal = {run.config for one, value in values if value <= slowing.normal for run in case.runs_of(one)}
        for capture, value in values if not re.search(slowing.named, names, re.IGNORECASE) else ():
            is_idle = metric == "cpu_wa" and capture.metrics.get("blocked") == 0  # nothing waited for it
            if value >= slowing.least and not is_idle and normal - {run.config for run in case.runs_of(capture)}:
                yield capture, slowing.words.format(value=value)
