"""Measure everything, or the parts named, and print it as a table; see docs/performance.md for what the columns mean.

Each part runs in a process of its own, on databases of its own, so that none of them meets another's memory or settings.
The exit status is 0 whether or not the goals were reached: a busy or a slow machine is no fault of the code.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from pathlib import Path

import psycopg2

from benchdash.tests.services import find_postgresql
from runs.tests.installation import find_free_port

from . import HEADER, ROOT, Figure

CPU_INFO = Path("/proc/cpuinfo")

# Module and servers of each part; there is a function measure_<part> in the module.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "reading": ("programs", ()),
    "storing": ("database", ("DATABASE_URL",)),
    "uploads": ("site", ("DATABASE_URL", "CELERY_BROKER_URL")),
    "series": ("database", ("DATABASE_URL",)),
    "arriving": ("site", ("DATABASE_URL", "CELERY_BROKER_URL")),
    "lists": ("database", ("BENCH_SMALL_URL", "BENCH_LARGE_URL")),
    "pages": ("database", ()),
    "browser": ("site", ()),
    "client": ("programs", ()),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="texts of 10 MB instead of 100, 20,000 runs instead of 1,000,000"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="default: all of them")
    options = parser.parse_args()
    if options.child:
        name = options.parts[0]
        module = import_module(f"benchmarks.{PARTS[name][0]}")  # it sets Django up, in the child's environment
        figures: Iterator[Figure] = getattr(module, f"measure_{name}")(quick=options.quick)
        for figure in figures:
            print(figure.row, flush=True)
        return
    print(describe_machine())
    print(HEADER, flush=True)
    for name in options.parts or PARTS:
        run_part(name, quick=options.quick)
    print(f"Load average of the last 15 minutes: {os.getloadavg()[2]:.2f}")


def run_part(name: str, *, quick: bool) -> None:
    """Run one part as a child process with the services that it needs; its rows go to standard output."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="benchdash-bench-"))
        env = {"PATH": os.environ["PATH"], "HOME": folder, "DATA_DIR": folder, "MAX_UPLOAD_BYTES": str(2**31)}
        env["DJANGO_SETTINGS_MODULE"] = "benchdash.settings"
        for variable in PARTS[name][1]:
            start = start_redis if variable == "CELERY_BROKER_URL" else create_database
            url = os.environ.get(variable) or stack.enter_context(start(Path(folder), variable))
            if url is None:
                print(f"| {name} | not measured | | no server for {variable} was found | | |", flush=True)
                return
            env[variable] = url
        command = [sys.executable, "-m", "benchmarks", "--child", *(["--quick"] if quick else []), name]
        subprocess.run(command, cwd=ROOT, env=env, check=True)


@contextmanager
def create_database(folder: Path, variable: str) -> Iterator[str | None]:
    """The URL of a new, empty PostgreSQL database; None where no server lets this user make one."""
    url = find_postgresql()
    if url is None:
        yield None
        return
    server, name = url.rpartition("/")[0], f"benchdash_bench_{os.getpid()}_{variable.lower()}"
    _execute(server, f"CREATE DATABASE {name}")
    try:
        yield f"{server}/{name}"
    finally:
        _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(server: str, statement: str) -> None:
    with closing(psycopg2.connect(f"{server}/postgres")) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)


@contextmanager
def start_redis(folder: Path, variable: str) -> Iterator[str | None]:
    """The URL of a Redis that keeps nothing; None where the program is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    port = find_free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as server:
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def describe_machine() -> str:
    """Python, CPU and system in one line."""
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    cpu = next(names, platform.processor() or "unknown CPU")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {cpu}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


if __name__ == "__main__":
    main()
