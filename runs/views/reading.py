"""How far a worker is with a large text: the part of an upload's page that fills in by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from runs.models import Upload

SILENT = timedelta(seconds=15)  # a reader tells about once a second, but not while it stores
WAITS = "Waits for a worker."


@dataclass(frozen=True, slots=True)
class Standing:
    """said: in words. brief: the same for screen readers, which are told when it changes: it does so every 10 %."""

    said: str
    brief: str
    note: str = ""


def reading(request: HttpRequest, pk: int) -> HttpResponse:
    """The part alone; once there is nothing left to wait for, the word to load the page anew."""
    found = get_object_or_404(Upload.objects.light(), pk=pk)
    if not found.is_waited_for:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "_reading.html", {"upload": found, "standing": standing(found, timezone.now())})


def standing(upload: Upload, now: datetime) -> Standing:
    """What is said of a text that waits or is read."""
    if upload.status == Upload.Status.QUEUED:
        return Standing(WAITS, WAITS, _why_it_waits(upload, now))
    blocks = f"{upload.n_blocks:,} block{'' if upload.n_blocks == 1 else 's'} found"
    if upload.bytes_read >= upload.size_bytes:
        said = brief = f"All of it is read, {blocks}. What was found is being stored."
    else:
        read = f"{filesizeformat(upload.bytes_read)} of {filesizeformat(upload.size_bytes)} read"
        said, brief = f"{read}, {blocks}.", f"{upload.bytes_read * 10 // upload.size_bytes * 10} % read."
    return Standing(said, brief, _doubt(upload, now))


def _why_it_waits(upload: Upload, now: datetime) -> str:
    if upload.attempts:
        return "Its reader is gone; it is read anew."
    late = now - upload.created_at > SILENT
    return "All are busy, or none is running: “python manage.py worker” starts one." if late else ""


def _doubt(upload: Upload, now: datetime) -> str:
    """What is odd about its reader."""
    if upload.seen_at and now - upload.seen_at > SILENT:
        silent = int((now - upload.seen_at).total_seconds())
        return f"Nothing was heard of its reader for {silent} s. Where it is gone, another one begins anew by itself."
    return f"Reading was broken off before; this is attempt {upload.attempts}." if upload.attempts > 1 else ""
