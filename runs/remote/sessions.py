"""One step's session: what the machines showed around the load, as the client `bd` would have recorded it, stored.

What runs on the machines is bd's own sampler, a constant: facts once a job, everything before and after each load, samples
during it. The text goes through runs.ingest as any upload does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

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
Machines = Mapping[str, Machine]  # by the names at their prompts; the one under load first
MOST_TEXT = 256 * 1024  # bytes of one config file
MOST_SAMPLES = 1200  # of one load: what is more than the channel keeps would be lost at the end
CLOCK = ("date", "+%s.%N")

_BD = (Path(__file__).parent.parent / "client" / "bd").read_text()
SAMPLER = _BD.partition("<<'AGENT'\n")[2].partition("\nAGENT\n")[0]
SAMPLED = "mark sampled"  # the line behind each sample
RECORD = 'shift 2; for what; do "$what"; done'
WATCH = f'begin; while :; do tick; echo "{SAMPLED}"; sleep "$every"; done'


class Failed(Exception):
    """A load or a command that a job cannot do without went wrong; the message is its own words."""


@dataclass(frozen=True, slots=True)
class Output:
    command: str
    output: str


def _run_sampler(name: str, then: str, *arguments: str) -> list[str]:
    """Through the environment, so that lists of processes do not show the script."""
    script = f"unset BD\n{SAMPLER}\n{then}".replace("\\", "\\\\").replace("\n", "\\n")
    return ["env", f"BD={script}", "sh", "-c", 'eval "$(printf %b "$BD")"', "bd", name, *arguments]


def record(machines: Machines, what: str, pause: Pause) -> list[str]:
    """What each of the machines shows: "facts" of itself, or "once" everything that is sampled. Raises Unreachable."""
    with ExitStack() as ends:
        started = [
            ends.enter_context(Process(machine, _run_sampler(name, RECORD, "1", what), lifetime_s=30))
            for name, machine in machines.items()
        ]
        for process in started:
            while not process.wait(0.3):
                pause()
        return [process.ended().out for process in started]


def watch(name: str, machine: Machine, *, every_s: float, lifetime_s: float) -> Process:
    """Sample a machine until the process is ended."""
    every = max(1.0, every_s, lifetime_s / MOST_SAMPLES)  # rates need whole seconds
    return Process(machine, _run_sampler(name, WATCH, f"{every:.0f}"), lifetime_s=lifetime_s)


def read_samples(printed: str) -> str:
    """What was sampled; a last sample that is cut off in the middle is left out."""
    return printed[: printed.rfind(SAMPLED)].replace(f"{SAMPLED}\n", "") if SAMPLED in printed else ""


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
        raise Unreachable(f"{machine.name} does not report its time: {ended.message}")
    there = float(ended.out)
    return there - ((process.began_at or answered_at) + answered_at) / 2


def resolve_host(machine: Machine, host: str, pause: Pause) -> list[str]:
    """The IP addresses that a name has on that machine, by the resolver that load tools ask too."""
    ended = run_command(machine, ["getent", "ahosts", host], pause=pause)
    return sorted({line.split()[0].partition("%")[0] for line in ended.out.splitlines() if line.strip()})


@dataclass(slots=True)
class Session:
    """What was shown during one step. target, generator: names at the prompts.

    step    what is run, as bd's line above each run says it: "event, run 2 of 5"
    facts, before, during, after   as the sampler printed them, of each machine
    times   the CPU time of the load generator
    clock   the seconds of the day at which the load began and ended, as the target's samples show them; () where it did not run
    """

    target: str
    generator: str
    title: str
    step: str
    facts: Sequence[str] = ()
    texts: Sequence[Output] = ()
    before: Sequence[str] = ()
    load: Output = field(default_factory=lambda: Output("", ""))
    times: str = ""
    during: Sequence[str] = ()
    after: Sequence[str] = ()
    clock: tuple[float, ...] = ()


def prompt_name(name: str) -> str:
    """A machine's name as a prompt can show it: "web server 1" is web-server-1."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "host"


def render_session(session: Session) -> tuple[str, tuple[int, int]]:
    """The text, without what looks like a secret, and the first and last line of what the load tool printed."""
    generator = session.generator
    head = ["# Recorded by bd 1", f"# host: {session.target}", *map(_clean, session.facts)]
    head += [*_write_commands(session.target, session.texts), "", f"## {session.step}", ""]
    head += ["Before the load:", *map(_clean, session.before), ""]
    first = sum(part.count("\n") + 1 for part in head) + 2
    rest = ["During the load:", *map(_clean, session.during)]
    rest += _write_commands(generator, [Output("times", session.times)] if session.times else [])
    rest += ["After the load:", *map(_clean, session.after)] if session.after else []
    lines = [*head, *_write_commands(generator, [session.load]), *rest]
    return "\n".join(lines) + "\n", (first, first + session.load.output.count("\n"))


def _clean(shown: str) -> str:
    return ingest.redact_secrets(shown.strip("\n"))


def _write_commands(machine: str, outputs: Sequence[Output]) -> list[str]:
    """Each command behind a prompt, with its output. A load's command line has no secret: a plan only holds their names."""
    return [line for shown in outputs for line in (f"bd@{machine}:~$ {shown.command}", _clean(shown.output), "")]


def store_session(job: Job, step: Step, plan: Snapshot, session: Session, journal: Journal) -> None:
    """Store the session; the step is done, or Failed is raised where the tool measured nothing.

    Safe to repeat: the same text is one upload, so the database may go away in the middle of it.
    """
    text, lines = render_session(session)
    data = mask(text).encode("utf-8", "replace")
    hints = _make_hints(job, step, plan, lines, session.clock)
    try:
        receipt = retry_database(
            lambda: ingest.submit(data, origin="remote", name=session.title, user=job.created_by, hints=hints)
        )
    except ingest.Rejected as error:
        raise Failed(f"Nothing was measured: {error} {session.load.output}") from error
    run = retry_database(receipt.upload.runs.first)
    if run is None:
        raise Failed(f"{plan.tool} measured nothing. It said: {session.load.output}")
    fault = _find_fault(plan.tool, run)
    retry_database(lambda: _note(job, step, run, fault, journal))
    if fault:
        raise Failed(f"{fault} It said: {session.load.output}")
    journal.log(f"{run.requests_per_second:g} requests/s")


def _find_fault(tool: str, run: Run) -> str:
    """Why a report that was read measures nothing, or ""."""
    if run.complete_requests == 0:
        return f"{tool} completed no request."
    return "" if run.requests_per_second else f"The run was too short for {tool} to report a rate; send more requests."


def _make_hints(job: Job, step: Step, plan: Snapshot, lines: tuple[int, int], clock: tuple[float, ...]) -> ingest.Hints:
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
