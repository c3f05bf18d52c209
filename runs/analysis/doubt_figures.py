"""Rules of doubts about what a report prints.

Requests that failed, replies that were not the page, runs that did not come to their end; figures that cannot all be true
(each check allows for what rounding to the printed digits can do, and a little more), and times near the smallest step that a
tool prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from runs.analysis.doubt_case import (
    LITTLE,
    STUMP,
    Case,
    about_run,
    broken_requests,
    is_stump,
    mean_of_failed,
    rule,
    run_rule,
)
from runs.analysis.facts import FATAL, HUGE, Finding, RunFact, Severity

FEW = 0.01
STATIC = re.compile(r"\.(?:html?|css|js|json|txt|xml|svg|png|gif|jpe?g|ico|webp|woff2?|pdf|zip|gz|bin|dat)$", re.I)
NEAR = 0.9  # of the document's length: a page in other words, whatever its name
UNRELIABLE: tuple[tuple[Severity, str, str], ...] = (
    ("caution", "NOT reliable", "two_deviations"),
    ("note", "not that reliable", "one_deviation"),
)
TIMES = ("initial connection", "processing", "waiting")

SLACK = 0.005
EXACT = 0.0005  # of tools that work a figure out of the very ones that they print
# A mean of samples leaves a part of one out, and counts otherwise what was under way at either end.
SAMPLED, SAMPLE_S = 0.1, 1.0
ENOUGH_FOR_MEDIAN = 10  # requests, so that the one after the median is in the table too
NEAR_TIMES = 0.05  # tools round times, each percentile in its own way
FEW_STEPS = 10  # one step is then 10 % or more
MANY_STEPS = 50  # one is then under 2 %, which is no difference worth a word
MANY_REPEATS = 4  # whose mean is finer than a step
ENOUGH_TIMES = 4  # different times, so that a common step is no accident,
NO_ACCIDENT = 4  # unless it is a small one: four even times happen
ENDED_AT, ENDED_S = 0.9, 1.0  # of a time limit, and before it; tools end a little before it or behind it
STEPS = "arithmetic: what is printed in steps is known to half a step"


def grade_share(share: float) -> Severity:
    return "fatal" if share >= FATAL else "caution" if share >= FEW else "note"


@run_rule("figures.counts", "arithmetic: no more can fail than was asked for", "failed_requests", "non_2xx_responses")
def find_impossible_counts(run: RunFact) -> Iterator[Finding]:
    """More failures, late answers or error replies than requests. The other rules leave these runs out."""
    if beyond := _counts_beyond(run):
        severity: Severity = "caution" if beyond.keys() <= {"length", "late"} else "fatal"
        yield about_run(run, severity, "more_than_made", counts=beyond, made=run.requests_made)


def _counts_beyond(run: RunFact) -> dict[str, float]:
    """Counts that are greater than that of the requests; "" are failures of any kind."""
    made, kinds = run.requests_made, broken_requests(run)
    by_length, late = run.failures_of("length"), run.late_answers
    counts = {**kinds, "length": by_length, "late": late, "": 0 if kinds else _count_failed(run, kinds)}
    # Of those that were under way when the time was over some were answered.
    if made is not None and (run.non_2xx_responses or 0) > made + (run.clients or 0):
        counts["status"] = run.non_2xx_responses
    return {} if made is None else {kind: count for kind, count in counts.items() if count and count > made}


@rule("errors.failed", "practice: what failed was not served", "failed_requests", "availability_pct")
def find_failed(case: Case) -> Iterator[Finding]:
    """Failures other than a reply of another length, or one that came late, which are matters of their own."""
    for run in case.counted_runs:
        made, available, kinds = run.requests_made, run.number(run.semantics.available_pct), broken_requests(run)
        bad = _count_failed(run, kinds)
        facts: dict[str, Any] = {"bad": bad, "made": made, "kinds": kinds, "available": available}
        if bad and made and bad > made:
            continue
        if bad and made:
            severity = grade_share(bad / made)
        elif run.failed_requests is None and available is not None and available < 100:
            severity, facts = grade_share(1 - available / 100), {"available": available}
        elif bad and made is None:
            yield about_run(run, "caution", "share_unknown", **facts)
            continue
        else:
            continue
        moral = _choose_failure_moral(case, run, severity)
        is_unknown = run.semantics.length_failures and run.failed_requests and run.failures_of("length") is None
        if is_unknown and severity != "note":
            severity, moral = "caution", "kind_not_printed"
        yield about_run(run, severity, moral, **facts)


def _count_failed(run: RunFact, kinds: Mapping[str, float]) -> float:
    """Where failures by length are counted, one request may be counted under several kinds; a reply cut short counts, too."""
    by_length = run.failures_of("length")
    if not run.semantics.length_failures or (not kinds and by_length is None):
        return (run.failed_requests or 0) - run.late_answers
    return max(*kinds.values(), by_length if by_length and is_stump(run) else 0) if kinds else 0


@run_rule("errors.late", "practice: a time that was not recorded is in no percentile", "failed_requests")
def find_late_answers(run: RunFact) -> Iterator[Finding]:
    """Answers behind the tool's timeout: its rate counts them, its percentiles do not."""
    late, made = run.late_answers, run.complete_requests
    if made and 0 < late <= made:
        severity: Severity = "note" if late < FEW * made else "caution"
        yield about_run(run, severity, "late", late=late, made=made, waited=_share_waited(run, late))


