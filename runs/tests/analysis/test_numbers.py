"""Figures as people read them."""

from __future__ import annotations

import pytest

from runs.numbers import delta, figure, percent, write_count


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (17160.13, "17,160"),
        (617.01, "617.0"),
        (887.55, "887.6"),
        (58.275, "58.28"),
        (8.96, "8.96"),
        (0.058, "0.058"),
        (0.00012345, "0.0001235"),
        (172849, "172,849"),
        (12345678, "12,345,678"),
        (145.0, "145"),
        (7.000000000000001, "7"),
        (0.1 + 0.2, "0.3"),
        (0, "0"),
        (0.0, "0"),
        (-3.14159, "−3.142"),
        (9999.96, "10,000"),
        (1e15, "1,000,000,000,000,000"),
        (1.2346e28, "1.235e+28"),
        (-1e308, "−1e+308"),
        (5e-324, "4.941e−324"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
    ],
)
def test_it_keeps_four_significant_figures_and_whole_counts(value, text):
    assert figure(value) == text


@pytest.mark.parametrize(
    ("value", "base", "kind", "text"),
    [
        (11064.69, 17160.13, "rate", "▼ 36 % fewer"),
        (29219.55, 17160.13, "rate", "▲ 70 % more"),
        (90.378, 58.275, "time", "▲ 55 % longer"),
        (3, 1032, "time", "▼ 99.7 % shorter"),
        (292.56, 8.96, "rate", "▲ 33 × as many"),
        (8.0, 2.0, "amount", "▲ 4.0 × as much"),
        (617.0, 617.01, "rate", "= equal"),
        (878.81, 887.55, "rate", "▼ 1.0 % fewer"),
    ],
)
def test_a_delta_has_an_arrow_and_a_word(value, base, kind, text):
    assert str(delta(value, base, kind)) == text


def test_no_ratio_exists_to_nothing_or_of_nothing():
    assert delta(5, 0, "rate") is None
    assert delta(None, 5, "rate") is None
    assert delta(5, None, "rate") is None


def test_a_per_cent_never_says_none_for_some_or_all_for_most():
    assert percent(172849, 1_000_000) == "17.3 %"
    assert percent(1, 400) == "0.3 %"
    assert percent(1, 1_000_000) == "under 0.1 %"
    assert percent(999_999, 1_000_000) == "over 99.9 %"
    assert percent(5, 5) == "100 %"
    assert percent(5, 0) == "–"


def test_counts_have_the_number_of_their_words():
    words = [
        write_count(n, word) for n, word in ((0, "run"), (1, "run"), (1200, "run"), (1, "process"), (2, "process"))
    ]
    assert words == ["0 runs", "1 run", "1,200 runs", "1 process", "2 processes"]
