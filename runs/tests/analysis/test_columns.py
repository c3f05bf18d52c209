"""One column a config, more where it was loaded in several ways."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

import parsers.records
from runs.analysis import facts
from runs.analysis.columns import build_columns, find_baselines
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


def test_what_has_one_name_below_several_headings_has_one_color():
    below = [("GET · nginx", "GET"), ("GET · caddy", "GET"), ("PUT · caddy", "PUT"), ("nginx", "")]
    made = [replace(one, group=group) for one, (_, group) in zip(configs(*dict(below)), below, strict=True)]
    assert [column.color for column in build_columns(made, [])] == [0, 1, 1, 0]


def test_levels_of_one_config_are_named_by_the_level_and_in_commands_whole():
    columns = build_columns(configs("nginx"), [run(1, concurrency=5), run(1, concurrency=50, repeat=2)])
    assert [(column.short, column.name) for column in columns] == [("-c 5", "nginx · -c 5"), ("-c 50", "nginx · -c 50")]


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tool": "ab"}, {"tool": "autocannon"}),
        ({"tool": "wrk", "concurrency": 1}, {"tool": "wrk", "concurrency": 10}),
        ({"tool": "wrk", "values": {"duration_s": 10.0}}, {"tool": "wrk", "values": {"duration_s": 60.0}}),
        ({"tool": "vegeta", "values": {"rate_per_s": 100.02}}, {"tool": "vegeta", "values": {"rate_per_s": 200.01}}),
        (
            {"tool": "wrk", "command": "wrk2 -c10 -d30s -R500 http://a/"},
            {"tool": "wrk", "command": "wrk -c10 -d30s http://a/"},
        ),
        ({"tool": "k6", "values": {"script": "list.js"}}, {"tool": "k6", "values": {"script": "search.js"}}),
        ({"tool": "gatling", "values": {"script": "a.List"}}, {"tool": "gatling", "values": {"script": "a.Search"}}),
        ({"tool": "jmeter", "values": {"script": "list.jmx"}}, {"tool": "jmeter", "values": {"script": "search.jmx"}}),
        ({"tool": "autocannon", "values": {"pipelining": 8}}, {"tool": "autocannon", "values": {"pipelining": 1}}),
        ({"complete_requests": 1000}, {"complete_requests": 50000}),
        *(
            ({"tool": one.split()[0], "command": one}, {"tool": other.split()[0], "command": other})
            for one, other in (
                ("hey -n 200 -c 10 http://a/", "wrk -c 10 http://a/"),
                ("h2load -n 1000 -c 100 http://a/", "h2load -n 1000 -c 200 http://a/"),
                ("h2load -n 1000 -c 10 -m 1 http://a/", "h2load -n 1000 -c 10 -m 32 http://a/"),
                ("h2load -n 1000 -c 10 --h1 http://a/", "h2load -n 1000 -c 10 http://a/"),
                ("wrk -c 10 http://a/", "wrk -c 10 -s pipeline.lua http://a/ -- 8"),
                ("wrk -c 10 -s pipeline.lua http://a/ -- 8", "wrk -c 10 -s pipeline.lua http://a/ -- 16"),
                ("wrk -R1000 -d30s http://a/", "wrk -R2000 -d30s http://a/"),
                ("wrk -R1000 -d30s http://a/", "wrk -R1000 -d60s http://a/"),
                ("autocannon -p 10 http://a/", "autocannon -p 1 http://a/"),
                ("autocannon -R 500 http://a/", "autocannon -R 900 http://a/"),
                ("hey -m PUT http://a/", "hey http://a/"),
                ("hey -disable-keepalive http://a/", "hey -disable-keepalive -q 20 http://a/"),
                ("siege -c 10 'http://a/ POST x=1'", "siege -c 10 http://a/"),
                ("siege -c 10 -t 1m http://a/", "siege -c 10 -r 50 http://a/"),
                ("ab -n 10 -H 'Accept-Encoding: gzip' http://a/", "ab -n 10 http://a/"),
                ("k6 run -u 10 -d 5s a.js", "k6 run -u 10 -d 5s b.js"),
            )
        ),
    ],
)
def test_what_was_loaded_in_another_way_is_no_repeat(one, other):
    made = build_columns(configs("nginx"), [run(1, 100.0, **one), run(1, 200.0, **other), run(1, 300.0, **one)])
    assert [len(column.runs) for column in made] in ([1, 2], [2, 1])
    assert len({column.title for column in made}) == 2


def test_a_printed_rate_is_the_same_within_its_rounding():
    rates = [run(1, rate, tool="vegeta", values={"rate_per_s": rate}) for rate in (100.02, 99.97, 101.01)]
    assert titles(build_columns(configs("nginx"), rates)) == [("nginx", 3)]


def test_options_that_change_only_the_output_make_repeats():
    commands = ("wrk -c 10 http://a/", "wrk --latency -c10 http://a/")
    made = build_columns(configs("nginx"), [run(1, 9.0, tool="wrk", command=command) for command in commands])
    assert titles(made) == [("nginx", 2)]


def test_a_config_that_was_not_tried_on_one_workload_leaves_the_other_workloads_compared():
    named = [("create", "go"), ("create", "node"), ("list", "go"), ("list", "node"), ("search", "go")]
    own = [
        replace(config, group=group, name=f"{group} · {name}")
        for config, (group, name) in zip(configs(*"abcde"), named, strict=True)
    ]
    made = build_columns(own, [run(config.id, 1.0) for config in own])
    assert find_baselines(made) == (0, 0, 2, 2, 4)


def test_configs_that_were_each_tried_for_one_time_and_with_one_number_of_threads_are_compared():
    commands = [
        f"wrk -t{threads} -c400 -d{seconds}s http://a/" for threads, seconds in [(12, 30), (12, 30), (20, 15), (20, 15)]
    ]
    own = [run(at, 100.0, tool="wrk", command=command) for at, command in enumerate(commands, start=1)]
    assert find_baselines(build_columns(configs(*"abcd"), own)) == (0, 0, 0, 0)
    crossed = [run(at, 100.0, tool="wrk", command=command) for at in (1, 2) for command in commands[1:3]]
    assert find_baselines(build_columns(configs(*"ab"), crossed)) == (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (
            ["Apache、「WSGIImportScript」を使用しない", "Apache、「WSGIImportScript」を使用した"],
            ["使用しない", "使用した"],
        ),
        (["event", "worker"], ["event", "worker"]),
        (["Django, script loaded on demand", "Django, script preloaded"], ["loaded on demand", "preloaded"]),
        (["itk, mod_python (django, 20 users)", "peruser, mod_python (django, 20 users)"], ["itk", "peruser"]),
        (["a very long name of one config (a)", "b very long name of one config (b)"], None),
        (["sendfile on (ab on the same host)", "sendfile off"], None),
        (["/ping, a plain text · nginx", "/list, a long JSON · caddy"], None),
        (["MaxClients of the whole server 50", "MaxClients of the whole server 100"], None),
    ],
)
def test_a_long_name_is_cut_to_what_sets_it_apart(names, short):
    made = build_columns(configs(*names), [])
    assert [column.short for column in made] == (short or names)
    assert [column.letter for column in made] == ["A", "B"]


@pytest.mark.parametrize(("names", "letters"), [("BA", "BA"), (["B", "nginx"], "AB"), ("ba", "AB")])
def test_a_config_named_by_a_letter_has_no_other_one(names, letters):
    assert "".join(column.letter for column in build_columns(configs(*names), [])) == letters


def test_formats_declare_all_that_analysis_asks_of_semantics():
    declared = {each.name for each in fields(parsers.records.Semantics)}
    assert facts.Semantics.__annotations__.keys() - declared == set()
