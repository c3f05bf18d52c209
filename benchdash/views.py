"""The error pages: under /api/ errors have the one shape of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from benchdash.faults import Fault, find_fault

MESSAGES = {
    HTTPStatus.BAD_REQUEST: "The request makes no sense: its host name, its headers or its form are not as expected.",
    HTTPStatus.FORBIDDEN: "You may not do this.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address; /api/v1/schema/ lists what there is.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed. Its log says where.",
}


def _error_view(status: HTTPStatus, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    def handle(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            return page(request, *args, **more)
        return JsonResponse({"errors": [{"line": None, "message": MESSAGES[status]}]}, status=status)

    return handle


bad_request = _error_view(HTTPStatus.BAD_REQUEST, defaults.bad_request)
permission_denied = _error_view(HTTPStatus.FORBIDDEN, defaults.permission_denied)
page_not_found = _error_view(HTTPStatus.NOT_FOUND, defaults.page_not_found)
_server_error = _error_view(HTTPStatus.INTERNAL_SERVER_ERROR, defaults.server_error)


def server_error(request: HttpRequest) -> HttpResponse:
    """Every exception that nothing else handles comes here, whichever middleware or view it is from."""
    fault = find_fault(sys.exc_info()[1])
    return _server_error(request) if fault is None else _answer(request, fault)


def _answer(request: HttpRequest, fault: Fault) -> HttpResponse:
    """503 or 507 with a sentence. The page asks nothing of the database: not even who is logged in."""
    if request.path_info.startswith("/api/") or request.headers.get("Accept") == "application/json":
        response: HttpResponse = JsonResponse(
            {"errors": [{"line": None, "message": fault.message}]}, status=fault.status
        )
    else:
        content = render_to_string("500.html", {"message": fault.message})
        response = HttpResponse(content, status=fault.status)
    if fault.retry_after_s:
        response.headers["Retry-After"] = str(fault.retry_after_s)
    return response
