"""Middleware: the Content-Security-Policy, login by default, and bodies that are too large or incomplete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render

from benchdash.faults import Fault, find_fault
from benchdash.webworker import find_interruption
from runs.ingest import too_large

FORM_FIELDS_BYTES = 2**20  # that a form may have besides its files
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
# Plotly sets style attributes and draws its picture button's output through data: and blob: addresses.
POLICY = "; ".join(
    [
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


class ContentSecurityPolicy:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class Sessions(SessionMiddleware):
    """Django's, but a page that is read does without renewing the session where the database takes no changes."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except DatabaseError as error:
            if request.method in SAFE_METHODS and find_fault(error) in (Fault.READ_ONLY, Fault.FULL):
                return response
            raise


class LoginRequired(LoginRequiredMiddleware):
    """Django's, but with PUBLIC_READ safe methods pass. Personal pages add @login_required of their own."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        is_open = settings.PUBLIC_READ and request.method in SAFE_METHODS
        return None if is_open else super().process_view(request, *view)


class BodyLimits:
    """Answers 413 where Content-Length exceeds the limit, before the body is read, and 400 or 408 to incomplete bodies."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        size = int(announced) if announced.isascii() and announced.isdecimal() else 0
        fields_bytes = FORM_FIELDS_BYTES if request.content_type == "multipart/form-data" else 0
        if size > settings.MAX_UPLOAD_BYTES + fields_bytes:
            return _refuse(request, 413, str(too_large(size)))
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        error = find_interruption(exception)
        return _refuse(request, error.status, error.message) if error else None


def _refuse(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        return JsonResponse({"errors": [{"line": None, "message": message}]}, status=status)
    return render(request, "refused.html", {"message": message}, status=status)
