"""`manage.py import_log`: results from files or from standard input, for scripts and cron."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any, TextIO

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from runs import ingest
from runs.ingest import EVERY_SECRET, Hints, Rejected, Text, receive
from runs.models import Upload
from runs.selectors.judging import work_out_headlines
from runs.upload_handlers import read_parts

FOUND, NOTHING, UNREADABLE = 0, 1, 2
INTERRUPTED = 130  # the shells' status for Ctrl-C
PROGRESS_EVERY_S = 0.2
CLEAR_LINE = "\r\x1b[K"
MB = 1_000_000


class Command(BaseCommand):
    help = "Store the load tests and monitors in text files. Exit status: 0 stored, 1 nothing recognised, 2 unreadable."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a text file; - reads standard input")
        parser.add_argument("--host", default="", help="name of the machine, instead of the one in the text")
        parser.add_argument("--config", default="", help="name of the config of all runs in the text")
        parser.add_argument("--experiment", default="", help="experiment to add to; created if it does not exist")
        parser.add_argument("--tag", action="append", default=[], dest="tags", help="tag for every run; repeatable")
        parser.add_argument("--at", default="", help="time of the runs (ISO 8601), if the text has none")
        parser.add_argument(
            "--redact",
            action=argparse.BooleanOptionalAction,
            default=settings.PUBLIC_READ,
            help="replace everything that looks like a secret; the default with PUBLIC_READ",
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would be stored")
        parser.add_argument("--json", action="store_true", help="print one JSON object per run")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            hints = Hints.from_dict(options)
        except ValueError as error:
            raise CommandError(str(error), returncode=UNREADABLE) from error
        make_embedded_database()
        self.redact = EVERY_SECRET if options["redact"] else frozenset()
        try:
            statuses = [
                self._import_file(name, hints, options["dry_run"], options["json"]) for name in options["files"]
            ]
        except KeyboardInterrupt:
            self.stderr.write("Stopped. Nothing of the current file is stored.")
            statuses = [INTERRUPTED]
        ingest.apply_deltas()  # so that lists know the runs at once, with or without a worker
        if not options["dry_run"]:
            work_out_headlines()
        if max(statuses):
            sys.exit(max(statuses))

    def _import_file(self, name: str, hints: Hints, dry_run: bool, as_json: bool) -> int:
        """One file; the exit status that it alone would give."""
        progress = ProgressLine(sys.stderr, name)
        try:
            progress.size_bytes = _size(name)
            data = _read(name, progress)
            if dry_run:
                lines = describe_draft(data, hints, as_json)
            else:
                progress.size_bytes = data.size_bytes
                receipt = ingest.submit(
                    data,
                    origin=Upload.Origin.COMMAND,
                    name="" if name == "-" else Path(name).name,
                    hints=hints,
                    redact=self.redact,
                    on_progress=progress.add_read,
                )
                lines = describe_stored(receipt, name, as_json)
        except OSError as failure:
            self.stderr.write(f"{name}: {failure.strerror or failure}")
            return UNREADABLE
        except Rejected as refusal:
            for error in refusal.errors:
                line = f"line {error['line']}: " if error["line"] else ""
                self.stderr.write(f"{name}: {line}{error['message']}")
            return NOTHING if refusal.status == 422 else UNREADABLE
        finally:
            progress.end()
        for line in lines:
            self.stdout.write(line)
        return FOUND


def make_embedded_database() -> None:
    """Make the tables of an SQLite database that was never made. A server's are for those to make who run it."""
    if connection.vendor == "sqlite" and not connection.introspection.table_names():
        call_command("migrate", interactive=False, verbosity=0)


def describe_stored(receipt: ingest.Receipt, name: str, as_json: bool) -> list[str]:
    body = ingest.describe_result(receipt.upload)
    if as_json:
        return [json.dumps(run | {"url": make_absolute(run["url"])}, ensure_ascii=False) for run in body["runs"]]
    known = "" if receipt.created else " (already stored)"
    lines = [_describe_run(run) for run in body["runs"]]
    lines += [f"{name}: line {problem['line']}: {problem['message']}" for problem in body["problems"]]
    if body["n_secrets"]:
        what = "a possible secret" if body["n_secrets"] == 1 else f"{body['n_secrets']} possible secrets"
        lines.append(f"{name}: holds {what}: redact it at {make_absolute(body['url'])}, or import with --redact")
    counted = f"{len(body['runs'])} runs, {len(body['captures'])} captures"
    if files := len(body["timings"]):
        counted += f", {files} file{'s' * (files > 1)} of single requests"
    return [*lines, *(f"{name}: {counted}{known}: {page}" for page in page_addresses(receipt.upload))]


