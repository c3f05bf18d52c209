"""Runs that are too short, or made of too few requests, to say much."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import clients, many, requests, seconds
from runs.analysis.facts import Source
from runs.analysis.numbers import figure

LEAST_S = 10
LEAST_EACH = 10
LEAST_FOR_P99 = 1000


@rule("length.seconds", basis="practice: start-up, caches and one scheduler's whim weigh on seconds and fade over tens")
def too_short(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        took, made = seconds(run), requests(run)
        if took is None or took >= LEAST_S or run.aborted:
            continue
        by = f" by {many(at_once, 'client')}" if (at_once := clients(run)) else ""
        what = f"{many(made, 'request')}{by} in {_rounded(took)} s" if made else f"it took {_rounded(took)} s"
        text = f"under {LEAST_S} s is too short, a run of half a minute would tell more"
        yield Finding("caution", what, text, (Source(run.source, run.line),), run=run.id)


@rule("length.per_client", basis="practice: each client's first requests meet cold caches and new connections")
def too_few_each(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        made, at_once = requests(run), clients(run)
        if made and at_once and made < LEAST_EACH * at_once and not run.aborted:
            text = f"so few (n under {LEAST_EACH}·c) are mostly ramping up and running out"
            detail = f"{many(made, 'request')} by {many(at_once, 'client')}, {figure(made / at_once)} each"
            yield Finding("caution", detail, text, (Source(run.source, run.line),), run=run.id)


@rule("length.p99", basis="order statistics: of n requests only n/100 lie beyond the 99th percentile")
def too_few_for_p99(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        made = requests(run)
        if made and made < LEAST_FOR_P99 and "99" in run.percentiles_ms:
            text = f"a 99th percentile rests on the slowest hundredth, and wants {LEAST_FOR_P99} requests at least"
            detail = many(made, "request")
            yield Finding("note", detail, text, (Source(run.source, run.line),), run=run.id)


def _rounded(took: float) -> str:
    return f"{took:.2f}" if took < 1 else f"{took:.1f}"
