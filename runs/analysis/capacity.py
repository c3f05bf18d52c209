"""The highest load that keeps a limit: which level to measure next (`bd sweep`), by what was measured so far.

The level is doubled until the limit breaks, then the gap is halved until it is a tenth of the level. Both ends are then
repeated in turn, three runs each; where repeats change the majority of an end, the search goes on from there. The interval told
reaches from the highest level that every run kept to the lowest one that every run broke.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

REPEATS = 3
FINEST = 10  # parts of the level that the gap may be
MOST_RUNS = 60


@dataclass(frozen=True, slots=True)
class Search:
    """level: to be measured next, 0 where the search is over. low, high: of the interval; None where that end was not found."""

    level: int
    low: int | None
    high: int | None
    text: str = ""


def find_next_level(tried: Sequence[tuple[int, bool]], *, first: int, most: int) -> Search:
    """tried: (level, whether the limit was kept) of each run in order."""
    runs: dict[int, list[bool]] = defaultdict(list)
    for level, kept in tried:
        runs[level].append(kept)
    broken = [level for level, kept in runs.items() if 2 * sum(kept) <= len(kept)]
    high = min(broken, default=None)
    low = max((level for level in runs if level not in broken and (high is None or level < high)), default=None)
    level = 0 if len(tried) >= MOST_RUNS else _pick_level(runs, low, high, first, most)
    surely_kept = [own for own, kept in runs.items() if all(kept) and (high is None or own < high)]
    surely_broken = [own for own, kept in runs.items() if not any(kept) and (low is None or own > low)]
    return Search(level, max(surely_kept, default=None), min(surely_broken, default=None))


def _pick_level(runs: dict[int, list[bool]], low: int | None, high: int | None, first: int, most: int) -> int:
    if low is None:
        if high is None:
            return first
        return high // 2  # 0: not even 1 keeps it
    if high is None and low < most:
        return min(2 * low, most)
    if high is not None and high - low > max(1, low // FINEST):
        return (low + high) // 2
    ends = [end for end in (low, high) if end is not None and len(runs[end]) < REPEATS]
    return min(ends, key=lambda end: len(runs[end]), default=0)


def describe_search(found: Search, limit: str, tried: Sequence[tuple[int, bool]]) -> str:
    """What was found so far, in a sentence."""

    def count(level: int) -> str:
        own = [kept for each, kept in tried if each == level]
        return f"{sum(own)} of {len(own)} {'run' if len(own) == 1 else 'runs'} kept it"

    if found.low is None:
        lowest = min((level for level, _ in tried), default=0)
        return f"Even a load of {lowest} breaks {limit} ({count(lowest)})." if tried else ""
    if found.high is None:
        return f"{limit} is kept up to {found.low}, the highest load that was tried ({count(found.low)})."
    return (
        f"The highest load that keeps {limit} lies between {found.low} ({count(found.low)}) and {found.high} "
        f"({count(found.high)})."
    )
