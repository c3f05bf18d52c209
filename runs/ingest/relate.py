"""Blocks to a draft: what was compared, on which machine, how often, and which monitors stand beside which run.

Everything here is a guess from headings, prompts, commands and the order of the text; the preview shows it and lets it be
changed. Nothing is dropped: what fits nowhere stands beside the experiment as a whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from parsers import Block, ConfigText, LoadResult, ProcessSample, SystemSample, Timings

from . import timings
from .beside import place_captures, place_texts
from .draft import Draft, DraftExperiment, DraftRun, Hints
from .glance import glance
from .headings import shortened
from .machines import hosts_of, segments, sights
from .naming import Namer
from .same import loads_again, monitors_again
from .tidy import items_of
from .titles import experiment_name
from .words import is_aside, is_sentence, is_short, names_nothing, plain, repeat_of


def relate(blocks: list[Block], n_lines: int, hints: Hints) -> Draft:
    """The draft of one text. `hints.config` names the config of every run whose own text says nothing."""
    return _Relation(blocks, n_lines, hints).draft()


class _Relation:
    def __init__(self, blocks: list[Block], n_lines: int, hints: Hints) -> None:
        self.blocks = blocks
        self.n_lines = n_lines
        self.hints = hints
        looks = [glance(block) for block in blocks]
        kinds = [{type(record) for record in records} for records in looks]
        self.loads = [i for i, kind in enumerate(kinds) if LoadResult in kind]
        self.load_set = set(self.loads)
        self.monitors = [
            i for i, kind in enumerate(kinds) if kind & {SystemSample, ProcessSample} or _is_listing(blocks[i])
        ]
        self.texts = [i for i, kind in enumerate(kinds) if ConfigText in kind]
        self.timings = [i for i, kind in enumerate(kinds) if Timings in kind]
        self.again = loads_again(blocks, looks, self.loads) | monitors_again(blocks, looks, self.monitors)
        self.sights = sights(blocks, looks)
        self.quotes: dict[int, list[int]] = defaultdict(list)
        for quote, source in self.again.items():
            self.quotes[source].append(quote)

    def draft(self) -> Draft:
        draft = Draft(unread=self._unread())
        first_load = self.loads[0] if self.loads else len(self.blocks)
        anchors = [s.index for s in self.sights if s.ram_kb]
        sources = [i for i in self.loads if i not in self.again]
        parts = segments(self.sights, sources, trailing=bool(anchors) and first_load < anchors[0])
        n_configs = 0
        for number, part in enumerate(parts, start=1):
            if not part:
                continue
            experiment = self._experiment(f"e{number}", part, n_configs, draft)
            n_configs += len(experiment.configs)
            draft.experiments.append(experiment)
        return draft

    def _experiment(self, key: str, part: range, n_configs: int, draft: Draft) -> DraftExperiment:
        loads = [i for i in self.loads if self.again.get(i, i) in part]  # a quote goes with what it quotes
        results = [r for i in loads for r in self.blocks[i].load_results]
        hosts, host_of = hosts_of([self.sights[i] for i in part], results, len(draft.hosts) + 1)
        draft.hosts += hosts
        experiment = DraftExperiment(key=key, name="", host=hosts[0].key if hosts else "")
        texts = [i for i in self.texts if i in part]
        namer = Namer(self.blocks, loads, texts, self.again, n_configs)
        self._runs(experiment, loads, namer)
        place_texts(experiment, self.blocks, texts, namer)
        monitors = [i for i in self.monitors if i in part and i not in self.again]
        place_captures(experiment, self.blocks, monitors, self.quotes, host_of, namer)
        experiment.configs = namer.configs
        experiment.timings = timings.drafts_of(self.blocks, [i for i in self.timings if i in part])
        experiment.name = experiment_name(self.blocks, part, namer.configs, first=part.start == 0)
        if experiment.timings and not items_of(experiment):
            experiment.name = timings.name_of(self.blocks, experiment.timings)
        return experiment

    def _runs(self, experiment: DraftExperiment, loads: Sequence[int], namer: Namer) -> None:
        """Configs in the order of the text, quotes included; runs likewise, each where its figures stand in full."""
        counts: dict[str, int] = {}
        for index in loads:
            if index in self.again:
                continue
            block = self.blocks[index]
            config = namer.config_of(index)
            results = block.load_results
            for number in range(len(results)):
                method = f"{config}|{namer.method_of(index)}"
                counts[method] = counts.get(method, 0) + 1
                label, note = self._label(index, namer.name_of(config))
                experiment.runs.append(
                    DraftRun(
                        key=f"b{index}" if len(results) == 1 else f"b{index}.{number}",
                        config=config,
                        label=label,
                        note=note,
                        repeat=counts[method],
                        lines=block.lines,
                        quotes=[self.blocks[q].lines for q in self.quotes[index]],
                    )
                )

    def _label(self, index: int, name: str) -> tuple[str, str]:
        """(the document's own label of the run, the sentence above it where that is not the label)."""
        block = self.blocks[index]
        heading = next((text for _, text in reversed(block.trail) if not is_aside(text)), "")
        numbered = (q for q in self.quotes[index] if repeat_of(self.blocks[q].label or "") is not None)
        if not block.label and (teaser := next(numbered, None)) is not None:
            return self._labelled(teaser, name), heading
        if block.label:
            return self._labelled(index, name), ""
        if not heading:
            return (plain(block.heading or "") if self._numbers(index) else name), ""
        if names_nothing(heading) and repeat_of(heading) is None and "。" not in heading:
            return name, heading
        if not is_sentence(heading):
            return plain(heading), ""
        short = next((text for _, text in reversed(block.trail) if not is_sentence(text) and not is_aside(text)), "")
        if short and (names_nothing(heading) or not names_nothing(short) or repeat_of(short)):
            return plain(short), heading
        return shortened(heading), "" if is_short(heading) else heading

    def _labelled(self, index: int, name: str) -> str:
        """ "nginx · 2nd run": the heading, where it names something, and what stands before the figure."""
        heading, label = self.blocks[index].heading or "", plain(self.blocks[index].label or "")
        alone = label == name or names_nothing(heading) or is_sentence(heading)
        return label if alone else f"{plain(heading)} · {label}"

    def _numbers(self, index: int) -> bool:
        """Whether the heading of the block before, a text or a monitor, is the number of this run ("run 2")."""
        before = self.blocks[index - 1] if index else None
        mine = before is not None and index - 1 not in self.load_set and before.heading == self.blocks[index].heading
        return mine and repeat_of(self.blocks[index].heading or "") is not None

    def _unread(self) -> list[tuple[int, int]]:
        """Spans that no block covers, but for command lines and headings. Blank lines are trimmed by who has the text."""
        read = {line for b in self.blocks for line in (b.command_line, b.heading_line) if line}
        spans = sorted([b.lines for b in self.blocks] + [(line, line) for line in read])
        gaps, at = [], 1
        for first, last in spans:
            if first > at:
                gaps.append((at, first - 1))
            at = max(at, last + 1)
        if at <= self.n_lines:
            gaps.append((at, self.n_lines))
        return gaps


def _is_listing(block: Block) -> bool:
    """A process table without rows or without memory is beside a run all the same."""
    return "processes" in block.values and not block.records
