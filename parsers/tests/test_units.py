"""Figures as tools print them, and texts that only look like them."""

from __future__ import annotations

import pytest

from parsers.units import clock_s

TIMES = {
    "0:01.27": 1.27,
    "1:23.45": 83.45,
    "1:23,45": 83.45,
    "123:07.00": 7387.0,
    "1:02:03.50": 3723.5,
    "1:99.05": 159.05,
    "00:01:11": 71,
    "2-03:04:05": 183845,
    "0:04": 4,
    "1:23.4": 83.4,
    "1:2.345": 62.345,
    "50.8H": 182880.0,
}


@pytest.mark.parametrize("text", TIMES)
def test_a_time_is_the_very_number_that_it_says(text):
    assert repr(clock_s(text)) == repr(TIMES[text])


@pytest.mark.parametrize("text", ["", "-", ":23.45", "-1:23.45", "+1:23.45", "1:+3.45", "1_0:23.45", "1:23.45s"])
def test_what_only_looks_like_a_time_is_none(text):
    with pytest.raises(ValueError, match="not a time"):
        clock_s(text)
