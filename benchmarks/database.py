"""The parts that measure within one process: storing, series over time, the experiment page, and lists at two sizes."""

from __future__ import annotations

import io
import math
import multiprocessing
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from time import perf_counter, process_time
from typing import Any
from urllib.parse import quote

import numpy as np
from psycopg2 import extensions

from . import site  # isort: skip  (it sets Django up)
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import parsers
from benchdash.asgi import freeze_program
from runs import ingest
from runs.models import Config, Experiment, Facet, Host, Run, Series, TrendLine, Upload
from runs.series import pack_samples
from runs.tests import factories

from . import FOLDER, MB, Figure, require_equal, run_in_turn, texts


def _execute(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def _copy(statement: str, rows: str) -> None:
    """psycopg2 copies only where nothing watches its waiting, as benchdash does for servers that freeze."""
    watch = extensions.get_wait_callback()
    extensions.set_wait_callback(None)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.copy_expert(statement, io.StringIO(rows), size=2**20)
    finally:
        extensions.set_wait_callback(watch)


# --- storing: a log of `top -b` from its file to stored and chartable, beside COPY of the same rows ------------------
# COPY of text that lies ready in memory, into the table that a design with a row a sample needs to be chartable.
ROW_COLUMNS = ("pid", "user", "command", "res_kb", "virt_kb", "cpu_pct", "mem_pct", "time_s")
SAMPLE_TABLE = (
    "CREATE TABLE samples (id bigserial PRIMARY KEY, capture int, screen int, pid int, username text, command text,"
    " rss_kb bigint, vsz_kb bigint, cpu_pct real, mem_pct real, time_s double precision);"
    "CREATE INDEX ON samples (capture, pid, screen) INCLUDE (rss_kb)"
)
COPY = "COPY samples (capture, screen, pid, username, command, rss_kb, vsz_kb, cpu_pct, mem_pct, time_s) FROM STDIN"
SERIES_SHARE = 40


def measure_storing(*, quick: bool) -> Iterator[Figure]:
    site.create_tables()
    log = texts.write_top_log(FOLDER / "top.log", 10 if quick else 100).path
    blocks = parsers.read(parsers.open_lines(log))
    tables = [zip(*(block.values["processes"].columns[name] for name in ROW_COLUMNS), strict=True) for block in blocks]
    lines = ["\t".join(map(str, (1, screen, *row))) for screen, table in enumerate(tables) for row in table]
    rows, n = "\n".join(lines), len(lines)

    def ours() -> None:
        _execute("TRUNCATE runs_upload, runs_experiment, runs_host CASCADE")
        with log.open("rb") as file:
            ingest.submit(iter(lambda: file.read(65536), b""), origin="web")

    def theirs() -> None:
        _execute("TRUNCATE samples")
        _copy(COPY, rows)

    _execute(SAMPLE_TABLE)
    pairs = run_in_turn(ours, theirs, 3)
    size = log.stat().st_size
    what = f"{size / MB:.3g} MB of top log to stored and chartable, {n:,} process rows"
    reference = f"COPY alone, of text that is ready, with an id and an index: {pairs.reference_s:.2f} s"
    result = f"{pairs.faster:.2f} times as fast {pairs.spread}"
    yield Figure(what, f"{pairs.measured_s:.2f} s", reference, result, "faster", pairs.faster > 1)
    sizes = "SELECT pg_total_relation_size('runs_series'), pg_total_relation_size('samples'), count(*) FROM runs_series"
    series, plain, n_series = _execute(sizes)[0]
    yield Figure(
        f"its series in the database, {n_series} rows with their indexes",
        f"{series / MB:.2f} MB",
        f"the text: {size / MB:.1f} MB; one row per sample: {plain / MB:.1f} MB",
        f"1/{size / series:.0f} of the text, {series / n:.2f} B per process row",
        f"1/{SERIES_SHARE}",
        None if quick else size / series >= SERIES_SHARE,
    )


# --- series over time: the JSON that a chart fetches, beside the query of a design with a row a sample ---------------
SEED, POINTS, SERIES_TIMES, MOST_SERIES_KB = 20, 400, 5, 120
PLAIN_TABLE = "CREATE TABLE plain (capture int, metric text, pid int, screen int, clock_s int, value bigint)"
PLAIN_INDEX = "CREATE INDEX ON plain (capture, metric, pid, screen) INCLUDE (clock_s, value)"
PLAIN_QUERY = "SELECT pid, clock_s, value FROM plain WHERE capture = 1 AND metric = 'rss_kb' ORDER BY pid, screen"


def measure_series(*, quick: bool) -> Iterator[Figure]:
    site.create_tables()
    shape = n_processes, n_screens = (30, 600) if quick else (150, 3600)
    # Resident memory in KiB, in pages of 4: in each screen one process in four took or gave some.
    chance = np.random.default_rng(SEED)
    steps = chance.integers(-20, 21, shape) * (chance.random(shape) < 0.25)
    walks = 4.0 * np.maximum(chance.integers(1000, 20_000, (n_processes, 1)) + steps.cumsum(axis=1), 100)
    capture = _store_walks(walks)
    browser = site.log_in()
    address = reverse("over-time", args=["captures", capture.pk, "processes", "json"])
    query = {"points": str(POINTS), "program": "httpd"}

    def ours() -> bytes:
        response = browser.get(address, query, headers={"Accept-Encoding": "gzip"})
        require_equal(response.status_code, 200)
        return bytes(response.content)

    n, kb = len(_execute(PLAIN_QUERY)), len(ours()) / 1000
    pairs = run_in_turn(ours, lambda: _execute(PLAIN_QUERY), 9)
    what = f"figure data, RSS of {n_processes} processes x {n_screens:,} screens"
    reference = f"query of {n:,} rows: {1000 * pairs.reference_s:.0f} ms"
    result = f"1/{pairs.faster:.1f} of its time {pairs.spread}"
    reached = None if quick else pairs.faster >= SERIES_TIMES
    yield Figure(what, f"{1000 * pairs.measured_s:.0f} ms", reference, result, f"1/{SERIES_TIMES}", reached)
    share = f"{kb / MOST_SERIES_KB:.2f} of the goal"
    yield Figure(f"{what}, payload", f"{kb:.1f} kB gzip", "", share, f"{MOST_SERIES_KB} kB", kb <= MOST_SERIES_KB)


def _store_walks(walks: np.ndarray[Any, Any]) -> Any:
    """The capture as the upload of its log leaves it, and the same samples as rows."""
    n = walks.shape[1]
    config = factories.config(factories.experiment(), "event")
    capture = factories.capture(config, factories.upload(), metrics={}, n_samples=n)
    factories.series(capture, "clock_s", [float(46_800 + screen) for screen in range(n)])
    Series.objects.bulk_create(
        Series(
            **{"capture": capture, "metric": "rss_kb", "pid": 1000 + at, "command": "httpd", "group": "httpd"},
            **{"n": n, "min": walk.min(), "mean": walk.mean(), "max": walk.max(), "last": walk[-1]},
            samples=pack_samples(walk),
        )
        for at, walk in enumerate(walks)
    )
    _execute(PLAIN_TABLE)
    rows = (  # in the order in which they come
        f"1\trss_kb\t{1000 + at}\t{screen}\t{46_800 + screen}\t{value:.0f}\n"
        for screen, values in enumerate(walks.T.tolist())
        for at, value in enumerate(values)
    )
    _copy("COPY plain FROM STDIN", "".join(rows))
    _execute(PLAIN_INDEX)
    _execute("VACUUM ANALYZE plain")
    return capture


# --- the experiment page at two sizes, and what verdicts and doubts add to a large one -------------------------------
# Four queries are of the reader (session, user, two of permissions).
SIZES, REPEATS, MOST_QUERIES, MOST_HTML_KB, MOST_JUDGING_MS = (8, 80), 5, 15, 60, 150


def measure_pages(*, quick: bool) -> Iterator[Figure]:
    site.create_tables()
    browser = site.log_in()
    addresses = [factories.wsgi_experiment(n_configs=n, n_repeats=REPEATS).get_absolute_url() for n in SIZES]
    freeze_program()  # as the web server does
    pairs = run_in_turn(lambda: browser.get(addresses[0]), lambda: browser.get(addresses[1]), 9)
    queries, sizes = [], []
    for address in addresses:
        with CaptureQueriesContext(connection) as captured:
            page = browser.get(address)
        require_equal(page.status_code, 200)
        queries.append(len(captured))
        sizes.append(len(page.content) / 1000)
    reached = queries[0] == queries[1] <= MOST_QUERIES
    for n, count, kb, seconds in zip(SIZES, queries, sizes, (pairs.measured_s, pairs.reference_s), strict=True):
        what, measured = (
            f"experiment page, {n} x {REPEATS} runs, {kb:.0f} kB",
            f"{count} queries, {1000 * seconds:.0f} ms",
        )
        yield Figure(what, measured, "the other size", "", f"at most {MOST_QUERIES}, equal", reached)
    kb = len(browser.get(addresses[0], headers={"Accept-Encoding": "gzip"}).content) / 1000
    goal = f"at most {MOST_HTML_KB} kB"
    yield Figure(f"HTML of the page of {SIZES[0]} x {REPEATS}", f"{kb:.1f} kB gzip", "", "", goal, kb <= MOST_HTML_KB)
    yield _measure_judging(browser)


def _measure_judging(browser: Client) -> Figure:
    large = factories.wsgi_experiment(n_configs=8, n_repeats=40).get_absolute_url()
    times: dict[bool, list[float]] = {True: [], False: []}
    for anew in (True, False) * 9:
        if anew:
            caches["conclusions"].clear()
        start = process_time()
        browser.get(large)
        times[anew].append(1000 * (process_time() - start))
    page_ms = median(times[False])
    adds = median(times[True]) - page_ms
    what, reference = "verdicts and doubts, 8 x 40 runs", f"the page with cached ones: {page_ms:.0f} ms"
    result, goal = f"{adds / page_ms:.2f} of the page (n=9)", f"under {MOST_JUDGING_MS} ms"
    return Figure(what, f"add {adds:.0f} ms of CPU", reference, result, goal, adds < MOST_JUDGING_MS)


# --- lists, filters, searches and details on a small and on a large database ----------------------------------------
MOST_TIMES = 1.5
_pages: dict[str, str] = {}  # of a worker
_browser: Client


def measure_lists(*, quick: bool) -> Iterator[Figure]:
    """The page with the highest ratio, and how many stay within the goal. Both databases answer in turn."""
    sizes, turns = ((1_000, 20_000), 5) if quick else ((1_000, 1_000_000), 100)
    workers = [_start_worker(os.environ[f"BENCH_{name}_URL"]) for name in ("SMALL", "LARGE")]
    names = [worker.submit(_fill, n).result() for worker, n in zip(workers, sizes, strict=True)][0]
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    order = random.Random(1)  # noqa: S311  (in one order the garbage collector would meet the same pages again and again)
    for turn in range(turns + 1):
        for name in order.sample(names, len(names)):
            for worker, own in zip(workers, times[name], strict=True):
                ms = worker.submit(_time_page, name).result()
                if turn:  # the first one warms up
                    own.append(ms)
    ratios = sorted((_p95(large) / _p95(small), name) for name, (small, large) in times.items())
    highest, name = ratios[-1]
    fits = sum(ratio <= MOST_TIMES for ratio, _ in ratios)
    small, large = (f"p95 {_p95(own):.1f} ms, median {median(own):.1f} ms" for own in times[name])
    what = f"{len(ratios)} lists, filters and pages at {sizes[1]:,} runs; highest: {name}"
    result = f"{highest:.2f} times, {fits} of {len(ratios)} within the goal (n={turns})"
    yield Figure(what, large, f"{sizes[0]:,} runs: {small}", result, f"at most {MOST_TIMES}", highest <= MOST_TIMES)


def _p95(times: list[float]) -> float:
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


def _start_worker(url: str) -> ProcessPoolExecutor:
    """A process of its own, on that database: it reads its settings when it starts."""
    os.environ |= {"DATABASE_URL": url, "DATA_DIR": tempfile.mkdtemp(dir=FOLDER)}
    worker = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    worker.submit(site.create_tables).result()
    return worker


def _fill(n_runs: int) -> list[str]:
    """In a worker: the names of the pages to ask for, of a database with about so many runs."""
    global _browser
    if not Run.objects.exists():
        call_command("make_sample", runs=n_runs, stdout=sys.stderr)
    _browser = site.log_in()
    _pages.update(page_addresses())
    freeze_program()  # as the web server does; one pass of the garbage collector takes longer than most pages
    return list(_pages)


def _time_page(name: str) -> float:
    """In a worker: the milliseconds of that page."""
    start = perf_counter()
    require_equal((name, _browser.get(_pages[name]).status_code), (name, 200))
    return 1000 * (perf_counter() - start)


def page_addresses() -> dict[str, str]:
    """The same pages on any sample: filters that fill a page or nearly so, deep pages, an ordinary experiment's details."""
    newest = Experiment.objects.order_by("-pk").values("pk")[:400]
    sized = Experiment.objects.filter(pk__in=newest).annotate(n=Count("runs"), of=Count("runs__config", distinct=True))
    experiment = sized.filter(n=12, of=4).order_by("-pk")[0]
    run, *others = experiment.runs.order_by("pk")
    far, far_experiment, far_upload = (
        model._default_manager.order_by("-pk")[0].pk * 3 // 4 for model in (Run, Experiment, Upload)
    )
    used = {kind: quote(Facet.objects.filter(kind=kind).order_by("-n_runs")[0].value) for kind in Facet.Kind.values}
    rare = quote(Facet.objects.filter(kind="command", n_runs__range=(2, 9)).order_by("n_runs")[0].value)
    host = Host.objects.order_by("-n_runs")[0]
    named, tool = f"host={quote(host.name)}", f"tool={used['tool']}"
    trend = TrendLine.objects.filter(n_days__lte=40).order_by("-n_days")[0]
    few = Config.objects.filter(experiment__in=newest).annotate(n=Count("runs")).filter(n=1).order_by("-pk")[:2]
    single = ",".join(str(config.runs.get().pk) for config in few)
    since = f"since={run.created_at.date().replace(day=1)}"
    filters = {
        **{"newest": "", "oldest": "sort=id", "deep": f"after={far}", "fastest": "sort=-rps", "slowest": "sort=rps"},
        **{"fastest, deep": f"sort=-rps&after=1800.0,{far}", "host": named, "since": since},
        **{kind: f"{kind}={value}" for kind, value in used.items()},
        **{"experiment": f"experiment={experiment.pk}", "rare command": f"command={rare}"},
        **{"tool, deep": f"{tool}&after={far}", "tag, deep": f"tag=nightly&after={far}"},
        **{"rate": "min_rps=1000&max_rps=2000", "tool and server": f"{tool}&server={used['server']}"},
        **{"tool, tag and rate": f"{tool}&tag=nightly&min_rps=500", "tool, fastest": f"{tool}&sort=-rps"},
        **{"host, slowest": f"{named}&sort=rps", "search, common": "q=worker", "search, nothing": "q=nothing-like-it"},
        **{"search, common, deep": f"q=worker&after={far}", "search, rare": f"q={rare}", "search, two letters": "q=wo"},
        **{"search in a tool": f"q=event&{tool}", "search, fastest": "q=prefork&sort=-rps"},
    }
    rows = (("run", run), ("config", run.config), ("upload", run.upload), ("experiment", experiment), ("host", host))
    rest = {
        **{name: f"{name}/" for name in ("runs", "hosts", "configs", "experiments", "uploads", "captures")},
        **{"runs of a host": f"runs/?host={host.pk}", "runs with a tag": "runs/?tag=nightly"},
        **{"runs of a config": f"runs/?config={used['config']}", "runs by rate": f"runs/?min_rps=1000&{tool}"},
        **{"runs since": f"runs/?{since}", "configs of a name": f"configs/?name={used['config']}&limit=1"},
        **{"captures of a tool": "captures/?tool=top", "a run": f"runs/{run.pk}/"},
        **{"a run's series": f"runs/{run.pk}/series/", "compare": f"compare/?runs={run.pk},{run.pk + 1}"},
    }
    return {
        **{"home": "/", **{name: f"/{name}/" for name in ("experiments", "uploads", "hosts", "trends")}},
        "experiments, deep": f"/experiments/?after={far_experiment}",
        "uploads, deep": f"/uploads/?after={far_upload}",
        "trends, deep": "/trends/?after=9,100",
        **{f"runs, {name}": f"/runs/?{query}" for name, query in filters.items()},
        **{name: row.get_absolute_url() for name, row in rows},
        "compare 12 runs": f"/compare/?runs={','.join(str(each.pk) for each in (run, *others))}",
        "compare 2 single runs": f"/compare/?runs={single}",
        "trend": f"/trends/{trend.fingerprint}/",
        **{f"REST, {what}": f"/api/v1/{path}" for what, path in rest.items()},
    }
