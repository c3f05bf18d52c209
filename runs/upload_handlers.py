"""Django's upload handler, and what reads the texts of requests: bodies, or the files of a form; none is ever whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from runs.ingest import IncomingText, Rejected, Text, receive, reject_too_large, rejected

AT_ONCE = 2**16
UNDERSTOOD = {"", "identity", "gzip", "x-gzip", "zstd"}


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_parts(stream: Readable) -> Iterator[bytes]:
    """What a stream brings, for `receive`. Raises OSError where it breaks off."""
    return iter(partial(stream.read, AT_ONCE), b"")


def refuse_coding(request: HttpRequest, *, form: bool = False) -> None:
    """Raises Rejected 415 for a Content-Encoding that is not taken off. (gzip and zstd tell by themselves what they are.)"""
    coding = request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if coding not in (UNDERSTOOD if not form else {"", "identity"}):
        what = f"A {'form' if form else 'text'} in Content-Encoding {coding[:40]} is not understood"
        raise rejected(415, f"{what}; send it uncompressed{', or in gzip or zstd' * (not form)}.")


class ArrivedFile(UploadedFile):  # type: ignore[type-arg]
    """A file of a form that came in as a text, packed or not."""

    def __init__(self, name: str, content_type: str | None, sent_bytes: int, outcome: Text | Rejected) -> None:
        super().__init__(None, name, content_type, outcome.size_bytes if isinstance(outcome, Text) else sent_bytes)
        self._outcome = outcome

    def text(self) -> Text:
        """Raises Rejected 400, 413 or 415 where it cannot be taken."""
        if isinstance(self._outcome, Rejected):
            raise self._outcome
        return self._outcome

    def read(self, *_: Any) -> bytes:
        """All of it, unpacked: for what is small. Raises Rejected."""
        return b"".join(self.text().bytes())

    def close(self) -> None:
        """Nothing is open: what lies in a file goes with the text."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        return self.text().bytes()


def read_named_text(file: Any) -> tuple[str, Text]:
    """(name, text) of a form's file. Raises Rejected, with the file's name where it has one."""
    name = file.name or ""
    try:
        return name, file.text() if isinstance(file, ArrivedFile) else receive(file.chunks())
    except Rejected as error:
        raise error.about(name) from error.__cause__


class TextHandler(FileUploadHandler):
    """Receives the files of a form as texts. A rejected file raises when its text is read.

    Those of who is not logged in are passed over: the check for CSRF reads every form, and a packed text unpacks to much.
    """

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._all_bytes = self._unpacked_bytes = 0
        self._refused: Rejected | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        user = getattr(self.request, "user", None)
        if user is None or not user.is_authenticated:
            raise SkipFile
        self._arrival, self._refused = IncomingText(unpacked_bytes=self._unpacked_bytes), None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self._refused is None:
            try:
                self._arrival.feed(raw_data)
            except Rejected as error:
                self._refused = error

    def file_complete(self, file_size: int) -> ArrivedFile | None:
        outcome: Text | Rejected
        try:
            outcome = self._refused or self._arrival.text()
        except Rejected as error:
            outcome = error
        if isinstance(outcome, Text):
            self._all_bytes += outcome.size_bytes
            if self._all_bytes > settings.MAX_UPLOAD_BYTES:
                outcome = reject_too_large(self._all_bytes)
        self._unpacked_bytes = self._arrival.unpacked_bytes
        del self._arrival
        return ArrivedFile(self.file_name or "", self.content_type, file_size, outcome)


def preview_bytes() -> int:
    """What a file may have that is shown before it is stored."""
    return int(min(settings.QUEUE_UPLOAD_BYTES, settings.PREVIEW_BYTES))
