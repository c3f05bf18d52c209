"""API tokens: shown once, stored hashed, gone when revoked."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from runs.accounts import find_token, make_token
from runs.models import ApiToken

pytestmark = pytest.mark.django_db


class WhoAmI(APIView):
    def get(self, request):
        return Response(request.user.username)

    post = get


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann", password="long-enough-1")


def ask(method: str = "get", authorization: str | None = None):
    headers = {"authorization": authorization} if authorization else {}
    return WhoAmI.as_view()(getattr(APIRequestFactory(), method)("/x", headers=headers))


def test_a_token_opens_the_api_in_its_users_name(user):
    _, secret = make_token(user=user, name="ci")
    assert ask(authorization=f"Bearer {secret}").data == "ann"


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Bearer", "Bearer a b", "bearer \xff", "Basic YW5uOng="])
def test_without_a_good_token_it_says_401_and_how(user, header):
    response = ask(authorization=header)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_only_a_hash_is_stored(user):
    row, secret = make_token(user=user, name="ci")
    stored = ApiToken.objects.values().get()
    assert stored["sha256"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(stored)
    assert secret.startswith(row.prefix)
    assert len(secret) >= 40


def test_a_token_of_a_user_who_is_shut_out_opens_nothing(user):
    _, secret = make_token(user=user, name="ci")
    User.objects.update(is_active=False)
    assert find_token(secret) is None


def test_its_last_use_is_noted_but_not_at_every_request(user, django_assert_num_queries):
    row, secret = make_token(user=user, name="ci")
    find_token(secret)
    row.refresh_from_db()
    first = row.last_used_at
    assert timezone.now() - first < timedelta(minutes=1)
    find_token(secret)
    row.refresh_from_db()
    assert row.last_used_at == first


def test_the_page_shows_a_new_token_once_with_its_curl_line(client, user):
    client.force_login(user)
    shown = client.post("/tokens/", {"name": "load generator"})
    secret = shown.context["secret"]
    line = (
        f"curl -H &quot;Authorization: Bearer {secret}&quot; --data-binary @log.txt http://testserver/api/v1/uploads/"
    )
    assert line in shown.text.replace('"Authorization', "&quot;Authorization").replace(f'{secret}"', f"{secret}&quot;")
    assert "no-store" in shown.headers["Cache-Control"]
    again = client.get("/tokens/")
    assert secret not in again.text
    assert "load generator" in again.text
    assert find_token(secret).user == user


def test_a_token_needs_a_name(client, user):
    client.force_login(user)
    assert "This field is required" in client.post("/tokens/", {"name": " "}).text
    assert not ApiToken.objects.exists()


def test_revoking_it_shuts_the_door(client, user):
    row, secret = make_token(user=user, name="ci")
    client.force_login(user)
    assert client.post(f"/tokens/{row.pk}/revoke/").status_code == 302
    assert ask(authorization=f"Bearer {secret}").status_code == 401


def test_it_checks_ownership(client, user):
    row, secret = make_token(user=user, name="ci")
    client.force_login(User.objects.create_user("bob"))
    assert client.post(f"/tokens/{row.pk}/revoke/").status_code == 404
    assert find_token(secret)
    assert "ci" not in client.get("/tokens/").context["tokens"].values_list("name", flat=True)


def test_a_link_cannot_revoke(client, user):
    row, _ = make_token(user=user, name="ci")
    client.force_login(user)
    assert client.get(f"/tokens/{row.pk}/revoke/").status_code == 405


def test_public_read_opens_reading_of_the_api_and_nothing_else(settings):
    settings.PUBLIC_READ = True
    assert ask("get").status_code == 200
    assert ask("post").status_code == 401
    assert ask("get", authorization="Bearer wrong").status_code == 401


def test_a_token_in_steady_use_writes_nothing(django_user_model, django_assert_num_queries):
    _, secret = make_token(user=django_user_model.objects.create_user("ann"), name="script")
    find_token(secret)
    with django_assert_num_queries(1):
        assert find_token(secret) is not None
