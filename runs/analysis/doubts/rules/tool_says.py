"""What the tool itself says of its run, and runs that did not come to their end."""

from __future__ import annotations

from collections.abc import Iterator

from runs.analysis.columns import option
from runs.analysis.doubts.case import Case
from runs.analysis.doubts.catalogue import Finding, Severity, Source, rule
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure


@rule(
    "tool.warnings",
    basis="ab.c, output_results(): mean and median further apart than one deviation, or two; siege's own words",
)
def warned(case: Case) -> Iterator[Finding]:
    for run in case.counted:
        told = run.values.get("warnings")
        for words in told if isinstance(told, list) else []:
            severity, detail, text = _read(run, " ".join(str(words).split()))
            yield Finding(severity, detail, text, (Source(run.source, run.line),), run=run.id)


def _read(run: RunFact, words: str) -> tuple[Severity, str, str]:
    about = next(
        (name for name in ("initial connection", "processing", "waiting", "total") if name in words.lower()), ""
    )
    if "NOT reliable" in words:
        detail = f'ab says "NOT reliable" of its {about} times'
        return "caution", detail, "mean and median are over two deviations apart, so neither stands for the run"
    if "not that reliable" in words:
        detail = f'ab says "probably not that reliable" of its {about} times'
        return "note", detail, "mean and median are over one deviation apart, so trust percentiles more than the mean"
    return "caution", f'{run.tool} says "{words[:160]}"', "it did not do all that it was asked for"


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
    return {
        "failures": run.failed_requests,
        "percentiles": run.percentiles_ms or None,
        "document": run.path or run.values.get("document_length_bytes"),
    }
