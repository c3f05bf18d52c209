"""What a browser sends to register targets and load generators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from runs.models import Host, LoadGenerator, Target, TargetAddress
from runs.remote import places
from runs.remote.addresses import NotAllowed
from runs.remote.registering import Address, parse_addresses, save_target

if TYPE_CHECKING:  # generic for the type checker only
    ModelForm = forms.ModelForm[Any]
else:
    ModelForm = forms.ModelForm


AIM = ("reach", "ssh_destination", "identity_file")


def lines_of(text: str) -> list[str]:
    """The lines of a text field that are not blank, each without the blanks around it."""
    return [line.strip() for line in text.splitlines() if line.strip()]


class Reached(ModelForm):
    """A machine that may be reached by ssh: `by_ssh` tells from the cleaned fields whether it is."""

    instance: Any

    def by_ssh(self, cleaned: dict[str, Any]) -> bool:
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.by_ssh(cleaned):
            return cleaned | {"ssh_destination": "", "identity_file": ""}  # nothing is kept that is not used
        for field, check in (("ssh_destination", places.check_destination), ("identity_file", places.check_identity)):
            try:
                check(cleaned.get(field, ""))
            except places.BadPlace as fault:
                self.add_error(field, str(fault))
        return cleaned


class GeneratorForm(Reached):
    class Meta:
        model = LoadGenerator
        fields = ["name", "kind", "ssh_destination", "identity_file"]
        labels = {
            "name": "Name",
            "ssh_destination": "ssh destination",
            "kind": "How its loads are started",
            "identity_file": "Private key",
        }
        help_texts = {"name": "letters, digits, dashes; a worker on it is started with this name"}

    def by_ssh(self, cleaned: dict[str, Any]) -> bool:
        return cleaned.get("kind") == LoadGenerator.Kind.SSH


class TargetForm(Reached):
    host_name = forms.CharField(label="Host", max_length=200, help_text="its name in benchdash, new or known")
    addresses = forms.CharField(
        label="Addresses that may be loaded",
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "http://shop.lan:8080"}),
        help_text="one a line: scheme, host and port. Where only the load generator knows the name, with its IP "
        "addresses behind it: http://shop.lan:8080 10.0.0.5",
    )
    readable = forms.CharField(
        label="Folders whose config files may be shown",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="one a line; what a plan names below them is stored with its results",
    )

    class Meta:
        model = Target
        fields = [
            *("reach", "ssh_destination", "identity_file", "most_requests", "most_concurrency", "most_duration_s"),
            *("readable", "enabled"),
        ]
        labels = {
            "reach": "How it is reached for monitors and switches",
            "ssh_destination": "ssh destination",
            "identity_file": "Private key",
            "most_requests": "Requests of one run, at most",
            "most_concurrency": "Clients at once, at most",
            "most_duration_s": "Seconds of one run, at most",
            "enabled": "May be loaded",
        }
        help_texts = {"most_requests": "", "most_duration_s": "a run that takes longer is stopped"}

    field_order = ["host_name", "addresses", "reach", "ssh_destination", "identity_file"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("most_requests", "most_concurrency", "most_duration_s"):
            self.fields[name].widget.attrs["min"] = 1
        self.initial["readable"] = "\n".join(self.instance.readable)
        if self.instance.pk:
            self.initial["host_name"] = self.instance.host.name
            self.initial["addresses"] = "\n".join(_line(one) for one in self.instance.addresses.all())

    def by_ssh(self, cleaned: dict[str, Any]) -> bool:
        return cleaned.get("reach") == Target.Reach.SSH

    def clean_addresses(self) -> list[Address]:
        try:
            return parse_addresses(self.cleaned_data["addresses"])
        except NotAllowed as fault:
            raise ValidationError(str(fault)) from fault

    def clean_readable(self) -> list[str]:
        found = lines_of(self.cleaned_data["readable"])
        try:
            for place in found:
                places.check_readable(place)
        except places.BadPlace as fault:
            raise ValidationError(str(fault)) from fault
        return found

    def _moves_switches(self) -> bool:
        """Whether commands that an administrator wrote for one machine would run on another one from now on."""
        aimed_anew = any(self.cleaned_data[name] != self.initial[name] for name in AIM if name in self.initial)
        return bool(self.instance.pk) and aimed_anew and self.instance.switches.exists()

    def clean_host_name(self) -> str:
        name: str = self.cleaned_data["host_name"].strip()
        if not name.isprintable():
            raise ValidationError("A host's name is one line.")
        others = Target.objects.filter(host__name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise ValidationError(f"{name} is a target already.")
        return name

    def write(self, user: Any) -> Target | None:
        """Save what was sent; None, with the reason in the form, where a plan or a switch stands against it."""
        target: Target = self.instance
        if self._moves_switches() and not user.has_perm("runs.change_switch"):
            self.add_error(
                "reach",
                "Its switches were written for the machine that is reached now: an administrator has "
                "to change how it is reached, or to delete them first.",
            )
            return None
        target.host = _host(self.cleaned_data["host_name"], target)
        target.created_by = target.created_by or user
        try:
            return save_target(target, self.cleaned_data["addresses"])
        except NotAllowed as fault:
            self.add_error("addresses", str(fault))
            return None


def _host(name: str, target: Target) -> Host:
    """The target's own host as long as it keeps its name, else the latest of that name, else a new one."""
    if target.pk and target.host.name == name:
        return target.host
    free = Host.objects.filter(name=name, target=None).order_by("-id").first()
    return free or Host.objects.create(name=name)


def _line(address: TargetAddress) -> str:
    """An address as it is typed: its IP addresses only where a person wrote them, the others are looked up anew."""
    return f"{address.base} {' '.join(address.resolved)}" if address.pinned else address.base
