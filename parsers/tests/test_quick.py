"""The quick ways through usual layouts give what the formats give line by line, and are really taken."""

from __future__ import annotations

import io
from typing import Any

import pytest

import parsers
from parsers.quick import ab as quick_ab
from parsers.quick import top as quick_top
from parsers.rows import RowReader

from .reading import FIXTURES, fixtures, name, text_of


def values(text: str) -> list[dict[str, Any]]:
    """Figures of all blocks, their tables as lists."""
    found = parsers.read(io.StringIO(text, newline="\n"))
    return [{k: list(v) if k == "processes" else v for k, v in block.values.items()} for block in found]


@pytest.mark.parametrize("path", fixtures("ab", "top", "ps"), ids=name)
def test_line_by_line_gives_the_same(path, monkeypatch):
    quick = values(text_of(path))
    monkeypatch.setattr(quick_ab, "read", lambda lines: None)
    monkeypatch.setattr(quick_top, "read", lambda lines: None)
    monkeypatch.setattr(RowReader, "_even", lambda *_: False)
    assert values(text_of(path)) == quick


@pytest.mark.parametrize(("module", "folder", "at_least"), [(quick_ab, "ab", 8), (quick_top, "top", 8)])
def test_the_quick_way_is_taken(module, folder, at_least, monkeypatch):
    taken = []
    read = module.read

    def watched(lines):
        found = read(lines)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(module, "read", watched)
    for path in fixtures(folder):
        values(text_of(path))
    assert sum(taken) >= at_least


def test_a_remark_behind_the_temporary_key_is_not_part_of_it():
    text = text_of(FIXTURES / "ab" / "ab_06_https.txt")
    (plain,) = values(text)
    (remarked,) = values(text.replace(" bits\n", " bits   <- a weak one?\n", 1))
    assert "bits" in plain["server_temp_key"]
    assert remarked == plain
