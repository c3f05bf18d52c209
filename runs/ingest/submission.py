"""Texts come in here: read, previewed, stored or queued, and parsed again by a later version."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Required, TypedDict, Unpack

from django.conf import settings
from django.contrib.auth.models import User
from django.db import (
    DataError,
    IntegrityError,
    transaction,
)

import parsers
from parsers.blocks import UNFORESEEN
from runs.models import Capture, ConfigText, Run, Timing, Upload
from runs.querysets import database_now, take_turns

from .draft import Draft, Hints
from .edits import Edits, apply_edits, map_old_keys, renumber_blocks
from .reading import (
    AT_ONCE_BLOCKS,
    MOST_BLOCKS,
    PREVIEW_BLOCKS,
    OnProgress,
    TooSlow,
    collect_samples,
    draft_blocks,
    ignore_progress,
    limit_time,
    nothing_found,
    read,
    read_blocks,
)
from .receiving import Incoming, mask_stored, receive, redact_text
from .recorded import add_header
from .redact import mask_json
from .store import Rows, store, write_unread
from .text_storage import Text, save_pieces, text_columns, text_of
from .validation import Broken, Rejected, rejected, truncate

Status = Upload.Status
NO_HINTS = Hints()
REPLACEABLE = (Status.FAILED, Status.CANCELLED)  # an upload whose text may be sent again


@dataclass(frozen=True)
class Preview:
    """What a text would become. `existing`: the upload that has this text already, or None."""

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
    rows: Rows | None = field(default=None, compare=False, repr=False)


def preview(data: Incoming, *, hints: Hints = NO_HINTS, edits: Edits | None = None) -> Preview:
    """Read the text and store nothing. Raises Rejected 400, 413, 415."""
    text = receive(data)
    hints = add_header(hints, text)
    try:
        on_progress = limit_time(ignore_progress)
        reading = read(text, hints=hints, edits=edits, on_progress=on_progress, at_once=PREVIEW_BLOCKS)
    except TooSlow as error:
        raise rejected(
            413, "This text takes too long to read for a preview. Send it to the REST API: there a worker reads it."
        ) from error
    except Broken as error:
        raise rejected(422, str(error)) from error
    existing = Upload.objects.light().filter(text_key=text.key).first()
    return Preview(text, reading.blocks, reading.draft, reading.problems, existing)


def with_edits(guess: Preview, edits: Edits) -> Preview:
    """A preview of a text without edits, edited. Raises Rejected 400 for edits that do not fit."""
    return replace(guess, draft=apply_edits(guess.draft, edits)) if edits else guess


class Options(TypedDict, total=False):
    """What `submit` takes beside a text.

    redact       keys of secrets out of a preview, or EVERY_SECRET
    may_queue    a text that is large or slow to read is only kept, status "queued"; the caller then passes it to
                 `tasks.hand_over`
    on_progress  called while the text is read
    """

    origin: Required[str]
    user: User | None
    hints: Hints
    edits: Edits | None
    redact: Collection[str]
    may_queue: bool
    on_progress: OnProgress


def submit(data: Incoming, *, name: str = "", **options: Unpack[Options]) -> Receipt:
    """Store a text and its results, all or nothing; a text that is there already changes nothing.

    Raises Rejected 400, 413, 415, and 422 where nothing is recognised (then the text is kept, status "failed").
    """
    return _save_all([_prepare(data, name, options)])[0]


def submit_all(files: Iterable[tuple[str, Incoming]], **options: Unpack[Options]) -> list[Receipt]:
    """`submit` for several (name, text), all or nothing: where one is rejected none is stored."""
    prepared = []
    for name, data in files:
        try:
            prepared.append(_prepare(data, name, options))
        except Rejected as error:
            raise error.about(name) from error.__cause__
    return _save_all(prepared)


@dataclass(frozen=True)
class _Prepared:
    """A text and what writes its upload, which may be there already (write None)."""

    upload: Upload
    text: Text
    write: Callable[[Upload], Rows | None] | None


def _prepare(data: Incoming, name: str, options: Options) -> _Prepared:
    """All that needs no transaction. Only a text in which nothing is recognised is stored here, for inspection."""
    text, edits = receive(data), options.get("edits")
    hints = add_header(options.get("hints", NO_HINTS), text)
    if redact := options.get("redact"):
        text = redact_text(text, redact)
    existing = Upload.objects.light().filter(text_key=text.key).exclude(status__in=REPLACEABLE).order_by().first()
    if existing is not None:
        return _Prepared(existing, text, None)
    upload = Upload(
        **truncate(Upload, name=name, hints=hints.as_dict(), edits=edits or {}),
        **text_columns(text),
        origin=options["origin"],
        parser_version=parsers.VERSION,
        created_by=options.get("user"),
    )
    may_queue, on_progress = options.get("may_queue"), options.get("on_progress", ignore_progress)
    if may_queue and text.size_bytes > settings.QUEUE_UPLOAD_BYTES:
        return _for_worker(upload, text)
    on_progress, at_once = (limit_time(on_progress), AT_ONCE_BLOCKS) if may_queue else (on_progress, MOST_BLOCKS)
    try:
        reading = read(text, hints=hints, edits=edits, on_progress=on_progress, at_once=at_once)
        collect_samples(reading, on_progress)
    except TooSlow:  # a worker has more time
        return _for_worker(upload, text)
    except Broken as error:
        raise _keep_unread(upload, text, str(error)) from error
    if not reading.blocks:
        raise _keep_unread(upload, text, nothing_found(text.n_lines))
    return _Prepared(upload, text, partial(store, reading=reading))


def _keep_unread(upload: Upload, text: Text, message: str) -> Rejected:
    """Keep a text of which nothing is stored, for inspection; what says so to its sender."""
    write = partial(write_unread, status=Status.FAILED, error=message)
    stored = _save(_Prepared(upload, text, write)).upload
    return Rejected(422, [{"line": None, "message": message}], stored)


def _for_worker(upload: Upload, text: Text) -> _Prepared:
    upload.seen_at = database_now()
    return _Prepared(upload, text, partial(write_unread, status=Status.QUEUED))


def _save_all(prepared: Sequence[_Prepared]) -> list[Receipt]:
    """Save all or none; where a fault of our own prevents it, the text that it happens at is kept."""
    saving = prepared[0]
    try:
        if len(prepared) == 1:
            return [_save(saving)]
        receipts = []
        with transaction.atomic():
            for saving in prepared:
                receipts.append(_save(saving))
        return receipts
    except (*UNFORESEEN, DataError) as failure:
        upload = saving.upload
        upload.pk, upload.blocks, upload.problems, upload.placed = None, [], [], {}
        raise _keep_unread(upload, saving.text, str(Broken(failure))) from failure


def _save(prepared: _Prepared) -> Receipt:
    """Write a new upload in one transaction, unless the same text has come in meanwhile: the unique key decides."""
    if prepared.write is None:
        return Receipt(prepared.upload, created=False)
    try:
        with transaction.atomic():
            rows = prepared.write(prepared.upload)
            save_pieces(prepared.upload, prepared.text)
            return Receipt(prepared.upload, created=True, rows=rows)
    except IntegrityError:
        if not Upload.objects.filter(text_key=prepared.upload.text_key).exists():
            raise
    return _replace(prepared.upload, prepared.text, prepared.write)


def _replace(upload: Upload, text: Text, write: Callable[[Upload], Rows | None]) -> Receipt:
    """The text is there already: nothing is written, unless that upload failed or was cancelled. Then its row is reused."""
    with transaction.atomic():
        row = Upload.objects.light().select_for_update().get(text_key=upload.text_key)
        if row.status not in REPLACEABLE:
            return Receipt(row, created=False)
        upload.pk, upload.created_at, upload.placed = row.pk, row.created_at, {}
        upload.pieces.all().delete()
        rows = write(upload)
        save_pieces(upload, text)
        return Receipt(upload, created=True, rows=rows)


def reparse(upload_id: int) -> Upload:
    """Build an upload's results again from its text, hints and edits. Ids, and names given since, stay."""
    text = text_of(Upload.objects.get(pk=upload_id))
    blocks = read_blocks(text)
    with take_turns():
        upload = Upload.objects.select_for_update().get(pk=upload_id)
        renumber = map_old_keys(upload.blocks, blocks)
        upload.edits = renumber_blocks(upload.edits, renumber)
        for model in (Run, Capture, ConfigText, Timing):
            for row in model.everything.filter(upload=upload).exclude(deletion=None).only("block_key"):
                row.block_key = renumber(row.block_key) or row.block_key
                row.save(update_fields=["block_key"])
        hints = Hints.from_dict(upload.hints)
        upload.parser_version = parsers.VERSION
        store(upload, draft_blocks(blocks, text, hints=hints, edits=upload.edits, strict=False))
        if not blocks:
            write_unread(upload, status=Status.FAILED, error=nothing_found(text.n_lines))
    return upload


