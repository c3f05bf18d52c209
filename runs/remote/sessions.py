"""One step's session: what the target printed around the load, as the text that a person would have pasted, stored.

The commands on the target are constants: hardware and versions once a job, processes and memory before and after each
load, top during it. Several commands in one go are a script without any outside text in it, so that they cost the
target one connection. The text goes through runs.ingest as any upload does, in the order in which phases are read.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.db.models.functions import Now

from runs import ingest
from runs.models import Run

from . import tools
from .channel import Process, Unreachable, run_command
from .jobs import Journal, retry_database
from .models import Job, Step
from .secrets import mask
from .snapshots import Machine, Snapshot

Pause = Callable[[], None]  # called while a command runs; it may raise, which ends the command
NEXT = "==benchdash=="  # parts the outputs of one script; no tool prints such a line
WIDTH = "512"  # columns: enough for the arguments that distinguish a pool's processes apart
MOST_TEXT = 256 * 1024  # bytes of one config file

STATE = ("ps auxww", "cat /proc/meminfo")
FACTS = (
    *("uname -a", "nproc", "cat /etc/os-release", "cat /proc/cpuinfo"),
    # Programs that answer at once, without a server being started.
    *("nginx -v", "apache2 -v", "httpd -v", "lighttpd -v", "caddy version", "haproxy -v", "php -v", "python3 -V"),
)
CLOCK = ("date", "+%s.%N")


class Failed(Exception):
    """A load or a command that a job cannot do without went wrong; the message is its own words."""


@dataclass(frozen=True, slots=True)
class Output:
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


def read_outputs(machine: Machine, commands: Sequence[str], pause: Pause) -> list[Output]:
    """What each of the commands prints, those left out whose program is not there."""
    said = run_command(machine, _script(commands), pause=pause).out
    numbered = {str(place): command for place, command in enumerate(commands)}
    parts = (part.partition("\n") for part in said.split(f"\n{NEXT}")[1:])
    return [Output(numbered[place], output.strip("\n")) for place, _, output in parts if place in numbered]


def read_config_files(machine: Machine, paths: Sequence[str], pause: Pause) -> list[Output]:
    """The config files of a variant, each as `cat` shows it; what cannot be read says why."""
    outputs = []
    for path in paths:
        ended = run_command(machine, ["head", "-c", str(MOST_TEXT), "--", path], pause=pause)
        outputs.append(Output(f"cat {path}", (ended.out if ended.status == 0 else ended.message).strip("\n")))
    return outputs


def read_version(machine: Machine, tool: str, pause: Pause) -> tuple[str, bool]:
    """(the first line of what the tool says of its version, whether it is there at all)."""
    ended = run_command(machine, tools.tools()[tool].version, pause=pause)
    lines = [line.strip() for line in (ended.out + ended.err).splitlines() if line.strip()]
    return (lines[0] if lines else ""), ended.status != 127


def measure_clock_offset_s(machine: Machine, pause: Pause) -> float:
    """That machine's clock minus this one's: between the moments when the command began and when its answer was there."""
    with Process(machine, CLOCK, lifetime_s=20) as process:
        while not process.wait(0.3):
            pause()
        answered_at = time.time()
        ended = process.ended()
    if not re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,9})?\s*", ended.out, re.A):  # float() takes nan and inf too
        raise Unreachable(f"{machine.name} does not tell its time: {ended.message}")
    there = float(ended.out)
    return there - ((process.began_at or answered_at) + answered_at) / 2


def resolve_host(machine: Machine, host: str, pause: Pause) -> list[str]:
    """The IP addresses that a name has on that machine, by the resolver that load tools ask too."""
    ended = run_command(machine, ["getent", "ahosts", host], pause=pause)
    return sorted({line.split()[0].partition("%")[0] for line in ended.out.splitlines() if line.strip()})


@dataclass(slots=True)
class Session:
    """What was shown during one step. target, generator: names for the prompts.

    clock: the seconds of the day at which the load began and ended, as the target's top shows them; () where it did not run.
    """

    target: str
    generator: str
    title: str
    facts: Sequence[Output] = ()
    texts: Sequence[Output] = ()
    before: Sequence[Output] = ()
    load: Output = field(default_factory=lambda: Output("", ""))
    during: Sequence[Output] = ()
    after: Sequence[Output] = ()
    clock: tuple[float, ...] = ()


def prompt_name(name: str) -> str:
    """A machine's name as a prompt can show it: "web server 1" is web-server-1."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "host"


