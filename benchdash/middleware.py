"""Middleware: the Content-Security-Policy, login by default, and requests that are refused."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from benchdash.faults import Fault, find_fault

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
PAGE_METHODS = {*SAFE_METHODS, "POST"}
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


class ContentSecurityPolicy(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        # Pages say who is logged in, even where reading is open.
        response.headers.setdefault("Cache-Control", "private")
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


class Refusal(Exception):
    """A request whose body is not taken, or that would wait too long."""

    def __init__(self, status: int, message: str, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {"Retry-After": str(retry_after_s)} if retry_after_s else {}


METHOD = Refusal(405, "Pages accept GET and POST only; scripts use /api/v1/.")
NUL = Refusal(400, "The request contains a NUL character.")


class Refusals(MiddlewareMixin):
    """Answers what went wrong while asgi.py received a request, and what no view is asked.

    405  to PUT, PATCH, DELETE and whatever else no page takes; views of pages would answer them as GET
    400  to NUL in a path, a query, a cookie or a page's form: none of ours has any, and PostgreSQL refuses it
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        error = request.META.get("benchdash.error")
        if isinstance(error, Refusal):
            return _refuse(request, error)
        if error is not None:
            raise error
        if request.method not in PAGE_METHODS and not request.path_info.startswith("/api/v1/"):
            response = _refuse(request, METHOD)
            response.headers["Allow"] = ", ".join(sorted(PAGE_METHODS))
            return response
        has_nul = "\0" in "".join([request.path_info, *request.COOKIES.values()]) or _has_nul(request.GET)
        return _refuse(request, NUL) if has_nul else None

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """The API's bodies are texts, which are read elsewhere; a page's form is read by the check for CSRF anyway."""
        is_form = request.method == "POST" and not request.path_info.startswith("/api/")
        return _refuse(request, NUL) if is_form and _has_nul(request.POST) else None


def _has_nul(fields: QueryDict) -> bool:
    """In any field but a pasted text, which is refused in words of its own."""
    return any("\0" in text for name, texts in fields.lists() if name != "text" for text in (name, *map(str, texts)))


def _refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        errors = [{"line": None, "message": refusal.message}]
        return JsonResponse({"errors": errors}, status=refusal.status, headers=refusal.headers)
    response = render(request, "refused.html", {"message": refusal.message}, status=refusal.status)
    for name, value in refusal.headers.items():
        response.headers[name] = value
    return response
