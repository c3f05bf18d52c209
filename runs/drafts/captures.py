"""Captures: the samples of one monitor's command, placed beside the runs of an experiment.

place_captures    which run each capture belongs to, and whether it was taken before, during or after it
place_texts       which config each config text belongs to
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from parsers.blocks import Block
from parsers.catalogue import has_cpu_now, makes_load
from parsers.records import HostFacts, LoadResult, ProcessSample, SystemSample
from runs.series.clocks import find_run_span, seconds_of_day
from runs.series.samples import (
    MAX_SINGLE_SAMPLES,
    SampleGrouper,
    count_samples,
    list_clocks,
    make_short_records,
)

from .boilerplate import strip_markup
from .draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from .heading_words import find_phase
from .hosts import find_server
from .typed_commands import starts_server

_BUSY_LOAD1 = 1.0
_BUSY_CPU_PCT = 2.0
_LITTLE_IDLE_PCT = 50.0
_SEVERAL = 1.5  # times the longest load test: a monitor that went on for longer saw more than one
_SHOWS_FILE = re.compile(r"\b(?:cat|head|tail|less|more)\s(?:-\S+\s+)*(?P<file>[\w./~-]+)\s*$")
_WRITES_FILE = re.compile(r"(?:>|\btee\s(?:-\w+\s)?)\s{0,3}(?P<file>[\w./~-]+)(?=[\s&)])")
# Words in the path of a config file and in the name of the server software that it is for.
_SERVER_FAMILIES = (("nginx",), ("apache", "httpd"), ("lighttpd",), ("caddy",), ("haproxy",), ("varnish",))


def place_captures(
    experiment: DraftExperiment,
    blocks: Sequence[Block],
    monitors: Sequence[int],
    quotes_of: Mapping[int, Sequence[int]],
    host_of: Mapping[int, str],
    configs_by_heading: Mapping[str, str],
    heading_lines: Mapping[int, int],
) -> dict[str, bool]:
    """Append the captures to the experiment. Returns those that may have seen several runs, and whether only clocks tell them.

    monitors       numbers of the blocks that quote no other
    heading_lines  {number of a load test's block: line of the heading that names its config}
    """
    placing = _Placing(experiment, blocks, host_of, configs_by_heading, heading_lines)
    for group in _group_by_command(blocks, monitors):
        quotes = [quote for i in group for quote in quotes_of.get(i, ())]
        run, config, phase = placing.place(group, quotes)
        placing.watched |= bool(run and phase == "during")
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
    return placing.shared


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
        host_of: Mapping[int, str],
        configs_by_heading: Mapping[str, str],
        heading_lines: Mapping[int, int],
    ) -> None:
        self.experiment = experiment
        self.host_of = host_of
        self.blocks = blocks
        self.runs = sorted(experiment.runs, key=lambda run: run.lines)
        self.run_starts = [run.lines[0] for run in self.runs]
        self.run_blocks = [run.block for run in self.runs]
        self.text_starts = [text.lines[0] for text in experiment.texts]
        self.configs_by_heading = configs_by_heading
        self.heading_lines = heading_lines
        self.by_config: dict[str, list[DraftRun]] = defaultdict(list)
        for run in self.runs:
            self.by_config[run.config].append(run)
        spans = ((_find_span(blocks[run.block]), place) for place, run in enumerate(self.runs))
        self.spans = sorted((*span, place) for span, place in spans if span is not None)
        self.span_starts = [start for start, _, _ in self.spans]
        self.latest_ends = list(accumulate((end for _, end, _ in self.spans), max))  # up to each span
        self.config_by_port = _find_configs_by_port(self.runs, blocks)
        self.stated: set[tuple[str, str]] = set()  # (run, phase) that a heading states
        self.stated_above: set[tuple[str, str]] = set()  # (config, phase) that one above a run of it states
        self.guessed: dict[str, str] = {}  # capture -> run
        self.watched = False  # whether any capture was taken during a run
        self.shared: dict[str, bool] = {}  # see place_captures

    def place(self, group: Sequence[int], quotes: Sequence[int]) -> tuple[str, str, str]:
        """(run, config, phase) of one capture."""
        block = self.blocks[group[0]]
        headings = (strip_markup(self.blocks[i].heading or "") for i in [*group, *quotes])
        exact = (self.configs_by_heading[heading] for heading in headings if heading in self.configs_by_heading)
        named = next(exact, "") or self._find_config_named(block)
        # "Before the upgrade" above a report and its monitors names a config, and is no word about the monitors.
        is_configs = strip_markup(block.heading or "") in self.configs_by_heading
        # Nor is one about them that stands above a load test before it: "After the test", and then the next one.
        is_past = self._find_last_start(block) > (block.heading_line or 0)
        phase = "" if is_configs else find_phase(block.heading or "")
        phase = ("" if is_past and phase != "during" else phase) or find_phase(block.label or "")
        if not phase and (beside := self._find_beside(block)):
            return beside.key, beside.config, "during"
        run = self._find_run(block, group[0], phase)
        shown = self._list_configs_shown(block)
        if len(shown) > 1:
            return "", "", phase
        if shown:
            own = self.by_config[next(iter(shown))]
            run = run if run in own else next((each for each in own if each.lines[0] > block.last), own[-1])
            return run.key, run.config, phase or self._guess_phase(group, block.first < run.lines[0])
        seen = (self._find_runs_recorded(group[0]) or self._find_runs_by_clock(group)) if not phase else []
        if phase in ("", "during"):
            self.shared[f"b{group[0]}"] = bool(named)
        if len(seen) > 1:
            configs = {run.config for run in seen}
            return "", configs.pop() if len(configs) == 1 else "", "during"
        if seen:
            return seen[0].key, seen[0].config, "during"
        if named and (run is None or run.config != named):
            of_config = self.by_config[named]
            return (of_config[0].key if len(of_config) == 1 else "", named, phase or self._guess_phase(group, True))
        if run and not phase and self._guess_phase(group, True) == "during" and self._saw_several(group):
            return "", run.config if len(self.by_config) == 1 else "", "during"
        if run is None:
            return "", "", phase
        if phase:
            self.stated.add((run.key, phase))
            if block.first < run.lines[0]:
                self.stated_above.add((run.config, phase))
        else:
            phase = self._guess_phase(group, block.first < run.lines[0])
            self.guessed[f"b{group[0]}"] = run.key
        return run.key, run.config, phase

    def _find_config_named(self, block: Block) -> str:
        """The one of several configs whose name stands in the heading of the capture's own: "CPU while nginx was tested"."""
        heading = block.heading or ""
        if not heading or len(self.by_config) < 2 or self._find_last_start(block) > (block.heading_line or 0):
            return ""
        named = {
            name: key
            for name, key in self.configs_by_heading.items()
            if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", heading, re.IGNORECASE)
        }
        longest = max(named, key=len, default="")
        return named[longest] if all(name in longest for name in named) and longest else ""

    def _find_last_start(self, block: Block) -> int:
        """The first line of the last load test above a block; 0 where there is none."""
        place = bisect_left(self.run_starts, block.first)
        return self.run_starts[place - 1] if place else 0

    def _list_configs_shown(self, block: Block) -> set[str]:
        """The configs on whose ports the processes of a listing say that they listen."""
        ports = self.config_by_port
        commands = (
            [record.command or "" for record in block.records if isinstance(record, ProcessSample)] if ports else []
        )
        return {
            ports[port] for text in commands for port in re.findall(r"(?<=[:= ])\d{2,5}(?!\d)", text) if port in ports
        }

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

    def _find_runs_recorded(self, index: int) -> list[DraftRun]:
        """The runs while a monitor wrote the file that is shown here: "vmstat 1 > vm.log &", the runs, "cat vm.log"."""
        match = _SHOWS_FILE.search(self.blocks[index].command or "")
        starts = self.recorded.get(match["file"], []) if match else []
        place = bisect_right(starts, index)
        if not place:
            return []
        first, end = (bisect_left(self.run_blocks, at) for at in (starts[place - 1], index))
        return self.runs[first:end]

    @cached_property
    def recorded(self) -> dict[str, list[int]]:
        """{file: numbers of the blocks above which a command in the background was typed that writes it}."""
        files: dict[str, list[int]] = defaultdict(list)
        for index, block in enumerate(self.blocks):
            for command in block.typed:
                for match in _WRITES_FILE.finditer(command) if command.rstrip().endswith("&") else ():
                    files[match["file"]].append(index)
        return files

    def _find_runs_by_clock(self, group: Sequence[int]) -> list[DraftRun]:
        """The runs whose load the samples saw, where the text shows the time of both."""
        clocks = [seconds_of_day(clock) for i in (group[0], group[-1]) for clock in list_clocks(self.blocks[i])]
        if not self.spans or not clocks or any(map(math.isnan, clocks)):
            return []
        places, at = [], bisect_right(self.span_starts, clocks[-1])
        while at and self.latest_ends[at - 1] >= clocks[0]:
            at -= 1
            if self.spans[at][1] >= clocks[0]:
                places.append(self.spans[at][2])
        return [self.runs[place] for place in sorted(places)]

    def _saw_several(self, group: Sequence[int]) -> bool:
        """Whether a monitor above all load tests, or under a heading below them, went on for longer than one of them.

        It may have ended before the last one did. Without clocks a second is taken for each sample: few monitors can show more.
        """
        heading_line = self.blocks[group[0]].heading_line or 0
        is_apart = heading_line > self.runs[-1].lines[1] or self.blocks[group[-1]].last < self.run_starts[0]
        if self.watched or not self.took_s or not is_apart:
            return False
        clocks = [seconds_of_day(clock) for i in (group[0], group[-1]) for clock in list_clocks(self.blocks[i])]
        seconds = clocks[-1] - clocks[0] if clocks else sum(map(self._count_samples, group)) - 1
        return seconds >= self.took_s

    def _count_samples(self, index: int) -> int:
        return int(self.blocks[index].values.get("n_rows", 0)) or count_samples(self.blocks[index])

    @cached_property
    def took_s(self) -> float:
        """How long several load tests took at least; 0 of one alone, or where one does not tell."""
        took = [result.duration_s or 0.0 for run in self.runs for result in self.blocks[run.block].load_results[:1]]
        return min(sum(took), _SEVERAL * max(took)) if len(took) > 1 and all(took) else 0.0

    def _find_beside(self, block: Block) -> DraftRun | None:
        """The run whose report stands on the same lines: in the terminal beside, or in the same log."""
        place = bisect_right(self.run_starts, block.last)
        run = self.runs[place - 1] if place else None
        return run if run and block.first <= run.lines[1] else None

    def _find_run(self, block: Block, index: int, phase: str) -> DraftRun | None:
        place = bisect_left(self.run_starts, block.first)
        last = self.runs[place - 1] if place else None
        following = self.runs[place] if place < len(self.runs) else None
        if (last is None and following is None) or (self._describes_the_host(index) and not phase):
            return None
        if last is None:
            return following
        host = self.host_of.get(index, "")
        if following and host and host == following.host != last.host != "":
            return following  # on whose machine it was typed, and not on that of the load test above
        texts_between = bisect_right(self.text_starts, last.lines[1]) < bisect_left(self.text_starts, block.first)
        if following is None:
            return None if texts_between else last
        if (texts_between or self._is_of_next_server(last, index)) and phase != "after":
            return following
        heading_line = self.heading_lines.get(following.block, 0)
        if heading_line and last.lines[1] < heading_line < block.first:
            return following if phase != "after" else last
        is_next = {(last.key, "before"), (last.key, "after")} & self.stated or (last.config, phase) in self.stated_above
        if phase == "before" and is_next:
            return following
        return last

    def _is_of_next_server(self, last: DraftRun, index: int) -> bool:
        """Whether a server was started between a load test and a monitor below it."""
        return bisect_right(self.server_starts, last.block) < bisect_right(self.server_starts, index)

    @cached_property
    def server_starts(self) -> list[int]:
        """Numbers of the blocks above which a command was typed that starts a server."""
        return [index for index, block in enumerate(self.blocks) if block.typed and starts_server(block.typed)]

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
        # The first report of some monitors is of the time since the machine's start, and no sample.
        samples = [r for i in group[:2] for r in make_short_records(self.blocks[i]) if isinstance(r, SystemSample)]
        sample = samples[0] if samples else None
        is_busy = sample is not None and (
            sample.metrics.get("load1", 0.0) >= _BUSY_LOAD1
            or sample.metrics.get("accept_queue", 0.0) > 0
            or sample.metrics.get("cpu_id", 100.0) < _LITTLE_IDLE_PCT
        )
        is_repeated = len(group) > 1 or len(samples) > 1 or count_samples(block) > 1
        if sample is not None and "load1" in sample.metrics and not is_repeated and self._is_typed_next(block):
            is_busy = False  # a load average, and a first screen, tell of the time before
        if is_busy or (sample is not None and "cpu_us" in sample.metrics and is_repeated):
            return "during"
        processes = [r for r in block.records if isinstance(r, ProcessSample)]
        # Rows of a screen without its summary, or of a list with the CPU time of its own interval.
        if has_cpu_now(block.kind) if sample is None else "load1" not in sample.metrics:
            is_busy = any((process.cpu_pct or 0) >= _BUSY_CPU_PCT for process in processes)
        if is_busy or any(makes_load(process.group) for process in processes):
            return "during"
        return "before" if is_ahead else "after"

    def _is_typed_next(self, block: Block) -> bool:
        """Whether a command was typed behind the prompt right below a load test, the same that this was typed behind.

        There are no words and no blank lines between, as there are between what is copied from two terminals.
        """
        place = bisect_left(self.run_starts, block.first)
        load = self.blocks[self.runs[place - 1].block] if place else None
        is_next = load is not None and load.last < (block.command_line or 0) <= load.last + 1
        return load is not None and is_next and load.prompt_host == block.prompt_host is not None


def _find_configs_by_port(runs: Sequence[DraftRun], blocks: Sequence[Block]) -> dict[str, str]:
    """{port: the config that answers there}, where each of several has ports of its own."""
    configs: dict[int, set[str]] = defaultdict(set)
    for run in runs:
        block = blocks[run.block]
        configs[find_server(block.load_results[0], block, None)[2]].add(run.config)
    one_each = len(configs) > 1 and 0 not in configs and all(len(own) == 1 for own in configs.values())
    several = len(set().union(*configs.values())) > 1
    return {str(port): min(own) for port, own in configs.items()} if one_each and several else {}


def _find_span(block: Block) -> tuple[float, float] | None:
    """When the block's load began and ended, in seconds of the day; None where the text does not show both."""
    results = block.load_results
    span = find_run_span(block, results[0], block.values) if len(results) == 1 else None
    return (span.start_s, span.end_s) if span and span.start_s is not None and span.end_s is not None else None


def _is_cpu_data(block: Block) -> bool:
    record = next(iter(make_short_records(block)), None)
    return isinstance(record, HostFacts) and bool(record.cpu_model)


def place_texts(
    experiment: DraftExperiment,
    blocks: Sequence[Block],
    texts: Sequence[int],
    results: Mapping[int, LoadResult],
    heading_lines: Mapping[int, int],
) -> None:
    """Append the config texts. One right before a run is its config's, unless it can only be for all of them; one above the
    heading of the next run is of the run before. What was written to a file behind the last run did not run.

    results: {number of a load test's block: its first result}; heading_lines: {the same: the line that names its config}
    """
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    starts = [run.lines[0] for run in runs]
    places = {i: bisect_right(starts, blocks[i].first) for i in texts}
    n_gaps = len({place for place in places.values() if place < len(runs)})
    by_family = _find_configs_by_family(runs, results)
    headed = {i for i in texts if 0 < places[i] < len(runs) and heading_lines[runs[places[i]].block] > blocks[i].first}
    behind = headed | {i for i in texts if headed and places[i] == len(runs)}
    for i in texts:
        block = blocks[i]
        if runs and places[i] == len(runs) and _WRITES.search(block.command or ""):
            continue
        path = str(block.values.get("path") or "")
        is_below = places[i] == 0 and 0 < heading_lines[runs[0].block] < block.first if runs else False
        is_of_next = places[i] < len(runs) and (n_gaps > 1 or places[i] > 0 or is_below)
        place = places[i] - (i in behind)
        config = by_family.get(_find_family(path.lower()), "")
        config = config or (runs[place].config if is_of_next or i in behind else "")
        text = str(block.values.get("text", ""))
        experiment.texts.append(DraftText(key=f"b{i}", config=config, path=path, text=text, lines=block.lines))


_WRITES = re.compile(r"\bcat\s*>|\btee\s|<<")


def _find_configs_by_family(runs: Sequence[DraftRun], results: Mapping[int, LoadResult]) -> dict[str, str]:
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
