"""How values lie in Redis: signed. Unpickling what somebody else wrote would run whatever it says.

Whoever reaches the queue reaches the cache as well, and that is every load generator with a worker of its own.
"""

from __future__ import annotations

import hmac
import pickle
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.crypto import salted_hmac


class Signed:
    """A serializer for Django's Redis cache, which asks it for every value."""

    def dumps(self, value: Any) -> Any:
        """A whole number stays one, so that Redis itself can add to it."""
        if type(value) is int:
            return value
        pickled = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return _signature(pickled) + pickled

    def loads(self, data: bytes) -> Any:
        """The value, or None, as if there were none, where this installation's key did not sign it."""
        if data.removeprefix(b"-").isdigit():
            return int(data)
        signature, pickled = data[:SIZE], data[SIZE:]
        return pickle.loads(pickled) if hmac.compare_digest(signature, _signature(pickled)) else None  # noqa: S301


class Client(RedisCacheClient):
    """Django's with clients that it keeps: making one takes longer than asking Redis. For a single server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kept: dict[bool, Any] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        if write not in self._kept:
            self._kept[write] = super().get_client(key, write=write)
        return self._kept[write]


class Redis(RedisCache):
    """Django's Redis cache with such a client."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = Client


def _signature(pickled: bytes) -> bytes:
    return salted_hmac("benchdash.caching", pickled, algorithm="sha256").digest()


SIZE = len(_signature(b""))
