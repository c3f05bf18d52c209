"""Rows of remote runs, as the pages would have written them. Names are resolved nowhere: addresses are numbers."""

from __future__ import annotations

import itertools
from typing import Any

from django.contrib.auth.models import Permission, User

from runs.models import Host
from runs.remote.models import LoadGenerator, Plan, Target, TargetAddress, Variant

_numbers = itertools.count(1)
BASE = "http://192.0.2.10:80"


def user(*permissions: str, **fields: Any) -> User:
    """A person with these permissions of `runs`, such as "run_plan"."""
    made = User.objects.create_user(f"person{next(_numbers)}", password="a long enough one", **fields)
    made.user_permissions.set(Permission.objects.filter(content_type__app_label="remote", codename__in=permissions))
    return made


def planner() -> User:
    """A person who may do everything but write switches."""
    of = ("target", "loadgenerator", "plan")
    return user("run_plan", *(f"{verb}_{what}" for what in of for verb in ("add", "change", "delete", "view")))


def generator(**fields: Any) -> LoadGenerator:
    given = {"name": f"load{next(_numbers)}", "kind": LoadGenerator.Kind.WORKER} | fields
    return LoadGenerator.objects.create(**given)


def target(*bases: str, **fields: Any) -> Target:
    """A target at 192.0.2.10, or at these addresses."""
    host = Host.objects.create(name=f"shop{next(_numbers)}")
    made = Target.objects.create(host=host, **fields)
    for base in bases or (BASE,):
        TargetAddress.objects.create(target=made, base=base, resolved=["192.0.2.10"])
    return made


def plan(variants: tuple[str, ...] = ("off", "on"), *, of: Target | None = None, **fields: Any) -> Plan:
    """A plan that validates: ab, 100 requests, 2 levels × 3 repeats; the variant "on" keeps connections."""
    of = of or target()
    given: dict[str, Any] = {"name": "Keep-alive", "target": of, "address": of.addresses.first(), "path": "/hello"}
    given |= {"requests": 100, "levels": [1, 10], "repeats": 3, "warmups": 0} | fields
    made = Plan.objects.create(**({"generator": generator()} | given if "generator" not in given else given))
    for position, name in enumerate(variants):
        Variant.objects.create(plan=made, name=name, keepalive=name == "on", position=position)
    return made
