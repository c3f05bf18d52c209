"""Entry points for texts: preview them, read and store them now or in a worker, and parse them again with a later version."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Required, TypedDict, Unpack

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Count, F, Min, Q, QuerySet

import parsers
from parsers.blocks import UNFORESEEN
from runs.database import SEVERAL_TEXTS, read_database_now, take_turns
from runs.drafts.draft import Draft, Reading
from runs.models import Capture, ConfigText, Run, Timing, Upload

from .edits import Edits, apply_edits, map_old_keys, renumber_blocks
from .hints import Hints, add_header, redact_hints
from .reading import (
    AT_ONCE_LINES,
    AT_ONCE_PROCESSES,
    MOST_BLOCKS,
    PREVIEW_BLOCKS,
    OnProgress,
    Reader,
    ReadingStopped,
    Superseded,
    TooSlow,
    collect_samples,
    describe_nothing_found,
    draft_blocks,
    end_with_worker,
    ignore_progress,
    limit_time,
    most_reading_s,
    read,
    read_blocks,
)
from .receiving import Incoming, receive, redact_text
from .redact import redact_secrets
from .store import StoredRows, make_rows, store, write_unread
from .text_storage import Text, load_text, make_text_columns, save_pieces
from .validation import AT_ONCE_BLOCKS, Broken, Rejected, rejected, truncate

Status = Upload.Status
NO_HINTS = Hints()
REPLACEABLE = (Status.FAILED, Status.CANCELLED)  # an upload whose text may be sent again


@dataclass(frozen=True)
class Preview:
    """What a text would become. `existing`: the upload that has the same text, or None."""

    text: Text
    blocks: list[parsers.Block]
    draft: Draft
    problems: list[parsers.Problem]
    existing: Upload | None


@dataclass(frozen=True)
class Receipt:
    """created False: the same text was there already and nothing was stored.

    rows   what was stored just now, so that it need not be read back; None for a text that was there or is queued
    """

    upload: Upload
    created: bool
    rows: StoredRows | None = field(default=None, compare=False, repr=False)


def preview(data: Incoming, *, hints: Hints = NO_HINTS) -> Preview:
    """Read the text and store nothing. Raises Rejected 400, 413, 415."""
    text = receive(data)
    hints = add_header(hints, text)
    try:
        reading = read(text, hints=hints, on_progress=limit_time(text.size_bytes), at_once=PREVIEW_BLOCKS)
    except TooSlow as error:
        raise rejected(
            413, "Reading this text takes too long for a preview. Send it to the REST API, where a worker reads it."
        ) from error
    except Broken as error:
        raise rejected(422, str(error)) from error
    existing = Upload.objects.light().filter(text_key=text.key).first()
    return Preview(text, reading.blocks, reading.draft, reading.problems, existing)


def edit_preview(guess: Preview, edits: Edits) -> Preview:
    """A preview of a text without edits, edited. Raises Rejected 400 for edits that do not fit."""
    return replace(guess, draft=apply_edits(guess.draft, edits)) if edits else guess


class Options(TypedDict, total=False):
    """What `submit` takes beside a text.

    redact       keys of secrets out of a preview, or EVERY_SECRET
    may_queue    a text that is large or slow to read is only kept, status "queued"; the caller then passes it to
                 `tasks.queue_upload`
    on_progress  called while the text is read, where it may not be queued
    """

    origin: Required[str]
    user: User | None
    hints: Hints
    edits: Edits | None
    redact: Collection[str]
    may_queue: bool
    on_progress: OnProgress


def submit(data: Incoming, *, name: str = "", **options: Unpack[Options]) -> Receipt:
    """Store a text and its results in one transaction; a text that is already stored changes nothing.

    Raises Rejected 400, 413, 415, and 422 where nothing is recognised (then the text is kept, status "failed").
    """
    return _save_all([_prepare(data, name, options)])[0]


def submit_all(files: Iterable[tuple[str, Incoming]], **options: Unpack[Options]) -> list[Receipt]:
    """`submit` for several (name, text) in one transaction: if one is rejected none is stored."""
    prepared = []
    for name, data in files:
        try:
            prepared.append(_prepare(data, name, options))
        except Rejected as error:
            raise error.about(name) from error.__cause__
    return _save_all(prepared)


@dataclass(frozen=True)
class _Prepared:
    """A text and the function that writes its upload; write is None if the text is already stored."""

    upload: Upload
    text: Text
    write: Callable[[Upload], StoredRows | None] | None


def _prepare(data: Incoming, name: str, options: Options) -> _Prepared:
    """Everything that needs no transaction. Only a text in which nothing is recognised is stored here, for inspection."""
    text, edits = receive(data), options.get("edits")
    hints = add_header(options.get("hints", NO_HINTS), text)
    if redact := options.get("redact"):
        text, hints, name = redact_text(text, redact), redact_hints(hints), redact_secrets(name)
    existing = Upload.objects.light().filter(text_key=text.key).exclude(status__in=REPLACEABLE).order_by().first()
    if existing is not None:
        return _Prepared(existing, text, None)
    upload = Upload(
        **truncate(Upload, name=name, hints=hints.as_dict(), edits=edits or {}),
        **make_text_columns(text),
        origin=options["origin"],
        parser_version=parsers.VERSION,
        created_by=options.get("user"),
    )
    on_progress, at_once, most_processes = options.get("on_progress", ignore_progress), MOST_BLOCKS, math.inf
    if options.get("may_queue"):
        if text.size_bytes > settings.QUEUE_UPLOAD_BYTES or text.n_lines > AT_ONCE_LINES:
            return _prepare_for_worker(upload, text)
        on_progress, at_once, most_processes = limit_time(text.size_bytes), AT_ONCE_BLOCKS, AT_ONCE_PROCESSES
    try:
        reading = read(text, hints=hints, edits=edits, on_progress=on_progress, at_once=at_once)
        collect_samples(reading, on_progress, most_processes)
        make_rows(upload, reading)
    except TooSlow:  # a worker has more time
        return _prepare_for_worker(upload, text)
    except Broken as error:
        raise _keep_unread(upload, text, str(error)) from error
    if nothing := describe_nothing_found(reading.blocks, text.n_lines):
        raise _keep_unread(upload, text, nothing)
    return _Prepared(upload, text, partial(store, reading=reading))


def _keep_unread(upload: Upload, text: Text, message: str) -> Rejected:
    """Keep a text without results for inspection, and return the error for its sender."""
    write = partial(write_unread, status=Status.FAILED, error=message)
    stored = _save(_Prepared(upload, text, write)).upload
    return Rejected(422, [{"line": None, "message": message}], stored)


def _prepare_for_worker(upload: Upload, text: Text) -> _Prepared:
    upload.seen_at = read_database_now()
    return _Prepared(upload, text, partial(write_unread, status=Status.QUEUED))


def _save_all(prepared: Sequence[_Prepared]) -> list[Receipt]:
    """Save all or none; if a bug prevents it, the text at which it happens is kept."""
    saving = prepared[0]
    try:
        if len(prepared) == 1:
            return [_save(saving)]
        receipts = []
        with take_turns(SEVERAL_TEXTS):  # each text locks hosts and facets in one order, several of them in theirs
            for saving in prepared:
                receipts.append(_save(saving))
        return receipts
    except (*UNFORESEEN, DataError) as failure:
        upload = saving.upload
        upload.pk, upload.blocks, upload.problems, upload.placed = None, [], [], {}
        raise _keep_unread(upload, saving.text, str(Broken(failure))) from failure


def _save(prepared: _Prepared) -> Receipt:
    """Write a new upload in one transaction, unless the same text was stored meanwhile: the unique key decides."""
    if prepared.write is None:
        return Receipt(prepared.upload, created=False)
    try:
        with take_turns(SEVERAL_TEXTS, shared=True):
            rows = prepared.write(prepared.upload)
            save_pieces(prepared.upload, prepared.text)
            return Receipt(prepared.upload, created=True, rows=rows)
    except IntegrityError:
        if not Upload.objects.filter(text_key=prepared.upload.text_key).exists():
            raise
    return _replace(prepared.upload, prepared.text, prepared.write)


def _replace(upload: Upload, text: Text, write: Callable[[Upload], StoredRows | None]) -> Receipt:
    """The text is already stored: nothing is written, unless that upload failed or was cancelled. Then its row is reused."""
    with take_turns(SEVERAL_TEXTS, shared=True):
        row = Upload.objects.light().select_for_update().get(text_key=upload.text_key)
        if row.status not in REPLACEABLE:
            return Receipt(row, created=False)
        upload.pk, upload.created_at, upload.placed = row.pk, row.created_at, {}
        upload.pieces.all().delete()
        rows = write(upload)
        save_pieces(upload, text)
        return Receipt(upload, created=True, rows=rows)


def reparse(upload_id: int) -> Upload:
    """Rebuild an upload's results from its text, hints and edits. Ids, and names given since, stay."""
    seen = Upload.objects.get(pk=upload_id)
    text = load_text(seen)
    blocks = read_blocks(text)
    reading = _read_again(seen, blocks, text)  # nobody else can change anything in the transaction
    with take_turns():
        upload = Upload.objects.select_for_update().get(pk=upload_id)
        if (upload.edits, upload.hints, upload.blocks) != (seen.edits, seen.hints, seen.blocks):
            reading = _read_again(upload, blocks, text)
        renumber = map_old_keys(upload.blocks, blocks)
        upload.edits = renumber_blocks(upload.edits, renumber)
        for model in (Run, Capture, ConfigText, Timing):
            for row in model.everything.filter(upload=upload).exclude(deletion=None).only("block_key"):
                if (key := renumber(row.block_key)) not in ("", row.block_key):
                    row.block_key = key
                    row.save(update_fields=["block_key"])
        upload.parser_version = parsers.VERSION
        store(upload, reading)
        if nothing := describe_nothing_found(blocks, text.n_lines):
            write_unread(upload, status=Status.FAILED, error=nothing)
    return upload


