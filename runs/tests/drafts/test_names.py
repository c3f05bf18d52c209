"""What names a config in the posts of strangers, and what stands above a report and names nothing. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import FIXTURES, expand, read, siege

H2LOAD = (FIXTURES / "h2load/h2load_01.txt").read_text().partition("\n")[2]
ALONE = "\n\n@ab {rate} server=\n\n"

SERVERS = (("nginx", 900.1), ("caddy", 800.1))
NAMED = (("nginx-a", 500.1), ("caddy", 400.1))


def names_of(text: str) -> list[str]:
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    return [config.name for config in experiment.configs]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("jetty1", "jetty2", "jetty3", "netty1", "netty2", "netty3"), ["jetty", "netty"]),
        (("jetty9", "jetty10", "netty3", "netty4"), ["jetty9", "jetty10", "netty3", "netty4"]),
        (("jetty1", "jetty2", "jetty3"), ["jetty1", "jetty2", "jetty3"]),
        (("one_test1", "one_test64"), ["one_test1", "one_test64"]),
        (("nginx_test1", "nginx_test2"), ["nginx"]),
        (("nginx/1", "nginx/2", "apache/1", "apache/2"), ["nginx", "apache"]),
    ],
)
def test_the_numbers_of_files_are_those_of_repeats_where_several_files_count_alike(files, names):
    """The lines are what grep prints of several files."""
    rate = "Requests per second:    {}.98 [#/sec] (mean)"
    for number in ("", "12:"):  # `grep -n` puts the line's number there
        rates = (f"{file}.txt:{number}{rate.format(170 + at)}" for at, file in enumerate(files))
        assert names_of("\n".join(rates) + "\n") == names


@pytest.mark.parametrize("command", ["cat {}", "grep 'Requests per second' {}", "grep -n 'Requests per second' {}"])
def test_the_file_that_a_command_shows_names_the_rates_in_it(command):
    number = "12:" if "-n" in command else ""
    shown = (
        f"$ {command.format(f'{server}.log')}\n{number}Requests per second:    {rate} [#/sec] (mean)\n"
        for server, rate in SERVERS
    )
    assert names_of("".join(shown)) == ["nginx", "caddy"]


@pytest.mark.parametrize(
    "above",
    [
        "Following is sample apachebench output:",
        "### Sample Output",
        "You should see output similar to the following:",
        "so we can get idle time for available memory",
        "# -c 表示并发请求数为 1000，-n 表示总的请求数为 10000",
        "n = number of requests",
        "- `-c` specifies the concurrency",
        "### 测试结果",
        "### 3.2 测试报告",
        "- wrk\n- TCPCopy\n- LoadRunner",
        'connection to database "bench" failed:',
        "FATAL: remaining connection slots are reserved",
        "Environment",
        "Thu Nov 26 10:00:10 UTC 2026",
    ],
)
def test_what_explains_or_shows_an_output_names_no_config(above):
    assert names_of(f"{above}\n\n{H2LOAD}") == ["h2load"]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("single threaded", "versus multi-threaded"), ["single threaded", "multi-threaded"]),
        (("uwsgi workers, the results are:", "fcgi workers, the results are:"), ["uwsgi workers", "fcgi workers"]),
        (("Nightly(`700.0/s`):", "v7.0.1 (701 req/s):"), ["Nightly", "v7.0.1"]),
        (("Alpine:", "Ubuntu:", "and bare metal for reference:"), ["Alpine", "Ubuntu", "bare metal"]),
    ],
)
def test_words_that_lead_from_one_report_to_the_next_are_no_part_of_a_name(lines, names):
    reports = "".join(f"\n\n{line}\n\n@ab {700 + at} server=" for at, line in enumerate(lines))
    assert names_of(f"We measured this last week, on two machines.{reports}") == names


def test_items_alike_but_for_their_numbers_are_repeats_that_one_word_names():
    command = "gunicorn -w 4 -k {} --access-logfile - -b 127.0.0.1:5000 app:app"
    items = (
        f"{at}. {command.format(kind)}\n@wrk {700 + at}" for at, kind in enumerate(("gevent", "gevent", "eventlet"), 1)
    )
    assert names_of("\n\n".join(items)) == ["gevent", "eventlet"]


def test_a_japanese_sentence_is_not_named_by_a_word_that_any_measurement_has():
    text = "CPUとスワップを見るコマンド(sar -P ALL 1 100)を裏で実行しつつ、abコマンドを実行してみる。\n\n"
    assert names_of(f"{text}@ab 3.86 server= c=30\n\n@ab 7.55 server= c=20\n") == ["localhost:80"]
    assert names_of("1人で連続ページロードを実行してみましょう-\n\n@ab 7.55 server=\n") == ["localhost:80"]


def test_loads_in_parentheses_are_no_part_of_a_name():
    loads = (("nginx", 100, 10), ("nginx", 1000, 50), ("caddy", 100, 10), ("caddy", 1000, 50))
    shown = "Requests per second:    {rate} [#/sec]\nTime per request:       3.510 [ms]\nFailed requests:        0"
    text = "".join(
        f"## {name} ({n} requests, {c} concurrent)\n\n{shown.format(rate=900 + n + c)}\n\n" for name, n, c in loads
    )
    assert names_of(text) == ["nginx", "caddy"]


@pytest.mark.parametrize("heading", ["Test machine", "测试机器", "Hardware"])
def test_a_section_on_the_machine_groups_no_configs_below_it(heading):
    text = f"## Results\n\n### {heading}\n\n- RAM: 8 GB\n\n#### Koa\n\n@ab 900.1\n\n### Express\n\n@ab 800.1\n"
    _, draft = read(expand(text))
    assert [(config.name, config.group) for config in draft.experiments[0].configs] == [
        ("Koa", "Results"),
        ("Express", "Results"),
    ]


def test_memory_that_was_used_names_no_config():
    text = "".join(
        f"**{name}**\nUsed memory ({name}):   {at}25MB\n@ab {700 + at} server=\n\n"
        for at, name in enumerate(("old", "new"), 2)
    )
    assert names_of(text) == ["old", "new"]


@pytest.mark.parametrize("word", ["Processes", "Parallel", "Memory"])
def test_a_word_that_heads_a_monitors_output_elsewhere_names_a_report_among_headings_that_name_others(word):
    sections = "".join(
        f"## {name}\n\n@ab {at}00.5\n\n" for at, name in enumerate(("One by one", word, "Coroutines"), 1)
    )
    assert names_of(sections) == ["One by one", word, "Coroutines"]


def test_rows_of_a_csv_file_between_reports_name_nothing():
    rows = "---\npercentile,latency_us\n1e-06,{0}\n50,{0}1\n100,{0}2.5\n--next--\n"
    files = "".join(
        f"==> {name}.txt <==\n" + "".join(f"@wrk {rate}.5\n{rows.format(rate)}" for rate in (at, at + 7))
        for name, at in (("falcon", 310), ("sanic", 910))
    )
    assert names_of(files) == ["falcon", "sanic"]


def test_front_matter_names_nothing_but_the_experiment():
    text = "---\ntitle: 'Static files'\ntags:\n- german\n- http\nsummary: some benchmarks\n---\n\n@ab 100.5\n"
    _, draft = read(expand(text))
    assert [(each.name, each.configs[0].name) for each in draft.experiments] == [("Static files", "nginx/1.22.1")]


def test_lines_between_rules_at_the_top_of_a_text_name_as_any_others():
    assert names_of(expand("---\n## nginx\n---\n@ab 100.5\n## caddy\n@ab 200.5\n")) == ["nginx", "caddy"]


def test_what_stands_above_a_monitor_of_another_section_names_nothing():
    text = "## Server\n\n- CPU and memory of it\n\n$ free -m\n{free}\n\n## Test\n\n### Results\n\n{report}"
    free = (FIXTURES / "free/free_02_m.txt").read_text()
    assert names_of(text.format(free=free, report=H2LOAD)) == ["h2load"]


def test_a_tools_name_in_a_sentence_is_no_software_under_test():
    assert "Apache" not in names_of(
        "Apache Benchmarking tool with 10K concurrency on my laptop.\n\n@ab 100.5 server=\n"
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("## nginx 测试结果" + ALONE + "## caddy 测试结果" + ALONE, ["nginx", "caddy"]),
        ("## 开启缓存\n### 测试结果" + ALONE + "## 关闭缓存\n### 测试结果" + ALONE, ["开启缓存", "关闭缓存"]),
        (
            "## nginx\n### set-up\n### Results" + ALONE + "## caddy\n### the Caddyfile\n### Results" + ALONE,
            ["nginx", "caddy"],
        ),
        ("## 查询压力测试" + ALONE + "## 插入压力测试" + ALONE, ["查询压力测试", "插入压力测试"]),
        ("with php-fpm:" + ALONE + "with mod_php:" + ALONE, ["php-fpm", "mod_php"]),
        ("with cache:" + ALONE + "without cache:" + ALONE, ["with cache", "without cache"]),
    ],
)
def test_headings_name_without_the_words_that_all_results_have(text, names):
    assert names_of(text.replace("{rate}", "100.5", 1).replace("{rate}", "210.5")) == names


def test_a_report_glued_to_its_caption_begins_behind_it():
    banner = "** SIEGE 3.0.8\n** Preparing 5 concurrent users for battle.\nThe server is now under siege...\n"
    blocks, _ = read(expand(f"Siege Output{banner}Lifting the server siege... done.\n\n@siege 105.28\n"))
    assert [(block.kind, block.values["siege_version"], block.values["users"]) for block in blocks] == [
        ("siege", "3.0.8", 5)
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "## Config B: keep-alive\nB run 1\n@ab 100.5\nB run 2\n@ab 101.5\n"
            "## Config A: none\nA run 1\n@ab 90.5\nA run 2\n@ab 91.5\n",
            ["Config B: keep-alive", "Config A: none"],
        ),
        ("Sleep 1.\n\n@ab 95.5\nSleep 2.\n\n@ab 48.5\nSleep 3.\n\n@ab 32.5\n", ["Sleep 1", "Sleep 2", "Sleep 3"]),
        (">>> Testing go-chi ...\n@wrk 95.5\n>>> Testing gin ...\n@wrk 48.5\n", ["go-chi", "gin"]),
        (
            "##[group]Run bench main\n##[endgroup]\n@wrk 95.5\n##[group]Run bench PR\n##[endgroup]\n@wrk 48.5\n",
            ["Run bench main", "Run bench PR"],
        ),
        ("一、使用缓存的情况下：\n@ab 900.5\n二、不使用缓存的情况下：\n@ab 300.5\n", ["使用缓存", "不使用缓存"]),
    ],
)
def test_sections_of_plain_lines_name_what_was_measured(text, names):
    assert names_of(expand(text)) == names


def test_an_example_of_a_tools_output_counts_in_no_comparison():
    text = "# The proxy\n\nExample output of wrk:\n\n@wrk 748868.5\n\n## nginx\n\n@wrk 120.5\n\n## caddy\n\n@wrk 90.5\n"
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert [(run.counted, run.repeat) for run in experiment.runs] == [(False, 1), (True, 1), (True, 1)]


def test_a_method_that_only_the_heading_tells_is_that_of_the_requests():
    _, draft = read(expand("## GET /users\n\n@wrk 120.5\n\n## POST /users\n\n@wrk 90.5\n"))
    (experiment,) = draft.experiments
    assert [run.method.method for run in experiment.runs] == ["GET", "POST"]


@pytest.mark.parametrize("line", ["Endpoint: {}", "Эндпоинт: {}", "接口：{}", "### 🟢 `{}`"])
def test_a_path_that_only_a_heading_tells_is_what_was_requested(line):
    text = "".join(
        f"{line.format(path)}\n\n@siege {rate}\n\n" for path, rate in (("/team/get", 892.9), ("/team/add", 151.3))
    )
    _, draft = read(expand(text))
    paths = [run.method.path for run in draft.experiments[0].runs]
    assert paths == ["/team/get", "/team/add"]


def test_a_directory_that_a_heading_tells_is_no_path_of_requests():
    _, draft = read(expand("Builds: /opt/a\n\n@siege 120.5\n\nBuilds: /opt/b\n\n@siege 90.5\n"))
    assert {run.method.path for run in draft.experiments[0].runs} == {None}


@pytest.mark.parametrize("titles", [("1 KB", "10 KB", "100 KB"), ("small page:", "large page:"), ("login", "search")])
def test_lines_above_reports_of_one_address_that_say_what_was_requested_name_no_config(titles):
    text = "".join(f"{title}\n\n@ab {at}00.5\n\n" for at, title in enumerate(titles, 1))
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert [(config.name, experiment.name) for config in experiment.configs] == [("nginx/1.22.1", "nginx/1.22.1")]
    assert [run.repeat for run in experiment.runs] == [1] * len(titles)


@pytest.mark.parametrize("remark", ["# better now", "hmm, slow", "# ok that looks good", "Wow, much better!"])
def test_a_remark_on_a_result_names_none(remark):
    assert names_of(f"$ ab http://a/\n@ab 100.5\n{remark}\n$ ab http://a/\n@ab 200.5\n") == ["nginx/1.22.1"]


def test_a_first_line_that_is_the_title_of_all_is_no_label_of_the_first_run_and_what_somebody_says_is_no_title():
    command = "ab -n 500 -c 10 http://localhost{}/page.html"
    runs = "".join(f"{at}. {command.format(port)}\n\n@ab {at}00.5\n\n" for at, port in ((1, ":81"), (2, "")))
    (experiment,) = read(expand(f"Some numbers\n\n{runs}".replace("@ab 100.5", "@ab 100.5 port=81")))[1].experiments
    assert [run.label for run in experiment.runs] == ["nginx/1.22.1 on port 81", "nginx/1.22.1 on port 80"]
    said = "I ran it on my box with the patch\n\nwith patch:\n@ab 100.5\n\nwithout patch:\n@ab 200.5\n"
    assert read(expand(said))[1].experiments[0].name == "with patch and without patch"


@pytest.mark.parametrize(
    ("above", "names"),
    [
        (("*ab -n 100 -c 100 php*", "*ab -n 100 -c 100 lua*"), ["php", "lua"]),
        (("**mod_php** *(1344 requests   20/s)*", "**php-fpm** *(5423 requests   80/s)*"), ["mod_php", "php-fpm"]),
        (("sysctl -p", "ulimit -n 2028\n\nwith express"), ["localhost:8080", "express"]),
    ],
)
def test_a_name_behind_a_tools_options_or_before_its_result_is_a_name(above, names):
    assert names_of(below(*above)) == names


@pytest.mark.parametrize(
    "above", [(">>> Config: cache=off", ">>> Config: cache=on"), ("**Antes del cambio**", "**Después del cambio**")]
)
def test_what_a_script_says_behind_signs_and_a_state_with_an_article_are_names_as_a_whole(above):
    names = names_of(below(*above))
    assert all(name in line for name, line in zip(names, above, strict=True))
    assert names in (["cache=off", "cache=on"], ["Antes del cambio", "Después del cambio"])


@pytest.mark.parametrize("titles", [("1 KB", "10 KB"), ("search", "home"), ("alpha", "beta")])
def test_what_was_requested_below_each_of_two_headings_is_no_config(titles):
    text = "".join(
        f"## {name}\n\n"
        + "".join(
            f"{title}\n@ab {rate + at}0.5 path=/{at * ('KB' not in title)}\n\n" for at, title in enumerate(titles)
        )
        for name, rate in (("Before", 10), ("After", 20))
    )
    assert names_of(text) == ["Before", "After"]


def test_titles_that_are_numbered_and_tell_the_load_are_levels():
    text = "".join(
        f"## Test {at} (n={n} c={c})\n\n### a proxy\n\n@ab {at}00.5 c={c} n={n}\n\n### direct\n\n@ab {at}50.5 c={c} n={n}\n\n"
        for at, (n, c) in enumerate(((5000, 500), (10000, 1000)), 2)
    )
    assert names_of(text) == ["a proxy", "direct"]


def test_numbers_in_brackets_before_names_count_the_runs():
    runs = "".join(
        f"[{at}] {name}\n@ab {at}00.5 server=\n" for at, name in enumerate(("one", "one", "other", "other"), 1)
    )
    assert names_of(runs) == ["one", "other"]


def test_the_end_of_a_wrapped_rate_names_nothing():
    wrapped = "> Requests per second:    {}00.25 [#/sec]\n> (mean)\n\n"
    text = f"I measured nginx first:\n\n{wrapped.format(2)}Then I measured caddy:\n\n{wrapped.format(1)}"
    assert names_of(text) == ["nginx", "caddy"]


@pytest.mark.parametrize(
    ("above", "below", "names"),
    [
        (
            "We upgraded from Python 3.8 to Python 3.12 and got:",
            "And this was Python 3.8:",
            ["Python 3.12", "Python 3.8"],
        ),
        ("I tested on PHP 7.4 at first.", "Then on PHP 8.2, which is said to be faster.", ["PHP 7.4", "PHP 8.2"]),
        ("We get this on kernel 5.10:", "I see this on kernel 6.1.", ["kernel 5.10", "kernel 6.1"]),
        ("We ran it without cache first.", "And here with the cache.", ["without cache", "with cache"]),
        ("Erst kam die Messung ohne Varnish.", "Hier die Messung mit Varnish davor.", ["ohne Varnish", "mit Varnish"]),
        (
            "最初はキャッシュなしで測定しました。",
            "次にキャッシュありで測定しました。",
            ["キャッシュなし", "キャッシュあり"],
        ),
        ("v1:", "v2 (rate limited):", ["v1", "v2 (rate limited)"]),
        ("Default kernel:", "Low latency kernel:", ["Default kernel", "Low latency kernel"]),
        ("### G1", "### ZGC", ["G1", "ZGC"]),
    ],
)
def test_what_two_sentences_say_of_one_thing_tells_configs_apart(above, below, names):
    assert names_of(f"{above}\n\n@ab 900.1\n\n{below}\n\n@ab 500.1\n") == names


def test_the_server_whose_processes_were_looked_for_names_a_run_that_nothing_else_names():
    header = "USER  PID %CPU %MEM    VSZ   RSS TTY STAT START   TIME COMMAND\n"
    ps = f"$ ps aux | grep {{0}}\n{header}root   11  1.0  0.5 200000 12000 ? S 10:00 0:01 {{0}}\n"
    sessions = (f"{ps.format(server)}$ wrk -t4 -c100 -d30s http://web1/\n@wrk {rate}\n" for server, rate in SERVERS)
    assert names_of("".join(sessions)) == ["nginx", "caddy"]


def test_headings_of_a_template_for_issues_name_nothing():
    text = "### Expected behavior\n\nBefore:\n@ab 1.5 server=\n\n### Actual behavior\n\nAfter:\n@ab 2.5 server=\n"
    assert names_of(text) == ["Before", "After"]
    assert names_of("### Steps to reproduce\n\nab\n\n### Actual behavior\n\n@ab 1.5 server=\n") == ["localhost:80"]


def test_headings_of_a_template_name_what_nothing_else_tells_apart():
    text = "### Expected behavior\n\n@ab 1.5 server=\n\n### Actual behavior\n\n@ab 2.5 server=\n"
    assert names_of(text) == ["Expected behavior", "Actual behavior"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("h2. Results\n\nh3. PHP 7.4\n{noformat}", ["PHP 7.4", "PHP 8.2"]),
        ("== PHP 7.4 ==\n{code:title=a}", ["PHP 7.4", "PHP 8.2"]),
        ("PHP 7.4, three runs:\n", ["PHP 7.4", "PHP 8.2"]),
        ("# PHP 7.4, 3 runs each\n", ["PHP 7.4", "PHP 8.2"]),
        ("# PHP 7.4、3回実施\n", ["PHP 7.4", "PHP 8.2"]),
    ],
)
def test_headings_of_wikis_and_macros_beside_reports(text, names):
    end = "{noformat}" if "noformat" in text else "{code}" if "code" in text else ""
    other = text.rpartition("\n\n")[2].replace("7.4", "8.2")
    assert names_of(f"{text}@ab 1.5 server=\n{end}\n{other}@ab 2.5 server=\n{end}\n".replace("}@", "}\n@")) == names


def test_a_macro_on_the_line_of_a_command_hides_nothing():
    text = "h3. before\n{noformat}$ ab -n 500 -c 10 http://web1/\n@ab 1.5 server=\n{noformat}\n"
    blocks, _ = read(expand(text))
    assert [(block.command, block.heading) for block in blocks] == [("ab -n 500 -c 10 http://web1/", "### before")]


def test_a_setting_in_a_sentence_names_with_its_value():
    text = "MaxRequestWorkers 150\n\n@ab 1.5 server=\n\nI get this with MaxRequestWorkers 400:\n\n@ab 2.5 server=\n"
    assert names_of(text) == ["MaxRequestWorkers 150", "MaxRequestWorkers 400"]


def test_a_heading_that_another_version_inherits_does_not_name_it():
    text = "nginx 1.24\n\n@ab 1.5 server=nginx/1.24.0\n\n@ab 2.5 server=nginx/1.25.3\n"
    assert names_of(text) == ["nginx 1.24", "nginx/1.25.3"]


def test_a_letter_behind_a_colon_names_a_server():
    assert len(names_of("Server: A\n@ab 1.5 server=\nServer: B\n@ab 2.5 server=\n")) == 2


def test_an_experiment_of_groups_is_titled_by_what_stands_in_them():
    text = "".join(
        f"## {n} connections\n\n### nginx\n\n@ab {n}00.1 c={n}\n\n### caddy\n\n@ab {n}10.1 c={n}\n\n" for n in (10, 50)
    )
    _, draft = read(expand(text))
    assert [experiment.name for experiment in draft.experiments] == ["nginx and caddy"]


def test_lines_below_headings_that_only_say_the_load_of_each_run_are_levels_in_any_language():
    ran = "$ ab -n {n} -c {c} http://localhost/page.html\n@ab {rate} server= n={n} c={c}\n\n"
    text = "# Отчёт\n\n"
    for at, heading in enumerate(("## Без кэша", "## С кэшем")):
        text += f"{heading}\n\n"
        for n, c in ((1000, 10), (5000, 50)):
            text += f"### запросов {n}, соединений {c}\n\n" + ran.format(n=n, c=c, rate=100.5 + at + n / 100)
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["Без кэша", "С кэшем"]
    assert [run.repeat for run in experiment.runs] == [1, 1, 1, 1]  # of two methods each
    assert names_of(text.replace(", соединений 10", ", версия 10")) != [
        "Без кэша",
        "С кэшем",
    ]  # 10 and 50: not all are loads


def test_a_heading_that_stands_alone_below_each_other_heading_names_nothing():
    text = "# Details\n\n## go 1.24\n### GET\n\n@ab 900.1 server=\n\n## rust\n### GET\n\n@ab 800.1 server=\n"
    assert names_of(text) == ["go 1.24", "rust"]
    both = text.replace("## rust", "### POST\n\n@ab 700.1 server=\n\n## rust")
    assert len(names_of(both)) == 3


def test_a_heading_with_a_run_right_below_it_groups_no_others():
    text = "## plain ORM\n\n@ab 90.1\n\n### one query less\n\n@ab 80.1\n\n## pooled\n\n@ab 70.1\n"
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert {config.group for config in experiment.configs} == {""}


def test_the_command_above_a_quotation_tells_the_load_of_the_report_in_the_table():
    reports = [siege(rate) for rate in ("5.79", "5.32")]
    shown = "\n".join(f"$ siege -c{c} -t60S http://localhost/\n{r}\n" for c, r in zip((10, 25), reports, strict=True))
    _, draft = read("<td>Direct call</td>\n" + "\n".join(reports) + "\n\nRaw:\n\n" + shown)
    (experiment,) = draft.experiments
    assert [(run.repeat, run.method.concurrency) for run in experiment.runs] == [(1, 10), (1, 25)]


def test_a_section_with_a_long_heading_is_not_named_like_the_one_before_it():
    long = "Scenario E: the same as D, but with the reactive endpoint (no threads)"
    text = f"## Scenario D: more memory\n\n@ab 90.1\n\n## {long}\n\n- step 1\n- step 2\n\n@ab 80.1\n"
    assert names_of(text) == ["Scenario D: more memory", long]


def test_options_of_a_server_that_are_listed_above_reports_name_nothing():
    server = "```\n-XX:+Use{0}GC \\\n-Xmx8G \\\n-XX:+DisableExplicitGC\n```\n"
    text = "".join(
        f"{name}\n{server.format(name)}\n@line {rate}\n\n" for name, rate in (("ZGC", 91.5), ("Epsilon", 80.5))
    )
    assert names_of(text) == ["ZGC", "Epsilon"]


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("nginx 2024-05-01", "caddy 2024-05-01", "nginx 2024-05-02"), ["nginx", "caddy"]),
        (("[10:00] nginx", "[10:05] caddy", "[10:10] nginx"), ["nginx", "caddy"]),
        (("### nginx (Tue May 14 10:02:11 UTC 2024)", "### nginx (Wed May 15 10:02:11 UTC 2024)"), ["nginx"]),
        (("nightly 2024-05-01", "nightly (2024-05-02)"), ["nightly 2024-05-01", "nightly (2024-05-02)"]),
        (("nginx", "retry:", "one more time"), ["nginx"]),
        (("## Before, run 1", "## Before, run 2", "## After, run 1"), ["Before", "After"]),
        (("Control", "Control (repeat)", "Treatment", "Treatment, re-run"), ["Control", "Treatment"]),
        (("Before:", "Before again:", "After:", "After (second run):"), ["Before", "After"]),
        (("# Day 1\n## nginx", "## caddy", "# Day 2\n## nginx", "## caddy"), ["nginx", "caddy"]),
        (("nginx 第一次测试", "nginx 第二次测试"), ["nginx"]),
        (("nginx with retry", "nginx without retry"), ["nginx with retry", "nginx without retry"]),
        (("| cold |", "| hot |"), ["cold", "hot"]),
        (("==> nginx.1.txt <==", "==> nginx.2.txt <==", "==> caddy.1.txt <==", "==> caddy.2.txt <=="), ["nginx", "caddy"]),
        (('[b] 0:bash* 1:top-  "box" 10:02 14-May-24', '[b] 0:bash* 1:top-  "box" 10:05 14-May-24'), ["localhost:8080"]),
    ],
)  # fmt: skip
def test_dates_and_words_of_repeats_are_no_part_of_a_name(headings, names):
    assert names_of("".join(f"{text}\n@wrk {100 + at}.10\n" for at, text in enumerate(headings))) == names


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("nginx c=10", "nginx c=100", "caddy c=10", "caddy c=100"), ["nginx", "caddy"]),
        (("### nginx, 10 connections", "### nginx, 100 connections", "### caddy, 10 connections"), ["nginx", "caddy"]),
        (("nginx (10 gleichzeitige Zugriffe)", "nginx (100 gleichzeitige Zugriffe)"), ["nginx"]),
        (("并发为10，结果如下：", "并发为100，结果如下："), ["nginx/1.22.1"]),
        (("## 10 clientes", "## 100 clientes"), ["nginx/1.22.1"]),
        (("Throughput for 10 clients:", "Throughput for 100 clients:"), ["nginx/1.22.1"]),
        (("nginx-10", "nginx-100", "caddy-10"), ["nginx", "caddy"]),
        (("nginx 1.10", "nginx 1.100"), ["nginx 1.10", "nginx 1.100"]),
        (("nginx_10B", "nginx_100B"), ["nginx_10B", "nginx_100B"]),
        (("nginx with 5 workers", "nginx with 50 workers"), ["nginx with 5 workers", "nginx with 50 workers"]),
    ],
)
def test_a_number_that_a_report_prints_as_its_load_is_no_part_of_a_name(headings, names):
    levels = (10, 100, 10, 100)
    text = "\n".join(f"{heading}\n@ab 5{at}.1 c={levels[at]}\n" for at, heading in enumerate(headings))
    assert names_of(text) == names


@pytest.mark.parametrize(
    "names",
    [
        ("before", "after"),
        ("A", "B"),
        ("2 workers", "4 workers"),
        ("sendfile", "no sendfile"),
        ("nginx with cache", "nginx without cache"),
        ("[NO_CACHE]", "[CACHE]"),
        ("a (warm cache)", "b (warm cache)"),
    ],
)
@pytest.mark.parametrize(
    "form", ["{0}, c={1}", "{0} ({1} connections)", "{0} at concurrency {1}", "{0} с {1} потоками", "c={1}: {0}"]
)
def test_what_stands_beside_the_load_in_captions_tells_configs_apart(names, form):
    loads = [(name, level) for name in names for level in (10, 100)]
    text = "".join(f"{form.format(*each)}:\n\n@ab {500 + at}.5 c={each[1]}\n\n" for at, each in enumerate(loads))
    assert names_of(text) == [name.strip("[]") for name in names]


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("{0}_{1}", ("before", "after")),
        ("{1}. {0}", ("A", "B")),
        ("## {0} run\n\ncurl -X PUT http://web1/{1}\nStored {1}00 records in 16.03{1} s", ("Sequential", "Parallel")),
    ],
)
def test_names_beside_numbers_and_answers_stay_apart(form, names):
    loads = [(name, at) for name in names for at in (1, 2)]
    text = "".join(f"{form.format(*each)}\n\n@ab {500 + at}.5\n\n" for at, each in enumerate(loads))
    assert names_of(text) == [*names]


def test_plain_names_right_below_a_heading_with_signs_behind_it_are_captions():
    assert names_of("##nginx与caddy的性能测试##\n\n###AB测试###\nnginx\n@ab 1.5\n\ncaddy\n@ab 2.5\n") == [
        "nginx",
        "caddy",
    ]


def test_sizes_above_repeats_are_what_was_requested():
    loads = [(size, run) for size in ("1 KB", "10 KB") for run in (1, 2)]
    text = "".join(f"{size}, run {run}:\n\n@wrk {500 + at}.50\n\n" for at, (size, run) in enumerate(loads))
    blocks, draft = read(expand(text))
    assert [block.values["told_request"] for block in blocks] == ["1 KB", "1 KB", "10 KB", "10 KB"]
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 2, 1, 2]


def test_numbers_of_users_that_were_the_load_are_no_request():
    text = "".join(f"### Test {at}: {users} users\n\n@ab 900.5 c={users}\n\n" for at, users in enumerate((5, 50), 1))
    blocks, draft = read(expand(text))
    assert not any("told_request" in block.values for block in blocks)
    assert len(draft.experiments[0].configs) == 1


def test_threads_that_made_the_load_are_levels_where_they_recur_behind_several_names():
    report = (
        "Test [{}] con {} hilos:\nRunning 10s test @ http://localhost:8000/{}\n  {} threads and 10 connections\n"
        "  9460 requests in 10.02s, 2.07MB read\nRequests/sec:    943.7{}\nTransfer/sec:    211.05KB\n\n"
    )
    tests = ((name, n) for name in ("NO_CACHE", "CACHE") for n in (1, 5, 10))
    assert len(names_of("".join(report.format(name, n, name.lower(), n, n) for name, n in tests))) == 2


def test_a_load_that_all_headings_tell_alike_is_no_part_of_their_names():
    assert names_of("nginx c=10\n@ab 500.1\n\ncaddy c=10\n@ab 400.1 Caddy\n") == ["nginx", "caddy"]


@pytest.mark.parametrize(
    "heading",
    [
        *("## {}, 90 requests", "## [{}] 90 requests", "1) {}, 10 users", "With {} (ab -n 90 -c 10):"),
        *("## {} | 90 reqs | 10 conc", "{} | 90 reqs | 10 conc", "## {} / 90 reqs / 10 conc"),
    ],
)
def test_the_load_that_all_headings_tell_is_no_part_of_a_name(heading):
    text = "".join(f"{heading.format(name)}\n$ ab -n 90 -c 10 http://h/\n@ab {rate}\n\n" for name, rate in NAMED)
    assert names_of(text) == [name for name, _ in NAMED]


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("Wydajność serwera nginx", "Wydajność serwera caddy"), ["nginx", "caddy"]),
        (("Производительность gunicorn", "Производительность uvicorn"), ["gunicorn", "uvicorn"]),
        (("gunicorn-3.7 benchmark", "bjoern-3.7 benchmark"), ["gunicorn-3.7", "bjoern-3.7"]),
        (("Cache turned on", "Cache turned off"), ["Cache turned on", "Cache turned off"]),
        (("Laufzeit PHP 7.4", "Laufzeit PHP 8.2"), ["Laufzeit PHP 7.4", "Laufzeit PHP 8.2"]),
        (("Apache prefork", "Apache worker"), ["Apache prefork", "Apache worker"]),
    ],
)
def test_words_that_all_headings_begin_or_end_with_are_no_part_of_their_names(headings, names):
    text = "\n".join(f"## {heading}\n@ab 5{at}.1\n" for at, heading in enumerate(headings))
    assert names_of(text) == names


def runs_of(text: str) -> list[tuple[str, int]]:
    """(name of a config, how many runs it has)."""
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    return [(config.name, sum(run.config == config.key for run in experiment.runs)) for config in experiment.configs]


@pytest.mark.parametrize(
    "headings",
    [
        ("## nginx (a)", "## nginx (b)", "## caddy (a)", "## caddy (b)"),
        ("nginx\n\n(a)", "(b)", "caddy\n\n(a)", "(b)"),
        ("nginx:", "Stop and start it, and one more time:", "caddy:", "Restarted Caddy and once more:"),
        ("nginx:", "nginx neu gestartet und noch einmal:", "caddy:", "Caddy neu gestartet, noch einmal:"),
    ],
)
def test_letters_that_begin_anew_and_restarts_are_repeats(headings):
    rates = zip(headings, (500.1, 510.1, 400.1, 410.1), strict=True)
    text = "\n".join(f"{heading}\n@ab {rate} server=\n" for heading, rate in rates)
    assert runs_of(text) == [("nginx", 2), ("caddy", 2)]


def test_letters_of_one_thing_alone_tell_configs_apart():
    assert runs_of("nginx (a)\n@ab 500.1\n\nnginx (b)\n@ab 400.1\n") == [("nginx (a)", 1), ("nginx (b)", 1)]


def test_what_changes_after_a_restart_is_another_config():
    text = "nginx:\n@ab 500.1\n\nRestarted nginx with gzip and once more:\n@ab 400.1\n"
    assert [n for _, n in runs_of(text)] == [1, 1]


def test_words_that_look_like_options_tell_a_scripts_runs_apart():
    text = "-threads\nSET: 1406.55 requests per second\n\n-single\nSET: 816.08 requests per second\n"
    assert names_of(text) == ["threads", "single"]


def test_what_is_measured_before_and_after_a_change_groups_its_runs():
    sections = ("### До оптимизации", "### После оптимизации")
    text = "\n".join(
        f"{s}\n\nGET, 2 nodes\nRequests/sec: 3{i}.5\n\nPUT, 3 nodes\nRequests/sec: 2{i}.5\n"
        for i, s in enumerate(sections)
    )
    _, draft = read(text)
    groups = {(config.group, config.name.rpartition(" · ")[2]) for config in draft.experiments[0].configs}
    assert groups == {(g, n) for g in ("GET, 2 nodes", "PUT, 3 nodes") for n in ("До оптимизации", "После оптимизации")}


@pytest.mark.parametrize(
    "above",
    [
        "System load: 7-8",
        "nanosecond time (UTC): 1665497926000000000",
        "█ main page",
        "cat a.json | jq -r .x",
        "setUp(scn.inject(atOnceUsers(500)).protocols(http))",
        '.exec(http("x").get("/"))',
    ],
)
def test_a_figure_and_a_line_of_a_program_name_nothing(above):
    assert names_of(f"{above}\n\n{H2LOAD}") == ["h2load"]


def test_settings_that_were_typed_name_before_words_of_a_sentence():
    told = "We now compare tps in synchronous and asynchronous mode with the same utility.\n\n"
    typed = "postgres=# alter system set synchronous_commit = off;\nALTER SYSTEM\n$ ab -n 500 -c 10 http://localhost/page.html\n"
    assert (
        names_of(f"$ ab -n 500 -c 10 http://localhost/page.html\n@ab 500.1\n\n{told}{typed}@ab 900.1\n")[1]
        == "synchronous_commit=off"
    )


def test_what_another_protocol_served_is_no_repeat():
    printed = "Application protocol: "
    texts = [H2LOAD.replace(f"{printed}http/1.1", printed + protocol) for protocol in ("h2", "http/1.1")]
    _, draft = read("\n\n".join(text.replace("1849.88", f"184{at}.88") for at, text in enumerate(texts)))
    runs = draft.experiments[0].runs
    assert [run.repeat for run in runs] == [1, 1]
    assert [dict(run.method.further or ())["protocol"] for run in runs] == ["HTTP/2", "HTTP/1.1"]


@pytest.mark.parametrize("told", ["**p53 1500 req/sec**", "Result: 1,500 requests", "大约 1501 次/秒"])
def test_a_line_that_tells_the_rate_of_the_report_below_names_nothing(told):
    assert names_of(f"# Starlette\n\n{told}\n\n@ab 1500.6\n\n# Flask\n\n@ab 900.5\n") == ["Starlette", "Flask"]


def test_a_heading_that_stands_alone_below_a_name_does_not_replace_it():
    assert names_of(
        "# Nginx FastCGI\n\n@ab 500.1\n\n# Apache FastCGI\n\n## memo\n\nhard limit is 8192\n\n@ab 400.1\n"
    ) == [
        "Nginx FastCGI",
        "Apache FastCGI",
    ]


def test_headings_that_part_one_name_stay():
    text = "# nginx\n@ab 500.1\n\n# lighttpd\n@ab 400.1\n\n# caddy\n\n## gzip\n@ab 300.1\n\n## brotli\n@ab 200.1\n"
    assert names_of(text) == ["nginx", "lighttpd", "gzip", "brotli"]


def test_sections_that_only_count_group_nothing_below_them():
    rounds = (f"## round {n}\n\n### cache off\n\n@wrk {n}0.10\n\n### cache on\n\n@wrk {n}5.10\n\n" for n in range(1, 4))
    assert dict(runs_of("# Does a cache help?\n\n" + "".join(rounds))) == {"cache off": 3, "cache on": 3}


@pytest.mark.parametrize("versions", [("4.1.6", "4.2.0"), ("v2", "v3"), ("1.25.3-rc1", "1.25.3")])
def test_a_version_before_the_number_of_a_repeat_names(versions):
    text = "".join(f"{one} run {n}\n\n@wrk {n}{at}.10\n\n" for n in (1, 2) for at, one in enumerate(versions))
    assert dict(runs_of(text)) == dict.fromkeys(versions, 2)


def test_versions_of_two_numbers_name_where_several_stand_above_reports():
    assert names_of("■ 5.7\n\n@wrk 10.10\n\n■ 8.0\n\n@wrk 11.10\n") == ["5.7", "8.0"]


@pytest.mark.parametrize(
    "remark",
    [
        "[1]  + terminated  ./actix",
        "[1]  + 20311 exit 1     ./actix",
        "# ^ (this one) a job of cron began here, left it in",
        "[another window, about the middle of the second run]",
    ],
)
def test_a_remark_on_what_stands_above_names_nothing(remark):
    assert dict(runs_of(f"$ {WRK}\n@wrk 10.10\n{remark}\n$ {WRK}\n@wrk 11.10\n")) == {"localhost:8080": 2}


WRK = "wrk -t2 -c10 -d5s http://localhost:8080/"


def test_a_comment_between_an_output_and_a_prompt_names_though_it_is_a_line_of_a_file():
    text = "".join(
        f"# tcp_nodelay {state};\n$ {WRK}\n@wrk {n}0.10\n$ {WRK}\n@wrk {n}1.10\n"
        for n, state in ((1, "on"), (2, "off"))
    )
    assert dict(runs_of(f"a test on loopback\n{text}")) == {"tcp_nodelay on": 2, "tcp_nodelay off": 2}


def test_comments_behind_commands_name_and_those_behind_the_commands_before():
    first, second = (
        f"$ {WRK}   ## pm = static\n@wrk 10.10\n",
        f"$ service php-fpm restart  ## pm = ondemand\n$ {WRK}\n@wrk 9.10\n",
    )
    assert dict(runs_of(f"{first}{second}@wrk 9.20\n")) == {"static": 1, "ondemand": 2}


@pytest.mark.parametrize("typed", ["$ systemctl restart haproxy\n", "$ haproxy -v\nHAProxy version 2.8.1\n"])
def test_the_server_that_was_started_names_the_runs_before_the_first_heading(typed):
    text = f"{typed}$ {WRK}\n@wrk 10.10\n$ {WRK}\n@wrk 10.20\nnow nginx as the balancer\n$ {WRK}\n@wrk 11.10\n"
    assert dict(runs_of(text)) == {"haproxy": 2, "nginx as the balancer": 1}


def test_what_a_script_is_told_to_load_is_its_address():
    report = (FIXTURES / "k6/k6_01_marks.txt").read_text().partition("\n")[2]
    text = "".join(f"$ k6 run -e HOST={host} a.js\n{report}\n" for host in ("db14", "db16"))
    assert names_of(text) == ["db14", "db16"]


def test_a_limit_that_the_rate_comes_to_names_a_config_all_the_same():
    assert names_of("## Limit 500\n@ab 500.4\n\n## Limit 1000\n@ab 1000.2\n") == ["Limit 500", "Limit 1000"]


def test_headings_without_a_blank_behind_their_signs_are_headings():
    said = "Tendríamos como resultado una salida así:"
    assert names_of(f"##Fastify\n\n{said}\n\n@ab 500.1\n\n##Koa\n\n{said}\n\n@ab 400.1\n") == ["Fastify", "Koa"]


def test_a_part_of_a_version_is_no_load():
    """Made: one client, and 1 stands in one of the versions alone."""
    text = "".join(
        f"{one} run {n}\n\n@ab {n}{at}.10 c=1\n\n" for n in (1, 2) for at, one in enumerate(("4.1.6", "4.2.0"))
    )
    assert dict(runs_of(text)) == {"4.1.6": 2, "4.2.0": 2}


def test_a_comment_behind_a_prompt_says_what_a_run_is():
    load = "gen$ wrk -t2 -c10 -d5s http://web1/"
    text = f"{load}\n@wrk 9.10\ngen$ # warm-up\n{load}\n@wrk 10.10\n{load}\n@wrk 11.10\n"
    _, draft = read(expand(text))
    assert [run.counted for run in draft.experiments[0].runs] == [True, False, True]


@pytest.mark.parametrize("remark", ["oops, too many", "whoops, wrong port", "argh forgot the server", "sorry, typo"])
def test_a_comment_on_a_mistake_names_no_run(remark):
    shell = "lee@box:~/bench$ "
    load = f"{shell}wrk -t2 -c10 -d5s http://web1/\n"
    text = f"{shell}# {remark}\n{load}@wrk 9.10\n{shell}# now with 4 workers\n{load}@wrk 10.10\n"
    (before, after) = names_of(text)
    assert remark not in before and after == "4 workers"


@pytest.mark.parametrize(
    ("first", "second"), [("Files:", "Memory:"), ("## Threads", "## Processes"), ("* Redis", "* In memory")]
)
def test_what_elsewhere_heads_a_monitor_names_a_config_beside_another(first, second):
    names = [text.strip("#*: ") for text in (first, second)]
    assert names_of(f"Sessions\n\n{first}\n\n@wrk 9.10\n\n{second}\n\n@wrk 10.10\n") == names


def test_the_heading_of_a_monitor_names_no_load_test_below_it():
    free = "$ cat /proc/meminfo | head -2\nMemTotal:        4025344 kB\nMemFree:         2101120 kB\n\n"
    load = "$ wrk -t2 -c10 -d5s http://web1/\n"
    text = f"nginx:\n\n{load}@wrk 9.10\n\nMemory:\n\n{free}{load}@wrk 10.10\n\napache:\n\n"
    assert names_of(f"{text}{load}@wrk 11.10\n") == ["nginx", "apache"]


def test_brackets_around_a_heading_are_no_part_of_a_name():
    assert names_of("【YJIT なし】\n\n@wrk 9.10\n\n「YJIT あり」:\n\n@wrk 10.10\n") == ["YJIT なし", "YJIT あり"]


@pytest.mark.parametrize("line", ["Meanwhile on app1:", "on vm3, same time:", "During the run:"])
def test_when_something_was_watched_names_no_load_that_follows(line):
    watched = f"@wrk {{}}\n\n{line}\n\n$ cat /proc/loadavg\n3.95 1.58 0.65 6/418 225\n\n"
    rates = {"Red": (10.1, 11.1), "Blue": (20.1, 21.1)}
    text = "\n".join(f"{name}\n\n{''.join(map(watched.format, own))}" for name, own in rates.items())
    assert names_of(text) == [*rates]


def test_a_remark_in_brackets_makes_no_title_of_the_first_name():
    first = "sendfile on (test by ab on the same host)"
    assert names_of(f"{first}\n\n@wrk 9.10\n\nsendfile off\n\n@wrk 10.10\n") == [first, "sendfile off"]


def test_users_that_were_added_to_keep_a_set_rate_are_no_other_load():
    report = (FIXTURES / "k6/k6_01_marks.txt").read_text().partition("\n")[2]
    vus = "     vus_max........................: 5       min=5         max=5"
    assert vus in report
    dropped = "     dropped_iterations.............: 5769    48.075000/s\n"
    more = report.replace(vus, vus.replace("5 ", "9 ", 1).replace("=5", "=9")).replace(
        "     vus.", dropped + "     vus."
    )
    text = f"$ k6 run a.js\n{report}\n$ k6 run a.js\n{more}\n"
    _, draft = read(expand(text))
    assert draft.experiments[0].runs[0].method.agrees(draft.experiments[0].runs[1].method)


def below(*names: str) -> str:
    return "".join(f"{name}\n\n@wrk {100 + at}.5\n\n" for at, name in enumerate(names))


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("## nginx, kernel 6.1.0", "## nginx, kernel 6.6.8"), ["kernel 6.1.0", "kernel 6.6.8"]),
        (("## nginx, 6.1.0", "## nginx, 6.6.8"), ["6.1.0", "6.6.8"]),
        (("## localhost:8000, pool = 4", "## localhost:8000, pool = 16"), ["pool = 4", "pool = 16"]),
        (("environment=py311", "environment=py312"), ["py311", "py312"]),
        (("## sendfile: on", "## sendfile: off"), ["sendfile: on", "sendfile: off"]),
        (("## nginx, 1 MB", "## nginx, 8 MB"), ["nginx, 1 MB", "nginx, 8 MB"]),
    ],
)
def test_parts_that_all_names_begin_with_go_where_the_rest_names_alone(headings, names):
    assert names_of(below(*headings)) == names


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("With gzip:", "Again with gzip:", "With brotli:", "Again with brotli:"), ["gzip", "brotli"]),
        (
            ("## main", "-single", "-cluster", "## pool", "-single", "-cluster"),
            ["main · single", "main · cluster", "pool · single", "pool · cluster"],
        ),
        (
            ("## Go", "1. 50 clientes", "2. 100 clientes", "## Rust", "1. 50 clientes", "2. 100 clientes"),
            ["50 clientes · Go", "100 clientes · Go", "50 clientes · Rust", "100 clientes · Rust"],
        ),
        (("1. 50 clientes", "2. 70 clientes", "## Rust", "1. 50 clientes"), ["50 clientes", "70 clientes", "Rust · 50 clientes"]),
        (("# 小文件", "大小为891字节。结果如下："), ["小文件"]),
        (("rps: **11743.4**",), ["localhost:8080"]),
        (("## NodeJS", "2. 50 clientes", "RP/s", "3. 90 clientes"), ["50 clientes", "90 clientes"]),
        (
            ("Now lighttpd:", "And from https://wiki.example.org/a the same with sendfile switched off in lighttpd:"),
            ["lighttpd", "sendfile switched off"],
        ),
    ],
)  # fmt: skip
def test_lines_above_reports_name_them_below_headings_and_again(lines, names):
    text = "".join(
        f"{line}\n\n" if line[0] == "#" or line != "RP/s" and after == "RP/s" else below(line)
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
    )
    assert names_of(text) == names


def test_a_caption_may_stand_farther_above_a_report_where_only_asides_are_between():
    fence = "```\n$ wrk http://localhost:8080/\n@wrk {}.5\n```\n\n"
    text = f"## NodeJS\n\n1. 50 clientes\n\nRP/s\n\n{fence.format(100)}2. 90 clientes\n\n{fence.format(90)}"
    assert names_of(text) == ["50 clientes", "90 clientes"]


def test_numbered_headings_above_lists_of_their_own_are_no_repeats():
    said = ("* 3 servers\n* 10 s", "* 5 servers\n* 10 s", "* 3 servers\n* 30 s")
    numbered = [f"### Cluster {at}\n{lists}" for at, lists in enumerate(said, 1)]
    assert names_of(below(*numbered)) == ["Cluster 1", "Cluster 2", "Cluster 3"]
    assert names_of(below(*(f"### Cluster {at}\n{said[0]}" for at in (1, 2, 3)))) == ["Cluster"]


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (("(2.1) event MPM", "(2.2) prefork MPM"), ["event MPM", "prefork MPM"]),
        (("2.1 同步接口", "2.2 异步接口"), ["同步接口", "异步接口"]),
        (("2.1.1 Undertow", "2.1.2 Netty"), ["Undertow", "Netty"]),
        (("Setup 1 - default:", "Setup 2 - shared_buffers 8GB:"), ["default", "shared_buffers 8GB"]),
        (("Scenario 1 — 4 workers", "Scenario 2 — 8 workers"), ["4 workers", "8 workers"]),
        (("2.2 prefork", "2.4 prefork"), ["2.2 prefork", "2.4 prefork"]),  # versions
        (("3.11", "3.12"), ["3.11", "3.12"]),
        (("go 1.21", "go 1.22"), ["go 1.21", "go 1.22"]),
        (("1 worker", "2 workers"), ["1 worker", "2 workers"]),
    ],
)
def test_a_number_that_counts_the_sections_is_no_part_of_the_name(titles, names):
    assert names_of("".join(f"## {title}\n\n@ab {900 + at}.10\n\n" for at, title in enumerate(titles))) == names


def test_a_warm_up_with_a_remark_names_no_config_and_the_heading_above_does():
    runs = "warm-up (JIT), please ignore:\n@ab {}.10\nrun 1:\n@ab {}.10\nrun 2:\n@ab {}.10\n"
    text = f"# Tomcat 9\n\n{runs.format(100, 900, 901)}\n# Tomcat 10\n\n{runs.format(110, 800, 801)}"
    assert names_of(text) == ["Tomcat 9", "Tomcat 10"]


def test_two_letters_between_dashes_are_a_name():
    assert names_of("--- G1 ---\n@ab 900.10\n--- ParallelGC ---\n@ab 800.10\n") == ["G1", "ParallelGC"]


@pytest.mark.parametrize(
    "line",
    [
        "Benchmark completed. Results saved to result/raw/t2_c100.txt",
        "WARNING: the --test option is deprecated. You can pass a script name.",
        "zypper install automake libtool",
    ],
)
def test_what_tools_and_scripts_say_names_no_config(line):
    text = f"## nginx\n\n@ab 900.10\n\n{line}\n\n@ab 901.10\n\n## caddy\n\n{line}\n\n@ab 800.10\n"
    assert names_of(text) == ["nginx", "caddy"]


def test_a_figure_told_once_below_each_heading_is_no_name_and_sizes_below_one_are():
    loads = "".join(
        f"## {name}\n\n* Load Test (Average Memory Usage ~{mb}MB)\n\n@ab {rate}.10\n\n"
        for name, mb, rate in (("GO (hello)", "8.6", 900), ("DART (shelf)", "7.5", 800))
    )
    assert names_of(loads) == ["GO (hello)", "DART (shelf)"]
    assert len(names_of("## nginx\n\n* 1 MB\n\n@ab 900.10\n\n* 10 MB\n\n@ab 90.10\n")) == 2
    assert len(names_of("## Test 1\n\n- 10% writes\n\n@ab 900.10\n\n## Test 2\n\n- 50% writes\n\n@ab 90.10\n")) == 2


POD = """Namespace: ns-{n}
Pod: vegeta-ns-{n}-7c9b875bc4-{id}
Requests      [total, rate, throughput]         270000, 450.00, 450.00
Duration      [total, attack, wait]             10m0s, 10m0s, {wait}ms
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:270000
"""


def test_pods_of_clients_below_a_heading_name_no_config():
    """The lines are of a comparison of service meshes; the times are made."""
    pods = [[(1, "6mg47", f"{at}.682"), (25, "xwt5f", f"{at}.419"), (50, "2jqmd", f"{at}.5")] for at in (1, 3)]
    baseline, linkerd = ("\n".join(POD.format(n=n, id=id_, wait=wait) for n, id_, wait in own) for own in pods)
    text = f"## Baseline\n\n{baseline}\n## Linkerd\n\n{linkerd}"
    assert runs_of(text) == [("Baseline", 3), ("Linkerd", 3)]


def test_rows_of_pods_above_reports_name_none():
    """The rows are as kubectl prints deployments; the names and times are made."""
    rows = ("review 9/9 9 9 2m3s", "review 1/9 9 1 4h")
    text = "".join(
        f"## {name}\n\n{row}\n\n@ab {rate}.10\n\n" for name, row, rate in zip("ab", rows, (900, 800), strict=True)
    )
    assert names_of(text) == ["a", "b"]
    assert "review" not in names_of(f"{rows[0]}\n\n@ab 900.10\n")[0]


def test_comments_on_the_steps_of_a_script_above_each_report_name_none():
    """The comments are of a page on k6."""
    script = """# gather nginx resource usage via psrecord in background