def describe_draft(data: Text, hints: Hints, as_json: bool) -> list[str]:
    """What `describe_stored` would say of each run, but for ids and addresses."""
    shown = ingest.preview(data, hints=hints)
    if nothing := ingest.describe_nothing_found(shown.blocks, shown.text.n_lines):
        raise ingest.rejected(422, nothing)
    runs = ingest.draft_results(shown.blocks, shown.draft)
    return [json.dumps(run, ensure_ascii=False) if as_json else _describe_run(run) for run in runs]


def page_addresses(upload: Upload) -> list[str]:
    """Addresses of the experiments that an upload went into; its own page where there is none."""
    experiments = {run.experiment for run in upload.runs.select_related("experiment")}
    experiments |= {capture.experiment for capture in upload.captures.select_related("experiment")}
    experiments |= {timing.experiment for timing in upload.timings.select_related("experiment")}
    paths = [experiment.get_absolute_url() for experiment in sorted(experiments, key=lambda e: e.pk)]
    return [make_absolute(path) for path in paths or [upload.get_absolute_url()]]


def make_absolute(path: str) -> str:
    """A whole address: of the first host that this site answers to."""
    host = next((host for host in settings.ALLOWED_HOSTS if host.strip("*.")), "localhost").lstrip("*.")
    scheme, port = ("https", "") if settings.HTTPS else ("http", f":{settings.PORT}")
    return f"{scheme}://{host}{port}{path}"


def _read(name: str, progress: ProgressLine) -> Text:
    """The text of a file, packed or not, or of standard input for "-"; piece by piece. Raises OSError and Rejected."""
    if name == "-":
        return receive(progress.count_received(read_parts(sys.stdin.buffer)))
    with Path(name).open("rb") as stream:
        return receive(progress.count_received(read_parts(stream)))


def _size(name: str) -> int:
    """Bytes of a file; 0 for standard input, and for a missing file, which fails when it is opened."""
    return Path(name).stat().st_size if name != "-" and Path(name).is_file() else 0


def _describe_run(run: dict[str, Any]) -> str:
    rate = run["values"].get("requests_per_second", run["values"].get("transaction_rate"))
    figure = "no rate" if rate is None else f"{rate} requests/s"
    first, last = run["lines"]
    beside = f", {len(run['captures'])} monitors" if run["captures"] else ""
    tool = ingest.get_semantics(run["tool"]).shown_as or run["tool"]
    return f"{tool}  {figure}  {run['config']}, repeat {run['repeat']}  lines {first}-{last}{beside}"


class ProgressLine:
    """A line on a terminal's standard error with the progress of one text; nothing is written where that is no terminal.

    size_bytes   of the file as stored, 0 where that is not known
    """

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream if stream.isatty() else None
        self._name, self.size_bytes = name, 0
        self._received = self._read = self._blocks = 0
        self._next = monotonic() + PROGRESS_EVERY_S
        self._is_shown = False

    def count_received(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        for part in parts:
            self._received += len(part)
            self._show("taken in", self._received, self.size_bytes)
            yield part
        self.size_bytes = 0

    def add_read(self, n_bytes: int, n_blocks: int) -> None:
        self._read += n_bytes
        self._blocks += n_blocks
        self._show("read", self._read, self.size_bytes, f", {self._blocks:,} blocks found")

    def end(self) -> None:
        if self._stream and self._is_shown:
            self._stream.write(CLEAR_LINE)
            self._stream.flush()

    def _show(self, done: str, n_bytes: int, of: int, more: str = "") -> None:
        if self._stream is None or monotonic() < self._next:
            return
        self._next, self._is_shown = monotonic() + PROGRESS_EVERY_S, True
        share = f" of {of / MB:.1f}" if of else ""
        self._stream.write(f"{CLEAR_LINE}{self._name}: {n_bytes / MB:.1f}{share} MB {done}{more}")
        self._stream.flush()
