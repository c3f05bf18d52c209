"""What is stored. The upload's raw text is the source of truth; every other result row can be rebuilt from it.

Units as everywhere: _ms, _s, _kb (KiB), _pct, _bytes in the names. Lines are 1-based and belong to the upload's text.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import get_script_prefix, reverse
from django.utils import timezone

from runs import querysets


def address(view: str, pk: int) -> str:
    """`reverse` of a view of one row, in a tenth of its time: a hundred runs are told with theirs."""
    return _address_of_0(view, get_script_prefix()).replace("/0/", f"/{pk}/", 1)


@cache
def _address_of_0(view: str, prefix: str) -> str:
    return reverse(view, args=[0])


class Upload(models.Model):
    """One text as it came in, kept whole.

    sha256      of the bytes as kept (as received, unless something was redacted)
    text_key    sha256 of the decoded text with plain line ends, no blank end and every secret masked: the same text by
                any door is one upload, redacted or not
    blocks      [{"kind", "lines": [first, last], "partial"}], in order
    problems    [{"line", "message"}]; unread: [[first, last], ...]
    hints       what the sender said: host, config, experiment, tags
    edits       what was changed on the preview page or later, so that reading the text anew keeps it
    placed      {"experiments": {"e1": pk}, "configs": {..}, "hosts": {..}}: the rows that the draft's keys became
    raw         its first piece; a text of more than one MiB has the others in Piece
    bytes_read, n_blocks, seen_at: how far its reader is, and when it last said so
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        PARSING = "parsing"
        READY = "ready"
        PARTIAL = "partial"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Door(models.TextChoices):
        WEB = "web"
        REST = "rest"
        COMMAND = "command"
        SAMPLE = "sample"
        REMOTE = "remote"

    name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, db_index=True)
    text_key = models.CharField(max_length=64, unique=True)
    raw = models.BinaryField(help_text="compressed bytes, as received or redacted; the first piece of a large text")
    n_pieces = models.PositiveIntegerField(default=1)
    size_bytes = models.PositiveBigIntegerField()
    encoding = models.CharField(max_length=32)
    n_lines = models.PositiveIntegerField(default=0)
    door = models.CharField(max_length=8, choices=Door.choices)
    status = models.CharField(max_length=9, choices=Status.choices)
    error = models.TextField(blank=True)
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

    objects = querysets.UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        # Nearly all are ready and most come by REST: these are found at once in the order of ids, the others here.
        indexes = [
            models.Index(fields=["created_at"], name="upload_created"),
            models.Index(fields=["status", "-id"], name="upload_not_ready", condition=~models.Q(status="ready")),
            models.Index(fields=["door", "-id"], name="upload_not_rest", condition=~models.Q(door="rest")),
        ]

    def __str__(self) -> str:
        return self.name or f"upload {self.pk}"

    def get_absolute_url(self) -> str:
        return address("upload", self.pk)

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


class Host(models.Model):
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
    n_runs = models.PositiveBigIntegerField(default=0, help_text="kept up by runs.ingest.tallies, seconds behind")

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["name", "fingerprint"], name="host_name_and_hardware")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("host", args=[self.pk])


class Experiment(models.Model):
    """What is compared: configs × repeats."""

    name = models.CharField(max_length=300)
    notes = models.TextField(blank=True)
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="experiments")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = querysets.ExperimentQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["name", "-id"], name="experiment_name"),
            models.Index(fields=["created_at"], name="experiment_created"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("experiment", args=[self.pk])


class Config(models.Model):
    """A named software set-up of one experiment. The baseline is the one with the lowest position."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="configs")
    name = models.CharField(max_length=300)
    group = models.CharField(max_length=300, blank=True, help_text="the heading above its heading, where there is one")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["experiment", "name"], name="config_name_in_experiment")]
        indexes = [models.Index(fields=["name", "-id"], name="config_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("config", args=[self.pk])


class Sourced(models.Model):
    """Something read from lines `line_first`..`line_last` of an upload."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="%(class)ss")
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

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.path or f"text at line {self.line_first}"


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
