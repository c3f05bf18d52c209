"""Load generators that send at a rate that was set, whatever the answers take: their rate is a setting until it is missed."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, rule
from runs.analysis.doubts.told import set_rate
from runs.analysis.facts import Source
from runs.analysis.numbers import figure

KEPT_UP = 0.95  # of what was asked for; the first and last request are never a whole interval apart


@rule(
    "load.set_rate",
    basis="Schroeder, Wierman, Harchol-Balter, Open Versus Closed (2006); httperf's and vegeta's manuals",
)
def kept_up(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        asked, got = set_rate(run), run.requests_per_second
        if asked and got and got >= KEPT_UP * asked:
            detail = f"{figure(asked)} requests/s were asked for, and {figure(got)} answered"
            words = "the rate was set, so it says that the server kept up, and not what it can do"
            yield Finding("caution", detail, words, (Source(run.source, run.line),), run=run.id)
