"""A comparison as Markdown: whatever names bring along, it stays a post."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.analysis import export, find_doubts
from runs.analysis.doubt_case import Case
from runs.analysis.export import CaptionedTable, Post, Section, write_post
from runs.analysis.judgement import judge
from runs.analysis.table import compare
from runs.analysis.verdict_wording import add_words
from runs.templatetags.bench import list_verdicts, verdict_rows
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import headline_of


def post(names=("x", "b"), title="two", **more):
    runs = [
        run(1, 100.0, failed_requests=60, complete_requests=100, values={"failed_connect": 60, "failed_length": 0}),
        run(2, 150.0),
    ]
    made = compare(configs(*names), runs, [])
    found = find_doubts(Case(configs(*names), runs))
    given = {"title": title, "url": "http://here/experiments/1/", "absolute": lambda url: f"http://here{url}"}
    given |= {"headline": headline_of(made), "judgement": add_words(judge(made)), "doubts": found}
    return write_post(Post(comparison=made, **(given | more)))


def columns_of(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


def test_a_post_has_the_verdict_doubts_figures_and_the_address():
    text = post()
    assert text.startswith("# two\n\n")
    assert "## Doubts\n\n- **Not counted:**" in text
    assert "| Requests (per s) | 100 (n=1) | 150 (▲ 50 % more" in text
    assert "<http://here/experiments/1/>" in text


def test_a_post_has_the_order_of_the_page():
    overview = CaptionedTable("", ("", "A x (n=1)"), (("Requests per second", "100"),))
    text = post(overview=overview, next="./bd run \\\n  --variant x -- ab")
    parts = (
        "| Requests per second | 100 |",
        "## Doubts",
        "**Next:**",
        "    ./bd run \\\n      --variant x",
        "## All metrics",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_the_lines_that_a_doubt_rests_on_are_links_that_work_elsewhere():
    assert re.search(r"\(\[line \d+\]\(http://here/", post())


def test_a_name_cannot_break_a_table_or_open_markup():
    text = post(("a|b\n| c", "<script>alert(1)</script> `x` *y* [z](javascript:alert(1))"))
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert {columns_of(line) for line in rows} == {4}
    assert "<script" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert "a\\|b \\| c" in text


def test_sections_are_headings_sentences_and_tables():
    text = post(
        sections=[Section("How it scales", ("Too few.",), (CaptionedTable("itk", ("c", "per s"), (("50", "3.07"),)),))]
    )
    assert "## How it scales\n\nToo few.\n\nitk\n\n| c | per s |\n| --- | --- |\n| 50 | 3.07 |" in text


def test_commands_stand_as_code_whatever_is_in_them():
    assert "\n    ab -n 10 `x` http://h/\n" in post(commands=["ab -n 10\n`x` http://h/"])


def test_every_verdict_is_listed_with_its_names():
    made = compare(configs("a", "b"), [run(1, 100.0), run(2, 150.0)], [])
    judgement = add_words(judge(made))
    rows = verdict_rows(list_verdicts(made, judgement), made, judgement)
    assert rows.startswith('<tr><td>Requests</td><td class="words">b</td>')


@pytest.mark.parametrize("opens", ["# x", "- x", "+ x", "1. x", "12) x", "---", "=== ", "    x", "> x", "\t- x"])
def test_a_name_at_the_beginning_of_a_line_opens_nothing(opens):
    assert not re.match(r"\s|#|[-+=>]|\d+[.)]", export.escape_markdown(opens))


def test_a_name_is_left_readable():
    assert export.escape_markdown("mod_wsgi 3.2 (event), 50 % & more – OK") == "mod_wsgi 3.2 (event), 50 % & more – OK"


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_names_make_a_table_of_as_many_columns(title, first, second):
    rows = [line for line in post((first, second + "2"), title).split("\n") if line.startswith("|")]
    assert {columns_of(line.replace("\\\\", "")) for line in rows} == {4}
