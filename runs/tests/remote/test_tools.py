"""The load tools, really started: what a server sees of them is what was planned, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs import ingest
from runs.remote import tools
from runs.remote.addresses import NotAllowed
from runs.remote.snapshots import Files, Load
from runs.tests.remote.server import Server, serving

BASE = "http://192.0.2.10:8080"
ALLOWED = {BASE: ["192.0.2.10"]}
LOAD = Load("ab", BASE, "/hello", 4, requests=20)
NAMES = ("ab", "hey", "siege", "wrk")
# A few requests, or a second: enough to see how a tool asks.
SHORT = {name: {"requests": 4, "duration_s": None} for name in NAMES} | {"wrk": {"requests": None, "duration_s": 1}}


@pytest.fixture
def server():
    with serving() as told:
        yield told


def send(load: Load, server: Server, folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Start the tool as the runner does: the argument list, its files, no shell."""
    load = replace(load, base=server.base)
    texts = tools.tools()[load.tool].inputs(load)
    for name, text in texts.items():
        (folder / name).write_text(text)
    files = Files(**{name: str(folder / name) for name in texts})
    argv = tools.build(load, {server.base: ["127.0.0.1"]}, files)
    environ = os.environ | {"HOME": str(folder)}
    return subprocess.run([program, *argv[1:]], env=environ, capture_output=True, text=True, timeout=60, check=False)


def short(tool: str, **fields: Any) -> Load:
    given: dict[str, Any] = {"tool": tool, "base": BASE, "path": "/hello", "concurrency": 2}
    return Load(**given | SHORT[tool] | fields)


def test_there_are_four_tools():
    assert tuple(sorted(tools.tools())) == NAMES


@pytest.mark.parametrize("tool", NAMES)
def test_no_tool_follows_a_redirect_or_a_link(tool, needs, server, tmp_path):
    with serving() as other:
        server.elsewhere = f"{other.base}/elsewhere"
        send(short(tool, path="/moved"), server, tmp_path, needs(tool))
        send(short(tool, path="/page"), server, tmp_path, needs(tool))
        assert other.requests == []
    assert {line.split()[1] for line in server.lines()} == {"/moved", "/page"}


ODD = [
    "/a@127.0.0.1:9/",
    "/%0d%0aX-Evil:%20y",
    "/?u=http://evil.example/",
    "/;a=b,c'd",
    "/../../x",
    "/?@evil.example",
    "/$(HOME)?b=$HOME&c=`x`".replace("`", "'"),
    "/x%20POST%20y",
    "/a//b:80",
    "/-n",
]


@pytest.mark.parametrize("tool", NAMES)
def test_an_odd_path_reaches_the_server_as_it_was_written(tool, needs, tmp_path):
    for path in ODD[:3] if tool == "wrk" else ODD:  # wrk takes a second each
        with serving() as server:
            send(short(tool, path=path), server, tmp_path, needs(tool))
            assert {line.split()[1] for line in server.lines()} == {path}
            assert server.header("X-Evil") == {()}
            assert server.header("Host") == {(server.base.removeprefix("http://"),)}


HEADERS = (("X-One", "a b; c=\"d\" 'e' $HOME"), ("Accept-Language", "en"), ("User-Agent", "bench"))


@pytest.mark.parametrize("tool", NAMES)
def test_headers_arrive_as_they_were_written(tool, needs, server, tmp_path):
    headers = HEADERS[:2] if tool == "hey" else HEADERS
    send(short(tool, headers=headers), server, tmp_path, needs(tool))
    for name, value in headers:
        assert server.header(name) == {(value,)}


@pytest.mark.parametrize("tool", NAMES)
@pytest.mark.parametrize("keepalive", [False, True])
def test_keep_alive_is_as_planned(tool, keepalive, needs, server, tmp_path):
    send(short(tool, keepalive=keepalive), server, tmp_path, needs(tool))
    many = len(server.requests)
    assert many >= 4
    # An ended wrk may have opened a connection that it sent nothing on.
    assert server.connections <= 3 if keepalive else server.connections >= many


@pytest.mark.parametrize(
    ("tool", "method"),
    [(tool, method) for tool in ("ab", "hey", "siege") for method in ("POST", "PUT", "PATCH", "DELETE")],
)
def test_a_body_arrives_with_its_method_and_type(tool, method, needs, server, tmp_path):
    body = '{"a": "b c"}\n<x>'
    send(short(tool, method=method, body=body, content_type="application/json"), server, tmp_path, needs(tool))
    assert {line.split()[0] for line in server.lines()} == {method}
    assert {sent for _, _, sent in server.requests} == {body.encode()}
    assert server.header("Content-Type") == {("application/json",)}


@pytest.mark.parametrize(
    ("tool", "method"),
    [("ab", "HEAD"), ("ab", "OPTIONS"), ("ab", "POST"), ("hey", "HEAD"), ("hey", "DELETE"), ("siege", "DELETE")],
)
def test_a_method_without_a_body_arrives(tool, method, needs, server, tmp_path):
    send(short(tool, method=method), server, tmp_path, needs(tool))
    assert {line.split()[0] for line in server.lines()} == {method}


@pytest.mark.parametrize(("tool", "requests"), [("ab", 23), ("hey", 20), ("siege", 20)])
def test_a_tool_sends_as_many_as_it_says(tool, requests, needs, server, tmp_path):
    load = short(tool, requests=23, concurrency=5)
    assert tools.tools()[tool].sends(load) == requests
    send(load, server, tmp_path, needs(tool))
    assert len(server.requests) == requests


@pytest.mark.parametrize("tool", NAMES)
def test_a_duration_ends_a_load(tool, needs, server, tmp_path):
    ended = send(short(tool, requests=None, duration_s=2, most_requests=500_000), server, tmp_path, needs(tool))
    assert ended.returncode == 0
    assert len(server.requests) > 10


