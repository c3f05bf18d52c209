"""Figures from outside, made to fit a database: no database's limits may turn odd input into a traceback."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, models

_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)))


def plain_text(text: str) -> str:
    """Without what PostgreSQL cannot store: NUL and lone surrogates."""
    return text.translate(_UNSTORABLE)


def plain_json(value: Any) -> Any:
    """The value with None for figures that JSON has no word for, and storable texts."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {plain_text(str(key)): plain_json(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [plain_json(inner) for inner in value]
    return value


def fitted(model: type[models.Model], **values: Any) -> dict[str, Any]:
    """Keyword arguments for a model: texts clipped to their columns, figures out of range left out (None)."""
    fields = _fields(model)
    return {name: _fit(fields[name], value) for name, value in values.items()}


@cache
def _fields(model: type[models.Model]) -> dict[str, models.Field[Any, Any]]:
    return {name: field for field in model._meta.concrete_fields for name in (field.attname, field.name)}


def _fit(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.CharField | models.TextField):
        return plain_text(value or "")[: field.max_length]
    if isinstance(field, models.JSONField):
        return plain_json(value)
    if isinstance(field, models.FloatField) and value is not None:
        return value if math.isfinite(value) else None
    if isinstance(field, models.IntegerField) and value is not None:
        return _in_range(field, value)
    return value


def _in_range(field: models.IntegerField[Any, Any], value: float) -> int | None:
    if not math.isfinite(value):
        return None
    low, high = connection.ops.integer_field_range(field.get_internal_type())
    fits = (low is None or value >= low) and (high is None or value <= high)
    return int(value) if fits else None
