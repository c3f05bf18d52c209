"""What monitors said beside the runs."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils import timezone

from runs import querysets

from .experiments import Config, Experiment, Host, Sourced
from .results import Run


class Capture(Sourced):
    """Monitors beside a run: one look, or the screens of one command. `values`: the last look, without its processes."""

    class Phase(models.TextChoices):
        BEFORE = "before"
        DURING = "during"
        AFTER = "after"

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="captures")
    config = models.ForeignKey(Config, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    tool = models.CharField(max_length=32)
    phase = models.CharField(max_length=8, choices=Phase.choices, blank=True)
    label = models.CharField(max_length=300, blank=True)
    command = models.TextField(blank=True)
    clock_first = models.CharField(max_length=8, blank=True, help_text="HH:MM:SS as printed")
    clock_last = models.CharField(max_length=8, blank=True)
    n_samples = models.PositiveIntegerField(default=1)
    partial = models.BooleanField(default=False)
    values = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    objects = querysets.CaptureQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["tool", "-id"], name="capture_tool"),
            models.Index(fields=["created_at"], name="capture_created"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.label or self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("capture", args=[self.pk])


class Series(models.Model):
    """One metric over a capture's looks: of the whole system (pid None) or of one process.

    samples   packed figures, a look without one leaves a gap; see runs.ingest.pack
    Where looks carry a clock, the system's metric "clock_s" holds it in seconds of the day, growing past midnight.
    """

    # The index below begins with it.
    capture = models.ForeignKey(Capture, on_delete=models.CASCADE, related_name="series", db_index=False)
    metric = models.CharField(max_length=32)
    pid = models.PositiveBigIntegerField(null=True, blank=True)
    user = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=500, blank=True)
    group = models.CharField(max_length=100, blank=True)
    n = models.PositiveIntegerField()
    min = models.FloatField()
    mean = models.FloatField()
    max = models.FloatField()
    last = models.FloatField()
    samples = models.BinaryField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "series"
        indexes = [models.Index(fields=["capture", "metric"], name="series_capture_metric")]

    def __str__(self) -> str:
        return f"{self.metric} {self.command}"


class Timing(Sourced):
    """What the requests of a run took, one by one as a tool wrote them to a file (ab -g and -e, hey -o csv).

    n               requests in it, None where only their percentiles are there
    percentiles_ms  {"50": ms, ...}, exact
    histogram       packed counts of latencies, which add up over repeats; empty where only percentiles are there. See
                    runs.analysis.histogram
    seconds         packed figures by the second in which requests began: {"start_s": epoch or None, "step_s", "at_s": [..],
                    "n": [..], "mean_ms": [..], "max_ms": [..]}; a step is longer than a second only in loads of hours
    values          what the file says as a whole, under the names that its format gives
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="timings")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="timings")
    tool = models.CharField(max_length=32)
    n = models.PositiveBigIntegerField(null=True, blank=True)
    percentiles_ms = models.JSONField(default=dict)
    histogram = models.BinaryField(default=bytes)
    seconds = models.BinaryField(default=bytes)
    values = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.tool} {self.pk}"
