from __future__ import annotations

import string

import pytest

from parsers.patterns import ASCII, find_first_characters


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
