"""What people say about the doubts that benchdash raises."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from .experiments import Config
from .uploads import Upload


class Ruling(models.Model):
    """A person's word that a fatal doubt does not keep something out of verdicts; withdrawn, it stays as a record.

    What it is about is named in a way that outlives `reparse`, which writes the runs anew: a run by its upload and first
    line, or (where a config is not comparable with the baseline) by the config.
    """

    rule = models.CharField(max_length=40, help_text="the id in analysis.doubts")
    upload = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.CASCADE, related_name="rulings")
    line = models.PositiveIntegerField(null=True, blank=True, help_text="the run's first line")
    config = models.ForeignKey(Config, null=True, blank=True, on_delete=models.CASCADE, related_name="rulings")
    reason = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="rulings"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
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
