"""Tables of rates in the shapes that people print them in. All texts are made up."""

from __future__ import annotations

import pytest

import parsers
from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft

from .documents import expand, judge, read

ROWS = "|---|---|---|\n| nginx | 48211 | 9120 |\n| caddy | 31877 | 8011 |\n"
RATES = {("nginx", 0): 48211, ("nginx", 1): 9120, ("caddy", 0): 31877, ("caddy", 1): 8011}


def runs_of(text: str) -> list[tuple[str, str | None, int | None, float | None]]:
    """(config, path, clients, rate) of each run."""
    blocks, draft = read(text)
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    figures = {f"b{at}": block.values.get("requests_per_second") for at, block in enumerate(blocks)}
    return [(names[run.config], run.method.path, run.method.concurrency, figures[run.key]) for run in experiment.runs]


def problems_of(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for block in parsers.read(text.split("\n")) for problem in block.problems]


@pytest.mark.parametrize(
    "above",
    [
        "## Requests per second\n\n",
        "### Requests Per Second (Higher is Better)\n\n4 threads, for 30 seconds\n\n",
        "Throughput on an 8 core machine, keep-alive on (req/s):\n\n",
        "**echo512 — 512 B, 2 servers** (req/s):\n\n",
        "Best responses per second, single query (152 tests)\n\n",
        "# Web servers\n\nOperations per second, medians of 3 runs:\n",
        "# Web servers\n\nAll figures are in req/s.\n\n",
    ],
)
def test_the_unit_may_stand_in_a_heading_or_caption_alone(above):
    found = runs_of(f"{above}| Server | small | large |\n{ROWS}")
    assert [(name, rate) for name, *_, rate in found] == [(name, rate) for (name, _), rate in RATES.items()]
    assert [path for _, path, *_ in found] == ["small", "large"] * 2


def test_a_caption_may_tell_thousands_and_what_the_numbers_above_the_columns_are():
    text = "Throughput (k req/s) by connections\n\n| Server | 64 | 256 |\n|---|---|---|\n"
    text += "| nginx | 48.2 | 51 |\n| caddy | 31.9 | 33 |\n"
    assert runs_of(text) == [
        ("nginx", None, 64, 48200),
        ("nginx", None, 256, 51000),
        ("caddy", None, 64, 31900),
        ("caddy", None, 256, 33000),
    ]


def test_beside_figures_of_rates_a_captions_other_columns_are_none():
    rows = "| nginx | 4 | 48211 | 22.5 |\n| caddy | 4 | 31877 | 40.1 |\n"
    text = f"## Requests per second\n\n| Server | Workers | Throughput | Memory (MB) |\n|---|---|---|---|\n{rows}"
    assert [(name, rate) for name, *_, rate in runs_of(text)] == [("nginx", 48211), ("caddy", 31877)]


def test_a_table_of_many_columns_is_read():
    levels = [2**at for at in range(20)]
    head = "".join(f" {level} |" for level in levels)
    rows = "".join(
        f"| {name} |{''.join(f' {1000 + step + level} |' for level in levels)}\n"
        for name, step in (("nginx", 0), ("h2o", 7))
    )
    text = f"Requests per second by number of connections\n\n| Server |{head}\n|{'---|' * 21}\n{rows}"
    assert [clients for _, _, clients, _ in runs_of(text)] == levels * 2


@pytest.mark.parametrize(
    ("text", "line", "title"),
    [
        (f"Throughput of both:\n\n| Server | small | large |\n{ROWS}", 3, "small"),
        (
            "We measured both builds with wrk:\n\n| Build | Result |\n|---|---|\n| main | 51234 |\n| patch | 53870 |\n",
            3,
            "Result",
        ),
        ("# Builds\n\n| Build | Throughput |\n|---|---|\n| main | 51234 |\n| patch | 53870 |\n", 3, "Throughput"),
    ],
)
def test_a_table_without_a_unit_is_told_in_its_line_whatever_else_the_text_has(text, line, title):
    expected = [
        (
            line,
            f"{title!r}: expected the unit of these figures, such as req/s, in the column's title or right above the table",
        )
    ]
    assert problems_of(text) == expected
    assert problems_of(f"{text}\nRequests per second:    1234.5 [#/sec] (mean)\n") == expected


def test_a_text_with_such_a_table_alone_has_no_experiment():
    _, draft = read("| Build | Throughput |\n|---|---|\n| main | 51234 |\n| patch | 53870 |\n")
    assert draft.experiments == []


@pytest.mark.parametrize(
    ("titles", "cells", "rates"),
    [
        ("req/min", ("12,000", "14,460"), [200, 241]),
        ("Rate", ("12,000 requests/minute", "14,460 requests/minute"), [200, 241]),
        ("Kops/s", ("112.3", "98.1"), [112300, 98100]),
        ("M req/s", ("1.2", "3.87"), [1_200_000, 3_870_000]),
        ("Throughput", ("1.2M rps", "987.5 Krps"), [1_200_000, 987_500]),
        ("Requests/sec", ("5,120 ± 40", "5480 +/- 35"), [5120, 5480]),
        ("Requests/sec, avg (stdev)", ("8411.2 (120.3)", "8920.7 (88.1)"), [8411.2, 8920.7]),
        ("RPS ± sd", ("8411.2 ± 120.3", "8920.7 ± 88.1"), [8411.2, 8920.7]),
        (
            "Best performance (responses per second, higher is better)",
            ("1,602,134 100.0%", "1,498,214 93.5%"),
            [1602134, 1498214],
        ),
        ("req/s ↑", ("1,419,280 `[SC]`", "854,021"), [1419280, 854021]),
    ],
)
def test_units_and_spreads_as_people_write_them(titles, cells, rates):
    found = runs_of(f"| Server | {titles} |\n|---|---|\n| nginx | {cells[0]} |\n| caddy | {cells[1]} |\n")
    assert [(name, path, rate) for name, path, _, rate in found] == [
        ("nginx", None, rates[0]),
        ("caddy", None, rates[1]),
    ]


