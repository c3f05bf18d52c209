"""Forms of jobs and schedules."""

from __future__ import annotations

import zoneinfo

from django import forms

from runs.models import Job, Plan, Target
from runs.remote.schedules import DAYS

STATES = [("", "any"), ("active", "waiting or running"), *((state.value, state.value) for state in Job.State)]


class JobFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=STATES)
    plan = forms.ModelChoiceField(Plan.objects.only("id", "name"), required=False, empty_label="any")
    target = forms.ModelChoiceField(Target.objects.select_related("host"), required=False, empty_label="any")


class ScheduleForm(forms.Form):
    """When a plan starts by itself."""

    every = forms.ChoiceField(choices=[(key, f"every {name}") for key, name in DAYS.items()], initial="*")
    at = forms.TimeField(
        input_formats=["%H:%M"],
        widget=forms.TimeInput(attrs={"type": "time"}),
        error_messages={"invalid": "Expected a time of day such as 02:30."},
    )
    zone = forms.CharField(label="Time zone", initial="UTC", max_length=60)

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        if zone not in zoneinfo.available_timezones():
            raise forms.ValidationError("Expected a time zone's name, such as UTC or Europe/Prague.")
        return zone
