"""Tables, sentences, prompts and headings of strangers' documents. Figures and tool output are theirs, the words are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read

AB = "ab -n 500 -c 10 http://localhost/page.html"


def rates_by_name(text: str) -> dict[str, list[float | None]]:
    """{config's name: rates of its runs}, of all experiments."""
    blocks, draft = read(expand(text))
    names = {config.key: config.name for experiment in draft.experiments for config in experiment.configs}
    found: dict[str, list[float | None]] = {name: [] for name in names.values()}
    for run in (run for experiment in draft.experiments for run in experiment.runs):
        found[names[run.config]].append(blocks[run.block].load_results[0].requests_per_second)
    return found


def test_a_caption_on_the_order_does_not_make_rates_of_the_other_columns_or_loads_of_versions():
    rows = "| [alpha](https://example.org/a/) `1.0.3` | 16808 | 3.42\n| [beta](https://example.org/b/) `0.69` | 14586 | 3.84\n"
    text = f"## HTML\n\nSorted by max req/s\n\n| Framework | Requests/sec | Latency 50% (ms) |\n|---|---|---|\n{rows}"
    assert rates_by_name(text) == {"alpha 1.0.3": [16808], "beta 0.69": [14586]}


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("| Dienst | P50 | P95 | Durchsatz | Status |", " req/s"),
        ("| Dienst | P50 | P95 | Anfragen/Sek | Status |", ""),
        ("| Target | P50 | P95 | RPS | Status |", ""),
    ],
)
def test_a_rate_may_stand_in_any_column_in_other_languages_and_beside_targets(heading, unit):
    rows = "".join(
        f"| {name} | 31.8 ms | 60.7 ms | {rate}{unit} | ok |\n" for name, rate in (("alt", 126), ("neu", 184))
    )
    assert rates_by_name(f"{heading}\n|---|---|---|---|---|\n{rows}") == {"alt": [126], "neu": [184]}


@pytest.mark.parametrize("unit", ["k /s", "k/s", "k req/s"])
def test_an_editor_may_have_padded_the_cells_of_a_table_to_those_of_a_long_link(unit):
    """Real: figures of webframework-benchmark, whose first column is 60 characters wide."""
    names = ("nginx", "drogon")
    links = [f"[{name}](https://github.com/{name * 5}/{name})".ljust(70) for name in names]
    rows = [f"| {link} | C++      | {rate}{unit} |\n" for link, rate in zip(links, (336, 320), strict=True)]
    text = f"| {'Server':70} | Language | Throughput |\n| {'-' * 70} | -------- | ---------: |\n{''.join(rows)}"
    assert rates_by_name(text) == {"nginx": [336_000], "drogon": [320_000]}


def test_numbers_that_go_on_with_those_of_clients_are_no_repeats():
    """Real: a table of http-benchmarks, of which only the first column says what the numbers are."""
    rows = "|ewe|20525.33 req/s|32473.97 req/s|63399.30 req/s\n|go|20136.63 req/s|43623.03 req/s|77713.4 req/s\n"
    blocks, draft = read(f"#### `GET /`\n|Framework|Concurrency 1|2|4\n|---|---|---|---\n{rows}")
    assert [run.method.concurrency for run in draft.experiments[0].runs] == [1, 2, 4, 1, 2, 4]
    assert [run.repeat for run in draft.experiments[0].runs] == [1] * len(blocks)


def test_clients_above_a_rate_of_an_own_program_are_its_load():
    """Real: two of a sweep's summaries of http-benchmark."""
    text = "# gin\n\n" + "\n".join(
        f"Summary:\n\tClients:\t{n}\n\tTotal time:\t{took}s\n\tRequests per second:\t{rate}\n"
        "\tFastest time for request:\t0.08ms\n\tAverage time per request:\t0.11ms\n"
        for n, took, rate in ((1, 114.79, 8711.51), (2, 62.55, 15986.11))
    )
    assert rates_by_name(text) == {"gin": [8711.51, 15986.11]}
    assert rates_by_name("Goal:\n\tRequests per second:\t900\n\tErrors:\tnone\n") == {}


def test_a_goal_beside_the_rate_is_none():
    assert rates_by_name("| Server | Target RPS | RPS |\n|---|---|---|\n| a1 | 500 | 480 |\n| b1 | 500 | 490 |\n") == {}


