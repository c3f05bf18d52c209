"""Which runs of a text are repeats of one config, which are configs of their own, and what names them. All texts are made up."""

from __future__ import annotations

import pytest

from runs.tests.drafts.documents import FIXTURES, expand, read

FIXTURE = (FIXTURES / "h2load/h2load_01.txt").read_text().partition("\n")[2]
AB = "\n\n$ ab -n 500 -c 10 http://localhost/page.html\n@ab {rate} n=500\n\n"


def grouped(text: str) -> dict[str, list[int]]:
    """{config's name: repeats of its runs, 0 for one that does not count}."""
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    assert all(run.counted == bool(run.repeat) for run in experiment.runs)
    return {
        config.name: [run.repeat for run in experiment.runs if run.config == config.key]
        for config in experiment.configs
    }


def sections(*headings: str) -> str:
    """A load test below each heading, each with another rate."""
    return "".join(heading + AB.format(rate=f"{100 + at}.5") for at, heading in enumerate(headings))


@pytest.mark.parametrize(
    "heading",
    [
        *("{n}, run {k}", "{n} {k}", "{n} #{k}", "{n} (run {k})", "{n} ({k})", "{n} - attempt {k}"),
        *("Run {k}: {n}", "Test {k} - {n}", "[{k}/3] {n}", "#{k} {n}", "{k}. {n}", "{k}) {n}", "## {n} try {k}"),
        *("=== {n} run {k} ===", "=== {n} (run {k}) ===", "--- {n} (#{k}) ---", "**{n}** — trial {k} of 3"),
        *("* {n}, pass no. {k}", "{n} iteration {k}/3", "{n}-test-{k}", "{n}_run_{k}"),
        *("{n} iteration={k}", "[{n}] run {k}", "{n} attempt {k} of 3"),
        *("{n}, {k}. Durchlauf:", "PHP 8 {n} 2 ({k})"),
        *("{n} {k}回目", "{k}回目（{n}）", "第{k}次 {n}", "{n} 第{k}轮", "{n} {k}회차", "{n}: Durchlauf {k}"),
        *("{n} / {k}. Durchlauf", "Lauf {k} ({n})", "essai {k} : {n}", "{n} прогон {k}", "{n} próba {k}"),
    ],
)
def test_repeats_numbered_in_their_headings_are_repeats(heading):
    headings = [heading.format(n=name, k=k) for name in ("nginx", "apache") for k in (1, 2, 3)]
    assert [*grouped(sections(*headings)).values()] == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    "heading",
    [
        *("{n} run {k}", "=== {n} {k} ===", "{n}{k}:", "Run {n}{k}", "{n}-{k}", "{n}: run {k}", "Run {k} ({n})"),
        *("{n} (run {k} of 3)", "# {n} #{k}", "Round {k}: {n}", "{n}.", "Test {n}"),
    ],
)
def test_configs_named_by_a_letter_are_told_apart(heading):
    headings = [heading.format(n=name, k=k) for k in (1, 2, 3) for name in "AB"]
    assert [*grouped(sections(*headings)).values()] == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("names", [("Before", "After"), ("改善前", "改善後")])
def test_repeats_stand_below_headings_of_before_and_after(names):
    text = "".join(
        f"## {name}\n\n{sections('### Run 1', '### Run 2').replace('10', at)}"
        for name, at in zip(names, "34", strict=True)
    )
    assert grouped(f"# The index\n\n{text}") == {name: [1, 2] for name in names}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("nginx", "nginx again"),
        ("nginx (port 8080)", "nginx again"),
        ("First run nginx", "nginx, second time"),
        ("nginx", "Nginx (once more)"),
        ("nginx", "Hm, that was not as I thought, so one more of the same."),
        ("nginx I, Lauf 1", "nginx I, zweiter Lauf"),
        ("nginx, première mesure", "nginx, première mesure"),
    ],
)
def test_a_repeat_may_be_told_in_words(first, again):
    assert list(grouped(sections(first, again)).values()) == [[1, 2]]


def test_roman_numbers_count_repeats_too():
    assert grouped(sections("nginx I", "nginx II", "nginx III")) == {"nginx": [1, 2, 3]}


