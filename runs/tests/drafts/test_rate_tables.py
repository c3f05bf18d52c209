"""Rates that somebody wrote into a table: runs by themselves, quotes beside the reports that they are of. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read

REPORTS = "## nginx\n\n@ab 12345.6\n\n## caddy\n\n@ab 10000.5\n\n@ab 10019.5\n"


def table(*rates: str) -> str:
    rows = "".join(f"| {name} | {rate} |\n" for name, rate in zip(("nginx", "caddy"), rates, strict=True))
    return f"| Server | Requests/sec |\n|---|---|\n{rows}\n"


def runs_of(text: str) -> tuple[list[tuple[str, str, int]], list[list[tuple[int, int]]]]:
    """((config's name, tool, repeat) of each run, and its quotes)."""
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    kinds = {f"b{number}": block.kind for number, block in enumerate(blocks)}
    found = [(names[run.config], kinds[run.key], run.repeat) for run in experiment.runs]
    return found, [run.quotes for run in experiment.runs]


def test_a_table_that_rounds_another_one_has_no_runs_of_its_own():
    whole, rounded = table("12,346", "10,010"), table("12.3k", "10k")
    for text in (f"{whole}In short:\n\n{rounded}", f"In short:\n\n{rounded}The whole:\n\n{whole}"):
        blocks, draft = read(text)
        assert [blocks[run.block].values["requests_per_second"] for run in draft.experiments[0].runs] == [12346, 10010]


def test_a_table_with_other_rates_is_of_other_runs():
    assert len(runs_of(f"{table('12,346', '10,010')}Again:\n\n{table('12.3k', '10.4k')}")[0]) == 4


@pytest.mark.parametrize(
    ("one", "other", "rates"),
    [
        ("987,6", "1.234,5", [987.6, 1234.5]),
        ("~~9120.0~~ 2660.0", "2100.0", [2660.0, 2100.0]),
        ("<del>9120.0</del> 2660.0", "2100.0", [2660.0, 2100.0]),
        ("12,346", "987", [12346, 987]),
        ("1.203.412", "987.655", [1203412, 987655]),
    ],
)
def test_a_decimal_comma_and_what_was_struck_out_are_read_in_a_table(one, other, rates):
    assert [block.values["requests_per_second"] for block in read(table(one, other))[0]] == rates


def test_a_title_may_say_that_its_figures_are_thousands():
    text = table("48.2", "22.4").replace("Requests/sec", "Requests/sec (thousands)")
    assert [block.values["requests_per_second"] for block in read(text)[0]] == [48200, 22400]


def test_a_table_by_itself_has_a_run_for_each_rate():
    found, _ = runs_of(table("12,346", "10,010"))
    assert found == [("nginx", "rate_table", 1), ("caddy", "rate_table", 1)]


def test_the_unit_may_stand_in_the_cells_alone():
    text = table("12.3k req/s | 45 ms", "9.8k req/s | 61 ms").replace(
        "Requests/sec |\n|---|", "Throughput | p99 |\n|---|---|"
    )
    blocks, _ = read(text)
    assert [(block.values["requests_per_second"], block.label) for block in blocks] == [
        (12300, "nginx"),
        (9800, "caddy"),
    ]


def test_a_korean_table_may_have_the_unit_per_second_in_its_cells():
    blocks, _ = read(
        "| API | 초당 처리 요청수 | 실패 요청 |\n|--|--|--|\n| 목록 | 181.4419283/s | 0 |\n| 검색 | 12.5/s | 0 |\n"
    )
    assert [(block.values["requests_per_second"], block.label) for block in blocks] == [
        (181.441928, "목록"),
        (12.5, "검색"),
    ]


@pytest.mark.parametrize(
    "rates", [("12,346", "10,010"), ("12345.6", "10000.5"), ("12,345", "10,019"), ("12.3k", "10.0k")]
)
def test_a_rate_that_a_report_or_a_mean_of_reports_backs_up_is_its_quote(rates):
    found, quotes = runs_of(table(*rates) + REPORTS)
    assert found == [("nginx", "ab", 1), ("caddy", "ab", 1), ("caddy", "ab", 2)]
    assert [(3, 3)] in quotes and sum(map(len, quotes)) == 2


def test_a_rate_of_no_report_is_left_out_and_told():
    blocks, _ = read(expand(table("77,777", "10,010") + REPORTS))
    found, _ = runs_of(table("77,777", "10,010") + REPORTS)
    assert [tool for _, tool, _ in found] == ["ab"] * 3
    assert [problem.line for block in blocks for problem in block.problems] == [3]


def test_the_rows_beside_one_that_a_report_backs_up_are_runs_and_the_report_has_its_rows_name():
    found, quotes = runs_of(table("77,777", "12,346") + "Raw output of one of them:\n\n@ab 12345.6\n")
    assert found == [("nginx", "rate_table", 1), ("caddy", "ab", 1)] and quotes == [[], [(4, 4)]]


def test_a_report_of_one_level_of_a_table_without_names_is_of_the_tables_config():
    rows = "| 10 | 54.4 req/s |\n| 100 | 555.0 req/s |\n| 150 | 841.0 req/s |\n"
    text = f"## Sweep\n\n| Concurrency | Throughput |\n|---|---|\n{rows}\n## Full output, 150 users\n\nThroughput: 841.0 req/s\n"
    _, draft = read(text)
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["Sweep"]
    assert [run.method.concurrency for run in experiment.runs] == [10, 100, 150]


def test_a_rate_of_a_report_under_another_name_is_told():
    blocks, _ = read(expand(table("10,010", "12,346") + REPORTS))  # the rows are interchanged
    assert [problem.line for block in blocks for problem in block.problems] == [3, 4]
    blocks, _ = read(expand(table("12,346", "10,010") + REPORTS))
    assert [block.problems for block in blocks] == [[]] * len(blocks)


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (("125,340", "9.871"), [125340.0, None]),
        (("950", "1.200"), [950.0, None]),
        (("9", "1.200"), [9.0, 1.2]),
        (("950", "1.25"), [950.0, 1.25]),
        (("125,340.125", "9.871"), [125340.125, 9.871]),
        (("12.345", "9.871"), [12.345, 9.871]),
        (("125,340", "44.1"), [125340.0, 44.1]),
    ],
)
def test_a_point_of_thousands_or_decimals_beside_a_comma_gives_no_rate_and_is_told(rates, expected):
    blocks, _ = read(table(*rates))
    assert [block.load_results[0].requests_per_second for block in blocks] == expected
    assert [problem.line for block in blocks for problem in block.problems] == [4] * expected.count(None)


