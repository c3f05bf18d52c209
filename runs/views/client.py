"""/bd: the client, with this site's address in it."""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

CLIENT = Path(__file__).parent.parent / "client" / "bd"
ADDRESS = re.compile(r"https?://[\w.:\[\]-]+")
KEPT_S = 300


@cache
def _script() -> str:
    return CLIENT.read_text()


def _etag(request: HttpRequest) -> str:
    return f'"{zlib.crc32(f"{request.get_host()} {request.is_secure()} {_script()}".encode())}"'


@login_not_required  # it holds no secret; whoever records a load test on a server has no browser there
@require_safe
@condition(etag_func=_etag)
@cache_control(max_age=KEPT_S, public=True)
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
