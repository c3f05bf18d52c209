"""Bodies that are too large are refused before they are read, and those that broke off are told so."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from runs.ingest import too_large
from runs.wire import interruption

FORM = 2**20  # bytes that a form may have beside its files


class Bodies:
    """Middleware that answers 413 where Content-Length says so, and what `runs.wire` says of a body that broke off."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = request.META.get("CONTENT_LENGTH") or "0"
        size = int(said) if said.isascii() and said.isdecimal() else 0
        if size > settings.MAX_UPLOAD_BYTES + (FORM if request.content_type == "multipart/form-data" else 0):
            return _refusal(request, 413, str(too_large(size)))
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        broken = interruption(exception)
        return _refusal(request, broken.status, broken.message) if broken else None


def _refusal(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        return JsonResponse({"errors": [{"line": None, "message": message}]}, status=status)
    return render(request, "refused.html", {"message": message}, status=status)
