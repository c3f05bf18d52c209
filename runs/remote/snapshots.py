"""A snapshot as JSON and back, and the loads that it stands for. No database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .shapes import Load, Machine, Snapshot, Stage, VariantPlan


def as_dict(snapshot: Snapshot) -> dict[str, Any]:
    """What a job's row keeps: plain JSON values, no secret among them."""
    return asdict(snapshot)


def from_dict(data: Mapping[str, Any]) -> Snapshot:
    """The snapshot that as_dict wrote. Raises KeyError or TypeError for anything else."""
    values = dict(data)
    values["generator"] = Machine(**values["generator"])
    values["target"] = Machine(**values["target"]) if values["target"] else None
    values["variants"] = tuple(_variant(one) for one in values["variants"])
    values["headers"] = tuple((name, value) for name, value in values["headers"])
    values |= {name: tuple(values.get(name, ())) for name in ("levels", "notes")}
    return Snapshot(**values)


def _variant(data: Mapping[str, Any]) -> VariantPlan:
    tuples = {name: tuple(data[name]) for name in ("switch", "config_files")}
    return VariantPlan(**{**data, **tuples})


def variant_of(snapshot: Snapshot, name: str) -> VariantPlan:
    """Raises KeyError for a variant that the snapshot does not have."""
    return {one.name: one for one in snapshot.variants}[name]


def load_of(snapshot: Snapshot, stage: Stage) -> Load:
    """The load of one run, its secrets still names."""
    variant = variant_of(snapshot, stage.variant)
    return Load(
        tool=snapshot.tool,
        base=variant.base,
        path=variant.path,
        concurrency=stage.level,
        requests=snapshot.requests,
        duration_s=snapshot.duration_s,
        method=snapshot.method,
        headers=snapshot.headers,
        body=snapshot.body,
        content_type=snapshot.content_type,
        keepalive=variant.keepalive,
        timeout_s=snapshot.timeout_s,
        most_requests=snapshot.most_requests,
    )
