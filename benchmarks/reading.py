"""How fast texts are read, beside a loop that only splits their lines and beside jc, and in how much memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

import jc

import parsers

from . import inputs
from .figures import Figure, Pairs, in_turn
from .inputs import TopLog

ROOT = Path(__file__).resolve().parent.parent
MOST_MB = 60


def split(path: Path) -> None:
    """The reference: the least that any reader in Python has to do."""
    with path.open(encoding="utf-8") as f:
        for line in f:
            line.split()


def screens(path: Path) -> tuple[int, int]:
    """Number of blocks and the sum of all their processes' RES in KiB."""
    found = total = 0
    for block in parsers.read(parsers.open_lines(path)):
        found += 1
        total += block.values["sum_res_kb"]
    return found, total


def reports(path: Path) -> int:
    """Number of blocks with a rate."""
    return sum("requests_per_second" in block.values for block in parsers.read(parsers.open_lines(path)))


def top_beside_split(log: TopLog, times: int) -> Figure:
    _must_be(screens(log.path), (log.screens, log.sum_res_kb))
    pairs = in_turn(lambda: screens(log.path), lambda: split(log.path), times)
    return _beside_split(f"top log, {_mb(log.path)}, {log.screens} screens", log.path, pairs, 1 / 4, "1/4")


def ab_beside_split(path: Path, n: int, times: int) -> Figure:
    _must_be(reports(path), n)
    pairs = in_turn(lambda: reports(path), lambda: split(path), times)
    return _beside_split(f"{n} ab reports, {_mb(path)}", path, pairs, 1 / 3, "1/3")


def quoted_ab_beside_split(path: Path, n: int, times: int) -> Figure:
    """The same as somebody quotes it in a mail: nothing was promised, but it is what line by line costs."""
    _must_be(reports(path), n)
    pairs = in_turn(lambda: reports(path), lambda: split(path), times)
    return _beside_split(f'{n} ab reports behind "> ", {_mb(path)}', path, pairs, None, "")


def _beside_split(what: str, path: Path, pairs: Pairs, goal: float | None, shown: str) -> Figure:
    speeds = (
        f"{path.stat().st_size / 1e6 / sorted(s)[len(s) // 2]:.0f} MB/s" for s in (pairs.measured, pairs.reference)
    )
    ours, theirs = speeds
    result = f"1/{1 / pairs.faster:.1f} of its speed ({pairs.spread}; core share {pairs.cpu_share:.2f})"
    reached = None if goal is None else pairs.faster >= goal
    return Figure(what, f"parsers.read: {ours}", f"split loop: {theirs}", result, shown, reached)


def top_beside_jc(log: TopLog, times: int, *, raw: bool, goal: int) -> Figure:
    def theirs() -> None:
        found = jc.parse("top", log.path.read_text(encoding="utf-8"), raw=raw, quiet=True)
        _must_be(len(found) if isinstance(found, list) else found, log.screens)

    pairs = in_turn(lambda: screens(log.path), theirs, times)
    ours, its = (f"{median(s):.2f} s" for s in (pairs.measured, pairs.reference))
    result = f"{pairs.faster:.1f} times as fast ({pairs.spread}; core share {pairs.cpu_share:.2f})"
    name = f"jc {jc.__version__} top{', raw=True' if raw else ''}: {its}"
    what = f"top log, {_mb(log.path)}"
    return Figure(what, f"parsers.read: {ours}", name, result, f"{goal} times", pairs.faster >= goal)


# Linux counts for a child what its parent had at the fork, so the parent is a small one.
_PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def memory(path: Path) -> Figure:
    """Peak resident memory of the command."""
    command = [sys.executable, "-c", _PEAK, sys.executable, "-m", "parsers", str(path)]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    peak = int(told) * (1 if sys.platform == "darwin" else 1024) / 1e6
    what = f"python -m parsers, {path.name}, {_mb(path)}"
    return Figure(
        what,
        f"{peak:.1f} MB peak",
        f"goal {MOST_MB} MB",
        f"{peak / MOST_MB:.2f} of it",
        f"{MOST_MB} MB",
        peak < MOST_MB,
    )


def _must_be(found: object, wanted: object) -> None:
    """A quick reader that reads something else has not been measured."""
    if found != wanted:
        raise ValueError(f"read {found}, but the text holds {wanted}")


def _mb(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.3g} MB"


def write(folder: Path, megabytes: int, n: int) -> tuple[TopLog, TopLog, Path, Path]:
    """(the log, one of 10 MB, the transcript, a tenth of it quoted) in `folder`."""
    log = inputs.top_log(folder / "top.log", megabytes)
    small = log if megabytes == 10 else inputs.top_log(folder / "top-10.log", 10)
    inputs.ab_transcript(folder / "ab.txt", n)
    inputs.ab_transcript(folder / "quoted.txt", n // 10, quote="> ")
    return log, small, folder / "ab.txt", folder / "quoted.txt"
