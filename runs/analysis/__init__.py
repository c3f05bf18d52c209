"""Pure functions from figures to findings, without Django or the database.

`conclude` makes all conclusions of a comparison: doubts, verdicts, config differences, costs, the headline, the causes.
`find_doubts` finds what makes it doubtful, in sentences with the lines they rest on. A fatal doubt that a person overruled
is still shown, and keeps nothing out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial

from runs.analysis import doubt_case, doubt_differences, doubt_disturbances, doubt_figures, doubt_load, doubt_machine  # noqa: F401
from runs.analysis.cause import Causes, find_causes
from runs.analysis.config_diff import ConfigDiff, compare_configs
from runs.analysis.cost import Cost, compute_cost
from runs.analysis.doubt_case import SEVERITIES, Case, Doubt, Part, list_excluded, list_incomparable
from runs.analysis.doubt_wording import compose_sentence, make_part
from runs.analysis.headline import find_confounder, find_doubtful, find_headline
from runs.analysis.headline_against import RATE, HeadlineData
from runs.analysis.headline_outcome import Headline, Outcome
from runs.analysis.headline_wording import write_headline
from runs.analysis.judgement import judge
from runs.analysis.scalability_law import Sweep
from runs.analysis.scaling import SET_RATE, find_sweeps, find_varied, fit_sweeps
from runs.analysis.summary_wording import describe_differences, describe_sweep
from runs.analysis.table import Comparison
from runs.analysis.verdict import GAINS, Ground, Judgement, Kind, Spread, Verdict
from runs.analysis.verdict_wording import add_words

RULES = dict(sorted(doubt_case.RULES.items()))


@dataclass(frozen=True, slots=True)
class Judged:
    """All conclusions. `out`: run id -> why it is excluded from the verdicts."""

    headline: Headline
    doubts: list[Doubt]
    judgement: Judgement
    differences: ConfigDiff
    sweeps: list[Sweep]
    cost: Cost | None
    causes: Causes
    out: dict[int, str]


def conclude(case: Case, comparison: Comparison, spread: Spread | None) -> Judged:
    """spread: of repeats in other experiments, for comparisons without repeats."""
    case = replace(case, varied=find_varied(comparison.columns, find_sweeps(case.configs, case.runs, {})))
    doubts = find_doubts(case)
    out = list_excluded(doubts)
    has_costs = case.captures or case.hosts
    judgement = judge(comparison, excluded=out, apart=list_incomparable(doubts), spread=spread)
    differences = describe_differences(compare_configs(case.configs, case.texts))
    directives = [row.name for file in differences.files for row in file.rows]
    swept = [describe_sweep(each) for each in fit_sweeps(case.configs, case.runs, excluded=out)]
    data = HeadlineData(comparison, judgement, doubts, directives, case.hosts, out)
    headline = find_headline(case, data, swept)
    return Judged(
        headline=write_headline(headline),
        doubts=doubts,
        judgement=add_words(hold_back_verdicts(data, headline)),
        differences=differences,
        sweeps=swept,
        cost=compute_cost(comparison, case.captures, hosts=case.hosts, texts=case.texts, excluded=out)
        if has_costs
        else None,
        causes=find_causes(case, comparison, headline, doubts, swept, out),
        out=out,
    )


def hold_back_verdicts(data: HeadlineData, headline: Headline) -> Judgement:
    """The judgement limited to what the headline claims, for tables, exports and REST.

    Columns that it does not compare, and levels of a set rate, have no verdicts. Rates and times that a load generator at its
    limit or a contradictory report could explain are undecided; those that another difference could explain are likely.
    """
    headlines = [one.rest or one for one in (headline, *headline.others)]
    unlike = {side.at for one in headlines if one.outcome is Outcome.NOT_COMPARABLE for side in one.sides}
    if headline.sweep and headline.sweep.axis == SET_RATE:
        unlike |= {point.at for point in headline.sweep.points}
    held: dict[tuple[str, int], Verdict] = {}
    doubtful, confounder = (
        cache(partial(find_doubtful, data)),
        cache(partial(find_confounder, data)),
    )  # of all metrics of a pair
    for (key, at), verdict in data.judgement.verdicts.items():
        if at in unlike and verdict.base in unlike:
            held[key, at] = replace(verdict, kind=Kind.NONE, ground=Ground.UNLIKE)
        elif (key == RATE or key.endswith("_ms")) and verdict.kind not in (Kind.NONE, Kind.UNDECIDED):
            pair = (at, verdict.base) if verdict.kind in GAINS else (verdict.base, at)
            if rule := doubtful(*pair):
                held[key, at] = replace(verdict, kind=Kind.UNDECIDED, ground=Ground.DOUBTED, reason=rule)
            elif verdict.ground == Ground.TESTED and (rule := confounder(*pair)):
                likely = Kind.LIKELY_BETTER if verdict.kind in GAINS else Kind.LIKELY_WORSE
                held[key, at] = replace(verdict, kind=likely, ground=Ground.DOUBTED, reason=rule)
    return replace(data.judgement, verdicts={**data.judgement.verdicts, **held})


def find_doubts(case: Case) -> list[Doubt]:
    """All doubts about a comparison: fatal first, then as the rules stand in the catalogue.

    Findings that are alike (of one severity and moral, about things of one kind) are one doubt.
    """
    doubts = []
    runs = {run.id: run for run in case.counted_runs}
    places = {run: at for at, run in enumerate(runs)}
    overrides = {(override.rule, override.run, override.config): override for override in reversed(case.overrides)}
    for name, rule in RULES.items():
        alike: dict[tuple[object, ...], list[Part]] = {}
        for finding in sorted(rule.apply(case), key=lambda finding: places.get(finding.run or 0, -1)):
            if finding.run is not None and not finding.sources:
                finding = replace(finding, sources=(runs[finding.run].source_of(*rule.figures),))
            override = overrides.get((name, finding.run, finding.config)) if finding.severity == "fatal" else None
            part = make_part(case, name, finding, override)
            kind = (finding.severity, part.moral, part.run is None, part.config is None, override is None)
            alike.setdefault(kind, []).append(part)
        doubts += [_make_doubt(case, name, parts) for parts in alike.values()]
    return sorted(doubts, key=lambda doubt: SEVERITIES.index(doubt.severity))


def _make_doubt(case: Case, rule: str, parts: list[Part]) -> Doubt:
    """Its basis is where the rule comes from, with what the tools of the runs that it is about say on it."""
    about = {part.run for part in parts}
    runs = [run for run in case.counted_runs if run.id in about] or case.counted_runs
    cited = [run.semantics.citations[rule] for run in runs if rule in run.semantics.citations]
    basis = "; ".join(dict.fromkeys([RULES[rule].basis, *cited]))
    return Doubt(rule, parts[0].finding.severity, compose_sentence(case, parts), tuple(parts), basis)