def test_a_table_of_values_below_a_name_is_a_run_of_that_name_without_its_deviation():
    rows = "| Failed request | 0 | 0 |\n| Requests per second | {} | 21.50 |\n"
    tables = (
        f"| {name} | Mediciones | Desviacion estándar |\n|---|---|---|\n{rows.format(rate)}\n"
        for name, rate in (("haproxy", 1385.27), ("directo", 2277.62))
    )
    assert rates_by_name("\n".join(tables)) == {"haproxy": [1385.27], "directo": [2277.62]}


def test_a_unit_may_follow_other_scripts_in_a_numbered_caption():
    rows = "Concurrency | eins  | zwei\n--- | --- | ---\n10 | 21.94k | 15.42k\n100 | 28.21k | 16.95k\n"
    one = f"### 1.使用wrk测试长连接Req/Sec\n\n{rows}"
    assert rates_by_name(one) == {"eins": [21940, 28210], "zwei": [15420, 16950]}


def test_tables_below_captions_of_their_own_are_not_averaged():
    rows = "Concurrency | eins  | zwei\n--- | --- | ---\n10 | 21.94k | 15.42k\n100 | 28.21k | 16.95k\n"
    blocks, draft = read(f"### wrk, keep-alive, Req/Sec\n\n{rows}\n### ab, Req/Sec\n\n{rows.replace('.', '.3')}")
    assert len({(run.config, run.method) for experiment in draft.experiments for run in experiment.runs}) == 8
    assert [run.repeat for experiment in draft.experiments for run in experiment.runs] == [1] * len(blocks)


def test_requests_that_were_counted_are_no_load():
    rows = "| bytes | 1464838 | 146427 |\n| text | 1449800 | 144931 |\n"
    blocks, _ = read(f"| Type | Total requests | RPS |\n|---|---|---|\n{rows}")
    assert [block.load_results[0].path for block in blocks] == [None, None]
    rows = "| bytes | 10000 | 146427 |\n| bytes | 100000 | 144931 |\n"
    blocks, _ = read(f"| Type | Total requests | RPS |\n|---|---|---|\n{rows}")
    assert [block.load_results[0].path for block in blocks] == ["Total requests 10000", "Total requests 100000"]


def test_what_tables_below_several_headings_request_is_no_config():
    rows = "| API | RPS |\n|---|---|\n| list_api | {} |\n| search_api | {} |\n\n"
    text = f"## Round robin\n\n{rows.format(1866, 447)}## Least connections\n\n{rows.format(1720, 271)}"
    blocks, draft = read(text)
    (experiment,) = draft.experiments
    paths = {blocks[run.block].load_results[0].path: run.config for run in experiment.runs}
    assert [*paths] == ["list_api", "search_api"]
    assert [(each.name, each.group) for each in experiment.configs] == [("Round robin", ""), ("Least connections", "")]


def test_versions_of_what_was_used_are_no_repeats():
    rows = "".join(f"| 3.{at} | get | {rate} |\n" for at, rate in ((10, 144711), (11, 143137)))
    found = rates_by_name(f"| Python version | Request | RPS |\n|---|---|---|\n{rows}")
    assert found == {"3.10 · get": [144711], "3.11 · get": [143137]}


def test_headings_of_html_are_headings():
    table = "| Server | RPS |\n|---|---|\n| a1 | {} |\n| b1 | {} |\n\n"
    text = f'<h3 id="x">Pages</h3>\n\n{table.format(900, 800)}<h3 id="y">Uploads</h3>\n\n{table.format(90, 80)}'
    assert [*rates_by_name(text)] == ["Pages · a1", "Pages · b1", "Uploads · a1", "Uploads · b1"]
    found = rates_by_name(
        "".join(
            f"<h1>Speed of {name}</h1>\n\nThe tool was ab\n\n@ab {rate}\n" for name, rate in (("one", 9), ("two", 8))
        )
    )
    assert [*found] == ["Speed of one", "Speed of two"]


def test_attributes_of_a_heading_are_no_part_of_the_name():
    assert [*rates_by_name("## Plain {#plain}\n\n@ab 900.1\n\n## Tuned {#tuned}\n\n@ab 1200.2\n")] == ["Plain", "Tuned"]


def test_a_sentence_names_its_rate_by_the_heading_where_somebody_speaks_of_his_own():
    text = "## nginx\n\nI get 2,363.37 Requests per second (mean).\n\n## apache\n\nI get 1,201.10 Requests per second (mean).\n"
    assert rates_by_name(text) == {"nginx": [2363.37], "apache": [1201.1]}


