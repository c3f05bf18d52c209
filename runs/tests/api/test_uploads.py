"""POST /api/v1/uploads/ takes a text in any wrapping, once, and says what became of it."""

from __future__ import annotations

import gzip
import itertools
import json
import sqlite3
import threading
import time
from datetime import timedelta
from urllib.parse import urlencode

import psycopg2
import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django import db
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, TestCase
from django.utils import timezone
from kombu.exceptions import OperationalError

from runs import ingest, tasks
from runs.accounts import make_token
from runs.ingest import reading
from runs.models import Build, Experiment, Host, Run, Upload
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
UPLOADS = "/api/v1/uploads/"
SECRET = "$ mysqldump --password=geheim7 db\n"  # noqa: S105


@pytest.fixture
def api() -> Client:
    _, token = make_token(user=User.objects.create_user("joe"), name="test")
    return Client(headers={"authorization": f"Bearer {token}"})


def send(api: Client, text: str | bytes, query: str = "", content_type="application/x-www-form-urlencoded"):
    return api.post(UPLOADS + query, data=text, content_type=content_type)


def files(*texts: str) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(f"{number}.txt", text.encode()) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    "content_type",
    ["application/x-www-form-urlencoded", "text/plain", "application/octet-stream", "application/json", "x/y"],
)
def test_a_body_is_taken_whatever_it_says_it_is(api, content_type):
    answer = send(api, session(500), content_type=content_type)
    assert answer.status_code == 201
    assert answer.json()["runs"][0]["values"]["requests_per_second"] == 500


def test_the_answer_tells_all_that_was_stored(api):
    answer = send(api, "prose\n\n" + session(500))
    upload, run = Upload.objects.get(), Run.objects.get()
    body = answer.json()
    assert set(body) == {
        *("id", "url", "sha256", "status", "error", "n_secrets", "runs", "captures", "problems", "unread_lines"),
        *("timings", "page"),
    }
    assert body["page"] == f"http://testserver{run.experiment.get_absolute_url()}"
    assert (body["id"], body["url"], body["status"]) == (upload.pk, f"http://testserver/uploads/{upload.pk}/", "ready")
    assert answer["Location"] == f"http://testserver{UPLOADS}{upload.pk}/"
    assert body["runs"][0]["id"] == run.pk and body["runs"][0]["lines"] == [run.line_first, run.line_last]
    assert body["runs"][0]["captures"] == [{"tool": "meminfo", "phase": "before", "lines": [6, 11]}]
    assert body["captures"][0]["run"] == run.pk


def test_location_gives_the_same_body(api):
    sent = send(api, session(500))
    assert api.get(sent["Location"]).json() == sent.json()


def test_the_same_text_gets_200_and_the_same_body(api):
    first = send(api, session(500))
    again = send(api, session(500).replace("\n", "\r\n"))
    assert (again.status_code, again.json()) == (200, first.json())
    assert Run.objects.count() == 1


def test_multipart_takes_a_file_and_hints(api):
    form = {"file": files(session(500))[0], "experiment": "July", "host": "web9", "tags": "nightly, ssd"}
    assert api.post(UPLOADS, form).status_code == 201
    run = Run.objects.get()
    assert (run.experiment.name, run.host.name, run.tags) == ("July", "web9", ["nightly", "ssd"])
    assert run.upload.name == "0.txt" and run.upload.created_by.username == "joe"


def test_a_sender_says_when_the_runs_were_made(api):
    answer = send(api, session(500), "?at=2014-11-21T12:33:01Z")
    (run,) = answer.json()["runs"][:1]
    assert api.get(f"/api/v1/runs/{run['id']}/").json()["ran_at"] == "2014-11-21T12:33:01Z"
    answer = send(api, session(600), "?at=yesterday")
    assert answer.status_code == 400 and "at=yesterday is not a time" in answer.json()["errors"][0]["message"]


