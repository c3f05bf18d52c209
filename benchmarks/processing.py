"""The parts that measure within one process: reading texts, storing them, series over time and the experiment page."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from . import FOLDER, MB, ROOT, Figure, require_equal, run_in_turn, texts

# --- reading texts: parsers.read beside a loop that only splits lines, and beside jc ---------------------------------
MOST_MEMORY_MB = 60
# Linux counts for a child what its parent had at the fork, so the parent is a small one.
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def measure_reading(*, quick: bool) -> Iterator[Figure]:
    n = 1_000 if quick else 10_000
    small, log = (texts.write_top_log(FOLDER / f"top-{size}.log", size) for size in (10, 10 if quick else 100))
    texts.write_ab_transcript(reports := FOLDER / "ab.txt", n)
    for path in dict.fromkeys([small.path, log.path]):
        yield _memory_of_parsers(path)
    what = f"top log, {_mb(log.path)}, {log.screens} screens"
    yield _beside_split(what, log.path, _sum_screens, (log.screens, log.sum_res_kb), 4)
    yield _beside_split(f"{n} ab reports, {_mb(reports)}", reports, _count_reports, n, 6)
    yield _beside_jc(small, raw=True, goal=7, times=5)
    yield _beside_jc(small, raw=False, goal=100, times=1 if quick else 3)


def _memory_of_parsers(path: Path) -> Figure:
    command = [sys.executable, "-c", PEAK, sys.executable, "-m", "parsers", str(path)]
    peak = int(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout) * 1024 / MB
    result = f"{peak / MOST_MEMORY_MB:.2f} of it"
    goal = f"{MOST_MEMORY_MB} MB"
    what = f"python -m parsers, {path.name}, {_mb(path)}"
    return Figure(what, f"{peak:.1f} MB peak", f"goal {goal}", result, goal, peak < MOST_MEMORY_MB)


def _beside_split(what: str, path: Path, read: Callable[[Path], object], wanted: object, goal: int) -> Figure:
    require_equal(read(path), wanted)
    pairs = run_in_turn(lambda: read(path), lambda: _split_lines(path), 5)
    ours, theirs = (path.stat().st_size / MB / seconds for seconds in (pairs.measured_s, pairs.reference_s))
    result = f"1/{1 / pairs.faster:.1f} of its speed {pairs.spread}"
    reached = pairs.faster >= 1 / goal
    return Figure(
        what, f"parsers.read: {ours:.0f} MB/s", f"split loop: {theirs:.0f} MB/s", result, f"1/{goal}", reached
    )


def _split_lines(path: Path) -> None:
    """The reference: the least that any reader in Python has to do."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            line.split()


def _sum_screens(path: Path) -> tuple[int, int]:
    """Number of blocks and the sum of all their processes' RES in KiB."""
    import parsers

    sums = [block.values["sum_res_kb"] for block in parsers.read(parsers.open_lines(path))]
    return len(sums), sum(sums)


def _count_reports(path: Path) -> int:
    """Number of blocks with a rate."""
    import parsers

    return sum("requests_per_second" in block.values for block in parsers.read(parsers.open_lines(path)))


def _beside_jc(log: texts.TopLog, *, raw: bool, goal: int, times: int) -> Figure:
    import jc

    def theirs() -> None:
        require_equal(len(list(jc.parse("top", log.path.read_text(), raw=raw, quiet=True))), log.screens)

    pairs = run_in_turn(lambda: _sum_screens(log.path), theirs, times)
    ours, name = f"parsers.read: {pairs.measured_s:.2f} s", f"jc {jc.__version__} top{', raw=True' if raw else ''}"
    result = f"{pairs.faster:.1f} times as fast {pairs.spread}"
    reference = f"{name}: {pairs.reference_s:.2f} s"
    return Figure(f"top log, {_mb(log.path)}", ours, reference, result, f"{goal} times", pairs.faster >= goal)


