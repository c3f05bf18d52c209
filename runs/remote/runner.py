"""A job from its claim to its end: connect, then step after step, each stored as soon as it is measured.

Nothing here is tried twice but the database. A load that was begun and did not come to an end is left as it is; only a
person who resumes the job sends it again.
"""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property

from django.db.models.functions import Now

from . import addresses, checks, planning, secrets, sessions, tools
from .channel import NEVER_RAN, Process, Unreachable, name_place, open_connection, run_command
from .jobs import Interrupted, Journal, claim_job, retry_database
from .models import Job, Step
from .sessions import Failed, Machines, Output, Session, prompt_name, store_session
from .snapshots import Files, Load, Pair, Snapshot, VariantPlan, find_variant, from_dict, load_for

STEP_S = 0.25
START_S = 5.0  # for the first sample
_CLOCK = re.compile(r" (\d\d):(\d\d):(\d\d) UTC ")
MARGIN_S = 15.0  # beside a run's own length: connecting, and the last request's timeout


class Measurement:
    """One load with what is recorded around it: config files, everything that bd samples before, during and after.

    `measure` fills in the session, or raises Failed, Unreachable, Interrupted.
    """

    def __init__(self, plan: Snapshot, load: Load, variant: VariantPlan, machines: Machines, journal: Journal) -> None:
        self.plan = plan
        self.load = load
        self.variant = variant
        self.machines = machines
        self.journal = journal
        self.lifetime_s = min(
            float(plan.most_duration_s), (load.duration_s + load.timeout_s if load.duration_s else plan.most_duration_s)
        )

    def measure(self, session: Session) -> Unreachable | None:
        """Where only the way to the target is lost after the load, that is returned: the load counts."""
        if self.plan.target is not None:
            files = self.variant.config_files
            session.texts = sessions.read_config_files(self.plan.target, files, self.journal.pause)
        session.before = sessions.record(self.machines, "once", self.journal.pause)
        with ExitStack() as ends:
            samplers = [ends.enter_context(self.watch(name)) for name in self.machines]
            for sampler in samplers:
                _await_first_sample(sampler, self.journal)
            shown, began = _CLOCK.search(samplers[0].printed()[0]), time.monotonic()
            self.send(session)
            if shown:
                second = sum(int(part) * unit for part, unit in zip(shown.groups(), (3600, 60, 1), strict=True))
                session.clock = (second, round(second + time.monotonic() - began, 1))
            for sampler in samplers:
                sampler.end()
            session.during = [self.read_samples(sampler) for sampler in samplers]
        try:
            session.after = sessions.record(self.machines, "once", self.journal.pause)
        except Unreachable as lost:
            return lost
        return None

    def watch(self, name: str) -> Process:
        lifetime_s = self.lifetime_s + MARGIN_S
        return sessions.watch(name, self.machines[name], every_s=self.plan.interval_s, lifetime_s=lifetime_s)

    def read_samples(self, sampler: Process) -> str:
        printed, said = sampler.printed()
        samples = sessions.read_samples(printed)
        if not samples:
            self.journal.log(f"{sampler.machine.name} returned no samples: {said.strip() or 'it gave no reason'}")
        return samples

    def send(self, session: Session) -> None:
        """Send the load. Raises Failed with the tool's own words."""
        filled = secrets.fill_load(self.load)
        texts = tools.tools()[filled.tool].inputs(filled)
        places = {name: name_place(number) for number, name in enumerate(texts, start=1)}
        argv = tools.build(filled, self.plan.allowed, Files(**places))
        shown = tools.join_command(tools.build(self.load, self.plan.allowed))
        self.journal.log(f"{self.plan.generator.name}: {shown}")
        contents = [text.encode() for text in texts.values()]
        with Process(self.plan.generator, argv, lifetime_s=self.lifetime_s + MARGIN_S, files=contents) as process:
            in_time = self.follow(process)
            ended = process.ended()
        if not in_time:
            limit = f"{self.load.tool} was stopped after {self.lifetime_s:.0f} s, the time limit of the target"
            raise Failed(f"{limit}. {ended.message}")
        if ended.status in NEVER_RAN:
            raise Failed(f"{self.plan.generator.name}: {ended.message}")
        if ended.status:
            raise Failed(f"{self.load.tool} ended with status {ended.status}: {ended.message}")
        session.load = Output(shown, secrets.mask(f"{ended.err}{ended.out}".strip("\n")))
        session.times = ended.times

    def follow(self, process: Process) -> bool:
        """Wait for its end and report how far it is. False: it took too long and has to be ended."""
        began = time.monotonic()
        while not process.wait(STEP_S):
            self.journal.pause()
            elapsed = time.monotonic() - began
            self.report_progress(process, elapsed)
            if elapsed > self.lifetime_s:
                return False
        return True

    def report_progress(self, process: Process, elapsed_s: float) -> None:
        done = tools.tools()[self.load.tool].progress(process.printed()[1])
        if done is not None and elapsed_s > 0:
            rate = round(done / elapsed_s, 1)
            self.journal.progress(done=done, of=self.load.requests, requests_per_second=rate)
        elif self.load.duration_s:
            self.journal.progress(done=round(elapsed_s), of=self.load.duration_s, unit="s")
        else:
            self.journal.progress(elapsed_s=round(elapsed_s))


