from __future__ import annotations

import re
import string

import pytest

from parsers.patterns import (
    ASCII,
    compile_words,
    find_first_characters,
    keep_short,
    keep_to_line,
    lower,
    split_alternatives,
)


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


def test_the_alternatives_that_a_short_text_may_match():
    assert keep_short(r"abc|a{2}|(?=xyz)a+|(?P<a>b)(?P=a)\d*|abcd|aa", 2) == r"a{2}|(?=xyz)a+|(?P<a>b)(?P=a)\d*|aa"
    assert not re.match(keep_short("abc|abcd", 2), "ab")


@pytest.mark.parametrize("pattern", [r"a\s+b", r"a[^b]+b", r"a[^\d]b", r"\[a[^\]]b"])
def test_a_pattern_that_keeps_to_its_line_matches_no_line_end(pattern):
    kept = re.compile(keep_to_line(pattern), re.MULTILINE)
    assert any(kept.search(text) for text in ("a  b", "a.b", "[a b"))
    assert not any(kept.search(text) for text in ("a\nb", "[a\nb"))


def test_a_blank_that_a_pattern_demands_may_be_the_end_of_a_line():
    assert re.compile(keep_to_line(r"a\]\s"), re.MULTILINE).match("a]\nb")
    assert not re.compile(keep_to_line(r"a\s{1,3}b"), re.MULTILINE).match("a\nb")


@pytest.mark.parametrize("text", ["the Aftermath", "aFTERwards, İt ran 2 TIMES", "IDLE, after all", "後 now", ""])
def test_words_are_found_in_the_lower_case_where_a_pattern_without_case_finds_them(text):
    words = r"\bafter|afterwards|\bidle\b|\bi|後|2 (?P<of>times|runs)"
    found = [found.span() for found in re.finditer(words, text, re.IGNORECASE)]
    assert [found.span() for found in compile_words(words).finditer(lower(text))] == found
    assert len(lower(text)) == len(text)
