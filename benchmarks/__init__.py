"""Speed, measured as ratios against a reference that runs in turn with the program; see docs/performance.md."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("DATA_DIR") or tempfile.mkdtemp(prefix="benchdash-bench-"))  # of this part alone
if not os.environ.get("DATA_DIR"):  # a part that is run by itself overwrites nothing
    atexit.register(shutil.rmtree, FOLDER)
MB = 1_000_000
HEADER = "| What | Measured | Reference | Result | Goal | |\n|---|---|---|---|---|---|"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `reached` is None where the goal is for larger inputs, or where nothing was measured."""

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


@dataclass(frozen=True, slots=True)
class Pairs:
    """Seconds of two programs run in turn, medians; cpu_share is CPU time by wall time, 1 for a core alone."""

    measured_s: float
    reference_s: float
    ratios: list[float]
    cpu_share: float

    @property
    def faster(self) -> float:
        """How many times as fast as the reference: the median over the pairs."""
        return median(self.ratios)

    @property
    def spread(self) -> str:
        return (
            f"({min(self.ratios):.3g} to {max(self.ratios):.3g}, n={len(self.ratios)}; core share {self.cpu_share:.2f})"
        )


def run_in_turn(measured: Callable[[], object], reference: Callable[[], object], times: int) -> Pairs:
    """Run both that many times, one after the other, so that a busy moment of the machine meets both."""
    wall, cpu = perf_counter(), process_time()
    theirs, ours = zip(*((_seconds(reference), _seconds(measured)) for _ in range(times)), strict=True)
    share = (process_time() - cpu) / (perf_counter() - wall)
    ratios = [reference_s / measured_s for measured_s, reference_s in zip(ours, theirs, strict=True)]
    return Pairs(median(ours), median(theirs), ratios, share)


def _seconds(program: Callable[[], object]) -> float:
    gc.collect()
    start = perf_counter()
    program()
    return perf_counter() - start


def require_equal(measured: object, wanted: object) -> None:
    """A quick reader that reads something else has not been measured."""
    if measured != wanted:
        raise ValueError(f"read {measured}, but the text holds {wanted}")


def await_port(port: int, address: str = "127.0.0.1") -> None:
    for _ in range(200):
        with suppress(OSError), socket.create_connection((address, port), 1):
            return
        sleep(0.05)
    raise RuntimeError(f"nothing listens at {address}:{port}")
