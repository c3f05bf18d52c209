"""Reading what is stored: a queued text for the first time, any other one anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

import parsers
from runs.models import Upload

from .edits import Edits
from .hints import Hints
from .progress import Reader, Superseded, claim, is_hopeless
from .reading import Reading, blocks_of, drafted, nothing_found, read
from .rejected import Rejected
from .store import store
from .text_storage import text_of

Status = Upload.Status
ATTEMPTS = 3


def parse_queued(upload_id: int) -> Upload:
    """Read and store a queued text. Safe to repeat: what is done, and what somebody reads, stays as it is.

    A text whose reading was broken off three times (it may be what kills the worker) is given up.
    Raises Upload.DoesNotExist.
    """
    if is_hopeless(upload_id, ATTEMPTS):
        give_up(upload_id, f"Reading was broken off {ATTEMPTS} times. The text may be too large; send it in parts.")
    elif (reader := claim(upload_id, ATTEMPTS)) is not None:
        _parse(reader)
    return Upload.objects.light().get(pk=upload_id)


def _parse(reader: Reader) -> None:
    queued = Upload.objects.get(pk=reader.upload_id)
    text = text_of(queued)
    try:
        # Before the transaction: SQLite lets nobody else write while one is open. Nothing changes a queued upload's edits.
        found = read(text, hints=Hints.from_dict(queued.hints), edits=queued.edits, told=reader.hear)
        reader.tell()
        with transaction.atomic():
            upload = Upload.objects.select_for_update().get(pk=reader.upload_id)
            if reader.is_mine(upload):
                _store_anew(upload, found, text.n_lines, keep_empty=True)
    except Superseded:
        return
    except Rejected as error:  # edits that do not fit the text: the sender has gone, so the upload says it
        give_up(reader.upload_id, str(error))


def give_up(upload_id: int, message: str) -> None:
    """Mark a text whose reading broke down, so that nobody waits for it."""
    unfinished = Upload.objects.filter(pk=upload_id, status__in=(Status.QUEUED, Status.PARSING))
    unfinished.update(status=Status.FAILED, error=message)


def cancel(upload_id: int) -> bool:
    """Stop waiting for a text: it is kept, and nothing of it is stored. False where it was read already."""
    unfinished = Upload.objects.filter(pk=upload_id, status__in=(Status.QUEUED, Status.PARSING))
    return bool(
        unfinished.update(status=Status.CANCELLED, error="Cancelled before it was read. Send it again to have it read.")
    )


def reparse(upload_id: int) -> Upload:
    """Build an upload's results anew from its text, hints and edits. Ids, and names given since, stay."""
    text = text_of(Upload.objects.get(pk=upload_id))
    blocks = blocks_of(text)
    with transaction.atomic():
        upload = Upload.objects.select_for_update().get(pk=upload_id)
        upload.edits = _renumbered(upload.edits, upload.blocks, blocks)
        hints = Hints.from_dict(upload.hints)
        found = drafted(blocks, text, hints=hints, edits=upload.edits, strict=False)
        _store_anew(upload, found, text.n_lines, keep_empty=False)
    return upload


def lines_of(upload: Upload) -> list[str]:
    """The upload's whole text, line by line, as its line numbers count. Of a large one read what you need: `text_of`."""
    return list(text_of(upload).lines())


def _store_anew(upload: Upload, found: Reading, n_lines: int, *, keep_empty: bool) -> None:
    """Store what the upload's own text gives now; the caller holds the transaction and the row's lock.

    keep_empty: where nothing is recognised, leave what is stored as it is; else nothing of it stays.
    """
    upload.parser_version = parsers.VERSION
    if found.blocks or not keep_empty:
        store(upload, found)
    if not found.blocks:
        upload.status, upload.error = Status.FAILED, nothing_found(n_lines)
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
