"""What repeats of one thing vary by, pooled over several things."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runs.analysis.stats.logs import log_sd, widest
from runs.analysis.stats.welch import student_quantile

# From so many sets on the widest one may be a mishap: what 19 in 20 stay within is told instead.
MANY_SETS = 20


@dataclass(frozen=True, slots=True)
class Pool:
    """Sets of repeats, in logs: their number, squares about each set's own mean with their df, and how wide sets are.

    `widest` is the widest set's width; from MANY_SETS on, what 19 in 20 stay within.
    """

    sets: int
    df: int
    squares: float
    widest: float

    @property
    def sd(self) -> float:
        return math.sqrt(self.squares / self.df)

    def reach(self, n: int, m: int, confidence: float) -> float:
        """How far apart the means of n and m new repeats of one thing can be, in logs, at this confidence."""
        return student_quantile(0.5 + confidence / 2, self.df) * self.sd * math.sqrt(1 / n + 1 / m)


def pooled(sets: Iterable[Sequence[float]]) -> Pool | None:
    """From logs; sets of fewer than two say nothing. None where none is left."""
    told = [logged for logged in sets if len(logged) > 1]
    if not told:
        return None
    squares = math.fsum(log_sd(logged) ** 2 * (len(logged) - 1) for logged in told)
    widths = sorted(map(widest, told))
    return Pool(len(told), sum(len(logged) - 1 for logged in told), squares, widths[math.ceil(0.95 * len(told)) - 1])
