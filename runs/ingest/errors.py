"""The failures that ingest raises."""

from __future__ import annotations

import logging
from typing import TypedDict

from django.conf import settings

from runs.models import Upload

MIB = 2**20
log = logging.getLogger(__name__)


class Error(TypedDict):
    line: int | None
    message: str


class Rejected(Exception):
    """A text or a change that cannot be carried out, and why.

    status   400 empty or invalid, 413 too large, 415 not text, 422 nothing recognised
    upload   the upload as kept for inspection (only with 422), or None
    """

    def __init__(self, status: int, errors: list[Error], upload: Upload | None = None) -> None:
        super().__init__(status, errors)
        self.status = status
        self.errors = errors
        self.upload = upload

    def about(self, name: str) -> Rejected:
        """The same, naming which of several texts it is about."""
        prefix = f"{name}: " if name else ""
        self.errors = [{"line": each["line"], "message": prefix + each["message"]} for each in self.errors]
        return self

    def __str__(self) -> str:
        return " ".join(error["message"] for error in self.errors)


class Broken(Exception):
    """A fault of our own code at a text; its traceback goes to the log. The text is kept, so that a later version can read it."""

    def __init__(self, failure: Exception) -> None:
        log.error("A text could not be read or stored.", exc_info=failure)
        super().__init__(
            f"Nothing of this text could be stored, for a fault of benchdash ({type(failure).__name__}); its log says where."
        )


def rejected(status: int, message: str, *, line: int | None = None) -> Rejected:
    return Rejected(status, [{"line": line, "message": message}])


def too_large(size: int | None = None, limit: int | None = None) -> Rejected:
    """The Rejected of a text over the limit, also for entry points that know the size before they have read it all."""
    limit = limit or settings.MAX_UPLOAD_BYTES
    has = f"{size / MIB:.1f} MiB" if size else "more"
    return rejected(413, f"The text is too large: {has}, at most {limit / MIB:g} MiB are taken. Send it in parts.")
