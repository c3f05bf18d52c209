"""Plans, jobs, targets and load generators over REST: read, start, follow, cancel, resume.

They need a login even where reading is public: what may be loaded, and how, is nobody else's business.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.decorators import action
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from runs import remote, tasks
from runs.api import filters
from runs.api import remote_shapes as shapes
from runs.api.serializers import ErrorsSerializer
from runs.api.views import Rows
from runs.models import Job, LoadGenerator, Plan, Step, Target
from runs.remote.standing import standing

YES = ("1", "yes", "true")
REFUSED = OpenApiResponse(ErrorsSerializer, description="the plan is not fit to be run; each fault is told")
FORBIDDEN = OpenApiResponse(ErrorsSerializer, description="the user may not run plans")
TOO_LATE = OpenApiResponse(ErrorsSerializer, description="not in this state, or not without being told")


class MayRun(BasePermission):
    message = "This user may not run plans (the permission run_plan)."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user and request.user.has_perm("runs.run_plan"))


class Registered(Rows):
    """Rows that are registered on pages, and need a login to be read."""

    permission_classes = [IsAuthenticated]


class GeneratorViews(Registered):
    queryset = LoadGenerator.objects.all()
    serializer_class = shapes.GeneratorSerializer


class TargetViews(Registered):
    queryset = Target.objects.select_related("host").prefetch_related("addresses")
    serializer_class = shapes.TargetSerializer


class PlanViews(Registered):
    queryset = Plan.objects.select_related("target__host", "generator", "address")
    serializer_class = shapes.PlanSerializer
    detail_class = shapes.PlanDetailSerializer
    filterset_class = filters.PlanFilter

    def get_queryset(self) -> QuerySet[Plan]:
        found: QuerySet[Plan] = super().get_queryset()
        return found.prefetch_related("variants__switch", "variants__address") if self.action == "retrieve" else found

    @extend_schema(
        request=None,
        responses={
            202: OpenApiResponse(shapes.JobDetailSerializer, description="the job; follow it at Location"),
            **{403: FORBIDDEN, 422: REFUSED},
        },
        filters=False,
    )
    @action(detail=True, methods=["post"], pagination_class=None, permission_classes=[IsAuthenticated, MayRun])
    def start(self, request: Request, pk: str) -> Response:
        """A new job of this plan. A worker runs it as soon as the load generator and the target are free."""
        try:
            job = remote.start(self.get_object(), request.user)
        except remote.Refused as refusal:
            return _errors(422, *(error["message"] for error in refusal.errors))
        tasks.dispatch(job)
        return _job(job.pk, request, 202)


class JobViews(Registered):
    queryset = Job.objects.with_counts()
    serializer_class = shapes.JobSerializer
    detail_class = shapes.JobDetailSerializer
    filterset_class = filters.JobFilter

    def get_queryset(self) -> QuerySet[Job]:
        return Job.objects.with_counts() if self.action == "list" else _for_detail()

    @extend_schema(
        request=None, responses={202: shapes.JobDetailSerializer, 403: FORBIDDEN, 409: TOO_LATE}, filters=False
    )
    @action(detail=True, methods=["post"], pagination_class=None, permission_classes=[IsAuthenticated, MayRun])
    def cancel(self, request: Request, pk: str) -> Response:
        """End it and everything that runs for it. What it has stored is kept."""
        job = self.get_object()
        if job.is_over:
            return _errors(409, f"Too late to cancel: the job was over already ({job.state}).")
        remote.cancel(job, request.user)
        return _job(job.pk, request, 202)

    @extend_schema(
        parameters=[
            OpenApiParameter("again", OpenApiTypes.BOOL, description="yes: steps that had begun may be run once more")
        ],
        request=None,
        responses={202: shapes.JobDetailSerializer, 403: FORBIDDEN, 409: TOO_LATE, 422: REFUSED},
        filters=False,
    )
    @action(detail=True, methods=["post"], pagination_class=None, permission_classes=[IsAuthenticated, MayRun])
    def resume(self, request: Request, pk: str) -> Response:
        """Run the missing steps of a job that failed, was cancelled or lost its worker."""
        job = self.get_object()
        now = standing(job, job.shown_steps)
        if not job.is_over or not now.left:
            return _errors(409, f"There is nothing to resume: {now.brief}.")
        if now.again and request.query_params.get("again", "").lower() not in YES:
            return _errors(409, *(f"{step} had begun; send again=yes to run it once more." for step in now.again))
        try:
            remote.resume(job, request.user)
        except remote.Refused as refusal:
            return _errors(422, *(error["message"] for error in refusal.errors))
        tasks.dispatch(job)
        return _job(job.pk, request, 202)


def _for_detail() -> QuerySet[Job]:
    """With log and, as shown_steps, the steps with their runs."""
    steps = Prefetch("steps", Step.objects.with_runs(), to_attr="shown_steps")
    return Job.objects.with_counts().defer(None).defer("snapshot").prefetch_related(steps)


def _job(pk: int, request: Request, status: int) -> Response:
    body = shapes.JobDetailSerializer(_for_detail().get(pk=pk), context={"request": request}).data
    return Response(body, status, headers={"Location": reverse("api-job-detail", args=[pk], request=request)})


def _errors(status: int, *messages: Any) -> Response:
    return Response({"errors": [{"line": None, "message": message} for message in messages]}, status=status)
