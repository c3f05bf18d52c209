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
from runs.incoming import received
from runs.ingest import Hints, Rejected, Text
from runs.models import Upload

FOUND, NOTHING, UNREADABLE = 0, 1, 2


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
        parser.add_argument("--dry-run", action="store_true", help="show what would be stored, and store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object a run")

    def handle(self, *args: Any, **options: Any) -> None:
        hints = Hints.from_dict(options)
        statuses = [self._take(name, hints, options["dry_run"], options["json"]) for name in options["files"]]
        ingest.take_in()  # so that lists know the runs at once, with or without a worker
        if max(statuses):
            sys.exit(max(statuses))

    def _take(self, name: str, hints: Hints, dry_run: bool, as_json: bool) -> int:
        """One file; the exit status that it alone would give."""
        try:
            data = _read(name)
            lines = dry_lines(data, hints, as_json) if dry_run else stored_lines(data, name, hints, as_json)
        except OSError as failure:
            self.stderr.write(f"{name}: {failure.strerror}")
            return UNREADABLE
        except Rejected as refusal:
            for error in refusal.errors:
                self.stderr.write(f"{name}: {_at_line(error)}")
            return NOTHING if refusal.status == 422 else UNREADABLE
        for line in lines:
            self.stdout.write(line)
        return FOUND


def stored_lines(data: Text, name: str, hints: Hints, as_json: bool) -> list[str]:
    """Store the text, then say what of it is stored: a line a run, and where it shows."""
    receipt = ingest.submit(data, door=Upload.Door.COMMAND, name="" if name == "-" else Path(name).name, hints=hints)
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


def _read(name: str) -> Text:
    """The text of a file, packed or not, or of standard input for "-"; piece by piece. Raises OSError and Rejected."""
    if name == "-":
        return received(sys.stdin.buffer)
    with Path(name).open("rb") as stream:
        return received(stream)


def _run_line(run: dict[str, Any]) -> str:
    rate = run["values"].get("requests_per_second", run["values"].get("transaction_rate"))
    figure = "no rate" if rate is None else f"{rate} requests/s"
    first, last = run["lines"]
    beside = f", {len(run['captures'])} monitors" if run["captures"] else ""
    return f"{run['tool']}  {figure}  {run['config']}, repeat {run['repeat']}  lines {first}-{last}{beside}"


def _at_line(error: ingest.Error) -> str:
    return f"line {error['line']}: {error['message']}" if error["line"] else error["message"]
