"""Names in outlines, in issues and in sentences of other languages. All texts are made up; "@tool" is genuine output."""

from __future__ import annotations

import pytest

from .documents import expand, read
from .test_names import names_of

AT = "\n\n@ab {}.5 server={}\n\n"


def name_all(text: str) -> tuple[str, dict[str, int]]:
    """(the experiment's name, {config: number of its runs})"""
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    keys = [run.config for run in experiment.runs]
    return experiment.name, {config.name: keys.count(config.key) for config in experiment.configs}


def post(*above: str, server: str = "") -> str:
    return "".join(text + AT.format(200 + 10 * at, server) for at, text in enumerate(above, 1))


@pytest.mark.parametrize(
    ("text", "configs"),
    [
        (
            "* nginx\n  * 10 clients\n\n@ab 1.5 c=10\n\n  * 90 clients\n\n@ab 2.5 c=90\n\n"
            "* apache\n  * 10 clients\n\n@ab 3.5 c=10\n\n  * 90 clients\n\n@ab 4.5 c=90\n\n",
            {"nginx": 2, "apache": 2},
        ),
        (post("- mod_php\n    - run 1", "    - run 2", "- php-fpm\n    - run 1", "    - run 2"), {"mod_php": 2, "php-fpm": 2}),
        (
            post("1. Go\n   1. net/http", "   2. fasthttp", "2. Rust\n   1. axum", "   2. actix"),
            {"net/http": 1, "fasthttp": 1, "axum": 1, "actix": 1},
        ),
        (
            post("## nginx\n\n- 1.22\n  - from apt\n- 4 workers", "## caddy\n\n- 2.7\n  - from its site"),
            {"nginx": 1, "caddy": 1},
        ),
        (post("My set-up:\n- nginx\n  - 4 workers\n  - keep-alive"), {"localhost:80": 1}),
    ],
)  # fmt: skip
def test_nested_lists_name_as_headings_do_where_outputs_stand_below_their_items(text, configs):
    assert name_all(text)[1] == configs


@pytest.mark.parametrize(
    ("text", "configs"),
    [
        (post("TIME=30", server="nginx"), {"nginx": 1}),
        (post("TIME=30\nCONNECTIONS=10\n\ncaddy", "nginx"), {"caddy": 1, "nginx": 1}),
        (post("WORKERS=4", "WORKERS=8", server="nginx"), {"WORKERS=4": 1, "WORKERS=8": 1}),
        (post("Hostname: web1", server="nginx"), {"nginx": 1}),
        (post("Hostname: web1", "Hostname: web2", server="nginx"), {"web1": 1, "web2": 1}),
    ],
)
def test_a_variable_or_the_one_machine_names_no_config_unless_others_have_another(text, configs):
    assert name_all(text)[1] == configs


@pytest.mark.parametrize(
    "heading",
    ["## 问题描述", "## 复现步骤", "### Actual behavior", "### Steps to reproduce", "## Problembeschreibung", "## 実際の動作",
     "### Comportement actuel", "## Шаги воспроизведения", "并发为10000，结果如下", "10000个请求，100并发的压测结果如下图所示",
     "同時接続数100、リクエスト数500で実行", "4线程 2000并发 持续60秒 5秒超时", "//   查看压测测试结果"],
)  # fmt: skip
def test_titles_of_an_issues_parts_and_what_tells_the_load_name_nothing(heading):
    assert name_all(post(heading, server="nginx"))[1] == {"nginx": 1}


def test_expected_and_actual_are_told_apart_in_other_languages():
    assert name_all(post("## 预期结果", "## 实际结果"))[1] == {"预期": 1, "实际": 1}


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("使用 nginx 时，并发为10000，结果如下", "换成 caddy，并发为10000，结果如下"), ["nginx", "caddy"]),
        (("首先测试不开启缓存的情况，命令和结果如下", "然后我们把缓存打开，再测试一次"), ["不开启缓存", "把缓存打开"]),
        (("可以看到QPS只有200多，下面我们换成异步写日志", "接下来测试同步写日志，并发量一样"), ["异步写日志", "同步写日志"]),
        (("长连接，并发数100：", "短连接，并发数100："), ["长连接", "短连接"]),
        (("cacheを有効にした場合、結果は以下のようになりました", "cacheを無効にした場合"), ["cacheを有効", "cacheを無効"]),
        (("nginx를 사용했을 때 결과는 다음과 같습니다", "apache를 사용했을 때 결과는 다음과 같습니다"), ["nginx", "apache"]),
    ],
)  # fmt: skip
def test_of_a_sentence_the_words_that_no_other_has_are_the_name(lines, names):
    assert [*name_all(post(*lines))[1]] == names


