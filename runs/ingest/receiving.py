"""Receiving texts: unpacked, checked, split into pieces and compressed again as they come in, in a few MiB of memory."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from backports import zstd
from django.conf import settings

from .redact import Secret, SecretSearch, mask_secrets
from .secret_copies import choose_distinct, mask_words
from .text_storage import (
    OPENING_BYTES,
    ZSTD_MAGIC,
    Decoder,
    Encoding,
    PieceSpool,
    Text,
    compress_piece,
    detect_encoding,
)
from .validation import reject_too_large, rejected

CONTROL_BYTES = bytes(code for code in range(32) if chr(code) not in "\a\b\t\n\v\f\r\x1b")
N_BINARY_CHECKED = 65536  # characters that are looked at for control characters that no terminal shows
PIECE_BYTES = 2**20  # of text in a piece, about
OPEN_BYTES = 2**16  # at a piece's end that are left to the next one where a document of YAML has begun its data
DATA_LINE = re.compile(rb"""\n[ \t>]*["']?(?:data|stringData)["']?:[ \t]*\{?[ \t]*\r?(?=\n)""")
END_OF_DOCUMENT = re.compile(rb"\n(?:---|[ \t>]*\r?\n)")
MAX_SECRETS = 20_000  # whose places are stored; of further ones, those whose value was not met before
EVERY_SECRET = frozenset({"every"})  # in place of the keys of secrets: all that there are
GZIP_MAGIC = b"\x1f\x8b"
SKIPPABLE_MAGIC = tuple(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16))  # a zstd frame without content
MAGIC_BYTES = 4
UNPACKED_AT_ONCE = 2**20  # bytes
# Logs of idle machines compress to about a hundredth. What compresses better, and is large, is made to fill a disk.
MAX_RATIO, UNSUSPICIOUS_BYTES = 250, 16 * 2**20
# Each frame takes some 10 us. Of more than so many, each has to be of so many bytes, on average.
MAX_FRAMES, LEAST_OF_FRAME = 10_000, 256
PACKED_AT_ONCE = 8192  # bytes: behind each frame, of which there may be very many, the rest of them is copied
MAX_WINDOW_LOG = 24  # 16 MiB of memory; every level of zstd up to 19 needs less
Incoming = bytes | Iterable[bytes] | Text


def receive(incoming: Incoming) -> Text:
    """The text out of bytes, a stream of bytes, or what was received already. Raises Rejected 400, 413 or 415."""
    if isinstance(incoming, Text):
        return incoming
    arrival = IncomingText()
    for data in [incoming] if isinstance(incoming, bytes) else incoming:
        arrival.feed(data)
    return arrival.text()


class IncomingText:
    """A text while it comes in. Both methods raise Rejected 400, 413 or 415.

    encoding        where it is known already
    unpacked_bytes  that other texts of the same form unpacked to
    """

    def __init__(self, encoding: str = "", piece_bytes: int | None = None, unpacked_bytes: int = 0) -> None:
        self._unpacker = Unpacker(unpacked_bytes)
        self._encoding = encoding
        self._piece_bytes = piece_bytes or PIECE_BYTES
        self._opening: list[bytes] = []
        self._n_opening = 0
        self._builder: _TextBuilder | None = None

    @property
    def unpacked_bytes(self) -> int:
        """With those of the other texts."""
        return self._unpacker.unpacked_bytes

    def feed(self, data: bytes) -> None:
        for part in self._unpacker.feed(data):
            self._add(part)

    def text(self) -> Text:
        for part in self._unpacker.finish():
            self._add(part)
        return (self._builder or self._detect_encoding()).build()

    def _add(self, data: bytes) -> None:
        if self._builder is not None:
            self._builder.add(data)
            return
        self._opening.append(data)
        self._n_opening += len(data)
        if self._n_opening >= OPENING_BYTES:
            self._builder = self._detect_encoding()

    def _detect_encoding(self) -> _TextBuilder:
        opening = b"".join(self._opening)
        self._opening = []
        encoding = detect_encoding(opening[:OPENING_BYTES], self._encoding)
        head = opening[: 8 * N_BINARY_CHECKED].decode(encoding.name, errors="replace").replace("\r\n", "\n")
        head = head[:N_BINARY_CHECKED]
        encoded = head.encode("utf-8", "surrogatepass")  # in which each control character is a byte of its own
        n_control = len(encoded) - len(encoded.translate(None, CONTROL_BYTES))
        if n_control * 20 > len(head):  # random bytes have one in nine
            raise rejected(415, "Not a text: this is binary data; expected plain text.", line=1)
        builder = _TextBuilder(encoding, self._piece_bytes)
        builder.add(opening)
        return builder


