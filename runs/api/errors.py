"""Every error of the API has one shape: {"errors": [{"line", "message"}]}."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from runs.ingest import Rejected
from runs.wire import interruption


def handle(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: a refused text, a body that broke off and DRF's own errors in our shape.

    Anything else is a real failure.
    """
    if isinstance(exc, Rejected):
        return refusal(exc, context["request"])
    if (broken := interruption(exc)) is not None:
        return Response({"errors": [{"line": None, "message": broken.message}]}, status=broken.status)
    response = exception_handler(exc, context)
    if response is not None:
        response.data = {"errors": [{"line": None, "message": message} for message in _messages(response.data)]}
    return response


def refusal(error: Rejected, request: Request) -> Response:
    """A text that was not taken; where it is kept for inspection, its id and page are named too."""
    body: dict[str, Any] = {"errors": error.errors}
    if error.upload is not None:
        body |= {"id": error.upload.pk, "status": error.upload.status}
        body["url"] = request.build_absolute_uri(error.upload.get_absolute_url())
    return Response(body, status=error.status)


def _messages(data: Any, name: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, inner in data.items():
            yield from _messages(inner, "" if key in ("detail", "non_field_errors") else str(key))
    elif isinstance(data, list):
        for inner in data:
            yield from _messages(inner, name)
    else:
        yield f"{name}: {data}" if name else str(data)
