"""What failed of each column of a comparison: requests and checks that failed or came too late, and runs that broke off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from runs.analysis.columns import Column
from runs.analysis.doubt_case import FATAL, Finding
from runs.analysis.facts import Source
from runs.analysis.table import Comparison

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


def find_failures(comparison: Comparison, findings: Iterable[tuple[str, Finding]]) -> dict[int, Failure]:
    """Column -> what failed of it, over all its runs. findings: (rule, what it found), without those that were overruled."""
    found: dict[int, Failure] = {}
    for rule, finding in findings:
        one = _read_failure(rule, finding)
        known = found.get(finding.run or 0)
        if one and finding.run and (known is None or _rank(one) > _rank(known)):
            found[finding.run] = one
    return {
        at: failure
        for at, column in enumerate(comparison.columns)
        if (failure := _add_failures(column, {run.id: found[run.id] for run in column.runs if run.id in found}))
    }


def _rank(one: Failure) -> tuple[bool, float, bool]:
    return one.rule != CHANGES, one.share or 0.0, one.is_sure


def _read_failure(rule: str, finding: Finding) -> Failure | None:
    facts, source = finding.facts, finding.first_source
    if rule == "tool.aborted":
        return Failure(rule, None, str(facts.get("error") or ""), source)
    if rule not in COUNTED or finding.moral == "first_was_odd":
        return None
    bad, made = facts.get(COUNTED[rule]), facts.get("made")
    share = min(bad / made, 1.0) if bad and made else 1 - (facts.get("available") or 100) / 100
    is_sure = finding.moral not in (UNKNOWN_KIND, CHANGES) or (finding.moral == UNKNOWN_KIND and share >= MANY_UNKNOWN)
    late = facts["late"] if facts.get("waited", 0.0) >= MINOR else 0.0
    return Failure(CHANGES if finding.moral == CHANGES else rule, share, "", source, is_sure, late)


def _add_failures(column: Column, found: Mapping[int, Failure]) -> Failure | None:
    """One failure for all runs of a column; None where nothing failed, or some runs broke off but not all."""
    found = {run: failure for run, failure in found.items() if failure.is_sure} or found
    shares = {run: failure.share for run, failure in found.items() if failure.share is not None}
    if not shares:
        return next(iter(found.values()), None) if len(found) == len(column.runs) else None
    counted = {run.id: run.requests_made or 1 for run in column.runs}
    bad = sum(share * counted[run] for run, share in shares.items())
    worst = found[max(shares, key=lambda run: shares[run])]
    return replace(worst, share=bad / sum(counted.values()), late=sum(one.late for one in found.values()))
