"""A command line that somebody typed, once more: as a plan, with everything said that a plan cannot do."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.remote.rerun import CannotRepeat, plan_from_run, plan_from_runs, read_options
from runs.tests import factories

from . import rows

TOOLS = ("ab", "hey", "siege", "wrk")
URL = "http://192.0.2.10/hello"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("ab -n 1000 -c 10 http://a/", {"requests": 1000, "concurrency": 10, "url": "http://a/"}),
        ("/usr/bin/ab -n1000 -c10 -k localhost/x", {"requests": 1000, "keepalive": True, "url": "http://localhost/x"}),
        ("ab -kc 5 -n 9 http://a/", {"concurrency": 5, "keepalive": True, "requests": 9}),
        ("ab http://a/", {"requests": 1, "concurrency": 1}),
        ("ab -t 30 -c 2 http://a/", {"duration_s": 30, "requests": None}),
        ("ab -n 9 -s 5 http://a/", {"timeout_s": 5}),
        ("ab -n 9 -i http://a/", {"method": "HEAD"}),
        ("ab -n 9 -m PATCH http://a/", {"method": "PATCH"}),
        ("ab -n 9 -H 'X-A: b c' -H Accept:x http://a/", {"headers": [("X-A", "b c"), ("Accept", "x")]}),
        ("ab -n 9 -C a=1 http://a/", {"headers": [("Cookie", "a=1")]}),
        ("time sudo ab -n 9 http://a/ 2>&1 | tee out.txt", {"requests": 9, "url": "http://a/"}),
        ('ab -n 9 "http://a/?x=1&y=2"', {"url": "http://a/?x=1&y=2"}),
        ("ab -n 9 http://a/ > out.txt; rm -rf /", {"url": "http://a/"}),
        ("ab -n 9 http://a/ && ab -n 99 http://b/", {"requests": 9, "url": "http://a/"}),
        ("siege -c 5 -r 10 -b http://a/", {"requests": 50, "concurrency": 5}),
        ("siege -c5 -t30S http://a/", {"duration_s": 30, "requests": None}),
        ("siege --concurrent=5 --time=1M http://a/", {"duration_s": 60, "concurrency": 5}),
        ("siege -t 2 http://a/", {"duration_s": 120, "concurrency": 10}),
        ("siege -c 1 -r 2 'http://a/ POST a=1&b=2'", {"method": "POST", "body": "a=1&b=2", "url": "http://a/"}),
        ("siege -c 1 -r 2 -A me http://a/", {"headers": [("User-Agent", "me")]}),
        ("wrk -t4 -c 1k -d 2m --latency http://a/", {"concurrency": 1000, "duration_s": 120, "keepalive": True}),
        ("wrk http://a/", {"concurrency": 10, "duration_s": 10}),
        ("wrk -d 5 -H 'Connection: close' http://a/", {"keepalive": False, "headers": []}),
        ("hey -n 200 -c 20 http://a/", {"requests": 200, "concurrency": 20, "keepalive": True}),
        ("hey -z 1m30s -disable-keepalive http://a/", {"duration_s": 90, "keepalive": False}),
        ("hey --n=5 -m POST -d 'a=1' -T x/y http://a/", {"requests": 5, "body": "a=1", "content_type": "x/y"}),
    ],
)
def test_a_command_line_is_read_as_its_tool_reads_it(command, wanted):
    asked = read_options(command)
    assert {name: getattr(asked, name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("curl http://a/", "calls no load tool"),
        ("", "calls no load tool"),
        ("ab -n 9", "no address"),
        ("ab -n many http://a/", "no number of requests"),
        ("ab -n", "no number of requests"),
        ("wrk -d soon http://a/", "no time"),
        ("siege http://a/", "neither a number of requests nor a duration"),
        ("ab -n 9 'http://a/", "quotes are not balanced"),
    ],
)
def test_what_cannot_be_read_says_why(command, word):
    with pytest.raises(CannotRepeat, match=word):
        read_options(command)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("ab -n 9 -A me:word http://a/", "user name and password"),
        ("ab -n 9 -X proxy:80 http://a/", "the proxy"),
        ("ab -n 9 -p form.txt http://a/", "the body"),
        ("ab -n 9 -Q http://a/", "is unknown"),
        ("ab -n 9 http://a/ http://b/", "one address"),
        ("siege -r 1 -d 3 http://a/", "the pause"),
        ("siege -r 1 'http://a/ POST <form.txt'", "The body"),
        ("wrk -s post.lua http://a/", "the script"),
        ("hey -q 5 http://a/", "the limit of requests per second"),
        ("hey -m BREW http://a/", "method BREW"),
    ],
)
def test_what_is_lost_is_said(command, word):
    assert any(word in sentence for sentence in read_options(command).lost)


WORDS = [
    "-n",
    "-c5",
    "-t",
    "30S",
    "1e9",
    "99999999999999999999",
    "9" * 400,
    "-",
    "--",
    "-kc",
    "--time=",
    "-z=x",
    "http://a/",
]


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(WORDS) | st.text(max_size=8)).map(shlex.join),
    st.sampled_from(TOOLS),
)
def test_any_text_is_read_or_refused_in_words(text, tool):
    try:
        asked = read_options(f"{tool} {text}")
    except CannotRepeat as refusal:
        assert str(refusal)
    else:
        assert asked.url and asked.concurrency >= 0 and (asked.requests is None) != (asked.duration_s is None)


def test_a_word_behind_an_option_is_never_taken_for_the_address():
    assert read_options("ab -n 9 -g http://evil/ -e x.csv http://a/").url == "http://a/"


def stored(command: str, **fields):
    config = factories.config(factories.experiment("MPMs"), "event")
    return factories.run(config, factories.upload(), command=command, **fields)


@pytest.mark.django_db
def test_a_stored_run_becomes_a_plan_for_the_target_that_allows_it():
    target = rows.target()
    found = plan_from_run(stored(f"ab -n 1000 -c 10 -k '{URL}?a=1&b=2'"))
    assert found.target == target
    assert found.variants == [{"name": "event"}]
    assert found.fields["address"] == target.addresses.get().pk
    assert found.fields["path"] == "/hello?a=1&b=2"
    assert (found.fields["levels"], found.fields["requests"], found.fields["keepalive"]) == ([10], 1000, True)
    assert found.notes == []


@pytest.mark.django_db
def test_runs_of_several_configs_become_variants_of_one_plan():
    rows.target()
    runs = [stored(f"ab -n 1000 -c 10 {rest}") for rest in (URL, f"-k {URL}?a=1", f"-k {URL}", URL)]
    found = plan_from_runs(runs)
    assert [{name: each[name] for name in each if name != "name"} for each in found.variants] == [
        {},
        {"path": "/hello?a=1", "keepalive": True},
        {"keepalive": True},
        {},
    ]
    assert len(found.notes) == 1 and "choose for each the switch" in found.notes[0]


@pytest.mark.django_db
def test_a_run_under_another_load_is_no_variant_and_the_plan_says_so():
    rows.target()
    found = plan_from_runs([stored(f"ab -n 1000 -c 10 {URL}"), stored(f"ab -n 500 -c 10 {URL}")])
    assert len(found.variants) == 1
    assert "loaded otherwise (requests)" in found.notes[0]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("", "does not show the command"),
        ("curl http://192.0.2.10/", "calls no load tool"),
        ("ab -n 9 http://192.0.2.10:81/", "not an address of any target"),
        ("ab -n 9 https://192.0.2.10/", "not an address of any target"),
        ("ab -n 9 http://me:word@192.0.2.10/", "user name or password"),
        ("ab -n 9 http://3221225994/", "plain form"),
        ("ab -n 9 http://[::1/", "not an address"),
        ("ab -n 9 ftp://192.0.2.10/", "does not begin"),
    ],
)
def test_a_run_that_no_target_allows_says_so(command, word):
    rows.target()
    with pytest.raises(CannotRepeat, match=word):
        plan_from_run(stored(command))


@pytest.mark.django_db
def test_a_target_that_is_switched_off_allows_nothing():
    rows.target(enabled=False)
    with pytest.raises(CannotRepeat, match="not an address of any target"):
        plan_from_run(stored(f"ab -n 9 {URL}"))


@pytest.mark.django_db
def test_of_two_targets_the_runs_own_host_is_taken():
    rows.target()
    second = rows.target()
    assert plan_from_run(stored(f"ab -n 9 {URL}", host=second.host)).target == second


@pytest.mark.django_db
def test_a_secret_of_a_stored_command_is_not_taken_over():
    rows.target()
    found = plan_from_run(stored(f"ab -n 9 -H 'Authorization: Bearer abcdef' -C 'session=[redacted]' {URL}"))
    assert found.fields["headers"] == [("Authorization", "{secret:AUTHORIZATION}"), ("Cookie", "{secret:COOKIE}")]
    assert "abcdef" not in str(found.fields) + str(found.notes)
    assert any("BENCHDASH_SECRET_COOKIE" in note for note in found.notes)


@pytest.mark.django_db
def test_a_header_that_leads_elsewhere_is_left_out():
    rows.target()
    found = plan_from_run(stored(f"ab -n 9 -H 'Host: evil.example' -H 'X-A: b' {URL}"))
    assert found.fields["headers"] == [("X-A", "b")]
    assert any("Host" in note for note in found.notes)


@pytest.mark.django_db
def test_a_fragment_is_left_out():
    rows.target()
    found = plan_from_run(stored(f"ab -n 9 '{URL}#top'"))
    assert found.fields["path"] == "/hello"
    assert any("#" in note for note in found.notes)
