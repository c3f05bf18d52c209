"""Every address asks for a login by default: the addresses are read off the site, so a new page is in the test too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLResolver, get_resolver

from runs.accounts import make_token

pytestmark = pytest.mark.django_db

OPEN = {"/bd", "/readyz", "/login/", "/admin/login/"}
EXAMPLES = {"fmt": "json", "format": "json", "kind": "runs", "of": "runs"}  # of parameters that take no number
FOR_SCRIPTS = ("/api/v1/", "/uploads/send/")  # what asks them reads JSON and is told 401


def addresses(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """One address of each pattern below the resolver."""
    for name, ways in resolver.reverse_dict.lists():
        if isinstance(name, str):
            for possibilities, *_ in ways:
                for template, parameters in possibilities:
                    yield prefix + template % {name: EXAMPLES.get(name, "1") for name in parameters}
    for inner_prefix, inner in resolver.namespace_dict.values():
        yield from addresses(inner, prefix + inner_prefix)


def all_addresses() -> list[str]:
    return sorted(set(addresses(get_resolver())))


def test_the_walk_finds_the_pages():
    assert {"/", "/runs/1/", "/tokens/", "/login/", "/admin/"} <= set(all_addresses())


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_every_address_asks_for_a_login(client, method):
    for address in set(all_addresses()) - OPEN:
        response = getattr(client, method)(address)
        if method in ("put", "delete") and not address.startswith("/api/v1/"):
            assert response.status_code == 405, f"{method} {address}"
        elif address.startswith(FOR_SCRIPTS):
            assert response.status_code in (401, 404), f"{method} {address}"
        else:
            assert response.status_code == 302, f"{method} {address}"
            assert "/login/?next=" in response.headers["Location"], f"{method} {address}"


def test_a_login_leads_to_the_page_that_was_asked_for(client):
    User.objects.create_user("ann", password="long-enough-1")
    response = client.post("/login/?next=/runs/", {"username": "ann", "password": "long-enough-1", "next": "/runs/"})
    assert response.headers["Location"] == "/runs/"


def test_a_login_leads_to_no_other_site(client):
    User.objects.create_user("ann", password="long-enough-1")
    form = {"username": "ann", "password": "long-enough-1", "next": "https://evil.example/"}
    assert client.post("/login/", form).headers["Location"] == "/"


def test_a_wrong_password_is_said_on_the_page(client):
    response = client.post("/login/", {"username": "ann", "password": "wrong"})
    assert "do not match" in response.text


def try_to_log_in(client, address="127.0.0.1", page="/login/", **form):
    return client.post(page, {"username": "ann", "password": "wrong", **form}, REMOTE_ADDR=address)


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_whoever_tries_many_passwords_has_to_wait_and_is_told_so(client, page):
    User.objects.create_superuser("ann", password="long-enough-1")
    for _ in range(10):
        assert "Too many login attempts" not in try_to_log_in(client, page=page).text
    refused = try_to_log_in(client, password="long-enough-1", page=page)
    assert re.search(r"Too many login attempts\. Try again in \d\d? s\.", refused.text)
    spoofed = client.post(page, {"username": "ann", "password": "x"}, headers={"x-forwarded-for": "10.0.0.9"})
    assert "Too many login attempts" in spoofed.text
    assert try_to_log_in(Client(), "10.0.0.2", password="long-enough-1", page=page).status_code == 302


def test_whoever_mistypes_a_password_shuts_nobody_else_out_at_the_same_address(client):
    User.objects.create_user("bob", password="long-enough-2")
    for _ in range(11):
        refused = try_to_log_in(client)
    assert "Too many login attempts" in refused.text
    assert try_to_log_in(Client(), username="bob", password="long-enough-2").status_code == 302


def test_an_address_has_a_limit_for_all_names_together(client):
    for n in range(60):
        assert "Too many login attempts" not in try_to_log_in(client, username=f"user{n}").text
    assert "Too many login attempts" in try_to_log_in(client, username="another").text


def test_whoever_tries_a_name_from_many_addresses_does_not_shut_out_who_is_known(client):
    User.objects.create_user("ann", password="long-enough-1")
    User.objects.create_user("bob", password="long-enough-2")
    assert try_to_log_in(client, "10.0.0.1", password="long-enough-1").status_code == 302
    client.post("/logout/")
    for n in range(30):
        try_to_log_in(Client(), f"10.0.1.{n}")
    assert "Too many login attempts" in try_to_log_in(Client(), "10.0.2.1", password="long-enough-1").text
    assert try_to_log_in(client, "10.0.2.2", password="long-enough-1").status_code == 302
    assert try_to_log_in(Client(), "10.0.2.1", username="bob", password="long-enough-2").status_code == 302


def test_a_password_that_is_one_too_many_is_not_hashed(client, monkeypatch):
    for _ in range(10):
        try_to_log_in(client)
    monkeypatch.setattr(User, "check_password", None)
    monkeypatch.setattr(User, "set_password", None)
    assert "Too many login attempts" in try_to_log_in(client).text


def test_logging_out_ends_the_session(client):
    client.force_login(User.objects.create_user("ann"))
    left = client.post("/logout/").headers
    assert (left["Location"], left["Clear-Site-Data"]) == ("/login/", '"cache"')
    assert client.get("/tokens/").status_code == 302


def test_the_password_can_be_changed(client):
    user = User.objects.create_user("ann", password="long-enough-1")
    client.force_login(user)
    form = {"old_password": "long-enough-1", "new_password1": "another-2-word", "new_password2": "another-2-word"}
    assert client.post("/password/", form).headers["Location"] == "/"
    user.refresh_from_db()
    assert user.check_password("another-2-word")


def change_password(client, old="wrong", new="another-2-word", **more):
    return client.post("/password/", {"old_password": old, "new_password1": new, "new_password2": new} | more)


@pytest.mark.parametrize(("more", "status"), [({}, 200), ({"revokes_tokens": "on"}, 401)])
def test_tokens_are_revoked_with_the_password_on_request(client, more, status):
    user = User.objects.create_user("ann", password="long-enough-1")
    client.force_login(user)
    assert "revoke" not in client.get("/password/").text
    _, secret = make_token(user=user, name="ci")
    assert "Also revoke my API tokens (1)" in client.get("/password/").text
    assert change_password(client, "long-enough-1", **more).headers["Location"] == "/"
    headers = {"Authorization": f"Bearer {secret}"}
    assert Client(headers=headers).get("/api/v1/runs/").status_code == status


def test_wrong_old_passwords_count_as_logins_and_one_too_many_is_a_429(client):
    user = User.objects.create_user("ann", password="long-enough-1")
    client.force_login(user)
    for _ in range(5):
        assert try_to_log_in(Client()).status_code == 200
    assert [change_password(client).status_code for _ in range(5)] == [200] * 5
    refused = change_password(client, "long-enough-1")
    assert (refused.status_code, try_to_log_in(Client()).status_code) == (429, 429)
    assert f"Too many login attempts. Try again in {refused.headers['Retry-After']} s." in refused.text
    user.refresh_from_db()
    assert user.check_password("long-enough-1")


def test_a_right_old_password_is_taken_after_a_few_wrong_ones(client):
    client.force_login(User.objects.create_user("ann", password="long-enough-1"))
    assert [change_password(client).status_code for _ in range(9)] == [200] * 9
    assert change_password(client, "long-enough-1").headers["Location"] == "/"


def test_the_admin_changes_a_password_on_the_same_page(client):
    client.force_login(User.objects.create_superuser("ann"))
    assert client.post("/admin/password_change/", {"old_password": "wrong"}).headers["Location"] == "/password/"


def test_public_read_opens_pages_for_reading_only(client, settings):
    settings.PUBLIC_READ = True
    assert client.get("/runs/").status_code == 200
    for address in ("/", "/preview/", "/login/../tokens/"):
        assert client.post(address).status_code in (302, 404), address
    for address in ("/tokens/", "/password/", "/admin/"):
        assert "login" in client.get(address).headers["Location"], address


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_a_try_too_many_is_a_429_that_says_when_to_try_again(client, page):
    answers = [try_to_log_in(client, page=page) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert f"Try again in {answers[-1].headers['Retry-After']} s." in answers[-1].text


def test_all_web_processes_count_login_attempts_together():
    code = "import django; django.setup(); from runs.accounts.views import LoginThrottle as T;"
    code += "print(T('2/min', 'made').allow_request(None, None))"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    said = [subprocess.check_output([sys.executable, "-c", code], env=environment, text=True) for _ in range(3)]
    assert [each.strip() for each in said] == ["True", "True", "False"]
