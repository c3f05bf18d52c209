"""`manage.py make_sample --runs N`: fill a database with made-up runs, to see how pages do at that size.

The runs have the shape and the proportions of real uploads. Seven in ten uploads are pastes: a new experiment of two to six
configs with one to five repeats each, on one host, with a monitor beside each run. The others are nightly: they go into a few
experiments that last the whole year, with one step up or down in each, so that there are trends that show something.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, product
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from runs import ingest
from runs.ingest import counters
from runs.models import Capture, Config, Experiment, Host, Run, Series, Upload
from runs.series import pack_samples

SERIES_A_RUN, SERIES_VARIANTS = 10, 40
RUNS_A_BATCH, ROWS_A_STATEMENT, RUNS_A_REPORT = 5_000, 1_000, 100_000
START, DAYS = datetime(2025, 1, 6, 1, tzinfo=UTC), 360
NIGHTLY_SHARE, RUNS_A_NIGHTLY, RUNS_A_HOST = 0.3, 10_000, 2_000
NIGHTLY_CONFIGS, NIGHTLY_REPEATS = 3, 3
FEWEST_HOSTS = 60  # more than a page lists, so that lists of hosts can be compared between sizes
PERCENTILES = {"50": 0.9, "66": 1.0, "75": 1.1, "80": 1.15, "90": 1.4, "95": 1.8, "98": 2.6, "99": 3.5, "100": 9.0}
SERVERS = (
    [f"Apache/2.4.{n}" for n in range(37, 63)] + [f"nginx/1.{n}.1" for n in range(10, 28, 2)] + ["lighttpd/1.4.69"]
)
MPMS = ("event", "worker", "prefork", "itk", "peruser", "mod_wsgi", "php-fpm", "mod_php", "gunicorn", "uwsgi", "puma")
TAGS = [f"sprint-{n}" for n in range(40)] + ["nightly", "release", "kernel", "php8", "tls", "http2", "cold", "warm"]
TEXT = """\
$ {run.command}
Server Software:        {run.server_software}
Concurrency Level:      {run.concurrency:.0f}
Complete requests:      {run.complete_requests}
Failed requests:        0
Requests per second:    {run.requests_per_second:.2f} [#/sec] (mean)
Time per request:       {run.mean_ms:.3f} [ms] (mean)

"""
LINES = TEXT.count("\n")


class Command(BaseCommand):
    help = "Store generated experiments, runs and monitors, reproducible by seed. 1,000,000 runs take minutes."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, required=True, help="number of runs")
        parser.add_argument(
            "--series", type=int, help=f"approximate number of process series; default {SERIES_A_RUN} per run"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--add", action="store_true", help="also if the database has runs already")

    def handle(self, *args: Any, **options: Any) -> None:
        n = options["runs"]
        if n < 1:
            raise CommandError("--runs must be a whole number from 1.")
        if (options["series"] or 0) < 0:
            raise CommandError("--series must be a whole number from 0.")
        if Run.objects.exists() and not options["add"]:
            raise CommandError("This database has runs already; --add adds the generated ones.")
        n_series = SERIES_A_RUN if options["series"] is None else round(options["series"] / n)
        start, stored = perf_counter(), 0
        sample = Sample(n, random.Random(options["seed"]))  # noqa: S311  (no secret)
        variants = [series_values(n_series, sample.random) for _ in range(SERIES_VARIANTS)] if n_series else []
        Host.objects.bulk_create(sample.hosts)
        batch: list[Run] = []
        for runs in sample.uploads():
            batch += runs
            stored += len(runs)
            if len(batch) >= RUNS_A_BATCH or stored == n:
                with transaction.atomic(), allow_creation_times():
                    store_batch(batch, variants, sample.random)
                if stored % RUNS_A_REPORT < len(batch):
                    self.stdout.write(f"{stored} runs after {perf_counter() - start:.0f} s")
                    self.stdout.flush()
                batch = []
        ingest.recount()
        # What PostgreSQL's own housekeeping would do minutes later: without statistics its plans are poor.
        if connection.vendor == "postgresql" and not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute("VACUUM (ANALYZE)")
        self.stdout.write(f"{Run.objects.count()} runs, all counted")


@dataclass
class Group:
    """An experiment and what is run in it.

    loads       the columns that the runs of each config share; theirs lie around its requests_per_second
    turn, step  on that day of the sample the rates change by that factor
    """

    experiment: Experiment
    loads: list[dict[str, Any]]
    turn: int = DAYS
    step: float = 1.0


class Sample:
    """The rows of one sample, not yet saved."""

    def __init__(self, n_runs: int, chance: random.Random) -> None:
        self.n_runs, self.random = n_runs, chance
        self.numbers = count()
        self.before = Upload.objects.count()  # their texts must differ from these
        self.tools = [kind for kind in ingest.kinds() if ingest.makes_load(kind)]
        first = Host.objects.count()
        self.hosts = [self._host(first + number) for number in range(max(FEWEST_HOSTS, n_runs // RUNS_A_HOST))]
        self.nightly: list[Group] = []

    def uploads(self) -> Iterator[list[Run]]:
        """The runs of one upload after the other, spread over the days."""
        stored, nights = 0, count()
        n_nightly = max(1, self.n_runs // RUNS_A_NIGHTLY)
        while stored < self.n_runs:
            day, seconds = divmod(stored * DAYS * 86_400 // self.n_runs, 86_400)
            moment = START + timedelta(days=day, seconds=seconds)
            if self.random.random() < NIGHTLY_SHARE:
                runs = self._night(next(nights) % n_nightly, day, moment)
            else:
                runs = self._paste(moment)
            yield runs[: self.n_runs - stored]
            stored += len(runs)

    def _choose_often(self, among: list[Any]) -> Any:
        """One of them; the first more often than the last."""
        return among[int(len(among) * self.random.random() ** 2)]

    def _host(self, number: int) -> Host:
        cores = self.random.choice((1, 2, 4, 8, 16, 32))
        own = {"cpu_model": f"Made-up CPU {cores}000", "cores": cores, "mhz": 2400.0, "ram_kb": cores * 2_000_000}
        name = f"{self.random.choice(('web', 'app', 'db', 'cache'))}{number}"
        return Host(name=name, fingerprint=_digest(cores), **own)

    def _night(self, number: int, day: int, moment: datetime) -> list[Run]:
        if number == len(self.nightly):
            group = self._group(f"nightly of {self.random.choice(MPMS)}", NIGHTLY_CONFIGS, moment)
            group.turn, group.step = self.random.randrange(60, 300), self.random.choice((0.85, 0.92, 1.1, 1.2))
            self.nightly.append(group)
        group = self.nightly[number]
        return self._upload(group, NIGHTLY_REPEATS, moment, ["nightly"], group.step if day >= group.turn else 1.0)

    def _paste(self, moment: datetime) -> list[Run]:
        choice = self.random
        group = self._group(f"{choice.choice(MPMS)} or {choice.choice(MPMS)}", choice.randint(2, 6), moment)
        tags = choice.sample(TAGS, choice.choice((1, 2))) if choice.random() < 0.3 else []
        return self._upload(group, choice.choice((1, 1, 2, 3, 3, 5)), moment, tags)

    def _group(self, name: str, n_configs: int, moment: datetime) -> Group:
        choice = self.random
        host, tool = self._choose_often(self.hosts), self._choose_often(self.tools)
        experiment = Experiment(name=f"{name} on {choice.choice(SERVERS)}", host=host, created_at=moment)
        concurrency, n = choice.choice((10, 50, 100, 200)), choice.choice((100, 1000, 10_000))
        path = f"/page{choice.randrange(30)}/"
        command = f"{tool} -n {n} -c {concurrency} http://host{choice.randrange(FEWEST_HOSTS)}:8080{path}"
        shared = {"tool": tool, "command": command, "path": path, "concurrency": concurrency, "complete_requests": n}
        loads = []
        for position in range(n_configs):
            name = f"{choice.choice(MPMS)}, {choice.choice((2, 4, 8, 16, 32, 64))} processes, try {position + 1}"
            own = {
                "config": Config(experiment=experiment, name=name, position=position),
                "server_software": self._choose_often(SERVERS),
                "fingerprint": _digest(self.before, next(self.numbers), *shared.values()),
                "requests_per_second": choice.lognormvariate(7.5, 0.9),
            }
            loads.append({**shared, **own, "experiment": experiment, "host": host})
        return Group(experiment, loads)

    def _upload(
        self, group: Group, n_repeats: int, moment: datetime, tags: list[str], factor: float = 1.0
    ) -> list[Run]:
        """One upload with the runs of each load."""
        key = _digest(self.before, next(self.numbers), moment.isoformat())
        upload = Upload(
            **{"name": f"{group.experiment.name}.txt", "sha256": key, "text_key": key, "encoding": "utf-8"},
            **{"origin": self.random.choice(("web", "rest", "rest", "rest", "command")), "status": "ready"},
            **{"hints": {"tags": tags}, "created_at": moment},
        )
        runs = []
        for at, (load, repeat) in enumerate(product(group.loads, range(1, n_repeats + 1))):
            rate = round(load["requests_per_second"] * factor * self.random.lognormvariate(0, 0.03), 2)
            place = {"block_key": f"b{at}", "line_first": at * LINES + 2, "line_last": (at + 1) * LINES - 1}
            own = {"upload": upload, "repeat": repeat, "tags": tags, "created_at": moment, "doubted": False}
            runs.append(Run(**load | place | own | _figures(rate, load["concurrency"], load["complete_requests"])))
        text = "".join(TEXT.format(run=run) for run in runs).encode()
        upload.raw, upload.size_bytes, upload.n_lines = zlib.compress(text, 1), len(text), len(runs) * LINES
        upload.blocks = [{"kind": run.tool, "lines": [run.line_first, run.line_last], "partial": False} for run in runs]
        return runs


def _figures(rate: float, concurrency: int, n: int) -> dict[str, Any]:
    mean = round(1000 * concurrency / rate, 3)
    return {
        **{"requests_per_second": rate, "failed_requests": 0, "duration_s": round(n / rate, 3)},
        **{"mean_ms": mean, "max_ms": mean * 9},
        "percentiles_ms": {p: round(factor * mean) for p, factor in PERCENTILES.items()},
        "values": {"requests_per_second": rate, "concurrency": concurrency, "complete_requests": n},
    }


def series_values(n: int, chance: random.Random) -> list[dict[str, Any]]:
    """`n` series of one sample each: two of the system, then resident memory and CPU of processes."""
    values: list[dict[str, Any]] = [
        {"metric": "mem_free_kb", "value": chance.uniform(2e5, 9e5)},
        {"metric": "load1", "value": chance.uniform(0.1, 12.0)},
    ]
    for number in range(n // 2):
        process = {"pid": 2000 + number, "user": "www", "command": "httpd", "group": "httpd"}
        values.append({"metric": "rss_kb", "value": 13_000.0 + chance.randrange(9000), **process})
        values.append({"metric": "cpu_pct", "value": chance.uniform(0, 60), **process})
    for row in values:
        value = round(row.pop("value"), 1)
        row |= {"n": 1, "samples": pack_samples([value]), "min": value, "mean": value, "max": value, "last": value}
    return values[:n]


def store_batch(runs: list[Run], variants: list[list[dict[str, Any]]], chance: random.Random) -> None:
    """Store runs with what they belong to, and with one of the variants of series beside each."""
    for model, name in ((Experiment, "experiment"), (Config, "config"), (Upload, "upload")):
        rows = {id(row): row for run in runs if (row := getattr(run, name)).pk is None}
        model._default_manager.bulk_create(rows.values(), batch_size=ROWS_A_STATEMENT)
    facets = counters.link_facets(runs)
    Run.objects.bulk_create(runs, batch_size=ROWS_A_STATEMENT)
    counters.record_stored(runs, facets)
    if variants:
        captures = [_capture(run) for run in runs]
        Capture.objects.bulk_create(captures, batch_size=ROWS_A_STATEMENT)
        series = [Series(capture=capture, **values) for capture in captures for values in chance.choice(variants)]
        Series.objects.bulk_create(series, batch_size=ROWS_A_STATEMENT)


def _capture(run: Run) -> Capture:
    place = {name: getattr(run, name) for name in ("upload", "experiment", "config", "host", "created_at")}
    place |= {"line_first": run.line_first, "line_last": run.line_last, "block_key": f"c{run.block_key[1:]}"}
    return Capture(run=run, tool="top", phase="during", n_samples=1, values={"load1": 2.5}, **place)


@contextmanager
def allow_creation_times() -> Iterator[None]:
    """Rows keep the `created_at` that they are given."""
    fields: list[Any] = [model._meta.get_field("created_at") for model in (Experiment, Upload)]
    for field in fields:
        field.auto_now_add = False
    try:
        yield
    finally:
        for field in fields:
            field.auto_now_add = True


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
