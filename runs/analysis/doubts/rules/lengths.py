"""ab's Length failures: a page that changes, or replies that never came."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.doubts.rules.errors import graded, moral, short
from runs.analysis.doubts.told import STUMP, broken, document_bytes, is_stump, mean_of_failed, number
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure, percent

STATIC = re.compile(
    r"\.(?:html?|css|js|json|txt|xml|svg|png|gif|jpe?g|ico|webp|woff2?|pdf|zip|gz|bin|dat)$", re.IGNORECASE
)
NEAR = 0.9  # of the document's length: a page in other words, whatever its name


@rule(
    "errors.length", basis="ab.c, close_connection(): a reply fails by Length where it is not as long as the first one"
)
def other_length(case: Case) -> Iterator[Finding]:
    """On a page that changes, another length is no failure. On a fixed page, or where stumps came back, it is one."""
    for run in case.counted:
        failed, made = number(run, "failed_length"), run.complete_requests
        if not failed or not made or _told_elsewhere(run, failed):
            continue
        mean, length = mean_of_failed(run), document_bytes(run)
        seen = f"{figure(int(failed))} of {figure(made)} requests failed by length ({percent(failed, made)})"
        seen += "" if mean is None or not length else f", {_bytes(mean)} a reply in place of {figure(length)} bytes"
        severity = graded(failed / made)
        if mean is not None and length and mean * STUMP > length:
            yield _finding(run, "caution", seen, "the first reply, which all are held against, was the odd one")
        elif is_stump(run):
            yield _finding(run, severity, seen + _unanswered(run, mean or 0), moral(case, run, severity))
        elif fixed(case, run, mean):
            yield _finding(run, severity, f"{seen}, of a page that does not change", moral(case, run, severity))
        else:
            text = "a page that changes from reply to reply does that, and such failures are none (ab -l allows them)"
            yield _finding(run, "note", seen, text)


def _told_elsewhere(run: RunFact, failed: float) -> bool:
    """The same requests are told of by errors.status or errors.failed."""
    return (number(run, "non_2xx_responses") or 0) >= failed or (is_stump(run) and bool(broken(run)))


def _finding(run: RunFact, severity: Severity, detail: str, words: str) -> Finding:
    brief = f"{detail.partition(' by length')[0]}: {short(words)}"
    return Finding(severity, detail, words, (Source(run.source, run.line),), run=run.id, brief=brief)


def fixed(case: Case, run: RunFact, mean: float | None) -> bool:
    """Whether the page is known not to change: by its name, or by other runs in which all replies were alike."""
    length = document_bytes(run)
    near = mean is not None and mean > NEAR * (length or 0)
    if STATIC.search(run.path.partition("?")[0]) and not near:
        return True
    return (run.path, length) in case.steady


def _unanswered(run: RunFact, mean: float) -> str:
    """With keep-alive, where the failures are just the connections that the server closed."""
    kept, made, failed = number(run, "keepalive_requests"), run.complete_requests, number(run, "failed_length")
    if kept is None or made is None or mean >= 1:
        return ""
    return ", and just as many connections were not kept alive" if made - kept == failed else ""


def _bytes(mean: float) -> str:
    return "0 bytes" if mean < 1 else f"{figure(round(mean))} bytes"
