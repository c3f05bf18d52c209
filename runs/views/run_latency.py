"""How the latency of one run is spread: the chart of its page, and the figure that it fetches."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.charts import Figure, latency
from runs.models import Run
from runs.selectors import timed
from runs.views import figures
from runs.views.charts import wants_log
from runs.views.spectra import percentiles


def chart_of(request: HttpRequest, run: Run, single: timed.Timed) -> tuple[figures.Chart | None, bool]:
    """(the chart, whether its time axis is logarithmic); None where the run tells no percentiles. ?y= chooses the axis."""
    asked = request.GET.get("y", "")
    made, log = _figures(run, single, asked)
    query = f"?{urlencode({'y': asked})}" if asked else ""
    charts = figures.published(made, lambda what, digest: reverse("run-latency", args=[run.pk, what, digest]) + query)
    return charts.get("latency"), log


def run_figure(request: HttpRequest, pk: int, what: str, digest: str) -> HttpResponse:
    """The spectrum as JSON."""

    def anew() -> dict[str, Figure]:
        run = get_object_or_404(Run.objects.with_context(), pk=pk)
        return _figures(run, timed.joined(timed.rows(run=run)), request.GET.get("y", ""))[0]

    return figures.answered(request, what, digest, anew)


def _figures(run: Run, single: timed.Timed, asked: str) -> tuple[dict[str, Figure], bool]:
    spectrum = percentiles(run.percentiles_ms, single.percentiles_ms)
    if len(spectrum) < 2:
        return {}, False
    line = latency.Line(run.config.name, 0, 1, spectrum, run.complete_requests)
    log = wants_log(asked, [line])
    return {"latency": latency.figure([line], log=log)}, log