def test_what_was_tested_is_kept_on_its_runs_filtered_by_and_named_in_trends(api, admin_client):
    build = {
        "commit": "3f2a91c",
        "branch": "main",
        "version": "2.4.1",
        "pr": "17",
        "url": "https://ci.example.org/9?a=1",
    }
    run = send(api, session(500), f"?{urlencode(build)}").json()["runs"][0]
    send(api, session(600), "?version=2.4.0")
    ingest.apply_deltas()
    for name in ("commit", "branch", "version", "pr"):
        found = api.get("/api/v1/runs/", {name: build[name]}).json()["results"]
        assert [(each["id"], each["build"]) for each in found] == [(run["id"], build)]
    page = admin_client.get(f"/runs/{run['id']}/").content.decode()
    assert 'href="https://ci.example.org/9?a=1"' in page and "commit 3f2a91c" in page
    days = [
        day["build"]
        for fingerprint in Run.objects.values_list("fingerprint", flat=True)
        for day in admin_client.get(f"/trends/{fingerprint}.json").json()["days"]
    ]
    assert "2.4.0" in days
    ingest.reparse(Run.objects.get(pk=run["id"]).upload_id)
    assert Run.objects.get(pk=run["id"]).build.version == "2.4.1"
    assert Build.objects.count() == 2


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://x/", "https:///x", "https://x/a b"])
def test_a_pipeline_s_address_is_one_of_the_web(api, url):
    answer = send(api, session(500), f"?{urlencode({'url': url})}")
    assert answer.status_code == 400 and "not a pipeline URL" in answer.json()["errors"][0]["message"]


def test_hints_come_in_the_query_too(api):
    send(api, session(500), "?experiment=July&host=web9&config=event&name=a.log")
    assert (Experiment.objects.get().name, Host.objects.get().name) == ("July", "web9")
    assert Run.objects.get().config.name == "event" and Upload.objects.get().name == "a.log"


def test_several_files_are_told_of_one_by_one(api):
    answer = api.post(UPLOADS, {"file": files(session(500), session(600)), "experiment": "July"})
    assert answer.status_code == 201 and len(answer.json()["uploads"]) == 2
    assert Experiment.objects.get().runs.count() == 2


def test_of_several_files_one_bad_one_keeps_all_out(api):
    answer = api.post(UPLOADS, {"file": files(session(500), "hello")})
    assert answer.status_code == 422 and answer.json()["errors"][0]["message"].startswith("1.txt: Nothing was rec")
    assert not Run.objects.exists()


def errors_of(answer) -> tuple[int, str]:
    return answer.status_code, " ".join(error["message"] for error in answer.json()["errors"])


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"", 400, "empty"),
        (b"  \n", 400, "empty"),
        (b"PK\x03\x04 and so on", 415, "zip"),
        (gzip.compress(b"x", mtime=0)[:-5], 400, "truncated"),
        (b"%PDF-1.4", 415, "PDF"),
        (b"hello", 422, "Expected the report"),
    ],
)
def test_what_cannot_be_taken_is_told_why(api, data, status, words):
    got, message = errors_of(send(api, data))
    assert got == status and words in message


def test_what_nothing_is_found_in_is_kept_and_can_be_looked_at(api):
    body = send(api, "hello").json()
    kept = api.get(f"{UPLOADS}{body['id']}/").json()
    assert (kept["status"], kept["error"]) == ("failed", body["errors"][0]["message"])


def test_a_form_without_a_file_is_told_what_is_missing(api):
    assert "field `file`" in errors_of(api.post(UPLOADS, {"experiment": "x"}))[1]


def test_too_much_is_refused_in_any_wrapping(api, settings):
    settings.MAX_UPLOAD_BYTES = 2**20
    big = "x" * (2**20 + 1)
    assert errors_of(send(api, big)) == (
        413,
        "The text is too large: 1.0 MiB, at most 1 MiB are allowed. Send it in parts.",
    )
    assert errors_of(api.post(UPLOADS, {"file": files(big)}))[0] == 413


def test_nothing_is_stored_when_storing_breaks_down(api, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("runs.ingest.store.make_series", fail)
    api.raise_request_exception = False
    assert send(api, session(500)).status_code == 500
    assert not Upload.objects.exists() and not Experiment.objects.exists()


def test_a_stranger_stores_nothing():
    assert Client().post(UPLOADS, data=session(500), content_type="text/plain").status_code == 401
    assert Client().get(UPLOADS).status_code == 401


def test_a_browser_session_without_its_csrf_token_stores_nothing():
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("joe"))
    assert errors_of(send(client, session(500)))[0] == 403
    assert not Upload.objects.exists()


@pytest.fixture
def queue(monkeypatch, settings) -> list[int]:
    settings.QUEUE_UPLOAD_BYTES = 100
    sent: list[int] = []
    monkeypatch.setattr(tasks.parse_upload, "apply_async", lambda args, **_: sent.append(*args))
    return sent


