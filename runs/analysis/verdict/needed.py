"""How many repeats would settle what is open."""

from __future__ import annotations

import math

from runs.analysis import stats
from runs.analysis.verdict.evidence import ALPHA, ENOUGH_FOR_RANKS, MARGIN, Evidence

# An interval can leave the margin of the same at either end; a chance of 10 % each leaves 80 % for both to hold.
EACH_END = 0.9


def needed(evidence: Evidence, pool: stats.Pool | None, *, comparisons: int, step: float) -> int | None:
    """Repeats a side that would settle it, as a difference or as the same, whichever takes fewer; 80 % power.

    `pool` is what repeats vary by where neither side tells, `comparisons` in the row, `step` what the tool tells finely.
    More than stats.MOST_REPEATS are one more than that; None where it cannot be told.
    """
    pool = evidence.spread or pool
    if evidence.distance is None or pool is None or not pool.squares or within_step(evidence, step):
        return None
    alpha = ALPHA / max(comparisons, 1)
    distance = abs(evidence.distance)
    if evidence.effect is None:
        other = _for_ranks(stats.repeats_needed(distance, pool.sd, alpha=alpha))
    else:
        other = stats.repeats_for_ranks(evidence.effect, alpha=alpha)
    # The interval that "same" rests on is not adjusted for other configs.
    same = _for_ranks(stats.repeats_needed(MARGIN - distance, pool.sd, alpha=ALPHA, power=EACH_END))
    counted = min((one for one in (other, same) if one is not None), default=stats.MOST_REPEATS + 1)
    # From ENOUGH_FOR_RANKS on the rank test decides, which has a least p; and what was not enough is not enough.
    least = max(ENOUGH_FOR_RANKS, stats.fewest_for_ranks(alpha), evidence.fewest + 1)
    return min(max(counted, least), stats.MOST_REPEATS + 1)


def within_step(evidence: Evidence, step: float) -> bool:
    """The tool prints too coarsely to tell them apart: more repeats would print the same."""
    return evidence.distance is not None and 0 < step >= evidence.apart


def _for_ranks(repeats: int | None) -> int | None:
    """What a t test takes, as a rank test takes it of values that are near normal: π/3 times as many."""
    return None if repeats is None else math.ceil(repeats * math.pi / 3)
