"""The one failure that ingest raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from runs.models import Upload


class Error(TypedDict):
    line: int | None
    message: str


class Rejected(Exception):
    """A text or a wish that cannot be carried out, and why.

    status   400 empty or senseless, 413 too large, 415 not text, 422 nothing recognised
    upload   the upload as kept for inspection (only with 422), or None
    """

    def __init__(self, status: int, errors: list[Error], upload: Upload | None = None) -> None:
        super().__init__(status, errors)
        self.status = status
        self.errors = errors
        self.upload = upload

    def __str__(self) -> str:
        return " ".join(error["message"] for error in self.errors)


def rejected(status: int, message: str, *, line: int | None = None) -> Rejected:
    return Rejected(status, [{"line": line, "message": message}])
