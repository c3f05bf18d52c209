"""A large text takes a bounded memory on its way in and while it is read. (A bound, in a process of its own.)"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT

pytestmark = pytest.mark.once

# The text is made as it is taken, 200 MB of it: screens of 150 processes whose figures vary.
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
text = receive(pattern[n % 200] for n in range(200 * 200_000_000 // size))
taken = peak()
n_lines = sum(1 for _ in text.lines())
assert n_lines == text.n_lines > 2_000_000, n_lines
assert sum(map(len, text.pieces())) == text.size_bytes
print(text.size_bytes, taken - before, peak() - before)
"""


def test_a_text_of_200_mb_takes_less_than_30_mb(tmp_path: Path):
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    )
    size, taken_kb, read_kb = map(int, done.stdout.split())
    assert size > 195_000_000
    assert taken_kb < 30_000 and read_kb < 30_000
    assert not any(path.name.startswith("tmp") for path in tmp_path.iterdir())
