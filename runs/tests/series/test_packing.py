"""Packed series come back bit for bit, and steady ones are small."""

from __future__ import annotations

import math
import random
import struct
import zlib
from array import array
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.series.packing import join_parts, pack_points, pack_samples, unpack_points, unpack_samples

FIGURES = st.floats(allow_nan=False) | st.integers(-(2**53), 2**53).map(float)
PRINTED = st.decimals(-99999, 99999, places=2).map(float) | st.sampled_from([161894.4, 12.3, 0.0, 1293942.784])


def bits(figures):
    return array("d", figures).tobytes()


@given(st.lists(FIGURES) | st.lists(PRINTED))
def test_what_is_packed_comes_back_bit_for_bit(figures):
    assert bits(unpack_samples(pack_samples(figures))) == bits(figures)


@given(st.lists(st.sampled_from([float("nan"), 1.0, -0.0, 12976.0])))
def test_gaps_stay_gaps(figures):
    assert bits(unpack_samples(pack_samples(figures), len(figures))) == bits(figures)


@given(st.dictionaries(st.integers(0, 5000), FIGURES, max_size=40))
def test_a_figure_comes_back_at_its_own_sample(found):
    looks = sorted(found)
    samples = unpack_samples(pack_points(looks, [found[look] for look in looks]))
    assert {look: struct.pack("d", samples[look]) for look in looks} == {
        k: struct.pack("d", v) for k, v in found.items()
    }
    assert np.isnan(samples).sum() == len(samples) - len(looks)


@given(st.lists(st.lists(PRINTED, min_size=1), max_size=5))
def test_parts_that_follow_each_other_make_one_series(parts):
    ends = np.cumsum([0, *map(len, parts)])
    frames = [pack_points(range(begin, begin + len(part)), part) for begin, part in zip(ends, parts, strict=False)]
    assert bits(unpack_samples(join_parts(frames))) == bits([figure for part in parts for figure in part])


def test_a_series_is_as_long_as_its_capture_where_that_is_said():
    assert unpack_samples(pack_points([1], [5.0]), 3).tolist()[1:2] == [5.0]
    assert len(unpack_samples(pack_points([1], [5.0]), 3)) == 3
    assert unpack_samples(pack_points([0, 1, 2], [5.0, 6.0, 7.0]), 2).tolist() == [5.0, 6.0]


def test_a_steady_hour_takes_a_few_bytes():
    assert len(pack_samples([21224.0] * 3600)) < 16


def test_a_process_that_comes_and_goes_costs_no_more_than_a_few_bytes():
    looks = [look for look in range(36000) if look // 600 % 2]
    assert len(pack_points(looks, [21224.0] * len(looks))) < 100


def test_memory_that_moves_by_pages_takes_a_byte_a_sample():
    chance = random.Random(1)  # noqa: S311
    rss = list(accumulate([81200.0] + [4.0 * chance.randint(-40, 42) for _ in range(3600)]))
    assert len(pack_samples(rss)) < len(rss)


def test_figures_with_decimals_are_kept_as_whole_numbers():
    chance = random.Random(1)  # noqa: S311
    assert len(pack_samples([chance.randint(0, 999) / 10 for _ in range(3600)])) < 1.6 * 3600


@pytest.mark.parametrize("figures", [[12976.0, 12980.0, 12976.0], []])
def test_series_packed_as_whole_numbers_before_are_still_read(figures):
    differences = [now - before for before, now in zip([0, *figures], figures, strict=False)]
    old = b"i" + zlib.compress(array("q", map(int, differences)).tobytes())
    assert bits(unpack_samples(old)) == bits(figures)


def test_series_packed_as_floats_before_are_still_read():
    samples = unpack_samples(b"f" + zlib.compress(array("d", [1.5, math.nan, 2.5]).tobytes()), 4)
    assert samples[[0, 2]].tolist() == [1.5, 2.5] and np.isnan(samples[[1, 3]]).all()


@pytest.mark.parametrize(
    "damaged", [b"x" + zlib.compress(b""), b"", b"i123", pack_points([0, 1], [1.0, 7.0])[:-1], b"z\0\5"]
)
def test_foreign_bytes_are_refused(damaged):
    with pytest.raises(ValueError, match="a packed series"):
        unpack_samples(damaged)


@given(st.lists(st.lists(st.sampled_from([float("nan"), 1.0, 2.5, 12976.0]), max_size=20), max_size=3))
def test_the_samples_that_have_a_figure_can_be_had_alone(parts):
    at, frames, samples = 0, [], []
    for part in parts:
        frames.append(pack_points(range(at, at + len(part)), part))
        samples += part
        at += len(part)
    looks, figures = unpack_points(join_parts(frames))
    assert dict(zip(looks.tolist(), figures.tolist(), strict=True)) == {
        look: figure for look, figure in enumerate(samples) if figure == figure
    }
