"""When each run began and ended, as bands over a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runs.figures import short

from .timeline import DAY_S, Kind, Timeline

MOST = 200  # bands; more are a grey wall
LETTER_PX = 7
WORD_PX = 26


@dataclass(frozen=True, slots=True)
class Band:
    """A run's span in seconds of the day; an end past midnight is above 86400, None where it is not known."""

    name: str
    start_s: float
    end_s: float | None


def placed(bands: Sequence[Band], when: Timeline) -> list[tuple[str, float, float | None]]:
    """(name, start, end) on the timeline: a band that fits on one day only is on that day, any other nowhere."""
    if when.kind is Kind.LOOK or not len(when.at):
        return []
    low, high = when.ends
    found = []
    for band in bands:
        length = (band.end_s - band.start_s) if band.end_s is not None else 0.0
        days = range(int((low + when.offset) // DAY_S) - 1, int((high + when.offset) // DAY_S) + 1)
        starts = [band.start_s + DAY_S * day - when.offset for day in days]
        inside = [start for start in starts if start <= high and start + length >= low]
        if len(inside) == 1:
            found.append((band.name, inside[0], inside[0] + length if band.end_s is not None else None))
    return found


def shapes(
    bands: Sequence[tuple[str, float, float | None]], factor: float, seconds: float, points: int
) -> dict[str, Any]:
    """Plotly's shapes and their names. `factor`: x a second; `seconds`: what the chart shows on about `points` pixels."""
    drawn, words = [], []
    for number, (name, start, end) in enumerate(bands[:MOST], 1):
        x0, x1 = start * factor, (start if end is None else end) * factor
        drawn.append(_band(x0, x1))
        room = points * ((start if end is None else end) - start) / seconds if seconds > 0 else 0
        text = short(name, int(room / LETTER_PX)) if room > WORD_PX * 2 else str(number) if len(bands) > 1 else ""
        if text and (room > WORD_PX / 2 or len(bands) <= 12):
            words.append(_word(x0, text))
    return {"shapes": drawn, "annotations": words}


def _band(x0: float, x1: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": x0,
        "x1": x1,
        "y0": 0,
        "y1": 1,
        "fillcolor": "--ink",
        "opacity": 0.1,
        "line": {"color": "--ink", "width": 1},
    }


def _word(x: float, text: str) -> dict[str, Any]:
    place = {"xref": "x", "yref": "paper", "x": x, "y": 1, "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    return place | {"text": text, "font": {"size": 11, "color": "--muted"}}