def _share_waited(run: RunFact, late: float) -> float:
    """At least so much of the clients' time went into waiting for late answers."""
    waited = late * float(run.options.get("timeout_s") or run.semantics.late_after_s)
    time = (run.loading_clients or 0) * (run.duration_s or 0)
    return min(waited / time, 1.0) if time else 0.0


def _choose_failure_moral(case: Case, run: RunFact, severity: Severity) -> str:
    """What follows from failures: the same for all runs that it follows for."""
    if severity == "note":
        return "too_few_failures"
    if not run.semantics.failures_in_rate:
        return "not_in_rate_fatal" if severity == "fatal" else "not_in_rate"
    if severity == "caution":
        return "in_rate"
    faster = case.best_served is not None and (run.requests_per_second or 0) > case.best_served
    return "no_gain" if faster else "in_rate_fatal"


@run_rule(
    "errors.status",
    "RFC 9110, section 15: only 2xx says that a request succeeded",
    "non_2xx_responses",
    "failed_requests",
)
def find_other_statuses(run: RunFact) -> Iterator[Finding]:
    """Replies that are errors or redirects: quick to send, and not what was to be measured."""
    other, made = run.non_2xx_responses, run.requests_made
    is_counted = run.semantics.failures_hold_statuses and (run.failed_requests or 0) >= (other or 0)
    if other and made and not is_counted and "status" not in _counts_beyond(run):
        severity = grade_share(other / made)
        yield about_run(run, severity, f"status_{severity}", other=min(other, made), made=made)


@run_rule("errors.checks", "practice: a wrong answer was not served", "checks_failed", "checks")
def find_failed_checks(run: RunFact) -> Iterator[Finding]:
    """Answers that were not what the test's own checks expect, whatever their status."""
    pairs = ((run.number(bad), run.number(held)) for bad, held in run.semantics.checks)
    bad, held = next((pair for pair in pairs if None not in pair), (None, None))
    if bad and bad > 0:
        made = bad + max(held or 0, 0)
        severity = grade_share(bad / made)
        yield about_run(run, severity, f"checks_{severity}", bad=bad, made=made)


@rule("errors.length", "practice: another length is another page or an error", "failed_length", "failed_requests")
def find_other_lengths(case: Case) -> Iterator[Finding]:
    """On a page that changes, another length is no failure. On a fixed page, or where stumps came back, it is one."""
    for run in case.counted_runs:
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
            kept = run.number("keepalive_requests")  # with keep-alive, just the connections that the server closed
            closed = kept is not None and (mean or 0) < 1 and made - kept == failed
            yield about_run(run, severity, _choose_failure_moral(case, run, severity), **facts, closed=closed)
        elif _is_fixed_page(case, run, mean, length):
            yield about_run(run, severity, _choose_failure_moral(case, run, severity), **facts, fixed=True)
        else:
            yield about_run(run, "note", "page_changes", **facts)


