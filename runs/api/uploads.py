"""Uploads: the list of texts, and POST, which takes a text in any content type or the files of a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from runs import ingest, tasks
from runs.analysis import adaptive
from runs.api import ShallowJSONParser, comparisons, filters, serializers
from runs.api.views import ManagedRowViews, describe_managing
from runs.database import parse_id
from runs.ingest import EVERY_SECRET, Hints, Text, receive, rejected
from runs.models import Upload
from runs.selectors import judging
from runs.upload_handlers import read_named_text, read_parts, refuse_coding

BUILD_WORDS = {
    **{"commit": "commit", "branch": "branch", "version": "version", "pr": "pull or merge request"},
    "url": "pipeline's address, http or https",
}
HINTS = [
    OpenApiParameter("host", description="name of the machine, instead of the one in the text"),
    OpenApiParameter("config", description="name of the config of all runs in the text"),
    OpenApiParameter("experiment", description="experiment to add to; created if it does not exist"),
    OpenApiParameter("tags", description="tags for every run, separated by commas"),
    OpenApiParameter("at", description="time of the runs (ISO 8601), if the text has none"),
    *(OpenApiParameter(name, description=f"{what} of the tested build") for name, what in BUILD_WORDS.items()),
    OpenApiParameter("name", description="name of the text, such as its file name"),
    OpenApiParameter(
        "redact",
        enum=["yes", "no"],
        description="yes: replace everything that looks like a secret; the default with PUBLIC_READ",
    ),
]
REFUSALS = {
    code: OpenApiResponse(serializers.ErrorsSerializer, description=why)
    for code, why in {
        400: "empty text or invalid parameter",
        413: "too large",
        415: "not a text",
        422: "nothing was recognised; the text is kept for inspection",
    }.items()
}
MOST_ROUNDS, MOST_LOAD = 1000, 10_000_000
OPTION_NAMES = ("host", "config", "experiment", "tags", "at", "redact", *BUILD_WORDS)
REDACT = dict.fromkeys(("yes", "true", "1"), EVERY_SECRET) | dict.fromkeys(("no", "false", "0"), frozenset())


class RawBody(QueryDict):
    """A form without fields, for the CSRF check and others that read them, that carries the text."""

    def __init__(self, text: Text) -> None:
        super().__init__("")
        self.text = text


class RawParser(BaseParser):
    """Any content type: `curl --data-binary` says application/x-www-form-urlencoded and sends a text."""

    media_type = "*/*"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> RawBody:
        return RawBody(receive(read_parts(stream)))


@extend_schema_view(retrieve=extend_schema(responses=serializers.ResultSerializer))
class UploadViews(ManagedRowViews):
    """The texts that came in, and what each became."""

    queryset = Upload.objects.with_counts()
    serializer_class = serializers.UploadSerializer
    filterset_class = filters.UploadFilter
    change_class, kind = serializers.NameChange, "upload"
    parser_classes = [MultiPartParser, RawParser]

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What was read from a text, and while it waits for a worker, how far it is."""
        return Response(describe_upload(self.get_object(), _make_base_address(request)))

    @extend_schema(
        request=None, responses={200: serializers.ResultSerializer, 409: serializers.ErrorsSerializer}, filters=False
    )
    @action(detail=True, methods=["post"], pagination_class=None)
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop waiting for a text that no worker has read yet. It is kept, and nothing of it is stored."""
        if not ingest.cancel(self.get_object().pk):
            raise rejected(409, "Too late to cancel: the text has been read.")
        return Response(describe_upload(self.get_object(), _make_base_address(request)))

    @extend_schema(
        request=serializers.WordsSerializer,
        responses={200: serializers.ResultSerializer, **dict.fromkeys((400, 409), serializers.ErrorsSerializer)},
        filters=False,
    )
    @action(detail=True, methods=["post"], pagination_class=None, parser_classes=[ShallowJSONParser])
    def redact(self, request: Request, pk: str) -> Response:
        """Black out what looks like a secret, and the `words` given, in the stored text and all that was made of it."""
        wanted = serializers.WordsSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        upload = tasks.redact_upload(self.get_object().pk, wanted.validated_data["words"])
        return Response(describe_upload(upload, _make_base_address(request)))

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "most", OpenApiTypes.INT, description="maximum number of rounds (50), or the highest load"
            ),
            OpenApiParameter("limit", description="of a search for the highest load: the limit"),
            OpenApiParameter("first", OpenApiTypes.INT, description="of such a search: the first load"),
        ],
        request={"text/plain": OpenApiTypes.STR},
        responses={200: serializers.DecisionSerializer, **REFUSALS},
        filters=False,
    )
    @action(detail=False, methods=["post"], pagination_class=None)
    def decide(self, request: Request) -> Response:
        """What to run next, by what was recorded so far: whether two configs that are run in turn need another round, or

        with `limit` which load comes next in the search for the highest one that keeps it. Nothing is stored.
        """
        limit, least = request.query_params.get("limit", ""), adaptive.FIRST_LOOK + 1
        highest = MOST_LOAD if limit else MOST_ROUNDS
        most = parse_id(request.query_params.get("most", str(adaptive.USUAL_MOST)))
        first = parse_id(request.query_params.get("first", "1"))
        if most is None or first is None or not (1 if limit else least) <= most <= highest or not 1 <= first <= highest:
            raise ValidationError({"most": f"expected a whole number from {least} to {highest}"})
        texts = read_texts(request)
        if len(texts) > 1:
            raise ValidationError("The form has several files; expected one field `file`.")
        shown = ingest.preview(texts[0][1])
        if limit:
            return Response(_decide_on_load(shown, limit, first, most))
        return Response(serializers.DecisionSerializer(judging.decide_on_draft(shown, most)).data)

    @extend_schema(
        parameters=HINTS,
        request={
            "text/plain": OpenApiTypes.STR,
            "application/x-www-form-urlencoded": OpenApiTypes.BINARY,
            "multipart/form-data": {
                "type": "object",
                "properties": {
                    "file": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    **{name: {"type": "string"} for name in OPTION_NAMES},
                },
            },
        },
        responses={
            201: OpenApiResponse(serializers.ResultSerializer, description="stored"),
            202: OpenApiResponse(serializers.ResultSerializer, description="queued for a worker; poll Location"),
            200: OpenApiResponse(serializers.ResultSerializer, description="the same text is already stored"),
            **REFUSALS,
        },
        filters=False,
    )
    def create(self, request: Request) -> Response:
        """Send a text: as the body, or as multipart `file`, several allowed (then all are stored or none)."""
        files = read_texts(request)
        user = request.user if request.user.is_authenticated else None
        return _respond(tasks.submit_all(files, origin="rest", user=user, **read_options(request)), request)


describe_managing(UploadViews, serializers.ResultSerializer)


def _decide_on_load(shown: ingest.Preview, limit: str, first: int, most: int) -> dict[str, Any]:
    runs = [run for run in judging.list_runs_by_load(shown) if run[1].counted]
    try:
        checks = [(load, comparisons.check_limit(limit, [run])[0]) for load, run in runs]
    except ValueError as error:
        raise ValidationError({"limit": str(error)}) from error
    tried = [(load, status == comparisons.FINE) for load, status in checks]
    search = adaptive.find_next_level(tried, first=first, most=most)
    missing = any(status == comparisons.UNDECIDED for _, status in checks)
    action = "fixed" if missing or (shown.blocks and not tried) else "more" if search.level else "stop"
    levels = {float(load): [run for own, run in runs if own == load] for load, _ in runs}
    if action == "stop":
        search = adaptive.narrow(search, adaptive.find_capacity(adaptive.read_limit(limit), levels))
    text = "No run has this figure." if action == "fixed" else adaptive.describe_search(search, limit, tried)
    return {"action": action, "level": search.level, "text": text}


def read_texts(request: Request) -> list[tuple[str, Text]]:
    """(name, text) of each text sent, at least one. Raises Rejected and ValidationError."""
    is_form = (request.content_type or "").startswith("multipart/")
    refuse_coding(request._request, form=is_form)
    if is_form:
        files = [read_named_text(file) for name in request.FILES for file in request.FILES.getlist(name)]
        if not files:
            raise ValidationError("The form has no file; expected at least one field `file`.")
        return files
    text = request.data.text if isinstance(request.data, RawBody) else receive(b"")  # no parser is called for no body
    return [(request.query_params.get("name", ""), text)]


def read_options(request: Request) -> dict[str, Any]:
    """What the form or else the query asks for: `hints`, and what to `redact`.

    Raises Rejected 400 where redact is neither yes nor no, `at` no time, or `url` no address of a page.
    """
    form, query = request.POST, request.query_params  # both are parsed lazily
    given = {name: form.get(name) or query.get(name) for name in OPTION_NAMES}
    answer = (given["redact"] or ("yes" if settings.PUBLIC_READ else "no")).lower()
    if answer not in REDACT:
        raise rejected(400, f"redact={answer[:40]} is not understood; expected yes or no.")
    try:
        return {"hints": Hints.from_dict(given), "redact": REDACT[answer]}
    except ValueError as error:
        raise rejected(400, str(error)) from error


def describe_upload(upload: Upload, site: str, rows: ingest.StoredRows | None = None) -> dict[str, Any]:
    """`ingest.describe_result` with whole addresses."""
    body = ingest.describe_result(upload, rows)
    body["page"] = site + body["page"]
    for row in (body, *body["runs"], *body["captures"]):
        row["url"] = site + row["url"]
    return body


def _make_base_address(request: Request) -> str:
    return request.build_absolute_uri("/").removesuffix("/")


def _respond(receipts: list[ingest.Receipt], request: Request) -> Response:
    """201, 202 where a worker reads it first, or 200 where all was there; several files give {"uploads": [..]}."""
    site = _make_base_address(request)
    bodies = [describe_upload(receipt.upload, site, receipt.rows) for receipt in receipts]
    queued = any(receipt.upload.is_waited_for for receipt in receipts)
    status = 202 if queued else 201 if any(receipt.created for receipt in receipts) else 200
    where = site + reverse("api-upload-detail", args=[receipts[0].upload.pk])
    return Response(bodies[0] if len(bodies) == 1 else {"uploads": bodies}, status, headers={"Location": where})
