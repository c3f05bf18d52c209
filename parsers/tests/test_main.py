"""python -m parsers as a script calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .reading import FIXTURES, agrees, expected, fixtures

ROOT = Path(__file__).resolve().parents[2]


def run(*names: str, data: bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
    done = subprocess.run(
        [sys.executable, "-m", "parsers", *names], input=data, capture_output=True, cwd=ROOT, timeout=60
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_a_file_and_standard_input_give_the_same():
    path = FIXTURES / "ab" / "ab_18_two.txt"
    status, blocks, _ = run(str(path))
    assert status == 0
    assert [b["source"] for b in blocks] == [str(path)] * 2
    for given in ([], ["-"]):
        status, piped, _ = run(*given, data=path.read_bytes())
        assert status == 0
        assert piped == [b | {"source": "-"} for b in blocks]


def test_several_files_in_their_order():
    paths = fixtures("meminfo", "siege")
    _, blocks, _ = run(*map(str, paths))
    wanted = [(str(path), w) for path in paths for w in expected(path)]
    assert [(b["source"], b["kind"], b["lines"]) for b in blocks] == [(p, w["kind"], w["lines"]) for p, w in wanted]
    for block, (_, want) in zip(blocks, wanted, strict=True):
        values = block["values"] | {k: block[k] for k in ("command", "partial")}
        assert agrees(want["values"], values)


def test_the_keys_of_a_line():
    _, (block, *_), _ = run(str(FIXTURES / "top" / "top_11_head.txt"))
    assert list(block) == ["kind", "lines", "heading", "command", "partial", "source", "values", "problems"]
    assert isinstance(block["values"]["processes"], list)


@pytest.mark.parametrize("data", [b"", b"nothing to see here\n", b"\n\n\n"])
def test_nothing_recognised(data):
    status, blocks, said = run(data=data)
    assert (status, blocks) == (1, [])
    assert "looked for" in said and "meminfo" in said


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00" + bytes(50), b"%PDF-1.4\n", bytes(500)])
def test_unreadable(data, tmp_path):
    (tmp_path / "a.bin").write_bytes(data)
    for status, blocks, said in (run(str(tmp_path / "a.bin")), run(data=data)):
        assert (status, blocks) == (2, [])
        assert "expected plain text" in said and "Traceback" not in said


def test_a_file_that_is_not_there():
    status, blocks, said = run("/nowhere/a.txt")
    assert (status, blocks) == (2, [])
    assert "/nowhere/a.txt" in said and "Traceback" not in said


def test_blocks_come_while_the_input_goes_on():
    report = (FIXTURES / "ab" / "ab_01_plain.txt").read_bytes()
    with subprocess.Popen(
        [sys.executable, "-m", "parsers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(report + b"\nand so on\n\nand on\n" + b"\n".join([b"word"] * 20) + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["kind"] == "ab"
        process.stdin.close()
        assert process.wait(20) == 0


def test_it_ends_quietly_where_nobody_reads_on():
    read, write = os.pipe()
    command = [sys.executable, "-m", "parsers", str(FIXTURES / "ab" / "ab_18_two.txt")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    os.close(read)
    assert process.communicate(timeout=60)[1] == b"" and process.returncode == -signal.SIGPIPE
