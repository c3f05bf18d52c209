"""What the OpenAPI description says of every operation: how tokens are sent, and the errors that any may answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse

from runs.api.serializers import ErrorsSerializer

ERRORS = {
    "400": "something asked for makes no sense",
    "401": "no token, or one that is unknown or revoked",
    "404": "there is no such row, page or format",
    "429": "too many requests; ask again after Retry-After",
}


class Bearer(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI description says that tokens are sent."""

    target_class = "runs.accounts.tokens.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token made on /tokens/"}


class Schema(AutoSchema):
    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        for code, why in ERRORS.items():
            if code not in bodies:
                answer = OpenApiResponse(ErrorsSerializer, description=why)
                bodies[code] = self._get_response_for_code(answer, code)  # type: ignore[no-untyped-call]
        return dict(sorted(bodies.items()))
