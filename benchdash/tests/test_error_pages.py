"""What somebody sees when a page is missing, forbidden or broken: never a traceback."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchdash.views import bad_request, permission_denied, server_error

pytestmark = pytest.mark.django_db


def test_a_missing_page_says_so_and_leads_home(client):
    client.force_login(User.objects.create_user("ann"))
    response = client.get("/experiments/999999/")
    assert response.status_code == 404
    assert "There is no such page" in response.text
    assert 'href="/"' in response.text


def test_an_address_that_makes_no_sense_is_told_what_was_expected(client):
    client.force_login(User.objects.create_user("ann"))
    assert "Expected numbers with commas between them" in client.get("/compare/?runs=web1").text
    assert "No chart is called nothing.svg" in client.get("/compare/?figure=nothing.svg").text


@pytest.mark.parametrize(("view", "text"), [(bad_request, "ALLOWED_HOSTS"), (permission_denied, "permission")])
def test_a_refused_request_says_why(rf, view, text):
    assert text in view(rf.get("/"), Exception("x")).content.decode()


def test_a_broken_page_says_so_without_a_template_of_ours(rf):
    response = server_error(rf.get("/"))
    assert response.status_code == 500
    assert "The server's log has details" in response.content.decode()


def test_a_foreign_host_name_is_refused(client):
    assert client.get("/login/", headers={"host": "evil.example"}).status_code == 400


def said(response):
    (error,) = response.json()["errors"]
    assert error["line"] is None
    return error["message"]


def test_the_api_answers_in_its_own_shape_where_it_has_nothing(client):
    response = client.get("/api/v1/nothing/")
    assert response.status_code == 404
    assert "/api/v1/schema/" in said(response)


def test_the_api_answers_in_its_own_shape_what_django_refuses(client):
    response = client.get("/api/v1/runs/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert "host name" in said(response)


def test_the_api_answers_in_its_own_shape_when_it_fails(monkeypatch):
    monkeypatch.setattr("runs.api.views.select_compared_runs", lambda _: 1 / 0)
    quiet = Client(raise_request_exception=False)
    quiet.force_login(User.objects.create_user("ann"))
    response = quiet.get("/api/v1/compare/?runs=1")
    assert response.status_code == 500
    assert "log" in said(response)


@pytest.mark.parametrize("path", ["/", "/login/", "/runs/", "/api/v1/runs/", "/nowhere/"])
@pytest.mark.parametrize("public", [True, False])
def test_no_shared_cache_keeps_a_page(admin_client, settings, path, public):
    settings.PUBLIC_READ = public
    assert "private" in admin_client.get(path).headers["Cache-Control"]


def test_with_https_only_probes_are_answered_without_it(db, settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert Client().get("/runs/?q=a").headers["Location"] == "https://testserver/runs/?q=a"
    assert Client().get("/readyz").status_code != 301
    assert Client(headers={"X-Forwarded-Proto": "https"}).get("/login/").status_code == 200


@pytest.mark.parametrize("method", ["put", "patch", "delete", "trace"])
def test_a_page_refuses_methods_that_it_does_not_have(client, method):
    response = getattr(client, method)("/experiments/1/")
    assert response.status_code == 405 and response.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert getattr(client, method)("/api/v1/runs/").status_code != 405 or method == "trace"