# set duration to 180 seconds as benchmark.js uses 4x 30s stages + 30s = 2 1/2 min run time
# run k6 initiated via psrecord
"""
    text = "".join(f"## {name}\n\n{script}\n@ab {rate}.10\n\n" for name, rate in (("Ramping", 900), ("Constant", 800)))
    assert names_of(text) == ["Ramping", "Constant"]


def test_the_load_in_a_heading_that_was_copied_to_another_one_is_no_part_of_its_name():
    """The headings are of a load balancer's README, the last two reports but one below a copied one."""
    headings = (("без балансировки 10000", 10000), ("с балансировкой 10000", 10000))
    headings += (("без балансировки 10000", 100000), ("с балансировкой 100000", 100000))
    text = "".join(f"### {name}\n\n@ab 13{at}.03 n={n}\n\n" for at, (name, n) in enumerate(headings))
    assert names_of(text) == ["без балансировки", "с балансировкой"]


STEPS = (
    "# start with a single connection, for the base latency",
    "# now 10 connections, as usual",
    "# push it even harder",
)


@pytest.mark.parametrize(
    ("said", "levels", "n"),
    [
        (STEPS, (1, 10, 100), 1),
        (STEPS, (1, 10, 10), 3),  # no sweep
        ((*STEPS[:2], "# and 100 connections with gzip off"), (1, 10, 100), 3),
        ((*STEPS[:2], "# and 100 connections to nginx instead"), (1, 10, 100), 3),
        (("# the first of them now", "# after a coffee break, again", "# and one more of these"), (1, 10, 100), 3),
    ],
)
def test_what_is_said_above_each_step_of_a_sweep_names_no_config(said, levels, n):
    runs = "".join(
        f"{text}\n$ ab -n 500 -c {c} http://localhost/page.html\n@ab {900 + at}.1 c={c}\n\n"
        for at, (text, c) in enumerate(zip(said, levels, strict=True))
    )
    assert len(names_of(f"# Concurrency sweep\n\n{runs}")) == n