def test_a_timed_ab_keeps_the_targets_limit_of_requests(needs, server, tmp_path):
    send(short("ab", requests=None, duration_s=20, most_requests=30), server, tmp_path, needs("ab"))
    assert len(server.requests) == 30


def test_siege_asks_nobodys_settings(needs, server, tmp_path):
    settings = tmp_path / ".siege"
    settings.mkdir()
    (settings / "siege.conf").write_text(
        "json_output = true\nconnection = keep-alive\nproxy-host = 127.0.0.1\nproxy-port = 9\n"
    )
    ended = send(short("siege"), server, tmp_path, needs("siege"))
    assert len(server.requests) == 4
    assert "Transaction rate" in ended.stdout + ended.stderr
    assert server.header("Accept-Encoding") == {("identity",)}


def test_abs_progress_is_read_from_what_it_prints(needs, server, tmp_path):
    ended = send(short("ab", requests=300), server, tmp_path, needs("ab"))
    assert tools.tools()["ab"].progress(ended.stderr) == 300
    assert tools.tools()["ab"].progress(ended.stderr.split("Completed 200")[0]) == 100


def test_a_count_that_no_tool_prints_is_no_progress():
    assert tools.tools()["ab"].progress(f"Completed {'9' * 5000} requests\n") is None


def test_a_tool_that_tells_nothing_has_no_progress():
    assert [tools.tools()[name].progress("") for name in NAMES] == [None] * 4


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"tool": "wrk"}, "needs a duration"),
        ({"tool": "wrk", "requests": None, "duration_s": 1, "method": "POST"}, "need a script"),
        ({"tool": "siege", "method": "HEAD"}, "sends no HEAD"),
        ({"tool": "siege", "method": "OPTIONS"}, "sends no OPTIONS"),
        ({"tool": "siege", "headers": (("X-A", "a" * 1800), ("X-B", "b" * 200))}, "characters of headers"),
        ({"tool": "siege", "headers": (("Accept-Encoding", "br"),)}, "codings"),
        ({"tool": "siege", "requests": None, "duration_s": 1}, "at least 2 s"),
        ({"tool": "hey", "headers": (("X.A", "a"),)}, "cannot send the header"),
        ({"tool": "hey", "headers": (("User-Agent", "bench"),)}, "its own User-Agent"),
        ({"tool": "ab", "requests": 3}, "at least as many"),
        ({"tool": "hey", "requests": 3}, "at least one request"),
        ({"tool": "siege", "requests": 3}, "at least one request"),
        ({"tool": "ab", "requests": 30_000, "concurrency": 20_001}, "at most 20000"),
        ({"tool": "curl"}, "no load tool"),
        ({"tool": "../ab"}, "no load tool"),
        ({"tool": ""}, "no load tool"),
    ],
)
def test_what_a_tool_cannot_do_is_said(fields, word):
    with pytest.raises(tools.Cannot, match=word):
        tools.build(replace(LOAD, **fields), ALLOWED)


@pytest.mark.parametrize("fields", [{"base": "http://192.0.2.11:8080"}, {"path": "//evil.example"}, {"path": "-n"}])
def test_no_command_line_is_built_past_the_allow_list(fields):
    with pytest.raises(NotAllowed):
        tools.build(replace(LOAD, **fields), ALLOWED)


@given(
    value=st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).map("-".__add__) | st.text(max_size=20),
    tool=st.sampled_from(NAMES),
)
def test_what_a_person_writes_is_never_an_option(value, tool):
    """Behind an option that takes a value, or as part of an address that begins with http://."""
    load = short(tool, headers=(("X-A", value),), content_type=value, method="POST" if tool != "wrk" else "GET")
    load = replace(load, body=value) if tool != "wrk" else load
    try:
        argv = tools.build(load, ALLOWED)
    except (NotAllowed, tools.Cannot):
        return
    assert argv[0] == tool
    assert argv[-1].startswith(BASE + "/hello")
    command = ingest.parse_command(tools.join_command(argv))
    assert (command.tool, command.arguments, command.unknown) == (tool, (argv[-1],), ())
    lost = {name for name, _, _ in command.given if name in tools.tools()[tool].lost}
    assert lost <= {"-t", "-R", "-p", "-D"}


@pytest.mark.parametrize("bad", ["a\r\nHost: evil", "a\x00b", "a\x1b[2J", "a\u2028b"])
def test_a_control_character_is_in_no_command_line(bad):
    with pytest.raises(NotAllowed, match="control character"):
        tools.build(replace(LOAD, headers=(("X-A", bad),)), ALLOWED)


def test_a_shown_command_line_of_siege_tells_its_keep_alive():
    load = short("siege", keepalive=True)
    assert "keep-alive.siegerc" in tools.build(load, ALLOWED)
    assert "keep-alive.siegerc" not in tools.build(replace(load, keepalive=False), ALLOWED)


def test_what_is_shown_can_be_typed():
    load = replace(LOAD, path="/?a=1&b=$(id)", headers=(("X-A", "it's"),))
    shown = tools.join_command(tools.build(load, ALLOWED))
    shell = ["sh", "-c", f"printf '%s\\n' {shown}"]
    typed = subprocess.run(shell, capture_output=True, text=True, check=True).stdout.splitlines()
    assert typed == tools.build(load, ALLOWED)


def test_every_option_of_the_help_of_ab_is_known(needs):
    told = subprocess.run([needs("ab"), "-h"], capture_output=True, text=True, check=False)
    options = re.findall(r"^\s+(-\w) ", told.stdout + told.stderr, re.M)
    assert len(options) > 20
    assert [option for option in options if ingest.parse_command(f"ab {option} x http://a/").unknown] == []
