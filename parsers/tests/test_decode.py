"""Bytes in every encoding that a paste or a file comes in."""

from __future__ import annotations

import gzip
import quopri
import sys

import pytest

import parsers

from .reading import FIXTURES, decode, finding, text_of

JAPANESE = "■ キャッシュなしの結果です。これは一回目のテスト。\n\n"
REPORT = text_of(FIXTURES / "ab" / "ab_01_plain.txt")
WHOLE = finding(parsers.read(REPORT.splitlines(keepends=True)))

ENCODED = [
    ("plain", REPORT.encode(), "utf-8"),
    ("UTF-8 with a mark", b"\xef\xbb\xbf" + REPORT.encode(), "utf-8-sig"),
    ("UTF-16 LE with a mark", b"\xff\xfe" + REPORT.encode("utf-16-le"), "utf-16"),
    ("UTF-16 BE with a mark", b"\xfe\xff" + REPORT.encode("utf-16-be"), "utf-16"),
    ("UTF-16 LE without", REPORT.encode("utf-16-le"), "utf-16-le"),
    ("UTF-16 BE without", REPORT.encode("utf-16-be"), "utf-16-be"),
    ("UTF-32 with a mark", REPORT.encode("utf-32"), "utf-32"),
    ("UTF-8 Japanese", (JAPANESE + REPORT).encode(), "utf-8"),
    ("EUC-JP", (JAPANESE + REPORT).encode("euc_jp"), "euc_jp"),
    ("Shift_JIS", (JAPANESE + REPORT).encode("cp932").replace(b"\x81\x61", b"|"), "cp932"),
    ("latin-1", ("Für später, über Größe\n" + REPORT).encode("latin-1"), "cp1252"),
    ("CRLF", REPORT.replace("\n", "\r\n").encode(), "utf-8"),
    ("lone CR", REPORT.replace("\n", "\r").encode(), "utf-8"),
]


@pytest.mark.parametrize(("data", "encoding"), [e[1:] for e in ENCODED], ids=[e[0] for e in ENCODED])
def test_text(data, encoding, tmp_path):
    text, found = decode(data)
    assert found == encoding
    assert "\r" not in text
    assert finding(parsers.read(text.split("\n"))) == WHOLE
    (tmp_path / "a.txt").write_bytes(data)
    assert finding(parsers.read(parsers.open_lines(tmp_path / "a.txt"))) == WHOLE


@pytest.mark.parametrize("encoding", ["euc_jp", "cp932"])
def test_japanese_headings_are_legible(encoding):
    text, _ = decode((JAPANESE + REPORT).encode(encoding))
    assert text.startswith(JAPANESE)


