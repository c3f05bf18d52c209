"""Finds the rules: every function in doubts/rules/ that is marked with @rule is one, by being there.

A rule reads a Case and yields a Finding for each run, each config or the whole comparison that it doubts. Findings of one
rule with the same severity and moral become one sentence (see words.py), so the moral has no figures of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Literal

from runs.analysis.doubts import rules as _rules_package
from runs.analysis.doubts.case import Case
from runs.analysis.facts import Source

Severity = Literal["fatal", "caution", "note"]
SEVERITIES: tuple[Severity, ...] = ("fatal", "caution", "note")
LONGEST_ID = 40  # a stored ruling's column


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule has against one run, one config, or (neither) the whole comparison.

    detail  what was seen, with its figures: "285 of 600 requests failed"
    moral   what follows from it, in the same words for all of a kind: "the higher req/s is not a gain"
    brief   both in a few words, where the detail is long: they stand in the verdict's sentence
    """

    severity: Severity
    detail: str
    moral: str
    sources: tuple[Source, ...] = ()
    run: int | None = None
    config: int | None = None
    brief: str = ""


Finder = Callable[[Case], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`basis` says in words where the rule comes from: documentation, a paper, the tool's source."""

    id: str
    basis: str
    find: Finder


_marked: dict[str, Rule] = {}


def rule(identity: str, *, basis: str) -> Callable[[Finder], Finder]:
    """Mark a function as the rule `identity`."""
    if identity in _marked or not basis or len(identity) > LONGEST_ID:
        raise TypeError(f"{identity!r} is no new rule: an id of its own, {LONGEST_ID} signs at most, and a basis")

    def marked(find: Finder) -> Finder:
        _marked[identity] = Rule(identity, basis, find)
        return find

    return marked


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by its id."""
    for module in sorted(found.name for found in iter_modules(_rules_package.__path__)):
        import_module(f"{_rules_package.__name__}.{module}")
    return tuple(_marked[identity] for identity in sorted(_marked))