def _is_fixed_page(case: Case, run: RunFact, mean: float | None, length: float | None) -> bool:
    """Whether the page is known not to change: by its name, or by other runs in which all replies were alike.

    A cache makes them alike, so replies of about the same length are the same page all the same.
    """
    near = mean is not None and mean > NEAR * (length or 0)
    return not near and (bool(STATIC.search(run.path.partition("?")[0])) or (run.path, length) in case.steady)


@run_rule("tool.warnings", "the tool's own words on its run", "warnings")
def find_warnings(run: RunFact) -> Iterator[Finding]:
    """What the tool itself says of its run."""
    printed = run.values.get("warnings")
    warnings = [" ".join(str(one).split()) for one in printed] if isinstance(printed, list) else []
    for severity, mark, moral in UNRELIABLE:
        about = [next((name for name in TIMES if name in one.lower()), "total") for one in warnings if mark in one]
        if about:
            yield about_run(run, severity, moral, tool=run.tool, about=about, mark=mark)
    for warning in warnings:
        if "reliable" not in warning:
            yield about_run(run, "caution", "not_as_asked", tool=run.tool, warning=warning)


@run_rule("tool.aborted", "the tool's own message", "error")
def find_aborted(run: RunFact) -> Iterator[Finding]:
    if run.aborted:
        has_rate = run.requests_per_second is not None
        facts = {"tool": run.tool, "error": str(run.values.get("error", ""))}
        yield about_run(run, "fatal" if has_rate else "note", "broke_off" if has_rate else "no_report", **facts)


@run_rule(
    "tool.interrupted",
    "the command: fewer requests than asked for, or less time, and no other limit that was reached",
    "complete_requests",
)
def find_interrupted(run: RunFact) -> Iterator[Finding]:
    """Fewer requests than asked for, and no time limit ended them; or load for a set time that took less."""
    asked, made, limit = run.options.get("requests"), run.complete_requests, run.options.get("duration_s")
    is_done = run.semantics.makes_all_requests and made is not None and made >= (asked or math.inf)
    if run.aborted or is_done:
        return
    if run.semantics.makes_all_requests and asked and made is not None and limit is None:
        yield about_run(run, "caution", "stopped", made=made, asked=asked)
        return
    took = run.duration_s or math.inf
    if (run.semantics.makes_all_requests or not asked) and limit and took < min(ENDED_AT * limit, limit - ENDED_S):
        yield about_run(run, "caution", "stopped", took=run.duration_s, limit=limit)


@run_rule("tool.partial", "the text itself: a report quoted in part")
def find_quoted_in_part(run: RunFact) -> Iterator[Finding]:
    if run.partial and not run.aborted:
        printed = {
            "failures": run.failed_requests is not None,
            "percentiles": bool(run.percentiles_ms),
            "document": bool(run.path) or run.values.get("document_length_bytes") is not None,
        }
        missing = [name for name in run.semantics.whole_report if not printed[name]]
        if missing:
            yield about_run(run, "note", "quoted_in_part", missing=missing)


def _differ(one: float, other: float, slack: float) -> bool:
    return abs(one - other) > slack * max(abs(one), abs(other))


def half_digit(value: float) -> float:
    """Half of the last printed digit: 0.07 -> 0.005. A whole number may have lost a decimal nought."""
    _, _, decimals = repr(float(value)).partition(".")
    digits = len(decimals) if decimals.strip("0") else 0
    return 0.5 * 10.0**-digits


def _compute_slack(*printed: float, exact: bool = False) -> float:
    """How far, in parts, a product of these may be from what was computed before rounding."""
    return (EXACT if exact else SLACK) + sum(half_digit(value) / abs(value) for value in printed if value)


