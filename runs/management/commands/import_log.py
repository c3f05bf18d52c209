"""`manage.py import_log`: results from files or from standard input, for scripts and cron."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from runs import ingest
from runs.incoming import parts_of
from runs.ingest import EVERY_SECRET, Hints, Rejected, Text, receive
from runs.management.progress import ProgressLine
from runs.models import Upload

FOUND, NOTHING, UNREADABLE = 0, 1, 2
INTERRUPTED = 130  # as shells say it of Ctrl-C


class Command(BaseCommand):
    help = "Store the load tests and monitors in text files. Exit status: 0 stored, 1 nothing recognised, 2 unreadable."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a text file; - reads standard input")
        parser.add_argument("--host", default="", help="the machine's name, instead of what the text suggests")
        parser.add_argument("--config", default="", help="the config's name, for all runs of the text")
        parser.add_argument("--experiment", default="", help="the experiment to add to, or to make")
        parser.add_argument(
            "--tag", action="append", default=[], dest="tags", help="a word put on every run; several allowed"
        )
        parser.add_argument("--redact", action="store_true", help="black out whatever looks like a secret")
        parser.add_argument("--dry-run", action="store_true", help="show what would be stored, and store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object a run")

    def handle(self, *args: Any, **options: Any) -> None:
        hints = Hints.from_dict(options)
        self.redact = EVERY_SECRET if options["redact"] else frozenset()
        try:
            statuses = [self._take(name, hints, options["dry_run"], options["json"]) for name in options["files"]]
        except KeyboardInterrupt:
            self.stderr.write("Stopped. Of the file that was being read nothing is stored.")
            statuses = [INTERRUPTED]
        ingest.take_in()  # so that lists know the runs at once, with or without a worker
        if max(statuses):
            sys.exit(max(statuses))

    def _take(self, name: str, hints: Hints, dry_run: bool, as_json: bool) -> int:
        """One file; the exit status that it alone would give."""
        progress = ProgressLine(sys.stderr, name, _size(name))
        try:
            data = _read(name, progress)
            if dry_run:
                lines = dry_lines(data, hints, as_json)
            else:
                receipt = self._store(data, name, hints, progress)
                lines = stored_lines(receipt, name, as_json)
        except OSError as failure:
            self.stderr.write(f"{name}: {failure.strerror}")
            return UNREADABLE
        except Rejected as refusal:
            for error in refusal.errors:
                self.stderr.write(f"{name}: {_at_line(error)}")
            return NOTHING if refusal.status == 422 else UNREADABLE
        finally:
            progress.end()
        for line in lines:
            self.stdout.write(line)
        return FOUND

    def _store(self, data: Text, name: str, hints: Hints, progress: ProgressLine) -> ingest.Receipt:
        shown = "" if name == "-" else Path(name).name
        progress.reading(data.size_bytes)
        door = Upload.Door.COMMAND
        return ingest.submit(data, door=door, name=shown, hints=hints, redact=self.redact, told=progress.hear)


def stored_lines(receipt: ingest.Receipt, name: str, as_json: bool) -> list[str]:
    """What of a text is stored: a line a run, and where it shows."""
    body = ingest.result_of(receipt.upload)
    if as_json:
        return [json.dumps(run | {"url": address(run["url"])}, ensure_ascii=False) for run in body["runs"]]
    known = "" if receipt.created else " (stored before, nothing changed)"
    lines = [_run_line(run) for run in body["runs"]]
    lines += [f"{name}: line {problem['line']}: {problem['message']}" for problem in body["problems"]]
    counted = f"{len(body['runs'])} runs, {len(body['captures'])} captures"
    if files := len(body["timings"]):
        counted += f", {files} file{'s' * (files > 1)} of single requests"
    return [*lines, *(f"{name}: {counted}{known}: {page}" for page in pages(receipt.upload))]


def dry_lines(data: Text, hints: Hints, as_json: bool) -> list[str]:
    """What `stored_lines` would say of each run, but for ids and addresses."""
    shown = ingest.preview(data, hints=hints)
    if not shown.blocks:
        raise Rejected(422, [{"line": None, "message": ingest.nothing_found(len(shown.lines))}])
    runs = ingest.draft_results(shown)
    return [json.dumps(run, ensure_ascii=False) if as_json else _run_line(run) for run in runs]


def pages(upload: Upload) -> list[str]:
    """Addresses of the experiments that an upload went into; its own page where there is none."""
    experiments = {run.experiment for run in upload.runs.select_related("experiment")}
    experiments |= {capture.experiment for capture in upload.captures.select_related("experiment")}
    experiments |= {timing.experiment for timing in upload.timings.select_related("experiment")}
    paths = [found.get_absolute_url() for found in sorted(experiments, key=lambda e: e.pk)]
    return [address(path) for path in paths or [upload.get_absolute_url()]]


def address(path: str) -> str:
    """A whole address: of the first host that this site answers to."""
    host = next((host for host in settings.ALLOWED_HOSTS if host.strip("*.")), "localhost").lstrip("*.")
    scheme, port = ("https", "") if settings.HTTPS else ("http", f":{settings.PORT}")
    return f"{scheme}://{host}{port}{path}"


def _read(name: str, progress: ProgressLine) -> Text:
    """The text of a file, packed or not, or of standard input for "-"; piece by piece. Raises OSError and Rejected."""
    if name == "-":
        return receive(progress.taking(parts_of(sys.stdin.buffer)))
    with Path(name).open("rb") as stream:
        return receive(progress.taking(parts_of(stream)))


def _size(name: str) -> int:
    """Bytes of a file; 0 for standard input, and for what is not there, which is told when it is opened."""
    return Path(name).stat().st_size if name != "-" and Path(name).is_file() else 0


def _run_line(run: dict[str, Any]) -> str:
    rate = run["values"].get("requests_per_second", run["values"].get("transaction_rate"))
    figure = "no rate" if rate is None else f"{rate} requests/s"
    first, last = run["lines"]
    beside = f", {len(run['captures'])} monitors" if run["captures"] else ""
    return f"{run['tool']}  {figure}  {run['config']}, repeat {run['repeat']}  lines {first}-{last}{beside}"


def _at_line(error: ingest.Error) -> str:
    return f"line {error['line']}: {error['message']}" if error["line"] else error["message"]