def test_a_column_of_spreads_is_none_of_rates():
    text = (
        "| Server | Requests/sec | Requests/sec stdev |\n|---|---|---|\n| nginx | 1200 | 31 |\n| caddy | 900 | 12 |\n"
    )
    assert [rate for *_, rate in runs_of(text)] == [1200, 900]


def test_ranks_before_the_names_are_no_loads():
    found = runs_of("| Rank | Framework | req/s |\n|---|---|---|\n| 1 | actix | 1498214 |\n| 2 | express | 268110 |\n")
    assert found == [("actix", None, None, 1498214), ("express", None, None, 268110)]


@pytest.mark.parametrize("bars", ["|||", "│├┤"])
def test_the_unit_may_stand_in_the_cells_of_a_table_without_one_in_its_titles(bars):
    bar, left, right = bars
    rule = f"{left}---{bar}---{bar}---{right}".replace("-|-", "-|-") if bar == "|" else "├────┼────┼────┤"
    rows = "".join(
        f"{bar} {n} {bar} {old} rps {bar} {new} rps {bar}\n" for n, old, new in ((10, 1520, 1822), (100, 1711, 2210))
    )
    text = f"{bar} Concurrency {bar} old {bar} new {bar}\n{rule}\n{rows}"
    assert runs_of(text) == [
        ("old", None, 10, 1520),
        ("new", None, 10, 1822),
        ("old", None, 100, 1711),
        ("new", None, 100, 2210),
    ]
    assert read(text)[1].experiments[0].name == "old and new"


@pytest.mark.parametrize(
    "text",
    [
        "server | result\n---|---\nnginx | 1203\ncaddy | 1100 req/s\napache | 900 req/s\n",
        "| server | new | p99 |\n|---|---|---|\n| nginx | 1203 | 4 ms\n| caddy | 1100 | 5 ms |\n| apache | 900 req/s\n",
        "server   rate         p99\nnginx    1203         4 ms\ncaddy    1100 req/s   5 ms\napache   900 req/s\n",
    ],
)
def test_the_unit_may_stand_in_later_rows_alone_and_rows_may_be_shorter_than_the_heading(text):
    rates = [("nginx", 1203), ("caddy", 1100), ("apache", 900)]
    assert [(name, rate) for name, _, _, rate in runs_of(text)] == rates


def test_rows_of_other_units_beside_rows_of_rates_and_remarks_in_titles_and_cells_leave_the_rates():
    rows = "| bulk stream | 6.6 GiB/s | 6.9 GiB/s |\n| plaintext | 47k req/s | 63k req/s |\n| json | 44k req/s | 59k req/s |\n"
    assert [rate for *_, rate in runs_of(f"| Benchmark | old | new |\n|---|---|---|\n{rows}")] == [
        47000,
        63000,
        44000,
        59000,
    ]
    rows = "| 10 | 54.4 req/s | 0 |\n| 100 | 555.0 req/s | 0 |\n"
    found = runs_of(f"| Concurrency | Throughput | Rejected (load phase) |\n|---|---|---|\n{rows}")
    assert [(clients, rate) for _, _, clients, rate in found] == [(10, 54.4), (100, 555)]
    rows = "| Throughput at concurrency 10 | 216.8 req/s | 239.7 req/s |\n| p95 latency | 102.81 ms (too slow) | 93.93 ms |\n"
    blocks, _ = read(f"| | Before | After |\n|---|---|---|\n{rows}")
    assert [block.values["concurrency"] for block in blocks] == [10, 10]
    assert [block.values["percentiles_ms"] for block in blocks] == [{"95": 102.81}, {"95": 93.93}]


@pytest.mark.parametrize("above", ["Requests per second:\n\n", "Results of 3 runs, req/s:\n", "## RPS\n"])
@pytest.mark.parametrize("line", ["- {}: {}\n", "{} {}\n", "  {}   {}\n", "{}={}\n"])
def test_lines_of_a_name_and_a_figure_below_the_unit_are_rates(above, line):
    text = above + line.format("nginx", "48,211") + line.format("caddy", 31877.5)
    assert runs_of(text) == [("nginx", None, None, 48211), ("caddy", None, None, 31877.5)]


@pytest.mark.parametrize(
    "text",
    ["Rate limits (req/s):\n- free: 10\n- pro: 100\n", "Requests per second:\n  mean: 900\n  max: 1200\n  p99: 300\n"],
)
def test_lines_of_limits_and_of_metrics_below_the_unit_are_none(text):
    assert not list(parsers.read(text.split("\n")))


