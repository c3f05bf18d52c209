"""Request bodies of uploads: whatever arrives is taken as the text itself, unless it is multipart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.http import QueryDict
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from runs.ingest import Hints, too_large


class RawBody(QueryDict):
    """A form without fields (whoever asks for one, such as the CSRF check, finds none) that carries the bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__("")
        self.data_bytes = data


class RawParser(BaseParser):
    """Any content type: `curl --data-binary` says application/x-www-form-urlencoded and sends a text."""

    media_type = "*/*"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> RawBody:
        data = stream.read(settings.MAX_UPLOAD_BYTES + 1)
        if len(data) > settings.MAX_UPLOAD_BYTES:
            raise too_large()
        return RawBody(data)


def files_of(request: Request) -> list[tuple[str, bytes]]:
    """(name, bytes) of each text sent. Raises Rejected 413 before a body that says it is too large is read."""
    limit = settings.MAX_UPLOAD_BYTES
    said = request.META.get("CONTENT_LENGTH") or "0"
    many = (request.content_type or "").startswith("multipart/")
    if not many and said.isdecimal() and int(said) > limit:
        raise too_large(int(said))
    if not many and said == "0":
        return [(request.query_params.get("name", ""), _unannounced(request))]
    if isinstance(request.data, RawBody):
        return [(request.query_params.get("name", ""), request.data.data_bytes)]
    sent = [file for name in request.FILES for file in request.FILES.getlist(name)]
    for file in sent:
        if file.size is not None and file.size > limit:
            raise too_large(file.size)
    return [(file.name or "", file.read()) for file in sent]


def _unannounced(request: Request) -> bytes:
    """A body in chunks, without its length (`top -b | curl -T -`), where the server can tell its end; else nothing."""
    if not request.META.get("wsgi.input_terminated"):
        return b""
    data: bytes = request.META["wsgi.input"].read(settings.MAX_UPLOAD_BYTES + 1)
    return data


def hints_of(request: Request) -> Hints:
    """host, config, experiment and tags out of the form or else the query."""
    return Hints.from_dict(
        {name: request.POST.get(name) or request.query_params.get(name) for name in Hints().as_dict()}
    )
