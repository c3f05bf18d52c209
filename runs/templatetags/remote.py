"""What pages show of jobs, schedules and plans. Each tag is one query, whatever the number of rows."""

from __future__ import annotations

from django import template

from runs.remote import job_progress, planning, rerun
from runs.remote.forms import ScheduleForm

register = template.Library()
CLOCKS_LEVEL_S = 0.05  # asking a clock over ssh is no more exact than this

register.simple_tag(job_progress.list_active_jobs)
register.simple_tag(job_progress.list_latest_jobs)
register.simple_tag(job_progress.find_jobs_of_experiment, name="adding_to")
register.simple_tag(rerun.may_rerun)
register.simple_tag(planning.list_schedules, name="schedules_of")
register.simple_tag(lambda: ScheduleForm(), name="schedule_form")


@register.filter
def offset(seconds: float) -> str:
    """ "0.13 s ahead of", "level with": the target's clock and the load generator's."""
    if abs(seconds) < CLOCKS_LEVEL_S:
        return "level with"
    return f"{abs(seconds):.2f} s {'ahead of' if seconds > 0 else 'behind'}"


@register.filter
def duration(seconds: float) -> str:
    """ "40 s", "12 min", "2 h 5 min": as exact as a plan can say."""
    if seconds < 120:
        return f"{round(seconds)} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


@register.filter
def repeat_name(repeat: int) -> str:
    """ "repeat 2", or "warm-up" for 0."""
    return f"repeat {repeat}" if repeat else "warm-up"
