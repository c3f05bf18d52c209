"""One step of a job as the text that a person would have pasted: prompts, commands, what they printed. Pure functions.

The order is the one in which the ingest reads phases: what was before the load, the load, what top saw meanwhile, what was
after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .monitors import Shown


@dataclass(slots=True)
class Session:
    """What was seen of one step. target, generator: names for the prompts.

    clock: the seconds of the day at which the load began and ended, as the target's top tells them; () where it did not run.
    """

    target: str
    generator: str
    title: str
    facts: Sequence[Shown] = ()
    texts: Sequence[Shown] = ()
    before: Sequence[Shown] = ()
    load: Shown = field(default_factory=lambda: Shown("", ""))
    during: Sequence[Shown] = ()
    after: Sequence[Shown] = ()
    clock: tuple[float, ...] = ()


def prompt_name(name: str) -> str:
    """A machine's name as a prompt can show it: "web server 1" is web-server-1."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "host"


def text(session: Session) -> str:
    """The whole session."""
    here, there = prompt_name(session.target), prompt_name(session.generator)
    parts = [*_until_load(session), *_typed(there, [session.load])]
    if session.during:
        parts += ["During the load:", "", *_typed(here, session.during)]
    if session.after:
        parts += ["After the load:", "", *_typed(here, session.after)]
    return "\n".join(parts) + "\n"


def load_lines(session: Session) -> tuple[int, int]:
    """First and last line of what the load tool printed, in the whole session."""
    prompt = sum(part.count("\n") + 1 for part in _until_load(session)) + 1
    return prompt + 1, prompt + 1 + session.load.output.count("\n")


def _until_load(session: Session) -> list[str]:
    here = prompt_name(session.target)
    parts = [session.title, "", *_typed(here, session.facts), *_typed(here, session.texts)]
    if session.before:
        parts += ["Before the load:", "", *_typed(here, session.before)]
    return parts


def _typed(machine: str, shown: Sequence[Shown]) -> list[str]:
    return [line for one in shown for line in (f"benchdash@{machine}:~$ {one.command}", one.output, "")]