def test_a_unit_in_the_title_and_in_the_cells_is_no_load():
    rows = "| new | ~180,000 ops/sec | ~5.5 \u03bcs |\n| old | 12,000 ops/sec | 83 \u03bcs |\n"
    text = f"| Store | Ops/sec | Avg latency |\n|---|---|---|\n{rows}"
    assert runs_of(text) == [("new", None, None, 180000), ("old", None, None, 12000)]
    assert [block.load_results[0].mean_ms for block in read(text)[0]] == [0.0055, 0.083]


def test_load_tools_are_loads_and_servers_are_configs():
    text = "+------+-------+-------+\n| req/s| nginx | caddy |\n+------+-------+-------+\n"
    text += "| wrk  | 48211 | 31877 |\n| ab   | 18411 | 15210 |\n+------+-------+-------+\n"
    assert [(name, path) for name, path, *_ in runs_of(text)] == [
        ("nginx", "wrk"),
        ("caddy", "wrk"),
        ("nginx", "ab"),
        ("caddy", "ab"),
    ]


@pytest.mark.parametrize(
    "operations",
    [("GET", "SET"), ("read", "write"), ("insert", "select"), ("TPC-B", "select-only"), ("wrk", "hey"),
     ("PING_INLINE", "LRANGE_100 (first 100 elements)"), ("GET /users", "POST /users"), ("Workload A", "Workload F"),
     ("Random read", "Sequential write")],
)  # fmt: skip
@pytest.mark.parametrize(
    "shape",
    ["| Name | ops/s |\n|---|---|\n| {} | 182000 |\n| {} | 171000 |\n", "- {}: 182000 ops/s\n- {}: 171000 ops/s\n"],
)
def test_operations_of_one_server_are_loads_of_one_config(operations, shape):
    shape = shape if shape[0] == "|" else shape.replace("ops/s", "req/s")
    text = f"## Redis 7\n\n{shape.format(*operations)}\n## Valkey 8\n\n{shape.format(*operations)}"
    assert [(name, path) for name, path, *_ in runs_of(text)] == [
        (name, operation) for name in ("Redis 7", "Valkey 8") for operation in operations
    ]


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("Test case", ("login page", "static file", "upload 1MB")),
        ("Test", ("plaintext", "json", "db", "fortunes")),
        ("Operation size", ("64 B", "4 KB", "1 MB")),
        ("Scenario", ("Create user", "Get user", "List users")),
        ("Benchmark", ("hello world", "json serialization", "database query (20)")),
    ],
)
def test_kinds_of_requests_below_a_title_of_cases_are_loads_of_one_config(title, rows):
    body = "".join(f"| {row} | {900 + 70 * at} |\n" for at, row in enumerate(rows))
    found = runs_of(f"## Our server\n\n| {title} | req/s |\n|---|---|\n{body}")
    assert [(name, path) for name, path, *_ in found] == [("Our server", row) for row in rows]


@pytest.mark.parametrize(
    "rows",
    [("without cache", "with cache"), ("json (orjson)", "json (ujson)"), ("static", "dynamic"), ("nginx", "caddy")],
)
def test_what_may_be_a_config_below_a_title_of_cases_is_one(rows):
    found = runs_of(f"| Case | req/s |\n|---|---|\n| {rows[0]} | 912 |\n| {rows[1]} | 1345 |\n")
    assert [name for name, *_ in found] == [row.removeprefix("json ") for row in rows]


def test_numbers_of_threads_of_one_config_are_a_sweep_and_sizes_of_bodies_are_none():
    rows = "".join(f"| {n}{{}} | {rate} |\n" for n, rate in ((2, 2980), (4, 4645), (8, 5507)))
    told = {}
    for title, unit in (("threads", ""), ("Body size", " KB")):
        blocks, draft = read(
            f"# Our server\n\n5 s warmup then 10 s each\n\n| {title} | req/s |\n|---|---|\n{rows.replace('{}', unit)}"
        )
        assert all(run.repeat == 1 for run in draft.experiments[0].runs)
        told[title] = judge_draft(Preview(None, blocks, draft, [], None), draft.experiments[0]).outcome
    assert told == {"threads": "sweep", "Body size": "not_comparable"}


def test_a_row_of_throughput_whose_cells_have_the_unit_is_read_below_metrics_and_no_title():
    rows = "| Throughput at 10 clients | 216.8 req/s | 239.7 req/s |\n| p95 | 102 ms | 93 ms |\n"
    for title in ("Metric", ""):
        text = (
            f"## One change\n| {title} | Before | After |\n|---|---|---|\n| Workers | 4 of them | 8 of them |\n{rows}"
        )
        assert [(name, rate) for name, *_, rate in runs_of(text)] == [("Before", 216.8), ("After", 239.7)]


def test_rows_of_rates_with_their_unit_are_read_below_the_names_of_configs():
    head = "| Case | nginx | caddy |\n|---|---|---|\n"
    rows = "| static file (req/s) | 12345 | 9876 |\n| proxy (req/s) | 4345 | 3876 |\n| p99 (ms) | 2 | 3 |\n"
    assert [(name, path, rate) for name, path, _, rate in runs_of(head + rows)] == [
        ("nginx", "static file", 12345),
        ("caddy", "static file", 9876),
        ("nginx", "proxy", 4345),
        ("caddy", "proxy", 3876),
    ]


