"""Uploads by REST: small ones beside a trivial view of the same server, and texts of a hundred reports.

The server is the one that `manage.py serve` starts (two processes, four threads each) on PostgreSQL and Redis; all of them
are started for this and ended after. Four clients keep one connection each and send the next request as soon as the answer
before is there. Run as `python -m benchmarks.rest [SECONDS [TURNS]]` for these rows alone.
"""

from __future__ import annotations

import os
import random
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import perf_counter

from . import services
from .figures import HEADER, Figure
from .inputs import ab_report, ab_section

CLIENTS = 4
PER_CONNECTION = 20  # requests; four connections for good may all be with one of the server's two processes
REPORTS = 100
PEER = 371  # results a second that a peer stores in batches of a hundred, measured beside the reference on two cores
GOAL, TIMES_PEER = 0.5, 5


def figures(*, seconds: float = 4, turns: int = 7) -> list[Figure]:
    """All rows, or one that says what is missing."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="benchdash-bench-"))
        database = stack.enter_context(services.database())
        redis = stack.enter_context(services.redis_server(Path(folder)))
        if database is None or redis is None:
            missing = "no PostgreSQL was found" if database is None else "no redis-server was found"
            return [Figure("uploads by REST", "not measured", "", missing)]
        env = {
            **{"PATH": os.environ["PATH"], "HOME": folder, "DATA_DIR": folder},
            **{"DATABASE_URL": database, "CELERY_BROKER_URL": redis},
            "DJANGO_SETTINGS_MODULE": "benchmarks.rest_settings",
        }
        token = prepare(env)
        port = stack.enter_context(services.web_server(env))
        return _measured(port, token, seconds, turns)


def prepare(env: dict[str, str]) -> str:
    """Tables and a user's token."""
    services.manage(env, "migrate", "--verbosity", "0")
    made = "from benchmarks.rest import make_ready; print(make_ready())"
    return services.manage(env, "shell", "--no-imports", "-c", made).strip()


def make_ready() -> str:
    """Within the server's settings: the reference's table, and a token."""
    from django.contrib.auth.models import User
    from django.db import connection

    from runs.accounts.tokens import make_token

    from .rest_urls import TABLE

    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    return make_token(user=User.objects.create_user("sender"), name="benchmark")[1]


def _measured(port: int, token: str, seconds: float, turns: int) -> list[Figure]:
    """The references, small uploads and large ones in turn, so that a busy moment of the machine meets all."""
    asks = {
        "trivial": Ask("/reference/", token, _small_rows(), 1, kind="application/json"),
        "bare": Ask("/reference/bare/", token, _small_rows(), 1, kind="application/json"),
        "small": Ask("/api/v1/uploads/", token, _reports(), 1),
        "many": Ask("/api/v1/uploads/", token, _sessions(), REPORTS),
    }
    rates: dict[str, list[float]] = {name: [] for name in asks}
    for turn in range(turns + 1):
        for name, ask in asks.items():
            rate = ask.rate(port, seconds if turn else 0.5)
            if turn:  # the first one only opens connections and fills caches
                rates[name].append(rate)
    small = rates["small"]
    return [
        _small(small, rates["trivial"], "the API's trivial view, with one insert", GOAL),
        _small(small, rates["bare"], "the same without token, limits and serializer"),
        _many(rates["many"]),
    ]


def _small(small: Sequence[float], reference: Sequence[float], name: str, goal: float | None = None) -> Figure:
    ratios = sorted(mine / its for mine, its in zip(small, reference, strict=True))
    result = f"{median(ratios):.2f} of its requests ({ratios[0]:.2f} to {ratios[-1]:.2f}, n={len(ratios)})"
    what = f"upload by REST of one ab report, 1.5 kB, {CLIENTS} clients"
    theirs = f"{name}: {median(reference):.0f} requests/s"
    reached = None if goal is None else median(ratios) >= goal
    return Figure(what, f"{median(small):.0f} requests/s", theirs, result, f"{goal or ''}", reached)


