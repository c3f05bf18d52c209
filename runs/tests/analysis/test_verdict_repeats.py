"""What repeats kept here say of single runs elsewhere."""

from __future__ import annotations

import math

import pytest

from runs.analysis.table import compare
from runs.selectors import judging, reads
from runs.tests import factories

pytestmark = pytest.mark.django_db


def kept(*values: float, fingerprint: str = "same", **fields: object) -> None:
    """Runs of one config in an experiment of their own."""
    of, text = factories.config(factories.experiment(), "kept"), factories.upload()
    for value in values:
        factories.run(of, text, requests_per_second=value, fingerprint=fingerprint, **({"concurrency": 100} | fields))


def single(*rates: float, **fields: object):
    """A comparison of configs with one run each."""
    made, text = factories.experiment(), factories.upload()
    for number, rate in enumerate(rates):
        told = {"concurrency": 100, "fingerprint": f"single {number}"} | fields
        factories.run(factories.config(made, f"{number}"), text, requests_per_second=rate, **told)
    material = reads.of_experiment(made)
    return compare(material.configs, material.runs, material.captures)


def test_repeats_by_the_same_tool_at_a_similar_load_are_pooled():
    kept(100.0, 110.0)
    kept(200.0, 210.0, 220.0, fingerprint="another", concurrency=199)
    pool = judging.spread_elsewhere(single(1.0, 2.0)).pools["requests_per_second"]
    assert (pool.sets, pool.df) == (2, 3)
    assert pool.widest == pytest.approx(math.log(1.1))


@pytest.mark.parametrize(
    "unlike", [{"tool": "siege"}, {"concurrency": 1000}, {"counted": False}, {"partial": True}, {"aborted": True}]
)
def test_other_tools_and_loads_and_runs_that_do_not_count_say_nothing(unlike):
    kept(100.0, 110.0, **unlike)
    assert judging.spread_elsewhere(single(1.0, 2.0)) is None


def test_where_no_load_is_told_any_load_is_similar():
    kept(100.0, 110.0, concurrency=1000)
    assert judging.spread_elsewhere(single(1.0, 2.0, concurrency=None)) is not None


def test_runs_that_are_not_alike_are_no_repeats():
    kept(100.0)
    kept(500.0, fingerprint="another")
    assert judging.spread_elsewhere(single(1.0, 2.0)) is None


def test_zeros_and_missing_figures_are_left_out():
    kept(100.0, 0.0, 110.0, mean_ms=None, max_ms=5.0)
    pools = judging.spread_elsewhere(single(1.0, 2.0)).pools
    assert pools["requests_per_second"].df == 1
    assert "mean_ms" not in pools


def test_a_comparison_with_repeats_of_its_own_asks_nothing(django_assert_num_queries):
    made = factories.wsgi_experiment()
    material = reads.of_experiment(made)
    comparison = compare(material.configs, material.runs, material.captures)
    with django_assert_num_queries(0):
        assert judging.spread_elsewhere(comparison) is None


def test_it_takes_one_query(django_assert_num_queries):
    kept(100.0, 110.0)
    comparison = single(1.0, 2.0)
    with django_assert_num_queries(1):
        assert judging.spread_elsewhere(comparison).where == "of other ab runs kept here"
