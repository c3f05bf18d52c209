"""One page for the search box: what is named so, by kind."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs.forms import SearchForm
from runs.selectors.search import search_site


def search(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    return render(request, "search.html", {"text": text, "text_searched": text, "groups": search_site(text)})
