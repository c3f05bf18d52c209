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
        holds(FIGURE.sub(odd, text_of(path)))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_some_figures_are_odd(path: Path):
    text = text_of(path)
    found = list(FIGURE.finditer(text))
    for at, odd in enumerate(ODD):
        for one in found[at :: max(len(found) // 4, 1)]:
            holds(text[: one.start()] + odd + text[one.end() :])


def test_a_last_line_of_many_numbers():
    assert blocks("1," * 30_000 + "1") == []


def test_a_heading_of_autocannon_that_is_no_per_cent():
    text = (
        text_of(FIXTURES / "autocannon" / "autocannon_06_german.txt")
        .replace("97.5%", "many%")
        .replace(" Stdev ", " Min   ")
    )
    for block in blocks(text):
        assert all(set(record.percentiles_ms) <= {"2.5", "50", "99", "100"} for record in block.records)


@pytest.mark.parametrize(
    "line",
    [
        "Darwin mac 18.7.0 Darwin Kernel Version 18.7.0: Sun Dec" + " " * 60_000 + "x",
        "NAME   CPU %   MEM %   " * 2_500,
        "\n".join(["NAME   CPU %   MEM %"] * 5_000),
        "Reply rate" + "," * 60_000,
        "Duration      [total, attack, wait]" + "," * 60_000,
    ],
    ids=["uname", "titles of containers", "the same, each on a line", "httperf", "vegeta"],
)
def test_what_some_patterns_never_came_to_an_end_with(line):
    assert not any(len(block.values) > 3 for block in blocks(f"{line}\n"))


def test_an_opening_of_two_tools_whose_lines_are_neither_s():
    """The first format looks further and puts back what it saw; the second one begins at the opening line all the same."""
    text = "Summary:\n  Success rate: many\n  Total: long enough, and longer than the line that opens it\n"
    assert blocks(text + text) == []


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
