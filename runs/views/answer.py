"""How a page answers: as HTML, or as the JSON, CSV or Markdown of the same data (suffix or ?format=)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern, path, re_path

from runs.analysis.sheet import Sheet, as_csv, as_markdown

FORMATS = ("json", "csv", "md")


def page(route: str, view: Callable[..., HttpResponseBase], name: str, more: str = "") -> list[URLPattern]:
    """`route` ("runs/" or "runs/<pk>/") and the same with a suffix that names the format; `more`: beside the usual."""
    pattern = route.rstrip("/").replace("<pk>", r"(?P<pk>\d+)")
    return [
        path(route.replace("<pk>", "<int:pk>"), view, name=name),
        re_path(rf"^{pattern}/?\.(?P<fmt>json|csv|md{more})/?$", view, name=f"{name}-as"),
    ]


def answer(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    sheet: Sheet,
    *,
    fmt: str = "",
    payload: dict[str, Any] | None = None,
    markdown: str = "",
    more: Sequence[str] = (),
) -> HttpResponse:
    """`sheet` is the page as a flat table; `payload` its fuller form for JSON, `markdown` one for people.

    `more` names forms that the page answers as beside the usual ones.
    """
    fmt = fmt or request.GET.get("format", "")
    if fmt in ("", "html"):
        return render(request, template, context | {"formats": _links(request, (*FORMATS, *more))})
    if fmt == "json":
        body = payload or {"title": sheet.title, "rows": sheet.records()}
        return JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    if fmt == "csv":
        response = HttpResponse(as_csv(sheet), content_type="text/csv; charset=utf-8")
        name = quote(f"{sheet.title}.csv", safe="")
        response["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
        return response
    if fmt == "md":
        return HttpResponse(markdown or as_markdown(sheet), content_type="text/markdown; charset=utf-8")
    raise Http404(f"No such format: {fmt}. This page answers as {', '.join(FORMATS)}.")


def _links(request: HttpRequest, formats: Sequence[str]) -> list[tuple[str, str]]:
    """(name, address) of the same page in each other format, with its query."""
    query = request.GET.copy()
    query.pop("format", None)
    after = f"?{query.urlencode()}" if query else ""
    stem = request.path.rstrip("/")
    return [(name, f"{stem}.{name}{after}") for name in formats]
