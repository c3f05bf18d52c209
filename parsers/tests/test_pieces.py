"""A text in pieces, as a file is read, is the same text as its lines, wherever the pieces end."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

import parsers
from parsers import reader
from parsers.decode import Text

from . import mutate
from .reading import FIXTURES, captures, finding, fixtures, kind_of, of_kinds, plain, text_of

QUOTED = ("|", ">", "#", "-", "  ", "12:", "web1:", "+", "│", "INFO:", "[a]", "*", "$", "x |", "10:00:00")
REPORT = "Requests per second:    617.01 [#/sec] (mean)\n"


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("captures", of_kinds(fixtures()), ids=kind_of)
@pytest.mark.parametrize("size", [11, 1009])
def test_small_pieces_give_what_lines_give(captures, size):
    for path in captures:
        text = text_of(path)
        lines = [f"{line}\n" for line in text.split("\n")]
        lines[-1] = lines[-1][:-1]
        found = list(parsers.read(Text(pieces(text, size))))
        wanted = list(parsers.read(lines if lines[-1] else lines[:-1]))
        assert finding(found) == finding(wanted), path.stem
        assert [(b.lines, b.heading, b.command, b.problems) for b in found] == [
            (b.lines, b.heading, b.command, b.problems) for b in wanted
        ], path.stem


def test_a_text_gives_its_lines():
    assert list(Text(["a\nb", "", "c\n\n", "d"])) == ["a\n", "bc\n", "\n", "d"]


def test_a_line_feed_inside_a_line_makes_no_second_one():
    (block,) = parsers.read(["a heading\nof two\n", REPORT])
    assert block.lines == (2, 2)


def test_the_number_at_the_end_of_the_last_piece_may_go_on():
    (block,) = parsers.read(Text([REPORT, "Failed requests:     1", "2"]))
    assert "failed_requests" not in block.values
    assert "the text ends in '12'" in block.problems[0].message


def test_a_line_that_never_ends_is_not_kept():
    (block,) = parsers.read(Text([REPORT, *["9" * 65536] * 400]))
    assert block.values == {"requests_per_second": 617.01}


def test_a_table_longer_than_is_taken_at_once_is_read_whole():
    listing = text_of(FIXTURES / "ps" / "ps_01_aux.txt").rstrip("\n").split("\n")
    many = "".join(f"{row}\n" for row in [listing[1], *listing[2:] * 40])
    (block,) = parsers.read(Text(pieces(many, 65536)))
    assert (block.last, block.values["n_rows"]) == (1 + 40 * (len(listing) - 2), 40 * (len(listing) - 2))


@pytest.mark.parametrize("captures", of_kinds(fixtures()), ids=kind_of)
def test_a_file_and_a_list_give_what_a_pipe_gives(captures, tmp_path):
    for path in captures:
        text = text_of(path)
        (tmp_path / "text").write_text(text, newline="")
        lines = text.splitlines(keepends=True) if text.isascii() else [f"{line}\n" for line in text.split("\n")]
        wanted = [(b.kind, b.lines, b.heading, b.command) for b in parsers.read(line for line in lines)]
        assert [(b.kind, b.lines, b.heading, b.command) for b in parsers.read(lines)] == wanted, path.stem
        with (tmp_path / "text").open(newline="\n") as file:
            assert [(b.kind, b.lines, b.heading, b.command) for b in parsers.read(file)] == wanted, path.stem


def test_a_file_that_was_begun_is_read_on(tmp_path):
    (tmp_path / "text").write_text(f"first\n{REPORT}")
    with (tmp_path / "text").open() as file:
        assert next(file) == "first\n"
        assert [block.lines for block in parsers.read(file)] == [(1, 1)]


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_line_of_more_than_64_kib_is_a_problem_with_its_line_and_the_report_around_it_is_read(end):
    long = "Requests per second: 5.00 [#/sec] (mean) " + "x" * 65536
    for text in (
        [REPORT, f"{long}\n", "Failed requests:        12\n", f"{long}{end}"],
        [REPORT + f"{long}\n" + long + end],
    ):
        (block,) = parsers.read(Text(text))
        assert block.values.pop("failed_requests", 12) == 12 and block.values == {"requests_per_second": 617.01}
        assert [problem.line for problem in block.problems] in ([2, 4], [2, 3])
        assert block.problems[0].message == "a line of more than 64 KiB: it was not looked at"


def _everything_of(text: str) -> list[tuple[object, ...]]:
    blocks = parsers.read(Text([text]))
    return [(plain(b), b.lines, b.heading, b.command, b.label, b.trail, b.above, b.typed, b.problems) for b in blocks]


def _odd_texts() -> Iterator[str]:
    """Captures that were changed, and lines of all captures, signs and prose in any order."""
    chance = random.Random(1)  # noqa: S311
    lines = [line for path in captures() if path.stat().st_size < 20_000 for line in text_of(path).split("\n")[:30]]
    signs = "$#%>|:-=*+`[](){}\"'/\\.,;~_!?@&^< 12aZ\u00e9\u2502"
    for number in range(400):
        yield mutate.text(f"at once:{number}")
        drawn = chance.choices(lines, k=60)
        for at, line in enumerate(drawn):
            cut, odd = chance.randrange(len(line) + 1), "".join(chance.choices(signs, k=chance.randint(1, 6)))
            changed = (
                line,
                f"{chance.choice(QUOTED)} {line}",
                line[:cut],
                line[cut:],
                odd + line,
                odd,
                re.sub(r"[^\w\s]", "", line),
                "Some more prose",
                *("", "# a remark", "Setting 2:"),
            )
            drawn[at] = chance.choice(changed)
        yield "\n".join(drawn) + "\n"
        yield "\n\n".join(drawn) + "\n\n"


def test_lines_that_begin_nothing_are_the_same_taken_at_once_and_one_by_one(monkeypatch):
    """Made: they are taken at once behind the first lines of a text."""
    above = "".join(f"this is line {number} of some prose\n" for number in range(70))
    texts = [above + text for text in _odd_texts()]
    reader.compile_plain_lines()  # else they are taken behind the first thousand lines only
    at_once = [_everything_of(text) for text in texts]
    monkeypatch.setattr(reader, "compile_plain_lines", cache(lambda: re.compile("(?!)")))
    assert [n for n, text in enumerate(texts) if _everything_of(text) != at_once[n]] == []


def test_a_command_in_a_numbered_list_is_one_behind_the_first_lines_too():
    """Made: it was taken for a line of prose there."""
    reader.compile_plain_lines()
    above = "".join(f"this is line {number} of some prose\n" for number in range(70))
    (block,) = parsers.read(
        Text(
            [
                f"{above}1. root@web1:~# uptime -p\n"
                "1.  13:00:10 up 3 days,  1:10,  2 users,  load average: 0.10, 1.00, 2.50\n"
            ]
        )
    )
    assert block.command == "uptime -p"


def test_what_takes_lines_at_once_is_compiled_for_a_long_text_only(monkeypatch):
    """Compiling takes as long as looking at several thousand lines."""
    compiled = []
    monkeypatch.setattr(reader, "compile_plain_lines", cache(lambda: compiled.append(1) or re.compile("(?!)")))
    for n_lines, n_compiled in ((900, 0), (1_100, 1)):
        list(parsers.read(Text(f"this is line {number} of some prose\n" for number in range(n_lines))))
        assert len(compiled) == n_compiled
