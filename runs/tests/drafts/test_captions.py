"""Captions below reports, and remarks below them that are none. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read

FIRST, SECOND = "@ab 100.5 server=", "@ab 200.5 server="


def rates_by_name(text: str) -> dict[str, float | None]:
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    return {names[run.config]: blocks[run.block].load_results[0].requests_per_second for run in experiment.runs}


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST}\n^ apache\n\n{SECOND}\n^ nginx\n",
        f"{FIRST}\n↑ apache\n\n{SECOND}\n↑ nginx\n",
        f"{FIRST}\n(above: apache)\n\n{SECOND}\n(above: nginx)\n",
        f"{FIRST}\nThat was apache.\n\n{SECOND}\nThat was nginx.\n",
        f"```\n{FIRST}\n```\n*Figure 1: apache*\n\n```\n{SECOND}\n```\n*Figure 2: nginx*\n",
        f"```\n{FIRST}\n```\n図1. apache\n\n```\n{SECOND}\n```\n図2. nginx\n",
        f"{FIRST}\napache\n\n{SECOND}\nnginx\n",
        f"# Two servers\n\n```\n{FIRST}\n```\napache\n\n```\n{SECOND}\n```\nnginx\n",
    ],
)
def test_captions_below_reports_name_these(text):
    assert rates_by_name(text) == {"apache": 100.5, "nginx": 200.5}


@pytest.mark.parametrize(
    "text",
    [
        f"apache\n{FIRST}\n^ slow, as expected\n\nnginx\n{SECOND}\n^ look at that\n",
        f"apache\n{FIRST}\nThat was slow!\n\nnginx\n{SECOND}\nThat was better.\n",
        f"apache\n{FIRST}\nThe above shows that it is slow\n\nnginx\n{SECOND}\nThe above shows that it is fast\n",
        f"apache\n{FIRST}\nnginx\n{SECOND}\nConclusion\n",
    ],
)
def test_remarks_below_reports_with_names_above_name_nothing(text):
    assert rates_by_name(text) == {"apache": 100.5, "nginx": 200.5}


@pytest.mark.parametrize(
    "text",
    [
        "Below are apache and nginx, in that order.",
        "Results for apache and nginx (in this order):",
        "First apache, then nginx:",
        "The first run is apache, the second one nginx.",
        "1) apache 2) nginx",
        "1) apache\n2) nginx",
        "- apache\n- nginx\n\nResults in the same order as above:",
        "I ran ab against apache and then nginx. Here is the output:",
        "Top one is apache, bottom one is nginx.",
        "apache first, nginx second:",
        "# Servers\n\n## Results\n\nHere are the results of apache and nginx respectively:",
        "Unten erst apache, dann nginx:",
        "以下はapache、nginxの順です。",
        "まずapache、次にnginxの結果です。",
        "left: apache, right: nginx",
        "The upper output is from apache, the lower one from nginx:",
        "The former is apache, the latter is nginx.",
        "压测结果：第一个是apache的，第二个是nginx的",
        "1つ目がapache、2つ目がnginxです。",
    ],
)
def test_a_line_that_lists_names_in_the_order_of_the_reports_names_these(text):
    assert rates_by_name(f"{text}\n\n{FIRST}\n\n{SECOND}\n") == {"apache": 100.5, "nginx": 200.5}


def test_a_list_of_what_is_needed_names_no_reports():
    needed = "requirements:\n\n1. node.js v12.13.1\n2. {}\n\n{}@ab 900.1\n\n@ab 300.1\n"
    for tool, below in (("Apache ab v2.3", ""), ("Redis 6", "We load a function that takes long.\n\n")):
        _, draft = read(expand(needed.format(tool, below)))
        assert len(draft.experiments[0].configs) == 1
    _, draft = read(expand(needed.format("Bun 1.1", "")))
    assert [config.name for config in draft.experiments[0].configs] == ["node.js v12.13.1", "Bun 1.1"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Results (first with keep-alive, second without):", ["keep-alive", "without keep-alive"]),
        ("Die erste ist mit Cache, die zweite ohne.", ["mit Cache", "ohne Cache"]),
        ("First without, second with cache:", ["without cache", "cache"]),
        ("The first is nginx with a cache, the second nginx without:", ["nginx with a cache", "nginx without"]),
        ("第一个是加了redis缓存的，第二个是没加redis缓存的", ["加了redis缓存", "没加redis缓存"]),
    ],
)
def test_what_the_second_one_is_without_is_what_the_first_one_is_with(text, names):
    _, draft = read(expand(f"{text}\n\n@ab 900.1\n\n@ab 300.1\n"))
    assert [config.name for config in draft.experiments[0].configs] == names


def test_what_the_second_report_lacks_is_what_the_first_one_has():
    _, draft = read(
        expand("The first result is with opcache enabled, the second one without it.\n\n@ab 900.1\n\n@ab 300.1\n")
    )
    assert [config.name for config in draft.experiments[0].configs] == ["with opcache enabled", "without opcache"]


def test_names_in_their_order_go_to_as_many_reports_of_each_load():
    loads = "\n\n".join(f"@ab {rate}.5 server= c={c}" for rate, c in [(100, 1), (110, 9), (200, 1), (210, 9)])
    _, draft = read(expand(f"Below are apache and nginx, in that order.\n\n{loads}\n"))
    assert [(config.name, len(runs)) for config, runs in runs_by_config(draft)] == [("apache", 2), ("nginx", 2)]


def test_names_that_fit_no_number_of_reports_are_told_and_none_is_chosen():
    blocks, draft = read(
        expand(f"Below are apache and nginx, in that order.\n\n{FIRST}\n\n{SECOND}\n\n@ab 300.5 server=\n")
    )
    assert [config.name for config, _ in runs_by_config(draft)] == ["apache or nginx"]
    (problem,) = blocks[0].problems
    assert (problem.line, problem.message[:56]) == (1, "this names 2 (apache, nginx), but 3 results follow: noth")


@pytest.mark.parametrize(
    "text", ["First I compiled it, then ran ab:", "nginx, two runs:", "nginx on a machine with 8 cores and 16 GB:"]
)
def test_what_was_done_first_and_then_names_no_reports(text):
    _, draft = read(expand(f"{text}\n\n{FIRST}\n\n{SECOND}\n"))
    assert len(draft.experiments[0].configs) == 1


def runs_by_config(draft):
    (experiment,) = draft.experiments
    return [(config, [run for run in experiment.runs if run.config == config.key]) for config in experiment.configs]


def test_a_version_in_a_list_of_names_is_of_what_the_first_one_names():
    _, draft = read(expand(f"Results for PHP 7.4 and 8.2, in that order:\n\n{FIRST}\n\n{SECOND}\n"))
    assert [config.name for config, _ in runs_by_config(draft)] == ["PHP 7.4", "PHP 8.2"]


def test_numbers_of_clients_in_their_order_name_no_configs():
    loads = "".join(f"@ab {c}.5 server= c={c}\n\n" for c in (10, 50, 100))
    _, draft = read(expand(f"Results for 10, 50 and 100 clients, in that order:\n\n{loads}"))
    assert len(draft.experiments[0].configs) == 1


@pytest.mark.parametrize(
    "line",
    [
        "Below are apache and nginx, in that order (2 runs each)",
        "First 2 runs with apache, then 2 with nginx:",
        "apache and nginx, in this order, two runs each:",
        "Zuerst apache, dann nginx, 2 Läufe:",
    ],
)
def test_names_in_order_are_those_of_several_runs_each_where_it_says_so(line):
    _, draft = read(expand(f"{line}\n\n" + "".join(f"@ab {rate}.1 server=\n\n" for rate in (900, 901, 300, 301))))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == ["apache", "nginx"]
    assert [run.repeat for run in experiment.runs] == [1, 2, 1, 2]


def test_names_in_order_of_runs_whose_number_is_not_told_stand_together_with_a_problem():
    text = "I ran the test six times, nginx and caddy in that order.\n\n"
    blocks, draft = read(expand(text + "".join(f"@ab {900 + at}.1 server=\n\n" for at in range(6))))
    assert [config.name for config in draft.experiments[0].configs] == ["nginx or caddy"]
    assert "nothing tells which is which" in blocks[0].problems[0].message


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("scheduler: mq-deadline -> none", ["mq-deadline", "none"]),
        ("## worker_processes 1 → 4", ["worker_processes 1", "worker_processes 4"]),
        ("Bumped gunicorn workers 2 => 8 and measured again.", ["workers 2", "workers 8"]),
        ("php 7.4 -> php 8.3", ["php 7.4", "php 8.3"]),
        ("nginx 1.18.0 → nginx 1.25.3", ["nginx 1.18.0", "nginx 1.25.3"]),
        ("net.core.somaxconn was raised from 128 to 4096", ["net.core.somaxconn 128", "net.core.somaxconn 4096"]),
    ],
)
def test_a_setting_that_is_changed_between_two_reports_names_these(line, names):
    assert list(rates_by_name(f"{line}\n\n{FIRST}\n\n{SECOND}\n")) == names


@pytest.mark.parametrize(
    ("line", "n"),
    [
        ("Topology: client -> server", 2),
        ("Setup: haproxy -> nginx", 2),
        ("Setup: laptop -> vps -> db", 2),
        ("Requests per second: 900 -> 1300", 2),
        ("workers: 2 -> 8", 3),
    ],
)
def test_ways_of_requests_and_changes_above_more_reports_name_no_two(line, n):
    reports = "\n\n".join(expand(f"@ab {900 + at}.5 server=") for at in range(n))
    _, draft = read(f"{line}\n\n{reports}\n")
    assert len(draft.experiments[0].configs) == 1


def test_a_brief_label_names_a_config_where_others_have_names():
    labels = ("G1:", "ZGC:", "ZGC:", "G1:")
    runs = "".join(f"{label}\n$ ab -n 500 http://a/\n@ab {at}.5 server=\n\n" for at, label in enumerate(labels, 100))
    _, draft = read(expand(f"GC change, A/B/B/A\n\n{runs}"))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    assert [names[run.config] for run in experiment.runs] == ["G1", "ZGC", "ZGC", "G1"]


@pytest.mark.parametrize("command", ['echo "== $BRANCH"', "echo $BRANCH", 'echo "== ${BRANCH}"'])
def test_what_echo_says_of_a_variable_names_what_follows(command):
    says = "== {}" if "==" in command else "{}"
    text = "".join(
        f"$ {command}\n{says.format(branch)}\n$ ab -n 500 http://a/\n{report}\n"
        for branch, report in (("master", FIRST), ("feature/arena", SECOND))
    )
    assert rates_by_name(text) == {"master": 100.5, "feature/arena": 200.5}


def test_another_containers_log_names_no_report():
    first, second = (expand(report).rstrip("\n").split("\n") for report in (FIRST, SECOND))
    log = ["$ docker compose up", "edge-1 | 2025/02/11 08:12:01 [notice] 1#1: start worker processes"]
    log += [f"small-1 | {line}" for line in first] + [f"large-1 | {line}" for line in second]
    assert rates_by_name("\n".join(log)) == {"small": 100.5, "large": 200.5}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# nginx\n\nLog:\n@ab 1.1\n\n# caddy\n\nLog:\n@ab 2.2\n\nLog:\n@ab 2.3\n", ["nginx", "caddy", "caddy"]),
        (
            "# nginx\n\nWorkers:\n\n2\n\nLog:\n@ab 1.1\n\n# caddy\n\nWorkers:\n\n2\n\nLog:\n@ab 2.2\n",
            ["nginx", "caddy"],
        ),
        ("# Results\n\nLog:\n@ab 1.1\n\nLog:\n@ab 2.2\n", ["Log", "Log"]),
    ],
)
def test_a_line_that_only_says_that_output_follows_names_no_config_where_headings_above_do(text, names):
    _, draft = read(expand(text))
    own = {config.key: config.name for experiment in draft.experiments for config in experiment.configs}
    assert [own[run.config] for experiment in draft.experiments for run in experiment.runs] == names


@pytest.mark.parametrize(
    ("told", "rates", "names"),
    [
        ("1200 -> 1500 req/s", (1201, 1210, 1500, 1490), ["before", "before", "after", "after"]),
        ("Tuned: 1,200 req/s → 1.5k req/s", (1203, 1498, 1501), ["before", "after", "after"]),
        ("It went from 1200 to 1500 requests per second.", (1199, 1503), ["before", "after"]),
        ("Throughput went from 9.000 to 12.000 req/s.", (9000, 9050, 12010), ["before", "before", "after"]),
        ("It went from 9.125 to 12.125 req/s.", (9, 12), ["before", "after"]),
        ("Before: 1200 req/s, after: 1500 req/s.", (1201, 1502), ["before", "after"]),
        ("It is fine now, 595 against 2319 transactions", (595, 2319), ["before", "after"]),
        ("Стало лучше, 595 против 2319", (595, 2319), ["before", "after"]),
        ("It is fine now, 597 against 2319 transactions", (595, 2319), []),
        ("595 against 2319 ms", (595, 2319), []),
        ("We promise 1200 -> 1500 req/s to all customers.", (900, 1100, 1490), []),
        ("1200 -> 1500 req/s", (1201, 1499, 1204, 1501), []),  # in turn: what else was changed is not known
        ("1200 -> 1220 req/s", (1200, 1219), []),
        ("1200 -> 1500 req/s", (1201, 1203), []),
        ("1200 -> 1500 ms", (1201, 1499), []),
    ],
)
def test_a_line_that_tells_both_rates_names_the_reports_before_and_after(told, rates, names):
    text = expand(f"{told}\n\n" + "".join(f"@ab {rate}.10 server=\n" for rate in rates))
    (experiment,) = read(text)[1].experiments
    name_of = {config.key: config.name for config in experiment.configs}
    found = [name_of[run.config] for run in experiment.runs]
    assert found == names or (not names and len({*found}) == 1)


def test_names_of_columns_in_a_plan_of_a_query_are_no_places():
    plan = "Filter: (((first_name)::text ~~ 'A%'::text) AND ((second_name)::text ~~ 'B%'::text))"
    text = (
        f"## No index\n\n{plan}\n\n@ab 900.5\n\n@ab 901.5 c=20\n\n## Index\n\n{plan}\n\n@ab 1900.5\n\n@ab 1901.5 c=20\n"
    )
    _, draft = read(expand(text))
    assert [config.name for config, _ in runs_by_config(draft)] == ["No index", "Index"]
