"""The list of experiments, the page of one (its comparison, runs, monitors and texts), and any runs or configs side by side."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.analysis.sheet import Sheet
from runs.models import Experiment
from runs.page_formats import respond
from runs.presenters.comparison_page import comparison_context, read_selection, respond_comparison
from runs.presenters.run_charts import describe_timings
from runs.selectors import reads
from runs.selectors.judging import keep_headline
from runs.selectors.lists import paginate
from runs.selectors.summaries import summarize

COLUMNS = ("experiment_id", "experiment", "host", "config", "n", "requests_per_second_mean", "outcome", "headline")


def experiment_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = paginate(request.GET, Experiment.objects.select_related("host"))
    summaries = summarize(page.rows)
    rows = tuple(
        (summary.experiment.pk, summary.experiment.name, str(summary.experiment.host or ""), name, len(rates))
        + (sum(rates) / len(rates) if rates else None,)
        + ((summary.headline["outcome"], summary.headline["sentence"]) if summary.headline else ("", ""))
        for summary in summaries
        for name, rates in summary.configs
    )
    context = {"summaries": summaries, "page": page}
    return respond(request, "experiments.html", context, Sheet("Experiments", COLUMNS, rows), fmt=fmt)


def experiment_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    material = reads.of_experiment(experiment)
    context = comparison_context(
        request, material, experiment.name, lambda what: reverse("experiment-picture", args=[pk, what])
    )
    keep_headline(experiment, material, context["headline"])
    context |= {
        "experiment": experiment,
        "notes": experiment.notes,
        "permalink": experiment.get_absolute_url(),
        "excerpts": reads.excerpts_of_experiment(experiment.pk),
        **(describe_timings(material.waiting) if material.waiting else {}),
    }
    head = {"id": experiment.pk, "name": experiment.name, "url": experiment.get_absolute_url()}
    return respond_comparison(request, "experiment.html", context, fmt=fmt, **head)


def compare(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """/compare/?runs=1,2,3 or ?configs=4,5; the first is the baseline."""
    asked, material = read_selection(request)
    kept = request.GET.copy()
    kept.pop("format", None)
    query = f"?{kept.urlencode()}" if kept else ""
    context = comparison_context(
        request, material, "Comparison", lambda what: reverse("compare-picture", args=[what]) + query
    )
    context |= {"asked": asked, "found": len(material.runs), "permalink": reverse("compare") + query}
    context["excerpts"] = reads.excerpts_of_runs(material.runs)
    return respond_comparison(request, "compare.html", context, fmt=fmt)