def _read_again(upload: Upload, blocks: list[parsers.Block], text: Text) -> Reading:
    """The draft of its blocks with its edits, translated to the current block numbers."""
    edits = renumber_blocks(upload.edits, map_old_keys(upload.blocks, blocks))
    reading = draft_blocks(blocks, text, hints=Hints.from_dict(upload.hints), edits=edits, strict=False)
    collect_samples(reading, ignore_progress)
    make_rows(upload, reading)
    return reading


# --- large texts in the queue, which a worker reads ------------------------------------------------------------------------
ATTEMPTS = 3
# PostgreSQL's code of a statement that took too long: of the same text it does so again
TOO_SLOW_FOR_DATABASE = "57014"
STALE = timedelta(seconds=60)  # a reader that has not written for so long is gone
MOST_AT_ONCE = 200
TURN = timedelta(hours=1)  # in which the texts of each user that workers have begun to read are counted


def find_fairer(upload_id: int) -> int:
    """The queued text to read before this one: of the user of whom workers read the fewest texts lately. 0 for none."""
    first = dict(Upload.objects.filter(status=Status.QUEUED).order_by().values_list("created_by").annotate(Min("pk")))
    own = Upload.objects.filter(pk=upload_id, status=Status.QUEUED).values_list("created_by").first()
    if own is None or len(first) < 2:
        return 0
    begun = Upload.objects.filter(attempts__gt=0, created_at__gt=read_database_now() - TURN).order_by()
    n_begun = dict(begun.values_list("created_by").annotate(Count("pk")))
    fewest, pk = min((n_begun.get(user, 0), pk) for user, pk in first.items())
    return pk if fewest < n_begun.get(own[0], 0) else 0