def _await_first_sample(sampler: Process, journal: Journal) -> None:
    """The load must not be over before the first sample."""
    until = time.monotonic() + START_S
    while sessions.SAMPLED not in sampler.printed()[0] and not sampler.wait(STEP_S / 5) and time.monotonic() < until:
        journal.pause()


MOST_OFFSET_S = 0.5
REFUSALS = (addresses.NotAllowed, tools.Cannot, secrets.SecretFault)


def run_job(job_id: int, claim: str) -> bool:
    """Run a queued job to its end, here and now; `claim` names this attempt and nobody else's.

    False where nothing was run: it is another worker's, over, or waits for its target. What fails ends in the job's row.
    Raises only what no job can answer for, after the row says so too.
    """
    job = retry_database(lambda: claim_job(job_id, claim))
    if job is None:
        return False
    state: str | None = Job.State.FAILED
    message: str | None = "The worker failed; see its log."
    with Journal(job, claim) as journal:
        try:
            with ExitStack() as ends:
                _JobRun(job, journal).run(ends)
            state, message = Job.State.DONE, ""
        except (Failed, Unreachable, *REFUSALS) as error:
            message = str(error)
        except Interrupted as error:
            state, message = error.state, error.message
        finally:
            if state is not None:
                journal.finish(state, message)
    return True


