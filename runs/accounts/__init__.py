"""Login and API tokens. The tokens are stored as sha256 only and sent as `Authorization: Bearer TOKEN`; who may use the API."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIRequest
from django.db import DatabaseError, close_old_connections
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission

from runs.models import ApiToken

if TYPE_CHECKING:  # rest_framework.views imports this module, by its name in the settings
    from rest_framework.request import Request
    from rest_framework.views import APIView


PREFIX = "bd_"
# A token in steady use is written to once in this time, not at every request.
LAST_USE_STEP = timedelta(minutes=1)


def make_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """Return the new token's row and its secret, which cannot be read again later."""
    secret = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(user=user, name=name, prefix=secret[:8], sha256=_digest(secret))
    return row, secret


def find_token(secret: str) -> ApiToken | None:
    """Return the valid token with its user and note its use; None when it is unknown, revoked or its user inactive."""
    tokens = ApiToken.objects.select_related("user")
    token = tokens.filter(sha256=_digest(secret), user__is_active=True).first()
    now = timezone.now()
    # Compared here and not in the UPDATE: on SQLite even an UPDATE that changes nothing waits for the write lock.
    if token and (token.last_used_at is None or token.last_used_at < now - LAST_USE_STEP):
        # Where the database takes no changes, reading goes on. A write that follows says what is wrong.
        with suppress(DatabaseError):
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def _digest(secret: str) -> str:
    # A plain hash is enough: the secret has 256 random bits, so it cannot be guessed.
    return hashlib.sha256(secret.encode()).hexdigest()


class BearerAuthentication(BaseAuthentication):
    """A request without the header goes on to the next class; one with a wrong token gets 401."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The header must be: Authorization: Bearer TOKEN")
        token = find_token(words[1].decode("ascii", "replace"))
        if token is None:
            raise AuthenticationFailed("This token is unknown or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def is_known(environ: dict[str, Any]) -> bool:
    """Whether a WSGI request comes from somebody who is logged in or has a valid token. Its body is not read."""
    close_old_connections()  # no request has begun that would do it
    request: Any = WSGIRequest(environ)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(
        request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    )
    try:
        return bool(BearerAuthentication().authenticate(request)) or get_user(request).is_authenticated
    except AuthenticationFailed:
        return False


class AuthenticatedOrPublicRead(BasePermission):
    """A login for everything; with PUBLIC_READ reading is open."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if settings.PUBLIC_READ and request.method in SAFE_METHODS:
            return True
        return bool(request.user and request.user.is_authenticated)
