"""`manage.py make_sample --runs N`: fill a database with made-up runs, to see how pages do at that size."""

from __future__ import annotations

import argparse
import random
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from runs import ingest
from runs.management.bulk import bulk, unchecked
from runs.management.sample import Sample
from runs.models import Facet, Host, Run, Upload

SERIES_A_RUN = 10
A_FLUSH = 20_000  # runs in memory at most, more or less
EVERY = 100_000  # runs between two lines that say how far it is


class Command(BaseCommand):
    help = "Store made-up experiments, runs and monitors, the same for the same seed. 1,000,000 runs take minutes."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, required=True, help="how many runs")
        parser.add_argument("--series", type=int, help=f"about how many process series; default {SERIES_A_RUN} a run")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--add", action="store_true", help="even where there are runs already")

    def handle(self, *args: Any, **options: Any) -> None:
        n = options["runs"]
        if n < 1:
            raise CommandError("--runs is a whole number from 1.")
        if Run.objects.exists() and not options["add"]:
            raise CommandError("There are runs in this database already; --add puts the made-up ones beside them.")
        series = SERIES_A_RUN if options["series"] is None else round(options["series"] / n)
        facets = {(kind, value): pk for kind, value, pk in Facet.objects.values_list("kind", "value", "pk").iterator()}
        before = (Host.objects.count(), Upload.objects.count())
        self._write(Sample(bulk(), n, series, random.Random(options["seed"]), facets, before))  # noqa: S311  (no secret)
        ingest.recount()
        tidy()
        self.stdout.write(f"{Run.objects.count()} runs, all counted")

    def _write(self, sample: Sample) -> None:
        start, flushed, told = perf_counter(), 0, 0
        with unchecked():
            for stored in sample.days():
                if stored - flushed >= A_FLUSH:
                    sample.rows.flush()
                    flushed = stored
                if stored - told >= EVERY:
                    told = stored
                    self.stdout.write(f"{stored} runs after {perf_counter() - start:.0f} s")
                    self.stdout.flush()
            sample.rows.flush()


def tidy() -> None:
    """What PostgreSQL's own housekeeping would do in the minutes after: without it, it does not know what is there."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE)")
