"""One column a config, more where it was loaded in several ways."""

from __future__ import annotations

from runs.analysis.columns import build_columns
from runs.tests.analysis.facts import configs, run


def titles(made):
    return [(column.title, len(column.runs)) for column in made]


def test_repeats_of_one_method_share_a_column():
    made = build_columns(configs("event"), [run(1, 1.0, concurrency=100), run(1, 2.0, concurrency=100, repeat=2)])
    assert titles(made) == [("event", 2)]


def test_a_config_under_several_concurrencies_is_split_and_named_by_what_differs():
    runs = [run(1, 1.0, concurrency=c, path="/hello/") for c in (100, 50)]
    made = build_columns(configs("event"), runs)
    assert titles(made) == [("event · -c 50", 1), ("event · -c 100", 1)]
    assert {column.color for column in made} == {0}


def test_keepalive_number_of_requests_and_path_split_too():
    runs = [
        run(1, command="ab -n 100 -c 10 http://a/x", path="/x"),
        run(1, command="ab -n 200 -c 10 -k http://a/x", path="/x", keepalive=True),
        run(1, command="ab -n 100 -c 10 http://a/y", path="/y"),
    ]
    made = build_columns(configs("event"), runs)
    assert len(made) == 3
    assert "event · -n 200 keep-alive /x" in [column.title for column in made]


def test_a_quoted_figure_without_its_method_joins_the_column_it_agrees_with():
    made = build_columns(configs("event"), [run(1, 617.01, partial=True), run(1, 878.81, concurrency=100, path="/")])
    assert titles(made) == [("event", 2)]


def test_what_siege_measured_as_concurrency_does_not_split():
    made = build_columns(configs("itk"), [run(1, 8.96, tool="siege", concurrency=c) for c in (16.74, 19.97)])
    assert titles(made) == [("itk", 2)]


def test_a_run_that_does_not_count_stays_out_and_an_empty_config_stays_in():
    made = build_columns(configs("event", "worker"), [run(1, 1.0, counted=False)])
    assert titles(made) == [("event", 0), ("worker", 0)]
