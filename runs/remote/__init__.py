"""The only room that executes anything: load tools and monitors, on machines that were registered for it."""

from .jobs import begun, cancel, note_sent, resume, tend
from .journal import stop_all
from .planning import Refused, start, validate
from .registering import register_this_machine
from .runner import Outcome, run

__all__ = [
    "Outcome",
    "Refused",
    "begun",
    "cancel",
    "note_sent",
    "register_this_machine",
    "resume",
    "run",
    "start",
    "stop_all",
    "tend",
    "validate",
]
