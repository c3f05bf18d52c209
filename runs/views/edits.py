"""Small changes made in place: move a capture, cancel, black out, count in spite of a doubt. Each returns to its page."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from runs import ingest, tasks
from runs.forms import CaptureMoveForm, OverrideForm
from runs.ingest import changes
from runs.models import Capture, Config, Override, Run, Upload
from runs.views.manage import apply, redirect_back


@require_POST
def cancel_upload(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    if not ingest.cancel(upload.pk):
        messages.info(request, "Too late to cancel: the text was read already.")
    return redirect(upload)


@require_POST
def black_out(request: HttpRequest, pk: int) -> HttpResponse:
    upload = get_object_or_404(Upload.objects.light(), pk=pk)
    done = apply(request, lambda: tasks.black_out(upload.pk, [request.POST.get("word", "")]))
    if done is not None:
        messages.info(request, "Blacked out, in the text and in all that was made of it.")
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
        messages.error(request, "Nothing changed: say in a few words why it counts all the same.")
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
