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
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from . import KINDS, PORT, Plant, Variant, plants

ROOT = Path(__file__).resolve().parents[2]
DIR = Path(os.environ.get("LAB_DIR", "/tmp/lab"))  # noqa: S108
PID = DIR / "server.pid"
PROGRAM = DIR / "gunicornlike"  # Python by a name of its own, so that other programs in Python are told apart
GROUPS = Path("/sys/fs/cgroup/cpu")
LIMITED = Path("/sys/fs/cgroup/memory/benchlab")
SWAP_MB = 512
GROUP, PREFERRED = GROUPS / "benchlab", GROUPS / "benchlab-all"
NAMESPACE = "benchlab"
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
    if options.what == "start":
        start_next(options.name)
        return
    drawn = [each for each in plants(options.n) if each.number >= options.first]
    wanted = [each for each in drawn if not options.only or each.kind in options.only]
    (record_all if options.what == "record" else judge_all)(wanted)


def record_all(wanted: list[Plant]) -> None:
    DIR.mkdir(parents=True, exist_ok=True)
    make_group(PREFERRED)
    for pid in (str(os.getpid()), *find_database()):
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


def find_database() -> list[str]:
    """The processes of PostgreSQL; those of later connections are in the control group of the first one."""
    return subprocess.run(["/usr/bin/pgrep", "-x", "postgres"], capture_output=True, text=True).stdout.split()  # noqa: S603


def record(plant: Plant) -> None:
    work = DIR / "work"
    work.mkdir(exist_ok=True)
    for old in work.glob("bd-*.txt"):
        old.unlink()
    for quota in [each.around.split()[1] for each in plant.variants if each.around.startswith("quota")]:
        make_group(GROUP, int(quota))  # before bd looks for groups with limits
    environment = {**os.environ, "LAB_DIR": str(DIR)}
    on, within = [], []
    around = {word for each in plant.variants for word in each.around.split()[:1]}
    if "namespace" in around:
        environment["BD_SSH"] = str(make_namespace())
        on = ["--on", "10.201.0.2"]
    if "ports" in around:
        run_shell(f"ip netns del {NAMESPACE} 2>/dev/null; ip netns add {NAMESPACE} && ip -n {NAMESPACE} link set lo up")
        within = ["ip", "netns", "exec", NAMESPACE]
    if "memory" in around:
        swap = DIR / "swap"
        run_shell(f"head -c {SWAP_MB}M /dev/zero >{swap} && chmod 600 {swap} && mkswap -q {swap} && swapon {swap}")
    before = f"cd {ROOT} && {sys.executable} -m benchmarks.lab start --name {plant.name}"
    command = [*within, "sh", str(ROOT / "runs/client/bd"), "run", "--no-send"]
    command += ["--experiment", plant.name, "--before", before, *on]
    command += ["--log", str(DIR / "server.log")] if "trace-gc" in plant.variants[0].server else []
    for variant in plant.variants:
        command += ["--variant", variant.name, "--", *shlex.split(variant.load)]
    try:
        subprocess.run(command, cwd=work, env=environment, capture_output=True, timeout=150)  # noqa: S603
    except subprocess.TimeoutExpired:
        print(plant.name, "took too long")
    finally:
        clean()
    for made in work.glob("bd-*.txt"):
        made.rename(DIR / f"{plant.name}.txt")
    print(plant.name, flush=True)


# --- servers -----------------------------------------------------------------------------------------------------------


def start_next(name: str) -> None:
    """End the server of the variant before, and start that of $BD_VARIANT."""
    stop()
    plant = next(each for each in plants(99) if each.name == name)
    start(next(each for each in plant.variants if each.name == os.environ["BD_VARIANT"]))


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


def start(variant: Variant) -> None:
    DIR.mkdir(exist_ok=True)
    around = shlex.split(variant.around)
    if around[:1] == ["quota"]:
        make_group(GROUP, int(around[1]))
        around = ["sh", "-c", f'echo $$ >{GROUP}/cgroup.procs && exec "$0" "$@"']
    elif around[:1] == ["memory"]:
        LIMITED.mkdir(exist_ok=True)
        (LIMITED / "memory.limit_in_bytes").write_text(f"{around[1]}M")
        around = ["sh", "-c", f'echo $$ >{LIMITED}/cgroup.procs && exec "$0" "$@"']
    elif around[:1] == ["ports"]:
        run_shell(f"sysctl -qw net.ipv4.tcp_tw_reuse=0 net.ipv4.ip_local_port_range='{around[1]} {around[2]}'")
        around = []
    elif around[:1] == ["namespace"]:
        limit_link(int(around[1]))
        around = ["ip", "netns", "exec", NAMESPACE]
    if variant.server == "nginx":
        config = DIR / "nginx.conf"
        config.write_text(NGINX.format(dir=DIR, port=PORT))
        command = ["nginx", "-c", str(config)]
    elif variant.server.startswith(("java ", "node ")):
        command = shlex.split(variant.server)
    else:
        command = [str(PROGRAM), "-m", "benchmarks.lab.server", "--port", str(PORT), *shlex.split(variant.server)]
        if not PROGRAM.exists():
            PROGRAM.symlink_to(Path(sys.executable).resolve())
    # Blocks of memory of this size and more are given back when they are freed.
    environment = {
        **os.environ,
        "MALLOC_MMAP_THRESHOLD_": "65536",
        "PYTHONPATH": ":".join(each for each in sys.path if each),
    }
    with (DIR / "server.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603
            [*around, *command], cwd=ROOT, env=environment, stdout=log, start_new_session=True
        )
    PID.write_text(str(process.pid))
    await_port("10.201.0.2" if "10.201" in variant.server else "127.0.0.1")


