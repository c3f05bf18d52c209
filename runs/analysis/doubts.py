"""What makes a comparison doubtful, in sentences with the lines they rest on.

find_doubts(case)  all of them, fatal ones first; those that are alike are one
list_excluded(doubts)   runs that a fatal doubt keeps out of verdicts, and why
fatal_rules(case)  the rules that keep runs out whatever it is compared with
list_incomparable(doubts)      configs that are not comparable with what they stand against, and why
A fatal doubt that a person overruled is still shown, and keeps nothing out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from runs.analysis import doubt_case, doubt_differences, doubt_figures, doubt_load, doubt_machine  # noqa: F401
from runs.analysis.doubt_case import SEVERITIES, Case, Doubt, Part
from runs.analysis.doubt_wording import compose_sentence, make_part

RULES = dict(sorted(doubt_case.RULES.items()))  # by the ids that overrides name


def find_doubts(case: Case) -> list[Doubt]:
    """All doubts about a comparison: fatal first, then as the rules stand in the catalogue.

    Findings that are alike (of one severity and moral, about things of one kind) are one doubt.
    """
    doubts = []
    runs = {run.id: run for run in case.counted_runs}
    places = {run: at for at, run in enumerate(runs)}
    overrides = {(override.rule, override.run, override.config): override for override in reversed(case.overrides)}
    for name, rule in RULES.items():
        alike: dict[tuple[object, ...], list[Part]] = {}
        for finding in sorted(rule.apply(case), key=lambda finding: places.get(finding.run or 0, -1)):
            if finding.run is not None and not finding.sources:
                finding = replace(finding, sources=(runs[finding.run].source_of(*rule.figures),))
            override = overrides.get((name, finding.run, finding.config)) if finding.severity == "fatal" else None
            part = make_part(case, name, finding, override)
            kind = (finding.severity, part.moral, part.run is None, part.config is None, override is None)
            alike.setdefault(kind, []).append(part)
        doubts += [_make_doubt(case, name, parts) for parts in alike.values()]
    return sorted(doubts, key=lambda doubt: SEVERITIES.index(doubt.severity))


def fatal_rules(case: Case) -> dict[int, set[str]]:
    """Run id -> the rules that keep it out whatever it is compared with."""
    out: dict[int, set[str]] = defaultdict(set)
    for name, rule in RULES.items():
        for finding in rule.apply(case) if not name.startswith("differs.") else ():
            if finding.severity == "fatal" and finding.run is not None:
                out[finding.run].add(name)
    return out


def list_excluded(found: Iterable[Doubt]) -> dict[int, str]:
    """Run id -> why it is kept out of verdicts."""
    return {part.run: part.text for part in _list_fatal_parts(found) if part.run is not None}


def list_incomparable(found: Iterable[Doubt]) -> dict[int, str]:
    """Config id -> why the whole config is not comparable with what it stands against."""
    return {part.config: part.text for part in _list_fatal_parts(found) if part.config is not None}


def _list_fatal_parts(found: Iterable[Doubt]) -> list[Part]:
    fatal = [doubt for doubt in found if doubt.severity == "fatal" and not doubt.overruled]
    return [part for doubt in reversed(fatal) for part in doubt.parts]  # so that the first doubt's words are given


def _make_doubt(case: Case, rule: str, parts: list[Part]) -> Doubt:
    """Its basis is where the rule comes from, with what the tools of the runs that it is about say on it."""
    about = {part.run for part in parts}
    runs = [run for run in case.counted_runs if run.id in about] or case.counted_runs
    cited = [run.semantics.citations[rule] for run in runs if rule in run.semantics.citations]
    basis = "; ".join(dict.fromkeys([RULES[rule].basis, *cited]))
    return Doubt(rule, parts[0].finding.severity, compose_sentence(case, parts), tuple(parts), basis)
