"""What Django itself refuses, or fails at: a page for people, and under /api/ the one shape that its errors have."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

MESSAGES = {
    HTTPStatus.BAD_REQUEST: "The request makes no sense: its host name, its headers or its form are not as expected.",
    HTTPStatus.FORBIDDEN: "You may not do this.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address; /api/v1/schema/ lists what there is.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed. Its log says where.",
}


def _handler(status: HTTPStatus, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    def handle(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            return page(request, *args, **more)
        return JsonResponse({"errors": [{"line": None, "message": MESSAGES[status]}]}, status=status)

    return handle


bad_request = _handler(HTTPStatus.BAD_REQUEST, defaults.bad_request)
permission_denied = _handler(HTTPStatus.FORBIDDEN, defaults.permission_denied)
page_not_found = _handler(HTTPStatus.NOT_FOUND, defaults.page_not_found)
server_error = _handler(HTTPStatus.INTERNAL_SERVER_ERROR, defaults.server_error)