def test_a_report_told_as_what_its_tool_says_for_something_is_named_by_that():
    text = "During the prefork run ab said:\n\n@ab 900.1\n\nab for worker:\n\n@ab 1000.1\n\nFor event, ab says:\n\n@ab 1200.1\n"
    assert names_of(text) == ["prefork", "worker", "event"]


@pytest.mark.parametrize("title", ["{} results for {}", "## {} benchmark of {}", "{} output for {}"])
def test_reports_of_two_tools_are_of_the_server_that_is_named_behind_the_tool(title):
    headings = [title.format(tool, server) for server in ("apache", "nginx") for tool in ("Apache Bench", "Siege")]
    reports = ("@ab 900 server=", "@siege 880", "@ab 700 server=", "@siege 690")
    text = "# Two servers\n\n" + "\n\n".join(f"{h}\n\n{r}" for h, r in zip(headings, reports, strict=True)) + "\n"
    assert names_of(text) == ["apache", "nginx"]


def test_names_that_differ_in_blanks_and_case_alone_are_one_below_each_section():
    text = "".join(
        f"+++{method}+++\n\n{first}:\n@ab 100.1{n}\n\n{second}:\n@ab 200.2{n}\n\n"
        for n, (method, first, second) in enumerate((("PUT", "NodeJS", "rust"), ("GET", "Node JS", "Rust")))
    )
    _, draft = read(expand(text))
    assert [config.name for config in draft.experiments[0].configs] == [
        "PUT · NodeJS",
        "PUT · rust",
        "GET · NodeJS",
        "GET · rust",
    ]