def test_a_first_title_above_one_row_of_rates_is_what_was_loaded():
    table = "| {} | Async | Green threads |\n|---|---|---|\n| Requests per second | {} | {} |\n"
    text = f"{table.format('Java Plaintext', '78,620', '62,019')}\n{table.format('Java JSON', '8,620', '6,019')}"
    assert [(name, path) for name, path, *_ in runs_of(text)] == [
        ("Async", "Java Plaintext"),
        ("Green threads", "Java Plaintext"),
        ("Async", "Java JSON"),
        ("Green threads", "Java JSON"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "| Scenario | Connections | RPS |\n|---|---|---|\n| light | 10 | 10 |\n| heavy | 10200 | 10200 |\n",
        "| Name | RPS | Warmup (s) | Test Duration (s) |\n|---|---|---|---|\n| light | 50 | 5 | 30 |\n| heavy | 1000 | 5 | 60 |\n",
    ],
)
def test_rates_that_are_planned_are_no_results(table):
    assert not [block for block in parsers.read(table.split("\n")) if block.load_results]
    measured = table.replace("10200 |\n", "9871 |\n").replace("| 1000 |", "| 871.3 |")
    assert [block for block in parsers.read(measured.split("\n")) if block.load_results]


def test_columns_of_operations_below_numbers_of_clients_are_of_one_config():
    found = runs_of(
        "| Clients | GET req/s | SET req/s |\n|---|---|---|\n| 10 | 90000 | 80000 |\n| 50 | 182000 | 171000 |\n"
    )
    assert {name for name, *_ in found} == {"table of rates"}
    assert [(path, clients) for _, path, clients, _ in found] == [("GET", 10), ("SET", 10), ("GET", 50), ("SET", 50)]


def test_words_in_place_of_a_rate_are_told_and_the_other_rates_are_read():
    rows = "| in memory | 2 | 297,974 |\n| on disk | 7,941 | (fsync-bound) |\n"
    text = f"| Variant | p50 (us) | Throughput (ops/sec) |\n|---|---|---|\n{rows}"
    assert [(name, rate) for name, *_, rate in runs_of(text)] == [("in memory", 297974)]
    assert problems_of(text) == [(4, "'(fsync-bound)': expected a rate")]


def test_a_column_of_ranges_is_told():
    text = "| Version | Throughput (req/s) |\n|---|---|\n| old | 752.87–766.19 |\n| new | 814.68 - 820.72 |\n"
    told = "'Throughput (req/s)': expected one rate in each cell, and not the least and the most"
    assert problems_of(text) == [(1, told)]


def test_a_throughput_that_ends_in_no_names_is_of_the_rows():
    rows = "| Baseline 1 | 640.77 |\n| Baseline 2 | 671.43 |\n| Fixed 1 | 677.14 |\n| Fixed 2 | 675.62 |\n"
    _, draft = read(f"| Version | Throughput (req/s) |\n|---|---|\n{rows}")
    assert [config.name for config in draft.experiments[0].configs] == ["Baseline", "Fixed"]
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "titles",
    [
        "| Nivel (VUs) | Peticiones | p95 (ms) | Throughput (req/s) |",
        "| Concurrency | Total requests | Avg latency (ms) | req/s |",
        "| Clients | Completed | Total time (s) | Requests per second |",
        "| 并发 | 请求数 | P50 (ms) | QPS |",
    ],
)
def test_what_was_counted_and_timed_at_each_level_is_no_setting(titles):
    rows = "| 10 | 1 070 | 2.46 | 110.9 |\n| 25 | 2 520 | 3.20 | 144.3 |\n| 50 | 5 039 | 4.1 | 190.5 |\n"
    found = runs_of(f"{titles}\n|---|---|---|---|\n{rows}")
    assert len({name for name, *_ in found}) == 1
    assert [(path, clients) for _, path, clients, _ in found] == [(None, 10), (None, 25), (None, 50)]


def test_requests_in_the_first_column_are_no_names_where_the_clients_tell_the_rows_apart():
    found = runs_of("| Requests | Concurrency | req/s |\n|---|---|---|\n| 100 | 10 | 83.89 |\n| 1000 | 50 | 736.94 |\n")
    assert len({name for name, *_ in found}) == 1 and [clients for _, _, clients, _ in found] == [10, 50]


def test_a_row_of_ratios_is_none_of_rates():
    rows = "| tree | 5.9 s | **852** |\n| fallback | 8.1 s | 617 |\n| tree vs fallback | 1.37× faster | 1.38× |\n"
    text = f"| Engine | Wall | qps |\n|---|---|---|\n{rows}"
    assert [(name, rate) for name, *_, rate in runs_of(text)] == [("tree", 852), ("fallback", 617)]


def test_a_column_of_rates_with_other_figures_in_it_is_told():
    text = "| Engine | qps |\n|---|---|\n| tree | 852 |\n| fallback | 617 |\n| legacy | 164 of 200 |\n"
    assert problems_of(text) == [(1, "'qps': expected a rate in each cell")]


def test_times_before_the_rate_are_no_settings():
    found = runs_of("| Server | p50 (ms) | req/s |\n|---|---|---|\n| nginx | 3 | 900 |\n| caddy | 5 | 700 |\n")
    assert found == [("nginx", None, None, 900), ("caddy", None, None, 700)]


