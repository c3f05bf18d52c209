"""Charts as SVG pictures for embedding elsewhere. They need a login as pages do, unless PUBLIC_READ is on."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.views.decorators.clickjacking import xframe_options_exempt

from runs.charts import Chart
from runs.charts.svg_file import draw_empty, draw_file
from runs.models import Experiment, Run
from runs.page_formats import PICTURE_POLICY
from runs.presenters.comparison_page import read_selection
from runs.presenters.run_charts import draw_charts, draw_latency
from runs.selectors import comparison_data, judging

FRESH_S = 60
# What a picture says that has nothing to show: it is embedded elsewhere, where an error would say less.
EMPTY = {
    "throughput": "No run here says how many requests it served per second.",
    "latency": "No run here printed percentiles.",
}


@xframe_options_exempt
def experiment_picture(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    return _respond_svg(
        request, _draw_compared(what, comparison_data.of_experiment(experiment), experiment.name, request)
    )


@xframe_options_exempt
def compare_picture(request: HttpRequest, what: str) -> HttpResponse:
    _, data = read_selection(request)
    return _respond_svg(request, _draw_compared(what, data, "Comparison", request))


@xframe_options_exempt
def run_picture(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.with_context(), pk=pk)
    chart = draw_latency(run, {}, request.GET.get("y", ""))
    return _respond_svg(request, _draw(chart, "latency", f"{run.experiment}: {run.config}, run {run.repeat}"))


def _draw_compared(what: str, data: comparison_data.ComparisonData, title: str, request: HttpRequest) -> str:
    comparison, judged = judging.compare_and_judge(data)
    charts = draw_charts(comparison, judged, data.counted_captures, request.GET.get("y", ""))
    if what not in charts and what not in EMPTY:
        raise Http404(f"No picture is called {what}; there are {', '.join(charts) or 'none'}.")
    return _draw(charts.get(what), what, title)


def _draw(chart: Chart | None, what: str, title: str) -> str:
    return draw_file(chart, title) if chart else draw_empty(what, title, EMPTY[what])


def _respond_svg(request: HttpRequest, body: str) -> HttpResponse:
    """An SVG that caches may keep for a minute and then ask about by its ETag."""
    etag = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    response = HttpResponse(body, content_type="image/svg+xml; charset=utf-8")
    response.headers["ETag"] = etag
    answered = get_conditional_response(request, etag=etag, response=response) or response
    patch_cache_control(answered, max_age=FRESH_S, **{"public" if settings.PUBLIC_READ else "private": True})
    if not settings.PUBLIC_READ:
        patch_vary_headers(answered, ["Cookie"])
    answered.headers["Content-Security-Policy"] = PICTURE_POLICY
    answered.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answered