def name_below(*titles: str) -> list[str]:
    return names_of("".join(expand(f"{title}\n\n@ab {900 + 7 * at}.1 server=\n\n") for at, title in enumerate(titles)))


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (("Containers:\n1", "Containers:\n2", "Containers:\n4"), ["Containers: 1", "Containers: 2", "Containers: 4"]),
        (("--- Workers ---\n1\n--- Result ---", "--- Workers ---\n4\n--- Result ---"), ["Workers: 1", "Workers: 4"]),
        (("**Pool size:**\n\n5", "**Pool size:**\n\n20"), ["Pool size: 5", "Pool size: 20"]),
        (("## nginx\n\nWorkers:\n2", "## caddy\n\nWorkers:\n2"), ["nginx", "caddy"]),
        (("Result:\n\nnginx", "Result:\n\ncaddy"), ["nginx", "caddy"]),
    ],
)
def test_a_number_below_its_label_is_told_with_it(titles, names):
    assert name_below(*titles) == names


@pytest.mark.parametrize(
    ("titles", "n"),
    [
        (("# nginx keepalive off", "# nginx keepalive on", "# keepalive off nginx", "# keepalive on nginx"), 2),
        (("# Apache, tuned", "# Apache", "# Tuned Apache"), 2),
        (("# gzip on cache off", "# gzip off cache on"), 2),
        (("## worker: 4, cache: off", "## cache: off, worker: 4", "## cache: on, worker: 4"), 2),
        (("## nginx, Apache", "## Apache, nginx"), 2),
        (("# nginx before", "# before nginx"), 2),
        (("# php nginx", "# nginx php"), 2),
        (("# proxy to nginx", "# nginx to proxy"), 2),
    ],
)
def test_a_name_says_the_same_whichever_end_its_server_stands_at(titles, n):
    assert len(name_below(*titles)) == n


