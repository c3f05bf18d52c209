"""How pages answer: as HTML, JSON, CSV or Markdown (suffix or ?format=), or with a chart of theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template import Engine, RequestContext
from django.urls import URLPattern, path, re_path, register_converter
from django.urls.converters import IntConverter
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from runs.analysis.export import FlatTable, as_csv, as_markdown
from runs.charts import Chart
from runs.charts.plotly import draw_figure
from runs.charts.svg_file import draw_file
from runs.database import ID

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
    sheet: FlatTable,
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
    return respond_csv(FlatTable(title, chart.heads, chart.rows))


def respond_svg(drawn: str) -> HttpResponse:
    headers = {"Content-Security-Policy": PICTURE_POLICY}
    return HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8", headers=headers)


def respond_csv(sheet: FlatTable) -> HttpResponse:
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
