"""Nobody may ask more than so many times a minute, and all web processes count together in the cache."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from runs.accounts import make_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def limit(monkeypatch):
    def set_limit(per_minute: int) -> None:
        rates = {"user": f"{per_minute}/min", "anon": f"{per_minute}/min"}
        monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)

    return set_limit


def at(monkeypatch, second: int) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "timer", staticmethod(lambda: 1_800_000_000 + second))


def sender(name: str = "joe") -> Client:
    _, token = make_token(user=User.objects.create_user(name), name="test")
    return Client(headers={"authorization": f"Bearer {token}"})


def statuses(client: Client, times: int) -> list[int]:
    return [client.get("/api/v1/hosts/").status_code for _ in range(times)]


def test_the_limit_is_the_one_that_is_set():
    """A high one is counted by the second."""
    rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    assert rates == {"user": f"{settings.API_PER_MINUTE // 60}/s", "anon": "120/min"}


@pytest.mark.parametrize("most", [3, 50])
def test_over_the_limit_it_says_when_to_come_again(limit, monkeypatch, most):
    limit(most)
    joe = sender()
    at(monkeypatch, 0)
    assert statuses(joe, most) == [200] * most
    at(monkeypatch, 20)
    answer = joe.get("/api/v1/hosts/")
    assert (answer.status_code, answer["Retry-After"]) == (429, "40")
    assert "throttled" in answer.json()["errors"][0]["message"]


def test_after_a_minute_requests_count_no_more(limit, monkeypatch):
    limit(2)
    joe = sender()
    at(monkeypatch, 0)
    assert statuses(joe, 3) == [200, 200, 429]
    at(monkeypatch, 60)
    assert statuses(joe, 3) == [200, 200, 429]


def test_each_user_has_a_limit_of_their_own(limit):
    limit(1)
    assert statuses(sender("ann"), 2) == statuses(sender("joe"), 2) == [200, 429]


def test_without_a_login_addresses_are_counted(limit, settings):
    settings.PUBLIC_READ = True
    limit(2)
    assert statuses(Client(), 3) == [200, 200, 429]
    assert statuses(Client(headers={"x-forwarded-for": "10.0.0.7"}), 1) == [429]  # which anybody may write
    assert statuses(Client(REMOTE_ADDR="10.0.0.7"), 3) == [200, 200, 429]


def test_behind_a_proxy_the_address_that_it_saw_is_counted(limit, settings):
    settings.PUBLIC_READ = True
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    limit(2)
    told = [Client(headers={"x-forwarded-for": f"10.0.0.{forged}, 10.9.9.9"}) for forged in range(3)]
    assert [status for client in told for status in statuses(client, 1)] == [200, 200, 429]
