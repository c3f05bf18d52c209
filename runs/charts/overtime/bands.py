"""When each run began and ended, as bands over a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .timeline import DAY_S, Kind, Timeline

MOST = 200  # bands; more are a grey wall
LETTER_PX = 7


@dataclass(frozen=True, slots=True)
class Band:
    """A run's span in seconds of the day; an end past midnight is above 86400, None where it is not known."""

    name: str
    start_s: float
    end_s: float | None
    url: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A band on a timeline. number: its place among all that were given, from 1, which the page explains."""

    number: int
    name: str
    start: float
    end: float


def placed(bands: Sequence[Band], when: Timeline) -> list[Placed]:
    """Where the bands are: one that fits on one day only is on that day, any other nowhere."""
    if when.kind is Kind.LOOK or not len(when.at):
        return []
    low, high = when.ends
    days = range(int((low + when.offset) // DAY_S) - 1, int((high + when.offset) // DAY_S) + 1)
    found = []
    for number, band in enumerate(bands, 1):
        length = (band.end_s - band.start_s) if band.end_s is not None else 0.0
        starts = [band.start_s + DAY_S * day - when.offset for day in days]
        inside = [start for start in starts if start <= high and start + length >= low]
        if len(inside) == 1:
            found.append(Placed(number, band.name, inside[0], inside[0] + length))
    return found


def shapes(bands: Sequence[Placed], factor: float, ends: tuple[float, float], points: int) -> dict[str, Any]:
    """Plotly's shapes and their names. `factor`: x a second; `ends`: what the chart shows, on about `points` pixels."""
    drawn: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    low, high = ends
    px = points / max(high - low, 1e-9)
    free = low  # from here on there is room for a word
    for band in bands[:MOST]:
        x0, x1 = band.start * factor, band.end * factor
        drawn += [_rect(x0, x1, 0, 1, opacity=0.09), _rect(x0, x1, 1, 1.02, opacity=0.8)]
        shown, end = max(band.start, low), min(band.end, high)
        text = band.name if (end - shown) * px > len(band.name) * LETTER_PX else str(band.number)
        if free <= shown <= end:
            words.append(_word(shown * factor, text))
            free = shown + (len(text) + 1) * LETTER_PX / px
    return {"shapes": drawn, "annotations": words}


def _rect(x0: float, x1: float, y0: float, y1: float, *, opacity: float) -> dict[str, Any]:
    place = {"type": "rect", "xref": "x", "yref": "paper", "x0": x0, "x1": x1, "y0": y0, "y1": y1}
    return place | {"fillcolor": "--ink", "opacity": opacity, "line": {"color": "--ink", "width": 0 if y0 else 1}}


def _word(x: float, text: str) -> dict[str, Any]:
    place = {
        "xref": "x",
        "yref": "paper",
        "x": x,
        "y": 1.02,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }
    return place | {"text": text, "font": {"size": 11, "color": "--muted"}}
