"""Uploads: the list, files sent without a preview, the progress of a large one, and the text of one line by line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from runs import ingest, tasks
from runs.analysis.export import Sheet
from runs.analysis.facts import LINES_A_PAGE
from runs.forms import choose_secrets_to_redact
from runs.incoming import read_parts, refuse_coding
from runs.ingest import Rejected, receive
from runs.models import Capture, Upload
from runs.numbers import write_count
from runs.presenters.monitor_charts import make_charts_of_capture
from runs.presenters.source_lines import mark_lines, upload_spans
from runs.querysets import parse_id
from runs.responses import respond
from runs.selectors.lists import paginate
from runs.selectors.samples import list_machine_series, load_samples_of_capture
from runs.selectors.summaries import summarize

LOGGED_OUT = "You are logged out. Log in in another window, then send the file again: it is still chosen here."
COLUMNS = ("id", "name", "status", "origin", "created_at", "size_bytes", "n_lines", "runs", "captures", "problems")
NEAR_PARTS = 5
MOST_CARDS = 12
SILENT = timedelta(seconds=15)  # a worker reports about once a second, but not while it stores


def upload_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = paginate(request.GET, Upload.objects.with_counts().defer("raw", "blocks", "unread", "edits", "placed"))
    rows = tuple(
        (upload.pk, upload.name, upload.status, upload.origin, upload.created_at.isoformat(), upload.size_bytes)
        + (upload.n_lines, upload.n_runs, upload.n_captures, len(upload.problems))
        for upload in page.rows
    )
    return respond(request, "uploads.html", {"page": page}, Sheet("Uploads", COLUMNS, rows), fmt=fmt)


@login_not_required  # it checks by itself: a script that is redirected to the login page would take that for the answer
def send_file(request: HttpRequest) -> HttpResponse:
    """The body is the file, as upload.js sends it: {"url"} of the upload's page, or {"errors", "url"}."""
    if not request.user.is_authenticated:
        return JsonResponse({"errors": [{"line": None, "message": LOGGED_OUT}]}, status=401)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    name = request.GET.get("name", "")[:255]
    try:
        refuse_coding(request)
        redact, user = choose_secrets_to_redact(request.GET), request.user
        receipt = tasks.submit_all([(name, receive(read_parts(request)))], origin="web", user=user, redact=redact)[0]
    except Rejected as error:
        kept = error.upload.get_absolute_url() if error.upload else ""
        return JsonResponse({"errors": error.errors, "url": kept}, status=error.status)
    return JsonResponse({"url": receipt.upload.get_absolute_url()}, status=201 if receipt.created else 200)


