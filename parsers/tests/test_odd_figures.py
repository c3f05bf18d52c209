"""Figures that no tool prints, where a tool prints figures: read to the end, and nothing that a database could not hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import parsers
from parsers.__main__ import as_json

from .reading import FIXTURES, blocks, text_of

FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
ODD = ["9" * 5000, "1" * 400, "9" * 310 + ".5", "1.2.3", "1e999", "1e308", "nan", "-inf", "٣", "²", "-1", ""]
ONE_A_FORMAT = [min(folder.glob("*_0*.txt")) for folder in sorted(FIXTURES.iterdir()) if any(folder.glob("*_0*.txt"))]
SMALL = [path for path in ONE_A_FORMAT if path.stat().st_size < 12_000]


def holds(text: str) -> None:
    for block in parsers.read(text.splitlines(keepends=True)):
        json.dumps(json.loads(as_json(block, "x")), allow_nan=False)
        assert block.records is not None


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_every_figure_is_odd(path: Path):
    for odd in ODD:
        holds(FIGURE.sub(lambda found, odd=odd: odd, text_of(path)))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_some_figures_are_odd(path: Path):
    text = text_of(path)
    found = list(FIGURE.finditer(text))
    for at, odd in enumerate(ODD):
        for one in found[at :: max(len(found) // 4, 1)]:
            holds(text[: one.start()] + odd + text[one.end() :])


def test_what_stands_below_such_a_report_is_read():
    text = text_of(FIXTURES / "hey" / "hey_01.txt")
    odd = text.replace("Requests/sec:\t", "Requests/sec:\t1.2.")
    assert odd != text
    assert [block.kind for block in blocks(f"{odd}\n{text}")][-1] == "hey"


def test_a_figure_without_end_is_told_as_a_problem():
    text = text_of(FIXTURES / "ab" / "ab_01_plain.txt")
    (block,) = blocks(re.sub(r"(Complete requests: +)\d+", rf"\g<1>{'9' * 5000}", text))
    assert "complete_requests" not in block.values
    assert "requests_per_second" in block.values
    assert any("complete_requests" in problem.message for problem in block.problems)
