"""Rules of doubts about runs as samples of their config: too short, cold, far off the others, drifting, copied."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, median

from runs.analysis.columns import Column
from runs.analysis.doubt_case import Case, about_run, rule, run_rule, seconds_taken
from runs.analysis.facts import HUGE, Finding, RunFact
from runs.analysis.stats import common_slope, find_outliers

COLD = 0.15  # repeats of a steady server differ by a few per cent; a first one this far off is none of the others
ALIKE = 0.02  # a run that is no slower than that is not what its beginning made of it
COLD_SPREADS = 2  # with several later ones, also so many times as far as they lie from each other
FINE_DIGITS, ENOUGH_FINE = 4, 3  # so many figures of so many digits are no accident
LEAST_DRIFTING, DRIFT_P = 4, 0.02  # repeats that show a drift; chance alone has so straight a line in 1 of 50 configs,
DRIFT = 0.05  # and it must be 5 % from the first to the last
LEAST_S, LEAST_EACH, LEAST_FOR_P99 = 10, 10, 1000


@run_rule("length.seconds", "practice: start-up and caches change a rate over seconds", "duration_s")
def find_short_runs(run: RunFact) -> Iterator[Finding]:
    took = seconds_taken(run)
    if took is not None and took < LEAST_S and not run.aborted:
        facts = {"took": took, "made": run.requests_made, "clients": run.clients, "least_s": LEAST_S}
        yield about_run(run, "caution", "too_short", **facts)


@run_rule("length.per_client", "practice: each client's first requests meet cold caches", "complete_requests")
def find_few_requests_each(run: RunFact) -> Iterator[Finding]:
    made, clients = run.requests_made, run.clients
    if made and clients and made < LEAST_EACH * clients and not run.aborted:
        yield about_run(run, "caution", "few_each", made=made, clients=clients, least=LEAST_EACH)


@run_rule("length.p99", "order statistics: n/100 requests lie beyond the 99th percentile", "percentiles_ms.99")
def find_few_for_p99(run: RunFact) -> Iterator[Finding]:
    made = run.requests_made
    if made and made < LEAST_FOR_P99 and "99" in run.percentiles_ms:
        yield about_run(run, "note", "few_for_p99", made=made, least=LEAST_FOR_P99)


def _list_rated(column: Column) -> list[tuple[RunFact, float]]:
    """A column's repeats in order, with their rates."""
    return [(run, rate) for run in column.runs if 0 < (rate := run.requests_per_second or 0) < HUGE]


@rule(
    "warmth.first",
    "Kalibera and Jones, Rigorous Benchmarking in Reasonable Time (2013): leave warm-up out",
    "requests_per_second",
)
def find_cold_starts(case: Case) -> Iterator[Finding]:
    for column in case.columns:
        rated = _list_rated(column)
        if len(rated) < 2 or rated[0][0].repeat == rated[1][0].repeat:
            continue
        (first, rate), later = rated[0], [later for _, later in rated[1:]]
        if rate < min(fmean(later) * (1 - COLD), min(later) - COLD_SPREADS * (max(later) - min(later))):
            yield about_run(first, "caution", "cold", first=rate, mean=fmean(later), later=len(later))


@rule("warmth.beforehand", "practice: alike runs begin alike", "requests_per_second")
def find_slow_beginnings(case: Case) -> Iterator[Finding]:
    """Runs before which something slow was done or shown that was not for all configs, and that are slower than others."""
    told_of = {run.id: told for run in case.counted_runs if isinstance(told := run.values.get("beforehand"), dict)}
    of_columns = [{kind for run in column.runs for kind in told_of.get(run.id, ())} for column in case.columns]
    of_all = set.intersection(*of_columns) if of_columns else set()
    for column in case.columns if len(of_columns) > 1 else ():
        calm = [rate for run, rate in _list_rated(column) if told_of.get(run.id, {}).keys() <= of_all]
        for run in column.runs:
            is_alike = bool(calm) and (run.requests_per_second or 0) >= min(calm) * (1 - ALIKE)
            for kind, what in told_of.get(run.id, {}).items():
                if kind not in of_all and (kind == "load" or not is_alike):  # other work may go on beside all runs
                    yield about_run(run, "caution", "beforehand", kind=kind, what=str(what))


@rule("repeats.outlier", "robust statistics: the median absolute deviation", "requests_per_second")
def find_outlying_repeats(case: Case) -> Iterator[Finding]:
    """Repeats far from the others; a slow first one is a cold start."""
    for column in case.columns:
        rated = _list_rated(column)
        rates = [rate for _, rate in rated]
        for at in find_outliers([math.log(rate) for rate in rates]):
            if at or rates[0] > median(rates):
                yield about_run(rated[at][0], "caution", "outlier", rate=rates[at], usual=median(rates), n=len(rates))


@rule("repeats.copied", "practice: no two runs have all figures alike to the last digit")
def find_copies(case: Case) -> Iterator[Finding]:
    """A report that stands under an earlier config as well, digit for digit: no two runs are that alike."""
    seen: dict[tuple[object, ...], RunFact] = {}
    for run in case.counted_runs:
        printed = (run.requests_per_second, run.duration_s, run.mean_ms, run.max_ms, *run.percentiles_ms.values())
        numbers = {value for value in (*printed, *run.values.values()) if isinstance(value, (int, float)) and value}
        fine = {value for value in numbers if len(f"{value:.9g}".replace(".", "").strip("0")) >= FINE_DIGITS}
        first = seen.setdefault((run.tool, run.complete_requests, *printed), run)
        if first.config != run.config and len(fine) >= ENOUGH_FINE and first.values == run.values:
            yield about_run(run, "fatal", "copied", of=case.titles[first.id])


@rule("repeats.trend", "a straight line through the logs of the rates in their order")
def find_drifting_repeats(case: Case) -> Iterator[Finding]:
    """A rate that falls or rises from repeat to repeat: throttling, or a system that is not warm yet."""
    for column in case.columns:
        rated = _list_rated(column)
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