@pytest.mark.parametrize("label", ["Output", "**Stdout:**", "Console output:", "Log:", "Ausgabe:"])
def test_a_label_above_all_outputs_leaves_the_names_to_the_sentences_or_headings_above(label):
    titles = (f"## Small pool\n\n{label}", f"## Large pool\n\n{label}")
    assert name_below(*titles) == ["Small pool", "Large pool"]
    told = ("First I left everything at its defaults.", "After that I raised somaxconn to 4096.")
    one, other = name_below(*(f"{each}\n\n{label}" for each in told))
    assert "somaxconn" in other and "somaxconn" not in one


def test_times_after_a_start_are_told_apart():
    assert name_below("Cold start", "After 1 minute", "After 5 minutes") == [
        "Cold start",
        "After 1 minute",
        "After 5 minutes",
    ]
    assert name_below("## nginx\n\nAfter 5 minutes", "## Apache\n\nAfter 5 minutes") == ["nginx", "Apache"]


def test_a_line_above_headings_that_recur_is_the_group_of_all_its_runs():
    def write_section(n: int, rate: int) -> str:
        reports = "".join(f"{c} connections:\n\n@ab {rate + c} c={c}\n\n" for c in (10, 50))
        return f"---\ndeploy={n}\n{reports}"

    text = (
        f"threads=2\n\nbaseline: /\n{write_section(1, 900)}{write_section(3, 800)}"
        f"query: /data\n{write_section(1, 300)}{write_section(3, 400)}"
    )
    names = [f"{group} · deploy={n}" for group in ("baseline: /", "query: /data") for n in (1, 3)]
    assert names_of(expand(text)) == names


