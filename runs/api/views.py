"""The lists, rows and comparison of REST, version 1, and its errors; runs.api.uploads has the uploads."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from drf_spectacular.views import SpectacularAPIView
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler
from rest_framework.viewsets import ReadOnlyModelViewSet

from runs import ingest
from runs.analysis.export import to_plain
from runs.api import ShallowJSONParser, comparisons, filters, serializers
from runs.database import ID, parse_id, parse_ids
from runs.ingest import Rejected, fields
from runs.models import Capture, Config, Experiment, Host, Run
from runs.presenters.monitor_charts import thin_series
from runs.selectors import comparison_data, judging

MOST_POINTS = 20_000
MOST_COMPARED = 100

METRICS = (
    *("requests_per_second", "complete_requests", "failed_requests", "concurrency", "duration_s"),
    *("mean_ms", "max_ms"),
)
PERCENTILES = ("50", "90", "95", "99")


class RowViews(ReadOnlyModelViewSet[Any]):
    """A list and its rows; `detail_class` where a single row says more."""

    pagination_class = filters.NewestFirst
    lookup_value_regex = ID
    detail_class: type[Any] | None = None

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        filtered = super().filter_queryset(queryset)
        return filters.select_page_by_ids(queryset, filtered, self.request) if self.action == "list" else filtered

    def get_serializer_class(self) -> type[Any]:
        detail = self.action == "retrieve" and self.detail_class
        return detail or super().get_serializer_class()


class ManagedRowViews(RowViews):
    """Rows that can be changed, deleted and restored. `change_class`: the fields that PATCH takes; kind: in ingest.MODELS."""

    change_class: type[serializers.ChangeSerializer]
    kind: str

    def get_parsers(self) -> list[Any]:
        return [ShallowJSONParser()] if self.request and self.request.method == "PATCH" else super().get_parsers()

    def partial_update(self, request: Request, pk: str) -> Response:
        """Change some of its fields; the row as it is then. Two configs, or hosts, of one name become one."""
        wanted = self.change_class(data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        row = fields.change(self.get_object(), wanted.validated_data)
        self.kwargs["pk"], self.action = str(row.pk), "retrieve"
        return self.retrieve(request, pk=str(row.pk))

    def destroy(self, request: Request, pk: str) -> Response:
        """Put it into the bin, with all that belongs to nothing else. It can be restored for 30 days."""
        return Response(serializers.DeletionSerializer(ingest.delete(self.get_object(), by=request.user)).data)

    @action(detail=True, methods=["post"], pagination_class=None)
    def restore(self, request: Request, pk: str) -> Response:
        """Take it out of the bin again, with all that was deleted with it."""
        ingest.restore(ingest.find_deletion(self.kind, int(pk)))
        self.action = "retrieve"
        return self.retrieve(request, pk=pk)


def describe_managing(views: type[ManagedRowViews], shown: Any) -> type[ManagedRowViews]:
    """Have the OpenAPI description say what PATCH, DELETE and restore take and answer."""
    refused = dict.fromkeys((400, 409), serializers.ErrorsSerializer)
    again = {200: shown, 409: serializers.ErrorsSerializer}
    return extend_schema_view(
        partial_update=extend_schema(
            request={"application/json": views.change_class}, responses={200: shown, **refused}, filters=False
        ),
        destroy=extend_schema(
            responses={200: serializers.DeletionSerializer, 409: serializers.ErrorsSerializer}, filters=False
        ),
        restore=extend_schema(request=None, responses=again, filters=False),
    )(views)


class RunViews(ManagedRowViews):
    """Load tests, each figure as the tool printed it; a single one with the captures beside it."""

    queryset = Run.objects.with_context()
    serializer_class = serializers.RunSerializer
    detail_class = serializers.RunDetailSerializer
    filterset_class = filters.RunFilter
    change_class, kind = serializers.RunChange, "run"

    def get_queryset(self) -> QuerySet[Run]:
        queryset = Run.objects.select_related("experiment", "config", "host", "build")
        return queryset.with_captures() if self.action == "retrieve" else queryset

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
        points = parse_id(request.query_params.get("points", "2000"))
        if points is None or not 2 <= points <= MOST_POINTS:
            raise ValidationError({"points": f"expected a whole number from 2 to {MOST_POINTS}"})
        return Response(thin_series(self.get_object(), metric, points))


class HostViews(ManagedRowViews):
    """Machines: what they are called, and what their outputs say of processor and memory."""

    queryset = Host.objects.all()
    serializer_class = serializers.HostSerializer
    filterset_class = filters.HostFilter
    change_class, kind = serializers.HostChange, "host"


class ConfigViews(ManagedRowViews):
    """The set-ups that were compared; a single one with its config texts."""

    queryset = Config.objects.select_related("experiment")
    serializer_class = serializers.ConfigSerializer
    detail_class = serializers.ConfigDetailSerializer
    filterset_class = filters.ConfigFilter
    change_class, kind = serializers.ConfigChange, "config"


class ExperimentViews(ManagedRowViews):
    """What was compared: configs and their runs, on a machine."""

    queryset = Experiment.objects.with_counts()
    serializer_class = serializers.ExperimentSerializer
    detail_class = serializers.ExperimentDetailSerializer
    filterset_class = filters.ExperimentFilter
    change_class, kind = serializers.ExperimentChange, "experiment"

    def get_queryset(self) -> QuerySet[Experiment]:
        queryset = Experiment.objects.with_counts()
        is_default = self.action == "list" and "archived" not in self.request.query_params
        return queryset.filter(archived=False) if is_default else queryset


class CaptureViews(RowViews):
    """What monitors saw: top, ps, free and the like, before, during or after a run."""

    queryset = Capture.objects.with_context()
    serializer_class = serializers.CaptureSerializer
    filterset_class = filters.CaptureFilter


for managed in (RunViews, HostViews, ConfigViews, ExperimentViews):
    describe_managing(managed, managed.detail_class or managed.serializer_class)


@cache
def _render_schema(renderer: Any) -> bytes:
    """Once per process, as it takes 0.1 s."""
    generator: Any = SpectacularAPIView.generator_class()
    return renderer().render(generator.get_schema(public=True), renderer_context={})  # type: ignore[no-any-return]


@method_decorator(conditional_page, "dispatch")
class SchemaView(SpectacularAPIView):
    """The OpenAPI schema of the site: the same for every user, version and language."""

    def _get_schema_response(self, request: Any) -> HttpResponse:
        renderer = request.accepted_renderer
        response = HttpResponse(_render_schema(renderer.__class__), content_type=renderer.media_type)
        response.headers["Content-Disposition"] = f'inline; filename="benchdash.{renderer.format}"'
        return response


class CompareView(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("runs", description="ids with commas; the first is the baseline"),
            OpenApiParameter("configs", description="or ids of configs: their counted runs, in this order"),
            OpenApiParameter("experiment", OpenApiTypes.INT, description="or the id of an experiment"),
            OpenApiParameter(
                "upload", OpenApiTypes.INT, description="or the id of an upload: a report on its runs for CI"
            ),
            OpenApiParameter("against", description="of a report: compare with a config's name, last, or branch"),
            OpenApiParameter("branch", description="the branch for against=branch"),
            OpenApiParameter("limit", many=True, description="of a report: a limit, such as p95 < 200ms"),
            OpenApiParameter("report", enum=["md", "junit", "json"], description="format of the report; default md"),
        ],
        responses=comparisons.ComparisonSerializer,
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Runs side by side: figures, verdicts with intervals, doubts with lines, cost, scaling, config differences."""
        if request.query_params.get("upload"):
            return report_on_upload(request)
        runs, data = select_compared_runs(request.query_params)
        return Response(describe_comparison(runs, data, request.build_absolute_uri))


