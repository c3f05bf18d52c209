"""What was worked out for one request and is asked for by the next: bytes in files under DATA_DIR, bounded.

All web processes of a machine share it. Files and not Redis: the Redis that there may be holds the queue, which must
neither be crowded out nor be told to forget. Bytes and not pickles (as Django's cache on files has): what lies in a file
is never run.
"""

from __future__ import annotations

import logging
import os
import random
import secrets
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

FOLDER = "shelf"
MOST_BYTES = 64 * 2**20
A_DAY_S = 86_400.0
# A file that was not used for so long is not marked as used again at each reading.
MARKED_S = 3600.0
# Looking through the folder takes milliseconds, so only one in so many writers does.
SWEEP = 100

log = logging.getLogger(__name__)


def get(name: str) -> bytes | None:
    """The bytes of that name, or None. `name` must be a plain file name that its content determines."""
    path = _folder() / name
    try:
        body = path.read_bytes()
    except OSError:
        return None
    _mark(path)
    return body


def has(name: str) -> bool:
    """Whether it is there; asking marks it as used, so that it stays for whoever is told its name now."""
    return _mark(_folder() / name)


def put(name: str, body: bytes) -> None:
    """Keep the bytes. A full or read-only disk is told in the log: whoever asks has them worked out anew."""
    folder = _folder()
    fresh = folder / f".{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.write_bytes(body)
        fresh.replace(folder / name)  # nobody reads half a file
        if random.randrange(SWEEP) == 0:  # noqa: S311
            sweep()
    except OSError as error:
        log.warning("%s cannot be kept: %s", name, error)
        with suppress(OSError):
            fresh.unlink()


def sweep(most: int = MOST_BYTES) -> None:
    """Remove what was not used for longest until at most that many bytes are left."""
    found = []
    for path in _folder().iterdir():
        try:
            about = path.stat()
        except FileNotFoundError:
            continue  # another process sweeps
        found.append((about.st_mtime, about.st_size, path))
    left = sum(size for _, size, _ in found)
    for used, size, path in sorted(found):
        abandoned = path.name.startswith(".") and used < time.time() - A_DAY_S
        if left <= most and not abandoned:
            continue
        path.unlink(missing_ok=True)
        left -= size


def _mark(path: Path) -> bool:
    """Note that a file is used, for `sweep`; False where there is none."""
    try:
        if path.stat().st_mtime < time.time() - MARKED_S:
            os.utime(path)
    except OSError:
        return False
    return True


def _folder() -> Path:
    return Path(settings.DATA_DIR) / FOLDER
