"""A comparison as JSON: figures, verdicts, the headline, doubts, cost, scaling, config differences."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from statistics import median
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from runs.analysis import export
from runs.analysis.adaptive import read_limit
from runs.analysis.columns import Column
from runs.analysis.doubt_differences import DAY
from runs.analysis.facts import RunFact
from runs.analysis.headline_outcome import Headline, Outcome
from runs.analysis.stats import delta_word
from runs.analysis.table import Comparison
from runs.analysis.verdict import Design, Judgement, Kind


class ComparedRunSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    tool = serializers.CharField()
    experiment = serializers.CharField()
    config = serializers.CharField()
    host = serializers.CharField(allow_null=True)
    repeat = serializers.IntegerField()
    values = serializers.DictField(child=serializers.FloatField())
    delta_pct = serializers.DictField(child=serializers.FloatField(), help_text="per cent of the baseline's figure")


class SpreadSourceSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="a config whose repeats have the spread")
    url = serializers.CharField()


class VerdictSerializer(serializers.Serializer[Any]):
    """How a cell stands to its baseline's."""

    kind = serializers.ChoiceField([str(kind) for kind in Kind])
    base = serializers.IntegerField(help_text="index of the column that it is compared with")
    text = serializers.CharField()
    n = serializers.IntegerField()
    n_base = serializers.IntegerField()
    ratio = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the ratio's 95 % interval")
    high = serializers.FloatField(allow_null=True)
    of = serializers.CharField(allow_blank=True, help_text="statistic that the ratio compares")
    test = serializers.CharField(allow_blank=True)
    p = serializers.FloatField(allow_null=True)
    p_adjusted = serializers.FloatField(allow_null=True, help_text="Holm-adjusted over the configs of the metric")
    effect = serializers.FloatField(allow_null=True, help_text="Cliff's delta")
    effect_word = serializers.CharField(allow_blank=True)
    needed = serializers.IntegerField(allow_null=True, help_text="repeats per side that would settle it")
    design = serializers.ChoiceField(
        [str(design) for design in Design], help_text="order of both sides' runs in the text"
    )
    spread_of = serializers.SerializerMethodField(help_text="configs whose spread is used for single runs")
    detail = serializers.CharField(allow_blank=True)

    @extend_schema_field(SpreadSourceSerializer(many=True))
    def get_spread_of(self, row: dict[str, Any]) -> list[dict[str, str]]:
        scale = row["scale"]
        return [{"name": name, "url": url} for name, url in (scale.sources if scale else ())]


class ValueSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    source = serializers.URLField()  # type: ignore[assignment]  # a figure's, not the serializer's


class CellSerializer(serializers.Serializer[Any]):
    """Of {"cell", "verdict"}; see list_rows."""

    n = serializers.IntegerField(source="cell.n")
    mean = serializers.FloatField(source="cell.mean", allow_null=True)
    ratio_to_baseline = serializers.FloatField(
        source="cell.delta.ratio", allow_null=True, help_text="the verdict's, otherwise of the means"
    )
    values = ValueSerializer(source="cell.figures", many=True)
    verdict = VerdictSerializer(allow_null=True)


class MetricSerializer(serializers.Serializer[Any]):
    group = serializers.CharField()
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(allow_blank=True)
    cells = CellSerializer(many=True, help_text="one per column")


class ColumnSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(
        source="config.id", help_text="the config; one under several loads has several columns"
    )
    name = serializers.CharField(source="config.name")
    group = serializers.CharField(source="config.group", allow_blank=True)
    load = serializers.DictField(source="method.words", child=serializers.CharField())
    runs = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_runs(self, column: Column) -> list[int]:
        return [run.id for run in column.runs]


class DoubtSourceSerializer(serializers.Serializer[Any]):
    url = serializers.URLField()
    line = serializers.IntegerField()


class OverrideSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    by = serializers.CharField(allow_blank=True)
    at = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


class DoubtPartSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField(allow_null=True)
    config = serializers.IntegerField(allow_null=True)
    who = serializers.CharField()
    text = serializers.CharField()
    ruling = OverrideSerializer(source="override", allow_null=True)


class DoubtSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField()
    severity = serializers.ChoiceField(["fatal", "caution", "note"])
    text = serializers.CharField()
    basis = serializers.CharField(help_text="source of the rule")
    overruled = serializers.BooleanField()
    sources = DoubtSourceSerializer(many=True)
    parts = DoubtPartSerializer(many=True)


class AgainstSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField(help_text="tail, latency, memory, cpu, failures, differs ..., or a doubt's")
    config = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    line = serializers.IntegerField(source="source.line", allow_null=True)


class NextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    runs_a_side = serializers.IntegerField(source="runs", help_text="runs of a new, fixed set; 0: none advised")


class PointSerializer(serializers.Serializer[Any]):
    config = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(help_text="value of the varied parameter")
    requests_per_second = serializers.FloatField(source="rate", allow_null=True)
    mean_ms = serializers.FloatField(allow_null=True)
    failed_pct = serializers.FloatField()
    n = serializers.IntegerField()