def test_what_a_sentence_says_was_enabled_names_what_follows():
    above = (
        "The first test was a plain install.",
        "Next I enabled the memcached plugin.",
        "Finally, I enabled pagecache as a cache.",
    )
    text = "\n\n".join(f"{line}\n\n@siege {rate}.5" for line, rate in zip(above, (100, 200, 900), strict=True))
    _, draft = read(expand(text))
    assert [config.name for config in draft.experiments[0].configs][1:] == ["memcached", "pagecache"]


def test_a_russian_preposition_before_settings_is_no_part_of_a_name():
    text = "".join(
        f"При block_size = {kb}KB, shared_buffers = 128MB, TPS = {rate}\n" for kb, rate in ((8, 11540), (16, 11230))
    )
    _, draft = read(text)
    assert not any("При" in config.name for config in draft.experiments[0].configs)


def test_where_something_is_kept_names_a_config_and_a_c_behind_a_duration_is_its_load():
    report = (FIXTURES / "fortio/fortio_01_quoted.txt").read_text()
    other, third = report.replace("33652.6", "21009.1"), report.replace("33652.6", "23009.1")
    _, draft = read(f"1 min c10 (DSA)\n{report}\n1 min c10 (memory)\n{other}\n1 min c20 (memory)\n{third}")
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    found = [(names[run.config], run.method.concurrency) for run in experiment.runs]
    assert [clients for _, clients in found] == [10, 10, 20] and found[0][0] != found[1][0] == found[2][0]


