"""Bytes to text, and a text in pieces of which only the one being read is held.

Byte order marks, UTF-16 without one, UTF-8, the encodings that old pages were written in, and quoted-printable of mails.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
)
_SNIFF = 65536
_PIECE = 65536  # characters of a file that are held at a time


class NotText(ValueError):
    """The input is no text; the sentence says what it seems to be and what was expected."""


def name_encoding(head: bytes) -> str:
    """Name of the encoding of a text that starts with `head` (up to 64 KiB are looked at). Raises NotText."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise NotText(f"this is {what}; expected plain text as a terminal shows it")
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    head = head[:_SNIFF]
    if b"\x00" in head:
        return _detect_wide(head)
    if _is_utf8(head):
        return "utf-8"
    return _detect_eight_bit(head)


def open_lines(path: Path) -> Text:
    """A file's text, whose lines end at line feeds only. Raises OSError and NotText."""
    with path.open("rb") as stream:
        head = stream.read(_SNIFF)
    return Text(_read_pieces(path, name_encoding(head), old_mac=b"\r" in head and b"\n" not in head))


def _read_pieces(path: Path, encoding: str, *, old_mac: bool) -> Iterator[str]:
    with path.open(encoding=encoding, errors="replace", newline="\n") as stream:
        while piece := stream.read(_PIECE):
            yield piece.replace("\r", "\n") if old_mac else piece