@pytest.mark.parametrize(
    "headings",
    [
        *(("nginx 1.24", "nginx 1.26"), ("php 7", "php 8"), ("http1", "http2"), ("tomcat 9", "tomcat 10")),
        *(("HTTP/1", "HTTP/2", "HTTP/3"), ("worker 1", "worker 2", "worker 3"), ("2 workers", "4 workers")),
        *(("threads=1", "threads=2", "threads=3"), ("Config 1", "Config 2"), ("Server A", "Server B")),
        *(("Setup 1", "Setup 2"), ("release-1", "release-2", "release-3"), ("v1.0", "v2.0")),
        *(("the first server", "the second server"), ("nginx 1", "nginx 2")),
        ("Without keep-alive", "With keep-alive"),
    ],
)
def test_a_number_that_is_a_names_own_tells_configs_apart(headings):
    assert grouped(sections(*headings)) == {heading: [1] for heading in headings}


def test_numbers_of_runs_that_were_loaded_in_other_ways_are_no_repeats():
    text = "".join(f"nginx {k}\n\n$ ab -n 500 -c {k}0 http://localhost/\n@ab 10{k}.5 c={k}0\n\n" for k in (1, 2, 3))
    assert len(grouped(text)) == 3


def test_another_tool_or_another_load_under_one_heading_is_no_repeat():
    text = "# nginx\n\n$ ab -n 500 -c 10 http://localhost/\n@ab 100.5\n\n$ ab -n 500 -c 20 http://localhost/\n@ab 101.5 c=20\n\n"
    assert grouped(text) == {"nginx": [1, 1]}
    assert grouped(text + "$ siege -c 10 http://localhost/\n@siege 44.1\n") == {"nginx": [1, 1, 1]}


def test_the_same_heading_under_two_sections_is_two_configs():
    text = (
        "# GET\n\n"
        + sections("## nginx", "## caddy")
        + "# PUT\n\n"
        + sections("## nginx", "## caddy").replace("10", "20")
    )
    assert list(grouped(text)) == ["GET · nginx", "GET · caddy", "PUT · nginx", "PUT · caddy"]


def crossed(outer: dict[str, str], inner: dict[str, str]) -> list[tuple[str, str]]:
    """(group, name) of the configs, of a text with each inner heading below each outer one. {heading: its part of ab's command}"""
    text = "".join(
        f"## {above}\n\n"
        + "".join(
            f"### {below}\n\n$ ab -n 500 -c 10 {one} {other} http://localhost/\n@ab {100 + 10 * i + j}.5\n\n"
            for j, (below, other) in enumerate(inner.items())
        )
        for i, (above, one) in enumerate(outer.items())
    )
    (experiment,) = read(expand(text))[1].experiments
    assert experiment.name not in {*outer, *inner}
    return [(config.group, config.name) for config in experiment.configs]


@pytest.mark.parametrize(
    ("configs", "loads"),
    [
        (("Polka", "Restana"), {"Login": "-p a.json", "Front page": ""}),
        (("With batching", "Without batching"), {"Anonymous": "", "Signed in": "-C id=1"}),
        (("Node.js", "Go"), {"Todo Create": "", "Get All (limit: 50)": ""}),
        (("Express", "Polka"), {"Hello World": "", "MySQL query": "", "JSON": ""}),
        (("With batching", "Without batching"), {"8 clients": "", "64 clients": ""}),
        (("nginx", "caddy"), {"GET": "", "PUT": "-u a.json"}),
    ],
)
def test_headings_that_recur_are_configs_unless_they_say_what_was_requested(configs, loads):
    below = [(load, f"{load} · {config}") for config in configs for load in loads]
    assert crossed(dict.fromkeys(configs, ""), loads) == below
    above = [(load, f"{load} · {config}") for load in loads for config in configs]
    assert crossed(loads, dict.fromkeys(configs, "")) == above or not any(loads.values())


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (("nginx", "caddy"), ("before tuning", "after tuning")),
        (("Small page", "Large page"), ("Polka", "Restana")),
        (("Django", "Flask"), ("gunicorn", "uvicorn")),
        (("Hello World", "JSON"), ("Express", "Polka")),
    ],
)
def test_headings_that_recur_are_configs_where_neither_loads_nor_words_tell(outer, inner):
    expected = [(above, f"{above} · {below}") for above in outer for below in inner]
    assert crossed(dict.fromkeys(outer, ""), dict.fromkeys(inner, "")) == expected


