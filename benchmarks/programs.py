"""Programs that run without the site: the parsers, beside a loop that only splits lines and beside jc; and `bd`, of which is
measured what recording costs the load test: ab alone and `bd run -- ab`, in turn A B B A, on one nginx that serves a small file.

The rates of loads lie far apart on a machine that does anything else, so the CPU time of the monitors is measured as well: of bd's,
and of those that a remote run starts on its target.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic

import jc

import parsers
from parsers.tests import endless
from parsers.tests.reading import KINDS
from runs.tests.installation import find_free_port

from . import FOLDER, MB, ROOT, Figure, await_port, require_equal, run_in_turn, texts

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


# --- bd ---------------------------------------------------------------------------------------------------------------------

BD = ROOT / "runs" / "client" / "bd"
CLIENTS, GOAL_PCT = 50, 1.0
QUIET_PCT = 5.0  # how wide the interval may be on a machine that is quiet enough
RATE = re.compile(r"^Requests per second: +([\d.]+)", re.MULTILINE)
SERVER = """daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 2;
events {{ worker_connections 1024; }}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/www; }} }}
"""


def measure_client(*, quick: bool) -> Iterator[Figure]:
    """Both load programs, server and monitors share the machine, so that each CPU second of bd is missing elsewhere."""
    nginx, ab = shutil.which("nginx"), shutil.which("ab")
    if nginx is None or ab is None:
        yield Figure("ab recorded by bd", "not measured", "", "nginx or ab was not found")
        return
    seconds, rounds = (3, 2) if quick else (10, 5)
    with start_nginx(nginx) as port:
        load = [ab, "-q", "-k", "-t", str(seconds), "-n", "100000000", "-c", str(CLIENTS), f"http://127.0.0.1:{port}/"]
        recorded = ["sh", str(BD), "run", "--no-send", "--", *load]
        run_load(load)  # fills caches
        pairs = []  # (requests/s alone, recorded), in the order A B B A
        for _ in range(rounds):
            pairs.append((run_load(load), run_load(recorded)))
            again = run_load(recorded)
            pairs.append((run_load(load), again))
        yield describe(pairs, seconds)
        yield measure_monitors(load, seconds)


def measure_monitors(load: Sequence[str], seconds: int) -> Figure:
    """The CPU time of the sampler alone while the machine is full: bd's on each machine, and that of a remote run."""
    agent = BD.read_text().partition("<<'AGENT'\n")[2].partition("\nAGENT\n")[0]
    loop = f'begin; while [ "$n" -lt {seconds - 2} ]; do tick; sleep "$every"; done'
    with subprocess.Popen(load, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        began = monotonic()
        sampler = os.posix_spawn(
            "/bin/sh", ["sh", "-c", f"{{ {agent}\n{loop}; }} >/dev/null", "bd", "here", "1"], os.environ
        )
        used = os.wait4(sampler, 0)[2]
        lasted = monotonic() - began
    spent = used.ru_utime + used.ru_stime
    share = 100 * spent / lasted / (os.cpu_count() or 1)
    what = "CPU time of the monitors, while the machine is full"
    each = f"{1000 * spent / lasted:.1f} ms per second"
    return Figure(what, each, f"{os.cpu_count()} cores", f"{share:.2f} % of the machine", "1 %", share <= GOAL_PCT)


def describe(pairs: Sequence[tuple[float, float]], seconds: int) -> Figure:
    changes = [(recorded / alone - 1) * 100 for alone, recorded in pairs]
    alone, recorded = (median(rates) for rates in zip(*pairs, strict=True))
    change = median(changes)
    # The interval of the median, whatever the distribution: of ten, all but the least and the most hold it in 98 % of all cases.
    low, *_, high = sorted(changes)[1:-1] if len(changes) >= 10 else sorted(changes)
    result = f"{change:+.2f} % requests/s ({low:+.2f} to {high:+.2f}, n={len(changes)})"
    what = f"ab -k -c {CLIENTS} for {seconds} s, recorded by bd"
    is_quiet = high - low <= QUIET_PCT
    reached = change >= -GOAL_PCT if is_quiet else None
    result += "" if is_quiet else ", the machine was too busy to say"
    return Figure(what, f"{recorded:,.0f} requests/s", f"ab alone: {alone:,.0f} requests/s", result, "-1 %", reached)


def run_load(command: Sequence[str]) -> float:
    """The requests/s that ab prints."""
    done = subprocess.run(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    match = RATE.search(done.stdout)
    if match is None:
        raise ValueError(f"{command} printed no rate")
    return float(match[1])


@contextmanager
def start_nginx(program: str) -> Iterator[int]:
    """nginx on a port of its own, until the end; gives the port."""
    port = find_free_port()
    (FOLDER / "www").mkdir()
    (FOLDER / "www" / "index.html").write_text("x" * 1000)
    FOLDER.chmod(0o755)  # nginx's workers are another user's where it is started by root
    config = FOLDER / "nginx.conf"
    config.write_text(SERVER.format(folder=FOLDER, port=port))
    with subprocess.Popen([program, "-p", str(FOLDER), "-c", str(config)], stderr=subprocess.DEVNULL) as server:
        try:
            await_port(port)
            yield port
        finally:
            server.terminate()
