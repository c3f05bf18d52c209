"""The one door for texts: preview, submit, and reading again what is stored."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

import parsers
from runs.models import Upload

from .draft import Draft
from .edits import Edits
from .fitting import fitted
from .hints import Hints
from .reading import Reading, Text, drafted, nothing_found, read, text_of
from .redact import Secret
from .rejected import Rejected
from .store import store

Status = Upload.Status
NO_HINTS = Hints()
ATTEMPTS = 3


@dataclass(frozen=True)
class Preview:
    """What a text would become. `existing`: the upload that has this text already, or None."""

    lines: list[str]
    blocks: list[parsers.Block]
    draft: Draft
    secrets: list[Secret]
    problems: list[parsers.Problem]
    existing: Upload | None


@dataclass(frozen=True)
class Receipt:
    """created False: the same text was there already and nothing was stored."""

    upload: Upload
    created: bool


def preview(data: bytes, *, hints: Hints = NO_HINTS, edits: Edits | None = None) -> Preview:
    """Read the text and store nothing. Raises Rejected 400, 413, 415."""
    text = text_of(data)
    found = read(text.lines, hints=hints, edits=edits)
    existing = Upload.objects.light().filter(text_key=text.key).first()
    return Preview(text.lines, found.blocks, found.draft, text.secrets, found.problems, existing)


def submit(
    data: bytes,
    *,
    door: str,
    name: str = "",
    user: User | None = None,
    hints: Hints = NO_HINTS,
    edits: Edits | None = None,
    redact: Collection[str] = (),
    may_queue: bool = False,
) -> Receipt:
    """Store a text and its results, all or nothing; a text that is there already changes nothing.

    may_queue: a large text is only kept, status "queued"; the caller then passes it to `tasks.hand_over`.
    Raises Rejected 400, 413, 415, and 422 where nothing is recognised (then the text is kept, status "failed").
    """
    return _commit(
        _prepare(data, door=door, name=name, user=user, hints=hints, edits=edits, redact=redact, may_queue=may_queue)
    )


def submit_all(files: Iterable[tuple[str, bytes]], **same: Any) -> list[Receipt]:
    """`submit` for several (name, bytes), all or nothing: where one is rejected none is stored."""
    prepared = [_prepare_named(name, data, same) for name, data in files]
    with transaction.atomic():
        return [_commit(one) for one in prepared]


@dataclass(frozen=True)
class _Prepared:
    """A text that is read, and either there already, or to be stored, or (found None) to be queued."""

    upload: Upload
    exists: bool
    found: Reading | None = None


def _prepare(
    data: bytes,
    *,
    door: str,
    name: str = "",
    user: User | None = None,
    hints: Hints = NO_HINTS,
    edits: Edits | None = None,
    redact: Collection[str] = (),
    may_queue: bool = False,
) -> _Prepared:
    """All that needs no transaction. Only a text in which nothing is recognised is stored here, for inspection."""
    text = text_of(data, redact)
    existing = Upload.objects.light().filter(text_key=text.key).exclude(status=Status.FAILED).first()
    if existing is not None:
        return _Prepared(existing, exists=True)
    upload = _new_upload(text, door=door, name=name, user=user, hints=hints, edits=edits)
    if may_queue and len(data) > settings.QUEUE_UPLOAD_BYTES:
        return _Prepared(upload, exists=False)
    found = read(text.lines, hints=hints, edits=edits)
    if not found.blocks:
        kept = _keep(upload, Status.FAILED, nothing_found(len(text.lines))).upload
        raise Rejected(422, [{"line": None, "message": kept.error}], kept)
    return _Prepared(upload, exists=False, found=found)


def _commit(prepared: _Prepared) -> Receipt:
    if prepared.exists:
        return Receipt(prepared.upload, created=False)
    if prepared.found is None:
        return _keep(prepared.upload, Status.QUEUED)
    with transaction.atomic():
        receipt = _keep(prepared.upload, Status.PARSING)
        if receipt.created:
            store(receipt.upload, prepared.found)
    return receipt


def parse_queued(upload_id: int) -> Upload:
    """Read and store a queued text. Safe to repeat: what is done stays as it is. Raises Upload.DoesNotExist.

    A text whose reading was broken off three times (it may be what kills the worker) is given up.
    """
    waiting = Upload.objects.filter(pk=upload_id, status__in=(Status.QUEUED, Status.PARSING))
    if waiting.filter(attempts__gte=ATTEMPTS).exists():
        give_up(upload_id, f"Reading was broken off {ATTEMPTS} times. The text may be too large; send it in parts.")
    elif waiting.update(status=Status.PARSING, attempts=F("attempts") + 1):
        _parse(upload_id)
    return Upload.objects.light().get(pk=upload_id)


def _parse(upload_id: int) -> None:
    try:
        with transaction.atomic():
            upload = Upload.objects.select_for_update().get(pk=upload_id)
            if upload.status == Status.PARSING:
                _reread(upload, strict=True)
    except Rejected as error:  # edits that do not fit the text: the sender has gone, so the upload says it
        give_up(upload_id, str(error))


def give_up(upload_id: int, message: str) -> None:
    """Mark a text whose reading broke down, so that nobody waits for it."""
    unfinished = Upload.objects.filter(pk=upload_id, status__in=(Status.QUEUED, Status.PARSING))
    unfinished.update(status=Status.FAILED, error=message)


def reparse(upload_id: int) -> Upload:
    """Build an upload's results anew from its text, hints and edits. Ids, and names given since, stay."""
    with transaction.atomic():
        upload = Upload.objects.select_for_update().get(pk=upload_id)
        _reread(upload, strict=False)
    return upload


