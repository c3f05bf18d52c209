"""The load by the second, in words."""

from __future__ import annotations

import pytest

from runs.charts.timeline import LoadBySecond, describe_load_course


@pytest.mark.parametrize(
    ("n", "said"),
    [
        ([700, 1138, 162], "1,138 requests started per second, over 3 s."),
        ([700, 900, 1138, 162], "From 900 to 1,138 requests started per second, over 4 s."),
    ],
)
def test_a_range_is_told_only_where_there_is_one(n, said):
    some = [1.0] * len(n)
    assert describe_load_course(LoadBySecond(None, 1, list(range(len(n))), n, some, some)) == said