def render_session(session: Session) -> tuple[str, tuple[int, int]]:
    """The text, without what looks like a secret, and the first and last line of what the load tool printed."""
    here, there = prompt_name(session.target), prompt_name(session.generator)
    parts = [session.title, "", *_write_session(here, session.facts), *_write_session(here, session.texts)]
    if session.before:
        parts += ["Before the load:", "", *_write_session(here, session.before)]
    first = sum(part.count("\n") + 1 for part in parts) + 2
    parts += _write_session(there, [session.load])
    if session.during:
        parts += ["During the load:", "", *_write_session(here, session.during)]
    if session.after:
        parts += ["After the load:", "", *_write_session(here, session.after)]
    return "\n".join(parts) + "\n", (first, first + session.load.output.count("\n"))


def _write_session(machine: str, outputs: Sequence[Output]) -> list[str]:
    """Each command behind a prompt, with its output. A load's command line has no secret: a plan only holds their names."""
    return [
        line
        for shown in outputs
        for line in (f"benchdash@{machine}:~$ {shown.command}", ingest.redact_secrets(shown.output), "")
    ]


def store_session(job: Job, step: Step, plan: Snapshot, session: Session, journal: Journal) -> None:
    """Store the session; the step is done, or Failed is raised where the tool measured nothing.

    Safe to repeat: the same text is one upload, so the database may go away in the middle of it.
    """
    text, lines = render_session(session)
    data = mask(text, os.environ).encode("utf-8", "replace")
    hints = _hints(job, step, plan, lines, session.clock)
    try:
        receipt = retry_database(
            lambda: ingest.submit(data, origin="remote", name=session.title, user=job.created_by, hints=hints)
        )
    except ingest.Rejected as error:
        raise Failed(f"Nothing was measured: {error} {session.load.output}") from error
    run = retry_database(receipt.upload.runs.first)
    if run is None:
        raise Failed(f"{plan.tool} measured nothing. It said: {session.load.output}")
    fault = _fault(plan.tool, run)
    retry_database(lambda: _note(job, step, run, fault, journal))
    if fault:
        raise Failed(f"{fault} It said: {session.load.output}")
    journal.log(f"{run.requests_per_second:g} requests/s")


def _fault(tool: str, run: Run) -> str:
    """Why a report that was read measures nothing, or ""."""
    if run.complete_requests == 0:
        return f"{tool} completed no request."
    return "" if run.requests_per_second else f"The run was too short for {tool} to tell a rate; send more requests."


def _hints(job: Job, step: Step, plan: Snapshot, lines: tuple[int, int], clock: tuple[float, ...]) -> ingest.Hints:
    names = [variant.name for variant in plan.variants]
    slot = ingest.Slot(
        experiment=job.experiment_id,
        position=names.index(step.variant) + 1,
        repeat=step.repeat,
        counted=step.repeat > 0,
        label=f"repeat {step.repeat}" if step.repeat else "warm-up",
        lines=lines,
        clock=clock,
    )
    return ingest.Hints(host=plan.target_name, config=step.variant, experiment=job.name, slot=slot)


def _note(job: Job, step: Step, run: Run, fault: str, journal: Journal) -> None:
    if job.experiment_id is None:
        job.experiment_id = run.experiment_id
        journal.write(experiment=run.experiment_id)
    if fault and run.counted:
        Run.objects.filter(pk=run.pk).update(counted=False)
    Step.objects.filter(pk=step.pk).update(
        state=Step.State.FAILED if fault else Step.State.DONE,
        message=fault,
        requests_per_second=run.requests_per_second,
        upload=run.upload_id,
        finished_at=Now(),
    )
