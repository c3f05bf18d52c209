"""The web server as it is started, and clients that are slow, many or hostile. All of it on this machine, and bounded."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
import ssl
import subprocess
import sys
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPSConnection
from itertools import repeat
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchdash.tests.proxy import start_proxy
from runs.accounts import make_token
from runs.management import processes
from runs.tests.ingest.texts import session
from runs.tests.installation import MANAGE, WITHIN_S, create_database, environment, find_free_port, wait_for_web

pytestmark = [pytest.mark.once, pytest.mark.django_db]  # without the second mark there would be no tables to copy
UPLOADS = "/api/v1/uploads/"
HEAD_S = 4  # shorter than in use, and longer than a busy machine keeps the test itself from sending
FREE_BYTES = 2**16  # that anybody may send
PROBED = ("/healthz", "/login/", "/api/v1/runs/")
ANSWERED_S = 2.0  # in which /healthz answers whatever happens


@dataclass
class Site:
    port: int
    token: str
    data: Path
    pid: int
    tls: ssl.SSLContext | None = None  # of a proxy before it

    @property
    def script(self) -> str:
        """The path of a large static file."""
        return "/static/plotly/" + next((self.data / "static/plotly").glob("plotly.min.*.js")).name

    @property
    def login(self) -> str:
        return f"Authorization: Bearer {self.token}\r\n"

    def workers(self) -> list[Path]:
        return [Path("/proc", pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def count_uploads(self) -> int:
        with closing(sqlite3.connect(self.data / "benchdash.sqlite3")) as database:
            return int(database.execute("SELECT count(*) FROM runs_upload").fetchone()[0])


@pytest.fixture(scope="module")
def site(tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("web") / "data"
    with django_db_blocker.unblock():
        user = User.objects.create_user("sender")
        token = make_token(user=user, name="test")[1]
        create_database(data)
        user.delete()
    variables = environment(data)
    subprocess.run([*MANAGE, "collectstatic", "--noinput", "-v0"], env=variables, check=True)
    port = find_free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "HEAD_S", HEAD_S)
        command = processes.web_command("127.0.0.1", port)
    with subprocess.Popen(command, env=variables, cwd=data, stderr=subprocess.PIPE, text=True) as process:
        wait_for_web(process, port)
        started = Site(port, token, data, process.pid)
        for path in PROBED * 8:  # the first page of a process takes longer, as it reads the templates
            ask(started, "GET", path, Authorization=f"Bearer {token}")
        yield started
        process.terminate()
        _, said = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0, said
    assert "Traceback" not in said, said


def text(number: int, times: int = 1) -> bytes:
    return f"Log {number}\n".encode() + session(500 + number).encode() * times


@dataclass
class Answer:
    status: int  # 0: the connection was closed
    seconds: float
    body: bytes = b""


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """What came until the connection was closed or, as nginx does where it waited too long, reset."""
    received = b""
    with suppress(ConnectionError):
        while part := await reader.read(2**16):
            received += part
    return received


async def exchange(site: Site, request: bytes, parts: Iterable[bytes] = (), rate: float = 0) -> Answer:
    """Send the head and the parts, at `rate` bytes/s where it is given, until there is an answer; read that."""
    began = perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port, ssl=site.tls)
    answer = asyncio.ensure_future(read_all(reader))
    sent = 0
    try:
        with suppress(ConnectionError):  # the server reads no more
            writer.write(request)
            for part in parts:
                writer.write(part)
                await writer.drain()
                sent += len(part)
                if rate:
                    await asyncio.wait([answer], timeout=max(0, began + sent / rate - perf_counter()))
                if answer.done():
                    break
        received = await answer
    finally:
        answer.cancel()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    status = int(received.split(b" ", 2)[1]) if received else 0
    return Answer(status, perf_counter() - began, received.partition(b"\r\n\r\n")[2])


def post(
    site: Site, path: str, length: int, parts: Iterator[bytes], head: str = "", rate: float = 0
) -> Awaitable[Answer]:
    lines = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}Content-Length: {length}\r\n\r\n"
    return exchange(site, lines.encode(), parts, rate)


def send(site: Site, body: bytes, rate: float = 0) -> Awaitable[Answer]:
    step = max(int(rate / 5), 1) if rate else 2**16
    parts = (body[at : at + step] for at in range(0, len(body), step))
    return post(site, UPLOADS, len(body), parts, f"{site.login}Content-Type: text/plain\r\n", rate)


# In a process of its own: one that sends much is late itself.
PROBE = """
import http.client, json, ssl, sys, time
port, token, tls, *paths = sys.argv[1:]
kind = {"context": ssl._create_unverified_context()} if tls else {}
connect = http.client.HTTPSConnection if tls else http.client.HTTPConnection
while True:
    for path in paths:
        connection, began = connect("127.0.0.1", int(port), timeout=20, **kind), time.perf_counter()
        try:
            connection.request("GET", path, headers={"Host": "localhost", "Authorization": "Bearer " + token})
            status = connection.getresponse().status
        except OSError:
            status = 0
        connection.close()
        print(json.dumps([path, status, time.perf_counter() - began]), flush=True)
    time.sleep(0.1)
