"""Registering load generators and targets, deleting them, and registering this machine as both."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from runs.models import Host

from .addresses import NotAllowed, canonicalize, normalize_ips, resolve
from .models import LoadGenerator, Plan, Target, TargetAddress, Variant
from .planning import validate_plan


class InUse(Exception):
    """What cannot be deleted, since something uses it; the message is a sentence."""


MOST_ADDRESSES = 100  # each is resolved when it is saved
LOCAL = "local"  # the generator whose queue the worker beside the web server consumes
SAMPLE = "Keep-alive off and on, against benchdash itself"


def parse_addresses(text: str) -> list[TargetAddress]:
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
            raise NotAllowed(f"{base} stands there twice.")
        if len(addresses) == MOST_ADDRESSES:
            raise NotAllowed(f"A target has at most {MOST_ADDRESSES} addresses.")
        ips = normalize_ips(written) if written else resolve(base)
        addresses[base] = TargetAddress(base=base, resolved=ips, pinned=bool(written))
    if not addresses:
        raise NotAllowed("At least one address is needed, such as http://shop.lan:8080")
    return list(addresses.values())


def save_target(target: Target, addresses: Sequence[TargetAddress]) -> Target:
    """Write a target with exactly these addresses. Raises NotAllowed where a plan needs one that would go."""
    with transaction.atomic():
        target.save()
        gone = target.addresses.exclude(base__in=[address.base for address in addresses])
        needed = Plan.objects.filter(Q(address__in=gone) | Q(variants__address__in=gone)).distinct()
        if needed:
            names = ", ".join(str(plan) for plan in needed)
            raise NotAllowed(
                f"An address that is left out is loaded by a plan: {names}. Change or delete the plan first."
            )
        gone.delete()
        for address in addresses:
            values = {"resolved": address.resolved, "pinned": address.pinned}
            TargetAddress.objects.update_or_create(target=target, base=address.base, defaults=values)
    return target


def register_this_machine(user: Any, port: int) -> Plan:
    """This machine as generator and target, loaded at benchdash's own port, and a small plan to start with.

    Calling it again changes nothing that is there and answers with the same plan.
    """
    with transaction.atomic():
        worker = LoadGenerator.Kind.WORKER
        generator, _ = LoadGenerator.objects.get_or_create(name=LOCAL, defaults={"kind": worker})
        name = socket.gethostname()
        target = Target.objects.filter(host__name=name).first()
        if target is None:
            host = Host.objects.filter(name=name).order_by("id").first() or Host.objects.create(name=name)
            target = Target.objects.create(host=host, reach=Target.Reach.LOCAL, created_by=user)
        base = canonicalize(f"http://127.0.0.1:{port}")
        address, _ = TargetAddress.objects.get_or_create(target=target, base=base, defaults={"resolved": resolve(base)})
        plan = Plan.objects.filter(name=SAMPLE, target=target, address=address).first()
        if plan is None:
            plan = _create_sample_plan(user, generator, address)
            validate_plan(plan)
    return plan


def _create_sample_plan(user: Any, generator: LoadGenerator, address: TargetAddress) -> Plan:
    load = {"path": "/login/", "requests": 200, "levels": [1, 4], "repeats": 3, "warmups": 1}
    machines = {"target": address.target, "address": address, "generator": generator}
    plan = Plan.objects.create(name=SAMPLE, created_by=user, **machines, **load)
    for position, (name, keepalive) in enumerate((("keep-alive off", False), ("keep-alive on", True))):
        Variant.objects.create(plan=plan, name=name, keepalive=keepalive, position=position)
    return plan


def delete_unused(row: Target | LoadGenerator | Plan) -> None:
    """Raises InUse for a machine that a plan or a job that is not over uses. Jobs and what they measured stay."""
    if not isinstance(row, Plan):
        if isinstance(row, Target) and row.busy_with_id:
            raise InUse(f"{row} is loaded right now by job {row.busy_with_id}.")
        active = row.jobs.active().first() if isinstance(row, LoadGenerator) else None
        if active:
            raise InUse(f"{row} is used by job {active.pk}, which is not over.")
        if names := [str(plan) for plan in row.plans.all()[:5]]:
            raise InUse(f"{row} is used by plans: {', '.join(names)}. Delete them first.")
    row.delete()
