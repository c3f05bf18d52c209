"""What lies in Redis is read only where this installation wrote it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

from django.test import override_settings

from benchdash.caching import SignedSerializer
from benchdash.tests.services import ROOT


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_it_gives_back_what_it_was_given():
    for value in (7, -3, 1.5, "text", [1.0, 2.0], {"a": (1, None)}, True):
        written = SignedSerializer().dumps(value)
        # a whole number comes back from the server as its digits
        assert SignedSerializer().loads(written if isinstance(written, bytes) else str(written).encode()) == value


def test_what_somebody_else_wrote_is_not_run(tmp_path):
    forged = pickle.dumps(Evil(tmp_path / "ran"))
    assert SignedSerializer().loads(forged) is None
    assert SignedSerializer().loads(b"\0" * 32 + forged) is None
    assert not (tmp_path / "ran").exists()


def test_what_another_key_signed_is_not_there():
    with override_settings(SECRET_KEY="another installation's key, as long as it takes"):
        theirs = SignedSerializer().dumps([1.0])
    assert SignedSerializer().loads(theirs) is None


def test_a_redis_is_asked_through_it(tmp_path):
    say = "from django.core.cache import cache; print(type(cache._cache._serializer).__qualname__)"
    ended = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", say],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "CELERY_BROKER_URL": "redis://127.0.0.1:1/0"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.stdout.strip() == "SignedSerializer", ended.stderr
