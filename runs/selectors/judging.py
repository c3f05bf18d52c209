"""What can be concluded from a comparison, and what makes it doubtful. Worked out once, until something changes.

The key under which it is kept is a digest of everything that it is worked out from (the stored rows as facts, people's
overrides, what repeats elsewhere vary by) and of the code that does it. So a rename, a moved run, a text read anew or a
new version needs nobody to remember that something must be forgotten.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.core.cache import caches
from django.db.models import Q
from django.urls import reverse

from runs import analysis, ingest, numbers
from runs.analysis import Judged, conclude, stats, table
from runs.analysis.adaptive import ALPHA, Decision, decide
from runs.analysis.doubt_case import Case
from runs.analysis.facts import FATAL, RunFact
from runs.analysis.headline_lead import is_confounded, needs_runs, write_lead
from runs.analysis.headline_outcome import Headline, Outcome
from runs.analysis.summary_wording import name_level
from runs.analysis.table import Comparison, set_baselines
from runs.analysis.verdict import Spread
from runs.drafts.draft import DraftExperiment
from runs.ingest import Preview
from runs.models import Experiment, Run
from runs.numbers import percent
from runs.selectors import comparison_data, summaries

MAX_DRAFTED = 500
MAX_FILLED = 30  # cards whose headline is worked out before anybody opens the page
MAX_LEVELS = 6  # of a sweep, on a card
CACHED_S = 7 * 24 * 3600
METRICS = ("requests_per_second", "mean_ms", "max_ms")
OF_SETS = ("fingerprint", "config", "config__name", "counted", "deletion", *METRICS)
# One or two sets may be steady, or noisy, by chance.
LEAST_SETS = 3
# The newest runs tell of the machines and tools in use now, and more would only take longer.
MAX_EARLIER = 2000
# Runs at half to double the concurrency are a similar load.
SIMILAR_FACTOR = 2


def compare_and_judge(data: comparison_data.ComparisonData) -> tuple[Comparison, Judged]:
    """The table of this data, each column against the baseline that it is judged against, and the conclusions.

    Two queries: overrides, and repeats elsewhere.
    """
    comparison = table.compare(data.configs, data.runs, data.counted_captures)
    case, spread = comparison_data.make_case(data), find_spread_elsewhere(comparison)
    key, conclusions = _digest_case(case, spread), caches["conclusions"]
    judged: Judged | None = conclusions.get(key)
    if judged is None:
        judged = conclude(case, comparison, spread)
        conclusions.set(key, judged, CACHED_S)
    judgement = judged.judgement
    return set_baselines(comparison, judgement.bases, judged.out, judgement.silent), judged


def judge_draft(shown: Preview, drafted: DraftExperiment) -> Headline | None:
    """The headline of a text that is not stored, by its runs alone; None where it has none, or too many to judge at once."""
    if not 0 < len(drafted.runs) <= MAX_DRAFTED:
        return None
    case = comparison_data.make_draft_case(shown, drafted)
    return conclude(case, table.compare(case.configs, case.runs, []), None).headline


def list_runs_by_load(shown: Preview) -> list[tuple[int, RunFact]]:
    """(load, run) of a text that is not stored whose configs are called "load 16", in the order of the text."""
    drafted = next((each for each in shown.draft.experiments if each.runs), None)
    case = comparison_data.make_draft_case(shown, drafted) if drafted else None
    names = {config.id: config.name.rpartition(" ")[2] for config in case.configs} if case else {}
    runs = sorted(case.runs, key=attrgetter("line")) if case else []
    return [(int(names[run.config]), run) for run in runs if names[run.config].isdecimal()]


def decide_on_draft(shown: Preview, most: int) -> Decision:
    """Whether the two configs of a text that is not stored need another round."""
    drafted = next((each for each in shown.draft.experiments if each.runs), None)
    headline = judge_draft(shown, drafted) if drafted else None
    if headline is None:
        return decide("none", "", 0, most)
    n_rounds = min((side.n for side in headline.sides), default=0)
    is_shown = headline.outcome == Outcome.LIKELY and headline.p is not None and headline.p < ALPHA
    is_settled = is_shown and is_confounded(headline) and not needs_runs(headline)
    return decide(headline.outcome, headline.sentence, n_rounds, most, is_settled=is_settled)


def _digest_case(case: Case, spread: Spread | None) -> str:
    rows = _list_rows(case.captures, "processes")
    captures = [(row, _list_rows(capture.processes)) for row, capture in zip(rows, case.captures, strict=True)]
    others = [_list_rows(each) for each in (case.configs, case.runs, case.texts, case.hosts, case.overrides)]
    facts = (captures, *others, spread, case.limit)
    return f"judged-{_digest_code()}-{hashlib.sha256(pickle.dumps(facts)).hexdigest()}"


def _list_rows(items: Sequence[Any], without: str = "") -> list[Any]:
    """Dataclasses of one kind as plain tuples of all their fields, which are digested four times as fast."""
    if not items:
        return []
    values = attrgetter(*[field.name for field in fields(items[0]) if field.name != without])
    return [values(item) for item in items]


@cache
def _digest_code() -> str:
    """A digest of the analysis' own source: another version must not answer with this one's conclusions."""
    digest = hashlib.sha256()
    for file in (Path(__file__), Path(numbers.__file__), *sorted(Path(analysis.__path__[0]).rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def keep_headline(
    experiment: Experiment, data: comparison_data.ComparisonData, comparison: Comparison, judged: Judged
) -> bool:
    """Keep a page's headline and first cause for its card, where another or none is kept; whether it did.

    One query at most.
    """
    counted = [run for run in data.runs if run.counted and run.requests_per_second is not None]
    newest = sorted(counted, key=attrgetter("id"), reverse=True)[: summaries.MAX_RUNS]
    rates: dict[int, list[float]] = defaultdict(list)
    for run in sorted(newest, key=attrgetter("repeat", "id")):
        rates[run.config].append(run.requests_per_second or 0.0)
    configs = [
        summaries.ConfigSummary(config.id, config.name, rates[config.id]) for config in data.configs if config.id
    ]
    headline = judged.headline
    lead = write_lead(headline)
    summary: dict[str, Any] = {
        "outcome": str(headline.outcome),
        "sentence": headline.sentence,
        "of": summaries.digest_card(summaries.order_configs(configs)),
        "by": _digest_code(),
    }
    summary |= {"why": next((cause.text for cause in judged.causes.findings), "")}
    summary |= {"who": lead.who, "line": lead.line, "failed": _collect_failed_shares(comparison, headline)}
    summary |= {"means": _compute_judged_means(comparison), "levels": _list_levels(headline)}
    if max((len(column.runs) for column in comparison.columns), default=0) == 1:
        summary["may_borrow"] = True  # a spread, from runs that may be deleted
    if summary == experiment.headline:
        return False
    ingest.record_headline(experiment, summary)
    return True


def _compute_judged_means(comparison: Comparison) -> dict[str, float]:
    """{config id: requests per second} of the configs of which a doubt keeps some runs out."""
    row = comparison.row("requests_per_second")
    cells = zip(comparison.columns, row.cells, strict=True) if row else ()
    judged_means = {str(column.config.id): cell.mean for column, cell in cells if cell.n < len(cell.figures)}
    return {config: mean for config, mean in judged_means.items() if mean is not None}


def _list_levels(headline: Headline) -> list[list[Any]]:
    """[as "50 connections", requests per second, "47.5 %" that failed or ""] of six levels at most of a sweep of one config.

    Lists, as JSON keeps them: what is stored is compared with what was found anew.
    """
    swept = headline.sweep
    if swept is None or len(swept.series) > 1:
        return []
    points = [point for point in swept.points if point.rate is not None]
    step = max((len(points) - 1) / (MAX_LEVELS - 1), 1.0)  # the first and the last are among them
    chosen = [points[round(at * step)] for at in range(min(len(points), MAX_LEVELS))]
    return [
        [name_level(swept, point), point.rate, percent(point.failed, 1) if point.failed >= FATAL else ""]
        for point in chosen
    ]


def _collect_failed_shares(comparison: Comparison, headline: Headline) -> dict[str, str]:
    """{config id: "47.5 %"} of the configs that failed too much of what they were asked for."""
    failed_shares = {side.at: side.failure.share for side in headline.failing if side.failure}
    failed_shares |= (
        {point.at: point.failed for point in headline.sweep.points if point.failed >= FATAL} if headline.sweep else {}
    )
    columns = comparison.columns
    return {str(columns[at].config.id): percent(share, 1) if share else "failed" for at, share in failed_shares.items()}


def work_out_headlines() -> int:
    """Those that the newest cards lack, that rest on other experiments, or that an older version judged.

    Returns how many. Of large ones a page does it.
    """
    n = 0
    for experiment_summary in summaries.list_latest_experiments(MAX_FILLED):
        kept = experiment_summary.headline
        if not experiment_summary.more and (kept is None or kept.get("may_borrow") or kept.get("by") != _digest_code()):
            data = comparison_data.load_experiment(experiment_summary.experiment)
            comparison, judged = compare_and_judge(data)
            n += keep_headline(experiment_summary.experiment, data, comparison, judged)
    return n


def find_spread_elsewhere(comparison: Comparison) -> Spread | None:
    """Of runs of the same tool, host and path at similar concurrency, all in one set that have one fingerprint.

    Only runs stored before the comparison's newest one count, so that no later upload changes a verdict. One query at
    most. None where the comparison has repeats of its own, which tell more, or where too little was ever repeated here.
    Runs that were left out or deleted are not in it any more; it has their number, since verdicts may change by that.
    """
    runs = [run for column in comparison.columns for run in column.runs]
    alike = {(run.tool, run.host_id, run.path) for run in runs}
    if len(alike) != 1 or max(len(column.runs) for column in comparison.columns) > 1:
        return None
    tool, host, path = alike.pop()
    if host is None or not path:
        return None
    users = [run.concurrency for run in runs if run.concurrency]
    load = Q(concurrency__range=(min(users) / SIMILAR_FACTOR, max(users) * SIMILAR_FACTOR)) if users else Q()
    before = Run.everything.filter(load, tool=tool, host=host, path=path, id__lt=max(run.id for run in runs))
    whole = before.filter(partial=False, aborted=False, repeat__gt=0)  # no warm-ups
    sets: dict[str, dict[str, list[float]]] = {metric: defaultdict(list) for metric in METRICS}
    configs: dict[str, set[tuple[int, str]]] = defaultdict(set)
    missing = 0
    for fingerprint, config, name, counted, deletion, *values in whole.order_by("-id").values_list(*OF_SETS)[
        :MAX_EARLIER
    ]:
        if not counted or deletion is not None:
            missing += 1
            continue
        configs[fingerprint].add((config, name))
        for metric, value in zip(METRICS, values, strict=True):
            sets[metric][fingerprint] += stats.logs([value]) or [] if value is not None else []
    pools = {metric: stats.pool_spread(measured.values()) for metric, measured in sets.items()}
    enough = {metric: pool for metric, pool in pools.items() if pool and pool.sets >= LEAST_SETS}
    repeated = sorted(
        set().union(*[configs[key] for measured in sets.values() for key in measured if len(measured[key]) > 1])
    )
    sources = tuple((name, reverse("config", args=[config])) for config, name in repeated)
    where = f"of other {tool} runs on this host and path"
    return Spread(enough, where, sources, missing) if enough or missing else None