@run_rule("figures.rate", "arithmetic: the rate is the requests over the time taken", "requests_per_second")
def find_wrong_rates(run: RunFact) -> Iterator[Finding]:
    """A rate that is not the requests, all or those that did not fail, over the time, for every tool that prints the three."""
    made, took, printed = run.complete_requests, run.duration_s, run.requests_per_second
    if not made or not took or printed is None:
        return
    is_near = run.semantics.sampled_rate or "generators" in run.values  # of which none ends with the others
    slack = _compute_slack(took, printed, exact=run.semantics.exact_mean) + (
        max(SAMPLED, SAMPLE_S / took) if is_near else 0
    )
    path = run.semantics.in_rate_beside
    table = run.values.get(path)
    beside = sum(table.values()) if isinstance(table, Mapping) else run.number(path) or 0
    counts = made, made - (run.failed_requests or 0), made + beside, run.requests_made or made
    if all(_differ(count / took, printed, slack) for count in counts):
        yield about_run(run, "caution", "contradiction", made=made, took=took, printed=printed)


@run_rule("figures.mean", "arithmetic: clients times the time taken over the requests", "mean_ms")
def find_wrong_means(run: RunFact) -> Iterator[Finding]:
    printed, worked = run.number("time_per_request_ms"), _work_out_mean(run)
    if printed and worked and _differ(worked, printed, _compute_slack(run.duration_s or 0, printed)):
        yield _about_times(run, "contradiction", worked, printed)


@run_rule("load.busy_clients", LITTLE, "percentiles_ms.50")
def find_busy_clients(run: RunFact) -> Iterator[Finding]:
    """Response times that do not fit into the clients' time: each has one request under way at a time.

    The rate may be right all the same. Half of all requests take the median or longer, so that the mean is half of it at least.
    """
    worked = _work_out_mean(run)
    mean, median = run.number("total_ms.mean") or 0, run.percentiles_ms.get("50", 0)
    least = max(mean - half_digit(mean), (median - half_digit(median)) / 2)
    if worked and least > worked * (1 + SLACK):
        what, printed = ("mean", mean) if mean > worked else ("median", median)
        yield _about_times(run, "other_times", worked, printed, what=what)


def _work_out_mean(run: RunFact) -> float | None:
    """The mean response time in ms of tools that work it out of clients, time and requests."""
    if not (run.semantics.exact_mean and run.complete_requests and run.duration_s and run.concurrency):
        return None
    return run.concurrency * run.duration_s * 1000 / run.complete_requests


def _about_times(run: RunFact, moral: str, worked: float, printed: float, **more: str) -> Finding:
    facts = {"clients": run.concurrency, "took": run.duration_s, "made": run.complete_requests}
    return about_run(run, "caution", moral, worked=worked, printed=printed, **facts, **more)


@run_rule("figures.percentiles", "arithmetic: percentiles rise up to the longest time", "percentiles_ms.50")
def find_wrong_percentiles(run: RunFact) -> Iterator[Finding]:
    table = sorted((float(percent), value) for percent, value in run.percentiles_ms.items())
    pairs = zip(table, table[1:], strict=False)
    falling = next((pair for pair in pairs if pair[1][1] < pair[0][1] * (1 - NEAR_TIMES)), None)
    if falling is not None:
        (low, first), (high, second) = falling
        yield about_run(run, "caution", "contradiction", low=low, first=first, high=high, second=second)
        return
    half, beyond, last = (run.percentiles_ms.get(name) for name in ("50", "66", "100"))
    median, longest = run.number("total_ms.median"), run.number("total_ms.max")
    if last is not None and longest is not None and abs(last - longest) > 1:
        yield about_run(run, "caution", "contradiction", what="max", table=last, total=longest)
        return
    few = (run.complete_requests or 0) < ENOUGH_FOR_MEDIAN
    # The median may lie between two of the table's requests.
    if not few and half is not None and median is not None and not half - 1 <= median <= max(beyond or 0, half) + 1:
        yield about_run(run, "caution", "contradiction", what="median", table=half, total=median)