class CapacitySerializer(serializers.Serializer[Any]):
    limit = serializers.CharField()
    low = serializers.FloatField(allow_null=True, help_text="of its 95 % interval; null: below all tested loads")
    high = serializers.FloatField(allow_null=True, help_text="null: above all tested loads")
    text = serializers.CharField()


class RangeSerializer(serializers.Serializer[Any]):
    axis = serializers.CharField()
    points = PointSerializer(many=True)
    peak = serializers.FloatField(allow_null=True, help_text="value with the highest rate")
    limit = serializers.FloatField(allow_null=True, help_text="lowest value with failed requests")
    capacity = CapacitySerializer(allow_null=True, help_text="of bd sweep: the highest load within its limit")


class HeadlineSerializer(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField([str(outcome) for outcome in Outcome])
    metric = serializers.CharField()
    winner = serializers.CharField(source="winner.title", allow_null=True)
    loser = serializers.CharField(source="loser.title", allow_null=True)
    change_pct = serializers.FloatField(allow_null=True, help_text="the winner's metric against the loser's")
    low_pct = serializers.FloatField(allow_null=True, help_text="of its 95 % interval")
    high_pct = serializers.FloatField(allow_null=True)
    n_winner = serializers.IntegerField(source="winner.n", allow_null=True)
    n_loser = serializers.IntegerField(source="loser.n", allow_null=True)
    p = serializers.FloatField(allow_null=True)
    against = AgainstSerializer(many=True)
    next = NextSerializer()
    sentence = serializers.CharField()
    sweep = RangeSerializer(required=False, help_text="if one parameter was varied")

    def to_representation(self, instance: Headline) -> dict[str, Any]:
        represented = super().to_representation(instance)
        if instance.sweep is None:
            del represented["sweep"]
        return represented


class EvidenceSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    line = serializers.IntegerField(source="source.line")
    upload = serializers.CharField(source="source.url", help_text="URL of that line")


class CauseSerializer(serializers.Serializer[Any]):
    cause = serializers.CharField(help_text="such as cpu, workers or lock: docs/causes.md lists them")
    config = serializers.CharField(help_text="the side that it slows down")
    share_pct = serializers.FloatField(
        allow_null=True, help_text="share of the difference; null if it cannot be computed"
    )
    certainty = serializers.ChoiceField(["likely", "possible"])
    evidence = EvidenceSerializer(many=True)
    text = serializers.CharField()


class UnknownCauseSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        source="unknown", help_text="empty if causes were found, or there is nothing to explain"
    )
    missing = serializers.ListField(child=serializers.CharField(), help_text="what to record")
    command = serializers.CharField(help_text="command that records it")


class ConclusionsSerializer(serializers.Serializer[Any]):
    """What a comparison page says, as {"comparison", "judged"}; its rows are MetricSerializer's."""

    headline = HeadlineSerializer(source="judged.headline")
    summary = serializers.CharField(source="judged.headline.sentence", help_text="the headline's sentence")
    causes = CauseSerializer(
        source="judged.causes.findings", many=True, help_text="why one side is slower, at most three"
    )
    cause_unknown = UnknownCauseSerializer(source="judged.causes")
    doubts = DoubtSerializer(source="judged.doubts", many=True)
    bases = serializers.ListField(
        source="judged.judgement.bases",
        child=serializers.IntegerField(),
        help_text="for each column the index of its baseline",
    )
    configs = ColumnSerializer(source="comparison.columns", many=True, help_text="the columns of the table")
    scaling = serializers.SerializerMethodField(help_text="sweeps of concurrency")
    cost = serializers.SerializerMethodField(help_text="rows over the same columns, sentences, notes")
    config_differences = serializers.SerializerMethodField(help_text="files, directive by directive; sentences")

    def get_scaling(self, conclusions: dict[str, Any]) -> list[dict[str, Any]]:
        return [export.name_for_scripts(sweep) for sweep in conclusions["judged"].sweeps]

    def get_cost(self, conclusions: dict[str, Any]) -> dict[str, Any] | None:
        cost = conclusions["judged"].cost
        return cost and {
            "rows": export.to_plain(cost.rows),
            "sentences": list(cost.sentences),
            "notes": list(cost.notes),
        }

    def get_config_differences(self, conclusions: dict[str, Any]) -> dict[str, Any]:
        config_differences = conclusions["judged"].differences
        files = [export.name_for_scripts(file) for file in config_differences.files]
        return {"sentences": list(config_differences.sentences), "files": files}


class ComparisonSerializer(ConclusionsSerializer):
    baseline = serializers.IntegerField(allow_null=True, help_text="the first run")
    metrics = serializers.ListField(child=serializers.CharField())
    runs = ComparedRunSerializer(many=True)
    table = MetricSerializer(many=True)