def test_operations_below_the_title_of_metrics_are_of_the_config_that_the_heading_names():
    text = "## B+ tree\n\n| Metric | Throughput (ops/sec) |\n|---|---|\n| **Read** | **~90,969** |\n| **Write** | **~36,033** |\n"
    assert runs_of(text) == [("B+ tree", "Read", None, 90969), ("B+ tree", "Write", None, 36033)]


def test_times_with_blanks_between_thousands_are_read():
    (block,) = read("| Users | req/s | p99 (ms) |\n|---|---|---|\n| 100 | 23.4 | 29 998 |\n")[0]
    assert block.load_results[0].percentiles_ms == {"99": 29998}


TIMES = "| nginx | 1.1 | 4.2 |\n| caddy | 2.1 | 9.8 |\n"


@pytest.mark.parametrize(
    "titles",
    [
        "| Server | p50 (ms) | p99 (ms) |\n|---|---|---|\n",
        "## Latency (ms)\n\n| Server | p50 | p99 |\n|---|---|---|\n",
        "Response times in milliseconds:\n\n| Server | P50 | P99 |\n|---|---|---|\n",
    ],
)
def test_a_table_of_times_without_rates_has_a_run_for_each_row(titles):
    blocks, draft = read(titles + TIMES)
    assert [config.name for config in draft.experiments[0].configs] == ["nginx", "caddy"]
    assert [block.load_results[0].percentiles_ms for block in blocks] == [
        {"50": 1.1, "99": 4.2},
        {"50": 2.1, "99": 9.8},
    ]
    assert [block.load_results[0].requests_per_second for block in blocks] == [None, None]


def test_times_of_unknown_units_are_none():
    assert not read(f"| Metric of the day | p50 | p99 |\n|---|---|---|\n{TIMES}")[0]


def test_times_in_a_table_of_their_own_are_those_of_the_rates_above():
    rates = "| Server | req/s |\n|---|---|\n| nginx | 48211 |\n| caddy | 31877 |\n\n"
    times = f"| Server | p50 (ms) | p99 (ms) |\n|---|---|---|\n{TIMES}| h2o | 3.1 | 7.7 |\n"
    blocks, draft = read(rates + times)
    (experiment,) = draft.experiments
    results = [blocks[run.block].load_results[0] for run in experiment.runs]
    assert [(each.requests_per_second, each.percentiles_ms["99"]) for each in results] == [(48211, 4.2), (31877, 9.8)]
    assert any(first <= 10 <= last for first, last in draft.unread)  # of no config with a rate


def test_times_beside_reports_are_quotes_or_nothing():
    text = expand(
        f"## nginx\n\n@ab 1200.5\n\n## caddy\n\n@ab 900.5\n\n| Server | p50 (ms) | p99 (ms) |\n|---|---|---|\n{TIMES}"
    )
    blocks, draft = read(text)
    assert len(draft.experiments[0].runs) == 2 and not [problem for block in blocks for problem in block.problems]


def test_levels_without_rates_are_a_sweep_of_times():
    rows = "".join(f"| {clients} | {ms} | {4 * ms} |\n" for clients, ms in ((1, 12.4), (10, 28.3), (100, 42.5)))
    for titles in ("| Users | Mean (ms) | p99 (ms) |", "| 동시성 | Mean (ms) | p99 (ms) |"):
        headline = judge(f"{titles}\n|---|---|---|\n{rows}")
        assert "grows 3.4 times, from 12.4 to 42.5 ms" in headline.sentence


def test_the_clients_that_a_heading_tells_are_those_of_all_rows_below():
    rows = "| Endpoint | RPS |\n|---|---|\n| GET /users | {} |\n| GET /items | {} |\n\n"
    text = f"### 10 concurrent users\n\n{rows.format(38.2, 41.7)}### 100 concurrent users\n\n{rows.format(162, 175)}"
    _, draft = read(text)
    assert [run.method.concurrency for run in draft.experiments[0].runs] == [10, 10, 100, 100]
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "# Load test of two servers\n\n| Server | throughput |\n|---|---|\n| a1 | 1234.67 |\n| b1 | 987.5 |\n",
            3,
            "unit",
        ),
        ("Two servers\n\n| Server | requests |\n|---|---|\n| a1 | 1234.67 |\n| b1 | 987.5 |\n", 3, "unit"),
        ("Two servers\n\n| metric | nginx | caddy |\n|---|---|---|\n| throughput | 1234.67 | 987.5 |\n", 3, "unit"),
        ("| Server | avg throughput |\n|---|---|\n| nginx | 1234.67 |\n| caddy | 987.5 |\n", 1, "unit"),
        ("| Server | throughput |\n|---|---|\n| nginx | 1234 rps |\n| caddy | less |\n", 1, "a rate in each cell"),
        ("Load test\n\nServer    throughput\nnginx     1234.67\ncaddy     987.5\n", 3, "unit"),
        ("Load test\n\nserver,throughput,p99\nnginx,1234.67,3\ncaddy,987.5,4\n", 3, "unit"),
    ],
)
def test_a_table_that_looks_like_one_of_rates_but_has_no_unit_is_a_problem_with_its_line(text, line, said):
    assert [(at, said in message) for at, message in problems_of(text)] == [(line, True)]


