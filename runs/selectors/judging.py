"""What can be concluded from a comparison, and what makes it doubtful. Worked out once, until something changes.

The key under which it is kept is a digest of everything that it is worked out from (the stored rows as facts, people's
rulings, what repeats elsewhere vary by) and of the code that does it. So a rename, a moved run, a text read anew or a
new version needs nobody to remember that something must be forgotten.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.core.cache import caches
from django.db.models import Q

from runs import analysis
from runs.analysis import export, stats, table
from runs.analysis.columns import Column
from runs.analysis.config_diff import ConfigDiff, compare_configs
from runs.analysis.cost import Cost, cost
from runs.analysis.doubt_case import Case
from runs.analysis.doubts import Doubt, apart, excluded, find_doubts
from runs.analysis.judgement import judge
from runs.analysis.scaling import Sweep, sweeps
from runs.analysis.table import Comparison, against
from runs.analysis.verdict import Judgement, Spread
from runs.analysis.verdict_wording import add_words
from runs.models import Run
from runs.selectors import reads
from runs.selectors.lists import union_rows

KEPT_S = 7 * 24 * 3600
METRICS = ("requests_per_second", "mean_ms", "max_ms")
# The newest runs tell of the machines and tools in use now, and more would only take longer.
MAX_RUNS = 2000
# Runs at half to double the concurrency are a similar load.
SIMILAR_FACTOR = 2


@dataclass(frozen=True, slots=True)
class Judged:
    """All that is concluded. `out` and `apart`: run id and config id -> why it is kept out of the verdicts."""

    doubts: list[Doubt]
    judgement: Judgement
    differences: ConfigDiff
    sweeps: list[Sweep]
    cost: Cost | None
    out: dict[int, str]
    apart: dict[int, str]

    def as_dict(self, comparison: Comparison) -> dict[str, Any]:
        """All of it with the table, for JSON."""
        return export.whole(
            comparison,
            judgement=self.judgement,
            doubts=self.doubts,
            sweeps=self.sweeps,
            cost=self.cost,
            differences=self.differences,
        )


def compared(material: reads.Material) -> tuple[Comparison, Judged]:
    """The table of this material, each column against the baseline that it is judged against, and the conclusions."""
    comparison = table.compare(material.configs, material.runs, material.captures)
    found = judged(material, comparison)
    return against(comparison, found.judgement.bases), found


def judged(material: reads.Material, comparison: Comparison) -> Judged:
    """The conclusions for this material, whose table is `comparison`. Two queries: rulings, and repeats elsewhere."""
    case, spread = reads.case_of(material), spread_elsewhere(comparison)
    key = _key(case, spread)
    kept = caches["conclusions"]
    found: Judged | None = kept.get(key)
    if found is None:
        doubts = find_doubts(case)
        out, away = excluded(doubts), apart(doubts)
        has_costs = case.captures or case.hosts
        found = Judged(
            doubts=doubts,
            judgement=add_words(comparison, judge(comparison, excluded=out, apart=away, spread=spread)),
            differences=compare_configs(case.configs, case.texts),
            sweeps=sweeps(case.configs, case.runs, excluded=out),
            cost=cost(comparison, case.captures, hosts=case.hosts, texts=case.texts, excluded=out)
            if has_costs
            else None,
            out=out,
            apart=away,
        )
        kept.set(key, _with_columns(found, ()), KEPT_S)
    return _with_columns(found, comparison.columns)


def _with_columns(found: Judged, columns: tuple[Column, ...]) -> Judged:
    """Columns hold all the runs, which the page has read anyway: they are not kept a second time."""
    return replace(found, cost=replace(found.cost, columns=columns)) if found.cost else found


def _key(case: Case, spread: Spread | None) -> str:
    rows = _rows(case.captures, "processes")
    captures = [(row, _rows(capture.processes)) for row, capture in zip(rows, case.captures, strict=True)]
    others = [_rows(each) for each in (case.configs, case.runs, case.texts, case.hosts, case.rulings)]
    facts = (captures, *others, spread)
    return f"judged-{_code()}-{hashlib.sha256(pickle.dumps(facts)).hexdigest()}"


def _rows(items: Sequence[Any], without: str = "") -> list[Any]:
    """Dataclasses of one kind as plain tuples of all their fields, which are digested four times as fast."""
    if not items:
        return []
    values = attrgetter(*[field.name for field in fields(items[0]) if field.name != without])
    return [values(item) for item in items]


@cache
def _code() -> str:
    """A digest of the analysis' own source: another version must not answer with this one's conclusions."""
    digest = hashlib.sha256()
    for file in (Path(__file__), *sorted(Path(analysis.__path__[0]).rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def spread_elsewhere(comparison: Comparison) -> Spread | None:
    """Of runs by the same tools at similar concurrency, all in one set that have one fingerprint. One query at most.

    None where the comparison has repeats of its own, which tell more, or where nothing here was ever repeated.
    """
    runs = [run for column in comparison.columns for run in column.runs]
    if not runs or max([len(column.runs) for column in comparison.columns]) > 1:
        return None
    tools = sorted({run.tool for run in runs})
    users = [run.concurrency for run in runs if run.concurrency]
    sets = _comparable_sets(tools, (min(users) / SIMILAR_FACTOR, max(users) * SIMILAR_FACTOR) if users else None)
    pools = {metric: pool for metric in METRICS if (pool := stats.pooled(sets[metric]))}
    return Spread(pools, f"of other {' and '.join(tools)} runs kept here") if pools else None


def _comparable_sets(tools: list[str], users: tuple[float, float] | None) -> dict[str, list[list[float]]]:
    """For each metric the logs of every set of runs that were alike in all that a fingerprint holds.

    Each tool's newest runs are read along its index: among all runs those of a rare tool may be far away.
    """
    sound = Q(counted=True, partial=False, aborted=False)
    alike = Run.objects.filter(sound, Q(concurrency__range=users) if users else Q()).order_by("id")
    newest = [Run.objects.filter(tool=tool).order_by("-id").values("pk")[: MAX_RUNS // len(tools)] for tool in tools]
    parts = [alike.filter(pk__in=ids).values_list("fingerprint", *METRICS) for ids in newest]
    sets: dict[str, dict[str, list[float]]] = {metric: defaultdict(list) for metric in METRICS}
    for fingerprint, *values in union_rows(parts):
        for metric, value in zip(METRICS, values, strict=True):
            sets[metric][fingerprint] += stats.logs([value]) or [] if value is not None else []
    return {metric: list(found.values()) for metric, found in sets.items()}