def report_on_upload(request: Request) -> HttpResponse:
    """What a pipeline asks of the runs that it sent: limits, and how they compare with another config's or with earlier ones."""
    query = request.query_params
    (pk,) = _read_ids("experiment", query["upload"])
    sent = list(Run.objects.filter(upload=pk, counted=True))
    if not sent:
        raise Http404(f"No upload {pk} with runs that count.")
    new, base = _find_sides(sent, query.get("against", ""), query.get("branch", ""))
    data = comparison_data.load_two_sides([run.pk for run in base], [run.pk for run in new])
    facts = [run for run in data.runs if run.id in {each.pk for each in new}]
    try:
        checks = [comparisons.check_limit(limit, facts) for limit in query.getlist("limit")[:20]]
    except ValueError as error:
        raise ValidationError({"limit": str(error)}) from error
    compared = f"compared with {query.get('against', '')[:100]}"
    if base:
        headline = judging.compare_and_judge(data)[1].headline
        titles = {config.name for config in data.configs if config.id < 0}
        checks.append(comparisons.Check(comparisons.check_headline(headline, titles), compared, headline.sentence))
    elif query.get("against"):
        missing = f"No run to compare with yet: {query['against'][:100]}"
        checks.append(comparisons.Check(comparisons.UNDECIDED, compared, missing))
    page = request.build_absolute_uri(sent[0].experiment.get_absolute_url())
    kind, text = comparisons.write_report(query.get("report", "md"), checks, page)
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8")


