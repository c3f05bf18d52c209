"""Every page needs a login, unless its view says otherwise or PUBLIC_READ opens reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase

SAFE = {"GET", "HEAD", "OPTIONS"}


class LoginRequired(LoginRequiredMiddleware):
    """Django's, but with PUBLIC_READ safe methods pass. Personal pages add @login_required of their own."""

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        if settings.PUBLIC_READ and request.method in SAFE:
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)