class _TextBuilder:
    def __init__(self, encoding: Encoding, piece_bytes: int) -> None:
        self.encoding = encoding
        self._splitter = _Splitter(encoding, piece_bytes)
        self._decoder = Decoder(encoding, first=True)
        self._search, self._spool = SecretSearch(), PieceSpool()
        self._sha256 = hashlib.sha256()  # of the bytes
        self._plain_sha256 = hashlib.sha256()  # of plain UTF-8 with secrets masked
        self._key = self._plain_sha256.copy()  # the same up to the last word
        self._first_lines: list[int] = []
        self._n_line_ends = self._size_bytes = 0
        self._secrets: list[Secret] = []
        self._secret_keys: set[str] = set()
        self._is_blank = self._is_empty = True
        self._last_character = ""

    def add(self, data: bytes) -> None:
        for piece, continues_line in self._splitter.split(data):
            self._add_piece(piece, continues_line, last=False)

    def build(self) -> Text:
        pieces = self._splitter.finish()
        for number, (piece, continues_line) in enumerate(pieces, 1):
            self._add_piece(piece, continues_line, last=number == len(pieces))
        if self._is_blank:
            how = "empty" if self._is_empty else "blank"
            raise rejected(400, f"The text is {how}; expected the output of a load test or of a monitor.")
        n_lines = self._n_line_ends + (self._last_character != "\n")
        sha256, key = self._sha256.hexdigest(), self._key.hexdigest()
        lines = tuple(self._first_lines)
        return Text(self.encoding, self._size_bytes, n_lines, sha256, key, self._spool, lines, self._secrets)

    def _add_piece(self, piece: bytes, continues_line: bool, *, last: bool) -> None:
        """Secrets are searched for in the beginning of each line only, so not in a piece that continues one."""
        first_line = self._n_line_ends + 1
        text = self._decoder.decode(piece, last=last)
        if self._is_blank:
            self._is_empty = self._is_empty and not piece.strip()
            self._is_blank = not text.strip()
        secrets = [] if continues_line else self._search.search(text, first_line)
        self._sha256.update(piece)
        masked = text
        if secrets:
            masked = mask_secrets(text, secrets, first_line)
            self._add_secrets(secrets)
        masked = masked.replace("\r\n", "\n")
        words = masked.rstrip()
        if words:
            self._plain_sha256.update(words.encode("utf-8", "surrogatepass"))
            self._key = self._plain_sha256.copy()
        self._plain_sha256.update(masked[len(words) :].encode("utf-8", "surrogatepass"))
        self._spool.add(compress_piece(piece, first=not self._first_lines))
        self._first_lines.append(first_line)
        self._n_line_ends += text.count("\n")
        self._size_bytes += len(piece)
        self._last_character = text[-1:] or self._last_character

    def _add_secrets(self, secrets: list[Secret]) -> None:
        if len(self._secrets) + len(secrets) > MAX_SECRETS:
            secrets = [secret for secret in secrets if secret.key not in self._secret_keys]
        self._secrets += secrets
        self._secret_keys.update(secret.key for secret in secrets)


