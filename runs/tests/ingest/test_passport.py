"""A machine's passport: what its runs say of the noise there, and what is refused."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from parsers import read
from runs import ingest
from runs.analysis import find_doubts
from runs.analysis.doubt_case import Case
from runs.analysis.facts import HostFact
from runs.models import Experiment, Host
from runs.tests.analysis.facts import configs, run

STAT = "cpu before: cpu  100 0 100 800 0 0 0 0 0 0\ncpu after: cpu  150 0 150 850 0 0 0 50 0 0\n"
FACTS = "clock source: tsc\ngovernor: performance\n"


def printed(*ms: int, above: str = "") -> bytes:
    runs = "".join(f"run {at}: {each} ms\n" for at, each in enumerate(ms, 1))
    return f"\nbd@web1:~$ bd passport\nequal runs of a small loop\n{above}{runs}".encode()


@pytest.mark.django_db
def test_the_noise_floor_is_how_far_equal_runs_lie_apart():
    upload = ingest.submit(printed(1000, 1010, 990, 1000, above=FACTS + STAT), origin="rest").upload
    host = Host.objects.get(name="web1")
    found = host.passport
    assert found["noise_pct"] == pytest.approx(3.7, abs=0.1) and found["steal_pct"] == 25
    assert (found["clock_source"], found["governor"], found.get("turbo")) == ("tsc", "performance", None)
    assert ingest.describe_result(upload)["page"] == host.get_absolute_url() and not Experiment.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("own_s", "others", "said"), [(0.25, 37.5, True), (0.95, 2.5, False), (None, 0, False)])
def test_a_passport_taken_on_a_busy_machine_says_so(client, settings, own_s, others, said):
    settings.PUBLIC_READ = True
    times = [f"0m9.0s 0m0.0s\n0m{spent}s 0m1.00s\n" for spent in (4.0, 4 + own_s)] if own_s else ["", ""]
    before, after, _ = STAT.split("\n")
    ingest.submit(printed(1000, 1010, 990, 1000, above=f"{before}\n{times[0]}{after}\n{times[1]}"), origin="rest")
    host = Host.objects.get(name="web1")
    assert host.passport["others_pct"] == others and len(host.passport["runs_ms"]) == 4
    assert ("Other programs used" in client.get(host.get_absolute_url()).content.decode()) == said


@pytest.mark.django_db
def test_reading_texts_again_rebuilds_the_newest_passport():
    for ms in (1000, 1030):
        ingest.submit(printed(990, 1010, 1000, ms), origin="rest")
    before = Host.objects.get().passport
    assert before["runs_ms"][-1] == 1030
    call_command("reparse", verbosity=0)
    assert {**Host.objects.get().passport, "at": ""} == {**before, "at": ""}
    Host.objects.update(passport=None)
    call_command("reparse", verbosity=0)
    assert {**Host.objects.get().passport, "at": ""} == {**before, "at": ""}


@pytest.mark.parametrize("text", [printed(), printed(3), printed(0, 0, 0, 0), printed(1, 2, 3)])
def test_too_few_runs_are_a_problem_and_no_passport(text):
    (block,) = read(text.decode().splitlines())
    assert block.partial and "expected 4 or more" in block.problems[0].message and block.records == []


@pytest.mark.parametrize(("noise", "expected", "others"), [(6.0, 1, 0), (6.0, 1, 50.0), (1.0, 0, 0)])
def test_a_noisy_machine_is_a_note_and_changes_no_figure(noise, expected, others):
    host = HostFact(1, "web1", passport={"noise_pct": noise} | ({"others_pct": others} if others else {}))
    case = Case(configs("a", "b"), [run(1, 500.0, host_id=1), run(2, 510.0, host_id=1)], hosts=[host])
    found = [doubt for doubt in find_doubts(case) if doubt.rule == "machine.noise"]
    assert len(found) == expected
    assert all(("other programs used 50 % of its CPU" in doubt.text) == bool(others) for doubt in found)
    assert all("The A/A spread of web1 is 6 %" in doubt.text and doubt.severity == "note" for doubt in found)
