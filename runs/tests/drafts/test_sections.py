"""Sections of one text that a title of their own names, and paths that a title compares. All texts are made up."""

from __future__ import annotations

import pytest

from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft

from .documents import expand, judge, read

REPORT = """Summary:
\tClients:\t{clients}
\tTotal calls:\t1000000
\tTotal time:\t114.79s
\tRequests per second:\t{rate}
\tAverage time per request:\t0.11ms
\tSlowest time for request:\t5.43ms

Time:
\t50%\ttime for request:\t0.11ms
\t99%\ttime for request:\t0.17ms

Response:
\tAverage body size per response:\t11.00 Byte

Result:
\tResponse ok:\t1000000 (100.00%)
\tErrors:\t0 (0.00%)

"""


def names_of(text: str) -> list[tuple[str, int | None]]:
    """(config, clients) of each run."""
    (experiment,) = read(text)[1].experiments
    names = {config.key: config.name for config in experiment.configs}
    return [(names[run.config], run.method.concurrency) for run in experiment.runs]


def test_reports_of_an_unknown_tool_are_a_sweep_of_the_section_that_they_stand_in():
    rates = {"gin": (8711.51, 15986.11, 23662.78), "rum": (9948.07, 16997.23, 26696.44)}
    sections = [
        f"# {name}\n\n```\n{''.join(REPORT.format(clients=at, rate=rate) for at, rate in enumerate(own, 1))}\n```\n\n"
        for name, own in rates.items()
    ]
    assert names_of("".join(sections)) == [(name, clients) for name in rates for clients in (1, 2, 3)]


@pytest.mark.parametrize(
    "title", ["# Virtual vs platform threads", "# Platform threads vs. virtual threads on one server"]
)
def test_paths_of_which_the_title_compares_a_word_each_name_the_configs(title):
    measured = [("platform", 900), ("virtual", 1990), ("platform", 905), ("virtual", 1995)]
    runs = "".join(f"@ab {rate} path=/{path}-report\n\n" for path, rate in measured)
    text = expand(f"{title}\n\n## Goal\n\nTo understand which is better.\n\n{runs}")
    assert [name for name, _ in names_of(text)] == ["platform", "virtual"] * 2
    headline = judge(text)
    assert headline.winner.title == "virtual"


def test_paths_that_no_title_compares_are_what_was_requested():
    runs = "".join(f"@ab {rate} path=/{path}-report\n\n" for path, rate in [("platform", 900), ("virtual", 990)])
    assert len({name for name, _ in names_of(expand(f"# Reports of one server\n\n{runs}"))}) == 1


def test_a_title_above_other_sections_is_no_section_of_those_that_stand_right_below_it():
    text = expand(
        "# Web servers\n\n## Vibe\n\n### GC\n@wrk 50419 c=100\n\n### Manual\n@wrk 73519 c=100\n\n"
        "## Actix\n@wrk 102746 c=100\n\n## Poco\n@wrk 15660 c=100\n"
    )
    blocks, draft = read(text)
    (experiment,) = draft.experiments
    assert [(each.group, each.name) for each in experiment.configs] == [
        ("Vibe", "GC"),
        ("Vibe", "Manual"),
        ("", "Actix"),
        ("", "Poco"),
    ]
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)
    assert (headline.winner.title, headline.loser.title) == ("Actix", "Manual")
