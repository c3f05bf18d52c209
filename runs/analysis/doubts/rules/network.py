"""What times tell of the network and of single requests that hung."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import number
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure

# When a SYN is sent again: after 1 s, doubling (1, 3, 7, 15, 31 s), or as Linux before 3.1 did, after 3 s (3, 9, 21 s).
AGAIN_S = (1, 3, 7, 9, 15, 21, 31)
LATE = 0.05  # the connection comes a little after the second SYN, never before it
EARLY_MS = 15  # but for the rounding of clocks
FAR = 10
HANG_MS = 200  # the least timer in TCP that a hanging request could wait for


@rule("network.syn", basis="RFC 6298, section 2: the first timeout is 1 s; RFC 2988 had 3 s; each doubles the last")
def sent_again(case: Case) -> Iterator[Finding]:
    """A connect that took just as long as the timer for a lost SYN: the backlog of the listening socket overflowed."""
    for run in case.counted:
        longest, mean = longest_connect(run)
        seconds = syn_timer(longest)
        if longest is None or seconds is None or (mean is not None and mean > longest / 3):
            continue
        detail = f"the longest connect took {figure(longest)} ms, just over {seconds} s"
        text = "SYN retransmission, mostly as the server's backlog overflowed, so the longest times are TCP's timer and not its own"
        yield Finding("caution", detail, text, (Source(run.source, run.line),), run=run.id)


def longest_connect(run: RunFact) -> tuple[float | None, float | None]:
    """The longest and the mean connect in ms."""
    return number(run, "connect_ms", "max"), number(run, "connect_ms", "mean")


def syn_timer(longest_ms: float | None) -> int | None:
    """The sum of SYN timers that the time lies just behind, in s."""
    if longest_ms is None:
        return None
    return next((s for s in AGAIN_S if s * 1000 - EARLY_MS <= longest_ms <= s * 1000 * (1 + LATE)), None)


@rule("network.tail", basis="order statistics: the maximum is one request, and the mean leans on it")
def hanging(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        p99, longest = run.percentiles_ms.get("99"), run.max_ms
        if p99 is None or longest is None or longest < FAR * p99 or longest - p99 < HANG_MS:
            continue
        detail = f"99 % within {figure(p99)} ms, the longest {figure(longest)} ms"
        text = f"single requests hung for over {FAR} times the 99th percentile, so trust percentiles more than the mean"
        yield Finding("note", detail, text, (Source(run.source, run.line),), run=run.id)


@rule("network.keepalive", basis="ab's documentation on -k, and its count of Keep-Alive requests")
def not_kept(case: Case) -> Iterator[Finding]:
    """Keep-alive was asked for, and most connections were closed all the same."""
    for run in case.counted:
        kept, made = number(run, "keepalive_requests"), run.complete_requests
        if kept is None or not made or kept > made / 2 or run.failed_requests:
            continue
        text = "keep-alive was asked for and mostly not given, so new connections are in the times"
        detail = f"{figure(int(kept))} of {figure(made)} replies kept the connection"
        yield Finding("note", detail, text, (Source(run.source, run.line),), run=run.id)
