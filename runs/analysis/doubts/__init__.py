"""What makes a comparison doubtful, in sentences with the lines they rest on.

doubts(case)      all of them, fatal ones first; those that are alike are one
excluded(doubts)  runs that a fatal doubt keeps out of verdicts, and why
apart(doubts)     configs that are not comparable with what they stand against, and why
A fatal doubt that a person overruled is still told, and keeps nothing out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import SEVERITIES, Finding, Rule, Severity, rules
from runs.analysis.doubts.words import named, reason, sentence
from runs.analysis.facts import OverrideFact, Source

__all__ = ["Case", "Doubt", "Part", "Source", "apart", "doubts", "excluded", "is_rule"]


@dataclass(frozen=True, slots=True)
class Part:
    """One run's or one config's share of a doubt; neither: the whole comparison's. `ruling`: who overruled it."""

    who: str
    text: str
    run: int | None
    config: int | None
    sources: tuple[Source, ...]
    ruling: OverrideFact | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """`rule` is the id that rulings name, `basis` says where the rule comes from. Overruled: all of its parts are."""

    rule: str
    severity: Severity
    text: str
    parts: tuple[Part, ...]
    basis: str
    overruled: bool = False

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(dict.fromkeys(source for part in self.parts for source in part.sources))

    @property
    def runs(self) -> tuple[int, ...]:
        return tuple(part.run for part in self.parts if part.run is not None)

    @property
    def configs(self) -> tuple[int, ...]:
        return tuple(part.config for part in self.parts if part.config is not None)

    @property
    def config(self) -> int | None:
        """The config that it is about, where that is one."""
        return self.configs[0] if len(self.configs) == 1 else None


def doubts(case: Case) -> list[Doubt]:
    """All doubts about a comparison: fatal first, then as the rules stand in the catalogue."""
    found = [doubt for rule in rules() for doubt in _doubts(case, rule)]
    return sorted(found, key=lambda doubt: SEVERITIES.index(doubt.severity))


def is_rule(identity: str) -> bool:
    """Whether there is a rule of this id, which a ruling may be about."""
    return any(rule.id == identity for rule in rules())


def excluded(found: Iterable[Doubt]) -> dict[int, str]:
    """Run id -> why it is kept out of verdicts."""
    return {part.run: part.text for part in _standing(found) if part.run is not None}


def apart(found: Iterable[Doubt]) -> dict[int, str]:
    """Config id -> why the whole config is not comparable with what it stands against."""
    return {part.config: part.text for part in _standing(found) if part.config is not None}


def _standing(found: Iterable[Doubt]) -> list[Part]:
    fatal = [doubt for doubt in found if doubt.severity == "fatal" and not doubt.overruled]
    return [part for doubt in reversed(fatal) for part in doubt.parts]  # so that the first doubt's words are told


def _doubts(case: Case, rule: Rule) -> list[Doubt]:
    alike: dict[tuple[object, ...], list[tuple[Finding, OverrideFact | None]]] = {}
    places = {run.id: at for at, run in enumerate(case.counted)}
    for finding in sorted(rule.find(case), key=lambda finding: places.get(finding.run or 0, -1)):
        ruling = _ruling(case, rule, finding)
        kind = (finding.severity, finding.moral, finding.run is None, finding.config is None, ruling is None)
        alike.setdefault(kind, []).append((finding, ruling))
    return [_doubt(case, rule, findings) for findings in alike.values()]


def _doubt(case: Case, rule: Rule, findings: list[tuple[Finding, OverrideFact | None]]) -> Doubt:
    whose = [named(case, finding) for finding, _ in findings]
    parts = tuple(
        Part(who.who, reason(finding), finding.run, finding.config, finding.sources, ruling)
        for who, (finding, ruling) in zip(whose, findings, strict=True)
    )
    overruled = all(part.ruling is not None for part in parts)
    return Doubt(rule.id, findings[0][0].severity, sentence(case, whose), parts, rule.basis, overruled)


def _ruling(case: Case, rule: Rule, finding: Finding) -> OverrideFact | None:
    """The ruling that stands against a fatal finding."""
    if finding.severity != "fatal" or (finding.run is None and finding.config is None):
        return None
    return next(
        (
            ruling
            for ruling in case.rulings
            if ruling.rule == rule.id and ruling.run == finding.run and ruling.config == finding.config
        ),
        None,
    )
