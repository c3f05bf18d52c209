"""make lab: plants bottlenecks, records them with bd, and counts how often their cause is named.

    python -m benchmarks.lab record [--n 8] [--first 1] [--only KIND ...]
    python -m benchmarks.lab judge [--n 8] [--first 1] [--only KIND ...]
    python -m benchmarks.lab start --name NAME     the server of $BD_VARIANT, which bd runs before each run

record goes on where it stopped; what was recorded is kept. It needs root for cgroups and network namespaces.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from .. import ROOT, await_port
from . import KINDS, PORT, SERVER, Plant, plants

DIR = Path(os.environ.get("LAB_DIR", "/tmp/lab"))  # noqa: S108
PID, SWAP = DIR / "server.pid", DIR / "swap"
PROGRAM = DIR / "gunicornlike"  # Python by a name of its own, so that other programs in Python are told apart
GROUPS = Path("/sys/fs/cgroup/cpu")
LIMITED = Path("/sys/fs/cgroup/memory/benchlab")
GROUP, PREFERRED = GROUPS / "benchlab", GROUPS / "benchlab-all"
NAMESPACE = "benchlab"
INSIDE = ["ip", "netns", "exec", NAMESPACE]
QUEUE = f"{' '.join(INSIDE)} tc qdisc"
ALONE = f"ip netns del {NAMESPACE} 2>/dev/null; ip netns add {NAMESPACE} && ip -n {NAMESPACE} link set lo up"
LINKED = f"""ip netns del {NAMESPACE} 2>/dev/null; sleep 0.1
ip netns add {NAMESPACE} && ip link add bl0 type veth peer name bl1 && ip link set bl1 netns {NAMESPACE}
ip addr add 10.201.0.1/24 dev bl0 && ip link set bl0 up
ip -n {NAMESPACE} addr add {SERVER}/24 dev bl1 && ip -n {NAMESPACE} link set bl1 up
ip -n {NAMESPACE} link set lo up"""
NGINX = """daemon off; worker_processes 2; pid {dir}/nginx.pid; error_log {dir}/nginx.err;
events {{ worker_connections 512; }}
http {{ access_log off; server {{ listen 127.0.0.1:{port}; location / {{ return 200 "hello"; }} }} }}
"""

MADE = 5  # of each kind that were looked at while the rules were made; the others were judged when the rules stood
HEADER = "| kind | recordings | right | wrong | cannot tell |\n|---|---|---|---|---|"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make lab", description=__doc__)
    parser.add_argument("what", choices=("record", "judge", "start"))
    parser.add_argument("--name", help="of the plant whose server is started")
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--first", type=int, default=1, help="number of a kind to begin with")
    parser.add_argument("--only", nargs="*", choices=list(KINDS))
    options = parser.parse_args()
    DIR.mkdir(parents=True, exist_ok=True)
    if options.what == "start":
        return start_next(options.name)
    drawn = [each for each in plants(options.n) if each.number >= options.first]
    wanted = [each for each in drawn if not options.only or each.kind in options.only]
    return record_all(wanted) if options.what == "record" else judge_all(wanted)


def record_all(wanted: Sequence[Plant]) -> None:
    make_group(PREFERRED)
    # Of PostgreSQL, too; those of later connections are in the control group of the first one.
    pids = subprocess.run(["/usr/bin/pgrep", "-x", "postgres"], capture_output=True, text=True)  # noqa: S603
    for pid in (str(os.getpid()), *pids.stdout.split()):
        (PREFERRED / "cgroup.procs").write_text(pid)
    try:
        for plant in wanted:
            if not (DIR / f"{plant.name}.txt").exists():
                record(plant)
    finally:
        for pid in (PREFERRED / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):  # which has ended meanwhile
                (GROUPS / "cgroup.procs").write_text(pid)
        PREFERRED.rmdir()


def record(plant: Plant) -> None:
    work, environment = DIR / "work", {**os.environ, "LAB_DIR": str(DIR)}
    work.mkdir(exist_ok=True)
    for old in work.glob("bd-*.txt"):
        old.unlink()
    around = {each.around.partition(" ")[0]: each.around.split()[-1] for each in plant.variants if each.around}
    if "quota" in around:
        make_group(GROUP, int(around["quota"]))  # before bd looks for groups with limits
    if "namespace" in around:
        run_shell(LINKED)
        enter = DIR / "enter"  # what bd calls in place of ssh to record the server's counters of the network
        enter.write_text(f'#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nexec {" ".join(INSIDE)} sh -c "$1"\n')
        enter.chmod(0o755)
        environment["BD_SSH"] = str(enter)
    if "ports" in around:
        run_shell(ALONE)
    if "memory" in around:
        run_shell(f"head -c 512M /dev/zero >{SWAP} && chmod 600 {SWAP} && mkswap -q {SWAP} && swapon {SWAP}")
    before = f"cd {ROOT} && {sys.executable} -m benchmarks.lab start --name {plant.name}"
    command = [*INSIDE * ("ports" in around), "sh", str(ROOT / "runs/client/bd"), "run", "--no-send"]
    command += ["--experiment", plant.name, "--before", before, *["--on", SERVER] * ("namespace" in around)]
    command += ["--log", str(DIR / "server.log")] * ("trace-gc" in plant.variants[0].server)
    for variant in plant.variants:
        command += ["--variant", variant.name, "--", *shlex.split(variant.load)]
    try:
        subprocess.run(command, cwd=work, env=environment, capture_output=True, timeout=150)  # noqa: S603
    except subprocess.TimeoutExpired:
        print(plant.name, "took too long")
    finally:
        stop()
        for group in (GROUP, LIMITED):
            with suppress(OSError):
                group.rmdir()
        run_shell(f"ip netns del {NAMESPACE} 2>/dev/null; swapoff {SWAP} 2>/dev/null; rm -f {SWAP}")
    for made in work.glob("bd-*.txt"):
        made.rename(DIR / f"{plant.name}.txt")
    print(plant.name, flush=True)


# --- servers -----------------------------------------------------------------------------------------------------------


def start_next(name: str) -> None:
    """End the server of the variant before, and start that of $BD_VARIANT."""
    stop()
    plant = next(each for each in plants(99) if each.name == name)
    variant = next(each for each in plant.variants if each.name == os.environ["BD_VARIANT"])
    # Blocks of memory of this size and more are given back when they are freed.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "PYTHONPATH": ":".join(filter(None, sys.path))}
    command = [*surround(variant.around), *make_command(variant.server)]
    with (DIR / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, start_new_session=True)  # noqa: S603
    PID.write_text(str(server.pid))
    await_port(PORT, SERVER if SERVER in variant.server else "127.0.0.1")


def stop() -> None:
    """Ends the server that was started last, by its process id."""
    if not PID.exists():
        return
    pid = int(PID.read_text())
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            os.kill(pid, 0)
            time.sleep(0.02)
    PID.unlink()


def surround(around: str) -> list[str]:
    """Make what a server is started in; the command that starts it there."""
    what, *sizes = around.split() or [""]
    if what == "quota":
        make_group(GROUP, int(sizes[0]))
    elif what == "memory":
        run_shell(f"mkdir -p {LIMITED} && echo {sizes[0]}M >{LIMITED}/memory.limit_in_bytes")
    elif what == "ports":
        run_shell(f"sysctl -qw net.ipv4.tcp_tw_reuse=0 net.ipv4.ip_local_port_range='{' '.join(sizes)}'")
        return []
    elif what == "namespace":  # the server's side sends so many Mbit/s at most; 0: as much as it can
        run_shell(f"{QUEUE} del dev bl1 root 2>/dev/null; true")
        if sizes != ["0"]:
            run_shell(f"{QUEUE} add dev bl1 root tbf rate {sizes[0]}mbit burst 32k limit 60000")
        return INSIDE
    group = {"quota": GROUP, "memory": LIMITED}.get(what)
    return ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$0" "$@"'] if group else around.split()


def make_command(server: str) -> list[str]:
    if server == "nginx":
        (DIR / "nginx.conf").write_text(NGINX.format(dir=DIR, port=PORT))
        return ["nginx", "-c", str(DIR / "nginx.conf")]
    if server.startswith(("java ", "node ")):
        return server.split()
    if not PROGRAM.exists():
        PROGRAM.symlink_to(Path(sys.executable).resolve())
    return [str(PROGRAM), "-m", "benchmarks.lab.server", "--port", str(PORT), *shlex.split(server)]


def make_group(group: Path, quota_pct: int = 0) -> None:
    """A control group that is preferred to what else runs on the machine; it gets so much of one core at most."""
    group.mkdir(exist_ok=True)
    (group / "cpu.shares").write_text("100000")
    (group / "cpu.cfs_quota_us").write_text(str(quota_pct * 1000 or -1))


def run_shell(script: str) -> None:
    subprocess.run(["/bin/sh", "-c", script], check=True)  # noqa: S603


# --- how often the cause is named ---


def judge_all(wanted: Sequence[Plant]) -> None:
    """The first five of each kind made the rules, and are shown in brackets; the others judge them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for plant, names, said in name_causes(wanted):
        named_first = names[0] if names else ""
        verdict = "right" if named_first in plant.causes else "wrong" if named_first else "unknown"
        half = "made" if plant.number <= MADE else "judged"
        counts[plant.kind].update((half, f"{half} {verdict}"))
        print(f"{plant.name:16} {verdict:8} {', '.join(names) or '-':28} {said}")
    print(HEADER)
    for kind, own in [*counts.items(), ("**all**", sum(counts.values(), Counter()))]:
        cells = (
            f"{own[f'judged{verdict}']} ({own[f'made{verdict}']})" for verdict in ("", " right", " wrong", " unknown")
        )
        print(f"| {kind} | {' | '.join(cells)} |")


def name_causes(wanted: Sequence[Plant]) -> Iterator[tuple[Plant, list[str], str]]:
    """(plant, its causes as found, the sentences). The site is kept beside the recordings."""
    os.environ |= {"DATA_DIR": str(DIR / "site"), "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    os.environ.pop("DATABASE_URL", "")
    import django

    django.setup()
    from django.core.management import call_command

    from runs import ingest
    from runs.models import Experiment
    from runs.selectors import comparison_data, judging

    call_command("migrate", verbosity=0)
    for plant in wanted:
        file = DIR / f"{plant.name}.txt"
        if not file.exists():
            continue
        ingest.submit(file.read_bytes(), origin="command")
        experiment = Experiment.objects.filter(name=plant.name).latest("id")
        judged = judging.compare_and_judge(comparison_data.load_experiment(experiment))[1]
        causes = judged.causes
        said = " ".join(finding.text for finding in causes.findings) or causes.unknown
        yield plant, [finding.cause for finding in causes.findings], f"[{judged.headline.outcome}] {said}"


if __name__ == "__main__":
    main()
