"""A job from its claim to its end: connect, then step after step, each stored as soon as it is measured.

Nothing here is tried twice but the database. A load that was begun and did not come to an end is left as it is; only a
person who resumes the job sends it again.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum

from django.utils import timezone

from runs.models import Job, Step

from . import addresses, claims, monitors, order, places, secrets, today, tools
from .channel import Unreachable, connected
from .channel import run as run_command
from .journal import Interrupted, Journal, patiently
from .loading import Failed, Loading
from .monitors import Shown
from .planning import steps as new_steps
from .shapes import Snapshot, Stage, VariantPlan
from .snapshots import from_dict, load_of, variant_of
from .storing import store
from .transcripts import Session

MOST_OFFSET_S = 0.5
REFUSALS = (addresses.NotAllowed, tools.Cannot, places.BadPlace, secrets.SecretFault)


class Outcome(StrEnum):
    RAN = "ran"  # to whatever end: the job's row says which
    NOT_TAKEN = "not taken"  # it is another worker's, over, or waits for its target


def run(job_id: int, claim: str) -> Outcome:
    """Run a queued job to its end, here and now; `claim` names this attempt and nobody else's.

    What fails ends in the job's row. Raises only what no job can answer for, after the row says so too.
    """
    job = patiently(lambda: claims.take(job_id, claim))
    if job is None:
        return Outcome.NOT_TAKEN
    state: str | None = Job.State.FAILED
    message: str | None = "The worker broke down; its log says where."
    with Journal(job, claim) as journal:
        try:
            with ExitStack() as ends:
                _Run(job, journal).go(ends)
            state, message = Job.State.DONE, ""
        except (Failed, Unreachable, *REFUSALS) as error:
            message = str(error)
        except Interrupted as error:
            state, message = error.state, error.words
        finally:
            if state is not None:
                journal.finish(state, message)
    return Outcome.RAN


class _Run:
    def __init__(self, job: Job, journal: Journal) -> None:
        self.job = job
        self.journal = journal
        self.plan: Snapshot = from_dict(job.snapshot)
        self.in_place = ""  # the variant whose switch command was the last to run
        self.facts: list[Shown] = []

    def go(self, ends: ExitStack) -> None:
        self.check_allowed()
        self.open(ends)
        self.look_around()
        first = True
        while (step := self.next_step()) is not None:
            if not first:
                self.journal.sleep(self.plan.cooldown_s)
            first = False
            self.do(step)

    def next_step(self) -> Step | None:
        """The next one that waits. After the last, one of a further round where the plan asks for narrower rates."""
        waiting = Step.objects.filter(job=self.job, state=Step.State.WAITING).order_by("position", "id")
        return patiently(lambda: waiting.first() or (waiting.first() if self.add_round() else None))

    def add_round(self) -> bool:
        done = Step.objects.filter(job=self.job, state=Step.State.DONE, repeat__gt=0)
        rates: dict[order.Pair, list[float]] = {}
        for step in done.exclude(requests_per_second=None):
            rates.setdefault((step.variant, step.level), []).append(step.requests_per_second or 0.0)
        stages = order.more(self.plan, rates)
        last = Step.objects.filter(job=self.job).order_by("-position").values_list("position", flat=True).first() or 0
        Step.objects.bulk_create(new_steps(self.job, stages, last + 1))
        return bool(stages)

    # --- before the first load -------------------------------------------------------------------------------------

    def open(self, ends: ExitStack) -> None:
        """One connection a machine, for as long as the job runs."""
        generator = ends.enter_context(connected(self.plan.generator, self.journal.pause))
        target = self.plan.target and ends.enter_context(connected(self.plan.target, self.journal.pause))
        self.plan = replace(self.plan, generator=generator, target=target)

    def look_around(self) -> None:
        """What else can be known to go wrong before a request is sent."""
        version, there = monitors.version(self.plan.generator, self.plan.tool, self.journal.pause)
        if not there:
            raise Failed(f"{self.plan.generator.name}: {version}")
        self.journal.say(f"{self.plan.generator.name} has {version or self.plan.tool}")
        if self.plan.target is not None:
            self.facts = monitors.facts(self.plan.target, self.journal.pause)
            self.compare_clocks()

    def check_allowed(self) -> None:
        """What was allowed when the job was made may not be any more; a secret may be missing here. Raises REFUSALS."""
        for load in patiently(lambda: today.check_all(self.plan, self.job)):
            secrets.fill_load(load, os.environ)

    def compare_clocks(self) -> None:
        """The target's clock against the generator's: monitors and loads are put together by the minute."""
        target, generator = self.plan.target, self.plan.generator
        if target is None or target.destination == generator.destination:
            return
        there = monitors.clock_offset_s(target, self.journal.pause)
        here = monitors.clock_offset_s(generator, self.journal.pause) if generator.destination else 0.0
        self.journal.write(clock_offset_s=round(there - here, 3))
        if abs(there - here) > MOST_OFFSET_S:
            self.journal.say(f"The clocks of {target.name} and {generator.name} differ by {there - here:+.1f} s.")

    # --- one step --------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        variant = variant_of(self.plan, step.variant)
        stage = Stage(step.variant, step.level, step.repeat)
        self.journal.pause()
        self.journal.state(Job.State.RUNNING)
        begins = Step.objects.filter(pk=step.pk, state=Step.State.WAITING)
        patiently(lambda: begins.update(state=Step.State.RUNNING, started_at=timezone.now()))
        self.journal.say(f"{step}" if step.repeat else f"{step.variant}, {step.level} at once, warm-up")
        self.put_in_place(variant)
        self.check_resolved(variant)
        session = Session(
            target=self.plan.target_name,
            generator=self.generator_name(),
            title=f"{self.job.name}, step {step.position}",
            facts=self.facts,
        )
        loading = Loading(self.plan, load_of(self.plan, stage), variant, self.journal)
        lost = loading.go(session)
        self.journal.state(Job.State.STORING)
        store(self.job, step, self.plan, session, self.journal)
        if lost is not None:
            raise lost

    def generator_name(self) -> str:
        """At the prompts; where the load stays on one machine, that has one name."""
        same = self.plan.target is not None and self.plan.target.destination == self.plan.generator.destination
        return self.plan.target_name if same else self.plan.generator.name

    def put_in_place(self, variant: VariantPlan) -> None:
        """Run the variant's switch command, unless it was the last to run."""
        if not variant.switch or self.plan.target is None or variant.name == self.in_place:
            return
        self.in_place = ""
        self.journal.say(f"switch on {self.plan.target.name}: {tools.shown(variant.switch)}")
        ended = run_command(
            self.plan.target,
            variant.switch,
            lifetime_s=variant.switch_timeout_s,
            sweep=False,
            pause=self.journal.pause,
        )
        if ended.status:
            raise Failed(f"The switch command of {variant.name} ended with status {ended.status}: {ended.words}")
        self.in_place = variant.name

    def check_resolved(self, variant: VariantPlan) -> None:
        """Where the generator's own resolver leads to, each time, since names move. Raises NotAllowed."""
        host = addresses.host_of(variant.base)
        seen = monitors.resolved(self.plan.generator, host, self.journal.pause)
        allowed = patiently(lambda: today.allowed_of(self.job.target_id))
        addresses.check_resolved(variant.base, seen, allowed)
