"""Natural logs of measurements: times and rates vary by factors, so that their logs are what is near normal."""

from __future__ import annotations

import math
from collections.abc import Sequence


def logs(values: Sequence[float]) -> list[float] | None:
    """The logs; None where a value has none that is of use (zero, negative, infinite, not a number)."""
    if not all(0 < value < math.inf for value in values):
        return None
    return [math.log(value) for value in values]


def log_sd(logged: Sequence[float]) -> float:
    """The sample's standard deviation (n - 1); 0 where the values are equal but for rounding. Wants two or more."""
    mean = math.fsum(logged) / len(logged)
    squares = math.fsum((value - mean) ** 2 for value in logged)
    # Logs of equal values can differ in their last digit through the mean; that is no spread.
    return math.sqrt(squares / (len(logged) - 1)) if len(set(logged)) > 1 else 0.0


def widest(logged: Sequence[float]) -> float:
    """From the least to the greatest."""
    return max(logged) - min(logged)
