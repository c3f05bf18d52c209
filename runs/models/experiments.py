"""What is compared: hosts, experiments, their configs, and the config files' texts."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from runs.querysets import count_rows, make_page_url

from .deletions import PRESENT, Deletable, Present, make_deletion_index


class Host(Deletable):
    """A machine. `fingerprint` (model, cores, RAM rounded) tells whether two are alike, whatever their names."""

    name = models.CharField(max_length=200)
    cpu_model = models.CharField(max_length=200, blank=True)
    cores = models.PositiveIntegerField(null=True, blank=True)
    mhz = models.FloatField(null=True, blank=True)
    ram_kb = models.PositiveBigIntegerField(null=True, blank=True)
    swap_kb = models.PositiveBigIntegerField(null=True, blank=True)
    os = models.CharField(max_length=200, blank=True)
    kernel = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=64, db_index=True, blank=True)
    price_per_hour = models.FloatField(null=True, blank=True, help_text="in any currency")
    passport = models.JSONField(null=True, blank=True, help_text="what `bd passport` measured last")
    n_runs = models.PositiveBigIntegerField(default=0, help_text="kept up by runs.ingest.counters, seconds behind")

    objects = Present["Host"]()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["name", "fingerprint"], name="host_name_and_hardware", condition=PRESENT)
        ]
        indexes = [make_deletion_index("host")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return make_page_url("host", self.pk)


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def with_counts(self) -> Self:
        """With its host, n_runs and n_configs."""
        found = self.select_related("host")
        return found.annotate(
            n_runs=count_rows("runs.Run", "experiment"), n_configs=count_rows("runs.Config", "experiment")
        )


class Experiment(Deletable):
    """What is compared: configs × repeats. An archived one is left out of lists of experiments unless they ask for it."""

    name = models.CharField(max_length=300)
    notes = models.TextField(blank=True)
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="experiments")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    headline = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="outcome and sentence as last worked out, and a digest of what of",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived = models.BooleanField(default=False)

    objects = Present.from_queryset(ExperimentQuerySet)()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["name", "-id"], name="experiment_name"),
            models.Index(fields=["created_at"], name="experiment_created"),
            models.Index(fields=["-id"], name="experiment_archived", condition=models.Q(archived=True)),
            make_deletion_index("experiment"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return make_page_url("experiment", self.pk)


class Config(Deletable):
    """A named software set-up of one experiment. The baseline is the one with the lowest position."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="configs")
    name = models.CharField(max_length=300)
    group = models.CharField(max_length=300, blank=True, help_text="the heading above its heading, where there is one")
    position = models.PositiveIntegerField(default=0)

    objects = Present["Config"]()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "name"], name="config_name_in_experiment", condition=PRESENT)
        ]
        indexes = [models.Index(fields=["name", "-id"], name="config_name"), make_deletion_index("config")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return make_page_url("config", self.pk)


class Sourced(Deletable):
    """Something read from lines `line_first`..`line_last` of an upload."""

    upload = models.ForeignKey("runs.Upload", on_delete=models.CASCADE, related_name="%(class)ss")
    block_key = models.CharField(max_length=16, help_text="its key in the draft")
    line_first = models.PositiveIntegerField()
    line_last = models.PositiveIntegerField()
    quotes = models.JSONField(default=list, help_text="[[first, last], ...] where the same figures stand again")

    class Meta:
        abstract = True

    def source_url(self) -> str:
        return f"{reverse('upload', args=[self.upload_id])}#L{self.line_first}"


class ConfigText(Sourced):
    """A configuration file's text; config None: it holds for every config of the experiment."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="texts")
    config = models.ForeignKey(Config, null=True, blank=True, on_delete=models.SET_NULL, related_name="texts")
    path = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)

    objects = Present["ConfigText"]()

    class Meta:
        ordering = ["id"]
        indexes = [make_deletion_index("configtext")]

    def __str__(self) -> str:
        return self.path or f"text at line {self.line_first}"


class Override(models.Model):
    """A person's decision that a fatal doubt does not keep something out of verdicts; withdrawn, it stays as a record.

    It names a run by its upload and first line, since `reparse` writes the runs again, or (where a config is not
    comparable with the baseline) the config.
    """

    rule = models.CharField(max_length=40, help_text="the id in analysis.doubts")
    upload = models.ForeignKey("runs.Upload", null=True, blank=True, on_delete=models.CASCADE, related_name="overrides")
    line = models.PositiveIntegerField(null=True, blank=True, help_text="the run's first line")
    config = models.ForeignKey(Config, null=True, blank=True, on_delete=models.CASCADE, related_name="overrides")
    reason = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="overrides"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "runs_ruling"
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(upload__isnull=False, line__isnull=False, config__isnull=True)
                | models.Q(upload__isnull=True, line__isnull=True, config__isnull=False),
                name="ruling_about_one_thing",
            )
        ]
        indexes = [models.Index(fields=["upload", "line"], name="ruling_run")]

    def __str__(self) -> str:
        return f"{self.rule} overruled"
