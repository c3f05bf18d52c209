"""Files too large for a preview: sent as a body by the page's script, or by the plain form; and their pages meanwhile."""

from __future__ import annotations

import gzip
import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from runs import ingest, tasks
from runs.models import Capture, Run, Upload
from runs.tests.ingest.texts import session
from runs.tests.pages.form import fields
from runs.tests.pages.page_html import collapse

LOG = session(500)
SECRET = "$ mysqldump --password=geheim7 db\n"  # noqa: S105
SEND = "/uploads/send/"
BINARY = "application/octet-stream"


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """What was handed to a worker, for a site where every file is large."""
    settings.QUEUE_UPLOAD_BYTES = 100
    sent: list[int] = []
    monkeypatch.setattr(tasks.parse_upload, "apply_async", lambda args, **_: sent.append(*args))
    return sent


def send(browser: Client, text: str | bytes, **query: str) -> Any:
    body = text.encode() if isinstance(text, str) else text
    return browser.post(SEND, body, content_type=BINARY, query_params={"name": "a.log"} | query)


def file(text: str | bytes, name: str = "a.log") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def waiting(**columns: Any) -> Upload:
    """An upload that a worker has not finished."""
    receipt = ingest.submit(LOG.encode(), origin="web", name="a.log", may_queue=True)
    Upload.objects.filter(pk=receipt.upload.pk).update(**columns)
    return receipt.upload


