"""What is kept beside results: texts as they came in, tokens, the bin; hosts, experiments, their configs and overrides."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from runs.database import count_rows, make_page_url

KEPT_IN_BIN = timedelta(days=30)
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
        return self.deleted_at + KEPT_IN_BIN


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

    def get_absolute_url(self) -> str:
        """Of the page that is named after the model; config texts and timings have none."""
        return make_page_url(str(self._meta.model_name), self.pk)


PRESENT = models.Q(deletion__isnull=True)


def make_deletion_index(name: str) -> models.Index:
    return models.Index(fields=["deletion"], name=f"{name}_deletion", condition=~PRESENT)


HEAVY = ("raw", "blocks", "problems", "unread", "edits", "placed")  # columns that no list needs


class UploadQuerySet(models.QuerySet["Upload"]):
    def light(self) -> Self:
        return self.defer("raw")

    def with_counts(self) -> Self:
        """With n_runs and n_captures."""
        queryset = self.light().select_related("created_by")
        return queryset.annotate(
            n_runs=count_rows("runs.Run", "upload"), n_captures=count_rows("runs.Capture", "upload")
        )


class Upload(Deletable):
    """One text as it was received, stored whole.

    sha256      of the bytes as stored (as received, unless something was redacted)
    text_key    sha256 of the decoded text with plain line ends, no blank end and every secret masked: the same text by
                any entry point is one upload, redacted or not
    blocks      [{"kind", "lines": [first, last], "partial"}], in order
    problems    [{"line", "message"}]; unread: [[first, last], ...]
    hints       what the sender gave: host, config, experiment, tags
    edits       what was changed on the preview page or later, so that parsing the text again keeps it
    placed      {"experiments": {"e1": pk}, "configs": {..}, "hosts": {..}}: the rows that the draft's keys became
    raw         its first piece; a text of more than one MiB has the others in Piece
    bytes_read, n_blocks, seen_at: how far its reader is, and when it last wrote that
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        PARSING = "parsing"
        READY = "ready"
        PARTIAL = "partial"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Origin(models.TextChoices):
        WEB = "web"
        REST = "rest"
        COMMAND = "command"
        SAMPLE = "sample"
        REMOTE = "remote"

    name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, db_index=True)
    text_key = models.CharField(max_length=64)
    raw = models.BinaryField(help_text="compressed bytes, as received or redacted; the first piece of a large text")
    n_pieces = models.PositiveIntegerField(default=1)
    size_bytes = models.PositiveBigIntegerField()
    encoding = models.CharField(max_length=32)
    n_lines = models.PositiveIntegerField(default=0)
    origin = models.CharField(max_length=8, choices=Origin.choices)
    status = models.CharField(max_length=9, choices=Status.choices)
    error = models.TextField(blank=True)
    n_secrets = models.PositiveIntegerField(
        null=True, help_text="how many different secrets its text seems to hold; null where that was never counted"
    )
    blocks = models.JSONField(default=list)
    problems = models.JSONField(default=list)
    unread = models.JSONField(default=list)
    hints = models.JSONField(default=dict)
    edits = models.JSONField(default=dict)
    placed = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="how often a worker has begun to read it")
    bytes_read = models.PositiveBigIntegerField(default=0)
    n_blocks = models.PositiveIntegerField(default=0)
    seen_at = models.DateTimeField(null=True, blank=True)
    parser_version = models.CharField(max_length=16, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Present.from_queryset(UploadQuerySet)()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["text_key"], name="upload_text", condition=PRESENT)]
        # Nearly all are ready and most come by REST: these are found at once in the order of ids, the others here.
        indexes = [
            models.Index(fields=["created_at"], name="upload_created"),
            models.Index(fields=["status", "-id"], name="upload_not_ready", condition=~models.Q(status="ready")),
            models.Index(fields=["origin", "-id"], name="upload_not_rest", condition=~models.Q(origin="rest")),
            make_deletion_index("upload"),
        ]

    def __str__(self) -> str:
        return self.name or f"upload {self.pk}"

    @property
    def is_waited_for(self) -> bool:
        """Whether a worker still has to read it, or does."""
        return self.status in (self.Status.QUEUED, self.Status.PARSING)


class Piece(models.Model):
    """A further piece of a large upload's text: whole lines, compressed as Upload.raw is. The first one is number 0 there.

    first_line  1-based number of its first line in the whole text
    size_bytes  of the text in it, unpacked
    """

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    number = models.PositiveIntegerField()
    first_line = models.PositiveBigIntegerField()
    size_bytes = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["upload", "number"]
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="piece_number_in_upload")]

    def __str__(self) -> str:
        return f"piece {self.number} of upload {self.upload_id}"


class ApiToken(models.Model):
    """A token for scripts. Only its sha256 is kept; the token itself is shown once, when it is created."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=8)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


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


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def with_counts(self) -> Self:
        """With its host, n_runs and n_configs."""
        queryset = self.select_related("host")
        return queryset.annotate(
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

    rule = models.CharField(max_length=40, help_text="the id of a rule of runs/analysis")
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