def test_columns_are_configs_where_rows_are_loads():
    text = "| Clients | nginx req/s | caddy req/s |\n|---|---|---|\n| 10 | 100.5 | 90.5 |\n| 50 | 200.5 | 180.5 |\n"
    _, draft = read(text)
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["nginx", "caddy"]
    assert [run.repeat for run in experiment.runs] == [1, 1, 1, 1]


def test_a_column_of_tests_beside_names_of_configs_says_what_was_requested_of_each():
    rows = [(name, test) for name in ("flask", "bottle") for test in ("hello world", "db query")]
    text = "| Framework | Test type | Requests/sec |\n|---|---|---|\n"
    text += "".join(f"| {name} | {test} | {500 + at} |\n" for at, (name, test) in enumerate(rows))
    _, draft = read(text)
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["flask", "bottle"]
    assert [run.method.path for run in experiment.runs] == ["hello world", "db query"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "+--------+---------+---------+\n| Server | Req/sec | p99 ms  |\n+--------+---------+---------+\n"
        "| nginx  | 1000.5  | 20.1    |\n| caddy  | 2000.5  | 10.1    |\n+--------+---------+---------+\n",
        "┌────────┬─────────┬─────────┐\n│ Server │ Req/sec │ p99     │\n├────────┼─────────┼─────────┤\n"
        "│ nginx  │ 1,000.5 │ 20.1 ms │\n│ caddy  │ 2,000.5 │ 10.1 ms │\n└────────┴─────────┴─────────┘\n",
        "Server    Req/s     p99\n------    ------    -----\nnginx     1000.5    20.1ms\ncaddy     2000.5    10.1ms\n",
        "Server\tRequests/sec\tp99 (ms)\nnginx\t1000.5\t20.1\ncaddy\t2000.5\t10.1\n",
    ],
    ids=["signs", "box", "columns", "tabs"],
)
def test_a_table_that_a_program_drew_or_aligned(text):
    blocks, draft = read(text)
    assert [config.name for config in draft.experiments[0].configs] == ["nginx", "caddy"]
    results = [block.load_results[0] for block in blocks]
    assert [(r.requests_per_second, r.percentiles_ms) for r in results] == [
        (1000.5, {"99": 20.1}),
        (2000.5, {"99": 10.1}),
    ]


def test_a_latency_without_a_unit_is_left_out():
    blocks, _ = read(
        "| Server | Req/s | p99 | Avg latency (s) |\n|---|---|---|---|\n| a | 10.5 | 7 | 0.5 |\n| b | 11.5 | 8 | 0.25 |\n"
    )
    assert [(b.load_results[0].percentiles_ms, b.load_results[0].mean_ms) for b in blocks] == [({}, 500), ({}, 250)]
    assert [(p.line, p.message) for block in blocks for p in block.problems] == [
        (1, "p99: expected a unit (ms, s or us) in the column's title or in its cells")
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Requests per second, ab -n 5000 -c 50:\n\n          run 1     run 2     avg\n",
        "Server    run 1     run 2     avg (req/s)\n",
        "req/s     run 1     run 2     avg\n",
        "Server\trun 1\trun 2\tavg (req/s)\n",
    ],
    ids=["caption", "mean", "corner", "tabs"],
)
def test_columns_that_count_are_repeats(heading):
    rows = "nginx     120.5     121.5     121.0\ncaddy     90.5      91.5      91.0\n"
    found, _ = runs_of(heading + (rows.replace("     ", "\t").replace("\t ", "\t") if "\t" in heading else rows))
    assert [(name, repeat) for name, _, repeat in found] == [("nginx", 1), ("nginx", 2), ("caddy", 1), ("caddy", 2)]


@pytest.mark.parametrize(
    ("metric", "rate"),
    [
        ("", "Transaction rate(trans/sec)"),
        ("Critère", "Requêtes par seconde"),
        ("Kriterium", "Anfragen pro Sekunde"),
        ("Métrica", "Peticiones por segundo"),
    ],
)
def test_a_row_of_rates_among_metrics_in_other_languages(metric, rate):
    found, _ = runs_of(
        f"| {metric} | h2 server | h1 server | Δ |\n|---|---|---|---|\n"
        f"| p50 | 1 ms | 2 ms | - |\n| {rate} | 317.5 | 258.5 | +23 % |\n"
    )
    assert [name for name, *_ in found] == ["h2 server", "h1 server"]


def test_rows_that_only_count_are_repeats():
    found, _ = runs_of(
        "| Run | nginx req/s | caddy req/s |\n|---|---|---|\n| 1 | 100.5 | 90.5 |\n| 2 | 101.5 | 91.5 |\n"
    )
    assert [(name, repeat) for name, _, repeat in found] == [("nginx", 1), ("caddy", 1), ("nginx", 2), ("caddy", 2)]


def test_rates_before_their_names_are_a_config_each_and_those_of_two_sections_two_workloads():
    """Posted: four frameworks were repeats of one config."""
    text = ""
    for how, rates in (("close", (25127, 4397.28)), ("keep-alive", (25954.71, 8406.37))):
        text += f"Simple HTTP benchmark results (wrk) with {how} connection\n```\n"
        text += (
            "".join(f"{r} Requests/sec - {name}.js\n" for name, r in zip(("ukoa", "koa"), rates, strict=True)) + "```\n"
        )
    (experiment,) = read(text)[1].experiments
    assert [config.name.rpartition(" · ")[2] for config in experiment.configs] == ["ukoa.js", "koa.js"] * 2
    assert len({config.group for config in experiment.configs}) == 2 and all(run.repeat == 1 for run in experiment.runs)


