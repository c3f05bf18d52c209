"""Logging in, and how often it may be tried, in /login/ and in the admin.

Each address has TRIES, so that nobody guesses many passwords. Each name has TRIES_OF_A_NAME from all addresses together, so that
nobody guesses from many; a browser in which this name was logged in before is not counted there, so that whoever tries
somebody else's name does not shut that person out.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle

TRIES, TRIES_OF_A_NAME = "10/min", "30/min"
KNOWN_COOKIE, KNOWN_FOR_S = "known_browser", 365 * 86400


class LoginThrottle(SimpleRateThrottle):
    def __init__(self, rate: str, key: str) -> None:
        self.rate = rate
        super().__init__()
        self._key = salted_hmac("runs.accounts.login", key).hexdigest()  # a name may be long, and have any character

    def get_cache_key(self, request: Any, view: Any) -> str:
        return f"login_{self._key}"

    def require_patience(self, request: Any) -> None:
        """Count one try. Raises ValidationError where there were too many."""
        view: Any = None
        if not self.allow_request(request, view):
            wait_s = max(1, ceil(self.wait() or 0))
            raise forms.ValidationError(f"Too many tries to log in. Try again in {wait_s} s.", code="throttled")


class Backend(ModelBackend):
    """Django's, which does not look at a password that is one too many."""

    def authenticate(self, request: Any, username: Any = None, password: Any = None, **more: Any) -> Any:
        if request is not None and username is not None:
            address = BaseThrottle().get_ident(request)
            LoginThrottle(TRIES, f"address {address}").require_patience(request)
            if not constant_time_compare(request.COOKIES.get(KNOWN_COOKIE, ""), _known(username)):
                LoginThrottle(TRIES_OF_A_NAME, f"name {username}").require_patience(request)
        return super().authenticate(request, username, password, **more)


def _known(username: str) -> str:
    return salted_hmac("known browser", username).hexdigest()


class LoginForm(AuthenticationForm):
    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "This name and password do not match. Both are case-sensitive."
    }


class Login(LoginView):
    form_class = LoginForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        known = _known(form.get_user().get_username())
        response.set_cookie(KNOWN_COOKIE, known, KNOWN_FOR_S, secure=settings.HTTPS, httponly=True, samesite="Lax")
        return response
