"""A plain stand-in for relate, so that tests of storing do not hang on how well relations are guessed."""

from __future__ import annotations

from parsers import Block, ConfigText, HostFacts, LoadResult
from runs.ingest.draft import (
    Draft,
    DraftCapture,
    DraftConfig,
    DraftExperiment,
    DraftHost,
    DraftRun,
    DraftText,
)


def relate(blocks: list[Block], n_lines: int, recording: object = None) -> Draft:
    """A config a heading, counted repeats, monitors before the run that follows; one experiment, one host."""
    experiment = DraftExperiment("e1", "an experiment", host="h1")
    host = DraftHost("h1", "web1")
    keys: dict[str, str] = {}
    repeats: dict[str, int] = {}
    waiting: list[DraftCapture] = []
    for number, block in enumerate(blocks):
        key = f"b{number}"
        records = block.records
        if any(isinstance(record, LoadResult) for record in records):
            name = block.heading or "as it is"
            config = keys.setdefault(name, f"c{len(keys) + 1}")
            repeats[config] = repeats.get(config, 0) + 1
            experiment.runs.append(DraftRun(key, config, name, "", repeats[config], block.lines))
            for capture in waiting:
                capture.run, capture.config = key, config
            waiting = []
        elif any(isinstance(record, ConfigText) for record in records):
            text = next(record for record in records if isinstance(record, ConfigText))
            experiment.texts.append(DraftText(key, "", text.path or "", text.text, block.lines))
        elif any(not isinstance(record, HostFacts) for record in records):
            waiting.append(DraftCapture(key, [key], "h1", "", "", "before", "", block.lines))
            experiment.captures.append(waiting[-1])
        for record in records:
            if isinstance(record, HostFacts):
                host.ram_kb, host.cpu_model = record.ram_kb or host.ram_kb, record.cpu_model or host.cpu_model
    experiment.configs = [DraftConfig(key, name) for name, key in keys.items()]
    stored = bool(experiment.runs or experiment.captures or experiment.texts)
    return Draft([host], [experiment] if stored else [])