def parse_queued(upload_id: int) -> Upload:
    """Read and store a queued text. Safe to repeat: finished texts and those of other workers stay as they are.

    A text whose reading was interrupted three times (it may kill the worker) is marked failed. It does not count as an attempt if
    the worker is asked to stop, or the database is down, full or read-only: the text is queued again. Raises ReadingStopped or the
    database's error then, TooSlow, and Upload.DoesNotExist.
    """
    now = read_database_now()
    gone = Q(status=Status.PARSING) & (Q(seen_at=None) | Q(seen_at__lt=now - STALE))
    free = Upload.objects.filter(Q(status=Status.QUEUED) | gone, pk=upload_id)
    if free.filter(attempts__gte=ATTEMPTS).exists():
        give_up(upload_id, f"Reading was interrupted {ATTEMPTS} times. The text may be too large; send it in parts.")
    elif free.filter(attempts__lt=ATTEMPTS).update(
        status=Status.PARSING, attempts=F("attempts") + 1, seen_at=now, bytes_read=0, n_blocks=0
    ):
        reader = Reader(upload_id, now)
        size = Upload.objects.values_list("size_bytes", flat=True).get(pk=upload_id)
        try:
            with end_with_worker(most_reading_s(size)):
                _parse(reader)
        except ReadingStopped:
            reader.put_back()
            raise
        except (OperationalError, InterfaceError) as error:
            if getattr(error.__cause__, "pgcode", None) != TOO_SLOW_FOR_DATABASE:
                with suppress(DatabaseError):  # else `requeue_overdue` queues it again, which counts as an attempt
                    reader.put_back()
            raise
    return Upload.everything.defer("raw").get(pk=upload_id)