def test_letters_name_the_two_of_a_sentence():
    assert rates_by_name("A served 900 req/s while B managed 1200 req/s.\n") == {"A": [900], "B": [1200]}


@pytest.mark.parametrize("prompt", ["[{}] $", "~/app-{} $", "eva@web1:~/src/app-{}$", "[eva@web1 ~/src/app-{}]$"])
def test_what_prompts_name_tells_runs_apart(prompt):
    typed = (f"{prompt.format(name)} {AB}\n@ab {rate}\n" for name, rate in (("old", 900.1), ("new", 1200.2)))
    names = [*rates_by_name("".join(typed))]
    assert len(names) == 2 and names[0].endswith("old") and names[1].endswith("new")


@pytest.mark.parametrize("paths", [("~", "~/bench"), ("~/wrk", "~/ab"), ("~/a/x", "~/b/y")])
def test_directories_that_do_not_stand_side_by_side_tell_nothing(paths):
    assert (
        len(
            rates_by_name(
                "".join(f"{path} $ {AB}\n@ab {rate}\n" for path, rate in zip(paths, (900.1, 901.2), strict=True))
            )
        )
        == 1
    )


@pytest.mark.parametrize(
    "line",
    [
        "**2209 replies/sec**",
        "Load at start: 0.03",
        "2017/11/06 11:43:15 http server started on port 8081",
        "31946:M 04 Nov 13:14:16.085 * Ready to accept connections",
        "#routes(http)",
        "# Options",
    ],
)
def test_a_figure_a_log_line_or_a_line_of_code_names_no_config(line):
    text = f"--- PLAIN ---\n{line}\n@ab 900.1\n\n--- TUNED ---\n{line.replace('8081', '8082')}\n@ab 1200.2\n"
    assert rates_by_name(text) == {"PLAIN": [900.1], "TUNED": [1200.2]}


def test_a_heading_above_an_output_with_line_numbers_has_none():
    lines = expand("nginx\n\n@ab 900.1\n\napache\n\n@ab 1200.2\n").split("\n")
    assert [*rates_by_name("".join(f"{at:3d}  {line}\n" for at, line in enumerate(lines, 1)))] == ["nginx", "apache"]


@pytest.mark.parametrize("words", ["vs", "against", "compared with", "compared to"])
def test_a_title_that_compares_names_the_first_run_by_what_the_second_is_not(words):
    text = f"# php-fpm {words} mod_php\n\n@ab 900.1\n\n## mod_php\n\n@ab 1200.2\n"
    assert rates_by_name(text) == {"php-fpm": [900.1], "mod_php": [1200.2]}


@pytest.mark.parametrize("sign", ["{}{}", "{} {}"])
def test_a_diff_without_its_head_is_before_and_after(sign):
    old, new = (expand(f"@ab {rate}").split("\n") for rate in ("900.1", "1200.2"))
    changed = "".join(f"{sign.format(mark, text)}\n" for mark, own in (("-", old), ("+", new)) for text in own)
    assert rates_by_name(changed) == {"before": [900.1], "after": [1200.2]}
    lines = (f" {a}\n" if a == b else f"-{a}\n+{b}\n" for a, b in zip(old, new, strict=True))
    assert rates_by_name("".join(lines)) == {"before": [900.1], "after": [1200.2]}


def test_lists_with_signs_are_no_diff():
    assert rates_by_name("- nginx: 900 req/s\n- caddy: 800 req/s\n") == {"nginx": [900], "caddy": [800]}


def test_a_name_that_stands_below_one_language_alone_is_told_with_it_as_the_others_are():
    runs = "## go\n\n### plain\n\n@ab 900.1\n\n### limited\n\n@ab 300.1\n\n## rust\n\n### plain\n\n@ab 901.2\n"
    assert [*rates_by_name(runs)] == ["go · plain", "go · limited", "rust · plain"]


def test_a_heading_that_says_more_of_the_one_above_names_its_runs():
    text = "## Caddy\n\n### Caddy, direct answer\n\n@ab 900.1\n\n## Caddy as a proxy\n\n@ab 300.1\n"
    assert [*rates_by_name(text.replace("Caddy, direct", "Caddy direct"))] == [
        "Caddy direct answer",
        "Caddy as a proxy",
    ]


