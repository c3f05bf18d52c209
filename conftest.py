"""What every test shares: a data folder of its own, the services of this machine, and the list of what was left out."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck

from benchdash.tests.services import FINDERS, everything_required

# Before Django reads its settings: the tests must neither see nor touch the developer's var/.
DATA = tempfile.TemporaryDirectory(prefix="benchdash-test-")
atexit.register(DATA.cleanup)
(Path(DATA.name) / "static").mkdir()
SETTINGS = (
    *("SECRET_KEY", "DEBUG", "PUBLIC_READ", "ALLOWED_HOSTS", "HTTPS", "CELERY_BROKER_URL", "PORT", "DATABASE_URL"),
    "REMOTE_TIMEOUTS",
)
for name in SETTINGS:
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = DATA.name
os.environ["DJANGO_SETTINGS_MODULE"] = "benchdash.settings"
if os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]

DATABASE_FIXTURES = frozenset({"db", "transactional_db"})
# What these tests ask of the database, the tests of the same pages and of REST ask of PostgreSQL, too.
OTHER_PROGRAMS = frozenset({"chromium", "bd"})
# Fixtures of tests that wait for other processes, and about how many seconds each of these tests takes.
WAITING_S = {"transactional_db": 1, "live_server": 4, "bd": 5, "lab": 8, "site": 15, "serve": 30, "first_password": 60}

find = cache(lambda service: FINDERS[service]())


def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings

    # How long a drawn input takes says how busy the machine is.
    hypothesis.settings.register_profile("any machine", suppress_health_check=[HealthCheck.too_slow], deadline=None)
    hypothesis.settings.load_profile("any machine")
    # The manifest exists only after collectstatic, which tests have no need of.
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": static}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Two suites on one PostgreSQL server must not drop each other's database.
    database = settings.DATABASES["default"]
    if os.environ.get("DATABASE_URL"):
        database.setdefault("TEST", {})["NAME"] = f"test_benchdash_{os.getpid()}"
    else:
        # A file, as in use: in memory, the live server's thread would share the test's own connection.
        database.setdefault("TEST", {})["NAME"] = str(Path(DATA.name, "test.sqlite3"))
        database["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """A test that asks for no database, or is about a browser or the client, gets the mark `once`.

    Tests that wait for other processes come first in all of pytest-xdist's processes but one, so that some wait while others work.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        asks = item.get_closest_marker("django_db") or DATABASE_FIXTURES.intersection(fixtures)
        if not asks or OTHER_PROGRAMS.intersection(fixtures):
            item.add_marker("once")
    yield
    items[:] = _deal(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))


def _deal(items: list[pytest.Item], n_processes: int) -> list[pytest.Item]:
    """Pytest-xdist gives each process a slice of the tests; who is done first takes tests over from the end of another's slice.

    The files of tests that wait are dealt to the beginnings of the slices by their time, longest first.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in filter(_wait_s, items):
        files.setdefault(item.path, []).append(item)
    heads: list[list[pytest.Item]] = [[] for _ in range(max(1, n_processes - 1))]
    for tests in sorted(files.values(), key=_total_s, reverse=True):
        min(heads, key=_total_s).extend(tests)
    others = (item for item in items if not _wait_s(item))
    dealt: list[pytest.Item] = []
    for head in heads:
        dealt += [*head, *islice(others, max(0, len(items) // n_processes - len(head)))]
    return [*dealt, *others]


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the collection of garbage need not look through them again and again."""
    gc.freeze()


def _total_s(items: list[pytest.Item]) -> int:
    return sum(map(_wait_s, items))


def _wait_s(item: pytest.Item) -> int:
    """About how long a test that waits for other processes takes; 0 for one that does not."""
    mark = item.get_closest_marker("django_db")
    fixtures = {*getattr(item, "fixturenames", ())}
    if mark and mark.kwargs.get("transaction"):
        fixtures.add("transactional_db")
    return max((WAITING_S[name] for name in WAITING_S.keys() & fixtures), default=0)


@pytest.fixture(scope="session")
def needs() -> Callable[[str], str]:
    """`path_or_url = needs("ab")`: where the machine lacks it, the test is left out and the closing lines say so."""

    def get(service: str) -> str:
        address = find(service)
        if address is None:
            if everything_required():
                pytest.fail(f"BENCHDASH_REQUIRE=all, but {service} was not found", pytrace=False)
            pytest.skip(f"{service} was not found")
        return str(address)

    return get


@pytest.fixture(scope="session")
def shared(needs: Callable[[str], str]) -> Path:
    """The folder of the seeds and the corpus."""
    return Path(needs("shared"))


@pytest.fixture(autouse=True)
def _fresh_process() -> Iterator[None]:
    """No test meets the throttles of another, or finds a server left alone that another took away."""
    from django.conf import settings
    from django.core.cache import caches

    from benchdash import caching
    from benchdash.celery import App

    settings.CACHES["logins"]["LOCATION"] = f"{DATA.name}/logins"  # the processes of the tests share the setting
    vars(caches["logins"])["_dir"] = f"{DATA.name}/logins"
    caches["default"].clear()
    caches["logins"].clear()
    for outage in (caching.outage, App.outage):
        outage.end()
    yield


@pytest.fixture(autouse=True)
def _no_reader_faults(request: pytest.FixtureRequest) -> Iterator[None]:
    """The reader turns its own exceptions into problems, which no test may overlook but one that makes faults: it uses caplog."""
    faults: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: faults.append(handler.format(record))  # type: ignore[method-assign]
    log = logging.getLogger("parsers.blocks")
    log.addHandler(handler)
    yield
    log.removeHandler(handler)
    assert not faults or "caplog" in request.fixturenames, faults[0]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from django.db import connection

    terminalreporter.write_line(f"database: {connection.vendor}")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped"))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"left out: {count} tests, {reason}", yellow=True)
    if connection.vendor == "sqlite" and find("postgresql") is None:
        terminalreporter.write_line("left out: the pass on PostgreSQL, no server was found", yellow=True)
