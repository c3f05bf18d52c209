"""What is looked at on the target: its hardware and versions once a job, processes and memory around each load, top during.

Every command here is a constant. Those that are several in one go are a script without any outside text in it, so that
a look costs the target one connection and not five.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .channel import Process, Unreachable, run
from .shapes import Machine

Pause = Callable[[], None]
NEXT = "==benchdash=="  # parts the outputs of one script; no tool prints such a line
WIDTH = "512"  # columns: room for the arguments that tell a pool's processes apart
MOST_TEXT = 256 * 1024  # bytes of one config file

LOOK = ("ps auxww", "cat /proc/meminfo")
FACTS = ("uname -a", "nproc", "cat /etc/os-release", "cat /proc/cpuinfo")
# Programs that answer at once, without a server being started. Best effort: what is not there is left out.
SERVERS = ("nginx -v", "apache2 -v", "httpd -v", "lighttpd -v", "caddy version", "haproxy -v", "php -v", "python3 -V")
GENERATOR = ("uname -a",)
VERSION = {"ab": ("ab", "-V"), "siege": ("siege", "-V"), "wrk": ("wrk", "-v"), "hey": ("hey",)}
CLOCK = ("date", "+%s.%N")


@dataclass(frozen=True, slots=True)
class Shown:
    """A command as it was typed, and what it printed."""

    command: str
    output: str


def _script(commands: Sequence[str]) -> list[str]:
    """Each command's output behind a line of its own; those whose program is missing are passed over."""
    parts = [f'echo; echo "{NEXT}{place}"; {command} 2>&1' for place, command in enumerate(commands)]
    guarded = (
        f"if command -v {command.split()[0]} >/dev/null 2>&1; then {part}; fi"
        for command, part in zip(commands, parts, strict=True)
    )
    return ["sh", "-c", "; ".join(guarded)]


def _several(machine: Machine, commands: Sequence[str], pause: Pause) -> list[Shown]:
    said = run(machine, _script(commands), pause=pause).out
    numbered = {str(place): command for place, command in enumerate(commands)}
    parts = (part.partition("\n") for part in said.split(f"\n{NEXT}")[1:])
    return [Shown(numbered[place], output.strip("\n")) for place, _, output in parts if place in numbered]


def facts(machine: Machine, pause: Pause) -> list[Shown]:
    """Hardware, system and versions of the servers that are there."""
    return _several(machine, FACTS + SERVERS, pause)


def look(machine: Machine, pause: Pause) -> list[Shown]:
    """Every process, and the memory."""
    return _several(machine, LOOK, pause)


def texts(machine: Machine, paths: Sequence[str], pause: Pause) -> list[Shown]:
    """The config files of a variant, each as `cat` shows it; what cannot be read says why."""
    shown = []
    for path in paths:
        ended = run(machine, ["head", "-c", str(MOST_TEXT), "--", path], pause=pause)
        shown.append(Shown(f"cat {path}", (ended.out if ended.status == 0 else ended.words).strip("\n")))
    return shown


def top(machine: Machine, interval_s: float, lifetime_s: float) -> Process:
    """top, a screen every interval; it goes on until it is ended."""
    return Process(machine, top_command(interval_s), lifetime_s=lifetime_s)


def top_command(interval_s: float) -> list[str]:
    return ["top", "-b", "-d", f"{interval_s:g}", "-w", WIDTH]


def version(machine: Machine, tool: str, pause: Pause) -> tuple[str, bool]:
    """(the first line of what the tool says of its version, whether it is there at all)."""
    ended = run(machine, VERSION.get(tool, (tool, "--version")), pause=pause)
    lines = [line.strip() for line in (ended.out + ended.err).splitlines() if line.strip()]
    return (lines[0] if lines else ""), ended.status != 127


def clock_offset_s(machine: Machine, pause: Pause) -> float:
    """That machine's clock minus this one's: between the moments when the command began and when its answer was there."""
    with Process(machine, CLOCK, lifetime_s=20) as process:
        while not process.wait(0.3):
            pause()
        heard = time.time()
        ended = process.ended()
    if not re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,9})?\s*", ended.out, re.A):  # float() takes nan and inf too
        raise Unreachable(f"{machine.name} does not tell its time: {ended.words}")
    there = float(ended.out)
    return there - ((process.began_at or heard) + heard) / 2


def resolved(machine: Machine, host: str, pause: Pause) -> list[str]:
    """The IP addresses that a name has on that machine, by the resolver that load tools ask too."""
    ended = run(machine, ["getent", "ahosts", host], pause=pause)
    return sorted({line.split()[0].partition("%")[0] for line in ended.out.splitlines() if line.strip()})
