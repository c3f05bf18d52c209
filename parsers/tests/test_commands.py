"""Command lines of load tools: options in standard terms, the address, and what a quoted report gets from its command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parsers
from parsers import parse_command
from parsers.commands import Command, per_second, seconds, split_url

from .reading import FIXTURES, blocks, text_of

RATE = "Requests per second:    164.29 [#/sec] (mean)"


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://web1:8080/a?b=1", ("web1", 8080, "/a?b=1")),
        ("https://web1", ("web1", 443, "/")),
        ("http://[::1]:81/x", ("::1", 81, "/x")),
        ("unix:/run/web.sock", (None, None, None)),
        ("http://[web1/", (None, None, None)),
        ("http://$HOST/a", (None, 80, "/a")),
        ("", (None, None, None)),
    ],
)
def test_an_address_tells_host_port_and_path(url, parts):
    assert split_url(url) == parts


def test_a_report_on_an_odd_address_is_a_load_all_the_same():
    text = text_of(FIXTURES / "wrk" / "wrk_01.txt").replace("http://localhost:8080", "http://[localhost:8080")
    (block,) = blocks(text)
    (load,) = block.records
    assert (load.hostname, load.requests_per_second) == (None, block.values["requests_per_second"])


@pytest.mark.parametrize(
    "command",
    [
        "ab -t 10 -c 50 -k http://127.0.0.1/blog/?p=1",
        "ab -t 10 -kc50 'http://127.0.0.1/blog/?p=1' | grep Requests",
        "sudo /usr/sbin/ab -k -t10 -c50 -H 'Cookie: a=b; c=d' 127.0.0.1:80/blog/?p=1 > out.txt 2>&1",
        r"C:\Apache24\bin\ab.exe -k -t 10 -c 50 http://127.0.0.1/blog/?p=1",
        'ssh web1 "ab -k -t 10 -c 50 http://127.0.0.1/blog/?p=1"',
        "for n in 1 2 3; do ab -k -t 10 -c 50 http://127.0.0.1/blog/?p=1; done",
    ],
)
def test_the_spellings_of_one_command_ask_for_the_same(command):
    found = parse_command(command)
    wanted = {"concurrency": 50, "keepalive": True, "duration_s": 10}
    assert {term: found.options[term] for term in wanted} == wanted
    assert (found.tool, found.hostname, found.port, found.path) == ("ab", "127.0.0.1", 80, "/blog/?p=1")


def test_what_is_not_said_stays_open():
    found = parse_command("ab http://shop.lan:8080/")
    assert found.options == {"keepalive": False}
    assert (found.hostname, found.port, found.path) == ("shop.lan", 8080, "/")


def test_siege_names_its_users_in_two_ways():
    short, long = (
        parse_command("siege -t1M -c100 http://shop.lan/"),
        parse_command("siege --concurrent=100 --time=60S shop.lan/"),
    )
    assert short.options == long.options == {"concurrency": 100, "duration_s": 60}
    assert short.url == long.url == "http://shop.lan/"
    assert parse_command("siege -b shop.lan").options == {"delay_s": "none"}


def test_a_list_of_addresses_has_no_one_path():
    assert parse_command("siege -c 5 -f urls.txt").path is None


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("wrk -t4 -c 1k -d 2m -R500 --latency http://a/", {"threads": 4, "concurrency": 1000, "duration_s": 120, "rate": 500}),
        ("hey --n=5 -z 1m30s -disable-keepalive http://a/", {"requests": 5, "duration_s": 90, "keepalive": False}),
        ("oha -n20000 -c100 'http://localhost:9999/ranking'", {"requests": 20000, "concurrency": 100}),
        ("h2load -n 400 -c 8 -m 4 --h1 http://a/", {"requests": 400, "concurrency": 8, "pipelining": 4, "protocol": "HTTP/1.1"}),
        ("npx autocannon -c 2 -a 50 http://a/", {"concurrency": 2, "requests": 50}),
        ("httperf --server a --num-con 75000", {"connections": 75000}),
        ("k6 run -e URL=$DOMAIN s.js", {"script": "s.js URL=$DOMAIN"}),
        ("k6 run --vus 10 -d 30s script.js", {"concurrency": 10, "duration_s": 30, "script": "script.js"}),
        ("echo 'GET http://a/' | vegeta attack -rate=1000/1m -duration=5s", {"rate": 1000 / 60, "duration_s": 5, "method": "GET"}),
        ("locust -f l.py -u 10 -t 4s -H http://a/", {"concurrency": 10, "duration_s": 4, "url": "http://a/", "script": "l.py"}),
        ("jmeter -n -t plan.jmx -l out.jtl", {"script": "plan.jmx"}),
    ],
)  # fmt: skip
def test_each_tools_options_are_told_in_standard_terms(command, options):
    found = parse_command(command)
    assert found.options == options
    assert not found.unknown
    assert found.hostname in ("a", "localhost", None)


def test_the_tool_of_a_run_is_found_among_several():
    command = "siege -c 5 http://a/ && ab -c 7 http://b/"
    assert parse_command(command).options == {"concurrency": 5}
    assert parse_command(command, "ab").options["concurrency"] == 7
    assert parse_command("cd /tmp", "ab") == Command()


def test_options_are_kept_in_order_and_unknown_ones_are_named():
    found = parse_command("ab -n 9 -H 'X-A: b c' -H Accept:x --frobnicate http://x.y/ 2>&1")
    assert found.given == (("-n", "9", "requests"), ("-H", "X-A: b c", "header"), ("-H", "Accept:x", "header"))
    assert (found.unknown, found.arguments) == (("--frobnicate",), ("http://x.y/",))


@pytest.mark.parametrize("command", ["", "grep Requests ab.txt", "ab -c 'open http://x/", "curl -c 10 http://x.y/"])
def test_what_cannot_be_taken_apart_asks_for_nothing(command):
    found = parse_command(command)
    assert (found.options, found.url) == ({}, "")
    assert bool(found.problem) == ("open" in command)


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["-n", "-c5", "--", "-", "'", "\\", "http://[", "-kc", "=", "--t"])).map(" ".join)
)
def test_any_text_is_read(text):
    for tool in ("ab", "siege", "hey"):
        found = parse_command(f"{tool} {text}")
        assert found.scheme in ("http", "https", "")
        assert found.hostname is None or found.url


@pytest.mark.parametrize(("text", "value"), [("30", 1800), ("30S", 30), ("1m30s", 90), ("500ms", 0.5), ("soon", None)])
def test_durations_are_in_seconds(text, value):
    assert seconds(text, "m") == value


@pytest.mark.parametrize(("text", "value"), [("500", 500), ("500/s", 500), ("90/3s", 30), ("max", None)])
def test_rates_are_per_second(text, value):
    assert per_second(text) == value


def test_a_quoted_rate_gets_its_load_from_the_command():
    (block,) = parsers.read(["$ ab -n 100 -c 50 -k http://127.0.0.1/blog/?p=1", "...", RATE])
    (result,) = block.load_results
    assert (result.concurrency, result.keepalive, result.path, result.port) == (50, True, "/blog/?p=1", 80)
    assert "concurrency" not in block.values  # the tool did not print it


def test_a_tool_that_prints_no_concurrency_has_that_of_its_command():
    lines = text_of(FIXTURES / "hey/hey_01.txt").split("\n")
    (block,) = parsers.read(lines)
    assert lines[0].startswith("$ hey -n 400 -c 10 ")
    assert block.load_results[0].concurrency == 10


def test_a_command_that_sets_no_concurrency_has_its_tools_own():
    (block,) = parsers.read(["$ ab -n 100 http://127.0.0.1/", RATE])
    assert block.load_results[0].concurrency == 1


@pytest.mark.parametrize(
    "command", ["ab -c 'open http://x/", "ab -c 5 --frobnicate http://x.y/", "wrk -c 10 http://x.y/"]
)
def test_an_odd_command_or_another_tools_tells_nothing_of_a_report(command):
    (block,) = parsers.read([f"$ {command}", RATE])
    (result,) = block.load_results
    assert (result.concurrency, result.keepalive, result.hostname) == (None, None, None)


def test_what_the_tool_printed_stays():
    lines = ["$ ab -n 100 -c 50 http://127.0.0.1/", "Concurrency Level:      40", "Complete requests:      100", RATE]
    (block,) = parsers.read(lines)
    assert block.load_results[0].concurrency == 40


def test_sieges_mean_concurrency_makes_way_for_the_users_asked_for():
    lines = [
        "$ siege -c 100 http://shop.lan/",
        "Transactions:  10 hits",
        "Transaction rate: 5.00 trans/sec",
        "Concurrency:  92.55",
    ]
    (block,) = parsers.read(lines)
    assert block.load_results[0].concurrency == 100
    assert block.values["concurrency"] == 92.55


def test_the_address_that_results_are_sent_to_is_not_the_one_under_load():
    command = "k6 run -e ENV=apache-php --out influxdb=http://localhost:8086/k6 flow.js"
    assert parse_command(command).url == ""
    assert parse_command(f"{command} http://shop:8080/").url == "http://shop:8080/"
