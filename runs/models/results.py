"""Load tests."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from runs import querysets

from .addresses import address
from .experiments import Config, Experiment, Host, Sourced


def facet_key(of: str) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(
        "runs.Facet", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, help_text=of
    )


class Run(Sourced):
    """One load test. What is filtered, sorted or charted has a column; `values` holds all that the tool printed.

    requests_per_second is siege's transaction rate, concurrency its users or printed concurrency. percentiles_ms maps
    "50" to ms. `counted` False keeps a run (a warm-up, a doubtful one) out of comparisons without losing it.
    clock_start_s and clock_end_s are seconds of the day on the clock of the machine that printed them; the end of a run
    past midnight is above 86400. They are None where the text does not tell.
    The foreign keys have no index of their own: the ones below begin with them.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="runs", db_index=False)
    config = models.ForeignKey(Config, on_delete=models.CASCADE, related_name="runs", db_index=False)
    host = models.ForeignKey(
        Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs", db_index=False
    )
    tool = models.CharField(max_length=32)
    tool_version = models.CharField(max_length=64, blank=True)
    label = models.CharField(max_length=300, blank=True)
    note = models.TextField(blank=True)
    command = models.TextField(blank=True)
    repeat = models.PositiveIntegerField(default=1)
    counted = models.BooleanField(default=True)
    partial = models.BooleanField(default=False)
    aborted = models.BooleanField(default=False)
    fingerprint = models.CharField(max_length=64, help_text="see ingest.fingerprint")
    clock_start_s = models.FloatField(null=True, blank=True)
    clock_end_s = models.FloatField(null=True, blank=True)
    facet_config = facet_key("its config's name")
    facet_command = facet_key("its command")
    facet_server = facet_key("its server_software")
    requests_per_second = models.FloatField(null=True, blank=True)
    complete_requests = models.BigIntegerField(null=True, blank=True)
    failed_requests = models.BigIntegerField(null=True, blank=True)
    concurrency = models.FloatField(null=True, blank=True)
    duration_s = models.FloatField(null=True, blank=True)
    keepalive = models.BooleanField(null=True, blank=True)
    mean_ms = models.FloatField(null=True, blank=True)
    max_ms = models.FloatField(null=True, blank=True)
    percentiles_ms = models.JSONField(default=dict)
    server_software = models.CharField(max_length=200, blank=True)
    hostname = models.CharField(max_length=255, blank=True)
    port = models.PositiveIntegerField(null=True, blank=True)
    path = models.CharField(max_length=500, blank=True)
    values = models.JSONField(default=dict)
    tags = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)

    objects = querysets.RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["upload", "block_key"], name="run_block_of_upload")]
        # Each list is read in the order of an index from where the page before ended; see runs.views.paging.
        indexes = [
            models.Index(fields=["tool", "-id"], name="run_tool"),
            models.Index(fields=["experiment", "-id"], name="run_experiment"),
            models.Index(fields=["config", "-id"], name="run_config"),
            models.Index(fields=["host", "-id"], name="run_host"),
            models.Index(fields=["fingerprint", "-id"], name="run_fingerprint"),
            models.Index(fields=["facet_config", "-id"], name="run_facet_config"),
            models.Index(fields=["facet_command", "-id"], name="run_facet_command"),
            models.Index(fields=["facet_server", "-id"], name="run_facet_server"),
            models.Index(fields=["created_at"], name="run_created"),
            models.Index(fields=["requests_per_second", "id"], name="run_rps"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.label or self.pk}"

    def get_absolute_url(self) -> str:
        return address("run", self.pk)
