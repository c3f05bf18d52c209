"""Plans and jobs against the lab's hosts, as rows."""

from __future__ import annotations

from typing import Any

from runs.remote import planning
from runs.remote.models import Job, LoadGenerator, Plan, Switch, Target, Variant
from runs.tests.remote import rows
from runs.tests.remote.hosts import Lab


def target(lab: Lab, **fields: Any) -> Target:
    """The lab's nginx, reached by ssh."""
    # So many requests that a load of ten seconds ends by its time on a fast machine, too.
    given = {"reach": Target.Reach.SSH, "ssh_destination": "tgt", "most_requests": 2_000_000} | fields
    given.setdefault("readable", [str(lab.folder)])
    made = rows.target(lab.base, **given)
    made.addresses.update(resolved=[f"{lab.load}.2"])
    return made


def generator(destination: str = "gen", **fields: Any) -> LoadGenerator:
    return rows.generator(kind=LoadGenerator.Kind.SSH, ssh_destination=destination, **fields)


def plan(lab: Lab, variants: tuple[str, ...] = ("a", "b"), of: Target | None = None, **fields: Any) -> Plan:
    """ab, 100 requests at 1 and 4, 3 repeats; each variant is switched to and shows its config file."""
    of = of or target(lab)
    given: dict[str, Any] = {"generator": fields.pop("generator", None) or generator(), "levels": [1, 4]}
    given |= {"cooldown_s": 0, "keepalive": True, "path": "/", "interval_s": 1} | fields
    made = rows.plan((), of=of, **given)
    for position, name in enumerate(variants):
        switch, _ = Switch.objects.get_or_create(
            target=of, name=name, defaults={"argv": [str(lab.folder / "switch"), name]}
        )
        files = [str(lab.folder / "current.conf")]
        Variant.objects.create(plan=made, name=name, switch=switch, config_files=files, position=position)
    return made


def long_plan(lab: Lab, **fields: Any) -> Plan:
    """Two loads of a minute each if nobody stops them."""
    return plan(lab, **({"requests": None, "duration_s": 60, "levels": [2], "repeats": 1} | fields))


def job(of: Plan) -> Job:
    return planning.start_job(of, rows.user("run_plan"))
