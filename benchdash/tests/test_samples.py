"""The samples are the tools' own output out of the seeds, under labels of our own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT

SAMPLES = sorted((ROOT / "runs" / "samples").glob("*.txt"))
# Everything in a sample that is in no seed: titles, labels, "..." and the `cat` above a config text.
LABEL = re.compile(r"(#{1,2} )?[A-Za-z][^.!?]{0,80}:?|\.\.\.|\$ cat \S+|www:~# cat \S+")
JAPANESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


def plain(line: str) -> str:
    return line.replace("\u00a0", " ").strip()


@pytest.fixture(scope="module")
def seed_lines(shared: Path) -> set[str]:
    return {plain(line) for file in (shared / "seeds").glob("*.txt") for line in file.read_text().split("\n")}


def test_there_is_a_sample_for_each_machine_of_each_seed():
    assert len(SAMPLES) == 6


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_what_is_not_verbatim_is_a_short_label(sample, seed_lines):
    for line in sample.read_text().splitlines():
        if plain(line) not in seed_lines:
            assert LABEL.fullmatch(line), line


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_no_sentence_of_the_documents_is_in_it(sample):
    text = sample.read_text()
    assert not JAPANESE.search(text)
    assert text.isascii()
