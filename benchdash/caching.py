"""Values in the Redis cache are signed: unpickling what somebody else wrote would run any code that it names.

Every load generator with a worker of its own can reach the Redis of the queue, and so the cache.
"""

from __future__ import annotations

import hmac
import pickle
from typing import Any

from django.utils.crypto import salted_hmac


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
