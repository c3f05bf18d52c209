"""What a browser sends to write a plan: the plan, its variants, and the words of whatever stands against it."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet, inlineformset_factory

from runs.forms_remote import ModelForm, lines_of
from runs.models import LoadGenerator, Plan, Switch, Target, TargetAddress, Variant
from runs.remote import Refused, headers, tools, validate
from runs.remote.checks import RANGES
from runs.remote.planning import by_field

EMPTY_ROWS = 3
VARIANT_FIELDS = ("name", "keepalive", "address", "path", "switch", "config_files")


class PlanForm(ModelForm):
    """A plan against one target, which is set by the view."""

    instance: Plan
    tool = forms.ChoiceField(label="Tool")
    method = forms.ChoiceField(label="Method", choices=[(method, method) for method in tools.METHODS])
    headers = forms.CharField(
        label="Headers",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Accept-Language: en"}),
        help_text="one a line. A secret is written {secret:NAME}; the worker reads it from BENCHDASH_SECRET_NAME.",
    )
    body = forms.CharField(label="Body", required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2}))
    levels = forms.CharField(label="Clients at once", max_length=200, help_text="several with commas: 1, 10, 50")

    class Meta:
        model = Plan
        fields = [
            *("name", "generator", "tool", "address", "method", "path", "headers", "body", "content_type"),
            *("requests", "duration_s", "levels", "keepalive", "timeout_s"),
            *("repeats", "warmups", "cooldown_s", "order", "rse_limit_pct", "most_repeats", "interval_s"),
        ]
        labels = {
            "generator": "Load generator",
            "content_type": "Content type",
            "requests": "Requests a run",
            "duration_s": "or seconds a run",
            "keepalive": "Keep-alive",
            "timeout_s": "Seconds until a request fails",
            "repeats": "Repeats",
            "warmups": "Warm-ups",
            "cooldown_s": "Seconds between runs",
            "rse_limit_pct": "Go on while the standard error is above (%)",
            "most_repeats": "until so many repeats at most",
            "interval_s": "Seconds between looks of top",
        }
        help_texts = {
            "timeout_s": "",
            "interval_s": "",
            "rse_limit_pct": "of the requests per second; empty: only the repeats above",
            "warmups": "before the first repeat of each variant: stored, not counted",
            "path": "begins with a slash, with its query",
        }

    def __init__(self, *args: Any, target: Target, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.target = self.instance.target = target
        self._only("address", TargetAddress.objects.filter(target=target))
        self._only("generator", LoadGenerator.objects.all())
        self.fields["tool"].choices = [(name, name) for name in sorted(tools.tools())]  # type: ignore[attr-defined]
        for name, (least, most) in RANGES.items():
            whole = isinstance(self.fields[name], forms.IntegerField) and not isinstance(
                self.fields[name], forms.FloatField
            )
            self.fields[name].widget.attrs |= {"min": least, "max": most, "step": 1 if whole else "any"}
        for name, value in (("levels", self.instance.levels), ("headers", self.instance.headers)):
            self.initial[name] = self.initial.get(name) or value
        self.initial["levels"] = ", ".join(map(str, self.initial["levels"]))
        self.initial["headers"] = "\n".join(f"{name}: {value}" for name, value in self.initial["headers"])

    def _only(self, name: str, rows: QuerySet[Any]) -> None:
        """Offer these rows; where there is one, it is chosen already."""
        few = list(rows[:2])
        field = forms.ModelChoiceField(
            rows, label=self.fields[name].label, empty_label=None if len(few) == 1 else "choose"
        )
        self.fields[name] = field
        if len(few) == 1:
            self.initial[name] = self.initial.get(name) or few[0].pk

    def clean_levels(self) -> list[int]:
        words = [word for word in re.split(r"[\s,;]+", self.cleaned_data["levels"]) if word]
        odd = [word for word in words if not re.fullmatch(r"[0-9]{1,6}", word)]
        if odd:
            raise ValidationError(f"{odd[0]} is no number of clients.")
        return [int(word) for word in words]

    def clean_headers(self) -> list[list[str]]:
        try:
            return [list(pair) for pair in headers.parse(self.cleaned_data["headers"])]
        except headers.BadHeader as fault:
            raise ValidationError(str(fault)) from fault

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        return body.replace("\r\n", "\n")  # browsers send a text field's line ends so


class VariantForm(ModelForm):
    keepalive = forms.TypedChoiceField(
        label="Keep-alive",
        required=False,
        choices=[("", "as the plan"), ("False", "off"), ("True", "on")],
        coerce=lambda text: text == "True",
        empty_value=None,
    )
    config_files = forms.CharField(
        label="Config files",
        required=False,
        widget=forms.Textarea(attrs={"rows": 1, "placeholder": "/etc/nginx/nginx.conf"}),
    )

    class Meta:
        model = Variant
        fields = VARIANT_FIELDS
        labels = {"name": "Name", "keepalive": "Keep-alive", "path": "Path", "switch": "Switch"}

    def __init__(self, *args: Any, target: Target, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        addresses = TargetAddress.objects.filter(target=target)
        self.fields["address"] = forms.ModelChoiceField(
            addresses, required=False, empty_label="as the plan", label="Address"
        )
        switches = Switch.objects.filter(target=target)
        self.fields["switch"] = forms.ModelChoiceField(switches, required=False, empty_label="none", label="Switch")
        self.initial["config_files"] = "\n".join(self.instance.config_files)

    def clean_config_files(self) -> list[str]:
        return lines_of(self.cleaned_data["config_files"])


class Variants(BaseInlineFormSet):  # type: ignore[type-arg]
    """The variants of a plan, in their order on the page."""

    def write(self, plan: Plan) -> None:
        """Write the rows anew: nothing refers to one, and names may have changed places."""
        plan.variants.all().delete()
        gone = self.deleted_forms
        kept = [form for form in self.forms if form not in gone and (form.has_changed() or form.initial.get("name"))]
        for position, form in enumerate(kept):
            fields = {name: form.cleaned_data[name] for name in VARIANT_FIELDS}
            Variant.objects.create(plan=plan, position=position, **fields)


VariantSet = inlineformset_factory(Plan, Variant, form=VariantForm, formset=Variants, extra=EMPTY_ROWS, max_num=20)


def write_plan(form: PlanForm, variants: Any, user: Any) -> Plan | None:
    """Save both when the whole is a valid plan; else None, nothing is saved, and the forms say why."""
    if not (form.is_valid() and variants.is_valid()):
        return None
    form.instance.created_by = form.instance.created_by or user
    is_new = form.instance.pk is None
    try:
        with transaction.atomic():
            plan: Plan = form.save()
            variants.write(plan)
            validate(plan)
    except Refused as refusal:
        _tell(form, variants, refusal)
        if is_new:
            form.instance.pk = None
        return None
    return plan


def _tell(form: PlanForm, variants: Any, refusal: Refused) -> None:
    for field, messages in by_field(refusal.errors).items():
        for message in messages:
            if field == "variants":
                variants._non_form_errors.append(message)
            else:
                form.add_error(field if field in form.fields else None, message)