class _Splitter:
    """Splits bytes into pieces of whole lines, of at most `size` bytes; a longer line has pieces of its own."""

    def __init__(self, encoding: Encoding, size: int) -> None:
        self._line_end = ("\r" if encoding.old_mac else "\n").encode(encoding.codec)
        self._line_feed = "\n".encode(encoding.codec)
        self._size = max(size - size % len(self._line_end), len(self._line_end))
        self._within_line = False
        self._parts: list[bytes] = []
        self._n_bytes = 0

    def split(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """The pieces that are complete now, each with whether it continues a line of the piece before."""
        self._parts.append(data)
        self._n_bytes += len(data)
        max_bytes = self._size + len(self._line_end)
        if self._n_bytes <= max_bytes:
            return
        rest = b"".join(self._parts)
        at = 0
        while len(rest) - at > max_bytes:
            continues_line = self._within_line
            stop = self._find_stop(rest, at, at + self._size)
            yield rest[at:stop], continues_line
            at = stop
        self._parts = [rest[at:]]
        self._n_bytes = len(rest) - at

    def finish(self) -> list[tuple[bytes, bool]]:
        """What is left, in at most two pieces."""
        rest = b"".join(self._parts)
        if not self._within_line:
            return [(rest, False)] if rest else []
        stop = self._find_stop(rest, 0, len(rest))
        return [each for each in ((rest[:stop], True), (rest[stop:], False)) if each[0]]

    def _find_stop(self, data: bytes, at: int, limit: int) -> int:
        """Where the piece that begins at `at` ends: behind its last line end, or the first of a line that has begun."""
        size = len(self._line_end)
        find, begin, end = (data.find, at, limit) if self._within_line else (data.rfind, at, limit)
        line_end = find(self._line_end, begin, end)
        while line_end >= 0 and (line_end - at) % size:  # between two characters
            begin, end = (line_end + 1, limit) if self._within_line else (at, line_end + size - 1)
            line_end = find(self._line_end, begin, end)
        if line_end >= 0 and not self._within_line and self._line_end == b"\n":
            line_end = self._leave_open_data(data, at, line_end)
        self._within_line = line_end < 0
        if line_end < 0:
            return limit
        stop = line_end + size
        # In a text whose lines end with carriage returns a line feed may follow one all the same.
        has_feed = self._line_feed != self._line_end and data.startswith(self._line_feed, stop)
        return stop + len(self._line_feed) if has_feed else stop

    def _leave_open_data(self, data: bytes, at: int, stop: int) -> int:
        """Before "data:" where a document has it near the piece's end: its kind, which makes these secrets, may stand below."""
        window = max(at, stop - min(OPEN_BYTES, self._size // 2))
        for match in [*DATA_LINE.finditer(data, window, stop + 1)][-1:]:
            return stop if END_OF_DOCUMENT.search(data, match.end(), stop + 1) else match.start()
        return stop


def redact_text(text: Text, keys: Collection[str]) -> Text:
    """The text with "[redacted]" for the secrets of these keys, in UTF-8. Raises Rejected 400 for unknown keys."""
    known = {secret.key for secret in text.secrets}
    keys = known if keys == EVERY_SECRET else keys
    unknown = sorted(set(keys) - known)
    if unknown:
        raise rejected(400, f"Unknown secrets to redact: {', '.join(unknown)}. Check the preview again.")
    return _mask(text, lambda key: key in keys)[0] if keys else text


def mask_stored(text: Text, words: Collection[str]) -> tuple[Text, list[str]]:
    """A stored text without what looks like a secret and without these words; and all that was blacked out, longest first."""
    masked, gone = _mask(text, lambda key: True, words)
    return masked, sorted(gone, key=len, reverse=True)


def _mask(text: Text, is_masked: Callable[[str], bool], words: Collection[str] = ()) -> tuple[Text, set[str]]:
    """The text in UTF-8 with "[redacted]" for the words and for the secrets whose key is masked; and these secrets and words.

    Other copies of the secrets go too, where they are no plain words; of very many secrets those of the first ones.
    """
    search, arrival, line, secrets_found = SecretSearch(), IncomingText("utf-8"), 1, dict.fromkeys(words)
    for piece in text.decoded_pieces():
        secrets = [] if piece.continues_line else search.search(piece.text, line)
        chosen = [secret for secret in secrets if is_masked(secret.key)]
        lines = piece.text.split("\n") if chosen else []
        secrets_found |= dict.fromkeys(lines[secret.line - line][secret.start : secret.end] for secret in chosen)
        arrival.feed(mask_secrets(piece.text, chosen, line).encode("utf-8"))
        line += piece.text.count("\n")
    masked = replace(arrival.text(), key=text.key)
    if elsewhere := [*words, *choose_distinct(word for word in secrets_found if word not in words)]:
        copies = IncomingText("utf-8")
        for piece in masked.decoded_pieces():
            copies.feed(mask_words(piece.text, elsewhere).encode("utf-8"))
        masked = replace(copies.text(), key=text.key)
    return masked, set(secrets_found)


class Unpacker:
    """Unpacks gzip and zstd; anything else it gives as it is.

    Raises Rejected 413 for more than MAX_UPLOAD_BYTES of text, 400 for what does not unpack.
    """

    def __init__(self, unpacked_bytes: int) -> None:
        self.size_bytes = 0  # of text so far
        self._unpacked_before = unpacked_bytes
        self._n_received = self._n_frames = 0
        self._magic: bytes | None = b""  # the first bytes, until there are enough of them to know the format
        self._decompressor: Any = None  # zlib's or zstd's, which have the same methods
        self._is_packed = False

    @property
    def unpacked_bytes(self) -> int:
        return self._unpacked_before + self.size_bytes * self._is_packed

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._n_received += len(data)
        if self._magic is not None:
            data = self._magic + data
            if len(data) < MAGIC_BYTES:
                self._magic = data
                return
            self._magic = None
            self._is_packed = data.startswith((GZIP_MAGIC, ZSTD_MAGIC, *SKIPPABLE_MAGIC))
        if not self._is_packed:
            yield from self._check_size(data)
            return
        for at in range(0, len(data), PACKED_AT_ONCE):
            yield from self._unpack(data[at : at + PACKED_AT_ONCE])

    def finish(self) -> Iterator[bytes]:
        """What was held back. Raises Rejected 400 where the packed text was cut off."""
        if self._magic:
            yield from self._check_size(self._magic)
        if self._decompressor is not None and not self._decompressor.eof:
            raise rejected(400, "The compressed text is truncated. Send it again.")

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        try:
            while data:
                if self._decompressor is None or self._decompressor.eof:
                    self._n_frames += 1
                    if self._n_frames > MAX_FRAMES + self._n_received // LEAST_OF_FRAME:
                        raise rejected(413, "The compressed text has too many small members. Send it uncompressed.")
                    self._decompressor = _make_decompressor(data)
                    if self._decompressor is None:
                        return
                yield from self._unpack_frame(self._decompressor, data)
                data = self._decompressor.unused_data if self._decompressor.eof else b""
        except (zlib.error, zstd.ZstdError) as error:
            raise rejected(
                400, f"The compressed text cannot be decompressed ({error}). Send it again, or uncompressed."
            ) from error

    def _unpack_frame(self, decompressor: Any, data: bytes) -> Iterator[bytes]:
        while not decompressor.eof:
            text = decompressor.decompress(data, UNPACKED_AT_ONCE)
            yield from self._check_size(text)
            # zlib returns the data that it did not come to, zstd keeps it.
            data = getattr(decompressor, "unconsumed_tail", b"")
            if not data and (len(text) < UNPACKED_AT_ONCE or getattr(decompressor, "needs_input", False)):
                return

    def _check_size(self, text: bytes) -> Iterator[bytes]:
        self.size_bytes += len(text)
        if self.size_bytes > settings.MAX_UPLOAD_BYTES:
            raise reject_too_large(None if self._is_packed else self.size_bytes)
        if self.size_bytes > max(UNSUSPICIOUS_BYTES - self._unpacked_before, MAX_RATIO * self._n_received):
            raise rejected(
                413, f"The compressed text expands to more than {MAX_RATIO} times its size. Send it uncompressed."
            )
        if text:
            yield text


def _make_decompressor(data: bytes) -> Any:
    """For what begins here; None for the zeros with which tape archives are padded."""
    if data.startswith(GZIP_MAGIC) or data == GZIP_MAGIC[: len(data)]:
        return zlib.decompressobj(wbits=31)
    if not data.strip(b"\0"):
        return None
    if not any(data.startswith(magic) or magic.startswith(data) for magic in (ZSTD_MAGIC, *SKIPPABLE_MAGIC)):
        raise rejected(400, "The compressed text is followed by other data. Send it without that, or uncompressed.")
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG})
