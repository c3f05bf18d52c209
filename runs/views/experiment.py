"""An experiment's page: the page that a blog post would be. compare.py shows any selection in the same way."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.charts import Figure
from runs.models import Experiment
from runs.selectors import excerpts, reads
from runs.views import figures, timings
from runs.views.compared import answer_compared, charts_anew, context_of, drawn_at


def experiment(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    material = reads.of_experiment(found)
    context = context_of(request, material) | {
        "experiment": found,
        "title": found.name,
        "notes": found.notes,
        "permalink": found.get_absolute_url(),
        "excerpts": excerpts.of_experiment(found.pk),
        **timings.context_of(material.waiting),
    }
    context["figure_at"] = lambda what, digest: _figure_at(request, found.pk, what, digest)
    context["drawn_at"] = drawn_at(context["charts"], lambda what: reverse("experiment-picture", args=[found.pk, what]))
    head = {"id": found.pk, "name": found.name, "url": found.get_absolute_url()}
    return answer_compared(request, "experiment.html", context, fmt=fmt, **head)


def experiment_figure(request: HttpRequest, pk: int, what: str, digest: str) -> HttpResponse:
    """One of the page's figures as JSON; ?y= as the page's."""

    def anew() -> dict[str, Figure]:
        return charts_anew(
            request, reads.of_experiment(get_object_or_404(Experiment.objects.select_related("host"), pk=pk))
        )

    return figures.answered(request, what, digest, anew)


def _figure_at(request: HttpRequest, pk: int, what: str, digest: str) -> str:
    """The page's ?y= goes along; nothing else changes its figures."""
    asked = request.GET.get("y", "")
    return reverse("experiment-figure", args=[pk, what, digest]) + (f"?{urlencode({'y': asked})}" if asked else "")
