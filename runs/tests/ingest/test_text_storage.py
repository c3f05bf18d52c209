"""A text of several pieces in the database: whole again, read where it is needed, and gone with its upload."""

from __future__ import annotations

import zlib

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs import ingest
from runs.ingest import Rejected
from runs.models import Piece, Run, Upload
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
PROSE = "".join(f"line {n} of a diary that goes on and on, day by day\n" for n in range(4_500))
PIECE = 100_000  # bytes, instead of a megabyte
LARGE = PROSE + session(500) + PROSE.replace("diary", "report") + session(600)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr("runs.ingest.receiving.PIECE_BYTES", PIECE)


def test_it_is_kept_in_pieces_read_anew_alike_found_again_and_goes_with_its_upload():
    upload = ingest.submit(LARGE.encode(), origin="web").upload
    upload.refresh_from_db()
    sizes = [piece.size_bytes for piece in upload.pieces.all()]
    assert upload.n_pieces == len(sizes) + 1 > 4
    assert sum(sizes) < upload.size_bytes < PIECE + sum(sizes)
    assert "\n".join(ingest.load_text(upload).lines()) + "\n" == LARGE
    assert max(count_queries(upload, first) for first in (7_500, 4_510, 1)) <= 2
    before = list(upload.runs.values_list("pk", "line_first", "requests_per_second"))
    assert len(before) == 2 and upload.unread[0][0] == 1
    ingest.reparse(upload.pk)
    assert list(upload.runs.values_list("pk", "line_first", "requests_per_second")) == before
    assert ingest.submit(LARGE.encode("utf-16"), origin="rest") == ingest.Receipt(upload, created=False)
    upload.delete()
    assert not Piece.objects.exists()


def count_queries(upload: Upload, first: int) -> int:
    """For 300 lines of the text."""
    with CaptureQueriesContext(connection) as queries:
        assert len(list(ingest.load_text(upload).lines(first, first + 299))) == 300
    return len(queries)


def test_a_text_that_gives_way_takes_its_pieces_along():
    with pytest.raises(Rejected) as caught:
        ingest.submit(PROSE.encode(), origin="web")
    failed = caught.value.upload
    assert failed is not None and failed.pieces.count() == failed.n_pieces - 1 > 1
    with pytest.raises(Rejected):
        ingest.submit(PROSE.encode("utf-16"), origin="web")
    again = Upload.objects.get()
    assert (again.pk, again.encoding) == (failed.pk, "utf-16")
    assert again.pieces.count() == again.n_pieces - 1 > failed.n_pieces
    assert next(ingest.load_text(again).lines(4_499, 4_499)) == PROSE.split("\n")[4_498]


def test_texts_from_before_there_were_pieces_are_read_as_they_are():
    upload = ingest.submit(session(500).encode(), origin="web").upload
    old = session(500).replace("\n", "\r\n").encode("utf-16")
    Upload.objects.update(raw=zlib.compress(old), encoding="utf-16")
    ingest.reparse(upload.pk)
    assert "\n".join(ingest.load_text(Upload.objects.get()).lines()) + "\n" == session(500)
    assert Run.objects.get().requests_per_second == 500
