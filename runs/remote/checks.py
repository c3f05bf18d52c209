"""What a plan may ask for: every rule, each with the field it is about. The plan's limits are its target's.

`recheck` asks on the day a job runs: since it was made an address, a switch or a folder may have been taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from . import addresses, secrets, tools
from .addresses import BadInput, NotAllowed
from .models import Job, LoadGenerator, Plan, Target, TargetAddress, Variant
from .snapshots import Load, Machine, Snapshot, load_for

Fault = tuple[str, str]  # field, sentence

# Of one plan, whatever its target: large enough for every sensible comparison, too small for a mistyped zero.
RANGES: dict[str, tuple[float, float]] = {
    "requests": (1, 100_000_000),
    "duration_s": (1, 86_400),
    "timeout_s": (1, 600),
    "repeats": (1, 100),
    "warmups": (0, 10),
    "cooldown_s": (0, 600),
    "interval_s": (1, 60),
    "rse_limit_pct": (0.1, 100),
    "most_repeats": (1, 100),
}
MOST_LEVELS = 20
MOST_VARIANTS = 20
MOST_STAGES = 1000
MOST_BODY = 65_536
MOST_CONFIG_FILES = 20


class Refused(ValueError):
    """A plan that must not be run as it is, for one fault at least. errors: [{"field", "message"}, ...]."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(" ".join(message for _, message in faults))
        self.errors = [{"field": field, "message": message} for field, message in faults]


def find_plan_faults(plan: Plan, target: Target, variants: Sequence[Variant]) -> Iterator[Fault]:
    """What stands in the way before a snapshot can be made of the plan."""
    yield from _check_machines(plan, target)
    yield from _check_ranges(plan)
    yield from _check_levels(plan, target)
    yield from _check_length(plan, target)
    yield from _check_request(plan)
    yield from _check_variants(target, variants)
    if plan.tool not in tools.tools():
        yield "tool", f"There is no load tool {plan.tool!r}; there are {', '.join(sorted(tools.tools()))}."
    if not _is_one_line(plan.name):
        yield "name", "A plan needs a name in one line."
    if plan.order not in Plan.Order.values:
        yield "order", f"{plan.order!r} is no order; runs go {' or '.join(Plan.Order.values)}."


def _check_machines(plan: Plan, target: Target) -> Iterator[Fault]:
    if not target.enabled:
        yield "target", f"The target {target} is disabled."
    if plan.address.target_id != target.pk:
        yield "address", f"{plan.address} is not an address of {target}."
    if plan.generator.kind == LoadGenerator.Kind.SSH:
        yield from _check_ssh("generator", plan.generator.ssh_destination, plan.generator.identity_file)
    if target.reach == Target.Reach.SSH:
        yield from _check_ssh("target", target.ssh_destination, target.identity_file)


def _check_ssh(field: str, destination: str, identity_file: str) -> Iterator[Fault]:
    yield from _try(field, addresses.check_destination, destination)
    yield from _try(field, addresses.check_identity, identity_file)


def _try(field: str, check: Callable[..., None], *values: object) -> Iterator[Fault]:
    try:
        check(*values)
    except BadInput as fault:
        yield field, str(fault)


def _check_ranges(plan: Plan) -> Iterator[Fault]:
    for field, (least, most) in RANGES.items():
        value = getattr(plan, field)
        if value is not None and not least <= value <= most:
            yield field, f"Must be from {least:g} to {most:g}."
    if (plan.rse_limit_pct is None) != (plan.most_repeats is None):
        yield "most_repeats", "Enter both: the standard error in % and the maximum repeats."
    elif plan.most_repeats is not None and plan.most_repeats < plan.repeats:
        yield "most_repeats", f"Must be at least the number of repeats ({plan.repeats})."


def _check_levels(plan: Plan, target: Target) -> Iterator[Fault]:
    levels = plan.levels
    if not isinstance(levels, list) or not levels or not all(type(level) is int and level > 0 for level in levels):
        yield "levels", "Enter at least one level, such as 1, 10, 50."
        return
    if len(levels) > MOST_LEVELS or len(set(levels)) < len(levels):
        yield "levels", f"Enter up to {MOST_LEVELS} different levels."
    if max(levels) > target.most_concurrency:
        yield "levels", f"{max(levels)} exceeds the maximum concurrency of {target} ({target.most_concurrency})."


