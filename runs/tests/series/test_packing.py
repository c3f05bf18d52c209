"""Packed series come back bit for bit, and steady ones are small."""

from __future__ import annotations

import math
import random
import struct
import zlib
from array import array
from importlib import import_module
from itertools import accumulate
from types import SimpleNamespace

import numpy as np
import pytest
from django.apps import apps
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from runs.series import join_packed_parts, pack_points, pack_samples, unpack_points, unpack_samples
from runs.tests import factories

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
    assert bits(unpack_samples(join_packed_parts(frames))) == bits([figure for part in parts for figure in part])


def test_a_series_is_as_long_as_its_capture_where_that_is_said():
    assert unpack_samples(pack_points([1], [5.0]), 3).tolist()[1:2] == [5.0]
    assert len(unpack_samples(pack_points([1], [5.0]), 3)) == 3
    assert unpack_samples(pack_points([0, 1, 2], [5.0, 6.0, 7.0]), 2).tolist() == [5.0, 6.0]


def test_a_steady_hour_takes_a_few_bytes():
    assert len(pack_samples([21224.0] * 3600)) < 50


def test_a_process_that_comes_and_goes_costs_little():
    looks = [look for look in range(36000) if look // 600 % 2]
    assert len(pack_points(looks, [21224.0] * len(looks))) < 200


def test_memory_that_moves_by_pages_takes_two_bytes_a_sample():
    chance = random.Random(1)  # noqa: S311
    rss = list(accumulate([81200.0] + [4.0 * chance.randint(-40, 42) for _ in range(3600)]))
    assert len(pack_samples(rss)) < 2 * len(rss)


def test_figures_with_decimals_are_kept_as_whole_numbers():
    chance = random.Random(1)  # noqa: S311
    assert len(pack_samples([chance.randint(0, 999) / 10 for _ in range(3600)])) < 1.7 * 3600


migration = import_module("runs.migrations.0024_pack_series_anew")
# As earlier versions packed them: constant, with a gap, by steps, by amounts, with decimals, no whole numbers, by zstd, two frames.
EARLIER = {
    "7a0007000001000a00": [5.0] * 7,
    "7a0002000002000202": [1.0, math.nan, 3.0],
    "7a00090000010100030801030507090b0d0f": [4.0 * at * at for at in range(9)],
    "7a000500000101e0f4090004080f1007": [81200.0, 81204.0, 81196.0, 81204.0, 81200.0],
    "7a010300000105f6010004f5ce0007": [12.3, 0.0, 99.9],
    "7aff020000011628b52ffd20106d000038345533d3d53f3f0100156e08": [0.1 + 0.2, 1 / 3],
    "7a": [],
    "7a0003000001090d00084e4d0d0d03030000": [-7.0, 100000.0, -7.0],
    "7a001e00000112c801021a28b52ffd201e8d0000580007030a0602090501080401004e8a17": [
        100.0 + 4 * (at * 7 % 11) for at in range(30)
    ],
    "7a010200000100140f0003000601000e00": [1.0, 2.5, math.nan, 7.0, 7.0, 7.0],
}


@pytest.mark.parametrize("packed", EARLIER)
def test_series_of_earlier_versions_are_packed_anew(packed):
    found = unpack_samples(migration.pack_anew(bytes.fromhex(packed)))
    assert bits(found) == bits(EARLIER[packed])


@pytest.mark.django_db
def test_a_database_s_series_are_packed_anew():
    capture = factories.capture(
        factories.config(factories.experiment(), "event"), factories.upload(), metrics={"load1": 1.0, "load5": 2.0}
    )
    capture.series.filter(metric="load1").update(samples=bytes.fromhex("7a0007000001000a00"))
    migration.pack_all(apps, SimpleNamespace(connection=connection))
    found = {series.metric: unpack_samples(series.samples).tolist() for series in capture.series.all()}
    assert found == {"load1": [5.0] * 7, "load5": [2.0]}


@pytest.mark.parametrize("figures", [[12976.0, 12980.0, 12976.0], []])
def test_whole_numbers_of_the_first_version_are_packed_anew(figures):
    differences = [now - before for before, now in zip([0, *figures], figures, strict=False)]
    old = b"i" + zlib.compress(array("q", map(int, differences)).tobytes())
    assert bits(unpack_samples(migration.pack_anew(old))) == bits(figures)


def test_floats_of_the_first_version_are_packed_anew():
    old = b"f" + zlib.compress(array("d", [1.5, math.nan, 2.5]).tobytes())
    samples = unpack_samples(migration.pack_anew(old), 4)
    assert samples[[0, 2]].tolist() == [1.5, 2.5] and np.isnan(samples[[1, 3]]).all()


@pytest.mark.parametrize(
    "damaged", [b"x" + zlib.compress(b""), b"", b"z123", pack_points([0, 1], [1.0, 7.0])[:-1], b"s\0\5"]
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
    looks, figures = unpack_points(join_packed_parts(frames))
    assert dict(zip(looks.tolist(), figures.tolist(), strict=True)) == {
        look: figure for look, figure in enumerate(samples) if figure == figure
    }
