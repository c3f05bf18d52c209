"""A text may end anywhere: what is read of it then is part of what is read of the whole, and never another number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

import parsers
from parsers.decode import Text

from .reading import FIXTURES, blocks, captures, excess, finding, kind_of, of_kinds, text_of

CAPTURES = captures()
ENOUGH = {"1": "11", " ": " "}  # of digits and blanks in a row


def heads(kinds: list[str]) -> list[str]:
    """What a text may be as long as only its first line is there: procps 2 put uptime's above its top."""
    return ["uptime"] if kinds[:1] == ["top"] else []


def find_read(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Kinds and values of its blocks, without those that only tell of a rate that no tool is known of."""
    return finding(block for block in blocks(text) if block.values or block.kind != "unknown")


def claims(text: str, whole: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What the text has beyond the whole's blocks."""
    found = find_read(text)
    kinds = [kind for kind, _ in whole]
    wrong = [
        f"block {i} is {kind}"
        for i, (kind, _) in enumerate(found)
        if kind not in (*kinds[i : i + 1], *heads(kinds[i:]))
    ]
    return wrong or [
        e for (_, part), (_, all_of_it) in zip(found, whole, strict=False) for e in excess(part, all_of_it)
    ]


def places(text: str) -> Iterator[tuple[tuple[str, bool], int]]:
    """Where a text may end: the cut line but for its figures and blanks, and whether a figure is cut; and the place.

    Within a word only behind its first letter: half a word is as little a name as another half of it.
    """
    start = 0
    for line in text.splitlines(keepends=True):
        head = ""
        for at, sign in enumerate(line):
            if at < 2 or not line[at - 2 : at + 1].isalpha():
                yield (head, sign.isdigit()), start + at
            plain = "1" if sign.isdigit() else " " if sign.isspace() else sign
            if not head.endswith(ENOUGH.get(plain, "\0")):
                head += plain
        start += len(line)


@pytest.mark.parametrize("captures", of_kinds(CAPTURES), ids=kind_of)
def test_cut_at_any_character(captures):
    """At up to 200 places of each capture, none of which is like one of the kind's others."""
    seen: set[tuple[str, bool]] = set()
    wrong = {}
    for path in captures:
        text = text_of(path)
        whole = find_read(text)
        new = {place: at for place, at in reversed(list(places(text))) if place not in seen}
        some = random.Random(len(text)).sample(sorted(new), min(len(new), 200))  # noqa: S311
        seen.update(some)
        wrong |= {(path.stem, text[: new[at]][-40:]): found for at in some if (found := claims(text[: new[at]], whole))}
    assert not wrong


@pytest.mark.parametrize("captures", of_kinds(CAPTURES), ids=kind_of)
def test_cut_at_any_line(captures):
    wrong = {}
    for path in captures:
        lines = text_of(path).splitlines(keepends=True)
        whole = find_read("".join(lines))
        some = range(0, len(lines), 1 + len(lines) // 60)
        wrong |= {(path.stem, at): found for at in some if (found := claims("".join(lines[:at]), whole))}
    assert not wrong


@pytest.mark.parametrize("captures", of_kinds(CAPTURES), ids=kind_of)
def test_without_its_last_line_end(captures):
    for path in captures:
        text = text_of(path).rstrip("\n")
        lists = [list(parsers.read(text.split("\n"))), list(parsers.read((text + "\n").split("\n")))]
        whole = finding(blocks(text + "\n"))
        assert [[b.kind for b in found] for found in lists] == [[kind for kind, _ in whole]] * 2, path.stem
        assert not [e for found in lists for (_, part), (_, all_of_it) in zip(finding(found), whole, strict=True)
                    for e in excess(part, all_of_it)], path.stem  # fmt: skip
        assert finding(lists[1]) == whole, path.stem


CUT = [
    ("Server Software:        nginx\nServer Hostname:        localhost\nServer Port:            8", "server_port", 3),
    ("Document Path:          /\nDocument Length:        97 bytes\n\nConcurrency Level:      1", "concurrency", 4),
    ("Concurrency Level:      10\nComplete requests:      1000\nTime taken for tests:   1.7", "time_taken_s", 3),
    ("Transactions:\t\t   885 hits\nAvailability:\t\t 100.00 %\nElapsed time:\t\t 3", "elapsed_s", 3),
    ("MemTotal:         774616 kB\nMemFree:           2", "memfree", 2),
    ("MemTotal:         774616 kB\nMemFree:           29524 k", "memfree", 2),
    ("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu MHz\t\t: 60", "cpu_mhz", 3),
]


@pytest.mark.parametrize(("text", "field", "line"), CUT)
def test_a_number_that_may_go_on_is_named(text, field, line):
    (block,) = blocks(text)
    assert field not in str(sorted(block.values)) and field not in block.values.get("processors", [{}])[0]
    assert [problem.line for problem in block.problems] == [line]


def test_no_format_fails_on_a_complete_text_that_ends_behind_any_line_of_a_report(caplog):
    """Made: a report of rewrk that ended with its rate was lost, as there was no line below it."""
    for _, paths in groupby(CAPTURES, lambda path: path.parent.name):
        lines = text_of(next(paths)).split("\n")[:60]
        for n in range(1, len(lines)):
            for end in ("", "\n", "\n\n```"):
                assert all(block.records is not None for block in parsers.read(Text(["\n".join(lines[:n]) + end])))
    assert not caplog.records


@pytest.mark.parametrize(
    ("last", "is_told"), [("Server Port", True), ("Failed requests", True), ("Requests per second", False)]
)
def test_a_report_that_ends_before_its_rate_is_a_problem(last, is_told):
    lines = (FIXTURES / "ab" / "ab_01_plain.txt").read_text().split("\n")
    end = next(at for at, line in enumerate(lines) if line.startswith(last)) + 1
    (block,) = parsers.read([*lines[:end], ""])
    messages = [problem.message for problem in block.problems]
    assert messages == (["the report breaks off before its rate"] if is_told else [])