"""


@contextmanager
def probing(site: Site) -> Iterator[list[tuple[str, int, float]]]:
    """At the end it has the path, status and seconds of each request that was made meanwhile."""
    tls, probed = "tls" if site.tls else "", list[tuple[str, int, float]]()
    command = [sys.executable, "-c", PROBE, str(site.port), site.token, tls, *PROBED, site.script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as probe:
        try:
            yield probed
        finally:
            probe.terminate()
        said, _ = probe.communicate()
    probed += [json.loads(line) for line in said.splitlines()]


def run(attack: Callable[[], Awaitable[list[Answer]]]) -> list[Answer]:
    async def limited() -> list[Answer]:
        return await asyncio.wait_for(attack(), WITHIN_S)

    return asyncio.run(limited())


def while_probed(site: Site, attack: Callable[[], Awaitable[list[Answer]]]) -> list[Answer]:
    """What the attack is answered. Meanwhile /healthz, pages and a static file must answer in time."""
    with probing(site) as probed:
        answers = run(attack)
        sleep(ANSWERED_S)
    assert len(probed) > 20 and {status for _, status, _ in probed} == {200}
    assert max(seconds for _, _, seconds in probed) < ANSWERED_S, probed
    return answers


def send_much(site: Site, path: str) -> Answer:
    """A form of 450 MB that a stranger begins to send."""
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": "450000000"}
    return ask(site, "POST", path, repeat(b"x" * 2**16, 7000), **headers)


def ask(site: Site, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    at, began = ("127.0.0.1", site.port), perf_counter()
    made = HTTPSConnection(*at, context=site.tls, timeout=20) if site.tls else HTTPConnection(*at, timeout=20)
    with closing(made) as connection:
        with suppress(ConnectionError):  # the server reads no more
            connection.request(method, path, body, {"Host": "localhost", **headers})
        return Answer(connection.getresponse().status, perf_counter() - began)


def packed_form(field: str, packed: bytes) -> tuple[str, bytes]:
    """Headers and body of a form, with a token that passes for this browser's, that would unpack to hundreds of times its size."""
    token = "a" * 32
    fields = {'"csrfmiddlewaretoken"': token.encode(), '"text"': b"x", field: packed}
    parts = [
        f"--x\r\nContent-Disposition: form-data; name={name}\r\n\r\n".encode() + value for name, value in fields.items()
    ]
    body = b"\r\n".join([*parts, b"--x--\r\n"])
    return f"Content-Type: multipart/form-data; boundary=x\r\nCookie: csrftoken={token}\r\n", body


def attack_as_stranger(site: Site) -> list[Answer]:
    """60 heads that do not end, 16 slow forms of 40 MB, two of 450 MB, 16 small packed ones: their answers, in this order."""
    line = b"Cookie: a=b; password = hunter2\n"
    packed = [
        ("/login/", *packed_form('"files"; filename="a"', gzip.compress(line * 500_000))),
        ("/preview/", *packed_form('"raw"', b64encode(zlib.compress(line * 400_000)))),
    ]
    assert max(len(body) for _, _, body in packed) < FREE_BYTES

    async def attack() -> list[Answer]:
        return await asyncio.gather(
            *(exchange(site, b"GET / HTTP/1.1\r\nHost: loc") for _ in range(60)),
            *(post(site, "/login/", 40_000_000, iter([b"x" * 500] * 1000), rate=5000) for _ in range(16)),
            *(asyncio.to_thread(send_much, site, path) for path in ("/login/", UPLOADS)),
            *(post(site, path, len(body), iter([body]), head) for path, head, body in packed for _ in range(8)),
        )

    answers = while_probed(site, attack)
    assert [answer.status for answer in answers[60:78]] == [413] * 17 + [401]
    assert [answer.status for answer in answers[78:]] == [200] * 8 + [400] * 8
    assert max(len(answer.body) for answer in answers[78:]) < FREE_BYTES
    return answers


def test_strangers_who_are_slow_or_send_much_stop_nothing(site):
    heads = attack_as_stranger(site)[:60]
    assert [head.status for head in heads] == [0] * 60  # closed
    assert all(HEAD_S - 0.5 < head.seconds < HEAD_S + 5 for head in heads)


@pytest.mark.parametrize(
    "charset", ["rot13", "zlib", "undefined", "idna", "unicode_escape", "utf-16", "nothing", "utf-8"]
)
def test_a_charset_that_decodes_no_text_is_left_aside(site, charset):
    """Without a login each of the first three was an error of the server, and a query was decoded by the text's charset."""
    head = {"Content-Type": f"application/x-www-form-urlencoded; charset={charset}"}
    token = {"Authorization": f"Bearer {site.token}"}
    assert ask(site, "POST", "/login/?next=%5Cud800", b"username=a", **head).status == 403  # without the form's token
    assert ask(site, "GET", "/api/v1/runs/?config=%5Cud800", **head, **token).status == 200
    assert ask(site, "GET", "/api/v1/runs/?since=nonsense", **head, **token).status == 400