@pytest.mark.parametrize("mark", ["## ", ""])
def test_a_word_of_letters_and_digits_names_what_the_reader_never_heard_of(mark):
    assert [*name_all(post(f"{mark}c3p0", f"{mark}dbcp2", f"{mark}h2o", server="nginx"))[1]] == ["c3p0", "dbcp2", "h2o"]


@pytest.mark.parametrize(
    ("above", "name"),
    [
        (("## nginx, keep-alive on", "## nginx, keep-alive off"), "nginx: keep-alive on and keep-alive off"),
        (("## mod_php: 10 children", "## mod_php: 20 children"), "mod_php: 10 children and 20 children"),
        (("## Result: nginx", "## Result: caddy"), "nginx and caddy"),
    ],
)
def test_what_all_headings_begin_with_is_told_by_the_experiments_name(above, name):
    assert name_all(post(*above))[0] == name


def test_an_issues_expected_and_actual_versions_are_told_apart():
    text = post("### Expected behavior\n\nSame as 4.17:", "### Actual behavior\n\nWith 4.18:")
    assert [*name_all(text)[1]] == ["Same as 4.17", "With 4.18"]
    assert [*name_all(post("### Expected behavior\n\nIt was fast.", "### Actual behavior\n\nIt is slow."))[1]] == [
        "Expected behavior",
        "Actual behavior",
    ]


def test_of_nested_lists_with_one_inner_item_each_the_outer_ones_name():
    text = post(" * prefork\n   * 10 children", " * worker\n   * 2 children", " * event\n   * 2 children")
    assert [*name_all(text)[1]] == ["prefork", "worker", "event"]


def test_a_restart_for_a_setting_is_no_second_word_of_the_name():
    load = "$ hey -z 5s http://localhost/ | grep Requests/sec\n  Requests/sec:\t{}.5000\n"
    change = "$ sysctl -w net.core.somaxconn=4096\nnet.core.somaxconn = 4096\n$ systemctl restart nginx\n"
    text = load.format(900) + load.format(901) + change + load.format(950) + load.format(951)
    assert [*name_all(text)[1]] == ["before net.core.somaxconn=4096", "net.core.somaxconn=4096"]


def test_japanese_results_are_of_what_stands_before_the_word():
    assert [*name_all(post("## Pumaの結果", "## Unicornの測定結果"))[1]] == ["Puma", "Unicorn"]


def test_steps_below_each_item_of_a_list_do_not_hide_what_was_measured():
    text = post("1. nginx\n   - copy the page\n   - run it", "2. haproxy\n   - copy the page\n   - run it")
    assert name_all(text)[1] == {"nginx": 1, "haproxy": 1}


def test_a_section_about_the_machine_and_what_stands_in_it_name_nothing():
    text = post("# puma\n\n## ベンチマークマシン\n\nMacBook Pro", "# unicorn\n\n## Hardware\n\nMacBook Air")
    assert name_all(text) == ("puma and unicorn", {"puma": 1, "unicorn": 1})


def test_a_heading_below_a_command_without_output_names_as_any_other():
    load = "\n\n$ hey -z 5s http://localhost/ | grep Requests/sec\n  Requests/sec:\t{}.5000\n"
    restart = "\n$ sudo systemctl restart postgresql\n"
    text = f"## buffers = 1MB{load.format(900)}{restart}## buffers = 4MB{load.format(950)}{load.format(951)}"
    assert name_all(text)[1] == {"buffers = 1MB": 1, "buffers = 4MB": 2}


def test_a_sentence_with_a_rate_above_reports_does_not_hide_the_title():
    said = "# Does gzip cost anything?\n\nOur CDN handled 25,000 requests per second for us.\n\n"
    assert name_all(said + post("## gzip off", "## gzip on"))[0] == "Does gzip cost anything?"


