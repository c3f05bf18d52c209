"""Whether the web server answers: `python -m runs.management.probe` exits 0 when it does (for health checks)."""

from __future__ import annotations

import http.client
import os
import sys


def answers(port: int, host: str = "localhost", *, timeout_s: float = 2.0) -> bool:
    """Ask /healthz on this machine under the name `host`, which must be one of ALLOWED_HOSTS."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def a_name(allowed_hosts: list[str]) -> str:
    """A host name that ALLOWED_HOSTS lets in."""
    first = allowed_hosts[0] if allowed_hosts else "localhost"
    return "localhost" if first == "*" else first.removeprefix(".")


if __name__ == "__main__":
    names = [name.strip() for name in os.environ.get("ALLOWED_HOSTS", "").split(",") if name.strip()]
    sys.exit(0 if answers(int(os.environ.get("PORT") or 8000), a_name(names)) else 1)
