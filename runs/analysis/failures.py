"""Failed requests: verdicts on their shares, and what failed of each column: requests, late answers, runs that broke off."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import scipy  # its packages are imported at their first use

from runs.analysis import stats
from runs.analysis.columns import Column
from runs.analysis.facts import FATAL, Finding, RunFact, Source
from runs.analysis.verdict import ALPHA, ENOUGH_FOR_PLAIN, FailureCounts, Ground, Kind, Verdict

# Fisher's test of failures proves nothing by itself: requests of one run are not independent.
LIKELY_FAILURES = 0.01
# The exact test takes a time of the larger side. Of more groups their share says as much.
MAX_GROUPS = 1_000_000
# Counts of failures, each a part of the requests made: rows of the table and attributes of a run.
FAILURE_COUNTS = ("failed_requests", "non_2xx_responses")
LATE, CHECKS = "errors.late", "errors.checks"
# Rule of doubts -> the fact that counts what failed.
COUNTED = {CHECKS: "bad", "errors.failed": "bad", LATE: "late", "errors.length": "failed", "errors.status": "other"}
UNKNOWN_KIND = "kind_not_printed"  # it may be no failure, so that it does not lead the sentence
CHANGES = "page_changes"  # replies of another length, as of a page that changes: no news where both sides have them
# From this share on, failures of an unknown kind count as failures: pages that change their length that often are rarer.
MANY_UNKNOWN = 0.25
# Shares of failures, and of late answers, that are stated: those are the slowest of all, and missing from the percentiles.
MINOR, LATE_SAID = 0.01, 0.001


@dataclass(frozen=True, slots=True)
class Attempts:
    """One run's failures among its requests. `together`: requests that were under way at the same time."""

    bad: int
    of: int
    together: int

    @property
    def share(self) -> float:
        return self.bad / self.of


def read_attempts(runs: Sequence[RunFact], key: str) -> list[Attempts]:
    """Of the runs that have both counts."""
    attempts = []
    for run in runs:
        bad: float | None = getattr(run, key)
        made = run.requests_made
        if bad is None or made is None or bad < 0 or not math.isfinite(bad + made):
            continue
        of = max(made, bad)
        if of > 0:
            attempts.append(Attempts(int(bad), int(of), max(int(run.clients or run.measured_concurrency or 1), 1)))
    return attempts


def failed_share(runs: Sequence[Attempts]) -> float:
    return sum(run.bad for run in runs) / sum(run.of for run in runs)


