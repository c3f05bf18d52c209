"""The list of runs, narrowed, searched and sorted; the page of one run, and of one capture; and trends: one config over time, and
their list. Charts over time of a capture or a run have an address each:

/captures/<pk>/figures/rss.json?points=800&from=..&to=.. , where from and to are in what the figure's x axis counts: seconds of
the day (growing past midnight), seconds since the run began, or samples. The ETag changes with the series and with the runs
that are marked, so an unchanged figure reads no samples.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import condition

from runs import ingest
from runs.analysis import trend as trends
from runs.analysis.export import FlatTable
from runs.analysis.monitors import PHASES
from runs.analysis.summary_wording import describe_course, describe_trend_change
from runs.charts.svg import draw_inline
from runs.charts.svg_file import draw_file
from runs.charts.time_series import RunSpan, View
from runs.charts.timeline import make_trend_chart
from runs.forms import CaptureMoveForm, RunFilterForm
from runs.models import Capture, Run, TrendLine
from runs.presenters.monitor_charts import load_chart, make_charts_of_capture, make_charts_of_run
from runs.presenters.run_charts import describe_timings_of_run, draw_latency, draw_picture
from runs.presenters.tool_fields import arrange, flatten, main_figures
from runs.responses import respond, respond_csv, respond_picture, respond_svg
from runs.selectors import lists
from runs.selectors.samples import (
    Samples,
    count_processes,
    list_machine_series,
    list_process_rows,
    list_program_rows,
    load_samples_of_capture,
    load_samples_of_run,
)

COLUMNS = (
    *("id", "experiment", "config", "label", "repeat", "tool", "concurrency", "requests_per_second"),
    *("mean_ms", "p95_ms", "failed_requests", "complete_requests", "host", "counted", "source"),
)


def run_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = RunFilterForm(request.GET, lists.list_popular_facets())
    runs = lists.list_runs(request.GET, form.filters())
    rows = tuple(_list_values(run) for run in runs.page.rows)
    context = {
        "form": form,
        "found": runs,
        "page": runs.page,
        "chips": form.chips(),
        "names": [(name, form.query_with(q="", **{name.kind: name.value})) for name in runs.names],
        "some_left_out": not all(run.counted for run in runs.page.rows),
        "sources": {row[0]: row[-1] for row in rows},
    }
    return respond(request, "runs.html", context, FlatTable("Runs", COLUMNS, rows), fmt=fmt)


def _list_values(run: Run) -> tuple[Any, ...]:
    return (
        *(run.pk, run.experiment.name, run.config.name, run.label, run.repeat, run.tool, run.concurrency),
        *(
            run.requests_per_second,
            run.mean_ms,
            run.percentiles_ms.get("95"),
            run.failed_requests,
            run.complete_requests,
        ),
        *(str(run.host or ""), run.counted, ingest.line_url(run.upload_id, run.line_first)),
    )


def run_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    run = get_object_or_404(Run.objects.with_context(), pk=pk)
    fact = ingest.make_run_fact(run)
    captures = list(run.captures.defer("values", "quotes"))
    seen = load_samples_of_run(run, captures)
    single = describe_timings_of_run(run)
    chart = draw_latency(run, single["exact_ms"], request.GET.get("y", ""))
    single_fields, field_tables = arrange(fact)
    n = count_processes(captures)
    context = {
        "run": run,
        "fact": fact,
        "beside": [
            (capture, n.get(capture.pk, 0), ingest.line_url(capture.upload_id, capture.line_first))
            for capture in sorted(captures, key=lambda capture: PHASES.index(capture.phase))
        ],
        "over_time": make_charts_of_run(run, seen, request.GET.get("program", "")),
        "marks": seen.marks() if seen else [],
        "through": seen.captures[0] if seen else None,
        "around": seen.part_around(run) if seen else None,
        "charts": {each.name: each for each in (chart, *single["timing_charts"]) if each},
        "log": chart is not None and chart.is_log,
        "figures": main_figures(fact),
        "fields": single_fields,
        "field_tables": field_tables,
        "pictures": [("Latency percentiles", reverse("run-picture", args=[pk]))] if chart else [],
        "public": settings.PUBLIC_READ,
        "build": [
            (name, said) for name in ("version", "commit", "branch", "pr") if (said := getattr(run.build, name, ""))
        ],
        "quotes": [(first, ingest.line_url(run.upload_id, first)) for first, _ in run.quotes],
        **single,
    }
    sheet = FlatTable(f"Run {run.pk}", ("name", "value"), tuple(flatten(run.values)))
    payload = {"id": run.pk, "tool": run.tool, "experiment": run.experiment.name, "config": run.config.name}
    payload |= {"repeat": run.repeat, "label": run.label, "command": run.command, "source": fact.source}
    return respond(request, "run.html", context, sheet, fmt=fmt, payload=payload | {"values": run.values})


@xframe_options_exempt
def run_picture(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.with_context(), pk=pk)
    chart = draw_latency(run, {}, request.GET.get("y", ""))
    return respond_picture(request, draw_picture(chart, "latency", f"{run.experiment}: {run.config}, run {run.repeat}"))


# --- trends ---------------------------------------------------------------------------------------------------------------

TREND_HEADS = ("fingerprint", "tool", "config", "experiment", "runs", "days", "first_day", "last_day")
DAY_HEADS = ("day", "n", "requests_per_second", "least", "most", "stretch", "build")


def trend_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """Those of most days first; those of one day, which show no course yet, in other forms and with ?all=1."""
    has_all = request.GET.get("all") == "1" or bool(fmt or request.GET.get("format"))
    lines = TrendLine.objects.filter(n_days__gt=0 if has_all else 1)
    page = lists.paginate(request.GET, lines, column="n_days")
    named = lists.name_trends(page.rows)
    rows = tuple(
        (line.fingerprint, *((run.tool, run.config.name, run.experiment.name) if run else ("", "", "")))
        + (line.n, line.n_days, line.first_day.isoformat(), line.last_day.isoformat())
        for line, run in ((named_trend.line, named_trend.run) for named_trend in named)
    )
    context = {"named": named, "page": page, "has_all": has_all, "has_any": bool(named) or TrendLine.objects.exists()}
    return respond(request, "trends.html", context, FlatTable("Trends", TREND_HEADS, rows), fmt=fmt)


def trend(request: HttpRequest, fingerprint: str, fmt: str = "") -> HttpResponse:
    course = _find_course(fingerprint)
    run = lists.find_newest_run(fingerprint)
    days = [(day, number) for number, part in enumerate(course.stretches, 1) for day in part.days]
    rows = tuple(
        (day.on.isoformat(), day.n, day.center, day.least, day.most, number, day.build) for day, number in days
    )
    context = {
        "run": run,
        "fingerprint": fingerprint,
        "sentence": describe_course(course),
        "changes": [describe_trend_change(change) for change in course.changes],
        "charts": {"trend": make_trend_chart(course.stretches)},
        "days": days[::-1],
        "has_builds": any(day.build for day, _ in days),
        "level": trends.LEVEL,
        "fewest": trends.FEWEST_DAYS,
    }
    payload = {"fingerprint": fingerprint, "changes": [_describe_change(change) for change in course.changes]}
    sheet = FlatTable(f"Trend of {run.config.name if run else fingerprint}", DAY_HEADS, rows)
    return respond(request, "trend.html", context, sheet, fmt=fmt, payload=payload | {"days": sheet.records()})


def _find_course(fingerprint: str) -> trends.Course:
    days = lists.list_trend_days(fingerprint)
    if not days:
        raise Http404("No counted runs with a rate have this fingerprint, or they were stored seconds ago.")
    return trends.find_course(days)


def _describe_change(change: trends.Change) -> dict[str, Any]:
    last, first = change.builds
    return {
        **{"from": change.on.isoformat(), "pct": change.pct, "p": change.p, "n": change.after.n},
        **{"n_before": change.before.n, "build": first, "build_before": last, "words": describe_trend_change(change)},
    }


# --- captures, and charts over time ---------------------------------------------------------------------------------------

MAX_SHOWN, MAX_EXPORTED, MAX_PROGRAMS = 500, 20_000, 40
DRAWN = 8  # goes up when the same series are drawn in another way, so that no browser keeps the old figure
MOST_POINTS, USUAL_POINTS, USUAL_ROWS = 4000, 800, 200
PICTURE_POINTS = 400  # of a line: a picture cannot be zoomed into


def capture_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    capture = get_object_or_404(Capture.objects.with_context().defer("values"), pk=pk)
    whole = bool(fmt or request.GET.get("format", ""))
    machine = list_machine_series(capture)
    processes = list_process_rows(capture, MAX_EXPORTED if whole else MAX_SHOWN)
    seen = load_samples_of_capture(capture)
    programs = seen.programs("rss_kb", "cpu_pct")
    source = ingest.line_url(capture.upload_id, capture.line_first)
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
        "phases": CaptureMoveForm.PHASES,
    }
    rows = tuple(
        (process.pid, process.group, process.command, process.rss_kb, process.cpu_pct) for process in processes
    )
    sheet = FlatTable(f"Capture {capture.pk}", ("pid", "group", "command", "rss_kb", "cpu_pct"), rows)
    payload = {"id": capture.pk, "tool": capture.tool, "phase": capture.phase, "source": source}
    payload |= {
        "samples": capture.n_samples,
        "metrics": {series.metric: series.mean for series in machine},
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
    chart = load_chart(samples, what, program)
    if chart is None:
        raise Http404(f"The monitor has no data for {what}.")
    if fmt == "csv":
        heads, rows = chart.list_rows(view)
        return respond_csv(FlatTable(what, heads, tuple(rows)))
    if fmt == "json":
        drawn = orjson.dumps(chart.encode(view), option=orjson.OPT_SERIALIZE_NUMPY)
        return HttpResponse(drawn, content_type="application/json")
    shown = chart.describe(replace(view, most_points=PICTURE_POINTS))
    if fmt == "html":
        return HttpResponse(draw_inline(replace(shown, key=())))  # the page has the legend
    return respond_svg(draw_file(shown, ""))


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
        raise BadRequest("from must be before to")
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