SHORTEST_SECRET = 4  # characters; a shorter word would be blacked out inside of figures and other words


def mask_text(upload_id: int, words: Iterable[str]) -> list[str]:
    """Replace what looks like a secret, and these words, by "[redacted]" in a stored text; what was replaced, longest first.

    What was made of the text is still to be masked (`mask_names`) and made anew (`reparse`); a large text is queued for that.
    Raises Rejected 400 for a word that is too short, and 409 for a text that is still to be read.
    """
    words = [word.strip() for word in words if word.strip()]
    if short := [word for word in words if len(word) < SHORTEST_SECRET]:
        raise rejected(
            400, f"{short[0]!r} is too short to be blacked out; expected {SHORTEST_SECRET} characters or more."
        )
    upload = Upload.objects.select_for_update().get(pk=upload_id)
    if upload.is_waited_for:
        raise rejected(409, "The text is still to be read. Black out its secrets after that, or cancel it.")
    text, masked = mask_stored(text_of(upload), words)
    gone = [word for word in masked if len(word) >= SHORTEST_SECRET]
    own = {name: mask_json(getattr(upload, name), gone) for name in ("name", "hints", "edits", "problems", "error")}
    for name, value in (text_columns(text) | own).items():
        setattr(upload, name, value)
    if text.size_bytes > settings.QUEUE_UPLOAD_BYTES:
        upload.status, upload.attempts, upload.seen_at = Status.QUEUED, 0, None
    upload.save()
    upload.pieces.all().delete()
    save_pieces(upload, text)
    return gone


def lines_of(upload: Upload) -> list[str]:
    """The upload's whole text, line by line, as its line numbers count. For parts of a large one use `text_of`."""
    return list(text_of(upload).lines())