@pytest.mark.parametrize(
    "text",
    [
        "| Server | QPS |\n|---|---|\n| nginx | 4W/s |\n| caddy | 3.1w |\n",
        "| 服务 | 吞吐量 |\n|---|---|\n| nginx | 4W/s |\n| caddy | 3.1万/s |\n",
        "压测\n\nnginx: 4W/s\ncaddy: 3.1w qps\n",
        "压测结果：nginx 的 QPS 达到 4w，caddy 的 QPS 只有 3.1W/s。\n",
        "| Server | throughput |\n|---|---|\n| nginx | 40 thousand req/s |\n| caddy | about 31k req/s |\n",
    ],
)
def test_rates_in_tens_of_thousands_are_read(text):
    assert [(name, rate) for name, *_, rate in runs_of(text)] == [("nginx", 40000), ("caddy", 31000)]


def test_a_power_in_watts_is_no_rate():
    text = "## Requests per second\n\n| Server | Small | Power |\n|---|---|---|\n| nginx | 900 | 120W |\n| caddy | 800 | 90W |\n"
    assert [rate for *_, rate in runs_of(text)] == [900, 800]


@pytest.mark.parametrize(
    "text",
    [
        "| server | rps | p99 |\n|---|---|---|\n| nginx | 1203412 |\n| caddy | 903412 |\n",
        "| server | Débit |\n|---|---|\n| nginx | 1.203.412 |\n| caddy | 903.412 req/s |\n",
    ],
)
def test_rows_may_lack_their_last_cells_and_group_thousands_by_points(text):
    assert [(name, rate) for name, *_, rate in runs_of(text)] == [("nginx", 1203412), ("caddy", 903412)]


def test_columns_alike_but_for_their_numbers_have_one_unit():
    text = "| server | 2 workers | 4 workers |\n|---|---|---|\n| nginx | 1203 | 1403 req/s |\n| caddy | 903 | 1003 |\n"
    assert sorted(rate for *_, rate in runs_of(text)) == [903, 1003, 1203, 1403]


@pytest.mark.parametrize(
    ("rows", "rates"),
    [
        ("| h3 | 🥇 126816 |\n| express | 8405 |\n", [("h3", 126_816.0), ("express", 8405.0)]),
        ("| h3 | 🥈 99.6k |\n| express | **8405** |\n", [("h3", 99_600.0), ("express", 8405.0)]),
        ("| 🔥 h3 | 900 |\n| C++ | 800 |\n", [("h3", 900.0), ("C++", 800.0)]),
    ],
)
def test_medals_before_rates_are_no_part_of_them(rows, rates):
    table = f"| Server | Requests/s |\n|---|---|\n{rows}"
    assert [(name, rate) for name, _, _, rate in runs_of(table)] == rates


def test_a_table_of_one_column_of_values_is_named_by_its_heading_and_not_by_value():
    table = "| Metric | Value |\n|---|---|\n| Requests per second | {} |\n| Failed | 0 |\n\n"
    text = f"# Load tests\n\n## nginx\n\n{table.format(2192.3)}## caddy\n\n{table.format(1398.2)}"
    assert [(name, rate) for name, _, _, rate in runs_of(text)] == [("nginx", 2192.3), ("caddy", 1398.2)]


def test_factors_beside_the_best_and_memory_are_results_and_no_names():
    head = "| Name | Speed Factor | Memory | Requests/s |\n|---|---|---|---|\n"
    text = f"{head}| h3 | 15.09x | 80MB | 126816 |\n| express | 1.00x | 70MB | 8405 |\n"
    assert [name for name, *_ in runs_of(text)] == ["h3", "express"]
    sized = "| Name | Payload | Requests/s |\n|---|---|---|\n| h3 | 1MB | 900 |\n| h3 | 8MB | 100 |\n"
    assert len({name for name, *_ in runs_of(sized)}) == 2


def test_captions_keep_tables_apart_that_do_not_all_have_the_same_rows():
    heading = "| Server | Pool size | Requests/sec |\n|---|---|---|\n"
    quick = (
        f"**4 cores; 20ms delay**\n\n{heading}| sync | 2 | 119.5 |\n| sync | 100 | 137.3 |\n| async | n/a | 61.2 |\n\n"
    )
    slow = f"**4 cores; 200ms delay**\n\n{heading}| sync | 4 | 17.5 |\n| sync | 100 | 27.4 |\n| async | n/a | 6.7 |\n\n"
    other = "## The chat bot\n\n| Connections | Blocking (req/sec) | Awaiting (req/sec) |\n|---|---|---|\n"
    other += "| 4 | 1658.8 | 2851.2 |\n| 10 | 1906.7 | 2821.3 |\n"
    for text in (quick + slow, f"## Results\n\n{quick}{slow}{other}"):
        (experiment,) = read(text)[1].experiments
        names = [config.name for config in experiment.configs][:6]
        assert names == [
            "4 cores; 20ms delay · sync · Pool size 2",
            "4 cores; 20ms delay · sync · Pool size 100",
            "4 cores; 20ms delay · async",
            "4 cores; 200ms delay · sync · Pool size 4",
            "4 cores; 200ms delay · sync · Pool size 100",
            "4 cores; 200ms delay · async",
        ]