@pytest.mark.parametrize(
    "remarks", [("", "after warm-up"), ("first run", "second run"), ("p99 of 12 ms", "p99 of 14 ms")]
)
def test_remarks_behind_rates_that_name_nothing_leave_them_repeats(remarks):
    text = "## nginx\n\n" + "".join(
        f"{rate} req/s{f' - {remark}' * bool(remark)}\n" for rate, remark in zip((912.5, 934), remarks, strict=True)
    )
    assert [(name, repeat) for name, _, repeat in runs_of(text)[0]] == [("nginx", 1), ("nginx", 2)]


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "txn/s",
            "txns/sec",
            "transactions/s",
            "tps",
            "qps",
            "ops/sec",
            "queries/s",
            "req/seq",
            "r/s",
            "rq/s",
            "req./sec",
        ),
        *("hits/s", "requests a second", "requêtes/s", "запросов/с", "solicitudes por segundo"),
    ],
)
@pytest.mark.parametrize("sign", [": ", "   ", " "])
def test_a_list_may_have_any_unit_of_rates_and_columns_in_place_of_colons(unit, sign):
    text = f"With tracking{sign}587.90 {unit}\nWithout tracking{sign}2286.68 {unit}\n"
    assert [name for name, *_ in runs_of(text)[0]] == ["With tracking", "Without tracking"]


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("With the cache we got 900 req/s", "Without it we got 800 req/s", ["With the cache", "Without"]),
        ("After the upgrade we got 900 req/s.\n", "Before it was 700 req/s.", ["After the upgrade", "Before"]),
    ],
)
def test_sentences_on_a_state_each_are_no_repeats(one, other, names):
    assert [name for name, *_ in runs_of(f"{one}\n{other}\n")[0]] == names


def test_what_a_server_could_process_to_the_hundredth_was_measured():
    text = "> PHP-FPM (TCP) could process **1863.51** Requests per second\n> \n"
    text += "> HHVM (TCP) could process **1284.09** Requests per second\n"
    assert [name for name, *_ in runs_of(text)[0]] == ["PHP-FPM (TCP)", "HHVM (TCP)"]


@pytest.mark.parametrize(("mean", "rates"), [(6550, [6600, 6500]), (7000, [7000])])
def test_rates_of_a_loop_are_repeats_where_the_mean_below_is_theirs_else_that_counts(mean, rates):
    blocks, draft = read(f"The master:\n6600\n6500\naverage TPS: {mean}\nPatched:\n7100\n7300\naverage TPS: 7200\n")
    assert [block.values["requests_per_second"] for block in blocks] == [*rates, 7100, 7300]
    assert [config.name for config in draft.experiments[0].configs] == ["The master", "Patched"]


@pytest.mark.parametrize("title", ["(index)", "#", "index"])
def test_a_column_that_counts_the_rows_is_no_load(title):
    text = f"| {title} | Framework | Requests/sec |\n|---|---|---|\n| 0 | fastify | 138457.36 |\n| 1 | http | 137054.68 |\n"
    _, draft = read(text)
    assert [(run.label, run.method.path) for run in draft.experiments[0].runs] == [("fastify", None), ("http", None)]


def test_second_lines_of_headings_and_rows_in_parentheses_are_passed_over():
    rule = "├─────────┼────────────┤\n"
    text = f"│         │ Requests/s │\n│         │ (% of raw) │\n{rule}│ raw     │ 56439.2    │\n│         │ (100.00)   │\n{rule}"
    text += "│ fastify │ 52571.2    │\n│         │ (93.15)    │\n"
    assert [(name, repeat) for name, _, repeat in runs_of(text)[0]] == [("raw", 1), ("fastify", 1)]


def test_h2loads_rate_alone_is_its_own():
    text = "## http2\nfinished in 76.43s 1309.64 req/s\n## http1\nfinished in 77.61s, 1288.43 req/s\n"
    assert [(name, tool) for name, tool, _ in runs_of(text)[0]] == [("http2", "h2load"), ("http1", "h2load")]


def test_a_rate_alone_in_a_text_is_a_problem_with_its_line():
    (block,) = read("This is what I got:\n\n70920 req/s\n\nThanks.")[0]
    assert [problem.line for problem in block.problems] == [3] and not block.values


LIST = "- nginx: 12,346 req/s\n- caddy: 10.0k req/s (two runs)\n"


def test_a_list_of_rates_is_a_run_each_and_quotes_reports_beside_it():
    assert runs_of(f"Results:\n\n{LIST}")[0] == [("nginx", "rate_list", 1), ("caddy", "rate_list", 1)]
    found, quotes = runs_of(REPORTS + LIST)
    assert [tool for _, tool, _ in found] == ["ab"] * 3 and sum(map(len, quotes)) == 2


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("[3.751.419] - 124.974 req/sec\n[3.912.001] - 130.312 req/sec\n", [124974, 130312]),
        ("nginx: 124.974 req/s (3.751.419 requests)\ncaddy: 9.120 req/s (1.273.600 requests)\n", [124974, 9120]),
        ("[3751419] - 124.974 req/sec\n[3912001] - 130.312 req/sec\n", [124.974, 130.312]),
        ("nginx 1.25.3: 124.974 req/s\nnginx 1.26.0: 130.312 req/s\n", [124.974, 130.312]),
        ("10.100.200.300: 124.974 req/s\n10.100.200.301: 130.312 req/s\n", [124.974, 130.312]),
    ],
)
def test_points_group_thousands_where_a_number_beside_them_has_two(text, rates):
    assert [block.load_results[0].requests_per_second for block in read(text)[0]] == rates


@pytest.mark.parametrize("line", ["- Rate limit: 100 req/s", "- search: 100 req/s (goal)", "- Throughput: 5,000 req/s"])
def test_a_list_of_goals_or_metrics_is_none_of_results(line):
    blocks, _ = read(LIST + line + "\n")
    assert not any(block.values for block in blocks)


def values_table(name: str, *rows: str) -> str:
    return "\n".join(("| Param | Value |", "| :--- | :--- |", f"| Framework | {name} |", *rows)) + "\n\n====\n\n"


