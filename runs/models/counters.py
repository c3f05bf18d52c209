"""Counters: small tables kept up as runs come and go, so that no page counts or searches the runs themselves."""

from __future__ import annotations

from django.db import models


class Facet(models.Model):
    """A value that runs share and lists are narrowed by: a tool, a config's name, a command, a server or a tag.

    value   as it stands in the runs, cut to 300 characters
    n_runs  kept up by runs.ingest.counters, seconds behind; the row itself is there as soon as its first run is
    """

    class Kind(models.TextChoices):
        TOOL = "tool"
        CONFIG = "config"
        COMMAND = "command"
        SERVER = "server"
        TAG = "tag"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    value = models.CharField(max_length=300)
    n_runs = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["kind", "value"]
        constraints = [models.UniqueConstraint(fields=["kind", "value"], name="facet_value_of_kind")]
        indexes = [models.Index(fields=["kind", "-n_runs"], name="facet_most")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.value}"


class RunTag(models.Model):
    facet = models.ForeignKey(Facet, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="taggings")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["facet", "run"], name="tag_of_run")]

    def __str__(self) -> str:
        return f"tag {self.facet_id} of run {self.run_id}"


class Build(models.Model):
    """What was tested, as a pipeline names it. A row of its own, which runs of one build share: one indexed key a run.

    key  sha256 of the others; their lengths are too much for an index
    pr   number of the pull or merge request; url: of the pipeline
    """

    key = models.CharField(max_length=64, unique=True)
    commit = models.CharField(max_length=100, blank=True, db_index=True)
    branch = models.CharField(max_length=300, blank=True, db_index=True)
    version = models.CharField(max_length=300, blank=True, db_index=True)
    pr = models.CharField(max_length=100, blank=True, db_index=True)
    url = models.CharField(max_length=1000, blank=True)

    def __str__(self) -> str:
        return self.version or self.commit[:12] or self.branch or self.pr or self.url


class Trend(models.Model):
    """The comparable runs (one fingerprint) of one day, added up. Only counted, whole runs that say a rate are in it.

    sum_log, sum_log2  of the natural logarithms of requests per second, and of their squares
    mean_ms            sum of the runs' mean latencies, over n_ms runs
    """

    fingerprint = models.CharField(max_length=64)
    day = models.DateField()
    n = models.PositiveBigIntegerField(default=0)
    total = models.FloatField(default=0, help_text="sum of requests per second")
    sum_log = models.FloatField(default=0)
    sum_log2 = models.FloatField(default=0)
    newest_build = models.ForeignKey(Build, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    least = models.FloatField()
    most = models.FloatField()
    n_ms = models.PositiveBigIntegerField(default=0)
    sum_ms = models.FloatField(default=0)

    class Meta:
        ordering = ["fingerprint", "day"]
        constraints = [models.UniqueConstraint(fields=["fingerprint", "day"], name="trend_day")]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]} {self.day}"


class TrendLine(models.Model):
    """The days of one fingerprint in short, for the list of trends: kept up with them."""

    fingerprint = models.CharField(max_length=64, unique=True)
    n = models.PositiveBigIntegerField(default=0, help_text="runs on all its days")
    n_days = models.PositiveIntegerField(default=0)
    first_day = models.DateField()
    last_day = models.DateField()

    class Meta:
        ordering = ["-n", "-id"]
        indexes = [models.Index(fields=["-n", "-id"], name="trendline_most")]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]}, {self.n_days} days"


class CounterDelta(models.Model):
    """A change that is not applied to facets, hosts and trends yet. Rows are only added and removed, so that none is locked.

    changes  {"facets": {pk: by}, "hosts": {pk: by}, "days": [[fingerprint, day], ..]}; a day named is summed again
    """

    changes = models.JSONField()

    class Meta:
        db_table = "runs_tally"

    def __str__(self) -> str:
        return f"delta {self.pk}"
