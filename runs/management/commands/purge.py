"""manage.py purge: remove for good what has been in the bin for 30 days; the workers do that every hour anyway."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from runs import ingest
from runs.models import Deletion


class Command(BaseCommand):
    help = "Delete what has been in the bin for 30 days permanently."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="everything in the bin")

    def handle(self, *args: Any, **options: Any) -> None:
        n = ingest.purge_all(Deletion.objects.all()) if options["all"] else ingest.purge_expired()
        self.stdout.write(f"{n} {'deletion' if n == 1 else 'deletions'} purged.")
