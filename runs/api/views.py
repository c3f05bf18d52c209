"""REST, version 1: thin doors. interfaces.md section 3 says what scripts rely on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from runs import ingest, tasks
from runs.api import comparison, errors, filters, series
from runs.api import serializers as shapes
from runs.api.bodies import RawParser, files_of, wishes_of
from runs.api.comparison_shapes import ComparisonSerializer
from runs.api.paging import Pages, along_an_index
from runs.models import Capture, Config, Experiment, Host, Run, Upload

MOST_POINTS = 20_000
HINTS = [
    OpenApiParameter("host", description="the machine's name, instead of what the text suggests"),
    OpenApiParameter("config", description="the config's name, for all runs of the text"),
    OpenApiParameter("experiment", description="the experiment to add to; made where there is none of this name"),
    OpenApiParameter("tags", description="words put on every run, separated by commas"),
    OpenApiParameter("name", description="a name for the text, such as its file's"),
    OpenApiParameter("redact", enum=["yes", "no"], description="yes: black out whatever looks like a secret"),
]
REFUSALS = {
    code: OpenApiResponse(shapes.ErrorsSerializer, description=why)
    for code, why in {
        400: "empty, or something asked that makes no sense",
        413: "too large",
        415: "not a text",
        422: "nothing was recognised; the text is kept for inspection",
    }.items()
}


class OurErrors:
    """Errors in the one shape of this API."""

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        return errors.handle


class Rows(OurErrors, ReadOnlyModelViewSet[Any]):
    """A list and its rows; `detail_class` where a single row says more."""

    pagination_class = Pages
    detail_class: type[Any] | None = None

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        found = super().filter_queryset(queryset)
        return along_an_index(queryset, found, self.request) if self.action == "list" else found

    def get_serializer_class(self) -> type[Any]:
        detail = self.action == "retrieve" and self.detail_class
        return detail or super().get_serializer_class()


class RunViews(Rows):
    """Load tests, each figure as the tool printed it; a single one with the captures beside it."""

    queryset = Run.objects.with_context()
    serializer_class = shapes.RunSerializer
    detail_class = shapes.RunDetailSerializer
    filterset_class = filters.RunFilter

    def get_queryset(self) -> QuerySet[Run]:
        found = Run.objects.select_related("experiment", "config", "host")
        return found.with_captures() if self.action == "retrieve" else found

    @extend_schema(
        parameters=[
            OpenApiParameter("metric", description="such as rss_kb, cpu_pct, mem_free_kb; default rss_kb"),
            OpenApiParameter("points", OpenApiTypes.INT, description=f"2 to {MOST_POINTS}; default 2000"),
        ],
        responses=shapes.RunSeriesSerializer,
        filters=False,
    )
    @action(detail=True, pagination_class=None)
    def series(self, request: Request, pk: str) -> Response:
        """A metric of the monitors beside this run, process by process."""
        metric = request.query_params.get("metric", "rss_kb")
        points = request.query_params.get("points", "2000")
        if not points.isdecimal() or not 2 <= int(points) <= MOST_POINTS:
            raise ValidationError({"points": f"expected a whole number from 2 to {MOST_POINTS}, not {points!r}"})
        return Response(series.of_run(self.get_object(), metric, int(points)))


class HostViews(Rows):
    """Machines: what they are called, and what their outputs say of processor and memory."""

    queryset = Host.objects.all()
    serializer_class = shapes.HostSerializer
    filterset_class = filters.HostFilter


class ConfigViews(Rows):
    """The set-ups that were compared; a single one with its config texts."""

    queryset = Config.objects.select_related("experiment")
    serializer_class = shapes.ConfigSerializer
    detail_class = shapes.ConfigDetailSerializer
    filterset_class = filters.ConfigFilter


class ExperimentViews(Rows):
    """What was compared: configs and their runs, on a machine."""

    queryset = Experiment.objects.with_counts()
    serializer_class = shapes.ExperimentSerializer
    detail_class = shapes.ExperimentDetailSerializer
    filterset_class = filters.ExperimentFilter


class CaptureViews(Rows):
    """What monitors saw: top, ps, free and the like, before, during or after a run."""

    queryset = Capture.objects.with_context()
    serializer_class = shapes.CaptureSerializer
    filterset_class = filters.CaptureFilter


@extend_schema_view(retrieve=extend_schema(responses=shapes.ResultSerializer))
class UploadViews(Rows):
    """The texts that came in, and what each became."""

    queryset = Upload.objects.with_counts()
    serializer_class = shapes.UploadSerializer
    filterset_class = filters.UploadFilter
    parser_classes = [MultiPartParser, RawParser]

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What was read from a text, and while it waits for a worker, how far it is."""
        return Response(told(self.get_object(), _site(request)))

    @extend_schema(request=None, responses={200: shapes.ResultSerializer, 409: shapes.ErrorsSerializer}, filters=False)
    @action(detail=True, methods=["post"], pagination_class=None)
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop waiting for a text that no worker has read yet. It is kept, and nothing of it is stored."""
        if not ingest.cancel(self.get_object().pk):
            late = {"line": None, "message": "Too late to cancel: the text was read already."}
            return Response({"errors": [late]}, status=409)
        return Response(told(self.get_object(), _site(request)))

    @extend_schema(
        parameters=HINTS,
        request={
            "text/plain": OpenApiTypes.STR,
            "application/x-www-form-urlencoded": OpenApiTypes.BINARY,
            "multipart/form-data": {
                "type": "object",
                "properties": {
                    "file": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    **{name: {"type": "string"} for name in ("host", "config", "experiment", "tags")},
                },
            },
        },
        responses={
            201: OpenApiResponse(shapes.ResultSerializer, description="stored"),
            202: OpenApiResponse(shapes.ResultSerializer, description="handed to a worker; ask again at Location"),
            200: OpenApiResponse(shapes.ResultSerializer, description="the same text was there already"),
            **REFUSALS,
        },
        filters=False,
    )
    def create(self, request: Request) -> Response:
        """Send a text: as the body, or as multipart `file`, several allowed (then all are stored or none)."""
        files = files_of(request)
        if not files:
            raise ValidationError("No file came with the form; expected at least one field `file`.")
        user = request.user if request.user.is_authenticated else None
        receipts = ingest.submit_all(files, door="rest", user=user, may_queue=True, **wishes_of(request))
        for receipt in receipts:
            tasks.hand_over(receipt)
        return _receipt(receipts, request)


class CompareView(OurErrors, APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("runs", description="ids with commas; the first is the baseline"),
            OpenApiParameter("configs", description="or ids of configs: their counted runs, in the order given"),
            OpenApiParameter("experiment", OpenApiTypes.INT, description="or an experiment's id: all of it"),
        ],
        responses=ComparisonSerializer,
    )
    def get(self, request: Request) -> Response:
        """Runs side by side: figures, verdicts with intervals, doubts with lines, cost, scaling, config differences."""
        runs, material = comparison.selection(request.query_params)
        return Response(comparison.answer(runs, material, request.build_absolute_uri))


def told(upload: Upload, site: str, rows: ingest.Rows | None = None) -> dict[str, Any]:
    """`ingest.result_of` with whole addresses."""
    body = ingest.result_of(upload, rows)
    for row in (body, *body["runs"], *body["captures"]):
        row["url"] = site + row["url"]
    return body


def _site(request: Request) -> str:
    """What all whole addresses begin with."""
    return request.build_absolute_uri("/").removesuffix("/")


def _receipt(receipts: list[ingest.Receipt], request: Request) -> Response:
    """201, 202 where a worker reads it first, or 200 where all was there; several files give {"uploads": [..]}."""
    site = _site(request)
    bodies = [told(receipt.upload, site, receipt.rows) for receipt in receipts]
    queued = any(receipt.upload.status in (Upload.Status.QUEUED, Upload.Status.PARSING) for receipt in receipts)
    status = 202 if queued else 201 if any(receipt.created for receipt in receipts) else 200
    where = site + reverse("api-upload-detail", args=[receipts[0].upload.pk])
    return Response(bodies[0] if len(bodies) == 1 else {"uploads": bodies}, status, headers={"Location": where})
