"""The preview: what a text would become, editable, before anything is stored; and Save, which stores it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from runs import ingest, tasks
from runs.forms import Unusable, carried_edits, incoming, merged_edits, packed, secrets_to_redact, too_large_to_preview
from runs.ingest import Hints, Rejected, Text
from runs.ingest.edits import Edits, add_edits
from runs.presenters.draft_form import draft_context
from runs.views.home import paste_context

LOGGED_OUT = "You are logged out. Copy the text out of the box, log in, and paste it again: nothing was stored."


@dataclass(frozen=True, slots=True)
class Paste:
    data: bytes
    name: str
    hints: Hints
    edits: Edits
    redact: list[str] | None


@login_not_required  # it checks by itself: going to the login page would lose a text that somebody has just sent
def preview(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated and not request.POST.get("text"):
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return redirect("home")
    data = b""
    try:
        if request.user.is_authenticated and (files := too_large_to_preview(request)):
            return _store_files(request, files)
        data, name = incoming(request)
        if not request.user.is_authenticated:
            return _refused(request, data, 403, [{"line": None, "message": LOGGED_OUT}])
        paste = _paste(request, data, name)
        # Nothing is saved that has not been seen with its secrets ticked.
        if request.POST.get("action") == "save" and paste.redact is not None:
            return _save(request, paste)
        return _show(request, paste)
    except Unusable as error:
        return _refused(request, data, 400, [{"line": None, "message": str(error)}])
    except Rejected as error:
        return _refused(request, data, error.status, [dict(each) for each in error.errors], error.upload)


def _store_files(request: HttpRequest, files: list[tuple[str, Text]]) -> HttpResponse:
    """Store what is too large to preview: (name, text) of each, all stored or none. Raises Rejected."""
    user: Any = request.user
    receipts = tasks.submit_all(files, door="web", user=user, redact=secrets_to_redact(request.POST))
    if not any(receipt.created for receipt in receipts):
        messages.info(request, "This was stored before; nothing was stored twice.")
    elif len(receipts) > 1:
        messages.info(request, f"{len(receipts)} texts were taken in, each as an upload of its own.")
    return redirect(receipts[0].upload) if len(receipts) == 1 else redirect("uploads")


def _paste(request: HttpRequest, data: bytes, name: str) -> Paste:
    """The text with all edits so far: those carried along, and those that this form makes to the draft it showed."""
    hints = Hints.from_dict({"tags": request.POST.get("tags", "")})
    edits = carried_edits(request.POST)
    if "redact_shown" not in request.POST:
        return Paste(data, name, hints, edits, None)
    shown = ingest.preview(data, hints=hints, edits=edits)
    edits = merged_edits(edits, shown.draft, request.POST)
    if "group" in request.POST:
        edits = add_edits(edits, carried_edits({"edits": request.POST["group"]}))
    return Paste(data, name, hints, edits, request.POST.getlist("redact"))


def _show(request: HttpRequest, paste: Paste) -> HttpResponse:
    shown = ingest.preview(paste.data, hints=paste.hints, edits=paste.edits)
    context = draft_context(shown, paste.redact, paste.edits) | {
        "raw": packed(paste.data),
        "name": paste.name,
        "tags": ", ".join(paste.hints.tags),
        "edits": json.dumps(paste.edits, ensure_ascii=False),
    }
    return render(request, "preview.html", context)


def _save(request: HttpRequest, paste: Paste) -> HttpResponse:
    user = request.user if request.user.is_authenticated else None
    options = {"hints": paste.hints, "edits": paste.edits, "redact": paste.redact or []}
    receipt = tasks.submit_all([(paste.name, paste.data)], door="web", user=user, **options)[0]
    upload = receipt.upload
    if not receipt.created:
        messages.info(request, "This text was stored before; nothing was stored twice.")
    experiments = set(upload.runs.values_list("experiment_id", flat=True))
    experiments |= set(upload.captures.values_list("experiment_id", flat=True))
    if len(experiments) == 1:
        return redirect("experiment", pk=experiments.pop())
    return redirect(reverse("upload", args=[upload.pk]))


def _refused(
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
