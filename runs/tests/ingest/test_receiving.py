"""A text in pieces is the text as a whole: wherever it is cut, however it is written, and in a bounded memory."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from backports import zstd
from django.conf import settings
from hypothesis import given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import parsers
from benchdash.tests.services import ROOT
from parsers.tests.reading import decode
from runs.ingest import Rejected, receive
from runs.ingest.receiving import EVERY_SECRET, IncomingText, redact_text
from runs.ingest.redact import find_secrets, mask_secrets
from runs.ingest.text_storage import Text
from runs.tests.ingest.texts import meminfo, session

PIECE = 40_000  # so long that of a line which has several pieces the first one holds all that is looked at


@dataclass
class Whole:
    """The same, worked out on the text as a whole."""

    lines: list[str]
    key: str
    text: str

    @classmethod
    def of(cls, data: bytes) -> Whole:
        text, _ = decode(data)
        lines = text.split("\n") if not text.endswith("\n") else text.split("\n")[:-1]
        clean = mask_secrets("\n".join(lines), find_secrets(lines)).split("\n")
        plain = "\n".join(line.removesuffix("\r") for line in clean).rstrip()
        return cls(lines, hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest(), text)


def arrived(data: bytes, parts: int = 65536, piece: int = PIECE) -> Text:
    arrival = IncomingText(piece_bytes=piece)
    for at in range(0, len(data), parts):
        arrival.feed(data[at : at + parts])
    return arrival.text()


@pytest.mark.parametrize("size", range(180, 460, 20))
def test_a_secret_of_kubernetes_whose_kind_stands_in_the_next_piece_is_found(size):
    lines = [
        *["10:00 load 0.5"] * 12,
        "apiVersion: v1",
        "data:",
        "  dsn: aHVudGVyMng=",
        "kind: Secret",
        "---",
        *["x y"] * 30,
    ]
    text = arrived("\n".join(lines).encode(), piece=size)
    assert [(secret.line, secret.start) for secret in text.secrets] == [(15, 7)]


WORDS = [
    "",
    "top - 12:00:01 up",
    "password: hunter2",
    "é",
    "語" * 90,
    "x" * 100,
    "  ",
    "\x0c",
    "\u2028",
    "a\rb",
    "\x85",
]
BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
LONG = {"long": "long " * 14_000, "rule": "-" * 30_000}
LINES = st.sampled_from([*WORDS, BEGIN, "MIIE", END, *LONG])
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\r\n"])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp1252", "euc_jp"])


class Data(bytes):
    """hypothesis would rather not print 100 kB."""

    def __repr__(self) -> str:
        return super().__repr__() if len(self) < 500 else f"<{len(self)} bytes, {self[:20]!r} {self[-20:]!r}>"


@st.composite
def written(draw) -> Data:
    end = draw(ENDS)
    lines = [LONG.get(line, line) for line in draw(st.lists(LINES, min_size=1, max_size=40))]
    text = "word" + end.join(lines) + draw(st.sampled_from(["", end, "  " + end]))
    data = Data(text.encode(draw(ENCODINGS), errors="replace"))
    try:
        decode(data)
    except parsers.NotText:
        reject()
    return data


@hypothesis_settings(deadline=None)
@given(written(), st.integers(1, 50_000), st.integers(PIECE, 2 * PIECE))
def test_a_text_in_pieces_is_the_text_as_a_whole(data, parts, piece):
    text, whole = arrived(data, max(parts, len(data) // 500), piece), Whole.of(data)
    assert "".join(text.pieces()) == whole.text
    assert b"".join(text.bytes()) == data
    assert (text.n_lines, text.key, text.size_bytes) == (len(whole.lines), whole.key, len(data))
    assert text.sha256 == hashlib.sha256(data).hexdigest()
    assert text.secrets == find_secrets(whole.lines)
    for line, expected in zip(text.lines(), whole.lines, strict=True):
        assert line == expected or (
            expected.startswith(line) and len(line) > 9000
        )  # its first piece, at four bytes each


@hypothesis_settings(deadline=None)
@given(written(), st.data())
def test_any_lines_are_read_by_themselves(data, choose):
    text, lines = arrived(data), list(arrived(data).lines())
    first = choose.draw(st.integers(1, len(lines)))
    last = choose.draw(st.integers(first, len(lines)))
    assert list(text.lines(first, last)) == lines[first - 1 : last]
    assert list(text.lines(last)) == lines[last - 1 :]


@hypothesis_settings(deadline=None)
@given(written())
def test_what_is_redacted_is_what_the_whole_text_would_be(data):
    text, whole = arrived(data), Whole.of(data)
    clean = redact_text(text, {secret.key for secret in text.secrets})
    expected = mask_secrets("\n".join(whole.lines), find_secrets(whole.lines)) + "\n" * whole.text.endswith("\n")
    assert "".join(clean.pieces()) == (expected.replace("\r\n", "\n") if text.secrets else whole.text)
    assert clean.key == text.key
    assert redact_text(text, EVERY_SECRET).sha256 == clean.sha256


def test_blocks_are_the_same_wherever_the_text_is_cut():
    data = ("prose\n" * 5000 + session(500, 600) + meminfo() * 400 + session(700)).encode()
    assert len(data) > 2 * PIECE
    expected = list(parsers.read(data.decode().split("\n")[:-1]))
    for piece in (PIECE, PIECE + 7, 10**6):
        found = list(parsers.read(parsers.Text(arrived(data, piece=piece).pieces())))
        assert [(block.lines, block.values) for block in found] == [(block.lines, block.values) for block in expected]


def test_only_the_pieces_of_the_lines_asked_for_are_read(monkeypatch):
    text = arrived(b"".join(b"line %d\n" % n for n in range(1, 100_001)))
    read: list[int] = []
    packed = text.stored.packed
    monkeypatch.setattr(text.stored, "packed", lambda numbers: read.extend(numbers) or packed(numbers))
    assert list(text.lines(50_000, 50_001)) == ["line 50000", "line 50001"]
    assert text.n_pieces > 20 and len(read) == 1


def test_blank_lines_are_no_part_of_what_is_left_unread():
    text = arrived(b"a\n\n \nb\nc\n\n" + b"d\n" * 50_000 + b"\ne")
    assert list(text.skip_blank_lines([(1, 2), (3, 7), (8, 50_008)])) == [
        (1, 1),
        (4, 5),
        (7, 7),
        (8, 50_006),
        (50_008, 50_008),
    ]


def test_very_many_spans_end_in_one(monkeypatch):
    monkeypatch.setattr("runs.ingest.text_storage.MAX_SPANS", 3)
    assert list(arrived(b"a\n\n" * 10).skip_blank_lines([(1, 20)])) == [(1, 1), (3, 3), (5, 19)]


# --- packed texts ------------------------------------------------------------------------------------------------------
LOG = (session(500) + meminfo()).encode()
PACKERS = [gzip.compress, zstd.compress, lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]) + bytes(512)]


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("parts", [1, 7, 65536])
def test_what_is_packed_is_unpacked_and_is_the_same_text(pack, parts):
    assert arrived(pack(LOG), parts).key == arrived(LOG).key
    assert arrived(pack(LOG), parts).sha256 == hashlib.sha256(LOG).hexdigest()


@pytest.mark.parametrize("pack", PACKERS[:2])
def test_what_is_packed_and_cut_off_or_broken_is_refused(pack):
    whole = pack(LOG)
    for data in (whole[:-20], whole[:5], whole[:40] + b"xxxx" + whole[44:], whole + b"more"):
        with pytest.raises(Rejected) as caught:
            arrived(data)
        assert caught.value.status == 400


def bomb(pack: str, megabytes: int) -> Iterator[bytes]:
    packing = zlib.compressobj(9, wbits=31) if pack == "gzip" else zstd.ZstdCompressor(19)
    for _ in range(megabytes):
        yield packing.compress(b"a b\n" * 2**18)
    yield packing.flush()


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_what_follows_a_packed_text_is_named(pack):
    """zstd's error was shown for it, behind gzip, too."""
    with pytest.raises(Rejected, match="followed by other data"):
        IncomingText().feed(pack(b"a\n") + b"not packed")


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_bomb_stops_early(pack, monkeypatch):
    monkeypatch.setattr("runs.ingest.receiving.UNSUSPICIOUS_BYTES", 2**22)
    with pytest.raises(Rejected) as caught:
        receive(bomb(pack, 32))
    assert caught.value.status == 413 and "250 times its size" in str(caught.value)