@pytest.mark.parametrize(
    "prompt", ["root# ", "[root@linux]# ", ":; ", "~ ❯ ", "web:~ # ", "user@host:～$ ", "Documents$ ", "% ", "$"]
)
def test_before_and_after_are_two_configs_whatever_the_prompt(prompt):
    command = f"{prompt}ab -n 500 -c 10 http://localhost/page.html\n@ab"
    assert list(grouped(f"# Tuning\n\n## BEFORE\n\n{command} 51.1\n\n## AFTER\n\n{command} 91.1\n")) == [
        "BEFORE",
        "AFTER",
    ]


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("#### 1. Polka", "#### 2. Express"), ["Polka", "Express"]),
        (("First with mod_php", "Now the same with php-fpm"), ["mod_php", "php-fpm"]),
        (("Zuerst mit Apache:", "Und jetzt mit nginx:"), ["Apache", "nginx"]),
        (("Here are the results for Puma:", "Here are the results for Unicorn:"), ["Puma", "Unicorn"]),
        (
            (
                "So I began by running the benchmark against mod_wsgi, which went fine:",
                "I then swapped this for lighttpd and ran exactly the same thing:",
            ),
            ["mod_wsgi", "lighttpd"],
        ),
        (("This is what I get with caching disabled.", "And this is what I get with it enabled."), ["caching disabled", "enabled"]),
        (("まずmod_wsgiの方を計測。", "次に、lighttpd+FastCGI"), ["mod_wsgi", "lighttpd+FastCGI"]),
        (("Starting server A (threads)... ok", "Stopping it\nTesting nginx ..."), ["server A (threads)", "nginx"]),
        (("go server", "node server"), ["go server", "node server"]),
        (("$ # before the index", "$ # after the index"), ["before the index", "after the index"]),
        (("A)", "B)"), ["A", "B"]),
        (("### A", "### B", "### A"), ["A", "B"]),
        (("python 3.11", "python 3.13"), ["python 3.11", "python 3.13"]),
        (("GET requests", "PUT requests"), ["GET requests", "PUT requests"]),
        (("## siege", "## ab"), ["siege", "ab"]),
        (("### dotnet", "### go", "### make", "### time"), ["dotnet", "go", "make", "time"]),
        (("# dotnet", "# go", "# make", "# node"), ["dotnet", "go", "make", "node"]),
        (("---Without mutex flags---", "--- With flags ------ (`locked` errors)"), ["Without mutex flags", "With flags"]),
        (("with keep-alive:", "with maxSockets to Infinity:"), ["keep-alive", "maxSockets to Infinity"]),
        (("### FastEndpoints *(33,772 more requests per second than mvc)*", "### Minimal"), ["FastEndpoints", "Minimal"]),
        (("nginx (4 workers)", "nginx (8 workers) (2x faster)"), ["nginx (4 workers)", "nginx (8 workers)"]),
        (("gunicorn -w 4", "gunicorn -w 8"), ["gunicorn -w 4", "gunicorn -w 8"]),
        (("Rust server", "Go server", "C server:"), ["Rust server", "Go server", "C server"]),
        (("2 processes", "4 processes"), ["2 processes", "4 processes"]),
        (("Memory: 512 MB", "Memory: 1024 MB"), ["Memory: 512 MB", "Memory: 1024 MB"]),
    ],
)  # fmt: skip
def test_a_config_is_named_by_what_distinguishes_it(headings, names):
    assert list(grouped(sections(*headings))) == names


@pytest.mark.parametrize(
    "line",
    [
        *("bob · 3 comments · 5 Mar 2019", "bob commented 3 days ago", "alice wrote:", "█ setup", "Rate: 50", "4 min read"),
        *("~ ❯ sudo systemctl restart nginx", "[root@linux]# make install", "New configuration template added to /root/.siege"),
        *("X-Request-Id: 8c1f-1", "Date: Mon, 01 Jan 2024 10:00:02 GMT", "HTTP/1.1 200 OK", "CREATE INDEX"),
        "[2024-01-01 10:00:02,113] web1/INFO/locust.main: Starting Locust 2.20.0",
        *("real\t0m30.043s", "sys 0m20.4s", "0.01s user 0.02s system 0% cpu 10.05 total", "Stopping server A", "Hallo zusammen,"),
        *("Maria  10:32 AM", "Here is what everybody else would have to do then, and it may be of no use at all."),
        *("Response time: 0.02 secs", "Failed requests: 0", "root@host:/etc# vi nginx.conf"),
    ],
)  # fmt: skip
def test_what_names_nothing_names_no_config(line):
    assert list(grouped(sections(line))) == ["nginx/1.22.1"]