def test_a_large_text_is_handed_to_a_worker(api, queue, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = send(api, session(500))
    body = answer.json()
    assert (answer.status_code, body["status"], body["runs"]) == (202, "queued", [])
    assert queue == [body["id"]]
    assert answer["Location"].endswith(f"{UPLOADS}{body['id']}/")
    tasks.parse_upload(body["id"])
    done = api.get(answer["Location"]).json()
    assert (done["status"], len(done["runs"])) == ("ready", 1)


@pytest.mark.parametrize(("said", "kept"), [("", True), ("?redact=no", True), ("?redact=yes", False)])
def test_secrets_are_blacked_out_where_that_is_asked_for(api, said, kept):
    api.post(f"{UPLOADS}{said}", SECRET + session(500), content_type="text/plain")
    text = "\n".join(ingest.load_text(Upload.objects.get()).lines())
    assert ("geheim7" in text, "--password=[redacted]" in text) == (kept, not kept)


@pytest.mark.parametrize(("said", "kept"), [("", False), ("?redact=no", True)])
def test_secrets_are_blacked_out_by_default_where_everybody_may_read(api, settings, said, kept):
    settings.PUBLIC_READ = True
    body = send(api, SECRET + session(500), query=said).json()
    assert body["n_secrets"] == kept
    assert ("geheim7" in "\n".join(ingest.load_text(Upload.objects.get()).lines())) == kept


@pytest.mark.parametrize("redact", ["yes", "no"])
def test_the_names_sent_along_are_redacted_like_the_text(api, redact):
    """Made. A link to a pipeline never needs the user's name and password."""
    secret = "DB_PASSWORD=hunter2x"  # noqa: S105
    names = dict.fromkeys(("config", "experiment", "host", "tags", "branch", "commit", "version", "pr", "name"), secret)
    url = "https://bob:hun/ter2x@ci.example.org/job/1?token=hunter3x"
    send(api, session(500), query="?" + urlencode({**names, "url": url, "redact": redact}))
    upload, run = Upload.objects.get(), Run.objects.get()
    stored = json.dumps([upload.name, upload.hints, run.config.name, run.host.name, run.tags])
    assert upload.hints["build"]["url"].startswith("https://ci.example.org/job/1?token=")
    assert ("hunter2x" in stored, "hunter3x" in stored) == (redact == "no", redact == "no")
    assert stored.count("DB_PASSWORD=[redacted]") == (len(names) + 3 if redact == "yes" else 0)


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://bob:hunter2x@ci.example.org/1", "https://ci.example.org/1"),
        ("https://hunter2x@ci.example.org:8443/1/@me", "https://ci.example.org:8443/1/@me"),
        ("https://bob:a@hunter2x@ci.example.org", "https://ci.example.org"),
        ("https://ci.example.org:8443/1/@me?mail=a@b", "https://ci.example.org:8443/1/@me?mail=a@b"),
        ("https://bob@/1", "https://bob@/1"),  # without a host it would be no URL
    ],
)
def test_a_pipelines_url_is_stored_without_user_and_password(url, stored):
    hints = ingest.Hints.from_dict({"url": url})
    assert hints.build == {"url": stored} and ingest.Hints.from_dict(hints.as_dict()) == hints


def test_a_stored_text_is_blacked_out(api):
    pk = send(api, SECRET + session(500)).json()["id"]
    body = api.post(f"{UPLOADS}{pk}/redact/", {"words": ["page.html"]}, content_type="application/json").json()
    assert (body["n_secrets"], body["runs"][0]["values"]["document_path"]) == (0, "/[redacted]")
    refusal = api.post(f"{UPLOADS}{pk}/redact/", {"words": ["abc"]}, content_type="application/json")
    assert errors_of(refusal)[0] == 400


@pytest.mark.parametrize(
    "body", ['{"words": ' + "[" * 5000 + "]" * 5000 + "}", "[" * 9000, '{"words": NaN}', '"\ud800"']
)
def test_odd_json_is_refused(api, body):
    pk = send(api, session(500)).json()["id"]
    data = body.encode("utf-8", "surrogatepass")
    assert api.post(f"{UPLOADS}{pk}/redact/", data, content_type="application/json").status_code == 400


