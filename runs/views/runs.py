"""The list of runs: narrowed, searched, sorted, and ticked for a comparison."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from runs.analysis.sheet import Sheet
from runs.forms import RunFilterForm
from runs.models import Run
from runs.selectors import lists, reads
from runs.views.answer import answer

COLUMNS = (
    *("id", "experiment", "config", "label", "repeat", "tool", "requests_per_second", "mean_ms", "p95_ms"),
    *("failed_requests", "complete_requests", "host", "counted", "source"),
)


def run_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = RunFilterForm(request.GET, lists.popular_facets())
    found = lists.list_runs(request.GET, form.filters())
    rows = tuple(_row(run) for run in found.page.rows)
    context = {
        "form": form,
        "found": found,
        "page": found.page,
        "chips": form.chips(),
        "names": [(name, form.query_with(q="", **{name.kind: name.value})) for name in found.names],
        "sources": {row[0]: row[-1] for row in rows},
    }
    return answer(request, "runs.html", context, Sheet("Runs", COLUMNS, rows), fmt=fmt)


def _row(run: Run) -> tuple[Any, ...]:
    return (
        *(run.pk, run.experiment.name, run.config.name, run.label, run.repeat, run.tool, run.requests_per_second),
        *(run.mean_ms, run.percentiles_ms.get("95"), run.failed_requests, run.complete_requests),
        *(str(run.host or ""), run.counted, reads.line_url(run.upload_id, run.line_first)),
    )
