"""Requests that failed, and replies that were not the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.doubts.told import FATAL, broken, is_stump, number, requests
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure, percent

FEW = 0.01
KIND_UNTOLD = "their kind is not told, and by length alone, on a page that changes, is no failure"
COUNT_ALL = {"ab", "hey"}  # their rates are of all requests, failed ones too


def graded(share: float) -> Severity:
    return "fatal" if share >= FATAL else "caution" if share >= FEW else "note"


@rule("errors.failed", basis="ab.c counts failed requests into its rate; siege's manual on availability")
def failed(case: Case) -> Iterator[Finding]:
    """Failures other than a reply of another length, which is a matter of its own."""
    for run in case.counted:
        found = _failures(run)
        if found is None:
            continue
        detail, share = found
        severity = graded(share)
        words = moral(case, run, severity)
        if run.tool == "ab" and run.failed_requests and number(run, "failed_length") is None and severity != "note":
            severity, words = "caution", KIND_UNTOLD
        brief = f"{detail.partition(' (')[0]}: {short(words)}"
        yield Finding(severity, detail, words, (Source(run.source, run.line),), run=run.id, brief=brief)


def short(words: str) -> str:
    """The moral without its reason: "a request that fails is soon over, so the higher req/s is not a gain"."""
    return words.rpartition(", so ")[2]


def _failures(run: RunFact) -> tuple[str, float] | None:
    """What failed, in words, and as a share."""
    made, available, kinds = requests(run), number(run, "availability_pct"), broken(run)
    bad = _bad(run, kinds)
    if bad and made:
        told = f": {', '.join(f'{figure(count)} {kind}' for kind, count in kinds.items())}" if kinds else ""
        told += f", availability {figure(available)} %" if available is not None else ""
        return f"{figure(int(bad))} of {figure(made)} requests failed ({percent(bad, made)}{told})", bad / made
    if run.failed_requests is None and available is not None and available < 100:
        return f"availability was {figure(available)} %", 1 - available / 100
    return None


def _bad(run: RunFact, kinds: Mapping[str, float]) -> float:
    """How many requests failed at least: one may be counted under several kinds, and under Length if a stump came."""
    by_length = number(run, "failed_length")
    if not kinds:
        return 0 if by_length is not None else run.failed_requests or 0
    return max(*kinds.values(), by_length if by_length and is_stump(run) else 0)


def moral(case: Case, run: RunFact, severity: Severity) -> str:
    """What follows from failures, in the words that are the same for all runs that it follows for."""
    if severity == "note":
        return "too few failures to move a rate, but the server's error log may tell why"
    if run.tool not in COUNT_ALL:
        words = "the rate leaves failed requests out, and clients wait or give up meanwhile"
        return words + (", so it is not comparable" if severity == "fatal" else "")
    if severity == "caution":
        return "they are in the rate as if they had been served"
    if case.best_served is not None and (run.requests_per_second or 0) > case.best_served:
        return "a request that fails is soon over, so the higher req/s is not a gain"
    return "the rate counts failures as if they had been served, so it is not comparable"


@rule("errors.status", basis="RFC 9110, section 15: only 2xx says that a request succeeded; ab.c's Non-2xx count")
def not_the_page(case: Case) -> Iterator[Finding]:
    """Replies that are errors or redirects: quick to send, and not what was to be measured."""
    for run in case.counted:
        other, made = _not_2xx(run), requests(run)
        if not other or not made:
            continue
        severity = graded(other / made)
        what = "every reply had" if other >= made else f"{figure(int(other))} of {figure(made)} replies had"
        detail = f"{what} another status than 2xx{'' if other >= made else f' ({percent(other, made)})'}"
        words = {
            "fatal": "errors and redirects are quickly sent, so the rate is not the page's",
            "caution": "errors or redirects are in the rate as if they were the page",
            "note": "too few of them to move a rate, yet not all replies were the page",
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