def test_whether_to_black_out_secrets_is_yes_or_no(api):
    answer = api.post(f"{UPLOADS}?redact=perhaps", session(500), content_type="text/plain")
    assert errors_of(answer)[0] == 400 and not Upload.objects.exists()


def test_the_work_can_be_done_twice(api, queue):
    pk = send(api, session(500)).json()["id"]
    for _ in range(2):
        tasks.parse_upload(pk)
    assert Run.objects.count() == 1


def test_a_large_text_with_nothing_in_it_fails_with_a_reason(api, queue):
    pk = send(api, "hello\n" * 50).json()["id"]
    tasks.parse_upload(pk)
    body = api.get(f"{UPLOADS}{pk}/").json()
    assert body["status"] == "failed" and "Nothing was recognised in 50 lines" in body["error"]


def test_a_worker_that_breaks_down_leaves_word(api, queue, monkeypatch):
    pk = send(api, session(500)).json()["id"]

    def fail(lines):
        raise RuntimeError("no")

    monkeypatch.setattr("parsers.read", fail)
    result = tasks.parse_upload.apply(args=[pk])
    assert result.failed() and Upload.objects.get().status == "failed"
    assert "RuntimeError" in Upload.objects.get().error


def test_a_text_that_kills_every_worker_is_given_up(api, queue):
    pk = send(api, session(500)).json()["id"]
    Upload.objects.update(status="parsing", attempts=3, seen_at=None)
    tasks.parse_upload(pk)
    assert Upload.objects.get().status == "failed" and "interrupted 3 times" in Upload.objects.get().error


def test_a_queued_text_can_be_cancelled_and_sent_again(api, queue):
    pk = send(api, session(500)).json()["id"]
    body = api.post(f"{UPLOADS}{pk}/cancel/").json()
    assert body["status"] == "cancelled" and "Send it again" in body["error"]
    tasks.parse_upload(pk)
    assert not Run.objects.exists()
    again = send(api, session(500))
    assert (again.status_code, again.json()["id"], again.json()["status"]) == (202, pk, "queued")
    tasks.parse_upload(pk)
    assert (Upload.objects.get().status, Run.objects.count()) == ("ready", 1)


def test_a_text_cancelled_while_it_is_read_is_not_stored(api, queue, monkeypatch):
    pk = send(api, session(500)).json()["id"]
    monkeypatch.setattr("runs.ingest.submission.read", cancelling(pk))
    tasks.parse_upload(pk)
    assert Upload.objects.get().status == "cancelled" and not Run.objects.exists()


def test_a_text_that_is_read_says_how_far(api, queue, monkeypatch):
    pk = send(api, "prose\n" * 20_000 + session(500, 600)).json()["id"]
    assert progress_of(api, pk) == (0, 0)
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr("runs.ingest.reading.REPORT_EVERY_S", 0.0)
    monkeypatch.setattr(
        "runs.ingest.reading.fold_samples", lambda blocks: watched(blocks, lambda: seen.append(progress_of(api, pk)))
    )
    tasks.parse_upload(pk)
    assert [found for _, found in seen] == [1, 2, 3, 4] and seen[-1][0] <= Upload.objects.get().size_bytes
    done = Upload.objects.get()
    assert (done.bytes_read, done.status) == (done.size_bytes, "ready")
    assert "progress" not in api.get(f"{UPLOADS}{pk}/").json()


def progress_of(api: Client, pk: int) -> tuple[int, int]:
    progress = api.get(f"{UPLOADS}{pk}/").json()["progress"]
    return progress["bytes_read"], progress["blocks_found"]


def watched(blocks, look):
    for block in blocks:
        look()
        yield block


def test_a_text_whose_reader_is_gone_is_read_by_another(api, queue):
    pk = send(api, session(500)).json()["id"]
    long_ago = timezone.now() - timedelta(seconds=61)
    Upload.objects.update(status="parsing", seen_at=long_ago, attempts=1)
    tasks.tend_uploads()
    tasks.tend_uploads()
    assert queue == [pk] and Upload.objects.get().status == "queued"
    tasks.parse_upload(pk)
    assert (Upload.objects.get().status, Run.objects.count()) == ("ready", 1)


def test_a_text_whose_message_was_lost_is_sent_again(api, queue):
    send(api, session(500))
    tasks.tend_uploads()
    assert queue == []
    Upload.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    tasks.tend_uploads()
    assert queue == [Upload.objects.get().pk]


