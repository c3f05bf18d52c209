"""Secrets are names until a process is started, and stars afterwards."""

from __future__ import annotations

import base64
import json
import shlex
from urllib.parse import quote

import pytest

from runs.remote import tools
from runs.remote.secrets import SecretFault, check_header_secret, check_text, fill_load, find_secret_names, mask
from runs.remote.snapshots import Load

ENV = {"BENCHDASH_SECRET_API": "s3cr3t+value'1", "BENCHDASH_SECRET_OTHER": "another-one", "HOME": "/home/someone"}
BASE = "http://192.0.2.10:80"


def load(secret: str) -> Load:
    return Load("ab", BASE, "/", 1, requests=1, headers=(("Authorization", f"Bearer {secret}"),))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer abcdef"),
        ("authorization", "Basic dXNlcjpwYXNz"),
        ("Proxy-Authorization", "Basic dXNlcjpwYXNz"),
        ("Cookie", "theme=dark"),
        ("X-Api-Key", "1"),
        ("X-Auth-Token", "abc"),
        ("X-CSRFToken", "abc"),
        ("X-Session-Id", "abc"),
        ("X-Note", "password=hunter22"),
        ("X-Note", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ],
)
def test_a_secret_in_the_open_is_refused_with_the_way_to_do_it(name, value):
    with pytest.raises(SecretFault, match=r"\{secret:NAME\}.*BENCHDASH_SECRET_NAME") as caught:
        check_header_secret(name, value)
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer {secret:API}"),
        ("Cookie", "session={secret:SESSION_1}; theme=dark"),
        ("Accept-Language", "en"),
        ("X-Request-Id", "1"),
    ],
)
def test_a_named_secret_and_an_open_header_pass(name, value):
    check_header_secret(name, value)


@pytest.mark.parametrize("text", ["{secret:lower}", "{secret:}", "{secret:A-B}", "{secret:../X}", "{SECRET:API}"])
def test_a_name_that_is_none_is_refused(text):
    with pytest.raises(SecretFault, match="not a valid name"):
        check_header_secret("X-A", text)


@pytest.mark.parametrize("body", ["user=a&password=hunter22", '{"api_key": "abcdef123"}', "a=1\ntoken: abcdef"])
def test_a_body_with_a_password_is_refused(body):
    with pytest.raises(SecretFault, match="seems to contain a secret"):
        check_text("body", body)


@pytest.mark.parametrize("body", ["user=a&password={secret:PW}", '{"api_key": "{secret:API}"}', "a=1&b=2"])
def test_a_body_that_names_its_secret_passes(body):
    check_text("body", body)


def test_the_worker_fills_in_what_its_environment_has():
    load = Load(
        "ab", BASE, "/", 1, requests=1, method="POST", headers=(("X-A", "k {secret:API}"),), body="b={secret:OTHER}"
    )
    assert find_secret_names(load) == ["API", "OTHER"]
    filled = fill_load(load, ENV)
    assert (filled.headers, filled.body) == ((("X-A", "k s3cr3t+value'1"),), "b=another-one")
    assert load.headers == (("X-A", "k {secret:API}"),)


@pytest.mark.parametrize(
    ("value", "word"),
    [("", "is not set"), ("abc12", "too short"), ("two\r\nlines", "printable"), ("smörgås", "printable")],
)
def test_a_value_that_cannot_be_sent_or_masked_is_refused_without_being_told(value, word):
    with pytest.raises(SecretFault, match=word) as caught:
        fill_load(load("{secret:API}"), {"BENCHDASH_SECRET_API": value})
    assert not value or value not in str(caught.value)


def test_no_other_variable_can_be_read():
    with pytest.raises(SecretFault, match="BENCHDASH_SECRET_HOME is not set"):
        fill_load(load("{secret:HOME}"), ENV)


@pytest.mark.parametrize(
    "written",
    [
        lambda value: value,
        shlex.quote,
        json.dumps,
        quote,
        lambda value: quote(value, safe=""),
        lambda value: base64.b64encode(value.encode()).decode(),
    ],
)
def test_a_value_is_masked_however_it_is_written(written):
    text = mask(f"ab: bad header {written(ENV['BENCHDASH_SECRET_API'])} (another-one)", ENV)
    assert "s3cr3t" not in text and "czNjcjN0" not in text
    assert "another-one" not in text
    assert text.startswith("ab: bad header ")


def test_other_variables_are_not_masked():
    assert mask("/home/someone", ENV) == "/home/someone"


def test_a_short_value_does_not_wreck_the_text():
    assert mask("10 requests", {"BENCHDASH_SECRET_X": "10"}) == "10 requests"


def test_a_command_line_that_is_shown_holds_the_name():
    load = Load("ab", BASE, "/", 1, requests=1, headers=(("Authorization", "Bearer {secret:API}"),))
    shown = tools.join_command(tools.build(load, {BASE: []}))
    assert "{secret:API}" in shown
    filled = tools.build(fill_load(load, ENV), {BASE: []})
    assert f"Authorization: Bearer {ENV['BENCHDASH_SECRET_API']}" in filled
