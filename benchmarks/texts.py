"""The texts to measure with, grown from the parsers' own fixtures: the same bytes each time.

Figures change from screen to screen and from report to report: a text that merely repeated a fixture would flatter a
reader that remembers what it converted.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "parsers" / "tests" / "fixtures"
SEED = 20090123
HEADER = "    PID USER "
REPORTS = ("ab_01_plain", "ab_02_keepalive", "ab_03_c1", "ab_05_post", "ab_06_https", "ab_08_non2xx", "ab_09_length")
_ROW = re.compile(r"(.{24})( *\d+)( *\d+)( *\d+) \S +[\d.]+( *[\d.]+) +(\d+):(\d\d\.\d\d) (.*)")
_FIGURE = re.compile(
    r"^((?:Time taken for tests|Requests per second|Time per request|Transfer rate): +| +\d+%)( *[\d.]+)", re.M
)


@dataclass(frozen=True, slots=True)
class TopLog:
    """A written log and what a reader must find in it."""

    path: Path
    screens: int
    sum_res_kb: int


class _Process:
    """One row of a screen; memory in KiB, CPU time in hundredths of a second."""

    def __init__(self, row: str) -> None:
        match = _ROW.fullmatch(row.rstrip())
        if not match:
            raise ValueError(f"not a row of top as the fixture had them: {row!r}")
        self.start, virt, res, shr, self.mem, minutes, seconds, self.command = match.groups()
        self.virt_kb, self.res_kb, self.shr_kb = int(virt), int(res), int(shr)
        self.ticks = int(minutes) * 6000 + round(float(seconds) * 100)
        self.cpu_pct = 0.0

    def step(self, chance: random.Random) -> None:
        """One second later: a program may have worked and its memory may have changed; a kernel thread has none."""
        self.cpu_pct = 0.0
        if self.virt_kb and chance.random() < 0.3:
            self.cpu_pct = round(chance.expovariate(0.2), 1)
            self.ticks += int(self.cpu_pct)
            self.res_kb = min(self.virt_kb, max(self.shr_kb, self.res_kb + 4 * chance.randint(-40, 42)))

    def __str__(self) -> str:
        clock = f"{self.ticks // 6000}:{self.ticks % 6000 // 100:02}.{self.ticks % 100:02}"
        memory = f"{self.virt_kb:8}{self.res_kb:7}{self.shr_kb:7}"
        state = "R" if self.cpu_pct > 20 else "S"
        return f"{self.start}{memory} {state} {self.cpu_pct:5.1f}{self.mem} {clock:>9} {self.command}\n"


def write_top_log(path: Path, megabytes: int) -> TopLog:
    """Write the log of `top -b -d 1` on one machine until it has that many MB (10^6 bytes)."""
    lines = (FIXTURES / "top" / "top_01_n1.txt").read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith(HEADER))
    processes = [_Process(line) for line in lines[begin + 1 :] if line.strip()]
    chance = random.Random(SEED)  # noqa: S311
    size = screens = total = 0
    with path.open("w", encoding="utf-8", newline="\n") as log:
        while size < megabytes * 1_000_000:
            for process in processes:
                process.step(chance)
            rows = "".join(map(str, sorted(processes, key=lambda process: -process.cpu_pct)))
            size += log.write(f"{_summary(screens, len(processes), chance)}\n{lines[begin]}\n{rows}\n")
            total += sum(process.res_kb for process in processes)
            screens += 1
    return TopLog(path, screens, total)


def _summary(second: int, n: int, chance: random.Random) -> str:
    """The five lines above the table, as procps 4 prints them."""
    minutes = 13 * 60 + 25 + second // 60
    user, system, used = chance.uniform(1, 60), chance.uniform(1, 30), chance.uniform(280, 900)
    load = ", ".join(f"{chance.uniform(0, 8):.2f}" for _ in range(3))
    return (
        f"top - {minutes // 60 % 24:02}:{minutes % 60:02}:{second % 60:02} up {25 + second // 60 % 30} min,"
        f"  6 users,  load average: {load}\n"
        f"Tasks: {n:3} total,   1 running, {n - 1:3} sleeping,   0 stopped,   0 zombie\n"
        f"%Cpu(s): {user:4.1f} us, {system:4.1f} sy,  0.0 ni, {100 - user - system:4.1f} id,"
        "  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
        f"MiB Mem :   2984.5 total, {2835.9 - used:8.1f} free, {used:8.1f} used,    148.6 buff/cache     \n"
        f"MiB Swap:    512.0 total,    512.0 free,      0.0 used. {2984.5 - used:8.1f} avail Mem \n"
    )


def ab_section(number: int, chance: random.Random) -> str:
    """A heading, mostly a command, and its report."""
    return f"Setting {number // 5 + 1}, run {number % 5 + 1}:\n\n{ab_report(number, chance)}\n"


def ab_report(number: int, chance: random.Random) -> str:
    """One usual report of 1.5 kB: rates, times and percentiles between half and twice the fixture's, printed as ab does."""
    factor = chance.uniform(0.5, 2)

    def scale(match: re.Match[str]) -> str:
        width, decimals = len(match[2]) if match[2][0] == " " else 0, len(match[2].partition(".")[2])
        return f"{match[1]}{float(match[2]) * factor:{width}.{decimals}f}"

    return _FIGURE.sub(scale, _fixture(REPORTS[number % len(REPORTS)]))


@cache
def _fixture(name: str) -> str:
    return (FIXTURES / "ab" / f"{name}.txt").read_text().rstrip("\n") + "\n"
