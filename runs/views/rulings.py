"""People's word on a fatal doubt: count it anyway, and the withdrawal of that. One call each and back to the page."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from runs import ingest
from runs.forms import RulingForm
from runs.ingest import Rejected
from runs.models import Config, Override, Run


@require_POST
def overrule(request: HttpRequest) -> HttpResponse:
    form = RulingForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: say in a few words why it counts all the same.")
        return _back(request)
    said = form.cleaned_data
    run = get_object_or_404(Run, pk=said["run"]) if said["run"] else None
    config = get_object_or_404(Config, pk=said["config"]) if said["config"] else None
    try:
        ingest.override_doubt(said["rule"], run=run, config=config, by=_user(request), reason=said["reason"])
    except Rejected as refusal:
        messages.error(request, str(refusal))
    return _back(request)


@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    ingest.withdraw_override(get_object_or_404(Override, pk=pk), by=_user(request))
    return _back(request)


def _user(request: HttpRequest) -> User:
    """The person who asks: nobody posts without a login."""
    return cast(User, request.user)


def _back(request: HttpRequest) -> HttpResponseRedirect:
    """To the page that it was said on, if it is one of ours."""
    wanted = request.POST.get("back", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if ours else "/")
