"""What a browser sends to register targets and load generators, to write plans, and to schedule them."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms.models import BaseInlineFormSet, inlineformset_factory

from runs.models import Host

from . import addresses, secrets, tools
from .addresses import NotAllowed, canonicalize, normalize_ips, resolve
from .checks import RANGES, Refused
from .models import Job, LoadGenerator, Plan, Switch, Target, TargetAddress, Variant
from .planning import DAYS, validate_plan

REACH_FIELDS = ("reach", "ssh_destination", "identity_file")
MOST_ADDRESSES = 100  # each is resolved when it is saved


def split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


class MachineForm(forms.ModelForm):  # type: ignore[type-arg]
    """A machine that is reached by ssh where the field `way` is "ssh"."""

    instance: Any
    way: str

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get(self.way) != "ssh":
            return cleaned | {"ssh_destination": "", "identity_file": ""}  # nothing is kept that is not used
        for field, check in (
            ("ssh_destination", addresses.check_destination),
            ("identity_file", addresses.check_identity),
        ):
            try:
                check(cleaned.get(field, ""))
            except NotAllowed as fault:
                self.add_error(field, fault)
        return cleaned


class GeneratorForm(MachineForm):
    way = "kind"

    class Meta:
        model = LoadGenerator
        fields = ["name", "kind", "ssh_destination", "identity_file"]
        labels = {
            "name": "Name",
            "ssh_destination": "SSH destination",
            "kind": "Access",
            "identity_file": "Private key",
        }
        help_texts = {"name": "letters, digits and dashes; also the name for its worker’s --host"}


class TargetForm(MachineForm):
    way = "reach"
    host_name = forms.CharField(label="Host", max_length=200, help_text="name of a new or an existing host")
    addresses = forms.CharField(
        label="Addresses that may be loaded",
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "http://shop.lan:8080"}),
        help_text="one per line: scheme, host and port. If only the load generator can resolve the name, add its IP "
        "addresses: http://shop.lan:8080 10.0.0.5",
    )
    readable = forms.CharField(
        label="Config directories",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="one per line; plans may store config files from these directories with their results",
    )

    class Meta:
        model = Target
        fields = [
            *("reach", "ssh_destination", "identity_file", "most_requests", "most_concurrency", "most_duration_s"),
            *("readable", "enabled"),
        ]
        labels = {
            "reach": "Access for monitors and switches",
            "ssh_destination": "SSH destination",
            "identity_file": "Private key",
            "most_requests": "Maximum requests per run",
            "most_concurrency": "Maximum concurrency",
            "most_duration_s": "Maximum seconds per run",
            "enabled": "Enabled",
        }
        help_texts = {"most_requests": "", "most_duration_s": "longer runs are stopped"}

    field_order = ["host_name", "addresses", "reach", "ssh_destination", "identity_file"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("most_requests", "most_concurrency", "most_duration_s"):
            self.fields[name].widget.attrs["min"] = 1
        self.initial["readable"] = "\n".join(self.instance.readable)
        if self.instance.pk:
            self.initial["host_name"] = self.instance.host.name
            self.initial["addresses"] = "\n".join(_write_line(address) for address in self.instance.addresses.all())

    def clean_addresses(self) -> list[TargetAddress]:
        return _parse_addresses(self.cleaned_data["addresses"])

    def clean_readable(self) -> list[str]:
        paths = split_lines(self.cleaned_data["readable"])
        for path in paths:
            addresses.check_readable(path)
        return paths

    def _moves_switches(self) -> bool:
        """Whether commands that an administrator wrote for one machine would run on another one from now on."""
        changed = any(self.cleaned_data[name] != self.initial[name] for name in REACH_FIELDS if name in self.initial)
        return bool(self.instance.pk) and changed and self.instance.switches.exists()

    def clean_host_name(self) -> str:
        name: str = self.cleaned_data["host_name"].strip()
        if not name.isprintable():
            raise ValidationError("A host name is a single line.")
        others = Target.objects.filter(host__name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise ValidationError(f"{name} is already a target.")
        return name

    def write(self, user: Any) -> Target | None:
        """Save what was sent; None, with the reason in the form, where a plan or a switch stands against it."""
        target: Target = self.instance
        if self._moves_switches() and not user.has_perm("remote.change_switch"):
            self.add_error(
                "reach",
                "Its switches were written for the current machine: an administrator has to change "
                "the access, or to delete the switches first.",
            )
            return None
        target.host = _find_host(self.cleaned_data["host_name"], target)
        target.created_by = target.created_by or user
        try:
            return _save_target(target, self.cleaned_data["addresses"])
        except NotAllowed as fault:
            self.add_error("addresses", fault)
            return None


def _parse_addresses(text: str) -> list[TargetAddress]:
    """Addresses as people write them, one a line, each with its IP addresses behind it where only they know them.

    Without a target, and not saved. Raises NotAllowed.
    """
    addresses: dict[str, TargetAddress] = {}
    for line in text.splitlines():
        words = re.split(r"[\s,=]+", line.strip())
        if words == [""]:
            continue
        base, written = canonicalize(words[0]), words[1:]
        if base in addresses:
            raise NotAllowed(f"{base} is listed twice.")
        if len(addresses) == MOST_ADDRESSES:
            raise NotAllowed(f"A target has at most {MOST_ADDRESSES} addresses.")
        ips = normalize_ips(written) if written else resolve(base)
        addresses[base] = TargetAddress(base=base, resolved=ips, pinned=bool(written))
    if not addresses:
        raise NotAllowed("At least one address is needed, such as http://shop.lan:8080")
    return list(addresses.values())


def _save_target(target: Target, wanted: Sequence[TargetAddress]) -> Target:
    """Write a target with exactly these addresses. Raises NotAllowed where a plan needs one that would go."""
    with transaction.atomic():
        target.save()
        gone = target.addresses.exclude(base__in=[address.base for address in wanted])
        needed = Plan.objects.filter(Q(address__in=gone) | Q(variants__address__in=gone)).distinct()
        if needed:
            names = ", ".join(str(plan) for plan in needed)
            raise NotAllowed(f"A removed address is used by a plan: {names}. Change or delete the plan first.")
        gone.delete()
        for address in wanted:
            values = {"resolved": address.resolved, "pinned": address.pinned}
            TargetAddress.objects.update_or_create(target=target, base=address.base, defaults=values)
    return target


def _find_host(name: str, target: Target) -> Host:
    """The target's own host as long as it keeps its name, else the latest of that name, else a new one."""
    if target.pk and target.host.name == name:
        return target.host
    free = Host.objects.filter(name=name, target=None).order_by("-id").first()
    return free or Host.objects.create(name=name)


