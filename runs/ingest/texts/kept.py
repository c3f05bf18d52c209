"""Texts in the database: the first piece in the upload's own row, the others in rows of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runs.models import Piece, Upload

from .manner import OPENING, manner_of
from .spool import size_of, unpacked
from .text import Text

TOGETHER = 4  # pieces that are written or fetched by one statement


@dataclass(frozen=True)
class Kept:
    """The pieces of an upload."""

    upload: Upload

    def packed(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """The pieces of these numbers, which ascend."""
        if numbers and numbers[0] == 0:
            yield bytes(self.upload.raw)
            numbers = numbers[1:]
        for at in range(0, len(numbers), TOGETHER):
            wanted = self.upload.pieces.filter(number__in=numbers[at : at + TOGETHER]).order_by("number")
            yield from map(bytes, list(wanted.values_list("data", flat=True)))


def columns_of(text: Text) -> dict[str, Any]:
    """What an upload's row says of its text."""
    return {
        "sha256": text.sha256,
        "text_key": text.key,
        "raw": next(text.stored.packed([0])),
        "n_pieces": text.n_pieces,
        "size_bytes": text.size_bytes,
        "encoding": text.encoding,
        "n_lines": text.n_lines,
    }


def save_pieces(upload: Upload, text: Text) -> None:
    """Store all but the first piece."""
    for first in range(1, text.n_pieces, TOGETHER):
        stop = min(first + TOGETHER, text.n_pieces)
        Piece.objects.bulk_create(
            Piece(upload=upload, number=n, first_line=text.first_lines[n], size_bytes=size_of(data), data=data)
            for n, data in enumerate(text.stored.packed(range(first, stop)), first)
        )


def text_of(upload: Upload) -> Text:
    """The text of a stored upload. One query where it has one piece, two where it has more, and one a read."""
    others = upload.pieces.order_by("number").values_list("first_line", flat=True) if upload.n_pieces > 1 else ()
    opening = unpacked(bytes(upload.raw))
    manner = manner_of(opening if upload.n_pieces == 1 else opening[:OPENING], upload.encoding or "utf-8")
    lines = upload.n_lines
    return Text(manner, upload.size_bytes, lines, upload.sha256, upload.text_key, Kept(upload), (1, *others))