def test_slow_clients_make_pages_at_most_three_times_as_slow(site):
    """Than before or behind them: others use the machine, too. What the texts themselves cost comes when they are whole."""

    async def attack() -> list[Answer]:
        return await asyncio.gather(
            *(exchange(site, b"GET / HTTP/1.1\r\nHost: loc") for _ in range(60)),
            *(send(site, text(number, 10), rate=len(text(number, 10)) / 6) for number in range(1100, 1200)),
        )

    def measure() -> dict[str, float]:
        with probing(site) as probed:
            sleep(3)
        return {path: median(seconds for at, _, seconds in probed if at == path) for path in PROBED}

    before = measure()
    with ThreadPoolExecutor(1) as pool:
        attacking = pool.submit(run, attack)
        during = measure()
        assert not attacking.done()
        assert Counter(answer.status for answer in attacking.result()) == {0: 60, 201: 100}
    after = measure()
    for path in PROBED:
        assert during[path] < 3 * max(before[path], after[path]) + 0.01, path


def test_logged_in_senders_may_be_slow_and_many_and_nothing_is_lost(site):
    before = site.count_uploads()

    async def attack() -> list[Answer]:
        return await asyncio.gather(
            *(send(site, text(number, 2500), rate=500_000) for number in range(7)),
            *(send(site, text(number, 10), rate=2048) for number in range(100, 200)),
            *(send(site, text(number, 3000)) for number in range(200, 220)),
            *(send(site, text(number)) for number in range(300, 360)),
        )

    answers = while_probed(site, attack)
    assert Counter(answer.status for answer in answers) == {202: 27, 201: 160}
    assert site.count_uploads() == before + 187


def test_a_body_that_breaks_off_stores_nothing_and_one_in_chunks_is_stored(site):
    before = site.count_uploads()
    body = text(1000)

    async def break_off() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(
            f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\n{site.login}Content-Length: 90000\r\n\r\n".encode() + body
        )
        writer.write_eof()
        said = await reader.read()
        writer.close()
        await writer.wait_closed()
        return said

    assert f"{len(body)} of 90000 bytes arrived".encode() in asyncio.run(break_off())
    assert site.count_uploads() == before
    head = f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\n{site.login}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert asyncio.run(exchange(site, head.encode() + chunks)).status == 201
    assert site.count_uploads() == before + 1


def test_a_large_body_lies_in_a_file_that_goes_with_the_request(site):
    def memory_kib(which: str) -> list[int]:
        lines = [line.split() for pid in site.workers() for line in (pid / "status").read_text().splitlines()]
        return [int(words[1]) for words in lines if words[0] == f"{which}:"]

    idle = memory_kib("VmRSS")
    answer = asyncio.run(send(site, text(2000, 60_000)))
    assert answer.status == 202
    assert all(peak < 1.4 * rss for peak, rss in zip(memory_kib("VmHWM"), idle, strict=True))
    files = [str(file.readlink()) for pid in site.workers() for file in (pid / "fd").iterdir()]
    assert not [file for file in files if file.startswith(str(site.data / "#"))]  # files without a name


def test_static_files_come_whole_and_in_parts(site):
    whole = asyncio.run(
        exchange(site, f"GET {site.script} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    )
    assert whole.body == (site.data / site.script.lstrip("/")).read_bytes()
    part = f"GET {site.script} HTTP/1.1\r\nHost: localhost\r\nRange: bytes=5-9\r\nConnection: close\r\n\r\n"
    assert asyncio.run(exchange(site, part.encode())).body == whole.body[5:10]


@pytest.fixture
def proxied(site: Site, needs: Callable[[str], str], tmp_path: Path) -> Iterator[Site]:
    """The site behind nginx with the configuration of docker-compose.yml."""
    with start_proxy(
        needs("nginx"), tmp_path, site.port, {"client_header_timeout 15s": f"client_header_timeout {HEAD_S}s"}
    ) as proxy:
        yield replace(site, port=proxy.port, tls=ssl._create_unverified_context())  # noqa: S323


def test_the_proxy_passes_texts_and_caps_the_rest(proxied):
    known = {"Authorization": f"Bearer {proxied.token}", "Content-Type": "text/plain"}
    assert {ask(proxied, "GET", path).status for path in ("/healthz", "/login/", proxied.script)} == {200}
    assert ask(proxied, "POST", "/login/", b"x" * 70_000).status == 413
    assert ask(proxied, "POST", UPLOADS, text(3000, 5000), **known).status == 202


def test_strangers_who_are_slow_or_send_much_stop_nothing_behind_the_proxy(proxied):
    heads = attack_as_stranger(proxied)[:60]
    assert {head.status for head in heads} <= {0, 408}
    assert all(head.seconds < HEAD_S + 5 for head in heads)
