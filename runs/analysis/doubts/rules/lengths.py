"""ab's Length failures: a page that changes, or replies that never came."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, Source, rule
from runs.analysis.doubts.rules.errors import graded, moral
from runs.analysis.doubts.told import number
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure, percent

STATIC = re.compile(
    r"\.(?:html?|css|js|json|txt|xml|svg|png|gif|jpe?g|ico|webp|woff2?|pdf|zip|gz|bin|dat)$", re.IGNORECASE
)
# Replies to failed requests that come, in the mean, to less than this part of the page are not the page in other words.
STUMP = 0.5
MANY = 1000  # so many replies of one length, and none of another, show that a page does not change


@rule(
    "errors.length", basis="ab.c, close_connection(): a reply fails by Length where it is not as long as the first one"
)
def other_length(case: Case) -> Iterator[Finding]:
    """On a page that changes, another length is no failure. On a fixed page, or where stumps came back, it is one."""
    for run in case.counted:
        failed, made = number(run, "failed_length"), run.complete_requests
        if not failed or not made:
            continue
        count = f"{figure(int(failed))} of {figure(made)} requests failed by length ({percent(failed, made)})"
        mean = mean_of_failed(run)
        length = number(run, "document_length_bytes")
        told = "" if mean is None or not length else f", {_bytes(mean)} a reply in place of {figure(length)} bytes"
        if mean is not None and length and mean > length / STUMP:
            yield _finding(run, "caution", count + told, "the first reply, which all are held against, was the odd one")
        elif mean is not None and length and mean < length * STUMP:
            severity = graded(failed / made)
            yield _finding(run, severity, count + told + _unanswered(run, mean), moral(case, run, severity))
        elif fixed(case, run):
            severity = graded(failed / made)
            yield _finding(run, severity, f"{count} of a page that does not change{told}", moral(case, run, severity))
        else:
            text = "a page that changes from reply to reply does that, and such failures are none (ab -l allows them)"
            yield _finding(run, "note", count + told, text)


def _finding(run: RunFact, severity: Severity, detail: str, words: str) -> Finding:
    return Finding(severity, detail, words, (Source(run.source, run.line),), run=run.id)


def mean_of_failed(run: RunFact) -> float | None:
    """Mean body length (bytes) of the replies that failed by length: what is left of all when the good ones are taken."""
    total, length = number(run, "html_transferred_bytes"), number(run, "document_length_bytes")
    failed, made = number(run, "failed_length"), run.complete_requests
    if total is None or length is None or not failed or not made:
        return None
    # Requests under way at the end are in the total too, so that it may be a few replies more.
    return max(total - (made - failed) * length, 0) / failed


def fixed(case: Case, run: RunFact) -> bool:
    """Whether the page is known not to change: by its name, or by other runs in which all replies were alike."""
    if STATIC.search(run.path.partition("?")[0]):
        return True
    length = number(run, "document_length_bytes")
    return any(
        mate.failed_requests == 0
        and (mate.complete_requests or 0) >= MANY
        and number(mate, "document_length_bytes") == length
        for mate in case.mates(run)
    )


def _unanswered(run: RunFact, mean: float) -> str:
    """With keep-alive, where the failures are just the connections that the server closed."""
    kept, made, failed = number(run, "keepalive_requests"), run.complete_requests, number(run, "failed_length")
    if kept is None or made is None or mean >= 1:
        return ""
    return ", as many as there were connections that the server closed unanswered" if made - kept == failed else ""


def _bytes(mean: float) -> str:
    return "0 bytes" if mean < 1 else f"{figure(round(mean))} bytes"
