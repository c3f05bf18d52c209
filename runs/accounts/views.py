"""The page of one's own API tokens."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from runs.accounts.tokens import make_token, revoke_token
from runs.models import ApiToken


class SignedIn(HttpRequest):
    """A request behind @login_required."""

    user: User


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, label="What is it for?", help_text="for example: the load generator")


@login_required
@never_cache
def tokens(request: SignedIn) -> HttpResponse:
    """List one's tokens; a POST makes one and shows it in its answer, the only time it is ever shown."""
    form = TokenForm(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        _, secret = make_token(user=request.user, name=form.cleaned_data["name"])
        form = TokenForm()
    context = {
        "form": form,
        "secret": secret,
        "tokens": ApiToken.objects.filter(user=request.user),
        "endpoint": request.build_absolute_uri("/api/v1/uploads/"),
    }
    return render(request, "access/tokens.html", context)


@login_required
@require_POST
def revoke(request: SignedIn, pk: int) -> HttpResponse:
    if not revoke_token(user=request.user, pk=pk):
        raise Http404("no such token")
    messages.success(request, "The token is revoked: scripts that use it get 401 from now on.")
    return redirect("tokens")