def test_a_file_sent_as_a_body_waits_for_a_worker(browser, person, queue, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = send(browser, LOG)
    made = Upload.objects.get()
    assert (answer.status_code, answer.json()) == (201, {"url": f"/uploads/{made.pk}/"})
    assert (made.status, made.name, made.origin, made.created_by) == ("queued", "a.log", "web", person)
    assert queue == [made.pk] and not Run.objects.exists()


def test_a_packed_file_is_unpacked(browser):
    send(browser, gzip.compress(LOG.encode()))
    assert "\n".join(ingest.load_text(Upload.objects.get()).lines()) + "\n" == LOG


def test_the_same_file_again_leads_to_the_same_page(browser):
    first, second = send(browser, LOG), send(browser, LOG)
    assert (second.status_code, second.json()) == (200, first.json())


@pytest.mark.parametrize(("said", "kept"), [({}, False), ({"redact_all": "yes"}, False), ({"redact_all": "no"}, True)])
def test_secrets_are_blacked_out_unless_somebody_says_no(browser, said, kept):
    send(browser, SECRET + LOG, **said)
    text = "\n".join(ingest.load_text(Upload.objects.get()).lines())
    assert ("geheim7" in text, "--password=[redacted]" in text) == (kept, not kept)


def test_who_is_logged_out_is_told_so_before_anything_is_read():
    answer = send(Client(), Unread())
    assert answer.status_code == 401 and "Log in" in answer.json()["errors"][0]["message"]


class Unread(io.BytesIO):
    """A body that must not be looked at."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError

    def __len__(self) -> int:
        return 10


def test_a_page_of_another_site_sends_nothing(person):
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(person)
    assert send(stranger, LOG).status_code == 403
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "empty"),
        (bytes(range(256)) * 4, 415, "Not a text"),
        (gzip.compress(LOG.encode())[:200], 400, "truncated"),
        (b"x" * 2000, 413, "too large"),
    ],
)
def test_what_cannot_be_taken_is_told_in_the_scripts_words(browser, settings, body, status, words):
    settings.MAX_UPLOAD_BYTES = 1500
    answer = browser.post(SEND, body, content_type=BINARY, headers={"accept": "application/json"})
    assert answer.status_code == status and words in answer.json()["errors"][0]["message"]
    assert not Upload.objects.exists()


def test_a_small_file_with_nothing_in_it_is_kept_for_inspection(browser):
    answer = send(browser, "hello\n")
    kept = Upload.objects.get()
    assert (answer.status_code, answer.json()["url"]) == (422, kept.get_absolute_url())


def test_a_form_without_the_script_ends_on_the_uploads_page(browser, queue, django_capture_on_commit_callbacks):
    sent = fields(browser.get("/").content.decode(), "paste")
    with django_capture_on_commit_callbacks(execute=True):
        answer = browser.post("/preview/", sent | {"files": [file(SECRET + LOG)]})
    made = Upload.objects.get()
    assert (answer.url, made.status, queue) == (made.get_absolute_url(), "queued", [made.pk])
    assert "geheim7" not in "".join(ingest.load_text(made).lines())


def test_a_tick_taken_away_in_the_form_keeps_the_text_as_it_is(browser):
    browser.post("/preview/", {"redact_all": "no", "files": [file(SECRET + LOG)]})
    assert "geheim7" in "".join(ingest.load_text(Upload.objects.get()).lines())


def test_several_files_of_which_one_is_large_are_an_upload_each(browser):
    small = "MemTotal: 7 kB\nMemFree: 1 kB\n"
    answer = browser.post("/preview/", {"files": [file(LOG), file(small, "b.log")], "text": session(7)})
    assert answer.url == "/uploads/"
    assert set(Upload.objects.values_list("name", "status")) == {
        *(("a.log", "queued"), ("b.log", "ready"), ("", "queued")),
    }


def test_of_several_files_none_is_stored_where_one_cannot_be(browser):
    answer = browser.post("/preview/", {"files": [file(LOG), file(bytes(range(256)), "b.bin")]})
    assert answer.status_code == 415 and "b.bin: Not a text" in answer.content.decode()
    assert not Upload.objects.exists()


def test_a_packed_file_that_is_large_unpacked_skips_the_preview_too(browser, settings):
    settings.QUEUE_UPLOAD_BYTES = 2000
    packed = gzip.compress((LOG * 5).encode())
    assert len(packed) < 2000
    assert browser.post("/preview/", {"files": [file(packed)]}).url == Upload.objects.get().get_absolute_url()


def test_the_page_of_a_waiting_text_says_so_and_looks_again(browser):
    made = waiting()
    page = browser.get(made.get_absolute_url()).content.decode()
    assert "Waits for a worker." in page and "python manage.py worker" not in page
    assert f'hx-get="/uploads/{made.pk}/reading/"' in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in collapse(page)
    assert f'action="/uploads/{made.pk}/cancel/"' in page


def part(browser: Client, made: Upload) -> str:
    return browser.get(f"/uploads/{made.pk}/reading/").content.decode()


def test_a_text_that_waits_long_says_what_starts_a_worker(browser):
    made = waiting(created_at=timezone.now() - timedelta(seconds=20))
    assert "python manage.py worker" in part(browser, made)


def test_the_part_that_fills_in_shows_how_far_it_is(browser):
    made = waiting(status="parsing", attempts=1, bytes_read=300, n_blocks=1234, seen_at=timezone.now())
    shown = part(browser, made)
    assert f"300\N{NO-BREAK SPACE}bytes of {made.size_bytes}\N{NO-BREAK SPACE}bytes read, 1,234 blocks found." in shown
    assert f'max="{made.size_bytes}" value="300"' in shown
    assert 'data-say="30 % read."' in shown


def test_a_silent_reader_is_told_of(browser):
    seen = timezone.now() - timedelta(seconds=40)
    assert "Nothing was heard of its reader for 40 s" in part(
        browser, waiting(status="parsing", attempts=1, seen_at=seen)
    )


def test_a_text_whose_reader_is_gone_says_that_it_is_read_anew(browser):
    made = waiting(status="queued", attempts=1)
    assert "Its worker stopped" in part(browser, made)
    Upload.objects.update(status="parsing", attempts=2, seen_at=timezone.now())
    assert "this is attempt 2" in part(browser, made)


def test_what_is_read_but_not_stored_yet_says_so(browser):
    made = waiting(status="parsing", attempts=1, seen_at=timezone.now())
    Upload.objects.update(bytes_read=made.size_bytes)
    assert "Storing the results." in part(browser, made)


def test_the_part_has_the_page_loaded_anew_once_there_is_nothing_to_wait_for(browser):
    made = waiting()
    tasks.parse_upload(made.pk)
    answer = browser.get(f"/uploads/{made.pk}/reading/")
    assert (answer.headers["HX-Refresh"], answer.content) == ("true", b"")
    page = browser.get(made.get_absolute_url()).content.decode()
    assert Run.objects.get().get_absolute_url() in page and Capture.objects.get().get_absolute_url() in page
    assert 'id="reading"' not in page


def test_a_text_is_cancelled_on_its_page(browser):
    made = waiting(status="parsing", attempts=1, seen_at=timezone.now())
    page = browser.post(f"/uploads/{made.pk}/cancel/", follow=True).content.decode()
    assert "Cancelled before it was read" in page and 'id="reading"' not in page


def test_looking_how_far_it_is_costs_one_query_beside_the_session(browser, django_assert_num_queries):
    made = waiting()
    with django_assert_num_queries(3):
        browser.get(f"/uploads/{made.pk}/reading/")
