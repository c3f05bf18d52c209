"""What holds for the headline of any text: sides, numbers, sentence, first line and advice agree, and words are grammatical."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest

from runs.analysis import conclude
from runs.analysis.headline_lead import write_lead
from runs.analysis.headline_outcome import MOST_ADVISED, Headline, NextStep, Outcome
from runs.analysis.objection_wording import shorten
from runs.analysis.table import compare
from runs.ingest.submission import Preview
from runs.selectors.comparison_data import make_draft_case
from runs.tests.drafts.documents import FOLDER, expand, read

LEADERLESS = (Outcome.SAME, Outcome.SINGLE, Outcome.NONE, Outcome.NOT_COMPARABLE)
REPEATING = (NextStep.REPEAT, NextStep.LONGER, NextStep.WARM, NextStep.LEVELS)
UNGRAMMATICAL = re.compile(
    r"  |\.\.|, ,| ,|\bNone\b|\bnan\b|\binf\b|but but|and and|“”|\bits rate say\b|“[^”]*$|(?<!TL)s differs"
    r"|(?<![\d.])(?:1 (?:runs|configs|requests|levels|clients|times)\b|0 % (?:more|faster|less))"
)


def check(found: Headline) -> Iterator[str]:
    """What is wrong with a headline."""
    lead, own, other = write_lead(found), found.winner, found.loser
    for words in (
        found.sentence,
        lead.line,
        lead.under,
        found.next.text,
        *(objection.text for objection in found.against),
    ):
        if fault := UNGRAMMATICAL.search(words):
            yield f"ungrammatical: {fault[0]!r} in {words!r}"
    if not found.sentence.endswith(".") or not found.next.text:
        yield "no sentence, or no next step"
    if own and (found.outcome in LEADERLESS or own.title == (other and other.title)):
        yield "a winner where nobody leads"
    if own and f"“{shorten(own.title)}" not in found.sentence and not own.heading and not found.others:
        yield "the winner is not in the sentence"
    if (own is None or other is None) and (found.ratio, found.p, found.low) != (None, None, None):
        yield "an effect without sides"
    if own and other and found.ratio and found.outcome != Outcome.SWEEP:
        yield from check_effect(found, own.value or 0, other.value or 0)
    if found.next.runs and (found.next.step not in REPEATING or found.next.runs > MOST_ADVISED + 10):
        yield f"{found.next.runs} runs are advised by {found.next.step}"
    if found.next.runs and any(objection.rule == "generator.saturated" for objection in found.against):
        yield "more runs under a full load generator"
    if found.outcome == Outcome.NOT_COMPARABLE and not found.unlike and not found.dropped:
        yield "not comparable, and nothing is unlike"
    if any(
        difference.stops and difference.name not in found.sentence and difference.name != "request"
        for difference in found.unlike
    ):
        yield "what is unlike is not in the sentence"


def check_effect(found: Headline, own: float, other: float) -> Iterator[str]:
    ratio = found.ratio or 1
    if other and not math.isclose(own / other, ratio, rel_tol=1e-6):
        yield f"the effect {ratio} is not that of the sides, {own} and {other}"
    if (ratio > 1) != (found.metric == "requests_per_second"):
        yield f"the winner is behind: {ratio}"
    if (
        found.low is not None
        and found.high is not None
        and not found.low <= ratio * (1 + 1e-9) <= found.high * (1 + 2e-9)
    ):
        yield "the effect lies outside of its interval"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_the_headline_of_any_document_agrees_with_itself(name):
    blocks, draft = read(expand((FOLDER / f"{name}.txt").read_text()))
    for experiment in draft.experiments:
        case = make_draft_case(Preview(None, blocks, draft, [], None), experiment)
        table = compare(case.configs, [run for run in case.runs if run.counted], case.captures)
        assert [*check(conclude(case, table, None).headline)] == []
