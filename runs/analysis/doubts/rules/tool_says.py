"""What the tool itself says of its run, and runs that did not come to their end."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.columns import option
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, rule
from runs.analysis.facts import RunFact, Source
from runs.analysis.numbers import figure

MOST_SIGNS = 100
UNRELIABLE: tuple[tuple[Severity, str, str], ...] = (
    ("caution", "NOT reliable", "mean and median are over two deviations apart, so neither stands for the run"),
    ("note", "not that reliable", "mean and median are over one deviation apart, so trust percentiles, not the mean"),
)


@rule(
    "tool.warnings", basis="ab.c, output_results(): mean and median over one or two deviations apart; siege's own words"
)
def warned(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        told = run.values.get("warnings")
        words = [" ".join(str(one).split()) for one in told] if isinstance(told, list) else []
        source = (Source(run.source, run.line),)
        for severity, mark, text in UNRELIABLE:
            about = [_about(one) for one in words if mark in one]
            if about:
                yield Finding(severity, f'ab calls its {" and ".join(about)} times "{mark}"', text, source, run=run.id)
        for other in (one for one in words if "reliable" not in one):
            text = "it may not have loaded the server as it was asked to"
            yield Finding("caution", f'{run.tool} says "{_short(other)}"', text, source, run=run.id)


def _about(words: str) -> str:
    return next((name for name in ("initial connection", "processing", "waiting") if name in words.lower()), "total")


def _short(words: str) -> str:
    return words if len(words) <= MOST_SIGNS else f"{words[:MOST_SIGNS].rpartition(' ')[0]} …"


@rule("tool.aborted", basis="ab and siege break off by themselves when sockets fail")
def aborted(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        if run.aborted:
            why = str(run.values.get("error", "")) or f"{run.tool} broke off"
            severity: Severity = "fatal" if run.requests_per_second is not None else "note"
            text = "what it has is of a server that failed, so it is not comparable"
            words = text if severity == "fatal" else "it ended without a report, so there is nothing to compare"
            yield Finding(severity, why[:200], words, (Source(run.source, run.line),), run=run.id)


@rule("tool.interrupted", basis="ab's -n: fewer requests than asked for were made, and no -t ended them")
def interrupted(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        asked, made = option(run.command, "n"), run.complete_requests
        timed = option(run.command, "t") is not None
        if run.tool != "ab" or run.aborted or timed or asked is None or made is None or made >= asked:
            continue
        detail = f"{figure(made)} of {figure(asked)} requests were made"
        text = "someone stopped it, so it is shorter than it was meant to be"
        yield Finding("caution", detail, text, (Source(run.source, run.line),), run=run.id)


@rule("tool.partial", basis="the text itself: a report quoted in part")
def quoted_in_part(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        if run.partial and not run.aborted:
            missing = [name for name, value in _wanted(run).items() if value is None]
            text = "only a part of the report is quoted, so failures may have gone unseen"
            if missing:
                yield Finding(
                    "note", f"{', '.join(missing)} not told", text, (Source(run.source, run.line),), run=run.id
                )


def _wanted(run: RunFact) -> dict[str, object]:
    if run.tool != "ab":
        return {"failures": run.failed_requests}
    return {
        "failures": run.failed_requests,
        "percentiles": run.percentiles_ms or None,
        "document": run.path or run.values.get("document_length_bytes"),
    }
