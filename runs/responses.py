"""How pages answer: as HTML, JSON, CSV or Markdown (suffix or ?format=), with a chart, or with 304 where nothing has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
from django.conf import settings
from django.contrib.messages import get_messages
from django.db.models import Exists, Q, Subquery, TextField
from django.db.models.functions import Cast
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template import Engine, RequestContext
from django.urls import URLPattern, path, re_path, register_converter
from django.urls.converters import IntConverter
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.views.decorators.http import condition

from runs.analysis.export import Sheet, as_csv, as_markdown
from runs.charts import Chart
from runs.charts.plotly import draw_figure
from runs.charts.svg_file import draw_file
from runs.models import Capture, ConfigText, Experiment, Override, Run, Timing
from runs.querysets import ID
from runs.remote.models import Job, LoadGenerator

FORMATS = ("json", "csv", "md")
FIGURES = ("svg", "csv", "json")
FRESH_S = 60  # of a picture
# A picture or file loads nothing and runs nothing, wherever it is put.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class IdConverter(IntConverter):
    """Of addresses: a number that no database holds is no id."""

    regex = ID


register_converter(IdConverter, "id")


def page_routes(
    route: str, view: Callable[..., HttpResponseBase], name: str, more: Sequence[str] = ()
) -> list[URLPattern]:
    """`route` ("runs/" or "runs/<pk>/") and the same with a suffix that names the format; `more`: beside the usual."""
    pattern, formats = route.rstrip("/").replace("<pk>", f"(?P<pk>{ID})"), "|".join((*FORMATS, *more))
    return [
        path(route.replace("<pk>", "<id:pk>"), view, name=name),
        re_path(rf"^{pattern}/?\.(?P<fmt>{formats})/?$", view, name=f"{name}-as"),
    ]


def respond(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    sheet: Sheet,
    *,
    fmt: str = "",
    payload: dict[str, Any] | None = None,
    markdown: str = "",
) -> HttpResponse:
    """`sheet` is the page as a flat table; `payload` its fuller form for JSON, `markdown` one for people."""
    fmt = fmt or request.GET.get("format", "")
    if not fmt and "figure" in request.GET:
        return respond_figure(request.GET["figure"], context.get("charts", {}), sheet.title)
    if fmt in ("", "html"):
        return render_with_formats(request, template, context)
    if fmt == "json":
        body = payload or {"title": sheet.title, "rows": sheet.records()}
        return JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    if fmt == "csv":
        response = respond_csv(sheet)
        name = quote(f"{sheet.title}.csv", safe="")
        response["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
        return response
    if fmt == "md":
        return HttpResponse(markdown or as_markdown(sheet), content_type="text/markdown; charset=utf-8")
    raise Http404(f"No such format: {fmt}. This page answers as {', '.join(FORMATS)}.")


def respond_figure(name: str, charts: Mapping[str, Chart], title: str) -> HttpResponse:
    """One chart of a page, by "latency.svg": as a picture, as its rows, or as a figure to zoom into. Raises Http404."""
    what, _, fmt = name.partition(".")
    chart = charts.get(what)
    if chart is None or fmt not in FIGURES:
        raise Http404(
            f"No chart is called {name}; there are {', '.join(charts) or 'none'}, each as .{', .'.join(FIGURES)}."
        )
    if fmt == "svg":
        return respond_svg(draw_file(chart, title))
    if fmt == "json":  # Plotly shows a gap for null, as which NaN and infinity are written
        return HttpResponse(orjson.dumps(draw_figure(chart)), content_type="application/json")
    return respond_csv(Sheet(title, chart.heads, chart.rows))


def respond_svg(drawn: str) -> HttpResponse:
    headers = {"Content-Security-Policy": PICTURE_POLICY}
    return HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8", headers=headers)


def respond_csv(sheet: Sheet) -> HttpResponse:
    return HttpResponse(as_csv(sheet), content_type="text/csv; charset=utf-8")


def respond_picture(request: HttpRequest, drawn: str) -> HttpResponse:
    """A picture for other sites: caches may keep it for a minute and then ask about it by its ETag."""
    etag = f'"{hashlib.sha256(drawn.encode()).hexdigest()[:32]}"'
    response = respond_svg(drawn)
    response.headers["ETag"] = etag
    answered = get_conditional_response(request, etag=etag, response=response) or response
    patch_cache_control(answered, max_age=FRESH_S, **{"public" if settings.PUBLIC_READ else "private": True})
    if not settings.PUBLIC_READ:
        patch_vary_headers(answered, ["Cookie"])
    answered.headers["Content-Security-Policy"] = PICTURE_POLICY
    answered.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answered


def render_with_formats(
    request: HttpRequest, template: str, context: dict[str, Any], more: Sequence[str] = ()
) -> HttpResponse:
    """The page with links to its other formats; `more` names those beside the usual ones."""
    query = request.GET.copy()
    query.pop("format", None)
    after = f"?{query.urlencode()}" if query else ""
    stem = request.path.rstrip("/")
    context = context | {"formats": [(x, f"{stem}.{x}{after}") for x in (*FORMATS, *more)]}
    bound = RequestContext(request, context)
    body = Engine.get_default().get_template(template).render(bound)
    # The context refers to itself. Without this a large page's rows wait for the garbage collector, a tenth of the page's time.
    bound.dicts.clear()
    return HttpResponse(body)


# --- unchanged pages -----------------------------------------------------------------------------------------------------
# A digest of all that can change of what a page shows, in a few light queries. Figures never change: runs and captures that are
# read again are new rows. Blacked out texts have another sha256.

MAX_CHECKED = 500
View = Callable[..., HttpResponse]
OF_RUN = (
    *("pk", "config_id", "repeat", "counted", "label", "note", "host_id", "host__name"),
    *("upload__sha256", "upload__name", "upload__status", "upload_id"),
)
# Of all kinds in the same types, so that one query reads them.
OF_CAPTURE = ("pk", "config_id", "run_id", "phase", "label")
OF_TEXT = ("pk", "config_id", "upload_id", "upload__sha256", "path")
OF_TIMING = ("pk", "run_id", "upload_id", "upload__sha256", "tool")
OF_OVERRIDE = ("pk", "config_id", "upload_id", "rule", "reason")
OF_CONFIG = ("configs", "configs__name", "configs__group", "configs__position", "configs__deletion")
OF_EXPERIMENT = ("name", "notes", "archived", "host__name", "host__fingerprint")


def version_of(experiment: int) -> str:
    """A digest of what an experiment's page and those of its runs and captures show; "" where other experiments tell in it as well.

    That is where no config was repeated: then runs of others say how much such runs vary. "" as well for very many runs, and
    while a job adds to it. Three queries.
    """
    tags = Cast("tags", TextField())  # nobody reads them
    rows = Run.objects.filter(experiment=experiment).order_by("-pk").values_list(tags, *OF_RUN)
    runs = list(rows[: MAX_CHECKED + 1])
    if len(runs) > MAX_CHECKED or len({run[2] for run in runs}) == len(runs):
        return ""
    adding = Exists(Job.objects.filter(experiment=experiment).exclude(state__in=Job.OVER))
    generators = LoadGenerator.objects.order_by("-pk").values("pk")[:1]
    heads = Experiment.objects.filter(pk=experiment).order_by("configs")
    configs = list(heads.values_list(*OF_CONFIG, *OF_EXPERIMENT, Subquery(generators), adding))  # a row each
    if not configs or configs[0][-1]:
        return ""
    about = Q(config__in=[row[0] for row in configs]) | Q(upload__in={run[-1] for run in runs})
    parts = (
        model._default_manager.filter(condition).order_by().values_list(*columns)
        for model, columns, condition in (
            (ConfigText, OF_TEXT, Q(experiment=experiment)),
            (Timing, OF_TIMING, Q(experiment=experiment)),
            (Override, OF_OVERRIDE, about & Q(withdrawn_at=None)),
        )
    )
    captures = Capture.objects.filter(experiment=experiment).order_by().values_list(*OF_CAPTURE)
    shown = (configs, runs, sorted(captures.union(*parts, all=True), key=repr))
    return hashlib.sha256(orjson.dumps(shown, default=str)).hexdigest()


def answer_unchanged(model: type[Experiment | Run | Capture]) -> Callable[[View], View]:
    """A page of one row answers 304 to a browser that has it, as long as nothing of its experiment has changed."""

    def find_etag(request: HttpRequest, pk: int, **_: Any) -> str | None:
        if len(get_messages(request)):
            return None
        rows: Any = model.objects.filter(pk=pk)
        experiment = pk if model is Experiment else rows.values_list("experiment_id", flat=True).first()
        version = version_of(experiment) if experiment is not None else ""
        user: Any = request.user
        may = "all" if user.is_superuser else sorted(user.get_all_permissions())
        reader = (user.pk, user.get_username(), may, request.COOKIES.get("csrftoken"))
        whole = repr((version, reader, request.get_host(), request.get_full_path(), _digest_code()))
        return f'"{hashlib.sha256(whole.encode()).hexdigest()[:32]}"' if version else None

    def decorate(view: View) -> View:
        @wraps(view)
        def respond(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
            response = view(request, pk=pk, **more)
            patch_cache_control(response, private=True, no_cache=True)
            return response

        conditional: View = condition(etag_func=find_etag)(respond)
        return conditional

    return decorate


@cache
def _digest_code() -> str:
    """A digest of the code and the templates: another version shows another page of the same rows."""
    digest = hashlib.sha256()
    for folder, kind in (("runs", "*.py"), ("templates", "*.html"), ("static", "*.*")):
        for file in sorted(Path(settings.BASE_DIR, folder).rglob(kind)):
            digest.update(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}".encode())
    return digest.hexdigest()