def list_rows(comparison: Comparison, judgement: Judgement) -> list[dict[str, Any]]:
    """The rows of a table with their verdicts, as MetricSerializer takes them."""

    def describe_verdict(key: str, at: int) -> dict[str, Any] | None:
        if (verdict := judgement.of(key, at)) is None:
            return None
        word = "" if verdict.effect is None else delta_word(verdict.effect)
        return vars(verdict) | vars(judgement.words[key, at]) | {"effect_word": word}

    return [
        {
            "group": group.name,
            **{name: getattr(row, name) for name in ("key", "label", "unit")},
            "cells": [{"cell": cell, "verdict": describe_verdict(row.key, at)} for at, cell in enumerate(row.cells)],
        }
        for group in comparison.groups
        for row in group.rows
    ]


def describe_conclusions(comparison: Comparison, judged: Any) -> dict[str, Any]:
    """All that a comparison page says, for its JSON. `judged`: its conclusions, analysis.Judged."""
    conclusions = ConclusionsSerializer({"comparison": comparison, "judged": judged}).data
    rows = MetricSerializer(list_rows(comparison, judged.judgement), many=True).data
    body: dict[str, Any] = export.to_plain({**conclusions, "metrics": rows})
    return body


# --- what a pipeline asks ----------------------------------------------------------------------------------------------
FINE, WORSE, UNDECIDED, UNLIKE, BROKEN = 0, 3, 4, 5, 6
_GRAVEST = (BROKEN, WORSE, UNLIKE, UNDECIDED, FINE)
_WORDS = {FINE: "fine", WORSE: "worse", UNDECIDED: "undecided", UNLIKE: "not comparable", BROKEN: "a limit is exceeded"}


class Check(NamedTuple):
    """One thing that a pipeline asked. name is the same in each pipeline that asks it; text has the figures."""

    status: int
    name: str
    text: str


def check_limit(text: str, runs: Sequence[RunFact]) -> Check:
    """One limit, by the median of the runs. Raises ValueError for what is no limit."""
    limit = read_limit(text)
    figures = [figure for run in runs if (figure := limit.read(run)) is not None]
    if not figures:
        return Check(UNDECIDED, limit.text, f"{limit.text}: no run has this figure")
    figure = median(figures)
    kept, unit = limit.is_kept(figure), {"rps": "/s", "failed": " %"}.get(limit.name, " ms")
    words = f"{limit.text}: {'kept' if kept else 'broken'} ({figure:,.4g}{unit}, median of {len(figures)})"
    return Check(FINE if kept else BROKEN, limit.text, words)


def check_headline(headline: Headline, base: Collection[str]) -> int:
    """What the headline means for the side that is not the base. base: titles of its configs."""
    leads = headline.winner is not None and headline.winner.title not in base
    if headline.outcome is Outcome.NOT_COMPARABLE:
        return UNLIKE
    if headline.outcome in (Outcome.BETTER, Outcome.FAILED) or _is_proven_but_for_days(headline):
        return FINE if leads else WORSE
    if headline.outcome is Outcome.TRADE_OFF and not leads:
        return WORSE
    return FINE if headline.outcome is Outcome.SAME else UNDECIDED


def _is_proven_but_for_days(headline: Headline) -> bool:
    """Whether a test shows it and only the day differs, as that of an earlier commit mostly does."""
    confounders = {objection.label for objection in headline.against if objection.explains_lead}
    return headline.outcome is Outcome.LIKELY and confounders == {DAY}


def write_report(form: str, checks: Sequence[Check], page: str) -> tuple[str, str]:
    """(content type, text) of a report in md, junit or json."""
    status = min((check.status for check in checks), key=_GRAVEST.index, default=FINE)
    if form == "json":
        listed = [{"status": _WORDS[own], "text": text} for own, _, text in checks]
        body = {"exit_status": status, "status": _WORDS[status], "page": page, "checks": listed}
        return "application/json", json.dumps(body, indent=1, ensure_ascii=False) + "\n"
    if form == "junit":
        cases = "".join(map(_write_case, checks))
        counts = {kind: sum(_JUNIT.get(check.status) == kind for check in checks) for kind in ("failure", "skipped")}
        counted = f'tests="{len(checks)}" failures="{counts["failure"]}" errors="0" skipped="{counts["skipped"]}"'
        head = f'<testsuite name="benchdash" {counted}>'
        properties = f'<properties><property name="exit_status" value="{status}"/></properties>'
        return "application/xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{properties}{cases}</testsuite>\n'
    lines = [f"- **{_WORDS[own]}**: {text}" for own, _, text in checks]
    return "text/markdown", "\n".join([*lines, "", f"[{page}]({page})", "", f"<!-- exit status {status} -->", ""])


# What nobody could tell is no failure of what was tested: a job that fails for it does so by bd's exit status.
_JUNIT = {WORSE: "failure", BROKEN: "failure", UNDECIDED: "skipped", UNLIKE: "skipped"}


def _write_case(check: Check) -> str:
    kind = _JUNIT.get(check.status, "")
    message = quoteattr(f"{_WORDS[check.status]}: {check.text}")
    outcome = f"<{kind} message={message}/>" if kind else f"<system-out>{escape(check.text)}</system-out>"
    return f'<testcase classname="benchdash" name={quoteattr(check.name)}>{outcome}</testcase>'
