"""What an upload had before it is read anew: taken away first, and given back to the rows read from the same lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from runs.models import Capture, Config, Experiment, Run, Upload

from . import tallies


class Stood(NamedTuple):
    """What a row read from the same lines keeps."""

    pk: int
    created_at: datetime
    config_id: int | None
    repeat: int


Kept = dict[tuple[int, str], Stood]  # by first line and tool


@dataclass(frozen=True, slots=True)
class Before:
    """What an upload had: its rows, and captures of other uploads that were put beside a run of it ({capture: run})."""

    runs: Kept = field(default_factory=dict)
    captures: Kept = field(default_factory=dict)
    borrowed: Mapping[int, int] = field(default_factory=dict)
    shares: Iterable[tallies.Share] = ()


def drop_empty(experiments: Iterable[int], configs: Iterable[int]) -> None:
    """Delete those of the configs and experiments (ids) that hold neither run nor capture, config text nor timing."""
    nothing = {"runs": None, "captures": None, "texts": None}
    Config.objects.filter(pk__in=configs, **nothing).delete()
    Experiment.objects.filter(pk__in=experiments, **nothing, timings=None).delete()


def clear(upload: Upload) -> Before:
    """Delete what an upload has, and say what of it comes back."""
    others = Capture.objects.filter(run__upload=upload).exclude(upload=upload)
    before = Before(
        runs=_kept(upload.runs.all()),
        captures=_kept(upload.captures.all()),
        borrowed=dict(others.values_list("pk", "run_id")),
        shares=tallies.shares_of(upload.runs.all()).values(),
    )
    upload.captures.all().delete()
    upload.runs.all().delete()
    upload.configtexts.all().delete()
    upload.timings.all().delete()
    return before


def _kept(rows: Any) -> Kept:
    """The upload's rows as they are, before they make way."""
    return {
        (row.line_first, row.tool): Stood(row.pk, row.created_at, row.config_id, getattr(row, "repeat", 1))
        for row in rows.order_by().defer("values")
    }


def take_up(row: Run | Capture, kept: Kept) -> Stood | None:
    """Give the row the id of the one that stood at the same lines, if one did, and say what that was."""
    before = kept.pop((row.line_first, row.tool), None)
    if before is not None:
        row.pk, row.created_at = before.pk, before.created_at
    return before


def give_back(borrowed: Mapping[int, int]) -> None:
    """Put captures of other uploads beside the runs again that they stood beside, where those are back."""
    if not borrowed:
        return
    alive = set(Run.objects.filter(pk__in=borrowed.values()).values_list("pk", flat=True))
    for capture, run in borrowed.items():
        if run in alive:
            Capture.objects.filter(pk=capture).update(run=run)
