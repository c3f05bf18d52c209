"""Texts in memory and in the database: how they are encoded, stored in compressed pieces, and read without holding all of them.

The first piece of a text is in its upload's own row, the others are rows of their own (model Piece).
"""

from __future__ import annotations

import codecs
import os
import tempfile
import weakref
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from backports import zstd
from django.conf import settings

from parsers.decode import NotText, name_encoding
from runs.models import Piece, Upload

from .redact import Secret
from .validation import rejected

OPENING_BYTES = 2**20  # the encoding and the line ends are detected from this much of a text
MAX_RETURNS = 4096  # carriage returns at a piece's end that wait for the next piece
ZSTD_LEVEL = 3
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
FIRST_BLOCK_BYTES = 2**15  # the first bytes of a text are a zstd block of their own: an excerpt unpacks nothing else
PIECES_A_QUERY = 4
MAX_SPANS = 10_000
PARSED_CHARACTERS = 2**16  # characters that the parsers are given at a time


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text is encoded.

    name       as it is shown and stored
    codec      the same for what does not stand at the text's beginning, where no byte order mark is
    old_mac    lines end with carriage returns: the first MiB has no line feed
    """

    name: str
    codec: str
    old_mac: bool


def detect_encoding(opening: bytes, name: str) -> Encoding:
    """The encoding of a text, from its first MiB or all of it. `name`: where it is known already, else "".

    Raises Rejected 415 for what is no text.
    """
    try:
        name = name or name_encoding(opening)
    except NotText as error:
        raise rejected(415, f"Not a text: {error}.", line=1) from error
    codec = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, name)
    if name in ("utf-16", "utf-32") and opening.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        codec = f"{name}-be"
    characters = opening.decode(name, errors="replace") if "16" in codec or "32" in codec else opening.decode("latin-1")
    return Encoding(name, codec, old_mac="\r" in characters and "\n" not in characters)


class Decoder:
    """Decodes the pieces of a text in order, from its beginning or from that of any line on, with plain line feeds.

    Only carriage returns at a piece's end wait for the next piece: a line feed may follow.
    """

    def __init__(self, encoding: Encoding, *, first: bool) -> None:
        self._old_mac = encoding.old_mac
        self._decoder = codecs.getincrementaldecoder(encoding.name if first else encoding.codec)(errors="replace")
        self._returns = ""

    def decode(self, piece: bytes, *, last: bool = False) -> str:
        """Undecodable bytes become U+FFFD. `last`: no other piece comes."""
        text = self._returns + self._decoder.decode(piece, last)
        self._returns = ""
        if "\r" not in text:
            return text
        if not last and not self._old_mac:  # in old Mac texts a piece includes the line feed that follows a return
            self._returns = text[len(text.rstrip("\r")) :][:MAX_RETURNS]
            text = text[: len(text) - len(self._returns)]
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self._old_mac else text


def compress_piece(piece: bytes, *, first: bool) -> bytes:
    """A piece as it is stored. The opening of the `first` one can be unpacked without the rest."""
    if not first or len(piece) <= FIRST_BLOCK_BYTES:
        return zstd.compress(piece, ZSTD_LEVEL)
    compressor = zstd.ZstdCompressor(ZSTD_LEVEL)
    head = compressor.compress(piece[:FIRST_BLOCK_BYTES], zstd.ZstdCompressor.FLUSH_BLOCK)
    return head + compressor.compress(memoryview(piece)[FIRST_BLOCK_BYTES:], zstd.ZstdCompressor.FLUSH_FRAME)


def decompress_piece(data: bytes) -> bytes:
    """A stored piece. Texts of earlier versions are compressed by zlib, each as a whole."""
    return zstd.decompress(data) if data.startswith(ZSTD_MAGIC) else zlib.decompress(data)


def read_opening(packed: bytes, encoding: str, *, max_bytes: int) -> list[str]:
    """The complete lines at the beginning of a text, from the first bytes of Upload.raw or all of them.

    At most `max_bytes` of the text are unpacked.
    """
    decompressor = zstd.ZstdDecompressor() if packed.startswith(ZSTD_MAGIC) else zlib.decompressobj()
    data = decompressor.decompress(packed, max_bytes)
    text = data.decode(encoding or "utf-8", errors="replace").replace("\r\n", "\n")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    *lines, rest = text.split("\n")
    return [*lines, rest] if decompressor.eof and rest else lines


class PieceSpool:
    """Compressed pieces of a text that is not stored yet: the first in memory, others in an anonymous temporary file."""

    def __init__(self) -> None:
        self._first: bytes | None = None
        self._ends = [0]
        self._file: int | None = None

    def add(self, data: bytes) -> None:
        if self._first is None:
            self._first = data
            return
        if self._file is None:
            file = tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=0)  # noqa: SIM115  (closed with the spool)
            weakref.finalize(self, file.close)
            self._file = file.fileno()
        os.pwrite(self._file, data, self._ends[-1])
        self._ends.append(self._ends[-1] + len(data))

    def packed(self, numbers: Sequence[int]) -> Iterator[bytes]:
        for number in numbers:
            if number == 0:
                yield self._first or b""
            elif self._file is not None:
                begin, end = self._ends[number - 1], self._ends[number]
                yield os.pread(self._file, end - begin, begin)


@dataclass(frozen=True)
class UploadPieces:
    upload: Upload

    def packed(self, numbers: Sequence[int]) -> Iterator[bytes]:
        if numbers and numbers[0] == 0:
            yield bytes(self.upload.raw)
            numbers = numbers[1:]
        for at in range(0, len(numbers), PIECES_A_QUERY):
            rows = self.upload.pieces.filter(number__in=numbers[at : at + PIECES_A_QUERY]).order_by("number")
            yield from map(bytes, list(rows.values_list("data", flat=True)))


class DecodedPiece(NamedTuple):
    """continues_line: it begins within a line of the piece before. size_bytes: of the text as it was sent."""

    text: str
    continues_line: bool
    size_bytes: int


@dataclass
class Text:
    """One text, read piece by piece.

    sha256       of its bytes
    key          the same for the same text, whatever its encoding, line ends or redactions
    first_lines  number of the line (from 1) that each piece begins with or, where a line has several pieces, continues
    secrets      what in it looks like a secret; empty for a text out of the database
    """

    encoding: Encoding
    size_bytes: int
    n_lines: int
    sha256: str
    key: str
    stored: PieceSpool | UploadPieces
    first_lines: Sequence[int] = (1,)
    secrets: list[Secret] = field(default_factory=list)
    _last_read: tuple[int, list[str]] = (-1, [])

    @property
    def n_pieces(self) -> int:
        return len(self.first_lines)

    def pieces(self, on_read: Callable[[int], None] = lambda n_bytes: None) -> Iterator[str]:
        """The whole text in order, in parts that may end anywhere. `on_read` is called with each number of bytes read."""
        for piece in self.decoded_pieces():
            n_parts = -(-len(piece.text) // PARSED_CHARACTERS) or 1
            for number in range(n_parts):
                yield piece.text[number * PARSED_CHARACTERS : (number + 1) * PARSED_CHARACTERS]
                on_read(piece.size_bytes * (number + 1) // n_parts - piece.size_bytes * number // n_parts)

    def decoded_pieces(self) -> Iterator[DecodedPiece]:
        decoder, line_before = Decoder(self.encoding, first=True), 0
        for number, data in enumerate(self.bytes()):
            text = decoder.decode(data, last=number + 1 == self.n_pieces)
            yield DecodedPiece(text, self.first_lines[number] == line_before, len(data))
            line_before = self.first_lines[number]

    def bytes(self) -> Iterator[bytes]:
        return map(decompress_piece, self.stored.packed(range(self.n_pieces)))

    def lines(self, first: int = 1, last: int | None = None) -> Iterator[str]:
        """Lines first..last without their ends; only the pieces that contain them are read.

        Of a line that has several pieces it gives the first one.
        """
        last = self.n_lines if last is None else min(last, self.n_lines)
        for number, lines in self._read_pieces_of(max(first, 1), last):
            begin = self.first_lines[number]
            yield from lines[max(first - begin, 0) : last - begin + 1]

    def skip_blank_lines(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The spans of lines split at their blank lines, which are left out.

        Of more than MAX_SPANS the last one spans all that follow.
        """
        filled = (span for first, last in spans for span in _find_filled_spans(self.lines(first, last), first))
        yield from islice(filled, MAX_SPANS - 1)
        if (span := next(filled, None)) is not None:
            yield span[0], max((last for _, last in filled), default=span[1])

    def _read_pieces_of(self, first: int, last: int) -> Iterator[tuple[int, list[str]]]:
        """The pieces in which these lines begin, each with its number and all its lines.

        The last one is cached: spans are often close together.
        """
        begin = self.first_lines[bisect_right(self.first_lines, first) - 1]
        candidates = range(bisect_left(self.first_lines, begin), bisect_right(self.first_lines, last))
        numbers = [at for at in candidates if at == 0 or self.first_lines[at] > self.first_lines[at - 1]]
        if numbers and numbers[0] == self._last_read[0]:
            yield self._last_read
            del numbers[0]
        for number, data in zip(numbers, self.stored.packed(numbers), strict=True):
            decoder = Decoder(self.encoding, first=number == 0)
            lines = decoder.decode(decompress_piece(data), last=number + 1 == self.n_pieces).split("\n")
            self._last_read = (number, lines if lines[-1] else lines[:-1])
            yield self._last_read


