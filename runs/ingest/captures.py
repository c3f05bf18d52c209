"""Captures: the samples of one monitor's command, folded into few blocks, and placed beside the runs of an experiment.

fold_samples      a log of hours as a few blocks, while it is read
place_captures    which run each capture belongs to, and whether it was taken before, during or after it
place_texts       which config each config text belongs to
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from parsers.blocks import Block
from parsers.catalogue import makes_load
from parsers.records import HostFacts, LoadResult, Problem, ProcessSample, Record, SystemSample
from parsers.tables import Table

from .block_samples import SampleGrouper, SampleReader, process_keys
from .clocks import find_run_span, seconds_of_day
from .draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from .heading_words import find_phase, strip_markup
from .sample_series import MAX_PROCESSES, CaptureSeries, ProcessKey, ProcessKeys

MAX_SINGLE_SAMPLES = 20  # samples of a command that stay blocks of their own, so that one can be quoted or edited
MAX_PROBLEMS = 500
MAX_SHARED_TEXTS = 100_000
MAX_SHORT_ROWS = 8
ROW_TABLES = ("processes", "rows")  # what interfaces.md calls a block's rows, whatever the tool
_BUSY_LOAD1 = 1.0
_BUSY_CPU_PCT = 2.0
# Words in the path of a config file and in the name of the server software that it is for.
_SERVER_FAMILIES = (("nginx",), ("apache", "httpd"), ("lighttpd",), ("caddy",), ("haproxy",), ("varnish",))


# --- folding -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class FoldedBlock(Block):
    """Consecutive samples of one command in one block: `values` are those of the last one, `series` has all of them.

    limit_reported  whether an earlier block has the problem that there are too many processes
    """

    series: CaptureSeries = field(default_factory=CaptureSeries)
    reader: SampleReader = field(default_factory=SampleReader)
    limit_reported: bool = False

    def add(self, block: Block) -> None:
        """Add the next sample."""
        was_summed = self.series.first_summed is not None
        _add_samples(self.series, self.reader, block)
        self.last, self.values, self.below = block.last, block.values, block.below
        self.partial = self.partial or block.partial
        problems = block.problems
        if not was_summed and self.series.first_summed is not None and not self.limit_reported:
            problems = [_too_many_processes(block.first), *problems]
        for problem in problems:
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(problem)
            elif len(self.problems) == MAX_PROBLEMS:
                self.problems.append(Problem(problem.line, "more problems from here on are not listed"))


def count_samples(block: Block) -> int:
    """The number of samples in a monitor's block."""
    return block.series.n - block.series.first if isinstance(block, FoldedBlock) else 1


def collect_series(blocks: Iterable[Block]) -> CaptureSeries:
    """The series of a capture's blocks, some of which may be folded."""
    series, reader = CaptureSeries(), SampleReader()
    for block in blocks:
        if isinstance(block, FoldedBlock):
            series.append(block.series)
        else:
            _add_samples(series, reader, block)
    return series


def _add_samples(series: CaptureSeries, reader: SampleReader, block: Block) -> None:
    for sample in reader.read(block):
        second = seconds_of_day(sample.clock)
        series.add(sample.clock, second, sample.metrics, sample.processes, sample.process_values)


def _too_many_processes(line: int) -> Problem:
    return Problem(line, f"more than {MAX_PROCESSES:,} processes: from here on further ones are added up by program")