def test_a_table_of_the_values_of_one_config_each_is_a_run_each():
    text = values_table("go-echo", "| Requests/sec | 206.37 |", "| Failed requests | 3 |", "| Data read | 1.3GB |")
    text += values_table("php", "| Endpoint | /db |", "| Requests/sec | 32.75 |", "| p99 | 9.5 s |")
    blocks, _ = read(text)
    results = [block.load_results[0] for block in blocks]
    assert [(block.label, each.requests_per_second) for block, each in zip(blocks, results, strict=True)] == [
        ("go-echo", 206.37),
        ("php", 32.75),
    ]
    assert [(each.failed_requests, each.percentiles_ms) for each in results] == [(3, {}), (None, {"99": 9500.0})]


def test_rows_of_failures_and_latencies_belong_to_the_columns_rate():
    text = "| Metric | nginx | apache | Change |\n|---|---|---|---|\n| Failed requests | 0 | 12 | |\n"
    blocks, _ = read(text + "| Requests/sec | 1200.5 | 900.1 | +33% |\n| p99 (ms) | 20 | 40 | -50% |\n")
    results = [block.load_results[0] for block in blocks]
    assert [(each.failed_requests, each.percentiles_ms) for each in results] == [(0, {"99": 20.0}), (12, {"99": 40.0})]
    assert [block.first for block in blocks] == [4, 4]


@pytest.mark.parametrize(
    "text",
    [
        "| Server | Anfragen/s |\n|---|---|\n| nginx | 12.345 |\n| apache | 9.871 |\n",
        "| Server | Rate |\n|---|---|\n| nginx | 12.345 Anfragen/s |\n| apache | 9.871 Anfragen/s |\n".replace(
            "Rate", "req/s"
        ),
        "- nginx: 12.345 Anfragen pro Sekunde\n- apache: 9.871 Anfragen pro Sekunde\n",
    ],
)
def test_a_point_beside_a_german_unit_is_one_of_thousands(text):
    blocks, _ = read(text)
    assert [block.load_results[0].requests_per_second for block in blocks] == [12345.0, 9871.0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Requests/sec: 900.50  (without cache)\nRequests/sec: 1200.10  (with cache)\n",
            ["without cache", "with cache"],
        ),
        (
            "Requests per second: 100.1 [#/sec] (mean) <- cold\nRequests per second: 300.1 [#/sec] (mean) <- warm\n",
            ["cold", "warm"],
        ),
        ("nginx: 900 req/s (cold)\nnginx: 950 req/s (warm)\n", ["nginx · cold", "nginx · warm"]),
        (
            "- 2024/03/01: 912.50 req/s, 64.2KB/s [plain]\n- 2024/03/01: 870.25 req/s, 61.1KB/s [ORM]\n",
            ["plain", "ORM"],
        ),
        (
            "Requests per second: 100.1 [#/sec] (mean) <- wow\n\nand\n\nRequests per second: 99.1 [#/sec] (mean)\n",
            ["ab"],
        ),
    ],
)
def test_rates_that_only_remarks_behind_them_tell_apart_are_no_repeats(text, names):
    found, _ = runs_of(text)
    assert list(dict.fromkeys(name for name, *_ in found)) == names


def test_a_path_among_a_scripts_arguments_is_the_path():
    report = "\n@wrk {rate}\n\n"
    command = "$ wrk -t2 -c10 -d10s -s multi.lua http://localhost:8080/ -- {path}"
    blocks, _ = read(
        expand("".join(command.format(path=p) + report.format(rate=r) for p, r in (("/a", 900.5), ("-p /b", 300.5))))
    )
    assert [block.load_results[0].path for block in blocks] == ["/a", "/b"]


def test_tables_of_two_tools_right_below_each_other_are_two():
    head = "| {} | requests per second |\n|---|---:|\n| page.php | {} |\n| page.html | {} |\n\n"
    blocks, _ = read(head.format("ab", "13,373.38", "14,254.07") + head.format("wrk", "35,285.86", "49,283.88"))
    assert [block.values["requests_per_second"] for block in blocks] == [13373.38, 14254.07, 35285.86, 49283.88]
    found, _ = runs_of(head.format("ab", "13,373.38", "14,254.07") + head.format("wrk", "35,285.86", "49,283.88"))
    assert [repeat for *_, repeat in found] == [1, 1, 1, 1]


def test_an_org_table_is_read():
    found, _ = runs_of("| Server | Requests/sec |\n|--------+--------------|\n| nginx | 1240 |\n| caddy | 912 |\n")
    assert found == [("nginx", "rate_table", 1), ("caddy", "rate_table", 1)]


def test_a_point_in_a_german_line_is_one_of_thousands():
    blocks, _ = read("Vor der Umstellung: 12.345 Requests/s\nNach der Umstellung: 15.010 Requests/s\n")
    assert [block.values["requests_per_second"] for block in blocks] == [12345, 15010]


def test_each_row_of_a_sweep_without_names_is_a_run():
    rows = "| 10 | 1000.5 |\n| 50 | 3000.5 |\n| 100 | 3100.5 |\n| 200 | 2900.5 |\n"
    blocks, _ = read(f"| concurrency | rps |\n|---|---|\n{rows}")
    assert [block.values["concurrency"] for block in blocks] == [10, 50, 100, 200]


def test_an_empty_cell_is_no_part_of_a_name():
    rows = "| Puma | 5 | 21,334 |\n| Falcon | - | 25,101 |\n"
    blocks, _ = read(f"| Server | Threads | Requests/sec |\n|---|---|---|\n{rows}")
    assert [block.label for block in blocks] == ["Puma", "Falcon"]


def test_a_table_of_jira_has_a_run_for_each_rate():
    blocks, _ = read("|| Server || Requests/s || 99% (ms) ||\n| nginx | 2100.25 | 12 |\n| caddy | 1100.25 | 55 |\n")
    assert [(block.label, block.values["percentiles_ms"]) for block in blocks] == [
        ("nginx", {"99": 12}),
        ("caddy", {"99": 55}),
    ]


