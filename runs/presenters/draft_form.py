"""A draft laid out for the preview page: experiments, configs × blocks, the text, secrets, what was left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runs.analysis.facts import LINES_A_PAGE
from runs.analysis.numbers import figure
from runs.forms import Item
from runs.ingest import Preview, nothing_found
from runs.ingest.draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from runs.ingest.edits import Edits, suggest_grouping
from runs.models import Capture
from runs.presenters.source_lines import CoveredLines, Span, capture_tint, mark_lines
from runs.selectors.judging import judge_draft

# Each entry has a select of all configs: more of them would make a form that no browser likes.
MOST_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One block as the form shows it: what it is in a word, its main figure, and what can be changed."""

    item: Item
    what: str
    tool: str
    figure: str
    tint: str


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """The entries of one config, or (config None) those that hold for the whole experiment."""

    config: Any
    place: int
    entries: list[Entry]


def draft_context(shown: Preview, redact: Sequence[str] | None, edits: Edits) -> dict[str, Any]:
    blocks = {f"b{at}": block for at, block in enumerate(shown.blocks)}
    hosts = {host.key: host for host in shown.draft.hosts}
    experiments: list[dict[str, Any]] = [
        {
            "draft": experiment,
            "groups": _group_entries(experiment, blocks),
            "host": hosts.get(experiment.host),
            "headline": judge_draft(shown, experiment),
        }
        for experiment in shown.draft.experiments
    ]
    secrets = {secret.key: secret for secret in reversed(shown.text.secrets)}
    entries = [group.entries for experiment in experiments for group in experiment["groups"]]
    lines = _lines(shown, experiments, blocks)
    n_hidden = _shortened(entries)
    left_out = [key for key, changes in edits.get("blocks", {}).items() if changes.get("leave_out")]
    return {
        "experiments": experiments,
        "groupings": [
            {"n_configs": n_configs, "n_runs": n_runs, "edits": json.dumps(changes, ensure_ascii=False)}
            for n_configs, n_runs, changes in suggest_grouping(shown.draft)
        ],
        "hosts": shown.draft.hosts,
        "phases": [("", "not known"), *Capture.Phase.choices],
        "lines": lines,
        "n_hidden": n_hidden,
        "n_lines": shown.text.n_lines,
        "cut": shown.text.n_lines > LINES_A_PAGE,
        "problems": shown.problems,
        "secrets": [_secret(shown, secret) for secret in reversed(secrets.values())],
        "redact": set(secrets) if redact is None else set(redact),
        "left_out": [{"key": key, "block": blocks.get(key)} for key in left_out],
        "existing": shown.existing,
        "nothing": "" if shown.blocks else nothing_found(shown.text.n_lines),
        "n_unread": sum(last - first + 1 for first, last in shown.draft.unread),
    }


def _shortened(groups: list[list[Entry]]) -> int:
    """Cut the groups to what a form can hold; how many entries went."""
    left, gone = MOST_ENTRIES, 0
    for entries in groups:
        gone += max(len(entries) - left, 0)
        del entries[left:]
        left -= len(entries)
    return gone


def _group_entries(experiment: DraftExperiment, blocks: dict[str, Any]) -> list[EntryGroup]:
    items: list[Item] = [*experiment.runs, *experiment.captures, *experiment.texts]
    items.sort(key=lambda item: item.lines)
    groups = [
        EntryGroup(config, place, [_entry(item, blocks) for item in items if item.config == config.key])
        for place, config in enumerate(experiment.configs)
    ]
    whole = [_entry(item, blocks) for item in items if not item.config]
    return [*groups, EntryGroup(None, 0, whole)] if whole else groups


def _entry(item: Item, blocks: dict[str, Any]) -> Entry:
    block = blocks.get(item.blocks[0] if isinstance(item, DraftCapture) else item.key)
    values = block.values if block else {}
    if isinstance(item, DraftText):
        return Entry(item, "text", "config text", item.path, "text")
    tool = block.kind if block else ""
    if isinstance(item, DraftRun):
        rate = values.get("requests_per_second", values.get("transaction_rate"))
        return Entry(item, "run", tool, f"{figure(rate)} per s" if isinstance(rate, (int, float)) else "", "load")
    return Entry(item, "capture", tool, _look_words(item, values), capture_tint(tool))


def _look_words(item: DraftCapture, values: dict[str, Any]) -> str:
    words = [f"{item.n_samples:,} looks"] if item.n_samples > 1 else []
    if values.get("n_processes"):
        words.append(f"{values['n_processes']} processes")
    free = values.get("memfree", values.get("mem_free_kb"))
    if isinstance(free, (int, float)):
        words.append(f"{figure(free / 1024)} MiB free")
    return ", ".join(words)


def _lines(shown: Preview, experiments: list[dict[str, Any]], blocks: dict[str, Any]) -> list[Any]:
    spans: list[Span] = []
    taken: set[str] = set()
    for experiment in experiments:
        for group in experiment["groups"]:
            for entry in group.entries:
                title = f"{entry.tool} → {group.config.name if group.config else 'whole experiment'}"
                first, last = entry.item.lines
                spans.append(Span(first, last, entry.tint, title, f"#edit-{entry.item.key}", entry.item.key))
                spans += [
                    Span(begin, end, entry.tint, f"{entry.tool}, quoted again", quote=True)
                    for begin, end in getattr(entry.item, "quotes", [])
                ]
                taken.update(entry.item.blocks if isinstance(entry.item, DraftCapture) else [entry.item.key])
    # Files of single requests. Whose they are is found by their figures when they are stored.
    spans += [
        Span(*timing.lines, "load", f"{blocks[timing.key].kind}: what each request took")
        for experiment in shown.draft.experiments
        for timing in experiment.timings
        if timing.key not in taken
    ]
    covered = CoveredLines(spans)
    spans += [
        Span(block.first, block.last, "host", f"{block.kind}: about the host")
        for key, block in blocks.items()
        if key not in taken and block.first not in covered
    ]
    return mark_lines(
        list(shown.text.lines(1, LINES_A_PAGE)),
        spans,
        unread=shown.draft.unread,
        problems=[(problem.line, problem.message) for problem in shown.problems],
        secrets=[(secret.line, secret.start, secret.end) for secret in shown.text.secrets],
    )


def _secret(shown: Preview, secret: Any) -> dict[str, Any]:
    line = next(shown.text.lines(secret.line, secret.line))
    lines = [other.line for other in shown.text.secrets if other.key == secret.key]
    before = line[max(0, secret.start - 40) : secret.start]
    return {"key": secret.key, "kind": secret.kind, "lines": lines, "before": before, "n": secret.end - secret.start}