@pytest.fixture
def ending(monkeypatch):
    """A worker that is asked to end: call it; after the test it is not."""
    monkeypatch.setattr("runs.ingest.reading.CHECK_EVERY_S", 0.01)
    monkeypatch.setattr("runs.remote.jobs._stopping", threading.Event())
    yield tasks.stop_work
    reading._stopping[0] = 0


@pytest.mark.parametrize("place", ["reading.fold_samples", "submission.store"])
def test_a_worker_that_is_asked_to_end_puts_its_text_back_which_is_no_attempt(api, queue, monkeypatch, ending, place):
    """While it reads, and while it stores."""
    pk = send(api, session(500)).json()["id"]

    def last_long(*_: object) -> None:
        ending()
        time.sleep(10)

    with monkeypatch.context() as long:
        long.setattr(f"runs.ingest.{place}", last_long)
        tasks.parse_upload(pk)
    stopped = Upload.objects.get()
    assert (stopped.status, stopped.attempts, queue) == ("queued", 0, [pk])
    assert not Run.objects.exists()
    reading._stopping[0] = 0
    tasks.parse_upload(pk)
    assert (Upload.objects.get().status, Run.objects.count()) == ("ready", 1)


@pytest.mark.parametrize(
    "cause",
    [
        sqlite3.OperationalError("database or disk is full"),
        psycopg2.errors.ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction"),
        psycopg2.OperationalError("server closed the connection unexpectedly"),
    ],
)
def test_a_database_that_takes_nothing_is_no_attempt_at_a_text(api, queue, monkeypatch, cause):
    pk = send(api, session(500)).json()["id"]

    def fail(*_: object) -> None:
        raise db.OperationalError(str(cause)) from cause

    for _ in range(4):
        with monkeypatch.context() as full:
            full.setattr("runs.ingest.submission.store", fail)
            with pytest.raises(db.OperationalError):
                tasks.parse_upload(pk)
        assert (Upload.objects.get().status, Upload.objects.get().attempts) == ("queued", 0)
    tasks.parse_upload(pk)
    assert (Upload.objects.get().status, Run.objects.count()) == ("ready", 1)


@pytest.mark.parametrize("ahead_s", [-3600, 3600])
def test_a_worker_whose_clock_is_wrong_neither_takes_texts_over_nor_leaves_them(api, queue, monkeypatch, ahead_s):
    read, left = send(api, session(500)).json()["id"], send(api, session(600)).json()["id"]
    now = timezone.now()
    Upload.objects.filter(pk=read).update(status="parsing", seen_at=now, attempts=1)
    Upload.objects.filter(pk=left).update(status="parsing", seen_at=now - timedelta(seconds=61), attempts=1)
    with monkeypatch.context() as wrong:
        wrong.setattr(timezone, "now", lambda: now + timedelta(seconds=ahead_s))
        tasks.parse_upload(read)
        tasks.tend_uploads()
        assert queue == [left]
        tasks.parse_upload(left)
    assert [Upload.objects.get(pk=pk).status for pk in (read, left)] == ["parsing", "ready"]
    assert abs(Upload.objects.get(pk=left).seen_at - now) < timedelta(seconds=60)


def test_a_text_that_somebody_reads_is_left_to_them(api, queue):
    pk = send(api, session(500)).json()["id"]
    Upload.objects.update(status="parsing", seen_at=timezone.now(), attempts=1)
    tasks.parse_upload(pk)
    tasks.tend_uploads()
    assert queue == [] and (Upload.objects.get().status, Upload.objects.get().attempts) == ("parsing", 1)


def test_a_reader_that_relates_many_blocks_is_not_taken_for_dead(api, queue, monkeypatch):
    pk = send(api, "\n".join(session(rate) for rate in range(500, 700))).json()["id"]
    relate = reading.relate

    def relate_for_a_minute(*blocks):
        with monkeypatch.context() as later:
            later.setattr("runs.ingest.submission.read_database_now", lambda: timezone.now() + timedelta(seconds=61))
            tasks.tend_uploads()
        return relate(*blocks)

    monkeypatch.setattr("runs.ingest.reading.REPORT_EVERY_S", 0)
    monkeypatch.setattr("runs.ingest.reading.relate", relate_for_a_minute)
    tasks.parse_upload(pk)
    assert queue == [] and (Upload.objects.get().status, Run.objects.count()) == ("ready", 200)