@run_rule("figures.concurrency", LITTLE, "concurrency")
def find_wrong_concurrencies(run: RunFact) -> Iterator[Finding]:
    """More connections than users, or another number than rate times response time (Little's law)."""
    printed, users = run.number("concurrency"), run.number("users")
    if run.semantics.concurrency != "measured" or printed is None:
        return
    if users and printed > users * (1 + SLACK) + half_digit(printed):
        yield about_run(run, "caution", "contradiction", printed=printed, users=users)
        return
    rate, response = run.requests_per_second, run.number("response_time_s")
    if rate and response is not None:
        worked = rate * response
        step = half_digit(response) if response else 0.01
        if abs(worked - printed) > step * 1.2 * rate + 0.02 * max(worked, printed) + 0.1 and worked:
            yield about_run(run, "caution", "contradiction", printed=printed, worked=worked)


@run_rule("figures.availability", "arithmetic: the share of transactions that did not fail", "availability_pct")
def find_wrong_availabilities(run: RunFact) -> Iterator[Finding]:
    printed, hits = run.number("availability_pct"), run.number("transactions")
    failed = run.number("failed_transactions")
    if printed is not None and hits and failed is not None:
        worked = 100 * hits / (hits + failed)
        if worked - printed > 0.5:  # old versions leave failures by status out of it
            facts = {"failed": failed, "hits": hits, "worked": worked, "printed": printed}
            yield about_run(run, "caution", "contradiction", **facts)


@run_rule("resolution.steps", STEPS, "percentiles_ms.50", "mean_ms")
def find_coarse_times(run: RunFact) -> Iterator[Finding]:
    step = step_ms(run)
    typical = run.mean_ms if run.semantics.mean_step_ms else run.percentiles_ms.get("50")
    if step is not None and typical is not None and typical <= FEW_STEPS * step:
        is_mean = bool(run.semantics.mean_step_ms)
        yield about_run(run, "note", "coarse", typical=typical, step=step, is_mean=is_mean)


def step_ms(run: RunFact) -> float | None:
    """The step that the run's times are printed in: what divides all percentiles, as on machines whose clock ticks each 10 ms."""
    if run.semantics.mean_step_ms:
        return run.semantics.mean_step_ms
    times = {value for value in run.percentiles_ms.values() if 0 < value < HUGE}
    step = run.semantics.percentile_step_ms
    if not step or not run.percentiles_ms or times != set(map(int, times)):
        return None
    common = math.gcd(*map(int, times)) if len(times) >= ENOUGH_TIMES else 1
    return float(common) if common >= NO_ACCIDENT else step


@rule("resolution.within", STEPS)
def find_times_within_a_step(case: Case) -> Iterator[Finding]:
    """A config's times that are one step from what they stand against: they may be equal, or two steps apart.

    Times of a few steps are the subject of find_coarse_times.
    """
    for at, base in enumerate(case.bases):
        mine, its = case.columns[at].runs, case.columns[base].runs
        if at == base or not mine or not its or min(len(mine), len(its)) >= MANY_REPEATS:
            continue
        step = max([step_ms(run) or 0 for run in (*mine, *its)])
        near = []
        for name, own, other in _compare_times(mine, its):
            if 0 < abs(own - other) <= step and FEW_STEPS * step < max(own, other) <= MANY_STEPS * step:
                near.append((name, own, other))
        if near:
            sources = tuple(run.source_of("percentiles_ms.50", "mean_ms") for run in (mine[0], its[0]))
            facts = {"step": step, "near": near}
            yield Finding("note", "within_step", facts, sources, config=case.columns[at].config.id)


def _compare_times(mine: Sequence[RunFact], its: Sequence[RunFact]) -> Iterator[tuple[str, float, float]]:
    """(percentile or "mean", mean of mine, mean of the other's) of each time that both print."""
    for name in ("50", "90", "95", "99"):
        own = [ms for run in mine if abs(ms := run.percentiles_ms.get(name, HUGE)) < HUGE]
        other = [ms for run in its if abs(ms := run.percentiles_ms.get(name, HUGE)) < HUGE]
        if own and other:
            yield name, fmean(own), fmean(other)
    own = [ms for run in mine if run.semantics.mean_step_ms and 0 < (ms := run.mean_ms or 0) < HUGE]
    other = [ms for run in its if run.semantics.mean_step_ms and 0 < (ms := run.mean_ms or 0) < HUGE]
    if own and other:
        yield "mean", fmean(own), fmean(other)
