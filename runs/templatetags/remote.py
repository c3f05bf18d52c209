"""What several pages show of jobs and schedules. Each is one query, whatever the number of rows."""

from __future__ import annotations

from django import template

from runs.forms_jobs import ScheduleForm
from runs.models import Plan
from runs.remote import glances, schedules

register = template.Library()
CLOCKS_LEVEL_S = 0.05  # asking a clock over ssh is no more exact than this


@register.simple_tag
def adding_to(experiment_id: int) -> glances.Adding:
    return glances.adding_to(experiment_id)


@register.simple_tag
def active_jobs() -> list[glances.Glance]:
    return glances.active()


@register.simple_tag
def latest_jobs(plan: Plan | None = None) -> list[glances.Glance]:
    """The latest jobs, of this plan or of all."""
    return glances.latest(plan.pk if plan else None)


@register.simple_tag
def schedules_of(plan: Plan | None = None) -> list[schedules.Entry]:
    """The schedules of this plan, or all of them."""
    return schedules.entries(plan)


@register.simple_tag
def schedule_form() -> ScheduleForm:
    return ScheduleForm()


@register.filter
def offset(seconds: float) -> str:
    """ "0.13 s ahead of", "level with": the target's clock and the load generator's."""
    if abs(seconds) < CLOCKS_LEVEL_S:
        return "level with"
    return f"{abs(seconds):.2f} s {'ahead of' if seconds > 0 else 'behind'}"
