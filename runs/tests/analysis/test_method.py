"""What a post says of how its verdicts were reached."""

from __future__ import annotations

from typing import Any

from runs.analysis.export import method
from runs.analysis.verdict import judge
from runs.tests.analysis.judging import table

FOUR = [100.0, 101.0, 102.0, 103.0]


def told(*sides: list[float], **fields: Any) -> str:
    made = table(*sides, **fields)
    return " ".join(method(made, judge(made)))


def test_it_says_what_the_correction_is_over_and_what_the_ratios_are_of():
    words = told(FOUR, FOUR)
    assert "Tested by Mann-Whitney, exact. p-values are corrected after Holm over the configs of each metric" in words
    assert "not over metrics" in words
    assert "the whole 95 % interval of the ratio lies within 2 % of equal" in words
    assert "may differ from those of the means in the table" in words


def test_failures_tested_by_fisher_are_not_said_to_be_corrected():
    words = told([100.0], [110.0], failed_requests=60, complete_requests=1000, concurrency=10)
    assert "Tested by Fisher, exact, on groups of requests." in words
    assert "Holm" not in words
    assert "geometric" not in words
