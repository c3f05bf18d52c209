"""Plans, jobs, targets and load generators as JSON. How machines are reached is not told: it concerns the workers only."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from runs.api.serializers import PageField
from runs.models import Experiment, Job, LoadGenerator, Plan, Step, Switch, Target, TargetAddress, Variant
from runs.remote.standing import brief, standing


class GeneratorSerializer(serializers.ModelSerializer[LoadGenerator]):
    class Meta:
        model = LoadGenerator
        fields = ("id", "name", "kind", "created_at")


class TargetSerializer(serializers.ModelSerializer[Target]):
    """`addresses`: the only ones that may be loaded. `busy_with`: the job that holds it now."""

    url = PageField()
    host = serializers.CharField(source="host.name")
    addresses: Any = serializers.SlugRelatedField(slug_field="base", many=True, read_only=True)

    class Meta:
        model = Target
        fields = (
            *("id", "url", "host", "host_id", "enabled", "reach", "addresses", "busy_with_id"),
            *("most_requests", "most_concurrency", "most_duration_s", "created_at"),
        )


class PlanSerializer(serializers.ModelSerializer[Plan]):
    """`concurrency`: the levels, each run with every variant."""

    url = PageField()
    target = serializers.CharField(source="target.host.name")
    generator = serializers.CharField(source="generator.name")
    address = serializers.CharField(source="address.base")
    concurrency = serializers.ListField(source="levels", child=serializers.IntegerField())

    class Meta:
        model = Plan
        fields: tuple[str, ...] = (
            *("id", "url", "name", "target", "target_id", "generator", "generator_id", "address", "path", "tool"),
            *("method", "requests", "duration_s", "keepalive", "timeout_s", "concurrency", "repeats", "warmups"),
            *("cooldown_s", "order", "rse_limit_pct", "most_repeats", "created_at"),
        )


class VariantSerializer(serializers.ModelSerializer[Variant]):
    """What is null or empty is the plan's. `switch`: the name of the command that puts the config in place."""

    switch: Any = serializers.SlugRelatedField[Switch](slug_field="name", read_only=True)
    address: Any = serializers.SlugRelatedField[TargetAddress](slug_field="base", read_only=True)

    class Meta:
        model = Variant
        fields = ("name", "switch", "address", "path", "keepalive", "config_files")


class PlanDetailSerializer(PlanSerializer):
    variants = VariantSerializer(many=True)

    class Meta(PlanSerializer.Meta):
        fields = (*PlanSerializer.Meta.fields, "variants")


class ProgressSerializer(serializers.Serializer[Any]):
    """What the load tool tells of the run under way; a field is absent when it does not tell.

    `done` and `of` are requests, or what `unit` says ("s" for a timed load).
    """

    done = serializers.FloatField(required=False)
    of = serializers.FloatField(required=False)
    unit = serializers.CharField(required=False)
    requests_per_second = serializers.FloatField(required=False)
    elapsed_s = serializers.FloatField(required=False)


class JobSerializer(serializers.ModelSerializer[Job]):
    """`summary`: the state in a few words, such as "running 7 of 24"."""

    url = PageField()
    summary = serializers.SerializerMethodField()
    plan = serializers.CharField(source="plan.name", default=None)
    target = serializers.CharField(source="target.host.name", default=None)
    generator = serializers.CharField(source="generator.name", default=None)
    experiment = serializers.CharField(source="experiment.name", default=None)
    experiment_url = serializers.SerializerMethodField()
    progress = ProgressSerializer()
    n_steps = serializers.IntegerField()
    n_done = serializers.IntegerField()

    class Meta:
        model = Job
        fields: tuple[str, ...] = (
            *("id", "url", "name", "state", "summary", "message", "progress", "n_steps", "n_done"),
            *("plan", "plan_id", "target", "target_id", "generator", "generator_id"),
            *("experiment", "experiment_id", "experiment_url", "scheduled", "clock_offset_s"),
            *("created_at", "started_at", "cancel_requested_at", "finished_at"),
        )

    def get_summary(self, job: Any) -> str:
        return brief(job, job.n_done, job.n_steps)

    @extend_schema_field({"type": "string", "format": "uri", "nullable": True})
    def get_experiment_url(self, job: Job) -> str | None:
        found: Experiment | None = job.experiment
        return self.context["request"].build_absolute_uri(found.get_absolute_url()) if found else None


class StepSerializer(serializers.ModelSerializer[Step]):
    """`repeat` counts from 1; 0 is a warm-up, stored but not counted. `run_url` answers with the run's figures."""

    config = serializers.CharField(source="variant")
    concurrency = serializers.IntegerField(source="level")
    run_id = serializers.IntegerField(allow_null=True)
    run_url = serializers.SerializerMethodField()

    class Meta:
        model = Step
        fields = (
            *("position", "config", "concurrency", "repeat", "state", "message", "requests_per_second"),
            *("run_id", "run_url", "started_at", "finished_at"),
        )

    @extend_schema_field({"type": "string", "format": "uri", "nullable": True})
    def get_run_url(self, step: Any) -> str | None:
        return reverse("api-run-detail", args=[step.run_id], request=self.context["request"]) if step.run_id else None


class JobDetailSerializer(JobSerializer):
    """With its steps, and the last lines of its log."""

    steps = serializers.SerializerMethodField()

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "steps", "log")

    def get_summary(self, job: Any) -> str:
        return standing(job, job.shown_steps).brief

    @extend_schema_field(StepSerializer(many=True))
    def get_steps(self, job: Any) -> Any:
        return StepSerializer(job.shown_steps, many=True, context=self.context).data