def test_a_line_that_begins_with_a_bold_label_is_a_name():
    sides = (
        ("Alpha", "one thread, no disk", 900.1),
        ("Beta", "one thread, no disk", 901.2),
        ("Beta", "all threads, no disk", 1200.2),
    )
    found = rates_by_name("".join(f"**{name}**: {said}.\n\n```\n@ab {rate}\n```\n\n" for name, said, rate in sides))
    assert len(found) == 3 and all(("Alpha" in name) == (rates == [900.1]) for name, rates in found.items())


@pytest.mark.parametrize("below", ["- p95: < 100 ms", "Latency: <100 ms", "Latency target: 50 ms", "Nodes: 3"])
def test_a_throughput_beside_goals_or_without_latencies_is_none(below):
    assert rates_by_name(f"Throughput: 1000 req/s\n{below}\n") == {}


def test_an_address_below_localhost_is_on_the_machine_of_the_prompt():
    _, draft = read(expand("eva@web7:/var/www$ ./bench.sh\n@ab 900.1 host=app.localhost\n"))
    assert [host.name for host in draft.hosts] == ["web7"]


def test_numbers_of_sections_within_sections_are_no_part_of_names():
    text = "".join(
        f"({part}) Keep-Alive {state}\n\n"
        + "".join(
            f"({part}.{at}) {name}\n\n@ab {900 + 10 * part + at}.10\n\n"
            for at, name in enumerate(("event", "worker"), 1)
        )
        for part, state in ((1, "off"), (2, "on"))
    )
    assert [*rates_by_name(text)] == [
        f"Keep-Alive {state} · {name}" for state in ("off", "on") for name in ("event", "worker")
    ]


def test_the_host_of_a_scripts_prompt_is_the_machine():
    _, draft = read(expand("eva@web7:/var/www$ ./bench.sh\n@ab 900.1\n"))
    assert [host.name for host in draft.hosts] == ["web7"]


@pytest.mark.parametrize("titles", [("1 KB", "1 MB"), ("2 threads", "8 threads"), ("c=10", "c=100")])
@pytest.mark.parametrize("shape", ["{}:", "**{}**", "{}:\n"])
def test_lists_of_the_same_names_below_amounts_are_of_a_workload_each_and_no_repeats(titles, shape):
    first, second = (shape.format(title) for title in titles)
    text = f"{first}\n- nginx: 12,345 req/s\n- caddy: 9,876 req/s\n\n{second}\n- nginx: 345 req/s\n- caddy: 376 req/s\n"
    assert rates_by_name(f"Our servers\n\n{text}") == {
        f"{titles[0]} · nginx": [12345],
        f"{titles[0]} · caddy": [9876],
        f"{titles[1]} · nginx": [345],
        f"{titles[1]} · caddy": [376],
    }


def test_reports_of_the_same_names_below_amounts_are_of_a_workload_each():
    text = "1 KB:\n\nnginx\n@wrk 9000.50\n\ncaddy\n@wrk 8000.50\n\n1 MB:\n\nnginx\n@wrk 900.50\n\ncaddy\n@wrk 800.50\n"
    assert rates_by_name(text) == {
        "1 KB · nginx": [9000.5],
        "1 KB · caddy": [8000.5],
        "1 MB · nginx": [900.5],
        "1 MB · caddy": [800.5],
    }


def test_titles_of_the_highest_level_above_lists_of_the_same_names_are_of_a_workload_each():
    text = "# Small\n\nnginx: 12345 req/s\ncaddy: 9876 req/s\n\n# Large\n\nnginx: 345 req/s\ncaddy: 376 req/s\n"
    assert [*rates_by_name(text)] == ["Small · nginx", "Small · caddy", "Large · nginx", "Large · caddy"]
    repeats = text.replace("Small", "Run 1").replace("Large", "Run 2")
    assert rates_by_name(repeats) == {"nginx": [12345, 345], "caddy": [9876, 376]}


def test_a_list_of_settings_names_by_what_another_one_changes_and_else_nothing():
    text = "pm = static\npm.max_children = {}\npm.start_servers = 10\n\n@ab {}\n\n"
    one, two = text.format(50, 500.5), text.format(100, 700.5)
    assert rates_by_name(one + two) == {"pm.max_children = 50": [500.5], "pm.max_children = 100": [700.5]}
    (name,) = rates_by_name(one)
    assert "=" not in name
    assert rates_by_name(f"nginx as installed\n\n@ab 400.5\n\n{one}") == {
        "nginx as installed": [400.5],
        "pm.start_servers = 10": [500.5],
    }


