"""Nobody may ask more than so many times a minute, and all web processes count together."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.accounts.tokens import make_token
from runs.api import limits

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon(monkeypatch) -> None:
    at(monkeypatch, 0)
    monkeypatch.setattr(limits, "_fetched", {})


def at(monkeypatch, second: int) -> None:
    monkeypatch.setattr("runs.api.limits.time.time", lambda: 1_800_000_000 + second)


def sender(name: str = "joe") -> Client:
    _, token = make_token(user=User.objects.create_user(name), name="test")
    return Client(headers={"authorization": f"Bearer {token}"})


def asked(client: Client, times: int) -> list[int]:
    return [client.get("/api/v1/hosts/").status_code for _ in range(times)]


@pytest.mark.parametrize("most", [3, 250])
def test_over_the_limit_it_says_when_to_come_again(settings, monkeypatch, most):
    settings.API_PER_MINUTE = most
    joe = sender()
    at(monkeypatch, 20)
    assert asked(joe, most) == [200] * most
    answer = joe.get("/api/v1/hosts/")
    assert (answer.status_code, answer["Retry-After"]) == (429, "40")
    assert "throttled" in answer.json()["errors"][0]["message"]


def test_the_next_minute_is_a_new_one(settings, monkeypatch):
    settings.API_PER_MINUTE = 2
    joe = sender()
    assert asked(joe, 3) == [200, 200, 429]
    at(monkeypatch, 60)
    assert asked(joe, 3) == [200, 200, 429]


def test_each_user_has_a_limit_of_their_own(settings):
    settings.API_PER_MINUTE = 1
    assert asked(sender("ann"), 2) == asked(sender("joe"), 2) == [200, 429]


def test_what_another_process_let_in_counts_too(settings, monkeypatch):
    settings.API_PER_MINUTE = 200  # fetched in twos
    joe = sender()
    assert asked(joe, 150) == [200] * 150
    monkeypatch.setattr(limits, "_fetched", {})  # as in another process
    assert asked(joe, 51) == [200] * 50 + [429]


def test_without_a_login_addresses_are_counted(settings):
    settings.PUBLIC_READ, settings.API_PER_MINUTE_WITHOUT_LOGIN = True, 2
    assert asked(Client(), 3) == [200, 200, 429]
    assert asked(Client(headers={"x-forwarded-for": "10.0.0.7, 10.0.0.1"}), 3) == [200, 200, 429]
