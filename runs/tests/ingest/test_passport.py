"""A machine's passport: what its runs say of the noise there, and what is refused."""

from __future__ import annotations

import pytest

from runs.analysis.doubt_case import Case
from runs.analysis.doubts import find_doubts
from runs.analysis.facts import HostFact
from runs.ingest.hosts import read_passport
from runs.tests.analysis.facts import configs, run

STAT = "cpu before: cpu  100 0 100 800 0 0 0 0 0 0\ncpu after: cpu  150 0 150 850 0 0 0 50 0 0\n"


def printed(*ms: int) -> str:
    return "".join(f"run {at}: {each} ms\n" for at, each in enumerate(ms, 1))


def test_the_noise_floor_is_how_far_equal_runs_lie_apart():
    found = read_passport(f"clock source: tsc\ngovernor: performance\n{STAT}{printed(1000, 1010, 990, 1000)}")
    assert found["noise_pct"] == pytest.approx(3.7, abs=0.1) and found["steal_pct"] == 25
    assert (found["clock_source"], found["governor"], found.get("turbo")) == ("tsc", "performance", None)
    assert read_passport(printed(1000, 1001, 1000, 999))["noise_pct"] < 0.5


@pytest.mark.parametrize("text", ["", "run 1: 3 ms", printed(0, 0, 0, 0), printed(1, 2, 3), "run 1: x ms\n" * 9])
def test_what_is_no_passport_is_refused(text):
    with pytest.raises(ValueError, match="expected 4 or more"):
        read_passport(text)


@pytest.mark.parametrize(("noise", "expected"), [(6.0, 1), (1.0, 0)])
def test_a_noisy_machine_is_a_note_and_changes_no_figure(noise, expected):
    host = HostFact(1, "web1", passport={"noise_pct": noise})
    case = Case(configs("a", "b"), [run(1, 500.0, host_id=1), run(2, 510.0, host_id=1)], hosts=[host])
    found = [doubt for doubt in find_doubts(case) if doubt.rule == "machine.noise"]
    assert len(found) == expected
    assert all("The A/A spread of web1 is 6 %" in doubt.text and doubt.severity == "note" for doubt in found)
