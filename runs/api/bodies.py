"""Request bodies of uploads: whatever arrives is taken as the text itself, unless it is multipart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.http import QueryDict
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from runs.incoming import named_text, received, refuse_coding
from runs.ingest import EVERY_SECRET, Hints, Rejected, Text, receive, too_large

ASKED = ("host", "config", "experiment", "tags", "redact")
REDACT = dict.fromkeys(("yes", "true", "1"), EVERY_SECRET) | dict.fromkeys(("no", "false", "0"), frozenset())


class RawBody(QueryDict):
    """A form without fields (whoever asks for one, such as the CSRF check, finds none) that carries the text."""

    def __init__(self, text: Text) -> None:
        super().__init__("")
        self.text = text


class RawParser(BaseParser):
    """Any content type: `curl --data-binary` says application/x-www-form-urlencoded and sends a text."""

    media_type = "*/*"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> RawBody:
        return RawBody(received(stream))


def files_of(request: Request) -> list[tuple[str, Text]]:
    """(name, text) of each text sent. Raises Rejected 413 before a body that says it is too large is read."""
    limit = settings.MAX_UPLOAD_BYTES
    said = request.META.get("CONTENT_LENGTH") or "0"
    many = (request.content_type or "").startswith("multipart/")
    refuse_coding(request._request, form=many)
    if not many and said.isdecimal() and int(said) > limit:
        raise too_large(int(said))
    if not many and said == "0":
        return [(request.query_params.get("name", ""), _unannounced(request))]
    if isinstance(request.data, RawBody):
        return [(request.query_params.get("name", ""), request.data.text)]
    return [named_text(file) for name in request.FILES for file in request.FILES.getlist(name)]


def _unannounced(request: Request) -> Text:
    """A body in chunks, without its length (`top -b | curl -T -`), where the server can tell its end; else nothing."""
    terminated = request.META.get("wsgi.input_terminated")
    return received(request.META["wsgi.input"]) if terminated else receive(b"")


def wishes_of(request: Request) -> dict[str, Any]:
    """What the form or else the query asks for: `hints`, and what to `redact`.

    Raises Rejected 400 where redact is neither yes nor no.
    """
    form, query = request.POST, request.query_params  # each is made when it is asked for
    said = {name: form.get(name) or query.get(name) for name in ASKED}
    return {"hints": Hints.from_dict(said), "redact": _secrets((said["redact"] or "no").lower())}


def _secrets(said: str) -> frozenset[str]:
    if said not in REDACT:
        what = f"redact={said[:40]} is not understood; expected yes or no."
        raise Rejected(400, [{"line": None, "message": what}])
    return REDACT[said]
