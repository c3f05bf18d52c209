"""Managing what is stored: change a field, delete, restore, each with a sentence and an Undo; and the bin.

The Undo of a message is a signed token with the values before and after, so that it needs no session. It changes nothing
where somebody has changed the same since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from runs import ingest, tasks
from runs.forms import CaptureMoveForm, ManageForm, OverrideForm
from runs.ingest import Rejected, changes, fields, rejected
from runs.models import Capture, Config, Deletion, Experiment, Override, Run, Upload
from runs.selectors import comparison_data, lists

MANAGED = {f"{kind}s": model for kind, model in ingest.MODELS.items()}
UNDO_FOR = timedelta(days=1)


@login_required
def manage(request: HttpRequest, of: str, pk: int) -> HttpResponse:
    """A page with the row's forms, for where its menu has no room; and what they send: one or several fields."""
    row: Any = get_object_or_404(MANAGED[of], pk=pk)
    if request.method != "POST":
        return render(request, "manage.html", {"row": row, "kind": of.removesuffix("s")})
    form = ManageForm(request.POST)
    values = form.changes(fields.FIELDS[type(row)]) if form.is_valid() else {}
    if not values:
        wrong = [f"{name}: {errors[0]}" for name, errors in form.errors.items()]
        why = wrong[0] if wrong else "enter a name of 1 to 300 characters, or select a value."
        messages.error(request, f"Nothing changed: {why}")
        return redirect_back(request, row.get_absolute_url())
    before, url = fields.read(row, values), row.get_absolute_url()
    sentence = describe_change(row, values)
    changed = apply(request, lambda: fields.change(row, values))
    if changed is None:
        return redirect_back(request, url)
    undoable = {
        "of": f"{changed._meta.model_name}s",
        "pk": changed.pk,
        "was": before,
        "now": fields.read(changed, values),
    }
    has_undo = changed.pk == int(pk) or fields.can_undo_merge(before)
    say(request, sentence(changed), undoable if has_undo else None)
    back = redirect_back(request, changed.get_absolute_url())
    return redirect(changed) if changed.get_absolute_url() != url and request.POST.get("back") == url else back


@login_required
def delete(request: HttpRequest, of: str, pk: int) -> HttpResponse:
    """Asks first, and says what goes."""
    row: Any = get_object_or_404(MANAGED[of], pk=pk)
    if request.method != "POST":
        context = {"row": row, "kind": of.removesuffix("s"), "counts": ingest.count_deleted(row)}
        return render(request, "delete.html", context | {"back": request.GET.get("back", "")})
    above = row.experiment if isinstance(row, Run | Config) else None
    gone = apply(request, lambda: ingest.delete(row, by=request.user))
    if gone is None:
        return redirect_back(request, row.get_absolute_url())
    say_deleted(request, [gone])
    if above is not None and Experiment.objects.filter(pk=above.pk).exists():
        return redirect(above)
    return redirect(of if of != "configs" else "experiments")


@require_POST
def put_away_samples(request: HttpRequest) -> HttpResponse:
    """Delete the samples that a new installation shows."""
    uploads = list(Upload.objects.light().filter(origin=Upload.Origin.SAMPLE))
    gone = apply(request, lambda: ingest.delete_all(uploads, by=request.user))
    if gone:
        say_deleted(request, gone)
    return redirect_back(request, "/")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    try:
        undoable = signing.loads(request.POST.get("undo", ""), salt="undo", max_age=UNDO_FOR)
    except signing.BadSignature:
        messages.error(request, "Nothing undone: this Undo has expired.")
        return redirect_back(request, "/")
    row = apply(request, lambda: _undo(undoable))
    if row is None:
        return redirect_back(request, "/")
    messages.success(request, "Undone.")
    return redirect(row) if "deletions" in undoable else redirect_back(request, row.get_absolute_url())


def _undo(undoable: dict[str, Any]) -> Any:
    if "deletions" in undoable:
        deletions = list(Deletion.objects.filter(pk__in=undoable["deletions"]).order_by("-pk"))
        if not deletions:
            raise rejected(404, "Nothing undone: it is no longer in the bin.")
        return [ingest.restore(deletion) for deletion in deletions][-1]
    row: Any = MANAGED[undoable["of"]].objects.filter(pk=undoable["pk"]).first()
    if row is None or not fields.is_unchanged(row, undoable["now"]):
        raise rejected(409, "Nothing undone: it has been changed since.")
    return fields.change(row, undoable["was"])


@login_required
def show_bin(request: HttpRequest) -> HttpResponse:
    """What was deleted, by whom, and when it goes."""
    rows = Deletion.objects.select_related("deleted_by")
    return render(request, "bin.html", {"page": lists.paginate(request.GET, rows)})


@require_POST
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    deletion = get_object_or_404(Deletion, pk=pk)
    row = apply(request, lambda: ingest.restore(deletion))
    if row is None:
        return redirect("bin")
    messages.success(request, f"Restored {deletion} and everything deleted with it.")
    return redirect(row)