NO_TEXT = [
    ("gzip", gzip.compress(REPORT.encode())),
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
    ("PNG", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    ("JPEG", b"\xff\xd8\xff\xe0\x00\x10JFIF"),
    ("zip", b"PK\x03\x04\x14\x00"),
    ("zeros", bytes(1000)),
    ("noise with zeros", bytes(range(256)) * 20),
]


@pytest.mark.parametrize("data", [d for _, d in NO_TEXT], ids=[n for n, _ in NO_TEXT])
def test_no_text(data):
    with pytest.raises(parsers.NotText, match="expected plain text"):
        decode(data)


def test_nothing_is_text():
    assert decode(b"")[0] == ""
    assert list(parsers.read([])) == []


def test_bytes_that_are_wrong_in_utf8_become_a_sign():
    text, encoding = decode(("ü" * 50 + "\n").encode() + b"\xff\n" + REPORT.encode())
    assert (encoding, text.count("\ufffd")) == ("utf-8", 1)


def test_the_room_needs_the_standard_library_only():
    """Run alone, it loads no module from outside Python's own."""
    import ast

    room = FIXTURES.parent.parent
    for source in [*room.glob("*.py"), *room.glob("formats/*.py")]:
        for node in ast.walk(ast.parse(source.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert all(n.split(".")[0] in sys.stdlib_module_names for n in names), source


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("name,rps\napache,1200\nnginx,1500", [1200, 1500]),
        ("| server | rps |\n|---|---\n| apache | 1200\n| nginx | 1500", [1200, 1500]),
        ("server    rps\napache    1200\nnginx     1500", [1200, 1500]),
        ("apache: Requests/sec: 1200.5\nnginx: Requests/sec: 1500.25", [1200.5, 1500.25]),
    ],
)
def test_the_last_line_of_a_whole_text_counts_without_its_end(text, rates):
    assert [block.values["requests_per_second"] for block in parsers.read(parsers.Text([text]))] == rates


def test_a_report_that_breaks_off_in_the_last_line_of_a_whole_text_has_no_rate():
    text = "Concurrency Level:      10\nComplete requests:      1000\nRequests per second:    15"
    (block,) = parsers.read(parsers.Text([text]))
    assert "requests_per_second" not in block.values
    assert [problem.line for problem in block.problems] == [3]


# --- quoted-printable: made, of reports that a tool printed --------------------------------------------------------------
HEADER = "From: a@example.com\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
TORN = REPORT.replace("280.44", "280.4=\n4").replace(" (mean)\n", " (mean)=20\n")


def read_text(text):
    return list(parsers.read(parsers.Text([text])))


@pytest.mark.parametrize(
    "name", ["ab/ab_01_plain", "siege/siege_02_b_t", "wrk/wrk_01", "hey/hey_01", "h2load/h2load_01"]
)
def test_the_source_of_a_mail_is_read_as_its_text(name):
    text = text_of(FIXTURES / f"{name}.txt")
    encoded = quopri.encodestring(text.replace("\n", " \n").encode()).decode()
    assert "=20\n" in encoded
    for source in (HEADER + encoded, f"page: /?a=3Db&c=3Dd\n{encoded}"):
        assert [block.values for block in read_text(source)] == [block.values for block in read_text(text)]


def test_lines_of_a_mail_keep_their_numbers():
    (block,) = read_text(f"a=3Db\n{TORN}")
    lines = TORN.split("\n")
    assert block.values["requests_per_second"] == 280.44 and not block.problems
    assert block.figure_lines["requests_per_second"] == 2 + lines.index("Requests per second:    280.4=")
    assert block.figure_lines["transfer_rate_kbytes_per_s"] == 2 + next(
        at for at, line in enumerate(lines) if line.startswith("Transfer rate")
    )


def test_a_mail_that_comes_line_by_line_or_in_pieces():
    source = f"{HEADER}=C3=A9=E2=80=\n=A6\n\n{TORN}"
    (whole,) = read_text(source)
    for pieces in (source.splitlines(keepends=True), [source[at : at + 7] for at in range(0, len(source), 7)]):
        (block,) = parsers.read(pieces if pieces[0].endswith("\n") else parsers.Text(["", source[:200], source[200:]]))
        assert (block.values, block.lines) == (whole.values, whole.lines)


def test_a_part_of_a_mail_ends_at_its_boundary():
    plain = "\nlocation /?a=3D {}\n"
    encoded = f"{HEADER}=E2=80=A6\n--=_0123456789abcdef\n{plain}"
    assert "".join(parsers.decode.pieces(parsers.Text([encoded]))) == encoded.replace("=E2=80=A6", "…")


@pytest.mark.parametrize(
    "text",
    [
        "keepalive=20\nthreads=10\nconns=3D\nname=x y=z\n",
        "Title\n=====\n\nx=20\ny=30\n",
        "secret: dXNlcjpwYXNzd29yZDE=\nother: 10\n",
        "GET /?q=3D&b=4 HTTP/1.1\n",
        "const a =\n  900\n",
    ],
)
def test_no_mail(text):
    assert "".join(parsers.decode.pieces(parsers.Text([text]))) == text
