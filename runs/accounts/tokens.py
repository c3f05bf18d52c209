"""API tokens: made, found, revoked. Only a token's sha256 is stored, so a copy of the database opens nothing."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from runs.models import ApiToken
from runs.statements import Query, partly

PREFIX = "bd_"
# A token in steady use is written to once in this time, not at every request.
LAST_USE_STEP = timedelta(minutes=1)


def make_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """A new token's row and its secret, which is nowhere to be read again."""
    secret = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(user=user, name=name, prefix=secret[:8], sha256=_digest(secret))
    return row, secret


def token_of(secret: str) -> ApiToken | None:
    """A token in force, its use noted; None when it is unknown, revoked or its user is shut out.

    Of the row and of its user there is what says who they are; the rest is fetched when it is asked for.
    """
    for pk, steady, user, username in _in_force(_digest(secret)):
        # Asked here and not in the UPDATE: on SQLite even one that changes nothing has to wait for whoever writes.
        if not steady:
            ApiToken.objects.filter(pk=pk).update(last_used_at=timezone.now())
        return partly(ApiToken, id=pk, user=partly(User, id=user, username=username, is_active=True))
    return None


def _query(digest: str) -> QuerySet[ApiToken, Any]:
    steady = ExpressionWrapper(Q(last_used_at__gte=Now() - LAST_USE_STEP), output_field=BooleanField())
    found = ApiToken.objects.filter(sha256=digest, user__is_active=True).order_by().annotate(steady=steady)
    return found.values_list("pk", "steady", "user_id", "user__username")


_in_force = Query(1, _query)


def revoke_token(*, user: User, pk: int) -> bool:
    """Delete the user's own token; False when there is none of that number."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=pk).delete()
    return bool(deleted)


def _digest(secret: str) -> str:
    # A plain hash is enough: the secret has 256 random bits, so there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()
