"""Long series are thinned out without losing a peak."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runs.charts.timeline import find_extremes

FLOATS = st.floats(allow_infinity=False) | st.just(math.nan)


def test_a_short_series_stays_whole():
    assert list(find_extremes(np.array([5.0, 1.0, 2.0]), 3)) == [0, 1, 2]


@given(st.lists(FLOATS, min_size=1, max_size=300), st.integers(2, 60))
def test_no_more_than_asked_and_both_ends_of_the_range_are_kept(samples, points):
    looks = list(find_extremes(np.array(samples), points))
    assert len(looks) <= points and looks == sorted(set(looks))
    known = [figure for figure in samples if not math.isnan(figure)]
    if known:
        shown = [samples[look] for look in looks]
        assert min(known) in shown and max(known) in shown