def _detect_wide(head: bytes) -> str:
    """UTF-16 without a mark has its zeros in every other byte; anything else with zeros is no text."""
    half = max(1, len(head) // 2)
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd > 0.4 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.1 * half:
        return "utf-16-be"
    undecodable = head.decode("utf-8", errors="replace").count("\ufffd")
    if max(head.count(0), undecodable) > len(head) // 100:
        raise NotText("this is binary data; expected plain text as a terminal shows it")
    return "utf-8"


def _is_utf8(head: bytes) -> bool:
    if head.isascii():
        return True
    text = head.decode("utf-8", errors="replace")
    bad, good = text.count("\ufffd"), sum(1 for c in text if c > "\x7f") - text.count("\ufffd")
    return bad == 0 or good >= bad


def _detect_eight_bit(head: bytes) -> str:
    """The likeliest of the encodings that terminals and pages used before UTF-8."""
    for name in ("euc_jp", "cp932"):
        try:
            text = codecs.getincrementaldecoder(name)().decode(head)
        except UnicodeDecodeError:
            continue
        wide = [c for c in text if c > "\x7f"]
        if wide and sum("\u3040" <= c <= "\u30ff" for c in wide) > len(wide) // 5:
            return name
    return "cp1252" if not {0x81, 0x8D, 0x8F, 0x90, 0x9D} & set(head) else "latin-1"


_LINES = 1024
MAX_LINE = 65536  # characters; a longer line is no tool's output and is not looked at


class Text:
    """A whole text, in pieces that may end anywhere. Iterated, it gives its lines with their ends; it can be read once."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pieces = iter(pieces)

    def __iter__(self) -> Iterator[str]:
        rest = ""
        for piece in self.pieces:
            *lines, rest = (rest + piece).split("\n")
            yield from (f"{line}\n" for line in lines)
        if rest:
            yield rest


def pieces(lines: Iterable[str]) -> Iterator[str]:
    """A text's pieces, or `lines` as such: each with one line feed at its end, but for the last where it has no end.

    A file is read in large pieces, a list of whole lines is put together; of a pipe nothing is waited for but a line.
    What is quoted-printable is decoded.
    """
    return _MailDecoder().decode(_list_pieces(lines))


def _list_pieces(lines: Iterable[str]) -> Iterator[str]:
    if isinstance(lines, Text):
        return lines.pieces
    if isinstance(lines, io.TextIOBase) and lines.seekable():
        return iter(partial(lines.read, _PIECE), "")
    if isinstance(lines, list) and all(line.find("\n") == len(line) - 1 <= MAX_LINE and line for line in lines):
        return ("".join(lines[at : at + _LINES]) for at in range(0, len(lines), _LINES))
    return _split_lines(lines)


def _split_lines(lines: Iterable[str]) -> Iterator[str]:
    unended = None
    for line in lines:
        if unended is not None:
            yield f"{unended}\n"
            unended = None
        if len(line) <= MAX_LINE and line.find("\n") == len(line) - 1:
            yield line or "\n"
            continue
        # What lies behind MAX_LINE is not looked at; a line feed inside a line must not make two of it.
        body = line.rstrip("\r\n")[:MAX_LINE].replace("\n", " ")
        if line[-1:] in ("\r", "\n"):
            yield f"{body}\n"
        else:
            unended = body
    if unended:
        yield unended


# --- quoted-printable (RFC 2045, section 6.7) ----------------------------------------------------------------------------
_TELLS_ENCODING = re.compile(
    r"^Content-Transfer-Encoding:[ \t]*quoted-printable[ \t]*\r?\n", re.IGNORECASE | re.MULTILINE
)
_END_OF_HEADER = re.compile(r"^[ \t]*\r?\n", re.MULTILINE)
_END_OF_PART = re.compile(r"^(?:--[\w=+'().,/:?-]{10,70}|From \S+ [^\n]{1,80}\d{4})[ \t]*\r?\n", re.MULTILINE)
_ESCAPES = re.compile(r"(?:=[0-9A-F]{2})+")
_ESCAPE = re.compile(r"=(?:[0-9A-F]{2}|[ \t]*\r?$)", re.MULTILINE)
_MAY_BE_ENCODED = ("=3D", "=C", "=E", "=20\n", "=20\r\n", "=\n", "=\r\n")
_IS_ENCODED = re.compile(  # what hardly any other text has
    r"=3D|=C2=[AB][0-9A-F]|=C3=[89AB][0-9A-F]|=E[2-9]=[89AB][0-9A-F]=[89AB][0-9A-F]|[)\].,:;%]=20\r?$"
    r"|^[^\n]{72,75}=\r?$|[ \t:]\d[\d.,]*=\r?\n[\d.]",
    re.MULTILINE,
)
_OTHERS = 20  # of so many equals signs one may be no escape
_LONGEST_JOINED = 2 * _PIECE  # characters


class _MailDecoder:
    """Decodes what is quoted-printable, by the header of its part of a mail or by its signs. Lines keep their numbers.

    Behind a line that was put together stand as many empty ones as it had line ends too many.
    """

    def __init__(self) -> None:
        self._rest = ""  # may go on in the next piece
        self._in_header = self._in_part = self._has_signs = False

    def decode(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            has_signs = "=" in piece and any(sign in piece for sign in _MAY_BE_ENCODED)
            if self._rest or self._in_header or self._in_part or "quoted-printable" in piece or has_signs:
                yield from self._decode_piece(self._rest + piece)
            else:
                yield piece
        if self._rest:
            yield _decode_escapes(self._rest)

    def _decode_piece(self, text: str) -> Iterator[str]:
        self._rest = ""
        while text:
            if self._in_header:
                before, text, self._in_part = _split_behind(_END_OF_HEADER, text)
                self._in_header = not self._in_part
                yield before
            elif self._in_part:
                before, text, is_over = _split_behind(_END_OF_PART, text)
                self._in_part = not is_over
                yield self._decode_whole_lines(before, goes_on=not is_over)
            else:
                before, text, self._in_header = _split_behind(_TELLS_ENCODING, text)
                self._has_signs = self._are_escapes(before)
                yield self._decode_whole_lines(before, goes_on=not self._in_header) if self._has_signs else before

    def _are_escapes(self, text: str) -> bool:
        """Whether nearly all equals signs of a text begin escapes, and one of these is none by chance."""
        n_signs, n_escapes = text.count("="), len(_ESCAPE.findall(text))
        if (n_signs - n_escapes) * _OTHERS > n_signs:
            return False
        match = _IS_ENCODED.search(text)
        return self._has_signs or (match is not None and (n_escapes > 1 or "\n" in match[0]))

    def _decode_whole_lines(self, text: str, *, goes_on: bool) -> str:
        end = text.rfind("\n") + 1
        while end and text[(above := text.rfind("\n", 0, end - 1) + 1) : end].rstrip()[-1:] == "=":
            end = above
        if goes_on and len(text) - end < _LONGEST_JOINED:
            text, self._rest = text[:end], text[end:]
        return _decode_escapes(text)


def _split_behind(pattern: re.Pattern[str], text: str) -> tuple[str, str, bool]:
    """(the text as far as the pattern, the rest, whether it is there)."""
    match = pattern.search(text)
    return (text[: match.end()], text[match.end() :], True) if match else (text, "", False)


def _decode_escapes(text: str) -> str:
    joined, parts = list[str](), list[str]()
    for line in text.split("\n"):
        bare = line.rstrip()
        if bare[-1:] == "=":
            parts.append(bare[:-1])
        else:
            joined += ["".join([*parts, line]), *[""] * len(parts)]
            parts = []
    joined += ["".join(parts), *[""] * (len(parts) - 1)] if parts else []
    return _ESCAPES.sub(lambda match: _decode_bytes(bytes.fromhex(match[0].replace("=", ""))), "\n".join(joined))


def _decode_bytes(encoded: bytes) -> str:
    try:
        text = encoded.decode()
    except UnicodeDecodeError:
        text = encoded.decode("cp1252", errors="replace")
    return " ".join(text.split("\n"))
