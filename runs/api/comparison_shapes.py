"""A comparison as JSON, for the OpenAPI description: figures, verdicts, doubts, cost, scaling, config differences."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


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


class VerdictSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["better", "worse", "same", "undecided", "likely_better", "likely_worse", "none"])
    base = serializers.IntegerField(help_text="index of the column that it stands against")
    text = serializers.CharField()
    n = serializers.IntegerField()
    n_base = serializers.IntegerField()
    ratio = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="lower bound of the ratio's 95 % interval")
    high = serializers.FloatField(allow_null=True)
    of = serializers.CharField(allow_blank=True, help_text="what the ratio is of")
    test = serializers.CharField(allow_blank=True)
    p = serializers.FloatField(allow_null=True)
    p_adjusted = serializers.FloatField(allow_null=True, help_text="after Holm, over the configs of the metric")
    effect = serializers.FloatField(allow_null=True, help_text="Cliff's delta")
    effect_word = serializers.CharField(allow_blank=True)
    needed = serializers.IntegerField(allow_null=True, help_text="repeats a side that would settle it")
    detail = serializers.CharField(allow_blank=True)


class ValueSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    source = serializers.URLField()  # type: ignore[assignment]  # a figure's, not the serializer's


class CellSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    ratio_to_baseline = serializers.FloatField(allow_null=True)
    values = ValueSerializer(many=True)
    verdict = VerdictSerializer(allow_null=True)


class MetricSerializer(serializers.Serializer[Any]):
    group = serializers.CharField()
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(allow_blank=True)
    cells = CellSerializer(many=True, help_text="one a column")


class ColumnSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="the config's; a config under several loads has several columns")
    name = serializers.CharField()
    group = serializers.CharField(allow_blank=True)
    load = serializers.DictField(child=serializers.CharField())
    runs = serializers.ListField(child=serializers.IntegerField())


class DoubtSourceSerializer(serializers.Serializer[Any]):
    url = serializers.URLField()
    line = serializers.IntegerField()


class RulingSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    by = serializers.CharField(allow_blank=True)
    at = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


class DoubtPartSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField(allow_null=True)
    config = serializers.IntegerField(allow_null=True)
    who = serializers.CharField()
    text = serializers.CharField()
    ruling = RulingSerializer(allow_null=True)


class DoubtSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField()
    severity = serializers.ChoiceField(["fatal", "caution", "note"])
    text = serializers.CharField()
    basis = serializers.CharField(help_text="where the rule comes from")
    overruled = serializers.BooleanField()
    sources = DoubtSourceSerializer(many=True)
    parts = DoubtPartSerializer(many=True)


class ComparisonSerializer(serializers.Serializer[Any]):
    baseline = serializers.IntegerField(allow_null=True, help_text="the first run")
    metrics = serializers.ListField(child=serializers.CharField())
    runs = ComparedRunSerializer(many=True)
    summary = serializers.CharField(help_text="the verdict in a sentence")
    doubts = DoubtSerializer(many=True)
    bases = serializers.ListField(
        child=serializers.IntegerField(), help_text="for each column the index of the one it is judged against"
    )
    configs = ColumnSerializer(many=True, help_text="the columns of the table")
    table = MetricSerializer(many=True)
    scaling = serializers.ListField(child=serializers.DictField(), help_text="a sweep of concurrency each")
    cost = serializers.DictField(allow_null=True, help_text="rows over the same columns, sentences, notes")
    config_differences = serializers.DictField(help_text="files, directive by directive; sentences")
