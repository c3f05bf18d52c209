"""What each config is put beside."""

from __future__ import annotations

from dataclasses import replace

from runs.analysis.facts import ConfigFact
from runs.analysis.table import compare, set_baselines
from runs.tests.analysis.facts import configs, run


def bases(names: list[str], **loads: list[object]) -> tuple[int, ...]:
    runs = [
        run(number, 10.0 * number, **{field: values[number - 1] for field, values in loads.items()})
        for number in range(1, len(names) + 1)
    ]
    return compare(configs(*names), runs, []).bases


def test_configs_stand_against_the_first():
    assert bases(["event", "worker", "prefork"]) == (0, 0, 0)


def test_each_heading_has_a_baseline_of_its_own():
    grouped = [ConfigFact(at, f"{at}", group) for at, group in enumerate(("(1) off", "(1) off", "(2) on", "(2) on"), 1)]
    made = compare(grouped, [run(at, 10.0 * at) for at in (1, 2, 3, 4)], [])
    assert made.bases == (0, 0, 2, 2)
    rates = made.row("requests_per_second")
    assert [str(cell.delta or "") for cell in rates.cells] == ["", "▲ 2.0 × as many", "", "▲ 33 % more"]


def test_a_heading_over_a_single_config_makes_no_block():
    grouped = [ConfigFact(1, "a", "one"), ConfigFact(2, "b", "two"), ConfigFact(3, "c", "two")]
    assert compare(grouped, [run(at, 1.0) for at in (1, 2, 3)], []).bases == (0, 0, 0)


def test_names_that_are_all_pairs_of_two_lists_are_compared_within_what_stands_together():
    names = ["itk, django", "peruser, django", "itk, wordpress", "peruser, wordpress"]
    assert bases(names) == (0, 0, 2, 2)
    assert bases(["nginx with ab", "nginx with wrk", "apache with ab", "apache with wrk"]) in (
        (0, 1, 0, 1),
        (0, 0, 2, 2),
    )
    assert bases(["django, itk", "django, peruser", "wordpress, itk", "wordpress, peruser"]) == (0, 0, 2, 2)


def test_names_of_several_words_are_pairs_at_any_of_them():
    assert bases(["itk small page", "peruser small page", "itk large page", "peruser large page"]) == (0, 0, 2, 2)
    assert bases(["a / b / c", "a / d / c", "x / b / c", "x / d / c"]) == (0, 0, 2, 2)
    assert bases(["one page", "one large page", "two page", "two other page"]) == (0, 0, 0, 0)


def test_versions_are_compared_whatever_stands_together():
    assert bases(["master http1 cached", "master http2 cached", "PR http1 cached", "PR http2 cached"]) == (0, 1, 0, 1)
    assert bases(["nginx before", "nginx after", "apache before", "apache after"]) == (0, 0, 2, 2)


def test_names_that_lack_a_pair_are_compared_with_the_first():
    assert bases(["itk, django", "peruser, django", "itk, wordpress"]) == (0, 0, 0)
    assert bases(["Rails + rack", "Django + wsgi", "Django + python", "Pylons + wsgi"]) == (0, 0, 0, 0)


def test_a_load_stands_against_the_same_load_of_the_baseline():
    runs = [run(config, 10.0, concurrency=users) for config in (1, 2) for users in (10, 50)]
    assert compare(configs("nginx", "apache"), runs, []).bases == (0, 1, 0, 1)


def test_loads_of_one_config_stand_against_its_first():
    runs = [run(1, 10.0, concurrency=users) for users in (10, 50, 100)]
    assert compare(configs("nginx"), runs, []).bases == (0, 0, 0)


def test_configs_that_were_all_loaded_in_another_way_still_stand_against_the_first():
    assert bases(["50 users", "100 users", "150 users"], concurrency=[50, 100, 150]) == (0, 0, 0)


def test_names_that_pair_servers_with_loads_compare_the_servers():
    names = ["nginx, 10 users", "nginx, 100 users", "apache, 10 users", "apache, 100 users"]
    assert bases(names, concurrency=[10, 100, 10, 100]) == (0, 1, 0, 1)


def test_deltas_can_be_put_against_other_columns():
    made = compare(configs("a", "b", "c"), [run(at, 10.0 * at) for at in (1, 2, 3)], [])
    moved = set_baselines(made, (1, 1, 1)).row("requests_per_second")
    assert [str(cell.delta or "") for cell in moved.cells] == ["▼ 50 % fewer", "", "▲ 50 % more"]


def test_a_comparison_without_columns_has_no_bases():
    assert compare([], [], []).bases == ()
    assert replace(compare(configs("a"), [], [])).bases == (0,)


def test_what_sets_the_configs_apart_is_what_is_compared_at_each_load():
    runs = [run(config, 10.0, concurrency=users, keepalive=config == 2) for config in (1, 2) for users in (1, 4)]
    assert compare(configs("a connection a request", "keep-alive"), runs, []).bases == (0, 1, 0, 1)


def test_configs_named_with_their_clients_are_compared_under_each_number_of_clients():
    names = ["lighttpd-100con", "lighttpd-10con", "nginx-100con", "nginx-10con"]
    assert bases(names, concurrency=[100, 10, 100, 10]) == (0, 1, 0, 1)
    assert bases(["a static", "a dynamic", "b static", "b dynamic"], path=["/x", "/y", "/x", "/y"]) == (0, 1, 0, 1)


def test_a_load_that_one_config_alone_had_makes_no_comparison_of_its_own():
    assert bases(["one", "two", "three"], concurrency=[10, 10, 50]) == (0, 0, 0)
    assert bases(["keep-alive off", "keep-alive on"], keepalive=[False, True]) == (0, 0)


def test_a_first_config_with_a_load_of_its_own_is_no_baseline_of_others_that_share_one():
    assert bases(["one", "two", "three"], concurrency=[10, 50, 50]) == (0, 1, 1)
    assert bases(["one", "two", "three"], path=["/x", "/y", "/y"], concurrency=[10, 50, 50]) == (0, 1, 1)
    assert bases(["plain", "keep-alive", "keep-alive, cached"], keepalive=[False, True, True]) == (0, 0, 0)


def test_each_path_is_compared_at_each_load():
    runs = [run(c, 10.0, path=path, concurrency=n) for c in (1, 2) for path in ("/db", "/hello") for n in (10, 50)]
    assert compare(configs("nginx", "apache"), runs, []).bases == (0, 1, 2, 3, 0, 1, 2, 3)


def test_a_config_at_loads_of_its_own_stands_alone_where_others_share_theirs():
    loads = [(1, 10), (1, 20), (2, 10), (2, 20), (3, 30), (3, 40)]
    runs = [run(config, 10.0, concurrency=users) for config, users in loads]
    assert compare(configs("nginx", "apache", "lighttpd"), runs, []).bases == (0, 1, 0, 1, 4, 5)
