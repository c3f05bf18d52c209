"""Small changes made in place: rename, move, leave out of the comparison. Each is one call and back to the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from runs import ingest
from runs.forms import CaptureMoveForm, NameForm, RunChangeForm
from runs.ingest import Rejected, changes
from runs.models import Capture, Config, Experiment, Host, Run, Upload


@require_POST
def rename_experiment(request: HttpRequest, pk: int) -> HttpResponse:
    return _rename(request, get_object_or_404(Experiment, pk=pk), changes.rename_experiment)


@require_POST
def rename_config(request: HttpRequest, pk: int) -> HttpResponse:
    return _rename(request, get_object_or_404(Config, pk=pk), changes.rename_config)


@require_POST
def rename_host(request: HttpRequest, pk: int) -> HttpResponse:
    return _rename(request, get_object_or_404(Host, pk=pk), changes.rename_host)


@require_POST
def cancel_upload(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Upload.objects.light(), pk=pk)
    if not ingest.cancel(found.pk):
        messages.info(request, "Too late to cancel: the text was read already.")
    return redirect(found)


@require_POST
def run(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Run.objects.select_related("experiment"), pk=pk)
    form = RunChangeForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: the repeat must be a whole number from 1.")
        return _back(request, found)
    wanted = form.cleaned_data
    if wanted["repeat"] and wanted["repeat"] != found.repeat:
        _try(request, lambda: changes.set_repeat(found, wanted["repeat"]))
    if wanted["counted"] is not None and wanted["counted"] != found.counted:
        _try(request, lambda: changes.set_counted(found, wanted["counted"]))
    if wanted["config"] and wanted["config"] != found.config_id:
        config = get_object_or_404(Config, pk=wanted["config"])
        _try(request, lambda: changes.move_run(found, config))
    return _back(request, found)


@require_POST
def capture(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Capture.objects.select_related("experiment", "run"), pk=pk)
    form = CaptureMoveForm(request.POST)
    if form.is_valid():
        wanted = form.cleaned_data["config"]
        config = get_object_or_404(Config, pk=wanted) if wanted else None
        _try(request, lambda: changes.move_capture(found, config, form.cleaned_data["phase"]))
    return _back(request, found)


def _rename(request: HttpRequest, thing: Any, call: Callable[[Any, str], Any]) -> HttpResponse:
    form = NameForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing renamed: a name needs 1 to 300 characters.")
        return _back(request, thing)
    pk = thing.pk
    after = _try(request, lambda: call(thing, form.cleaned_data["name"]))
    if after is not None and after.pk != pk:
        messages.info(request, f"There was one of that name already: the two are one now, {after}.")
        # The page of the one that went is gone; only pages that showed both can be gone back to.
        return _back(request, after) if request.POST.get("back") != thing_url(thing, pk) else redirect(after)
    return _back(request, thing)


def thing_url(thing: Any, pk: int) -> str:
    """The address that a row had before it was deleted."""
    thing.pk = pk
    return str(thing.get_absolute_url())


def _try(request: HttpRequest, call: Callable[[], Any]) -> Any:
    """Carry the change out; what ingest refuses is told on the page that follows."""
    try:
        return call()
    except Rejected as refusal:
        messages.error(request, str(refusal))
        return None


def _back(request: HttpRequest, thing: Any) -> HttpResponseRedirect:
    """To the page that the change was made on, if it is one of ours."""
    wanted = request.POST.get("back", "")
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None):
        return HttpResponseRedirect(wanted)
    return HttpResponseRedirect(thing.get_absolute_url())
