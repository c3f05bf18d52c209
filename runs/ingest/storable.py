"""Parsed values in a form that every database stores: its limits must not turn odd input into a traceback."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, models

_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)))
MOST_REPEATS = 1_000_000  # others are added to it
_LIMIT = 2**63  # PostgreSQL returns 1e25 as a whole number, which no 64 bits hold


def plain_text(text: str) -> str:
    """Without what PostgreSQL cannot store: NUL and lone surrogates."""
    return text if text.isascii() and "\0" not in text else text.translate(_UNSTORABLE)


def plain_json(value: Any) -> Any:
    """The value with storable texts, without figures that JSON or 64 bits do not hold: in a list None stands for one."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, int | float):
        return value if _is_held(value) else None
    if isinstance(value, dict):
        return {plain_text(str(key)): plain_json(inner) for key, inner in value.items() if _is_held(inner)}
    if isinstance(value, list | Sequence):  # `list` first: the check of a Sequence takes ten times as long
        return [plain_json(inner) for inner in value]
    return value


def _is_held(value: Any) -> bool:
    return not isinstance(value, int | float) or abs(value) < _LIMIT  # infinity and nan fail the comparison


def truncate(model: type[models.Model], **values: Any) -> dict[str, Any]:
    """Keyword arguments for a model: texts cut to their columns' lengths, numbers out of range as None."""
    return {name: _storable(model._meta.get_field(name), value) for name, value in values.items()}


def _storable(field: Any, value: Any) -> Any:
    if isinstance(field, models.CharField | models.TextField):
        return plain_text(value or "")[: field.max_length]
    if field.name == "percentiles_ms":
        return _percentiles(value)
    if isinstance(field, models.JSONField):
        return plain_json(value)
    if value is None or isinstance(field, models.BooleanField):
        return value
    if not abs(value) <= sys.float_info.max:  # nan, too, and a whole number that no float holds
        return None
    if isinstance(field, models.FloatField):
        return value
    low, high = connection.ops.integer_field_range(field.get_internal_type())
    return int(value) if (low is None or value >= low) and (high is None or value <= high) else None


def _percentiles(printed: Mapping[str, float]) -> dict[str, float]:
    """Without names that are no percentage and values that are no time: pages read both as numbers."""
    return {
        percent: ms
        for percent, ms in printed.items()
        if percent.isascii() and percent.replace(".", "", 1).isdecimal() and float(percent) <= 100
        if ms is not None and abs(ms) < _LIMIT
    }
