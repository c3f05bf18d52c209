"""The first page (a box to paste into, the ways to send from elsewhere, the latest experiments); the preview of what a text would
become, editable, before anything is stored; and Save, which stores it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from runs import ingest, tasks
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
from runs.incoming import preview_bytes
from runs.ingest import Hints, Preview, Rejected, Text
from runs.ingest.edits import Edits, add_edits
from runs.presenters.draft_board import draft_context, list_left_out, unseen_secrets
from runs.querysets import parse_id
from runs.selectors.judging import work_out_headlines
from runs.selectors.summaries import list_latest_experiments

LATEST = 12
NEED_SELECTION = ("move", "merge", "leave_out")
NOTHING = "Nothing changed: select runs first, of two configs at least to merge them."
LOGGED_OUT = "You are logged out. Copy the text out of the box, log in, and paste it again: nothing was stored."


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
        messages.info(request, "This was stored before; nothing was stored twice.")
    elif len(receipts) > 1:
        messages.info(request, f"{len(receipts)} texts were taken in, each as an upload of its own.")
    return redirect(receipts[0].upload) if len(receipts) == 1 else redirect("uploads")


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
        history.append((words if change else "Changed a name or a mark.", before))
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
        messages.info(request, "This text was stored before; nothing was stored twice.")
    experiments = set(upload.runs.values_list("experiment_id", flat=True))
    experiments |= set(upload.captures.values_list("experiment_id", flat=True))
    if len(experiments) == 1:
        return redirect("experiment", pk=experiments.pop())
    work_out_headlines()  # its cards show them
    return redirect(reverse("upload", args=[upload.pk]))


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
    readable = "\0" not in text and "\ufffd" not in text
    context = {"errors": shown, "text": text if readable else "", "kept": upload}
    return render(request, "home.html", paste_context(request) | context, status=status)
