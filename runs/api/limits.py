"""How many requests a minute the API takes of one user, or of one address without a login."""

from __future__ import annotations

import hashlib
import threading
import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # rest_framework.views imports this module, by its name in the settings
    from rest_framework.request import Request
    from rest_framework.views import APIView

MINUTE_S = 60
PARTS = 100


class PerMinute(BaseThrottle):
    """All web processes count together in the cache, from one full minute to the next.

    A process fetches a hundredth of the limit at a time, so that a sender of many small texts costs few looks at the
    cache. What it has left over at the end of the minute is lost.
    """

    def allow_request(self, request: Request, view: APIView) -> bool:
        self.now = time.time()
        if request.user and request.user.is_authenticated:
            return _take(f"user-{request.user.pk}", settings.API_PER_MINUTE, int(self.now // MINUTE_S))
        # An address may be whatever its sender wrote into X-Forwarded-For, and a key may not.
        address = hashlib.sha256(self.get_ident(request).encode()).hexdigest()
        return _take(f"address-{address}", settings.API_PER_MINUTE_WITHOUT_LOGIN, int(self.now // MINUTE_S))

    def wait(self) -> float:
        """Seconds until the next minute."""
        return MINUTE_S - self.now % MINUTE_S


_lock = threading.Lock()
_fetched: dict[tuple[str, int], int] = {}  # (who, minute): requests that this process may still let in


def _take(who: str, most: int, minute: int) -> bool:
    """Whether one more request of theirs is let in."""
    if _add(who, minute, -1):
        return True
    fetched = _fetch(f"api-{who}-{minute}", most)
    return fetched > 0 and _add(who, minute, fetched - 1)


def _add(who: str, minute: int, by: int) -> bool:
    """False, and nothing is changed, where too few are left."""
    with _lock:
        left = _fetched.pop((who, minute), 0) + by
        if left < 0:
            return False
        if left:
            for key in [key for key in _fetched if key[1] != minute]:
                del _fetched[key]
            _fetched[who, minute] = left
        return True


def _fetch(key: str, most: int) -> int:
    """A part of what all processes may let in together, or what is left of it."""
    part = max(1, most // PARTS)
    try:
        count = cache.incr(key, part)
    except ValueError:  # the first of this minute, unless another process is quicker
        count = part if cache.add(key, part, 2 * MINUTE_S) else cache.incr(key, part)
    return max(0, min(part, most - count + part))
