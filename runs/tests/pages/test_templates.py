"""Templates stay readable: their lines fit a screen."""

from __future__ import annotations

from django.conf import settings

MAX_LINE = 160


def test_no_line_is_longer_than_a_screen():
    files = [*(settings.BASE_DIR / "templates").rglob("*.*")]
    lines = [(file, n, line) for file in files for n, line in enumerate(file.read_text("utf-8").split("\n"), 1)]
    assert [f"{file.relative_to(settings.BASE_DIR)}:{n}" for file, n, line in lines if len(line) > MAX_LINE] == []
