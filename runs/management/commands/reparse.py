"""`manage.py reparse`: build results anew from the raw texts, after the parsers have learned something."""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import signal
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, connections

from runs import ingest
from runs.models import Upload

TRIES = 3  # two processes may want the same rows
log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Read uploads again with the current parsers. Ids, names and edits stay. Without ID all uploads are read."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("ids", nargs="*", type=int, metavar="ID", help="an upload's id")
        parser.add_argument("--from", type=int, default=0, dest="first", metavar="ID", help="start with this upload")
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="uploads read in parallel (default: 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["jobs"] < 1:
            raise CommandError("--jobs must be a whole number from 1.")
        known = list(Upload.objects.order_by("id").values_list("pk", flat=True))
        missing = [str(pk) for pk in options["ids"] if pk not in known]
        if missing:
            raise CommandError(f"No upload {', '.join(missing)}.")
        wanted = [pk for pk in sorted(set(options["ids"])) or known if pk >= options["first"]]
        failed: list[str] = []
        done = 0
        try:
            with closing(_read_all(wanted, options["jobs"])) as outcomes:
                for pk, (is_read, message) in zip(wanted, outcomes, strict=True):
                    done += 1
                    self.stdout.write(f"{done}/{len(wanted)}  {pk}  {message}")
                    failed += [] if is_read else [str(pk)]
        finally:
            if done < len(wanted):
                self.stderr.write(f"Not finished. Continue with: python manage.py reparse --from {wanted[done]}")
        if failed:
            raise CommandError(
                f"{len(failed)} of {len(wanted)} cannot be read and stay as they were: {', '.join(failed)}."
            )


def _read_all(wanted: Sequence[int], jobs: int) -> Generator[tuple[bool, str], None, None]:
    """For each id, in order, what `read_again` returns."""
    if jobs == 1:
        yield from map(read_again, wanted)
        return
    connections.close_all()  # each process opens its own
    context = multiprocessing.get_context("fork")
    # Ctrl-C ends the command, which ends its processes.
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(min(jobs, len(wanted) or 1), context, ignore) as pool:
        yield from pool.map(read_again, wanted)


def read_again(pk: int) -> tuple[bool, str]:
    """Whether the upload was read, and what there is to say. Raises what no upload can answer for: a database that is away."""
    try:
        upload = _reparse(pk)
    except (OperationalError, InterfaceError, OSError):
        raise
    except Exception as error:  # whatever is wrong with this one, the others are read
        log.exception("Upload %s cannot be read.", pk)
        return False, f"cannot be read: {type(error).__name__}: {error}"
    return True, f"{upload.status}  {upload.runs.count()} runs, {upload.captures.count()} captures  {upload}"


def _reparse(pk: int, tries: int = TRIES) -> Upload:
    try:
        return ingest.reparse(pk)
    except OperationalError:
        if tries == 1:
            raise
    time.sleep(1)
    return _reparse(pk, tries - 1)
