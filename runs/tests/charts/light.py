"""A light figure put back into points, as static/js/overtime.js does."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import orjson


def restored(figure: Any) -> list[list[dict[str, Any]]]:
    """The traces of each panel with x (in seconds or looks) and y in place of "lean"."""
    light = orjson.loads(orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY))
    return [[_trace(trace, light) for trace in panel["data"]] for panel in light["panels"]]


def _trace(trace: dict[str, Any], light: dict[str, Any]) -> dict[str, Any]:
    lean = trace["lean"]
    axis = light["axes"][lean["x"]]
    ticks = list(accumulate([axis["at"], *axis["d"]])) if "d" in axis else _even(axis)
    x: list[float | None] = [tick * light["tick"] / light["second"] for tick in ticks]
    y: list[float | None] = [figure * light["unit"] for figure in accumulate(lean["y"])]
    for place in reversed(lean.get("breaks", [])):
        x.insert(place, x[place - 1])
        y.insert(place, None)
    return {**{name: value for name, value in trace.items() if name != "lean"}, "x": x, "y": y}


def _even(axis: dict[str, Any]) -> list[int]:
    return [axis["at"] + at * axis["by"] for at in range(axis["n"])]
