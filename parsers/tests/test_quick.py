"""The quick ways through usual layouts give what the formats give line by line, and are really taken."""

from __future__ import annotations

import io
from typing import Any

import pytest

import parsers
from parsers.formats import ab
from parsers.tables import RowReader
from parsers.top_summary import Summary

from .reading import FIXTURES, fixtures, name, text_of


def values(text: str) -> list[dict[str, Any]]:
    """Figures of all blocks, their tables as lists."""
    blocks = parsers.read(io.StringIO(text, newline="\n"))
    return [{k: list(v) if k == "processes" else v for k, v in block.values.items()} for block in blocks]


@pytest.mark.parametrize("path", fixtures("ab", "top", "ps"), ids=name)
def test_line_by_line_gives_the_same(path, monkeypatch):
    quick = values(text_of(path))
    monkeypatch.setattr(ab, "read_usual_report", lambda lines: None)
    monkeypatch.setattr(Summary, "take_usual", lambda _: False)
    monkeypatch.setattr(RowReader, "_take_even_rows", lambda *_: False)
    assert values(text_of(path)) == quick


@pytest.mark.parametrize(("kind", "owner", "name"), [("ab", ab, "read_usual_report"), ("top", Summary, "take_usual")])
def test_the_quick_way_is_taken(kind, owner, name, monkeypatch):
    taken = []
    read = getattr(owner, name)

    def watched(lines):
        found = read(lines)
        taken.append(bool(found))
        return found

    monkeypatch.setattr(owner, name, watched)
    for path in fixtures(kind):
        values(text_of(path))
    assert sum(taken) >= 8


def test_a_remark_behind_the_temporary_key_is_not_part_of_it():
    text = text_of(FIXTURES / "ab" / "ab_06_https.txt")
    (plain,) = values(text)
    (remarked,) = values(text.replace(" bits\n", " bits   <- a weak one?\n", 1))
    assert "bits" in plain["server_temp_key"]
    assert remarked == plain
