"""Managing from pages: each change says what was done and can be undone, deletion asks, and the bin gives back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from runs import ingest
from runs.models import Config, Deletion, Experiment, Host, Run, Upload
from runs.remote.models import Target
from runs.templatetags.bench import name_rows
from runs.tests import factories
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
SAMPLES = Path(ingest.__file__).parents[1] / "samples"
KINDS: dict[str, Any] = {"experiments": Experiment, "configs": Config, "runs": Run, "hosts": Host, "uploads": Upload}


@pytest.fixture
def experiment() -> Experiment:
    return factories.wsgi_experiment()


def act(browser: Client, row, **fields: str) -> str:
    """The page after this change."""
    kind = f"{row._meta.model_name}s"
    sent = fields | {"back": row.get_absolute_url()}
    return browser.post(reverse("manage", args=[kind, row.pk]), sent, follow=True).content.decode()


def undo(browser: Client, page: str) -> str:
    token = re.search(r'name="undo" value="([^"]+)"', page)
    assert token, page
    return browser.post(reverse("undo"), {"undo": token[1]}, follow=True).content.decode()


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("experiments", "name", "WSGI"),
        ("experiments", "tags", "a, b"),
        ("experiments", "archived", "true"),
        ("configs", "name", "plain"),
        ("configs", "counted", "false"),
        ("runs", "note", "slow"),
        ("runs", "counted", "false"),
        ("runs", "repeat", "9"),
        ("hosts", "name", "box"),
        ("uploads", "name", "a.txt"),
    ],
)
def test_a_change_can_be_undone_once(browser, experiment, kind, field, value):
    row, before = KINDS[kind].objects.order_by("pk")[0], values()
    page = act(browser, row, **{field: value})
    assert values() != before
    assert "Undone" in undo(browser, page)
    assert values() == before
    assert "Nothing undone" in undo(browser, page)


def values() -> list[object]:
    runs = Run.objects.order_by("pk").values_list("pk", "config", "note", "tags", "counted", "repeat")
    names = [
        list(model.objects.order_by("pk").values_list("pk", "name")) for model in KINDS.values() if model is not Run
    ]
    return [list(runs), names, list(Experiment.objects.values_list("archived"))]


def test_merged_configs_come_apart_again(browser, experiment):
    first, second = experiment.configs.all()
    page = act(browser, first, name=second.name)
    assert experiment.configs.count() == 1
    undo(browser, page)
    assert [config.runs.count() for config in experiment.configs.all()] == [2, 2]


def merge_hosts(browser) -> tuple[Upload, str]:
    """Two hosts as one: the upload of the one that was merged into the other, and the page that says so."""
    uploads = [
        ingest.submit(session(500 + at).encode(), origin="web", hints=ingest.Hints(host=name)).upload
        for at, name in enumerate(("web1", "web2"))
    ]
    host = Host.objects.get(name="web2")
    return uploads[1], act(browser, host, name="web1")


def test_merged_hosts_come_apart_again(browser):
    upload, page = merge_hosts(browser)
    assert Host.objects.get().runs.count() == 2
    undo(browser, page)
    assert {host.name: host.runs.count() for host in Host.objects.all()} == {"web1": 1, "web2": 1}
    assert upload.runs.get().experiment.host.name == "web2"
    ingest.reparse(upload.pk)
    assert {host.name: host.runs.count() for host in Host.objects.all()} == {"web1": 1, "web2": 1}


def test_a_merge_of_hosts_with_too_many_runs_has_no_undo(browser, monkeypatch):
    monkeypatch.setattr("runs.ingest.fields.MOST_UNDONE", 0)
    _, page = merge_hosts(browser)
    assert "Merged" in page and 'name="undo"' not in page


def test_a_target_of_remote_runs_stays_when_its_host_is_merged(browser):
    ingest.submit(session(500).encode(), origin="web", hints=ingest.Hints(host="web1"))
    first, second = Host.objects.get(), Host.objects.create(name="web2", fingerprint=Host.objects.get().fingerprint)
    target = Target.objects.create(host=second)
    act(browser, second, name="web1")
    assert Target.objects.get(pk=target.pk).host == first
    other = Host.objects.create(name="web3", fingerprint=first.fingerprint)
    Target.objects.create(host=other)
    assert "Both hosts are a target" in act(browser, other, name="web1")
    assert Target.objects.count() == Host.objects.count() == 2


def test_the_baseline_is_chosen(browser, experiment):
    second = experiment.configs.all()[1]
    page = act(browser, experiment, baseline=str(second.pk))
    assert experiment.configs.all()[0] == second
    undo(browser, page)
    assert experiment.configs.all()[1] == second


def test_leaving_out_the_baseline_says_which_config_takes_its_place(browser, experiment):
    first, second = experiment.configs.all()
    assert f"“{second.name}” is the baseline now" in act(browser, first, counted="false").replace("&quot;", '"')


@pytest.mark.parametrize("field", [{"name": ""}, {"repeat": "0"}, {"config": "999999"}, {"counted": ""}, {}])
def test_what_makes_no_sense_changes_nothing(browser, experiment, field):
    before = values()
    assert 'class="notice error"' in act(browser, Run.objects.all()[0], **field)
    assert values() == before


@pytest.mark.parametrize("kind", KINDS)
def test_deleting_asks_and_can_be_undone(browser, experiment, kind):
    row, before = KINDS[kind].objects.order_by("pk")[0], values()
    address = reverse("delete", args=[kind, row.pk])
    asked = browser.get(address).content.decode()
    assert values() == before
    page = browser.post(address, follow=True).content.decode()
    told = Deletion.objects.get().counts
    assert all(name_rows(name, n) in asked for name, n in told.items())
    assert browser.get(row.get_absolute_url()).status_code == 404
    undo(browser, page)
    assert values() == before


def test_the_bin_restores_and_purges(browser, experiment):
    for n, run in enumerate(Run.objects.order_by("pk")[:2]):
        browser.post(reverse("delete", args=["runs", run.pk]))
        assert len(re.findall("/restore/", browser.get(reverse("bin")).content.decode())) == n + 1
    first, second = Deletion.objects.order_by("pk")
    browser.post(reverse("restore", args=[first.pk]))
    browser.post(reverse("purge", args=[second.pk]))
    assert (Run.objects.count(), Run.everything.count()) == (3, 3)


@pytest.mark.parametrize("public", [True, False])
def test_nobody_manages_without_a_login(client, experiment, settings, public):
    settings.PUBLIC_READ = public
    run = Run.objects.all()[0]
    addresses = [reverse(name, args=["runs", run.pk]) for name in ("manage", "delete")] + [reverse("bin")]
    for address in addresses:
        for response in (client.get(address), client.post(address, {"counted": "false"})):
            assert response.status_code == 302
            assert "/login/" in response.url
    assert Run.objects.filter(counted=True).count() == 4


def test_the_menu_needs_no_more_queries_for_more_rows(browser):
    counts = []
    for size in (2, 6):
        made = factories.wsgi_experiment(size, size)
        for row in (made, made.configs.all()[0], made.runs.all()[0]):
            with CaptureQueriesContext(connection) as counted:
                browser.get(reverse("manage", args=[f"{row._meta.model_name}s", row.pk]))
            counts.append(len(counted))
    assert counts[:3] == counts[3:]


def test_lists_leave_archived_experiments_out_until_they_are_asked_for(browser, experiment):
    act(browser, experiment, archived="true")
    lists = {"/experiments/.json": 0, "/experiments/.json?archived=1": 2, "/api/v1/experiments/": 0}
    lists["/api/v1/experiments/?archived=true"] = 1
    found = {address: browser.get(address).json() for address in lists}
    assert {address: len(body.get("rows", body.get("results"))) for address, body in found.items()} == lists
    assert experiment.name not in browser.get("/").content.decode()
    assert browser.get(experiment.get_absolute_url()).status_code == 200


def test_samples_are_put_away_by_one_click(browser):
    ingest.submit((SAMPLES / "1-mod_wsgi-preloading.txt").read_bytes(), origin="sample")
    page = browser.post(reverse("put-away-samples"), follow=True).content.decode()
    assert not Experiment.objects.exists()
    undo(browser, page)
    assert Experiment.objects.exists()
