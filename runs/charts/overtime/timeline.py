"""When each look was: on the monitor's clock, in seconds since something began, or just counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

DAY_S = 86_400.0
GAP = 4  # times the usual step: a load makes monitors late, and clocks show whole seconds
MOST_STEPS_BACK = 6  # a clock that jumps more often tells no time


class Kind(Enum):
    CLOCK = "clock"  # seconds of the day, growing past midnight
    SINCE = "since"  # seconds since the run began
    LOOK = "look"  # no time is known: looks from 1


@dataclass(frozen=True, slots=True)
class Timeline:
    """The looks whose time is known, in the order in which they were taken.

    looks    their numbers, from 0
    at       of each, in what `kind` says
    usual    the usual step between two
    offset   what was taken from the clock's seconds
    """

    kind: Kind
    looks: Whole
    at: Floats
    usual: float
    offset: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        return (float(self.at.min()), float(self.at.max())) if len(self.at) else (0.0, 1.0)

    def parts(self) -> Whole:
        """For each look, how often the clock had been set back before it."""
        return np.concatenate([[0], np.cumsum(np.diff(self.at) < 0)]).astype(np.int64)[: len(self.at)]


def timeline(clock_s: Floats | None, n_looks: int, start_s: float | None = None) -> Timeline:
    """From the clock of each look (seconds of the day, NaN where it has none), since `start_s` where that is given."""
    known = np.flatnonzero(~np.isnan(clock_s)) if clock_s is not None else np.empty(0, np.int64)
    if clock_s is None or len(known) < 2 or np.count_nonzero(np.diff(clock_s[known]) < 0) > MOST_STEPS_BACK:
        return Timeline(Kind.LOOK, np.arange(n_looks), np.arange(1.0, n_looks + 1), 1.0)
    at = clock_s[known]
    steps = np.diff(at)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    if start_s is None:
        return Timeline(Kind.CLOCK, known, at, usual)
    offset = start_s + DAY_S * round((float(at[0]) - start_s) / DAY_S)
    return Timeline(Kind.SINCE, known, at - offset, usual, offset)


def window(whole: Timeline, low: float | None, high: float | None) -> Timeline:
    """The part from `low` to `high`, and a look on each side, so that lines reach the edges."""
    if low is None and high is None:
        return whole
    inside = np.ones(len(whole.at), bool)
    if low is not None:
        inside &= whole.at >= low
    if high is not None:
        inside &= whole.at <= high
    if not inside.any():  # between two looks
        inside[np.abs(whole.at - (low or high or 0.0)).argmin()] = True
    beside = inside.copy()
    beside[:-1] |= inside[1:]
    beside[1:] |= inside[:-1]
    return Timeline(whole.kind, whole.looks[beside], whole.at[beside], whole.usual, whole.offset)


def holes(at: Floats, usual: float) -> Whole:
    """Where a line must break: the places in `at` before which time was missed or set back."""
    steps = np.diff(at)
    return np.flatnonzero((steps > GAP * usual) | (steps < 0)) + 1


def beside(breaks: Whole) -> Whole:
    """The places on both sides of each."""
    return np.concatenate([breaks, breaks - 1])


def joined(clocks: Sequence[Floats]) -> Floats:
    """The clocks of captures that follow each other: one that begins hours before the last one ended is past midnight."""
    parts: list[Floats] = []
    last = -np.inf
    for clock in clocks:
        known = clock[~np.isnan(clock)]
        if len(known) and known[0] < last - DAY_S / 2:
            clock = clock + DAY_S * np.ceil((last - DAY_S / 2 - known[0]) / DAY_S)
            known = clock[~np.isnan(clock)]
        last = float(known[-1]) if len(known) else last
        parts.append(clock)
    return np.concatenate(parts) if parts else np.empty(0)
