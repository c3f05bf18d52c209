"""REST, version 1. Its JSON is written without NaN, infinity and halves of signs, and read without running out of the stack."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer

from runs.analysis.export import to_plain


class FiniteJSONRenderer(JSONRenderer):
    """DRF's renderer; where it refuses a number that is not finite, that number becomes null.

    The half of a sign, which an error may repeat from a request, is written as JSON escapes it.
    """

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        try:
            rendered: bytes = super().render(data, accepted_media_type, renderer_context)
        except ValueError:
            rendered = json.dumps(to_plain(data), cls=self.encoder_class, separators=(",", ":")).encode()
        return rendered


class ShallowJSONParser(JSONParser):
    """DRF's parser; JSON that is nested deeper than Python can read is refused with 400."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
