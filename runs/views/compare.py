"""Any runs or configs side by side: /compare/?runs=1,2,3 or ?configs=4,5; the first is the baseline."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from runs.selectors import excerpts, reads
from runs.views.compared import answer_compared, context_of, drawn_at

MOST = 400


def compare(request: HttpRequest, fmt: str = "") -> HttpResponse:
    asked, material = selection(request)
    kept = request.GET.copy()
    kept.pop("format", None)
    query = f"?{kept.urlencode()}" if kept else ""
    context = context_of(request, material) | {"title": "Comparison", "asked": asked, "found": len(material.runs)}
    context["excerpts"] = excerpts.of_runs(material.runs)
    drawn = drawn_at(context["charts"], lambda what: reverse("compare-picture", args=[what]) + query)
    context |= {"permalink": reverse("compare") + query, "drawn_at": drawn}
    return answer_compared(request, "compare.html", context, fmt=fmt)


def selection(request: HttpRequest) -> tuple[int, reads.Material]:
    """(how many rows the query string asks for, what was found). Raises Http404 where it makes no sense."""
    runs, configs = ids(request.GET.getlist("runs")), ids(request.GET.getlist("configs"))
    return len(runs or configs), reads.of_configs(configs) if configs and not runs else reads.of_runs(runs)


def ids(values: Iterable[str]) -> list[int]:
    """ "1,2,3" (or repeated parameters) as numbers in order, each once. Raises Http404 for anything else."""
    words = [word.strip() for value in values for word in value.split(",") if word.strip()]
    if not all(word.isascii() and word.isdecimal() and len(word) < 19 for word in words):
        raise Http404("Expected numbers with commas between them, as in ?runs=1,2,3.")
    if len(words) > MOST:
        raise Http404(f"At most {MOST} can be compared at once.")
    return list(dict.fromkeys(int(word) for word in words))
