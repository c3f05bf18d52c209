"""The texts to measure with, made out of the parsers' own fixtures: the same bytes each time, with figures that vary.

A real log repeats its processes but not its figures, so a text that merely repeated a fixture would flatter a reader
that remembers what it converted.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "parsers" / "tests" / "fixtures"
SEED = 20090123
SUMMARY_LINES, HEADER = 5, "    PID USER "
REPORTS = ("ab_01_plain", "ab_02_keepalive", "ab_03_c1", "ab_05_post", "ab_06_https", "ab_08_non2xx", "ab_09_length")
_ROW = re.compile(r"(.{24})( *\d+)( *\d+)( *\d+) (\S) ( *[\d.]+)( *[\d.]+) +(\d+):(\d\d\.\d\d) (.*)")
_RATE = re.compile(r"^((?:Time taken for tests|Requests per second|Time per request|Transfer rate):)( +[\d.]+)", re.M)
_PERCENTILE = re.compile(r"^( {1,2}\d+% )( *\d+)", re.M)


@dataclass(frozen=True, slots=True)
class TopLog:
    """A written log and what a reader must find in it."""

    path: Path
    screens: int
    sum_res_kb: int


@dataclass(slots=True)
class _Process:
    """One row of a screen; memory in KiB, CPU time in hundredths of a second."""

    start: str
    virt_kb: int
    res_kb: int
    shr_kb: int
    mem: str
    ticks: int
    command: str
    cpu_pct: float = 0.0
    text: str = ""

    def step(self, chance: random.Random) -> None:
        """One second later: a program may have worked and its memory may have changed; a kernel thread has none."""
        busy = self.virt_kb > 0 and chance.random() < 0.3
        if not busy and not self.cpu_pct and self.text:
            return
        self.cpu_pct = round(chance.expovariate(0.2), 1) if busy else 0.0
        self.ticks += int(self.cpu_pct)
        if busy:
            self.res_kb = min(self.virt_kb, max(self.shr_kb, self.res_kb + 4 * chance.randint(-40, 42)))
        self.text = self._row()

    def _row(self) -> str:
        minutes, ticks = divmod(self.ticks, 6000)
        clock = f"{minutes}:{ticks // 100:02}.{ticks % 100:02}"
        state = "R" if self.cpu_pct > 20 else "S"
        memory = f"{self.virt_kb:8}{self.res_kb:7}{self.shr_kb:7}"
        return f"{self.start}{memory} {state} {self.cpu_pct:5.1f}{self.mem} {clock:>9} {self.command}\n"


def write_top_log(path: Path, megabytes: int) -> TopLog:
    """Write the log of `top -b -d 1` on one machine until it has that many MB (10^6 bytes)."""
    lines = (FIXTURES / "top" / "top_01_n1.txt").read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith(HEADER))
    processes = [_process(line) for line in lines[begin + 1 :] if line.strip()]
    chance = random.Random(SEED)  # noqa: S311
    size = screens = total = 0
    with path.open("w", encoding="utf-8", newline="\n") as log:
        while size < megabytes * 1_000_000:
            for process in processes:
                process.step(chance)
            rows = "".join(p.text for p in sorted(processes, key=lambda p: -p.cpu_pct))
            size += log.write(f"{_summary(screens, len(processes), chance)}\n{lines[begin]}\n{rows}\n")
            total += sum(process.res_kb for process in processes)
            screens += 1
    return TopLog(path, screens, total)


def _process(line: str) -> _Process:
    found = _ROW.fullmatch(line.rstrip())
    if not found:
        raise ValueError(f"not a row of top as the fixture had them: {line!r}")
    start, virt, res, shr, _, _, mem, minutes, seconds, command = found.groups()
    ticks = int(minutes) * 6000 + int(seconds.replace(".", ""))
    return _Process(start, int(virt), int(res), int(shr), mem, ticks, command)


def _summary(second: int, n: int, chance: random.Random) -> str:
    """The five lines above the table, as procps 4 prints them."""
    clock = 13 * 3600 + 1500 + second
    time = f"{clock // 3600 % 24:02}:{clock // 60 % 60:02}:{clock % 60:02}"
    user, system = chance.uniform(1, 60), chance.uniform(1, 30)
    used = chance.uniform(280, 900)
    load = ", ".join(f"{chance.uniform(0, 8):.2f}" for _ in range(3))
    return (
        f"top - {time} up {25 + second // 60 % 30} min,  6 users,  load average: {load}\n"
        f"Tasks: {n:3} total,   1 running, {n - 1:3} sleeping,   0 stopped,   0 zombie\n"
        f"%Cpu(s): {user:4.1f} us, {system:4.1f} sy,  0.0 ni, {100 - user - system:4.1f} id,"
        "  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
        f"MiB Mem : {2984.5:8.1f} total, {2835.9 - used:8.1f} free, {used:8.1f} used, {148.6:8.1f} buff/cache     \n"
        f"MiB Swap: {512.0:8.1f} total, {512.0:8.1f} free, {0.0:8.1f} used. {2984.5 - used:8.1f} avail Mem \n"
    )


def write_ab_transcript(path: Path, reports: int) -> None:
    """Write a session of that many ab reports, each below a heading and most below a command."""
    chance = random.Random(SEED)  # noqa: S311
    path.write_text("".join(ab_section(number, chance) for number in range(reports)))


def ab_section(number: int, chance: random.Random) -> str:
    """A heading, a command and its report."""
    return f"Setting {number // 5 + 1}, run {number % 5 + 1}:\n\n{ab_report(number, chance)}\n"


def ab_report(number: int, chance: random.Random) -> str:
    """One usual report of 1.5 kB, its figures between half and twice the fixture's."""
    return _other_figures(_fixture(REPORTS[number % len(REPORTS)]), chance.uniform(0.5, 2))


@cache
def _fixture(name: str) -> str:
    return (FIXTURES / "ab" / f"{name}.txt").read_text().rstrip("\n") + "\n"


def _other_figures(report: str, factor: float) -> str:
    """The report of another run: rates, times and percentiles are `factor` of those given, in the same columns."""

    def rate(found: re.Match[str]) -> str:
        decimals = len(found[2].rpartition(".")[2])
        blanks = len(found[2]) - len(found[2].lstrip())
        return f"{found[1]}{' ' * blanks}{float(found[2]) * factor:.{decimals}f}"

    report = _RATE.sub(rate, report)
    return _PERCENTILE.sub(lambda m: f"{m[1]}{round(int(m[2]) * factor):{len(m[2])}}", report)
