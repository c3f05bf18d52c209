"""What was not the same between a column and the one it stands against: tool, load, page, machine (see properties.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runs.analysis.columns import Column, bases
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.doubts.properties import BEGINS, FAMILIES, Grade, Property, Value
from runs.analysis.facts import Source

MOST_VALUES = 6
WORDS: dict[str, dict[Severity, str]] = {
    "tool": {
        "fatal": "each tool loads and counts in its own way, so it is not comparable",
        "caution": "each tool loads and counts in its own way",
        "note": "versions of a tool may count failures and times a little differently",
    },
    "load": {
        "fatal": "another load than the baseline had, so it is not comparable",
        "caution": "a rate belongs to the load that it was measured under, so the columns are not like for like",
        "note": "it matters little where runs are long enough",
    },
    "page": {
        "fatal": "another page than the baseline's was fetched, so it is not comparable",
        "caution": "it may be another page, which takes its own time to make and to send",
        "note": "see that the same work was done for each",
    },
    "machine": {
        "fatal": "another machine than the baseline's, so it is not comparable",
        "caution": "the machine is part of what is compared, so a difference need not be the config's",
        "note": "machines of other names may be alike or not",
    },
}

OMISSION = (
    "; a client that waits for a slow answer sends nothing meanwhile, so that its percentiles leave out what others would "
    "have waited (coordinated omission), and those of a set rate do not"
)


@dataclass(frozen=True, slots=True)
class Gap:
    """One property that is not the same in a column (by its number) and its base."""

    prop: Property
    at: int
    base: int
    severity: Severity


@rule("differs.tool", basis="each tool's documentation: what is counted, and when a time begins, is not the same")
def tool(case: Case) -> Iterator[Finding]:
    return _family(case, "tool")


@rule("differs.load", basis="queueing theory: throughput and latency are functions of the offered load")
def load(case: Case) -> Iterator[Finding]:
    return _family(case, "load")


@rule("differs.page", basis="practice: rates compare where the same thing is fetched")
def page(case: Case) -> Iterator[Finding]:
    return _family(case, "page")


@rule("differs.machine", basis="practice: a rate is one of machine and config together")
def machine(case: Case) -> Iterator[Finding]:
    return _family(case, "machine")


def _family(case: Case, name: str) -> Iterator[Finding]:
    """A finding for each config that is not comparable, and one for the whole comparison of what is left."""
    columns = case.columns
    stands = {at: base for at, base in enumerate(bases(columns)) if at != base and columns[at].runs}
    gaps = [gap for prop in FAMILIES[name] for gap in _gaps(case, prop, stands)]
    omission = OMISSION if any(gap.prop is BEGINS for gap in gaps) else ""
    out = _out(gaps, columns)
    for config in out:
        fatal = [
            gap
            for gap in gaps
            if columns[gap.at].config.id == config and (gap.severity == "fatal" or gap.prop is BEGINS)
        ]
        detail = "; ".join(dict.fromkeys(_against(case, gap) for gap in fatal))
        words = WORDS[name]["fatal"] + (omission if any(gap.prop is BEGINS for gap in fatal) else "")
        yield Finding("fatal", detail, words, _sources(case, fatal), config=config)
    left = [gap for gap in gaps if columns[gap.at].config.id not in out]
    if left:
        severity: Severity = "note" if all(gap.severity == "note" for gap in left) else "caution"
        detail = "; ".join(_listed(case, prop, left) for prop in dict.fromkeys(gap.prop for gap in left))
        words = WORDS[name][severity] + (omission if any(gap.prop is BEGINS for gap in left) else "")
        yield Finding(severity, f"not the same: {detail}", words, _sources(case, left))


def _gaps(case: Case, prop: Property, stands: dict[int, int]) -> list[Gap]:
    grades = {at: _grade(case, prop, at, base) for at, base in stands.items()}
    gaps = []
    for at, grade in grades.items():
        if grade is None:
            continue
        kin = [other for other, base in stands.items() if base == stands[at] and other != at]
        odd = any(grades[other] is None and _values(case, prop, other) for other in kin)
        gaps.append(Gap(prop, at, stands[at], _settled(grade, odd)))
    return gaps


def _settled(grade: Grade, odd: bool) -> Severity:
    if grade == "split":
        return "fatal" if odd else "caution"
    return grade


def _values(case: Case, prop: Property, at: int) -> list[Value]:
    told = (prop.read(case, run) for run in case.columns[at].runs)
    return list(dict.fromkeys(value for value in told if value is not None))


def _grade(case: Case, prop: Property, at: int, base: int) -> Grade | None:
    """None where the two share a value, or one tells none."""
    mine, its = _values(case, prop, at), _values(case, prop, base)
    if not mine or not its or set(mine) & set(its):
        return None
    return prop.unlike(mine[0], its[0])


def _out(gaps: Sequence[Gap], columns: Sequence[Column]) -> list[int]:
    """The configs that are not comparable under any of the loads that they were given."""
    fatal = {gap.at for gap in gaps if gap.severity == "fatal"}
    configs = dict.fromkeys(columns[at].config.id for at in sorted(fatal))
    own = {
        config: [at for at, column in enumerate(columns) if column.config.id == config and column.runs]
        for config in configs
    }
    return [config for config in configs if all(at in fatal for at in own[config])]


def _against(case: Case, gap: Gap) -> str:
    mine, its = (gap.prop.written(_values(case, gap.prop, at)[0]) for at in (gap.at, gap.base))
    return f"{gap.prop.name} {mine} against {its}{gap.prop.unit}"


def _listed(case: Case, prop: Property, gaps: Sequence[Gap]) -> str:
    """ "concurrency 50, 100, 150": the values of all columns that differ in it, the base's first."""
    where = sorted({at for gap in gaps if gap.prop == prop for at in (gap.at, gap.base)})
    told = list(dict.fromkeys(prop.written(value) for at in where for value in _values(case, prop, at)))
    shown = told[:MOST_VALUES] + ([f"and {len(told) - MOST_VALUES} more"] if len(told) > MOST_VALUES else [])
    return f"{prop.name} {', '.join(shown)}{prop.unit}"


def _sources(case: Case, gaps: Sequence[Gap]) -> tuple[Source, ...]:
    """The first run of each column that is named, in the order of the columns."""
    first = [
        case.columns[at].runs[0]
        for at in sorted({at for gap in gaps for at in (gap.base, gap.at)})
        if case.columns[at].runs
    ]
    return tuple(Source(run.source, run.line) for run in first)
