"""One config over time, and the list of all such trends."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from runs.analysis import trend as analysis
from runs.analysis.export import Sheet
from runs.analysis.summary_wording import describe_change, describe_course
from runs.charts import Chart
from runs.charts.history import Day, Stretch, make_trend_chart
from runs.models import TrendLine
from runs.responses import respond
from runs.selectors.lists import find_newest_run, list_trend_days, name_trends, paginate

HEADS = ("fingerprint", "tool", "config", "experiment", "runs", "days", "first_day", "last_day")
DAY_HEADS = ("day", "n", "requests_per_second", "least", "most", "stretch", "build")


def trend_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """Most used first."""
    page = paginate(request.GET, TrendLine.objects.all(), column="n")
    named = name_trends(page.rows)
    rows = tuple(
        (line.fingerprint, *((run.tool, run.config.name, run.experiment.name) if run else ("", "", "")))
        + (line.n, line.n_days, line.first_day.isoformat(), line.last_day.isoformat())
        for line, run in ((one.line, one.run) for one in named)
    )
    context = {"named": named, "page": page}
    return respond(request, "trends.html", context, Sheet("Trends", HEADS, rows), fmt=fmt)


def trend(request: HttpRequest, fingerprint: str, fmt: str = "") -> HttpResponse:
    course = _find_course(fingerprint)
    run = find_newest_run(fingerprint)
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
        "level": analysis.LEVEL,
        "fewest": analysis.FEWEST_DAYS,
    }
    payload = {"fingerprint": fingerprint, "changes": [_describe_change(change) for change in course.changes]}
    sheet = Sheet(f"Trend of {run.config.name if run else fingerprint}", DAY_HEADS, rows)
    return respond(request, "trend.html", context, sheet, fmt=fmt, payload=payload | {"days": sheet.records()})


def _find_course(fingerprint: str) -> analysis.Course:
    days = list_trend_days(fingerprint)
    if not days:
        raise Http404("No counted runs with a rate have this fingerprint, or they came in seconds ago.")
    return analysis.find_course(days)


def _draw(course: analysis.Course) -> Chart:
    return make_trend_chart(
        [
            Stretch(
                tuple(Day(day.on, day.n, day.center, day.least, day.most, day.build) for day in part.days), part.center
            )
            for part in course.stretches
        ]
    )


def _describe_change(change: analysis.Change) -> dict[str, Any]:
    described = {"from": change.on.isoformat(), "pct": change.pct, "p": change.p, "n": change.n}
    return described | {"n_before": change.n_before, "words": describe_change(change)}