def test_a_number_that_some_rows_do_not_have_names_the_rows_that_have_it():
    rows = "| sync | 32 | 1384.9 |\n| sync | 100 | 3282.4 |\n| async | n/a | 3868.8 |\n"
    (experiment,) = read(f"| Server | Pool size | Requests/sec |\n|---|---|---|\n{rows}")[1].experiments
    assert [config.name for config in experiment.configs] == ["sync · Pool size 32", "sync · Pool size 100", "async"]


def test_numbers_with_commas_before_the_rates_are_settings_and_their_rows_no_repeats():
    rows = (
        "| 6,400 | 1 | REST | 6,316 req/s |\n| 6,400 | 1 | gRPC | 6,373 req/s |\n| 12,800 | 1 | REST | 9,043 req/s |\n"
    )
    rows += "| 12,800 | 1 | gRPC | 12,625 req/s |\n| 12,800 | 4 | REST | 12,328 req/s |\n"
    found = runs_of(f"| Asked for | Pool | Transport | Rate |\n|---|---|---|---|\n{rows}")
    assert [(name, path) for name, path, *_ in found] == [
        ("REST", "Asked for 6,400, Pool 1"),
        ("gRPC", "Asked for 6,400, Pool 1"),
        ("REST", "Asked for 12,800, Pool 1"),
        ("gRPC", "Asked for 12,800, Pool 1"),
        ("REST", "Asked for 12,800, Pool 4"),
    ]


def test_a_korean_table_of_metrics_has_a_row_of_rates_for_each_kind_of_request():
    rows = "| 처리량 1건 | 27,030 req/s | 23,698 req/s |\n| 처리량 1,000건 | 8,153 req/s | 12,685 req/s |\n"
    found = runs_of(f"| 지표 | REST | gRPC |\n|---|---|---|\n{rows}| 상류 p95 1건 | 1.33 ms | 2.48 ms |\n")
    assert [(name, path, rate) for name, path, _, rate in found] == [
        ("REST", "처리량 1건", 27030),
        ("gRPC", "처리량 1건", 23698),
        ("REST", "처리량 1,000건", 8153),
        ("gRPC", "처리량 1,000건", 12685),
    ]


def test_the_requests_of_a_row_say_what_its_failures_are_a_share_of():
    heading = "| Server | RPS | 2xx | errors |\n|---|---:|---:|---:|\n"
    rows = "| nginx | 48,211 | 700,000 | 0 |\n| caddy | 31,877 | 300,000 | 100,000† |\n"
    _, caddy = parsers.read((heading + rows).split("\n"))
    assert (caddy.values["failed_requests"], caddy.values["complete_requests"]) == (100_000, 400_000)
    _, caddy = parsers.read((heading.replace("2xx", "Total requests") + rows).split("\n"))
    assert (caddy.values["failed_requests"], caddy.values["complete_requests"]) == (100_000, 300_000)


def test_the_workload_on_which_most_failed_leads_and_each_names_its_configs_in_brief():
    heading = "| Server | RPS | 2xx | errors |\n|---|---:|---:|---:|\n"
    workloads = {
        "JSON": ("| nginx | 23,129 | 100,000 | 0 |\n| caddy | 22,384 | 100,000 | 0 |\n| flask | 167 | 900 | 100 |\n"),
        "Hash": ("| nginx | 190 | 3,000 | 0 |\n| caddy | 128 | 3,000 | 0 |\n| flask | 2.1 | 600 | 400 |\n"),
    }
    text = "# Servers\n\n" + "\n".join(f"## {name}\n\n{heading}{rows}" for name, rows in workloads.items())
    sentence = judge(text).sentence
    assert sentence.startswith("On Hash: “flask” failed 40 % of its requests; “nginx” served 190 a second")
    assert "“nginx” measured 48 % faster than “caddy”" in sentence
    assert "On JSON: “flask” failed 10 % of its requests; “nginx” served" in sentence


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Sync (32 threads; req/sec)", "Sync (32 threads)"),
        ("Sync (req/s)", "Sync"),
        ("(req/s) Sync", "Sync"),
        ("Sync, req/s", "Sync"),
    ],
)
def test_a_column_s_title_keeps_what_its_parentheses_say_beside_the_unit(title, name):
    text = f"| Pool | {title} | Async (req/s) |\n|---|---|---|\n| 4 | 2851.1 | 1658.8 |\n| 10 | 2821.7 | 1906.7 |\n"
    assert {config for config, *_ in runs_of(text)} == {name, "Async"}


def test_rows_of_numbers_of_failures_say_what_failed_of_each_column():
    rows = ["| Num. requests | 2122 | 785 |", "| Num. failures | 0 (0%) | 732 (93.2%) |"]
    text = "\n".join(["| | sync | async |", "|---|---|---|", *rows, "| Avg. num. requests/sec | 35.6 | 13.1 |"])
    sync, other = parsers.read(text.split("\n"))
    assert (sync.values["failed_requests"], sync.values.get("complete_requests")) == (0, None)
    assert (other.values["failed_requests"], other.values["complete_requests"]) == (732, 785)


SERVED = "| Server | req/s |\n|---|---|\n| nginx | 48211 |\n| caddy | 31877 |\n"


