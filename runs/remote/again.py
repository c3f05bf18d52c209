"""A stored run once more: its command line as the fields of a plan, against a target that may be loaded so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from runs.models import Run, Target, TargetAddress

from . import headers, secrets
from .addresses import NotAllowed, canonical
from .commandline import Asked, Unreadable, read


class CannotRepeat(ValueError):
    """A run that no plan can be made of; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Again:
    """fields: of a plan, by name. variant: what its config is called. notes: sentences on what is otherwise than it was."""

    run: Run
    target: Target
    variant: str
    fields: dict[str, Any]
    notes: list[str]


def again(run: Run) -> Again:
    """Raises CannotRepeat."""
    if not run.command:
        raise CannotRepeat("The text that it was read from does not show the command.")
    try:
        asked = read(run.command)
        parts = urlsplit(asked.url)
        base = canonical(f"{parts.scheme}://{parts.netloc}")
    except (Unreadable, NotAllowed) as fault:
        raise CannotRepeat(f"{fault}") from fault
    except ValueError as fault:  # urlsplit's, such as brackets that do not match
        raise CannotRepeat(f"{asked.url} is no address that a plan can have.") from fault
    address = _address(base, run)
    notes = list(asked.lost)
    if parts.fragment:
        notes.append("What stands behind # in the address is never sent and was left out.")
    fields = _fields(asked, notes) | {
        "name": f"Again: {run.experiment.name}, {run.label or run.config.name}"[:200],
        "address": address.pk,
        "path": (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    }
    return Again(run=run, target=address.target, variant=run.config.name[:200], fields=fields, notes=notes)


def _address(base: str, run: Run) -> TargetAddress:
    """The address of the allow-list; of several targets that share it, the one of the run's own host."""
    found = TargetAddress.objects.filter(base=base, target__enabled=True).select_related("target__host")
    if not found:
        raise CannotRepeat(
            f"{base} is on no target's list of addresses; somebody who may register targets must put it there."
        )
    return next((address for address in found if address.target.host_id == run.host_id), found[0])


def _fields(asked: Asked, notes: list[str]) -> dict[str, Any]:
    return {
        "tool": asked.tool,
        "method": asked.method,
        "headers": _headers(asked, notes),
        "body": asked.body,
        "content_type": asked.content_type,
        "requests": asked.requests,
        "duration_s": asked.duration_s,
        "levels": [asked.concurrency],
        "keepalive": asked.keepalive,
        "timeout_s": asked.timeout_s,
    }


def _headers(asked: Asked, notes: list[str]) -> list[tuple[str, str]]:
    """The headers that a plan may have; a secret becomes the name of one."""
    kept = []
    for name, value in asked.headers:
        try:
            headers.check(name, value)
        except headers.BadHeader as fault:
            notes.append(f"A header was left out. {fault}")
            continue
        try:
            secrets.check_header(name, value)
        except secrets.SecretFault:
            variable = "".join(letter if letter.isalnum() else "_" for letter in name.upper())
            value = f"{{secret:{variable}}}"
            notes.append(f"The value of {name} was left out; the worker reads it from {secrets.PREFIX}{variable}.")
        kept.append((name, value))
    return kept