@pytest.mark.parametrize(
    "headings",
    [
        ("Warm-up:", "Measured:", "Again:"),
        ("nginx warmup", "nginx", "nginx"),
        ("=== warming up nginx (ignore) ===", "=== nginx run 1 ===", "=== nginx run 2 ==="),
        ("The first run is only for warming the cache, ignore it:", "And now for real:", "Once more:"),
        ("Aufwärmlauf:", "Lauf 1:", "Lauf 2:"),
        ("$ node app.js &\n[1] 4242\n# warmup", "# measure", "# measure"),
        ("ウォームアップ:", "1回目:", "2回目:"),
        ("预热", "第一次", "第二次"),
        ("прогрев", "прогон 1", "прогон 2"),
        ("# warmup", "# nginx", "# nginx"),
        ("====WARM-UP======", "===END WARM-UP===\n====BENCHMARK======", "=== BENCHMARK ==="),
        ("$ ./bench.sh\n=== WARMUP ===", "[07:44:57] ready\n=== RUN 1 ===", "[07:54:57] ready\n=== RUN 2 ==="),
    ],
)
def test_a_warm_up_does_not_count_and_is_no_repeat(headings):
    assert grouped("## nginx\n\n" + sections(*headings)) == {"nginx": [0, 1, 2]}


@pytest.mark.parametrize(
    "heading", ["After a short warm-up:", "nginx, with warm-up:", "warm cache", "warmup done, now nginx"]
)
def test_a_run_behind_its_warm_up_counts(heading):
    assert [1] in grouped(sections("cold", heading)).values()
    assert [0] not in grouped(sections("cold", heading)).values()


@pytest.mark.parametrize(
    ("title", "sentence", "name"),
    [
        (
            "Comparison of sync and gevent workers",
            "We switched from the sync workers of above to gevent workers (4 processes) and ran the same benchmark once more.",
            "gevent workers (4 processes)",
        ),
        (
            "## Embedded vs daemon mode",
            "I changed embedded mode to daemon mode (processes=2 threads=15), everything else is the same as above.",
            "daemon mode (processes=2 threads=15)",
        ),
        ("## Embedded versus daemon mode", "Now with daemon mode:", "daemon mode"),
        ("## Is worker or event faster?", "Same with event instead of worker:", "event"),
        (
            "preforkとworkerの比較",
            "上記のApacheのpreforkをworker(ThreadsPerChild=25)に変更して、同じベンチマークを行いました。",
            "worker(ThreadsPerChild=25)",
        ),
        (
            "## Vergleich von prefork und event",
            "Hier habe ich prefork durch event (ThreadsPerChild 25) ersetzt und sonst nichts an der Maschine geändert.",
            "event (ThreadsPerChild 25)",
        ),
        (
            "## Einzelprozess vs. Cluster",
            "Nun mit Cluster-Modus (4 Prozesse) statt Einzelprozess:",
            "Cluster-Modus (4 Prozesse)",
        ),
    ],
)
def test_below_a_comparisons_title_a_config_is_named_by_what_was_changed_to(title, sentence, name):
    changed = f"{title}\n\n{sentence}"
    assert grouped(sections("## Apache", changed)) == {"Apache": [1], name: [1]}
    again = grouped(sections(f"## {name}", changed))  # not averaged with what has that name already
    assert list(again.values()) == [[1], [1]] and next(iter(again)) == name


def test_a_change_told_before_the_first_load_test_names_no_config():
    told = "## Embedded vs daemon mode\n\nLast year we switched from embedded mode to daemon mode, and today we look at both again."
    assert list(grouped(sections(told, "## Apache"))) == ["Embedded vs daemon mode", "Apache"]


