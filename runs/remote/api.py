"""Plans, jobs, targets and load generators over REST: read, start, follow, cancel, resume.

They need a login even where reading is public. How machines are reached is left out: it concerns the workers only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Prefetch, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from runs import tasks
from runs.api.filters import Named, RowId, Since
from runs.api.serializers import ErrorsSerializer, RowSerializer
from runs.api.views import RowViews
from runs.ingest import Rejected, rejected
from runs.models import Experiment

from . import jobs, planning
from .checks import Refused
from .job_progress import describe_progress, summarize_job
from .models import Job, LoadGenerator, Plan, Step, Switch, Target, TargetAddress, Variant


class GeneratorSerializer(serializers.ModelSerializer[LoadGenerator]):
    class Meta:
        model = LoadGenerator
        fields = ("id", "name", "kind", "created_at")


class TargetSerializer(RowSerializer[Target]):
    """`addresses`: the only ones that may be loaded. `busy_with`: the job that holds it now."""

    host = serializers.CharField(source="host.name")
    addresses: Any = serializers.SlugRelatedField(slug_field="base", many=True, read_only=True)

    class Meta:
        model = Target
        fields = (
            *("id", "url", "host", "host_id", "enabled", "reach", "addresses", "busy_with_id"),
            *("most_requests", "most_concurrency", "most_duration_s", "created_at"),
        )


class PlanSerializer(RowSerializer[Plan]):
    """`concurrency`: the levels, each run with every variant."""

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

    switch: Any = serializers.SlugRelatedField[Switch](slug_field="name", read_only=True, allow_null=True)
    address: Any = serializers.SlugRelatedField[TargetAddress](slug_field="base", read_only=True, allow_null=True)

    class Meta:
        model = Variant
        fields = ("name", "switch", "address", "path", "keepalive", "config_files")


class PlanDetailSerializer(PlanSerializer):
    variants = VariantSerializer(many=True)

    class Meta(PlanSerializer.Meta):
        fields = (*PlanSerializer.Meta.fields, "variants")


class ProgressSerializer(serializers.Serializer[Any]):
    """What the load tool reports of the run under way; a field is absent when it reports none.

    `done` and `of` are requests, or what `unit` says ("s" for a timed load).
    """

    done = serializers.FloatField(required=False)
    of = serializers.FloatField(required=False)
    unit = serializers.CharField(required=False)
    requests_per_second = serializers.FloatField(required=False)
    elapsed_s = serializers.FloatField(required=False)


class JobSerializer(RowSerializer[Job]):
    """`summary`: the state in a few words, such as "running 7 of 24"."""

    summary = serializers.SerializerMethodField()
    plan = serializers.CharField(source="plan.name", default=None, allow_null=True)
    target = serializers.CharField(source="target.host.name", default=None, allow_null=True)
    generator = serializers.CharField(source="generator.name", default=None, allow_null=True)
    experiment = serializers.CharField(source="experiment.name", default=None, allow_null=True)
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
        return summarize_job(job, job.n_done, job.n_steps)

    @extend_schema_field({"type": "string", "format": "uri", "nullable": True})
    def get_experiment_url(self, job: Job) -> str | None:
        experiment: Experiment | None = job.experiment
        request = self.context["request"]
        if experiment is None or experiment.deletion_id is not None:
            return None
        return request.build_absolute_uri(experiment.get_absolute_url())  # type: ignore[no-any-return]


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
        return describe_progress(job, job.shown_steps).summary

    @extend_schema_field(StepSerializer(many=True))
    def get_steps(self, job: Any) -> Any:
        return StepSerializer(job.shown_steps, many=True, context=self.context).data


class PlanFilter(filters.FilterSet):
    name = filters.CharFilter()
    target = RowId(field_name="target_id")


class JobFilter(filters.FilterSet):
    state = filters.ChoiceFilter(
        method="in_state", choices=[("active", "active"), *Job.State.choices], help_text="active: waiting or running"
    )
    plan = RowId(field_name="plan_id")
    target = RowId(field_name="target_id")
    experiment = Named()
    since = Since(help_text="created at or after")

    def in_state(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.matching(state=value)


YES = ("1", "yes", "true")
REFUSED = OpenApiResponse(ErrorsSerializer, description="the plan is invalid; lists each error")
FORBIDDEN = OpenApiResponse(ErrorsSerializer, description="the user lacks the permission run_plan")
TOO_LATE = OpenApiResponse(ErrorsSerializer, description="not in this state, or only with again=yes")


class MayRun(BasePermission):
    message = "This user lacks the permission run_plan."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user and request.user.has_perm("remote.run_plan"))


def job_action(refusals: dict[int, Any], *parameters: OpenApiParameter) -> Callable[[Any], Any]:
    """A POST by somebody who may run plans; the response is the job."""
    responses = {
        202: OpenApiResponse(JobDetailSerializer, description="the job; follow it at Location"),
        403: FORBIDDEN,
    }
    schema = extend_schema(request=None, parameters=[*parameters], responses=responses | refusals, filters=False)
    may_run = [IsAuthenticated, MayRun]
    post = action(detail=True, methods=["post"], pagination_class=None, permission_classes=may_run)
    return lambda view: schema(post(view))


class LoggedInRowViews(RowViews):
    permission_classes = [IsAuthenticated]


class GeneratorViews(LoggedInRowViews):
    """Machines that load tests are started on."""

    queryset = LoadGenerator.objects.all()
    serializer_class = GeneratorSerializer


class TargetViews(LoggedInRowViews):
    """Servers that are put under load, with their addresses."""

    queryset = Target.objects.select_related("host").prefetch_related("addresses")
    serializer_class = TargetSerializer


class PlanViews(LoggedInRowViews):
    """What a remote run does: tool, load, repeats and variants, on a target."""

    queryset = Plan.objects.select_related("target__host", "generator", "address")
    serializer_class = PlanSerializer
    detail_class = PlanDetailSerializer
    filterset_class = PlanFilter

    def get_queryset(self) -> QuerySet[Plan]:
        rows: QuerySet[Plan] = super().get_queryset()
        return rows.prefetch_related("variants__switch", "variants__address") if self.action == "retrieve" else rows

    @job_action({422: REFUSED})
    def start(self, request: Request, pk: str) -> Response:
        """A new job of this plan. A worker runs it as soon as the load generator and the target are free."""
        try:
            job = planning.start_job(self.get_object(), request.user)
        except Refused as refusal:
            raise _reject(422, (error["message"] for error in refusal.errors)) from refusal
        tasks.send_on_commit(job)
        return _respond_job(job.pk, request)


class JobViews(LoggedInRowViews):
    """Plans as they were run: state, steps and the experiment that they made."""

    queryset = Job.objects.with_counts()
    serializer_class = JobSerializer
    detail_class = JobDetailSerializer
    filterset_class = JobFilter

    def get_queryset(self) -> QuerySet[Job]:
        return Job.objects.with_counts() if self.action == "list" else _for_detail()

    @job_action({409: TOO_LATE})
    def cancel(self, request: Request, pk: str) -> Response:
        """End it and everything that runs for it. What it has stored is kept."""
        job = self.get_object()
        if job.is_over:
            raise rejected(409, f"Too late to cancel: the job is over ({job.state}).")
        jobs.cancel_job(job, request.user)
        return _respond_job(job.pk, request)

    @job_action(
        {409: TOO_LATE, 422: REFUSED},
        OpenApiParameter("again", OpenApiTypes.BOOL, description="yes: steps that had started may run again"),
    )
    def resume(self, request: Request, pk: str) -> Response:
        """Run the missing steps of a job that failed, was cancelled or lost its worker."""
        job = self.get_object()
        progress = describe_progress(job, job.shown_steps)
        if not job.is_over or not progress.left:
            raise rejected(409, f"Nothing to resume: {progress.summary}.")
        if progress.begun and request.query_params.get("again", "").lower() not in YES:
            raise _reject(409, (f"{step} had started; send again=yes to run it again." for step in progress.begun))
        try:
            jobs.resume_job(job, request.user)
        except Refused as refusal:
            raise _reject(422, (error["message"] for error in refusal.errors)) from refusal
        tasks.send_on_commit(job)
        return _respond_job(job.pk, request)


def _for_detail() -> QuerySet[Job]:
    """With log and, as shown_steps, the steps with their runs."""
    steps = Prefetch("steps", Step.objects.with_runs(), to_attr="shown_steps")
    return Job.objects.with_counts().defer(None).defer("snapshot").prefetch_related(steps)


def _respond_job(pk: int, request: Request) -> Response:
    body = JobDetailSerializer(_for_detail().get(pk=pk), context={"request": request}).data
    return Response(body, 202, headers={"Location": reverse("api-job-detail", args=[pk], request=request)})


def _reject(status: int, messages: Iterable[str]) -> Rejected:
    return Rejected(status, [{"line": None, "message": message} for message in messages])
