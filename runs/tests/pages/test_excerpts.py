"""An experiment's page ends with the text that it rests on."""

from __future__ import annotations

import random
import re
import zlib
from functools import partial

import pytest
from django.test import Client

from runs.ingest.text_storage import compress_piece, read_opening
from runs.models import Experiment, Upload
from runs.selectors.summaries import PACKED_BYTES, TEXT_BYTES
from runs.tests import factories


def excerpt_of(browser: Client, made: Experiment) -> str:
    page = browser.get(made.get_absolute_url()).content.decode()
    return page[page.index('id="source"') :]


def told(text: str, **fields: object) -> Experiment:
    upload = factories.upload(text, **fields)
    return factories.run(factories.config(factories.experiment(), "a"), upload).experiment


def test_the_lines_of_each_block_stand_on_the_page_and_lead_to_the_upload(browser):
    text = "\n".join(f"line {n}" for n in range(1, 200))
    made = told(text, blocks=[{"kind": "ab", "lines": [20, 60]}, {"kind": "top", "lines": [120, 122]}])
    page = excerpt_of(browser, made)
    upload = Upload.objects.get()
    assert f'<a class="no" href="/uploads/{upload.pk}/#L20">20</a><code>line 20</code>' in page
    assert "<code>line 122</code>" in page
    assert "<code>line 100</code>" not in page
    assert page.count('class="gap"') == 1


def test_a_text_without_blocks_shows_how_it_opens(browser):
    page = excerpt_of(browser, told("\n".join(f"line {n}" for n in range(1, 200))))
    assert "<code>line 1</code>" in page
    assert "<code>line 60</code>" in page
    assert "<code>line 61</code>" not in page


def test_the_last_line_needs_no_end(browser):
    assert "<code>the end</code>" in excerpt_of(browser, told("the beginning\nthe end"))


def test_markup_in_a_text_stays_text(browser):
    assert "<script>alert" not in excerpt_of(browser, told("<script>alert(1)</script>\n"))


def test_old_encodings_are_read_as_the_upload_was(browser):
    made = told("x\n", encoding="euc-jp")
    data = "同時接続数\n".encode("euc-jp")
    Upload.objects.update(raw=zlib.compress(data), encoding="euc-jp")
    assert "同時接続数" in excerpt_of(browser, made)


@pytest.mark.parametrize("pack", [zlib.compress, partial(compress_piece, first=True)])
@pytest.mark.parametrize("kept", [0, 1, 50, 3000])
def test_any_part_of_the_packed_bytes_gives_whole_lines_of_the_beginning(kept, pack):
    noise = random.Random(7)  # noqa: S311
    lines = [f"line {n} {noise.random()}" for n in range(2000)]
    found = read_opening(pack("\n".join(lines).encode())[:kept], "utf-8", max_bytes=10_000)
    assert found == lines[: len(found)]
    assert sum(len(line) + 1 for line in found) <= 10_000


def test_a_beginning_comes_out_of_a_part_of_a_large_text_however_badly_it_packs():
    line = random.Random(7).randbytes(2**20).hex()  # noqa: S311
    text = "\n".join(line[at : at + 100] for at in range(0, len(line), 100))
    found = read_opening(compress_piece(text.encode(), first=True)[:PACKED_BYTES], "utf-8", max_bytes=TEXT_BYTES)
    assert len(found) > 300


def test_an_experiment_of_monitors_alone_names_its_text_too(browser):
    setup = factories.config(factories.experiment(), "idle")
    factories.capture(setup, factories.upload("free -m\n"), metrics={"load1": 0.5})
    assert re.search(r"<code>free -m</code>", excerpt_of(browser, setup.experiment))


def test_a_comparison_ends_with_its_texts(browser):
    first, second = (told(f"session of {name}\n").runs.get() for name in ("one", "two"))
    page = browser.get(f"/compare/?runs={first.pk},{second.pk}").content.decode()
    assert "<code>session of one</code>" in page
    assert "<code>session of two</code>" in page
