"""A long log of `top -b` from its file to stored and chartable, beside COPY of the same rows into PostgreSQL alone.

The reference is COPY alone, of text that lies ready in memory, into the table that a design with a row a sample needs to be
chartable, too: an id, and the index that answers the query of `benchmarks.series`. What COPY into the bare table takes, and
the writing of its text, is told beside it. Both programs run in turn in a process and a database of their own.
Run as `python -m benchmarks.ingest [MEGABYTES [TIMES]]` for these rows alone.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from . import inputs, services
from .figures import HEADER, Figure, in_turn

GOAL_SIZE = 40  # times smaller than the text
LARGE = 100  # MB that the goals are for: rows and indexes have a size of their own
FIELDS = (
    "capture int, look int, pid int, username text, command text, rss_kb bigint, vsz_kb bigint,"
    " cpu_pct real, mem_pct real, time_s double precision"
)
BARE = f"CREATE TABLE bare ({FIELDS})"
PLAIN = f"CREATE TABLE plain (id bigserial PRIMARY KEY, {FIELDS})"
INDEX = "CREATE INDEX plain_covers ON plain (capture, pid, look) INCLUDE (rss_kb)"
COPIED = "capture, look, pid, username, command, rss_kb, vsz_kb, cpu_pct, mem_pct, time_s"
COLUMNS = ("pid", "user", "command", "res_kb", "virt_kb", "cpu_pct", "mem_pct", "time_s")


def figures(megabytes: int = 100, times: int = 3) -> list[Figure]:
    """The time and the size, or a row that says what is missing."""
    with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as folder, services.database() as database:
        what = f"top log of {megabytes} MB to stored and chartable"
        if database is None:
            return [Figure(what, "not measured", "", "no PostgreSQL was found")]
        env = {
            **{"PATH": os.environ["PATH"], "HOME": folder, "DATA_DIR": folder, "DATABASE_URL": database},
            **{"DJANGO_SETTINGS_MODULE": "benchdash.settings", "MAX_UPLOAD_BYTES": str(2**31)},
        }
        services.manage(env, "migrate", "--verbosity", "0")
        command = [sys.executable, "-m", "benchmarks.ingest", "measure", str(megabytes), str(times)]
        done = subprocess.run(command, cwd=services.ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return _rows(what, json.loads(done.stdout))


def _rows(what: str, found: dict[str, Any]) -> list[Figure]:
    rows = found["rows"]
    copying = f"{found['copy_s']:.2f} s, {rows / found['copy_s']:,.0f} rows/s"
    bare = f"into the bare table {found['bare_s']:.2f} s, {rows / found['bare_s']:,.0f} rows/s"
    result = f"{found['faster']:.2f} times as fast ({found['spread']}; core share {found['cpu_share']:.2f})"
    speed = Figure(
        f"{what}, {rows:,} process rows",
        f"{found['ours_s']:.2f} s, {rows / found['ours_s']:,.0f} rows/s, {found['peak_mb']:.0f} MB more memory",
        f"COPY alone, of text that is ready, with an id and an index: {copying}; {bare}; writing the text"
        f" {found['writing_s']:.2f} s more",
        result,
        "faster",
        found["faster"] > 1,
    )
    large = found["text_bytes"] >= LARGE * 1e6
    smaller = found["text_bytes"] / found["series_bytes"]
    size = Figure(
        f"its series in the database, {found['series']} rows with their indexes",
        f"{found['series_bytes'] / 1e6:.2f} MB (text kept: {found['kept_bytes'] / 1e6:.2f} MB)",
        f"the text: {found['text_bytes'] / 1e6:.1f} MB; the plain table: {found['plain_bytes'] / 1e6:.1f} MB",
        f"1/{smaller:.0f} of the text, {found['series_bytes'] / rows:.2f} B a process row",
        f"1/{GOAL_SIZE}" if large else "",
        smaller >= GOAL_SIZE if large else None,
    )
    return [speed, size]


def measure(megabytes: int, times: int) -> dict[str, Any]:
    """In a process of its own, on an empty migrated database."""
    import django

    django.setup()

    from django.conf import settings

    from runs import ingest

    log = inputs.top_log(Path(settings.DATA_DIR) / "top.log", megabytes)
    for statement in (BARE, PLAIN, INDEX):
        _execute(statement)

    def ours() -> None:
        _empty()
        ingest.submit(_parts(log.path), door="web")

    before = _memory_mb()
    ours()
    found = {"peak_mb": _memory_mb() - before, **_stored(log)}
    rows = Rows(log.path)
    pairs = in_turn(ours, lambda: rows.copy("plain"), times)
    bare = in_turn(lambda: rows.copy("bare"), lambda: None, times)
    return found | {
        "rows": rows.n,
        "faster": pairs.faster,
        "spread": pairs.spread,
        "cpu_share": pairs.cpu_share,
        "ours_s": median(pairs.measured),
        "copy_s": median(pairs.reference),
        "bare_s": median(bare.measured),
        "writing_s": rows.writing_s,
        "text_bytes": log.path.stat().st_size,
        "plain_bytes": _size_of("plain"),
    }


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as f:
        while part := f.read(65536):
            yield part


class Rows:
    """The log's rows as COPY reads them.

    n          how many
    writing_s  seconds that writing them took, with the figures at hand
    """

    def __init__(self, log: Path) -> None:
        import parsers

        blocks = parsers.read(parsers.open_lines(log))
        tables = [[block.values["processes"].columns[name] for name in COLUMNS] for block in blocks]
        self.n = sum(len(columns[0]) for columns in tables)
        start = perf_counter()
        self.text = "".join(_lines(tables)).encode()
        self.writing_s = perf_counter() - start

    def copy(self, table: str) -> None:
        """One transaction, as the upload is."""
        from django.db import connection, transaction

        _execute(f"TRUNCATE {table}")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.copy_expert(f"COPY {table} ({COPIED}) FROM STDIN", io.BytesIO(self.text), size=2**20)


def _lines(tables: Iterable[list[list[Any]]]) -> Iterator[str]:
    for look, columns in enumerate(tables):
        for pid, user, command, rss, vsz, cpu, mem, time in zip(*columns, strict=True):
            yield f"1\t{look}\t{pid}\t{user}\t{command}\t{rss}\t{vsz}\t{cpu}\t{mem}\t{time}\n"


def _empty() -> None:
    _execute("TRUNCATE runs_upload, runs_experiment, runs_host CASCADE")


def _stored(log: inputs.TopLog) -> dict[str, int]:
    """Sizes of what is stored. Raises ValueError where that is not the whole log: it has not been measured then."""
    from runs.models import Capture, Series

    of_rss = Series.objects.filter(metric="rss_kb").values_list("n", "mean")
    found = Capture.objects.get().n_samples, round(sum(n * mean for n, mean in of_rss))
    if found != (log.screens, log.sum_res_kb):
        raise ValueError(f"stored {found}, but the text holds {(log.screens, log.sum_res_kb)}")
    kept = _size_of("runs_upload") + _size_of("runs_piece")
    return {"series_bytes": _size_of("runs_series"), "series": Series.objects.count(), "kept_bytes": kept}


def _size_of(table: str) -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size(%s)", [table])
        return int(cursor.fetchone()[0])


def _execute(statement: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


def _memory_mb() -> float:
    """The most memory that this process ever had."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["measure"]:
        print(json.dumps(measure(int(words[1]), int(words[2]))))
        return
    print(HEADER)
    for figure in figures(*map(int, words)):
        print(figure.row)


if __name__ == "__main__":
    main()
