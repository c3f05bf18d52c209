"""Where monitors and config texts belong: beside which run, before, during or after it, of which config."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from parsers import Block, HostFacts, ProcessSample, SystemSample
from parsers.catalogue import makes_load

from .draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from .glance import glance
from .naming import Namer
from .screens import FEW, Rounds, n_looks
from .words import phase_of, plain

_BUSY_LOAD = 1.0
_BUSY_PCT = 2.0
# Words by which the path of a text and the software that a run met can be matched.
_FAMILIES = (("nginx",), ("apache", "httpd"), ("lighttpd",), ("caddy",), ("haproxy",), ("varnish",))


def place_captures(
    experiment: DraftExperiment,
    blocks: Sequence[Block],
    monitors: Sequence[int],
    quotes_of: Mapping[int, Sequence[int]],
    host_of: Mapping[int, str],
    namer: Namer,
) -> None:
    """Append the captures: consecutive screens of one command are one. `monitors` are those that quote no other."""
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    texts = [text.lines[0] for text in experiment.texts]
    placing = _Placing(experiment, blocks, runs, texts, namer)
    for group in _screens(blocks, monitors):
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
                label=plain(blocks[group[0]].heading or "")[:200],
                lines=(blocks[group[0]].first, blocks[group[-1]].last),
                quotes=[blocks[q].lines for q in quotes],
                looks=sum(n_looks(blocks[i]) for i in group),
            )
        )
    placing.settle()


def _screens(blocks: Sequence[Block], monitors: Sequence[int]) -> list[list[int]]:
    """The monitors' blocks by the command whose looks they are, each group in order."""
    rounds, groups, before = Rounds(), defaultdict[int, list[int]](list), -1
    anew: set[int] = set()
    for i in monitors:
        if i != before + 1:
            rounds.interrupted()
        groups[rounds.number(blocks[i])].append(i)
        if rounds.anew:
            anew.add(i)
        before = i
    return sorted(part for group in groups.values() for part in _parted(group, anew, blocks))


def _parted(group: list[int], anew: set[int], blocks: Sequence[Block]) -> list[list[int]]:
    """A command that was typed a few times is as many captures; typed again and again it is one."""
    if sum(n_looks(blocks[i]) for i in group if i in anew) >= FEW:
        return [group]
    starts = [0, *(place for place, i in enumerate(group) if i in anew), len(group)]
    return [group[first:end] for first, end in pairwise(starts)]


