"""Responses are JSON whatever is in them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from runs.api import FiniteJSONRenderer


def rendered(value: object, media_type: str = "application/json") -> bytes:
    return FiniteJSONRenderer().render(value, media_type)


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, "é"]}, {"n": 2**70}, {}, [], "text"])
def test_it_is_read_back_as_it_was(value):
    assert json.loads(rendered(value)) == value


def test_keys_that_are_numbers_and_times_are_written_as_before():
    moment = datetime(2026, 5, 3, 12, tzinfo=UTC)
    assert json.loads(rendered({50: moment})) == {"50": "2026-05-03T12:00:00Z"}


def test_a_figure_that_json_has_no_word_for_is_null():
    assert rendered([float("nan"), float("inf")]) == b"[null,null]"
    assert rendered({"a": [{"b": (float("-inf"), 1)}]}) == b'{"a":[{"b":[null,1]}]}'


def test_the_half_of_a_sign_that_a_request_had_is_escaped():
    assert rendered({"message": "not an id: \ud800", "x": float("nan")}) == rb'{"message":"not an id: \ud800","x":null}'


def test_nothing_is_nothing():
    assert rendered(None) == b""


def test_who_asks_for_indentation_gets_it():
    assert rendered({"a": 1}, "application/json; indent=2") == b'{\n  "a": 1\n}'
