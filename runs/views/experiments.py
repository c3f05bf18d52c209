"""The list of experiments."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from runs.analysis.sheet import Sheet
from runs.models import Experiment
from runs.selectors.lists import paginate
from runs.selectors.summaries import summarize
from runs.views.answer import answer

COLUMNS = ("experiment_id", "experiment", "host", "config", "n", "requests_per_second_mean")


def experiment_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = paginate(request.GET, Experiment.objects.select_related("host"))
    summaries = summarize(page.rows)
    rows = tuple(
        (summary.experiment.pk, summary.experiment.name, str(summary.experiment.host or ""), name, len(rates))
        + (sum(rates) / len(rates) if rates else None,)
        for summary in summaries
        for name, rates in summary.configs
    )
    context = {"summaries": summaries, "page": page}
    return answer(request, "experiments.html", context, Sheet("Experiments", COLUMNS, rows), fmt=fmt)