class _Placing:
    def __init__(
        self,
        experiment: DraftExperiment,
        blocks: Sequence[Block],
        runs: Sequence[DraftRun],
        texts: Sequence[int],
        namer: Namer,
    ) -> None:
        self.experiment = experiment
        self.blocks = blocks
        self.runs = runs
        self.starts = [run.lines[0] for run in runs]
        self.texts = texts
        self.namer = namer
        self.by_config: dict[str, list[DraftRun]] = defaultdict(list)
        for run in runs:
            self.by_config[run.config].append(run)
        self.said: set[tuple[str, str]] = set()  # (run, phase) that a heading named in so many words
        self.guessed: list[tuple[str, str]] = []

    def place(self, group: Sequence[int], quotes: Sequence[int]) -> tuple[str, str, str]:
        """(run, config, phase) of one capture."""
        block = self.blocks[group[0]]
        named = next((c for i in [*group, *quotes] if (c := self.namer.config_named(self.blocks[i].heading))), "")
        phase = phase_of(block.heading or "") or phase_of(block.label or "")
        run = self._run(block, group[0], phase)
        if named and (run is None or run.config != named):
            theirs = self.by_config[named]
            return (theirs[0].key if len(theirs) == 1 else "", named, phase or self._default(block, group, True))
        if run is None:
            return "", "", phase
        if phase:
            self.said.add((run.key, phase))
        else:
            phase = self._default(block, group, block.first < run.lines[0])
            self.guessed.append((f"b{group[0]}", run.key))
        return run.key, run.config, phase

    def settle(self) -> None:
        """Where a heading says which look was before the load, one that was only guessed to be is of the whole."""
        guessed = dict(self.guessed)
        said = {(c.run, c.phase, self._kind(c)) for c in self.experiment.captures if c.key not in guessed and c.run}
        for capture in self.experiment.captures:
            run = guessed.get(capture.key)
            if run and (run, capture.phase) in self.said and (run, capture.phase, self._kind(capture)) in said:
                capture.run, capture.config, capture.phase = "", "", ""

    def _kind(self, capture: DraftCapture) -> str:
        return self.blocks[int(capture.key[1:])].kind

    def _run(self, block: Block, index: int, phase: str) -> DraftRun | None:
        place = bisect_left(self.starts, block.first)
        last = self.runs[place - 1] if place else None
        following = self.runs[place] if place < len(self.runs) else None
        if last is None and following is None:
            return None
        if self._of_the_machine(index) and not phase:
            return None
        if last is None:
            return following
        parted = bisect_right(self.texts, last.lines[1]) < bisect_left(self.texts, block.first)
        if following is None:
            return None if parted else last
        if parted and phase != "after":
            return following
        if self._heading_line(following) and last.lines[1] < self._heading_line(following) < block.first:
            return following if phase != "after" else last
        if phase == "before" and {(last.key, "before"), (last.key, "after")} & self.said:
            return following
        return last

    def _heading_line(self, run: DraftRun) -> int:
        return self.namer.label_line.get(int(run.key[1:].split(".")[0]), 0)

    def _of_the_machine(self, index: int) -> bool:
        """Memory shown next to the CPU's data sheet is a data sheet too."""
        if self.blocks[index].values.get("processes") is not None:
            return False
        near = [i for i in (index - 1, index + 1) if 0 <= i < len(self.blocks)]
        return any(self._sheet(self.blocks[i]) and self._close(index, i) for i in near)

    def _close(self, one: int, other: int) -> bool:
        first, second = sorted((one, other))
        return self.blocks[second].first - self.blocks[first].last <= 6

    @staticmethod
    def _sheet(block: Block) -> bool:
        record = next(iter(glance(block)), None)
        return isinstance(record, HostFacts) and bool(record.cpu_model)

    def _default(self, block: Block, group: Sequence[int], ahead: bool) -> str:
        """Without a word in the heading: a screen of a busy machine was taken during the load."""
        sample = next((r for r in glance(block) if isinstance(r, SystemSample)), None)
        busy = sample is not None and sample.metrics.get("load1", 0.0) >= _BUSY_LOAD
        if busy or (sample is not None and "cpu_us" in sample.metrics and len(group) > 1):
            return "during"
        processes = [r for r in block.records if isinstance(r, ProcessSample)]
        if sample is not None and "load1" not in sample.metrics:  # rows of a screen without its summary
            busy = any((process.cpu_pct or 0) >= _BUSY_PCT for process in processes)
        if busy or any(makes_load(process.group) for process in processes):
            return "during"
        return "before" if ahead else "after"


def place_texts(experiment: DraftExperiment, blocks: Sequence[Block], texts: Sequence[int], namer: Namer) -> None:
    """Append the config texts. One shown right before a run is its config's, unless it can only be everybody's."""
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    starts = [run.lines[0] for run in runs]
    following = {
        i: runs[place] if (place := bisect_right(starts, blocks[i].first)) < len(runs) else None for i in texts
    }
    gaps = {run.key for run in following.values() if run is not None}
    met = _met(runs, namer)
    for i in texts:
        block = blocks[i]
        path = str(block.values.get("path") or "")
        run = following[i]
        own = run is not None and (len(gaps) > 1 or run is not runs[0])
        config = met.get(_family(path.lower()), "") or (run.config if own and run else "")
        text = str(block.values.get("text", ""))
        experiment.texts.append(DraftText(key=f"b{i}", config=config, path=path, text=text, lines=block.lines))


def _met(runs: Sequence[DraftRun], namer: Namer) -> dict[str, str]:
    """{family of servers: the one config whose runs met it}, where there are other configs too."""
    every = {run.config for run in runs}
    met: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        software = (namer.result_of(int(run.key[1:].split(".")[0])).server_software or "").lower()
        if family := _family(software):
            met[family].add(run.config)
    return {family: configs.pop() for family, configs in met.items() if len(configs) == 1 < len(every)}


def _family(text: str) -> str:
    """The server that a path or a server's own word is of, or ""."""
    return next((words[0] for words in _FAMILIES if any(word in text for word in words)), "")
