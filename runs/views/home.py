"""The first page (a box to paste into, the ways to send from elsewhere, the latest experiments), and the page of search."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs import ingest
from runs.forms import SearchForm
from runs.incoming import preview_bytes
from runs.selectors.search import search_site
from runs.selectors.summaries import list_latest_experiments

LATEST = 12


def home(request: HttpRequest) -> HttpResponse:
    summaries = list_latest_experiments(LATEST)
    context = paste_context(request) | {"summaries": summaries}
    context["has_demos"] = any(summary.is_demo for summary in summaries)
    return render(request, "home.html", context)


def paste_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "site": request.build_absolute_uri("/")[:-1],
        "preview_bytes": preview_bytes(),
        "most_bytes": settings.MAX_UPLOAD_BYTES,
        "kinds": ingest.kinds(),
    }


def search(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    return render(request, "search.html", {"text": text, "text_searched": text, "groups": search_site(text)})
