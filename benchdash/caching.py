"""The cache in Redis: a Redis that is away is an empty cache, and values are signed.

Unpickling what somebody else wrote would run any code that it names, and every load generator with a worker of its own can
reach the Redis of the queue, and so the cache.
"""

from __future__ import annotations

import hmac
import logging
import pickle
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache as DjangoRedisCache
from django.core.cache.backends.redis import RedisCacheClient
from django.utils.crypto import salted_hmac
from redis import RedisError

from benchdash.faults import Outage

log = logging.getLogger(__name__)
outage = Outage()  # of all threads


def _empty_when_away(name: str, answer: Any) -> Callable[..., Any]:
    method = getattr(RedisCacheClient, name)

    def ask(self: RedisCacheClient, *args: Any) -> Any:
        if not outage.lasts():
            try:
                cached = method(self, *args)
                outage.end()
                return cached
            except RedisError as error:
                if outage.begin():
                    log.warning("The cache does not answer, so API requests are not limited: %s", error)
        return answer(*args) if callable(answer) else answer

    return ask


class Client(RedisCacheClient):
    """Django's. While Redis is away nothing is found or kept: a throttle lets requests through."""

    get = _empty_when_away("get", lambda key, default: default)
    get_many = _empty_when_away("get_many", lambda keys: {})
    has_key = _empty_when_away("has_key", False)
    add = _empty_when_away("add", True)
    incr = _empty_when_away("incr", lambda key, delta: delta)
    touch = _empty_when_away("touch", False)
    delete = _empty_when_away("delete", False)
    set = _empty_when_away("set", None)
    set_many = _empty_when_away("set_many", None)
    delete_many = _empty_when_away("delete_many", None)
    clear = _empty_when_away("clear", False)


class RedisCache(DjangoRedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = Client


class SignedSerializer:
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


def _signature(pickled: bytes) -> bytes:
    return salted_hmac("benchdash.caching", pickled, algorithm="sha256").digest()


SIZE = len(_signature(b""))
