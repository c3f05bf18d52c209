"""A recording without what no rule reads, so that it can be a test's text: python -m benchmarks.lab.compact FILE... DIR."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

KEPT_COMMANDS = re.compile(r"nproc|date -u|n=0;|times|echo \$\?|(?:ab|wrk|hey) |tail -c|grep -sE")
KEPT_LINES = re.compile(
    r"cpu|procs_|some |/proc/pressure/(?:io|memory):some|/sys/fs/cgroup/cpu/\w+/cpu\.stat|top - |%Cpu|[MG]iB "
    r"| +PID |\w{3} \w{3} +\d+ [\d:]+ UTC \d{4}$"
    r"|Inter-| face | *bl\d: |pswp|Total: |TCP: |State +Recv-Q|LISTEN +\d+ +\d+ +\S+:(?:8201|5432) "
    r"| *\d+ (?:[A-Z]+(?:-[A-Z]+)*(?:-\d)?|State) \S+ \S+$| *\d+ WCHAN| *\d+ \S+ +(?:\S*gunicornlike|postgres.* waiting$)"
    r"|/proc/\d+/task/|\[\d+:0x"
)
DISK = re.compile(r" +\d+ +0 vda ")
PROCESS = re.compile(r" *\d+ \S+ +\S+ +-?\d+ +\S+ +\S+ +\S+ [A-Z] +[\d.]+ +[\d.]+ +\S+ (\S+)")
PROGRAMS = re.compile(r"gunicornlike|postgres|nginx|java|node|ab$|wrk|hey|python3?$")
COUNTERS = {
    *(
        "OutSegs",
        "RetransSegs",
        "ActiveOpens",
        "PassiveOpens",
        "AttemptFails",
        "EstabResets",
        "CurrEstab",
        "OutRsts",
        "InSegs",
    ),
    *("ListenOverflows", "ListenDrops", "TCPTimeouts", "TCPReqQFullDrop", "SyncookiesSent", "TW", "DelayedACKs"),
}


def compact(text: str) -> str:
    return re.sub(r"/\S+/gunicornlike", "gunicornlike", "\n".join(_lines(text))) + "\n"


def _lines(text: str) -> Iterator[str]:
    kept, names = True, ""
    load = False  # what the load itself printed is kept as it is
    for line in text.splitlines():
        prompt = re.match(r"bd@\S+\$ (.*)", line)
        if prompt:
            kept = bool(KEPT_COMMANDS.match(prompt[1]))
            load = bool(re.match(r"(?:ab|wrk|hey|nproc|times|echo|date -u$)", prompt[1]))
            if kept:
                yield ""
                yield line
        elif re.match(r"#|(?:Before|During|After) the load:", line):
            kept, load = True, False
            yield line
        elif not kept:
            continue
        elif (
            load
            or KEPT_LINES.match(line)
            or DISK.match(line)
            or line.startswith(("  PID", "    PID"))
            or re.match(r"\w{3} \w{3} +\d+ [\d:]+ UTC \d{4}$", line)
        ):
            yield line
        elif line.startswith(("Tcp: ", "TcpExt: ")):
            if names.partition(":")[0] == line.partition(":")[0]:
                yield from _columns(names, line)
                names = ""
            else:
                names = line
        elif (process := PROCESS.match(line)) and PROGRAMS.match(process[1]):
            yield line


def _columns(names: str, figures: str) -> Iterator[str]:
    cells = list(zip(names.split(), figures.split(), strict=True))
    wanted = [pair for at, pair in enumerate(cells) if at == 0 or pair[0] in COUNTERS]
    for at in (0, 1):
        yield " ".join(pair[at] for pair in wanted)


if __name__ == "__main__":
    *files, into = map(Path, sys.argv[1:])
    into.mkdir(exist_ok=True)
    for file in files:
        (into / file.name).write_text(compact(file.read_text()))