def _check_length(plan: Plan, target: Target) -> Iterator[Fault]:
    if (plan.requests is None) == (plan.duration_s is None):
        yield "requests", "Give either a number of requests or a duration."
    if plan.requests is not None and plan.requests > target.most_requests:
        yield "requests", f"That is more than a run against {target} may send ({target.most_requests})."
    if plan.duration_s is not None and plan.duration_s > target.most_duration_s:
        yield "duration_s", f"That is longer than a run against {target} may take ({target.most_duration_s} s)."


def _check_request(plan: Plan) -> Iterator[Fault]:
    if plan.method not in tools.METHODS:
        yield "method", f"{plan.method!r} is none of {', '.join(tools.METHODS)}."
    yield from _try("path", addresses.check_path, plan.path)
    yield from _try("path", secrets.check_text, "path", plan.path)
    if secrets.ANY_PLACEHOLDER.search(plan.path):
        yield "path", "A path must not contain a secret, since servers log paths; send it in a header."
    yield from _try("content_type", secrets.check_content_type, plan.content_type)
    if plan.body:
        if plan.method not in tools.WITH_BODY:
            yield "body", f"A {plan.method} request has no body."
        if len(plan.body.encode()) > MOST_BODY:
            yield "body", f"A body may have up to {MOST_BODY} bytes."
        yield from _try("body", secrets.check_text, "body", plan.body)
    if len(plan.headers) > secrets.MOST_HEADERS:
        yield "headers", f"At most {secrets.MOST_HEADERS} headers."
    for name, value in plan.headers:
        yield from _try("headers", secrets.check_header, name, value)
        yield from _try("headers", secrets.check_header_secret, name, value)


def _check_variants(target: Target, variants: Sequence[Variant]) -> Iterator[Fault]:
    if not 1 <= len(variants) <= MOST_VARIANTS:
        yield "variants", f"A plan has 1 to {MOST_VARIANTS} variants."
    names = [variant.name.strip() for variant in variants]
    if not all(map(_is_one_line, names)) or len(set(names)) < len(names):
        yield "variants", "Variants need different names, in one line."
    with_switch = [variant.name for variant in variants if variant.switch_id]
    if with_switch and len(with_switch) < len(variants):
        yield (
            "variants",
            f"Either each variant has a switch or none: the others would run as {with_switch[-1]} leaves the target.",
        )
    for variant in variants:
        yield from ((field, f"{variant.name}: {message}") for field, message in _check_variant(target, variant))


def _check_variant(target: Target, variant: Variant) -> Iterator[Fault]:
    field, switch = "variants", variant.switch
    if variant.address and variant.address.target_id != target.pk:
        yield field, f"{variant.address} is not an address of {target}."
    if variant.path:
        yield from _try(field, addresses.check_path, variant.path)
        yield from _try(field, secrets.check_text, "path", variant.path)
    if switch and switch.target_id != target.pk:
        yield field, f"The switch {switch} is not one of {target}."
    if switch and target.reach == Target.Reach.NONE:
        yield field, f"The switch {switch} cannot be used: {target} has no access configured."
    if switch:
        yield from _try(field, addresses.check_switch, switch.argv)
    if variant.config_files and target.reach == Target.Reach.NONE:
        yield field, f"Its config files cannot be read: {target} has no access configured."
    if len(variant.config_files) > MOST_CONFIG_FILES:
        yield field, f"At most {MOST_CONFIG_FILES} config files."
    for path in variant.config_files:
        yield from _try(field, addresses.check_config_file, path, target.readable)


def _is_one_line(text: str) -> bool:
    return bool(text.strip()) and text.isprintable()


