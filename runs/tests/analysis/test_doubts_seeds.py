"""The published sessions: what must be doubted of each, how much, and nothing that a reader could call a false alarm."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs import ingest
from runs.analysis.doubt_case import SEVERITIES, Doubt, list_excluded, list_incomparable
from runs.models import Experiment, Run
from runs.selectors import comparison_data, judging
from runs.tests.analysis.doubting import of, one

pytestmark = pytest.mark.django_db
MOST = 8


@pytest.fixture
def seed(shared: Path):
    """The doubts of each of a seed's experiments."""

    def read(number: str) -> list[list[Doubt]]:
        ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), origin="rest")
        return [
            judging.compare_and_judge(comparison_data.load_experiment(made))[1].doubts
            for made in Experiment.objects.order_by("id")
        ]

    return read


def rules(found: list[Doubt]) -> list[tuple[str, str]]:
    return [(doubt.severity, doubt.rule) for doubt in found]


def rates(runs) -> list[float | None]:
    run_query_set = Run.objects.filter(pk__in=runs).order_by("requests_per_second")
    return list(run_query_set.values_list("requests_per_second", flat=True))


def test_000_of_one_machine_begins_cold_and_loads_itself(seed):
    found = seed("000")[0]
    assert rules(found) == [
        ("caution", "generator.same_host"),
        ("caution", "limits.clients"),
        ("caution", "machine.cpu"),
        ("caution", "warmth.first"),
        ("note", "network.tail"),
    ]
    assert rates(one(found, "warmth.first").runs) == [617.01, 722.23]
    assert one(found, "generator.same_host").text.startswith("All 4 runs: ab loaded localhost.")
    assert "100 clients for MaxClients 20" in one(found, "limits.clients").text
    assert [source.line for source in one(found, "limits.clients").sources][0] == 542
    assert list_excluded(found) == list_incomparable(found) == {}


def test_000_of_rails_swapped_and_is_not_comparable(seed):
    found = seed("000")[1]
    doubt = one(found, "machine.swap")
    assert (doubt.severity, doubt.sources[0].line) == ("fatal", 614)
    assert "18.27 MiB of swap in use during the run" in doubt.text
    assert "not comparable" in doubt.text
    assert rates(list_excluded(found)) == [175.59]
    assert "localhost" in one(found, "generator.same_host").text
    assert rules(found)[1:] == [
        ("caution", "generator.same_host"),
        ("caution", "machine.cpu"),
        ("note", "resolution.steps"),
        ("note", "tool.partial"),
    ]


def test_001_is_too_short(seed):
    (found,) = seed("001")
    doubt = one(found, "length.seconds")
    assert doubt.text.startswith("All 3 runs: under 10 s is too short")
    assert "100 requests by 1 client in 0.32 s" in doubt.text
    assert rules(found) == [("caution", "length.seconds"), ("note", "differs.page"), ("note", "tool.partial")]
    assert "address wsgi.example.com, fcgi.example.com" in one(found, "differs.page").text


def test_002_notes_the_failures_of_itk(seed):
    (found,) = seed("002")
    doubt = one(found, "errors.failed")
    assert rates(doubt.runs) == [8.96, 12.35, 13.36]
    assert "2 of 568 requests failed (0.4 %, availability 99.65 %)" in doubt.text
    assert rules(found) == [("note", "errors.failed"), ("note", "resolution.steps")]


def test_003_has_a_fatal_run_with_keep_alive_and_a_lost_syn_without(seed):
    (found,) = seed("003")
    fatal = one(found, "errors.length")
    assert (
        "172,849 of 1,000,000 requests failed by length (17.3 %), 0 bytes per reply instead of 31 bytes" in fatal.text
    )
    assert "the higher req/s may be no gain" in fatal.text
    assert rates(list_excluded(found)) == [29219.55]
    assert "3,021 ms" in one(found, "network.syn").text
    assert "SYN retransmission" in one(found, "network.syn").text
    assert rates(one(found, "network.syn").runs) == [17160.13]
    assert "1,000 clients for MaxRequestWorkers 6" in one(found, "limits.clients").text
    assert len(found) <= MOST
    assert list_incomparable(found) == {}


def test_004_failed_at_150_and_its_higher_rate_is_not_a_gain(seed):
    (found,) = seed("004")
    fatal = next(doubt for doubt in of(found, "errors.length") if doubt.severity == "fatal")
    assert "285 of 600 requests failed" in fatal.text
    assert "the higher req/s may be no gain" in fatal.text
    assert rates(list_excluded(found)) == [4.62]
    short = one(found, "length.per_client")
    assert short.text.startswith("All 3 runs: with so few (n under 10·c)")
    assert one(found, "differs.load").text.startswith(
        "Not the same: requests 200, 400, 600. "
    )  # the sweep of concurrency is none
    assert rates(one(found, "network.syn").runs) == [4.62]
    # MaxClients was set to each concurrency, as the text says; the 100 at its end came after the runs.
    assert of(found, "limits.clients") == []
    assert len(found) <= MOST


@pytest.mark.parametrize("number", ["000", "001", "002", "003", "004"])
def test_each_doubt_of_a_seed_has_its_lines_and_its_basis(seed, number):
    for found in seed(number):
        assert all(doubt.sources and doubt.basis and doubt.text.endswith(".") for doubt in found)
        grades = [SEVERITIES.index(doubt.severity) for doubt in found]
        assert grades == sorted(grades)
