"""How pages of plans write times."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def duration(seconds: float) -> str:
    """ "40 s", "12 min", "2 h 5 min": as exact as a plan can tell."""
    if seconds < 120:
        return f"{round(seconds)} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"
