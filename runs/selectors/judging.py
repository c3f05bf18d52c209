"""What can be concluded from a comparison, and what makes it doubtful. Worked out once, until something changes.

The key under which it is kept is a digest of everything that it is worked out from (the stored rows as facts, people's
rulings, what repeats elsewhere vary by) and of the code that does it. So a rename, a moved run, a text read anew or a
new version needs nobody to remember that something must be forgotten.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.core.cache import caches

from runs import analysis
from runs.analysis import export, table
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
from runs.selectors import reads, repeats

KEPT_S = 7 * 24 * 3600


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

    def silent(self, comparison: Comparison) -> dict[int, str]:
        """Column index -> why nothing of it counts."""
        return dict(self.judgement.silent)

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
    case, spread = reads.case_of(material), repeats.elsewhere(comparison)
    key = _key(case, spread)
    kept = caches["conclusions"]
    found: Judged | None = kept.get(key)
    if found is None:
        found = _judge(case, spread, comparison)
        kept.set(key, _with_columns(found, ()), KEPT_S)
    return _with_columns(found, comparison.columns)


def _with_columns(found: Judged, columns: tuple[Column, ...]) -> Judged:
    """Columns hold all the runs, which the page has read anyway: they are not kept a second time."""
    return replace(found, cost=replace(found.cost, columns=columns)) if found.cost else found


def _judge(case: Case, spread: Spread | None, comparison: Comparison) -> Judged:
    found = find_doubts(case)
    out, away = excluded(found), apart(found)
    judgement = add_words(comparison, judge(comparison, excluded=out, apart=away, spread=spread))
    return Judged(
        doubts=found,
        judgement=judgement,
        differences=compare_configs(case.configs, case.texts),
        sweeps=sweeps(case.configs, case.runs, excluded=out),
        cost=cost(comparison, case.captures, hosts=case.hosts, texts=case.texts, excluded=out),
        out=out,
        apart=away,
    )


def _key(case: Case, spread: Spread | None) -> str:
    rows = _rows(case.captures, "processes")
    captures = [(row, _rows(capture.processes)) for row, capture in zip(rows, case.captures, strict=True)]
    others = (_rows(each) for each in (case.configs, case.runs, case.texts, case.hosts, case.rulings))
    facts = (captures, *others, spread)
    return f"judged-{_code()}-{hashlib.sha256(pickle.dumps(facts)).hexdigest()}"


def _rows(items: Sequence[Any], without: str = "") -> list[Any]:
    """Dataclasses of one kind as plain tuples of all their fields, which are digested four times as fast."""
    if not items:
        return []
    values = attrgetter(*(field.name for field in fields(items[0]) if field.name != without))
    return [values(item) for item in items]


@cache
def _code() -> str:
    """A digest of the analysis' own source: another version must not answer with this one's conclusions."""
    digest = hashlib.sha256()
    for file in (Path(__file__), *sorted(Path(analysis.__path__[0]).rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