def test_rows_between_bars_that_say_their_unit_need_no_heading():
    blocks, _ = read("Last night:\n\n| nginx  | c=10 | 1234 req/s |\n| caddy | c=10 | 987 req/s |\n")
    assert [(block.label, block.values["concurrency"]) for block in blocks] == [("nginx", 10), ("caddy", 10)]


@pytest.mark.parametrize(
    "text",
    [
        "| endpoint | rps before | rps after |\n|---|---|---|\n| /a | 1000 | 1500 |\n| /b | 500 | 900 |\n",
        "endpoint,rps before,rps after\n/a,1000,1500\n/b,500,900\n",
        "| | before (rps) | after (rps) |\n|---|---|---|\n| GET /a | 1000 | 1500 |\n| GET /b | 500 | 900 |\n",
        "             rps before   rps after\nlogin        1000         1500\nsearch       500          900\n",
        "Requests/sec\n\n| | before | after |\n|---|---|---|\n| nginx | 1000 | 1500 |\n| apache | 500 | 900 |\n",
    ],
)
def test_columns_that_are_compared_are_configs_whatever_their_rows_are(text):
    blocks, draft = read(text)
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    found = [(names[run.config], blocks[run.block].values["requests_per_second"]) for run in experiment.runs]
    assert found == [("before", 1000), ("after", 1500), ("before", 500), ("after", 900)]
    assert len({run.method.path for run in experiment.runs}) == 2


@pytest.mark.parametrize("prefix", ["> ", "> > "])
def test_a_quoted_table_of_jira_has_a_run_for_each_rate(prefix):
    table = "||server||req/s||p99 ms||\n|apache|1200|50|\n|nginx|1500|40|\n"
    found, _ = runs_of("".join(f"{prefix}{line}\n" for line in table.splitlines()))
    assert found == [("apache", "rate_rows", 1), ("nginx", "rate_rows", 1)]


def test_a_column_without_a_unit_is_told_once_at_its_heading():
    blocks, _ = read("name,rps,p99\napache,1200,50\nnginx,1500,40\ncaddy,900,70\n")
    assert [(problem.line, problem.message[:12]) for block in blocks for problem in block.problems] == [
        (1, "p99: expecte")
    ]


def test_several_rows_of_rates_among_metrics_are_of_what_each_says():
    text = "| | main | this PR |\n|---|---|---|\n| plaintext req/s | 120,400 | 131,900 |\n| json req/s | 98,100 | 97,800 |\n"
    blocks, _ = read(text)
    found = [(block.label, block.values["load"], block.values["requests_per_second"]) for block in blocks]
    assert found == [
        ("main", "plaintext", 120400),
        ("this PR", "plaintext", 131900),
        ("main", "json", 98100),
        ("this PR", "json", 97800),
    ]


def test_rates_without_names_are_repeats_of_the_heading_above():
    found, _ = runs_of("*old pool*\n• 812 req/s\n• 820 req/s\n\n*new pool*\n• 990 req/s\n• 1,002 req/s\n")
    assert found == [(name, "rate_list", repeat) for name in ("old pool", "new pool") for repeat in (1, 2)]


def test_two_tables_of_one_result_count_once():
    rows = "| Server | Requests/sec |\n|---|---|\n| nginx | 1200.5 |\n| caddy | 800.1 |\n"
    columns = "| | nginx | caddy |\n|---|---|---|\n| Requests per second | 1200.5 | 800.1 |\n"
    _, draft = read(f"{rows}\nSummary:\n\n{columns}")
    assert [(run.label, len(run.quotes)) for run in draft.experiments[0].runs] == [("nginx", 1), ("caddy", 1)]


def test_equal_rates_of_one_name_in_one_table_are_two_runs():
    _, draft = read("| Server | Requests/sec |\n|---|---|\n| nginx | 1200.5 |\n| nginx | 1200.5 |\n")
    assert len(draft.experiments[0].runs) == 2


def test_numbers_before_the_rate_are_settings_of_the_run_in_any_language():
    rows = [("Redis", 50, 30, 770.6), ("Redis", 50, 60, 718.1), ("Redis", 100, 30, 682.5), ("SQLite", 50, 30, 284.5)]
    text = "| Implementação | Conexões | Duração (s) | Req/s |\n|---|---|---|---|\n"
    _, draft = read(text + "".join(f"| {name} | {c} | {s} | {rate} |\n" for name, c, s, rate in rows))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["Redis", "SQLite"]
    assert [run.repeat for run in experiment.runs] == [1, 1, 1, 1]
    assert [run.method.concurrency for run in experiment.runs] == [50, 50, 100, 50]


def test_numbers_that_count_from_one_below_each_name_are_repeats():
    text = "| Server | Pass | Requests/sec |\n|---|---|---|\n"
    _, draft = read(
        text
        + "".join(
            f"| {name} | {at} | {rate + at}.5 |\n"
            for name, rate in (("nginx", 500), ("caddy", 400))
            for at in (1, 2, 3)
        )
    )
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("| 方案 | QPS |\n|---|---|\n| nginx | 10.7万 |\n| caddy | 8万 |\n", {"nginx": 107_000.0, "caddy": 80_000.0}),
        ("- nginx：10.7万 QPS\n- caddy：8.25 万 QPS\n", {"nginx": 107_000.0, "caddy": 82_500.0}),
        ("| server | req/s |\n|---|---|\n| nginx | 900 |\n", {"nginx": 900.0}),
        ("||server||req/s||\n|nginx|900|\n", {"nginx": 900.0}),
        (
            "## a\n\n| server | rps |\n|--|--|\n| go | 9 |\n\n## b\n\n| server | rps |\n|--|--|\n| d | 8 |\n",
            {"go": 9.0, "d": 8.0},
        ),
    ],
)
def test_rates_in_units_of_ten_thousand_and_tables_of_one_row_are_read(text, rates):
    """Made."""
    blocks, draft = read(text)
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    assert {
        names[run.config]: blocks[run.block].load_results[0].requests_per_second for run in experiment.runs
    } == rates


