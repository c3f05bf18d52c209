"""The table of a comparison, judged row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from runs.analysis import stats
from runs.analysis.columns import bases
from runs.analysis.numbers import mean
from runs.analysis.table import Comparison, Row
from runs.analysis.verdict.crosscheck import without_hollow_gains
from runs.analysis.verdict.decide import HERE, Setting, decide
from runs.analysis.verdict.evidence import Evidence, Side, side, weigh
from runs.analysis.verdict.failures import Tries, adjusted, judge_failures, tries
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

    excluded: run id -> why its figures do not count. apart: config id -> why the config is not comparable with its
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
    found = without_hollow_gains(found, case.tries, case.bases)
    made = Judgement("", tuple(metrics), case.bases, found)
    return replace(made, sentence=sentence(comparison, made, case.silent))


@dataclass(frozen=True, slots=True)
class Case:
    """What a judgement is made from.

    silent  columns all of whose runs are excluded or that are not comparable, with the reason
    tries   for each count of failures what every column's runs tell; where none counts all do, as failing may be why
    """

    comparison: Comparison
    excluded: Mapping[int, str]
    silent: Mapping[int, str]
    bases: tuple[int, ...]
    spread: Spread | None
    tries: Mapping[str, list[list[Tries]]]

    def values(self, row: Row, column: int) -> list[float]:
        """A metric's values that count: numbers only, none of an excluded run or of a monitor beside one.

        Several captures beside one run are its mean, and so are those beside none: they are no repeats of anything.
        """
        if column in self.silent:
            return []
        figures = [one for one in row.cells[column].figures if one.run not in self.excluded]
        if ALL_TOGETHER in row.key:
            figures = [one for one in figures if not one.partial]
        by_run: dict[int | None, list[float]] = {}
        for one in figures:
            if math.isfinite(one.value):
                by_run.setdefault(one.run, []).append(one.value)
        return [values[0] if len(values) == 1 else mean(values) for values in by_run.values()]


def _case(comparison: Comparison, excluded: Mapping[int, str], apart: Mapping[int, str], spread: Spread | None) -> Case:
    silent = {}
    for at, column in enumerate(comparison.columns):
        if column.config.id in apart:
            silent[at] = apart[column.config.id]
        elif column.runs and all(run.id in excluded for run in column.runs):
            silent[at] = excluded[column.runs[0].id]
    counted = [[run for run in column.runs if run.id not in excluded] or column.runs for column in comparison.columns]
    tried = {key: [tries(runs, key) for runs in counted] for key in COUNTS}
    return Case(comparison, excluded, silent, bases(comparison.columns, silent), spread, tried)


def _row(case: Case, row: Row, what: Judged) -> Verdicts:
    """A verdict for each column that has figures and a baseline that has some."""
    pairs = [(at, base) for at, base in enumerate(case.bases) if at != base]
    if row.key in COUNTS:
        return _failures(case, row, pairs)
    pairs = [(at, base) for at, base in pairs if row.cells[at].figures]
    found = {at: Verdict("none", base, f"not counted: {case.silent[at]}") for at, base in pairs if at in case.silent}
    return found | _measures(case, row, what, pairs)


def _failures(case: Case, row: Row, pairs: list[tuple[int, int]]) -> Verdicts:
    """Where both sides tell, and either has some."""
    tried = case.tries[row.key]
    found = {}
    for at, base in pairs:
        own, other = tried[at], tried[base]
        if own and other and any(one.bad for one in (*own, *other)):
            found[at] = judge_failures(row.key, other, own, base)
    return adjusted(found)


def _measures(case: Case, row: Row, what: Judged, pairs: list[tuple[int, int]]) -> Verdicts:
    sides = {at: side(values) for at in range(len(row.cells)) if (values := case.values(row, at))}
    weighed = {at: (base, weigh(sides[base], sides[at])) for at, base in pairs if at in sides and base in sides}
    tested = {at: one.p for at, (_, one) in weighed.items() if one.p is not None}
    after_holm = dict(zip(tested, stats.holm(list(tested.values())), strict=True))
    pool, where = _pool(case, what, sides.values())
    found = {}
    for at, (base, evidence) in weighed.items():
        tools = {run.tool for column in (at, base) for run in case.comparison.columns[column].runs}
        floor = _floor(tested, at, evidence)
        least = step(tools, row)
        setting = Setting(what, row.kind, row.unit, pool, where, len(weighed), len(tested), floor, least)
        found[at] = decide(evidence, after_holm.get(at), base, setting)
    return found


def _floor(tested: Mapping[int, float], at: int, evidence: Evidence) -> float:
    """The least p after Holm that this column's repeats could have come to, beside the others' as they are."""
    if evidence.effect is None:
        return 0.0
    least = dict(tested) | {at: stats.least_p(evidence.n_base, evidence.n)}
    return dict(zip(least, stats.holm(list(least.values())), strict=True))[at]


def _pool(case: Case, what: Judged, sides: Iterable[Side]) -> tuple[stats.Pool | None, str]:
    """What repeats vary by, in this comparison if they tell, else elsewhere; repeats all equal tell nothing."""
    own = stats.pooled(one.logs for one in sides if one.logs)
    if own and own.squares:
        return own, HERE
    if case.spread is None:
        return None, ""
    other = case.spread.pools.get(what.key) or case.spread.pools.get(what.like)
    return (other, case.spread.where) if other and other.squares else (None, "")
