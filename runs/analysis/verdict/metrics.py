"""Which rows are judged, what is good, how finely the tools print, and what one run without repeats may be off by."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass

from runs.analysis.table import Row

PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)_ms")
# A machine's state before the load says nothing of what the config does under it.
AFTERWARDS = re.compile(r"_before$")
# A sum over processes, which a listing quoted in part gets wrong.
ALL_TOGETHER = ":_all_together"
# From here on a percentile is a tail: a few slow requests make it.
TAIL = 90
# Counts of failures, each a part of the requests made, by the row that holds them.
COUNTS = ("failed_requests", "non_2xx_responses")
# Without any repeats to go by, single runs nearer than this factor are not judged. Repeats in published sessions are
# 1.2 to 1.5 times apart where the first was a cold start; twice that distance, with something to spare, is taken for far.
UNKNOWN_REACH = math.log(3)


@dataclass(frozen=True, slots=True)
class Judged:
    """One judged row. `good`: 1 more is better, -1 less is. `like`: the row whose spread may stand in for its own."""

    key: str
    good: int
    like: str
    unknown: float = UNKNOWN_REACH
    counted: str = "run"


def judged(row: Row) -> Judged | None:
    """None for what is no merit: settings, parts of sums, rows that only mirror another one."""
    key = row.key
    if key == "requests_per_second":
        return Judged(key, 1, key)
    if key == "mean_ms":
        return Judged(key, -1, key)
    if key == "max_ms":
        return Judged(key, -1, key, math.inf)
    if found := PERCENTILE.fullmatch(key):
        tail = float(found[1]) >= TAIL
        return Judged(key, -1, "max_ms" if tail else "mean_ms", math.inf if tail else UNKNOWN_REACH)
    if key in COUNTS:
        return Judged(key, -1, "")
    if AFTERWARDS.search(key):
        return None
    if key.startswith("mem_obtainable"):
        return Judged(key, 1, key, counted="capture")
    if key.startswith(("swap_used", "cpu_busy")) or ":_each,_mean" in key or ALL_TOGETHER in key:
        return Judged(key, -1, key, counted="capture")
    return None


def step(tools: Collection[str], row: Row) -> float:
    """The least difference that the tools print in a row, in its unit; 0 where it is too fine to matter."""
    if row.unit == "MiB" and all(one.value % 1 == 0 for cell in row.cells for one in cell.figures):
        return 1.0  # top tells large processes in whole MiB
    return max((_step(tool, row.key) for tool in tools), default=0.0)


def _step(tool: str, key: str) -> float:
    if tool == "ab" and (key == "max_ms" or PERCENTILE.fullmatch(key)):
        return 1.0
    if tool == "siege":
        return {"mean_ms": 10.0, "max_ms": 10.0, "requests_per_second": 0.01}.get(key, 0.0)
    return 0.0
