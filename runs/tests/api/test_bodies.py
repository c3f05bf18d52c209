"""Bodies as they come over the wire: too large, packed, broken off or slow; each is answered and nothing stays."""

from __future__ import annotations

import gzip
import io
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from backports import zstd
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_started
from django.db import close_old_connections
from django.test import Client
from gunicorn.http.body import LengthReader
from gunicorn.http.errors import InvalidChunkSize
from gunicorn.http.unreader import SocketUnreader

from benchdash import webworker
from benchdash.middleware import BodyLimits
from runs.accounts.tokens import make_token
from runs.models import Run, Upload
from runs.tests.ingest.texts import session
from runs.tests.installation import create_database, environment, find_free_port

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


class Unread(io.BytesIO):
    """A body that must not be looked at."""

    def read(self, *_):
        raise AssertionError("it was read")


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x"])
def test_what_says_that_it_is_too_large_is_refused_unread(api, kind):
    body = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(3 * 2**30)}
    answer = api.generic("POST", UPLOADS, content_type=kind, **body)
    assert message_of(answer) == (
        413,
        "The text is too large: 3072.0 MiB, at most 2048 MiB are taken. Send it in parts.",
    )
    page = api.generic("POST", "/preview/", content_type=kind, **body)
    assert page.status_code == 413 and "at most 2048 MiB are taken" in page.content.decode()


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


def answered(environ: dict[str, object], body: bytes, length: int | None) -> tuple[str, bytes]:
    """What the site answers through the wrapping that the server runs it in."""
    said: list[str] = []
    given: dict[str, object] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": UPLOADS,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
    }
    given |= {"wsgi.input": io.BytesIO(body), "wsgi.url_scheme": "http", "CONTENT_TYPE": "text/plain"} | environ
    if length is not None:
        given["CONTENT_LENGTH"] = str(length)
    request_started.disconnect(close_old_connections)  # as Django's test client: the test's transaction is on it
    try:
        answer = b"".join(webworker.check_bodies(WSGIHandler())(given, lambda status, headers: said.append(status)))
    finally:
        request_started.connect(close_old_connections)
    return said[0], answer


FORM = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + LOG


@pytest.mark.parametrize(("kind", "body"), [("text/plain", LOG), ("multipart/form-data; boundary=x", FORM)])
def test_a_body_that_breaks_off_is_told_how_far_it_came(token, kind, body):
    environ = {"HTTP_AUTHORIZATION": f"Bearer {token}", "CONTENT_TYPE": kind}
    status, answer = answered(environ, body, len(body) + 1000)
    assert status.startswith("400")
    error = json.loads(answer)["errors"][0]
    assert error["message"] == f"The text did not come whole: got {len(body)} of {len(body) + 1000} bytes."
    assert not Upload.objects.exists()


def test_a_body_that_comes_whole_is_taken(token):
    status, answer = answered({"HTTP_AUTHORIZATION": f"Bearer {token}"}, LOG, len(LOG))
    assert status.startswith("201") and json.loads(answer)["status"] == "ready"


def test_a_page_tells_of_a_broken_body_too(rf):
    error = webworker.Interrupted(HTTPStatus.BAD_REQUEST, "The text did not come whole.")
    answer = BodyLimits(lambda request: None).process_exception(rf.post("/preview/"), error)
    assert answer.status_code == 400 and "did not come whole" in answer.content.decode()


def test_chunks_whose_sizes_are_none_are_a_broken_text():
    class Chunks(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise InvalidChunkSize(b"zz")

    with pytest.raises(webworker.Interrupted, match="did not come whole") as caught:
        webworker.Body(Chunks(), None, None).read(10)
    assert caught.value.status == 400


# --- slow senders ------------------------------------------------------------------------------------------------------
@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(webworker, "PATIENCE_S", 0.3)


def body_of(connection: socket.socket, length: int) -> webworker.Body:
    """A body as gunicorn's worker reads it from a connection."""
    timed = webworker.TimedSocket(connection)
    return webworker.Body(LengthReader(SocketUnreader(timed), length), length, timed)


def test_a_sender_who_says_nothing_is_cut_off(impatient):
    sender, connection = socket.socketpair()
    with sender, connection, pytest.raises(webworker.Interrupted, match="too slowly") as caught:
        body_of(connection, 100).read(100)
    assert caught.value.status == 408


def test_a_sender_who_pauses_and_goes_on_is_waited_for(impatient):
    sender, connection = socket.socketpair()
    with sender, connection:
        pieces = [threading.Timer(0.1 * n, sender.sendall, [b"x" * 5000]) for n in range(4)]
        for piece in pieces:
            piece.start()
        assert len(body_of(connection, 20_000).read()) == 20_000
        for piece in pieces:
            piece.join()


SERVER = """
import sys
from benchdash import webworker
webworker.PATIENCE_S = 1.0
from gunicorn.app.wsgiapp import run
sys.argv[1:] = ["benchdash.wsgi", "--bind", "127.0.0.1:" + sys.argv[1], "--threads", "2", "--no-control-socket",
    "--worker-class", "benchdash.webworker.Worker"]
run()
"""


@pytest.fixture
def server(tmp_path: Path, transactional_db) -> Iterator[tuple[int, str]]:
    """(port, token) of a real server that waits one second for slow senders."""
    token = make_token(user=User.objects.create_user("joe"), name="test")[1]
    create_database(tmp_path)  # with the token
    env = environment(tmp_path)
    port = find_free_port()
    command = [sys.executable, "-c", SERVER, str(port)]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        next(line for line in process.stderr if "Booting worker" in line)
        yield port, token
        process.terminate()
        process.stderr.read()


@pytest.mark.once  # create_database copies rows of SQLite only
def test_a_real_server_answers_who_stops_half_way_or_drips(server):
    port, token = server
    head = (
        f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 100000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as half:
        half.sendall(head.encode() + LOG)
        half.shutdown(socket.SHUT_WR)
        assert f"got {len(LOG)} of 100000 bytes" in all_of(half)
    done = threading.Event()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
        slow.sendall(head.encode())
        drip = threading.Thread(target=dripping, args=[slow, done])
        drip.start()
        answer = all_of(slow)
        done.set()
        drip.join()
    assert answer.startswith("HTTP/1.1 408") and "too slowly" in answer
    with socket.create_connection(("127.0.0.1", port), timeout=60) as headless:
        headless.sendall(b"POST / HTTP/1.1\r\nHost: ")
        assert headless.recv(1) == b""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as large:
        large.sendall(head.replace("100000", str(3 * 2**30)).encode())
        large.shutdown(socket.SHUT_WR)
        assert all_of(large).startswith("HTTP/1.1 413")


def dripping(connection: socket.socket, done: threading.Event) -> None:
    while not done.wait(0.2):
        try:
            connection.sendall(b"x")
        except OSError:  # the server has had enough
            return


def all_of(connection: socket.socket) -> str:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts).decode()
