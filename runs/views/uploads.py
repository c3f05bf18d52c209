"""Texts: the first page (a box to paste into, the ways to send from elsewhere, the latest experiments); the preview of what a text
would become, editable, before anything is stored, and Save, which stores it; files sent without a preview; the list of uploads,
the progress of a large one, and the text of one line by line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import orjson
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone

from runs import ingest, tasks
from runs.analysis.export import FlatTable
from runs.analysis.facts import LINES_A_PAGE
from runs.database import parse_id
from runs.forms import (
    MOST_UNDONE,
    Unusable,
    choose_secrets_to_redact,
    list_too_large_to_preview,
    merge_edits,
    pack_bytes,
    read_carried_edits,
    read_carried_history,
    read_incoming,
    regroup,
)
from runs.ingest import Hints, Preview, Rejected, Text, receive
from runs.ingest.edits import Edits, add_edits
from runs.models import Capture, Upload
from runs.numbers import write_count
from runs.presenters.monitor_charts import make_charts_of_capture
from runs.presenters.texts import draft_context, list_left_out, mark_lines, unseen_secrets, upload_spans
from runs.responses import respond
from runs.selectors.judging import work_out_headlines
from runs.selectors.lists import paginate
from runs.selectors.samples import list_machine_series, load_samples_of_capture
from runs.selectors.summaries import list_experiments, list_latest_experiments, summarize
from runs.upload_handlers import preview_bytes, read_parts, refuse_coding

LATEST = 12
NEED_SELECTION = ("move", "merge", "leave_out")
NOTHING = "Nothing changed: select runs first; to merge, of at least two configs."
LOGGED_OUT = "You are logged out and nothing was stored. Copy the text from the box, log in, and paste it again."


def home(request: HttpRequest) -> HttpResponse:
    summaries = list_latest_experiments(LATEST)
    context = paste_context(request) | {"summaries": summaries}
    context["has_demos"] = any(summary.is_demo for summary in summaries)
    return render(request, "home.html", context)


def paste_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "site": request.build_absolute_uri("/")[:-1],
        "preview_bytes": preview_bytes(),
        "most_bytes": settings.MAX_UPLOAD_BYTES,
        "kinds": ingest.kinds(),
    }


@dataclass(frozen=True, slots=True)
class Paste:
    """A text as previewed. `history`: (what was changed, the edits before that), `said`: what the last press came to.

    redact   keys of secrets; None where nobody has seen them yet
    """

    data: bytes
    name: str
    hints: Hints
    shown: Preview
    edits: Edits = field(default_factory=dict)
    history: list[tuple[str, Edits]] = field(default_factory=list)
    redact: list[str] | None = None
    said: str = ""


@login_not_required  # it checks by itself: going to the login page would lose a text that somebody has just sent
def preview(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated and not request.POST.get("text"):
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return redirect("home")
    data = b""
    try:
        if request.user.is_authenticated and (files := list_too_large_to_preview(request)):
            return _store_files(request, files)
        data, name = read_incoming(request)
        if not request.user.is_authenticated:
            return _refuse(request, data, 403, [{"line": None, "message": LOGGED_OUT}])
        paste = _read_paste(request, data, name)
        # Nothing is saved that has not been seen with its secrets ticked.
        if request.POST.get("action") == "save" and paste.redact is not None:
            return _save(request, paste)
        return _show(request, paste)
    except Unusable as error:
        return _refuse(request, data, 400, [{"line": None, "message": str(error)}])
    except Rejected as error:
        return _refuse(request, data, error.status, [dict(each) for each in error.errors], error.upload)


def _store_files(request: HttpRequest, files: list[tuple[str, Text]]) -> HttpResponse:
    """Store what is too large to preview: (name, text) of each, all stored or none. Raises Rejected."""
    user: Any = request.user
    receipts = tasks.submit_all(files, origin="web", user=user, redact=choose_secrets_to_redact(request.POST))
    if not any(receipt.created for receipt in receipts):
        messages.info(request, "This text was already stored.")
    elif len(receipts) > 1:
        messages.info(request, f"{len(receipts)} texts were stored, each as an upload of its own.")
    return redirect(receipts[0].upload) if len(receipts) == 1 else redirect("uploads")


RENAMED, NAMED = "Renamed.", {"experiments", "configs", "hosts"}


def _read_paste(request: HttpRequest, data: bytes, name: str) -> Paste:
    """The text with all edits so far, and the change that was asked for. Raises Unusable, Rejected."""
    post = request.POST
    hints = Hints.from_dict({"tags": post.get("tags", "")})
    guess = ingest.preview(data, hints=hints)
    edits, history = read_carried_edits(post), read_carried_history(post)
    if "redact_shown" not in post:
        return Paste(data, name, hints, guess)
    redact = [*post.getlist("redact"), *unseen_secrets(guess)]
    if post.get("action") == "undo" and history:
        words, edits = history.pop()
        said = f"Undone: {words}"
        return Paste(data, name, hints, ingest.edit_preview(guess, edits), edits, history, redact, said)
    before = edits
    edits = merge_edits(before, guess.draft, ingest.edit_preview(guess, before).draft, post)
    words, change = regroup(ingest.edit_preview(guess, edits).draft, post)
    said = NOTHING if post.get("action") in NEED_SELECTION and not change else ""
    edits = add_edits(edits, change)
    if edits != before:
        typed = {part for part in edits if edits[part] != before.get(part)}
        history.append((words if change else RENAMED if typed <= NAMED else "Changed a run or monitor.", before))
        said = history[-1][0]
    return Paste(data, name, hints, ingest.edit_preview(guess, edits), edits, history[-MOST_UNDONE:], redact, said)


def _show(request: HttpRequest, paste: Paste) -> HttpResponse:
    keeps_picks = paste.said == NOTHING or request.POST.get("action", "update") == "update"
    context = draft_context(paste.shown, paste.redact, at=parse_id(request.POST.get("at", "")) or 1) | {
        "raw": pack_bytes(paste.data),
        "name": paste.name,
        "tags": ", ".join(paste.hints.tags),
        "edits": orjson.dumps(paste.edits).decode(),
        "history": pack_bytes(orjson.dumps(paste.history)) if paste.history else "",
        "left_out": list_left_out(paste.shown, paste.edits),
        "picked": request.POST.getlist("pick") if keeps_picks else [],
        "said": paste.said,
    }
    return render(request, "preview.html", context)


def _save(request: HttpRequest, paste: Paste) -> HttpResponse:
    user = request.user if request.user.is_authenticated else None
    options = {"hints": paste.hints, "edits": paste.edits, "redact": paste.redact or []}
    receipt = tasks.submit_all([(paste.name, paste.data)], origin="web", user=user, **options)[0]
    upload = receipt.upload
    if not receipt.created:
        messages.info(request, "This text was already stored.")
    experiments = set(upload.runs.values_list("experiment_id", flat=True))
    experiments |= set(upload.captures.values_list("experiment_id", flat=True))
    if len(experiments) == 1:
        return redirect("experiment", pk=experiments.pop())
    work_out_headlines()  # its cards show them
    return redirect(reverse("upload", args=[upload.pk]))


ECHOED_BYTES = 2**20  # of a refused text that was sent compressed


def _refuse(
    request: HttpRequest, data: bytes, status: int, errors: list[dict[str, Any]], upload: Any = None
) -> HttpResponse:
    """The paste box again with the text still in it, and what was wrong: the line, its words, what was expected."""
    text = data.decode("utf-8", errors="replace")
    lines = text.split("\n")
    shown = [
        error | {"text": lines[error["line"] - 1][:300]} if error["line"] and error["line"] <= len(lines) else error
        for error in errors
    ]
    # A compressed field may hold a hundred times what was sent.
    sent = max(ECHOED_BYTES, int(request.META.get("CONTENT_LENGTH") or 0))
    fits = len(data) <= sent
    readable = fits and "\0" not in text and "\ufffd" not in text
    context = {"errors": shown, "text": text if readable else "", "is_left_out": not fits, "kept": upload}
    return render(request, "home.html", paste_context(request) | context, status=status)


# --- uploads --------------------------------------------------------------------------------------------------------------

LOGGED_OUT_SENDING = (
    "You are logged out. Log in in another window, then send the file again: it is still selected here."
)
COLUMNS = ("id", "name", "status", "origin", "created_at", "size_bytes", "n_lines", "runs", "captures", "problems")
RUN_COLUMNS = (
    *("upload", "experiment", "config", "tool", "requests_per_second", "repeat", "line_first", "line_last"),
    "quotes",
)
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
    context = {"page": page, "contents": list_experiments(page.rows)}
    return respond(request, "uploads.html", context, FlatTable("Uploads", COLUMNS, rows), fmt=fmt)


@login_not_required  # it checks by itself: a script that is redirected to the login page would take that for the answer
def send_file(request: HttpRequest) -> HttpResponse:
    """The body is the file, as upload.js sends it: {"url"} of the upload's page, or {"errors", "url"}."""
    if not request.user.is_authenticated:
        return JsonResponse({"errors": [{"line": None, "message": LOGGED_OUT_SENDING}]}, status=401)
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
        note = "All workers are busy, or none is running: “python manage.py worker” starts one." if late else ""
        note = "Its worker stopped; another one will read it." if upload.attempts else note
        return Progress("Waits for a worker.", "Waits for a worker.", note)
    blocks = f"{write_count(upload.n_blocks, 'block')} found"
    if upload.bytes_read >= upload.size_bytes:
        text = brief = f"Reading is done, {blocks}. Storing the results."
    else:
        read = f"{filesizeformat(upload.bytes_read)} of {filesizeformat(upload.size_bytes)} read"
        text, brief = f"{read}, {blocks}.", f"{upload.bytes_read * 10 // upload.size_bytes * 10} % read."
    note = f"Reading was interrupted before; this is attempt {upload.attempts}." if upload.attempts > 1 else ""
    if upload.seen_at and now - upload.seen_at > SILENT:
        silent = int((now - upload.seen_at).total_seconds())
        note = f"Nothing was heard of its reader for {silent} s. Where it is gone, another one begins anew by itself."
    return Progress(text, brief, note)


def upload_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    upload = get_object_or_404(Upload.objects.select_related("created_by"), pk=pk)
    # No prefetch: Django compares a key with each of theirs (TupleIn), and SQLite takes at most 1,000 such terms.
    runs = list(
        upload.runs.select_related("experiment__host", "config").only(*RUN_COLUMNS).order_by("line_first", "id")
    )
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
    sheet = FlatTable(str(upload), ("line_first", "line_last", "kind", "became", "url"), rows)
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
