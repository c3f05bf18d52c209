"""Static files, collected and compressed only when one of them has changed: Plotly's script takes seconds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_when_changed() -> bool:
    """Bring STATIC_ROOT up to date; True when there was something to do."""
    stamp = Path(settings.STATIC_ROOT) / ".sources"
    sources = _fingerprint()
    if stamp.exists() and stamp.read_text() == sources:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(sources)
    return True


def _fingerprint() -> str:
    """Path, size and time of each source file, hashed."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            about = Path(storage.path(name)).stat()
            digest.update(f"{name} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()
