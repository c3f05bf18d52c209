"""A text on its way in: unpacked, checked, cut into pieces and packed again, whatever its size in a few MiB of memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ..redact import Search, Secret, masked
from ..rejected import rejected
from .cutting import PIECE, Cutter
from .manner import OPENING, Decoder, Manner, manner_of, refuse_noise
from .prints import Prints
from .spool import Spool, packed
from .text import Text
from .unpack import Unpacker

AT_ONCE = 2**16  # bytes of a stream that are read at a time
SMALL = 2**16  # bytes of a text that is kept as it is beside its packed piece: it is read at once
MOST_SECRETS = 20_000  # whose places are remembered; of further ones, those that were not met before
Incoming = bytes | Iterable[bytes] | Text
EVERY_SECRET = frozenset({"every"})  # among the keys of secrets: all that there are


def receive(incoming: Incoming) -> Text:
    """The text that comes in: bytes, a stream of them, or what was received already. Raises Rejected 400, 413 or 415."""
    if isinstance(incoming, Text):
        return incoming
    arrival = Arrival()
    for data in [incoming] if isinstance(incoming, bytes) else incoming:
        arrival.feed(data)
    return arrival.text()


class Arrival:
    """Takes a text as it comes. Both methods raise Rejected 400, 413 or 415.

    encoding  where it is known already
    """

    def __init__(self, encoding: str = "", piece: int = PIECE) -> None:
        self._unpacker = Unpacker()
        self._encoding = encoding
        self._piece = piece
        self._opening: list[bytes] | None = []
        self._n_opening = 0
        self._rest: _Rest | None = None

    def feed(self, data: bytes) -> None:
        for text in self._unpacker.feed(data):
            self._take(text)

    def text(self) -> Text:
        """All has come."""
        for text in self._unpacker.end():
            self._take(text)
        return self._open().text()

    def _take(self, data: bytes) -> None:
        if self._rest is not None:
            self._rest.feed(data)
            return
        assert self._opening is not None  # noqa: S101  (it is given up where _rest is made)
        self._opening.append(data)
        self._n_opening += len(data)
        if self._n_opening >= OPENING:
            self._open()

    def _open(self) -> _Rest:
        """Enough has come to say how the text is written, or all of it."""
        if self._rest is None:
            opening = b"".join(self._opening or [])
            self._opening = None
            manner = manner_of(opening[:OPENING], self._encoding)
            refuse_noise(opening, manner)
            self._rest = _Rest(manner, self._piece)
            self._rest.feed(opening)
        return self._rest


class _Rest:
    """The same from where it is known how the text is written."""

    def __init__(self, manner: Manner, piece: int) -> None:
        self.manner = manner
        self._cutter = Cutter(manner.line_end, "\n".encode(manner.codec), piece)
        self._decoder = Decoder(manner, first=True)
        self._search, self._prints, self._spool = Search(), Prints(), Spool()
        self._first_lines: list[int] = []
        self._line_ends = self._size = 0
        self._secrets: list[Secret] = []
        self._met: set[str] = set()
        self._is_blank = self._is_empty = True
        self._last = ""
        self._whole: str | None = None

    def feed(self, data: bytes) -> None:
        inside = self._cutter.inside
        for piece in self._cutter.feed(data):
            self._keep(piece, inside=inside, last=False)
            inside = self._cutter.inside

    def text(self) -> Text:
        inside = self._cutter.inside
        pieces = self._cutter.end()
        for number, piece in enumerate(pieces, 1):
            self._keep(piece, inside=inside, last=number == len(pieces))
            inside = False
        if self._is_blank:
            how = "empty" if self._is_empty else "blank"
            raise rejected(400, f"The text is {how}; expected the output of a load test or of a monitor.")
        n_lines = self._line_ends + (self._last != "\n")
        prints = self._prints.sha256, self._prints.key
        lines = tuple(self._first_lines)
        return Text(self.manner, self._size, n_lines, *prints, self._spool, lines, self._secrets, self._whole)

    def _keep(self, piece: bytes, *, inside: bool, last: bool) -> None:
        """Take a piece in. `inside`: it goes on with a line that has begun, of which the beginning is all that is looked at."""
        self._first_lines.append(self._line_ends + 1)
        text = self._decoder.take(piece, last=last)
        if self._is_blank:
            self._is_empty = self._is_empty and not piece.strip()
            self._is_blank = not text.strip()
        secrets = [] if inside else self._search.take(text, self._line_ends + 1)
        self._prints.take(piece, masked(text, secrets, self._line_ends + 1) if secrets else text)
        self._note(secrets)
        self._line_ends += text.count("\n")
        self._size += len(piece)
        self._last = text[-1:] or self._last
        is_first = len(self._first_lines) == 1
        self._whole = text if is_first and len(piece) <= SMALL else None
        self._spool.add(packed(piece, opening=is_first))

    def _note(self, secrets: list[Secret]) -> None:
        if len(self._secrets) + len(secrets) > MOST_SECRETS:
            secrets = [secret for secret in secrets if secret.key not in self._met]
        self._secrets += secrets
        self._met.update(secret.key for secret in secrets)


def without(text: Text, keys: Collection[str]) -> Text:
    """The text with "[redacted]" for the secrets named, in UTF-8. Raises Rejected 400 for names that it has not."""
    there = {secret.key for secret in text.secrets}
    keys = there if keys == EVERY_SECRET else keys
    unknown = sorted(set(keys) - there)
    if unknown:
        raise rejected(400, f"Nothing to redact is called {', '.join(unknown)}; look at the preview again.")
    if not keys:
        return text
    search, arrival, line = Search(), Arrival("utf-8"), 1
    for sheet in text.sheets():
        found = [] if sheet.inside else search.take(sheet.text, line)
        clean = masked(sheet.text, [secret for secret in found if secret.key in keys], line)
        arrival.feed(clean.encode("utf-8"))
        line += sheet.text.count("\n")
    return replace(arrival.text(), key=text.key)
