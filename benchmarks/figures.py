"""What was measured, how two programs are timed beside each other, and how it is shown."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `goal` is empty where nothing was promised; `reached` then says nothing."""

    what: str
    measured: str
    reference: str
    result: str
    goal: str = ""
    reached: bool | None = None

    @property
    def row(self) -> str:
        verdict = {True: "reached", False: "missed", None: ""}[self.reached]
        return f"| {self.what} | {self.measured} | {self.reference} | {self.result} | {self.goal} | {verdict} |"


HEADER = "| What | Measured | Reference | Result | Goal | |\n|---|---|---|---|---|---|"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Times in s of two programs run in turn; cpu_share is CPU time by wall time over all of them, 1 for a core alone."""

    measured: list[float]
    reference: list[float]
    cpu_share: float

    @property
    def faster(self) -> float:
        """How many times as fast as the reference: the median over the pairs."""
        return median(r / m for m, r in zip(self.measured, self.reference, strict=True))

    @property
    def spread(self) -> str:
        ratios = sorted(r / m for m, r in zip(self.measured, self.reference, strict=True))
        return f"{ratios[0]:.3g} to {ratios[-1]:.3g}, n={len(ratios)}"


def in_turn(measured: Callable[[], object], reference: Callable[[], object], times: int) -> Pairs:
    """Run both that many times, one after the other, so that a busy moment of the machine meets both."""
    ours: list[float] = []
    theirs: list[float] = []
    wall, cpu = perf_counter(), process_time()
    for _ in range(times):
        theirs.append(_seconds(reference))
        ours.append(_seconds(measured))
    return Pairs(ours, theirs, (process_time() - cpu) / (perf_counter() - wall))


def _seconds(program: Callable[[], object]) -> float:
    gc.collect()
    start = perf_counter()
    program()
    return perf_counter() - start
