"""Small changes made on the pages themselves."""

from __future__ import annotations

import pytest

from runs.ingest import submit
from runs.models import Capture, Config, Host, Upload
from runs.tests import factories
from runs.tests.ingest.texts import session


@pytest.mark.parametrize("kind", ["experiment", "config", "host"])
def test_things_are_renamed_in_place(browser, kind):
    made = factories.mpm_experiment()
    thing = {"experiment": made, "config": made.configs.first(), "host": made.host}[kind]
    response = browser.post(f"/{kind}s/{thing.pk}/rename/", {"name": "another name"})
    thing.refresh_from_db()
    assert thing.name == "another name"
    assert response.url == thing.get_absolute_url()


def test_secrets_are_blacked_out_on_the_page_of_a_text(browser):
    upload = submit(b"$ mysqldump --password=geheim7 db\n" + session(500).encode(), door="web").upload
    page = browser.get(f"/uploads/{upload.pk}/").content.decode()
    assert "1 secret seems to stand in this text" in page and "geheim7" in page
    page = browser.post(f"/uploads/{upload.pk}/redact/", {"word": "worker"}, follow=True).content.decode()
    assert "Blacked out" in page and "geheim7" not in page and "worker" not in page
    page = browser.post(f"/uploads/{upload.pk}/redact/", {"word": "ab"}, follow=True).content.decode()
    assert "too short" in page


def test_an_empty_name_changes_nothing_and_says_so(browser):
    made = factories.mpm_experiment()
    response = browser.post(f"/experiments/{made.pk}/rename/", {"name": "  "}, follow=True)
    made.refresh_from_db()
    assert made.name == "worker MPMとevent MPMの比較"
    assert "Nothing renamed" in response.content.decode()


def test_a_config_renamed_to_another_becomes_one_with_it(browser):
    made = factories.mpm_experiment()
    first, second = made.configs.all()[:2]
    page = f"/configs/{second.pk}/"
    response = browser.post(f"{page}rename/", {"name": first.name, "back": page}, follow=True)
    assert response.status_code == 200
    assert first.runs.count() == 2
    assert not Config.objects.filter(pk=second.pk).exists()


def test_a_run_moves_to_another_config_in_one_step_and_back_to_the_page(browser):
    made = factories.mpm_experiment()
    run, other = made.runs.order_by("id").first(), made.configs.last()
    back = f"{made.get_absolute_url()}#runs"
    response = browser.post(f"/runs/{run.pk}/change/", {"config": other.pk, "back": back})
    run.refresh_from_db()
    assert run.config == other
    assert response.url == back


def test_a_run_is_left_out_and_counted_again(browser):
    made = factories.wsgi_experiment()
    run = made.runs.order_by("id").first()
    for word, counted in (("false", False), ("true", True)):
        browser.post(f"/runs/{run.pk}/change/", {"counted": word})
        run.refresh_from_db()
        assert run.counted is counted


def test_a_run_gets_another_number_but_no_nonsense(browser):
    run = factories.wsgi_experiment().runs.order_by("id").first()
    browser.post(f"/runs/{run.pk}/change/", {"repeat": "9"})
    browser.post(f"/runs/{run.pk}/change/", {"repeat": "0"})
    browser.post(f"/runs/{run.pk}/change/", {"repeat": "x"})
    run.refresh_from_db()
    assert run.repeat == 9


def test_a_capture_moves_to_another_config_and_phase(browser):
    made = factories.wsgi_experiment()
    capture, other = Capture.objects.first(), made.configs.last()
    browser.post(f"/captures/{capture.pk}/move/", {"config": other.pk, "phase": "after"})
    capture.refresh_from_db()
    assert (capture.config, capture.phase) == (other, "after")
    browser.post(f"/captures/{capture.pk}/move/", {"config": "", "phase": ""})
    capture.refresh_from_db()
    assert capture.config is None


def test_it_never_leads_to_another_site(browser):
    made = factories.mpm_experiment()
    response = browser.post(f"/experiments/{made.pk}/rename/", {"name": "x", "back": "https://example.org/"})
    assert response.url == made.get_absolute_url()


def test_changes_need_a_post_and_a_login(browser, client, settings):
    made = factories.mpm_experiment()
    assert browser.get(f"/experiments/{made.pk}/rename/").status_code == 405
    settings.PUBLIC_READ = True
    assert client.get(made.get_absolute_url()).status_code == 200
    response = client.post(f"/experiments/{made.pk}/rename/", {"name": "stolen"})
    assert response.url.startswith("/login/")
    assert Host.objects.get().name.startswith("centos5")


def test_a_queued_text_is_cancelled_from_its_page(browser):
    made = factories.mpm_experiment()
    waiting = made.runs.first().upload
    Upload.objects.filter(pk=waiting.pk).update(status="queued")
    assert "cancel/" in browser.get(waiting.get_absolute_url()).content.decode()
    page = browser.post(f"/uploads/{waiting.pk}/cancel/", follow=True).content.decode()
    assert "Cancelled before it was read" in page and "cancel/" not in page


def test_a_text_that_was_read_is_too_late_to_cancel(browser):
    read = factories.mpm_experiment().runs.first().upload
    page = browser.post(f"/uploads/{read.pk}/cancel/", follow=True).content.decode()
    assert "Too late to cancel" in page
