"""Counts of latencies as they are stored: packed, added up over repeats, and read off for charts and tables.

Counts are [[ms, how many], ...], ascending; the ms are whole microseconds, to five significant digits.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

Counts = Sequence[Sequence[float]]
_ENOUGH = 100  # requests of which 1 % is more than one
SHOWN = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 100.0)


def pack(value: Any) -> bytes:
    """Counts, or what a load did by the second, as compressed JSON; b"" for nothing."""
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6) if value else b""


def unpack(packed: bytes | memoryview) -> Any:
    """What was packed; [] for b""."""
    return json.loads(zlib.decompress(packed)) if packed else []


def add_counts(several: Iterable[Counts]) -> list[list[float]]:
    """The counts of several loads as if they were one."""
    total: Counter[float] = Counter()
    for counts in several:
        for ms, n in counts:
            total[ms] += int(n)
    return [[ms, n] for ms, n in sorted(total.items())]


def count_requests(counts: Counts) -> int:
    return sum(int(n) for _, n in counts)


def percentiles(counts: Counts, percents: Iterable[float] | None = None) -> dict[str, float]:
    """{"50": ms, ...}, the request with p per cent of them before it; "100" is the longest.

    Without `percents` every one of 1 to 99 and finer ones, as far as one request makes a difference.
    """
    n, times = count_requests(counts), {}
    cells = iter(counts)
    ms, passed = 0.0, 0
    for percent in sorted(percents if percents is not None else _list_percents(n)) if n else ():
        rank = min(n * round(percent * 10_000) // 1_000_000, n - 1)
        while passed <= rank:
            ms, count = next(cells)
            passed += int(count)
        times[f"{percent:g}"] = ms
    return times


def _list_percents(n: int) -> list[float]:
    nines = [100 - part * 10.0**-power for power in range(1, 5) for part in (5, 2, 1)]
    return [*map(float, range(1, 100)), *(round(p, 6) for p in nines if n * (100 - p) >= 99.999), 100.0]


def table_of(percentiles_ms: Mapping[str, float]) -> list[tuple[str, float]]:
    """The percentiles that a table shows, of those that are told."""
    wanted = {f"{percent:g}" for percent in SHOWN}
    return [
        (name, ms) for name, ms in sorted(percentiles_ms.items(), key=lambda item: float(item[0])) if name in wanted
    ]


class Bin(NamedTuple):
    """Requests that took at least `low` and less than `high` ms."""

    low: float
    high: float
    n: int


def make_bars(counts: Counts, most: int = 60) -> list[Bin]:
    """At most so many bars of one width, 1, 2 or 5 times a power of ten; the slowest 1 % share the last one.

    No bar is narrower than what the figures were rounded to, or every other one would be empty.
    """
    n = count_requests(counts)
    if not n:
        return []
    low, longest = counts[0][0], counts[-1][0]
    end = percentiles(counts, [99])["99"] if n >= _ENOUGH else longest
    step = min((_round_ms(b[0] - a[0]) for a, b in pairwise(counts)), default=0.001)  # 1 for whole milliseconds
    width = _choose_width(end - low, most - 1, step)
    first = math.floor(low / width)
    last = math.floor(end / width)
    cells: Counter[int] = Counter()
    for ms, count in counts:
        cells[min(math.floor(ms / width + 1e-9), last + 1)] += int(count)
    bars = [Bin(_round_ms(at * width), _round_ms((at + 1) * width), cells[at]) for at in range(first, last + 1)]
    if cells[last + 1]:
        bars.append(Bin(_round_ms((last + 1) * width), math.inf, cells[last + 1]))
    return bars


def _choose_width(span: float, most: int, least: float) -> float:
    """The narrowest of 0.001, 0.002, 0.005, 0.01, ... ms, but not under `least`, of which `most` cover the span."""
    power = -3
    while True:
        for factor in (1, 2, 5):
            width = factor * 10.0**power
            if width > 0.999 * least and span / width < most - 1:
                return width
        power += 1


def _round_ms(ms: float) -> float:
    return round(ms, 6)
