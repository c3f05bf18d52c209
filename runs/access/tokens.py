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
    """The row of a token in force, its use noted; None when it is unknown, revoked or its user is shut out."""
    row = ApiToken.objects.select_related("user").filter(sha256=_digest(secret), user__is_active=True).first()
    now = timezone.now()
    # Asked here and not in the UPDATE: on SQLite even one that changes nothing has to wait for whoever writes.
    if row is not None and (row.last_used_at is None or row.last_used_at < now - LAST_USE_STEP):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row


def revoke_token(*, user: User, pk: int) -> bool:
    """Delete the user's own token; False when there is none of that number."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=pk).delete()
    return bool(deleted)


def _digest(secret: str) -> str:
    # A plain hash is enough: the secret has 256 random bits, so there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()
