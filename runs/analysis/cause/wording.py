"""The sentences of causes, of their evidence, and of what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runs.analysis.cause.rules import Limit
from runs.numbers import figure, times


def _share(value: Any) -> str:
    return f"{value:.0f} %"


def _count_cores(value: Any) -> str:
    return f"{value:.1f} cores" if value >= 1.05 else f"{100 * value:.0f} % of one core"


REACHED = {
    "open_files": "the limit of open files",
    "listen_queue": "the end of the listen queue",
    "nf_conntrack": "the end of the kernel's table of connections",
    "neighbours": "the end of the kernel's table of neighbours",
    "tcp_memory": "the end of the memory for TCP",
    "memory": "the end of memory",
}
EVIDENCE: Mapping[str, Callable[..., str]] = {
    "busy": lambda busy: f"CPU {_share(busy)} busy",
    "own": lambda used, cores: f"the load itself used {_count_cores(used)} of {cores}, other programs the rest",
    "generator": lambda used, most: (
        f"the load generator used {_count_cores(used)}" + (f" of {most:.0f}" if most > 1 else "")
    ),
    "generator_seen": lambda: "a monitor shows the load generator at its limit of CPU time",
    "generator_busy": lambda busy: f"CPU of the generator's machine {_share(busy)} busy",
    "throttled": lambda share: f"throttled in {_share(share)} of the scheduler's periods",
    "throttled_total": lambda share: (
        f"throttled in {_share(share)} of the scheduler's periods since its group is there"
    ),
    "swapped": lambda rate: f"{figure(rate)} read from swap each second",
    "memory_pressure": lambda share: f"tasks waited for memory in {_share(share)} of the time",
    "swap_in_use": lambda: "swap in use, and little memory available",
    "retransmits": lambda share: f"{share:.1f} % of the segments sent again",
    "link": lambda mbit: f"{figure(mbit)} Mbit/s over one interface",
    "unsent": lambda n, clients: (
        f"{figure(round(n))} connections had data that waited to be sent, for {clients} clients"
    ),
    "no_port": lambda: "connections failed, as no local address could be assigned",
    "connect_failed": lambda: "connections could not be opened",
    "time_wait": lambda n: f"{figure(n)} sockets in TIME_WAIT",
    "queue": lambda n, clients: f"{figure(round(n))} of {clients} connections waited to be accepted",
    "full": lambda n: f"{figure(n)} connections waited to be accepted, more than the listen queue has room for",
    "overflows": lambda rate: f"{figure(rate)} connections a second found the listen queue full",
    "syn": lambda: "the longest connect took as long as a SYN's timer",
    "disk_busy": lambda share: f"disk {_share(min(share, 100))} busy",
    "io_pressure": lambda share: f"tasks waited for a disk in {_share(min(share, 100))} of the time",
    "one_core": lambda most, least: f"one core {_share(most)} busy, another {_share(least)}",
    "one_process": lambda name, cores: f"one process of {name} used {_count_cores(cores)}",
    "together": lambda n, name, cores: f"{figure(n)} processes of {name} used {_count_cores(cores)} together",
    "program": lambda name, cores: f"{name} used {_count_cores(cores)}",
    "stolen": lambda share: f"{_share(share)} of the CPU time was stolen",
    "replaced": lambda name, share: f"{_share(share)} of {name}'s processes were replaced during the load",
    "falls": lambda name, n, share: f"memory of {name} rose and fell {n} times, each time by about {_share(share)}",
    "paused": lambda share: f"pauses for garbage collection in {_share(share)} of the time",
    "collecting": lambda cores: f"garbage collection used {_count_cores(cores)}",
    "limit": lambda name, limit: f"{name} {limit}",
    "reached": lambda name, n: (
        f"a log says {f'{figure(n)} times ' if n > 1 else ''}that {REACHED.get(name, name)} was reached"
    ),
    "processes": lambda name, n: f"{figure(n)} processes of {name}",
    "at_once": lambda n, clients: f"rate × shortest time: {n:.1f} requests worked on at once, for {clients} clients",
    "held": lambda n: f"{figure(round(n))} processes waited for a lock",
    "constant": lambda cycle, shortest: f"{figure(cycle)} ms for a request, the shortest {figure(shortest)} ms",
    "keepalive": lambda title: f"“{title}”: connections",
    "size": lambda title, size: f"“{title}”: {figure(round(size))} bytes an answer",
    "rate": lambda rate, level: f"{figure(rate)} requests/s at {figure(level)}",
    "contention": lambda share: f"USL: {share:.1%} of the work is serial",
}


def _describe_workers(name: str, facts: Mapping[str, Any]) -> str:
    if "reached" in facts:
        return f"{name} had all of its workers or connections taken: {REACHED.get(facts['reached'], facts['reached'])} was reached"
    if "setting" in facts:
        return (
            f"{name} works on {facts['limit']} requests at once ({facts['setting']}) and had {facts['clients']} clients"
        )
    if "levels" in facts:
        return (
            f"all workers were busy at each level ({facts['levels']}), and more of them served no more requests: the limit is"
            " something that they share, and no monitor shows what"
        )
    return f"{name} works on about {facts['limit']:.0f} requests at once, as it has processes, for {facts['clients']} clients"


SENTENCES: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "cpu": lambda name, facts: f"{name} ran out of CPU",
    "database": lambda name, facts: (
        f"{name} spent most of a request's time on CPU time of the database"
        if "demand" in facts
        else f"{name} ran out of CPU, most of it in the database"
    ),
    "one_core": lambda name, facts: (
        f"{name} was limited by one core" + (f": {facts['program']}" if "program" in facts else "")
    ),
    "cpu_quota": lambda name, facts: f"{name} used up its CPU quota and was throttled",
    "steal": lambda name, facts: f"{name} lost CPU time to other machines on its hypervisor",
    "memory": lambda name, facts: (
        f"{name} ran out of memory, and the kernel killed a process"
        if "reached" in facts
        else f"{name} waited for memory: it swapped or reclaimed pages"
    ),
    "disk": lambda name, facts: f"{name} waited for a disk and not for CPU",
    "network": lambda name, facts: (
        f"{name} left the load generator without free local ports: closed connections keep theirs for a minute"
        if "ports" in facts
        else f"{name} had packets dropped: the kernel's table of connections was full"
        if "reached" in facts
        else f"{name} filled a link of {figure(facts['link'])} Mbit/s and did not wait for CPU"
        if "link" in facts
        else f"{name} had its answers wait to be sent: the network took no more than {figure(facts['taken'])} Mbit/s"
        if "taken" in facts
        else f"{name} lost segments on the network and did not wait for CPU"
    ),
    "backlog": lambda name, facts: f"{name} had its listen queue full: clients waited for a connection",
    "generator": lambda name, facts: f"the load generator was at its limit of CPU time; {name} might serve more",
    "restarts": lambda name, facts: f"{name} had its processes ending and starting again",
    "garbage_collection": lambda name, facts: (
        f"{name} stood still for garbage collection in {_share(100 * facts['paused'])} of the time"
        if "paused" in facts
        else f"{name} spent {_share(100 * facts['share'])} of its CPU time on garbage collection"
    ),
    "workers": _describe_workers,
    "lock": lambda name, facts: (
        f"{name} worked on {facts['at_once']:.1f} requests at once and needed little CPU: a lock or another serial section"
        if "at_once" in facts
        else f"{name} had {figure(round(facts['held']))} processes waiting for a lock"
        if "held" in facts
        else f"{name} has a serial section: more clients were not served more, though CPU was idle"
    ),
    "downstream": lambda name, facts: (
        f"{name} waited {figure(facts['ms'])} ms in each request, needed little CPU and nobody queued: another service,"
        " a timer or the network is slow"
    ),
    "keepalive": lambda name, facts: f"{name} opened a connection for each request, and the other side kept them",
    "answers": lambda name, facts: (
        f"the answers of {name} were {times(facts['ratio'])} times as long"
        if facts["ratio"] >= 1
        else f"the other side's answers were {times(1 / facts['ratio'])} times as long: {name} compressed its own, or answered"
        " something else"
    ),
    "errors": lambda name, facts: f"{name} failed requests, which are soon over or never answered",
}
WAITING = (
    "a request of {loser} takes {ratio} times as long as one of {winner} where nobody queues ({own} against {other} ms)"
)
DEMAND = "for a request {loser} takes {ratio} times the CPU time of {winner} ({own} against {other} ms)"


def describe_limit(limit: Limit, name: str) -> str:
    """As "A ran out of CPU", beginning with a small letter where the name does not come first."""
    return SENTENCES[limit.cause](f"“{name}”", limit.facts)


def describe_demand(winner: str, loser: str, own_ms: float, other_ms: float, words: str = DEMAND) -> str:
    return words.format(
        loser=f"“{loser}”",
        winner=f"“{winner}”",
        ratio=f"{own_ms / other_ms:.2g}",
        own=figure(own_ms),
        other=figure(other_ms),
    )


def compose(sentence: str, certainty: str) -> str:
    """Marked as what it is, with a full stop."""
    return f"{'Likely' if certainty == 'likely' else 'Possibly'}: {sentence}."


MISSING = {
    "cpu": "the server's CPU during the run",
    "processes": "the CPU time and memory of its programs",
    "generator": "the load generator's CPU",
    "shortest": "the shortest time of a request, or a run with one client",
    "levels": "runs at other numbers of clients",
    "collections": "a log of garbage collections (bd run --log FILE), as memory of the slower side alone rose and fell",
}


def describe_both_generators(name: str, other: str) -> str:
    return (
        f"the load generator was at its limit of CPU time with “{name}” and with “{other}”, so that neither was measured"
        " at a limit of its own"
    )


def describe_unknown(missing: tuple[str, ...], *, both: bool, of: str = "", is_elsewhen: bool = False) -> str:
    """of: the only side that no monitor watched. is_elsewhen: one did, at another time."""
    if "length" in missing:
        return "Cause not known: runs under 2 s end before a monitor sees them. Longer runs would tell."
    if "cpu" in missing and is_elsewhen:
        whose = f" of “{of}”" if of else ""
        return f"Cause not known: the CPU{whose} was recorded over another time than the run: less than half of it, or longer."
    listed = [MISSING[name] for name in missing]
    if "cpu" in missing:
        return f"Cause not known. Not recorded{f' for “{of}”' if of else ''}: {', '.join(listed)}."
    side = " on one side alone" if both else ""
    return f"Cause not known: nothing recorded was at its limit{side}. To learn more, record: {', '.join(listed)}."
