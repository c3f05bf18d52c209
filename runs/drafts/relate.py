"""Relates the blocks of a text: configs, hosts, repeats, and which captures belong to which run.

All of it is a guess from headings, prompts, commands and the order of the text, which can be changed in the preview. Nothing is
dropped: what belongs to no run or config belongs to the experiment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from parsers.blocks import Block
from parsers.patterns import forget_lines
from parsers.records import ConfigText, LoadResult, ProcessSample, SystemSample, Timings
from parsers.transcript import width
from parsers.written_rates import RATE
from runs.analysis.monitors import find_stated_limit
from runs.series.samples import make_short_records

from .answers import note_answers, note_beforehand, note_shown, number_sections
from .boilerplate import SUBJECT, heading_level, is_boilerplate, strip_markup, tell_files_apart
from .captions import label_by_remarks, move_captions, name_in_order
from .capture_parts import split_captures
from .captures import place_captures, place_texts
from .conditions import note_conditions
from .config_names import ConfigNames
from .draft import (
    MAX_NAME,
    Draft,
    DraftExperiment,
    DraftHost,
    DraftRun,
    DraftTiming,
    list_items,
    list_names,
    number_repeats,
)
from .duplicates import find_backed_figures, find_duplicate_loads, find_duplicate_monitors
from .heading_groups import merge_items, raise_items
from .heading_words import DESCRIBES_HOST, find_repeat, is_generic, is_sentence, is_short, is_warm_up, speaks
from .hosts import Sighting, add_stated_facts, find_hosts, find_sightings, split_by_machine
from .left_out import cut_corrections, find_left_out, note_retracted
from .load_groups import fill_in_loops, join_parts
from .names import shorten
from .not_as_named import note_generators
from .rankings import note_claims, note_failures
from .recordings import Recording, place_recorded
from .sentences import join_labels_and_values, merge_lists_of_settings
from .stated_hosts import find_listed_facts, find_stated_host, find_stated_hosts
from .stated_requests import note_requests, note_scripts, note_tables

_COMPARES = re.compile(
    r"比較|負荷|ベンチマーク|性能|検証|\bvs\.?\b|\bversus\b|compar|benchmark|performance|\bload test|porówn|wydajno|speed"
    r"|vergleich",
    re.IGNORECASE,
)
_SENTENCE_ENDS = (".", "。", "!", "！", "ます", "です", "ました", ",", "、", "如下", "所示", "니다")
_LIST_MARKS = ("・", "•", "- ", "* ")
_TELLS_STEP = (
    re.compile(  # what a script says: "bench [20 ms]:", "Results: out/nginx", "Run: threads=2, connections=100"
        r"\[[^\]\[]*\d[^\]\[]*\]\s*:?$|:\s\S*\w/\w\S*$|(?:\b\w{1,30}=\w{1,30}(?:,\s|$)){2,9}$"
    )
)
# A line of a file or of a machine's description that is shown before the first load test, or an amount: "Clients: 16".
_SETTING = re.compile(r"[\w.-]+(?:\s*=|:\s\w+:)\s*\S|[\w .-]{1,24}:\s{1,9}\d[\d.,]*\s?\S{0,8}$")
_TELLS_RATE = re.compile(rf"\d\s?[kKM]?\s?{RATE}", re.IGNORECASE)
_MAX_TITLE_WIDTH = 140
_N_TITLE_LINES = 15  # among which a title is looked for
_MAX_PREAMBLE = 8  # in a longer one the first line need not be the title


def relate(blocks: list[Block], n_lines: int, recording: Recording | None = None) -> Draft:
    """The draft of one text. A text that bd recorded has no quotes: equal reports are separate runs."""
    try:
        draft = _Relation(blocks, n_lines, recording is not None).draft()
    finally:
        forget_lines()
    if recording is not None:
        place_recorded(draft, recording)
    return draft


class _Relation:
    def __init__(self, blocks: list[Block], n_lines: int, is_recorded: bool = False) -> None:
        self.blocks = blocks
        self.n_lines = n_lines
        _narrow_gaps(blocks)
        records = [make_short_records(block) for block in blocks]
        kinds = [set(map(type, of_block)) for of_block in records]
        self.loads = [i for i, kind in enumerate(kinds) if LoadResult in kind]
        # They name nothing: a table's titles are its own.
        self.tabled = find_backed_figures(blocks, records, self.loads) if len(self.loads) > 1 else {}
        _give_back_lines(blocks, self.tabled)
        may_quote = len(self.loads) > 1 and not is_recorded
        self.parts = join_parts(blocks, [i for i in self.loads if i not in self.tabled]) if may_quote else {}
        for index in {*self.parts.values()}:
            records[index] = make_short_records(blocks[index])
        self.loads = [i for i in self.loads if i not in self.tabled and i not in self.parts]
        self.load_set = set(self.loads)
        several = len(self.loads) > 1
        tell_files_apart(block.trail for block in blocks)
        self.corrections = cut_corrections(blocks) if several else {}
        if len(blocks) > 1:
            raise_items([block.trail for block in blocks])
            merge_items([blocks[i].trail for i in self.loads])
        merge_lists_of_settings(blocks)
        join_labels_and_values(blocks, self.loads)
        move_captions(blocks, self.loads)
        self.monitors = [i for i, kind in enumerate(kinds) if _is_monitor(blocks[i], kind)]
        self.texts = [i for i, kind in enumerate(kinds) if ConfigText in kind]
        self.timings = [i for i, kind in enumerate(kinds) if Timings in kind]
        fill_in_loops(blocks, self.load_set)
        if several:
            label_by_remarks([blocks[i] for i in self.loads])
        note_requests([blocks[i] for i in self.loads])
        note_tables(blocks, self.loads)
        self.scripts = note_scripts(blocks, {*self.texts}, self.load_set)
        note_shown(blocks, self.load_set)
        note_answers(blocks, self.load_set)
        note_beforehand(blocks, self.load_set)
        self.duplicates = find_duplicate_loads(blocks, records, self.loads) if may_quote else {}
        if several:
            name_in_order(blocks, [i for i in self.loads if i not in self.duplicates])
        if self.monitors and not is_recorded:
            self.duplicates |= find_duplicate_monitors(blocks, records, self.monitors)
        self.sightings = find_sightings(blocks, records)
        self._collect_quotes()

    def _collect_quotes(self) -> None:
        """By load test: its quotes, and rates in tables that repeat its rate."""
        self.quotes: dict[int, list[int]] = defaultdict(list)
        for quote, source in self.duplicates.items():
            self.quotes[source].append(quote)
            self.blocks[source].take_command(self.blocks[quote])
        for part, first in self.parts.items():
            self.quotes[first].append(part)
        self.cells: dict[int, list[int]] = defaultdict(list)
        for cell, source in self.tabled.items():
            self.cells[self.duplicates.get(source, source)].append(cell)

    def draft(self) -> Draft:
        first_load = self.loads[0] if self.loads else len(self.blocks)
        first_ram = next((s.index for s in self.sightings if s.ram_kb), 0)
        sources = [i for i in self.loads if i not in self.duplicates]
        draft = self._relate_parts(split_by_machine(self.sightings, sources, first_load < first_ram))
        if len(draft.experiments) > 1 and all(len(each.configs) == 1 for each in draft.experiments):
            joined = self._relate_parts([range(len(self.blocks))])
            [whole] = joined.experiments
            alike = all(run.method.agrees(whole.runs[0].method) for run in whole.runs)
            if alike and len(whole.configs) == len(draft.experiments):
                return joined  # one config on several machines: these are compared
        return draft

    def _relate_parts(self, parts: Sequence[range]) -> Draft:
        draft = Draft()
        n_configs = 0
        for number, part in enumerate(parts, start=1):
            if any(self.blocks[i].values for i in part):
                experiment = self._relate_part(f"e{number}", part, n_configs, draft)
                n_configs += len(experiment.configs)
                draft.experiments.append(experiment)
        draft.unread = self._find_unread_spans(draft)
        return draft

    def _relate_part(self, key: str, part: range, n_configs: int, draft: Draft) -> DraftExperiment:
        loads = [i for i in self.loads if self.duplicates.get(i, i) in part]  # a quote goes with what it quotes
        sightings = [self.sightings[i] for i in part]
        hosts, host_of = self._find_hosts(loads, sightings, len(draft.hosts) + 1)
        draft.hosts += hosts
        first = host_of.get(loads[0], hosts[0].key if hosts else "") if loads else hosts[0].key if hosts else ""
        experiment = DraftExperiment(key=key, name="", host=first)
        texts = [i for i in self.texts if i in part]
        host_names = {host.key: host.name for host in hosts}
        machines = {load: host_names[host_of[load]] for load in loads if host_of.get(load) and len(hosts) > 1}
        prompts = {host_of[i]: name for i in loads if i in host_of and (name := self.blocks[i].prompt_host)}
        prompt_hosts = {
            i: name for i in loads if (name := self.blocks[i].prompt_host or prompts.get(host_of.get(i, first)))
        }
        named = [i for i in texts if i not in self.scripts]  # a load generator's script sets nothing of a config
        names = ConfigNames(self.blocks, loads, named, self.duplicates, n_configs, machines, prompt_hosts)
        self._add_runs(experiment, loads, names)
        for run in experiment.runs:
            run.host = host_of.get(run.block, "")
        if len(names.configs) > 1 and not any(sighting.facts or sighting.name for sighting in sightings):
            self._add_stated_hosts(experiment, names, draft, hosts)
        if texts:
            place_texts(experiment, self.blocks, texts, names.results, names.heading_lines)
        if len(names.configs) > 1:
            shown = [(names.names[text.config], text.path, text.text) for text in experiment.texts if text.config]
            name_of = {load: names.names[names.config_of(load)] for load in loads}
            note_conditions(self.blocks, name_of, shown)
            note_claims(self.blocks, name_of)
            note_failures(self.blocks, name_of)
        if monitors := [i for i in self.monitors if i in part and i not in self.duplicates]:
            by_heading, lines = names.configs_by_heading, names.heading_lines
            shared = place_captures(experiment, self.blocks, monitors, self.quotes, host_of, by_heading, lines)
            split_captures(experiment, self.blocks, shared)
        experiment.configs = names.configs
        experiment.timings = [DraftTiming(f"b{i}", self.blocks[i].lines) for i in self.timings if i in part]
        # What stands above a sentence with a rate was given to the block below it.
        own = [i for i in part if i not in self.tabled or "said" not in self.blocks[i].values]
        experiment.name = name_experiment(self.blocks, own, names, is_first=part.start == 0)
        if experiment.timings and not list_items(experiment):
            experiment.name = name_timings(self.blocks[int(experiment.timings[0].key[1:])])
        return experiment

    def _find_hosts(
        self, loads: Sequence[int], sightings: Sequence[Sighting], first_number: int
    ) -> tuple[list[DraftHost], dict[int, str]]:
        """The machines of one experiment, and {block number: key of its host}. Load tests keep their load generator."""
        results = [r for i in loads for r in self.blocks[i].load_results]
        hosts, host_of = find_hosts(sightings, loads, results, first_number, number_sections(self.blocks))
        if len(hosts) < 2 and loads and len(sightings) == len(self.blocks):
            facts = find_listed_facts(block.trail for block in self.blocks)
            hosts = add_stated_facts(hosts, facts, f"h{first_number}")
        note_generators(self.blocks, {i: self.sightings[i].generator or "" for i in loads}, hosts)
        return hosts, host_of

    def _add_stated_hosts(
        self, experiment: DraftExperiment, names: ConfigNames, draft: Draft, guessed: Sequence[DraftHost]
    ) -> None:
        """The machines that configs are named after, if the text describes them."""
        prose = (text for block in self.blocks for _, text in block.trail)
        stated = {
            name: DraftHost(f"h{number}", facts.name or "", cores=facts.cores, ram_kb=facts.ram_kb)
            for number, (name, facts) in enumerate(
                find_stated_hosts(prose, names.machine_names).items(), start=len(draft.hosts) + 1
            )
        }
        if stated:
            draft.hosts = [host for host in draft.hosts if host not in guessed] + [*stated.values()]
            experiment.host = next(iter(stated.values())).key
        for run in experiment.runs if stated else ():
            run.host = stated[names.names[run.config]].key

    def _add_runs(self, experiment: DraftExperiment, loads: Sequence[int], names: ConfigNames) -> None:
        """The runs in the order of the text, each at its full report."""
        sources = [index for index in loads if index not in self.duplicates]
        config_of = {index: names.config_of(index) for index in sources}
        first, retracted = find_left_out(self.blocks, config_of, names.method_of, self.corrections)
        warm_ups = names.warm_ups | first
        left_out = warm_ups | names.examples | retracted
        note_retracted(self.blocks, config_of, retracted, left_out)
        prose = {line: text for block in self.blocks for line, text in block.trail}
        for index in sources:
            block = self.blocks[index]
            config = names.config_of(index)
            label, note = self._label_and_note(index, names.names[config], prose.get(names.heading_lines[index], ""))
            n_results = len(block.load_results)
            for number in range(n_results):
                experiment.runs.append(
                    DraftRun(
                        key=f"b{index}" if n_results == 1 else f"b{index}.{number}",
                        config=config,
                        label=label,
                        note=note,
                        repeat=0 if index in warm_ups else 1,
                        lines=block.find_row_lines(number),
                        quotes=[self.blocks[q].lines for q in [*self.quotes[index], *self.cells[index]]],
                        counted=index not in left_out,
                        method=names.method_of(index),
                    )
                )

        number_repeats(experiment.runs)

    def _label_and_note(self, index: int, config_name: str, naming: str) -> tuple[str, str]:
        """(label of the run in the text, the sentence above it if that is not the label). naming: what names its config."""
        label, note = self._find_label(index, config_name)
        if find_stated_limit(naming) and not find_stated_limit(label, note):
            note = strip_markup(naming)  # "MaxClients 50": a number that is the load's, too, is in no name
        return label, note

    def _find_label(self, index: int, config_name: str) -> tuple[str, str]:
        """The same, without a limit that the line which names the config sets."""
        block = self.blocks[index]
        heading = next((text for _, text in reversed(block.trail) if not is_boilerplate(text)), "")
        is_title = len(self.loads) > 1 and block.trail[:1] == [(1, heading)] and find_repeat(heading) is None
        if is_title and config_name.lower() not in heading.lower():
            heading = ""
        if block.label:
            return self._join_label(index, config_name), ""
        for quote in self.quotes[index]:
            if find_repeat(self.blocks[quote].label or "") is not None:
                return self._join_label(quote, config_name), heading
        if not heading:
            return config_name, ""
        if is_generic(heading) and find_repeat(heading) is None and "。" not in heading:
            return config_name, "" if strip_markup(heading) == config_name else heading
        if not is_sentence(heading):
            return strip_markup(heading), ""
        short = next(
            (text for _, text in reversed(block.trail) if not is_sentence(text) and not is_boilerplate(text)), ""
        )
        if short and not is_generic(short):
            return strip_markup(short), heading
        return shorten(heading), "" if is_short(heading) else heading

    def _join_label(self, index: int, config_name: str) -> str:
        """ "nginx · 2nd run": the heading, where it names something, and what stands before the figure."""
        heading, label = self.blocks[index].heading or "", strip_markup(self.blocks[index].label or "")
        is_alone = label == config_name or is_generic(heading) or is_sentence(heading)
        return label if is_alone else f"{strip_markup(heading)} · {label}"

    def _find_unread_spans(self, draft: Draft) -> list[tuple[int, int]]:
        """The lines that no block covers but commands, headings and names. Blank lines are left out where the text is known."""
        named = list_names(draft)
        spans = []
        for index, block in enumerate(self.blocks):
            if self.tabled.get(index) == -1 and not block.problems:
                continue  # times of no run
            spans.append(block.lines)
            spans += [(line, line) for line, text in block.trail if text in named or strip_markup(text) in named]
            for line in (block.command_line, block.heading_line):
                if line:
                    spans.append((line, line))
        gaps, at = [], 1
        for first, last in [*sorted(spans), (self.n_lines + 1, self.n_lines + 1)]:
            if first > at:
                gaps.append((at, first - 1))
            at = max(at, last + 1)
        return gaps


_GAP = re.compile(r"\s{20,}")


def _narrow_gaps(blocks: Sequence[Block]) -> None:
    """Reduce white space in headings to one blank: patterns of names would try each blank."""
    for block in blocks:
        for lines in (block.trail, block.tail):
            if any(_GAP.search(text) for _, text in lines):
                lines[:] = [(line, _GAP.sub(" ", text)) for line, text in lines]
        if block.heading and _GAP.search(block.heading):
            block.heading = _GAP.sub(" ", block.heading)


_FIRST_GIVEN, _MOST_GIVEN = 3, 200  # lines: a title, and the last ones


def _is_monitor(block: Block, kinds: set[type]) -> bool:
    """Whether a block is of a monitor, which a process table without rows or without memory is, too."""
    return bool(kinds & {SystemSample, ProcessSample}) or (not kinds and "processes" in block.values)


def _give_back_lines(blocks: Sequence[Block], tabled: Collection[int]) -> None:
    """Sentences with rates, and what stands above them, are lines above what follows them, where the text has reports."""
    for index in sorted(tabled):
        block, following = blocks[index], blocks[index + 1] if index + 1 < len(blocks) else None
        said = block.values.get("said")
        if following is None or said is None:
            continue
        line = [(block.first, str(said))] if (block.first, said) not in block.trail else []
        given = [*block.trail, *line, *following.trail]
        # Sentences in turn give them on and on.
        block.trail, following.trail = [], [*given[:_FIRST_GIVEN], *given[_FIRST_GIVEN:][-_MOST_GIVEN:]]
        if (following.heading_line or 0) < block.first:
            following.heading_line, following.heading = block.first, str(said)


def name_experiment(blocks: Sequence[Block], part: Sequence[int], named: ConfigNames, *, is_first: bool) -> str:
    """The title of the text, otherwise the common part and the names of the configs.

    part: numbers of the experiment's blocks; is_first: of the experiments in the text.
    """
    headings, shared, configs = named.renamed, named.shared, named.configs
    groups = {config.group for config in configs if config.group}
    names = [config.name for config in configs]
    requests = {str(blocks[index].values.get("told_request")) for index in part}
    taken = {*headings, *requests, *(names if len(names) > 1 else ()), *(groups if len(groups) > 1 else ())}
    trail = [text for _, text in blocks[part[0]].trail] if part else []
    levels = [level for index in part for _, text in blocks[index].trail if (level := heading_level(text))]
    is_top = min(levels, default=1) == 1 or levels.count(min(levels)) == 1  # otherwise it is one of several sections
    if trail and (name := strip_markup(_find_title(trail, taken, groups, is_first, is_top))[:MAX_NAME]):
        return name
    if len(groups) > 1:  # of "10 connections · nginx" only "nginx" is told
        names = list(dict.fromkeys(config.name.removeprefix(f"{config.group} · ") for config in configs))
    if len(names) > 2:
        return f"{shared}{names[0]}, {names[1]} and {len(names) - 2} more"[:MAX_NAME]
    return f"{shared if len(names) > 1 else ''}{' and '.join(names)}"[:MAX_NAME] or "Monitors"


def _find_title(
    trail: Sequence[str], taken: Collection[str], groups: Collection[str], is_first: bool, is_top: bool
) -> str:
    subject = next((match["subject"] for text in trail if (match := SUBJECT.search(text))), None)
    if subject and is_first:
        return subject.strip("\"'")
    lines = [text for text in trail if not is_boilerplate(text) and not is_warm_up(text)]
    phrases = [text for text in lines if not (text.rstrip().endswith(_SENTENCE_ENDS) or speaks(text))]
    titles = [
        text
        for text in phrases
        if width(text) <= _MAX_TITLE_WIDTH
        and strip_markup(text) not in {*taken, *groups}
        and not (_SETTING.match(text) or _TELLS_RATE.search(text) or find_stated_host(text).name)
    ]
    if not is_first:
        return titles[-1] if titles and len(trail) <= 3 and not is_generic(titles[-1]) else ""
    top = lines[0] if lines else ""
    names_all = top in phrases and not is_generic(top) and strip_markup(top) not in taken
    if names_all and top == trail[0] and heading_level(top) and is_top:
        return top
    compares = (text for text in titles if text in lines[:_N_TITLE_LINES] and _COMPARES.search(text))
    if chosen := next((each for each in compares if not (DESCRIBES_HOST.search(each) or _TELLS_STEP.search(each))), ""):
        return chosen
    is_preamble = len(lines) <= _MAX_PREAMBLE and not top.startswith(_LIST_MARKS)
    is_section = heading_level(top) and not is_top
    return top if is_preamble and top in titles and not is_generic(top) and not is_section else ""


def name_timings(block: Block) -> str:
    """The name of an experiment that has only times of single requests."""
    tool = next((record.tool for record in block.records if isinstance(record, Timings)), "")
    return f"Single requests of {tool}" if tool else ""