class _JobRun:
    def __init__(self, job: Job, journal: Journal) -> None:
        self.job = job
        self.journal = journal
        self.plan: Snapshot = from_dict(job.snapshot)
        self.in_place = ""  # the variant whose switch command was the last to run
        self.facts: list[str] = []

    def run(self, ends: ExitStack) -> None:
        # What was allowed when the job was made may not be any more; a secret may be missing here.
        for load in retry_database(lambda: checks.recheck(self.plan, self.job)):
            secrets.fill_load(load)
        self.open(ends)
        self.check_machines()
        first = True
        while (step := self.next_step()) is not None:
            if not first:
                self.journal.sleep(self.plan.cooldown_s)
            first = False
            self.run_step(step)

    def next_step(self) -> Step | None:
        """The next one that waits. After the last, one of a further round where the plan asks for narrower rates."""
        waiting = Step.objects.filter(job=self.job, state=Step.State.WAITING).order_by("position", "id")
        return retry_database(lambda: waiting.first() or (waiting.first() if self.add_round() else None))

    def add_round(self) -> bool:
        done = Step.objects.filter(job=self.job, state=Step.State.DONE, repeat__gt=0)
        rates: dict[Pair, list[float]] = {}
        for step in done.exclude(requests_per_second=None):
            rates.setdefault((step.variant, step.level), []).append(step.requests_per_second or 0.0)
        stages = planning.plan_further_round(self.plan, rates)
        last = Step.objects.filter(job=self.job).order_by("-position").values_list("position", flat=True).first() or 0
        Step.objects.bulk_create(planning.make_steps(self.job, stages, last + 1))
        return bool(stages)

    # --- before the first load -------------------------------------------------------------------------------------

    def open(self, ends: ExitStack) -> None:
        generator = ends.enter_context(open_connection(self.plan.generator, self.journal.pause))
        target = self.plan.target and ends.enter_context(open_connection(self.plan.target, self.journal.pause))
        self.plan = replace(self.plan, generator=generator, target=target)

    def check_machines(self) -> None:
        """What else can be known to go wrong before a request is sent."""
        version, there = sessions.read_version(self.plan.generator, self.plan.tool, self.journal.pause)
        if not there:
            raise Failed(f"{self.plan.generator.name}: {version}")
        self.journal.log(f"{self.plan.generator.name} has {version or self.plan.tool}")
        self.facts = sessions.record(self.machines, "facts", self.journal.pause)
        self.compare_clocks()

    @cached_property
    def machines(self) -> Machines:
        """Those that are looked at; where the load stays on one machine, that has one name."""
        target, generator = self.plan.target, self.plan.generator
        here, there = prompt_name(self.plan.target_name), prompt_name(generator.name)
        if target is None:
            return {there: generator}
        if target.destination == generator.destination:
            return {here: target}
        return {here: target, there if there != here else f"{there}-generator": generator}

    def compare_clocks(self) -> None:
        """The target's clock against the generator's: monitors and loads are put together by the minute."""
        target, generator = self.plan.target, self.plan.generator
        if target is None or target.destination == generator.destination:
            return
        there = sessions.measure_clock_offset_s(target, self.journal.pause)
        here = sessions.measure_clock_offset_s(generator, self.journal.pause) if generator.destination else 0.0
        self.journal.write(clock_offset_s=round(there - here, 3))
        if abs(there - here) > MOST_OFFSET_S:
            self.journal.log(f"The clocks of {target.name} and {generator.name} differ by {there - here:+.1f} s.")

    # --- one step --------------------------------------------------------------------------------------------------

    def run_step(self, step: Step) -> None:
        variant = find_variant(self.plan, step.variant)
        self.journal.pause()
        self.journal.write(state=Job.State.RUNNING, progress={})
        begins = Step.objects.filter(pk=step.pk, state=Step.State.WAITING)
        retry_database(lambda: begins.update(state=Step.State.RUNNING, started_at=Now()))
        self.journal.log(f"{step}" if step.repeat else f"{step.variant}, concurrency {step.level}, warm-up")
        self.put_in_place(variant)
        self.check_resolved(variant)
        session = Session(
            target=prompt_name(self.plan.target_name),
            generator=[*self.machines][-1],
            title=f"{self.job.name}, step {step.position}",
            step=f"{step.variant}, " + (f"run {step.repeat} of {self.plan.repeats}" if step.repeat else "warm-up"),
            facts=self.facts,
        )
        load = load_for(self.plan, step.variant, step.level)
        measurement = Measurement(self.plan, load, variant, self.machines, self.journal)
        lost = measurement.measure(session)
        self.journal.write(state=Job.State.STORING, progress={})
        store_session(self.job, step, self.plan, session, self.journal)
        if lost is not None:
            raise lost

    def put_in_place(self, variant: VariantPlan) -> None:
        """Run the variant's switch command, unless it was the last to run."""
        if not variant.switch or self.plan.target is None or variant.name == self.in_place:
            return
        self.in_place = ""
        self.journal.log(f"switch on {self.plan.target.name}: {tools.join_command(variant.switch)}")
        ended = run_command(
            self.plan.target,
            variant.switch,
            lifetime_s=variant.switch_timeout_s,
            sweep=False,
            pause=self.journal.pause,
        )
        if ended.status:
            raise Failed(f"The switch command of {variant.name} ended with status {ended.status}: {ended.message}")
        self.in_place = variant.name

    def check_resolved(self, variant: VariantPlan) -> None:
        """Where the generator's own resolver leads to, each time, since names move. Raises NotAllowed."""
        host = addresses.host_of(variant.base)
        seen = sessions.resolve_host(self.plan.generator, host, self.journal.pause)
        allowed = retry_database(lambda: checks.find_current_addresses(self.job.target_id))
        addresses.check_resolved(variant.base, seen, allowed)
