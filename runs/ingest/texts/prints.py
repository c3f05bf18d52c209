"""The two checksums of a text, worked out as it comes in."""

from __future__ import annotations

import hashlib


class Prints:
    """sha256 of a text as it is kept, and its key: sha256 of it as plain UTF-8 without its blank end.

    The key is the same for the same text, whatever its encoding, line ends or redactions.
    """

    def __init__(self) -> None:
        self._kept = hashlib.sha256()
        self._plain = hashlib.sha256()
        self._alike = True  # so far the text is plain as it is kept: then it is read once
        self._to_last_word = self._kept.copy()

    def take(self, piece: bytes, text: str) -> None:
        """A piece as kept, and the same as plain text with its secrets masked."""
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        plain = text.encode("utf-8", "surrogatepass")
        if self._alike and plain != piece:
            self._plain, self._alike = self._kept.copy(), False
        if not self._alike:
            self._kept.update(piece)
        taking = self._kept if self._alike else self._plain
        blank = len(text[len(text.rstrip()) :].encode("utf-8", "surrogatepass"))
        if blank < len(plain):
            taking.update(memoryview(plain)[: len(plain) - blank])
            self._to_last_word = taking.copy()
        taking.update(memoryview(plain)[len(plain) - blank :])

    @property
    def sha256(self) -> str:
        return self._kept.hexdigest()

    @property
    def key(self) -> str:
        return self._to_last_word.hexdigest()
