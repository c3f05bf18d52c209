"""Charts as SVG pictures for embedding elsewhere. They need a login as pages do, unless PUBLIC_READ is on."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.views.decorators.clickjacking import xframe_options_exempt

from runs.charts import old_svg as svg
from runs.charts.curves import Line
from runs.models import Experiment, Run
from runs.presenters.comparison_page import POLICY, read_selection
from runs.presenters.run_charts import percentile_lines, throughput_bars
from runs.selectors import judging, reads

FRESH_S = 60


@xframe_options_exempt
def experiment_picture(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    return _respond_svg(request, _draw(what, reads.of_experiment(experiment), experiment.name, request))


@xframe_options_exempt
def compare_picture(request: HttpRequest, what: str) -> HttpResponse:
    _, material = read_selection(request)
    return _respond_svg(request, _draw(what, material, "Comparison", request))


@xframe_options_exempt
def run_picture(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.with_context(), pk=pk)
    line = Line(f"{run.config}, run {run.repeat}", 0, 1, run.percentiles_ms, run.complete_requests)
    title = f"{run.experiment}: {run.config}"
    return _respond_svg(
        request, svg.draw_percentiles([line] if run.percentiles_ms else [], title, scale=request.GET.get("y", ""))
    )


def _draw(what: str, material: reads.Material, title: str, request: HttpRequest) -> str:
    """The picture of that name. Raises Http404."""
    comparison, judged = judging.compared(material)
    if what == "throughput":
        return svg.draw_bars(throughput_bars(comparison, judged.judgement.silent), title)
    if what == "latency":
        return svg.draw_percentiles(percentile_lines(comparison, judged.out), title, scale=request.GET.get("y", ""))
    raise Http404(f"No picture is called {what}; there are throughput and latency.")


def _respond_svg(request: HttpRequest, body: str) -> HttpResponse:
    """An SVG that caches may keep for a minute and then ask about by its ETag."""
    etag = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    response = HttpResponse(body, content_type="image/svg+xml; charset=utf-8")
    response.headers["ETag"] = etag
    answered = get_conditional_response(request, etag=etag, response=response) or response
    patch_cache_control(answered, max_age=FRESH_S, **{"public" if settings.PUBLIC_READ else "private": True})
    if not settings.PUBLIC_READ:
        patch_vary_headers(answered, ["Cookie"])
    answered.headers["Content-Security-Policy"] = POLICY
    answered.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answered
