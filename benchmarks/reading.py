"""Reading texts: parsers.read beside a loop that only splits lines, and beside jc. No Django, as for its users."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import jc

import parsers
from parsers.tests import endless
from parsers.tests.reading import KINDS

from . import FOLDER, MB, ROOT, Figure, require_equal, run_in_turn, texts

MOST_MEMORY_MB = 60
# Linux counts for a child what its parent had at the fork, so the parent is a small one.
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def measure_reading(*, quick: bool) -> Iterator[Figure]:
    n, chance = 1_000 if quick else 10_000, random.Random(texts.SEED)  # noqa: S311
    small, log = (texts.write_top_log(FOLDER / f"top-{size}.log", size) for size in (10, 10 if quick else 100))
    reports = FOLDER / "ab.txt"
    reports.write_text("".join(texts.ab_section(number, chance) for number in range(n)))
    for path in dict.fromkeys([small.path, log.path]):
        yield _measure_memory(path)
    what = f"top log, {_mb(log.path)}, {log.screens} screens"
    yield _compare_with_split(what, log.path, _sum_screens, (log.screens, log.sum_res_kb), 4)
    yield _compare_with_split(f"{n} ab reports, {_mb(reports)}", reports, _count_reports, n, 6)
    yield _compare_with_jc(small, raw=True, goal=7, times=5)
    yield _compare_with_jc(small, raw=False, goal=100, times=1 if quick else 3)
    yield from _measure_kinds(50_000 if quick else 500_000)


def _measure_kinds(size: int) -> Iterator[Figure]:
    """The kinds whose captures are read slowest, each in a text of nothing else."""
    speeds = []
    for kind in sorted(KINDS):
        lines = endless.text_of_kind(kind, size).splitlines(keepends=True)
        if lines:
            speeds.append((sum(map(len, lines)) / MB / min(endless.cpu_s(lines) for _ in range(3)), kind))
    for speed, kind in sorted(speeds)[:10]:
        yield Figure(f"captures of {kind}", f"{speed:.1f} MB/s", "", f"{speed:.1f} MB/s", "5 MB/s", speed >= 5)


def _measure_memory(path: Path) -> Figure:
    command = [sys.executable, "-c", PEAK, sys.executable, "-m", "parsers", str(path)]
    peak = int(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout) * 1024 / MB
    what, result = f"python -m parsers, {path.name}, {_mb(path)}", f"{peak / MOST_MEMORY_MB:.2f} of it"
    goal = f"{MOST_MEMORY_MB} MB"
    return Figure(what, f"{peak:.1f} MB peak", f"goal {goal}", result, goal, peak < MOST_MEMORY_MB)


def _compare_with_split(what: str, path: Path, read: Callable[[Path], object], wanted: object, goal: int) -> Figure:
    """The reference is the least that any reader in Python has to do."""

    def split_lines() -> None:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                line.split()

    require_equal(read(path), wanted)
    pairs = run_in_turn(lambda: read(path), split_lines, 5)
    ours, theirs = (
        f"{path.stat().st_size / MB / seconds:.0f} MB/s" for seconds in (pairs.measured_s, pairs.reference_s)
    )
    result, reached = f"1/{1 / pairs.faster:.1f} of its speed {pairs.spread}", pairs.faster >= 1 / goal
    return Figure(what, f"parsers.read: {ours}", f"split loop: {theirs}", result, f"1/{goal}", reached)


def _sum_screens(path: Path) -> tuple[int, int]:
    """Number of blocks and the sum of all their processes' RES in KiB."""
    sums = [block.values["sum_res_kb"] for block in parsers.read(parsers.open_lines(path))]
    return len(sums), sum(sums)


def _count_reports(path: Path) -> int:
    """Number of blocks with a rate."""
    return sum("requests_per_second" in block.values for block in parsers.read(parsers.open_lines(path)))


def _compare_with_jc(log: texts.TopLog, *, raw: bool, goal: int, times: int) -> Figure:
    def theirs() -> None:
        require_equal(len(list(jc.parse("top", log.path.read_text(), raw=raw, quiet=True))), log.screens)

    pairs = run_in_turn(lambda: _sum_screens(log.path), theirs, times)
    ours, name = f"parsers.read: {pairs.measured_s:.2f} s", f"jc {jc.__version__} top{', raw=True' if raw else ''}"
    result = f"{pairs.faster:.1f} times as fast {pairs.spread}"
    reference = f"{name}: {pairs.reference_s:.2f} s"
    return Figure(f"top log, {_mb(log.path)}", ours, reference, result, f"{goal} times", pairs.faster >= goal)


def _mb(path: Path) -> str:
    return f"{path.stat().st_size / MB:.3g} MB"
