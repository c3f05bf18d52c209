"""Logging in, with how often a password may be tried in /login/, in the admin and to change it; and one's own API tokens.

Each name has TRIES from an address, so that whoever mistypes a password shuts nobody else out there; each address has
TRIES_OF_AN_ADDRESS with all names, so that nobody guesses many passwords. Each name has TRIES_OF_A_NAME from all addresses, so that
nobody guesses from many; a browser in which this name was logged in before is not counted there, so that whoever tries
somebody else's name does not shut that person out.
"""

from __future__ import annotations

from http import HTTPStatus
from itertools import chain
from math import ceil
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.decorators import login_not_required, login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.connection import ConnectionProxy
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle

from runs.accounts import make_token
from runs.models import ApiToken

TRIES, TRIES_OF_A_NAME, TRIES_OF_AN_ADDRESS = "10/min", "30/min", "60/min"
KNOWN_COOKIE, KNOWN_FOR_S = "known_browser", 365 * 86400


class LoginThrottle(SimpleRateThrottle):
    cache: Any = ConnectionProxy(caches, "logins")

    def __init__(self, rate: str, key: str) -> None:
        self.rate = rate
        super().__init__()
        self._key = salted_hmac("login throttle", key).hexdigest()  # a name may be long, and have any character

    def get_cache_key(self, request: Any, view: Any) -> str:
        return f"login_{self._key}"

    def require_patience(self, request: Any) -> None:
        """Count one try. Raises ValidationError where there were too many."""
        view: Any = None
        if not self.allow_request(request, view):
            wait_s = max(1, ceil(self.wait() or 0))
            what = "Too many login attempts. Try again in %(wait_s)s s."
            raise forms.ValidationError(what, code="throttled", params={"wait_s": wait_s})


class Backend(ModelBackend):
    """Django's, which does not look at a password that is one too many."""

    def authenticate(self, request: Any, username: Any = None, password: Any = None, **more: Any) -> Any:
        if request is not None and username is not None:
            _count_try(request, username)
        return super().authenticate(request, username, password, **more)


def _count_try(request: Any, username: str) -> None:
    """Count that a password of this name is tried. Raises ValidationError where there were too many."""
    address = BaseThrottle().get_ident(request)
    LoginThrottle(TRIES_OF_AN_ADDRESS, f"address {address}").require_patience(request)
    LoginThrottle(TRIES, f"name at address {username}\0{address}").require_patience(request)
    if not constant_time_compare(request.COOKIES.get(KNOWN_COOKIE, ""), _cookie_value(username)):
        LoginThrottle(TRIES_OF_A_NAME, f"name {username}").require_patience(request)


def _cookie_value(username: str) -> str:
    return salted_hmac("known browser", username).hexdigest()


class LoginForm(AuthenticationForm):
    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "This name and password do not match. Both are case-sensitive."
    }


def _set_status(response: HttpResponse) -> HttpResponse:
    """429 with Retry-After where the form was refused as one too many."""
    form = (getattr(response, "context_data", None) or {}).get("form")
    for error in chain.from_iterable(form.errors.as_data().values()) if form is not None else ():
        if error.code == "throttled":
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response.headers["Retry-After"] = str(error.params["wait_s"])
    return response


@login_not_required
def log_in_to_admin(request: HttpRequest) -> HttpResponse:
    return _set_status(admin.site.login(request))


class Login(LoginView):
    form_class = LoginForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        known = _cookie_value(form.get_user().get_username())
        response.set_cookie(KNOWN_COOKIE, known, KNOWN_FOR_S, secure=settings.HTTPS, httponly=True, samesite="Lax")
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return _set_status(super().form_invalid(form))


class PasswordForm(PasswordChangeForm):
    """Django's. An old password counts as a login attempt, so that nobody guesses it in a browser that was left logged in."""

    revokes_tokens = forms.BooleanField(
        required=False, help_text="Choose this if somebody else knows the old password."
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request = request
        n_tokens = ApiToken.objects.filter(user=self.user).count()
        if n_tokens:
            self.fields["revokes_tokens"].label = f"Also revoke my API tokens ({n_tokens})"
        else:
            del self.fields["revokes_tokens"]

    def clean_old_password(self) -> str:
        _count_try(self._request, self.user.get_username())
        return super().clean_old_password()


class PasswordChange(PasswordChangeView):
    form_class = PasswordForm
    success_url = reverse_lazy("home")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password; a password that is no longer secret may have been used to create tokens."""
        response = super().form_valid(form)
        if form.cleaned_data.get("revokes_tokens"):
            ApiToken.objects.filter(user=form.user).delete()
            messages.success(self.request, "The password is changed and all your API tokens are revoked.")
        else:
            messages.success(self.request, "The password is changed.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return _set_status(super().form_invalid(form))


class Logout(LogoutView):
    """Django's. The browser forgets its copies of pages, which its Back button would show; it does so with HTTPS only."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache"'
        return response


class SignedIn(HttpRequest):
    """A request behind @login_required."""

    user: User


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, label="Purpose", help_text="for example: the load generator")


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
    deleted, _ = ApiToken.objects.filter(user=request.user, pk=pk).delete()
    if not deleted:
        raise Http404("no such token")
    messages.success(request, "The token is revoked: scripts that use it now get 401.")
    return redirect("tokens")
