"""How did a metric move while the monitor watched? One panel a metric, faint grid, shared x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.figures import Figure, axis, color, layout, short

MOST_POINTS = 400


@dataclass(frozen=True, slots=True)
class Track:
    """One metric over the looks of a capture; None where a look lacks it."""

    name: str
    unit: str
    values: tuple[float | None, ...]


def thinned(values: Sequence[float | None], most: int = MOST_POINTS) -> list[tuple[int, float | None]]:
    """(look, value) of at most `most` looks: of each bin its lowest and highest, so that no peak is lost."""
    if len(values) <= most:
        return list(enumerate(values, 1))
    kept: set[int] = {0, len(values) - 1}
    bins = most // 2 - 1
    for at in range(bins):
        span = range(at * len(values) // bins, (at + 1) * len(values) // bins)
        filled = [(value, i) for i in span if (value := values[i]) is not None]
        if filled:
            kept |= {min(filled)[1], max(filled)[1]}
    return [(i + 1, values[i]) for i in sorted(kept)]


def figure(tracks: Sequence[Track], clock_s: Sequence[float | None] = ()) -> Figure:
    """Panels one under the other, one for each unit, each from zero.

    `clock_s` holds the second of the day of each look; without it looks are counted.
    """
    start = next((second for second in clock_s if second is not None), None)
    units = list(dict.fromkeys(track.unit for track in tracks))
    traces = []
    for place, track in enumerate(tracks):
        dots = thinned(track.values)
        suffix = units.index(track.unit) + 1
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": short(track.name, 40),
                "x": [_since(start, clock_s, look) for look, _ in dots],
                "y": [value for _, value in dots],
                "yaxis": "y" if suffix == 1 else f"y{suffix}",
                "line": {"color": color(place), "width": 1.5},
            }
        )
    parts = layout(70 + 170 * len(units), hovermode="x unified", showlegend=True)
    for at, unit in enumerate(units):
        low, high = 1 - (at + 1) / len(units), 1 - at / len(units)
        parts[f"yaxis{'' if at == 0 else at + 1}"] = axis(unit, domain=[low + 0.04, high], rangemode="tozero")
    title = "look" if start is None else "seconds since the first look"
    parts["xaxis"] = axis(title, anchor=f"y{'' if len(units) == 1 else len(units)}")
    return {"data": traces, "layout": parts}


def _since(start: float | None, clock_s: Sequence[float | None], look: int) -> float | None:
    """Where a look (from 1) stands on the x axis."""
    if start is None:
        return look
    second = clock_s[look - 1]
    return None if second is None else second - start