@require_POST
def purge(request: HttpRequest, pk: int) -> HttpResponse:
    deletion = get_object_or_404(Deletion, pk=pk)
    gone = f"Deleted permanently: {deletion}."
    if apply(request, lambda: ingest.purge(deletion) or gone):
        messages.success(request, gone)
    return redirect("bin")


# --- what is said ---------------------------------------------------------------------------------------------------------


def describe_change(row: Any, values: dict[str, Any]) -> Callable[[Any], str]:
    """What will be said of this change; called with the row as it was before, and the result with that after it."""
    before, base = f"{row.config}, run {row.repeat}" if isinstance(row, Run) else str(row), _find_baseline(row)

    def say(after: Any) -> str:
        parts = [_describe(name, value, before, row, after) for name, value in values.items()]
        now = _find_baseline(after)
        if "counted" in values and base and now and now != base:
            parts.append(f"“{now}” is the baseline now.")
        return " ".join(parts)

    return say


def _describe(name: str, value: Any, before: str, row: Any, after: Any) -> str:
    if name == "name":
        merged = after.pk != row.pk or row._state.adding
        return f"Merged “{before}” into “{after}”." if merged else f"Renamed “{before}” to “{after}”."
    if name == "tags":
        return f"Tags: {', '.join(value)}." if value else "Tags removed."
    if name == "counted":
        return f"“{before}” counts in comparisons again." if value else f"Left “{before}” out of comparisons."
    if name == "archived":
        return f"Archived “{before}”: lists leave it out." if value else f"“{before}” is in the lists again."
    said = {
        "note": "Note saved." if value else "Note removed.",
        "repeat": f"It is repeat {value} now.",
        "config": f"Moved to “{getattr(after, 'config', '')}”.",
    }
    return said.get(name) or f"“{_find_baseline(after)}” is the baseline now."


def _find_baseline(row: Any) -> Config | None:
    experiment = row if isinstance(row, Experiment) else getattr(row, "experiment", None)
    return comparison_data.find_baseline(experiment) if isinstance(experiment, Experiment) else None


def say_deleted(request: HttpRequest, deletions: Sequence[Deletion]) -> None:
    """The sentence and Undo of these deletions, made by one click."""
    names = ", ".join(str(deletion) for deletion in deletions[:3]) + (", …" if len(deletions) > 3 else "")
    say(
        request,
        f"Deleted {names}. It can be restored for 30 days.",
        {"deletions": [deletion.pk for deletion in deletions]},
    )


def say(request: HttpRequest, sentence: str, undoable: dict[str, Any] | None) -> None:
    """A message with an Undo, which the page shows as a form."""
    token = signing.dumps(undoable, salt="undo", compress=True) if undoable else ""
    messages.success(request, sentence, extra_tags=token)


def apply(request: HttpRequest, action: Callable[[], Any]) -> Any:
    """Carry the change out; the next page shows why ingest refuses it. None where it does."""
    try:
        return action()
    except Rejected as refusal:
        messages.error(request, str(refusal))
        return None


def redirect_back(request: HttpRequest, url: str) -> HttpResponseRedirect:
    """To the page that the change was made on, if it is one of ours, else to `url`."""
    wanted = request.POST.get("back", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if ours else url)


@require_POST
def cancel_upload(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    if not ingest.cancel(upload.pk):
        messages.info(request, "Too late to cancel: the text has been read.")
    return redirect(upload)


@require_POST
def black_out(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    done = apply(request, lambda: tasks.redact_upload(upload.pk, [request.POST.get("word", "")]))
    if done is not None:
        messages.info(request, "Redacted in the text and in all results.")
    return redirect(upload)


@require_POST
def move_capture(request: HttpRequest, pk: int) -> HttpResponse:
    capture = get_object_or_404(Capture.objects.select_related("experiment", "run"), pk=pk)
    form = CaptureMoveForm(request.POST)
    if form.is_valid():
        wanted = form.cleaned_data["config"]
        config = get_object_or_404(Config, pk=wanted) if wanted else None
        apply(request, lambda: changes.move_capture(capture, config, form.cleaned_data["phase"]))
    return redirect_back(request, capture.get_absolute_url())


@require_POST
def override_doubt(request: HttpRequest) -> HttpResponse:
    form = OverrideForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: a reason is required.")
        return redirect_back(request, "/")
    wanted = form.cleaned_data
    run = get_object_or_404(Run, pk=wanted["run"]) if wanted["run"] else None
    config = get_object_or_404(Config, pk=wanted["config"]) if wanted["config"] else None
    user = cast(User, request.user)  # nobody posts without a login
    apply(
        request, lambda: ingest.override_doubt(wanted["rule"], run=run, config=config, by=user, reason=wanted["reason"])
    )
    return redirect_back(request, "/")


@require_POST
def withdraw_override(request: HttpRequest, pk: int) -> HttpResponse:
    ingest.withdraw_override(get_object_or_404(Override, pk=pk), by=cast(User, request.user))
    return redirect_back(request, "/")
