"""Bodies as they come over the wire: too large, packed, broken off or slow; each is answered and nothing stays."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from threading import Event, Semaphore
from time import sleep
from typing import Any

import pytest
from backports import zstd
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client

from benchdash import asgi
from benchdash.faults import Fault
from runs.accounts import make_token
from runs.models import Host, Run, Upload
from runs.tests.ingest.texts import session
from runs.tests.installation import WITHIN_S

UPLOADS = "/api/v1/uploads/"
LOG = session(500).encode()


@pytest.fixture
def token(db) -> str:
    return make_token(user=User.objects.create_user("joe"), name="test")[1]


@pytest.fixture
def api(token) -> Client:
    return Client(headers={"authorization": f"Bearer {token}"})


def message_of(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["message"]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_packed_text_is_the_text_in_any_wrapping(api, pack):
    first = api.post(UPLOADS, LOG, content_type="text/plain")
    body = api.post(UPLOADS, pack(LOG), content_type="text/plain", headers={"content-encoding": "gzip"})
    form = api.post(UPLOADS, {"file": SimpleUploadedFile("a.log.gz", pack(LOG))})
    assert (first.status_code, body.status_code, form.status_code) == (201, 200, 200)
    assert first.json() == body.json() == form.json()


def test_a_packing_that_is_not_known_is_named(api):
    answer = api.post(UPLOADS, LOG, content_type="text/plain", headers={"content-encoding": "br"})
    assert answer.status_code == 415 and "Content-Encoding br" in message_of(answer)[1]


def test_what_is_wrong_with_a_file_names_it(api):
    files = [SimpleUploadedFile("good.txt", LOG), SimpleUploadedFile("bad.pdf", b"%PDF-1.4 and so on")]
    assert message_of(api.post(UPLOADS, {"file": files}))[1].startswith("bad.pdf: Not a text: this is a PDF")
    assert not Upload.objects.exists()


def test_all_files_of_a_form_together_are_bounded(api, settings):
    settings.MAX_UPLOAD_BYTES = 2 * len(LOG)
    files = [SimpleUploadedFile(f"{n}.gz", gzip.compress(session(500 + n).encode())) for n in range(3)]
    assert message_of(api.post(UPLOADS, {"file": files}))[0] == 413
    assert not Run.objects.exists()


# --- as the web server receives them ------------------------------------------------------------------------------------
@pytest.fixture(autouse=True)
def _short_linger(monkeypatch):
    monkeypatch.setattr(asgi, "LINGER_S", 0.05)


TEXT = {"type": "http.request", "body": LOG, "more_body": True}
END = {"type": "http.request", "body": b"", "more_body": False}


class Sender:
    """A client of the ASGI application: sends the messages, then nothing more."""

    method, address = "POST", "127.0.0.1"

    def __init__(self, *messages: dict[str, object]) -> None:
        self.messages = list(messages)
        self.n_read = self.n_read_unanswered = 0
        self.answers: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, object]:
        if self.n_read == len(self.messages):
            await asyncio.sleep(60)
        self.n_read += 1
        self.n_read_unanswered += not self.answers
        return self.messages[self.n_read - 1]

    async def send(self, message: dict[str, Any]) -> None:
        self.answers.append(message)

    def post(self, path: str = UPLOADS, **headers: object) -> tuple[int, str]:
        return asyncio.run(self.ask(path, **headers))

    async def ask(self, path: str, **headers: object) -> tuple[int, str]:
        scope: dict[str, Any] = {
            "method": self.method,
            "path": path,
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
        }
        scope |= {"server": ("localhost", 80), "client": (self.address, 5), "headers": [(b"host", b"localhost")]}
        scope["headers"] += [(name.replace("_", "-").encode(), str(value).encode()) for name, value in headers.items()]
        await asgi.application(scope, self.receive, self.send)
        body = b"".join(message["body"] for message in self.answers[1:]).decode()
        return self.answers[0]["status"], json.loads(body)["errors"][0]["message"] if body.startswith("{") else body


def visit(path: str) -> int:
    visitor = Sender(END)
    visitor.method = "GET"
    return visitor.post(path)[0]


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x"])
def test_what_says_that_it_is_too_large_is_refused_unread(kind):
    sender = Sender(TEXT)
    too_large = "The text is too large: 3072.0 MiB, at most 2048 MiB are allowed. Send it in parts."
    assert sender.post(content_length=3 * 2**30, content_type=kind) == (413, too_large)
    status, page = Sender(TEXT).post("/preview/", content_length=3 * 2**30, content_type=kind)
    assert status == 413 and "at most 2048 MiB are allowed" in page
    assert sender.n_read_unanswered == 0


@pytest.mark.parametrize("path", ["/login/", "/admin/login/", "/api/v1/runs/1/", "/nowhere/"])
def test_more_than_a_form_is_taken_only_where_texts_are(path):
    announced, chunks = Sender(TEXT), Sender(*[TEXT] * 1000)
    for sender, headers in ((announced, {"content_length": 65537}), (chunks, {"transfer_encoding": "chunked"})):
        status, said = sender.post(path, content_type="multipart/form-data; boundary=x", **headers)
        assert status == 413 and "at most 64 KiB are allowed here" in said
    assert announced.n_read_unanswered == 0 and chunks.n_read_unanswered <= 65536 // len(LOG) + 1


def test_forms_and_lists_do_not_wait_for_passwords_and_texts_of_others():
    may_end = Event()
    busy = [pool.submit(may_end.wait, WITHIN_S) for pool in (asgi.LOGINS, asgi.TEXTS) for _ in range(2)]
    assert [visit(path) for path in ("/login/", "/uploads/1/")] == [200, 302]
    assert [visit(path) for path in ("/api/v1/uploads/", "/api/v1/uploads/1/")] == [401, 401]
    assert not any(one.done() for one in busy)
    may_end.set()


def test_a_login_does_not_wait_for_many_tries_from_another_address(monkeypatch):
    may_end, begun = Event(), []

    def hash_password(environ: dict[str, Any]) -> asgi.Answer:
        begun.append(environ["REMOTE_ADDR"])
        if environ["REMOTE_ADDR"] == "10.0.0.9":
            may_end.wait(WITHIN_S)
        return 200, [], BytesIO()

    def log_in(address: str) -> asyncio.Task[tuple[int, str]]:
        sender = Sender(END)
        sender.address = address
        return asyncio.create_task(sender.ask("/login/"))

    async def attack() -> None:
        strangers = [log_in("10.0.0.9") for _ in range(5)]
        await asyncio.sleep(0.1)
        assert (await asyncio.wait_for(log_in("10.0.0.1"), WITHIN_S))[0] == 200
        assert begun == ["10.0.0.9", "10.0.0.1"] and not any(stranger.done() for stranger in strangers)
        may_end.set()
        assert [status for status, _ in await asyncio.gather(*strangers)] == [200] * 5

    monkeypatch.setattr(asgi, "_respond", hash_password)
    asyncio.run(attack())


def test_a_login_that_would_wait_long_for_others_from_its_address_is_refused(monkeypatch):
    """Made: behind many tries the right password waited for 20 s, as each of them takes some tenths of a second."""
    monkeypatch.setattr(asgi, "TURN_S", 0.01)
    sender = Sender(END)

    async def log_in() -> tuple[int, str]:
        asgi.turns["127.0.0.1"] = turn = asyncio.Lock()
        await turn.acquire()
        answer: tuple[int, str] = await sender.ask("/login/")
        return answer

    status, page = asyncio.run(log_in())
    assert (status, dict(sender.answers[0]["headers"])[b"Retry-After"]) == (429, b"1")
    assert "Too many logins from your address are waiting. Try again in 1 s." in page


def test_a_quick_comparison_does_not_wait_for_those_that_are_known_to_be_slow(monkeypatch):
    """Made: the page of a small experiment behind two large ones in one process."""
    respond, begun, may_end = asgi.wsgi, Semaphore(0), Event()

    def compare(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] != "/experiments/3/":
            begun.release()
            may_end.wait(WITHIN_S if environ["PATH_INFO"] in asgi.is_slow else 0.2)
        return respond(environ, start_response)

    monkeypatch.setattr(asgi, "wsgi", compare)
    monkeypatch.setattr(asgi, "is_slow", {})
    monkeypatch.setattr(asgi, "SLOW_S", 0.15)
    large = ["/experiments/1/", "/experiments/2/"]
    assert [visit(path) for path in large] == [302, 302]
    for _ in large:
        begun.acquire()
    with ThreadPoolExecutor(6) as pool:
        comparing = [pool.submit(visit, path) for path in large * 3]
        assert begun.acquire(timeout=WITHIN_S)
        assert visit("/experiments/3/") == 302
        assert not any(one.done() for one in comparing)
        may_end.set()


def test_a_quick_comparison_does_not_wait_for_those_that_nobody_visited_before(monkeypatch):
    """Made: the first visits of two large experiments held both threads for some seconds."""
    may_end = Event()
    monkeypatch.setattr(asgi, "is_slow", {"/experiments/1/": False})
    busy = [pool.submit(may_end.wait, WITHIN_S) for pool in (asgi.NEW, asgi.LARGE) for _ in range(2)]
    assert visit("/experiments/1/") == 302
    assert not any(one.done() for one in busy)
    may_end.set()


@pytest.mark.parametrize("slow_s", [-1, WITHIN_S])
def test_of_the_comparisons_visited_last_it_is_known_whether_they_are_slow(monkeypatch, slow_s):
    monkeypatch.setattr(asgi, "is_slow", {f"/experiments/{n}/": False for n in range(5)})
    monkeypatch.setattr(asgi, "SLOW_S", slow_s)
    monkeypatch.setattr(asgi, "MOST_KNOWN", 5)
    assert visit("/experiments/9/") == 302
    assert len(asgi.is_slow) == 5 and asgi.is_slow["/experiments/9/"] == (slow_s < 0)


def test_pages_do_not_wait_for_comparisons(monkeypatch):
    """Eight clients asked for comparisons of thousands of configs: half of the other pages took more than 3 s."""
    respond, begun, may_end = asgi.wsgi, Semaphore(0), Event()

    def compare_for_long(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] not in ("/login/", "/experiments/"):
            begun.release()
            may_end.wait(WITHIN_S)
        return respond(environ, start_response)

    monkeypatch.setattr(asgi, "wsgi", compare_for_long)
    api = ["/api/v1/experiments/1/", "/api/v1/uploads/1/"]
    compared = ["/experiments/1/", "/experiments/2.json", "/compare/", *api] * 2
    with ThreadPoolExecutor(len(compared)) as pool:
        comparing = [pool.submit(visit, path) for path in compared]
        assert begun.acquire(timeout=WITHIN_S)
        assert (visit("/login/"), visit("/experiments/")) == (200, 302)
        assert not any(one.done() for one in comparing)
        may_end.set()


def test_a_sender_who_says_nothing_or_too_little_is_cut_off(monkeypatch):
    monkeypatch.setattr(asgi, "PATIENCE_S", 0.2)
    message = "The body arrived too slowly: at least 1024 bytes per second are required."
    assert Sender().post(content_length=100) == (408, message)

    class Drip(Sender):
        async def receive(self) -> dict[str, object]:
            await asyncio.sleep(0.05)
            return {"type": "http.request", "body": b"x", "more_body": True}

    assert Drip().post(content_length=100) == (408, message)


def test_a_sender_who_pauses_and_goes_on_is_waited_for(monkeypatch):
    monkeypatch.setattr(asgi, "PATIENCE_S", 0.3)

    class Pausing(Sender):
        async def receive(self) -> dict[str, object]:
            await asyncio.sleep(0.1)
            return await super().receive()

    part = TEXT | {"body": b"x" * 5000}
    # Of three tries: on a busy machine this process itself may pause for longer.
    assert any(Pausing(*[part] * 6, END).post("/healthz/")[0] != 408 for _ in range(3))


def test_a_body_that_breaks_off_is_told_how_far_it_came():
    message = f"The body is incomplete: {len(LOG)} of {len(LOG) + 1000} bytes arrived."
    assert Sender(TEXT, {"type": "http.disconnect"}).post(content_length=len(LOG) + 1000) == (400, message)


def test_a_full_disk_is_said(monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(asgi.SpooledTemporaryFile, "write", fail)
    assert Sender(TEXT, END).post() == (507, Fault.FULL.message)


def wait_until_blocked(acting: Future[Any]) -> None:
    """Until one transaction waits for another. On SQLite, which has one writer, nobody can wait for this one and hold anything."""
    while connection.vendor == "postgresql" and not acting.done():
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
            if cursor.fetchone()[0]:
                return
        sleep(0.05)


@pytest.mark.django_db(transaction=True)
def test_a_change_that_waits_for_who_waits_for_it_is_made_once_more(token, monkeypatch):
    """PostgreSQL breaks one of the two off: two in 1,800 requests were answered 503."""
    monkeypatch.setattr(asgi, "PAGES", ThreadPoolExecutor(1))
    pks = []
    for rate in (500, 600):
        kept = Client(headers={"authorization": f"Bearer {token}"})
        kept.post(f"{UPLOADS}?host=web1", session(rate).encode(), content_type="text/plain")
        pks.append(Upload.objects.latest("pk").pk)
    body = json.dumps({"name": "web2"}).encode()
    sender = Sender({"type": "http.request", "body": body, "more_body": False})
    sender.method = "PATCH"
    headers = {"authorization": f"Bearer {token}", "content_type": "application/json"}
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        list(Upload.objects.select_for_update().filter(pk=pks[1]))
        acting = pool.submit(sender.post, f"/api/v1/hosts/{Host.objects.get().pk}/", **headers)
        wait_until_blocked(acting)  # it has locked the first of the two texts
        list(Upload.objects.select_for_update().filter(pk=pks[0]))
    asgi.PAGES.submit(lambda: connection.close()).result()
    assert sender.answers[0]["status"] == 200
    assert Host.objects.get().name == "web2"
