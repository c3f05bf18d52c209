"""How a text is written: its encoding and its line ends; and its bytes as text with plain line feeds."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from parsers import NotText
from parsers.decode import encoding_of

from ..rejected import rejected

# How much of a text says how it is written.
OPENING = 2**20
ODD = bytes(code for code in range(32) if chr(code) not in "\a\b\t\n\v\f\r\x1b")
HEAD = 65536  # characters that are looked at for what no terminal shows
MOST_RETURNS = 4096


@dataclass(frozen=True, slots=True)
class Manner:
    """How a text is written.

    encoding   as it is named to people and stored
    codec      the same for what does not stand at the text's beginning, where no byte order mark is
    old_mac    lines end at carriage returns: its first MiB has no line feed
    """

    encoding: str
    codec: str
    old_mac: bool

    @property
    def line_end(self) -> bytes:
        """The bytes that every line ends with."""
        return ("\r" if self.old_mac else "\n").encode(self.codec)


def manner_of(opening: bytes, encoding: str = "") -> Manner:
    """How the text is written that begins so (with a MiB, or whole). `encoding`: where it is known already.

    Raises Rejected 415 for what is no text.
    """
    try:
        encoding = encoding or encoding_of(opening)
    except NotText as error:
        raise rejected(415, f"Not a text: {error}.", line=1) from error
    codec = _without_mark(encoding, opening)
    seen = opening.decode(encoding, errors="replace") if "16" in codec or "32" in codec else opening.decode("latin-1")
    return Manner(encoding, codec, old_mac="\r" in seen and "\n" not in seen)


def refuse_noise(opening: bytes, manner: Manner) -> None:
    """Raises Rejected 415 where more than one character in twenty is one that no terminal shows.

    (Bytes at random have one in nine.)
    """
    head = opening[: 8 * HEAD].decode(manner.encoding, errors="replace").replace("\r\n", "\n")[:HEAD]
    coded = head.encode("utf-8", "surrogatepass")  # in which each of them is a byte of its own
    if (len(coded) - len(coded.translate(None, ODD))) * 20 > len(head):
        raise rejected(415, "Not a text: this is binary data; expected plain text as a terminal shows it.", line=1)


def _without_mark(encoding: str, opening: bytes) -> str:
    if encoding == "utf-8-sig":
        return "utf-8"
    if encoding == "utf-16":
        return "utf-16-be" if opening.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"
    if encoding == "utf-32":
        return "utf-32-be" if opening.startswith(codecs.BOM_UTF32_BE) else "utf-32-le"
    return encoding


class Decoder:
    """The pieces of a text, in order, from its beginning or from that of any line on: plain text, cut where they are.

    Only carriage returns at a piece's end wait for the next one: a line feed may follow.
    """

    def __init__(self, manner: Manner, *, first: bool) -> None:
        self._old_mac = manner.old_mac
        self._decoder = codecs.getincrementaldecoder(manner.encoding if first else manner.codec)(errors="replace")
        self._held = ""

    def take(self, piece: bytes, *, last: bool = False) -> str:
        """Undecodable bytes become U+FFFD. `last`: no other piece comes."""
        text = self._held + self._decoder.decode(piece, last)
        self._held = ""
        if "\r" not in text:
            return text
        if not last and not self._old_mac:  # there a piece holds what follows a return
            held = text[len(text.rstrip("\r")) :][:MOST_RETURNS]
            self._held, text = held, text[: len(text) - len(held)]
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self._old_mac else text
