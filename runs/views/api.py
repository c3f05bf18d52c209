"""What scripts begin with: the page about the API, made from its OpenAPI schema, and /bd, the client."""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from runs.api.schema import ERRORS
from runs.presenters.api_page import PIPELINES, START, list_examples, list_resources, read_schema

CLIENT = Path(__file__).parent.parent / "client" / "bd"
ADDRESS = re.compile(r"https?://[\w.:\[\]-]+")
KEPT_S = 300


def api(request: HttpRequest) -> HttpResponse:
    schema, site = read_schema(), f"{request.scheme}://{request.get_host()}"
    context = {
        "public": settings.PUBLIC_READ,
        "resources": list_resources(schema, site),
        "start": list_examples(START, schema, site),
        "pipelines": list_examples(PIPELINES, schema, site),
        "errors": ERRORS.items(),
    }
    return render(request, "api.html", context)


@cache
def _script() -> str:
    return CLIENT.read_text()


def _etag(request: HttpRequest) -> str:
    return f'"{zlib.crc32(f"{request.get_host()} {request.is_secure()} {_script()}".encode())}"'


@login_not_required  # it holds no secret; whoever records a load test on a server has no browser there
@require_safe
@condition(etag_func=_etag)
@cache_control(max_age=KEPT_S, private=True)  # a port that somebody else asked with would be in a shared copy
def client(request: HttpRequest) -> HttpResponse:
    """A shell script to download: `curl -fsS SITE/bd -o bd`."""
    site = request.build_absolute_uri("/").removesuffix("/")
    if not ADDRESS.fullmatch(site):  # it would become part of the script
        raise Http404("No such address.")
    return HttpResponse(
        _script().replace("@SITE@", site),
        content_type="text/x-shellscript; charset=utf-8",
        headers={"Content-Disposition": 'inline; filename="bd"', "Vary": "Host"},
    )
