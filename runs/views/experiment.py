"""An experiment's page: the page that a blog post would be. compare.py shows any selection in the same way."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.models import Experiment
from runs.presenters.run_charts import describe_timings
from runs.selectors import excerpts, reads
from runs.views.compared import answer_compared, context_of, drawn_at


def experiment(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    material = reads.of_experiment(found)
    context = context_of(request, material) | {
        "experiment": found,
        "title": found.name,
        "notes": found.notes,
        "permalink": found.get_absolute_url(),
        "excerpts": excerpts.of_experiment(found.pk),
        **describe_timings(material.waiting),
    }
    context["drawn_at"] = drawn_at(context["charts"], lambda what: reverse("experiment-picture", args=[found.pk, what]))
    head = {"id": found.pk, "name": found.name, "url": found.get_absolute_url()}
    return answer_compared(request, "experiment.html", context, fmt=fmt, **head)
