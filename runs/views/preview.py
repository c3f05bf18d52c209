"""The preview: what a text would become, editable, before anything is stored; and Save, which stores it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from runs import ingest, tasks
from runs.analysis.facts import LINES_A_PAGE
from runs.analysis.numbers import figure
from runs.forms import (
    Item,
    Unusable,
    carried_edits,
    incoming,
    merged_edits,
    packed,
    secrets_to_redact,
    too_large_to_preview,
)
from runs.ingest import Hints, Preview, Rejected, Text, nothing_found
from runs.ingest.draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from runs.ingest.edits import Edits, add_edits, suggest_grouping
from runs.models import Capture
from runs.presenters.source_lines import CoveredLines, Span, capture_tint, mark_lines
from runs.selectors.judging import judge_draft
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


# --- the draft laid out: experiments, configs × blocks, the text, secrets, what was left out -------------------------------

# Each entry has a select of all configs: more of them would make a form that is slow in any browser.
MOST_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One block as the form shows it: what it is in a word, its main figure, and what can be changed."""

    item: Item
    what: str
    tool: str
    figure: str
    tint: str


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """The entries of one config, or (config None) those that hold for the whole experiment."""

    config: Any
    place: int
    entries: list[Entry]


def draft_context(shown: Preview, redact: Sequence[str] | None, edits: Edits) -> dict[str, Any]:
    blocks = {f"b{at}": block for at, block in enumerate(shown.blocks)}
    hosts = {host.key: host for host in shown.draft.hosts}
    experiments: list[dict[str, Any]] = [
        {
            "draft": experiment,
            "groups": _group_entries(experiment, blocks),
            "host": hosts.get(experiment.host),
            "headline": judge_draft(shown, experiment),
        }
        for experiment in shown.draft.experiments
    ]
    secrets = {secret.key: secret for secret in reversed(shown.text.secrets)}
    entries = [group.entries for experiment in experiments for group in experiment["groups"]]
    lines = _lines(shown, experiments, blocks)
    n_hidden = _shortened(entries)
    left_out = [key for key, changes in edits.get("blocks", {}).items() if changes.get("leave_out")]
    return {
        "experiments": experiments,
        "groupings": [
            {"n_configs": n_configs, "n_runs": n_runs, "edits": json.dumps(changes, ensure_ascii=False)}
            for n_configs, n_runs, changes in suggest_grouping(shown.draft)
        ],
        "hosts": shown.draft.hosts,
        "phases": [("", "not known"), *Capture.Phase.choices],
        "lines": lines,
        "n_hidden": n_hidden,
        "n_lines": shown.text.n_lines,
        "cut": shown.text.n_lines > LINES_A_PAGE,
        "problems": shown.problems,
        "secrets": [_secret(shown, secret) for secret in reversed(secrets.values())],
        "redact": set(secrets) if redact is None else set(redact),
        "left_out": [{"key": key, "block": blocks.get(key)} for key in left_out],
        "existing": shown.existing,
        "nothing": "" if shown.blocks else nothing_found(shown.text.n_lines),
        "n_unread": sum(last - first + 1 for first, last in shown.draft.unread),
    }


def _shortened(groups: list[list[Entry]]) -> int:
    """Cut the groups to what a form can hold; how many entries went."""
    left, gone = MOST_ENTRIES, 0
    for entries in groups:
        gone += max(len(entries) - left, 0)
        del entries[left:]
        left -= len(entries)
    return gone


def _group_entries(experiment: DraftExperiment, blocks: dict[str, Any]) -> list[EntryGroup]:
    items: list[Item] = [*experiment.runs, *experiment.captures, *experiment.texts]
    items.sort(key=lambda item: item.lines)
    groups = [
        EntryGroup(config, place, [_entry(item, blocks) for item in items if item.config == config.key])
        for place, config in enumerate(experiment.configs)
    ]
    whole = [_entry(item, blocks) for item in items if not item.config]
    return [*groups, EntryGroup(None, 0, whole)] if whole else groups


def _entry(item: Item, blocks: dict[str, Any]) -> Entry:
    block = blocks.get(item.blocks[0] if isinstance(item, DraftCapture) else item.key)
    values = block.values if block else {}
    if isinstance(item, DraftText):
        return Entry(item, "text", "config text", item.path, "text")
    tool = block.kind if block else ""
    if isinstance(item, DraftRun):
        rate = values.get("requests_per_second", values.get("transaction_rate"))
        return Entry(item, "run", tool, f"{figure(rate)} per s" if isinstance(rate, (int, float)) else "", "load")
    return Entry(item, "capture", tool, _look_words(item, values), capture_tint(tool))


def _look_words(item: DraftCapture, values: dict[str, Any]) -> str:
    words = [f"{item.n_samples:,} looks"] if item.n_samples > 1 else []
    if values.get("n_processes"):
        words.append(f"{values['n_processes']} processes")
    free = values.get("memfree", values.get("mem_free_kb"))
    if isinstance(free, (int, float)):
        words.append(f"{figure(free / 1024)} MiB free")
    return ", ".join(words)


def _lines(shown: Preview, experiments: list[dict[str, Any]], blocks: dict[str, Any]) -> list[Any]:
    spans: list[Span] = []
    taken: set[str] = set()
    for experiment in experiments:
        for group in experiment["groups"]:
            for entry in group.entries:
                title = f"{entry.tool} → {group.config.name if group.config else 'whole experiment'}"
                first, last = entry.item.lines
                spans.append(Span(first, last, entry.tint, title, f"#edit-{entry.item.key}", entry.item.key))
                spans += [
                    Span(begin, end, entry.tint, f"{entry.tool}, quoted again", quote=True)
                    for begin, end in getattr(entry.item, "quotes", [])
                ]
                taken.update(entry.item.blocks if isinstance(entry.item, DraftCapture) else [entry.item.key])
    # Files of single requests. Whose they are is found by their figures when they are stored.
    spans += [
        Span(*timing.lines, "load", f"{blocks[timing.key].kind}: what each request took")
        for experiment in shown.draft.experiments
        for timing in experiment.timings
        if timing.key not in taken
    ]
    covered = CoveredLines(spans)
    spans += [
        Span(block.first, block.last, "host", f"{block.kind}: about the host")
        for key, block in blocks.items()
        if key not in taken and block.first not in covered
    ]
    return mark_lines(
        list(shown.text.lines(1, LINES_A_PAGE)),
        spans,
        unread=shown.draft.unread,
        problems=[(problem.line, problem.message) for problem in shown.problems],
        secrets=[(secret.line, secret.start, secret.end) for secret in shown.text.secrets],
    )


def _secret(shown: Preview, secret: Any) -> dict[str, Any]:
    line = next(shown.text.lines(secret.line, secret.line))
    lines = [other.line for other in shown.text.secrets if other.key == secret.key]
    before = line[max(0, secret.start - 40) : secret.start]
    return {"key": secret.key, "kind": secret.kind, "lines": lines, "before": before, "n": secret.end - secret.start}
