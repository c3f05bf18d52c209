"""The one door for texts: preview and submit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

import parsers
from runs.models import Upload

from .draft import Draft
from .edits import Edits
from .fitting import fitted
from .hints import Hints
from .reading import Reading, Told, nobody, nothing_found, read
from .receiving import Incoming, receive, redact_text
from .redact import Secret
from .rejected import Rejected
from .store import Rows, store
from .text_storage import LazyLines, Text, save_pieces, text_columns

Status = Upload.Status
NO_HINTS = Hints()
GIVES_WAY = (Status.FAILED, Status.CANCELLED)


@dataclass(frozen=True)
class Preview:
    """What a text would become. `existing`: the upload that has this text already, or None."""

    lines: Sequence[str]
    blocks: list[parsers.Block]
    draft: Draft
    secrets: list[Secret]
    problems: list[parsers.Problem]
    existing: Upload | None


@dataclass(frozen=True)
class Receipt:
    """created False: the same text was there already and nothing was stored.

    rows   what was stored just now, so that nobody has to read it back; None for a text that was there or has to wait
    """

    upload: Upload
    created: bool
    rows: Rows | None = field(default=None, compare=False, repr=False)


def preview(data: Incoming, *, hints: Hints = NO_HINTS, edits: Edits | None = None) -> Preview:
    """Read the text and store nothing. Raises Rejected 400, 413, 415."""
    text = receive(data)
    found = read(text, hints=hints, edits=edits)
    existing = Upload.objects.light().filter(text_key=text.key).first()
    return Preview(LazyLines(text), found.blocks, found.draft, text.secrets, found.problems, existing)


def submit(
    data: Incoming,
    *,
    door: str,
    name: str = "",
    user: User | None = None,
    hints: Hints = NO_HINTS,
    edits: Edits | None = None,
    redact: Collection[str] = (),
    may_queue: bool = False,
    told: Told = nobody,
) -> Receipt:
    """Store a text and its results, all or nothing; a text that is there already changes nothing.

    redact: keys of secrets out of a preview, or EVERY_SECRET. told: hears how far the reading is.
    may_queue: a large text is only kept, status "queued"; the caller then passes it to `tasks.hand_over`.
    Raises Rejected 400, 413, 415, and 422 where nothing is recognised (then the text is kept, status "failed").
    """
    same: dict[str, Any] = {"hints": hints, "edits": edits, "redact": redact, "may_queue": may_queue, "told": told}
    return _commit(_prepare(data, door=door, name=name, user=user, **same))


def submit_all(files: Iterable[tuple[str, Incoming]], **same: Any) -> list[Receipt]:
    """`submit` for several (name, text), all or nothing: where one is rejected none is stored."""
    prepared = [_prepare_named(name, data, same) for name, data in files]
    if len(prepared) == 1:
        return [_commit(prepared[0])]
    with transaction.atomic():
        return [_commit(one) for one in prepared]


@dataclass(frozen=True)
class _Prepared:
    """A text that is read, and either there already, or to be stored, or (found None) to be queued."""

    upload: Upload
    text: Text
    exists: bool
    found: Reading | None = None


def _prepare(
    data: Incoming,
    *,
    door: str,
    name: str = "",
    user: User | None = None,
    hints: Hints = NO_HINTS,
    edits: Edits | None = None,
    redact: Collection[str] = (),
    may_queue: bool = False,
    told: Told = nobody,
) -> _Prepared:
    """All that needs no transaction. Only a text in which nothing is recognised is stored here, for inspection."""
    text = redact_text(receive(data), redact)
    existing = Upload.objects.light().filter(text_key=text.key).exclude(status__in=GIVES_WAY).order_by().first()
    if existing is not None:
        return _Prepared(existing, text, exists=True)
    upload = _new_upload(text, door=door, name=name, user=user, hints=hints, edits=edits)
    if may_queue and text.size_bytes > settings.QUEUE_UPLOAD_BYTES:
        return _Prepared(upload, text, exists=False)
    found = read(text, hints=hints, edits=edits, told=told)
    if not found.blocks:
        unread = partial(_write_unread, status=Status.FAILED, error=nothing_found(text.n_lines))
        kept = _keep(upload, text, unread).upload
        raise Rejected(422, [{"line": None, "message": kept.error}], kept)
    return _Prepared(upload, text, exists=False, found=found)


def _commit(prepared: _Prepared) -> Receipt:
    if prepared.exists:
        return Receipt(prepared.upload, created=False)
    if prepared.found is None:
        return _keep(prepared.upload, prepared.text, partial(_write_unread, status=Status.QUEUED))
    return _keep(prepared.upload, prepared.text, partial(store, reading=prepared.found))


def _prepare_named(name: str, data: Incoming, same: dict[str, Any]) -> _Prepared:
    """Of several texts, each error says which it is about."""
    try:
        return _prepare(data, name=name, **same)
    except Rejected as error:
        raise error.about(name) from error.__cause__


def _new_upload(text: Text, *, door: str, name: str, user: User | None, hints: Hints, edits: Edits | None) -> Upload:
    """An upload that is not saved yet."""
    return Upload(
        **fitted(Upload, name=name, hints=hints.as_dict(), edits=edits or {}),
        **text_columns(text),
        door=door,
        parser_version=parsers.VERSION,
        created_by=user,
    )


def _keep(upload: Upload, text: Text, write: Callable[[Upload], Rows | None]) -> Receipt:
    """Write a new upload in one transaction, unless the same text has come in meanwhile.

    Nobody asks beforehand: the database's unique key decides who was first.
    """
    try:
        with transaction.atomic():
            rows = write(upload)
            save_pieces(upload, text)
            return Receipt(upload, created=True, rows=rows)
    except IntegrityError:
        if not Upload.objects.filter(text_key=upload.text_key).exists():
            raise
    return _keep_beside(upload, text, write)


def _keep_beside(upload: Upload, text: Text, write: Callable[[Upload], Rows | None]) -> Receipt:
    """The text is there already: nothing is written. A failed or cancelled upload gives way, its row is used again."""
    with transaction.atomic():
        row = Upload.objects.light().select_for_update().get(text_key=upload.text_key)
        if row.status not in GIVES_WAY:
            return Receipt(row, created=False)
        upload.pk, upload.created_at, upload.placed = row.pk, row.created_at, {}
        upload.pieces.all().delete()
        rows = write(upload)
        save_pieces(upload, text)
        return Receipt(upload, created=True, rows=rows)


def _write_unread(upload: Upload, *, status: Status, error: str = "") -> None:
    """The text alone."""
    upload.status, upload.error = status, error
    upload.save()