def _parse(reader: Reader) -> None:
    try:
        queued = Upload.objects.get(pk=reader.upload_id)
        text = load_text(queued)
        hints = Hints.from_dict(queued.hints)
        # Before the transaction: SQLite lets nobody else write while one is open. A queued upload's edits do not change.
        reading = read(text, hints=hints, edits=queued.edits, on_progress=reader.add_progress)
        collect_samples(reading, reader.add_progress)
        make_rows(queued, reading)
        reader.save_progress()
        with transaction.atomic():
            upload = Upload.objects.select_for_update().get(pk=reader.upload_id)
            if upload.status != Status.PARSING or upload.seen_at != reader.claimed_at:
                return
            upload.parser_version = parsers.VERSION
            if nothing := describe_nothing_found(reading.blocks, text.n_lines):
                write_unread(upload, status=Status.FAILED, error=nothing)
            else:
                store(upload, reading)
    except (Superseded, Upload.DoesNotExist):  # cancelled, read by another worker, or deleted
        return
    except (Rejected, Broken) as error:  # the sender has gone, so the upload's row says it
        give_up(reader.upload_id, str(error))


def give_up(upload_id: int, message: str) -> None:
    """Mark a text as failed, so that nobody waits for it."""
    _select_unfinished(upload_id).update(status=Status.FAILED, error=message)


def cancel(upload_id: int) -> bool:
    """Cancel the reading of a text, which is kept without results. False if it has been read."""
    message = "Cancelled before it was read. Send it again to read it."
    return bool(_select_unfinished(upload_id).update(status=Status.CANCELLED, error=message))


def _select_unfinished(upload_id: int) -> QuerySet[Upload]:
    return Upload.objects.filter(pk=upload_id, status__in=(Status.QUEUED, Status.PARSING))


def requeue_overdue() -> list[int]:
    """Queue texts again whose message was lost or whose worker is gone, and return their ids.

    Each is returned at most once a minute.
    """
    now = read_database_now()
    long_ago = Q(seen_at__lt=now - STALE) | Q(seen_at=None, created_at__lt=now - STALE)
    unfinished = Upload.objects.filter(long_ago, status__in=(Status.QUEUED, Status.PARSING)).order_by("pk")
    with transaction.atomic():
        # A row that is locked is being stored at this moment.
        overdue = list(unfinished.select_for_update(skip_locked=True).values_list("pk", flat=True)[:MOST_AT_ONCE])
        Upload.objects.filter(pk__in=overdue).update(status=Status.QUEUED, seen_at=now)
    return overdue
