"""The page about the API, made from its OpenAPI schema."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs.api.schema import ERRORS
from runs.presenters.api_page import PIPELINES, START, list_examples, list_resources, read_schema


def api(request: HttpRequest) -> HttpResponse:
    schema, site = read_schema(), f"{request.scheme}://{request.get_host()}"
    context = {
        "public": settings.PUBLIC_READ,
        "resources": list_resources(schema, site),
        "start": list_examples(START, schema, site),
        "pipelines": list_examples(PIPELINES, schema, site),
        "errors": ERRORS.items(),
    }
    return render(request, "api.html", context)