def _mb(path: Path) -> str:
    return f"{path.stat().st_size / MB:.3g} MB"


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
    from . import site

    site.create_tables()
    from django.db import connection, transaction

    from runs import ingest

    log = texts.write_top_log(FOLDER / "top.log", 10 if quick else 100)
    rows, n = _rows_for_copy(log.path)

    def ours() -> None:
        _execute("TRUNCATE runs_upload, runs_experiment, runs_host CASCADE")
        with log.path.open("rb") as file:
            ingest.submit(iter(lambda: file.read(65536), b""), door="web")

    def theirs() -> None:
        _execute("TRUNCATE samples")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.copy_expert(COPY, io.BytesIO(rows), size=2**20)

    _execute(SAMPLE_TABLE)
    pairs = run_in_turn(ours, theirs, 3)
    what = f"{_mb(log.path)} of top log to stored and chartable, {n:,} process rows"
    reference = f"COPY alone, of text that is ready, with an id and an index: {pairs.reference_s:.2f} s"
    result = f"{pairs.faster:.2f} times as fast {pairs.spread}"
    yield Figure(what, f"{pairs.measured_s:.2f} s", reference, result, "faster", pairs.faster > 1)
    size = log.path.stat().st_size
    series, plain = (_query(f"SELECT pg_total_relation_size('{table}')") for table in ("runs_series", "samples"))
    n_series = _query("SELECT count(*) FROM runs_series")
    yield Figure(
        f"its series in the database, {n_series} rows with their indexes",
        f"{series / MB:.2f} MB",
        f"the text: {size / MB:.1f} MB; a row a sample: {plain / MB:.1f} MB",
        f"1/{size / series:.0f} of the text, {series / n:.2f} B a process row",
        f"1/{SERIES_SHARE}",
        None if quick else size / series >= SERIES_SHARE,
    )


def _rows_for_copy(log: Path) -> tuple[bytes, int]:
    """The log's process rows as COPY reads them, and how many."""
    import parsers

    blocks = parsers.read(parsers.open_lines(log))
    tables = [zip(*(block.values["processes"].columns[name] for name in ROW_COLUMNS), strict=True) for block in blocks]
    lines = ["\t".join(map(str, (1, screen, *row))) for screen, table in enumerate(tables) for row in table]
    return "\n".join(lines).encode(), len(lines)