def test_a_step_of_a_ci_service_that_shows_its_command_names_nothing():
    step = (
        "##[group]Run ab -n 500 http://localhost/ # {0}\nab -n 500 http://localhost/ # {0}\n##[endgroup]\n@ab {1}.5\n"
    )
    text = "".join(step.format(name, at) for at, name in enumerate(("main", "pr-882", "main", "pr-882"), 200))
    assert name_all(text)[1] == {"main": 2, "pr-882": 2}


def test_who_wrote_a_line_of_a_chat_is_no_part_of_a_name():
    assert name_all(post("10:40 <dave> lua:", "10:41 <dave> njs:"))[1] == {"lua": 1, "njs": 1}


def test_a_scripts_line_above_each_output_does_not_part_it_from_before_and_after():
    line = "--- Load Test Results ---"
    text = post(f"This migration to Fastify\n\nBefore\n\n```\n{line}", f"```\n\nAfter\n\n```\n{line}")
    assert name_all(text)[1] == {"Before": 1, "After": 1}


@pytest.mark.parametrize(
    "line", ["0[19:37:58] /v/vex $", "spid=$(systemctl show nginx | cut -d= -f2)", "`Concurrency Level:      500"]
)
def test_a_prompt_alone_an_assigned_command_or_a_quoted_first_line_names_nothing(line):
    assert name_all(post(line, server="nginx"))[1] == {"nginx": 1}


@pytest.mark.parametrize("change", ["`40.70 -> 178.30`", "40.70 [#/sec] → 178.30 [#/sec]"])
def test_a_figure_that_became_another_one_is_no_run(change):
    text = post("## Old", "## New") + f"## Comparison\n\n- Requests per second: {change}\n- Failed requests: `0 -> 0`\n"
    assert name_all(text)[1] == {"Old": 1, "New": 1}


def test_after_and_before_of_one_command_are_no_part_of_those_of_the_next():
    reports = "Before:\n@wrk {}1.10\n\nAfter:\n@wrk {}2.10\n\n"
    commands = "$ wrk -c10 -R500 http://web/\n\n", "$ wrk -c100 http://web/\n\n"
    text = "".join(command + reports.replace("{}", str(at)) for at, command in enumerate(commands, 1))
    assert name_all(f"# Error pages\n\nFigures:\n\n{text}")[1] == {"Before": 2, "After": 2}


@pytest.mark.parametrize(
    "line",
    ["08:03:50  |user| vbox@lenovo-fedora jit ±|dev ✗|", "kon on  master [⇡] is 📦 v0.1.0 via 🦀 v1.43.0-nightly",
     "~/ghq/github.com/mickamy/ISHOCON2 imp1* 1m 2s", "# root @ web1 in ~ [10:22:33]", "web1 ~/src/app (main)",
     "Std Req Time:           43.49µs", "Cache hits:      99.1%"],
)  # fmt: skip
def test_the_first_line_of_a_prompt_of_two_and_a_figure_in_a_column_name_nothing(line):
    """Real: lines of fallenwood/simple-http-benchmarks, oha's and ISHOCON2's notes; the other three are made."""
    assert name_all(post("### Traefik", line, "### Nginx", line))[1] == {"Traefik": 2, "Nginx": 2}


def test_the_id_of_a_container_is_no_part_of_a_name():
    """Real: lines of fallenwood/simple-http-benchmarks."""
    first = (
        "Benchmarking simple-benchmark:dotnet-aot with 38f87854709089e46e4b90fb8b0134927fefc087b683174f4ede96de27a18e32"
    )
    second = (
        "Benchmarking simple-benchmark:dotnet-jit with c3aaf635adf54878626a53e64fdb70954d235b3d92a48c46cdadb6aa9f255c99"
    )
    assert name_all(post(first, second))[1] == {"dotnet-aot": 1, "dotnet-jit": 1}


