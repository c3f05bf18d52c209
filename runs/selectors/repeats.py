"""What repeats kept here vary by: the measure for single runs that have no repeats of their own to go by."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Q

from runs.analysis import stats
from runs.analysis.table import Comparison
from runs.analysis.verdict import Spread
from runs.models import Run
from runs.selectors.lists import union_rows

METRICS = ("requests_per_second", "mean_ms", "max_ms")
# The newest runs tell of the machines and tools in use now, and more would only take longer.
MOST_RUNS = 2000
# Runs at half to double the concurrency are a similar load.
SIMILAR = 2


def elsewhere(comparison: Comparison) -> Spread | None:
    """Of runs by the same tools at similar concurrency, all in one set that have one fingerprint. One query at most.

    None where the comparison has repeats of its own, which tell more, or where nothing here was ever repeated.
    """
    runs = [run for column in comparison.columns for run in column.runs]
    if not runs or any(len(column.runs) > 1 for column in comparison.columns):
        return None
    tools = sorted({run.tool for run in runs})
    users = [run.concurrency for run in runs if run.concurrency]
    sets = _sets(tools, (min(users) / SIMILAR, max(users) * SIMILAR) if users else None)
    pools = {metric: pool for metric in METRICS if (pool := stats.pooled(sets[metric]))}
    return Spread(pools, f"of other {' and '.join(tools)} runs kept here") if pools else None


def _sets(tools: list[str], users: tuple[float, float] | None) -> dict[str, list[list[float]]]:
    """For each metric the logs of every set of runs that were alike in all that a fingerprint holds.

    Each tool's newest runs are read along its index: among all runs those of a rare tool may be far away.
    """
    sound = Q(counted=True, partial=False, aborted=False)
    alike = Run.objects.filter(sound, Q(concurrency__range=users) if users else Q()).order_by("id")
    newest = [Run.objects.filter(tool=tool).order_by("-id").values("pk")[: MOST_RUNS // len(tools)] for tool in tools]
    parts = [alike.filter(pk__in=ids).values_list("fingerprint", *METRICS) for ids in newest]
    sets: dict[str, dict[str, list[float]]] = {metric: defaultdict(list) for metric in METRICS}
    for fingerprint, *values in union_rows(parts):
        for metric, value in zip(METRICS, values, strict=True):
            sets[metric][fingerprint] += stats.logs([value]) or [] if value is not None else []
    return {metric: list(found.values()) for metric, found in sets.items()}