def _execute(statement: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


def _query(statement: str) -> Any:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()[0][0]


# --- series over time: the JSON that a chart fetches, beside the query of a design with a row a sample ---------------
SEED, POINTS, SERIES_TIMES, MOST_SERIES_KB = 20, 400, 5, 120
PLAIN_TABLE = "CREATE TABLE plain (capture int, metric text, pid int, screen int, clock_s int, value bigint)"
PLAIN_INDEX = "CREATE INDEX ON plain (capture, metric, pid, screen) INCLUDE (clock_s, value)"
PLAIN_QUERY = "SELECT pid, clock_s, value FROM plain WHERE capture = 1 AND metric = 'rss_kb' ORDER BY pid, screen"


def measure_series(*, quick: bool) -> Iterator[Figure]:
    from . import site

    site.create_tables()
    from django.db import connection
    from django.urls import reverse

    walks = list(_random_walks(*((30, 600) if quick else (150, 3600))))
    capture = _store_walks(walks)
    _store_plain(walks)
    browser = site.log_in()
    address = reverse("over-time", args=["captures", capture.pk, "processes", "json"])
    query = {"points": POINTS, "program": "httpd"}

    def ours() -> bytes:
        response = browser.get(address, query, headers={"Accept-Encoding": "gzip"})
        require_equal(response.status_code, 200)
        return bytes(response.content)

    def theirs() -> int:
        with connection.cursor() as cursor:
            cursor.execute(PLAIN_QUERY)
            return len(cursor.fetchall())

    n, kb = theirs(), len(ours()) / 1000
    pairs = run_in_turn(ours, theirs, 9)
    what = f"figure data, RSS of {len(walks)} processes x {len(walks[0]):,} screens"
    reference = f"query of {n:,} rows: {1000 * pairs.reference_s:.0f} ms"
    result = f"1/{pairs.faster:.1f} of its time {pairs.spread}"
    reached = None if quick else pairs.faster >= SERIES_TIMES
    yield Figure(what, f"{1000 * pairs.measured_s:.0f} ms", reference, result, f"1/{SERIES_TIMES}", reached)
    share = f"{kb / MOST_SERIES_KB:.2f} of the goal"
    yield Figure(f"{what}, payload", f"{kb:.1f} kB gzip", "", share, f"{MOST_SERIES_KB} kB", kb <= MOST_SERIES_KB)


def _random_walks(processes: int, screens: int) -> Iterator[list[float]]:
    """Resident memory in KiB, in pages of 4: in each screen one process in four took or gave some."""
    chance = random.Random(SEED)  # noqa: S311
    for _ in range(processes):
        size = chance.randrange(1000, 20_000)
        walk = []
        for _ in range(screens):
            if chance.random() < 0.25:
                size = max(size + chance.randrange(-20, 21), 100)
            walk.append(4.0 * size)
        yield walk


def _store_walks(walks: list[list[float]]) -> Any:
    """The capture as the upload of its log leaves it."""
    from runs.ingest.series_packing import pack_samples
    from runs.models import Series
    from runs.tests import factories

    n = len(walks[0])
    config = factories.config(factories.experiment(), "event")
    capture = factories.capture(config, factories.upload(), metrics={}, n_samples=n)
    factories.series(capture, "clock_s", [float(46_800 + screen) for screen in range(n)])
    Series.objects.bulk_create(
        Series(
            **{"capture": capture, "metric": "rss_kb", "pid": 1000 + at, "command": "httpd", "group": "httpd"},
            **{"n": n, "min": min(walk), "mean": sum(walk) / n, "max": max(walk), "last": walk[-1]},
            samples=pack_samples(walk),
        )
        for at, walk in enumerate(walks)
    )
    return capture


def _store_plain(walks: list[list[float]]) -> None:
    from django.db import connection

    rows = (
        f"1\trss_kb\t{1000 + at}\t{screen}\t{46_800 + screen}\t{walk[screen]:.0f}\n"
        for screen in range(len(walks[0]))  # in the order in which they come
        for at, walk in enumerate(walks)
    )
    _execute(PLAIN_TABLE)
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY plain FROM STDIN", io.StringIO("".join(rows)))
    _execute(PLAIN_INDEX)
    _execute("VACUUM ANALYZE plain")


# --- the experiment page at two sizes, and what verdicts and doubts add to a large one -------------------------------
SIZES, REPEATS, MOST_QUERIES, MOST_HTML_KB, MOST_JUDGING_MS = (8, 80), 5, 12, 60, 150


def measure_pages(*, quick: bool) -> Iterator[Figure]:
    from . import site

    site.create_tables()
    from django.core.cache import caches
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from runs.tests.factories import wsgi_experiment

    browser = site.log_in()
    addresses = [wsgi_experiment(n_configs=n, n_repeats=REPEATS).get_absolute_url() for n in SIZES]
    pairs = run_in_turn(lambda: browser.get(addresses[0]), lambda: browser.get(addresses[1]), 9)
    pages = []
    for address in addresses:
        with CaptureQueriesContext(connection) as captured:
            pages.append(browser.get(address))
        pages[-1].n_queries = len(captured)
    same = pages[0].n_queries == pages[1].n_queries
    for n, page, seconds in zip(SIZES, pages, (pairs.measured_s, pairs.reference_s), strict=True):
        require_equal(page.status_code, 200)
        what = f"experiment page, {n} x {REPEATS} runs, {len(page.content) / 1000:.0f} kB"
        measured = f"{page.n_queries} queries, {1000 * seconds:.0f} ms"
        reached = same and page.n_queries <= MOST_QUERIES
        yield Figure(what, measured, "the other size", "", f"at most {MOST_QUERIES}, equal", reached)
    kb = len(browser.get(addresses[0], headers={"Accept-Encoding": "gzip"}).content) / 1000
    goal = f"at most {MOST_HTML_KB} kB"
    yield Figure(f"HTML of the page of {SIZES[0]} x {REPEATS}", f"{kb:.1f} kB gzip", "", "", goal, kb <= MOST_HTML_KB)

    large = wsgi_experiment(n_configs=8, n_repeats=40).get_absolute_url()
    times: dict[bool, list[float]] = {True: [], False: []}
    for anew in (True, False) * 9:
        if anew:
            caches["conclusions"].clear()
        start = process_time()
        browser.get(large)
        times[anew].append(1000 * (process_time() - start))
    adds, page_ms = median(times[True]) - median(times[False]), median(times[False])
    what, reference = "verdicts and doubts, 8 x 40 runs", f"the page with cached ones: {page_ms:.0f} ms"
    result, goal = f"{adds / page_ms:.2f} of the page (n=9)", f"under {MOST_JUDGING_MS} ms"
    yield Figure(what, f"add {adds:.0f} ms of CPU", reference, result, goal, adds < MOST_JUDGING_MS)
