"""What ingest refuses, and values in a form that every database stores: odd input must not become a traceback."""

from __future__ import annotations

import logging
import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from django.conf import settings
from django.db import connection, models

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
            f"Nothing of this text was stored because of an error in benchdash ({type(failure).__name__}); see its log."
        )


def rejected(status: int, message: str, *, line: int | None = None) -> Rejected:
    return Rejected(status, [{"line": line, "message": message}])


def reject_too_large(size: int | None = None, limit: int | None = None) -> Rejected:
    """The Rejected of a text over the limit, also for entry points that know the size before they have read it all."""
    limit = limit or settings.MAX_UPLOAD_BYTES
    has = f"{size / MIB:.1f} MiB" if size else "more"
    return rejected(413, f"The text is too large: {has}, at most {limit / MIB:g} MiB are allowed. Send it in parts.")


# Relating and storing a block takes up to 2 ms, most of it the config and the run that it makes.
AT_ONCE_BLOCKS = 1_000
_AS_A_BLOCK = 4  # lines of prose above a block, of which up to 60 are kept, take as long to relate as a block


def takes_worker(n_blocks: int, n_lines: int, at_once: float | None = None) -> bool:
    """Whether so many blocks, and lines of prose, are too slow to relate and store while somebody waits."""
    return n_blocks + n_lines // _AS_A_BLOCK > (AT_ONCE_BLOCKS if at_once is None else at_once)


_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)))
MOST_REPEATS = 1_000_000  # others are added to it
_LIMIT = 2**63  # PostgreSQL returns 1e25 as a whole number, which no 64 bits hold


# Control characters, line ends, signs without width that tell two names apart for nobody, and signs that turn the direction of
# what stands behind them, on the page or in a terminal. Those that join letters stay: Persian and emoji need them.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff]"
)


def clean_line(text: str) -> str:
    """A name or the like: on one line, in the one spelling of its letters that most systems use, and without what nobody sees."""
    text = unicodedata.normalize("NFC", text)
    return text if text.isprintable() else _UNSEEN.sub(lambda sign: " " * sign[0].isspace(), text)


def clean_name(model: type[models.Model], name: str) -> str:
    """A name that somebody gives a row of this model, as it is stored. Raises Rejected 400 where nothing of it is seen."""
    stored = str(truncate(model, name=name.strip())["name"]).strip()
    if all(unicodedata.category(sign) in _NOT_SEEN for sign in stored):
        raise rejected(400, "A name needs at least one visible character.")
    return stored


# Control and format characters, lone surrogates, and separators; icons of fonts and new emoji are not among them.
_NOT_SEEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}


def clean_text(text: str) -> str:
    """Without what PostgreSQL cannot store: NUL and lone surrogates."""
    return text if text.isascii() and "\0" not in text else text.translate(_UNSTORABLE)


def clean_json(value: Any) -> Any:
    """The value with storable texts, without figures that JSON or 64 bits do not hold: in a list None stands for one."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int | float):
        return value if _is_held(value) else None
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_json(inner) for key, inner in value.items() if _is_held(inner)}
    if isinstance(value, list | Sequence):  # `list` first: the check of a Sequence takes ten times as long
        return [clean_json(inner) for inner in value]
    return value


def _is_held(value: Any) -> bool:
    return not isinstance(value, int | float) or abs(value) < _LIMIT  # infinity and nan fail the comparison


def truncate(model: type[models.Model], **values: Any) -> dict[str, Any]:
    """Keyword arguments for a model: texts cut to their columns' lengths, short ones on a line, numbers out of range as None."""
    return {name: _make_storable(model._meta.get_field(name), value) for name, value in values.items()}


def _make_storable(field: Any, value: Any) -> Any:
    if isinstance(field, models.CharField):
        return clean_line(value or "")[: field.max_length]
    if isinstance(field, models.TextField):
        return clean_text(value or "")
    if field.name == "percentiles_ms":
        return _check_percentiles(value)
    if isinstance(field, models.JSONField):
        return clean_json(value)
    if value is None or isinstance(field, models.BooleanField):
        return value
    if not abs(value) <= sys.float_info.max:  # nan, too, and a whole number that no float holds
        return None
    if isinstance(field, models.FloatField):
        return value if abs(value) < _LIMIT else float(value)
    low, high = connection.ops.integer_field_range(field.get_internal_type())
    return int(value) if (low is None or value >= low) and (high is None or value <= high) else None


def _check_percentiles(printed: Mapping[str, float]) -> dict[str, float]:
    """Without names that are no percentage and values that are no time: pages read both as numbers."""
    return {
        percent: ms
        for percent, ms in printed.items()
        if percent.isascii() and percent.replace(".", "", 1).isdecimal() and float(percent) <= 100
        if ms is not None and abs(ms) < _LIMIT
    }