def _many(rates: Sequence[float]) -> Figure:
    times = sorted(rate / PEER for rate in rates)
    result = f"{median(times):.1f} times ({times[0]:.1f} to {times[-1]:.1f}, n={len(times)})"
    what = f"uploads by REST of {REPORTS} ab reports each, {CLIENTS} clients"
    theirs = f"a peer's batches of 100: {PEER} results/s"
    return Figure(
        what, f"{median(rates):.0f} runs/s", theirs, result, f"{TIMES_PEER} times", median(times) >= TIMES_PEER
    )


class Ask:
    """One kind of request; `worth` is what each adds to the rate."""

    def __init__(self, path: str, token: str, bodies: Iterator[bytes], worth: int, kind: str = "text/plain") -> None:
        self.bodies = bodies
        self.worth = worth
        self.head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: "
        ).encode()

    def rate(self, port: int, seconds: float) -> float:
        """How much was answered a second while all clients were at it."""
        bodies = [self._ahead(seconds) for _ in range(CLIENTS)]
        with ThreadPoolExecutor(CLIENTS) as clients:
            start = perf_counter()
            done = sum(clients.map(lambda ahead: self._client(port, ahead, start + seconds), bodies))
        return done * self.worth / seconds

    def _ahead(self, seconds: float) -> list[bytes]:
        """Requests made before the clock runs: more than one client gets answered, and other texts each time."""
        most = round(seconds * (500 if self.worth == 1 else 15)) + 1
        return [b"%s%d\r\n\r\n%s" % (self.head, len(body), body) for body in islice(self.bodies, most)]

    def _client(self, port: int, requests: Sequence[bytes], end: float) -> int:
        """Answers that came before the end. A new connection now and then goes to the process that has less to do."""
        ahead = iter(requests)
        for first in count(step=PER_CONNECTION):
            with closing(socket.create_connection(("127.0.0.1", port))) as connection:
                for done, request in enumerate(islice(ahead, PER_CONNECTION), first):
                    connection.sendall(request)
                    _created(connection)
                    if perf_counter() > end:
                        return done
                if first > len(requests):
                    raise RuntimeError("The server was quicker than requests were made ahead; make more.")
        raise AssertionError


def _created(connection: socket.socket) -> None:
    """Read one answer to its end. Anything but 201 is no measurement."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _more(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 201 "):
        raise ValueError(f"the server answered {answer[:500]!r}")
    size = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    missing = size - len(body)
    while missing > 0:
        missing -= len(_more(connection))


def _more(connection: socket.socket) -> bytes:
    part = connection.recv(262_144)
    if not part:
        raise ValueError("the server closed the connection before its answer was whole")
    return part


def _small_rows() -> Iterator[bytes]:
    return (b'{"tool": "ab", "rate": %d.5}' % number for number in count())


def _reports() -> Iterator[bytes]:
    """One report each, no two alike."""
    chance = random.Random(1)  # noqa: S311
    return (_TOTAL.sub(rf"\g<1>{number}", ab_report(number, chance)).encode() for number in count(FIRST_TOTAL))


_TOTAL = re.compile(r"^(Total transferred: +)\d+", re.MULTILINE)
FIRST_TOTAL = 5_000_000  # rates have few digits, so that two reports out of a thousand would be the same text


def _sessions() -> Iterator[bytes]:
    """A hundred reports each, below headings, no two alike."""
    chance = random.Random(2)  # noqa: S311
    while True:
        yield "".join(ab_section(number, chance) for number in range(REPORTS)).encode()


def main() -> None:
    given = sys.argv[1:]
    seconds, turns = float(given[0]) if given else 4.0, int(given[1]) if given[1:] else 7
    print(HEADER)
    for figure in figures(seconds=seconds, turns=turns):
        print(figure.row)


if __name__ == "__main__":
    main()
