"""Any runs or configs side by side: /compare/?runs=1,2,3 or ?configs=4,5; the first is the baseline."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from runs.presenters.comparison_page import comparison_context, picture_urls, read_selection, respond_comparison
from runs.selectors import excerpts


def compare(request: HttpRequest, fmt: str = "") -> HttpResponse:
    asked, material = read_selection(request)
    kept = request.GET.copy()
    kept.pop("format", None)
    query = f"?{kept.urlencode()}" if kept else ""
    context = comparison_context(request, material) | {
        "title": "Comparison",
        "asked": asked,
        "found": len(material.runs),
    }
    context["excerpts"] = excerpts.of_runs(material.runs)
    drawn = picture_urls(context["charts"], lambda what: reverse("compare-picture", args=[what]) + query)
    context |= {"permalink": reverse("compare") + query, "drawn_at": drawn}
    return respond_comparison(request, "compare.html", context, fmt=fmt)
