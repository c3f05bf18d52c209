"""The shared corpus and seeds, which a user's clone lacks: each capture as expected, each system of each seed in its row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import parsers
from parsers.tests.reading import KINDS, agrees, blocks, decode, with_ends
from runs import ingest
from runs.models import Capture, Experiment, Run

pytestmark = pytest.mark.django_db


def of_our_kinds(expected: Path) -> list[dict[str, Any]]:
    return [block for block in json.loads(expected.read_text()) if block["kind"] in KINDS]


def test_each_file_of_the_corpus_is_read_as_expected(shared):
    files = sorted(shared.glob("corpus/*.expected.json"))
    assert len(files) > 70
    known = {w["kind"] for path in files for w in of_our_kinds(path)}  # it says nothing of later formats
    wrong = {}
    for path in files:
        text = parsers.open_lines(path.with_name(path.name.removesuffix(".expected.json")))
        found = [block for block in blocks(text) if block.kind in known]
        wanted = of_our_kinds(path)
        if [(b.kind, list(b.lines)) for b in found] != [(w["kind"], w["lines"]) for w in wanted]:
            wrong[path.name] = [(b.kind, b.lines) for b in found]
        elif not all(agrees(w["values"], with_ends(b)) for b, w in zip(found, wanted, strict=True)):
            wrong[path.name] = [b.kind for b in found]
    assert not wrong


def test_each_load_test_of_the_corpus_becomes_a_run(shared):
    for path in sorted(shared.glob("corpus/*.expected.json")):
        rates = [w["values"].get("requests_per_second", w["values"].get("transaction_rate")) for w in of_our_kinds(path)
                 if w["kind"] in ("ab", "siege", "wrk", "hey")]  # fmt: skip
        if rates:
            text = path.with_name(path.name.removesuffix(".expected.json")).read_bytes()
            upload = ingest.submit(text, origin="rest").upload
            found = upload.runs.order_by("line_first").values_list("requests_per_second", flat=True)
            assert list(found) == rates, path.name


@pytest.fixture
def imported(shared, request) -> list[Run]:
    text = next(shared.glob(f"seeds/{request.param}_*.txt")).read_bytes()
    return list(ingest.submit(text, origin="rest").upload.runs.order_by("line_first"))


@pytest.mark.parametrize("imported", ["000"], indirect=True)
def test_seed_000_holds_two_experiments_on_two_machines(imported):
    systems = {}
    for run in imported:
        systems.setdefault(run.experiment_id, {}).setdefault(run.config_id, []).append(run.requests_per_second)
    first, second = (list(configs.values()) for configs in systems.values())
    assert sorted(first) == [[617.01, 878.81], [722.23, 887.55]]
    assert sorted(second) == [[175.59], [380.65], [576.02], [854.67]]
    assert len({run.host_id for run in imported}) == 2
    host = imported[0].host
    assert (host.ram_kb, "1300MHz" in host.cpu_model) == (774616, True)
    assert imported[-1].host.ram_kb == 256400
    assert Capture.objects.filter(values__swap_used_kb=18708).count() == 1


@pytest.mark.parametrize("imported", ["003"], indirect=True)
def test_seed_003_tells_length_failures(imported):
    assert [run.requests_per_second for run in imported] == [17160.13, 11064.69, 29219.55, 11735.33]
    assert [run.values.get("failed_length") for run in imported][2] == 172849
    assert len({run.config_id for run in imported}) == 4
    assert Experiment.objects.get().texts.exists()


@pytest.mark.parametrize("imported", ["002"], indirect=True)
def test_seed_002_has_six_runs_each_quoted_again(imported):
    assert [run.requests_per_second for run in imported] == [8.96, 292.56, 12.35, 12.47, 13.36, 15.98]
    assert {run.tool for run in imported} == {"siege"}
    assert all(run.quotes for run in imported)


@pytest.mark.parametrize("imported", ["004"], indirect=True)
def test_seed_004_has_memory_before_and_after_each_run(imported):
    assert [(run.requests_per_second, run.failed_requests) for run in imported] == [(3.07, 0), (2.82, 1), (4.62, 285)]
    for run, most, least in zip(imported, (680, 620, 620), (610, 470, 390), strict=True):
        captures = {c.phase: c.values for c in run.captures.filter(tool="meminfo")}
        available = {phase: (v["memfree"] + v["inactive"]) / 1024 for phase, v in captures.items()}
        assert available["before"] > most and available["after"] < least


@pytest.mark.parametrize("imported", ["001"], indirect=True)
def test_seed_001_has_partial_blocks(imported):
    assert [run.requests_per_second for run in imported] == [316.08, 170.46, 230.84]
    assert len({run.config_id for run in imported}) == 3


def test_resident_memory_of_the_screens_of_000(shared):
    text = decode(next(shared.glob("seeds/000_*.txt")).read_bytes())[0]
    screens = [b for b in parsers.read(text.split("\n")) if b.kind == "top" and not b.partial]
    sizes = [{row["res_kb"] for row in b.values["processes"] if row["command"] == "httpd"} for b in screens]
    assert 12 * 1024 in sizes[0] and 13 * 1024 in sizes[1]
    alone = [b for b in parsers.read(text.split("\n")) if b.kind == "top" and "time" not in b.values]
    assert [b.values["iteration"] for b in alone] == [1] * len(alone)
