"""API tokens: made, found, revoked. Only a token's sha256 is stored, so a copy of the database opens nothing."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from runs.models import ApiToken

PREFIX = "bd_"
# A token in steady use is written to once in this time, not at every request.
LAST_USE_STEP = timedelta(minutes=1)


def make_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """A new token's row and its secret, which is nowhere to be read again."""
    secret = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(user=user, name=name, prefix=secret[:8], sha256=_digest(secret))
    return row, secret


def token_of(secret: str) -> ApiToken | None:
    """A token in force with its user, and its use recorded; None when it is unknown, revoked or its user is inactive."""
    valid = ApiToken.objects.select_related("user").filter(sha256=_digest(secret), user__is_active=True)
    token = valid.order_by().first()
    if token is None:
        return None
    now = timezone.now()
    # Not as a condition of the UPDATE: on SQLite even one that changes no row waits for the write lock.
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_STEP:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(*, user: User, pk: int) -> bool:
    """Delete the user's own token; False when there is none of that number."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=pk).delete()
    return bool(deleted)


def _digest(secret: str) -> str:
    # A plain hash is enough: the secret has 256 random bits, so there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()
