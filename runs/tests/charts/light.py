"""The points of a delta-encoded figure, restored as static/js/overtime.js does."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import orjson


def restored(figure: Any) -> list[list[dict[str, Any]]]:
    """The traces of each panel with x (in seconds or numbers of samples) and y in place of "delta"."""
    encoded = orjson.loads(orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY))
    return [[_trace(trace, encoded) for trace in panel["data"]] for panel in encoded["panels"]]


def _trace(trace: dict[str, Any], encoded: dict[str, Any]) -> dict[str, Any]:
    delta = trace.pop("delta")
    x: list[float | None] = [tick * encoded["tick"] / encoded["second"] for tick in accumulate(delta["x"])]
    y: list[float | None] = [value * encoded["unit"] for value in accumulate(delta["y"])]
    for place in reversed(delta.get("gaps", [])):
        x.insert(place, x[place - 1])
        y.insert(place, None)
    return {**trace, "x": x, "y": y}
