"""Whether what a job wants is still allowed: its snapshot against the target as it is on the day it runs.

Everything was checked when the job was made. Since then an address, a switch or a folder may have been taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runs.models import Job, Target, TargetAddress

from . import places, tools
from .addresses import NotAllowed, check
from .planning import machine_of_generator, machine_of_target
from .shapes import Load, Machine, Snapshot, Stage, VariantPlan
from .snapshots import load_of


def check_all(snapshot: Snapshot, job: Job) -> list[Load]:
    """Every load of the plan. Raises NotAllowed, tools.Cannot and places.BadPlace for the first that may not be sent."""
    target = Target.objects.filter(pk=job.target_id or 0, enabled=True).first()
    if target is None:
        raise NotAllowed(f"The target {snapshot.target_name} is switched off or was deleted.")
    _check_reached(snapshot.target, machine_of_target(target))
    _check_reached(snapshot.generator, machine_of_generator(job.generator) if job.generator else None)
    allowed = allowed_of(job.target_id)
    switches = [tuple(switch.argv) for switch in target.switches.all()]
    for variant in snapshot.variants:
        _check_variant(variant, target, switches)
    loads = [
        load_of(snapshot, Stage(variant.name, level, 1)) for variant in snapshot.variants for level in snapshot.levels
    ]
    for load in loads:
        _check_load(load, target, snapshot.allowed, allowed)
    return loads


def allowed_of(target_id: int | None) -> dict[str, list[str]]:
    """The allow-list as it is now, of no address where the target is switched off."""
    now = TargetAddress.objects.filter(target=target_id or 0, target__enabled=True)
    return {one.base: list(one.resolved) for one in now}


def _check_reached(then: Machine | None, now: Machine | None) -> None:
    """The commands were meant for the machine that was reached then. A name may change, the way to it not."""
    if _way(then) != _way(now):
        name = (then or now or Machine("It")).name
        raise NotAllowed(f"{name} is reached in another way than when the job was made. Start its plan anew.")


def _way(machine: Machine | None) -> tuple[str, str] | None:
    return (machine.destination, machine.identity_file) if machine else None


def _check_variant(variant: VariantPlan, target: Target, switches: Sequence[tuple[str, ...]]) -> None:
    if variant.switch and variant.switch not in switches:
        raise NotAllowed(f"The switch command of {variant.name} is none of {target}'s any more.")
    for path in variant.config_files:
        places.check_config_file(path, target.readable)


def _check_load(
    load: Load, target: Target, then: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]]
) -> None:
    tools.build(load, then)
    check(load, now)
    asked = (load.requests or 0, load.concurrency, load.duration_s or 0)
    most = (target.most_requests, target.most_concurrency, target.most_duration_s)
    if any(wanted > limit for wanted, limit in zip(asked, most, strict=True)):
        raise NotAllowed(f"The load is more than {target} may get by now; its limits were lowered.")