def test_a_change_to_what_the_title_does_not_compare_names_no_config():
    changed = (
        "## Embedded vs daemon mode\n\nI moved from my laptop to the desktop of a friend for all that follows here."
    )
    assert list(grouped(sections("## Apache", changed))) == ["Apache", "Embedded vs daemon mode"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Sure enough, we have fewer workers and the machine does not swap any more.",
        "Sure enough, we have fewer workers and less swapping:",
        "Tatsächlich sind es jetzt weniger Prozesse und der Speicher reicht aus.",
        "確かにプロセスが減って、メモリーも足りています",
    ],
)
@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("$ sudo sysctl -w vm.swappiness=10", "vm.swappiness=10"),
        ("MaxClients = 20", "MaxClients = 20"),
        ("worker_processes 2;\nworker_connections 512;", "worker_processes 2, worker_connections 512"),
        (
            "<IfModule mpm_prefork_module>\n    StartServers 2\n    MaxRequestWorkers 20\n</IfModule>",
            "StartServers 2, MaxRequestWorkers 20",
        ),
    ],
)
def test_behind_a_sentence_that_names_nothing_the_setting_names_the_config(sentence, lines, name):
    changed = f"{sentence}\n\n{lines}\n"
    assert grouped(sections("## Apache", changed)) == {"Apache": [1], name: [1]}
    again = f"And once more we saw that all of them are busy then, as it was before.\n\n{lines}\n"
    assert list(grouped(sections("## Apache", changed, again)).values()) == [[1], [1], [1]]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("$ h2load -n 400 -c 8 -i urls.txt", "urls.txt"),
        ("$ h2load -n 400 -c 8 https://web1:8443/", "web1:8443"),
        ("$ h2load -n 400 -c 8 --base-uri=https://web1:8443 /index.html", "/index.html"),
        ("", "h2load"),
    ],
)
def test_without_a_heading_or_a_server_the_command_names_what_was_loaded(command, name):
    assert list(grouped(f"{command}\n{FIXTURE}")) == [name]


@pytest.mark.parametrize(
    "header",
    ["X-Request-Id: 8c1f-{}", "Date: Mon, 01 Jan 2024 10:00:0{} GMT", "traceparent: 00-4bf9{}", "Idempotency-Key: {}"],
)
def test_a_header_that_is_another_in_each_request_is_the_same_load(header):
    runs = [f'$ wrk -t2 -c10 -H "{header.format(k)}" http://localhost:8080/\n@wrk 10{k}.10\n' for k in (1, 2)]
    assert grouped("".join(runs)) == {"localhost:8080": [1, 2]}
    assert grouped("".join(runs).replace(header.partition(":")[0], "Accept")) == {"localhost:8080": [1, 1]}


def test_other_addresses_of_one_server_are_no_repeats_where_only_the_command_tells_them():
    report = (FIXTURES / "hey/hey_01.txt").read_text().partition("\n")[2]
    text = "".join(
        f"$ hey -n 400 -c 10 http://localhost:8080/{page}\n{report}\n".replace("506.08", rate)
        for page, rate in (("a", "5.1"), ("b", "6.1"), ("a", "5.2"))
    )
    assert sorted(*grouped(text).values()) == [1, 1, 2]


DATE = "$ date\nTue Nov 22 12:0{m}:0{s} UTC 2022\n"
TIMED = DATE.replace("{s}", "0") + AB.strip() + "\n" + DATE.replace("{s}", "8") + "\n"


def placed(text: str) -> list[tuple[str, str]]:
    """(label of the run, phase) of each capture."""
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    labels = {run.key: run.label for run in experiment.runs} | {"": ""}
    return [(labels[capture.run], capture.phase) for capture in experiment.captures]


def test_a_monitor_belongs_to_the_run_whose_load_it_saw_by_the_clock():
    loads = f"nginx\n\n{TIMED.format(m=1, rate=51.1)}apache\n\n{TIMED.format(m=3, rate=61.1)}"
    assert placed(f"{loads}The other terminal:\n\n$ top -b -n 1\n@top 3.10 12:01:00\n") == [("nginx", "during")]
    assert placed(f"{loads}The other terminal:\n\n$ top -b -n 1\n@top 3.10 12:03:00\n") == [("apache", "during")]
