"""The figure of resident memory over time of many processes, beside what a design with a row a sample asks its database.

The reference is one query for all samples, answered from a covering index, and no more: nothing is thinned, written as
JSON or compressed. Ours is the whole of it: queries, packed series unpacked, thinned to the width asked for, JSON,
gzip. Both run in turn in a process and a PostgreSQL database of their own. Run as `python -m benchmarks.series
[PROCESSES LOOKS [TIMES]]` for this row alone.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from statistics import median
from typing import Any

from . import services
from .figures import HEADER, Figure, in_turn

GOAL, GOAL_KB = 5, 120
LEVEL = 6  # of GZipMiddleware
POINTS = 400  # the width of one of three panels side by side
SEED = 20
PLAIN = "CREATE TABLE plain (capture int, metric text, pid int, look int, clock_s int, value bigint)"
INDEX = "CREATE INDEX plain_covers ON plain (capture, metric, pid, look) INCLUDE (clock_s, value)"
QUERY = "SELECT pid, clock_s, value FROM plain WHERE capture = 1 AND metric = 'rss_kb' ORDER BY pid, look"


def figures(processes: int = 150, looks: int = 3600, times: int = 9) -> list[Figure]:
    """The time and the size, or a row that says what is missing."""
    what = f"figure data, RSS of {processes} processes x {looks:,} screens"
    with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as folder, services.database() as database:
        if database is None:
            return [Figure(what, "not measured", "", "no PostgreSQL was found")]
        env = {"PATH": os.environ["PATH"], "HOME": folder, "DATA_DIR": folder, "DATABASE_URL": database}
        env["DJANGO_SETTINGS_MODULE"] = "benchdash.settings"
        services.manage(env, "migrate", "--verbosity", "0")
        command = [sys.executable, "-m", "benchmarks.series", "measure", str(processes), str(looks), str(times)]
        done = subprocess.run(command, cwd=services.ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return _rows(what, json.loads(done.stdout), large=processes * looks >= 150 * 3600)


def _rows(what: str, found: dict[str, Any], *, large: bool) -> list[Figure]:
    result = f"1/{found['faster']:.1f} of its time ({found['spread']}; core share {found['cpu_share']:.2f})"
    ours = f"{1000 * found['ours_s']:.0f} ms, compressing {1000 * found['packing_s']:.0f} ms of it"
    theirs = f"query of {found['rows']:,} rows: {1000 * found['query_s']:.0f} ms"
    reached = found["faster"] >= GOAL if large else None
    size = f"{found['kb']:.1f} kB gzip"
    plain = f"as JSON {found['plain_kb']:.0f} kB, {found['points']:,} points"
    light = Figure(f"{what}, payload", size, plain, f"{found['kb'] / GOAL_KB:.2f} of the goal", f"{GOAL_KB} kB")
    return [
        Figure(what, ours, theirs, result, f"1/{GOAL}" if large else "", reached),
        Figure(*(light.what, light.measured, light.reference, light.result, light.goal), found["kb"] <= GOAL_KB),
    ]


def measure(processes: int, looks: int, times: int) -> dict[str, Any]:
    """In a process of its own, on an empty migrated database."""
    import django

    django.setup()
    import gzip

    import orjson

    from runs.charts.time_series import Band, View
    from runs.presenters.monitor_charts import draw_figure
    from runs.selectors.samples import samples_of_capture

    sizes = list(_walks(processes, looks))
    capture = _packed(sizes)
    _plain(sizes)

    def made() -> bytes:
        samples = samples_of_capture(capture)
        bands = [Band(mark.name, mark.start_s, mark.end_s) for mark in samples.marks()]
        figure = draw_figure(samples, "processes", "httpd", View(POINTS, bands=bands))
        return orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY)

    def ours() -> bytes:
        return gzip.compress(made(), LEVEL)

    def theirs() -> int:
        return len(_fetched())

    body, rows = made(), theirs()
    alone = in_turn(lambda: gzip.compress(body, LEVEL), lambda: None, times)
    pairs = in_turn(ours, theirs, times)
    light = orjson.loads(body)
    return {
        "rows": rows,
        "faster": pairs.faster,
        "spread": pairs.spread,
        "cpu_share": pairs.cpu_share,
        "ours_s": median(pairs.measured),
        "query_s": median(pairs.reference),
        "packing_s": median(alone.measured),
        "kb": len(ours()) / 1000,
        "plain_kb": len(body) / 1000,
        "points": sum(len(trace["delta"]["y"]) for panel in light["panels"] for trace in panel["data"]),
    }


def _walks(processes: int, looks: int) -> Iterator[list[float]]:
    """Resident memory in KiB, in pages of 4: at each look one process in four took or gave some."""
    chance = random.Random(SEED)  # noqa: S311
    for _ in range(processes):
        size = chance.randrange(1000, 20_000)
        walk = []
        for _ in range(looks):
            if chance.random() < 0.25:
                size = max(size + chance.randrange(-20, 21), 100)
            walk.append(4.0 * size)
        yield walk


def _packed(sizes: list[list[float]]) -> Any:
    """The capture as the upload of its log leaves it."""
    from runs.ingest.series_packing import pack_samples
    from runs.models import Series
    from runs.tests import factories

    looks = len(sizes[0])
    setup = factories.config(factories.experiment(), "event")
    capture = factories.capture(setup, factories.upload(), metrics={}, n_samples=looks)
    clock = [float(46_800 + look) for look in range(looks)]
    factories.series(capture, "clock_s", clock)
    Series.objects.bulk_create(
        Series(
            **{"capture": capture, "metric": "rss_kb", "pid": 1000 + at, "command": "httpd", "group": "httpd"},
            **{"n": looks, "min": min(walk), "mean": sum(walk) / looks, "max": max(walk), "last": walk[-1]},
            samples=pack_samples(walk),
        )
        for at, walk in enumerate(sizes)
    )
    return capture


def _plain(sizes: list[list[float]]) -> None:
    import io

    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(PLAIN)
        text = io.StringIO()
        for look in range(len(sizes[0])):  # in the order in which they come
            text.writelines(
                f"1\trss_kb\t{1000 + at}\t{look}\t{46_800 + look}\t{walk[look]:.0f}\n" for at, walk in enumerate(sizes)
            )
        text.seek(0)
        cursor.copy_expert("COPY plain FROM STDIN", text)
        cursor.execute(INDEX)
        cursor.execute("VACUUM ANALYZE plain")


def _fetched() -> list[tuple[int, int, int]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(QUERY)
        found: list[tuple[int, int, int]] = cursor.fetchall()
    return found


def main(words: list[str]) -> None:
    if words[:1] == ["measure"]:
        print(json.dumps(measure(*(int(word) for word in words[1:4]))))
        return
    print(HEADER)
    for figure in figures(*(int(word) for word in words)):
        print(figure.row)


if __name__ == "__main__":
    main(sys.argv[1:])
