"""An upload's text, line by line: where every figure on the other pages comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from runs import ingest
from runs.analysis.numbers import figure
from runs.analysis.sheet import Sheet
from runs.models import Capture, ConfigText, Experiment, Run, Upload
from runs.reads import LINES_A_PAGE
from runs.views.answer import answer
from runs.views.source import Span, lines_of, tint_of


def upload(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Upload.objects.select_related("created_by"), pk=pk)
    runs = list(found.runs.select_related("experiment", "config").order_by("line_first"))
    captures = list(found.captures.select_related("experiment", "config").defer("values").order_by("line_first"))
    spans = spans_of(found, runs, captures, list(found.configtexts.select_related("config").order_by("line_first")))
    text = ingest.lines_of(found)
    wanted = request.GET.get("line", "1")
    line = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 12 else 1
    start = max(min(line, len(text)) - 1, 0) // LINES_A_PAGE * LINES_A_PAGE + 1
    shown = text[start - 1 : start - 1 + LINES_A_PAGE]
    context = {
        "upload": found,
        "lines": lines_of(
            shown,
            spans,
            start=start,
            unread=found.unread,
            problems=[(problem["line"], problem["message"]) for problem in found.problems],
        ),
        "n_lines": len(text),
        "n_unread": sum(last - first + 1 for first, last in found.unread),
        "pages": [(n, min(n + LINES_A_PAGE - 1, len(text)), n == start) for n in range(1, len(text) + 1, LINES_A_PAGE)],
        "experiments": list(_experiments(runs, captures).values()),
        "runs": runs,
        "n_captures": len(captures),
    }
    rows = tuple((span.first, span.last, span.tint, span.title, span.url) for span in spans)
    sheet = Sheet(str(found), ("line_first", "line_last", "kind", "became", "url"), rows)
    return answer(request, "upload.html", context, sheet, fmt=fmt)


def spans_of(found: Upload, runs: list[Run], captures: list[Capture], texts: list[ConfigText]) -> list[Span]:
    """What each stretch of the upload became, in the order of the text; quotes included."""
    spans: list[Span] = []
    for run in runs:
        rate = f"{figure(run.requests_per_second)} per s" if run.requests_per_second is not None else "run"
        spans += _with_quotes(run, tint_of(run.tool, "run"), f"{run.tool} {rate} → {run.config.name}")
    for capture in captures:
        whose = capture.config.name if capture.config else capture.experiment.name
        title = " ".join(word for word in (capture.tool, capture.phase, "→", whose) if word)
        spans += _with_quotes(capture, tint_of(capture.tool, "capture"), title)
    for text in texts:
        url = text.config.get_absolute_url() if text.config else ""
        spans.append(Span(text.line_first, text.line_last, "text", f"config text {text.path}".strip(), url))
    covered = {n for span in spans for n in range(span.first, span.last + 1)}
    spans += [
        Span(block["lines"][0], block["lines"][1], "host", f"{block['kind']}: about the host")
        for block in found.blocks
        if block["lines"][0] not in covered
    ]
    return sorted(spans, key=lambda span: (span.first, span.last))


def _experiments(runs: list[Run], captures: list[Capture]) -> dict[int, Experiment]:
    found = {run.experiment_id: run.experiment for run in runs}
    return found | {capture.experiment_id: capture.experiment for capture in captures}


def _with_quotes(row: Any, tint: str, title: str) -> Iterator[Span]:
    yield Span(row.line_first, row.line_last, tint, title, row.get_absolute_url())
    for first, last in row.quotes:
        yield Span(first, last, tint, f"{title} (quoted again)", row.get_absolute_url(), quote=True)
