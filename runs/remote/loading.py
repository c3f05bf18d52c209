"""One load with everything that is looked at beside it: config files, processes and memory before, top during, after."""

from __future__ import annotations

import os
import re
import time
from contextlib import ExitStack

from . import monitors, secrets, tools
from .channel import NEVER_RAN, Process, Unreachable, place
from .journal import Journal
from .monitors import Shown
from .shapes import Files, Load, Snapshot, VariantPlan
from .transcripts import Session

STEP_S = 0.25
START_S = 5.0  # for top's first screen
_CLOCK = re.compile(r"^top - (\d\d):(\d\d):(\d\d) ", re.MULTILINE)
MARGIN_S = 15.0  # beside a run's own length: connecting, and the last request's timeout


class Failed(Exception):
    """A load or a command that a job cannot do without went wrong; the message is its own words."""


class Loading:
    """`go` fills in the session, or raises Failed, Unreachable, Interrupted."""

    def __init__(self, plan: Snapshot, load: Load, variant: VariantPlan, journal: Journal) -> None:
        self.plan = plan
        self.load = load
        self.variant = variant
        self.journal = journal
        self.lifetime_s = min(
            float(plan.most_duration_s), (load.duration_s + load.timeout_s if load.duration_s else plan.most_duration_s)
        )

    def go(self, session: Session) -> Unreachable | None:
        """Look, load, look. Where only the way to the target is lost after the load, that comes back: the load counts."""
        target = self.plan.target
        if target is None:
            session.load = self.send()
            return None
        session.texts = monitors.texts(target, self.variant.config_files, self.journal.pause)
        session.before = monitors.look(target, self.journal.pause)
        with ExitStack() as ends:
            top = ends.enter_context(monitors.top(target, self.plan.interval_s, self.lifetime_s + MARGIN_S))
            _await_first_screen(top, self.journal)
            watch = Watch(top.printed()[0])
            session.load = self.send()
            session.clock = watch.span()
            top.end()
            session.during = self.screens(top)
        try:
            session.after = monitors.look(target, self.journal.pause)
        except Unreachable as lost:
            return lost
        return None

    def screens(self, top: Process) -> list[Shown]:
        """What top saw. Its last screen may be cut off in the middle: whole ones only."""
        printed, said = top.printed()
        whole = printed[: printed.rfind("\ntop - ") + 1] if printed.count("\ntop - ") > 1 else printed
        if not printed.strip():
            self.journal.say(f"top showed nothing: {said.strip() or 'it gave no reason'}")
            return []
        return [Shown(tools.shown(monitors.top_command(self.plan.interval_s)), whole.strip("\n"))]

    def send(self) -> Shown:
        """Send the load. Raises Failed with the tool's own words."""
        filled = secrets.fill_load(self.load, os.environ)
        texts = tools.inputs(filled)
        places = {name: place(number) for number, name in enumerate(texts, start=1)}
        argv = tools.build(filled, self.plan.allowed, Files(**places))
        shown = tools.shown(tools.build(self.load, self.plan.allowed))
        self.journal.say(f"{self.plan.generator.name}: {shown}")
        contents = [text.encode() for text in texts.values()]
        with Process(self.plan.generator, argv, lifetime_s=self.lifetime_s + MARGIN_S, files=contents) as process:
            in_time = self.follow(process)
            ended = process.ended()
        if not in_time:
            limit = f"{self.load.tool} was stopped after {self.lifetime_s:.0f} s, the longest that a run may take here"
            raise Failed(f"{limit}. {ended.words}")
        if ended.status in NEVER_RAN:
            raise Failed(f"{self.plan.generator.name}: {ended.words}")
        if ended.status:
            raise Failed(f"{self.load.tool} ended with status {ended.status}: {ended.words}")
        return Shown(shown, secrets.mask(f"{ended.err}{ended.out}".strip("\n"), os.environ))

    def follow(self, process: Process) -> bool:
        """Wait for its end and tell how far it is. False: it took too long and has to be ended."""
        began = time.monotonic()
        while not process.wait(STEP_S):
            self.journal.pause()
            elapsed = time.monotonic() - began
            self.tell(process, elapsed)
            if elapsed > self.lifetime_s:
                return False
        return True

    def tell(self, process: Process, elapsed_s: float) -> None:
        found = tools.progress(self.load.tool, process.printed()[1])
        if found is not None and elapsed_s > 0:
            rate = round(found.done / elapsed_s, 1)
            self.journal.progress(done=found.done, of=self.load.requests, requests_per_second=rate)
        elif self.load.duration_s:
            self.journal.progress(done=round(elapsed_s), of=self.load.duration_s, unit="s")
        else:
            self.journal.progress(elapsed_s=round(elapsed_s))


class Watch:
    """The target's own clock during a load: what its top showed as the watch was started, and the seconds since."""

    def __init__(self, screen: str) -> None:
        shown = _CLOCK.search(screen)
        self.second = (
            sum(int(part) * unit for part, unit in zip(shown.groups(), (3600, 60, 1), strict=True)) if shown else None
        )
        self.began = time.monotonic()

    def span(self) -> tuple[float, ...]:
        """(second of the day at the start, now): past midnight above 86400. () where top showed no time."""
        return () if self.second is None else (self.second, round(self.second + time.monotonic() - self.began, 1))


def _await_first_screen(top: Process, journal: Journal) -> None:
    """The load must not be over before the first look."""
    until = time.monotonic() + START_S
    while not top.printed()[0] and not top.wait(STEP_S / 5) and time.monotonic() < until:
        journal.pause()
