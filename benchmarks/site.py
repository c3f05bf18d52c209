"""The parts that measure the site: uploads to its web server, its memory, and its lists on a small and a large database.

As a WSGI module (`gunicorn benchmarks.site`) this is the site and what uploads by REST are compared with: a view as one
writes it with DRF for a small row, with the API's token and limits, and one insert.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import models

# No file is asked for, so that nothing need be compressed beforehand; the test client calls itself "testserver".
STATIC = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": STATIC}
settings.ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
settings.ROOT_URLCONF = __name__
Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
get_wsgi_application()

from django.core.management import call_command  # noqa: E402
from django.db import connection as database  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.generics import CreateAPIView  # noqa: E402
from rest_framework.parsers import JSONParser  # noqa: E402

from benchdash.urls import urlpatterns as site  # noqa: E402
from benchdash.wsgi import application  # noqa: E402

from . import FOLDER, ROOT, Figure, require_equal, texts  # noqa: E402

__all__ = ["application"]

PATIENCE_S = 20.0


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
    from django.contrib.auth.models import User

    from runs.accounts.tokens import make_token

    return make_token(user=User.objects.create_user("sender"), name="benchmark")[1]


@contextmanager
def start_web_server() -> Iterator[int]:
    """gunicorn as `manage.py serve` starts it, in this process's environment; gives its port."""
    from runs.management.processes import web_command

    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port: int = taken.getsockname()[1]
    command = ["benchmarks.site" if word == "benchdash.wsgi" else word for word in web_command("127.0.0.1", port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as program:
        try:
            wait_for_port(port, program)
            yield port
        finally:
            program.terminate()
            program.wait(PATIENCE_S)


def wait_for_port(port: int, program: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + PATIENCE_S
    while program.poll() is None and monotonic() < deadline:
        with closing(socket.socket()) as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.05)
    raise RuntimeError(f"{program.args!r} does not answer at port {port}")


def log_in() -> Any:
    """A logged-in client of Django's."""
    from django.contrib.auth.models import User
    from django.test import Client

    browser = Client()
    browser.force_login(User.objects.get_or_create(username="reader")[0])
    return browser


# --- uploads by REST: four clients against gunicorn, beside a trivial view of the same server ------------------------
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
    with start_web_server() as port:
        for turn in range(turns + 1):
            length = seconds if turn else 0.5  # the first turn only opens connections and fills caches
            found = {
                "trivial": _rate(port, _requests("/reference/", token, rows, 500, length, "application/json"), length),
                "small": _rate(port, _requests("/api/v1/uploads/", token, reports, 500, length), length),
                "many": _rate(port, _requests("/api/v1/uploads/", token, sessions, 15, length), length) * REPORTS,
            }
            for name, rate in found.items() if turn else ():
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
    many = median(rates["many"])
    what, reference = f"uploads by REST of {REPORTS} ab reports each, {CLIENTS} clients", f"a peer: {PEER} results/s"
    goal = f"{TIMES_PEER} times"
    yield Figure(what, f"{many:.0f} runs/s", reference, f"{many / PEER:.1f} times", goal, many / PEER >= TIMES_PEER)


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


def _count_answers(port: int, requests: Sequence[bytes], end: float) -> int:
    """Answers that came before the end. A new connection now and then goes to the process that has less to do."""
    for first in range(0, len(requests), PER_CONNECTION):
        with closing(socket.create_connection(("127.0.0.1", port))) as connection:
            for number, request in enumerate(requests[first : first + PER_CONNECTION], first):
                connection.sendall(request)
                _read_response(connection, b"HTTP/1.1 201 ")
                if perf_counter() > end:
                    return number
    raise RuntimeError("The server was quicker than requests were made ahead; make more.")


def _read_response(connection: socket.socket, status: bytes) -> None:
    """Read one response to its end. Any other status is no measurement."""
    response = connection.makefile("rb")
    head = list(iter(response.readline, b"\r\n"))
    if not head or not head[0].startswith(status):
        raise ValueError(f"the server answered {head!r}")
    response.read(next(int(line[15:]) for line in head if line.lower().startswith(b"content-length:")))


# --- the memory of the web server while a large text arrives ---------------------------------------------------------
PART_MB, MOST_MORE_MIB = 10, 50


def measure_arriving(*, quick: bool) -> Iterator[Figure]:
    create_tables()
    token, megabytes = create_token(), 100 if quick else 500
    part = texts.write_top_log(FOLDER / "top.log", PART_MB).path.read_bytes()
    with start_web_server() as port:
        for number in range(4):  # each process has answered before it is called idle
            _send_text(port, token, part, 1, number)
        idle = {pid: _memory_kib(pid, "VmRSS") for pid in _server_processes(port)}
        seconds = _send_text(port, token, part, megabytes // PART_MB, 4)
        more = max(_memory_kib(pid, "VmHWM") - kib for pid, kib in idle.items()) / 1024
    what, reference = (
        f"memory of a web process while {megabytes} MB arrive",
        f"idle: {max(idle.values()) / 1024:.0f} MiB",
    )
    result, goal = f"+ {more:.0f} MiB at most, {megabytes / seconds:.0f} MB/s", f"+ {MOST_MORE_MIB} MiB"
    yield Figure(what, f"peak + {more:.0f} MiB", reference, result, goal, more <= MOST_MORE_MIB)


def _server_processes(port: int) -> list[int]:
    """The server's processes, by the address in their command line (Linux)."""
    found = subprocess.run(
        ["pgrep", "-f", f"gunicorn.*127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True, check=True
    )
    return [int(pid) for pid in found.stdout.split()]


def _memory_kib(pid: int, which: str) -> int:
    found = re.search(rf"^{which}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found[1]) if found else 0


def _send_text(port: int, token: str, part: bytes, times: int, number: int) -> float:
    """Seconds until the part, so many times below a line of its own, is received (202)."""
    first = f"Log {number}\n".encode()
    head = (
        f"POST /api/v1/uploads/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(first) + times * len(part)}\r\nConnection: close\r\n\r\n"
    )
    start = perf_counter()
    with closing(socket.create_connection(("127.0.0.1", port))) as connection:
        connection.sendall(head.encode() + first)
        for _ in range(times):
            connection.sendall(part)
        _read_response(connection, b"HTTP/1.1 202 ")
    return perf_counter() - start


# --- lists, filters, searches and details on a small and on a large database ----------------------------------------
MOST_TIMES = 1.5


def measure_lists(*, quick: bool) -> Iterator[Figure]:
    """The page with the highest ratio, and how many stay within the goal. Both databases answer in turn."""
    sizes, turns = ((1_000, 20_000), 5) if quick else ((1_000, 1_000_000), 100)
    urls = (os.environ["BENCH_SMALL_URL"], os.environ["BENCH_LARGE_URL"])
    workers = [_start_worker(url, n) for url, n in zip(urls, sizes, strict=True)]
    names = [json.loads(_ask_worker(worker, "names")) for worker in workers][0]
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    order = random.Random(1)  # noqa: S311  (in one order the garbage collector would meet the same pages again and again)
    for turn in range(turns + 1):
        for name in order.sample(names, len(names)):
            for worker, own in zip(workers, times[name], strict=True):
                ms = float(_ask_worker(worker, name))
                if turn:  # the first one warms up
                    own.append(ms)
    for worker in workers:
        worker.communicate()
    ratios = sorted((_p95(large) / _p95(small), name) for name, (small, large) in times.items())
    highest, name = ratios[-1]
    fits = sum(ratio <= MOST_TIMES for ratio, _ in ratios)
    small, large = (f"p95 {_p95(own):.1f} ms, median {median(own):.1f} ms" for own in times[name])
    what = f"{len(ratios)} lists, filters and pages at {sizes[1]:,} runs; highest: {name}"
    result = f"{highest:.2f} times, {fits} of {len(ratios)} within the goal (n={turns})"
    yield Figure(what, large, f"{sizes[0]:,} runs: {small}", result, f"at most {MOST_TIMES}", highest <= MOST_TIMES)


def _p95(times: list[float]) -> float:
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


def _start_worker(url: str, n_runs: int) -> subprocess.Popen[str]:
    folder = tempfile.mkdtemp(dir=FOLDER)
    command = [sys.executable, "-c", f"from benchmarks.site import time_pages; time_pages({n_runs})"]
    env = {**os.environ, "DATABASE_URL": url, "DATA_DIR": folder}
    return subprocess.Popen(command, cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _ask_worker(worker: subprocess.Popen[str], name: str) -> str:
    print(name, file=worker.stdin, flush=True)
    line = worker.stdout.readline() if worker.stdout else ""
    if not line:
        raise RuntimeError("a worker broke down; its error is above")
    return line


def time_pages(n_runs: int) -> None:
    """In a worker: print the milliseconds of each page that is asked for by its name, or for "names" their names."""
    create_tables()
    from django.core.management import call_command

    from benchdash.webworker import freeze_program
    from runs.models import Run

    if not Run.objects.exists():
        call_command("make_sample", runs=n_runs, stdout=sys.stderr)
    browser, pages = log_in(), page_addresses()
    freeze_program()  # as the web server does; one pass of the garbage collector takes longer than most pages
    for line in sys.stdin:
        if line.strip() == "names":
            print(json.dumps(list(pages)), flush=True)
            continue
        start = perf_counter()
        response = browser.get(pages[line.strip()])
        require_equal((line, response.status_code), (line, 200))
        print(1000 * (perf_counter() - start), flush=True)


def page_addresses() -> dict[str, str]:
    """The same pages on any sample: filters that fill a page or nearly so, deep pages, an ordinary experiment's details."""
    from django.db.models import Count

    from runs.models import Config, Experiment, Facet, Host, Run, TrendLine, Upload

    newest = Experiment.objects.order_by("-pk").values("pk")[:400]
    sized = Experiment.objects.filter(pk__in=newest).annotate(n=Count("runs"), of=Count("runs__config", distinct=True))
    experiment = sized.filter(n=12, of=4).order_by("-pk")[0]
    run = experiment.runs.order_by("pk")[0]
    ids = ",".join(str(pk) for pk in experiment.runs.order_by("pk").values_list("pk", flat=True))
    far, far_experiment, far_upload = (
        model._default_manager.order_by("-pk")[0].pk * 3 // 4 for model in (Run, Experiment, Upload)
    )
    used = {kind: quote(Facet.objects.filter(kind=kind).order_by("-n_runs")[0].value) for kind in Facet.Kind.values}
    rare = quote(Facet.objects.filter(kind="command", n_runs__range=(2, 9)).order_by("n_runs")[0].value)
    host = Host.objects.order_by("-n_runs")[0]
    trend = TrendLine.objects.filter(n_days__lte=40).order_by("-n_days")[0]
    few = Config.objects.filter(experiment__in=newest).annotate(n=Count("runs")).filter(n=1).order_by("-pk")[:2]
    single = ",".join(str(config.runs.get().pk) for config in few)
    since = run.created_at.date().replace(day=1)
    filters = {
        **{"newest": "", "oldest": "sort=id", "deep": f"after={far}", "fastest": "sort=-rps", "slowest": "sort=rps"},
        **{"fastest, deep": f"sort=-rps&after=1800.0,{far}", "host": f"host={quote(host.name)}"},
        **{kind: f"{kind}={value}" for kind, value in used.items()},
        **{"experiment": f"experiment={experiment.pk}", "rare command": f"command={rare}", "since": f"since={since}"},
        **{"tool, deep": f"tool=ab&after={far}", "tag, deep": f"tag=nightly&after={far}"},
        **{"rate": "min_rps=1000&max_rps=2000", "tool and server": f"tool=ab&server={used['server']}"},
        **{"tool, tag and rate": "tool=ab&tag=nightly&min_rps=500", "tool, fastest": "tool=ab&sort=-rps"},
        **{"host, slowest": f"host={quote(host.name)}&sort=rps", "search, common": "q=worker"},
        **{"search, common, deep": f"q=worker&after={far}", "search, rare": f"q={rare}"},
        **{"search, nothing": "q=nothing-like-it", "search, two letters": "q=wo"},
        **{"search in a tool": "q=event&tool=ab", "search, fastest": "q=prefork&sort=-rps"},
    }
    details: dict[str, Any] = {
        "run": run,
        "config": run.config,
        "upload": run.upload,
        "experiment": experiment,
        "host": host,
    }
    rest = {
        **{name: f"{name}/" for name in ("runs", "hosts", "configs", "experiments", "uploads", "captures")},
        **{"runs of a host": f"runs/?host={host.pk}", "runs with a tag": "runs/?tag=nightly"},
        **{"runs of a config": f"runs/?config={used['config']}", "runs by rate": "runs/?min_rps=1000&tool=ab"},
        **{"runs since": f"runs/?since={since}", "configs of a name": f"configs/?name={used['config']}&limit=1"},
        **{"captures of a tool": "captures/?tool=top", "a run": f"runs/{run.pk}/"},
        **{"a run's series": f"runs/{run.pk}/series/", "compare": f"compare/?runs={run.pk},{run.pk + 1}"},
    }
    return {
        **{"home": "/", **{name: f"/{name}/" for name in ("experiments", "uploads", "hosts", "trends")}},
        "experiments, deep": f"/experiments/?after={far_experiment}",
        "uploads, deep": f"/uploads/?after={far_upload}",
        "trends, deep": "/trends/?after=9,100",
        **{f"runs, {name}": f"/runs/?{query}" for name, query in filters.items()},
        **{name: row.get_absolute_url() for name, row in details.items()},
        "compare 12 runs": f"/compare/?runs={ids}",
        "compare 2 single runs": f"/compare/?runs={single}",
        "trend": f"/trends/{trend.fingerprint}/",
        **{f"REST, {what}": f"/api/v1/{path}" for what, path in rest.items()},
    }
