"""The list of runs, narrowed, searched and sorted; the page of one run; and trends: one config over time, and their list."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt

from runs.analysis import trend as trends
from runs.analysis.export import Sheet
from runs.analysis.monitors import PHASES
from runs.analysis.summary_wording import describe_change, describe_course
from runs.charts import Chart
from runs.charts.history import Day, Stretch, make_trend_chart
from runs.forms import RunFilterForm
from runs.models import Run, TrendLine
from runs.presenters.monitor_charts import make_charts_of_run
from runs.presenters.run_charts import describe_timings_of_run, draw_latency, draw_picture
from runs.presenters.tool_fields import arrange, flatten, main_figures
from runs.responses import answer_unchanged, respond, respond_picture
from runs.selectors import comparison_data, lists
from runs.selectors.samples import count_processes, load_samples_of_run

COLUMNS = (
    *("id", "experiment", "config", "label", "repeat", "tool", "concurrency", "requests_per_second"),
    *("mean_ms", "p95_ms", "failed_requests", "complete_requests", "host", "counted", "source"),
)


def run_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = RunFilterForm(request.GET, lists.list_popular_facets())
    found = lists.list_runs(request.GET, form.filters())
    rows = tuple(_list_values(run) for run in found.page.rows)
    context = {
        "form": form,
        "found": found,
        "page": found.page,
        "chips": form.chips(),
        "names": [(name, form.query_with(q="", **{name.kind: name.value})) for name in found.names],
        "some_left_out": not all(run.counted for run in found.page.rows),
        "sources": {row[0]: row[-1] for row in rows},
    }
    return respond(request, "runs.html", context, Sheet("Runs", COLUMNS, rows), fmt=fmt)


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
        *(str(run.host or ""), run.counted, comparison_data.line_url(run.upload_id, run.line_first)),
    )


@answer_unchanged(Run)
def run_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    run = get_object_or_404(Run.objects.with_context(), pk=pk)
    fact = comparison_data.make_run_fact(run)
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
            (one, n.get(one.pk, 0), comparison_data.line_url(one.upload_id, one.line_first))
            for one in sorted(captures, key=lambda one: PHASES.index(one.phase))
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
        "quotes": [(first, comparison_data.line_url(run.upload_id, first)) for first, _ in run.quotes],
        **single,
    }
    sheet = Sheet(f"Run {run.pk}", ("name", "value"), tuple(flatten(run.values)))
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
    """Most used first."""
    page = lists.paginate(request.GET, TrendLine.objects.all(), column="n")
    named = lists.name_trends(page.rows)
    rows = tuple(
        (line.fingerprint, *((run.tool, run.config.name, run.experiment.name) if run else ("", "", "")))
        + (line.n, line.n_days, line.first_day.isoformat(), line.last_day.isoformat())
        for line, run in ((one.line, one.run) for one in named)
    )
    context = {"named": named, "page": page}
    return respond(request, "trends.html", context, Sheet("Trends", TREND_HEADS, rows), fmt=fmt)


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
        "changes": [describe_change(change) for change in course.changes],
        "charts": {"trend": _draw(course)},
        "days": days[::-1],
        "level": trends.LEVEL,
        "fewest": trends.FEWEST_DAYS,
    }
    payload = {"fingerprint": fingerprint, "changes": [_describe_change(change) for change in course.changes]}
    sheet = Sheet(f"Trend of {run.config.name if run else fingerprint}", DAY_HEADS, rows)
    return respond(request, "trend.html", context, sheet, fmt=fmt, payload=payload | {"days": sheet.records()})


def _find_course(fingerprint: str) -> trends.Course:
    days = lists.list_trend_days(fingerprint)
    if not days:
        raise Http404("No counted runs with a rate have this fingerprint, or they came in seconds ago.")
    return trends.find_course(days)


def _draw(course: trends.Course) -> Chart:
    return make_trend_chart(
        [
            Stretch(
                tuple(Day(day.on, day.n, day.center, day.least, day.most, day.build) for day in part.days), part.center
            )
            for part in course.stretches
        ]
    )


def _describe_change(change: trends.Change) -> dict[str, Any]:
    described = {"from": change.on.isoformat(), "pct": change.pct, "p": change.p, "n": change.n}
    return described | {"n_before": change.n_before, "words": describe_change(change)}