def find_load_faults(snapshot: Snapshot) -> Iterator[Fault]:
    """What stands in the way of the runs themselves: every command line is built once."""
    seen: set[str] = set()
    for variant, level in snapshot.pairs:
        try:
            tools.build(load_for(snapshot, variant, level), snapshot.allowed)
        except (addresses.NotAllowed, tools.Cannot) as fault:
            if str(fault) not in seen:
                seen.add(str(fault))
                yield ("tool" if isinstance(fault, tools.Cannot) else "address"), str(fault)
    yield from _check_loopback(snapshot)


def _check_loopback(snapshot: Snapshot) -> Iterator[Fault]:
    """127.0.0.1 is whichever machine uses it: it is the target's only where generator and target are one machine."""
    target = snapshot.target
    if target is None or target.destination == snapshot.generator.destination:
        return
    for base in sorted({variant.base for variant in snapshot.variants}):
        if addresses.is_loopback(snapshot.allowed.get(base, ())):
            name = snapshot.generator.name
            yield (
                "address",
                f"On {name}, {base} is {name} itself and not {target.name}: load would go to the wrong machine.",
            )


def describe_plan(snapshot: Snapshot) -> Iterator[str]:
    """What the plan does otherwise than one could think, for its page."""
    tool = tools.tools()[snapshot.tool]
    for level in snapshot.levels:
        load = load_for(snapshot, snapshot.variants[0].name, level)
        sent = tool.sends(load)
        if sent is not None and sent != load.requests:
            yield f"{tool.name} sends {sent} of {load.requests} requests at concurrency {level}: the same number from each client."
    plain = {replace(variant, name="", config_files=()) for variant in snapshot.variants}
    if len(snapshot.variants) > 1 and len(plain) < len(snapshot.variants):
        yield "The variants do not differ: they have the same address, path, keep-alive and switch."
    if snapshot.target is None:
        yield "The target has no access for monitors: memory and CPU will be missing."
    for name in secrets.find_secret_names(load_for(snapshot, snapshot.variants[0].name, 1)):
        yield f"The worker fills in {{secret:{name}}} from its environment variable {secrets.PREFIX}{name}."


def recheck(snapshot: Snapshot, job: Job) -> list[Load]:
    """Every load of the plan. Raises NotAllowed and tools.Cannot for the first that may not be sent."""
    target = Target.objects.filter(pk=job.target_id or 0, enabled=True).first()
    if target is None:
        raise NotAllowed(f"The target {snapshot.target_name} is disabled or was deleted.")
    _check_reached(snapshot.target, target.machine)
    _check_reached(snapshot.generator, job.generator.machine if job.generator else None)
    allowed = find_current_addresses(job.target_id)
    switches = [tuple(switch.argv) for switch in target.switches.all()]
    for variant in snapshot.variants:
        if variant.switch and variant.switch not in switches:
            raise NotAllowed(f"The switch command of {variant.name} no longer belongs to {target}.")
        for path in variant.config_files:
            addresses.check_config_file(path, target.readable)
    loads = [load_for(snapshot, variant, level) for variant, level in snapshot.pairs]
    for load in loads:
        _check_load(load, target, snapshot.allowed, allowed)
    return loads


def find_current_addresses(target_id: int | None) -> dict[str, list[str]]:
    """The allow-list as it is now, of no address where the target is switched off."""
    now = TargetAddress.objects.filter(target=target_id or 0, target__enabled=True)
    return {address.base: list(address.resolved) for address in now}


def _check_reached(then: Machine | None, now: Machine | None) -> None:
    """The commands were meant for the machine that was reached then. A name may change, the way to it not."""
    if (then and (then.destination, then.identity_file)) != (now and (now.destination, now.identity_file)):
        name = (then or now or Machine("It")).name
        raise NotAllowed(f"{name} is accessed in another way than when the job was created. Start its plan again.")


def _check_load(
    load: Load, target: Target, then: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]]
) -> None:
    tools.build(load, then)
    addresses.check_load(load, now)
    asked = (load.requests or 0, load.concurrency, load.duration_s or 0)
    most = (target.most_requests, target.most_concurrency, target.most_duration_s)
    if any(wanted > limit for wanted, limit in zip(asked, most, strict=True)):
        raise NotAllowed(f"The load exceeds the limits of {target}, which were lowered.")
