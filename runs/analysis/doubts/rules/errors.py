"""Requests that failed, and replies that were not the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, Source, rule
from runs.analysis.doubts.told import number, requests
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure, percent

# A share of failures beyond which rates are about something else: most differences that people claim are smaller.
FATAL = 0.05
FEW = 0.01
KINDS = ("connect", "receive", "exceptions")


def graded(share: float) -> Severity:
    return "fatal" if share >= FATAL else "caution" if share >= FEW else "note"


@rule("errors.failed", basis="ab.c counts failed requests into its rate; siege's manual on availability")
def failed(case: Case) -> Iterator[Finding]:
    """Failures other than a reply of another length, which is a matter of its own."""
    for run in case.counted:
        length = number(run, "failed_length") or 0
        bad, made = (run.failed_requests or 0) - length, requests(run)
        told = _by_kind(run)
        if bad > 0 and made:
            detail = f"{figure(int(bad))} of {figure(made)} requests failed ({percent(bad, made)}{told})"
            severity = graded(bad / made)
            yield Finding(severity, detail, moral(case, run, severity), (Source(run.source, run.line),), run=run.id)
        elif run.failed_requests is None and (available := number(run, "availability_pct")) and available < 100:
            severity = graded(1 - available / 100)
            detail = f"availability was {figure(available)} %"
            yield Finding(severity, detail, moral(case, run, severity), (Source(run.source, run.line),), run=run.id)


def moral(case: Case, run: RunFact, severity: Severity) -> str:
    """What follows from failures, in the words that are the same for all runs that it follows for."""
    if severity == "note":
        return "too few to move a rate, but the server's error log may tell why"
    if run.tool == "siege":
        return "the rate leaves failed requests out, their waiting stays in the times"
    if severity == "caution":
        return "they are in the rate as if they had been served"
    others = [other.requests_per_second or 0 for other in case.counted if not _fails(other)]
    if others and (run.requests_per_second or 0) > max(others):
        return "a request that fails is soon over, so the higher req/s is not a gain"
    return "the rate counts failures as if they had been served, so it is not comparable"


def _fails(run: RunFact) -> bool:
    made = requests(run)
    return bool(made) and (run.failed_requests or 0) / (made or 1) >= FATAL


def _by_kind(run: RunFact) -> str:
    kinds = [f"{figure(count)} {kind}" for kind in KINDS if (count := number(run, f"failed_{kind}"))]
    if run.tool == "siege" and (available := number(run, "availability_pct")) is not None:
        return f", availability {figure(available)} %"
    return f": {', '.join(kinds)}" if kinds else ""


@rule("errors.status", basis="RFC 9110, section 15: only 2xx says that a request succeeded; ab.c's Non-2xx count")
def not_the_page(case: Case) -> Iterator[Finding]:
    """Replies that are errors or redirects: quick to send, and not what was to be measured."""
    for run in case.counted:
        other, made = _not_2xx(run), requests(run)
        if not other or not made:
            continue
        severity = graded(other / made)
        what = "every reply was" if other >= made else f"{figure(int(other))} of {figure(made)} replies were"
        detail = f"{what} another status than 2xx{'' if other >= made else f' ({percent(other, made)})'}"
        words = {
            "fatal": "what was measured is how quickly errors or redirects are sent",
            "caution": "errors or redirects are in the rate as if they were the page",
            "note": "too few to move a rate, yet not all replies were the page",
        }
        yield Finding(severity, detail, words[severity], (Source(run.source, run.line),), run=run.id)


def _not_2xx(run: RunFact) -> float | None:
    """ab's and wrk's count, hey's and h2load's table of statuses added up, or what siege does not call successful."""
    if (printed := number(run, "non_2xx_responses")) is not None:
        return printed
    codes = run.values.get("status_codes")
    if isinstance(codes, Mapping):
        return float(sum(int(count) for code, count in codes.items() if not str(code).startswith("2")))
    if run.tool == "siege":
        return _refused(run)
    classes = [number(run, f"status_{n}xx") for n in (3, 4, 5)]
    return sum(count or 0 for count in classes) if any(classes) else None


def _refused(run: RunFact) -> float | None:
    """siege calls a transaction successful where the status is under 400, redirects too, so there may be more of those."""
    hits, good = number(run, "transactions"), number(run, "successful_transactions")
    # One or two are requests that were under way when the time was over.
    return hits - good if hits and good is not None and hits - good >= FEW * hits else None
