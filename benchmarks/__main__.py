"""Measure everything and print it as a table; see docs/performance.md for what the columns mean.

The exit status is 0 whether or not the goals were reached: a busy or a slow machine is no fault of the code.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import arriving, ingest, lists, machine, pages, reading, rest, series
from .figures import HEADER, Figure


def measure(folder: Path, *, quick: bool) -> Iterator[Figure]:
    """Each figure as soon as it is there."""
    megabytes, n, times = (10, 1000, 5) if quick else (100, 10_000, 5)
    log, small, transcript, quoted = reading.write(folder, megabytes, n)
    for path in dict.fromkeys([small.path, log.path]):
        yield reading.memory(path)
    yield reading.top_beside_split(log, times)
    yield reading.ab_beside_split(transcript, n, times)
    yield reading.quoted_ab_beside_split(quoted, n // 10, times)
    yield from ingest.figures(megabytes)
    yield from series.figures(30, 600) if quick else series.figures()
    yield from pages.figures()
    yield from rest.figures(seconds=1, turns=3) if quick else rest.figures()
    yield from arriving.figures(100 if quick else 500)
    yield from lists.figures(large=20_000, turns=5) if quick else lists.figures()
    yield reading.top_beside_jc(small, times, raw=True, goal=7)
    yield reading.top_beside_jc(small, 1 if quick else 3, raw=False, goal=100)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10 MB and 1,000 reports instead of 100 MB and 10,000")
    quick: bool = parser.parse_args().quick
    print(machine.described())
    print(f"Before: {machine.free_cores()}")
    print(HEADER)
    with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as folder:
        for figure in measure(Path(folder), quick=quick):
            print(figure.row, flush=True)
    print(f"After: {machine.free_cores()}")


if __name__ == "__main__":
    main()