def test_a_load_without_the_name_in_brackets_that_others_have_is_of_none_of_them():
    above = ("1 min c10 (DSA)", "1 min c10 (memory)", "3 min c10", "3 min c20 (DSA)", "3 min c20 (memory)")
    report = (FIXTURES / "fortio/fortio_01_quoted.txt").read_text()
    text = "\n".join(f"{line}\n{report.replace('33652.6', f'3365{n}.6')}" for n, line in enumerate(above))
    _, draft = read(text)
    (experiment,) = draft.experiments
    dsa, memory, none, *others = (run.config for run in experiment.runs)
    assert none not in (dsa, memory, *others)


def test_a_service_file_of_systemd_and_a_comment_that_a_benchmark_begins_name_nothing():
    unit = "[Unit]\nDescription=Caddy\nAfter=network.target\n\n[Service]\nUser=www\nExecStart=/usr/bin/caddy run\n"
    unit += "ProtectSystem=full\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n\n[Install]\nWantedBy=multi-user.target\n"
    begins = "```bash\n./dc start {name}\n# benchmark time !!!\nab -n 900 -c 10 http://a/\n```\n\nResults:\n"
    runs = "".join(
        f"### {name} server\n\n{begins.format(name=name)}```\n@ab {rate} server=\n```\n\n" for name, rate in SERVERS
    )
    _, draft = read(expand(f"## Usage\n\n{runs}"))
    (experiment,) = draft.experiments
    assert [(each.group, each.name) for each in experiment.configs] == [("Usage", "nginx"), ("Usage", "caddy")]
    assert names_of(f"```\n{unit}```\n\n```\n@ab 900 server=\n```\n") != ["WantedBy=multi-user.target"]


