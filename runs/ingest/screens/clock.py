"""The clock of a monitor's looks: as printed, and growing past midnight."""

from __future__ import annotations

import math

import numpy as np

from ..series_packing import Floats

DAY_S = 86400.0
SLIP_S = 3600.0


def seconds(clock: str | None) -> float:
    """Second of the day of "HH:MM:SS"; NaN where there is none."""
    parts = (clock or "").split(":")
    if len(parts) != 3 or not all(part.isdecimal() and part.isascii() for part in parts):
        return math.nan
    hour, minute, second = map(int, parts)
    return float(hour * 3600 + minute * 60 + second)


def running(clock: Floats) -> Floats:
    """Seconds of the day that go on growing past midnight, NaN where a look has no clock.

    A clock that steps back by more than half a day has passed midnight. A smaller step back is one that somebody, or a
    time server, made: the clock is kept as it was printed, and so is a step back of less than an hour across midnight.
    A gap stays one as long as it is shorter than half a day; of a longer one the clock does not tell the days.
    """
    known = ~np.isnan(clock)
    told = clock[known]
    steps = np.diff(told, prepend=told[:1])
    days = np.cumsum((steps < -DAY_S / 2).astype(np.int64) - (steps > DAY_S - SLIP_S))
    grown = np.full(len(clock), np.nan)
    grown[known] = told + DAY_S * np.maximum(days, 0)
    return grown
