"""Small changes made in place: rename, move, leave out, cancel, count in spite of a doubt. Each returns to its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from runs import ingest, tasks
from runs.forms import CaptureMoveForm, NameForm, OverrideForm, RunChangeForm
from runs.ingest import Rejected, changes
from runs.models import Capture, Config, Experiment, Host, Override, Run, Upload

RENAMES: dict[str, tuple[Any, Callable[[Any, str], Any]]] = {
    "experiments": (Experiment, changes.rename_experiment),
    "configs": (Config, changes.rename_config),
    "hosts": (Host, changes.rename_host),
}


@require_POST
def rename(request: HttpRequest, of: str, pk: int) -> HttpResponse:
    model, action = RENAMES[of]
    row = get_object_or_404(model, pk=pk)
    form, url = NameForm(request.POST), row.get_absolute_url()
    if not form.is_valid():
        messages.error(request, "Nothing renamed: a name needs 1 to 300 characters.")
        return _redirect_back(request, url)
    renamed = _apply(request, lambda: action(row, form.cleaned_data["name"]))
    if renamed is None or renamed.get_absolute_url() == url:
        return _redirect_back(request, url)
    messages.info(request, f"There was one of that name already: the two are one now, {renamed}.")
    # The page of the merged row does not exist any more; only pages that showed both do.
    back = _redirect_back(request, renamed.get_absolute_url())
    return back if request.POST.get("back") != url else redirect(renamed)


@require_POST
def cancel_upload(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    if not ingest.cancel(upload.pk):
        messages.info(request, "Too late to cancel: the text was read already.")
    return redirect(upload)


@require_POST
def black_out(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    done = _apply(request, lambda: tasks.black_out(upload.pk, [request.POST.get("word", "")]))
    if done is not None:
        messages.info(request, "Blacked out, in the text and in all that was made of it.")
    return redirect(upload)


@require_POST
def change_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("experiment"), pk=pk)
    form = RunChangeForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: the repeat must be a whole number from 1.")
        return _redirect_back(request, run.get_absolute_url())
    wanted = form.cleaned_data
    if wanted["repeat"] and wanted["repeat"] != run.repeat:
        _apply(request, lambda: changes.set_repeat(run, wanted["repeat"]))
    if wanted["counted"] is not None and wanted["counted"] != run.counted:
        _apply(request, lambda: changes.set_counted(run, wanted["counted"]))
    if wanted["config"] and wanted["config"] != run.config_id:
        config = get_object_or_404(Config, pk=wanted["config"])
        _apply(request, lambda: changes.move_run(run, config))
    return _redirect_back(request, run.get_absolute_url())


@require_POST
def move_capture(request: HttpRequest, pk: int) -> HttpResponse:
    capture = get_object_or_404(Capture.objects.select_related("experiment", "run"), pk=pk)
    form = CaptureMoveForm(request.POST)
    if form.is_valid():
        wanted = form.cleaned_data["config"]
        config = get_object_or_404(Config, pk=wanted) if wanted else None
        _apply(request, lambda: changes.move_capture(capture, config, form.cleaned_data["phase"]))
    return _redirect_back(request, capture.get_absolute_url())


@require_POST
def override_doubt(request: HttpRequest) -> HttpResponse:
    form = OverrideForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: say in a few words why it counts all the same.")
        return _redirect_back(request, "/")
    wanted = form.cleaned_data
    run = get_object_or_404(Run, pk=wanted["run"]) if wanted["run"] else None
    config = get_object_or_404(Config, pk=wanted["config"]) if wanted["config"] else None
    user = cast(User, request.user)  # nobody posts without a login
    _apply(
        request, lambda: ingest.override_doubt(wanted["rule"], run=run, config=config, by=user, reason=wanted["reason"])
    )
    return _redirect_back(request, "/")


@require_POST
def withdraw_override(request: HttpRequest, pk: int) -> HttpResponse:
    ingest.withdraw_override(get_object_or_404(Override, pk=pk), by=cast(User, request.user))
    return _redirect_back(request, "/")


def _apply(request: HttpRequest, action: Callable[[], Any]) -> Any:
    """Carry the change out; the next page shows why ingest refuses it. None where it does."""
    try:
        return action()
    except Rejected as refusal:
        messages.error(request, str(refusal))
        return None


def _redirect_back(request: HttpRequest, url: str) -> HttpResponseRedirect:
    """To the page that the change was made on, if it is one of ours, else to `url`."""
    wanted = request.POST.get("back", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if ours else url)