def test_a_line_in_brackets_below_a_title_is_no_name_of_its_own():
    text = "{0} {1}\n\n(Rust 1.2{2}.0)\n\n@wrk {3}\n\n"
    assert names_of(text.format("#", "hyper", 1, 900) + text.format("#", "iron", 0, 800)) == ["hyper", "iron"]
    assert names_of(text.format("#", "Results", 1, 900) + "(Rust 1.20.0)\n\n@wrk 800\n") == [
        "(Rust 1.21.0)",
        "(Rust 1.20.0)",
    ]
    assert len(names_of("# nginx\n\n(2 workers)\n\n@wrk 900\n\n(4 workers)\n\n@wrk 990\n")) == 2


def test_a_version_of_what_holds_for_all_names_nothing():
    assert names_of("# Fastify\n\n> Node.js version: v14.2.0\n\n@ab 900.1 server=\n") == ["Fastify"]


def test_versions_of_one_program_that_differ_are_configs():
    text = "Node.js version: v14\n\n@ab 900.1 server=\n\nNode.js version: v16\n\n@ab 980.1 server=\n"
    assert len(names_of(text)) == 2


@pytest.mark.parametrize("heading", ["Raw Output", "Raw results", "Resource Usage"])
def test_a_heading_of_what_was_printed_names_no_config(heading):
    assert names_of(f"# Crystal Kemal\n\n## {heading}\n\n@ab 900.1 server=\n") == ["Crystal Kemal"]


def test_a_remark_on_a_name_heads_no_section():
    reports = "{0}\n\n@ab {2}.1 c={1} server=\n\n"
    text = "".join(
        f"{above}\n\n"
        + reports.format("Gunicorn", clients, 900 + clients)
        + reports.format("Built-in server", clients, 400 + clients)
        for above, clients in (("The first 10 clients", 10), ("Gunicorn is twice the built-in one", 20))
    )
    assert names_of(expand(text)) == ["Gunicorn", "Built-in server"]


@pytest.mark.parametrize("title", ["## {}", "### Framework {n}: {}"])
def test_a_link_behind_a_name_is_no_part_of_it(title):
    names = ["hyper", "Rocket"]
    titles = [title.format(f"{name} (https://github.com/any/{name})", n=n) for n, name in enumerate(names, 1)]
    assert names_of("".join(f"{each}\n\n@ab {at}00.1 server=\n\n" for at, each in enumerate(titles, 1))) == names