def make_group(group: Path, quota_pct: int = 0) -> None:
    """A control group that is preferred to what else runs on the machine; it gets so much of one core at most."""
    group.mkdir(exist_ok=True)
    (group / "cpu.shares").write_text("100000")
    (group / "cpu.cfs_quota_us").write_text(str(quota_pct * 1000 or -1))


def await_port(address: str) -> None:
    for _ in range(200):
        with suppress(OSError), socket.create_connection((address, PORT), 0.2):
            return
        time.sleep(0.05)
    sys.exit("the server does not answer")


def make_namespace() -> Path:
    """A namespace for the server. Returns what bd calls in place of ssh to record its counters of the network."""
    run_shell(f"""ip netns del {NAMESPACE} 2>/dev/null; sleep 0.1
        ip netns add {NAMESPACE} && ip link add bl0 type veth peer name bl1 && ip link set bl1 netns {NAMESPACE}
        ip addr add 10.201.0.1/24 dev bl0 && ip link set bl0 up
        ip -n {NAMESPACE} addr add 10.201.0.2/24 dev bl1 && ip -n {NAMESPACE} link set bl1 up
        ip -n {NAMESPACE} link set lo up""")
    enter = DIR / "enter"
    enter.write_text(f'#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nexec ip netns exec {NAMESPACE} sh -c "$1"\n')
    enter.chmod(0o755)
    return enter


def limit_link(mbit: int) -> None:
    """The server's side sends `mbit` Mbit/s at most; 0: as much as it can."""
    run_shell(f"ip netns exec {NAMESPACE} tc qdisc del dev bl1 root 2>/dev/null; true")
    if mbit:
        run_shell(f"ip netns exec {NAMESPACE} tc qdisc add dev bl1 root tbf rate {mbit}mbit burst 32k limit 60000")


def run_shell(script: str) -> None:
    subprocess.run(["/bin/sh", "-c", script], check=True)  # noqa: S603


def clean() -> None:
    stop()
    for group in (GROUP, LIMITED):
        with suppress(OSError):
            group.rmdir()
    run_shell(f"ip netns del {NAMESPACE} 2>/dev/null; swapoff {DIR}/swap 2>/dev/null; rm -f {DIR}/swap; true")


# --- how often the cause is named ---


def judge_all(plants: Sequence[Plant]) -> None:
    """The first five of each kind made the rules, and are shown in brackets; the others judge them."""
    counts: dict[str, Counter[str]] = {}
    for plant, names, said in name_causes(plants):
        verdict = judge(plant, names)
        half = "made" if plant.number <= MADE else "judged"
        counts.setdefault(plant.kind, Counter())[f"{half} {verdict}"] += 1
        print(f"{plant.name:16} {verdict:8} {', '.join(names) or '-':28} {said}")
    print(HEADER)
    total: Counter[str] = Counter()
    for kind, found in counts.items():
        print(row(kind, found))
        total += found
    print(row("**all**", total))


def judge(plant: Plant, names: Sequence[str]) -> str:
    if not names:
        return "right" if "" in plant.causes else "unknown"
    return "right" if names[0] in plant.causes else "wrong"


def row(kind: str, found: Counter[str]) -> str:
    def cell(verdict: str) -> str:
        return f"{found[f'judged {verdict}']} ({found[f'made {verdict}']})"

    n = [sum(count for name, count in found.items() if name.startswith(half)) for half in ("judged", "made")]
    return f"| {kind} | {n[0]} ({n[1]}) | " + " | ".join(map(cell, ("right", "wrong", "unknown"))) + " |"


def name_causes(plants: Sequence[Plant]) -> Iterator[tuple[Plant, list[str], str]]:
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
    for plant in plants:
        file = DIR / f"{plant.name}.txt"
        if not file.exists():
            continue
        ingest.submit(file.read_bytes(), origin="command")
        experiment = Experiment.objects.filter(name=plant.name).latest("id")
        found = judging.compare_and_judge(comparison_data.load_experiment(experiment))[1]
        causes = found.causes
        said = " ".join(one.text for one in causes.findings) or causes.unknown
        yield plant, [one.cause for one in causes.findings], f"[{found.headline.outcome}] {said}"


if __name__ == "__main__":
    main()
