"""make lab: plants bottlenecks, records them with bd, and counts how often their cause is named.

    python -m benchmarks.lab record [--n 8] [--only KIND ...] [--seconds 170] [--dir DIR]
    python -m benchmarks.lab judge [--dir DIR]

record goes on where it stopped; what was recorded is kept. It needs root for cgroups and network namespaces.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from .plants import KINDS, Plant, plants
from .start import GROUP, PREFERRED, ROOT, clean, make_group, make_namespace


def main() -> None:
    parser = argparse.ArgumentParser(prog="make lab", description=__doc__)
    parser.add_argument("what", choices=("record", "judge"))
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--only", nargs="*", choices=list(KINDS))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--dir", type=Path, default=Path("/tmp/lab"))  # noqa: S108
    options = parser.parse_args()
    wanted = [each for each in plants(options.n) if not options.only or each.kind in options.only]
    if options.what == "record":
        record_all(wanted, options.dir, time.monotonic() + options.seconds)
    else:
        from .judge import judge_all  # it sets Django up

        judge_all(wanted, options.dir)


def record_all(wanted: list[Plant], into: Path, until: float) -> None:
    into.mkdir(exist_ok=True)
    make_group(PREFERRED)
    (PREFERRED / "cgroup.procs").write_text(str(os.getpid()))
    for plant in wanted:
        if not (into / f"{plant.name}.txt").exists():
            if time.monotonic() > until - 20:
                return
            record(plant, into)


def record(plant: Plant, into: Path) -> None:
    work = into / "work"
    work.mkdir(exist_ok=True)
    for old in work.glob("bd-*.txt"):
        old.unlink()
    for quota in [each.around.split()[1] for each in plant.variants if each.around.startswith("quota")]:
        make_group(GROUP, int(quota))  # before bd looks for groups with limits
    environment = {**os.environ, "LAB_DIR": str(into)}
    on = []
    if any(each.around.startswith("namespace") for each in plant.variants):
        environment["BD_SSH"] = str(make_namespace())
        on = ["--on", "10.201.0.2"]
    before = f"cd {ROOT} && {sys.executable} -m benchmarks.lab.start {plant.name}"
    command = [
        "sh",
        str(ROOT / "runs/client/bd"),
        "run",
        "--no-send",
        "--experiment",
        plant.name,
        "--before",
        before,
        *on,
    ]
    for variant in plant.variants:
        command += ["--variant", variant.name, "--", *shlex.split(variant.load)]
    try:
        subprocess.run(command, cwd=work, env=environment, capture_output=True, timeout=60)  # noqa: S603
    except subprocess.TimeoutExpired:
        print(plant.name, "took too long")
    finally:
        clean()
    for made in work.glob("bd-*.txt"):
        made.rename(into / f"{plant.name}.txt")
    print(plant.name, flush=True)


if __name__ == "__main__":
    main()
