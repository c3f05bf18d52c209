"""Deleting what is stored: counts and trends must hear of it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from runs.models import Config, Experiment, Host, Run, Upload

from . import tallies

RUNS_BY = {Run: "pk", Upload: "upload", Experiment: "experiment", Config: "config", Host: "host"}


@transaction.atomic
def remove(rows: QuerySet[Any]) -> None:
    """Delete rows of any model, and with uploads, experiments and configs their runs."""
    by = RUNS_BY.get(rows.model)
    if by is None:
        rows.delete()
        return
    ids = list(rows.order_by().values_list("pk", flat=True))
    with tallies.noting(Run.objects.filter(**{f"{by}__in": ids})):
        rows.model._default_manager.filter(pk__in=ids).delete()
