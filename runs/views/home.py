"""The first page: a box to paste into, the latest experiments, the hosts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs import ingest
from runs.incoming import preview_bytes
from runs.models import Host
from runs.selectors.summaries import latest_experiments

LATEST = 12


def home(request: HttpRequest) -> HttpResponse:
    hosts = Host.objects.order_by("-id")[:LATEST]
    context = paste_context(request) | {"summaries": latest_experiments(LATEST), "hosts": hosts}
    return render(request, "home.html", context)


def paste_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "upload_url": request.build_absolute_uri("/api/v1/uploads/"),
        "public_read": settings.PUBLIC_READ,
        "preview_bytes": preview_bytes(),
        "most_bytes": settings.MAX_UPLOAD_BYTES,
        "kinds": ingest.kinds(),
    }