@pytest.mark.parametrize(
    ("above", "clients"),
    [
        ("* __Method:__ `autocannon -c 100 -d 40 localhost:3000` (two rounds)\n", 100),
        ("```sh\n$ wrk -t4 -c 64 -d30s http://localhost/\n```\n\n", 64),
        ("- __concurrency__: 100\n\n", 100),
        ("Parameters: 4 threads, 16 connections, 10 seconds\n\n", 16),
        ("Runs of 10 s, preceded by a primer run at concurrency 8 for 4 s.\n\n", None),
    ],
)
def test_the_text_above_a_table_tells_its_clients(above, clients):
    assert runs_of(above + SERVED) == [("nginx", None, clients, 48211), ("caddy", None, clients, 31877)]


def test_clients_of_a_table_count_before_those_of_the_command_above():
    rows = "| Server | Connections | req/s |\n|---|---|---|\n| nginx | 10 | 48211 |\n| caddy | 10 | 31877 |\n"
    text = f"`wrk -c 64 http://localhost/`\n\n{rows}"
    assert {clients for _, _, clients, _ in runs_of(text)} == {10}


@pytest.mark.parametrize("behind", ["(c{})", "({} connections)", "[c={}]"])
def test_clients_in_brackets_behind_each_name_are_the_load(behind):
    rows = [(name, n, rate) for name, n, rate in (("nginx", 64, 4811), ("nginx", 128, 4922), ("caddy", 64, 3011))]
    lines = "".join(f"| {name} {behind.format(n)} | {rate} |\n" for name, n, rate in rows)
    assert runs_of("| Request | RPS |\n|---|---|\n" + lines) == [(name, None, n, rate) for name, n, rate in rows]


def test_clients_in_brackets_behind_some_names_stay_in_these():
    assert [name for name, *_ in runs_of(SERVED.replace("caddy", "caddy (64 clients)"))] == [
        "nginx",
        "caddy (64 clients)",
    ]


def test_a_column_of_marks_names_no_row():
    text = "| Server | Router | req/s |\n|---|:-:|---|\n| nginx | ✓ | 48211 |\n| caddy | ✗ | 31877 |\n"
    assert [name for name, *_ in runs_of(text)] == ["nginx", "caddy"]


def test_titles_may_have_underscores_for_blanks():
    rows = "| 1 | 2 | 380.0 | 7.66 |\n| 4 | 0 | 190.0 | 8.25 |\n"
    text = f"| workers | failures | median_ms | reqs_per_s |\n|---|---|---|---|\n{rows}"
    assert [(name, rate) for name, _, _, rate in runs_of(text)] == [("workers 1", 7.66), ("workers 4", 8.25)]
    assert [block.values["percentiles_ms"] for block in read(text)[0]] == [{"50": 380.0}, {"50": 190.0}]


def test_a_row_of_failed_requests_may_be_titled_in_the_singular():
    text = "| nginx | Value |\n|---|---|\n| Requests per second | 1130.9 |\n| Failed request | 3999 |\n"
    assert read(text)[0][0].values["failed_requests"] == 3999


def sections(*headings: str) -> str:
    """A table below each heading, with two names of its own."""
    return "# Notes\n\n" + "".join(
        f"{heading}\n\n| Name | req/s |\n|---|---|\n| {one} | {900 * at} |\n| {two} | {700 * at} |\n\n"
        for at, (heading, one, two) in enumerate(zip(headings, ("ash", "cedar"), ("birch", "elm"), strict=True), 1)
    )


def test_tables_of_names_of_their_own_below_headings_of_requests_are_compared_by_themselves():
    sentence = judge(sections("## Response types", "## File responses")).sentence
    assert "On Response types: “ash” " in sentence and "On File responses: “cedar” " in sentence


@pytest.mark.parametrize(
    "headings",
    [
        ("## Go servers", "## Python servers"),
        ("## JavaScript", "## Kotlin"),
        ("## Run 1", "## Run 2"),
        ("## Before", "## After"),
    ],
)
def test_tables_below_headings_of_software_phases_and_repeats_are_compared_with_each_other(headings):
    sentence = judge(sections(*headings)).sentence
    assert "“cedar”" in sentence.partition("measured")[0] and "the next of 4" in sentence


def test_a_rate_of_nought_is_of_a_server_that_answered_nothing():
    text = "| Server | req/s |\n|---|---|\n| nginx | 48211 |\n| caddy | 31877 |\n| dead | 0 |\n"
    assert "“dead” (availability was 0 %)" in judge(text).sentence


def test_clients_told_above_all_sections_are_those_of_each_table():
    other = SERVED.replace("48211", "58222").replace("31877", "41888")
    text = f"# Notes\n\nTest: 4 threads, 16 connections, 10 s\n\n## JSON\n\n{SERVED}\n## Plaintext\n\n{other}"
    assert [clients for _, _, clients, _ in runs_of(text)] == [16] * 4
    other_load = text.replace("## Plaintext\n", "## Plaintext\n\n64 concurrent\n")
    assert [clients for _, _, clients, _ in runs_of(other_load)] == [16, 16, 64, 64]


def test_a_row_with_the_command_tells_the_clients_of_a_table_of_metrics():
    rows = "| Framework | flask |\n| Requests/sec | 894.95 |\n| Test command | wrk -t12 -c400 -d240s http://localhost:8080/json |\n"
    assert runs_of(f"| Param | Value |\n|---|---|\n{rows}") == [("flask", None, 400, 894.95)]
