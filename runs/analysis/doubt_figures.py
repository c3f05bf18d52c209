"""Rules of doubts that a report's own figures give rise to.

Figures that cannot all be true (each check allows for what rounding to the printed digits can do, and a little more),
times of the network, times near the smallest step that a tool prints, runs that are too short, and first repeats that
are not like the later ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from runs.analysis.columns import Column, find_baselines
from runs.analysis.doubt_case import (
    Case,
    Finding,
    Severity,
    about_run,
    seconds_taken,
)
from runs.analysis.facts import HUGE, RunFact
from runs.analysis.stats import common_slope, find_outliers

SLACK = 0.005
# A mean of samples leaves a part of one out, and counts otherwise what was under way at either end.
SAMPLED, SAMPLE_S = 0.1, 1.0
ENOUGH_FOR_MEDIAN = 10  # requests, so that the one after the median is in the table too
# When a SYN is sent again: after 1 s, doubling (1, 3, 7, 15, 31 s), or as Linux before 3.1 did, after 3 s (3, 9, 21 s).
AGAIN_S = (1, 3, 7, 9, 15, 21, 31)
LATE = 0.05  # the connection comes a little after the second SYN, never before it
EARLY_MS = 15  # but for the rounding of clocks
TIMES_P99 = 10
OMITTED = 0.1  # of all clients' time in the slowest hundredth of the requests; with even times it is 0.01
MOSTLY_OMITTED = 0.5
HANG_MS = 200  # the least timer in TCP that a hanging request could wait for
FEW_STEPS = 10  # one step is then 10 % or more
MANY_STEPS = 50  # one is then under 2 %, which is no difference worth a word
MANY_REPEATS = 4  # whose mean is finer than a step
ENOUGH_TIMES = 4  # different times, so that a common step is no accident,
NO_ACCIDENT = 4  # unless it is a small one: four even times happen
LEAST_S = 10
LEAST_EACH = 10
LEAST_FOR_P99 = 1000
KEPT_UP = 0.95  # of the rate that was set; the first and last request are never a whole interval apart
# Repeats of a steady server differ by a few per cent; a first one this far off is no repeat of the others.
COLD = 0.15
# With several later ones, also this many times as far as they lie from each other.
COLD_SPREADS = 2
LEAST_DRIFTING = 4  # repeats that show a drift; chance alone has so straight a line in 1 of 50 configs,
DRIFT_P = 0.02
DRIFT = 0.05  # and it must be 5 % from the first to the last


def _differ(one: float, other: float, slack: float) -> bool:
    return abs(one - other) > slack * max(abs(one), abs(other))


def half_digit(value: float) -> float:
    """Half of the last printed digit: 0.07 -> 0.005. A whole number may have lost a decimal nought."""
    _, _, decimals = repr(float(value)).partition(".")
    digits = len(decimals) if decimals.strip("0") else 0
    return 0.5 * 10.0**-digits


def _slack(*printed: float) -> float:
    """How far, in parts, a product of these may be from what was computed before rounding."""
    return SLACK + sum(half_digit(value) / abs(value) for value in printed if value)


def find_wrong_rates(case: Case) -> Iterator[Finding]:
    """A rate that is not the requests, all or those that did not fail, over the time, for every tool that prints the three."""
    for run in case.counted:
        made, took, printed = run.complete_requests, run.duration_s, run.requests_per_second
        if not made or not took or not printed:
            continue
        slack = _slack(took, printed) + (max(SAMPLED, SAMPLE_S / took) if run.semantics.sampled_rate else 0)
        counts = made, made - (run.failed_requests or 0), made + run.count_of(run.semantics.in_rate_beside)
        if all(_differ(count / took, printed, slack) for count in counts):
            yield about_run(run, "caution", "contradiction", made=made, took=took, printed=printed)


def find_wrong_means(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        printed, made, took = run.number("time_per_request_ms"), run.complete_requests, run.duration_s
        if run.semantics.exact_mean and printed and made and took and run.concurrency:
            worked = run.concurrency * took * 1000 / made
            if _differ(worked, printed, _slack(took, printed)):
                facts = {"clients": run.concurrency, "took": took, "made": made, "worked": worked, "printed": printed}
                yield about_run(run, "caution", "contradiction", **facts)


def find_wrong_percentiles(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        table = sorted((float(percent), value) for percent, value in run.percentiles_ms.items())
        falling = next((pair for pair in zip(table, table[1:], strict=False) if pair[1][1] < pair[0][1]), None)
        if falling is not None:
            yield about_run(run, "caution", "contradiction", falling=falling)
            continue
        half, beyond, last = (run.percentiles_ms.get(name) for name in ("50", "66", "100"))
        median, longest = run.number("total_ms.median"), run.number("total_ms.max")
        if last is not None and longest is not None and abs(last - longest) > 1:
            yield about_run(run, "caution", "contradiction", what="max", table=last, total=longest)
            continue
        few = (run.complete_requests or 0) < ENOUGH_FOR_MEDIAN
        # The median may lie between two of the table's requests.
        if not few and half is not None and median is not None and not half - 1 <= median <= max(beyond or 0, half) + 1:
            yield about_run(run, "caution", "contradiction", what="median", table=half, total=median)


def find_wrong_concurrencies(case: Case) -> Iterator[Finding]:
    """More connections than users, or another number than rate times response time (Little's law)."""
    for run in case.counted:
        printed, users = run.number("concurrency"), run.number("users")
        if run.semantics.concurrency != "measured" or printed is None:
            continue
        if users and printed > users * (1 + SLACK) + half_digit(printed):
            yield about_run(run, "caution", "contradiction", printed=printed, users=users)
            continue
        rate, response = run.requests_per_second, run.number("response_time_s")
        if rate and response is not None:
            worked = rate * response
            step = half_digit(response) if response else 0.01
            if abs(worked - printed) > step * 1.2 * rate + 0.02 * max(worked, printed) + 0.1 and worked:
                yield about_run(run, "caution", "contradiction", printed=printed, worked=worked)


def find_wrong_availabilities(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        printed, hits = run.number("availability_pct"), run.number("transactions")
        failed = run.number("failed_transactions")
        if printed is not None and hits and failed is not None:
            worked = 100 * hits / (hits + failed)
            if (
                worked - printed > 0.5
            ):  # old versions count errors of HTTP as failed and leave them out of the availability
                facts = {"failed": failed, "hits": hits, "worked": worked, "printed": printed}
                yield about_run(run, "caution", "contradiction", **facts)


def find_lost_syns(case: Case) -> Iterator[Finding]:
    """A connect that took just as long as the timer for a lost SYN: the backlog of the listening socket overflowed."""
    for run in case.counted:
        longest, mean = run.number("connect_ms.max"), run.number("connect_ms.mean")
        seconds = syn_timer(longest)
        if longest is not None and seconds is not None and not (mean is not None and mean > longest / 3):
            yield about_run(run, "caution", "syn", longest=longest, seconds=seconds)


def syn_timer(longest_ms: float | None) -> int | None:
    """The sum of SYN timers that the time lies just behind, in s."""
    if longest_ms is None:
        return None
    for seconds in AGAIN_S:
        if seconds * 1000 - EARLY_MS <= longest_ms <= seconds * 1000 * (1 + LATE):
            return seconds
    return None


def find_hanging_requests(case: Case) -> Iterator[Finding]:
    """What the percentiles leave out. A client that waits for its answer sends nothing meanwhile: coordinated omission."""
    for run in case.counted:
        p99, longest, mean = run.percentiles_ms.get("99"), run.max_ms, run.mean_ms
        if p99 is None or not 0 <= p99 < HUGE:
            continue
        # At most p99 each: what is left of all clients' time went into the slowest hundredth.
        slowest = 1 - 0.99 * p99 / mean if mean and p99 and 0 < mean < HUGE and run.set_rate is None else 0.0
        if slowest >= OMITTED:
            severity: Severity = "caution" if slowest >= MOSTLY_OMITTED else "note"
            yield about_run(run, severity, "omission", p99=p99, mean=mean, longest=longest, slowest=slowest)
        elif longest is not None and longest >= TIMES_P99 * p99 and longest - p99 >= HANG_MS:
            yield about_run(run, "note", "hung", p99=p99, longest=longest, times=TIMES_P99)


def find_refused_keepalive(case: Case) -> Iterator[Finding]:
    """Keep-alive was asked for, and most connections were closed all the same."""
    for run in case.counted:
        kept, made = run.number("keepalive_requests"), run.complete_requests
        if kept is not None and made and kept <= made / 2 and not run.failed_requests:
            yield about_run(run, "note", "not_kept", kept=kept, made=made)


def find_coarse_times(case: Case) -> Iterator[Finding]:
    for run in case.counted:
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


def find_times_within_a_step(case: Case) -> Iterator[Finding]:
    """A config's times that are one step from what they stand against: they may be equal, or two steps apart.

    Times of a few steps are the subject of find_coarse_times.
    """
    for at, base in enumerate(find_baselines(case.columns)):
        mine, its = case.columns[at].runs, case.columns[base].runs
        if at == base or not mine or not its or min(len(mine), len(its)) >= MANY_REPEATS:
            continue
        step = max([step_ms(run) or 0 for run in (*mine, *its)])
        near = []
        for name, own, other in _mean_times(mine, its):
            if 0 < abs(own - other) <= step and FEW_STEPS * step < max(own, other) <= MANY_STEPS * step:
                near.append((name, own, other))
        if near:
            sources = tuple(run.source_of("percentiles_ms.50", "mean_ms") for run in (mine[0], its[0]))
            facts = {"step": step, "near": near}
            yield Finding("note", "within_step", facts, sources, config=case.columns[at].config.id)


def _mean_times(mine: Sequence[RunFact], its: Sequence[RunFact]) -> Iterator[tuple[str, float, float]]:
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


def find_short_runs(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        took = seconds_taken(run)
        if took is not None and took < LEAST_S and not run.aborted:
            facts = {"took": took, "made": run.requests_made, "clients": run.clients, "least_s": LEAST_S}
            yield about_run(run, "caution", "too_short", **facts)


def find_few_requests_each(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        made, clients = run.requests_made, run.clients
        if made and clients and made < LEAST_EACH * clients and not run.aborted:
            yield about_run(run, "caution", "few_each", made=made, clients=clients, least=LEAST_EACH)


def find_few_for_p99(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        made = run.requests_made
        if made and made < LEAST_FOR_P99 and "99" in run.percentiles_ms:
            yield about_run(run, "note", "few_for_p99", made=made, least=LEAST_FOR_P99)


def _rated(column: Column) -> list[tuple[RunFact, float]]:
    """A column's repeats in order, with their rates."""
    return [(run, rate) for run in column.runs if 0 < (rate := run.requests_per_second or 0) < HUGE]


def find_cold_starts(case: Case) -> Iterator[Finding]:
    for column in case.columns:
        rated = _rated(column)
        if len(rated) < 2 or rated[0][0].repeat == rated[1][0].repeat:
            continue
        (first, rate), later = rated[0], [later for _, later in rated[1:]]
        if rate < min(fmean(later) * (1 - COLD), min(later) - COLD_SPREADS * (max(later) - min(later))):
            yield about_run(first, "caution", "cold", first=rate, mean=fmean(later), later=len(later))


def find_outlying_repeats(case: Case) -> Iterator[Finding]:
    """Repeats far from the others; a slow first one is a cold start."""
    for column in case.columns:
        rated = _rated(column)
        rates = [rate for _, rate in rated]
        for at in find_outliers([math.log(rate) for rate in rates]):
            if at or rates[0] > median(rates):
                yield about_run(rated[at][0], "caution", "outlier", rate=rates[at], usual=median(rates), n=len(rates))


def find_drifting_repeats(case: Case) -> Iterator[Finding]:
    """A rate that falls or rises from repeat to repeat: throttling, or a system that is not warm yet."""
    for column in case.columns:
        rated = _rated(column)
        rates = [rate for _, rate in rated]
        slope = (
            common_slope([(range(len(rates)), [math.log(rate) for rate in rates])])
            if len(rates) >= LEAST_DRIFTING
            else None
        )
        if slope is None or slope.p >= DRIFT_P or abs(slope.per_run) * (len(rates) - 1) < DRIFT:
            continue
        facts = {"first": rates[0], "last": rates[-1], "n": len(rates), "p": slope.p}
        sources = tuple(run.source_of("requests_per_second") for run, _ in (rated[0], rated[-1]))
        moral = "slower" if slope.per_run < 0 else "faster"
        yield Finding("caution", moral, facts, sources, config=column.config.id)


def find_set_rates(case: Case) -> Iterator[Finding]:
    """Load generators that send at a rate that was set: their rate is a setting until it is missed."""
    for run in case.counted:
        asked, got = run.set_rate, run.requests_per_second
        if asked and got and got >= KEPT_UP * asked:
            yield about_run(run, "caution", "rate_was_set", asked=asked, got=got)
