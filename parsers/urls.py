"""What a load tool was pointed at, out of the address that it prints."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_PORT = re.compile(r":(\d{1,5})$")
_USUAL = {"http": 80, "https": 443}


def host_port_path(url: str) -> tuple[str | None, int | None, str | None]:
    """ "http://web1:8080/a?b=1" → ("web1", 8080, "/a?b=1"); the scheme's own port where none is written.

    Each is None where the text does not tell it: an address that is none ("http://[web1") tells nothing.
    """
    try:
        parts = urlsplit(url)
        hostname = parts.hostname
    except ValueError:  # a bracket without its other half
        return None, None, None
    if not parts.netloc:
        return None, None, None
    written = _PORT.search(parts.netloc)
    port = int(written[1]) if written else _USUAL.get(parts.scheme)
    return hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