def test_a_reader_that_was_taken_for_dead_stores_nothing(api, queue, monkeypatch):
    pk = send(api, session(500)).json()["id"]

    def slow(blocks):
        Upload.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
        tasks.tend_uploads()
        return blocks

    monkeypatch.setattr("runs.ingest.reading.fold_samples", slow)
    tasks.parse_upload(pk)
    assert queue == [pk] and Upload.objects.get().status == "queued" and not Run.objects.exists()


def test_a_cancelled_reading_stops_in_the_middle(api, queue, monkeypatch):
    pk = send(api, session(*range(500, 520))).json()["id"]
    read: list[int] = []

    def watch(blocks):
        for block in blocks:
            read.append(block.first)
            ingest.cancel(pk)
            yield block

    monkeypatch.setattr("runs.ingest.reading.REPORT_EVERY_S", 0.0)
    monkeypatch.setattr("runs.ingest.reading.fold_samples", watch)
    tasks.parse_upload(pk)
    assert len(read) < 5 and Upload.objects.get().status == "cancelled"


def test_a_text_that_takes_too_long_to_read_at_once_is_handed_to_a_worker(api, queue, monkeypatch, settings):
    settings.QUEUE_UPLOAD_BYTES = 10**6
    monkeypatch.setattr("runs.ingest.reading.AT_ONCE_S", -1)
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = send(api, session(500))
    body = answer.json()
    assert (answer.status_code, body["status"], queue) == (202, "queued", [body["id"]])
    tasks.parse_upload(body["id"])
    assert Upload.objects.get().status == "ready"


@pytest.mark.parametrize(("n", "n_headings", "status"), [(10, 1, 201), (1_001, 1, 202), (70, 60, 202)])
def test_a_text_of_very_many_reports_or_headings_is_handed_to_a_worker(api, queue, settings, n, n_headings, status):
    """What 60 sentences above each of 5,000 reports are about took minutes within a request."""
    settings.QUEUE_UPLOAD_BYTES = 10**6
    sections = ("".join(f"## {one} of {number}\n" for one in range(n_headings)) for number in range(n))
    answer = send(api, "".join(f"{text}Requests/sec: {number}.5\n" for number, text in enumerate(sections)))
    assert answer.status_code == status


@pytest.mark.parametrize(("n", "status"), [(100, 201), (5_100, 202)])
def test_a_listing_of_very_many_processes_is_handed_to_a_worker(api, queue, settings, n, status):
    """Made: 25,000 processes of one ps, each with five series, were stored within a request of a minute."""
    settings.QUEUE_UPLOAD_BYTES = 10**6
    rows = "".join(f"u{n} {n} 0.0 0.1 1 5 ? S 10:00 0:00 c{n}\n" for n in range(n))
    answer = send(api, f"$ ps aux\nUSER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n{rows}")
    assert answer.status_code == status


def test_a_text_of_very_many_lines_is_handed_to_a_worker(api, queue, settings):
    """Made: 100,000 rows of a few characters each are below the size of a text that is read at once."""
    settings.QUEUE_UPLOAD_BYTES = 10**6
    assert send(api, "Requests/sec: 1.5\n" + "b 1 2\n" * 40_000).status_code == 202


@pytest.mark.parametrize("limit_s", [60, 0])
def test_a_text_that_takes_too_long_to_read_fails_with_a_sentence_and_is_kept(api, queue, monkeypatch, limit_s):
    text = session(500)
    pk = send(api, text).json()["id"]

    def run_into_the_limit(lines):
        yield from ()
        raise SoftTimeLimitExceeded

    def use_a_processor(lines):
        yield from (line for line in itertools.count() if line < 0)

    monkeypatch.setattr("parsers.read", run_into_the_limit if limit_s else use_a_processor)
    monkeypatch.setattr("runs.ingest.reading.READING_S", limit_s)
    tasks.parse_upload(pk)
    upload = Upload.objects.get()
    assert upload.status == "failed" and "exceeded the time limit for its size" in upload.error
    assert [*ingest.load_text(upload).lines()] == text.splitlines()


