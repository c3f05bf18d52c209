"""What a command asked for fills in what the tool's own output does not say."""

from __future__ import annotations

import pytest

import parsers
from runs.ingest.asked import Asked, asked_by, load_results

RATE = "Requests per second:    164.29 [#/sec] (mean)"
AB = Asked(concurrency=50, keepalive=True, hostname="127.0.0.1", port=80, path="/blog/?p=1")


@pytest.mark.parametrize(
    "command",
    [
        "ab -t 10 -c 50 -k http://127.0.0.1/blog/?p=1",
        "ab -t 10 -kc50 'http://127.0.0.1/blog/?p=1' | grep Requests",
        "sudo /usr/sbin/ab -k -t10 -c50 -H 'Cookie: a=b; c=d' 127.0.0.1:80/blog/?p=1 > out.txt 2>&1",
        r"C:\Apache24\bin\ab.exe -k -t 10 -c 50 http://127.0.0.1/blog/?p=1",
    ],
)
def test_the_spellings_of_one_command_ask_for_the_same(command):
    assert asked_by(command) == AB


def test_what_is_not_said_stays_open():
    assert asked_by("ab http://shop.lan:8080/") == Asked(None, None, False, "shop.lan", 8080, "/")


def test_siege_names_its_users_in_two_ways():
    short, long = (
        asked_by("siege -b -t1M -c100 http://shop.lan/"),
        asked_by("siege --concurrent=100 --time=60S shop.lan/"),
    )
    assert short == long == Asked(concurrency=100, hostname="shop.lan", port=80, path="/")


def test_a_list_of_addresses_has_no_one_path():
    assert asked_by("siege -c 5 -f urls.txt").path is None


@pytest.mark.parametrize(
    "command",
    ["", "grep Requests ab.txt", "ab -c 'open http://x/", "ab --frobnicate http://x.y/", "wrk -c 10 http://x.y/"],
)
def test_what_cannot_be_taken_apart_asks_for_nothing(command):
    assert asked_by(command) == Asked()


def test_a_quoted_rate_gets_its_load_from_the_command():
    (block,) = parsers.read(["$ ab -n 100 -c 50 -k http://127.0.0.1/blog/?p=1", "...", RATE])
    (result,) = load_results(block)
    assert (result.concurrency, result.keepalive, result.path, result.port) == (50, True, "/blog/?p=1", 80)
    assert "concurrency" not in block.values  # the tool did not print it


def test_what_the_tool_printed_stays():
    lines = ["$ ab -n 100 -c 50 http://127.0.0.1/", "Concurrency Level:      40", "Complete requests:      100", RATE]
    (block,) = parsers.read(lines)
    assert load_results(block)[0].concurrency == 40


def test_sieges_mean_concurrency_makes_way_for_the_users_asked_for():
    lines = [
        "$ siege -c 100 http://shop.lan/",
        "Transactions:  10 hits",
        "Transaction rate: 5.00 trans/sec",
        "Concurrency:  92.55",
    ]
    (block,) = parsers.read(lines)
    assert load_results(block)[0].concurrency == 100
    assert block.values["concurrency"] == 92.55