def count_groups(runs: Sequence[Attempts]) -> tuple[int, int]:
    """(failed, of): as if each burst of failures took all requests under way with it. Careful, never too sure."""
    bad = sum(math.ceil(run.bad / run.together) for run in runs)
    return bad, max(sum(run.of // run.together for run in runs), bad)


def judge_failures(
    key: str, attempts: Sequence[Sequence[Attempts]], pairs: Sequence[tuple[int, int]]
) -> dict[int, Verdict]:
    """Where both sides print their failures and either has some. Tests of shares are adjusted after Holm."""
    verdicts = {}
    for at, base in pairs:
        own, other = attempts[at], attempts[base]
        if own and other and failed_share((*own, *other)) > 0:
            verdicts[at] = _compare_failures(key, other, own, base)
    ranked = {at: verdict.p for at, verdict in verdicts.items() if verdict.effect is not None and verdict.p is not None}
    for at, p in zip(ranked, stats.holm(list(ranked.values())), strict=True):
        verdict = verdicts[at]
        counts = replace(verdict.failures, tests=len(ranked)) if verdict.failures else None
        verdicts[at] = replace(
            verdict, kind=verdict.kind if p < ALPHA else Kind.UNDECIDED, p_adjusted=p, failures=counts
        )
    return verdicts


def _compare_failures(key: str, base: Sequence[Attempts], own: Sequence[Attempts], base_at: int) -> Verdict:
    """From 4 repeats a side by Welch's test of the shares; below that likely at best. Both sides need a run."""
    n, n_base = len(own), len(base)
    counts = FailureCounts(
        key, sum(r.bad for r in own), sum(r.of for r in own), sum(r.bad for r in base), sum(r.of for r in base)
    )
    up = failed_share(own) > failed_share(base)
    if min(n, n_base) >= ENOUGH_FOR_PLAIN:
        shares, base_shares = [run.share for run in own], [run.share for run in base]
        # A share is no finer than one request.
        least_sds = 0.5 / min(run.of for run in base), 0.5 / min(run.of for run in own)
        if shift := stats.welch(base_shares, shares, least_sds=least_sds):
            kind = Kind.UNDECIDED if shift.p >= ALPHA else Kind.WORSE if up else Kind.BETTER
            effect = stats.cliffs_delta(base_shares, shares)
            test = "Welch on the shares"
            return Verdict(
                kind, base_at, Ground.FAILURES, n, n_base, test=test, p=shift.p, effect=effect, failures=counts
            )
    groups, base_groups = count_groups(own), count_groups(base)
    p = _test_exactly(groups, base_groups)
    kind = (Kind.LIKELY_WORSE if up else Kind.LIKELY_BETTER) if p < LIKELY_FAILURES else Kind.UNDECIDED
    counts = replace(counts, groups=groups, base_groups=base_groups)
    test = "Fisher, exact, on groups of requests"
    return Verdict(kind, base_at, Ground.FAILURES, n, n_base, test=test, p=p, failures=counts)


def _test_exactly(groups: tuple[int, int], base_groups: tuple[int, int]) -> float:
    """Fisher's p of (failed, of) on two sides. A larger side counts as MAX_GROUPS with the same share."""
    sides = (
        (math.ceil(bad * MAX_GROUPS / of), MAX_GROUPS) if of > MAX_GROUPS else (bad, of)
        for bad, of in (groups, base_groups)
    )
    return float(scipy.stats.fisher_exact([[bad, of - bad] for bad, of in sides]).pvalue)


# --- what failed of each column ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed of one column.

    share    of its requests; None: all its runs broke off without a report, and `error` is what the tool printed
    is_sure  whether it is a failure: not of a kind that a page which changes its length explains
    late     how many answers came too late, where waiting for them took much of the clients' time; else 0
    """

    rule: str
    share: float | None
    error: str
    source: Source | None
    is_sure: bool = True
    late: float = 0.0

    @property
    def is_stated(self) -> bool:
        """Whether it is enough to be stated beside a rate."""
        return self.weight >= (LATE_SAID if self.rule == LATE else MINOR) or self.late > 0

    @property
    def weight(self) -> float:
        """The share; breaking off weighs more than any."""
        return 2.0 if self.share is None else self.share

    @property
    def is_serious(self) -> bool:
        return self.is_sure and self.weight >= FATAL


def find_failures(columns: Sequence[Column], findings: Iterable[tuple[str, Finding]]) -> dict[int, Failure]:
    """Column -> what failed of it, over all its runs. findings: (rule, what it found), without those that were overruled."""
    failures: dict[int, Failure] = {}
    for rule, finding in findings:
        one = _read_failure(rule, finding)
        known = failures.get(finding.run or 0)
        if one and finding.run and (known is None or _rank(one) > _rank(known)):
            failures[finding.run] = one
    return {
        at: failure
        for at, column in enumerate(columns)
        if (failure := _add_failures(column, {run.id: failures[run.id] for run in column.runs if run.id in failures}))
    }


def _rank(failure: Failure) -> tuple[bool, float, bool]:
    return failure.rule != CHANGES, failure.share or 0.0, failure.is_sure


def _read_failure(rule: str, finding: Finding) -> Failure | None:
    facts, source = finding.facts, finding.first_source
    if rule == "tool.aborted":
        return Failure(rule, None, str(facts.get("error") or ""), source)
    if rule not in COUNTED or finding.moral == "first_was_odd":
        return None
    bad, made = facts.get(COUNTED[rule]), facts.get("made")
    if bad and made is None:
        return None
    share = min(bad / made, 1.0) if bad and made else 1 - (facts.get("available") or 100) / 100
    is_sure = finding.moral not in (UNKNOWN_KIND, CHANGES) or (finding.moral == UNKNOWN_KIND and share >= MANY_UNKNOWN)
    late = facts["late"] if facts.get("waited", 0.0) >= MINOR else 0.0
    return Failure(CHANGES if finding.moral == CHANGES else rule, share, "", source, is_sure, late)


def _add_failures(column: Column, failures: Mapping[int, Failure]) -> Failure | None:
    """One failure for all runs of a column; None where nothing failed, or some runs broke off but not all."""
    failures = {run: failure for run, failure in failures.items() if failure.is_sure} or failures
    shares = {run: failure.share for run, failure in failures.items() if failure.share is not None}
    if not shares:
        return next(iter(failures.values()), None) if len(failures) == len(column.runs) else None
    unknown = failures.keys() - shares.keys()  # broke off without a report: what they made nobody knows
    counted = {run.id: run.requests_made or 1 for run in column.runs if run.id not in unknown}
    bad = sum(share * counted[run] for run, share in shares.items())
    worst = failures[max(shares, key=lambda run: shares[run])]
    return replace(worst, share=bad / sum(counted.values()), late=sum(one.late for one in failures.values()))
