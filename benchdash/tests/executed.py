"""`python -m benchdash.tests.executed`: the files and functions that one upload and one page execute, as JSON.

The database is in memory. Both requests are made once before, so that what runs only the first time is not counted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from benchdash.tests.services import ROOT

PACKAGES = tuple(f"{ROOT}/{name}/" for name in ("benchdash", "runs", "parsers"))  # without their tests
REPORTS = sorted((ROOT / "parsers/tests/fixtures/ab").glob("*.txt"))


COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # each runs as a function of its own


def count(action: Callable[[], Any]) -> tuple[int, int, int]:
    """(files, functions, functions and comprehensions) of ours that the action executes."""
    seen = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGES) and "/tests/" not in file.removeprefix(str(ROOT)):
            seen.add(frame.f_code)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    files, functions = {code.co_filename for code in seen}, {(code.co_filename, code.co_qualname) for code in seen}
    written = [name for _, name in functions if not name.endswith(COMPREHENSIONS)]
    return len(files), len(written), len(functions)


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {
            "DATA_DIR": data,
            "DATABASE_URL": "sqlite://:memory:",
            "DJANGO_SETTINGS_MODULE": "benchdash.settings",
        }
        (Path(data) / "static").mkdir()
        import django

        django.setup()
        print(json.dumps(measure()))


def measure() -> dict[str, tuple[int, int, int]]:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.cache import caches
    from django.core.management import call_command
    from django.test import Client

    from runs.accounts import make_token
    from runs.models import Run

    settings.ALLOWED_HOSTS = ["testserver"]
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": static}
    call_command("migrate", verbosity=0)
    user = User.objects.create_superuser("admin")
    _, token = make_token(user=user, name="structure")

    def post(text: str) -> Any:
        response = Client(headers={"authorization": f"Bearer {token}"}).post(
            "/api/v1/uploads/", text.encode(), content_type="text/plain"
        )
        assert response.status_code == 201, response.content
        return response.json()

    text = REPORTS[1].read_text()
    post(text.replace("9", "8", 1))  # another text of the same lines, so that all patterns for them are compiled
    uploaded = count(lambda: post(text))
    sample = post(f"## event\n\n{REPORTS[0].read_text()}\n## worker\n\n{REPORTS[2].read_text()}")
    client = Client()
    client.force_login(user)
    address = Run.objects.get(pk=sample["runs"][0]["id"]).experiment.get_absolute_url()
    assert client.get(address).status_code == 200
    caches["conclusions"].clear()  # they are worked out once and then kept
    return {"upload": uploaded, "page": count(lambda: client.get(address))}


if __name__ == "__main__":
    main()