def test_waiting_for_a_processor_does_not_count_as_reading(api, queue, monkeypatch):
    monkeypatch.setattr("runs.ingest.reading.READING_S", 0.5)
    monkeypatch.setattr("runs.ingest.reading.CHECK_EVERY_S", 0.01)
    pk = send(api, session(500)).json()["id"]

    def wait(blocks):
        time.sleep(1)
        return blocks

    monkeypatch.setattr("runs.ingest.reading.fold_samples", wait)
    tasks.parse_upload(pk)
    assert Upload.objects.get().status == "ready"


def test_the_time_to_read_a_text_grows_with_its_size(api, monkeypatch, settings):
    settings.QUEUE_UPLOAD_BYTES = 100
    limits = []
    monkeypatch.setattr(tasks.parse_upload, "apply_async", lambda args, **options: limits.append(options))
    for text in (session(500), session(600) + "x\n" * 2**21):
        with TestCase.captureOnCommitCallbacks(execute=True):
            send(api, text)
    assert [limit["soft_time_limit"] for limit in limits] == [300, 400]
    assert all(limit["time_limit"] > limit["soft_time_limit"] for limit in limits)


def test_a_large_text_is_read_before_the_other_ones_of_somebody_who_sent_many(api, monkeypatch, settings):
    """Made: behind ten texts of 4.75 MB somebody else's text waited for 64 s."""
    settings.QUEUE_UPLOAD_BYTES = 100
    queue: list[tuple[tuple[int], dict[str, int]]] = []
    monkeypatch.setattr(
        tasks.parse_upload, "apply_async", lambda args, kwargs=None, **_: queue.append((args, kwargs or {}))
    )
    other = Client()
    other.force_login(User.objects.create_user("ann"))
    rates = {}
    for rate, sender in enumerate((api, api, api, api, other), 500):
        with TestCase.captureOnCommitCallbacks(execute=True):
            rates[send(sender, session(rate)).json()["id"]] = rate
    order = []
    while queue:
        (pk,), kwargs = queue.pop(0)
        tasks.parse_upload(pk, **kwargs)
        if Upload.objects.get(pk=pk).status == "ready":
            order.append(rates[pk])
    assert order == [500, 504, 501, 502, 503]


def test_a_text_whose_message_was_lost_holds_up_nobody(api, queue):
    first, second = (send(api, session(rate)).json()["id"] for rate in (500, 501))
    tasks.parse_upload(first)
    other = Client()
    other.force_login(User.objects.create_user("ann"))
    lost = send(other, session(502)).json()["id"]
    tasks.parse_upload(second)
    assert queue == [second] and Upload.objects.get(pk=second).status == "queued"
    tasks.parse_upload(second, gave_way_to=lost)
    assert Upload.objects.get(pk=second).status == "ready"


def test_a_broker_that_is_away_does_not_lose_the_text(api, queue, monkeypatch, django_capture_on_commit_callbacks):
    def away(*args, **kwargs):
        raise OperationalError("no")

    monkeypatch.setattr(tasks.parse_upload, "apply_async", away)
    with django_capture_on_commit_callbacks(execute=True):
        assert send(api, session(500)).status_code == 202


def test_a_text_of_too_many_blocks_is_refused(api, monkeypatch):
    monkeypatch.setattr("runs.ingest.reading.MOST_BLOCKS", 2)
    status, message = errors_of(send(api, session(500, 600)))
    assert status == 413 and "More than 2 reports" in message and not Upload.objects.exists()


def test_what_was_read_cannot_be_cancelled(api, queue):
    pk = send(api, session(500)).json()["id"]
    tasks.parse_upload(pk)
    answer = api.post(f"{UPLOADS}{pk}/cancel/")
    assert answer.status_code == 409 and "Too late" in answer.json()["errors"][0]["message"]
    assert Run.objects.count() == 1


def cancelling(pk: int):
    """`read` with somebody who cancels as soon as it is done."""
    from runs.ingest import cancel
    from runs.ingest.reading import read

    def read_and_cancel(*args, **kwargs):
        found = read(*args, **kwargs)
        assert cancel(pk)
        return found

    return read_and_cancel


@pytest.mark.parametrize("n", [0, 2])
def test_what_decides_on_a_round_takes_one_text(api, n):
    """Found by make fuzz-web: a form without a file was answered 500."""
    files = [SimpleUploadedFile(f"{number}.txt", session(500).encode()) for number in range(n)]
    response = api.post("/api/v1/uploads/decide/", {"file": files} if files else {"note": "x"})
    assert response.status_code == 400 and "file" in response.json()["errors"][0]["message"]
