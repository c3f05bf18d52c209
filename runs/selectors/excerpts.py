"""The texts that a comparison rests on, each with an excerpt: the lines around what was recognised in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BinaryField, Q
from django.db.models.functions import Substr

from runs.analysis.facts import RunFact
from runs.ingest.text_storage import read_opening
from runs.models import Capture, ConfigText, Run, Upload
from runs.selectors.reads import line_url

MOST_TEXTS = 40
# Of each text this much of the packed bytes is fetched (the first 32 KiB of text come out of it, however badly they
# pack), and this much of the text unpacked from it.
PACKED_BYTES, TEXT_BYTES = 2**15 + 2**8, 2**18
MOST_LINES = 60
BEFORE, WITHIN = 2, 12


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an upload. `gap`: lines before it are left out."""

    n: int
    text: str
    url: str
    gap: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An upload, and lines of its beginning."""

    upload: Upload
    lines: tuple[Line, ...]


def of_experiment(experiment_id: int) -> list[Excerpt]:
    """The first forty texts that something of the experiment was read from. One query.

    One list of ids, since PostgreSQL would look through all uploads for those that are in one of three.
    """
    runs, captures, texts = (
        model._default_manager.filter(experiment=experiment_id).order_by().values("upload")
        for model in (Run, Capture, ConfigText)
    )
    return _of(Q(pk__in=runs.union(captures, texts)))


def of_runs(runs: Sequence[RunFact]) -> list[Excerpt]:
    """The first forty texts that these runs stand in. One query."""
    return _of(Q(pk__in={run.upload for run in runs}))


def _of(wanted: Q) -> list[Excerpt]:
    rows = Upload.objects.light().defer("raw", "edits", "placed", "unread", "problems", "hints")
    head = Substr("raw", 1, PACKED_BYTES, output_field=BinaryField())
    return [_excerpt(row) for row in rows.filter(wanted).annotate(head=head)[:MOST_TEXTS]]


def _excerpt(upload: Upload) -> Excerpt:
    packed = bytes(upload.head)  # type: ignore[attr-defined]  # annotated
    lines = read_opening(packed, upload.encoding, max_bytes=TEXT_BYTES)
    # The lines with which each block opens and those just above.
    shown: list[int] = []
    for block in upload.blocks:
        first, last = block["lines"]
        begin = max(first - BEFORE, shown[-1] + 1 if shown else 1)
        shown += range(begin, min(last, first + WITHIN - 1, len(lines)) + 1)
    # No block so near the beginning: then how the text opens.
    shown = shown or list(range(1, min(len(lines), MOST_LINES) + 1))
    excerpt = [
        Line(n, lines[n - 1][:500], line_url(upload.pk, n), at > 0 and n != shown[at - 1] + 1)
        for at, n in enumerate(shown[:MOST_LINES])
    ]
    return Excerpt(upload, tuple(excerpt))
