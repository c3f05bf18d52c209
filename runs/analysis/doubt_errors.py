"""Rules of doubts: requests that failed, replies that were not the page, and runs that did not come to their end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from runs.analysis.doubt_case import (
    FATAL,
    STUMP,
    Case,
    Finding,
    Severity,
    about_run,
    broken_requests,
    is_stump,
    mean_of_failed,
)
from runs.analysis.facts import RunFact

FEW = 0.01
STATIC = re.compile(
    r"\.(?:html?|css|js|json|txt|xml|svg|png|gif|jpe?g|ico|webp|woff2?|pdf|zip|gz|bin|dat)$", re.IGNORECASE
)
NEAR = 0.9  # of the document's length: a page in other words, whatever its name
UNRELIABLE: tuple[tuple[Severity, str, str], ...] = (
    ("caution", "NOT reliable", "two_deviations"),
    ("note", "not that reliable", "one_deviation"),
)
TIMES = ("initial connection", "processing", "waiting")


def grade_share(share: float) -> Severity:
    return "fatal" if share >= FATAL else "caution" if share >= FEW else "note"


def find_impossible_counts(case: Case) -> Iterator[Finding]:
    """More failures, late answers or error replies than requests. The other rules leave these runs out."""
    for run in case.counted:
        if beyond := _counts_beyond(run):
            severity: Severity = "caution" if beyond.keys() <= {"length", "late"} else "fatal"
            yield about_run(run, severity, "more_than_made", counts=beyond, made=run.requests_made)


def _counts_beyond(run: RunFact) -> dict[str, float]:
    """Counts that are greater than that of the requests; "" are failures of any kind."""
    made, kinds = run.requests_made, broken_requests(run)
    by_length, late = run.failures_of("length"), run.late_answers
    counts = {**kinds, "length": by_length, "late": late, "": 0 if kinds else _failed_at_least(run, kinds)}
    # Of those that were under way when the time was over some were answered.
    if made is not None and (run.non_2xx_responses or 0) > made + (run.clients or 0):
        counts["status"] = run.non_2xx_responses
    return {} if made is None else {kind: count for kind, count in counts.items() if count and count > made}


def find_failed(case: Case) -> Iterator[Finding]:
    """Failures other than a reply of another length, or one that came late, which are matters of their own."""
    for run in case.counted:
        made, available, kinds = run.requests_made, run.number("availability_pct"), broken_requests(run)
        bad = _failed_at_least(run, kinds)
        facts: dict[str, Any] = {"bad": bad, "made": made, "kinds": kinds, "available": available}
        if bad and made and bad > made:
            continue
        if bad and made:
            severity = grade_share(bad / made)
        elif run.failed_requests is None and available is not None and available < 100:
            severity, facts = grade_share(1 - available / 100), {"available": available}
        else:
            continue
        moral = _failure_moral(case, run, severity)
        untold = run.semantics.length_failures and run.failed_requests and run.failures_of("length") is None
        if untold and severity != "note":
            severity, moral = "caution", "kind_not_printed"
        yield about_run(run, severity, moral, **facts)


def _failed_at_least(run: RunFact, kinds: Mapping[str, float]) -> float:
    """Where failures by length are counted, one request may be counted under several kinds; a reply cut short counts, too."""
    by_length = run.failures_of("length")
    if not run.semantics.length_failures or (not kinds and by_length is None):
        return (run.failed_requests or 0) - run.late_answers
    return max(*kinds.values(), by_length if by_length and is_stump(run) else 0) if kinds else 0


def find_late_answers(case: Case) -> Iterator[Finding]:
    """Answers behind the tool's timeout: its rate counts them, its percentiles do not."""
    for run in case.counted:
        late, made = run.late_answers, run.complete_requests
        if made and 0 < late <= made:
            yield about_run(run, "note" if late < FEW * made else "caution", "late", late=late, made=made)


def _failure_moral(case: Case, run: RunFact, severity: Severity) -> str:
    """What follows from failures: the same for all runs that it follows for."""
    if severity == "note":
        return "too_few_failures"
    if not run.semantics.failures_in_rate:
        return "not_in_rate_fatal" if severity == "fatal" else "not_in_rate"
    if severity == "caution":
        return "in_rate"
    faster = case.best_served is not None and (run.requests_per_second or 0) > case.best_served
    return "no_gain" if faster else "in_rate_fatal"


