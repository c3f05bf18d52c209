"""The lists, rows and comparison of REST, version 1, and its errors; runs.api.uploads has the uploads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler
from rest_framework.viewsets import ReadOnlyModelViewSet

from runs.api import comparison, filters, serializers
from runs.ingest import Rejected
from runs.models import Capture, Config, Experiment, Host, Run
from runs.presenters.monitor_charts import thin_series

MOST_POINTS = 20_000


class Bearer(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI description says that tokens are sent."""

    target_class = "runs.accounts.tokens.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token made on /tokens/"}


class Rows(ReadOnlyModelViewSet[Any]):
    """A list and its rows; `detail_class` where a single row says more."""

    pagination_class = filters.NewestFirst
    detail_class: type[Any] | None = None

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        filtered = super().filter_queryset(queryset)
        return filters.select_page_by_ids(queryset, filtered, self.request) if self.action == "list" else filtered

    def get_serializer_class(self) -> type[Any]:
        detail = self.action == "retrieve" and self.detail_class
        return detail or super().get_serializer_class()


class RunViews(Rows):
    """Load tests, each figure as the tool printed it; a single one with the captures beside it."""

    queryset = Run.objects.with_context()
    serializer_class = serializers.RunSerializer
    detail_class = serializers.RunDetailSerializer
    filterset_class = filters.RunFilter

    def get_queryset(self) -> QuerySet[Run]:
        found = Run.objects.select_related("experiment", "config", "host")
        return found.with_captures() if self.action == "retrieve" else found

    @extend_schema(
        parameters=[
            OpenApiParameter("metric", description="such as rss_kb, cpu_pct, mem_free_kb; default rss_kb"),
            OpenApiParameter("points", OpenApiTypes.INT, description=f"2 to {MOST_POINTS}; default 2000"),
        ],
        responses=serializers.RunSeriesSerializer,
        filters=False,
    )
    @action(detail=True, pagination_class=None)
    def series(self, request: Request, pk: str) -> Response:
        """A metric of the monitors beside this run, process by process."""
        metric = request.query_params.get("metric", "rss_kb")
        points = request.query_params.get("points", "2000")
        if not points.isdecimal() or not 2 <= int(points) <= MOST_POINTS:
            raise ValidationError({"points": f"expected a whole number from 2 to {MOST_POINTS}, not {points!r}"})
        return Response(thin_series(self.get_object(), metric, int(points)))


class HostViews(Rows):
    """Machines: what they are called, and what their outputs say of processor and memory."""

    queryset = Host.objects.all()
    serializer_class = serializers.HostSerializer
    filterset_class = filters.HostFilter


class ConfigViews(Rows):
    """The set-ups that were compared; a single one with its config texts."""

    queryset = Config.objects.select_related("experiment")
    serializer_class = serializers.ConfigSerializer
    detail_class = serializers.ConfigDetailSerializer
    filterset_class = filters.ConfigFilter


class ExperimentViews(Rows):
    """What was compared: configs and their runs, on a machine."""

    queryset = Experiment.objects.with_counts()
    serializer_class = serializers.ExperimentSerializer
    detail_class = serializers.ExperimentDetailSerializer
    filterset_class = filters.ExperimentFilter


class CaptureViews(Rows):
    """What monitors saw: top, ps, free and the like, before, during or after a run."""

    queryset = Capture.objects.with_context()
    serializer_class = serializers.CaptureSerializer
    filterset_class = filters.CaptureFilter


class CompareView(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("runs", description="ids with commas; the first is the baseline"),
            OpenApiParameter("configs", description="or ids of configs: their counted runs, in the order given"),
            OpenApiParameter("experiment", OpenApiTypes.INT, description="or an experiment's id: all of it"),
        ],
        responses=serializers.ComparisonSerializer,
    )
    def get(self, request: Request) -> Response:
        """Runs side by side: figures, verdicts with intervals, doubts with lines, cost, scaling, config differences."""
        runs, material = comparison.selection(request.query_params)
        return Response(comparison.answer(runs, material, request.build_absolute_uri))


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API has the shape {"errors": [{"line", "message"}]}.

    What is neither a rejected text nor an error of DRF goes on to Django: to `benchdash.middleware` or to its handler500.
    """
    if isinstance(exc, Rejected):
        return _respond_to_rejection(exc, context["request"])
    response = exception_handler(exc, context)
    if response is not None:
        response.data = {"errors": [{"line": None, "message": message} for message in _messages(response.data)]}
    return response


def _respond_to_rejection(error: Rejected, request: Request) -> Response:
    """A text that was not stored; where it is kept for inspection, its id and page are named too."""
    body: dict[str, Any] = {"errors": error.errors}
    if error.upload is not None:
        body |= {"id": error.upload.pk, "status": error.upload.status}
        body["url"] = request.build_absolute_uri(error.upload.get_absolute_url())
    return Response(body, status=error.status)


def _messages(data: Any, name: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, inner in data.items():
            yield from _messages(inner, "" if key in ("detail", "non_field_errors") else str(key))
    elif isinstance(data, list):
        for inner in data:
            yield from _messages(inner, name)
    else:
        yield f"{name}: {data}" if name else str(data)