def test_shares_and_times_of_a_row_are_no_part_of_its_name_where_the_rest_tells_it_apart():
    rows = "".join(
        f"| {name} | {threads} | 0.00% | {100 + threads}.5s | {rate + threads} |\n"
        for threads in (5, 10)
        for name, rate in (("apache2", 230), ("nginx", 240))
    )
    text = f"| Serwer | Ilość wątków (<C>) | Stopa błędów | Czas testu | rps |\n|---|---|---|---|---|\n{rows}"
    blocks, draft = read(text)
    assert [config.name for config in draft.experiments[0].configs] == ["apache2", "nginx"]
    assert [block.values["concurrency"] for block in blocks] == [5, 5, 10, 10]


def test_a_setting_in_a_time_of_its_own_stays_in_the_name_where_nothing_else_tells_rows_apart():
    _, draft = read("| server | timeout | rps |\n|---|---|---|\n| nginx | 5s | 900 |\n| nginx | 65s | 800 |\n")
    assert [config.name for config in draft.experiments[0].configs] == ["nginx · 5s", "nginx · 65s"]


def test_the_unit_may_stand_in_a_caption_behind_a_command():
    rows = "".join(f"| {run} | {900 + run} | {800 + run} |\n" for run in (1, 2, 3))
    caption = "wrk -t4 -c100 -d60s, requests per second, three runs each:"
    found, _ = runs_of(f"{caption}\n\n| run | uvicorn | granian |\n|---|---|---|\n{rows}")
    assert sorted({(name, repeat) for name, _, repeat in found}) == [
        (name, repeat) for name in ("granian", "uvicorn") for repeat in (1, 2, 3)
    ]


@pytest.mark.parametrize("between", ["", "\n"])
def test_a_file_behind_another_one_of_the_same_columns_has_rows_of_its_own(between):
    text = f"name,rps\nnginx,1200.5\ncaddy,900.1\n{between}name,rps\nnginx,1300.5\ncaddy,950.1\n"
    runs = sorted((name, repeat) for name, _, repeat in runs_of(text)[0])
    assert runs == [("caddy", 1), ("caddy", 2), ("nginx", 1), ("nginx", 2)]


@pytest.mark.parametrize("between", [" and nginx only ", ", nginx ", " while nginx got "])
def test_a_second_rate_of_a_sentence_needs_no_verb_of_its_own(between):
    """Made."""
    text = f"So Apache handled 2603 requests per second{between}2000 requests per second.\n"
    found = [(block.label, block.load_results[0].requests_per_second) for block in read(text)[0]]
    assert found == [("Apache", 2603.0), ("nginx", 2000.0)]


@pytest.mark.parametrize("unit", ["", " (trans/sec)"])
def test_a_table_may_have_a_column_for_each_load_and_a_row_for_each_metric(unit):
    def write(name: str, *figures: str) -> str:
        rows = (
            ("Concurrency", "10", "25"),
            ("---",) * 3,
            ("Availability", "100", "99"),
            (f"Transaction rate{unit}", *figures),
        )
        return f"### {name}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows) + "\n"

    blocks, draft = read(write("Without cache", "22.10", "42.10") + write("With cache", "365.00", "579.51"))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    assert [(names[run.config], run.method.concurrency, run.repeat) for run in experiment.runs] == [
        ("Without cache", 10, 1),
        ("Without cache", 25, 1),
        ("With cache", 10, 1),
        ("With cache", 25, 1),
    ]
    assert [block.values["requests_per_second"] for block in blocks] == [22.1, 42.1, 365, 579.51]


def test_numbered_columns_beside_their_change_are_compared_and_quote_the_sections_of_their_numbers():
    sections = "".join(
        f"## Test {n}\n\n### Parameters\n\n- workers: {n}\n\n### Results\n\n| Metric | Value |\n|---|---|\n| RPS | {rate} |\n\n"
        for n, rate in ((1, 2574.21), (2, 1895.38))
    )
    compared = "| Metric | Test 1 | Test 2 | Change |\n|---|---|---|---|\n| RPS | {} | {} | -26% |\n"
    found, quotes = runs_of(f"{sections}## Compared\n\n{compared.format(2574.21, 1895.38)}")
    assert found == [("workers 1", "rate_table", 1), ("workers 2", "rate_table", 1)]
    assert all(quotes)
    found, _ = runs_of(f"## Compared\n\n{compared.format(2574.21, 1895.38)}")
    assert len(found) == 2
    assert {repeat for *_, repeat in found} == {1}


def test_numbered_columns_without_a_change_are_repeats():
    found, _ = runs_of("## nginx\n\n| Metric | Test 1 | Test 2 |\n|---|---|---|\n| RPS | 2574.21 | 1895.38 |\n")
    assert [repeat for *_, repeat in found] == [1, 2]


def loads_of(text: str) -> list[tuple[str, str | None, float]]:
    blocks, draft = read(text)
    names = {config.key: config.name for config in draft.experiments[0].configs}
    rates = [block.load_results[0].requests_per_second or 0 for block in blocks]
    return [(names[run.config], run.method.path, rates[run.block]) for run in draft.experiments[0].runs]


def test_a_column_of_several_methods_is_what_was_requested_and_one_method_alone_stays_a_name():
    """Made."""
    rows = "| redis | POST | 7770 |\n| redis | GET | 7886 |\n| sqlite | POST | 2845 |\n| sqlite | GET | 4816 |\n"
    assert loads_of(f"| store | method | req/s |\n|---|---|---|\n{rows}") == [
        ("redis", "POST", 7770),
        ("redis", "GET", 7886),
        ("sqlite", "POST", 2845),
        ("sqlite", "GET", 4816),
    ]
    alike = "| store | method | req/s |\n|---|---|---|\n| redis | GET | 7886 |\n| sqlite | GET | 4816 |\n"
    assert [name for name, _, _ in loads_of(alike)] == ["redis · GET", "sqlite · GET"]


@pytest.mark.parametrize("title", ["SUCCESS", "ok", "Succeeded"])
def test_a_column_of_requests_that_succeeded_is_no_setting(title):
    """Made."""
    table = f"| gateway | requests | {title} | failed | rps |\n|---|---|---|---|---|\n"
    text = f"{table}| tyk | 100000 | 95817 | 4183 | 982.67 |\n| krakend | 100000 | 87947 | 12053 | 1238.64 |\n"
    blocks, draft = read(text)
    assert [config.name for config in draft.experiments[0].configs] == ["tyk", "krakend"]
    assert len({run.method.path for run in draft.experiments[0].runs}) == 1
    assert [block.load_results[0].failed_requests for block in blocks] == [4183, 12053]