def lines_of(upload: Upload) -> list[str]:
    """The upload's text, line by line, as its line numbers count."""
    return stored_text(upload).lines


def stored_text(upload: Upload) -> Text:
    return text_of(zlib.decompress(bytes(upload.raw)))


def _prepare_named(name: str, data: bytes, same: dict[str, Any]) -> _Prepared:
    """Of several texts, each error says which it is about."""
    try:
        return _prepare(data, name=name, **same)
    except Rejected as error:
        prefix = f"{name}: " if name else ""
        error.errors = [{"line": each["line"], "message": prefix + each["message"]} for each in error.errors]
        raise


def _new_upload(text: Text, *, door: str, name: str, user: User | None, hints: Hints, edits: Edits | None) -> Upload:
    """An upload that is not saved yet."""
    return Upload(
        **fitted(Upload, name=name, hints=hints.as_dict(), edits=edits or {}),
        sha256=hashlib.sha256(text.data).hexdigest(),
        text_key=text.key,
        raw=zlib.compress(text.data, 6),
        size_bytes=len(text.data),
        encoding=text.encoding,
        n_lines=len(text.lines),
        door=door,
        parser_version=parsers.VERSION,
        created_by=user,
    )


def _keep(upload: Upload, status: Status, error: str = "") -> Receipt:
    """Save it, unless the same text has come in meanwhile: the database's unique key decides who was first.

    A failed upload of the same text gives way: its row is used again.
    """
    upload.status, upload.error = status, error
    columns = {f.attname: getattr(upload, f.attname) for f in Upload._meta.concrete_fields if f.attname not in _GIVEN}
    with transaction.atomic():
        row, created = Upload.objects.light().get_or_create(text_key=upload.text_key, defaults=columns)
        if created:
            return Receipt(row, created=True)
        row = Upload.objects.light().select_for_update().get(pk=row.pk)
        if row.status != Status.FAILED:
            return Receipt(row, created=False)
        for column, value in columns.items():
            setattr(row, column, value)
        row.save()
    return Receipt(row, created=True)


_GIVEN = {"id", "text_key", "created_at"}


def _reread(upload: Upload, *, strict: bool) -> None:
    """Store what the upload's own text gives now; the caller holds the transaction and the row's lock."""
    text = stored_text(upload)
    blocks = list(parsers.read(text.lines))
    if not strict:
        upload.edits = _renumbered(upload.edits, upload.blocks, blocks)
    hints = Hints.from_dict(upload.hints)
    found = drafted(blocks, len(text.lines), hints=hints, edits=upload.edits, strict=strict)
    upload.parser_version = parsers.VERSION
    if found.blocks or not strict:
        store(upload, found)
    if not found.blocks:
        upload.status, upload.error = Status.FAILED, nothing_found(len(text.lines))
        upload.save()


def _renumbered(edits: Edits, before: Sequence[dict[str, Any]], now: Sequence[parsers.Block]) -> Edits:
    """The edits with the keys that their blocks have now: a later parser may see more blocks, or fewer."""
    numbers = {block.first: number for number, block in enumerate(now)}
    keys = {f"b{n}": f"b{numbers[b['lines'][0]]}" for n, b in enumerate(before) if b["lines"][0] in numbers}

    def moved(key: str) -> str:
        block, dot, row = key.partition(".")
        return keys.get(block, "") and keys[block] + dot + row

    blocks = {moved(key): changes for key, changes in edits.get("blocks", {}).items() if moved(key)}
    for key, changes in blocks.items():
        if changes.get("run", "").startswith("b"):
            blocks[key] = {**changes, "run": moved(changes["run"])}
    return {**edits, "blocks": blocks}