def upload_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of a page that says how far a worker is; once it is done, htmx is told to load the page again."""
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    if not upload.is_waited_for:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"upload": upload, "progress": _describe_progress(upload, timezone.now())}
    return render(request, "_reading.html", context)


@dataclass(frozen=True, slots=True)
class Progress:
    """text: how far the worker is. brief: the same for screen readers, which speak it when it changes: every 10 %."""

    text: str
    brief: str
    note: str = ""


def _describe_progress(upload: Upload, now: datetime) -> Progress:
    if upload.status == Upload.Status.QUEUED:
        late = now - upload.created_at > SILENT
        note = "All are busy, or none is running: “python manage.py worker” starts one." if late else ""
        note = "Its reader is gone; it is read anew." if upload.attempts else note
        return Progress("Waits for a worker.", "Waits for a worker.", note)
    blocks = f"{write_count(upload.n_blocks, 'block')} found"
    if upload.bytes_read >= upload.size_bytes:
        text = brief = f"All of it is read, {blocks}. What was found is being stored."
    else:
        read = f"{filesizeformat(upload.bytes_read)} of {filesizeformat(upload.size_bytes)} read"
        text, brief = f"{read}, {blocks}.", f"{upload.bytes_read * 10 // upload.size_bytes * 10} % read."
    note = f"Reading was broken off before; this is attempt {upload.attempts}." if upload.attempts > 1 else ""
    if upload.seen_at and now - upload.seen_at > SILENT:
        silent = int((now - upload.seen_at).total_seconds())
        note = f"Nothing was heard of its reader for {silent} s. Where it is gone, another one begins anew by itself."
    return Progress(text, brief, note)


def upload_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    upload = get_object_or_404(Upload.objects.select_related("created_by"), pk=pk)
    runs = list(upload.runs.select_related("experiment__host", "config").order_by("line_first", "id"))
    captures = list(
        upload.captures.select_related("experiment__host", "config").defer("values").order_by("line_first", "id")
    )
    timings = list(upload.timings.select_related("experiment__host", "run__config").defer("histogram", "seconds"))
    texts = list(upload.configtexts.select_related("config").order_by("line_first", "id"))
    spans = upload_spans(upload, runs, captures, texts, timings)
    experiments = list(dict.fromkeys(row.experiment for rows in (runs, captures, timings) for row in rows))
    context = _make_text_context(request, upload, spans) | {
        "upload": upload,
        "experiments": experiments,
        "summaries": summarize(experiments[:MOST_CARDS]) if len(experiments) > 1 else [],
        "runs": runs,
        "captures": captures,
        "became": ", ".join(
            f"{write_count(len(rows), word)}{more}"
            for rows, word, more in (
                (runs, "run", ""),
                (captures, "capture", ""),
                (timings, "file", " of single requests"),
                (texts, "config text", ""),
            )
            if rows
        ),
        "progress": _describe_progress(upload, timezone.now()) if upload.is_waited_for else None,
    }
    if upload.attempts and not fmt and "line" not in request.GET:
        context |= _make_charts_context(captures)
    rows = tuple((span.first, span.last, span.tint, span.title, span.url) for span in spans)
    sheet = Sheet(str(upload), ("line_first", "line_last", "kind", "became", "url"), rows)
    return respond(request, "upload.html", context, sheet, fmt=fmt)


def _make_text_context(request: HttpRequest, upload: Upload, spans: list[Any]) -> dict[str, Any]:
    """The part of the text that holds ?line=, and the parts that it can be left for."""
    text, line = ingest.load_text(upload), parse_id(request.GET.get("line", "")) or 1
    start = max(min(line, text.n_lines) - 1, 0) // LINES_A_PAGE * LINES_A_PAGE + 1
    return {
        "lines": mark_lines(
            text.lines(start, start + LINES_A_PAGE - 1),
            spans,
            start=start,
            unread=upload.unread,
            problems=[(problem["line"], problem["message"]) for problem in upload.problems],
        ),
        "n_lines": text.n_lines,
        "n_unread": sum(last - first + 1 for first, last in upload.unread),
        "start": start,
        "parts": _list_nearby_parts(start, text.n_lines),
    }


def _list_nearby_parts(start: int, n_lines: int) -> list[tuple[int, int, bool]]:
    """(first line, last line, are parts before it left out) of the first and last parts and those around `start`."""
    starts = range(1, n_lines + 1, LINES_A_PAGE)
    here = start // LINES_A_PAGE
    near = sorted({*starts[:3], *starts[max(here - NEAR_PARTS, 0) : here + NEAR_PARTS + 1], *starts[-3:]})
    gaps = [False, *(following > before + LINES_A_PAGE for before, following in pairwise(near))]
    return [(n, min(n + LINES_A_PAGE - 1, n_lines), gap) for n, gap in zip(near, gaps, strict=False)]


def _make_charts_context(captures: list[Capture]) -> dict[str, Any]:
    """The charts of the longest capture: what somebody waited for while a worker read the text."""
    longest = max(captures, key=lambda capture: capture.n_samples, default=None)
    if longest is None or longest.n_samples < 2:
        return {}
    seen = load_samples_of_capture(longest)
    charts = make_charts_of_capture(longest, list_machine_series(longest), seen.programs("rss_kb", "cpu_pct"), "")
    return {"charted": longest, "over_time": charts, "marks": seen.marks()}
