"""What repeats kept here say of single runs elsewhere."""

from __future__ import annotations

import math

import pytest

from runs import ingest
from runs.analysis.judgement import judge
from runs.analysis.table import compare
from runs.analysis.verdict_wording import add_words
from runs.api.comparisons import describe_conclusions
from runs.ingest import changes
from runs.models import Config, Experiment
from runs.selectors import comparison_data, judging
from runs.tests import factories

pytestmark = pytest.mark.django_db


HERE = {"concurrency": 100, "path": "/hello"}


@pytest.fixture
def host():
    return factories.host("web1")


def kept(host, *values: float, fingerprint: str = "same", **fields: object) -> Config:
    """Runs of one config in an experiment of their own."""
    of, text = factories.config(factories.experiment(), "kept"), factories.upload()
    for value in values:
        factories.run(of, text, requests_per_second=value, fingerprint=fingerprint, **(HERE | {"host": host} | fields))
    return of


def single(host, **fields: object):
    """A comparison of two configs with one run each."""
    made, text = factories.experiment(), factories.upload()
    for number, rate in enumerate((1.0, 2.0)):
        told = HERE | {"fingerprint": f"single {number}", "host": host} | fields
        factories.run(factories.config(made, f"{number}"), text, requests_per_second=rate, **told)
    data = comparison_data.load_experiment(made)
    return compare(data.configs, data.runs, data.captures)


def three_sets(host, **fields: object) -> list[Config]:
    return [kept(host, 100.0 * at, 110.0 * at, fingerprint=f"set {at}", **fields) for at in (1, 2, 3)]


def test_repeats_by_the_same_tool_on_the_same_host_and_path_are_pooled_and_named(host):
    configs = three_sets(host, concurrency=199)
    spread = judging.find_spread_elsewhere(single(host))
    pool = spread.pools["requests_per_second"]
    assert (pool.sets, pool.df) == (3, 3)
    assert pool.widest == pytest.approx(math.log(1.1))
    assert spread.sources == tuple(("kept", config.get_absolute_url()) for config in configs)


@pytest.mark.parametrize(
    "unlike",
    [
        *(
            {"tool": "siege"},
            {"concurrency": 1000},
            {"repeat": 0, "counted": False},
            {"partial": True},
            {"aborted": True},
        ),
        *({"path": "/other"}, {"path": ""}, {"host": None}),
    ],
)
def test_other_tools_loads_hosts_and_paths_and_runs_that_do_not_count_say_nothing(host, unlike):
    three_sets(**{"host": host} | unlike)
    assert judging.find_spread_elsewhere(single(host)) is None


def test_runs_that_are_left_out_or_deleted_later_are_missed(host):
    configs, comparison = three_sets(host), single(host)
    ingest.delete(configs[0].runs.all()[0])
    changes.set_counted(configs[1].runs.all()[0], False)
    spread = judging.find_spread_elsewhere(comparison)
    assert (spread.missing, spread.pools) == (2, {})
    told = add_words(judge(comparison, spread=spread)).words["requests_per_second", 1]
    assert "2 earlier runs were left out or deleted" in told.detail


def test_another_host_says_nothing(host):
    three_sets(factories.host("web2"))
    assert judging.find_spread_elsewhere(single(host)) is None


@pytest.mark.parametrize("unknown", [{"host": None}, {"path": ""}])
def test_runs_whose_host_or_path_is_unknown_borrow_nothing(host, unknown):
    three_sets(**{"host": host} | unknown)
    assert judging.find_spread_elsewhere(single(**{"host": host} | unknown)) is None


def test_the_verdict_names_the_configs_that_its_spread_is_of(host):
    configs = three_sets(host)
    single(host)
    comparison, judged = judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.latest("id")))
    rate = next(
        row for row in describe_conclusions(comparison, judged)["metrics"] if row["key"] == "requests_per_second"
    )
    assert rate["cells"][1]["verdict"]["spread_of"] == [
        {"name": "kept", "url": config.get_absolute_url()} for config in configs
    ]


def test_the_page_links_the_configs_that_a_spread_is_of(host, client, settings):
    settings.PUBLIC_READ = True
    configs = three_sets(host)
    single(host)
    page = client.get(Experiment.objects.latest("id").get_absolute_url()).content.decode()
    assert all(f'<a href="{config.get_absolute_url()}">kept</a>' in page for config in configs)


def test_two_sets_are_too_few(host):
    kept(host, 100.0, 110.0)
    kept(host, 200.0, 210.0, 220.0, fingerprint="another")
    assert judging.find_spread_elsewhere(single(host)) is None


def test_what_is_stored_later_changes_nothing(host):
    comparison = single(host)
    three_sets(host)
    assert judging.find_spread_elsewhere(comparison) is None


def test_where_no_load_is_told_any_load_is_similar(host):
    three_sets(host, concurrency=1000)
    assert judging.find_spread_elsewhere(single(host, concurrency=None)) is not None


def test_runs_that_are_not_alike_are_no_repeats(host):
    for at in range(8):
        kept(host, 100.0 * at, fingerprint=f"set {at}")
    assert judging.find_spread_elsewhere(single(host)) is None


def test_zeros_and_missing_figures_are_left_out(host):
    for at in range(3):
        kept(host, 100.0, 0.0, 110.0, fingerprint=f"set {at}", mean_ms=None, max_ms=5.0)
    pools = judging.find_spread_elsewhere(single(host)).pools
    assert pools["requests_per_second"].df == 3
    assert "mean_ms" not in pools


def test_a_comparison_with_repeats_of_its_own_asks_nothing(django_assert_num_queries):
    made = factories.wsgi_experiment()
    data = comparison_data.load_experiment(made)
    comparison = compare(data.configs, data.runs, data.captures)
    with django_assert_num_queries(0):
        assert judging.find_spread_elsewhere(comparison) is None


def test_it_takes_one_query(host, django_assert_num_queries):
    three_sets(host)
    comparison = single(host)
    with django_assert_num_queries(1):
        assert judging.find_spread_elsewhere(comparison).where == "of other ab runs on this host and path"