def _write_line(address: TargetAddress) -> str:
    """An address as it is typed: its IP addresses only where a person wrote them, the others are looked up anew."""
    return f"{address.base} {' '.join(address.resolved)}" if address.pinned else address.base


EMPTY_ROWS = 3
VARIANT_FIELDS = ("name", "keepalive", "address", "path", "switch", "config_files")


class PlanForm(forms.ModelForm):  # type: ignore[type-arg]
    instance: Plan
    tool = forms.ChoiceField(label="Tool")
    method = forms.ChoiceField(label="Method", choices=[(method, method) for method in tools.METHODS])
    headers = forms.CharField(
        label="Headers",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Accept-Language: en"}),
        help_text="one per line. Write secrets as {secret:NAME}; the worker reads them from BENCHDASH_SECRET_NAME.",
    )
    body = forms.CharField(label="Body", required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2}))
    levels = forms.CharField(label="Concurrency", max_length=200, help_text="one or more levels: 1, 10, 50")

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
            "requests": "Requests per run",
            "duration_s": "or seconds per run",
            "keepalive": "Keep-alive",
            "timeout_s": "Timeout of a request (s)",
            "repeats": "Repeats",
            "warmups": "Warm-ups",
            "cooldown_s": "Pause between runs (s)",
            "rse_limit_pct": "Repeat until the standard error is below (%)",
            "most_repeats": "Maximum repeats",
            "interval_s": "Sampling interval (s)",
        }
        help_texts = {
            "timeout_s": "",
            "interval_s": "at least 1",
            "rse_limit_pct": "of requests per second; empty: a fixed number of repeats",
            "warmups": "before the first repeat of each variant; not counted",
            "path": "with a leading slash and the query",
        }

    def __init__(self, *args: Any, target: Target, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.target = self.instance.target = target
        self._limit_choices("address", TargetAddress.objects.filter(target=target))
        self._limit_choices("generator", LoadGenerator.objects.all())
        self.fields["tool"].choices = [(name, name) for name in sorted(tools.tools())]  # type: ignore[attr-defined]
        for name, (least, most) in RANGES.items():
            step = "any" if isinstance(self.fields[name], forms.FloatField) else 1
            self.fields[name].widget.attrs |= {"min": least, "max": most, "step": step}
        for name, value in (("levels", self.instance.levels), ("headers", self.instance.headers)):
            self.initial[name] = self.initial.get(name) or value
        self.initial["levels"] = ", ".join(map(str, self.initial["levels"]))
        self.initial["headers"] = "\n".join(f"{name}: {value}" for name, value in self.initial["headers"])

    @property
    def has_headers_or_body(self) -> bool:
        """Whether the section "Headers and body" starts open: one of them is entered, or a field has errors."""
        filled = any(self[name].value() for name in ("headers", "body"))
        return filled or any(self[name].errors for name in ("headers", "body", "content_type"))

    def _limit_choices(self, name: str, rows: QuerySet[Any]) -> None:
        few = list(rows[:2])
        field = forms.ModelChoiceField(
            rows, label=self.fields[name].label, empty_label=None if len(few) == 1 else "choose"
        )
        self.fields[name] = field
        if len(few) == 1:
            self.initial[name] = self.initial.get(name) or few[0].pk

    def clean_levels(self) -> list[int]:
        words = [word for word in re.split(r"[\s,;]+", self.cleaned_data["levels"]) if word]
        for word in words:
            if not re.fullmatch(r"[0-9]{1,6}", word):
                raise ValidationError(f"{word} is not a number of clients.")
        return [int(word) for word in words]

    def clean_headers(self) -> list[list[str]]:
        return [list(pair) for pair in secrets.parse_headers(self.cleaned_data["headers"])]

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        return body.replace("\r\n", "\n")  # browsers send a text field's line ends so


class VariantForm(forms.ModelForm):  # type: ignore[type-arg]
    keepalive = forms.TypedChoiceField(
        label="Keep-alive",
        required=False,
        choices=[("", "as in the plan"), ("False", "off"), ("True", "on")],
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
        rows = TargetAddress.objects.filter(target=target)
        switches = Switch.objects.filter(target=target)
        for name, offered, empty in (("address", rows, "as in the plan"), ("switch", switches, "none")):
            label = name.capitalize()
            self.fields[name] = forms.ModelChoiceField(offered, required=False, empty_label=empty, label=label)
        self.initial["config_files"] = "\n".join(self.instance.config_files)

    def clean_config_files(self) -> list[str]:
        return split_lines(self.cleaned_data["config_files"])


class Variants(BaseInlineFormSet):  # type: ignore[type-arg]
    def write(self, plan: Plan) -> None:
        """Write the rows anew: nothing refers to one, and names may have changed addresses."""
        plan.variants.all().delete()
        filled = [form for form in self.forms if form.has_changed() or form.initial.get("name")]
        for position, form in enumerate(form for form in filled if form not in self.deleted_forms):
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
            validate_plan(plan)
    except Refused as refusal:
        for error in refusal.errors:
            if error["field"] == "variants":
                variants._non_form_errors.append(error["message"])
            else:
                form.add_error(error["field"] if error["field"] in form.fields else None, error["message"])
        if is_new:
            form.instance.pk = None
        return None
    return plan


STATES = [("", "any"), ("active", "waiting or running"), *((state.value, state.value) for state in Job.State)]


class JobFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=STATES)
    plan = forms.ModelChoiceField(Plan.objects.only("id", "name"), required=False, empty_label="any")
    target = forms.ModelChoiceField(Target.objects.select_related("host"), required=False, empty_label="any")


class ScheduleForm(forms.Form):
    every = forms.ChoiceField(choices=list(DAYS.items()), initial="*")
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
