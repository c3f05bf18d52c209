from __future__ import annotations

import re
import string

import pytest

from parsers.patterns import ASCII, find_first_characters, keep_to_line, split_alternatives


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("abc", "a"),
        ("abc|[x-z]1", "axyz"),
        (r"\d+ x", string.digits),
        ("(?:a|b)?c", "abc"),
        (r"(?=\d)(?!x)^a", "a"),
        ("(?i:ab)|c", "aAc"),
        ("(?-i:a)b", "a"),
        ("a{0,3}+b", "ab"),
        ("(?>a|b)c", "ab"),
        ("[^ab]", "".join(set(ASCII) - {"a", "b"})),
        ("a*", "".join(ASCII)),
        (r"(a)?\1b", "".join(ASCII)),
    ],
)
def test_the_first_characters_of_what_a_pattern_matches(pattern, wanted):
    assert find_first_characters(pattern) == set(wanted)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [("a", ["a"]), (r"a|(b|c)|[|)(]|\|", ["a", "(b|c)", "[|)(]", r"\|"]), ("[^]|]|x", ["[^]|]", "x"])],
)
def test_the_alternatives_of_a_pattern(pattern, wanted):
    assert split_alternatives(pattern) == wanted


@pytest.mark.parametrize("pattern", [r"a\s+b", r"a[^b]+b", r"a[^\d]b", r"\[a[^\]]b"])
def test_a_pattern_that_keeps_to_its_line_matches_no_line_end(pattern):
    kept = re.compile(keep_to_line(pattern), re.MULTILINE)
    assert any(kept.search(text) for text in ("a  b", "a.b", "[a b"))
    assert not any(kept.search(text) for text in ("a\nb", "[a\nb"))


def test_a_blank_that_a_pattern_demands_may_be_the_end_of_a_line():
    assert re.compile(keep_to_line(r"a\]\s"), re.MULTILINE).match("a]\nb")
    assert not re.compile(keep_to_line(r"a\s{1,3}b"), re.MULTILINE).match("a\nb")