def test_many_bombs_in_one_form_stop_as_early_as_one(monkeypatch):
    monkeypatch.setattr("runs.ingest.receiving.UNSUSPICIOUS_BYTES", 2**22)
    before = IncomingText()
    before.feed(gzip.compress(b"a b\n" * 2**20))
    with pytest.raises(Rejected):
        IncomingText(unpacked_bytes=before.unpacked_bytes).feed(gzip.compress(b"a b\n" * 2**18))
    IncomingText(unpacked_bytes=before.unpacked_bytes).feed(b"a b\n" * 2**18)


@pytest.mark.parametrize(
    "frame",
    [zstd.compress(b"a\n"), gzip.compress(b"a\n"), b"\x50\x2a\x4d\x18" + bytes(4)],
    ids=["zstd", "gzip", "skippable"],  # the bytes of gzip's have the time, and each process must find the same tests
)
def test_very_many_small_frames_are_refused_early(frame):
    """Made: 500,000 frames without content, 4 MB, which took 5 s a MB."""
    taken = iter([frame * 1_000] * 100)
    with pytest.raises(Rejected) as caught:
        receive(taken)
    assert caught.value.status == 413 and len(list(taken)) > 80


def test_a_stream_stops_at_the_limit(settings):
    settings.MAX_UPLOAD_BYTES = 2**20
    taken = iter([b"line\n" * 2**16] * 100)
    with pytest.raises(Rejected) as caught:
        receive(taken)
    assert caught.value.status == 413 and len(list(taken)) > 90