def _find_sides(sent: Sequence[Run], against: str, branch: str) -> tuple[list[Run], list[Run]]:
    """(the runs that are judged, those that they are compared with): of the newest upload that has any."""
    if not against:
        return list(sent), []
    own = [run for run in sent if run.config.name == against]
    if own and len(own) < len(sent):  # a variant
        return [run for run in sent if run not in own], own
    others = Run.objects.filter(experiment=sent[0].experiment_id, counted=True).exclude(upload=sent[0].upload_id)
    if against == "last":
        others = others.filter(config__in={run.config_id for run in sent}, upload__lt=sent[0].upload_id)
    elif against == "branch":
        others = others.filter(build__branch=branch)
    else:
        others = others.filter(config__name=against)
    newest = others.order_by("-upload_id").first()
    return list(sent), list(others.filter(upload=newest.upload_id)) if newest else []


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API has the shape {"errors": [{"line", "message"}]}.

    What is neither a rejected text nor an error of DRF goes on to Django: to `benchdash.middleware` or to its handler500.
    """
    if isinstance(exc, Rejected):
        body: dict[str, Any] = {"errors": exc.errors}
        if exc.upload is not None:  # it is kept for inspection
            url = context["request"].build_absolute_uri(exc.upload.get_absolute_url())
            body |= {"id": exc.upload.pk, "status": exc.upload.status, "url": url}
        return Response(body, status=exc.status)
    response = exception_handler(exc, context)
    if response is not None:
        response.data = {"errors": [{"line": None, "message": message} for message in _list_messages(response.data)]}
    return response


def _list_messages(data: Any, name: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, inner in data.items():
            yield from _list_messages(inner, "" if key in ("detail", "non_field_errors") else str(key))
    elif isinstance(data, list):
        for inner in data:
            yield from _list_messages(inner, name)
    else:
        yield f"{name}: {data}" if name else str(data)


def select_compared_runs(query: QueryDict) -> tuple[list[Run], comparison_data.ComparisonData]:
    """The runs that ?runs=, ?configs= or ?experiment= asks for, in order, and their data.

    Raises ValidationError for what makes no sense and Http404 for what does not exist.
    """
    given = [name for name in ("runs", "configs", "experiment") if query.get(name)]
    if len(given) != 1:
        raise ValidationError({"runs": "expected one of runs, configs or experiment, such as ?runs=1,2,3"})
    wanted = _read_ids(given[0], query.get(given[0], ""))
    with_context = Run.objects.with_context()
    if given == ["runs"]:
        rows = with_context.in_bulk(wanted)
        _require_all("run", wanted, rows)
        return [rows[pk] for pk in wanted], comparison_data.load_runs(wanted)
    if given == ["configs"]:
        _require_all("config", wanted, Config.objects.in_bulk(wanted))
        data = comparison_data.load_configs(wanted)
    else:
        experiments = Experiment.objects.select_related("host").in_bulk(wanted[:1])
        _require_all("experiment", wanted[:1], experiments)
        data = comparison_data.load_experiment(experiments[wanted[0]])
    rows = with_context.in_bulk([run.id for run in data.runs])
    return [rows[run.id] for run in data.runs], data


def describe_comparison(
    runs: Sequence[Run], data: comparison_data.ComparisonData, absolute: Callable[[str], str]
) -> dict[str, Any]:
    """`describe_runs`, and everything that the page of the same comparison says. Addresses are whole ones."""
    comparison, judged = judging.compare_and_judge(data)
    described = describe_runs(runs) | {"comparison": comparison, "judged": judged}
    described["table"] = comparisons.list_rows(comparison, judged.judgement)
    body: dict[str, Any] = _complete_addresses(to_plain(comparisons.ComparisonSerializer(described).data), absolute)
    return body


def _read_ids(name: str, text: str) -> list[int]:
    most = 1 if name == "experiment" else MOST_COMPARED
    ids = parse_ids(text)
    if not ids or len(ids) > most:
        expected = "one id" if most == 1 else f"1 to {most} ids with commas, such as 1,2,3"
        raise ValidationError({name: f"expected {expected}"})
    return ids


def _require_all(what: str, wanted: Sequence[int], existing: Container[int]) -> None:
    missing = [str(pk) for pk in wanted if pk not in existing]
    if missing:
        raise Http404(f"No {what} {', '.join(missing)}.")


def _complete_addresses(value: Any, absolute: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {
            key: absolute(item)
            if key in ("url", "source") and isinstance(item, str) and item.startswith("/")
            else _complete_addresses(item, absolute)
            for key, item in value.items()
        }
    return [_complete_addresses(item, absolute) for item in value] if isinstance(value, list) else value


def describe_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Figures of each run and how far, in per cent, they are from the baseline's. Wants `with_context()` rows."""
    figures = [_list_figures(run) for run in runs]
    names = [name for name in (*METRICS, *(f"p{p}_ms" for p in PERCENTILES)) if any(name in f for f in figures)]
    return {
        "baseline": runs[0].pk if runs else None,
        "metrics": names,
        "runs": [
            {
                "id": run.pk,
                "url": run.get_absolute_url(),
                "tool": run.tool,
                "experiment": run.experiment.name,
                "config": run.config.name,
                "host": run.host.name if run.host else None,
                "repeat": run.repeat,
                "values": values,
                # Without figures that the baseline lacks, or that are zero there.
                "delta_pct": {
                    name: (figure - base) / base * 100
                    for name, figure in values.items()
                    if (base := figures[0].get(name))
                },
            }
            for run, values in zip(runs, figures, strict=True)
        ],
    }


def _list_figures(run: Run) -> dict[str, float]:
    values = {name: getattr(run, name) for name in METRICS}
    values |= {f"p{p}_ms": run.percentiles_ms.get(p) for p in PERCENTILES}
    return {name: float(figure) for name, figure in values.items() if figure is not None}