@pytest.mark.parametrize(
    "form", ["_pm.a = {}\npm.b = {}\npm.c = {}_", "maxThreads: {}\nminSpare: {}\naccept-count: {}"]
)
def test_lists_of_settings_name_by_as_many_of_them_as_tell_all_apart(form):
    lists = {500.5: (10, 2, 4), 600.5: (17, 2, 4), 700.5: (17, 5, 9), 501.5: (10, 2, 4)}
    found = rates_by_name("".join(f"{form.format(*own)}\n\n@ab {rate}\n\n" for rate, own in lists.items()))
    assert [*found.values()] == [[500.5, 501.5], [600.5], [700.5]]


@pytest.mark.parametrize("names", [("A", "B"), ("before", "after"), ("2 processes", "4 processes")])
@pytest.mark.parametrize("shown", ["cat b.conf\nserver {\n    sendfile off;\n}", "free -m\n@free"])
def test_headings_name_what_is_measured_below_a_file_or_a_monitor(names, shown):
    reports = (f"\n@ab {rate}\n$ {AB}\n@ab {rate + 1}\n" for rate in (700.5, 900.5))
    one, two = (f"## {name}\n\n$ {shown}\n$ {AB}{report}\n" for name, report in zip(names, reports, strict=True))
    assert rates_by_name(f"# Our page\n\n{one}{two}") == {names[0]: [700.5, 701.5], names[1]: [900.5, 901.5]}


@pytest.mark.parametrize("setting", ["worker_processes {};\nworker_connections 1024;", "MaxClients {}\nKeepAlive On"])
def test_lines_of_a_config_without_its_file_s_name_tell_runs_apart(setting):
    _, draft = read(expand(f"{setting.format(1)}\n\n@wrk 5000.5\n\n{setting.format(4)}\n\n@wrk 12000.5\n"))
    key = setting.split()[0]
    assert [config.name for config in draft.experiments[0].configs] == [f"{key} 1", f"{key} 4"]


@pytest.mark.parametrize(
    "change",
    [
        "worker_processes 1 => 2;",
        "worker_processes: 1 -> 2",
        "\nI changed worker_processes from 1 -> 2\n",
        "$ # worker_processes 1; → worker_processes 2;",
        "\n## worker_processes 1 → 2\n",
    ],
)
def test_a_change_with_an_arrow_names_what_was_measured_before_it_too(change):
    assert rates_by_name(f"$ {AB}\n@ab 700.5\n{change}\n$ {AB}\n@ab 900.5\n") == {
        "worker_processes 1": [700.5],
        "worker_processes 2": [900.5],
    }


def test_figures_that_an_arrow_stands_between_are_no_change():
    assert [*rates_by_name(f"$ {AB}\n@ab 700.5\nrps 700 -> 900\n$ {AB}\n@ab 705.5\n")] == ["nginx/1.22.1"]


def test_several_changes_in_a_line_and_an_upgrade_are_told():
    for change, names in (
        (
            "pm.max_children 5 -> 50, opcache.enable 0 -> 1",
            ["pm.max_children 5, opcache.enable 0", "pm.max_children 50, opcache.enable 1"],
        ),
        ("Upgraded Node 18 -> 20", ["Node 18", "Node 20"]),
    ):
        assert [*rates_by_name(f"$ {AB}\n@ab 700.5\n\n{change}\n\n$ {AB}\n@ab 900.5\n")] == names


def test_a_heading_right_behind_a_fence_and_one_that_is_a_link_name_what_follows():
    texts = (
        "```bash\n$ wrk -t4 -c40 -d5s http://localhost:8080/\n```\n#### one\n```\nINFO: 10 workers up\n\n@wrk 700.50\n```\n",
        "### [by/two](https://example.org/by/two)\n```\n@wrk 900.50\n```\n",
    )
    assert [*rates_by_name("\n".join(texts))] == ["one", "by/two"]


def test_a_heading_may_end_as_code_does():
    assert [*rates_by_name("# Old parser;\n@ab 700.5\n# keep-alive on;\n@ab 900.5\n")] == [
        "Old parser",
        "keep-alive on",
    ]
