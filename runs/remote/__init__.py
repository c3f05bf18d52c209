"""The only room that executes anything: load tools and monitors, on machines that were registered for it."""

from .planning import Refused, start, validate
from .registering import register_this_machine

__all__ = ["Refused", "register_this_machine", "start", "validate"]
