"""Findings of a kind to one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A finding and whom it is about: a run's title, a config's name, or "" for the whole comparison."""

    who: str
    finding: Finding


def named(case: Case, finding: Finding) -> Named:
    if finding.run is not None:
        return Named(case.titles.get(finding.run, f"run {finding.run}"), finding)
    if finding.config is not None:
        return Named(case.names.get(finding.config, f"config {finding.config}"), finding)
    return Named("", finding)


def sentence(case: Case, alike: Sequence[Named]) -> str:
    """One finding: "who: detail. Moral." Several: "3 of 8 runs: moral (who: detail; ...)."""
    return _capital(_sentence(case, alike)) if not alike[0].who else _sentence(case, alike)


def _sentence(case: Case, alike: Sequence[Named]) -> str:
    first = alike[0]
    if len(alike) == 1:
        return f"{_lead(first.who)}{_alone(first.finding)}"
    details = list(dict.fromkeys(one.finding.detail for one in alike))
    count = _count(case, alike)
    if len({one.who for one in alike}) == 1:
        return f"{_lead(first.who)}{'; '.join(details)}. {_capital(first.finding.moral)}."
    if len(details) == 1:
        return f"{count}: {_alone(first.finding)}"
    shown = [f"{_lead(one.who)}{one.finding.detail}" for one in alike[:MOST_NAMED]]
    more = [f"and {len(alike) - MOST_NAMED} more"] if len(alike) > MOST_NAMED else []
    return f"{count}: {first.finding.moral} ({'; '.join(shown + more)})."


def reason(finding: Finding) -> str:
    """The finding by itself and in brief, for beside the run or config that it is about."""
    return finding.brief or f"{finding.detail}: {finding.moral}"


def _alone(finding: Finding) -> str:
    return f"{finding.detail}. {_capital(finding.moral)}."


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _lead(who: str) -> str:
    return f"{who}: " if who else ""


def _count(case: Case, alike: Sequence[Named]) -> str:
    of_runs = alike[0].finding.run is not None
    whole = len(case.counted) if of_runs else len(case.configs)
    some = len({one.finding.run if of_runs else one.finding.config for one in alike})
    what = "runs" if of_runs else "configs"
    if some == whole:
        return f"Both {what}" if whole == 2 else f"All {whole} {what}"
    return f"{some} of {whole} {what}"