def test_titles_of_a_table_may_end_in_colons():
    """Made; the word is spelt as people do."""
    rows = "|Transactions:|200 hits|500 hits|\n|Availability:|100 %|100 %|\n|Transaction rate:|43.03 trans/sec|44.89 trans/sec|\n"
    found, _ = runs_of(f"## nginx\n\n|Concurency:|10|25|\n|---|---|---|\n{rows}")
    blocks, _ = read(f"## nginx\n\n|Concurency:|10|25|\n|---|---|---|\n{rows}")
    assert {name for name, _, _ in found} == {"nginx"}
    assert [block.load_results[0].concurrency for block in blocks] == [10, 25]


@pytest.mark.parametrize("levels", [("Low load", "High load"), ("Niedrige Last", "Hohe Last")])
def test_levels_of_load_in_words_are_no_configs_and_names_beside_them_are(levels):
    """Made."""
    low, high = levels
    both = f"| Scenario | RPS |\n|---|---|\n| {low} | 22.3 |\n| {high} | 567.4 |\n"
    assert loads_of(f"### nginx\n\n{both}") == [("nginx", low, 22.3), ("nginx", high, 567.4)]
    other = f"| Scenario | RPS |\n|---|---|\n| {low} | 22.3 |\n| High availability | 567.4 |\n"
    assert [name for name, _, _ in loads_of(other)] == [low, "High availability"]


@pytest.mark.parametrize(
    "line", ["{}: QPS = {}", "- {}, tps: {}, cache ratio 0.98", "* {} - RPS {}, p99 12 ms", "{}：qps：{}"]
)
def test_a_list_may_have_the_unit_before_the_figure(line):
    """Made."""
    text = "".join(
        f"{line.format(name, rate)}\n" for name, rate in (("nginx 1.27", 11542), ("shared_buffers = 8MB", 9234.5))
    )
    blocks, draft = read(f"Load tests:\n\n{text}")
    assert [config.name for config in draft.experiments[0].configs] == ["nginx 1.27", "shared_buffers = 8MB"]
    assert [block.load_results[0].requests_per_second for block in blocks] == [11542, 9234.5]


@pytest.mark.parametrize(
    "line",
    [
        "2024-01-01 12:00:0{} worker: qps 1542.3",  # of a log
        "nginx {}: target rps = 1001",
        "p99 of {}: 12 ms, qps = 1000.5",
        "worker {}: qps 12%",
        "slot {}: steps = 1002",
        "client {}, rps = 100",  # may be set
        "bench(client {}, rps=1234, n=10)",
    ],
)
def test_what_is_no_list_of_results_has_none_where_a_unit_stands_before_a_figure(line):
    """Made."""
    blocks, _ = read(line.format(1) + "\n" + line.format(2) + "\n")
    assert not any(block.values for block in blocks)


SAMPLES = (
    "| Label | # Samples | Average | Median | 90% Line | 95% Line | 99% Line | Min | Max | Error % | Throughput | KB/sec |\n"
    f"|{'---|' * 12}\n"
)


def test_an_aggregate_report_of_jmeter_as_a_table_is_read_with_its_units():
    rows = "| Login | 713 | 83 | 93 | 98 | 100 | 104 | 25 | 204 | 1.50% | 11.87918 | 1.44 |\n"
    blocks, draft = read(
        f"{SAMPLES}{rows}{rows.replace('Login', 'Search').replace('11.8', '12.8')}{rows.replace('Login', 'TOTAL')}"
    )
    values = blocks[0].values
    assert [block.values["load"] for block in blocks] == ["Login", "Search"]
    assert (values["requests_per_second"], values["mean_ms"], values["max_ms"]) == (11.87918, 83, 204)
    assert values["percentiles_ms"] == {"50": 93, "90": 98, "95": 100, "99": 104}
    assert values["availability_pct"] == 98.5
    assert len(draft.experiments[0].configs) == 1


def test_threads_in_place_of_labels_are_the_load_of_a_report_of_samples():
    rows = "".join(
        f"| {n} | 713 | 83 | 93 | 98 | 100 | 104 | 25 | 204 | 0.000% | {n + 0.5} | 1.44 |\n" for n in (1, 10)
    )
    blocks, _ = read(f"## with index\n\n{SAMPLES.replace('Label', '# Threads')}{rows}")
    assert [(block.values["concurrency"], block.values["requests_per_second"]) for block in blocks] == [
        (1, 1.5),
        (10, 10.5),
    ]


@pytest.mark.parametrize("lacking", ["# Samples", "Error %"])
def test_a_throughput_without_a_unit_is_no_rate_in_other_tables(lacking):
    rows = "| Login | 713 | 83 | 93 | 98 | 100 | 104 | 25 | 204 | 1.50% | 11.87918 | 1.44 |\n"
    blocks, draft = read(f"{SAMPLES.replace(lacking, 'Pages')}{rows}{rows.replace('11.8', '12.8')}")
    assert not any(block.load_results for block in blocks)
    assert not draft.experiments


def test_about_so_many_of_something_else_is_no_part_of_a_name_and_lets_sections_be_workloads():
    def write_section(title: str, *rows: str) -> str:
        return f"## {title}\n\n| Project | Switches | RPS |\n|---|---|---|\n{''.join(rows)}\n"

    text = (
        write_section("1.1 /query", "| gin | 21000+ | 26512 |\n", "| vertx | 3000+ | 16175 |\n")
        + write_section("1.2 /add", "| gin | 10000+ | 2185 |\n", "| vertx | 66000+ | 1883 |\n")
    )  # fmt: skip
    assert {name for name, *_ in runs_of(text)[0]} == {
        f"/{way} · {name}" for way in ("query", "add") for name in ("gin", "vertx")
    }


