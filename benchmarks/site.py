"""Django, set up for measuring; and the parts that measure the web server: uploads to it, its memory, and the first visit of
pages in a browser.

As an ASGI module (`benchmarks.site:application`) this is the site and what uploads by REST are compared with: a view as one
writes it with DRF for a small row, with the API's token and limits, and one insert.
"""

from __future__ import annotations

import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from itertools import chain, count, islice, repeat
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

# No file is asked for, so that nothing need be compressed beforehand; the test client calls itself "testserver".
STATIC = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": STATIC}
settings.ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
settings.ROOT_URLCONF = __name__
Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
get_wsgi_application()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection as database  # noqa: E402
from django.db import models  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.generics import CreateAPIView  # noqa: E402
from rest_framework.parsers import JSONParser  # noqa: E402

from benchdash.asgi import application  # noqa: E402
from benchdash.tests.services import find_chromium  # noqa: E402
from benchdash.urls import urlpatterns as site  # noqa: E402
from runs import ingest  # noqa: E402
from runs.accounts import make_token  # noqa: E402
from runs.management.processes import is_web_up, web_command  # noqa: E402
from runs.models import Experiment  # noqa: E402
from runs.tests import factories  # noqa: E402
from runs.tests.installation import find_free_port  # noqa: E402

from . import FOLDER, ROOT, Figure, require_equal, texts  # noqa: E402

__all__ = ["application"]

PATIENCE_S = 20.0
UPLOADS = "/api/v1/uploads/"


class Reference(models.Model):
    """The row that the reference view inserts."""

    tool = models.TextField()
    rate = models.FloatField()

    class Meta:
        app_label = "runs"
        managed = False

    def __str__(self) -> str:
        return f"{self.tool} {self.rate}"


class ReferenceSerializer(serializers.ModelSerializer[Reference]):
    class Meta:
        model = Reference
        fields = ("id", "tool", "rate")


class ReferenceView(CreateAPIView[Reference]):
    queryset = Reference._default_manager.all()
    serializer_class = ReferenceSerializer
    parser_classes = (JSONParser,)


urlpatterns = [path("reference/", ReferenceView.as_view()), *site]


def create_tables() -> None:
    call_command("migrate", verbosity=0)


def create_token() -> str:
    return make_token(user=User.objects.create_user("sender"), name="benchmark")[1]


def log_in() -> Client:
    """A logged-in client of Django's."""
    browser = Client()
    browser.force_login(User.objects.get_or_create(username="reader")[0])
    return browser


