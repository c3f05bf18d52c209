"""`manage.py recount`: build the counts of facets and hosts, and the trends, anew from the runs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from runs import ingest
from runs.models import Facet, TrendLine


class Command(BaseCommand):
    help = "Recompute facets, counts of hosts and trends from the runs. Safe at any time; needed after rows were changed by hand."

    def handle(self, *args: Any, **options: Any) -> None:
        ingest.recount()
        used = Facet.objects.filter(n_runs__gt=0).count()
        self.stdout.write(f"{used} facets with runs, {TrendLine.objects.count()} trends")
