"""Relates the blocks of a text: what was compared, on which host, how often, and which captures belong to which run.

Everything here is a guess from headings, prompts, commands and the order of the text; the preview page shows it and lets it
be changed. Nothing is dropped: what belongs to no run or config belongs to the experiment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from statistics import mean, median

from parsers import Block, ConfigText, LoadResult, ProcessSample, SystemSample, Timings, semantics_of
from parsers.records import Problem, Record
from parsers.tables import Table

from .asides import is_aside
from .captures import FoldedBlock, place_captures, place_texts, short_records
from .config_names import ConfigNames, name_experiment, name_timings, shorten
from .draft import Draft, DraftExperiment, DraftHost, DraftRun, DraftTiming, items_of, number_repeats
from .heading_words import (
    find_repeat,
    heading_level,
    is_generic,
    is_sentence,
    is_short,
    strip_markup,
)
from .hosts import find_hosts, find_sighting, find_told_hosts, split_by_machine
from .recorded import Recording, place_recorded
from .variants import fill_in_loops

_NOT_COMPARED = frozenset({"iteration", "processes", "n_processes", "sum_res_kb", "sum_rss_kb", "n_rows", "warnings"})
_MANY_DIGITS = 6  # signs of a rate to which no second run comes
_MAX_ALIKE = 50  # what more blocks than this have in common is no sign of a duplicate
_MAX_AVERAGED, _MOST_REPEATS = 300, 10  # reports of which means are looked for, and of how many together
_LEAST_DIGITS = 200  # a rate of at least so many of its last digit
_EXACT_FIGURES = 3
_FULL_REPORT = 8  # figures from which on a report is not a quotation


def relate(blocks: list[Block], n_lines: int, recording: Recording | None = None) -> Draft:
    """The draft of one text. One that bd recorded quotes nothing: what looks the same was measured again."""
    draft = _Relation(blocks, n_lines, recording is not None).draft()
    if recording is not None:
        place_recorded(draft, recording)
    return draft


class _Relation:
    def __init__(self, blocks: list[Block], n_lines: int, is_recorded: bool = False) -> None:
        self.blocks = blocks
        self.n_lines = n_lines
        records = [short_records(block) for block in blocks]
        kinds = [set(map(type, of_block)) for of_block in records]
        self.loads = [i for i, kind in enumerate(kinds) if LoadResult in kind]
        self.tabled = find_backed_figures(
            blocks, records, self.loads
        )  # they name nothing: a table's titles are its own
        self.loads = [i for i in self.loads if i not in self.tabled]
        self.load_set = set(self.loads)
        # A process table without rows or without memory belongs to a run all the same.
        self.monitors = [
            i
            for i, kind in enumerate(kinds)
            if kind & {SystemSample, ProcessSample} or (not kind and "processes" in blocks[i].values)
        ]
        self.texts = [i for i, kind in enumerate(kinds) if ConfigText in kind]
        self.timings = [i for i, kind in enumerate(kinds) if Timings in kind]
        fill_in_loops(blocks, self.load_set)
        label_by_remarks([blocks[i] for i in self.loads])
        may_quote = len(self.loads) > 1 and not is_recorded
        self.duplicates = find_duplicate_loads(blocks, records, self.loads) if may_quote else {}
        if self.monitors and not is_recorded:
            self.duplicates |= find_duplicate_monitors(blocks, records, self.monitors)
        self.sightings = [find_sighting(i, block, records[i]) for i, block in enumerate(blocks)]
        self.quotes: dict[int, list[int]] = defaultdict(list)
        for quote, source in self.duplicates.items():
            self.quotes[source].append(quote)
        self.cells: dict[int, list[int]] = defaultdict(list)
        for cell, source in self.tabled.items():
            self.cells[self.duplicates.get(source, source)].append(cell)

    def draft(self) -> Draft:
        draft = Draft(unread=self._unread_spans())
        first_load = self.loads[0] if self.loads else len(self.blocks)
        first_ram = next((s.index for s in self.sightings if s.ram_kb), 0)
        sources = [i for i in self.loads if i not in self.duplicates]
        n_configs = 0
        for number, part in enumerate(split_by_machine(self.sightings, sources, first_load < first_ram), start=1):
            if part:
                experiment = self._relate_part(f"e{number}", part, n_configs, draft)
                n_configs += len(experiment.configs)
                draft.experiments.append(experiment)
        return draft

    def _relate_part(self, key: str, part: range, n_configs: int, draft: Draft) -> DraftExperiment:
        loads = [i for i in self.loads if self.duplicates.get(i, i) in part]  # a quote goes with what it quotes
        results = [r for i in loads for r in self.blocks[i].load_results]
        sightings = [self.sightings[i] for i in part]
        hosts, host_of = find_hosts(sightings, loads, results, len(draft.hosts) + 1, number_sections(self.blocks))
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
        names = ConfigNames(self.blocks, loads, texts, self.duplicates, n_configs, machines, prompt_hosts)
        self._add_runs(experiment, loads, names)
        for run in experiment.runs:
            run.host = host_of.get(run.block, "")
        if not any(sighting.facts or sighting.name for sighting in sightings):
            self._add_told_hosts(experiment, names, draft, hosts)
        if texts:
            place_texts(experiment, self.blocks, texts, names.results)
        if monitors := [i for i in self.monitors if i in part and i not in self.duplicates]:
            by_heading, lines = names.configs_by_heading, names.heading_lines
            place_captures(experiment, self.blocks, monitors, self.quotes, host_of, by_heading, lines)
        experiment.configs = names.configs
        experiment.timings = [DraftTiming(f"b{i}", self.blocks[i].lines) for i in self.timings if i in part]
        experiment.name = name_experiment(self.blocks, part, names.configs, names.renamed, is_first=part.start == 0)
        if experiment.timings and not items_of(experiment):
            experiment.name = name_timings(self.blocks[int(experiment.timings[0].key[1:])])
        return experiment

    def _add_told_hosts(
        self, experiment: DraftExperiment, names: ConfigNames, draft: Draft, guessed: Sequence[DraftHost]
    ) -> None:
        """The machines that the configs are named after, where the text tells what they have."""
        prose = (text for block in self.blocks for _, text in block.trail)
        told = find_told_hosts(prose, names.machine_names, len(draft.hosts) + 1)
        if told:
            draft.hosts = [host for host in draft.hosts if host not in guessed] + [*told.values()]
            experiment.host = next(iter(told.values())).key
        for run in experiment.runs if told else ():
            run.host = told[names.names[run.config]].key

    def _add_runs(self, experiment: DraftExperiment, loads: Sequence[int], names: ConfigNames) -> None:
        """The runs in the order of the text, each where its full figures are."""
        for index in loads:
            if index in self.duplicates:
                continue
            block = self.blocks[index]
            config = names.config_of(index)
            label, note = self._label_and_note(index, names.names[config])
            n_results = len(block.load_results)
            for number in range(n_results):
                experiment.runs.append(
                    DraftRun(
                        key=f"b{index}" if n_results == 1 else f"b{index}.{number}",
                        config=config,
                        label=label,
                        note=note,
                        repeat=0 if index in names.warm_ups else 1,
                        lines=block.lines,
                        quotes=[self.blocks[q].lines for q in [*self.quotes[index], *self.cells[index]]],
                        counted=index not in names.warm_ups,
                        method=names.method_of(index),
                    )
                )

        by_config: dict[str, list[DraftRun]] = defaultdict(list)
        for run in experiment.runs:
            by_config[run.config].append(run)
        for own in by_config.values():
            number_repeats(own)

    def _label_and_note(self, index: int, config_name: str) -> tuple[str, str]:
        """(the document's own label of the run, the sentence above it where that is not the label)."""
        block = self.blocks[index]
        heading = next((text for _, text in reversed(block.trail) if not is_aside(text)), "")
        if block.label:
            return self._join_label(index, config_name), ""
        for quote in self.quotes[index]:
            if find_repeat(self.blocks[quote].label or "") is not None:
                return self._join_label(quote, config_name), heading
        if not heading:
            # The block before, a text or a monitor, may have the number of this run ("run 2") as its heading.
            is_below_other = index > 0 and index - 1 not in self.load_set
            is_same = is_below_other and self.blocks[index - 1].heading == block.heading
            is_numbered = is_same and find_repeat(block.heading or "") is not None
            return (strip_markup(block.heading or "") if is_numbered else config_name), ""
        if is_generic(heading) and find_repeat(heading) is None and "。" not in heading:
            return config_name, "" if strip_markup(heading) == config_name else heading
        if not is_sentence(heading):
            return strip_markup(heading), ""
        short = next((text for _, text in reversed(block.trail) if not is_sentence(text) and not is_aside(text)), "")
        if short and (is_generic(heading) or not is_generic(short) or find_repeat(short)):
            return strip_markup(short), heading
        return shorten(heading), "" if is_short(heading) else heading

    def _join_label(self, index: int, config_name: str) -> str:
        """ "nginx · 2nd run": the heading, where it names something, and what stands before the figure."""
        heading, label = self.blocks[index].heading or "", strip_markup(self.blocks[index].label or "")
        is_alone = label == config_name or is_generic(heading) or is_sentence(heading)
        return label if is_alone else f"{strip_markup(heading)} · {label}"

    def _unread_spans(self) -> list[tuple[int, int]]:
        """The lines that no block covers, except commands and headings. Blank lines are left out where the text is known."""
        spans = []
        for block in self.blocks:
            spans.append(block.lines)
            for line in (block.command_line, block.heading_line):
                if line:
                    spans.append((line, line))
        gaps, at = [], 1
        for first, last in [*sorted(spans), (self.n_lines + 1, self.n_lines + 1)]:
            if first > at:
                gaps.append((at, first - 1))
            at = max(at, last + 1)
        return gaps


def label_by_remarks(loads: Sequence[Block]) -> None:
    """Rates in a line each that only a remark behind tells apart are labelled by it: "(with cache)", "(without cache)"."""
    told: list[Block] = []
    for one, other in pairwise(loads):
        if one.kind == other.kind and one.remark and other.remark and one.remark != other.remark and not other.label:
            told += [one, other]
    for block in told:
        block.label = block.label or block.remark


def number_sections(blocks: Sequence[Block]) -> dict[int, int]:
    """{block's number: number of its section}: one begins with each heading, and with each line that is a name."""
    numbers: dict[int, int] = {}
    number = 0
    for index, block in enumerate(blocks):
        number += any(
            heading_level(text) or not (is_generic(text) or is_aside(text) or is_sentence(text))
            for _, text in block.trail
        )
        numbers[index] = number
    return numbers


# --- duplicates --------------------------------------------------------------------------------------------------------


def find_duplicate_loads(
    blocks: Sequence[Block], records: Sequence[list[Record]], loads: Sequence[int]
) -> dict[int, int]:
    """{number of a block that repeats figures (a teaser, a translation): number of the block whose figures they are}."""
    by_rate: dict[tuple[str, float], list[int]] = {}
    results: dict[int, LoadResult] = {}
    explained: list[int] = []
    for index in loads:
        result = next((r for r in records[index] if isinstance(r, LoadResult)), None)
        if result and result.requests_per_second and not _is_log(blocks[index]):
            results[index] = result
            by_rate.setdefault((result.tool, result.requests_per_second), []).append(index)
        if result and blocks[index].partial:  # lines of a report that somebody explains one by one
            explained.append(index)
    wholes: dict[str, list[int]] = {}  # by tool
    for index, result in results.items():
        if not blocks[index].partial:
            wholes.setdefault(result.tool, []).append(index)
    whole_of = {i: wholes.get(blocks[i].kind, []) for i in explained}
    parts = [[i, *own] for i, own in whole_of.items() if len(own) < _MAX_ALIKE]
    quotes = _find_quotes(blocks, [*by_rate.values(), *parts], _is_same_load)
    whole = {
        result.requests_per_second: i for i, result in results.items() if not blocks[i].partial and i not in quotes
    }
    for index, result in results.items():
        source = whole.get(result.requests_per_second) if blocks[index].partial and index not in quotes else None
        if source is not None and _has_figures_of(result, results[source]):
            quotes[index] = source
    return quotes


def _has_figures_of(result: LoadResult, other: LoadResult) -> bool:
    """Whether a part of a report has a whole one's figures, although its lines are those of another tool, too."""
    times = [(getattr(result, name), getattr(other, name)) for name in ("duration_s", "mean_ms", "min_ms", "max_ms")]
    alike = [own == its for own, its in times if own is not None]
    return len(f"{result.requests_per_second:.15g}") > _MANY_DIGITS and len(alike) > 1 and all(alike)


def find_backed_figures(
    blocks: Sequence[Block], records: Sequence[list[Record]], loads: Sequence[int]
) -> dict[int, int]:
    """{number of a block whose rate somebody wrote down: number of the report that has it, rounded, or the first of those
    whose mean or median it is}. -1 where the text has reports, but none of this rate: by which tool it came, nobody knows."""
    results = {i: next(r for r in records[i] if isinstance(r, LoadResult)) for i in loads}
    written = [i for i, result in results.items() if semantics_of(result.tool).quotes_others]
    others = results.keys() - set(written)
    measured = [(i, rate) for i, result in results.items() if i in others and (rate := result.requests_per_second)]
    if not written or not measured:
        return {}
    single = sorted((rate, i) for i, rate in measured)
    averages = sorted(_average_rates(measured[:_MAX_AVERAGED]))
    backed: dict[int, int] = {}
    for index in written:
        rate, step = results[index].requests_per_second or 0.0, float(blocks[index].values.get("rate_step_per_s", 0))
        is_fine = step <= rate / _LEAST_DIGITS  # of few digits, a mean of some reports or other would agree with it
        source = _find_near(single, rate, step) or (_find_near(averages, rate, step) if is_fine else None)
        backed[index] = source[1] if source is not None else -1
        if source is None:
            left_out = Problem(blocks[index].first, "this rate is of none of the text's reports, and was left out")
            blocks[index].problems += [left_out] if left_out not in blocks[index].problems else []
    return backed


def _average_rates(measured: Sequence[tuple[int, float]]) -> Iterator[tuple[float, int]]:
    """(mean or median, number of the first) of reports that stand together or in turn with others."""
    for first, stride in product(range(len(measured)), (1, 2, 3, 4)):
        rates = [rate for _, rate in measured[first::stride][:_MOST_REPEATS]]
        for n in range(2, len(rates) + 1):
            yield mean(rates[:n]), measured[first][0]
            yield median(rates[:n]), measured[first][0]


def _find_near(rates: Sequence[tuple[float, int]], rate: float, step: float) -> tuple[float, int] | None:
    """The first of the sorted rates that gives `rate` when its digits below `step` are rounded or cut off."""
    at = bisect_left(rates, (rate - 0.501 * step, -1))
    return rates[at] if at < len(rates) and rates[at][0] < rate + step else None


def find_duplicate_monitors(
    blocks: Sequence[Block], records: Sequence[list[Record]], monitors: Iterable[int]
) -> dict[int, int]:
    """The same for monitors: the same screen or listing printed twice, whole or in part."""
    by_sign: dict[object, list[int]] = {}
    for index in monitors:
        for sign in dict.fromkeys(_monitor_signs(blocks[index], records[index])):
            by_sign.setdefault((blocks[index].kind, sign), []).append(index)
    return _find_quotes(blocks, by_sign.values(), _is_same_monitor)


def _is_log(block: Block) -> bool:
    """Whether each run of the block is logged with its own time."""
    rows = block.values.get("rows")
    return isinstance(rows, list) and any("date_time" in row for row in rows)


def _find_quotes(
    blocks: Sequence[Block], groups: Iterable[list[int]], is_same: Callable[[Block, Block], bool]
) -> dict[int, int]:
    """{quote: source}, where the source is no quote itself. groups: numbers of blocks that may be the same."""
    sources: dict[int, int] = {}
    different: set[tuple[int, int]] = set()
    for group in groups:
        if not 2 <= len(group) <= _MAX_ALIKE:
            continue
        fullest = sorted(group, key=lambda i: (-_count_figures(blocks[i]), i))
        for place, index in enumerate(fullest):
            for source in fullest[:place] if index not in sources else ():
                if source in sources or (index, source) in different:
                    continue
                if is_same(blocks[index], blocks[source]):
                    sources[index] = source
                    break
                different.add((index, source))
    return {quote: _follow(quote, sources) for quote in sources}


def _follow(quote: int, sources: Mapping[int, int]) -> int:
    """What a quote of a quote quotes. Sources are fuller or earlier, so that this ends."""
    while quote in sources:
        quote = sources[quote]
    return quote


def _count_figures(block: Block) -> int:
    table = block.values.get("processes")
    return len(block.values) + (len(table) if isinstance(table, Table) else 0)


def _is_same_load(shorter: Block, fuller: Block) -> bool:
    """Whether every figure is in the fuller report too; of equal size, they must be full or have the same heading."""
    values, others = shorter.values, fuller.values
    if any(others.get(name) != value for name, value in values.items() if name not in _NOT_COMPARED):
        return False
    if (
        len(values) == len(others) >= _FULL_REPORT
        and None is not shorter.command_line != fuller.command_line is not None
    ):
        # Somebody typed a command for each: two runs, unless the same lines were pasted again.
        is_pasted = shorter.heading == fuller.heading or (
            _is_exact(shorter) and not heading_level(shorter.heading or "")
        )
        return shorter.command == fuller.command and is_pasted and _n_lines(shorter) == _n_lines(fuller)
    return len(others) >= _FULL_REPORT or (len(values) == len(others) and shorter.heading == fuller.heading)


def _is_exact(block: Block) -> bool:
    """Whether no second run comes to the same figures: several have five digits and more."""
    figures = [value for value in block.values.values() if isinstance(value, float)]
    return sum(len(f"{figure:.15g}".strip("0.").replace(".", "")) > 4 for figure in figures) >= _EXACT_FIGURES


def _n_lines(block: Block) -> int:
    return block.last - block.first


def _is_same_monitor(shorter: Block, fuller: Block) -> bool:
    if isinstance(shorter, FoldedBlock) or isinstance(fuller, FoldedBlock):
        return isinstance(shorter, FoldedBlock) and isinstance(fuller, FoldedBlock)  # their sign is all samples' digest
    values, others = shorter.values, fuller.values
    compared = (name for name in values if name not in _NOT_COMPARED and name != "columns")
    if any(others.get(name) != values[name] for name in compared):
        return False
    rows, other_rows = values.get("processes"), others.get("processes")
    if isinstance(rows, Table) and isinstance(other_rows, Table):
        if len(rows) != len(other_rows) and shorter.command and fuller.command:
            return False  # printed twice, and processes came or went
        by_pid = {row.get("pid"): row for row in other_rows}
        return all(row == by_pid.get(row.get("pid")) for row in rows)
    return len(values) >= 4


def _monitor_signs(block: Block, records: list[Record]) -> list[object]:
    """What two prints of one sample have in common and others hardly have."""
    if isinstance(block, FoldedBlock):
        return [("digest", block.series.digest())]
    values = block.values
    signs: list[object] = []
    if values.get("time"):
        signs.append((values["time"], values.get("load1")))
    table = values.get("processes")
    if isinstance(table, Table) and len(table):
        row = table[0]
        signs.append((row.get("pid"), row.get("time_s"), row.get("res_kb", row.get("rss_kb")), row.get("command")))
        signs += [("row", row.get("pid"), row.get("time_s")) for row in table[: 60 if len(table) > 3 else 1]]
    sample = next((r for r in records if isinstance(r, SystemSample)), None)
    if sample and not values.get("time") and len(sample.metrics) >= 3:
        signs.append(tuple(sorted(sample.metrics.items())))
    return signs
