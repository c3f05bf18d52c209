"""The texts, as they came in, and the tokens that scripts send them with."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from runs.querysets import count_rows, make_page_url

from .deletions import PRESENT, Deletable, Present, make_deletion_index

HEAVY = ("raw", "blocks", "problems", "unread", "edits", "placed")  # columns that no list needs


class UploadQuerySet(models.QuerySet["Upload"]):
    def light(self) -> Self:
        return self.defer("raw")

    def with_counts(self) -> Self:
        """With n_runs and n_captures."""
        found = self.light().select_related("created_by")
        return found.annotate(n_runs=count_rows("runs.Run", "upload"), n_captures=count_rows("runs.Capture", "upload"))


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

    def get_absolute_url(self) -> str:
        return make_page_url("upload", self.pk)

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
