"""Which config is better, and how sure that is, as kinds and numbers; verdict_wording has the sentences.

How it is decided, metric by metric, each config against the first of its block (see columns.find_baselines):
  10 repeats a side and more  Brunner-Munzel's rank test, with the shifts that it does not reject
  2 to 9                      Welch's test on the logs, with its interval
  4 pairs of runs by turns    the paired t test instead of both, with its interval
  1                           no test: the ratio beside what repeats vary by, in the comparison, else elsewhere
  always                      Holm over the configs of one metric; "same" where the whole interval is within 2 %
Beyond what repeats vary by (99 %), a difference that no test could prove is called likely. Of sides that were measured one
after the other, a difference that a drift could explain is undecided where the runs drift that way, and likely elsewhere.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from runs.analysis import stats
from runs.analysis.columns import Column, find_baselines
from runs.analysis.failures import FAILURE_COUNTS, Attempts, failed_share, judge_failures, read_attempts
from runs.analysis.table import Comparison, Group, Row
from runs.analysis.verdict import (
    ALPHA,
    GAINS,
    LOSSES,
    MARGIN,
    SINGLE_REACH,
    UNKNOWN_REACH,
    ComparedSides,
    Ground,
    JudgedRow,
    Judgement,
    Kind,
    Scale,
    Side,
    Spread,
    Verdict,
    Verdicts,
    Void,
    compare_sides,
    estimate_repeats,
    ratio,
)
from runs.numbers import mean

# The step in which a tool prints a metric, by the name of its declaration.
STEPS = {"requests_per_second": "rate_step", "mean_ms": "mean_step_ms", "max_ms": "max_step_ms"}
PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)_ms")
# A sum over processes, which a listing quoted in part gets wrong.
ALL_TOGETHER = ":_all_together"
# From here on a percentile is a tail: a few slow requests make it.
TAIL = 90
# A spread borrowed from other configs must be exceeded at this confidence, as nothing says that they vary alike.
FAR = 0.99
# From so few degrees of freedom Student's limit says more of our ignorance than of the runs; the limit is then that of
# runs of which nothing at all is known.
FEW_DF = 4
# From so many repeats a side its own spread is the measure, whatever others vary by.
ENOUGH_TO_VARY = 3
# Logs of 1 and 3 must not lie further apart than those of 100 and 300.
ROUNDING = 1 + 1e-9
# A failure is often answered sooner than a success, so that this much more of them may be all that a gain consists of.
MORE_FAILED = 0.01


def judge(
    comparison: Comparison,
    *,
    excluded: Mapping[int, str] | None = None,
    apart: Mapping[int, str] | None = None,
    spread: Spread | None = None,
) -> Judgement:
    """Verdicts for every judged row.

    excluded: run id -> why its figures do not count. apart: config id -> why the config is not comparable with its
    baseline. spread: what repeats elsewhere vary by, for rows that have none in this comparison.
    """
    excluded, silent = excluded or {}, {}
    attempts: dict[str, list[list[Attempts]]] = {key: [] for key in FAILURE_COUNTS}
    for at, column in enumerate(comparison.columns):
        counted = [run for run in column.runs if run.id not in excluded]
        if apart and column.config.id in apart:
            silent[at] = apart[column.config.id]
        elif column.runs and not counted:
            silent[at] = excluded[column.runs[0].id]
        for key, per_column in attempts.items():
            # Where no run counts, the failures of all do, as failing may be why.
            per_column.append(read_attempts(counted or column.runs, key))
    runs = sorted((run for column in comparison.columns for run in column.runs), key=attrgetter("upload", "line", "id"))
    places = {run.id: place for place, run in enumerate(runs)}
    case = _Case(comparison, excluded, silent, find_baselines(comparison.columns, silent), spread, places, attempts)
    verdicts: dict[tuple[str, int], Verdict] = {}
    for row in comparison.rows:
        for at, verdict in _judge_row(case, row).items():
            verdicts[row.key, at] = verdict
    metrics = tuple(dict.fromkeys([key for key, _ in verdicts]))
    return Judgement(metrics, case.bases, _void_gains_by_failures(case, verdicts), silent)


@dataclass(frozen=True, slots=True)
class _Case:
    """What a judgement is made from.

    places    of the runs, by id, in the order of the texts
    attempts  for each count of failures what every column's runs print
    """

    comparison: Comparison
    excluded: Mapping[int, str]
    silent: Mapping[int, str]
    bases: tuple[int, ...]
    spread: Spread | None
    places: Mapping[int, int]
    attempts: Mapping[str, list[list[Attempts]]]

    def side(self, row: Row, column: int) -> Side | None:
        """A metric's values that count: numbers only, none of an excluded run or of a monitor beside one.

        Several captures beside one run are its mean, and so are those beside none: they are no repeats of anything.
        """
        if column in self.silent:
            return None
        by_run: dict[int | None, list[float]] = {}
        for figure in row.cells[column].figures:
            quoted = figure.partial and ALL_TOGETHER in row.key
            if figure.run not in self.excluded and not quoted and math.isfinite(figure.value):
                by_run.setdefault(figure.run, []).append(figure.value)
        if not by_run:
            return None
        values = [values[0] if len(values) == 1 else mean(values) for values in by_run.values()]
        return Side.of(values, [self.places[run] for run in by_run if run is not None] if None not in by_run else ())

    def pool(self, row: JudgedRow, sides: Iterable[Side]) -> tuple[stats.Pool | None, Spread | None]:
        """What repeats vary by, in this comparison if it has any, else elsewhere; repeats all equal say nothing."""
        own = stats.pool_spread(side.logs for side in sides if side.logs)
        if own and own.squares:
            return own, None
        if self.spread is None:
            return None, None
        other = self.spread.pools.get(row.key) or self.spread.pools.get(row.like)
        return (other, self.spread) if other and other.squares else (None, None)

    def most_repeats(self, *columns: int) -> int:
        """How many runs a side were to be made at most, where they were tested after each round; 0 where they were not.

        Further texts, such as a second such test, count as rounds that were looked at too.
        """
        sides = [self.comparison.columns[at].runs for at in columns]
        if not any(run.most_repeats for runs in sides for run in runs):
            return 0
        planned: dict[int, int] = {}
        for runs in sides:
            made = Counter(run.upload for run in runs)
            for run in runs:
                planned[run.upload] = max(planned.get(run.upload, 0), run.most_repeats or made[run.upload])
        return sum(planned.values())

    def step(self, row: Row, *columns: int) -> float:
        """The least difference that the tools print in a row, in its unit; 0 where it is too fine to matter."""
        if row.unit == "MiB" and all(figure.value % 1 == 0 for cell in row.cells for figure in cell.figures):
            return 1.0  # a monitor prints large processes in whole MiB
        name = "percentile_step_ms" if PERCENTILE.fullmatch(row.key) else STEPS.get(row.key)
        if name is None:
            return 0.0
        steps: list[float] = [
            getattr(run.semantics, name) for at in columns for run in self.comparison.columns[at].runs
        ]
        return max(steps, default=0.0)


def judged_row(row: Row) -> JudgedRow | None:
    """None for what is no merit: settings, parts of sums, rows that only mirror another one."""
    key, of_row = row.key, partial(JudgedRow, row.key, row.kind, row.unit)
    if key in ("requests_per_second", "mean_ms"):
        return of_row(-1 if key == "mean_ms" else 1, key)
    if key == "max_ms":
        return of_row(-1, key, math.inf)
    if match := PERCENTILE.fullmatch(key):
        tail = float(match[1]) >= TAIL
        return of_row(-1, "max_ms" if tail else "mean_ms", math.inf if tail else UNKNOWN_REACH)
    if key in FAILURE_COUNTS:
        return of_row(-1, "")
    if key.endswith("_before"):  # a machine's state before the load says nothing of what the config does under it
        return None
    is_free = key.startswith("mem_obtainable")
    is_used = key.startswith(("swap_used", "cpu_busy", "cpu_of_")) or ":_each,_mean" in key or ALL_TOGETHER in key
    return of_row(1 if is_free else -1, key, noun="capture") if is_free or is_used else None


def _judge_row(case: _Case, row: Row) -> dict[int, Verdict]:
    """A verdict for each column that has figures and a baseline that has some."""
    judged = judged_row(row)
    if judged is None:
        return {}
    pairs = [(at, base) for at, base in enumerate(case.bases) if at != base]
    if row.key in FAILURE_COUNTS:
        return judge_failures(row.key, case.attempts[row.key], pairs)
    pairs = [(at, base) for at, base in pairs if row.cells[at].figures]
    verdicts = {}
    for at, base in pairs:
        if at in case.silent:
            verdicts[at] = Verdict(Kind.NONE, base, Ground.NOT_COUNTED, reason=case.silent[at])
    return verdicts | _judge_measures(case, row, judged, pairs)


def _judge_measures(case: _Case, row: Row, judged: JudgedRow, pairs: Sequence[tuple[int, int]]) -> dict[int, Verdict]:
    """{column: verdict} of these pairs (column, its baseline), adjusted after Holm over all of them."""
    sides = {at: side for at in range(len(row.cells)) if (side := case.side(row, at))}
    pairs = [(at, base) for at, base in pairs if at in sides and base in sides]
    steps = {at: case.step(row, at, base) for at, base in pairs}
    compared = {
        at: compare_sides(sides[base], sides[at], steps[at], case.most_repeats(at, base), len(pairs))
        for at, base in pairs
    }
    tested = {at: evidence.p for at, evidence in compared.items() if evidence.p is not None}
    after_holm = dict(zip(tested, stats.holm(list(tested.values())), strict=True))
    pool, lent = case.pool(judged, sides.values())
    where, sources = (lent.where, lent.sources) if lent else ("", ())
    missing = case.spread.missing if case.spread and (lent or not pool) else 0
    verdicts = {}
    for at, base in pairs:
        scale = Scale(judged, pool, where, len(compared), len(tested), steps[at], sources, missing)
        if compared[at].fewest < 2 and any(_is_rate_alone(case.comparison.columns[each]) for each in (at, base)):
            scale = replace(scale, row=replace(judged, unknown=math.inf), pool=None, where="", sources=(), missing=0)
        verdicts[at] = make_verdict(compared[at], after_holm.get(at), base, scale)
    return verdicts


def _is_rate_alone(column: Column) -> bool:
    """Whether nothing but rates was quoted: neither what was loaded, and how, nor any other figure."""
    quoted = all(run.partial or run.semantics.shown_as for run in column.runs)
    has_figures = any(run.complete_requests or run.mean_ms or run.percentiles_ms for run in column.runs)
    return quoted and not has_figures and not any(column.method._replace(tool=None, pipelining=None, method=None))


def make_verdict(evidence: ComparedSides, p_adjusted: float | None, base: int, scale: Scale) -> Verdict:
    """The verdict that the evidence allows on this scale."""
    kind, ground = _decide_kind(evidence, p_adjusted, scale)
    is_open = kind in (Kind.UNDECIDED, Kind.LIKELY_BETTER, Kind.LIKELY_WORSE)
    needed = None
    if is_open:
        needed = estimate_repeats(evidence, scale.pool, comparisons=scale.comparisons, step=scale.step)
    return Verdict(
        kind,
        base,
        ground,
        n=len(evidence.own.values),
        n_base=len(evidence.base.values),
        distance=evidence.distance,
        ratio=ratio(evidence.distance),
        low=ratio(evidence.low),
        high=ratio(evidence.high),
        of=evidence.of,
        test=evidence.test,
        p=evidence.p,
        p_adjusted=p_adjusted,
        effect=evidence.effect,
        needed=needed,
        borrowed=is_open and bool(scale.where),
        design=evidence.design,
        drift=evidence.drift,
        most=evidence.most,
        all_zero=not any(evidence.base.values) and not any(evidence.own.values),
        scale=scale,
    )


def _decide_kind(evidence: ComparedSides, p_adjusted: float | None, scale: Scale) -> tuple[Kind, Ground]:
    """The kind of verdict, and what it rests on."""
    if evidence.distance is None and evidence.p is None:
        return Kind.NONE, Ground.NO_RATIO
    if _is_same(evidence, scale):
        return Kind.SAME, Ground.EQUIVALENT
    if evidence.is_within(scale.step):
        return Kind.UNDECIDED, Ground.WITHIN_STEP
    better = evidence.is_up == (scale.row.good > 0)
    if p_adjusted is not None and p_adjusted < ALPHA:
        if evidence.drift is None:
            return Kind.BETTER if better else Kind.WORSE, Ground.TESTED
        if evidence.drift.is_seen:
            return Kind.UNDECIDED, Ground.DRIFT
        return Kind.LIKELY_BETTER if better else Kind.LIKELY_WORSE, Ground.DRIFT
    if evidence.distance is not None and abs(evidence.distance) > _find_noise_limit(evidence, scale) * ROUNDING:
        return Kind.LIKELY_BETTER if better else Kind.LIKELY_WORSE, Ground.FAR
    return Kind.UNDECIDED, Ground.OPEN


def _is_same(evidence: ComparedSides, scale: Scale) -> bool:
    """Also where each side's repeats are all equal and both sides agree: then the tool's own step decides."""
    if evidence.fewest < 2 or evidence.distance is None:
        return False
    if scale.step > math.expm1(MARGIN) * min(*evidence.base.values, *evidence.own.values):
        return False
    low, high = evidence.low, evidence.high
    if low is None or high is None:
        return evidence.distance == 0
    return low >= -MARGIN * ROUNDING and high <= MARGIN * ROUNDING


def _find_noise_limit(evidence: ComparedSides, scale: Scale) -> float:
    """How far apart, in logs, runs of one config may be for all that is known; further is far.

    What others vary by says little of a side's own spread. So the sides' own test must point that way before Holm's
    adjustment; sides of one or two runs, whose test is weak or none, must lie far apart instead.
    """
    pool = scale.pool
    if pool is None:
        return scale.row.unknown
    seen = evidence.p is not None and evidence.p < ALPHA and evidence.drift is None
    if evidence.fewest >= ENOUGH_TO_VARY and not seen:
        return math.inf
    limit = pool.reach(len(evidence.base.values), len(evidence.own.values), FAR)
    if pool.df < FEW_DF:
        limit = min(limit, scale.row.unknown)
    return max(limit, pool.widest, MARGIN if seen else SINGLE_REACH)


def _void_gains_by_failures(case: _Case, verdicts: Verdicts) -> Verdicts:
    """Speed gained while more requests fail is no gain, on either side; nor is idle CPU that comes of serving less."""
    voided_by: dict[tuple[int, tuple[Kind, ...]], str] = {}
    for at, base in enumerate(case.bases):
        for kinds, failing, other in ((GAINS, at, base), (LOSSES, base, at)):
            for key, attempts in case.attempts.items():
                own, others = attempts[failing], attempts[other]
                if own and others and failed_share(own) > failed_share(others) + MORE_FAILED:
                    voided_by[at, kinds] = key
    checked = {}
    for (key, at), verdict in verdicts.items():
        gain = GAINS if verdict.kind in GAINS else LOSSES if verdict.kind in LOSSES else None
        rate = verdicts.get(("requests_per_second", at))
        void: Void | None = None
        by: Verdict | None = None
        if gain and (at, gain) in voided_by and (key == "requests_per_second" or key.endswith("_ms")):
            void = Void.GAIN_BY_FAILURES if gain == GAINS else Void.LOSS_BY_FAILURES
            by = verdicts[voided_by[at, gain], at]
        elif gain == GAINS and key.startswith("cpu_") and rate and rate.kind in LOSSES:
            void = Void.SERVED_FEWER
        checked[key, at] = replace(verdict, kind=Kind.NONE, void=void, void_by=by) if void else verdict
    return checked


def verdicts_between(
    comparison: Comparison, judgement: Judgement, own: int, other: int, excluded: Mapping[int, str]
) -> Callable[[str], Verdict | None]:
    """The verdict on column `own` against `other`, by row: the table's own where one of them is the baseline."""
    bases = judgement.bases
    if bases[own] == other:
        return lambda key: judgement.of(key, own)
    if bases[other] == own:
        return lambda key: _reverse_verdict(judgement.of(key, other))
    columns = comparison.columns
    places = {other: 0, own: 1}
    groups = tuple(Group(group.name, tuple(row.between(places) for row in group.rows)) for group in comparison.groups)
    pair = Comparison((columns[other], columns[own]), groups, (0, 0))
    judged = judge(pair, excluded=excluded)
    if judged.bases != (0, 0):
        return lambda key: None
    return lambda key: judged.of(key, 1)


OPPOSITE = dict(zip((*GAINS, *LOSSES), (*LOSSES, *GAINS), strict=True))


def _reverse_verdict(verdict: Verdict | None) -> Verdict | None:
    """The same verdict from the baseline's side."""
    if verdict is None:
        return None
    return replace(
        verdict,
        kind=OPPOSITE.get(verdict.kind, verdict.kind),
        n=verdict.n_base,
        n_base=verdict.n,
        ratio=1 / verdict.ratio if verdict.ratio else None,
        low=1 / verdict.high if verdict.high else None,
        high=1 / verdict.low if verdict.low else None,
    )
