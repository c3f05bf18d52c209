"""What lies on the shelf is bounded: what nobody asked for goes first."""

from __future__ import annotations

import os
import time

import pytest

from runs.views import shelf


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / shelf.FOLDER


def grown_older(path, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))


def test_what_was_put_is_there_for_every_process():
    assert shelf.get("a.br") is None
    assert not shelf.has("a.br")
    shelf.put("a.br", b"bytes")
    assert shelf.has("a.br")
    assert shelf.get("a.br") == b"bytes"


def test_what_was_not_used_for_longest_goes_first(folder):
    for hours, name in enumerate(("new", "older", "oldest", "asked for")):
        shelf.put(name, b"x" * 100)
        grown_older(folder / name, 2 + hours)
    shelf.get("asked for")
    shelf.sweep(most=200)
    assert {path.name for path in folder.iterdir()} == {"new", "asked for"}


def test_whoever_makes_sure_that_it_is_there_keeps_it_there(folder):
    shelf.put("a", b"x")
    grown_older(folder / "a", 48)
    shelf.put("b", b"x")
    grown_older(folder / "b", 24)
    assert shelf.has("a")
    shelf.sweep(most=1)
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_what_a_killed_process_left_half_written_goes_after_a_day(folder):
    shelf.put("whole", b"x")
    for name, hours in ((".being written", 1), (".left", 25)):
        (folder / name).write_bytes(b"half")
        grown_older(folder / name, hours)
    shelf.sweep()
    assert {path.name for path in folder.iterdir()} == {"whole", ".being written"}


def test_writers_sweep_now_and_then(monkeypatch, folder):
    monkeypatch.setattr(shelf, "SWEEP", 1)
    monkeypatch.setattr(shelf.sweep, "__defaults__", (3,))
    for name in "abcdef":
        shelf.put(name, b"x")
    assert len(list(folder.iterdir())) == 3