def test_a_large_text_lies_in_a_file_without_a_name(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    text = arrived(b"line\n" * 100_000)
    assert text.n_pieces > 2 and len(list(text.lines())) == 100_000
    assert list(tmp_path.iterdir()) == []


# --- memory --------------------------------------------------------------------------------------------------------------
# The text is made as it is taken, 100 MB of it: screens of 150 processes whose figures vary.
PROGRAM = """
import resource, sys
from itertools import count, islice
import django; django.setup()
from runs.ingest import receive

def screens():
    for look in count():
        rows = "".join(
            f"{pid:7} www-data  20   0 {221800 + look * pid % 977:7} {5940 + look % 99:6}   3192 S {look * pid % 100 / 10:5}"
            f"   0.2   0:{look % 60:02}.75 rsyslogd\\n" for pid in range(150)
        )
        yield f"top - 12:00:01 up 1 day,  1 user,  load average: 1.00, 1.00, 1.00\\n\\n{rows}\\n".encode()

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

pattern = list(islice(screens(), 200))
size = sum(map(len, pattern))
before = peak()
text = receive(pattern[n % 200] for n in range(200 * 100_000_000 // size))
taken = peak()
n_lines = sum(1 for _ in text.lines())
assert n_lines == text.n_lines > 1_000_000, n_lines
assert sum(map(len, text.pieces())) == text.size_bytes
print(text.size_bytes, taken - before, peak() - before)
"""


def test_a_text_of_100_mb_takes_less_than_30_mb(tmp_path: Path):
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    )
    size, taken_kb, read_kb = map(int, done.stdout.split())
    assert size > 95_000_000
    assert taken_kb < 30_000 and read_kb < 30_000
    assert not any(path.name.startswith("tmp") for path in tmp_path.iterdir())