@contextmanager
def start_web_server(module: str = "benchmarks.site") -> Iterator[tuple[int, int]]:
    """The web server as `manage.py serve` starts it, in this process's environment; gives its port and process id.

    module: with `application`; benchdash.asgi serves its static files compressed.
    """
    port = find_free_port()
    command = [word.replace("benchdash.asgi", module) for word in web_command("127.0.0.1", port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as program:
        try:
            deadline = monotonic() + PATIENCE_S
            while not is_web_up(port):
                if program.poll() is not None or monotonic() > deadline:
                    raise RuntimeError(f"{program.args!r} does not answer at port {port}")
                sleep(0.05)
            yield port, program.pid
        finally:
            program.terminate()
            program.wait(PATIENCE_S)


# --- uploads by REST: four clients, beside a trivial view of the same server -------------------------------------------
CLIENTS, REPORTS = 4, 100
PER_CONNECTION = 20  # requests; four connections for good may all be with one of the server's two processes
SMALL_SHARE, PEER, TIMES_PEER = 0.3, 371, 5  # PEER: results/s that a peer stores in batches of 100, once measured
FIRST_TOTAL = 5_000_000  # rates have few digits, so that two reports out of a thousand would be the same text


def measure_uploads(*, quick: bool) -> Iterator[Figure]:
    create_tables()
    with database.schema_editor() as editor:
        editor.create_model(Reference)
    token = create_token()
    chance = random.Random(1)  # noqa: S311
    total = re.compile(r"^(Total transferred: +)\d+", re.MULTILINE)
    rows = (b'{"tool": "ab", "rate": %d.5}' % number for number in count())
    reports = (total.sub(rf"\g<1>{number}", texts.ab_report(number, chance)).encode() for number in count(FIRST_TOTAL))
    sessions = ("".join(texts.ab_section(number, chance) for number in range(REPORTS)).encode() for _ in count())
    seconds, turns = (1, 3) if quick else (4, 7)
    rates: dict[str, list[float]] = {"trivial": [], "small": [], "many": []}
    with start_web_server() as (port, _):
        for turn in range(turns + 1):
            length = seconds if turn else 0.5  # the first turn only opens connections and fills caches
            trivial = _requests("/reference/", token, rows, 500, length, "application/json")
            small, many = (_requests(UPLOADS, token, *of, length) for of in ((reports, 500), (sessions, 15)))
            for name, requests in (("trivial", trivial), ("small", small), ("many", many)):
                rate = _rate(port, requests, length)
                if turn:
                    rates[name].append(rate)
    ratios = sorted(small / its for small, its in zip(rates["small"], rates["trivial"], strict=True))
    yield Figure(
        f"upload by REST of one ab report, 1.5 kB, {CLIENTS} clients",
        f"{median(rates['small']):.0f} requests/s",
        f"a DRF CreateAPIView with token, limits and one insert: {median(rates['trivial']):.0f} requests/s",
        f"{median(ratios):.2f} of its requests ({ratios[0]:.2f} to {ratios[-1]:.2f}, n={turns})",
        str(SMALL_SHARE),
        median(ratios) >= SMALL_SHARE,
    )
    runs_s = median(rates["many"]) * REPORTS
    what, reference = f"uploads by REST of {REPORTS} ab reports each, {CLIENTS} clients", f"a peer: {PEER} results/s"
    result, goal = f"{runs_s / PEER:.1f} times", f"{TIMES_PEER} times"
    yield Figure(what, f"{runs_s:.0f} runs/s", reference, result, goal, runs_s / PEER >= TIMES_PEER)


def _requests(
    path: str, token: str, bodies: Iterator[bytes], most: int, seconds: float, kind: str = "text/plain"
) -> list[list[bytes]]:
    """Requests for each client, made before the clock runs: more than it gets answered, other texts each time."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: "
    ).encode()
    n = round(seconds * most) + 1
    return [[b"%s%d\r\n\r\n%s" % (head, len(body), body) for body in islice(bodies, n)] for _ in range(CLIENTS)]


def _rate(port: int, requests: list[list[bytes]], seconds: float) -> float:
    """Requests answered a second while all clients send theirs one after the other."""
    with ThreadPoolExecutor(CLIENTS) as clients:
        end = perf_counter() + seconds
        return sum(clients.map(lambda own: _count_answers(port, own, end), requests)) / seconds


def _count_answers(port: int, requests: list[bytes], end: float) -> int:
    """Answers that came before the end. A new connection now and then goes to the process that has less to do.

    Plain sockets: a client that takes more time of the machine would measure itself.
    """
    for first in range(0, len(requests), PER_CONNECTION):
        with closing(socket.create_connection(("127.0.0.1", port))) as connection:
            for number, request in enumerate(requests[first : first + PER_CONNECTION], first):
                connection.sendall(request)
                response = connection.makefile("rb")
                head = list(iter(response.readline, b"\r\n"))
                require_equal(head[:1], [b"HTTP/1.1 201 Created\r\n"])
                response.read(next(int(line[15:]) for line in head if line.lower().startswith(b"content-length:")))
                if perf_counter() > end:
                    return number
    raise RuntimeError("The server was quicker than requests were made ahead; make more.")


# --- the memory of the web server while a large text arrives ---------------------------------------------------------
PART_MB, MOST_MORE_MIB = 10, 50


def measure_arriving(*, quick: bool) -> Iterator[Figure]:
    create_tables()
    token, megabytes = create_token(), 100 if quick else 500
    part = texts.write_top_log(FOLDER / "top.log", PART_MB).path.read_bytes()
    with start_web_server() as (port, server):
        for number in range(4):  # each process has answered before it is called idle
            _send_text(port, token, part, 1, number)
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        idle = {pid: _memory_kib(pid, "VmRSS") for pid in children}
        seconds = _send_text(port, token, part, megabytes // PART_MB, 4)
        more = max(_memory_kib(pid, "VmHWM") - kib for pid, kib in idle.items()) / 1024
    what = f"memory of a web process while {megabytes} MB arrive"
    reference = f"idle: {max(idle.values()) / 1024:.0f} MiB"
    result, goal = f"+ {more:.0f} MiB at most, {megabytes / seconds:.0f} MB/s", f"+ {MOST_MORE_MIB} MiB"
    yield Figure(what, f"peak + {more:.0f} MiB", reference, result, goal, more <= MOST_MORE_MIB)


def _memory_kib(pid: str, which: str) -> int:
    match = re.search(rf"^{which}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(match[1]) if match else 0


def _send_text(port: int, token: str, part: bytes, times: int, number: int) -> float:
    """Seconds until the part, so many times below a line of its own, is received (202)."""
    first = f"Log {number}\n".encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
    headers["Content-Length"] = str(len(first) + times * len(part))
    start = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("POST", UPLOADS, chain([first], repeat(part, times)), headers)
        require_equal(connection.getresponse().status, 202)
    return perf_counter() - start


# --- the first visit of experiment pages in Chromium: what is seen when, whether it moves, and how much comes over the wire ------
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SCREEN = {"width": 1440, "height": 900}
REST_MS = 300  # after the page has loaded, for paints and shifts that come late
MOST_PAINT_S, MOST_DRAWN_S, MOST_KB, MOST_SHIFT = 0.4, 1.0, 500, 0
OBSERVE = """
window.seen = {paint: 0, shift: 0};
new PerformanceObserver((list) => list.getEntries().forEach((entry) => (seen.paint = entry.startTime)))
  .observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver((list) => list.getEntries().forEach((entry) => (seen.shift += entry.value)))
  .observe({type: "layout-shift", buffered: true});
"""
TRANSFERRED = """() => performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize || 0), 0)"""
# A chart over time is an empty box at first; the others are drawings in the page itself.
DRAWN = """() => {
  const near = [...document.querySelectorAll(".plot")].filter((box) => box.offsetTop < 2 * innerHeight);
  const ready = document.readyState !== "loading" && near.every((box) => box.querySelector("svg"));
  return ready && performance.now();
}"""


def measure_browser(*, quick: bool) -> Iterator[Figure]:
    from playwright.sync_api import sync_playwright  # not in the web server's processes, whose memory is measured

    program = find_chromium()
    if program is None:
        yield Figure("first visit in Chromium", "not measured", "", "chromium was not found")
        return
    # The tables, and static files as they are served: compressed.
    subprocess.run([sys.executable, "manage.py", "first_start"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    plain = factories.wsgi_experiment(n_configs=8, n_repeats=5)
    ingest.submit(texts.write_top_log(FOLDER / "top.log", 1).path.read_bytes(), origin="web")
    name = settings.SESSION_COOKIE_NAME
    cookie = {"name": name, "value": log_in().cookies[name].value, "domain": "127.0.0.1", "path": "/"}
    watched = Experiment.objects.order_by("-pk")[0]
    pages = {"8 x 5 runs": plain.get_absolute_url(), "a monitor's log": watched.get_absolute_url()}
    with start_web_server("benchdash.asgi") as (port, _), sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        for what, address in pages.items():
            see = partial(_visit, chromium, cookie, f"http://127.0.0.1:{port}{address}")
            see()  # the server has answered before
            yield from _describe(f"first visit of {what} in Chromium", [see() for _ in range(3 if quick else 9)])
        chromium.close()


def _visit(chromium: Any, cookie: dict[str, str], url: str) -> tuple[float, float, float, float]:
    """Seconds to the largest paint, layout shift, kB, and seconds until the first two screens are drawn; nothing was kept."""
    context = chromium.new_context(viewport=SCREEN)
    context.add_cookies([cookie])
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.goto(url, wait_until="domcontentloaded")
    drawn_ms = page.wait_for_function(DRAWN, polling="raf").json_value()
    page.wait_for_load_state("load")
    page.wait_for_timeout(REST_MS)
    seen, size = page.evaluate("seen"), page.evaluate(TRANSFERRED)
    context.close()
    return seen["paint"] / 1000, seen["shift"], size / 1000, drawn_ms / 1000


def _describe(what: str, visits: list[tuple[float, float, float, float]]) -> Iterator[Figure]:
    names = ("largest contentful paint", "layout shift", "transferred", "charts of two screens drawn after")
    units, goals = ("{:.2f} s", "{:.4f}", "{:,.0f} kB", "{:.2f} s"), (MOST_PAINT_S, MOST_SHIFT, MOST_KB, MOST_DRAWN_S)
    for name, unit, goal, values in zip(names, units, goals, zip(*visits, strict=True), strict=True):
        middle, least, most = (unit.format(value) for value in (median(values), min(values), max(values)))
        reached = median(values) <= goal
        yield Figure(f"{what}: {name}", middle, "", f"({least} to {most}, n={len(values)})", unit.format(goal), reached)
