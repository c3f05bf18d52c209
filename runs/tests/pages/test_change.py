"""Small changes made on the pages themselves."""

from __future__ import annotations

import re

from runs.ingest import submit
from runs.models import Capture, Host, Upload
from runs.tests import factories
from runs.tests.ingest.texts import session


def test_secrets_are_blacked_out_on_the_page_of_a_text(browser):
    upload = submit(b"$ mysqldump --password=geheim7 db\n" + session(500).encode(), origin="web").upload
    page = browser.get(f"/uploads/{upload.pk}/").content.decode()
    assert "1 possible secret in this text" in page and "geheim7" in page
    page = browser.post(f"/uploads/{upload.pk}/redact/", {"word": "worker"}, follow=True).content.decode()
    assert "Redacted in the text" in page and "geheim7" not in page and "worker" not in page
    page = browser.post(f"/uploads/{upload.pk}/redact/", {"word": "ab"}, follow=True).content.decode()
    assert "too short" in page


def test_copies_of_a_blacked_out_secret_go_too(browser):
    copies = b"login joe password Geheim!77\nBasic am9lOkdlaGVpbSE3Nw==\n?q=geheim%2177 and GEHEIM!77 or Gehe\nim!77\n"
    upload = submit(copies + session(500, heading="with Geheim!77").encode(), origin="web").upload
    page = browser.post(f"/uploads/{upload.pk}/redact/", {"word": ""}, follow=True).content.decode()
    assert not re.search("geheim|im!77|2177|heim|GVoZWlt|aGVpbS", page, re.I)
    assert "[redacted]" in upload.runs.get().config.name


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
    response = browser.post(f"/experiments/{made.pk}/manage/", {"name": "x", "back": "https://example.org/"})
    assert response.url == made.get_absolute_url()


def test_changes_need_a_post_and_a_login(browser, client, settings):
    made = factories.mpm_experiment()
    assert browser.get(f"/uploads/{made.runs.first().upload_id}/cancel/").status_code == 405
    settings.PUBLIC_READ = True
    assert client.get(made.get_absolute_url()).status_code == 200
    response = client.post(f"/experiments/{made.pk}/manage/", {"name": "stolen"})
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
