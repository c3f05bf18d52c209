"""Keeping a draft in order: namesakes become one, and what holds nothing goes. Changes the draft given."""

from __future__ import annotations

from .draft import Draft, DraftCapture, DraftExperiment, DraftHost, DraftRun, DraftText, Hints, Slot

Item = DraftRun | DraftCapture | DraftText


def items_of(experiment: DraftExperiment) -> list[Item]:
    """All that stands under the experiment's configs."""
    return [*experiment.runs, *experiment.captures, *experiment.texts]


def merge_namesakes(draft: Draft) -> None:
    """Experiments of one name become the first of them; then, in each, configs of one name."""
    first: dict[str, DraftExperiment] = {}
    for experiment in draft.experiments:
        kept = first.setdefault(experiment.name, experiment)
        if kept is not experiment:
            kept.configs += experiment.configs
            kept.runs += experiment.runs
            kept.captures += experiment.captures
            kept.texts += experiment.texts
            kept.timings += experiment.timings
            kept.host = kept.host or experiment.host
    draft.experiments = list(first.values())
    for experiment in draft.experiments:
        _merge_configs(experiment)


def _merge_configs(experiment: DraftExperiment) -> None:
    by_name = {config.name: config for config in reversed(experiment.configs)}
    instead = {config.key: by_name[config.name].key for config in experiment.configs}
    experiment.configs = [config for config in experiment.configs if instead[config.key] == config.key]
    for item in items_of(experiment):
        item.config = instead.get(item.config, item.config)


def tidy(draft: Draft) -> None:
    """Without configs and experiments that nothing is left of."""
    for experiment in draft.experiments:
        used = {item.config for item in items_of(experiment)}
        experiment.configs = [config for config in experiment.configs if config.key in used]
    draft.experiments = [e for e in draft.experiments if items_of(e) or e.timings]


def heed(draft: Draft, hints: Hints) -> None:
    """Let the sender's names override the guesses: one experiment, one config, and every machine of that name."""
    if hints.experiment:
        for experiment in draft.experiments:
            experiment.name = hints.experiment
    if hints.config:
        for experiment in draft.experiments:
            for config in experiment.configs:
                config.name = hints.config
    if hints.experiment or hints.config:
        merge_namesakes(draft)
    if hints.host:
        draft.hosts = draft.hosts or [DraftHost("h1", hints.host)]
        for host in draft.hosts:
            host.name = hints.host
        _host_everything(draft)
    if hints.slot:
        _fill_slot(draft, hints.slot)


def _host_everything(draft: Draft) -> None:
    for experiment in draft.experiments:
        experiment.host = experiment.host or draft.hosts[0].key
        for capture in experiment.captures:
            capture.host = capture.host or experiment.host


def _fill_slot(draft: Draft, slot: Slot) -> None:
    """All of the text stands under its one config: headings of the text name nothing."""
    _only_measured(draft, slot)
    for experiment in draft.experiments:
        for config in experiment.configs:
            config.group = ""
        for run in experiment.runs:
            run.repeat, run.counted, run.label, run.note = slot.repeat, slot.counted, slot.label, ""
        key = experiment.configs[0].key if len(experiment.configs) == 1 else ""
        for item in items_of(experiment):
            item.config = item.config or key
        if len(experiment.runs) == 1:
            _beside(experiment.captures, experiment.runs[0])


def _only_measured(draft: Draft, slot: Slot) -> None:
    """Without the reports that somebody else's text holds; where one stands is told as unread."""
    if not slot.lines:
        return
    first, last = slot.lines
    for experiment in draft.experiments:
        quoted = [run for run in experiment.runs if not first <= run.lines[0] <= last]
        experiment.runs = [run for run in experiment.runs if run not in quoted]
        draft.unread = sorted([*draft.unread, *(run.lines for run in quoted)])


def _beside(captures: list[DraftCapture], run: DraftRun) -> None:
    for capture in captures:
        capture.run = run.key
        capture.phase = capture.phase or ("before" if capture.lines < run.lines else "after")