def test_captions_of_loads_above_other_lines_name_nothing():
    """Made, as mrdulin/node-sequelize-examples has them."""
    text = (
        "# pg benchmark\n\n- Performance at 10 client connections:\n\npgbench => pg\n\n@ab 1.5 c=10\n\n@ab 2.5 c=10\n\n"
    )
    assert name_all(f"{text}- Performance at 80 client connections:\n\n@ab 3.5 c=80\n\n")[1] == {"pgbench => pg": 3}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (post("# nginx and Caddy", "Caddy:"), {"nginx": 1, "Caddy": 1}),
        (post("# Redis, KeyDB & Dragonfly under load\n\nMachine: 4 cores", "## KeyDB", "## Dragonfly"),
         {"Redis": 1, "KeyDB": 1, "Dragonfly": 1}),
        (post("# Web server comparison\n\n## Method", "## Results with Caddy", server="nginx"), {"nginx": 1, "Caddy": 1}),
        (post("Machine: 4 cores", "Machine: 8 cores"), {"4 cores": 1, "8 cores": 1}),
        (post("## Method 1", "## Method 2"), {"Method 1": 1, "Method 2": 1}),
    ],
)  # fmt: skip
def test_a_title_that_lists_what_others_are_called_leaves_its_first_to_the_run_below_it(text, names):
    assert name_all(text)[1] == names


def test_what_stands_before_a_command_behind_an_arrow_is_its_name():
    """Real: lines of Tronic/async-http-benchmark; the reports are made."""
    text = "## Testrun on Macbook Pro 2015\n\n# python3 -m ahbench\n"
    text += "asyncio_sockets >>> wrk -t8 -c100 http://127.0.0.1:62157/\n@wrk 503.5"
    both = f"{text}\n\nException ignored in: <locals>\n    _atomic_removal(d, wr.key)\nKeyboardInterrupt\n\n"
    both += "trio_sockets >>> wrk -t8 -c100 http://127.0.0.1:62550/\n@wrk 659.5\n"
    assert name_all(both)[1] == {"asyncio_sockets": 1, "trio_sockets": 1}
    assert read(expand(both))[1].hosts == []


def test_what_is_folded_on_a_page_has_its_summary_as_its_title():
    """Real: lines of liufuyang/memc-kv's README; the reports are made."""
    line = "<details>\n  <summary>{} running locally on a Macbook Pro M1 Max `-m 1024` `-t 4`; test t=8, c=20</summary>"
    names = [
        f"{name} running locally on a Macbook Pro M1 Max -m 1024 -t 4; test t=8, c=20"
        for name in ("memc-kv", "memcached")
    ]
    assert name_all(post("### Benchmark details", *(line.format(name.split()[0]) for name in names))[9:])[1].keys() >= {
        *names
    }


def test_files_that_numbers_with_a_dash_name_are_no_repeats():
    assert name_all(post("==> 12-0.txt <==", "==> 8-0.txt <=="))[1] == {"12-0": 1, "8-0": 1}


@pytest.mark.parametrize(
    "step",
    [
        "benchmark [0 ms]:",
        "Benchmark Result Dir: result/nginx",
        "Benchmarking: threads=2, connections=100, duration=60s",
    ],
)
def test_what_a_script_says_of_its_step_is_no_title(step):
    """Real: lines of logs of clojure-vs-python-web-benchmark and spring-benchmark."""
    assert name_all(post(f"nginx\n{step}", f"caddy\n{step}"))[0] == "nginx and caddy"


def test_lines_that_a_tool_printed_and_a_lead_in_name_nothing():
    printed = (
        "Running 10s {} test @ 127.0.0.1\n  Stats\tAvg\tMin\n  Latency\t659.187µs\t13.8ms\nRequests/sec: {}.59\n\n"
    )
    text = "".join(printed.replace("{}", verb, 1).replace("{}", str(n)) for verb, n in (("GET", 900), ("SET", 800)))
    assert not any("Latency" in name or "Stats" in name for name in name_all(text)[1])
    assert name_all("This is what came out:\n\n@ab 51.1\n")[1] == {"nginx/1.22.1": 1}


ARTILLERY = """\
Started phase 0, duration: 1s @ 11:42:{at}(-0800) 2020-11-13
Report @ 11:42:{at}(-0800) 2020-11-13
Elapsed time: 3 seconds
  Scenarios launched:  {users}
  Requests completed:  {users}

All virtual users finished
Summary report @ 11:42:{at}(-0800) 2020-11-13
  Scenarios launched:  {users}
  Scenarios completed: {users}
  Requests completed:  {users}
  Mean response/sec: 0.4
  Response time (msec):
    min: 2451.5
    max: 2451.5
    median: 2451.5
  Codes:
    200: {users}
"""


