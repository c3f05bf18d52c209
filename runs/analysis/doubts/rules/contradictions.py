"""Figures of one report that cannot all be true: mistyped, mixed up, or edited.

Each check allows for what rounding to the printed digits can do, and a little more.
"""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import number
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure

SLACK = 0.005
ENOUGH = 10  # requests, so that the one after the median is in the table too
MORAL = "these figures cannot all be true, so look at the text before trusting any"


def _off(run: RunFact, detail: str) -> Finding:
    return Finding("caution", detail, MORAL, (Source(run.source, run.line),), run=run.id)


def _apart(one: float, other: float, slack: float) -> bool:
    return abs(one - other) > slack * max(abs(one), abs(other))


def step(value: float) -> float:
    """Half of the last printed digit: 0.07 -> 0.005. A whole number may have lost a decimal nought."""
    _, _, decimals = repr(float(value)).partition(".")
    digits = len(decimals) if decimals.strip("0") else 0
    return 0.5 * 10.0**-digits


def _slack(*printed: float) -> float:
    """How far, in parts, a product of these may be from what was computed before rounding."""
    return SLACK + sum(step(value) / abs(value) for value in printed if value)


@rule("figures.rate", basis="ab.c, siege's main.c: the rate is the requests over the time taken")
def rate(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        made, took, printed = run.complete_requests, run.duration_s, run.requests_per_second
        if made and took and printed and _apart(made / took, printed, _slack(took, printed)):
            served = made - (run.failed_requests or 0)
            if run.tool != "ab" and not _apart(served / took, printed, _slack(took, printed)):
                continue  # a rate of what was served, as vegeta's throughput
            worked = f"{figure(made)} requests in {figure(took)} s are {figure(made / took)} per second"
            yield _off(run, f"{worked}, not {figure(printed)}")


@rule("figures.mean", basis="ab.c: time per request is concurrency times the time taken over the requests")
def mean(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        printed, made, took = number(run, "time_per_request_ms"), run.complete_requests, run.duration_s
        if run.tool != "ab" or not printed or not made or not took or not run.concurrency:
            continue
        worked = run.concurrency * took * 1000 / made
        if _apart(worked, printed, _slack(took, printed)):
            told = f"{figure(run.concurrency)} clients, {figure(took)} s and {figure(made)} requests"
            yield _off(run, f"{told} give a mean of {figure(worked)} ms, not {figure(printed)}")


@rule("figures.percentiles", basis="ab.c: the percentile table and the Total row are made from the same sorted times")
def percentiles(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        table = sorted((float(percent), value) for percent, value in run.percentiles_ms.items())
        falling = next((pair for pair in zip(table, table[1:], strict=False) if pair[1][1] < pair[0][1]), None)
        if falling is not None:
            (low, first), (high, second) = falling
            yield _off(
                run, f"{figure(high)} % within {figure(second)} ms but {figure(low)} % within {figure(first)} ms"
            )
            continue
        for what, percent, told in _beside_total(run):
            yield _off(run, f"the table has {figure(percent)} ms where the Total row's {what} is {figure(told)} ms")


def _beside_total(run: RunFact) -> Iterator[tuple[str, float, float]]:
    """(what, of the table, of the Total row) where they differ. The median may lie between two of the table's requests."""
    half, beyond, last = (run.percentiles_ms.get(name) for name in ("50", "66", "100"))
    few = (run.complete_requests or 0) < ENOUGH
    median, longest = number(run, "total_ms", "median"), number(run, "total_ms", "max")
    if last is not None and longest is not None and abs(last - longest) > 1:
        yield "max", last, longest
    elif (
        not few and half is not None and median is not None and not half - 1 <= median <= max(beyond or half, half) + 1
    ):
        yield "median", half, median


@rule(
    "figures.concurrency",
    basis="siege's manual: concurrency is the mean number of open connections, of at most -c users",
)
def concurrency(case: Case) -> Iterator[Finding]:
    """More connections than users, or another number than rate times response time (Little's law)."""
    for run in case.counted:
        told, users = number(run, "concurrency"), number(run, "users")
        if run.tool != "siege" or told is None:
            continue
        if users and told > users * (1 + SLACK) + step(told):
            yield _off(run, f"a mean of {figure(told)} connections at once by {figure(users)} users")
        elif worked := _little(run, told):
            yield _off(run, f"its rate and response time give {figure(worked)} connections at once, not {figure(told)}")


def _little(run: RunFact, told: float) -> float | None:
    """Rate times response time, where that is another number than siege's concurrency."""
    rate, response = run.requests_per_second, number(run, "response_time_s")
    if not rate or response is None:
        return None
    worked = rate * response
    room = (step(response) if response else 0.01) * 1.2 * rate + 0.02 * max(worked, told) + 0.1
    return worked if abs(worked - told) > room else None


@rule("figures.availability", basis="siege's manual: availability is the share of transactions that did not fail")
def availability(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        told, hits, failed = (
            number(run, "availability_pct"),
            number(run, "transactions"),
            number(run, "failed_transactions"),
        )
        if told is None or not hits or failed is None:
            continue
        worked = 100 * hits / (hits + failed)
        if worked - told > 0.5:  # old versions count errors of HTTP as failed and leave them out of the availability
            yield _off(
                run,
                f"{figure(failed)} failed beside {figure(hits)} is {worked:.2f} % availability, not {figure(told)} %",
            )