def fold_samples(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks in order, with the samples of one command beyond the first 20 as one block that spans their lines.

    Other blocks, load tests above all, stay as they are, and end what stands before them.
    """
    grouper, counts, seen = SampleGrouper(), defaultdict[int, int](int), _SeenProcesses()
    is_monitor: dict[str, bool] = {}  # by kind, from the records of its first block
    folded: dict[int, FoldedBlock] = {}
    texts: dict[str, str] = {}
    for block in blocks:
        if block.kind not in is_monitor and (records := block.records):
            is_monitor[block.kind] = not {SystemSample, ProcessSample}.isdisjoint(map(type, records))
        if not is_monitor.get(block.kind) and "processes" not in block.values:
            grouper.interrupt()
            yield from _close(folded, seen)
            yield block
            continue
        number = grouper.number(block)
        if number in folded:
            folded[number].add(block)
        elif counts[number] < MAX_SINGLE_SAMPLES:
            yield from _close(folded, seen)
            seen.keep_only(grouper.open_numbers())
            seen.add_block(number, block)
            _share_texts(block, texts)
            yield block
        else:
            folded[number] = _fold(block, counts[number], seen.of(number))
        counts[number] += 1
    yield from _close(folded, seen)


def _fold(block: Block, n_before: int, seen: ProcessKeys) -> FoldedBlock:
    origin = (block.heading, block.heading_line, block.label, block.command, block.command_line, block.prompt_host)
    folded = FoldedBlock(
        block.kind, block.first, block.last, {}, *origin, block.trail, above=block.above, typed=block.typed
    )
    folded.series, folded.limit_reported = CaptureSeries(n_before, seen), len(seen) > MAX_PROCESSES
    folded.add(block)
    return folded


def _close(folded: dict[int, FoldedBlock], seen: _SeenProcesses) -> Iterator[FoldedBlock]:
    """The folded blocks so far, in the order of the text; samples behind them are folded into new ones."""
    for number, block in sorted(folded.items(), key=lambda item: item[1].first):
        block.series.flush()
        seen.add(number, block.series.process_keys())
        yield block
    folded.clear()


class _SeenProcesses:
    """The processes in earlier blocks of each command, so that one limit holds for all its samples."""

    def __init__(self) -> None:
        self._keys: dict[int, ProcessKeys] = {}

    def of(self, number: int) -> ProcessKeys:
        return self._keys.get(number, frozenset())

    def keep_only(self, numbers: Container[int]) -> None:
        self._keys = {number: keys for number, keys in self._keys.items() if number in numbers}

    def add(self, number: int, keys: Iterable[ProcessKey]) -> None:
        self._keys[number] = self.of(number) | frozenset(keys)

    def add_block(self, number: int, block: Block) -> None:
        """Add the processes of a sample that stays a block; the one that exceeds the limit gets a problem."""
        table = block.values.get("processes")
        if not isinstance(table, Table) or len(self.of(number)) > MAX_PROCESSES:
            return
        self.add(number, process_keys(table)[: MAX_PROCESSES + 1])
        if len(self.of(number)) > MAX_PROCESSES:
            block.problems.append(_too_many_processes(block.first))


def _share_texts(block: Block, texts: dict[str, str]) -> None:
    """Keep each text of the process tables in memory only once."""
    table = block.values.get("processes")
    if isinstance(table, Table):
        if len(texts) > MAX_SHARED_TEXTS:
            texts.clear()
        for name, column in table.columns.items():
            if column and isinstance(column[0], str):
                table.columns[name] = [texts.setdefault(text, text) for text in column]


# --- placing -----------------------------------------------------------------------------------------------------------


def place_captures(
    experiment: DraftExperiment,
    blocks: Sequence[Block],
    monitors: Sequence[int],
    quotes_of: Mapping[int, Sequence[int]],
    host_of: Mapping[int, str],
    configs_by_heading: Mapping[str, str],
    heading_lines: Mapping[int, int],
) -> None:
    """Append the captures to the experiment.

    monitors       numbers of the blocks that quote no other
    heading_lines  {number of a load test's block: line of the heading that names its config}
    """
    placing = _Placing(experiment, blocks, configs_by_heading, heading_lines)
    for group in _group_by_command(blocks, monitors):
        quotes = [quote for i in group for quote in quotes_of.get(i, ())]
        run, config, phase = placing.place(group, quotes)
        experiment.captures.append(
            DraftCapture(
                key=f"b{group[0]}",
                blocks=[f"b{i}" for i in group],
                host=host_of.get(group[0], experiment.host),
                config=config,
                run=run,
                phase=phase,
                label=strip_markup(blocks[group[0]].heading or "")[:200],
                lines=(blocks[group[0]].first, blocks[group[-1]].last),
                quotes=[blocks[q].lines for q in quotes],
                n_samples=sum(count_samples(blocks[i]) for i in group),
            )
        )
    placing.correct_guesses()


def _group_by_command(blocks: Sequence[Block], monitors: Sequence[int]) -> list[list[int]]:
    """The monitors' blocks by the command whose samples they are, each group in order."""
    grouper, groups, previous = SampleGrouper(), defaultdict[int, list[int]](list), -1
    typed_again: set[int] = set()
    for i in monitors:
        if i != previous + 1:
            grouper.interrupt()
        groups[grouper.number(blocks[i])].append(i)
        if grouper.typed_again:
            typed_again.add(i)
        previous = i
    return sorted(part for group in groups.values() for part in _split_group(group, typed_again, blocks))


def _split_group(group: list[int], typed_again: set[int], blocks: Sequence[Block]) -> list[list[int]]:
    """A command that was typed a few times is as many captures; typed often it is one."""
    if sum(count_samples(blocks[i]) for i in group if i in typed_again) >= MAX_SINGLE_SAMPLES:
        return [group]
    starts = [0, *(place for place, i in enumerate(group) if i in typed_again), len(group)]
    return [group[first:end] for first, end in pairwise(starts)]


class _Placing:
    def __init__(
        self,
        experiment: DraftExperiment,
        blocks: Sequence[Block],
        configs_by_heading: Mapping[str, str],
        heading_lines: Mapping[int, int],
    ) -> None:
        self.experiment = experiment
        self.blocks = blocks
        self.runs = sorted(experiment.runs, key=lambda run: run.lines)
        self.run_starts = [run.lines[0] for run in self.runs]
        self.text_starts = [text.lines[0] for text in experiment.texts]
        self.configs_by_heading = configs_by_heading
        self.heading_lines = heading_lines
        self.by_config: dict[str, list[DraftRun]] = defaultdict(list)
        for run in self.runs:
            self.by_config[run.config].append(run)
        spans = ((_span_of(blocks[run.block]), place) for place, run in enumerate(self.runs))
        self.spans = sorted((*span, place) for span, place in spans if span is not None)
        self.span_starts = [start for start, _, _ in self.spans]
        self.latest_ends = list(accumulate((end for _, end, _ in self.spans), max))  # up to each span
        self.stated: set[tuple[str, str]] = set()  # (run, phase) that a heading states
        self.guessed: dict[str, str] = {}  # capture -> run

    def place(self, group: Sequence[int], quotes: Sequence[int]) -> tuple[str, str, str]:
        """(run, config, phase) of one capture."""
        block = self.blocks[group[0]]
        headings = (strip_markup(self.blocks[i].heading or "") for i in [*group, *quotes])
        named = next(
            (self.configs_by_heading[heading] for heading in headings if heading in self.configs_by_heading), ""
        )
        phase = find_phase(block.heading or "") or find_phase(block.label or "")
        run = self._find_run(block, group[0], phase)
        seen = self._find_runs_by_clock(group) if not phase else []
        if len(seen) > 1:
            configs = {run.config for run in seen}
            return "", configs.pop() if len(configs) == 1 else "", "during"
        if seen:
            return seen[0].key, seen[0].config, "during"
        if named and (run is None or run.config != named):
            of_config = self.by_config[named]
            return (of_config[0].key if len(of_config) == 1 else "", named, phase or self._guess_phase(group, True))
        if run is None:
            return "", "", phase
        if phase:
            self.stated.add((run.key, phase))
        else:
            phase = self._guess_phase(group, block.first < run.lines[0])
            self.guessed[f"b{group[0]}"] = run.key
        return run.key, run.config, phase

    def correct_guesses(self) -> None:
        """Where a heading states which capture was before the load, one that was only guessed to be is the experiment's."""
        kinds = {c.key: self.blocks[int(c.key[1:])].kind for c in self.experiment.captures}
        stated = {
            (c.run, c.phase, kinds[c.key]) for c in self.experiment.captures if c.run and c.key not in self.guessed
        }
        for capture in self.experiment.captures:
            run = self.guessed.get(capture.key)
            if run and (run, capture.phase) in self.stated and (run, capture.phase, kinds[capture.key]) in stated:
                capture.run, capture.config, capture.phase = "", "", ""

    def _find_runs_by_clock(self, group: Sequence[int]) -> list[DraftRun]:
        """The runs whose load the samples saw, where the text shows the time of both."""
        clocks = [seconds_of_day(clock) for i in (group[0], group[-1]) for clock in _clocks_of(self.blocks[i])]
        if not self.spans or not clocks or any(map(math.isnan, clocks)):
            return []
        places, at = [], bisect_right(self.span_starts, clocks[-1])
        while at and self.latest_ends[at - 1] >= clocks[0]:
            at -= 1
            if self.spans[at][1] >= clocks[0]:
                places.append(self.spans[at][2])
        return [self.runs[place] for place in sorted(places)]

    def _find_run(self, block: Block, index: int, phase: str) -> DraftRun | None:
        place = bisect_left(self.run_starts, block.first)
        last = self.runs[place - 1] if place else None
        following = self.runs[place] if place < len(self.runs) else None
        if (last is None and following is None) or (self._describes_the_host(index) and not phase):
            return None
        if last is None:
            return following
        texts_between = bisect_right(self.text_starts, last.lines[1]) < bisect_left(self.text_starts, block.first)
        if following is None:
            return None if texts_between else last
        if texts_between and phase != "after":
            return following
        heading_line = self.heading_lines.get(following.block, 0)
        if heading_line and last.lines[1] < heading_line < block.first:
            return following if phase != "after" else last
        if phase == "before" and {(last.key, "before"), (last.key, "after")} & self.stated:
            return following
        return last

    def _describes_the_host(self, index: int) -> bool:
        """Memory shown next to the CPU's data is data of the host, too."""
        if self.blocks[index].values.get("processes") is not None:
            return False
        neighbours = [i for i in (index - 1, index + 1) if 0 <= i < len(self.blocks)]
        return any(_is_cpu_data(self.blocks[i]) and self._are_close(index, i) for i in neighbours)

    def _are_close(self, index: int, other: int) -> bool:
        first, second = sorted((index, other))
        return self.blocks[second].first - self.blocks[first].last <= 6

    def _guess_phase(self, group: Sequence[int], is_ahead: bool) -> str:
        """Without a word in the heading: a sample of a busy machine was taken during the load."""
        block = self.blocks[group[0]]
        sample = next((r for r in short_records(block) if isinstance(r, SystemSample)), None)
        is_busy = sample is not None and sample.metrics.get("load1", 0.0) >= _BUSY_LOAD1
        if is_busy or (sample is not None and "cpu_us" in sample.metrics and len(group) > 1):
            return "during"
        processes = [r for r in block.records if isinstance(r, ProcessSample)]
        if sample is not None and "load1" not in sample.metrics:  # rows of a screen without its summary
            is_busy = any((process.cpu_pct or 0) >= _BUSY_CPU_PCT for process in processes)
        if is_busy or any(makes_load(process.group) for process in processes):
            return "during"
        return "before" if is_ahead else "after"


def _span_of(block: Block) -> tuple[float, float] | None:
    """When the block's load began and ended, in seconds of the day; None where the text does not show both."""
    results = block.load_results
    span = find_run_span(block, results[0], block.values) if len(results) == 1 else None
    return (span.start_s, span.end_s) if span and span.start_s is not None and span.end_s is not None else None


def _clocks_of(block: Block) -> list[str]:
    """The clocks of a monitor's first and last sample, as far as it shows them."""
    if isinstance(block, FoldedBlock):
        clocks = [block.series.clock_first, block.series.clock_last]
    else:
        clocks = [r.clock or "" for r in short_records(block) if isinstance(r, SystemSample)]
        clocks = [clocks[0], clocks[-1]] if clocks else []
    return [clock for clock in clocks if clock]


def _is_cpu_data(block: Block) -> bool:
    record = next(iter(short_records(block)), None)
    return isinstance(record, HostFacts) and bool(record.cpu_model)


def short_records(block: Block) -> list[Record]:
    """The block's records, made from no more than 8 of its rows. Samples of a busy machine have hundreds each."""
    short = {
        name: Table({column: cells[:MAX_SHORT_ROWS] for column, cells in table.columns.items()}, MAX_SHORT_ROWS)
        for name in ROW_TABLES
        if isinstance(table := block.values.get(name), Table) and len(table) > MAX_SHORT_ROWS
    }
    if not short:
        return block.records
    return replace(block, values=block.values | short).records


def place_texts(
    experiment: DraftExperiment, blocks: Sequence[Block], texts: Sequence[int], results: Mapping[int, LoadResult]
) -> None:
    """Append the config texts. One right before a run is its config's, unless it can only be for all of them.

    results: {number of a load test's block: its first result}
    """
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    starts = [run.lines[0] for run in runs]
    places = {i: bisect_right(starts, blocks[i].first) for i in texts}
    n_gaps = len({place for place in places.values() if place < len(runs)})
    by_family = _configs_by_family(runs, results)
    for i in texts:
        block = blocks[i]
        path = str(block.values.get("path") or "")
        is_of_next = places[i] < len(runs) and (n_gaps > 1 or places[i] > 0)
        config = by_family.get(_find_family(path.lower()), "") or (runs[places[i]].config if is_of_next else "")
        text = str(block.values.get("text", ""))
        experiment.texts.append(DraftText(key=f"b{i}", config=config, path=path, text=text, lines=block.lines))


def _configs_by_family(runs: Sequence[DraftRun], results: Mapping[int, LoadResult]) -> dict[str, str]:
    """{family of servers: the one config whose runs met it}, where there are other configs too."""
    n_configs = len({run.config for run in runs})
    configs: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        software = (results[run.block].server_software or "").lower()
        if family := _find_family(software):
            configs[family].add(run.config)
    return {family: met.pop() for family, met in configs.items() if len(met) == 1 < n_configs}


def _find_family(text: str) -> str:
    """The server family that a path or a server's own name mentions, or ""."""
    return next((words[0] for words in _SERVER_FAMILIES if any(word in text for word in words)), "")
