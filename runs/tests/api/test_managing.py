"""PATCH, DELETE and restore over REST."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from runs.accounts import make_token
from runs.models import Config, Deletion, Experiment, Host, Run, Upload
from runs.tests import factories

pytestmark = pytest.mark.django_db
KINDS = {"experiments": Experiment, "configs": Config, "runs": Run, "hosts": Host, "uploads": Upload}


@pytest.fixture
def experiment() -> Experiment:
    return factories.wsgi_experiment()


@pytest.fixture
def api(django_user_model) -> APIClient:
    client = APIClient()
    _, secret = make_token(user=django_user_model.objects.create_user("script"), name="ci")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def address(row) -> str:
    return f"/api/v1/{row._meta.model_name}s/{row.pk}/"


def test_a_name_or_tag_turns_no_words_around_it_and_has_one_line(api, experiment):
    odd = "\u202ea\x1b[31m\u2066b\r\nc\x7f"
    answer = api.patch(address(experiment), {"name": odd, "tags": [odd]}, format="json")
    assert answer.data["name"] == "a[31mb  c" and Run.objects.first().tags == ["a[31mb  c"]


@pytest.mark.parametrize("kind", ["experiments", "configs", "hosts", "uploads"])
@pytest.mark.parametrize("name", ["\u202e\x01", "\u202e", " \u200b\u2060 ", "\ufeff", "\xad", 1e30, 7, True, ["a"]])
def test_a_name_is_a_text_of_which_something_is_seen(api, experiment, kind, name):
    row = KINDS[kind].objects.order_by("pk")[0]
    before = row.name
    assert api.patch(address(row), {"name": name}, format="json").status_code == 400
    row.refresh_from_db()
    assert row.name == before


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("experiments", {"name": "WSGI", "archived": True}),
        ("configs", {"name": "plain"}),
        ("runs", {"note": "slow", "tags": ["a"], "counted": False, "repeat": 9}),
        ("hosts", {"name": "box", "price_per_hour": 0.5}),
    ],
)
def test_patch_answers_the_changed_row(api, experiment, kind, sent):
    row = KINDS[kind].objects.order_by("pk")[0]
    body = api.patch(address(row), sent, format="json").json()
    assert {name: body[name] for name in sent} == sent
    assert api.get(address(row)).json() == body


def test_patch_of_an_upload_an_experiment_and_a_config_go_further(api, experiment):
    first, second = experiment.configs.all()
    upload = Upload.objects.get()
    assert api.patch(address(upload), {"name": "a.txt"}, format="json").status_code == 200
    api.patch(address(experiment), {"note": "why", "tags": ["x"], "baseline": second.pk}, format="json")
    assert set(map(str, Run.objects.values_list("tags", flat=True))) == {"['x']"}
    assert [config["id"] for config in api.get(address(experiment)).json()["configs"]] == [second.pk, first.pk]
    api.patch(address(first), {"baseline": True, "counted": False}, format="json")
    assert first.runs.filter(counted=True).count() == 0
    moved = api.patch(address(first.runs.all()[0]), {"config": second.pk}, format="json").json()
    assert moved["config_id"] == second.pk
    assert api.patch(address(first), {"name": second.name}, format="json").json()["id"] == second.pk


@pytest.mark.parametrize(
    "sent", [{"name": ""}, {"name": None}, {"nmae": "x"}, {"url": "x"}, {"name": "a\0b"}, [], "x", {"name": {"a": 1}}]
)
def test_patch_refuses_what_makes_no_sense(api, experiment, sent):
    before = experiment.name
    response = api.patch(address(experiment), sent, format="json")
    assert response.status_code == 400
    assert response.json()["errors"][0]["message"]
    experiment.refresh_from_db()
    assert experiment.name == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_deleted_answers_404_until_it_is_restored(api, experiment, kind):
    row = KINDS[kind].objects.order_by("pk")[0]
    before = listed(api)
    told = api.delete(address(row)).json()
    assert told["counts"][kind] == 1
    assert api.get(address(row)).status_code == api.delete(address(row)).status_code == 404
    assert row.pk not in [found["id"] for found in listed(api)[kind]]
    assert api.post(f"{address(row)}restore/").status_code == 200
    assert listed(api) == before
    assert api.post(f"{address(row)}restore/").status_code == 404


def listed(api: APIClient) -> dict[str, Any]:
    return {kind: api.get(f"/api/v1/{kind}/").json()["results"] for kind in [*KINDS, "captures"]}


def test_what_went_with_another_row_is_restored_with_that(api, experiment):
    api.delete(address(experiment))
    assert api.post(f"{address(Run.everything.all()[0])}restore/").status_code == 409


@pytest.mark.parametrize("public", [True, False])
def test_nothing_is_changed_without_a_token(experiment, settings, public):
    settings.PUBLIC_READ = public
    run, stranger = Run.objects.all()[0], APIClient()
    for response in (
        stranger.patch(address(run), {"counted": False}, format="json"),
        stranger.delete(address(run)),
        stranger.post(f"{address(run)}restore/"),
    ):
        assert response.status_code == 401
    assert Run.objects.filter(counted=True).count() == 4
    assert not Deletion.objects.exists()
