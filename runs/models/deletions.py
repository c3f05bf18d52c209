"""The bin: what was deleted stays for 30 days, marked with its deletion, and can be restored until it is purged."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

KEPT = timedelta(days=30)
M = TypeVar("M", bound=models.Model)


class Deletion(models.Model):
    """One deletion, and by their `deletion` all rows that went with it.

    object_id  of the row that was deleted; counts: {"runs": 3, ...} of all that went with it
    unlinked   ids of experiments that named a deleted host as theirs
    """

    class Kind(models.TextChoices):
        EXPERIMENT = "experiment"
        CONFIG = "config"
        RUN = "run"
        UPLOAD = "upload"
        HOST = "host"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    object_id = models.PositiveBigIntegerField()
    name = models.CharField(max_length=300, blank=True)
    counts = models.JSONField(default=dict)
    unlinked = models.JSONField(default=list)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    deleted_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["kind", "object_id"], name="deletion_of")]

    def __str__(self) -> str:
        return f"{self.kind} “{self.name}”"

    @property
    def purged_at(self) -> datetime:
        return self.deleted_at + KEPT


class Present(models.Manager[M]):
    """Rows that are not in the bin."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(deletion=None)


class Deletable(models.Model):
    """A row that can be in the bin. `objects`, a Present, leaves it out then; `everything` and foreign keys to it do not."""

    deletion = models.ForeignKey(
        Deletion, null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="+", db_index=False
    )

    everything = models.Manager()

    class Meta:
        abstract = True


PRESENT = models.Q(deletion__isnull=True)


def make_deletion_index(name: str) -> models.Index:
    return models.Index(fields=["deletion"], name=f"{name}_deletion", condition=~PRESENT)
