"""The table of a comparison, judged row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from runs.analysis import stats
from runs.analysis.pairs import bases
from runs.analysis.table import Comparison, Row
from runs.analysis.verdict.crosscheck import without_hollow_gains
from runs.analysis.verdict.decide import HERE, Setting, decide
from runs.analysis.verdict.evidence import weigh
from runs.analysis.verdict.failures import judge_failures, tries
from runs.analysis.verdict.metrics import ALL_TOGETHER, COUNTS, Judged, judged, step
from runs.analysis.verdict.sentence import sentence
from runs.analysis.verdict.shapes import Judgement, Spread, Verdict

Verdicts = dict[int, Verdict]


def judge(
    comparison: Comparison,
    *,
    excluded: Mapping[int, str] | None = None,
    apart: Mapping[int, str] | None = None,
    spread: Spread | None = None,
) -> Judgement:
    """Verdicts for every judged row, and the sentence.

    excluded: run id -> why its figures do not count. apart: setup id -> why the config is not comparable with its
    baseline. spread: what repeats elsewhere vary by, for rows that have none in this comparison.
    """
    case = _case(comparison, excluded or {}, apart or {}, spread)
    found: dict[tuple[str, int], Verdict] = {}
    metrics = []
    for group in comparison.groups:
        for row in group.rows:
            what = judged(row)
            verdicts = _row(case, row, what) if what else {}
            if verdicts and what:
                metrics.append(row.key)
                found |= {(row.key, at): verdict for at, verdict in verdicts.items()}
    found = without_hollow_gains(found, comparison, case.bases)
    made = Judgement("", tuple(metrics), case.bases, found)
    return replace(made, sentence=sentence(comparison, made, case.silent))


@dataclass(frozen=True, slots=True)
class Case:
    """`silent`: columns all of whose runs are excluded or that are not comparable, with the reason."""

    comparison: Comparison
    excluded: Mapping[int, str]
    silent: Mapping[int, str]
    bases: tuple[int, ...]
    spread: Spread | None

    def values(self, row: Row, column: int) -> list[float]:
        """A metric's values that count: numbers only, none of an excluded run or of a monitor beside one."""
        if column in self.silent:
            return []
        figures = [one for one in row.cells[column].figures if one.run not in self.excluded]
        if ALL_TOGETHER in row.key:
            figures = [one for one in figures if not one.partial]
        return [one.value for one in figures if math.isfinite(one.value)]


def _case(comparison: Comparison, excluded: Mapping[int, str], apart: Mapping[int, str], spread: Spread | None) -> Case:
    silent = {}
    for at, column in enumerate(comparison.columns):
        if column.setup.id in apart:
            silent[at] = apart[column.setup.id]
        elif column.runs and all(run.id in excluded for run in column.runs):
            silent[at] = excluded[column.runs[0].id]
    return Case(comparison, excluded, silent, bases(comparison.columns, silent), spread)


def _row(case: Case, row: Row, what: Judged) -> Verdicts:
    """A verdict for each column that has figures and a baseline that has some."""
    pairs = [(at, base) for at, base in enumerate(case.bases) if at != base and row.cells[at].figures]
    if row.key in COUNTS:  # also of runs that do not count: failing may be why
        return _failures(case, row, pairs)
    found = {at: Verdict("none", base, f"not counted: {case.silent[at]}") for at, base in pairs if at in case.silent}
    return found | _measures(case, row, what, pairs)


def _failures(case: Case, row: Row, pairs: list[tuple[int, int]]) -> Verdicts:
    found = {}
    for at, base in pairs:
        own, other = (tries(case.comparison.columns[column].runs, row.key) for column in (at, base))
        if own and other:
            found[at] = judge_failures(row.key, other, own, base)
    return found


def _measures(case: Case, row: Row, what: Judged, pairs: list[tuple[int, int]]) -> Verdicts:
    values = [case.values(row, at) for at in range(len(row.cells))]
    weighed = {at: (base, weigh(values[base], values[at])) for at, base in pairs if values[at] and values[base]}
    tested = [(at, one.p) for at, (_, one) in weighed.items() if one.p is not None]
    adjusted = dict(zip((at for at, _ in tested), stats.holm([p for _, p in tested]), strict=True))
    pool, where = _pool(case, what, values)
    found = {}
    for at, (base, evidence) in weighed.items():
        tools = {run.tool for column in (at, base) for run in case.comparison.columns[column].runs}
        setting = Setting(what, row.kind, row.unit, pool, where, len(weighed), step(tools, row))
        found[at] = decide(evidence, adjusted.get(at), base, setting)
    return found


def _pool(case: Case, what: Judged, values: list[list[float]]) -> tuple[stats.Pool | None, str]:
    """What repeats vary by, in this comparison if they tell, else elsewhere; repeats all equal tell nothing."""
    own = stats.pooled(logged for side in values if len(side) > 1 and (logged := stats.logs(side)))
    if own and own.squares:
        return own, HERE
    if case.spread is None:
        return None, ""
    other = case.spread.pools.get(what.key) or case.spread.pools.get(what.like)
    return (other, case.spread.where) if other and other.squares else (None, "")
