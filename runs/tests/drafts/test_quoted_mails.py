"""Results of another person, quoted in an answer, are no repeats of the sender's own. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read


def configs_of(text: str) -> list[tuple[str, str, int]]:
    """(name, group, number of runs) of each config."""
    _, draft = read(expand(text))
    (experiment,) = draft.experiments
    return [
        (each.name, each.group, sum(run.config == each.key for run in experiment.runs)) for each in experiment.configs
    ]


def test_a_quoted_report_is_no_repeat_of_the_senders():
    text = "My result, same command:\n\n@ab 900.25\n\nOn Tue, 6 Jan 2015 Jo wrote:\n> @ab 500.5\n"
    assert [n for *_, n in configs_of(text)] == [1, 1]
    assert [group for _, group, _ in configs_of(text)] == ["", "quoted"]


@pytest.mark.parametrize("last", ["sender", "quoted"])
def test_quoted_configs_of_the_same_names_are_a_group_of_their_own(last):
    own = "nginx\n\n@ab 900.25\n\ncaddy\n\n@ab 700.25\n\n"
    quoted = "Jo wrote:\n> nginx\n> \n> @ab 500.5\n> \n> caddy\n> \n> @ab 400.5\n\n"
    text = quoted + "Here:\n\n" + own if last == "sender" else own + quoted
    expected = [("nginx", "", 1), ("caddy", "", 1), ("quoted · nginx", "quoted", 1), ("quoted · caddy", "quoted", 1)]
    assert sorted(configs_of(text)) == sorted(expected)


def test_the_same_figures_quoted_are_a_copy():
    text = "nginx\n\n@ab 900.25\n\nJo wrote:\n> nginx\n> \n> @ab 900.25\n"
    assert [n for *_, n in configs_of(text)] == [1]


def test_a_text_that_is_quoted_as_a_whole_has_no_such_group():
    text = "> nginx\n> \n> @ab 900.25\n> \n> caddy\n> \n> @ab 700.25\n"
    assert configs_of(text) == [("nginx", "", 1), ("caddy", "", 1)]


def test_a_quoted_result_of_another_name_is_no_rival_of_the_senders():
    text = "nginx\n\n@ab 900.25\n\nOn Tue, 6 Jan 2015 Jo wrote:\n> caddy\n> \n> @ab 500.5\n"
    assert configs_of(text) == [("nginx", "", 1), ("caddy", "quoted", 1)]
