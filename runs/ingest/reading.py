"""From bytes to a draft, with nothing stored: what preview shows, and what submit stores."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

import parsers
from parsers.catalogue import formats

from .draft import Draft
from .edits import Edits, apply_edits
from .hints import Hints
from .redact import Secret, find_secrets, redact
from .rejected import rejected
from .relate import relate
from .screens import folded
from .tidy import heed

MIB = 2**20
ODD = [chr(code) for code in range(32) if chr(code) not in "\a\b\t\n\v\f\r\x1b"]


@dataclass(frozen=True)
class Text:
    """One text as it is kept: its bytes, its lines without their ends, and what in it looks like a secret.

    key     the same for the same text, whatever its encoding, line ends or redactions
    ended   whether its last line has an end: without one, a figure there may have been cut off
    """

    data: bytes
    encoding: str
    lines: list[str]
    secrets: list[Secret]
    key: str
    ended: bool

    def blocks(self) -> list[parsers.Block]:
        """What the parsers recognise in it."""
        return list(folded(parsers.read(parsers.Text(self._pieces()))))

    def _pieces(self) -> Iterator[str]:
        """A thousand lines at a time: the parsers match usual output in the text as a whole."""
        for first in range(0, len(self.lines), 1000):
            last = first + 1000 >= len(self.lines)
            yield "\n".join(self.lines[first : first + 1000]) + ("\n" if self.ended or not last else "")


@dataclass(frozen=True)
class Reading:
    blocks: list[parsers.Block]
    draft: Draft
    problems: list[parsers.Problem]


def text_of(data: bytes, redacted: Collection[str] = ()) -> Text:
    """The text in these bytes, without the secrets named. Raises Rejected 400, 413 or 415."""
    if len(data) > settings.MAX_UPLOAD_BYTES:
        raise too_large()
    if not data.strip():
        raise rejected(400, "The text is empty; expected the output of a load test or of a monitor.")
    try:
        text, encoding = parsers.decode(data)
    except parsers.NotText as error:
        raise rejected(415, f"Not a text: {error}.", line=1) from error
    if _is_noise(text):
        raise rejected(415, "Not a text: this is binary data; expected plain text as a terminal shows it.", line=1)
    if not text.strip():
        raise rejected(400, "The text is blank; expected the output of a load test or of a monitor.")
    lines, ended = _lines(text)
    secrets = find_secrets(lines)
    key = _key(redact(lines, secrets, {secret.key for secret in secrets}))
    unknown = sorted(set(redacted) - {secret.key for secret in secrets})
    if unknown:
        raise rejected(400, f"Nothing to redact is called {', '.join(unknown)}; look at the preview again.")
    if redacted:
        lines = redact(lines, secrets, redacted)
        data, encoding = ("\n".join(lines) + "\n" * ended).encode("utf-8"), "utf-8"
        secrets = find_secrets(lines)
    return Text(data, encoding, lines, secrets, key, ended)


def too_large(size: int | None = None) -> Exception:
    """The Rejected of a text over the limit; doors that can tell before they have read it all use it too."""
    limit = settings.MAX_UPLOAD_BYTES
    has = f"{size / MIB:.1f} MiB" if size else "more"
    return rejected(413, f"The text is too large: {has}, at most {limit / MIB:g} MiB are taken. Send it in parts.")


def read(text: Text, *, hints: Hints, edits: Edits | None = None) -> Reading:
    """Blocks, draft with hints and edits, and problems of the text. Raises Rejected 400 for edits that do not fit."""
    return drafted(text.blocks(), text.lines, hints=hints, edits=edits)


def drafted(
    blocks: list[parsers.Block], lines: list[str], *, hints: Hints, edits: Edits | None = None, strict: bool = True
) -> Reading:
    """`read` for blocks at hand. strict False leaves out edits that do not fit."""
    draft = relate(blocks, len(lines), hints)
    draft.unread = list(_filled(draft.unread, lines))
    heed(draft, hints)
    edited = apply_edits(draft, edits, strict=strict)
    return Reading(blocks, edited, [problem for block in blocks for problem in block.problems])


def _filled(spans: Iterable[tuple[int, int]], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The spans without their blank lines, which nobody misses: a span for each run of lines with something in them."""
    for first, last in spans:
        start = None
        for number in range(first, last + 1):
            if lines[number - 1].strip():
                start = start or number
            elif start:
                yield start, number - 1
                start = None
        if start:
            yield start, last


def nothing_found(n_lines: int) -> str:
    """What a text is told in which no block was recognised."""
    looked_for = ", ".join(sorted(formats()))
    lines = "line" if n_lines == 1 else "lines"
    return f"Nothing was recognised in {n_lines} {lines}. Looked for the output of: {looked_for}."


def _is_noise(text: str) -> bool:
    """Whether more than one character in twenty is one that no terminal shows. (Bytes at random have one in nine.)"""
    head = text[:65536]
    return sum(head.count(char) for char in ODD) * 20 > len(head)


def _lines(text: str) -> tuple[list[str], bool]:
    lines = text.split("\n")
    return (lines, False) if lines[-1] else (lines[:-1], True)


def _key(lines: list[str]) -> str:
    plain = "\n".join(line.removesuffix("\r") for line in lines).rstrip()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
