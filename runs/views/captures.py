"""The page of one capture; and charts over time of a capture or a run, each at an address:

/captures/<pk>/figures/rss.json?points=800&from=..&to=.. , where from and to are in what the figure's x axis counts: seconds of
the day (growing past midnight), seconds since the run began, or samples. The ETag changes with the series and with the runs
that are marked, so an unchanged figure reads no samples.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition

from runs.analysis.export import Sheet
from runs.charts.svg import draw_inline
from runs.charts.svg_file import draw_file
from runs.charts.time_series import RunSpan, View
from runs.models import Capture, Run
from runs.presenters.monitor_charts import describe_figure, draw_figure, list_figure_rows, make_charts_of_capture
from runs.responses import answer_unchanged, respond, respond_csv, respond_svg
from runs.selectors import comparison_data
from runs.selectors.samples import (
    Samples,
    list_machine_series,
    list_process_rows,
    list_program_rows,
    load_samples_of_capture,
    load_samples_of_run,
)

MAX_SHOWN, MAX_EXPORTED, MAX_PROGRAMS = 500, 20_000, 40
DRAWN = 8  # goes up when the same series are drawn in another way, so that no browser keeps the old figure
MOST_POINTS, USUAL_POINTS, USUAL_ROWS = 4000, 800, 200
PICTURE_POINTS = 400  # of a line: a picture cannot be zoomed into


@answer_unchanged(Capture)
def capture_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    capture = get_object_or_404(Capture.objects.with_context().defer("values"), pk=pk)
    whole = bool(fmt or request.GET.get("format", ""))
    machine = list_machine_series(capture)
    processes = list_process_rows(capture, MAX_EXPORTED if whole else MAX_SHOWN)
    seen = load_samples_of_capture(capture)
    programs = seen.programs("rss_kb", "cpu_pct")
    source = comparison_data.line_url(capture.upload_id, capture.line_first)
    context = {
        "capture": capture,
        "source": source,
        "metrics": machine,
        "groups": list_program_rows(capture, programs, MAX_PROGRAMS),
        "processes": processes,
        "most": MAX_SHOWN,
        "over_time": make_charts_of_capture(capture, machine, programs, request.GET.get("program", "")),
        "marks": seen.marks() if capture.n_samples > 1 else [],
        "configs": list(capture.experiment.configs.all()),
    }
    rows = tuple((one.pid, one.group, one.command, one.rss_kb, one.cpu_pct) for one in processes)
    sheet = Sheet(f"Capture {capture.pk}", ("pid", "group", "command", "rss_kb", "cpu_pct"), rows)
    payload = {"id": capture.pk, "tool": capture.tool, "phase": capture.phase, "source": source}
    payload |= {
        "samples": capture.n_samples,
        "metrics": {one.metric: one.mean for one in machine},
        "processes": sheet.records(),
    }
    return respond(request, "capture.html", context, sheet, fmt=fmt, payload=payload)


def figure(request: HttpRequest, kind: str, pk: int, what: str, fmt: str) -> HttpResponse:
    """The figure for Plotly (json), a picture of it (svg; html for a page), or its values (csv).

    An unchanged one needs at most five queries, a new one three more.
    """
    samples = _find_samples(kind, pk)
    view = _read_view(request.GET, samples.marks(), USUAL_ROWS if fmt == "csv" else USUAL_POINTS)
    program = request.GET.get("program", "")
    version = orjson.dumps([DRAWN, what, fmt, program, view, samples.version()])
    etag = f'"{hashlib.sha256(version).hexdigest()[:20]}"'
    response = condition(etag_func=lambda *_: etag)(_respond)(request, samples, what, program, view, fmt)
    patch_cache_control(response, no_cache=True, **{"public" if settings.PUBLIC_READ else "private": True})
    return response


def _respond(request: HttpRequest, samples: Samples, what: str, program: str, view: View, fmt: str) -> HttpResponse:
    if fmt == "csv":
        if found := list_figure_rows(samples, what, program, view):
            sheet = Sheet(what, found[0], tuple(found[1]))
            return respond_csv(sheet)
    elif fmt in ("svg", "html"):
        if chart := describe_figure(samples, what, program, replace(view, most_points=PICTURE_POINTS)):
            if fmt == "html":
                return HttpResponse(draw_inline(replace(chart, key=())))  # the page has the legend
            return respond_svg(draw_file(chart, ""))
    elif drawn := draw_figure(samples, what, program, view):
        return HttpResponse(orjson.dumps(drawn, option=orjson.OPT_SERIALIZE_NUMPY), content_type="application/json")
    raise Http404(f"The monitor said nothing that a figure of {what} could show.")


def _find_samples(kind: str, pk: int) -> Samples:
    if kind == "captures":
        return load_samples_of_capture(get_object_or_404(Capture.objects.defer("values", "quotes"), pk=pk))
    run = get_object_or_404(Run.objects.defer("values", "quotes"), pk=pk)
    samples = load_samples_of_run(run, list(run.captures.defer("values", "quotes")))
    if samples is None:
        raise Http404("No monitor beside this run has more than one sample.")
    return samples


def _read_view(query: Mapping[str, str], spans: Sequence[RunSpan], usual: int) -> View:
    """Raises BadRequest."""
    points = query.get("points", str(usual))
    if not points.isascii() or not points.isdecimal() or len(points) > 6:
        raise BadRequest(f"points: expected a whole number up to {MOST_POINTS}, not {points[:40]!r}")
    low, high = _read_number(query, "from"), _read_number(query, "to")
    if low is not None and high is not None and low >= high:
        raise BadRequest("from must lie before to")
    return View(min(max(int(points), 50), MOST_POINTS), low, high, spans)


def _read_number(query: Mapping[str, str], name: str) -> float | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) < 1e12:
        raise BadRequest(f"{name}: expected a number, not {text[:40]!r}")
    return number