@pytest.mark.parametrize("name", ["node:net (text)", "node:http"])
def test_a_module_of_node_is_no_host(name):
    found, _ = runs_of(f"| Server | RPS |\n|---|---|\n| {name} | 2185 |\n| fastify | 1883 |\n")
    assert [each for each, *_ in found] == [name, "fastify"]


def test_the_rows_of_two_tables_below_commands_of_two_tools_are_no_repeats():
    rows = table("12,346", "10,010")
    text = f"```bash\nhey -z 15s http://10.0.0.7/\n```\n{rows}```bash\nwrk -t4 -c512 -d15s http://10.0.0.7/\n```\n"
    _, draft = read(text + table("23,816", "11,555"))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["nginx", "caddy"]
    assert [run.repeat for run in experiment.runs] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "heading", ["#### 执行```{}```", "### `{}`", "Command: `{}`", "**Command:** `{}`", "Test: `{}`"]
)
def test_the_rows_of_tables_below_commands_that_differ_in_any_option_are_no_repeats(heading):
    commands = [
        f"wrk -t{threads} -c{clients} -d60s http://10.0.0.7/ping" for clients in (50, 500) for threads in (2, 8)
    ]
    tables = [f"{heading.format(text)}\n\n{table(f'{9 + at}.5K', '8.1K')}" for at, text in enumerate(commands)]
    found, _ = runs_of("\n".join(tables))
    assert {name for name, *_ in found} == {"nginx", "caddy"}
    assert [repeat for *_, repeat in found] == [1] * 8


@pytest.mark.parametrize("title", ["load", "Results", "client"])
def test_a_table_of_metrics_may_have_no_title_above_its_values(title):
    rows = "".join(
        f"| {name} | {n} |\n" for n, name in enumerate(("CPU (%)", "Memory (MB)", "Build (ms)", "Start (ms)"), 20)
    )
    form = (
        "{0}\n\n| "
        + title
        + " | |\n| --- | --- |\n"
        + rows * 2
        + "| Requests/sec | {1} |\n| Requests/sec (max) | 99,001 |\n\n"
    )
    found, _ = runs_of(form.format("haproxy", "12,911") + form.format("envoy", "6,466"))
    assert found == [("haproxy", "rate_table", 1), ("envoy", "rate_table", 1)]


def test_a_table_without_bars_at_its_ends_may_have_one_line_of_dashes_below_its_titles():
    blocks, _ = read("## nginx\n\nmode | rps | rss\n----------------\n off | 32060 | 1032\n  on | 55080 | 1040\n")
    assert [block.values["requests_per_second"] for block in blocks] == [32060, 55080]


def test_an_aggregate_report_of_jmeter_as_a_csv_file_is_read_with_its_units():
    titles = "Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Maximum,Error %,Throughput,Received KB/sec"
    figures = "500,120,110,200,240,300,50,420,0.00%,{0}.46,12.1"
    rows = f'"login, home",{figures}\nTOTAL,{figures}\n'
    sections = "".join(
        f"## {name}\n\n{titles}\n{rows.format(rate)}\n" for name, rate in (("JDK 17", 38), ("JDK 21", 48))
    )
    assert loads_of(sections) == [("JDK 17", None, 38.46), ("JDK 21", None, 48.46)]
    blocks, _ = read(sections)
    assert blocks[0].load_results[0].percentiles_ms["99"] == 300


def test_a_column_of_sizes_of_data_is_what_was_requested():
    rows = "| koa | big | 6197 |\n| gin | big | 6181 |\n| koa | small | 13124 |\n| gin | small | 24377 |\n"
    found = loads_of(f"| server | data size | req/s |\n|---|---|---|\n{rows}")
    assert [(name, path) for name, path, _ in found] == [
        ("koa", "big"),
        ("gin", "big"),
        ("koa", "small"),
        ("gin", "small"),
    ]


def test_what_each_config_served_may_stand_in_a_column_without_a_title():
    rows = "| Apache | PHP | 9,870 |\n| | HTML | 8,290 |\n| Nginx | PHP | 13,210 |\n| | HTML | 14,130 |\n"
    found, _ = runs_of(f"| | | Requests/sec |\n|---|---|---|\n{rows}")
    assert [name for name, *_ in found] == ["Apache · PHP", "Apache · HTML", "Nginx · PHP", "Nginx · HTML"]


def test_a_line_about_the_method_that_tells_of_a_warm_up_leaves_no_row_out():
    said = "* Method: two rounds with 100 connections; one to warm-up, one to measure\n\n"
    for rows in (table("12,346", "10,010"), "server,req/s\nnginx,12346\ncaddy,10010\n"):
        assert [repeat for *_, repeat in runs_of(said + rows)[0]] == [1, 1]


def test_times_whose_unit_stands_before_the_percentile_name_no_load():
    titles = "Server\tResponse times (ms) 50th Percentile\tResponse times (ms) 95th Percentile\tRequests per second\n"
    blocks, _ = read(f"{titles}nginx\t6\t20\t~4980\ncaddy\t465\t2350\t~3550\n")
    assert [(block.label, block.load_results[0].path) for block in blocks] == [("nginx", None), ("caddy", None)]


def test_rates_below_a_heading_that_calls_them_a_warm_up_are_left_out():
    for rates in ("- nginx: {} req/s\n- caddy: {} req/s\n", table("{}", "{}")):
        text = f"## Warm-up\n\n{rates.format('1,900', '1,800')}\n## Measured\n\n{rates.format('2,900', '2,800')}"
        assert [repeat for *_, repeat in runs_of(text)[0]] == [0, 0, 1, 1]


def test_a_list_of_rates_with_decimal_commas_has_the_clients_and_the_name_behind():
    items = ("152,94 Requests/s, 250 Concurrency: Apache", "146,68 Requests/s, 50 Concurrency: nginx + APC")
    items += ("132,4 Requests/s, 50 Concurrency: Apache",)
    _, draft = read("Die schnellsten:\n\n" + "".join(f"  {n}. {item}\n" for n, item in enumerate(items, start=1)))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    listed = [(names[run.config], run.method.concurrency) for run in experiment.runs]
    assert listed == [("Apache", 250), ("nginx + APC", 50), ("Apache", 50)]