def _find_filled_spans(lines: Iterable[str], first: int) -> Iterator[tuple[int, int]]:
    """The spans of lines that are not blank; `first` is the number of the first line."""
    start, number = None, first - 1
    for number, line in enumerate(lines, first):
        if line and not line.isspace():
            start = start or number
        elif start:
            yield start, number - 1
            start = None
    if start:
        yield start, number


def make_text_columns(text: Text) -> dict[str, Any]:
    """The columns of Upload that the text alone gives, its first piece among them."""
    return {
        "sha256": text.sha256,
        "text_key": text.key,
        "raw": next(text.stored.packed([0])),
        "n_pieces": text.n_pieces,
        "size_bytes": text.size_bytes,
        "encoding": text.encoding.name,
        "n_lines": text.n_lines,
        "n_secrets": len({secret.key for secret in text.secrets}),
    }


def save_pieces(upload: Upload, text: Text) -> None:
    """Store all but the first piece."""
    for first in range(1, text.n_pieces, PIECES_A_QUERY):
        numbers = range(first, min(first + PIECES_A_QUERY, text.n_pieces))
        Piece.objects.bulk_create(
            Piece(
                upload=upload,
                number=n,
                first_line=text.first_lines[n],
                size_bytes=zstd.get_frame_info(data).decompressed_size or 0,
                data=data,
            )
            for n, data in zip(numbers, text.stored.packed(numbers), strict=True)
        )


def load_text(upload: Upload) -> Text:
    """The text of a stored upload. One query where it has several pieces, none where it has one, and some for each read."""
    others = upload.pieces.order_by("number").values_list("first_line", flat=True) if upload.n_pieces > 1 else ()
    opening = decompress_piece(bytes(upload.raw))
    opening = opening if upload.n_pieces == 1 else opening[:OPENING_BYTES]
    encoding = detect_encoding(opening, upload.encoding or "utf-8")
    lines = upload.n_lines
    pieces = UploadPieces(upload)
    return Text(encoding, upload.size_bytes, lines, upload.sha256, upload.text_key, pieces, (1, *others))
