"""Packed series come back bit for bit, and steady ones are small."""

from __future__ import annotations

import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.ingest.pack import pack, unpack


def bits(figures):
    return array("d", figures).tobytes()


@given(st.lists(st.floats(allow_nan=False) | st.integers(-(2**53), 2**53).map(float)))
def test_what_is_packed_comes_back_bit_for_bit(figures):
    assert bits(unpack(pack(figures))) == bits(figures)


@given(st.lists(st.sampled_from([float("nan"), 1.0, -0.0, 12976.0])))
def test_gaps_stay_gaps(figures):
    assert [struct.pack("<d", f) for f in unpack(pack(figures))] == [struct.pack("<d", f) for f in figures]


def test_a_steady_hour_takes_a_few_bytes():
    assert len(pack([21224.0] * 3600)) < 80


def test_foreign_bytes_are_refused():
    with pytest.raises(ValueError, match="must begin with i or f"):
        unpack(b"x" + pack([])[1:])
