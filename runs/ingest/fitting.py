"""Figures from outside, made to fit a database: no database's limits may turn odd input into a traceback."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

from django.db import connection, models

_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)))
_MOST = 2**63  # beyond it a number is none: PostgreSQL gives 1e25 back as a whole number, which no 64 bits hold


def plain_text(text: str) -> str:
    """Without what PostgreSQL cannot store: NUL and lone surrogates."""
    return text if text.isascii() and "\0" not in text else text.translate(_UNSTORABLE)


def plain_json(value: Any) -> Any:
    """The value with None for figures that JSON has no word for or 64 bits do not hold, and with storable texts."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, int | float):  # neither infinity nor nan is below it
        return value if abs(value) < _MOST else None
    if value is None:
        return None
    if isinstance(value, dict):
        return {plain_text(str(key)): plain_json(inner) for key, inner in value.items()}
    if isinstance(value, list | Sequence):  # a list is known at once, any other takes ten times as long
        return [plain_json(inner) for inner in value]
    return value


def fitted(model: type[models.Model], **values: Any) -> dict[str, Any]:
    """Keyword arguments for a model: texts clipped to their columns, figures out of range left out (None)."""
    fits = _fits(model)
    return {name: fits[name](value) for name, value in values.items()}


@cache
def _fits(model: type[models.Model]) -> dict[str, Callable[[Any], Any]]:
    """How a value is made to fit, by the name of its field: looked up once, since a large text has many runs."""
    fields = model._meta.concrete_fields
    return {name: fit for field in fields for fit in [_fit(field)] for name in (field.attname, field.name)}


def _fit(field: models.Field[Any, Any]) -> Callable[[Any], Any]:
    if isinstance(field, models.CharField | models.TextField):
        return lambda value: plain_text(value or "")[: field.max_length]
    if field.name == "percentiles_ms":
        return _percentiles
    if isinstance(field, models.JSONField):
        return plain_json
    if isinstance(field, models.FloatField):
        return lambda value: value if value is None or math.isfinite(value) else None
    if isinstance(field, models.IntegerField):
        return partial(_in_range, connection.ops.integer_field_range(field.get_internal_type()))
    return lambda value: value


def _percentiles(told: dict[str, float]) -> dict[str, float]:
    """Without what is no per cent or no time: every page that compares reads these names as numbers."""
    return {percent: ms for percent, ms in told.items() if _is_per_cent(percent) and ms is not None and abs(ms) < _MOST}


@lru_cache(1000)
def _is_per_cent(name: str) -> bool:
    return name.isascii() and name.replace(".", "", 1).isdecimal() and float(name) <= 100


def _in_range(limits: tuple[int | None, int | None], value: float | None) -> int | None:
    if value is None or not math.isfinite(value):
        return None
    low, high = limits
    fits = (low is None or value >= low) and (high is None or value <= high)
    return int(value) if fits else None
