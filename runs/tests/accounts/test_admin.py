"""The admin shows what is stored and changes none of it; only switches are written there."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User

from runs import ingest
from runs.accounts import make_token
from runs.models import Facet, Host, Run
from runs.remote.models import Switch, Target
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db


def test_every_list_opens_and_nothing_but_a_switch_can_be_added(client):
    client.force_login(User.objects.create_superuser("ann"))
    for model in (model for model in admin.site._registry if model._meta.app_label in ("runs", "remote")):
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(address).status_code == 200, address
        assert client.get(f"{address}add/").status_code == (200 if model is Switch else 403), address


def test_a_tokens_hash_is_not_shown(client):
    user = User.objects.create_superuser("ann")
    row, _ = make_token(user=user, name="ci")
    client.force_login(user)
    page = client.get(f"/admin/runs/apitoken/{row.pk}/change/")
    assert "ci" in page.text
    assert row.sha256 not in page.text


def test_what_the_admin_deletes_is_counted_no_more(client):
    client.force_login(User.objects.create_superuser("ann"))
    upload = ingest.submit(session(500).encode(), origin="web").upload
    data = {"action": "delete_selected", "_selected_action": [upload.pk], "post": "yes"}
    assert client.post("/admin/runs/upload/", data).status_code == 302
    ingest.apply_deltas()
    assert not Run.objects.exists() and not Facet.objects.filter(n_runs__gt=0).exists()


@pytest.mark.parametrize("address", ["{}/delete/", ""], ids=["one row", "chosen rows"])
def test_what_may_not_be_deleted_stays_and_the_admin_says_why(client, address):
    """Found by make fuzz-web: a host that remote runs are made on was an error 500."""
    client.force_login(User.objects.create_superuser("ann"))
    host = Host.objects.create(name="web1")
    Target.objects.create(host=host)
    data = {"action": "delete_selected", "_selected_action": [host.pk], "post": "yes"}
    page = client.post(f"/admin/runs/host/{address.format(host.pk)}", data, follow=True)
    assert "This host is a target of remote runs." in page.text and "successfully" not in page.text
    assert Host.objects.filter(pk=host.pk).exists()


def test_runs_are_narrowed_by_the_tools_that_there_are(client):
    client.force_login(User.objects.create_superuser("ann"))
    ingest.submit(session(500).encode(), origin="web")
    ingest.apply_deltas()
    assert "?tool=ab" in client.get("/admin/runs/run/").text
    assert "0 runs" in client.get("/admin/runs/run/?tool=siege").text
