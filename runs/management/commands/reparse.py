"""`manage.py reparse`: build results anew from the raw texts, after the parsers have learned something."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import ingest
from runs.models import Upload


class Command(BaseCommand):
    help = "Read uploads again with today's parsers. Ids, names and edits stay; without ID all uploads are read."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("ids", nargs="*", type=int, metavar="ID", help="an upload's id")

    def handle(self, *args: Any, **options: Any) -> None:
        known = list(Upload.objects.order_by("id").values_list("pk", flat=True))
        missing = [str(pk) for pk in options["ids"] if pk not in known]
        if missing:
            raise CommandError(f"No upload {', '.join(missing)}.")
        for pk in options["ids"] or known:
            upload = ingest.reparse(pk)
            counted = f"{upload.runs.count()} runs, {upload.captures.count()} captures"
            self.stdout.write(f"{pk}  {upload.status}  {counted}  {upload}")