def test_the_first_line_of_a_tool_s_output_names_nothing_and_a_setting_that_all_have_neither():
    """Real output: a phase's clock is another in each, and the memory of a function is what was varied."""
    text = "".join(
        f"/// memory: {memory} MB\n/// timeout: 20 seconds\n\n"
        + "\n".join("$ artillery run test.yaml\n" + ARTILLERY.format(at=at, users=1) for at in (20 + n, 30 + n))
        for n, memory in enumerate((256, 512, 1024))
    )
    assert name_all(text)[1] == {"memory: 256 MB": 2, "memory: 512 MB": 2, "memory: 1024 MB": 2}


def test_runs_with_other_numbers_of_users_are_no_repeats():
    text = "\n".join(f"# Test {n}\n\nLog:\n\n" + ARTILLERY.format(at=10 + n, users=500 * n) for n in (1, 2, 3))
    _, draft = read(text)
    assert [run.repeat for run in draft.experiments[0].runs] == [1, 1, 1]


def test_a_title_that_recurs_with_a_number_in_each_section_is_none():
    sections = (
        f"## {n}. {name}\n\n### {n}.1 Setup\n\nwarm\n\n### {n}.2 Kết quả test\n\n@wrk {n}00.5\n\n"
        for n, name in enumerate(("Transfer", "GetBalance", "GetHistory"), 1)
    )
    assert name_all("# gRPC\n\n" + "".join(sections))[1] == {"Transfer": 1, "GetBalance": 1, "GetHistory": 1}


@pytest.mark.parametrize(
    "step",
    [
        "[07:24:51] CHECKPOINT + waiting for autovacuum...\n[07:24:53] ready\n=== RUN {} ===",
        "=== Sleeping for 2s",
        "Sleeping 10 seconds",
    ],
)
def test_a_script_that_waits_names_nothing(step):
    """Real: logs of a script of pgbench's runs, and of http-server-benchmarks."""
    text = "# RDS bench100\n\n" + "\n".join(f"{step.format(n)}\n\n@wrk {n}00.5\n" for n in (1, 2, 3))
    assert name_all(text)[1] == {"RDS bench100": 3}


def test_what_stands_between_plus_signs_is_a_title():
    text = "".join(f"+++++++++++++{name}+++++++++++\n\n@wrk {n}00.5\n\n" for n, name in ((1, "PUT"), (2, "GET")))
    assert name_all(text)[1] == {"PUT": 1, "GET": 1}


@pytest.mark.parametrize(
    ("items", "names"),
    [
        (
            ("- **Cache on**", "- **Cache off**\n- **Round Robin**", "- **Cache off**\n- **least_conn**"),
            ["Cache on", "Cache off, Round Robin", "Cache off, least_conn"],
        ),
        (("- gzip\n- round robin", "- gzip\n- least_conn"), ["round robin", "least_conn"]),
        (
            ("- Set up nginx\n- Try both\n\nThis is how it went.\n\n- gzip on", "- gzip off\n- brotli"),
            ["gzip on", "gzip off, brotli"],
        ),
        (("- gzip\n- round robin", "- gzip\n- round robin"), ["localhost:80"]),  # the same was measured twice
        (("- gzip\n- http2\n- brotli\n- sendfile", "- gzip\n- least_conn"), ["localhost:80"]),  # facts
    ],
)
def test_two_or_three_items_right_above_each_report_name_it_together(items, names):
    text = "\n".join(f"{item}\n\n@ab {900 + 40 * at}.1 server=\n" for at, item in enumerate(items))
    assert names_of(text) == names


@pytest.mark.parametrize("address", ["http://localhost:5000", "https://api.example.org/v1"])
def test_a_heading_with_its_address_behind_names_a_config(address):
    text = f"### .net core api ({address})\n\n@ab 900.1 server=\n\n### golang api ({address}0)\n\n@ab 800.1 server=\n"
    assert names_of(text) == [f".net core api ({address})", f"golang api ({address}0)"]
    assert names_of(f"### ({address})\n\n@ab 900.1 server=\n") == ["localhost:80"]
