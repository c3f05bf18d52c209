"""How the API knows who asks: `Authorization: Bearer TOKEN`, and who may do what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission

from runs.accounts.tokens import token_of
from runs.models import ApiToken

if TYPE_CHECKING:  # rest_framework.views imports this module, by its name in the settings
    from rest_framework.request import Request
    from rest_framework.views import APIView


class BearerAuthentication(BaseAuthentication):
    """A request without the header goes on to the next class; one with a wrong token gets 401."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The header must be: Authorization: Bearer TOKEN")
        token = token_of(words[1].decode("ascii", "replace"))
        if token is None:
            raise AuthenticationFailed("This token is unknown or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class AuthenticatedOrPublicRead(BasePermission):
    """A login for everything; with PUBLIC_READ reading is open."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if settings.PUBLIC_READ and request.method in SAFE_METHODS:
            return True
        return bool(request.user and request.user.is_authenticated)