def find_other_statuses(case: Case) -> Iterator[Finding]:
    """Replies that are errors or redirects: quick to send, and not what was to be measured."""
    for run in case.counted:
        other, made = run.non_2xx_responses, run.requests_made
        told = run.semantics.failures_hold_statuses and (run.failed_requests or 0) >= (other or 0)
        if not other or not made or told:
            continue
        if "status" not in _counts_beyond(run):
            severity = grade_share(other / made)
            yield about_run(run, severity, f"status_{severity}", other=min(other, made), made=made)


def find_other_lengths(case: Case) -> Iterator[Finding]:
    """On a page that changes, another length is no failure. On a fixed page, or where stumps came back, it is one."""
    for run in case.counted:
        failed, made = run.failures_of("length"), run.complete_requests
        # The same requests may be told of by their status or as failures of another kind.
        elsewhere = (run.non_2xx_responses or 0) >= (failed or 0) or (is_stump(run) and bool(broken_requests(run)))
        if not failed or not made or failed > made or elsewhere:
            continue
        mean, length = mean_of_failed(run), run.number("document_length_bytes")
        severity, facts = grade_share(failed / made), {"failed": failed, "made": made, "mean": mean, "length": length}
        if mean is not None and length and mean * STUMP > length:
            yield about_run(run, "caution", "first_was_odd", **facts)
        elif is_stump(run):
            closed = _closed_as_often(run, made, failed, mean or 0)
            yield about_run(run, severity, _failure_moral(case, run, severity), **facts, closed=closed)
        elif _is_fixed_page(case, run, mean, length):
            yield about_run(run, severity, _failure_moral(case, run, severity), **facts, fixed=True)
        else:
            yield about_run(run, "note", "page_changes", **facts)


def _closed_as_often(run: RunFact, made: int, failed: float, mean: float) -> bool:
    """With keep-alive, where the failures are just the connections that the server closed."""
    kept = run.number("keepalive_requests")
    return kept is not None and mean < 1 and made - kept == failed


def _is_fixed_page(case: Case, run: RunFact, mean: float | None, length: float | None) -> bool:
    """Whether the page is known not to change: by its name, or by other runs in which all replies were alike."""
    near = mean is not None and mean > NEAR * (length or 0)
    return (bool(STATIC.search(run.path.partition("?")[0])) and not near) or (run.path, length) in case.steady


def find_warnings(case: Case) -> Iterator[Finding]:
    """What the tool itself says of its run."""
    for run in case.counted:
        printed = run.values.get("warnings")
        warnings = [" ".join(str(one).split()) for one in printed] if isinstance(printed, list) else []
        for severity, mark, moral in UNRELIABLE:
            about = [next((name for name in TIMES if name in one.lower()), "total") for one in warnings if mark in one]
            if about:
                yield about_run(run, severity, moral, tool=run.tool, about=about, mark=mark)
        for warning in warnings:
            if "reliable" not in warning:
                yield about_run(run, "caution", "not_as_asked", tool=run.tool, warning=warning)


def find_aborted(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        if run.aborted:
            has_rate = run.requests_per_second is not None
            facts = {"tool": run.tool, "error": str(run.values.get("error", ""))}
            yield about_run(run, "fatal" if has_rate else "note", "broke_off" if has_rate else "no_report", **facts)


def find_interrupted(case: Case) -> Iterator[Finding]:
    """Fewer requests than asked for, and no time limit ended them."""
    for run in case.counted:
        asked, made = run.options.get("requests"), run.complete_requests
        ended = run.aborted or "duration_s" in run.options
        if run.semantics.makes_all_requests and not ended and asked and made is not None and made < asked:
            yield about_run(run, "caution", "stopped", made=made, asked=asked)


def find_quoted_in_part(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        if run.partial and not run.aborted:
            printed = {
                "failures": run.failed_requests is not None,
                "percentiles": bool(run.percentiles_ms),
                "document": bool(run.path) or run.values.get("document_length_bytes") is not None,
            }
            missing = [name for name in run.semantics.whole_report if not printed[name]]
            if missing:
                yield about_run(run, "note", "quoted_in_part", missing=missing)
